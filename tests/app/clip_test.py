"""Clips: the shipped ones, conversion, and runs that follow them."""

import csv
import math
import os
import subprocess
import sys

from support import SOURCE_DIR, AppTest, main

SCENES = os.path.join(SOURCE_DIR, "scenes")
MOTIONS = os.path.join(SCENES, "motions")
CHARACTER = os.path.join(SCENES, "character.xml")
TRACKING = os.path.join(SCENES, "tracking.xml")
CLIPS = ("march", "wave")


def motion(name):
    return os.path.join(MOTIONS, name + ".bvh")


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return [{key: float(value) for key, value in row.items() if value} for row in csv.DictReader(file)]


class ClipTest(AppTest):
    def test_shipped_clips_are_what_their_script_writes(self):
        subprocess.run([sys.executable, os.path.join(MOTIONS, "make_clips.py"), self.folder], check=True)
        for name in CLIPS:
            with open(motion(name), encoding="ascii") as ours, open(
                os.path.join(self.folder, name + ".bvh"), encoding="ascii"
            ) as made:
                self.assertEqual(ours.read(), made.read())

    def test_shipped_clips_fit_the_character_and_keep_its_limits(self):
        info = {joint["name"]: joint for joint in self.run_json("info", CHARACTER)["joints"]}
        for name in CLIPS:
            out = os.path.join(self.folder, name + ".csv")
            result = self.run_app("clip", CHARACTER, motion(name), out, "--strict", "--every", "0.01")
            self.assertEqual((result.code, result.err), (0, ""))
            rows = table(out)
            for joint in info.values():
                if joint["type"] == "hinge":
                    for row in rows:
                        self.assertTrue(joint["range"][0] < row[joint["name"]] < joint["range"][1], joint["name"])
                if joint["type"] == "ball":
                    # The axis of swing and twist is z of the trunk and legs, x of the arms.
                    along = "x" if joint["name"].startswith(("shoulder", "wrist")) else "z"
                    for row in rows:
                        w, p = row[joint["name"] + ".qw"], row[f"{joint['name']}.q{along}"]
                        swing = 2 * math.acos(min(1.0, math.hypot(w, p)))
                        twist = 2 * math.atan2(p, w) if w >= 0 else 2 * math.atan2(-p, -w)
                        self.assertLess(swing, joint["swing"], joint["name"])
                        self.assertTrue(joint["twist"][0] < abs(twist) < joint["twist"][1], joint["name"])
            # The end is the beginning.
            self.assertEqual(self.run_app("clip", CHARACTER, motion(name), out).code, 0)
            rows = table(out)
            for key in rows[0]:
                if key != "time" and not key.endswith(".v"):
                    self.assertAlmostEqual(rows[0][key], rows[-1][key], delta=1e-12)

    def test_there_and_back(self):
        first, bvh, second = (os.path.join(self.folder, name) for name in ("a.csv", "b.bvh", "c.csv"))
        for source, target in ((motion("wave"), first), (first, bvh), (bvh, second)):
            result = self.run_app("clip", CHARACTER, source, target, "--strict")
            self.assertEqual((result.code, result.err), (0, ""))
            self.assertEqual(result.out, "91 samples of 16 joints, 3 s\n")
        for a, b in zip(table(first), table(second), strict=True):
            for key in a:
                self.assertAlmostEqual(a[key], b[key], delta=1e-9, msg=key)

    def test_a_run_as_bvh_is_the_run(self):
        bvh, written, back = (os.path.join(self.folder, name) for name in ("r.bvh", "r.csv", "b.csv"))
        words = ["--key", "tumble", "--duration", "1", "--every", "0.05"]
        self.assertEqual(self.run_app("run", CHARACTER, *words, "--out", bvh, "--out", written).code, 0)
        self.assertEqual(self.run_app("clip", CHARACTER, bvh, back, "--strict").code, 0)
        for a, b in zip(table(written), table(back), strict=True):
            turned = {key[:-3] for key in b if key.endswith(".qw") and a[key] * b[key] < 0}
            for key in b:
                if key.endswith(".v"):
                    continue
                sign = -1 if ".q" in key and key.split(".q")[0] in turned else 1
                self.assertAlmostEqual(a[key], sign * b[key], delta=1e-6, msg=key)

    def test_wrong_usage(self):
        out = os.path.join(self.folder, "o.csv")
        self.assert_fails(1, ["clip", CHARACTER, motion("wave"), "o.txt"], "the ending tells the format")
        self.assert_fails(1, ["clip", CHARACTER, out, out], "write to another file")
        self.assert_fails(1, ["clip", CHARACTER, motion("wave"), out, "--clip-up", "x"], "y or z")
        self.assert_fails(1, ["clip", CHARACTER, motion("wave"), out, "--clip-scale", "0"], "positive")
        self.assert_fails(1, ["clip", CHARACTER, motion("wave"), out, "--map", "root"], "NAME=JOINT")
        self.assert_fails(2, ["clip", CHARACTER, motion("wave"), out, "--map", "root=rot"], "E155", "'root'?")
        self.assert_fails(4, ["clip", CHARACTER, "nothing.bvh", out], "nothing.bvh", "E001")
        self.assert_fails(4, ["clip", CHARACTER, motion("wave"), "no/such/folder/o.csv"], "cannot be written")
        broken = self.file("broken.bvh", "HIERARCHY\nROOT root\n{\n  OFFSET 0 0\n}\n")
        self.assert_fails(2, ["clip", CHARACTER, broken, out], "broken.bvh:5:1: error[E150]")


