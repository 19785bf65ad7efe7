"""forward and inverse against closed forms, and what they refuse to compute."""

import math
import os

from support import SOURCE_DIR, AppTest, main

ACROBAT = os.path.join(SOURCE_DIR, "scenes", "acrobat.xml")
ARM = os.path.join(SOURCE_DIR, "scenes", "arm.urdf")
G = 9.81

# A ball of mass m and moment I at the distance l from the axis y: (m l² + I + armature) q̈ = τ − m g l sin q.
PENDULUM = """<mujoco><compiler angle="radian"/><worldbody><body name="rod">
  <joint name="pin" axis="0 1 0" armature="{armature}" range="-2 2" frictionloss="{friction}"/>
  <inertial pos="0 0 -0.5" mass="2" diaginertia="0.03 0.03 0.03"/>
  <site name="end" pos="0 0 -0.8"/>
</body></worldbody></mujoco>"""
MASS, LENGTH, MOMENT = 2, 0.5, 0.03

SLIDER = """<mujoco><worldbody><body name="cart" gravcomp="{gravcomp}">
  <joint name="rail" type="slide" axis="{axis}" stiffness="30" springref="0.2" damping="4"/>
  <geom size="0.1" mass="5"/>
</body></worldbody></mujoco>"""

FREE = """<mujoco><worldbody><body name="brick" pos="0 0 1"><freejoint name="root"/>
  <inertial pos="0.1 0 0" mass="4" diaginertia="0.1 0.2 0.3"/>
</body></worldbody></mujoco>"""


def turn(axis, angle):
    return [math.cos(angle / 2)] + [math.sin(angle / 2) * a for a in axis]


