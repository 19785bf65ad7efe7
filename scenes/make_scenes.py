#!/usr/bin/env python3
"""Writes the scenes of this folder that are too long to write by hand:

    python3 scenes/make_scenes.py [FOLDER]

planar_structure_loops.xml   48 links in the plane, 48 pins of a tree and 6 that close loops
structure_127.xml            a tree of 127 links on as many balls
structure_contact.xml        33 bodies on 32 balls, with three contacts without friction
heavy_chain.xml              20 links of 50 g with a ball of 500 kg
excavator.xml                a machine of 20 t with five loops
stewart.xml                  a platform on six cylinders

Lengths are metres, z is up. The comment at the head of each scene says what it is.
"""

import math
import os
import sys

RED, ORANGE, YELLOW = "0.80 0.28 0.24 1", "0.90 0.45 0.20 1", "0.93 0.72 0.25 1"
GREEN, BLUE, PURPLE = "0.33 0.60 0.43 1", "0.25 0.48 0.72 1", "0.56 0.38 0.62 1"
DARK, STEEL, GROUND = "0.22 0.24 0.27 1", "0.62 0.64 0.68 1", "0.86 0.86 0.84 1"


def numbers(values):
    """To 10⁻⁶, without a tail of zeros."""
    return " ".join(f"{round(x, 6) + 0.0:.6f}".rstrip("0").rstrip(".") for x in values)


def add(a, b):
    return tuple(x + y for x, y in zip(a, b))


def subtract(a, b):
    return tuple(x - y for x, y in zip(a, b))


def scale(a, s):
    return tuple(x * s for x in a)


# --- Baraff's structure in the plane, with loops -----------------------------------------------------------

PLANAR_HEAD = """<!-- The structure of planar_structure.xml with other connections: 48 links in the plane, 48 pins that
     make a tree of them and 6 that close loops, 96 and 12 multipliers, as in Baraff 1996, sec. 9. A spine of
     eight links hangs on the world by its first one; on the far end of each hang two links, one across and two
     more. The ones across are pinned to the strand beside them, three in a row and then three more. Every link
     is 0.2 m long. Written by make_scenes.py. -->
<mujoco model="planar_structure_loops">
  <option timestep="0.001" gravity="0 0 -9.81">
    <flag contact="disable"/>
  </option>

  <default>
    <geom type="capsule" size="0.01" mass="0.2"/>
    <default class="spine"><geom size="0.015" mass="0.4" fromto="0 0 0  0.2 0 0" rgba="0.60 0.30 0.20 1"/></default>
    <default class="strand"><geom fromto="0 0 0  0 0 -0.2" rgba="0.50 0.50 0.55 1"/></default>
    <default class="across"><geom fromto="0 0 0  0.2 0 0" rgba="0.25 0.48 0.72 1"/></default>
    <default class="spare"><geom fromto="0 0 0  0.2 0 0" rgba="0.93 0.72 0.25 1"/></default>
  </default>
"""


def planar_structure_loops():
    yield PLANAR_HEAD
    bodies, tree, loops = [], [], []
    for i in range(1, 9):
        bodies.append((f"s{i}", (0.2 * (i - 1), 0), "spine"))
        tree.append((f"s{i}", f"s{i - 1}" if i > 1 else None))
        x = 0.2 * i
        closed = i % 4 != 0
        places = [(x, 0), (x, -0.2), (x, -0.4), (x + 0.2, -0.4), (x + 0.2, -0.6)]
        for k, place in enumerate(places, 1):
            kind = "strand" if k != 3 else "across" if closed else "spare"
            bodies.append((f"s{i}.{k}", place, kind))
            tree.append((f"s{i}.{k}", f"s{i}.{k - 1}" if k > 1 else f"s{i}"))
        if closed:
            loops.append((f"s{i}.3", f"s{i + 1}.2"))
    yield "  <worldbody>"
    for name, (x, z), kind in bodies:
        yield f'    <body name="{name}" kind="planar" pos="{numbers((x, 0, z))}"><geom class="{kind}"/></body>'
    yield "  </worldbody>\n\n  <equality>"
    for name, parent in tree:
        on = f' body2="{parent}"' if parent else ""
        yield f'    <connect name="pin.{name}" body1="{name}"{on} anchor="0 0 0"/>'
    for across, beside in loops:
        yield f'    <connect name="loop.{across}" body1="{across}" body2="{beside}" anchor="0.2 0 0"/>'
    yield "  </equality>\n</mujoco>"