class TrackTest(AppTest):
    def tracked(self, *words):
        return self.run_json("run", TRACKING, "--track", motion("march"), "--loop", *words)

    def test_joints_follow_the_clip(self):
        """From the T-pose to the clip: of 65 degrees at the shoulders a tenth is left after the settling time."""
        out = os.path.join(self.folder, "t.csv")
        run = self.tracked("--duration", "3", "--out", out)
        self.assertEqual(run["status"], "ok")
        self.assertLess(run["tracking"]["max_error"], math.radians(72))
        self.assertLess(run["tracking"]["rms_error"], 0.05)
        early = self.tracked("--duration", "0.2")["tracking"]
        self.assertGreater(early["rms_error"], 3 * run["tracking"]["rms_error"])
        # The hook holds the pelvis, the knees are where the clip has them, one period later, too.
        rows = table(out)
        for row, again in zip(rows[60:], rows[132:]):
            self.assertAlmostEqual(row["root.z"], 1.15, delta=1e-9)
            self.assertAlmostEqual(row["knee_left"], again["knee_left"], delta=1e-5)

    def test_a_ball_throws_it_off_and_it_comes_back(self):
        calm = self.tracked("--duration", "3", "--torque-limit", "40")["tracking"]
        struck = self.tracked("--duration", "3", "--torque-limit", "40", "--key", "struck")
        self.assertEqual(struck["status"], "ok")
        self.assertGreater(struck["tracking"]["rms_error"], 1.3 * calm["rms_error"])
        self.assertAlmostEqual(struck["tracking"]["max_torque"], 40, delta=1e-6)
        self.assertLess(struck["final"]["xpos"]["head"][1], 0.1)
        # The same time of the clip without a ball: it is where it would have been.
        without = self.tracked("--duration", "3", "--torque-limit", "40")
        for body in ("head", "hand_left", "foot_right"):
            for a, b in zip(struck["final"]["xpos"][body], without["final"]["xpos"][body]):
                self.assertAlmostEqual(a, b, delta=5e-3)

    def test_limp_and_back(self):
        heights = []
        for words in (["--duration", "2.2"], ["--duration", "4"]):
            run = self.tracked("--torque-limit", "80", "--limp", "1.2:2.2", *words)
            heights.append(run["final"]["xpos"]["head"][2])
        self.assertLess(heights[0], heights[1] - 0.05)

    def test_pd_beside_it(self):
        words = ["--duration", "3", "--settling-time", "0.3"]
        exact = self.tracked(*words)["tracking"]["rms_error"]
        pd = self.tracked(*words, "--tracking", "pd", "--dt", "0.001")["tracking"]["rms_error"]
        self.assertGreater(pd, exact)
        paper = self.tracked(*words, "--gains", "paper")["tracking"]["rms_error"]
        self.assertGreater(paper, 1.5 * exact)

    def test_keyframes(self):
        run = self.run_json("run", TRACKING, "--track", "keyframes:struck@0,tumble@1", "--duration", "2.5",
                            "--disable", "contact")
        self.assertAlmostEqual(run["final"]["qpos"][23], 1.22173, delta=1e-4)  # elbow_left
        self.assert_fails(1, ["run", TRACKING, "--track", "keyframes:struk@0"], "did you mean 'struck'?")
        self.assert_fails(1, ["run", TRACKING, "--track", "keyframes:struck"], "NAME@SECONDS")

    def test_wrong_usage(self):
        for words, *expected in (
            (["--tracking", "pid"], "acceleration, pd"),
            (["--gains", "papr"], "did you mean 'paper'?"),
            (["--settling-time", "0"], "a time in seconds"),
            (["--torque-limit", "-1"], "a number from 0 on"),
            (["--limp", "2:1"], "FROM:TO"),
            (["--limp", "2"], "FROM:TO"),
            (["--stepping", "smooth"], "exclude each other"),
        ):
            with self.subTest(words):
                self.assert_fails(1, ["run", TRACKING, "--track", motion("wave"), *words], *expected)
        self.assert_fails(1, ["run", TRACKING, "--limp", "1:2"], "--track CLIP")
        self.assert_fails(4, ["run", TRACKING, "--track", "clip.txt"], "clip.txt", "E001")
        text = self.file("clip.txt", "time")
        self.assert_fails(2, ["run", TRACKING, "--track", text], "clip.txt", "E158")


if __name__ == "__main__":
    main()
