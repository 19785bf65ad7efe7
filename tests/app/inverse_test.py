#!/usr/bin/env python3
"""`ligament inverse` with loops: independent coordinates, forces of actuators, and what is refused."""

import math
import os
import re

from support import SOURCE_DIR, AppTest, main

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

    def test_residual(self):
        # The slider crank on a base that floats: its motor holds the crank, nothing holds the base.
        text = SLIDER_CRANK.format('<motor name="drive" joint="crank"/>')
        text = text.replace('<worldbody>', '<worldbody><body name="base"><freejoint name="base"/><geom size=".2" mass="7"/>')
        text = text.replace('</worldbody>', '</body></worldbody>')
        path = self.file("float.xml", text)
        crank = 0.8
        rod = -crank - math.asin(0.3 * math.sin(crank))
        slider = 0.3 * math.cos(crank) + math.cos(crank + rod) - 1.3
        state = self.file("float.json", {"qpos": [0, 0, 0, 1, 0, 0, 0, crank, rod, slider], "qvel": [0] * 9, "qacc": [0] * 9})
        words = ["inverse", path, "--state", state]
        self.assert_fails(3, words, "no actuator gives the motion what it asks for along 'base.z': 147.15", "'--allow-residual'")
        found = self.run_json(*words, "--allow-residual")["states"][0]
        # At rest the weight of all, at the centre of mass of all.
        self.assertAlmostEqual(found["residual"][2], 9.81 * 15, delta=1e-9)
        c, s = math.cos(crank), math.sin(crank)
        moment = 1 * 0.15 * c + 2 * (0.3 * c + 0.5 * math.cos(crank + rod)) + 5 * (1.3 + slider)
        self.assertAlmostEqual(found["residual"][4], -9.81 * moment, delta=1e-9)
        self.assert_near(found["residual"][6:], [0, 0, 0], 1e-12)
        self.assertAlmostEqual(found["qfrc_inverse"][6], 9.81 * 0.3 * c * 1.5, delta=1e-9)
        self.assertRegex(self.run_app(*words, "--allow-residual").out, r"(?m)^base.z +0 +0 +147.15 +yes$")

    def test_stewart_platform(self):
        # Legs without mass push the table along their axes: M a = Σ f u + M g, and moments about its centre.
        with open(os.path.join(SOURCE_DIR, "scenes", "stewart.xml"), encoding="utf-8") as file:
            text = file.read()
        model = self.file("stewart.xml", text.replace('mass="4"', 'mass="1e-9"').replace('mass="2"', 'mass="1e-9"'))
        feet = [[float(x) for x in found.split()] for found in re.findall(r'name="barrel\d" pos="([^"]*)"', text)]
        eyes = [[0.5 * math.cos(a), 0.5 * math.sin(a), 1.1] for a in (math.radians(120 * k + side * 46) for k in range(3) for side in (-1, 1))]
        qacc = [0.3, -0.7, 1.1, 0.4, -0.9, 1.3] + [0] * 18
        info = self.run_json("info", model)
        qpos = [0, 0, 1.1, 1, 0, 0, 0] + [0] * 18
        state = self.file("state.json", {"qpos": qpos, "qvel": [0] * 24, "qacc": qacc})
        independent = "table.x,table.y,table.z,table.wx,table.wy,table.wz"
        found = self.run_json("inverse", model, "--state", state, "--independent", independent)["states"][0]
        table = [body for body in info["bodies"] if body["name"] == "table"][0]
        mass, com, inertia = table["mass"], table["com"], table["inertia"]
        w = qacc[3:6]
        a = [qacc[k] + (w[(k + 1) % 3] * com[(k + 2) % 3] - w[(k + 2) % 3] * com[(k + 1) % 3]) for k in range(3)]
        force, moment = [0, 0, 0], [0, 0, 0]
        for leg, f in enumerate(found["actuator_force_inverse"]):
            along = [e - p for e, p in zip(eyes[leg], feet[leg])]
            length = math.sqrt(sum(x * x for x in along))
            u = [f * x / length for x in along]
            arm = [eyes[leg][k] - (com[k] + (1.1 if k == 2 else 0)) for k in range(3)]
            for k in range(3):
                force[k] += u[k]
                moment[k] += arm[(k + 1) % 3] * u[(k + 2) % 3] - arm[(k + 2) % 3] * u[(k + 1) % 3]
        self.assert_near(force, [mass * a[0], mass * a[1], mass * (a[2] + 9.81)], 1e-3)
        self.assert_near(moment, [inertia[k] * w[k] for k in range(3)], 1e-3)


main()