# --- Baraff's structure of 127 balls -----------------------------------------------------------------------

TREE_HEAD = """<!-- A structure of 127 links and 127 ball joints, 381 multipliers, as figure 3 of Baraff 1996: a
     tree of seven levels that branches in two at the end of every link, alternately in two planes. It hangs on
     the world by its first link, spread out, and is let go. A sphere is a joint. Written by make_scenes.py. -->
<mujoco model="structure_127">
  <option timestep="0.005" gravity="0 0 -9.81">
    <flag contact="disable"/>
  </option>

  <default>
    <joint type="ball"/>
    <geom type="capsule" mass="0"/>
  </default>

  <worldbody>
    <geom type="box" size="0.12 0.12 0.03" pos="0 0 0.05" rgba="0.22 0.24 0.27 1"/>"""

TREE_COLOURS = (DARK, RED, ORANGE, YELLOW, GREEN, BLUE, PURPLE)


def structure_127():
    yield TREE_HEAD
    lengths = [0.5 * 0.82**level for level in range(7)]

    def link(level, start, direction, across, name, indent):
        pad = "    " + "  " * indent
        length = lengths[level]
        end = scale(direction, length)
        radius = 0.018 * 0.88**level
        mass = 2 * 0.6**level
        yield f'{pad}<body name="{name}" pos="{numbers(start)}">'
        yield f"{pad}  <joint/>"
        yield f'{pad}  <geom type="sphere" size="{numbers((1.8 * radius,))}" rgba="{STEEL}"/>'
        yield (
            f'{pad}  <geom size="{numbers((radius,))}" fromto="0 0 0  {numbers(end)}" mass="{numbers((mass,))}" '
            f'rgba="{TREE_COLOURS[level]}"/>'
        )
        if level + 1 < len(lengths):
            # The branches leave to both sides in the plane of the link and `across`; the next ones across that.
            spread = math.radians(52 if level < 2 else 42)
            normal = (
                direction[1] * across[2] - direction[2] * across[1],
                direction[2] * across[0] - direction[0] * across[2],
                direction[0] * across[1] - direction[1] * across[0],
            )
            for number, side in ((1, 1), (2, -1)):
                child = add(scale(direction, math.cos(spread)), scale(across, side * math.sin(spread)))
                yield from link(level + 1, end, child, normal, name + str(number), indent + 1)
        yield f"{pad}</body>"

    yield from link(0, (0, 0, 0), (0, 0, -1), (1, 0, 0), "link", 0)
    yield "  </worldbody>\n</mujoco>"


# --- Baraff's contacts -------------------------------------------------------------------------------------

CONTACT_HEAD = """<!-- 33 bodies on 32 ball joints, 96 multipliers, with 3 contacts without friction, as the third example
     of Baraff 1996, sec. 9: a tripod of 20 kg on smooth feet carries four chains of eight links, lifted to one
     side and let go. The chains pull the tripod to and fro; as nothing holds it, the common centre of mass moves
     up and down only. `push` gives everything a velocity besides. Written by make_scenes.py. -->
<mujoco model="structure_contact">
  <option timestep="0.001" gravity="0 0 -9.81"/>

  <default>
    <joint type="ball"/>
    <geom type="capsule" size="0.012" contype="0" conaffinity="0" rgba="0.62 0.64 0.68 1"/>
    <default class="foot">
      <geom type="sphere" size="0.05" mass="1" contype="1" conaffinity="1" condim="1" rgba="0.80 0.28 0.24 1"/>
    </default>
    <default class="leg"><geom size="0.02" mass="2" rgba="0.25 0.48 0.72 1"/></default>
    <default class="arm"><geom size="0.018" mass="1.5" rgba="0.93 0.72 0.25 1"/></default>
  </default>

  <worldbody>
    <geom name="ice" type="plane" size="0 0 1" contype="1" conaffinity="1" condim="1" rgba="0.84 0.88 0.92 1"/>
    <body name="tripod" pos="0 0 1.3">
      <freejoint name="root"/>
      <geom type="sphere" size="0.08" mass="5" rgba="0.25 0.48 0.72 1"/>"""


