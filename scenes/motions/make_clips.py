#!/usr/bin/env python3
"""Writes the clips of this folder: motions of scenes/character.xml that repeat, made of a few sines.

    python3 scenes/motions/make_clips.py [FOLDER]

BVH: y is up, z is ahead of the character, x to its left; angles are degrees. The zero pose is the T-pose that
the scene draws. Numbers are rounded to 10⁻⁴, the first frame comes again at the end, and all angles keep the
ranges of the joints.
"""

import math
import os
import sys

FRAMES_PER_SECOND = 30

# Joint: parent, where it is in the T-pose (metres, y up).
SKELETON = {
    "root": (None, (0, 1, 0)),
    "waist": ("root", (0, 1.09, 0)),
    "spine": ("waist", (0, 1.25, 0)),
    "neck": ("spine", (0, 1.52, 0)),
    "shoulder_left": ("spine", (0.22, 1.42, 0)),
    "elbow_left": ("shoulder_left", (0.5, 1.42, 0)),
    "wrist_left": ("elbow_left", (0.76, 1.42, 0)),
    "shoulder_right": ("spine", (-0.22, 1.42, 0)),
    "elbow_right": ("shoulder_right", (-0.5, 1.42, 0)),
    "wrist_right": ("elbow_right", (-0.76, 1.42, 0)),
    "hip_left": ("root", (0.1, 0.93, 0)),
    "knee_left": ("hip_left", (0.1, 0.5, 0)),
    "ankle_left": ("knee_left", (0.1, 0.08, 0)),
    "hip_right": ("root", (-0.1, 0.93, 0)),
    "knee_right": ("hip_right", (-0.1, 0.5, 0)),
    "ankle_right": ("knee_right", (-0.1, 0.08, 0)),
}
ENDS = {
    "neck": (0, 0.3, 0),
    "wrist_left": (0.15, 0, 0),
    "wrist_right": (-0.15, 0, 0),
    "ankle_left": (0, -0.04, 0.15),
    "ankle_right": (0, -0.04, 0.15),
}


def swing(phase, low, high):
    """Between two values, smoothly, low at whole phases."""
    return low + (high - low) * 0.5 * (1 - math.cos(2 * math.pi * phase))


def pulse(phase, high):
    """0 for half a period, then up to high and back."""
    return high * max(0.0, math.sin(2 * math.pi * phase)) ** 2


def march(phase):
    """On the spot, two steps: knees up in turn, arms against them. Angles by joint: (about z, x, y)."""
    turn = 6 * math.sin(2 * math.pi * phase)
    angles = {"waist": (0, 3, turn), "neck": (0, 0, -turn)}
    for side, sign, shift in (("left", 1, 0.0), ("right", -1, 0.5)):
        up = pulse(phase + shift, 1)
        down = pulse(phase + shift + 0.5, 1)
        angles[f"hip_{side}"] = (0, -3 - 47 * up, 0)
        angles[f"knee_{side}"] = (0, 6 + 69 * up, 0)
        angles[f"ankle_{side}"] = (0, -3 + 18 * up, 0)
        # Hanging down, ahead with the other knee.
        angles[f"shoulder_{side}"] = (-sign * 68, 0, -sign * 20 * (down - up))
        angles[f"elbow_{side}"] = (0, 0, -sign * (20 + 40 * down))
    return angles


def wave(phase):
    """The right arm goes up, waves three times and comes down; the rest looks on."""
    up = swing(phase, 0, 1) ** 2
    shake = up * math.sin(2 * math.pi * 6 * phase)
    return {
        "waist": (4 * up, 0, 0),
        "spine": (4 * up, 0, -6 * up),
        "neck": (-6 * up, -5 * up, -10 * up),
        "shoulder_left": (-68, 0, -6 * math.sin(2 * math.pi * phase)),
        "elbow_left": (0, 0, -15 - 10 * up),
        "shoulder_right": (68 - 108 * up, -40 * up, 15 * up),
        "elbow_right": (0, 0, 15 + 55 * up + 20 * shake),
        "wrist_right": (10 * shake, 0, 0),
        "hip_left": (0, -3 - 6 * up, 0),
        "knee_left": (0, 6 + 12 * up, 0),
        "ankle_left": (0, -3 - 6 * up, 0),
        "hip_right": (0, -3, 0),
        "knee_right": (0, 6, 0),
        "ankle_right": (0, -3, 0),
    }


CLIPS = {"march": (march, 1.2), "wave": (wave, 3.0)}


def number(value):
    return f"{round(value, 4) + 0.0:g}"


def hierarchy(joint, depth, order, lines):
    parent, place = SKELETON[joint]
    origin = SKELETON[parent][1] if parent else (0, 0, 0)
    indent = "  " * depth
    positions = "6 Xposition Yposition Zposition" if parent is None else "3"
    lines.append(f"{indent}{'JOINT' if parent else 'ROOT'} {joint}")
    lines.append(indent + "{")
    lines.append(f"{indent}  OFFSET " + " ".join(number(a - b) for a, b in zip(place, origin)))
    lines.append(f"{indent}  CHANNELS {positions} Zrotation Xrotation Yrotation")
    order.append(joint)
    for child, (above, _) in SKELETON.items():
        if above == joint:
            hierarchy(child, depth + 1, order, lines)
    if joint in ENDS:
        offset = " ".join(map(number, ENDS[joint]))
        lines += [indent + "  End Site", indent + "  {", f"{indent}    OFFSET {offset}", indent + "  }"]
    lines.append(indent + "}")


def clip(pose, seconds):
    lines, order = ["HIERARCHY"], []
    hierarchy("root", 0, order, lines)
    steps = round(seconds * FRAMES_PER_SECOND)
    lines += ["MOTION", f"Frames: {steps + 1}", f"Frame Time: {1 / FRAMES_PER_SECOND:.9f}"]
    for k in range(steps + 1):
        angles = pose(k % steps / steps)
        numbers = list(SKELETON["root"][1])
        for joint in order:
            numbers += angles.get(joint, (0, 0, 0))
        lines.append(" ".join(map(number, numbers)))
    return "\n".join(lines) + "\n"


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    for name, (pose, seconds) in CLIPS.items():
        with open(os.path.join(folder, name + ".bvh"), "w", encoding="ascii", newline="\n") as file:
            file.write(clip(pose, seconds))


if __name__ == "__main__":
    main()
