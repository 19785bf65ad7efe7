"""ligament compare: errors with known answers, orders of convergence, what could not be run, files."""

import csv
import json
import math
import os
import signal
import subprocess
import time
import xml.etree.ElementTree

import numpy as np

from support import LIGAMENT, SOURCE_DIR, AppTest, main

GRAVITY = 9.81

BALL = """<mujoco><option timestep="0.01"/><worldbody><body name="ball" pos="1 2 30"><freejoint name="root"/>
<geom type="sphere" size="0.1" mass="2"/></body></worldbody></mujoco>"""

# A tendon with a mass of its own, which multiplier and implicit do not have.
TENDON = """<mujoco><worldbody><body name="a"><joint name="h" axis="0 1 0"/><geom size="0.1" pos="0.5 0 0"/></body>
</worldbody><tendon><fixed name="t" armature="0.5"><joint joint="h" coef="1"/></fixed></tendon></mujoco>"""

# Two bodies on a ball joint, spinning about each other where nothing pulls on them.
FLOATING = """<mujoco><option gravity="0 0 0" timestep="0.005"/><worldbody><body name="a"><freejoint name="root"/>
<geom type="box" size="0.3 0.1 0.05" mass="1"/><body name="b" pos="0.4 0 0"><joint name="neck" type="ball"/>
<geom type="box" size="0.2 0.05 0.1" pos="0.2 0 0" mass="0.5" contype="0" conaffinity="0"/></body></body></worldbody>
<keyframe><key name="spin" qvel="0.1 0.2 0.3 1 2 -1 0.5 -3 2"/></keyframe></mujoco>"""

# A hinge with a spring that explicit steps of this length cannot hold.
STIFF = """<mujoco><option timestep="0.01" gravity="0 0 0"/><worldbody><body name="arm"><joint name="hinge" axis="0 1 0"
stiffness="1e6" springref="0"/><geom type="box" size="0.2 0.02 0.02" mass="1"/></body></worldbody><keyframe>
<key name="bent" qpos="0.5"/></keyframe></mujoco>"""


