"""Runs that fail say what it was and what to try; what they say is tried."""

import json
import math
import os
import re
import shlex

from support import AppTest, main

# Springs of kilohertz at steps of a hundredth of a second.
STIFF = """<mujoco><option timestep="0.01"/><worldbody>
<body name="arm" pos="0 0 1"><joint name="elbow" axis="0 1 0" stiffness="1e6" springref="30"/>
  <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.03"/>
  <body name="hand" pos="0.5 0 0"><joint name="wrist" axis="0 1 0" stiffness="1e6" damping="20"/>
    <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02"/></body></body>
</worldbody></mujoco>"""

# Grams that carry tons.
HEAVY = """<mujoco><option timestep="0.02"/><worldbody>
<body name="a" pos="0 0 3"><joint name="j1" type="ball"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="0.001"/>
<body name="b" pos="0.3 0 0"><joint name="j2" type="ball"/><geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.02" mass="0.001"/>
<body name="load" pos="0.3 0 0"><joint name="j3" type="ball"/><geom type="sphere" size="0.2" mass="10000"/></body></body></body>
</worldbody></mujoco>"""

# A damper with the wrong sign.
DRIVEN = """<mujoco><option timestep="0.01"/><worldbody>
<body name="arm" pos="0 0 1"><joint name="shoulder" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.03"/></body>
</worldbody><actuator><general name="motor" joint="shoulder" gainprm="1e9" biastype="affine" biasprm="0 1e9 1e9"/></actuator></mujoco>"""

# Closed nowhere near the reference configuration, but somewhere.
OPEN = """<mujoco><option gravity="0 0 0"/><worldbody>
<body name="crank"><joint name="foot" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 1" size="0.05" contype="0" conaffinity="0"/>
  <body name="coupler" pos="0 0 1"><joint name="knee" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 2 0 0" size="0.05" contype="0" conaffinity="0"/></body></body>
<body name="rocker" pos="1.5 0 0"><joint name="hip" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 1.5" size="0.05" contype="0" conaffinity="0"/></body>
</worldbody><equality><loop name="pin" type="ball" body1="coupler" body2="rocker" pos1="2 0 0" pos2="0 0 1.5"/></equality></mujoco>"""

BOUNCING = """<mujoco><worldbody><geom name="floor" type="plane" size="5 5 1" restitution="0.9"/>
<body name="first" pos="0 0 0.3"><freejoint/><geom name="first" size="0.1" restitution="0.9"/></body>
<body name="second" pos="1 0 0.3"><freejoint/><geom name="second" size="0.1" restitution="0.9"/></body>
</worldbody></mujoco>"""

# Crates of a metre that are half a metre above each other, beside what fails.
OVERLAPPING = HEAVY.replace("</worldbody>", """
<body name="crate" pos="5 0 0"><freejoint/><geom name="crate" type="box" size="0.5 0.5 0.5"/></body>
<body name="lid" pos="5 0 0.5"><freejoint/><geom name="lid" type="box" size="0.5 0.5 0.5"/></body></worldbody>""")

# Otherwise many a step that would lead nowhere is held, or ends as energy_gained.
UNGUARDED = ("--energy-guard", "off")


