"""The shipped scenes are what they claim to be."""

import os

from support import SOURCE_DIR, AppTest, main

SCENES = os.path.join(SOURCE_DIR, "scenes")


class ScenesTest(AppTest):
    def test_every_scene_loads_without_a_word(self):
        names = sorted(os.listdir(SCENES))
        self.assertIn("acrobat.xml", names)
        self.assertIn("arm.urdf", names)
        for name in names:
            with self.subTest(name):
                result = self.run_app("info", os.path.join(SCENES, name), "--strict")
                self.assertEqual((result.code, result.err), (0, ""))

    def test_every_keyframe_keeps_the_limits(self):
        path = os.path.join(SCENES, "acrobat.xml")
        keys = [key["name"] for key in self.run_json("info", path)["keyframes"]]
        self.assertIn("stand", keys)
        self.assertIn("handstand", keys)
        for key in keys:
            with self.subTest(key):
                result = self.run_app("forward", path, "--key", key, "--disable", "contact", "--strict")
                self.assertEqual((result.code, result.err), (0, ""))

    def test_acrobat(self):
        path = os.path.join(SCENES, "acrobat.xml")
        info = self.run_json("info", path)
        self.assertAlmostEqual(info["total_mass"], 70, delta=1e-9)
        masses = {body["name"]: body["mass"] for body in info["bodies"]}
        for name, mass in masses.items():
            if name.endswith("_left"):
                self.assertEqual(mass, masses[name.replace("_left", "_right")])

        def pose(key):
            return self.run_json("forward", path, "--key", key, "--disable", "contact")["states"][0]

        stand = pose("stand")
        crown = stand["xpos"]["head"][2] + 0.155 + 0.115
        sole = stand["xpos"]["foot_left"][2] - 0.08
        self.assertAlmostEqual(crown - sole, 1.75, delta=1e-9)
        self.assertAlmostEqual(sole, 0, delta=1e-9)
        # Left and right mirror each other, so the weight is above the middle, and above the feet.
        self.assertAlmostEqual(stand["com"][1], 0, delta=1e-12)
        self.assertTrue(-0.075 < stand["com"][0] < 0.175)
        # Upside down, on the hands, whose fingers reach 0.16 m from the wrists towards x.
        handstand = pose("handstand")
        self.assertTrue(-0.03 < handstand["com"][0] < 0.16)
        self.assertTrue(0 < handstand["xpos"]["hand_left"][2] < 0.1)
        self.assertTrue(handstand["xpos"]["foot_left"][2] > handstand["xpos"]["head"][2] + 1)

    def test_arm(self):
        path = os.path.join(SCENES, "arm.urdf")
        info = self.run_json("info", path)
        self.assertEqual((info["nq"], info["nv"]), (6, 6))
        self.assertTrue(all(joint["range"] for joint in info["joints"]))
        # A uniform box of 5.4 kg and 0.11 × 0.1 × 0.42 m.
        upper = next(body for body in info["bodies"] if body["name"] == "upper_arm")
        self.assert_near(
            upper["inertia"][:3],
            [5.4 / 12 * (0.1**2 + 0.42**2), 5.4 / 12 * (0.11**2 + 0.42**2), 5.4 / 12 * (0.11**2 + 0.1**2)],
            1e-8,
        )
        tool = self.run_json("forward", path, "--quiet")["states"][0]["xpos"]["tool"]
        self.assert_near(tool, [0, 0, 0.12 + 0.16 + 0.36 + 0.26 + 0.18 + 0.1], 1e-12)


if __name__ == "__main__":
    main()
