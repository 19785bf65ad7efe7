"""The shipped scenes are what they claim to be."""

import csv
import math
import os
import re
import xml.etree.ElementTree as ElementTree

from character_table import CHARACTER, capsule_inertia, z_up
from support import SOURCE_DIR, AppTest, main

SCENES = os.path.join(SOURCE_DIR, "scenes")


class ScenesTest(AppTest):
    NAMES = sorted(name for name in os.listdir(SCENES) if name.endswith((".xml", ".urdf")))

    def test_every_scene_loads_without_a_word(self):
        self.assertIn("acrobat.xml", self.NAMES)
        self.assertIn("arm.urdf", self.NAMES)
        for name in self.NAMES:
            with self.subTest(name):
                result = self.run_app("info", os.path.join(SCENES, name), "--strict")
                self.assertEqual((result.code, result.err), (0, ""))

    def test_page(self):
        """docs/scenes.md lists every scene with a command, and the command works."""
        with open(os.path.join(SOURCE_DIR, "docs", "scenes.md"), encoding="utf-8") as file:
            rows = re.findall(r"(?m)^\| \[([\w.]+)\].* `ligament (.*?)` \|$", file.read())
        self.assertEqual(sorted(name for name, _ in rows), self.NAMES)
        os.symlink(SCENES, os.path.join(self.folder, "scenes"))
        for name, words in rows:
            with self.subTest(name):
                self.assertIn(f"scenes/{name}", words.split())
                result = self.run_app(*words.split(), folder=self.folder)
                self.assertEqual((result.code, result.err), (0, ""))

    def test_every_keyframe_keeps_the_limits(self):
        for scene, wanted in (
            ("acrobat", ["stand", "handstand"]),
            ("character", ["drop", "tumble"]),
            ("kick", ["kick"]),
            ("punch", ["head", "chest"]),
            ("limits", ["swing"]),
            ("planted", ["topple"]),
            ("cradle", ["one", "two", "ends"]),
            ("rocking", ["tilted"]),
            ("tracking", ["struck"]),
        ):
            path = os.path.join(SCENES, scene + ".xml")
            keys = [key["name"] for key in self.run_json("info", path)["keyframes"]]
            for key in wanted:
                self.assertIn(key, keys)
            for key in keys:
                with self.subTest(f"{scene} {key}"):
                    words = ["forward", path, "--key", key, "--disable", "contact,equality", "--strict"]
                    for limit in self.run_json(*words)["states"][0].get("limits", []):
                        self.assertGreater(limit["gap"], -1e-9, limit)

    def test_acrobat(self):
        path = os.path.join(SCENES, "acrobat.xml")
        info = self.run_json("info", path)
        self.assertAlmostEqual(info["total_mass"], 70, delta=1e-9)
        masses = {body["name"]: body["mass"] for body in info["bodies"]}
        for name, mass in masses.items():
            if name.endswith("_left"):
                self.assertEqual(mass, masses[name.replace("_left", "_right")])

        def pose(key):
            return self.run_json("forward", path, "--key", key, "--disable", "contact")["states"][0]

        stand = pose("stand")
        crown = stand["xpos"]["head"][2] + 0.155 + 0.115
        sole = stand["xpos"]["foot_left"][2] - 0.08
        self.assertAlmostEqual(crown - sole, 1.75, delta=1e-9)
        self.assertAlmostEqual(sole, 0, delta=1e-9)
        # Left and right mirror each other, so the weight is above the middle, and above the feet.
        self.assertAlmostEqual(stand["com"][1], 0, delta=1e-12)
        self.assertTrue(-0.075 < stand["com"][0] < 0.175)
        # Upside down, on the hands, whose fingers reach 0.16 m from the wrists towards x.
        handstand = pose("handstand")
        self.assertTrue(-0.03 < handstand["com"][0] < 0.16)
        self.assertTrue(0 < handstand["xpos"]["hand_left"][2] < 0.1)
        self.assertTrue(handstand["xpos"]["foot_left"][2] > handstand["xpos"]["head"][2] + 1)

    def test_arm(self):
        path = os.path.join(SCENES, "arm.urdf")
        info = self.run_json("info", path)
        self.assertEqual((info["nq"], info["nv"]), (6, 6))
        self.assertTrue(all(joint["range"] for joint in info["joints"]))
        # A uniform box of 5.4 kg and 0.11 × 0.1 × 0.42 m.
        upper = next(body for body in info["bodies"] if body["name"] == "upper_arm")
        self.assert_near(
            upper["inertia"][:3],
            [5.4 / 12 * (0.1**2 + 0.42**2), 5.4 / 12 * (0.11**2 + 0.42**2), 5.4 / 12 * (0.11**2 + 0.1**2)],
            1e-8,
        )
        tool = self.run_json("forward", path, "--quiet")["states"][0]["xpos"]["tool"]
        self.assert_near(tool, [0, 0, 0.12 + 0.16 + 0.36 + 0.26 + 0.18 + 0.1], 1e-12)


