#!/usr/bin/env python3
"""`ligament inverse` with loops: independent coordinates, forces of actuators, and what is refused."""

import math

from support import AppTest, main

# A slider crank in the plane of x and z: a crank of 0.3 m, a rod of 1 m, a slider along x.
SLIDER_CRANK = """<mujoco><compiler angle="radian"/><option><flag contact="disable"/></option><worldbody>
<body name="crank"><joint name="crank" axis="0 -1 0"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".01" mass="1"/>
<body name="rod" pos=".3 0 0"><joint name="rod" axis="0 -1 0"/>
<geom type="capsule" fromto="0 0 0 1 0 0" size=".01" mass="2"/></body></body>
<body name="slider" pos="1.3 0 0"><joint name="slider" type="slide" axis="1 0 0"/><geom size=".1" mass="5"/></body>
</worldbody><equality><connect name="pin" body1="rod" body2="slider" anchor="1 0 0"/></equality>
<actuator>{}</actuator></mujoco>"""


class InverseTest(AppTest):
    def state(self, crank, **more):
        rod = -crank - math.asin(0.3 * math.sin(crank))
        slider = 0.3 * math.cos(crank) + math.cos(crank + rod) - 1.3
        return self.file("state.json", {"qpos": [crank, rod, slider], "qvel": [0, 0, 0], "qacc": [0, 0, 0], **more})

    def ratio(self, crank):
        """By how much the slider moves as the crank turns: the textbook's formula."""
        s, c = math.sin(crank), math.cos(crank)
        return -0.3 * s - 0.09 * s * c / math.sqrt(1 - 0.09 * s * s)

    def test_map_and_weight(self):
        path = self.file("crank.xml", SLIDER_CRANK.format('<motor name="drive" joint="crank" gear="4"/>'))
        angle = 0.8
        found = self.run_json("inverse", path, "--state", self.state(angle))["states"][0]
        self.assertEqual(found["independent"], ["crank"])
        self.assertAlmostEqual(found["map"][2][0], self.ratio(angle), delta=1e-9)
        # Weights of the crank and of the rod, whose other end stays at its height.
        held = 9.81 * 0.3 * math.cos(angle) * (0.5 * 1 + 0.5 * 2)  # 3.0757 N m at 0.8
        self.assertAlmostEqual(found["actuator_force_inverse"][0], held / 4, delta=1e-9)
        self.assert_near(found["qfrc_inverse"], [held, 0, 0], 1e-9)
        self.assertEqual(found["spare_actuators"], 0)
        text = self.run_app("inverse", path, "--state", self.state(angle)).out
        self.assertRegex(text, r"(?m)^crank +0 +3\.0756\d +yes$")
        self.assertRegex(text, r"(?m)^drive +")

    def test_two_actuators_share(self):
        motors = '<motor joint="crank"/><motor joint="slider"/>'
        path = self.file("crank.xml", SLIDER_CRANK.format(motors))
        angle = 2.1
        found = self.run_json("inverse", path, "--state", self.state(angle), "--independent", "crank")["states"][0]
        held = 9.81 * 0.3 * math.cos(angle) * 1.5
        r = self.ratio(angle)
        self.assert_near(found["actuator_force_inverse"], [held / (1 + r * r), held * r / (1 + r * r)], 1e-9)
        self.assertEqual(found["spare_actuators"], 1)
        # Least squares: less than either by itself.
        self.assertIn("one actuator more than the motion needs",
                      self.run_app("inverse", path, "--state", self.state(angle)).out)

    def test_accelerations_that_follow(self):
        path = self.file("crank.xml", SLIDER_CRANK.format(""))
        angle, speed, acceleration = 0.5, 2, 7
        sine = 0.3 * math.sin(angle)
        rod = -1 - 0.3 * math.cos(angle) / math.sqrt(1 - sine * sine)
        h = 1e-5
        curve = (self.ratio(angle + h) - self.ratio(angle - h)) / (2 * h)
        words = {"qvel": [speed, rod * speed, self.ratio(angle) * speed], "qacc": [acceleration, 0, 0]}
        arguments = ["inverse", path, "--state", self.state(angle, **words), "--independent", "crank"]
        found = self.run_json(*arguments)["states"][0]
        slider = curve * speed * speed + self.ratio(angle) * acceleration
        self.assertEqual(found["qacc"][0], acceleration)
        self.assertAlmostEqual(found["qacc"][2], slider, delta=1e-8)
        # Given ones that do not fit are not used, and that is said.
        words["qacc"][2] = slider + 1
        result = self.run_app("inverse", path, "--state", self.state(angle, **words), "--independent", "crank", "--json")
        self.assertIn("the qacc of 'slider' does not fit the equalities", result.err)
        # Forward again: the force that was found causes this motion.
        qpos = [angle, -angle - math.asin(sine), 0.3 * math.cos(angle) + math.cos(math.asin(sine)) - 1.3]
        push = self.file("push.json", {"qpos": qpos, "qvel": words["qvel"], "qfrc_applied": found["qfrc_inverse"]})
        caused = self.run_json("forward", path, "--state", push)["states"][0]["qacc"]
        self.assert_near(caused, found["qacc"], 1e-9)

    def test_refusals(self):
        path = self.file("crank.xml", SLIDER_CRANK.format('<motor joint="crank"/>'))
        good = ["inverse", path, "--state", self.state(0.8)]
        self.assert_fails(1, [*good, "--independent", "crnk"], "no velocity 'crnk'", "did you mean 'crank'?")
        self.assert_fails(1, [*good, "--independent", "crank,crank"], "--independent has 'crank' twice")
        self.assert_fails(3, [*good, "--independent", "crank,rod"], "there is 1 freedom here, not 2")
        # At its dead centre the slider cannot lead.
        self.assert_fails(3, ["inverse", path, "--state", self.state(0), "--independent", "slider"],
                          "state 0: the velocities that were asked for are not independent here")
        far = self.file("far.json", {"qpos": [0.8, 0, 5], "qvel": [0, 0, 0], "qacc": [0, 0, 0]})
        self.assert_fails(3, ["inverse", path, "--state", far], "pin", "'ligament assemble' closes it")
        tree = self.file("tree.xml", '<mujoco><worldbody><body><joint name="a"/><geom size=".1"/></body></worldbody></mujoco>')
        self.assert_fails(1, ["inverse", tree, "--independent", "a"], "no loops or other equalities")
        # No motor on what moves.
        idle = self.file("idle.xml", SLIDER_CRANK.format('<motor joint="free"/>').replace(
            "</worldbody>", '<body pos="0 0 9"><joint name="free"/><geom size=".1" pos="1 0 0"/></body></worldbody>'))
        state = {"qpos": [0.8, -0.8 - math.asin(0.3 * math.sin(0.8)), 0, 0], "qvel": [0] * 4, "qacc": [0] * 4}
        state["qpos"][2] = 0.3 * math.cos(0.8) + math.cos(state["qpos"][0] + state["qpos"][1]) - 1.3
        self.assert_fails(3, ["inverse", idle, "--state", self.file("idle.json", state)],
                          "no actuator gives the motion what it asks for along")


main()