def structure_contact():
    yield CONTACT_HEAD
    for k in range(3):
        angle = math.radians(120 * k + 45)
        foot = (0.8 * math.cos(angle), 0.8 * math.sin(angle), -1.25)
        yield f'      <geom class="leg" fromto="0 0 0  {numbers(foot)}"/>'
        yield f'      <geom class="foot" name="foot{k + 1}" pos="{numbers(foot)}"/>'
    ends = [(0.45, 0, 0.05), (0, 0.45, 0.05), (-0.45, 0, 0.05), (0, -0.45, 0.05)]
    for end in ends:
        yield f'      <geom class="arm" fromto="0 0 0  {numbers(end)}"/>'
    # Links of 0.12 m; at the start the chains lean by 60° along x.
    step = scale((math.sin(math.radians(60)), 0, -math.cos(math.radians(60))), 0.12)
    colours = (RED, YELLOW, GREEN, PURPLE)
    for chain, (end, colour) in enumerate(zip(ends, colours), 1):
        for k in range(1, 9):
            place = end if k == 1 else step
            pad = "      " + "  " * (k - 1)
            yield f'{pad}<body name="chain{chain}.{k}" pos="{numbers(place)}"><joint/>'
            yield f'{pad}  <geom fromto="0 0 0  {numbers(step)}" mass="0.3" rgba="{colour}"/>'
        yield f'{pad}  <geom type="sphere" size="0.05" pos="{numbers(step)}" mass="1" rgba="{colour}"/>'
        yield "      " + "</body>" * 8
    yield "    </body>\n  </worldbody>\n\n  <keyframe>"
    rest = "  ".join(["1 0 0 0"] * 32)
    yield f'    <key name="push" qpos="0 0 1.3 1 0 0 0  {rest}" qvel="0.5 0.2 0 0 0 0  {" ".join(["0 0 0"] * 32)}"/>'
    yield "  </keyframe>\n</mujoco>"


# --- the chain of stiff joints with a heavy ball -----------------------------------------------------------

CHAIN_HEAD = """<!-- A chain of 20 links, 0.1 m and 50 g each, on ball joints with springs, and a ball of 500 kg at its
     end: ten thousand times a link. At rest the chain carries 4.9 kN, and a step of 1/60 s that knows nothing of
     how this tension turns with the links throws them about. `swing` lets it go at 60° from the vertical,
     `hanging` as it hangs, with the links turned by 0.01 rad or less. Written by make_scenes.py. -->
<mujoco model="heavy_chain">
  <compiler angle="radian"/>
  <option timestep="0.016666666666666666" gravity="0 0 -9.81">
    <flag contact="disable"/>
  </option>

  <default>
    <joint type="ball" stiffness="0.5" damping="0.005"/>
    <default class="link">
      <geom type="capsule" size="0.02" mass="0.05" fromto="0 0 0  0 0 -0.1"/>
    </default>
  </default>

  <worldbody>
    <geom type="box" size="0.25 0.25 0.04" pos="0 0 0.07" rgba="0.22 0.24 0.27 1"/>"""


def heavy_chain():
    count = 20
    yield CHAIN_HEAD
    for k in range(count):
        pad = "    " + "  " * k
        colour = STEEL if k % 2 else ORANGE
        place = "0 0 -0.1" if k else "0 0 0"
        yield f'{pad}<body name="link{k + 1}" pos="{place}"><joint/><geom class="link" rgba="{colour}"/>'
    yield f'{pad}  <geom type="sphere" size="0.24" pos="0 0 -0.34" mass="500" rgba="{DARK}"/>'
    yield "    " + "</body>" * count
    yield "  </worldbody>\n\n  <keyframe>"

    def about_y(angle):
        return (math.cos(angle / 2), 0, math.sin(angle / 2), 0)

    # Angles of the links from the vertical; a joint has the difference to the one before.
    def key(name, angles):
        turns = [about_y(a - b) for a, b in zip(angles, [0, *angles])]
        numbers_of_all = "\n               ".join(" ".join(f"{x:.9g}" for x in q) for q in turns)
        return f'    <key name="{name}"\n         qpos="{numbers_of_all}"/>'

    yield key("swing", [-math.pi / 3] * count)
    yield key("hanging", [0.01 * math.sin(2.3 * (k + 1)) for k in range(count)])
    yield "  </keyframe>\n</mujoco>"


# --- the excavator -----------------------------------------------------------------------------------------