class CharacterTest(AppTest):
    """scenes/character.xml against the table of its definition."""

    PATH = os.path.join(SCENES, "character.xml")

    def setUp(self):
        super().setUp()
        self.info = self.run_json("info", self.PATH)
        self.bodies = {body["name"]: body for body in self.info["bodies"]}
        self.joints = {joint["name"]: joint for joint in self.info["joints"]}

    def test_bodies(self):
        self.assertEqual((self.info["nq"], self.info["nv"], self.info["nbody"]), (55, 43, 17))
        self.assertEqual(set(self.bodies), {"world", *CHARACTER})
        self.assertAlmostEqual(self.info["total_mass"], 70, delta=1e-12)
        self.assertEqual(self.info["timestep"], 1 / 60)
        self.assertEqual(self.info["gravity"], [0, 0, -9.81])
        for name, (parent, centre, axis, half_length, radius, mass, *_) in CHARACTER.items():
            with self.subTest(name):
                body = self.bodies[name]
                self.assertEqual((body["parent"], body["mass"], body["com"]), (parent, mass, [0, 0, 0]))
                self.assert_near(body["pos"], z_up(centre), 1e-15)
                self.assertEqual(body["quat"], [1, 0, 0, 0])
                along, across = capsule_inertia(mass, half_length, radius)
                inertia = [across] * 3 + [0] * 3
                inertia[{"x": 0, "y": 2, "z": 1}[axis]] = along
                # The error of the slices.
                self.assert_near(body["inertia"], inertia, 1e-6 * across)

    def test_geoms(self):
        tree = ElementTree.parse(self.PATH).getroot()
        geoms = {geom.get("name"): geom for geom in tree.iter("geom") if geom.get("name")}
        for name, (_, _, axis, half_length, radius, *_) in CHARACTER.items():
            geom = geoms.pop(name)
            ends = [float(word) for word in geom.get("fromto").split()]
            direction = {"x": (1, 0, 0), "y": (0, 0, 1), "z": (0, 1, 0)}[axis]
            self.assertEqual(ends, [-half_length * d for d in direction] + [half_length * d for d in direction])
            self.assertEqual(float(geom.get("size")), radius)
        self.assertEqual(list(geoms), ["ground"])

    def test_joints(self):
        tree = ElementTree.parse(self.PATH).getroot()
        elements = {joint.get("name"): joint for joint in tree.iter("joint") if joint.get("name")}
        self.assertEqual(len(self.joints), 16)
        for name, (_, centre, *_, joint, kind, anchor, axis, swing, ends) in CHARACTER.items():
            with self.subTest(joint):
                found = self.joints[joint]
                self.assertEqual((found["body"], found["type"]), (name, kind))
                if kind == "free":
                    continue
                self.assertEqual(found["damping"], 0.5)
                self.assertEqual((found["armature"], found["stiffness"]), (0, 0))
                radians = [math.radians(end) for end in ends]
                if kind == "ball":
                    self.assertAlmostEqual(found["swing"], math.radians(swing), delta=1e-15)
                    self.assert_near(found["twist"], radians, 1e-15)
                    self.assertIsNone(found["range"])
                else:
                    self.assert_near(found["range"], radians, 1e-15)
                words = {key: [float(w) for w in elements[joint].get(key).split()] for key in ("pos", "axis")}
                self.assert_near(words["pos"], z_up([a - c for a, c in zip(anchor, centre)]), 1e-15)
                self.assert_near(words["axis"], z_up(axis), 0)

    def test_joints_turn_the_right_way(self):
        """Bent elbows bring the hands ahead (towards −y), bent knees the feet back."""
        free = [0, 0, 1, 1, 0, 0, 0]
        qpos = free + [0.0] * (self.info["nq"] - len(free))
        for joint in self.info["joints"]:
            at = joint["qposadr"]
            if joint["type"] == "ball":
                qpos[at] = 1.0
            elif joint["type"] == "hinge":
                qpos[at] = math.radians(90)
        state = self.file("bent.json", {"qpos": qpos, "qvel": [0] * self.info["nv"]})
        pos = self.run_json("forward", self.PATH, "--state", state, "--disable", "contact")["states"][0]["xpos"]
        for side, sign in (("left", 1), ("right", -1)):
            self.assert_near(pos[f"hand_{side}"], [sign * 0.5, -0.33, 1.42], 1e-12)
            self.assert_near(pos[f"shin_{side}"], [sign * 0.1, 0.21, 0.5], 1e-12)
            # 0.46 m below the knee and 0.05 m ahead of the shin: now behind and below.
            self.assert_near(pos[f"foot_{side}"], [sign * 0.1, 0.46, 0.5 - 0.05], 1e-12)

    def test_left_mirrors_right(self):
        for name, body in self.bodies.items():
            if not name.endswith("_left"):
                continue
            other = self.bodies[name.replace("_left", "_right")]
            self.assertEqual(body["pos"], [-other["pos"][0], *other["pos"][1:]])
            self.assertEqual((body["mass"], body["inertia"]), (other["mass"], other["inertia"]))
        for name, joint in self.joints.items():
            if name.endswith("_left"):
                other = self.joints[name.replace("_left", "_right")]
                for key in ("range", "swing", "twist", "damping"):
                    self.assertEqual(joint.get(key), other.get(key))

    def contacts(self, *words):
        return self.run_json("contacts", self.PATH, *words)["states"][0]["contacts"]

    def test_nothing_overlaps(self):
        # Only the feet touch the ground, without depth.
        for contact in self.contacts():
            self.assertEqual(contact["geom1"], "ground")
            self.assertIn(contact["geom2"], ("foot_left", "foot_right"))
            self.assertLess(abs(contact["distance"]), 1e-15)
            self.assertEqual(contact["friction"][:2], [0.6, 0.6])
        self.assertEqual(self.contacts("--key", "drop"), [])
        self.assertEqual(self.contacts("--key", "tumble"), [])

    def test_who_collides(self):
        """All pairs are within 3 m. Those that a joint joins are left out, and no others."""
        pairs = {frozenset((c["geom1"], c["geom2"])) for c in self.contacts("--margin", "3")}
        names = list(CHARACTER)
        for i, one in enumerate(names):
            self.assertIn(frozenset(("ground", one)), pairs)
            for other in names[:i]:
                joined = CHARACTER[one][0] == other or CHARACTER[other][0] == one
                self.assertEqual(frozenset((one, other)) in pairs, not joined, f"{one}, {other}")

    def test_keyframes(self):
        def state(key):
            return self.run_json("forward", self.PATH, "--key", key, "--disable", "contact")["states"][0]

        drop = state("drop")
        for name, (_, centre, *_) in CHARACTER.items():
            self.assert_near(drop["xpos"][name], z_up([centre[0], centre[1] + 1, centre[2]]), 1e-15)
        self.assertEqual(drop["energy"]["kinetic"], 0)
        tumble = state("tumble")
        self.assertLess(tumble["xpos"]["head"][2], tumble["xpos"]["pelvis"][2])
        self.assertGreater(tumble["energy"]["kinetic"], 10)


