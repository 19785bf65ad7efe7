"""`ligament run`: motion against closed forms, files, and what stops it."""

import csv
import math
import os
import signal
import subprocess
import time

import support

PENDULUM = """<mujoco><option timestep="0.01" gravity="0 0 -9.81"/><worldbody>
  <body name="bob"><joint name="pivot" axis="0 1 0" {joint}/>
    <inertial pos="0 0 -1" mass="1" diaginertia="1e-14 1e-14 1e-14"/><geom name="ball" size="0.05" pos="0 0 -1" mass="0"/>
  </body>{more}
</worldbody>{after}</mujoco>"""


def pendulum(joint="", more="", after=""):
    return PENDULUM.format(joint=joint, more=more, after=after)


def period(amplitude):
    """Of the pendulum of 1 m, by the arithmetic-geometric mean."""
    a, b = 1.0, math.cos(amplitude / 2)
    for _ in range(40):
        a, b = (a + b) / 2, math.sqrt(a * b)
    return 2 * math.pi / math.sqrt(9.81) / a


class Run(support.AppTest):
    def rows(self, path):
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.reader(file))

    def test_pendulum(self):
        path = self.file("p.xml", pendulum())
        T = period(1.5)
        words = ["run", path, "--set", "pivot=1.5", "--duration", repr(T), "--tolerance", "1e-12"]
        result = self.run_json(*words)
        self.assertEqual(result["status"], "ok")
        self.assertEqual((result["formulation"], result["integrator"], result["dt"]), ("reduced", "rk45", 0.01))
        self.assertAlmostEqual(result["simulated_time"], T, delta=1e-14)
        self.assert_near(result["final"]["qpos"] + result["final"]["qvel"], [1.5, 0], 1e-8)
        self.assertLess(result["energy_max_drift"], 1e-9)
        self.assertAlmostEqual(result["energy_start"], -9.81 * math.cos(1.5), delta=1e-12)
        self.assertEqual(result["final"]["xpos"]["bob"], [0, 0, 0])

    def test_orders(self):
        path = self.file("p.xml", pendulum())
        T = period(1.5)
        for integrator, order, coarse in (("euler", 1, 200), ("rk4", 4, 20)):
            errors = []
            for count in (coarse, 2 * coarse):
                words = ["--integrator", integrator, "--dt", repr(T / 4 / count), "--duration", repr(T / 4)]
                end = self.run_json("run", path, "--set", "pivot=1.5", *words)["final"]["qpos"][0]
                errors.append(abs(end))
            self.assertAlmostEqual(math.log2(errors[0] / errors[1]), order, delta=0.1)

    def test_trajectory(self):
        free = "<body pos='0 0 9'><freejoint name='root'/><geom size='0.1'/></body>"
        path = self.file("p.xml", pendulum(more=free))
        out = os.path.join(self.folder, "t.csv")
        words = ["run", path, "--duration", "0.5", "--every", "0.1", "--set", "pivot=0.3,root.x=2", "--out", out]
        result = self.run_app(*words)
        self.assertEqual((result.code, result.err), (0, ""))
        header, *rows = self.rows(out)
        coordinates = ["pivot", "root.x", "root.y", "root.z", "root.qw", "root.qx", "root.qy", "root.qz"]
        velocities = [f"{name}.v" for name in ("pivot", "root.x", "root.y", "root.z", "root.wx", "root.wy", "root.wz")]
        self.assertEqual(header, ["time", *coordinates, *velocities, "energy"])
        self.assertEqual(len(rows), 6)
        for k, row in enumerate(rows):
            t = float(row[0])
            self.assertAlmostEqual(t, 0.1 * k, delta=1e-15)
            self.assertEqual(float(row[2]), 2)
            self.assertAlmostEqual(float(row[4]), 9 - 9.81 * t * t / 2, delta=1e-12)
            self.assertAlmostEqual(float(row[12]), -9.81 * t, delta=1e-12)
            self.assertAlmostEqual(float(row[-1]), float(rows[0][-1]), delta=1e-8)

    def test_what_is_not_computed_stops_it(self):
        limited = self.file("limited.xml", pendulum('range="-90 20" limited="true"'))
        out = os.path.join(self.folder, "t.csv")
        words = ["run", limited, "--set", "pivot=-1", "--out", out]
        self.assert_fails(5, words, "limited.xml:2:", "the joint 'pivot' is at 0.3", "--disable limit")
        # What was simulated is there.
        rows = self.rows(out)
        self.assertGreater(len(rows), 20)
        self.assertLess(float(rows[-2][1]), math.radians(20))
        self.assertEqual(self.run_app("run", limited, "--set", "pivot=-1", "--disable", "limit").code, 0)

        wall = "<geom name='wall' type='box' size='0.1 1 1' pos='0.5 0 -1'/>"
        walled = self.file("walled.xml", pendulum(more=wall))
        self.assert_fails(5, ["run", walled, "--set", "pivot=1"], "geoms 'ball' and 'wall' touch", "--disable contact")
        self.assertEqual(self.run_app("run", walled, "--set", "pivot=1", "--disable", "contact").code, 0)

        loop = pendulum(after="<equality><weld body1='bob'/></equality>")
        self.assert_fails(5, ["run", self.file("loop.xml", loop)], "is not honoured yet")

    def test_usage(self):
        path = self.file("p.xml", pendulum())
        for words, *expected in (
            (["--dt", "0"], "--dt is a time in seconds, not '0'"),
            (["--duration", "-1"], "--duration is a time in seconds, not '-1'"),
            (["--duration", "long"], "not 'long'"),
            (["--integrator", "rk5"], "euler, rk4 and rk45, not 'rk5'", "did you mean"),
            (["--set", "pivot"], "--set is JOINT=VALUE, not 'pivot'"),
            (["--set", "pivto=1"], "no coordinate 'pivto'", "did you mean 'pivot'?"),
            (["--out", "x.xyz"], "writes .csv, .npz, .svg"),
            (["--integrator", "rk4", "--every", "0.015"], "is not a multiple of the step"),
        ):
            with self.subTest(words):
                self.assert_fails(1, ["run", path, *words], *expected)
        self.assert_fails(4, ["run", path, "--out", os.path.join(self.folder, "no", "x.csv")], "cannot be written")

    def test_interrupted(self):
        path = self.file("p.xml", pendulum())
        out = os.path.join(self.folder, "t.csv")
        process = subprocess.Popen(
            [support.LIGAMENT, "run", path, "--set", "pivot=1", "--duration", "1e6", "--out", out],
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        while not os.path.exists(out) or os.path.getsize(out) < 10000:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted", err)
        rows = self.rows(out)
        self.assertEqual(len(rows[-1]), 4)  # the last row is whole


if __name__ == "__main__":
    support.main()