EXCAVATOR_HEAD = """<!-- An excavator of 20 t: tracks of 8 t on the ground, a house that turns on them, boom, stick and
     bucket, moved by four hydraulic cylinders through closed loops, and a four-bar linkage that turns the bucket.
     The two links of that weigh 0.8 kg each and pass on the force that curls a bucket of 2.4 t, load included:
     masses from 0.8 kg to 9 t in one mechanism. A cylinder is a barrel on a hinge, a rod that slides in it, and a
     loop at the rod's eye; a servo of 2·10⁸ N/m is its oil, and its target follows the control with a lag of a
     second or so. Everything begins in the reference configuration: `hold` keeps it there, `dig` pulls stick and
     bucket in and lifts, `turn` swings the house besides. Nothing but tracks and ground collides. Written by
     make_scenes.py. -->
<mujoco model="excavator">
  <compiler angle="radian"/>
  <option timestep="0.005" gravity="0 0 -9.81"/>

  <default>
    <joint type="hinge" axis="0 1 0"/>
    <geom contype="0" conaffinity="0"/>
    <default class="track">
      <geom type="box" contype="1" conaffinity="1" friction="0.8" rgba="0.20 0.20 0.21 1"/>
    </default>
    <default class="house"><geom type="box" mass="0" rgba="0.93 0.68 0.15 1"/></default>
    <default class="dark"><geom type="box" mass="0" rgba="0.22 0.24 0.27 1"/></default>
    <default class="glass"><geom type="box" mass="0" rgba="0.45 0.62 0.72 1"/></default>
    <default class="arm"><geom type="capsule" rgba="0.93 0.68 0.15 1"/></default>
    <default class="barrel">
      <joint type="hinge"/>
      <geom type="cylinder" rgba="0.30 0.32 0.36 1"/>
    </default>
    <default class="rod">
      <joint type="slide" damping="100"/>
      <geom type="cylinder" rgba="0.80 0.82 0.85 1"/>
    </default>
    <default class="linkage"><geom type="capsule" size="0.045" rgba="0.80 0.28 0.24 1"/></default>
    <default class="bucket"><geom type="box" rgba="0.42 0.40 0.38 1"/></default>
    <default class="pin"><geom type="cylinder" mass="0" zaxis="0 1 0"/></default>
    <default class="oil">
      <position kp="2e8" kv="4e6"/>
    </default>
  </default>
"""


class Part:
    """A body by the place of its frame in the world, whose axes it has in the reference configuration."""

    def __init__(self, name, at, parent=None, head=""):
        self.name, self.at, self.children, self.lines = name, at, [], [head] if head else []
        self.parent = parent
        if parent:
            parent.children.append(self)

    def here(self, point):
        return numbers(subtract(point, self.at))

    def bar(self, kind, a, b, size, mass=0):
        ends = f"{self.here(a)}  {self.here(b)}"
        self.lines.append(
            f'<geom class="{kind}" size="{numbers((size,))}" fromto="{ends}" mass="{numbers((mass,))}"/>'
        )

    def box(self, kind, center, size, mass=0, pitch=0):
        turn = f' euler="0 {numbers((pitch,))} 0"' if pitch else ""
        self.lines.append(
            f'<geom class="{kind}" size="{numbers(size)}" pos="{self.here(center)}"{turn} mass="{numbers((mass,))}"/>'
        )

    def plate(self, a, b, width, thickness, mass):
        """A plate across the plane from one point of it to another."""
        along = subtract(b, a)
        self.box(
            "bucket",
            scale(add(a, b), 0.5),
            (0.5 * math.hypot(*along), width, thickness),
            mass,
            math.atan2(-along[2], along[0]),
        )

    def pin(self, at, radius, half, colour=STEEL):
        self.lines.append(
            f'<geom class="pin" size="{numbers((radius, half))}" pos="{self.here(at)}" rgba="{colour}"/>'
        )

    def write(self, indent):
        pad = "  " * indent
        place = subtract(self.at, self.parent.at) if self.parent else self.at
        yield f'{pad}<body name="{self.name}" pos="{numbers(place)}">'
        for line in self.lines:
            yield f"{pad}  {line}"
        for child in self.children:
            yield from child.write(indent + 1)
        yield f"{pad}</body>"


