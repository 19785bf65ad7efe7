"""Tendons and actuators on the command line: controls in, forces and lengths out."""

import json
import os

from support import SOURCE_DIR, AppTest, main

DRIVES = os.path.join(SOURCE_DIR, "tests", "dynamics", "drives")

# A cart of mass 5 on a rail, pulled by a motor of gear 3 and by a filtered one.
CART = """<mujoco><option gravity="0 0 0"><flag {flag}/></option><worldbody><body name="cart">
  <joint name="rail" type="slide" axis="1 0 0"/><geom size="0.1" mass="5"/></body></worldbody>
  <tendon><fixed name="cord" {tendon}><joint joint="rail" coef="2"/></fixed></tendon>
  <actuator><motor name="pull" joint="rail" gear="3" ctrllimited="true" ctrlrange="-1 1"/>
    <general name="slow" joint="rail" dyntype="filter" dynprm="0.5"/></actuator>
  <keyframe><key name="go" qpos="0.25" ctrl="0.5 2" act="4"/></keyframe></mujoco>"""


def reference(name):
    with open(os.path.join(DRIVES, name + ".json"), encoding="utf-8") as file:
        return os.path.join(DRIVES, name + ".xml"), json.load(file)


class DrivesTest(AppTest):
    def cart(self, flag="", tendon=""):
        return self.file("cart.xml", CART.format(flag=flag or 'contact="enable"', tendon=tendon))

    def state(self, **fields):
        return self.file("state.json", {"qpos": [0.25], "qvel": [0], **fields})

    def assert_close(self, got, wanted, tolerance):
        self.assertEqual(len(got), len(wanted))
        scale = max(abs(x) for x in wanted)
        for a, b in zip(got, wanted):
            self.assertLess(abs(a - b), tolerance * scale)

    def test_accelerations_are_those_of_mujoco(self):
        for name in ("transmissions", "actuators", "tendon_armature"):
            model, numbers = reference(name)
            fields = {k: numbers[k] for k in ("qpos", "qvel", "ctrl", "act") if k in numbers}
            words = (model, "--state", self.file("state.json", fields), "--disable", "constraint")
            got = self.run_json("forward", *words)["states"][0]
            self.assert_close(got["qacc"], numbers["qacc"], 1e-12)
            self.assert_close(got["actuator_force"], numbers["actuator_force"], 1e-12)
            self.assertLess(got["residual"], 1e-12)
            if "act_dot" in numbers:
                self.assert_close(got["act_dot"], numbers["act_dot"], 1e-12)
            if "ten_length" in numbers:
                self.assert_close(got["tendon_length"], numbers["ten_length"], 1e-12)

    def test_controls_and_activations(self):
        path = self.cart()
        got = self.run_json("forward", path, "--state", self.state(ctrl=[2, 1], act=[4]))["states"][0]
        self.assertEqual(got["actuator_force"], [1, 4])  # the control is clamped to 1
        self.assertEqual(got["act_dot"], [(1 - 4) / 0.5])
        self.assertEqual(got["tendon_length"], [0.5])
        self.assertAlmostEqual(got["qacc"][0], (3 * 1 + 4) / 5, places=14)
        got = self.run_json("forward", path, "--key", "go")["states"][0]
        self.assertEqual(got["actuator_force"], [0.5, 4])
        got = self.run_json("forward", path, "--state", self.state())["states"][0]
        self.assertEqual(got["qacc"], [0])

    def test_disable(self):
        words = ("--state", self.state(ctrl=[1, 1]))
        off = self.run_json("forward", self.cart(), *words, "--disable", "actuation")["states"][0]
        self.assertEqual(off["qacc"], [0])
        off = self.run_json("forward", self.cart('actuation="disable"'), *words)["states"][0]
        self.assertEqual(off["qacc"], [0])
        spring = self.cart(tendon='stiffness="10" damping="3"')
        pulled = self.run_json("forward", spring, "--state", self.state())["states"][0]
        self.assertAlmostEqual(pulled["qacc"][0], -10 * 0.5 * 2 / 5, places=14)
        self.assertAlmostEqual(pulled["energy"]["potential"], 0.5 * 10 * 0.5**2, places=14)
        slack = self.run_json("forward", spring, "--state", self.state(), "--disable", "spring")["states"][0]
        self.assertEqual(slack["qacc"], [0])
        self.assertEqual(slack["energy"]["potential"], 0)

    def test_inverse_is_the_sum_of_all_that_acts(self):
        state = self.state(qacc=[2], ctrl=[1, 0])
        got = self.run_json("inverse", self.cart(), "--state", state)["states"][0]
        self.assertAlmostEqual(got["qfrc_inverse"][0], 10, places=13)
        self.assertEqual(got["actuator_force"], [1, 0])

    def test_text(self):
        result = self.run_app("forward", self.cart(), "--key", "go")
        self.assertEqual(result.code, 0, result.err)
        for word in ("actuator", "pull", "slow", "tendon", "cord"):
            self.assertIn(word, result.out)
        self.assertIn("pull", self.run_app("info", self.cart()).out)

    def test_info(self):
        info = self.run_json("info", self.cart(tendon='limited="true" range="-1 1"'))
        self.assertEqual((info["nu"], info["na"]), (2, 1))
        pull, slow = info["actuators"]
        self.assertEqual((pull["name"], pull["transmission"], pull["target"]), ("pull", "joint", "rail"))
        self.assertEqual((pull["ctrlrange"], pull["actadr"], slow["actadr"]), ([-1, 1], -1, 0))
        self.assertEqual(slow["activation"], "filter")
        self.assertEqual(info["tendons"][0]["range"], [-1, 1])

    def test_limits_and_friction_of_tendons(self):
        """The motor pulls with 3 N; the tendon has twice the way of the cart, at 0.5 where its range ends at 0.1."""
        def acceleration(tendon, ctrl, *words):
            words = (self.cart(tendon=tendon), "--state", self.state(ctrl=[ctrl, 0]), *words)
            return self.run_json("forward", *words)["states"][0]["qacc"][0]

        limited = 'limited="true" range="-0.1 0.1"'
        self.assertAlmostEqual(acceleration(limited, 1), 0, 12)
        self.assertAlmostEqual(acceleration(limited, -1), -0.6, 12)
        self.assertAlmostEqual(acceleration(limited, 1, "--disable", "limit"), 0.6, 12)
        self.assertAlmostEqual(acceleration('frictionloss="1"', 1), (3 - 2) / 5, 12)
        self.assertAlmostEqual(acceleration('frictionloss="2"', 1), 0, 12)

    def test_wrong_counts(self):
        for fields, text in (({"ctrl": [1]}, "ctrl has 1 numbers; the model needs 2 (nu)"),
                             ({"act": [1, 2]}, "act has 2 numbers; the model needs 1 (na)")):
            result = self.run_app("forward", self.cart(), "--state", self.state(**fields))
            self.assertEqual(result.code, 2)
            self.assertIn(text, result.err)


if __name__ == "__main__":
    main()