class MovingScenesTest(AppTest):
    """What happens in the scenes, from event to event and by automatic steps."""

    STEPPINGS = ("event", "automatic")

    def simulate(self, scene, key, duration, stepping, *words):
        path = os.path.join(SCENES, scene + ".xml")
        return self.run_json("run", path, "--key", key, "--duration", repr(duration), "--stepping", stepping, *words)

    def samples(self, scene, key, duration, stepping, *words):
        """Rows of the trajectory as dictionaries of numbers."""
        out = os.path.join(self.folder, "motion.csv")
        self.simulate(scene, key, duration, stepping, "--out", out, *words)
        with open(out, newline="", encoding="utf-8") as file:
            return [{name: float(text) for name, text in row.items()} for row in csv.DictReader(file)]

    def test_all_run(self):
        for scene, key, duration in (
            ("character", "drop", 0.6),
            ("character", "tumble", 0.6),
            ("kick", "kick", 0.3),
            ("punch", "head", 0.2),
            ("punch", "chest", 0.2),
            ("limits", "swing", 1.5),
            ("planted", "topple", 0.4),
            ("cradle", "one", 1.5),
            ("cradle", "two", 1.5),
            ("cradle", "ends", 1.5),
            ("rocking", "tilted", 1.5),
        ):
            with self.subTest(f"{scene} {key}"):
                result = self.simulate(scene, key, duration, "event")
                self.assertEqual(result["status"], "ok")
                self.assertGreater(result["impacts"], 0)
                # Of what there is, hundreds of joules: the tolerance of the integrator, 1e-7.
                self.assertLess(result["energy_max_rise"], 1e-7 * abs(result["energy_start"]))
                self.assertLess(result["energy_end"], (1 + 1e-9) * result["energy_start"])
                self.assertEqual(self.simulate(scene, key, duration, "automatic")["status"], "ok")

    def test_fall(self):
        """The pose does not change in free fall; the feet land after √(2/g) s."""
        for stepping in self.STEPPINGS:
            with self.subTest(stepping):
                result = self.simulate("character", "drop", 0.45, stepping)
                self.assertAlmostEqual(result["final"]["qpos"][2], 2 - 9.81 * 0.45**2 / 2, delta=1e-9)
                landed = self.simulate("character", "drop", 0.5, stepping)["final"]
                # The soles do not sink in.
                for side in ("left", "right"):
                    self.assertGreater(landed["xpos"][f"foot_{side}"][2], 0.04 - 1e-4)
                self.assertGreater(landed["xvel"]["pelvis"]["linear"][2], -4)

    def test_kick(self):
        """The leg that is kicked flies back, the other one stays, and so does, within 0.1 s, what is above them."""
        for stepping in self.STEPPINGS:
            with self.subTest(stepping):
                before = self.simulate("kick", "kick", 0.1, stepping)["final"]
                after = self.simulate("kick", "kick", 0.2, stepping)["final"]
                moved = {
                    name: [b - a for a, b in zip(before["xpos"][name], pos)] for name, pos in after["xpos"].items()
                }
                self.assertGreater(moved["foot_left"][1], 0.1)
                self.assertGreater(after["xvel"]["foot_left"]["linear"][1], 2)
                self.assertLess(math.hypot(*moved["foot_right"]), 0.01)
                self.assertLess(math.hypot(*moved["head"]), 0.05)
                # The kicking leg has lost what the other has got, but goes on.
                self.assertTrue(0 < after["qvel"][0] < 0.5 * before["qvel"][0])

    def test_punch(self):
        """What is hit goes back first; the fist that is not thrown waits."""
        for key, hit, fist in (("head", "head", 0), ("chest", "chest", 1)):
            for stepping in self.STEPPINGS:
                with self.subTest(f"{key} {stepping}"):
                    final = self.simulate("punch", key, 0.1, stepping)["final"]
                    back = {name: final["xvel"][name]["linear"][1] for name in ("head", "chest", "pelvis")}
                    self.assertGreater(back[hit], 0.9)
                    self.assertEqual(max(back, key=back.get), hit)
                    self.assertLess(abs(back["pelvis"]), 0.1)
                    self.assertTrue(0 < final["qvel"][fist] < 4)
                    self.assertEqual((final["qpos"][1 - fist], final["qvel"][1 - fist]), (0, 0))

    def test_limits_hold(self):
        """Elbow, knee, hip and bar come to their limits and not beyond; what hits does not bounce."""
        result = self.simulate("limits", "swing", 3, "event")
        self.assertEqual(result["fallbacks"], 0)
        self.assertLess(result["max_limit_violation"], 1e-6)
        rows = self.samples("limits", "swing", 3, "event")
        ends = {"elbow": (0, 140), "knee": (0, 140), "hip": (-30, 110)}
        for joint, (low, high) in ends.items():
            self.assertGreater(min(row[joint] for row in rows), math.radians(low) - 1e-6)
            self.assertLess(max(row[joint] for row in rows), math.radians(high) + 1e-6)
        for joint in ("elbow", "knee"):
            self.assertLess(min(row[joint] for row in rows), 1e-6)
        for row in rows:
            # The cosine of the swing, which tilts the axis of the arm, and the twist about it.
            w, x, y, z = (row["shoulder.q" + letter] for letter in "wxyz")
            self.assertGreater(w * w + z * z - x * x - y * y, math.cos(math.radians(80)) - 1e-6)
            self.assertLess(abs(2 * math.atan2(z, w)), math.radians(45) + 1e-6)
        # The bar, thrown up the slope at 2.5 m/s, reaches its upper end 0.3 m on, and stays at its lower one.
        self.assertAlmostEqual(max(row["lift"] for row in rows), 0.3, delta=0.02)
        self.assertAlmostEqual(rows[-1]["lift"], -0.3, delta=1e-6)
        self.assertAlmostEqual(rows[-1]["lift.v"], 0, delta=1e-6)

    def test_gate_bounces(self):
        """The gate falls from 1 rad, hits with 0.6 and so rises to 0.36 of its height."""
        rows = self.samples("limits", "swing", 1.1, "event", "--every", "0.001")
        highest = max(row["swing"] for row in rows if row["time"] > 0.5)
        self.assertAlmostEqual(1 - math.cos(highest), 0.36 * (1 - math.cos(1)), delta=1e-6)

    def test_foot_stays_planted(self):
        for stepping in self.STEPPINGS:
            with self.subTest(stepping):
                result = self.simulate("planted", "topple", 0.4, stepping)
                self.assertLess(result["max_equality_error"], 1e-9)
                final = result["final"]
                w, x, y, z = final["xquat"]["foot_left"]
                # The second column of the rotation: where y points.
                along = [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)]
                toes = [p - 0.07 * a for p, a in zip(final["xpos"]["foot_left"], along)]
                self.assert_near(toes, [0.1, -0.12, 0.04], 1e-9)
                # Meanwhile the body topples ahead.
                self.assertLess(final["xpos"]["head"][1], -0.3)

    def test_cradle(self):
        """As many balls leave as arrive, with the speed that the height they fell from gives."""
        radius, length = 0.05, 0.5
        inertia = length**2 + 0.4 * radius**2
        for key, count in (("one", 1), ("two", 2)):
            with self.subTest(key):
                final = self.simulate("cradle", key, 0.45, "event")["final"]
                self.assert_near(final["qvel"][: 5 - count] + final["qpos"][: 5 - count], [0] * 2 * (5 - count), 1e-6)
                for angle, rate in zip(final["qpos"][5 - count :], final["qvel"][5 - count :]):
                    fallen = length * (math.cos(angle) - math.cos(0.6))
                    self.assertAlmostEqual(rate, math.sqrt(2 * 9.81 * fallen / inertia), delta=1e-6)
        # All at once is another law: every ball gets its share.
        final = self.simulate("cradle", "one", 0.45, "event", "--impact", "simultaneous")["final"]
        self.assertGreater(final["qvel"][1], 0.1)

    def forces_and_loops(self, scene, duration, *words):
        path = os.path.join(SCENES, scene + ".xml")
        result = self.run_json("run", path, "--duration", repr(duration), *words)
        self.assertEqual(result["status"], "ok")
        return result

    def test_four_bar(self):
        """Ten seconds at 1 ms: the loop stays closed, the energy the same, and both formulations agree."""
        result = self.forces_and_loops("four_bar", 10, "--formulation", "multiplier")
        self.assertEqual((result["steps"], result["substeps"]), (10000, 10000))
        self.assertEqual((result["equality_rows"], result["redundant_rows"]), (3, 1))
        self.assertLess(result["max_equality_error"], 1e-10)
        self.assertLess(result["max_joint_error"], 1e-10)
        # Of RATTLE, within a swing: (h ω)²/24 at 20 rad/s.
        self.assertLess(result["energy_max_drift"], 1e-4 * result["energy_start"])
        self.assertLess(abs(result["energy_end"] - result["energy_start"]), 1e-5 * result["energy_start"])
        words = ("--integrator", "rk45", "--tolerance", "1e-10", "--formulation")
        ends = [self.forces_and_loops("four_bar", 1, *words, name)["final"] for name in ("multiplier", "reduced")]
        self.assert_near(ends[0]["qpos"], ends[1]["qpos"], 1e-7)

    def test_hanging_chain(self):
        """Both formulations let the chain fall from its V in the same way."""
        words = ("--integrator", "rk45", "--formulation")
        ends = [self.forces_and_loops("hanging_chain", 0.5, *words, name) for name in ("multiplier", "reduced")]
        for result in ends:
            self.assertLess(result["max_equality_error"], 1e-10)
        poses = [[x for p in result["final"]["xpos"].values() for x in p] for result in ends]
        self.assert_near(*poses, 1e-6)
        # Symmetric: the joint in the middle moves up and down only.
        self.assertAlmostEqual(ends[0]["final"]["xpos"]["link11"][0], 0.5, delta=1e-6)

    def test_planar_structure(self):
        """54 pins of two rows each in the plane; across it they hold nothing."""
        path = os.path.join(SCENES, "planar_structure.xml")
        info = self.run_json("info", path)
        self.assertEqual((info["nv"], len(info["loops"]), len(info["bodies"])), (3 * 54, 54, 55))
        found = [
            self.run_json("forward", path, "--formulation", name)["states"][0] for name in ("multiplier", "reduced")
        ]
        self.assert_near(found[0]["qacc"], found[1]["qacc"], 1e-10 * max(map(abs, found[1]["qacc"])))
        result = self.forces_and_loops("planar_structure", 0.5, "--formulation", "multiplier")
        self.assertLess(result["max_equality_error"], 1e-10)

    def test_rocking_block(self):
        """The first change of edges leaves (1 − 3/2 sin² α)² of the energy above that of standing."""
        sine = 0.1 / math.hypot(0.1, 0.5)
        standing = 120 * 9.81 * 0.5
        result = self.simulate("rocking", "tilted", 0.5, "event")
        self.assertEqual(result["impacts"], 1)
        left = (result["energy_end"] - standing) / (result["energy_start"] - standing)
        self.assertAlmostEqual(left, (1 - 1.5 * sine**2) ** 2, delta=1e-6)


if __name__ == "__main__":
    main()