class FailureHintsTest(AppTest):
    def fails(self, model, *words):
        """The message of a run that fails, with the names of what it has to hold checked by the caller."""
        self.model = self.file("model.xml", model)
        given = {"--duration": "1", **dict(zip(words[::2], words[1::2]))}
        self.words = [word for pair in given.items() for word in pair]
        result = self.run_app("run", self.model, *self.words, folder=self.folder)
        self.assertEqual(result.code, 3, result.err)
        self.assertIn("simulated", result.out)
        self.assertIn("docs/troubleshooting.md", result.err)
        self.hints = re.findall(r"(?m)^  try (.*)$", result.err)
        self.assertTrue(self.hints, result.err)
        self.assertLessEqual(len(self.hints), 3)
        return result.err

    def assert_helps(self, start):
        """The hint that begins so is there, and the run succeeds once it is followed."""
        fitting = [hint for hint in self.hints if hint.startswith(start)]
        self.assertTrue(fitting, self.hints)
        given = dict(zip(self.words[::2], self.words[1::2]))
        options = shlex.split(fitting[0].split(":")[0].split(",")[0].split(" instead of ")[0].split(" or ")[0])
        given.update(zip(options[::2], options[1::2]))
        words = [word for pair in given.items() for word in pair]
        result = self.run_app("run", self.model, *words, folder=self.folder)
        self.assertEqual(result.code, 0, f"{words}: {result.err}")

    def test_stiff_springs_and_explicit_steps(self):
        for integrator in ("rk4", "euler"):
            message = self.fails(STIFF, "--integrator", integrator, *UNGUARDED)
            self.assertRegex(message, r"at 0\.\d+ s: non_finite: .*('arm'|'elbow')")
            self.assertRegex(message, r"fastest then: joint '(wrist|elbow)' of body '(hand|arm)'")
            self.assertRegex(message, r"joint 'wrist' swings at [\d.e+]+ Hz on its spring, too fast for steps of 0.01 s")
            self.assert_helps("--integrator auto")
            self.assert_helps("--formulation implicit")
            self.assert_helps("--dt ")

    def test_stiff_springs_under_the_guard(self):
        """They fail before a step is taken that makes more than half of the energy that there was."""
        for integrator in ("rk4", "euler"):
            with self.subTest(integrator):
                message = self.fails(STIFF, "--integrator", integrator)
                self.assertRegex(message, r"at [\d.]+ s: (energy_gained|non_finite): ")
                self.assertIn("joint 'wrist' swings at", message)
                for hint in ("--integrator auto", "--formulation implicit", "--dt "):
                    self.assert_helps(hint)
                kept = self.run_app("run", self.model, *self.words, "--json").json()
                self.assertIsNotNone(kept["energy_max_rise"], "it is not finite")
                self.assertLess(kept["energy_max_rise"], 0.5 * kept["energy_start"])

    def test_dampers(self):
        """100 N·m·s/rad on a point of 1 kg at 0.1 m, 0.01 kg·m²: gone in 0.1 ms."""
        model = """<mujoco><option timestep="0.1" gravity="0 0 0"/><worldbody><body name="arm">
            <inertial pos="0.1 0 0" mass="1" diaginertia="1e-9 1e-9 1e-9"/>
            <joint name="hinge" axis="0 1 0" damping="100"/></body></worldbody>
            <keyframe><key name="moving" qvel="1"/></keyframe></mujoco>"""
        self.assertIn("joint 'hinge' is slowed down in 0.0001 s by its damper", self.fails(model, "--integrator", "rk4", "--key", "moving", "--duration", "10", *UNGUARDED))
        self.assert_helps("--formulation implicit")

    def test_the_frequency_is_that_of_the_spring(self):
        """k = 100 N·m/rad on a point of 1 kg at 0.1 m: 100 rad/s."""
        model = """<mujoco><option timestep="0.1" gravity="0 0 0"/><worldbody><body name="arm">
            <inertial pos="0.1 0 0" mass="1" diaginertia="1e-9 1e-9 1e-9"/>
            <joint name="hinge" axis="0 1 0" stiffness="100" springref="10"/></body></worldbody></mujoco>"""
        self.assertIn("joint 'hinge' swings at 15.9 Hz", self.fails(model, "--integrator", "rk4", "--duration", "40", *UNGUARDED))

    def test_mass_ratios(self):
        message = self.fails(HEAVY, "--formulation", "multiplier", "--integrator", "rk4")
        self.assertIn("'b'", message)
        self.assertIn("body 'b' carries 'load', 1e+07 times as heavy", message)
        self.assert_helps("--formulation reduced")
        self.assert_helps("--formulation implicit")
        self.assertIn("fastest then: joint 'j", self.fails(HEAVY, "--formulation", "implicit", "--integrator", "velocity", *UNGUARDED))
        self.assert_helps("--integrator auto")

    def test_actuators_of_the_wrong_sign(self):
        for formulation in ("reduced", "multiplier", "implicit", "impulse"):
            with self.subTest(formulation):
                message = self.fails(DRIVEN, "--formulation", formulation)
                self.assertRegex(message, "'(arm|shoulder)'")
                self.assertIn("actuator 'motor'", self.hints[0])
                self.assertIn("--disable actuation", self.hints[0])
                result = self.run_app("run", self.model, *self.words, "--disable", "actuation")
                self.assertEqual(result.code, 0)

    def test_open_loops(self):
        """A state that is given by numbers is not put elsewhere."""
        given = self.file("zeros.json", '{"qpos": [0, 0, 0], "qvel": [0, 0, 0]}')
        for formulation in ("reduced", "implicit"):
            with self.subTest(formulation):
                message = self.fails(OPEN, "--formulation", formulation, "--state", given)
                self.assertIn("at 0 s: equality_open: loop 'pin'", message)
                self.assertEqual(len(self.hints), 1)
                commands = re.findall(r"'ligament (.*?)'", self.hints[0])
                self.assertEqual(len(commands), 2)
                for command in commands:
                    words = shlex.split(command)
                    extra = ["--duration", "1", "--formulation", formulation] if words[0] == "run" else []
                    result = self.run_app(*words, *extra, folder=self.folder)
                    self.assertEqual(result.code, 0, f"{command}: {result.err}")

    def test_keyframes_that_are_open_are_closed(self):
        model = self.file("open.xml", OPEN.replace("</mujoco>", '<keyframe><key name="open"/></keyframe></mujoco>'))
        for formulation in ("reduced", "multiplier", "implicit"):
            with self.subTest(formulation):
                words = ["--key", "open", "--formulation", formulation, "--duration", "0.1", "--json"]
                result = self.run_app("run", model, *words)
                self.assertEqual(result.code, 0, result.err)
                self.assertIn("open.xml: warning: keyframe 'open': loop 'pin'", result.err)
                self.assertLess(json.loads(result.out)["max_equality_error"], 1e-9)

    def test_reference_configurations_that_are_open_are_closed(self):
        """Rods of 1, 2 and 1.5 m over a base of 1.5 m: the closed pose by the positions of the pin."""
        model = self.file("open.xml", OPEN)
        for formulation in ("reduced", "multiplier", "implicit"):
            with self.subTest(formulation):
                result = self.run_app("run", model, "--formulation", formulation, "--duration", "0.1", "--json")
                self.assertEqual(result.code, 0, result.err)
                self.assertIn("open.xml: warning: reference configuration: loop 'pin'", result.err)
                self.assertIn("the run starts from the nearest pose that is closed", result.err)
                document = json.loads(result.out)
                foot, knee, hip = document["final"]["qpos"]
                # A rotation about y leads x to (cos, −sin) and z to (sin, cos) of (x, z).
                pin = (math.sin(foot) + 2 * math.cos(foot + knee), math.cos(foot) - 2 * math.sin(foot + knee))
                end = (1.5 + 1.5 * math.sin(hip), 1.5 * math.cos(hip))
                self.assertLess(math.dist(pin, end), 1e-9)
                self.assertEqual(self.run_app("run", model, "--formulation", formulation, "--strict").code, 2)

    def test_loops_that_cannot_be_closed(self):
        far = OPEN.replace('pos="1.5 0 0"', 'pos="9 0 0"')
        for formulation in ("reduced", "multiplier", "implicit"):
            with self.subTest(formulation):
                message = self.fails(far, "--formulation", formulation)
                self.assertIn("equality_open: loop 'pin'", message)
                self.assertIn("ligament assemble", self.hints[0])
                words = shlex.split(re.search(r"'ligament (assemble .*?)'", self.hints[0])[1])
                self.assert_fails(3, words, "leaves open:", "loop 'pin'")

    def test_impulses_that_are_not_exact(self):
        pyramid = self.run_app("generate", "pyramid", "-", "--count", "12").out
        self.assertIn(" steps taken with the best impulses found", self.fails(pyramid, "--iterations", "1"))
        self.assertTrue(self.hints[0].startswith("--iterations 10 or more, or leave it out"))
        self.assertEqual(self.run_app("run", self.model, "--duration", "1").code, 0)

    def test_more_rows_than_a_solver_takes(self):
        pyramid = self.run_app("generate", "pyramid", "-", "--count", "9").out
        self.assertIn("overflow: ", self.fails(pyramid, "--solver", "dantzig"))
        self.assert_helps("--solver automatic")

    def test_more_events_than_allowed(self):
        self.assertIn("too_many_events", self.fails(BOUNCING, "--stepping", "event", "--max-events", "1", "--dt", "0.5"))
        self.assert_helps("--max-events 10")

    def test_overlap_at_the_start(self):
        self.fails(OVERLAPPING, "--formulation", "multiplier", "--integrator", "rk4")
        overlaps = [hint for hint in self.hints if hint.startswith("another start")]
        self.assertIn("geoms 'crate' and 'lid' are 0.5 m in each other", overlaps[0])
        words = shlex.split(re.search(r"'ligament (contacts .*?)'", overlaps[0])[1])
        self.assertRegex(self.run_app(*words).out, r"crate +lid +-0\.5")

    def test_joints_without_a_name(self):
        model = STIFF.replace('name="elbow" ', "").replace('name="wrist" ', "").replace('damping="20"', 'damping="2000"')
        message = self.fails(model, "--integrator", "rk4", *UNGUARDED)
        self.assertIn("the acceleration of joint 0 is not finite", message)
        self.assertIn("fastest then: joint 'joint1' of body 'hand'", message)

    def test_files_hold_what_there_is(self):
        message = self.fails(STIFF, "--integrator", "rk4", "--out", "way.csv", *UNGUARDED)
        kept = re.search(r"kept: the state at ([\d.]+) s, and in the files everything up to there", message)[1]
        with open(os.path.join(self.folder, "way.csv"), encoding="utf-8") as file:
            times = [line.split(",")[0] for line in file]
        self.assertEqual((times[1], times[-1]), ("0", kept))

    def test_energy_beyond_all_numbers_has_risen(self):
        self.fails(STIFF, "--integrator", "euler", *UNGUARDED)
        summary = self.run_app("run", self.model, *self.words, "--json").json()
        self.assertEqual((summary["energy_end"], summary["energy_max_rise"]), (None, None))
        self.assertIn("at most inf J above the lowest before", self.run_app("run", self.model, *self.words).out)


if __name__ == "__main__":
    main()