class ForwardTest(AppTest):
    def forward(self, model, state, *words):
        path = self.file("model.xml", model)
        result = self.run_json("forward", path, "--state", self.file("state.json", state), *words)
        return result["states"][0]

    def pendulum(self, armature=0, friction=0):
        return PENDULUM.format(armature=armature, friction=friction)

    def test_pendulum(self):
        q, v, torque, armature = 0.7, 1.5, 0.4, 0.05
        state = {"qpos": [q], "qvel": [v], "qfrc_applied": [torque]}
        extras = ["--mass-matrix", "--jacobian", "end", "--jacobian", "rod"]
        out = self.forward(self.pendulum(armature), state, *extras)
        inertia = MASS * LENGTH**2 + MOMENT + armature
        self.assert_near(out["qacc"], [(torque - MASS * G * LENGTH * math.sin(q)) / inertia], 1e-12)
        self.assertAlmostEqual(out["energy"]["kinetic"], inertia * v * v / 2, delta=1e-12)
        self.assertAlmostEqual(out["energy"]["potential"], -MASS * G * LENGTH * math.cos(q), delta=1e-12)
        # About +y the rod swings towards −x.
        self.assert_near(out["com"], [-LENGTH * math.sin(q), 0, -LENGTH * math.cos(q)], 1e-14)
        self.assertEqual(out["xpos"]["world"], [0, 0, 0])
        self.assert_near(out["xquat"]["rod"], turn([0, 1, 0], q), 1e-14)
        self.assertEqual(out["multipliers"], {})
        self.assertLess(out["residual"], 1e-14)
        self.assertGreater(out["microseconds"], 0)
        self.assert_near(out["mass_matrix"][0], [inertia], 1e-14)
        end = out["jacobian"]["end"]
        self.assert_near([row[0] for row in end["linear"]], [-0.8 * math.cos(q), 0, 0.8 * math.sin(q)], 1e-14)
        self.assert_near([row[0] for row in end["angular"]], [0, 1, 0], 1e-14)
        self.assert_near([row[0] for row in out["jacobian"]["rod"]["linear"]], [0, 0, 0], 1e-14)

    def test_point_mass(self):
        model = """<robot name="p"><link name="root"/>
          <link name="bob"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
            <inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>
          <joint name="pin" type="continuous">
            <parent link="root"/><child link="bob"/><axis xyz="1 0 0"/></joint></robot>"""
        for q in (-2.5, 0, 0.3, math.pi / 2):
            out = self.forward(model, {"qpos": [q], "qvel": [3]})
            self.assert_near(out["qacc"], [-G / 0.5 * math.sin(q)], 1e-12)

    def test_springs_dampers_and_gravity(self):
        x, v, force = 0.5, -2, 3
        state = {"qpos": [x], "qvel": [v], "qfrc_applied": [force]}
        spring, damper = -30 * (x - 0.2), -4 * v
        upright, flat = SLIDER.format(axis="0 0 1", gravcomp=0), SLIDER.format(axis="1 0 0", gravcomp=0)
        for model, words, wanted in (
            (flat, [], spring + damper + force),
            (flat, ["--disable", "spring"], damper + force),
            (flat, ["--disable", "damper"], spring + force),
            (flat, ["--disable", "spring,damper"], force),
            (flat, ["--disable", "spring", "--disable", "damper"], force),
            (upright, [], spring + damper + force - 5 * G),
            (upright, ["--disable", "gravity"], spring + damper + force),
            (SLIDER.format(axis="0 0 1", gravcomp=1), [], spring + damper + force),
            (SLIDER.format(axis="0 0 1", gravcomp=0.25), [], spring + damper + force - 0.75 * 5 * G),
        ):
            with self.subTest(words=words):
                self.assert_near(self.forward(model, state, *words)["qacc"], [wanted / 5], 1e-12)
        potential = self.forward(upright, state)["energy"]["potential"]
        self.assertAlmostEqual(potential, 15 * 0.3**2 + 5 * G * x, delta=1e-12)
        without = self.forward(upright, state, "--disable", "spring,gravity")
        self.assertEqual(without["energy"]["potential"], 0)

    def test_wrench_on_a_free_body(self):
        # At rest, turned by 90° about z: body x is world y. The force acts at the centre of mass, the state
        # is of the frame's origin, which is 0.1 behind it along body x.
        state = {
            "qpos": [1, 2, 3, *turn([0, 0, 1], math.pi / 2)],
            "qvel": [0] * 6,
            "xfrc_applied": {"brick": [8, 4, 12, 0.6, 0.5, 0.9]},
        }
        out = self.forward(FREE, state)
        angular = [0.5 / 0.1, -0.6 / 0.2, 0.9 / 0.3]  # moment (0.6, 0.5, 0.9) is (0.5, −0.6, 0.9) in the body
        # a_origin = a_com + α × (−0.1, 0, 0), in the body: (0, −0.1 α_z, 0.1 α_y); the world's x is −y of it.
        linear = [8 / 4 + 0.1 * angular[2], 4 / 4, 12 / 4 - G + 0.1 * angular[1]]
        self.assert_near(out["qacc"], linear + angular, 1e-12)
        self.assert_near(out["com"], [1, 2.1, 3], 1e-14)

    def test_quaternions_of_any_length(self):
        state = {"qpos": [0, 0, 0, *turn([0.6, 0, 0.8], 1.1)], "qvel": [1, 2, 3, 0.4, 0.5, 0.6]}
        wanted = self.forward(FREE, state)
        for scale in (3, 1e-200, 1e200, -1):
            scaled = {**state, "qpos": state["qpos"][:3] + [scale * x for x in state["qpos"][3:]]}
            self.assert_near(self.forward(FREE, scaled)["qacc"], wanted["qacc"], 1e-12)

    def test_what_stands_counts(self):
        model = """<mujoco><worldbody><body pos="0 0 2"><geom size="0.1" mass="3"/>
          <body pos="0 0 1"><joint type="slide"/><geom size="0.1" mass="1"/></body>
        </body></worldbody></mujoco>"""
        out = self.forward(model, {"qpos": [0.5], "qvel": [0]})
        self.assertAlmostEqual(out["energy"]["potential"], G * (3 * 2 + 3.5), delta=1e-12)
        self.assert_near(out["com"], [0, 0, (3 * 2 + 3.5) / 4], 1e-14)

    def test_several_states_and_text(self):
        path = self.file("model.xml", self.pendulum())
        states = {"states": [{"qpos": [q], "qvel": [0]} for q in (0.1, 0.2, 0.3)]}
        result = self.run_json("forward", path, "--state", "-", stdin=str(states).replace("'", '"'))
        inertia = MASS * LENGTH**2 + MOMENT
        for out, q in zip(result["states"], (0.1, 0.2, 0.3)):
            self.assert_near(out["qacc"], [-MASS * G * LENGTH * math.sin(q) / inertia], 1e-12)
        nothing = {"states": []}
        self.assertEqual(self.run_json("forward", path, "--state", self.file("s.json", nothing)), nothing)
        text = self.run_app("forward", path, "--state", self.file("s.json", states), "--mass-matrix").out
        self.assertRegex(text, r"(?m)^state 2\n\ncoordinate +qvel +qacc\npin +0 +-5.46991\n")
        self.assertRegex(text, r"(?m)^mass matrix +pin\npin +0.53$")

    def test_keyframes_and_reference(self):
        # Lifted from the ground without any force, everything falls.
        for words in ([], ["--key", "stand"], ["--key", "handstand"]):
            out = self.run_json("forward", ACROBAT, "--disable", "contact", *words)["states"][0]
            self.assert_near(out["qacc"], [0, 0, -G] + [0] * 34, 1e-9)
        text = self.run_app("forward", ACROBAT, "--quiet").out
        for name in ("root.z", "root.wx", "waist.wz", "knee_left"):
            self.assertRegex(text, rf"(?m)^{name} ")
        hand = self.run_json("forward", ACROBAT, "--key", "handstand", "--quiet")["states"][0]["xpos"]
        self.assertLess(hand["hand_left"][2], 0.1)
        self.assertGreater(hand["foot_left"][2], 1.9)

    def test_inverse(self):
        q, v, a = 0.4, -1.2, 3.5
        path = self.file("model.xml", self.pendulum(0.05))
        state = self.file("s.json", {"qpos": [q], "qvel": [v], "qacc": [a]})
        wanted = (MASS * LENGTH**2 + MOMENT + 0.05) * a + MASS * G * LENGTH * math.sin(q)
        found = self.run_json("inverse", path, "--state", state)["states"][0]["qfrc_inverse"]
        self.assert_near(found, [wanted], 1e-12)
        self.assertRegex(self.run_app("inverse", path, "--state", state).out, r"(?m)^pin +3.5 +5.8\d+$")

        path = self.file("model.xml", SLIDER.format(axis="0 0 1", gravcomp=0))
        passive = -30 * (q - 0.2) - 4 * v
        for words, wanted in (
            ([], 5 * (a + G) - passive),
            (["--disable", "spring,damper"], 5 * (a + G)),
            (["--disable", "spring,damper,gravity"], 5 * a),
        ):
            found = self.run_json("inverse", path, "--state", state, *words)["states"][0]["qfrc_inverse"]
            self.assert_near(found, [wanted], 1e-12)
        held = self.run_json("inverse", path, "--disable", "spring")["states"][0]["qfrc_inverse"]
        self.assert_near(held, [5 * G], 1e-12)

    def test_inverse_of_forward(self):
        qvel = [0.1 * (-1) ** k * k for k in range(37)]
        state = {"qvel": qvel, "qfrc_applied": [math.sin(k) for k in range(37)]}
        state["qpos"] = [0.1, 0.2, 1, *turn([0, 0.6, 0.8], 0.9)]
        state["qpos"] += [*turn([1, 0, 0], 0.3), 0.2, *turn([0, 1, 0], -0.4)]
        state["qpos"] += [0.3, 0.2, 0.1, 0.5, 0.1, 0.1] * 2 + [*turn([0.8, 0, 0.6], 0.5), 0.7, 0.1, -0.1] * 2
        words = [ACROBAT, "--quiet", "--state"]
        state["qacc"] = self.run_json("forward", *words, self.file("s.json", state))["states"][0]["qacc"]
        back = self.run_json("inverse", *words, self.file("s.json", state))["states"][0]
        self.assert_near(back["qfrc_inverse"], state["qfrc_applied"], 1e-9)

    def test_inverse_does_not_use_wrenches(self):
        state = {"qpos": [0], "qvel": [0], "qacc": [0], "xfrc_applied": {"rod": [1, 0, 0, 0, 0, 0]}}
        state = self.file("s.json", state)
        path = self.file("model.xml", self.pendulum())
        result = self.run_app("inverse", path, "--state", state, "--json")
        self.assert_near(result.json()["states"][0]["qfrc_inverse"], [0], 1e-12)
        self.assertIn("warning: xfrc_applied is not used", result.err)
        self.assert_fails(2, ["inverse", path, "--state", state, "--strict"], "xfrc_applied")


