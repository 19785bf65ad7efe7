"""Joints that close loops in tables, JSON and `info`: a pendulum that floats, but for a loop that pins it."""

import csv
import math
import os

from support import AppTest, main

PENDULUM = """<mujoco><worldbody><body name="rod"><freejoint/>
    <inertial pos="0.5 0 0" mass="1" diaginertia="0.01 0.08 0.08"/></body></worldbody>
  <equality><loop name="pin" type="hinge" body1="world" body2="rod" quat1="1 -1 0 0" pos2="0 0 0" quat2="1 -1 0 0"/>
    <connect body1="rod" anchor="0 0 0"/></equality></mujoco>"""


class LoopColumnsTest(AppTest):
    def test_columns_follow_the_rod(self):
        path = self.file("pendulum.xml", PENDULUM)
        table = os.path.join(self.folder, "swing.csv")
        document = self.run_json("run", path, "--duration", "0.4", "--dt", "0.01", "--out", table)
        with open(table, encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            # Half an angle about y.
            angle = 2 * math.atan2(float(row["joint0.qy"]), float(row["joint0.qw"]))
            self.assertAlmostEqual(float(row["pin"]), angle, delta=1e-9)
            self.assertAlmostEqual(float(row["pin.v"]), float(row["joint0.wy.v"]), delta=1e-9)
        self.assertGreater(float(rows[-1]["pin"]), 0.5)  # it has swung
        final = document["final"]
        self.assert_near(final["loop_qpos"], [float(rows[-1]["pin"])], 0)
        self.assert_near(final["loop_qvel"], [float(rows[-1]["pin.v"])], 0)
        info = self.run_json("info", path)
        self.assertEqual((info["loop_coordinates"], info["loop_velocities"]), (["pin"], ["pin"]))


if __name__ == "__main__":
    main()
