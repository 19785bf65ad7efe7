"""The scenes of stiff joints run at 60 Hz with `implicit`, and their forces balance."""

import csv
import math
import os
import subprocess
import sys

import numpy as np

from support import SOURCE_DIR, AppTest, main

SCENES = os.path.join(SOURCE_DIR, "scenes")
MOTIONS = os.path.join(SCENES, "motions")
PATHS = {"haptic_robot": "haptic_path", "haptic_robot_limp": "haptic_path", "hand": "hand_target", "hair": "hair_nod"}
G = 9.81


def scene(name):
    return os.path.join(SCENES, name + ".xml")


class PathFilesTest(AppTest):
    def test_they_are_what_their_script_writes(self):
        subprocess.run([sys.executable, os.path.join(MOTIONS, "make_paths.py"), self.folder], check=True)
        for name in sorted(set(PATHS.values())):
            with open(os.path.join(MOTIONS, name + ".csv"), encoding="ascii") as ours, open(
                os.path.join(self.folder, name + ".csv"), encoding="ascii"
            ) as made:
                self.assertEqual(ours.read(), made.read())

    def test_they_begin_where_the_scenes_have_the_bodies(self):
        for name, paths in PATHS.items():
            bodies = {body["name"]: body for body in self.run_json("info", scene(name))["bodies"]}
            with open(os.path.join(MOTIONS, paths + ".csv"), newline="", encoding="ascii") as file:
                first = next(csv.DictReader(file))
            moved = {column.rpartition(".")[0] for column in first if column != "time"}
            self.assertEqual(moved, {body for body, found in bodies.items() if found.get("kinematic")})
            for body in moved:
                with self.subTest(f"{name} {body}"):
                    self.assert_near([float(first[f"{body}.{c}"]) for c in "xyz"], bodies[body]["pos"], 6e-5)
                    if f"{body}.qw" in first:
                        found = [float(first[f"{body}.q{c}"]) for c in "wxyz"]
                        self.assert_near(found, bodies[body]["quat"], 6e-5)