class TouchingTest(AppTest):
    """Limits, dry friction and contacts take part: contact_dynamics_test has the closed forms."""

    def test_limits(self):
        path = self.file("model.xml", PENDULUM.format(armature=0, friction=0))
        inertia = MASS * LENGTH**2 + MOMENT
        for q in (2.0, -2.0, 2.01, -3):
            # It would fall back into the range; 30 N m push it beyond.
            falls = -MASS * G * LENGTH * math.sin(q)
            push = math.copysign(30, q)
            for force, expected in ((0, 0 if falls * q > 0 else falls), (push, 0 if (push + falls) * q > 0 else push + falls)):
                words = ["forward", path, "--state", self.file("s.json", {"qpos": [q], "qvel": [0], "qfrc_applied": [force]})]
                found = self.run_json(*words)["states"][0]
                self.assertAlmostEqual(found["qacc"][0], expected / inertia, delta=1e-9)
                self.assertEqual(found["limits"][0]["joint"], "pin")
                self.assertAlmostEqual(found["limit_force"][0], expected - force - falls, delta=1e-9)
                self.assertLess(found["residual"], 1e-12)
                for word in ("limit", "constraint"):
                    free = self.run_json(*words, "--disable", word)["states"][0]
                    self.assertAlmostEqual(free["qacc"][0], (force + falls) / inertia, delta=1e-9)
                    self.assertNotIn("limits", free)
        self.assertRegex(self.run_app(*words).out, r"(?m)^at its limit +force\npin +\d")
        # Moving beyond it is an impact.
        state = self.file("s.json", {"qpos": [2], "qvel": [0.5]})
        self.assert_fails(3, ["forward", path, "--state", state], "state 0: joint 'pin' is at its limit and moves beyond it at 0.5")

    def test_cone(self):
        body = '<body><joint name="b" type="ball" range="0 60"/><geom size="0.1"/></body>'
        path = self.file("model.xml", f"<mujoco><worldbody>{body}</worldbody></mujoco>")
        for degrees, beyond in ((59.9, False), (60.1, True), (-59.9, False), (-60.1, True), (300.1, False), (299, True)):
            # A torque that turns on, and nothing else: a ball about its middle.
            axis = [0, 0.6, 0.8]
            sign = math.copysign(1, (degrees + 180) % 360 - 180)
            state = {"qpos": turn(axis, math.radians(degrees)), "qvel": [0, 0, 0], "qfrc_applied": [sign * a for a in axis]}
            found = self.run_json("forward", path, "--state", self.file("s.json", state))["states"][0]
            self.assertEqual("limits" in found, beyond, degrees)
            moment = 0.4 * 4 / 3 * math.pi * 0.1**3 * 1000 * 0.1**2
            self.assert_near(found["qacc"], [0] * 3 if beyond else [sign * a / moment for a in axis], 1e-9)

    def test_friction(self):
        path = self.file("model.xml", PENDULUM.format(armature=0, friction=0.1))
        for force, friction in ((0.07, -0.07), (0.3, -0.1), (-0.3, 0.1)):
            state = self.file("s.json", {"qpos": [0], "qvel": [0], "qfrc_applied": [force]})
            found = self.run_json("forward", path, "--state", state)["states"][0]
            self.assertAlmostEqual(found["friction_force"][0], friction, delta=1e-12)
            self.assertAlmostEqual(found["qacc"][0], (force + friction) / (MASS * LENGTH**2 + MOMENT), delta=1e-9)
            free = self.run_json("forward", path, "--state", state, "--disable", "frictionloss")["states"][0]
            self.assertAlmostEqual(free["qacc"][0], force / (MASS * LENGTH**2 + MOMENT), delta=1e-9)
        # To hold it where it sticks takes nothing, to move it what is left.
        for q, expected in ((0.005, 0), (0.5, MASS * G * LENGTH * math.sin(0.5) - 0.1)):
            state = self.file("s.json", {"qpos": [q], "qvel": [0], "qacc": [0]})
            found = self.run_json("inverse", path, "--state", state)["states"][0]
            self.assertAlmostEqual(found["qfrc_inverse"][0], expected, delta=1e-6)

    def test_loops_and_couplings(self):
        body = '<body name="{0}"><joint name="j{0}" type="slide"/><geom size="0.1" contype="0"/></body>'
        bodies = body.format("a") + body.format("b")
        for relation in ('<connect name="pin" body1="a" body2="b" anchor="0 0 0"/>', '<joint joint1="ja" joint2="jb"/>'):
            text = f"<mujoco><worldbody>{bodies}</worldbody><equality>{relation}</equality></mujoco>"
            path = self.file("model.xml", text)
            # One of the two slides is pushed: both move, with half of the acceleration.
            state = self.file("state.json", {"qpos": [0.1, 0.1], "qvel": [0, 0], "qfrc_applied": [5, 0]})
            words = ["forward", path, "--state", state, "--disable", "gravity"]
            free = self.run_json(*words[:-1], "gravity,equality")["states"][0]
            self.assertEqual(free["qacc"][1], 0)
            self.assertEqual(free["multipliers"], {})
            held = self.run_json(*words)["states"][0]
            for k in (0, 1):
                self.assertAlmostEqual(held["qacc"][k], free["qacc"][0] / 2, delta=1e-12 * free["qacc"][0])
            self.assertLess(held["residual"], 1e-14)
            if "connect" in relation:
                self.assertEqual((held["equality_rows"], held["redundant_rows"]), (3, 2))
                # On b, in the axes of a: slides move along z.
                for got, wanted in zip(held["multipliers"]["pin"], (0, 0, 2.5)):
                    self.assertAlmostEqual(got, wanted, delta=1e-13)
            else:
                self.assertAlmostEqual(held["multipliers"]["coupling0"], -2.5, delta=1e-13)
            # The same push causes this motion, along whichever slide is the independent one.
            back = self.file("back.json", {"qpos": [0.1, 0.1], "qvel": [0, 0], "qacc": held["qacc"]})
            for chosen in ("ja", "jb"):
                words = ["inverse", path, "--state", back, "--disable", "gravity", "--independent", chosen]
                found = self.run_json(*words)["states"][0]
                self.assertEqual(found["independent"], [chosen])
                self.assert_near(found["qfrc_inverse"], [5, 0] if chosen == "ja" else [0, 5], 1e-12)
                self.assert_near([row[0] for row in found["map"]], [1, 1], 1e-13)

    def test_constraints_between_bodies(self):
        body = (
            '<body name="{0}" pos="{1} 0 0"><joint name="j{0}" type="slide" axis="1 0 0"/>'
            '<geom size="0.1" contype="0"/></body>'
        )
        text = (
            f"<mujoco><worldbody>{body.format('a', 0)}{body.format('b', 2)}</worldbody>"
            '<equality><distance name="rod" body1="a" body2="b"/></equality></mujoco>'
        )
        path = self.file("model.xml", text)
        rope = self.file("rope.xml", text.replace('name="rod"', 'name="rope" forcemax="0"'))
        # A rope of 2 m does not push: a moves towards b. It pulls, and both move.
        for force, shared in ((5, False), (-5, True)):
            state = self.file("state.json", {"qpos": [0, 0], "qvel": [0, 0], "qfrc_applied": [force, 0]})
            free = force / (1000 * 4 / 3 * math.pi * 0.1**3)
            found = self.run_json("forward", rope, "--state", state)["states"][0]
            self.assert_near(found["qacc"], [free / 2, free / 2] if shared else [free, 0], 1e-9)
            self.assert_near(found["limit_force"], [2.5, -2.5] if shared else [0, 0], 1e-9)
        state = self.file("state.json", {"qpos": [0, 0], "qvel": [0, 0], "qfrc_applied": [5, 0]})
        held = self.run_json("forward", path, "--state", state)["states"][0]
        self.assertAlmostEqual(held["qacc"][0], held["qacc"][1], delta=1e-12)
        back = self.file("back.json", {"qpos": [0, 0], "qvel": [0, 0], "qacc": held["qacc"]})
        found = self.run_json("inverse", path, "--state", back, "--independent", "ja")["states"][0]
        self.assert_near(found["qfrc_inverse"], [5, 0], 1e-12)
        self.assertAlmostEqual(found["multipliers"]["rod"][0], 2.5, delta=1e-12)
        # The rod pushes b away from a.
        self.assertAlmostEqual(held["multipliers"]["rod"][0], 2.5, delta=1e-12)
        self.assertLess(held["residual"], 1e-14)
        self.assertEqual(
            self.run_json("info", path)["constraints"],
            [{"name": "rod", "type": "distance", "body_a": "a", "body_b": "b", "rows": 1}],
        )

    def test_bushings_between_bodies(self):
        body = (
            '<body name="{0}" pos="{1} 0 0"><joint name="j{0}" type="slide" axis="1 0 0"/>'
            '<inertial pos="0 0 0" mass="{2}" diaginertia="1 1 1"/></body>'
        )
        text = (
            f"<mujoco><worldbody>{body.format('a', 0, 2)}{body.format('b', 3, 5)}</worldbody>"
            '<force><bushing name="mount" body1="a" body2="b" stiffness="40 1 1" damping="3"/></force></mujoco>'
        )
        path = self.file("model.xml", text)
        # Apart by 0.3 m more than in the reference configuration, closing at 2 m/s.
        state = {"qpos": [0.1, 0.4], "qvel": [1, -1]}
        words = ["--state", self.file("state.json", state)]
        for disabled, force in (("", 40 * 0.3 - 3 * 2), ("spring", -3 * 2), ("damper", 40 * 0.3)):
            more = ["--disable", disabled] if disabled else []
            found = self.run_json("forward", path, *words, *more)["states"][0]
            self.assert_near(found["qacc"], [force / 2, -force / 5], 1e-12)
            energy = 0 if disabled == "spring" else 0.5 * 40 * 0.3**2
            self.assertAlmostEqual(found["energy"]["potential"], energy, delta=1e-12)
            back = self.file("back.json", dict(state, qacc=found["qacc"]))
            inverse = self.run_json("inverse", path, "--state", back, *more)["states"][0]["qfrc_inverse"]
            self.assert_near(inverse, [0, 0], 1e-12)
        zero = [0, 0, 0]
        self.assertEqual(
            self.run_json("info", path)["bushings"],
            [
                {
                    "name": "mount",
                    "body_a": "a",
                    "body_b": "b",
                    "stiffness": [40, 1, 1],
                    "damping": [3, 3, 3],
                    "turn_stiffness": zero,
                    "turn_damping": zero,
                }
            ],
        )
        self.assertRegex(self.run_app("info", path).out, r"(?m)^mount +a +b +40 1 1 +3 +0 +0$")

    def test_what_a_gear_does_to_both_wheels(self):
        wheel = (
            '<body name="{0}"><inertial mass="1" pos="0 0 0" diaginertia="1 1 {1}"/><joint/>'
            '<site name="{0}"/></body>'
        )
        text = (
            f"<mujoco><worldbody>{wheel.format('a', 1)}{wheel.format('b', 0.5)}</worldbody>"
            '<equality><gear name="gear" body1="a" body2="b" ratio="-2"/></equality>'
            '<sensor><torque site="a"/><torque site="b"/></sensor></mujoco>'
        )
        state = self.file("state.json", {"qpos": [0, 0], "qvel": [0, 0], "qfrc_applied": [3, 0]})
        held = self.run_json("forward", self.file("model.xml", text), "--state", state)["states"][0]
        # (1 + 0.5 · 2²) q̈ = 3; b needs a moment of −1, and a takes 2 of its own 3.
        self.assertAlmostEqual(held["qacc"][0], 1, delta=1e-12)
        self.assertAlmostEqual(held["multipliers"]["gear"][0], -1, delta=1e-12)
        # Through the hinges go what is applied, and nothing.
        self.assertAlmostEqual(abs(held["sensors"]["torque0"][2]), 3, delta=1e-12)
        self.assertAlmostEqual(held["sensors"]["torque1"][2], 0, delta=1e-12)

    def test_inactive_loops_do_not_count(self):
        text = (
            '<mujoco><worldbody><body name="a"><joint name="j"/><geom size="1"/></body></worldbody><equality>'
            '<weld body1="a" active="{0}"/><joint joint1="j" active="{0}"/></equality></mujoco>'
        )
        path = self.file("inactive.xml", text.format("false"))
        self.assertEqual(self.run_app("forward", path, "--disable", "contact").code, 0)
        path = self.file("active.xml", text.format("true"))
        state = self.run_json("forward", path, "--disable", "contact")["states"][0]
        self.assertLess(abs(state["qacc"][0]), 1e-14)
        self.assertEqual((state["equality_rows"], state["redundant_rows"]), (7, 6))
        self.assertIn("redundant rows    6 of 7", self.run_app("forward", path, "--disable", "contact").out)

    def test_bodies_that_are_not_rigid(self):
        path = self.file(
            "kinds.xml",
            '<mujoco><worldbody><body name="bead" kind="particle"><geom size="1"/></body>'
            '<body name="flat" kind="planar" pos="3 0 0"><geom size="1"/></body></worldbody></mujoco>',
        )
        state = self.run_json("forward", path)["states"][0]
        self.assertEqual(state["qacc"], [0, 0, -9.81, 0, -9.81, 0])
        text = self.run_app("forward", path).out
        for name in ("bead.x", "bead.y", "bead.z", "flat.x", "flat.z", "flat.angle"):
            self.assertRegex(text, rf"(?m)^{name} ")

    def test_contacts(self):
        text = "<mujoco><worldbody><geom type='plane' size='1 1 1' {0}/>"
        text += "<body name='it' pos='0 0 1'><freejoint/><geom name='ball' size='0.1'/></body></worldbody>"
        text += "<sensor><accelerometer site='s'/></sensor></mujoco>"
        text = text.replace("size='0.1'/>", "size='0.1'/><site name='s'/>")
        path = self.file("model.xml", text.format("name='floor'"))
        low = {"qpos": [0, 0, 0.05, 1, 0, 0, 0], "qvel": [0] * 6}
        high = {"qpos": [0, 0, 0.15, 1, 0, 0, 0], "qvel": [0] * 6}
        words = ["forward", path, "--state", self.file("s.json", {"states": [high, low]})]
        free, held = self.run_json(*words)["states"]
        self.assert_near(free["qacc"], [0, 0, -G, 0, 0, 0], 1e-9)
        self.assertNotIn("contacts", free)
        self.assert_near(held["qacc"], [0] * 6, 1e-9)
        weight = 1000 * 4 / 3 * math.pi * 0.1**3 * G
        (contact,) = held["contacts"]
        self.assertEqual((contact["geom1"], contact["geom2"], contact["mode"]), ("floor", "ball", "sticks"))
        self.assertAlmostEqual(contact["gap"], -0.05, delta=1e-12)
        self.assert_near(contact["force"], [0, 0, weight], 1e-9)
        self.assertLess(held["residual"], 1e-12)
        self.assert_near(held["sensors"]["accelerometer0"], [0, 0, G], 1e-9)
        self.assertRegex(self.run_app(*words).out, r"(?m)^floor +ball +sticks +0 0 -0.025 +41.0\d+ +0$")
        # Without it the ball falls.
        self.assert_near(self.run_json(*words, "--disable", "contact")["states"][1]["qacc"], [0, 0, -G, 0, 0, 0], 1e-9)
        apart = self.file("apart.xml", text.format("contype='2' conaffinity='2'"))
        self.assertNotIn("contacts", self.run_json("forward", apart, *words[2:])["states"][1])
        # The same by other formulations.
        other = self.run_json(*words, "--formulation", "multiplier")["states"][1]
        self.assertEqual(other["qacc"], held["qacc"])
        # Falling onto it is an impact; to be lifted takes a force that no floor gives.
        low["qvel"][2] = -1
        self.assert_fails(3, ["forward", path, "--state", self.file("s.json", low)],
                          "state 0: geom 'floor' and geom 'ball' touch and approach each other at 1.0")
        low["qvel"][2], low["qacc"] = 0, [0, 0, 0, 0, 0, 0]
        state = self.file("s.json", low)
        self.assert_near(self.run_json("inverse", path, "--state", state)["states"][0]["qfrc_inverse"], [0] * 6, 1e-4)
        low["qacc"][2] = 2
        state = self.file("s.json", low)
        found = self.run_json("inverse", path, "--state", state)["states"][0]
        self.assert_near(found["qfrc_inverse"], [0, 0, weight / G * (G + 2), 0, 0, 0], 1e-9)
        low["qacc"][2] = -2
        self.assert_fails(3, ["inverse", path, "--state", self.file("s.json", low)],
                          "the accelerations lead into the contact of geom 'floor' and geom 'ball', by 2.0")


