#!/usr/bin/env python3
"""Writes the paths of this folder, along which `ligament run --paths` leads kinematic bodies:

    python3 scenes/motions/make_paths.py [FOLDER]

haptic_path.csv     the stylus of scenes/haptic_robot.xml: out, round in a circle, and back
hand_target.csv     the target of scenes/hand.xml: a fist, an open hand, and counting from one to five
hair_nod.csv        the head of scenes/hair.xml: it nods, turns and is shaken

z is up, units are metres and seconds, rotations are quaternions. Numbers are rounded to 10⁻⁴; between rows the paths are
smooth, and they begin and end at rest.
"""

import csv
import math
import os
import sys

POSITION = ("x", "y", "z")
ROTATION = ("qw", "qx", "qy", "qz")


def ease(t, begin, end):
    """0 before, 1 after, smoothly in between."""
    u = min(max((t - begin) / (end - begin), 0), 1)
    return u * u * (3 - 2 * u)


def product(a, b):
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def turn(axis, degrees):
    half = math.radians(degrees) / 2
    return (math.cos(half), *(math.sin(half) * x for x in axis))


def rotate(q, v):
    return product(product(q, (0, *v)), (q[0], -q[1], -q[2], -q[3]))[1:]


X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def haptic_path():
    """Where the stylus is: half a second of rest, out in a second, twice round in four, back in one."""
    start, out, radius = (0.315, 0.22, 1.2), (0.5, 0.25, 1.35), 0.12
    yield ["time", *(f"stylus.{c}" for c in POSITION)]
    for k in range(0, 61):
        t = k / 8
        there = ease(t, 0.5, 1.5) - ease(t, 6, 7)
        angle = 4 * math.pi * ease(t, 1.5, 6)
        # The circle begins and ends in its middle.
        r = radius * (ease(t, 1.5, 2.25) - ease(t, 5.25, 6))
        circle = (0, r * math.sin(angle), r * math.cos(angle))
        yield [t, *(a + there * (b - a) + c for a, b, c in zip(start, out, circle))]


# Bones of scenes/hand.xml: parent, place in its frame, rotation there. Fingers point along x, the palm looks down;
# bending is about y.
FINGERS = {"index": (0.03, 0.045, 0.028), "middle": (0.01, 0.05, 0.032), "ring": (-0.01, 0.045, 0.029), "little": (-0.03, 0.036, 0.02)}
THUMB = product(turn(Z, 45), product(turn(Y, 15), turn(X, -60)))
BONES = {"palm": (None, (0, 0, 1), (1, 0, 0, 0))}
for finger, (y, first, second) in FINGERS.items():
    BONES[f"{finger}1"] = ("palm", (0.09, y, 0), (1, 0, 0, 0))
    BONES[f"{finger}2"] = (f"{finger}1", (first, 0, 0), (1, 0, 0, 0))
    BONES[f"{finger}3"] = (f"{finger}2", (second, 0, 0), (1, 0, 0, 0))
BONES["thumb1"] = ("palm", (0.02, 0.035, -0.005), THUMB)
BONES["thumb2"] = ("thumb1", (0.045, 0, 0), (1, 0, 0, 0))
BONES["thumb3"] = ("thumb2", (0.032, 0, 0), (1, 0, 0, 0))

# How far fingers are bent when they are closed, by bone, in degrees; the last ones farther than the joints of the
# hand allow, which stop at 60.
CLOSED = {"1": 75, "2": 90, "3": 95}
CLOSED_THUMB = {"1": 25, "2": 40, "3": 45}
# When each finger is opened for good: counting begins with the index.
OPENS = {"index": 3.2, "middle": 4.0, "ring": 4.8, "little": 5.6, "thumb": 6.4}


def bent(finger, t):
    """From 0, stretched, to 1: a fist, an open hand, a fist, then finger by finger open again."""
    return ease(t, 0.4, 1.0) - ease(t, 1.4, 1.9) + ease(t, 2.2, 2.7) - ease(t, OPENS[finger], OPENS[finger] + 0.4)


def hand_pose(t):
    """Position and rotation of every bone; the palm goes up, turns towards the counting and comes back."""
    away = ease(t, 0.2, 1.6) - ease(t, 6.8, 7.8)
    sway = away * math.sin(2 * math.pi * t / 2.4)
    poses = {}
    for bone, (parent, place, rotation) in BONES.items():
        if parent is None:
            tilt = product(turn(Y, -50 * away), turn(X, 20 * sway))
            poses[bone] = ((0.04 * sway, 0.06 * sway, 1 + 0.1 * away), tilt)
            continue
        at, frame = poses[parent]
        name, index = bone[:-1], bone[-1]
        angle = bent(name, t) * (CLOSED_THUMB if name == "thumb" else CLOSED)[index]
        poses[bone] = (
            tuple(a + b for a, b in zip(at, rotate(frame, place))),
            product(product(frame, rotation), turn(Y, angle)),
        )
    return poses


def hand_target():
    yield ["time", *(f"{bone}_target.{c}" for bone in BONES for c in POSITION + ROTATION)]
    for k in range(0, 81):
        poses = hand_pose(k / 10)
        yield [k / 10, *(x for bone in BONES for part in poses[bone] for x in part)]


def hair_nod():
    yield ["time", *(f"head.{c}" for c in POSITION + ROTATION)]
    for k in range(0, 61):
        t = k / 12
        nod = 35 * (ease(t, 0.3, 0.8) - ease(t, 0.8, 1.3))
        look = 50 * (ease(t, 1.5, 1.9) - 2 * ease(t, 1.9, 2.6) + ease(t, 2.6, 3.0))
        shake = math.sin(2 * math.pi * 2 * (t - 3.2)) * (ease(t, 3.2, 3.6) - ease(t, 4.4, 4.8))
        place = (0.05 * nod / 35, 0.03 * shake, 1.6)
        yield [t, *place, *product(turn(Z, look), product(turn(Y, nod), turn(X, 8 * shake)))]


PATHS = {"haptic_path.csv": haptic_path, "hand_target.csv": hand_target, "hair_nod.csv": hair_nod}


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    for name, rows in PATHS.items():
        with open(os.path.join(folder, name), "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            for row in rows():
                writer.writerow([x if isinstance(x, str) else f"{round(x, 4) + 0:g}" for x in row])


if __name__ == "__main__":
    main()