class StiffScenesTest(AppTest):
    def run_scene(self, name, duration, *words):
        out = os.path.join(self.folder, name + ".npz")
        paths = ["--paths", os.path.join(MOTIONS, PATHS[name] + ".csv")] if name in PATHS else []
        words = ["--formulation", "implicit", "--duration", str(duration), "--wrenches", "--out", out, *paths, *words]
        document = self.run_json("run", scene(name), *words)
        self.assertEqual((document["status"], document["dt"]), ("ok", 1 / 60))
        self.assertEqual((document["steps"], document["rejected_substeps"]), (round(60 * duration), 0))
        self.assertLess(document["max_joint_error"], 1e-7)
        with np.load(out, allow_pickle=False) as arrays:
            return document, dict(arrays)

    def test_the_hand_runs_under_every_formulation(self):
        """Through the fist and back, against the limits of its fingers."""
        for formulation in ("reduced", "multiplier", "implicit", "impulse"):
            with self.subTest(formulation):
                paths = os.path.join(MOTIONS, "hand_target.csv")
                document = self.run_json("run", scene("hand"), "--paths", paths, "--duration", "3", "--formulation", formulation)
                self.assertEqual((document["status"], document["missed"]), ("ok", []))

    def test_what_the_user_feels(self):
        felt = {}
        for name in ("haptic_robot", "haptic_robot_limp"):
            document, arrays = self.run_scene(name, 9)
            force = arrays["bushing_wrench"][1:, 0, :3]
            felt[name] = np.linalg.norm(force, axis=1).max()
            # The stretch of the spring, and at rest what is left of the weight of the hand by the wrist.
            final = document["final"]
            info = self.run_json("info", scene(name))
            hand = ("hand_left", "index", "middle", "ring", "little", "thumb")
            mass = sum(b["mass"] for b in info["bodies"] if b["name"].startswith(hand) and b["name"].endswith("left"))
            self.assertAlmostEqual(mass, 0.4 + 4 * 0.05 + 0.06, delta=1e-12)
            wrist = final["joint_wrenches"]["wrist_left"]["force"]
            tie = final["bushing_wrenches"]["tie"]["force"]
            # The arm still creeps by its dampers.
            self.assert_near([a + b for a, b in zip(wrist, tie)], [0, 0, mass * G], 0.02)
            middle = np.array(final["xpos"]["hand_left"]) - np.array(final["xpos"]["stylus"])
            self.assertLess(np.linalg.norm(middle), 0.045 + np.linalg.norm(tie) / 400 + 1e-3)
            # Another formulation, by its error, has the same forces; steps of 1/60 s smooth the jolt of the beginning.
            words = ["--stepping", "smooth", "--dt", "0.004166666666666667", "--every", "0.016666666666666666"]
            other = os.path.join(self.folder, "other.npz")
            paths = os.path.join(MOTIONS, "haptic_path.csv")
            self.run_json("run", scene(name), "--paths", paths, "--duration", "9", "--wrenches", *words, "--out", other)
            with np.load(other) as reference:
                off = np.linalg.norm(force - reference["bushing_wrench"][1:, 0, :3], axis=1)
            self.assertLess(np.sqrt(np.mean(off**2)), 0.4)
            self.assertLess(off[60:].max(), 0.7)
        # 0.3 m of way by springs of 80 N·m/rad at 0.5 m, or the weight of an arm of 3.9 kg, part of which the shoulder
        # carries.
        self.assertGreater(felt["haptic_robot"], 50)
        self.assertLess(felt["haptic_robot_limp"], 3.9 * G)
        self.assertGreater(felt["haptic_robot"], 3 * felt["haptic_robot_limp"])

    def test_the_hand_follows(self):
        info = self.run_json("info", scene("hand"))
        joints = [joint for joint in info["joints"] if joint["type"] != "free"]
        self.assertEqual((len(joints), len(info["bodies"])), (15, 1 + 2 * 16))
        self.assertTrue(all(joint["stiffness"] > 0 for joint in joints))
        _, arrays = self.run_scene("hand", 8)
        names = list(arrays["body_names"])
        bones = [name for name in names if name + "_target" in names]
        self.assertEqual(len(bones), 16)
        apart = [
            np.linalg.norm(arrays["xpos"][:, names.index(b)] - arrays["xpos"][:, names.index(b + "_target")], axis=1)
            for b in bones
        ]
        self.assertLess(np.median(apart), 2e-3)
        self.assertLess(np.max(apart), 5e-3)
        # Fingers bend, and their ends stop at 60° where the target goes on to 95°.
        columns = list(arrays["qpos_names"])
        for joint in joints:
            if joint["type"] != "hinge":
                continue
            angles = arrays["qpos"][:, columns.index(joint["name"])]
            low, high = joint["range"]
            self.assertGreater(angles.min(), low - 0.01)
            self.assertLess(angles.max(), high + 0.01)
            if joint["name"].endswith("3") and not joint["name"].startswith("thumb"):
                self.assertGreater(angles.max(), high - 0.01)

    def test_hair(self):
        document, arrays = self.run_scene("hair", 5)
        names = list(arrays["body_names"])
        self.assertEqual(len(names), 2 + 240)
        # It hangs from the head in the end: no strand is longer than it was, and its end is below its root.
        place, links = arrays["xpos"][-1], 10
        for root in range(names.index("head") + 1, len(names), links):
            end = place[root + links - 1] - place[root]
            self.assertLess(np.linalg.norm(end), 0.225 + 1e-9)
        self.assertLess(document["energy_end"], document["energy_start"])

    def test_plant(self):
        document, arrays = self.run_scene("plant", 8)
        names = list(arrays["body_names"])
        top = arrays["xpos"][:, names.index("trunk5")]
        # It bows with the wind, farther at first than in the end.
        self.assertGreater(top[:, 0].max(), 1.2 * top[-1, 0])
        self.assertGreater(top[-1, 0], 0.05)
        # In the end it stands: the spring at the foot holds all that the wind and the weight do above it.
        final = document["final"]
        self.assertLess(max(abs(v) for v in final["qvel"]), 0.05)
        w, *axis = final["qpos"][:4]
        angle = 2 * math.atan2(np.linalg.norm(axis), w)
        moment = final["joint_wrenches"]["trunk0"]["moment"]
        self.assert_near(moment, -600 * angle * np.array(axis) / np.linalg.norm(axis), 0.02 * 600 * angle)


if __name__ == "__main__":
    main()