def cylinder(name, on, base, eye, y, radius, masses, loops, with_body):
    """A barrel on a hinge at `base` and a rod out to `eye`, which a loop joins to another body."""
    base, eye = (base[0], y, base[1]), (eye[0], y, eye[1])
    along = subtract(eye, base)
    length = math.hypot(*along)
    direction = scale(along, 1 / length)
    barrel = Part(name + "_barrel", base, on, f'<joint class="barrel" name="{name}_barrel"/>')
    barrel.bar("barrel", base, add(base, scale(direction, 0.64 * length)), radius, masses[0])
    barrel.pin(base, 0.07, 0.14)
    rod = Part(
        name + "_rod", eye, barrel, f'<joint class="rod" name="{name}" axis="{numbers(direction)}" range="-0.8 0.8"/>'
    )
    rod.bar("rod", add(eye, scale(direction, -0.88 * length)), eye, 0.55 * radius, masses[1])
    rod.pin(eye, 0.07, 0.14)
    loops.append((name + "_eye", name + "_rod", with_body))
    return rod


def excavator():
    yield EXCAVATOR_HEAD

    def at(x, z, y=0.0):
        return (x, y, z)

    # Pins in the plane of the boom, x and z.
    foot, tip = (0.5, 1.9), (5.4, 4.1)
    knee = (2.5, 4.5)
    boom_base, boom_eye = (1.2, 1.45), (2.45, 4.0)
    down = (math.sin(math.radians(20)), -math.cos(math.radians(20)))  # along the stick
    out = (-down[1], down[0])  # across it, ahead

    def on_stick(along, across):
        return (
            tip[0] + along * down[0] + across * out[0],
            tip[1] + along * down[1] + across * out[1],
        )

    stick_top, stick_base = on_stick(-0.8, 0), (2.9, 4.95)
    bucket_pin, lever_pin = on_stick(2.7, 0), on_stick(2.2, 0.05)
    bucket_base = on_stick(0.1, 0.42)
    joint = on_stick(2.05, 0.58)  # where the cylinder, the lever and the link meet
    hook = (bucket_pin[0] + 0.42, bucket_pin[1] + 0.06)

    loops = []
    tracks = Part("tracks", at(0, 0.4), None, '<freejoint name="root"/>')
    for y in (-1.2, 1.2):
        tracks.box("track", at(0, 0.4, y), (2.0, 0.3, 0.4), 3000)
        for k in range(5):
            tracks.pin(at(-1.5 + 0.75 * k, 0.42, y), 0.28, 0.32, "0.34 0.35 0.37 1")
        for x in (-2.0, 2.0):
            tracks.pin(at(x, 0.4, y), 0.4, 0.3, "0.20 0.20 0.21 1")
    tracks.lines.append(
        f'<geom type="box" size="1.2 0.9 0.2" pos="{tracks.here(at(0, 0.7))}" mass="2000" rgba="{DARK}"/>'
    )

    house = Part("house", at(0, 1.0), tracks, '<joint name="turn" axis="0 0 1" damping="1e5"/>')
    house.lines.append('<inertial pos="-0.9 0 0.7" mass="9000" diaginertia="9000 17000 19000"/>')
    house.lines.append(f'<geom type="cylinder" size="0.9 0.12" pos="0 0 0" mass="0" rgba="{DARK}"/>')
    house.box("house", at(-0.7, 1.55), (1.9, 1.3, 0.4))
    house.box("house", at(-2.3, 1.75), (0.5, 1.35, 0.6))
    house.box("dark", at(-1.3, 2.1), (0.9, 1.1, 0.16))
    house.box("house", at(0.45, 2.05, 0.85), (0.75, 0.42, 0.15))
    house.box("glass", at(0.45, 2.6, 0.85), (0.72, 0.4, 0.42))
    house.box("house", at(0.42, 3.06, 0.85), (0.78, 0.44, 0.05))
    house.box("dark", at(0.5, 1.6), (0.5, 0.3, 0.35))

    boom = Part("boom", at(*foot), house, '<joint name="boom"/>')
    for y in (-0.16, 0.16):
        boom.bar("arm", at(*foot, y), at(*knee, y), 0.2, 400)
        boom.bar("arm", at(*knee, y), at(*tip, y), 0.17, 400)
    boom.pin(at(*foot), 0.1, 0.42)
    boom.pin(at(*tip), 0.1, 0.3)
    boom.bar("arm", at(*knee), at(*stick_base), 0.12)
    stick = Part("stick", at(*tip), boom, '<joint name="stick"/>')
    stick.bar("arm", at(*stick_top), at(*tip), 0.15, 250)
    stick.bar("arm", at(*tip), at(*bucket_pin), 0.15, 650)
    stick.bar("arm", at(*on_stick(0.1, 0)), at(*bucket_base), 0.09)

    bucket = Part("bucket", at(*bucket_pin), stick, '<joint name="bucket"/>')
    bx, bz = bucket_pin

    def corner(x, z, y=0.0):
        return at(bx + x, bz + z, y)

    outline = [(-0.02, -0.12), (0.46, -0.05), (0.72, -0.45), (0.66, -0.9), (0.3, -1.18), (-0.2, -1.22)]
    for a, b in zip(outline, outline[1:]):
        bucket.plate(corner(*a), corner(*b), 0.58, 0.03, 140)
    for y in (-0.56, 0.56):
        bucket.box("bucket", corner(0.28, -0.62, y), (0.36, 0.02, 0.5), 100)
    for y in (-0.14, 0.14):
        bucket.bar("arm", corner(0, 0, y), corner(0.42, 0.06, y), 0.06)
        bucket.bar("arm", corner(0.42, 0.06, y), corner(0.3, -0.1, y), 0.06)
    for y in (-0.45, -0.15, 0.15, 0.45):
        bucket.bar("arm", corner(-0.16, -1.22, y), corner(-0.36, -1.2, y), 0.035)
    load = bucket.here(corner(0.24, -0.72))
    bucket.lines.append(
        f'<geom type="ellipsoid" size="0.4 0.5 0.38" pos="{load}" mass="1500" rgba="0.45 0.33 0.22 1"/>'
    )
    bucket.pin(corner(0, 0), 0.08, 0.3)

    for side, y in (("left", 0.42), ("right", -0.42)):
        cylinder("boom_" + side, house, boom_base, boom_eye, y, 0.1, (120, 60), loops, "boom")
    boom.pin(at(*boom_eye), 0.07, 0.5)
    cylinder("stick_cylinder", boom, stick_base, stick_top, 0, 0.11, (130, 70), loops, "stick")
    lever = Part("lever", at(*lever_pin), stick, '<joint name="lever"/>')
    lever.bar("linkage", at(*lever_pin, 0.2), at(*joint, 0.2), 0.045, 0.4)
    lever.bar("linkage", at(*lever_pin, -0.2), at(*joint, -0.2), 0.045, 0.4)
    lever.pin(at(*joint), 0.06, 0.26)
    lever.pin(at(*lever_pin), 0.06, 0.26)
    link = Part("link", at(*joint), lever, '<joint name="link"/>')
    link.bar("linkage", at(*joint), at(*hook), 0.05, 0.8)
    cylinder("bucket_cylinder", stick, bucket_base, joint, 0, 0.09, (80, 40), loops, "lever")
    loops.append(("hook", "link", "bucket"))

    yield "  <worldbody>"
    yield f'    <geom class="track" name="ground" type="plane" size="0 0 1" rgba="{GROUND}"/>'
    yield from tracks.write(2)
    yield "  </worldbody>\n\n  <equality>"
    for name, first, second in loops:
        anchor = numbers(subtract(at(*hook), at(*joint))) if name == "hook" else "0 0 0"
        yield f'    <connect name="{name}" body1="{first}" body2="{second}" anchor="{anchor}"/>'
    yield "  </equality>\n\n  <actuator>"
    yield '    <position name="turn" joint="turn" kp="2e6" kv="1.5e6" timeconst="0.8"/>'
    for name, lag in (("boom_left", 1.2), ("boom_right", 1.2), ("stick_cylinder", 1.0), ("bucket_cylinder", 0.8)):
        yield f'    <position class="oil" name="{name}" joint="{name}" timeconst="{lag}"/>'
    yield "  </actuator>\n\n  <keyframe>"
    yield '    <key name="hold" ctrl="0 0 0 0 0"/>'
    yield '    <key name="dig" ctrl="0 0.12 0.12 0.55 0.5"/>'
    yield '    <key name="turn" ctrl="1.2 0.2 0.2 0.4 0.5"/>'
    yield "  </keyframe>\n</mujoco>"