class RefusalTest(AppTest):
    def test_bodies_that_deform(self):
        text = "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body name='soft' kind='scaling' young='600' "
        text += "poisson='0.2' pos='0 0 0.05'><geom name='ball' size='.1'/></body>{}</worldbody></mujoco>"
        path = self.file("soft.xml", text.format(""))
        result = self.run_app("forward", path, "--formulation", "multiplier")
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("geoms 'floor' and 'ball' touch, and contact forces are not computed with bodies that deform", result.err)
        words = ["forward", path, "--formulation", "multiplier"]
        self.assertEqual(self.run_app(*words, "--disable", "contact").err, "")
        rubs = "<body pos='0 0 9'><joint name='pin' frictionloss='1'/><geom size='.1'/></body>"
        path = self.file("rubs.xml", text.format(rubs))
        self.assert_fails(5, ["forward", path, "--formulation", "multiplier", "--disable", "contact"],
                          "the dry friction of joint 'pin' is not honoured with bodies that deform", "--disable frictionloss")

    def test_results_that_are_not_finite(self):
        text = """<mujoco><worldbody><body><joint name="first" axis="0 1 0"/><geom size="0.1"/>
          <body pos="0 0 1"><joint name="second" axis="0 1 0"/><geom size="0.1" pos="1 0 0"/></body>
        </body></worldbody></mujoco>"""
        state = self.file("s.json", {"qpos": [0, 1], "qvel": [1e200, 0]})
        words = ["forward", self.file("model.xml", text), "--state", state, "--json"]
        self.assert_fails(3, words, "state 0", "'first' is not finite")


if __name__ == "__main__":
    main()
