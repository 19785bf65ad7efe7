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

BOUNCING = """<mujoco><option gravity="0 0 -10"/><worldbody>
  <geom type="plane" size="0 0 1"/>
  <body pos="0 0 1.1"><freejoint/><geom size="0.1" restitution="0.5"/></body>
</worldbody></mujoco>"""


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

    def highest(self, path):
        return max(float(row[1]) for row in self.rows(path)[1:])

    def test_pendulum(self):
        path = self.file("p.xml", pendulum())
        T = period(1.5)
        words = ["run", path, "--set", "pivot=1.5", "--duration", repr(T), "--tolerance", "1e-12"]
        result = self.run_json(*words)
        self.assertEqual(result["status"], "ok")
        self.assertEqual((result["formulation"], result["integrator"], result["dt"]), ("reduced", "auto", 0.01))
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

    def test_bodies_with_joints_of_their_own(self):
        path = self.file(
            "kinds.xml",
            '<mujoco><worldbody><body name="bead" kind="particle" pos="0 0 9"><geom size="0.1"/></body>'
            '<body name="flat" kind="planar" pos="3 0 9"><geom size="0.1"/></body></worldbody></mujoco>',
        )
        out = os.path.join(self.folder, "t.csv")
        words = ["--duration", "0.5", "--every", "0.1", "--set", "bead.y=2,flat.angle=0.5", "--out", out]
        self.assertEqual(self.run_app("run", path, *words).code, 0)
        header, *rows = self.rows(out)
        names = ["bead.x", "bead.y", "bead.z", "flat.x", "flat.z", "flat.angle"]
        self.assertEqual(header, ["time", *names, *(f"{name}.v" for name in names), "energy"])
        for row in rows:
            t, *numbers = map(float, row)
            fallen = 9 - 9.81 * t * t / 2
            for value, wanted in zip(numbers, [0, 2, fallen, 3, fallen, 0.5]):
                self.assertAlmostEqual(value, wanted, delta=1e-12)

    def test_limits_and_contacts_act(self):
        limited = self.file("limited.xml", pendulum('range="-90 20" limited="true" damping="0.5"'))
        out = os.path.join(self.folder, "t.csv")
        words = ["run", limited, "--set", "pivot=-1", "--duration", "20", "--out", out]
        result = self.run_json(*words)
        self.assertEqual(result["status"], "ok")
        self.assertLess(result["max_limit_violation"], math.radians(0.1))
        self.assertLess(abs(result["final"]["qpos"][0]), 0.01)
        self.assertAlmostEqual(self.highest(out), math.radians(20), delta=math.radians(0.2))
        # Without the limit it swings on.
        self.run_json(*words, "--disable", "limit")
        self.assertGreater(self.highest(out), math.radians(40))

        wall = "<geom name='wall' type='box' size='0.1 1 1' pos='0.5 0 -1'/>"
        walled = self.file("walled.xml", pendulum(more=wall))
        words = ["run", walled, "--set", "pivot=-1", "--duration", "2", "--out", out]
        result = self.run_json(*words)
        self.assertEqual(result["status"], "ok")
        self.assertGreater(result["contacts_mean"], 0)
        self.assertLess(result["max_penetration"], 0.001)
        # The ball, 1 m below the pivot and to the right of it by minus the sine, stays right of the wall.
        self.assertAlmostEqual(math.sin(self.highest(out)), -0.65, delta=0.001)
        self.assertEqual(self.run_json(*words, "--disable", "contact")["contacts_mean"], 0)
        self.assertGreater(self.highest(out), 0.99)

    def test_robots_with_loops(self):
        """Loops that a file closes to its digits only, with rows that almost depend on each other: they hold."""
        for robot, words in (
            ("ufactory_xarm7", []),
            ("ufactory_xarm7", ["--key", "home"]),
            ("agility_cassie", ["--key", "home"]),
            ("robotiq_2f85", []),
        ):
            path = os.path.join(support.SHARED_DIR, "models", "menagerie", robot, "scene.xml")
            if not os.path.exists(path):
                self.skipTest("the reference models are not there")
            result = self.run_json("run", path, "--quiet", "--duration", "0.2", *words)
            self.assertEqual(result["status"], "ok", robot)
            self.assertGreater(result["redundant_rows"], 0, robot)
            self.assertLess(result["max_equality_error"], 1e-9, robot)
            # The keyframe of cassie is off by 2 mm. To close its loops bends its springs, and that is told.
            closing = -result["ledger"]["lost_corrections"]
            self.assertLess(closing, 0.1, robot)
            self.assertLess(result["energy_max_rise"] - max(0, closing), 0.01, robot)

    def test_loops(self):
        loop = pendulum(after="<equality><weld body1='bob'/></equality>")
        held = self.run_json("run", self.file("loop.xml", loop), "--duration", "0.5")
        self.assertLess(abs(held["final"]["qpos"][0]), 1e-14)
        self.assert_ends_early(["run", self.file("loop.xml", loop), "--set", "pivot=1"], "is open by")

    def test_steps(self):
        path = self.file("p.xml", pendulum())
        words = ["run", path, "--set", "pivot=1", "--dt", "0.01"]
        # Fixed steps are as many as fit, and a shorter one.
        result = self.run_json(*words, "--duration", "0.095", "--integrator", "velocity", "--every", "0.03")
        self.assertEqual((result["steps"], result["substeps"], result["smooth_substeps"]), (10, 10, 0))
        self.assertAlmostEqual(result["final"]["time"], 0.095, delta=1e-15)
        # Others go to where samples are wanted.
        out = os.path.join(self.folder, "t.csv")
        result = self.run_json(*words, "--duration", "0.1", "--every", "0.025", "--out", out)
        self.assert_near([float(row[0]) for row in self.rows(out)[1:]], [0, 0.025, 0.05, 0.075, 0.1], 1e-15)
        self.assertEqual(result["steps"], 12)
        # Nothing to do is no trouble.
        result = self.run_json(*words, "--duration", "0")
        self.assertEqual((result["steps"], result["simulated_time"]), (0, 0))
        self.assertEqual(self.run_app(*words, "--duration", "0").code, 0)

    def test_summary(self):
        path = self.file("p.xml", pendulum())
        result = self.run_json("run", path, "--set", "pivot=1", "--duration", "1")
        for member in (
            "status steps substeps simulated_time wall_time steps_per_second formulation integrator stepping coordinates equalities law baumgarte dt energy_start "
            "energy_end energy_max_rise energy_max_drift max_joint_error max_equality_error max_penetration "
            "max_limit_violation contacts_mean iterations_mean newton_iterations velocity_substeps events impacts too_many_events_steps fallbacks fallback equality_rows redundant_rows stage_seconds "
            "final"
        ).split():
            self.assertIn(member, result)
        self.assertEqual(sorted(result["final"]), ["qpos", "qvel", "time", "xpos", "xquat", "xvel"])
        self.assertEqual(list(result["stage_seconds"]), ["look", "assemble", "factor", "resolve", "advance"])
        text = self.run_app("run", path, "--set", "pivot=1", "--duration", "1").out
        for part in ("simulated     1 s in 100 steps", "energy        -5.30", "pivot"):
            self.assertIn(part, text)

    def test_friction(self):
        """A box that slides over the floor with the laws of `lemke`; solvers that take over are named."""
        path = self.file("box.xml", "<mujoco><worldbody><geom type='plane' size='0 0 1' friction='0.5'/><body pos='0 0 0.1'>"
                         "<freejoint/><geom type='box' size='0.1 0.1 0.1' friction='0.5'/></body></worldbody></mujoco>")
        state = self.file("s.json", {"qpos": [0, 0, 0.1, 1, 0, 0, 0], "qvel": [2, 0, 0, 0, 0, 0]})
        words = ["run", path, "--state", state, "--integrator", "velocity", "--dt", "0.001", "--duration", "0.2"]
        for law, *seed in (("six_rows",), ("tangent", "--seed", "3")):
            result = self.run_json(*words, "--friction", law, *seed)
            self.assertEqual((result["solver"], result["fallbacks"], result["fallback"]), ("lemke", 0, ""))
            self.assertAlmostEqual(result["final"]["qvel"][0], 2 - 0.5 * 9.81 * 0.2, delta=1e-6)
        text = self.run_app(*words, "--solver", "lemke", "--iterations", "1").out
        self.assertIn("solver lemke ended with iteration_limit on 12 rows; nncg took over", text)

    def test_events(self):
        """A ball that bounces on the floor: landings are located, not stepped over."""
        ball = self.file("ball.xml", BOUNCING)
        words = ["run", ball, "--dt", "0.1", "--stepping", "event"]
        # It lands at √0.2 s with √20 m/s and goes up with half of that.
        rest = 0.5 - math.sqrt(0.2)
        result = self.run_json(*words, "--duration", "0.5")
        self.assertEqual((result["status"], result["stepping"], result["impacts"]), ("ok", "event", 1))
        self.assertEqual((result["fallbacks"], result["too_many_events_steps"]), (0, 0))
        self.assertAlmostEqual(result["final"]["qpos"][2], 0.1 + math.sqrt(5) * rest - 5 * rest**2, delta=1e-7)
        self.assertIn(", 1 impact\n", self.run_app(*words, "--duration", "0.5").out)
        # All its bounces are over after √0.2 (1 + 2 (½ + ¼ + …)) s = 1.34 s.
        result = self.run_json(*words, "--duration", "1.5")
        self.assertEqual(result["status"], "ok")
        self.assertGreater(result["impacts"], 5)
        self.assert_near(result["final"]["qpos"][2:3] + result["final"]["qvel"], [0.1] + [0] * 6, 1e-7)

    def test_too_many_events(self):
        """The run goes on, and its end says so."""
        ball = self.file("ball.xml", BOUNCING)
        words = ["run", ball, "--dt", "0.5", "--duration", "2", "--stepping", "event", "--max-events", "1"]
        self.assert_ends_early(words, "too_many_events: more than 1 events in one step", "finished by velocity steps)")
        result = self.run_app(*words, "--json")
        self.assertEqual(result.code, 3)
        summary = result.json()
        self.assertEqual((summary["status"], summary["steps"]), ("too_many_events", 4))
        self.assertGreater(summary["too_many_events_steps"], 0)
        self.assertGreaterEqual(summary["fallbacks"], summary["too_many_events_steps"])
        self.assertIn("velocity steps: more than 1 events", summary["fallback"])
        self.assertAlmostEqual(summary["final"]["time"], 2, delta=1e-14)

    def test_impact_laws(self):
        """A ball hits one that touches a third: the last one leaves alone, or both together."""
        balls = "".join(
            f'<body pos="{x} 0 0"><joint type="slide" axis="1 0 0"/><geom size="0.1" mass="1" restitution="1"/></body>'
            for x in (0, 0.5, 0.7)
        )
        path = self.file(
            "row.xml", f'<mujoco><option gravity="0 0 0"/><worldbody>{balls}</worldbody></mujoco>'
        )
        state = self.file("s.json", {"qpos": [0, 0, 0], "qvel": [1, 0, 0]})
        words = ["run", path, "--state", state, "--dt", "0.1", "--duration", "0.5", "--stepping", "event"]
        # At once: the first pair has to part at 1 m/s, the second must not approach; 2/3 of the impulse goes on.
        together = [-1 / 3, 2 / 3, 2 / 3]
        for law, wanted in (("automatic", [0, 0, 1]), ("sequential", [0, 0, 1]), ("simultaneous", together)):
            with self.subTest(law):
                self.assert_near(self.run_json(*words, "--impact", law)["final"]["qvel"], wanted, 1e-6)

    def test_failure_leaves_files(self):
        """A control that drives the joint out of the numbers: exit code 3, what was good is in the files."""
        path = self.file("p.xml", pendulum(after="<actuator><motor joint='pivot'/></actuator>"))
        state = self.file("s.json", {"qpos": [0], "qvel": [1e200], "ctrl": [1e300]})
        out = os.path.join(self.folder, "t.csv")
        result = self.run_app("run", path, "--state", state, "--out", out, "--json")
        self.assertEqual(result.code, 3)
        self.assertIn("ligament run: at ", result.err)
        document = result.json()
        self.assertNotEqual(document["status"], "ok")
        rows = self.rows(out)
        self.assertEqual(float(rows[-1][0]), document["final"]["time"])

    def test_usage(self):
        path = self.file("p.xml", pendulum())
        for words, *expected in (
            (["--dt", "0"], "--dt is a time in seconds, not '0'"),
            (["--duration", "-1"], "--duration is a time in seconds, not '-1'"),
            (["--duration", "long"], "not 'long'"),
            (["--integrator", "rk5"], "auto, velocity, euler, rk4, rk45, rattle, backward-euler, bdf2, not 'rk5'", "did you mean"),
            (["--stepping", "smoth"], "automatic, velocity, event, smooth, crowd, not 'smoth'", "did you mean 'smooth'?"),
            (["--integrator", "rk4", "--stepping", "event"], "--integrator rk4 and --stepping event exclude each other"),
            (["--stepping", "event", "--impact", "at_once"], "automatic, simultaneous, sequential, not 'at_once'"),
            (["--stepping", "smooth", "--impact", "sequential"], "impact sequential (--impact) and stepping smooth exclude each other"),
            (["--integrator", "velocity", "--max-events", "3"], "event.max_events (--max-events) goes with stepping event, not with velocity"),
            (["--stepping", "event", "--max-events", "0"], "--max-events is a whole number from 1 on, not '0'"),
            (["--integrator", "velocity", "--stepping", "smooth"], "exclude each other"),
            (["--solver", "sweep"], "automatic, sweeps, split-step, soft-step, classic, dantzig, pgs, block_pgs, nncg, lemke, not 'sweep'", "did you mean 'sweeps'?"),
            (["--friction", "pyramid"], "cone, six_rows, tangent, per_axis, not 'pyramid'"),
            (["--friction", "tangent", "--solver", "pgs"], "exclude each other"),
            (["--friction", "cone", "--solver", "lemke"], "exclude each other"),
            (["--loops", "antcipation"], "direct, anticipation, not 'antcipation'", "did you mean 'anticipation'?"),
            (["--law", "kinematics"], "dynamic, kinematic, not 'kinematics'", "did you mean 'kinematic'?"),
            (["--coordinates", "maximum"], "automatic, maximal, joint, not 'maximum'", "did you mean 'maximal'?"),
            (["--baumgarte", "-1"], "--baumgarte is a number, 1/s, not '-1'; it must not be less than 0"),
            (["--integrator", "rattle", "--stepping", "event"], "exclude each other"),
            (["--seed", "-1"], "--seed is a whole number from 0 on, not '-1'"),
            (["--iterations", "-1"], "--iterations is a whole number from 0 on, not '-1'"),
            (["--threads", "two"], "--threads is a whole number from 0 on, not 'two'"),
            (["--set", "pivot"], "--set is JOINT=VALUE, not 'pivot'"),
            (["--set", "pivto=1"], "no coordinate 'pivto'", "did you mean 'pivot'?"),
            (["--out", "x.xyz"], "writes .csv, .npz, .svg"),
            (["--integrator", "rk4", "--every", "0.015"], "is not a multiple of the step"),
            (["--duration", "1e18"], "have no end"),
            (["--out", os.path.join(self.folder, "p.csv"), "--out", os.path.join(self.folder, ".", "p.csv")], "p.csv' is given twice"),
        ):
            with self.subTest(words):
                self.assert_fails(1, ["run", path, *words], *expected)
        for words, lacks in (
            (["--solver", "classic"], "'reduced' does not have the solver 'classic'"),
            (["--formulation", "impulse", "--solver", "pgs"], "'impulse' does not have the solver 'pgs'"),
            (["--formulation", "impulse", "--integrator", "rk4"], "does not have the integrator rk4"),
        ):
            self.assert_fails(5, ["run", path, *words], lacks)
        self.assert_fails(5, ["run", path, "--substeps", "4"], "'reduced' does not have the option impulse.substeps (--substeps); it is of 'impulse'")
        self.assert_fails(4, ["run", path, "--out", os.path.join(self.folder, "no", "x.csv")], "cannot be written")

    def test_what_a_formulation_does_not_have(self):
        path = self.file("p.xml", pendulum())
        for words, expected in (
            (["--coordinates", "maximal"], "the coordinates maximal (--coordinates); it has automatic, joint"),
            (["--loops", "anticipation"], "the option multiplier.equalities (--loops); it is of 'multiplier'"),
            (["--law", "kinematic"], "the option multiplier.law (--law); it is of 'multiplier'"),
            (["--integrator", "rattle"], "the integrator rattle (--integrator); it has automatic, euler, rk4, rk45"),
            (["--baumgarte", "10"], "the option multiplier.baumgarte (--baumgarte); it is of 'multiplier'"),
            (["--newton", "1"], "the option implicit.newton (--newton); it is of 'implicit'"),
        ):
            with self.subTest(words):
                self.assert_fails(5, ["run", path, *words], f"the formulation 'reduced' does not have {expected}")
        words = ["--coordinates", "joint", "--loops", "direct", "--law", "dynamic", "--baumgarte", "0"]
        plain = self.run_json("run", path, "--set", "pivot=1", "--duration", "0.5")
        result = self.run_json("run", path, "--set", "pivot=1", "--duration", "0.5", *words)
        self.assertEqual(result["final"], plain["final"])
        self.assertEqual((result["coordinates"], plain["coordinates"]), ("joint", "automatic"))
        self.assertEqual((result["equalities"], result["law"], result["baumgarte"]), ("direct", "dynamic", 0))
        self.assertEqual((result["max_joint_error"], result["newton_iterations"]), (0, 0))
        # Nothing is touched.
        self.assertEqual((result["velocity_substeps"], result["smooth_substeps"]), (0, result["substeps"]))
        fixed = self.run_json("run", path, "--set", "pivot=1", "--duration", "0.5", "--integrator", "velocity")
        self.assertEqual((fixed["velocity_substeps"], fixed["smooth_substeps"]), (fixed["substeps"], 0))

    def test_interrupted(self):
        path = self.file("p.xml", pendulum())
        out = os.path.join(self.folder, "t.csv")
        process = subprocess.Popen(
            [support.LIGAMENT, "run", path, "--set", "pivot=1", "--duration", "1e6", "--out", out],
            stdout=subprocess.DEVNULL,
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