class Compare(AppTest):
    def compare(self, *arguments, code=0):
        result = self.run_app("compare", *arguments, "--json")
        self.assertEqual(result.code, code, result.err)
        return result.json()

    def path(self, name):
        return os.path.join(self.folder, name)

    def succeed(self, *words):
        result = self.run_app(*words)
        self.assertEqual(result.code, 0, result.err)

    def pendulum(self):
        path = self.path("pendulum.xml")
        self.succeed("generate", "pendulum", path, "--count", "2")
        return path

    def test_orders_of_the_double_pendulum(self):
        orders = {"reduced:euler": 1, "reduced:velocity": 2, "multiplier:euler": 1, "implicit:backward-euler": 1,
                  "impulse": 1, "multiplier:rattle": 2, "implicit:bdf2": 2, "reduced:rk4": 4, "multiplier:rk4": 4}
        document = self.compare(self.pendulum(), "--formulations", ",".join(orders), "--dt", "1/200,1/400,1/800",
                                "--duration", "1", "--disable", "contact")
        found = {order["name"]: order["order"] for order in document["orders"]}
        self.assertEqual(found.keys(), orders.keys())
        for name, order in orders.items():
            # Asymptotic up to the next order of the step: backward Euler is at 0.97, all others nearer.
            self.assertAlmostEqual(found[name], order, delta=0.05, msg=name)

    def test_steps_by_error_have_no_order(self):
        document = self.compare(self.pendulum(), "--formulations", "reduced:rk45", "--dt", "0.1,0.05", "--duration",
                                "1", "--disable", "contact")
        self.assertIsNone(document["orders"][0]["order"])

    def test_another_motion_has_no_order(self):
        """After ten seconds of chaos, backward Euler with long steps swings quite differently."""
        document = self.compare(self.pendulum(), "--formulations", "implicit", "--dt", "1/50,1/100", "--duration", "10",
                                "--disable", "contact")
        self.assertGreater(document["runs"][0]["error_rms"], 0.3)
        self.assertIsNone(document["orders"][0]["order"])

    def test_the_error_of_a_fall_by_symplectic_euler(self):
        """Velocities first: after n steps a body has fallen by g h² n(n + 1)/2, g h t/2 further than it should."""
        scene = self.file("ball.xml", BALL)
        table = self.path("fall.csv")
        with open(table, "w") as file:
            file.write("time,ball.x,ball.y,ball.z\n")
            for k in range(11):
                file.write(f"{k / 10},1,2,{30 - GRAVITY * (k / 10) ** 2 / 2!r}\n")
        document = self.compare(scene, "--formulations", "reduced:euler", "--duration", "1", "--reference", table)
        run = document["runs"][0]
        self.assertIn("positions of 1 body", document["reference"])
        self.assertAlmostEqual(run["error_end"], GRAVITY * 0.01 * 1 / 2, delta=1e-12)
        self.assertAlmostEqual(run["error_max"], GRAVITY * 0.01 * 1 / 2, delta=1e-12)
        times = np.arange(101) / 100
        rms = math.sqrt(np.mean((GRAVITY * 0.01 * times / 2) ** 2))
        # Between its rows the table is a cubic, which a parabola is.
        self.assertAlmostEqual(run["error_rms"], rms, delta=1e-12)

    def test_a_table_of_coordinates_from_another_run(self):
        scene = self.pendulum()
        table = self.path("motion.csv")
        self.succeed("run", scene, "--duration", "1", "--out", table, "--disable", "contact",
                     "--every", "0.01", "--dt", "0.01")
        document = self.compare(scene, "--formulations", "reduced", "--dt", "0.01", "--duration", "1",
                                "--reference", table, "--disable", "contact")
        self.assertLess(document["runs"][0]["error_max"], 1e-14)
        # Some of the coordinates are measured as such: 0.1 rad away from where the motion is, they are 0.1 off.
        with open(table) as file:
            rows = list(csv.DictReader(file))
        name = [key for key in rows[0] if key not in ("time", "energy") and not key.endswith(".v")][0]
        shifted = self.path("shifted.csv")
        with open(shifted, "w") as file:
            file.write(f"time,{name}\n")
            for row in rows:
                file.write(f"{row['time']},{float(row[name]) + 0.1!r}\n")
        document = self.compare(scene, "--formulations", "reduced", "--dt", "0.01", "--duration", "1",
                                "--reference", shifted, "--disable", "contact")
        self.assertIn("1 of 2 coordinates", document["reference"])
        self.assertAlmostEqual(document["runs"][0]["error_rms"], 0.1, delta=1e-9)

    def test_a_recording(self):
        scene = self.pendulum()
        recording = self.path("motion.lrec")
        self.succeed("run", scene, "--duration", "1", "--dt", "0.01", "--out", recording, "--disable", "contact")
        words = [scene, "--formulations", "reduced", "--dt", "0.01", "--duration", "1", "--reference", recording]
        document = self.compare(*words, "--disable", "contact")
        self.assertEqual(document["runs"][0]["error_max"], 0)
        ball = self.file("ball.xml", BALL)
        self.assert_fails(2, ["compare", ball, "--reference", recording], "motion.lrec: error: the recording is of another")
        document = self.compare(scene, "--formulations", "reduced", "--dt", "0.37", "--duration", "0.74", "--reference",
                                recording, "--disable", "contact", "--every", "0.185")
        self.assertIsNotNone(document["runs"][0]["error_max"])

    def test_errors_are_distances_of_matter(self):
        """The same from poses and inertias in Python, by integrating over the points of boxes."""
        scene = self.file("floating.xml", FLOATING)
        arguments = ["--key", "spin", "--duration", "1", "--every", "0.1"]
        document = self.compare(scene, *arguments, "--formulations", "reduced:euler,reduced:rk4", "--dt", "0.005",
                                "--reference", "reduced:rk4@0.005")
        self.assertEqual([run["is_reference"] for run in document["runs"]], [False, True])
        poses = {}
        for integrator in ("euler", "rk4"):
            path = self.path(integrator + ".npz")
            self.succeed("run", scene, *arguments, "--integrator", integrator, "--out",
                     path)
            poses[integrator] = np.load(path)

        def matrix(q):
            w, x, y, z = q
            return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                             [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                             [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])

        # Gauss points are exact for squares of distances.
        gauss = 1 / math.sqrt(3)
        boxes = [(1, 1.0, (0.3, 0.1, 0.05), (0, 0, 0)), (2, 0.5, (0.2, 0.05, 0.1), (0.2, 0, 0))]
        squares = []
        for k in range(11):
            total = 0
            for body, mass, half, center in boxes:
                for signs in np.ndindex(2, 2, 2):
                    point = np.array(center) + gauss * np.array(half) * (2 * np.array(signs) - 1)
                    there = [p["xpos"][k, body] + matrix(p["xquat"][k, body]) @ point for p in poses.values()]
                    total += mass / 8 * np.sum((there[0] - there[1]) ** 2)
            squares.append(total / 1.5)
        run = document["runs"][0]
        self.assertGreater(run["error_rms"], 1e-4)
        self.assertAlmostEqual(run["error_rms"] / math.sqrt(np.mean(squares)), 1, delta=1e-9)
        self.assertAlmostEqual(run["error_end"] / math.sqrt(squares[-1]), 1, delta=1e-9)

    def test_momentum_is_told_where_nothing_acts_from_outside(self):
        document = self.compare(self.file("floating.xml", FLOATING), "--key", "spin", "--duration", "2",
                                "--formulations", "reduced,multiplier")
        for run in document["runs"]:
            self.assertLess(run["momentum_drift"], 1e-12, run["name"])
            self.assertLess(run["angular_momentum_drift"], 1e-9, run["name"])
        # Explicit steps do not keep it, and that is seen; what hangs on the world has none to keep.
        document = self.compare(self.file("floating.xml", FLOATING), "--key", "spin", "--duration", "2",
                                "--formulations", "multiplier:euler", "--reference", "none")
        self.assertGreater(document["runs"][0]["angular_momentum_drift"], 1e-6)
        self.assertIsNone(document["runs"][0]["error_rms"])
        document = self.compare(self.pendulum(), "--duration", "0.1", "--disable", "contact")
        self.assertIsNone(document["runs"][0]["momentum_drift"])

    def test_what_cannot_be_run_is_listed_with_its_reason(self):
        scene = self.file("tendon.xml", TENDON)
        document = self.compare(scene, "--duration", "0.1", "--disable", "contact")
        self.assertEqual([run["formulation"] for run in document["runs"] if not run["is_reference"]],
                         ["reduced", "impulse"])
        self.assertEqual([one["name"] for one in document["not_run"]], ["multiplier", "implicit"])
        for one in document["not_run"]:
            self.assertIn("'t'", one["reason"])
            self.assertNotIn("ligament", one["reason"])
        text = self.run_app("compare", scene, "--duration", "0.1", "--disable", "contact").out
        self.assertIn("not run: implicit: ", text)
        # An integrator that a formulation does not have is a reason, too.
        document = self.compare(scene, "--duration", "0.1", "--formulations", "reduced,reduced:bdf2")
        self.assertIn("bdf2", document["not_run"][0]["reason"])
        document = self.compare(scene, "--duration", "0.1", "--formulations", "reduced:bdf2", "--reference", "none",
                                code=5)
        self.assertEqual(document["runs"], [])

    def test_a_run_that_fails_has_its_line(self):
        document = self.compare(self.file("stiff.xml", STIFF), "--key", "bent", "--duration", "1", "--formulations",
                                "reduced:rk4,implicit", code=3)
        failed, held = document["runs"][:2]
        self.assertNotEqual(failed["status"], "ok")
        self.assertIn("'arm'", failed["message"])
        self.assertEqual(held["status"], "ok")
        self.assertIsNotNone(held["error_rms"])

    def test_files(self):
        paths = [self.path("comparison" + ending) for ending in (".json", ".csv", ".svg")]
        outs = [word for path in paths for word in ("--out", path)]
        document = self.compare(self.pendulum(), "--dt", "0.01,0.005", "--duration", "0.5", "--disable", "contact",
                                *outs)
        with open(paths[0]) as file:
            self.assertEqual(json.load(file), document)
        with open(paths[1], newline="") as file:
            rows = {row["name"]: row for row in csv.DictReader(file)}
        self.assertEqual(len(rows), 9)
        for run in document["runs"]:
            self.assertEqual(float(rows[run["name"]]["dt"]), run["dt"])
            for key in ("error_rms", "energy_max_drift", "time_per_second", "order"):
                text = rows[run["name"]][key]
                self.assertEqual(float(text) if text else None, run[key], key)
        xml.etree.ElementTree.parse(paths[2])

    def test_the_same_numbers_for_any_number_of_threads(self):
        scene = os.path.join(SOURCE_DIR, "scenes", "character.xml")
        documents = [self.compare(scene, "--key", "tumble", "--duration", "1", "--threads", count)
                     for count in ("1", "2")]
        for one, other in zip(documents[0]["runs"], documents[1]["runs"]):
            for key in ("error_rms", "energy_end", "max_penetration", "max_joint_error", "substeps"):
                self.assertEqual(one[key], other[key], key)

    def test_wrong_usage(self):
        scene = self.pendulum()
        self.assert_fails(1, ["compare", scene, "--formulations", "reduzed"], "did you mean 'reduced'?")
        self.assert_fails(1, ["compare", scene, "--formulations", "reduced:rk5"], "--integrator is one of")
        self.assert_fails(1, ["compare", scene, "--dt", "0.01,x"], "--dt is a time in seconds, not 'x'")
        self.assert_fails(1, ["compare", scene, "--dt", "0.01,0.01"], "reduced@0.01 is given twice")
        self.assert_fails(1, ["compare", scene, "--dt", "0.01,0.00314159"], "do not meet at common times")
        self.assert_fails(1, ["compare", scene, "--reference", "reduzed@0.01"], "did you mean 'reduced'?")
        self.assert_fails(4, ["compare", scene, "--reference", "nowhere.csv"], "nowhere.csv")
        self.assert_fails(1, ["compare", scene, "--out", "x.pdf"], "the ending tells the format")
        self.assert_fails(1, ["compare", scene, "--out", scene + ".csv", "--out", scene + ".csv"], "given twice")
        self.assert_fails(4, ["compare", scene, "--out", self.path("no/folder/x.csv")], "cannot be written")
        self.assert_fails(1, ["compare", scene, "--repeat", "0"], "--repeat is a whole number")
        wrong = self.file("wrong.csv", "time,nobody.x,nobody.y,nobody.z\n0,1,2,3\n")
        self.assert_fails(2, ["compare", scene, "--reference", wrong], "wrong.csv:1:6: error[E181]")

    def test_an_interruption_leaves_what_was_done(self):
        path = self.path("interrupted.json")
        scene = os.path.join(SOURCE_DIR, "scenes", "character.xml")
        process = subprocess.Popen([LIGAMENT, "compare", scene, "--key", "tumble", "--duration", "1000",
                                    "--every", "1/60", "--reference", "none", "--formulations", "reduced,impulse",
                                    "--out", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, err)
        self.assertIn("interrupted", err)
        self.assertIn("reduced", out)
        with open(path) as file:
            self.assertEqual(json.load(file)["runs"][0]["status"], "interrupted")


if __name__ == "__main__":
    main()
