"""forward and run by Lagrange multipliers: closed forms, reactions against statics, what is refused where."""

import json
import math

from support import AppTest, main

G = 9.81

# A ball of mass 2 and moment 0.03 at 0.5 m from the axis y, with a rotor, a spring and a damper on it.
PENDULUM = """<mujoco><compiler angle="radian"/><worldbody><body name="rod">
  <joint name="pin" axis="0 1 0" armature="0.05" stiffness="3" damping="0.2"/>
  <inertial pos="0 0 -0.5" mass="2" diaginertia="0.03 0.03 0.03"/>
</body></worldbody></mujoco>"""

# A beam of 4 kg and 2 m on a hinge, its centre 0.1 m beside it; with `prop` its far end lies on a ball.
BEAM = """<mujoco><worldbody><body name="beam" pos="0.3 0 1">
  <joint name="hinge" axis="0 1 0"/>
  <inertial pos="1 0.1 0" mass="4" diaginertia="0.1 1.4 1.4"/>
</body></worldbody>{equality}</mujoco>"""
PROP = '<equality><connect name="prop" body1="beam" anchor="2 0 0"/></equality>'

# Two links on balls, pinned to the world at both ends, sagging: no row follows from the others.
PINNED = """<mujoco><worldbody><body name="left"><joint name="a" type="ball"/>
  <inertial pos="0.5 0 -0.2" mass="1" diaginertia="0.1 0.1 0.1"/>
  <body name="right" pos="1 0 -0.4"><joint name="b" type="ball"/>
    <inertial pos="0.5 0 0.2" mass="3" diaginertia="0.2 0.3 0.4"/>
  </body>
</body></worldbody><equality><connect name="pin" body1="right" anchor="1 0 0.4"/></equality></mujoco>"""

# A particle of 3 kg on a rod without mass.
ROD = """<mujoco><worldbody><body name="bob" kind="particle" pos="0.3 0 -0.4">
  <inertial pos="0 0 0" mass="3" diaginertia="0.1 0.1 0.1"/>
</body></worldbody><equality><distance name="rod" body2="bob"/></equality></mujoco>"""

TENDON = """<mujoco><worldbody>
  <body name="a"><joint name="ja" type="slide"/><geom size="0.1"/></body>
  <body name="b"><joint name="jb" type="slide"/><geom size="0.1"/></body>
</worldbody><tendon>
  <fixed name="rope"{armature}><joint joint="ja" coef="1"/><joint joint="jb" coef="-1"/></fixed>
</tendon>{equality}</mujoco>"""
MASSLESS = """<mujoco><worldbody>
  <body name="ghost"><joint name="first"/>
    <body name="solid"><joint name="second" axis="1 0 0"/><geom size="0.1"/></body>
  </body>
</worldbody></mujoco>"""