# --- the Stewart platform ----------------------------------------------------------------------------------

STEWART_HEAD = """<!-- A Stewart platform: a table of 100 kg on six cylinders, each a barrel on two hinges, a rod that slides in
     it, and a loop at the rod's eye, where a ball would be. Six loops and six freedoms, as many as there are
     cylinders: `ligament inverse` finds what each of them has to do. A servo of 10⁶ N/m is the oil. `hold` keeps
     the table where it is, level and 1.1 m above the ground; `tilt` tilts it, `lift` raises and turns it. Nothing
     collides. Written by make_scenes.py. -->
<mujoco model="stewart">
  <compiler angle="radian"/>
  <option timestep="0.002" gravity="0 0 -9.81">
    <flag contact="disable"/>
  </option>

  <default>
    <default class="barrel">
      <joint type="hinge"/>
      <geom type="cylinder" size="0.045 0.35" mass="4" rgba="{dark}"/>
    </default>
    <default class="rod">
      <joint type="slide" axis="0 0 1" damping="20"/>
      <geom type="cylinder" size="0.025 0.45" mass="2" rgba="{steel}"/>
    </default>
    <default class="oil"><position kp="1e6" kv="2e4"/></default>
  </default>

  <worldbody>
    <geom type="plane" size="3 3 1" rgba="{ground}"/>"""


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    return scale(a, 1 / math.sqrt(sum(x * x for x in a)))


