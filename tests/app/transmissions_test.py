#!/usr/bin/env python3
"""`ligament info --transmissions`: ratios over the range, as text, JSON, CSV and a picture."""

import csv
import math

from support import AppTest, main

# A slider crank: 0.3 m and 1 m; the motor is on the crank, which turns from 0.2 to 2.9.
MODEL = """<mujoco><compiler angle="radian"/><option><flag contact="disable"/></option><worldbody>
<body name="crank"><joint name="crank" axis="0 -1 0" range="{}"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".01" mass="1"/>
<body name="rod" pos=".3 0 0"><joint name="rod" axis="0 -1 0"/>
<geom type="capsule" fromto="0 0 0 1 0 0" size=".01" mass="2"/></body></body>
<body name="slider" pos="1.3 0 0"><joint name="slider" type="slide" axis="1 0 0"/><geom size=".1" mass="5"/></body>
</worldbody><equality><connect name="pin" body1="rod" body2="slider" anchor="1 0 0"/></equality>
<actuator><motor name="drive" joint="crank"/></actuator>
<keyframe><key name="up" qpos="1 {} {}"/></keyframe></mujoco>"""


class TransmissionsTest(AppTest):
    def model(self, limits="0.2 2.9"):
        rod = -1 - math.asin(0.3 * math.sin(1))
        return self.file("crank.xml", MODEL.format(limits, rod, 0.3 * math.cos(1) + math.cos(1 + rod) - 1.3))

    def ratio(self, crank):
        s, c = math.sin(crank), math.cos(crank)
        return -0.3 * s - 0.09 * s * c / math.sqrt(1 - 0.09 * s * s)

    def test_json(self):
        (one,) = self.run_json("info", self.model(), "--transmissions", "--key", "up")["transmissions"]
        self.assertEqual((one["actuator"], one["varies"], one["closed"]), ("drive", "crank", False))
        self.assertEqual(one["ends"], ["the limit of joint 'crank'"] * 2)
        self.assert_near([one["length"][0], one["length"][-1]], [0.2, 2.9], 1e-10)
        slider = one["joints"]["slider"]
        for length, where, ratio, arm in zip(one["length"], slider["coordinate"], slider["ratio"], slider["arm"]):
            self.assertAlmostEqual(ratio, self.ratio(length), delta=1e-9)
            self.assertAlmostEqual(arm * ratio, 1, delta=1e-12)
            self.assertAlmostEqual(where, 0.3 * math.cos(length) + math.sqrt(1 - 0.09 * math.sin(length) ** 2) - 1.3, delta=1e-10)
        # Neither stands between these limits.
        self.assertEqual([at for at in one["singular"] if at["stands"] in (None, "slider")], [])

    def test_dead_centres(self):
        (one,) = self.run_json("info", self.model("-9 9"), "--transmissions", "--key", "up")["transmissions"]
        dead = [at["qpos"][0] for at in one["singular"] if at["stands"] == "slider"]
        self.assertTrue(one["closed"])
        self.assertEqual(len(dead), 2)
        for angle in dead:
            self.assertAlmostEqual(math.sin(angle), 0, delta=1e-9)

    def test_text_and_files(self):
        table, picture = self.file("t.csv", ""), self.file("t.svg", "")
        words = ["info", self.model("-9 9"), "--transmissions", "--key", "up", "--curves"]
        text = self.run_app(*words, table).out
        self.assertIn("drive, length", text)
        self.assertIn("all the way round", text)
        self.assertRegex(text, r"(?m)^slider +-0.6 … \S+ +-0.31\d+ … 0.31\d+ +unbounded$")
        self.assertIn("joint 'slider' stands still at length", text)
        with open(table, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), ["actuator", "length", "joint", "coordinate", "ratio", "arm"])
        for row in rows:
            if row["joint"] == "slider":
                self.assertAlmostEqual(float(row["ratio"]), self.ratio(float(row["length"])), delta=1e-9)
        self.run_app(*words, picture)
        with open(picture, encoding="utf-8") as file:
            self.assertIn("drive: torque per force", file.read())

    def test_refusals(self):
        path = self.model()
        self.assert_fails(1, ["info", path, "--curves", "x.csv"], "--curves goes with --transmissions")
        self.assert_fails(1, ["info", path, "--key", "up"], "--key goes with --transmissions")
        self.assert_fails(1, ["info", path, "--transmissions", "--curves", "x.png"], "neither in .csv nor in .svg")
        self.assert_fails(1, ["info", path, "--transmissions", "--key", "upp"], "no keyframe 'upp'")
        # The reference configuration is not within the limits of the crank.
        self.assertIn("the start is beyond the limit of joint 'crank'",
                      self.run_app("info", path, "--transmissions").err)
        tree = self.file("tree.xml", '<mujoco><worldbody><body><joint name="a"/><geom size=".1"/></body></worldbody>'
                                     '<actuator><motor joint="a"/></actuator></mujoco>')
        self.assertIn("no actuator moves joints through a linkage", self.run_app("info", tree, "--transmissions").out)


main()
