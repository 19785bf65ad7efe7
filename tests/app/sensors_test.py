"""Sensors on the command line: what an arm that spins about a vertical axis feels."""

import csv
import os

from support import AppTest, main

ARM = """<mujoco><worldbody><body name="arm"><joint name="hinge" axis="0 0 1"/>
  <inertial pos="1 0 0" mass="2" diaginertia="0.1 0.1 0.1"/><site name="end" pos="2 0 0"/>
  {body}</body></worldbody>
  <sensor><accelerometer name="imu" site="end"/><gyro site="end" cutoff="2.5"/><force site="end" name="gyro4"/>
    <touch name="tip" site="end"/><gyro site="end"/>{sensor}</sensor></mujoco>"""


class SensorsTest(AppTest):
    def arm(self, body="", sensor=""):
        return self.file("arm.xml", ARM.format(body=body, sensor=sensor))

    def words(self, path, **fields):
        state = self.file("state.json", {"qpos": [0.7], "qvel": [3], **fields})
        return ("forward", path, "--state", state)

    def test_readings_by_name(self):
        sensors = self.run_json(*self.words(self.arm()))["states"][0]["sensors"]
        # Without a name: type and index; the file uses "gyro4" itself.
        self.assertEqual(list(sensors), ["imu", "gyro1", "gyro4", "tip", "gyro4_"])
        self.assert_near(sensors["imu"], [-3 * 3 * 2, 0, 9.81], 1e-13)
        self.assert_near(sensors["gyro1"], [0, 0, 2.5], 1e-13)
        self.assert_near(sensors["gyro4"], [-2 * 9, 0, 2 * 9.81], 1e-13)
        self.assert_near(sensors["gyro4_"], [0, 0, 3], 1e-13)
        self.assertIsNone(sensors["tip"])  # not evaluated, which is no zero

    def test_what_is_applied_is_not_carried_by_the_joint(self):
        words = self.words(self.arm(), xfrc_applied={"arm": [0, 0, 2 * 9.81, 0, 0, 0]})
        sensors = self.run_json(*words)["states"][0]["sensors"]
        self.assert_near(sensors["gyro4"], [-2 * 9, 0, 0], 1e-13)

    def test_text_and_info(self):
        path = self.arm()
        result = self.run_app(*self.words(path))
        self.assertEqual(result.code, 0, result.err)
        self.assertRegex(result.out, r"imu +accelerometer +-18 .* 9\.81\n")
        self.assertRegex(result.out, r"tip +touch +not evaluated\n")
        info = self.run_json("info", path)
        self.assertEqual((info["nsensor"], info["nsensordata"]), (5, 13))
        self.assertEqual([s["adr"] for s in info["sensors"]], [0, 3, 6, 9, 10])
        self.assertEqual([s["evaluated"] for s in info["sensors"]], [True] * 5)
        self.assertIn("sensors       5, 13 numbers", self.run_app("info", path).out)

    def test_a_run_writes_what_sensors_read(self):
        """A crate of 2 kg that rests on the ground."""
        path = self.file("crate.xml", """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
          <body name="crate" pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1" mass="2"/>
          <site name="sole" type="box" size="0.2 0.2 0.05" pos="0 0 -0.1"/></body></worldbody>
          <sensor><touch name="tip" site="sole"/><accelerometer name="imu" site="sole"/></sensor></mujoco>""")
        table = os.path.join(self.folder, "rest.csv")
        document = self.run_json("run", path, "--duration", "0.5", "--sensors", "--out", table)
        self.assert_near(document["final"]["sensors"]["tip"], [2 * 9.81], 1e-2)
        self.assert_near(document["final"]["sensors"]["imu"], [0, 0, 9.81], 1e-3)
        with open(table, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(rows[0]["tip"], "")  # before the first step no forces are known
        self.assertAlmostEqual(float(rows[-1]["tip"]), 2 * 9.81, delta=1e-2)
        self.assertAlmostEqual(float(rows[-1]["imu.2"]), 9.81, delta=1e-3)

    def test_a_model_without_sensors_has_no_such_member(self):
        path = self.file("bare.xml", ARM.format(body="", sensor="").split("<sensor>")[0] + "</mujoco>")
        self.assertNotIn("sensors", self.run_json(*self.words(path))["states"][0])


if __name__ == "__main__":
    main()
