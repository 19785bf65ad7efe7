"""generate: every scene is the one of its definition, computed here by formulas of its own."""

import math
import os
import time
import xml.etree.ElementTree as ElementTree

from character_table import CHARACTER, z_up
from support import AppTest, main

# The least and the most of every parameter are beside its fallback in the list; this is the smallest scene.
SMALLEST = {
    "tree": ["--depth", "1"],
    "loops": ["--count", "1", "--loops", "1"],
    "cloth": ["--count", "2", "--rows", "2"],
    "random": ["--seed", "0"],
}


def numbers(text):
    return [float(word) for word in text.split()]


def multiply(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def apply(m, v):
    return [sum(m[i][k] * v[k] for k in range(3)) for i in range(3)]


def add(a, b, scale=1):
    return [x + scale * y for x, y in zip(a, b)]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def rotation(axis, angle):
    """Rodrigues' formula."""
    x, y, z = axis
    s, c = math.sin(angle), 1 - math.cos(angle)
    K = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    KK = multiply(K, K)
    return [[(i == j) + s * K[i][j] + c * KK[i][j] for j in range(3)] for i in range(3)]


class GenerateTest(AppTest):
    def scenes(self):
        return [scene["name"] for scene in self.run_json("list", "scenes")["scenes"]]

    def generate(self, *words):
        path = os.path.join(self.folder, "scene.xml")
        result = self.run_app("generate", words[0], path, *words[1:])
        self.assertEqual((result.code, result.out, result.err), (0, "", ""))
        return path

    def read(self, path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def poses(self, path):
        """Positions of all bodies where nothing has moved yet."""
        words = ["--disable", "constraint,contact"]
        return self.run_json("forward", path, *words)["states"][0]["xpos"]

    def assert_checked(self, path):
        found = self.run_json("check", path, "--strict")
        self.assertEqual(found, {"diagnostics": [], "errors": 0, "warnings": 0})


class EverySceneTest(GenerateTest):
    def test_the_list(self):
        self.assertEqual(
            self.scenes(),
            ["pile", "chain", "net", "stack", "pyramid", "pendulum", "hinges", "tree", "loops", "bending", "cloth"]
            + ["random"],
        )
        text = self.run_app("generate", "--help").out
        for scene in self.scenes():
            self.assertRegex(text, rf"(?m)^ +(SCENE +)?{scene}: ")

    def test_accepted_without_a_word_and_the_same_twice(self):
        for scene in self.scenes():
            for options in ([], SMALLEST.get(scene, ["--count", "1"])):
                with self.subTest(f"{scene} {options}"):
                    path = self.generate(scene, *options)
                    self.assert_checked(path)
                    text = self.read(path)
                    self.assertEqual(self.run_app("generate", scene, "-", *options).out, text)
                    # The text is what convert would write.
                    self.assertEqual(self.run_app("convert", path, "-").out, text)

    def test_wrong_usage(self):
        out = os.path.join(self.folder, "out.xml")
        for words, *expected in (
            ([], "SCENE is missing"),
            (["pile"], "OUT is missing"),
            (["pilr", out], "no scene 'pilr'", "did you mean 'pile'?"),
            (["xyzzy", out], "there are: pile, chain, net, stack, pyramid"),
            (["pile", out, "--count", "0"], "a whole number from 1 to 5000, not 0"),
            (["pile", out, "--count", "-3"], "a whole number from 1 to 5000, not -3"),
            (["pile", out, "--count", "2.5"], "a whole number from 1 to 5000, not 2.5"),
            (["pile", out, "--count", "5001"], "a whole number from 1 to 5000, not 5001"),
            (["pile", out, "--count", "1e300"], "a whole number from 1 to 5000"),
            (["pile", out, "--count", "nan"], "--count is a number, not 'nan'"),
            (["pile", out, "--count", "ten"], "--count is a number, not 'ten'"),
            (["pile", out, "--count", ""], "--count is a number, not ''"),
            (["pile", out, "--count"], "--count needs a value"),
            (["pile", out, "--count", "1", "--count", "2"], "--count is given more than once"),
            (["pile", out, "--count", "10x"], "--count is a number, not '10x'"),
            (["pile", out, "--damping", "-1"], "the damping of 'pile' is a number from 0 to"),
            (["pile", out, "--mass", "3"], "'pile' has no parameter 'mass'", "count, damping"),
            (["pile", out, "--cuont", "3"], "did you mean '--count'?"),
            (["chain", out, "--mass", "0"], "the mass of 'chain' is a number from 1e-06 to"),
            (["chain", out, "--mass", "inf"], "--mass is a number, not 'inf'"),
            (["tree", out, "--depth", "17"], "a whole number from 1 to 16, not 17"),
            (["loops", out, "--count", "4", "--loops", "5"], "more closures than links"),
            (["cloth", out, "--count", "1"], "a whole number from 2 to 200, not 1"),
            (["cloth", out, "--count", "4", "--held", "5"], "cannot hold more particles than a row has"),
            (["pile", os.path.join(self.folder, "out.urdf")], "urdf is read, but not written"),
        ):
            with self.subTest(words):
                self.assert_fails(1, ["generate", *words], *expected)
        self.assertFalse(os.path.exists(out))
        self.assert_fails(4, ["generate", "stack", os.path.join(self.folder, "no", "out.xml")], "cannot be written")

    def test_long_chains_take_seconds(self):
        for scene in ("hinges", "chain", "pendulum", "bending"):
            start = time.monotonic()
            path = self.generate(scene, "--count", "10000")
            self.assertLess(time.monotonic() - start, 5, scene)
            self.assertEqual(self.read(path).count("<body "), 10000 + (scene == "chain"))


class PileTest(GenerateTest):
    def test_placement(self):
        for count, side in ((1, 1), (5, 1), (6, 2), (20, 2), (21, 3), (100, 5)):
            path = self.generate("pile", "--count", str(count))
            found = self.poses(path)
            self.assertEqual(len(found), 16 * count + 1)
            s = 88172645463325252

            def u():
                nonlocal s
                s ^= s << 13 & 0xFFFFFFFFFFFFFFFF
                s ^= s >> 7
                s ^= s << 17 & 0xFFFFFFFFFFFFFFFF
                return (s >> 11) / 2**53

            for n in range(count):
                yaw, tilt, ty, hj = 2 * math.pi * u(), (u() - 0.5) * math.pi, 2 * math.pi * u(), 0.2 * u()
                layer, k = divmod(n, side * side)
                iz, ix = divmod(k, side)
                origin = [(ix - (side - 1) / 2) * 2.1, 0.5 + 2.3 * layer + hj, (iz - (side - 1) / 2) * 2.1]
                R = multiply(rotation((0, 1, 0), yaw), rotation((math.cos(ty), 0, math.sin(ty)), tilt))
                for name, (_, centre, *_) in CHARACTER.items():
                    pos = add(add(origin, (0, 1, 0)), apply(R, add(centre, (0, 1, 0), -1)))
                    self.assert_near(found[f"c{n}_{name}"], z_up(pos), 1e-13)

    def test_seeds(self):
        def text(*options):
            return self.run_app("generate", "pile", "-", "--count", "3", *options).out

        self.assertEqual(text("--seed", "0"), text())
        self.assertEqual(text("--seed", "7"), text("--seed", "7"))
        self.assertEqual(len({text("--seed", str(seed)) for seed in range(5)}), 5)
        self.assert_checked(self.generate("pile", "--count", "3", "--seed", "7"))
        self.assert_fails(1, ["generate", "pile", "-", "--seed", "-1"], "a whole number from 0 to")

    def test_characters(self):
        """All are the shipped character, but for its damping."""
        path = self.generate("pile", "--count", "3")
        info = self.run_json("info", path)
        self.assertAlmostEqual(info["total_mass"], 210, delta=1e-12)
        self.assertEqual((info["nq"], info["nv"], info["timestep"]), (3 * 55, 3 * 43, 1 / 60))
        self.assertEqual(self.run_json("contacts", path)["states"][0]["contacts"], [])
        joints = {joint["name"]: joint for joint in info["joints"]}
        elements = {e.get("name"): e for e in ElementTree.parse(path).getroot().iter() if e.tag == "joint"}
        for name, (_, centre, *_, joint, kind, anchor, axis, swing, ends) in CHARACTER.items():
            found = joints[f"c2_{joint}"]
            self.assertEqual((found["body"], found["type"], found["damping"]), (f"c2_{name}", kind, 0))
            if kind == "free":
                continue
            self.assert_near(found["twist" if kind == "ball" else "range"], map_radians(ends), 1e-15)
            if kind == "ball":
                self.assertAlmostEqual(found["swing"], math.radians(swing), delta=1e-15)
            element = elements[f"c2_{joint}"]
            self.assert_near(numbers(element.get("pos")), z_up(add(anchor, centre, -1)), 1e-15)
            self.assert_near(numbers(element.get("axis", "0 0 1")), z_up(axis), 0)

    def test_the_same_bodies_as_the_shipped_character(self):
        shipped = self.run_json("info", os.path.join(os.environ["SOURCE_DIR"], "scenes", "character.xml"))
        made = self.run_json("info", self.generate("pile", "--count", "1", "--damping", "0.5"))
        self.assertEqual(len(shipped["bodies"]), len(made["bodies"]))
        for a, b in zip(shipped["bodies"][1:], made["bodies"][1:]):
            self.assertEqual(("c0_" + a["name"], a["mass"]), (b["name"], b["mass"]))
            self.assert_near(a["inertia"], b["inertia"], 1e-15)
        for a, b in zip(shipped["joints"], made["joints"]):
            self.assertEqual(("c0_" + a["name"], a["damping"]), (b["name"], b["damping"]))

    def test_no_contacts_in_the_large_pile(self):
        contacts = self.run_json("contacts", self.generate("pile"))["states"][0]["contacts"]
        self.assertEqual(contacts, [])


def map_radians(ends):
    return [math.radians(end) for end in ends]


class ChainTest(GenerateTest):
    def test_chain(self):
        for count, mass in ((1, 5), (100, 1000), (100, 100000)):
            path = self.generate("chain", "--count", str(count), "--mass", str(mass))
            info = self.run_json("info", path)
            self.assertAlmostEqual(info["total_mass"], count + mass, delta=1e-9)
            self.assertEqual((info["nv"], info["timestep"]), (3 * (count + 1), 1 / 60))
            self.assertEqual({joint["type"] for joint in info["joints"]}, {"ball"})
            found = self.poses(path)
            for i in range(count):
                self.assert_near(found[f"link{i}"], [0.2 * (i + 0.5), 0, 0], 1e-12)
            self.assert_near(found["ball"], [0.2 * count + 0.5, 0, 0], 1e-12)
            bodies = {body["name"]: body for body in info["bodies"]}
            self.assertEqual((bodies["link0"]["mass"], bodies["ball"]["mass"]), (1, mass))
            self.assert_near(bodies["ball"]["inertia"], [0.1 * mass] * 3 + [0] * 3, 1e-12 * mass)
            # Joint i at 0.2 i, and the ball's at its surface.
            root = ElementTree.parse(path).getroot()
            for joint in root.iter("joint"):
                reach = 0.5 if joint.get("name") == "ball_joint" else 0.1
                self.assertEqual(numbers(joint.get("pos")), [-reach, 0, 0])
            sizes = {g.get("name"): numbers(g.get("size")) for g in root.iter("geom")}
            self.assertEqual((sizes["link0"], sizes["ball"]), ([0.03, 0.06], [0.5]))

    def test_energy_scale(self):
        """(M · 20.5 + 100 · 10) · 9.81 is the energy of falling by the distance from the origin."""
        path = self.generate("chain")
        info, found = self.run_json("info", path), self.poses(path)
        moment = sum(body["mass"] * found[body["name"]][0] for body in info["bodies"][1:])
        self.assertAlmostEqual(moment, 1000 * 20.5 + 100 * 10, delta=1e-8)

    def test_pendulum(self):
        path = self.generate("pendulum", "--count", "5")
        info, found = self.run_json("info", path), self.poses(path)
        self.assertEqual((info["nv"], info["total_mass"]), (5, 5))
        for i in range(5):
            self.assert_near(found[f"rod{i}"], [i + 0.5, 0, 0], 1e-15)
        root = ElementTree.parse(path).getroot()
        for joint in root.iter("joint"):
            self.assertEqual(numbers(joint.get("pos")), [-0.5, 0, 0])
            self.assertEqual(numbers(joint.get("axis")), z_up((0, 0, 1)))
        self.assertEqual({geom.get("size") for geom in root.iter("geom")}, {"0.05 0.45"})


class NetTest(GenerateTest):
    def test_net(self):
        path = self.generate("net")
        info, found = self.run_json("info", path), self.poses(path)
        self.assertEqual((len(info["joints"]), len(info["loops"])), (380, 361))
        self.assertEqual(info["total_mass"], 400)
        for k in range(20):
            for i in range(20):
                self.assert_near(found[f"ball{k}_{i}"], z_up((k, 0, i)), 1e-12)
        joints = {joint["body"] for joint in info["joints"]}
        self.assertEqual(joints, {f"ball{k}_{i}" for k in range(20) for i in range(1, 20)})
        root = ElementTree.parse(path).getroot()
        loops = {(loop.get("body1"), loop.get("body2")): loop for loop in root.find("equality")}
        for k in range(1, 20):
            for i in range(1, 20):
                # Unturned bodies 1 m apart along x: the anchor is halfway.
                loop = loops.pop((f"ball{k - 1}_{i}", f"ball{k}_{i}"))
                self.assertEqual((loop.tag, loop.get("anchor")), ("connect", "0.5 0 0"))
        self.assertEqual(loops, {})
        for joint in root.iter("joint"):
            self.assertEqual(numbers(joint.get("pos")), z_up((0, 0, -0.5)))


class ClothTest(GenerateTest):
    def sheet(self, count, rows, *words):
        """The scene as its file has it: places, distances by their ends, and what is on hooks."""
        path = self.generate("cloth", "--count", str(count), "--rows", str(rows), *words)
        self.assert_checked(path)
        root = ElementTree.parse(path).getroot()
        bodies = {body.get("name"): body for body in root.iter("body")}
        self.assertEqual(set(bodies), {f"particle{i}_{j}" for i in range(count) for j in range(rows)})
        self.assertEqual({body.get("kind") for body in bodies.values()}, {"particle"})
        places = {name: numbers(body.get("pos", "0 0 0")) for name, body in bodies.items()}
        ends = {(e.get("body1"), e.get("body2")): float(e.get("length")) for e in root.iter("distance")}
        hooks = {e.get("body2") or e.get("body1") for e in root.iter("connect")}
        return path, root, places, ends, hooks

    def test_distances(self):
        """Which particles are joined, and that the sheet is nowhere stretched where it starts."""
        for count, rows, shear in ((20, 20, 1), (7, 4, 0), (4, 7, 2), (2, 3, 1)):
            with self.subTest(f"{count} × {rows}, {shear} diagonals"):
                path, _, places, ends, _ = self.sheet(count, rows, "--shear", str(shear), "--spacing", "0.25")
                wanted = {}
                for i in range(count):
                    for j in range(rows):
                        # Of alternate diagonals, those that meet at every other particle.
                        meet = shear == 2 or (shear == 1 and (i + j) % 2 == 0)
                        for di, dj, kept in ((1, 0, True), (0, 1, True), (1, 1, meet), (1, -1, meet)):
                            a, b = f"particle{i}_{j}", f"particle{i + di}_{j + dj}"
                            if kept and a in places and b in places:
                                wanted[a, b] = 0.25 * math.hypot(di, dj)
                if count == 2:
                    del wanted["particle0_0", "particle1_0"]  # both on hooks
                self.assertEqual(set(ends), set(wanted))
                for pair, length in ends.items():
                    self.assertAlmostEqual(length, wanted[pair], delta=1e-15)
                    self.assertAlmostEqual(math.dist(*(places[name] for name in pair)), length, delta=1e-14)
                info = self.run_json("info", path)
                self.assertAlmostEqual(info["total_mass"], 0.4, delta=1e-14)
                self.assertEqual((info["nv"], info["timestep"]), (3 * count * rows, 1 / 60))

    def test_hooks(self):
        for count, held, wanted in ((20, 2, [0, 19]), (20, 20, range(20)), (7, 3, [0, 3, 6]), (5, 1, [0]), (5, 0, [])):
            with self.subTest(f"{held} of {count}"):
                _, _, places, ends, hooks = self.sheet(count, 3, "--held", str(held))
                self.assertEqual(hooks, {f"particle{i}_0" for i in wanted})
                # Two that are held need no distance between them.
                self.assertFalse(any(a in hooks and b in hooks for a, b in ends))
                first = [places[f"particle{i}_0"] for i in range(count)]
                # Held at both ends, a row is an arc over 2 rad: an angle of 2/(n − 1) between chords. Else it is straight.
                turn = 2 if 1 < held < count else 0
                half = 0.05 * (math.sin(turn / 2) / math.sin(turn / 2 / (count - 1)) if turn else count - 1) / 2
                self.assert_near([first[0][0], first[-1][0]], [-half, half], 1e-14)
                self.assertAlmostEqual(first[0][2], first[-1][2], delta=1e-14)
                self.assertAlmostEqual(min(place[2] for place in first), 0.1, delta=1e-14)

    def test_ball_and_bending(self):
        path, root, places, _, hooks = self.sheet(6, 5, "--held", "0", "--ball", "0.3", "--bending", "7")
        self.assertEqual(hooks, set())
        geoms = {geom.get("name"): geom for geom in root.iter("geom")}
        self.assert_near(numbers(geoms["ball"].get("pos")), [0, 0.1, 0.3], 1e-15)
        self.assertIn("ground", geoms)
        # Nothing touches at first; what may touch are particles and the ball, particles and the ground.
        self.assertEqual(self.run_json("contacts", path)["states"][0]["contacts"], [])
        near = self.run_json("contacts", path, "--margin", "3")["states"][0]["contacts"]
        pairs = {frozenset((c["geom1"], c["geom2"])) for c in near}
        self.assertEqual(pairs, {frozenset((solid, name)) for solid in ("ground", "ball") for name in places})
        springs = {tendon["name"]: tendon for tendon in self.run_json("info", path)["tendons"]}
        self.assertEqual(len(springs), 4 * 5 + 6 * 3)
        for spring in springs.values():
            self.assertEqual((spring["stiffness"], spring["springlength"]), (7, [0.1, 0.1]))
            # The sheet is flat.
            self.assertAlmostEqual(spring["length0"], 0.1, delta=1e-15)


class BoxesTest(GenerateTest):
    def assert_boxes(self, path, positions):
        info = self.run_json("info", path)
        self.assertEqual(info["nbody"], len(positions) + 1)
        for body, pos in zip(info["bodies"][1:], positions):
            self.assertEqual(body["mass"], 100)
            self.assert_near(body["inertia"], [100 / 6] * 3 + [0] * 3, 1e-13)
            self.assert_near(body["pos"], z_up(pos), 0)
        self.assertEqual({joint["type"] for joint in info["joints"]}, {"free"})
        sizes = [numbers(geom.get("size")) for geom in ElementTree.parse(path).getroot().iter("geom")]
        self.assertEqual(sizes, [[0, 0, 1]] + [[0.5, 0.5, 0.5]] * len(positions))

    def test_stack(self):
        path = self.generate("stack")
        self.assert_boxes(path, [(0, i + 0.5, 0) for i in range(20)])
        # Each touches the one below with four corners, without depth.
        contacts = self.run_json("contacts", path)["states"][0]["contacts"]
        self.assertEqual(len(contacts), 80)
        self.assertLess(max(abs(contact["distance"]) for contact in contacts), 1e-12)
        self.assertEqual({tuple(contact["friction"][:2]) for contact in contacts}, {(0.6, 0.6)})

    def test_pyramid(self):
        for n in (1, 2, 10):
            self.assert_boxes(
                self.generate("pyramid", "--count", str(n)),
                [(0.5 * (i + 1) + (j - i) - 0.5 * n, i + 0.5, 0) for i in range(n) for j in range(i, n)],
            )


class RandomTest(GenerateTest):
    def test_seeds(self):
        def text(seed):
            return self.run_app("generate", "random", "-", "--seed", str(seed)).out

        self.assertEqual(text(7), text(7))
        self.assertEqual(len({text(seed) for seed in range(12)}), 12)

    def test_no_drives_and_nothing_overlaps(self):
        for seed in range(12):
            with self.subTest(seed=seed):
                path = self.generate("random", "--seed", str(seed))
                self.assert_checked(path)
                root = ElementTree.parse(path).getroot()
                self.assertEqual(len(list(root.iter("actuator"))), 0)
                masses = [float(inertial.get("mass")) for inertial in root.iter("inertial")]
                self.assertGreater(min(masses), 0)
                state = self.run_json("contacts", path, "--key", "start")["states"][0]
                for contact in state["contacts"]:
                    self.assertGreater(contact["distance"], -1e-9)


class WorkloadTest(GenerateTest):
    INERTIA = [4.1667e-4, 1.04167e-3, 1.04167e-3, 0, 0, 0]

    def assert_links(self, info):
        for body in info["bodies"][1:]:
            self.assertEqual((body["mass"], body["com"], body["inertia"]), (1, [0.05, 0, 0], self.INERTIA))

    def test_hinges(self):
        path = self.generate("hinges", "--count", "10", "--stiffness", "100", "--damping", "1")
        info, found = self.run_json("info", path), self.poses(path)
        self.assert_links(info)
        self.assertEqual((info["nv"], info["gravity"]), (10, [0, 0, -9.81]))
        axes = [numbers(joint.get("axis", "0 0 1")) for joint in ElementTree.parse(path).getroot().iter("joint")]
        for i, joint in enumerate(info["joints"]):
            self.assertEqual((joint["type"], joint["stiffness"], joint["damping"]), ("hinge", 100, 1))
            self.assertEqual(axes[i], [[1, 0, 0], [0, 1, 0], [0, 0, 1]][i % 3])
            self.assert_near(found[f"link{i}"], [0.1 * i, 0, 0], 1e-15)
        plain = self.run_json("info", self.generate("hinges", "--count", "10"))
        self.assertEqual({(j["stiffness"], j["damping"]) for j in plain["joints"]}, {(0, 0)})

    def test_bending(self):
        path = self.generate("bending", "--count", "10", "--stiffness", "7", "--damping", "0.5")
        info, found = self.run_json("info", path), self.poses(path)
        self.assert_links(info)
        self.assertEqual((info["nv"], info["gravity"], info["timestep"]), (30, [0, 0, -9.81], 1 / 60))
        for i, joint in enumerate(info["joints"]):
            self.assertEqual((joint["type"], joint["stiffness"], joint["damping"]), ("ball", 7, 0.5))
            self.assertEqual(info["bodies"][i + 1]["parent"], f"link{i - 1}" if i else "world")
            self.assert_near(found[f"link{i}"], [0.1 * i, 0, 0], 1e-15)

    def test_tree(self):
        path = self.generate("tree")
        info, found = self.run_json("info", path), self.poses(path)
        self.assert_links(info)
        self.assertEqual((info["nbody"], info["nv"]), (128, 381))
        self.assertEqual({joint["type"] for joint in info["joints"]}, {"ball"})
        # In preorder: the first child follows its parent, the second the whole tree of the first.
        index = 0

        def visit(parent, pos, depth):
            nonlocal index
            name = f"link{index}"
            body = info["bodies"][index + 1]
            self.assertEqual((body["name"], body["parent"]), (name, parent))
            self.assert_near(found[name], pos, 1e-15)
            index += 1
            if depth > 1:
                visit(name, add(pos, (0.1, 0.05, 0)), depth - 1)
                visit(name, add(pos, (0.1, -0.05, 0)), depth - 1)

        visit("world", [0, 0, 0], 7)
        self.assertEqual(index, 127)


class LoopsTest(GenerateTest):
    def closures(self, count, loops):
        for c in range(loops):
            a = c * count // loops - 1 - (count // (2 * loops) if c > 0 else 0)
            yield a, (c + 1) * count // loops - 1

    def check(self, count, loops):
        path = self.generate("loops", "--count", str(count), "--loops", str(loops))
        root = ElementTree.parse(path).getroot()
        key = root.find("keyframe/key")
        qpos, qvel = numbers(key.get("qpos")), numbers(key.get("qvel"))
        s = 777

        def u():
            nonlocal s
            s = (s * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
            return 2 * ((s >> 11) / 2**53) - 1

        self.assertEqual(qpos, [1.5 * u() for _ in range(count)])
        wish = [u() for _ in range(count)]

        # Poses, velocities and hinge axes of all links, from the root.
        R, p = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0]
        omega, velocity = [0, 0, 0], [0, 0, 0]
        links = [(R, p, omega, velocity, None)]
        for i in range(count):
            if i > 0:
                step = apply(R, (0.1, 0, 0))
                p, velocity = add(p, step), add(velocity, cross(omega, step))
            axis = [float(i % 3 == k) for k in range(3)]
            world_axis = apply(R, axis)
            R = multiply(R, rotation(axis, qpos[i]))
            omega = add(omega, world_axis, qvel[i])
            links.append((R, p, omega, velocity, world_axis))

        def at(link, pos):
            R, p, omega, velocity, _ = links[link + 1]
            arm = apply(R, pos)
            return add(p, arm), add(velocity, cross(omega, arm))

        elements = list(root.find("equality"))
        self.assertEqual(len(elements), loops)
        rows = []
        for element, (a, b) in zip(elements, self.closures(count, loops)):
            if b == 0:
                # The tip is on the axis of the hinge and stays where it is: a loop that MJCF has.
                self.assertEqual(element.tag, "connect")
                continue
            self.assertEqual((element.tag, element.get("type")), ("loop", "ball"))
            self.assertEqual(element.get("body1"), f"link{a}" if a >= 0 else "world")
            self.assertEqual(element.get("body2"), f"link{b}")
            self.assertEqual(numbers(element.get("pos2")), [0.1, 0, 0])
            anchor, anchor_velocity = at(a, numbers(element.get("pos1")))
            tip, tip_velocity = at(b, [0.1, 0, 0])
            # Both are sums over the links.
            self.assert_near(tip, anchor, 1e-15 * count + 1e-14)
            self.assert_near(tip_velocity, anchor_velocity, 1e-13 * count + 1e-13)
            columns = [
                cross(links[j + 1][4], add(tip, links[j + 1][1], -1)) if a < j <= b else [0, 0, 0]
                for j in range(count)
            ]
            rows += [[column[k] for column in columns] for k in range(3)]
        return wish, qvel, rows

    def test_loops(self):
        for count, loops in ((1, 1), (2, 2), (7, 3), (10, 10), (100, 1), (100, 10), (100, 30), (300, 30)):
            with self.subTest(f"{count} links, {loops} loops"):
                self.check(count, loops)

    def test_the_velocity_is_the_nearest(self):
        """What was taken off is a combination of the rows of J: what is left of it without them is zero."""
        wish, qvel, rows = self.check(30, 4)
        basis = []
        for row in rows + [add(wish, qvel, -1)]:
            length = math.sqrt(sum(x * x for x in row))
            for _ in range(2):
                for unit in basis:
                    row = add(row, unit, -sum(x * y for x, y in zip(row, unit)))
            rest = math.sqrt(sum(x * x for x in row))
            if len(basis) < len(rows):
                self.assertGreater(rest, 1e-6 * length)
                basis.append([x / rest for x in row])
        self.assertGreater(length, 0.1)
        self.assertLess(rest, 1e-12 * length)


if __name__ == "__main__":
    main()