def stewart():
    yield STEWART_HEAD.format(dark=DARK, steel=STEEL, ground=GROUND)
    height = 1.1

    def around(radius, degrees, z):
        return (radius * math.cos(math.radians(degrees)), radius * math.sin(math.radians(degrees)), z)

    # Pairs that are close on the ground are apart on the table.
    feet = [around(0.9, 120 * k + side * 12, 0.05) for k in range(3) for side in (-1, 1)]
    eyes = [around(0.5, 120 * k + side * 46, height) for k in range(3) for side in (-1, 1)]
    yield f'    <body name="table" pos="0 0 {height}">'
    yield '      <freejoint name="table"/>'
    yield f'      <geom type="cylinder" size="0.55 0.04" pos="0 0 0.06" mass="100" rgba="{BLUE}"/>'
    yield f'      <geom type="box" size="0.15 0.03 0.03" pos="0.3 0 0.13" mass="0" rgba="{YELLOW}"/>'
    yield "    </body>"
    for k, (foot, eye) in enumerate(zip(feet, eyes), 1):
        along = unit(subtract(eye, foot))
        first = unit(cross((0, 0, 1), along))
        length = math.sqrt(sum(x * x for x in subtract(eye, foot)))
        axes = numbers(first), numbers(cross(along, first))
        yield f'    <body name="barrel{k}" pos="{numbers(foot)}" xyaxes="{axes[0]} {axes[1]}" childclass="barrel">'
        yield f'      <joint name="across{k}" axis="1 0 0"/>'
        yield f'      <joint name="aside{k}" axis="0 1 0"/>'
        yield '      <geom pos="0 0 0.35"/>'
        yield f'      <body name="rod{k}" pos="0 0 {numbers((length,))}" childclass="rod">'
        yield f'        <joint name="leg{k}"/>'
        yield '        <geom pos="0 0 -0.45"/>'
        yield "      </body>"
        yield "    </body>"
    yield "  </worldbody>\n\n  <equality>"
    for k in range(1, 7):
        yield f'    <connect name="eye{k}" body1="rod{k}" body2="table" anchor="0 0 0"/>'
    yield "  </equality>\n\n  <actuator>"
    for k in range(1, 7):
        yield f'    <position class="oil" name="cylinder{k}" joint="leg{k}" timeconst="0.2"/>'
    yield "  </actuator>\n\n  <keyframe>"
    yield '    <key name="hold" ctrl="0 0 0 0 0 0"/>'
    yield '    <key name="tilt" ctrl="0.15 0.15 -0.05 -0.1 -0.1 -0.05"/>'
    yield '    <key name="lift" ctrl="0.1 0.3 0.1 0.3 0.1 0.3"/>'
    yield "  </keyframe>\n</mujoco>"


SCENES = {
    "planar_structure_loops": planar_structure_loops,
    "structure_127": structure_127,
    "structure_contact": structure_contact,
    "heavy_chain": heavy_chain,
    "excavator": excavator,
    "stewart": stewart,
}


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    for name, scene in SCENES.items():
        with open(os.path.join(folder, name + ".xml"), "w", encoding="utf-8") as file:
            file.write("\n".join(scene()) + "\n")


if __name__ == "__main__":
    main()