class MultiplierTest(AppTest):
    def forward(self, model, state, *words, formulation="multiplier"):
        files = self.file("model.xml", model), "--state", self.file("state.json", state)
        return self.run_json("forward", *files, "--formulation", formulation, *words)["states"][0]

    def test_pendulum(self):
        q, v, torque = 0.7, 1.5, 0.4
        out = self.forward(PENDULUM, {"qpos": [q], "qvel": [v], "qfrc_applied": [torque]})
        inertia = 2 * 0.5**2 + 0.03 + 0.05
        force = torque - 2 * G * 0.5 * math.sin(q) - 3 * q - 0.2 * v
        self.assert_near(out["qacc"], [force / inertia], 1e-12)
        self.assertLess(out["residual"], 1e-13)
        self.assertLess(out["constraint_residual"], 1e-13)
        self.assertGreater(out["microseconds"], 0)

    def test_reaction_of_a_joint_is_that_of_statics(self):
        # The torque that holds the beam still leaves its weight, and the weight's moments about the anchor.
        state = {"qpos": [0], "qvel": [0], "qfrc_applied": [-4 * G]}
        for formulation in ("reduced", "multiplier"):
            out = self.forward(BEAM.format(equality=""), state, "--wrenches", formulation=formulation)
            self.assert_near(out["qacc"], [0], 1e-12)
            self.assertEqual(list(out["joint_wrenches"]), ["hinge"])
            self.assertEqual(out["loop_wrenches"], {})
            wrench = out["joint_wrenches"]["hinge"]
            self.assertEqual((wrench["body"], wrench["axes"]), ("beam", "world"))
            self.assert_near(wrench["point"], [0.3, 0, 1], 1e-15)
            self.assert_near(wrench["force"], [0, 0, 4 * G], 1e-12)
            self.assert_near(wrench["moment"], [0.1 * 4 * G, -4 * G, 0], 1e-12)

    def test_reactions_of_a_beam_on_two_supports(self):
        state = {"qpos": [0], "qvel": [0]}
        for formulation in ("reduced", "multiplier"):
            out = self.forward(BEAM.format(equality=PROP), state, "--wrenches", formulation=formulation)
            # The hinge holds along and across the beam as well: two of the three rows follow from it.
            self.assertEqual((out["equality_rows"], out["redundant_rows"]), (3, 2))
            self.assert_near(out["joint_wrenches"]["hinge"]["force"], [0, 0, 2 * G], 1e-9)
            self.assert_near(out["joint_wrenches"]["hinge"]["moment"], [0.1 * 4 * G, 0, 0], 1e-9)
            prop = out["loop_wrenches"]["prop"]
            up = 2 * G if prop["body"] == "beam" else -2 * G
            self.assert_near(prop["point"], [2.3, 0, 1], 1e-15)
            self.assert_near(prop["force"], [0, 0, up], 1e-9)
            self.assert_near(prop["moment"], [0, 0, 0], 1e-12)

    def test_loops_direct_by_anticipation_and_reduced(self):
        turned = [math.cos(0.2), math.sin(0.2), 0, 0]
        # Turned about the line between its ends it stays closed, and turning so keeps it closed.
        state = {"qpos": [*turned, 1, 0, 0, 0], "qvel": [1.5, 0, 0, 0, 0, 0]}
        wanted = self.forward(PINNED, state, "--wrenches", formulation="reduced")
        for method in ("direct", "anticipation"):
            out = self.forward(PINNED, state, "--wrenches", "--loops", method)
            self.assertLess(out["equality_error"], 1e-14)
            self.assertEqual((out["equality_rows"], out["redundant_rows"]), (3, 0))
            self.assert_near(out["qacc"], wanted["qacc"], 1e-11)
            self.assert_near(out["multipliers"]["pin"], wanted["multipliers"]["pin"], 1e-11)
            self.assertLess(out["residual"], 1e-13)
            self.assertLess(out["constraint_residual"], 1e-13)
            for kind in ("joint_wrenches", "loop_wrenches"):
                for name, wrench in wanted[kind].items():
                    for part in ("force", "moment", "point"):
                        self.assert_near(out[kind][name][part], wrench[part], 1e-11)

    def test_reaction_of_a_constraint_between_two_bodies(self):
        # The rod carries the weight's share along it, and bends the way at v²/r: 5 m/s² for √2.5 m/s at 0.5 m.
        speed = math.sqrt(2.5)
        state = {"qpos": [0.3, 0, -0.4], "qvel": [0, speed, 0]}
        tension = 3 * (G * 0.8 + speed**2 / 0.5)
        for formulation in ("reduced", "multiplier"):
            out = self.forward(ROD, state, "--wrenches", formulation=formulation)
            rod = out["constraint_wrenches"]["rod"]
            self.assertEqual(rod["body"], "bob")
            self.assert_near(rod["point"], [0.3, 0, -0.4], 1e-15)
            self.assert_near(rod["force"], [-0.6 * tension, 0, 0.8 * tension], 1e-12)
            self.assert_near(rod["moment"], [0, 0, 0], 1e-12)
            self.assert_near(out["qacc"], [-0.2 * tension, 0, 0.8 / 3 * tension - G], 1e-12)

    def test_wrenches_as_text(self):
        path = self.file("model.xml", BEAM.format(equality=PROP))
        out = self.run_app("forward", path, "--formulation", "multiplier", "--wrenches").out
        self.assertRegex(out, r"reaction of +on +fx +fy +fz +tx +ty +tz\n")
        self.assertRegex(out, r"\nhinge +beam .* 19\.62 ")
        self.assertRegex(out, r"\nprop ")

    def test_run_ends_with_wrenches(self):
        path = self.file("model.xml", BEAM.format(equality=PROP))
        for formulation in ("reduced", "multiplier"):
            words = ["run", path, "--duration", "0.1", "--formulation", formulation]
            final = self.run_json(*words, "--wrenches")["final"]
            self.assert_near(final["joint_wrenches"]["hinge"]["force"], [0, 0, 2 * G], 1e-8)
            self.assertAlmostEqual(abs(final["loop_wrenches"]["prop"]["force"][2]), 2 * G, delta=1e-8)
            self.assertNotIn("joint_wrenches", self.run_json(*words)["final"])

    def test_what_bodies_cannot_have_is_refused_with_its_place(self):
        cases = [
            (TENDON.format(armature=' armature="0.1"', equality=""), "xml:5:", "inertia of tendons", "'rope'"),
            (MASSLESS, "model.xml:2:", "bodies without mass", "'ghost'"),
        ]
        for model, *expected in cases:
            path = self.file("model.xml", model)
            for command in ("forward", "run"):
                self.assert_fails(5, [command, path, "--formulation", "multiplier"], "multiplier", *expected)

    def test_impulse_runs_what_tendons_have_and_refuses_accelerations_with_their_inertia(self):
        coupling = '<equality><tendon tendon1="rope" polycoef="0 1 0 0 0"/></equality>'
        for armature, equality in ((' armature="0.1"', ""), ("", coupling)):
            path = self.file("model.xml", TENDON.format(armature=armature, equality=equality))
            finals = [self.run_json("run", path, "--duration", "0.5", "--dt", "0.002", "--disable", "contact",
                                    "--formulation", name)["final"]["qpos"] for name in ("reduced", "impulse")]
            self.assert_near(finals[1], finals[0], 0.01)
            forward = ["forward", path, "--formulation", "impulse"]
            if armature:
                self.assert_fails(5, forward, "impulse", "tendons", "'rope'")
            else:
                self.assertEqual(self.run_app(*forward).code, 0)

    def test_a_tendon_cannot_be_held_at_no_length(self):
        for polynomial, words in (("0 0 0 0 0", "<connect>"), ("-0.2 0 0 0 0", "longer than 0")):
            path = self.file("model.xml", f"""<mujoco><worldbody>
              <site name="hook" pos="0 0 1"/>
              <body name="bob" pos="0 0 1"><freejoint/><geom size="0.1"/><site name="eye"/></body>
            </worldbody>
            <tendon><spatial name="rope"><site site="hook"/><site site="eye"/></spatial></tendon>
            <equality><tendon name="held" tendon1="rope" polycoef="{polynomial}"/></equality></mujoco>""")
            for command in ("forward", "run"):
                self.assert_fails(2, [command, path], "model.xml:6:", "E164", "'held'", "'rope'", words)

    def test_inverse_is_the_same_in_all_formulations(self):
        path = self.file("model.xml", PENDULUM)
        state = self.file("state.json", {"qpos": [0.3], "qvel": [1], "qacc": [2]})
        words = ["inverse", path, "--state", state, "--formulation"]
        found = [self.run_json(*words, name) for name in ("reduced", "multiplier")]
        self.assertEqual(*map(json.dumps, found))

    def test_options(self):
        path = self.file("model.xml", PENDULUM)
        words = ["forward", path, "--loops"]
        self.assert_fails(5, [*words, "anticipation"], "'reduced' does not have the option multiplier.equalities (--loops); it is of 'multiplier'")
        self.assert_fails(1, [*words, "anticipaton"], "did you mean 'anticipation'")


if __name__ == "__main__":
    main()
