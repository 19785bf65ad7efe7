"""Real robots through the command line against the results of an independent library."""

import json
import os

from support import SHARED_DIR, AppTest, main

MODELS = os.path.join(SHARED_DIR, "models")


class UrdfReferenceTest(AppTest):
    def compare(self, reference_path):
        stem, base, _ = os.path.basename(reference_path).split(".")
        with open(reference_path, encoding="utf-8") as file:
            reference = json.load(file)
        model = os.path.join(MODELS, "urdf", stem + ".urdf")
        info = self.run_json("info", model, "--base", base, "--quiet")
        self.assertEqual(info["nq"], reference["nq"])
        self.assertEqual(info["nv"], reference["nv"])
        self.assertAlmostEqual(info["total_mass"], reference["total_mass"], delta=1e-9)

        # The reference has the joints in an order of its own, so its states are put together by name.
        names = [joint["name"] for joint in info["joints"]]
        self.assertEqual(sorted(names), sorted(joint["name"] for joint in reference["joints"]))

        def gather(state, field):
            return [x for name in names for x in state["joint"][name][field]]

        states = [
            {"qpos": gather(s, "qpos"), "qvel": gather(s, "qvel"), "qfrc_applied": gather(s, "qfrc")}
            for s in reference["states"]
        ]
        result = self.run_json(
            "forward", model, "--base", base, "--quiet",
            "--state", self.file("states.json", {"states": states}),
            "--disable", "constraint,actuation,damper,spring",
        )  # fmt: skip
        self.assertEqual(len(result["states"]), len(states))
        for found, wanted in zip(result["states"], reference["states"]):
            qacc = gather(wanted, "qacc")
            self.assert_near(found["qacc"], qacc, 1e-9 * max(map(abs, qacc)))
            self.assertLess(found["residual"], 1e-9)
            for link, position in wanted["frame"].items():
                self.assert_near(found["xpos"][link], position, 1e-10)

        # And back: the forces that were applied.
        for state, found in zip(states, result["states"]):
            state["qacc"] = found["qacc"]
        back = self.run_json(
            "inverse", model, "--base", base, "--quiet",
            "--state", self.file("states.json", {"states": states}),
            "--disable", "constraint,actuation,damper,spring",
        )  # fmt: skip
        for found, state in zip(back["states"], states):
            self.assert_near(found["qfrc_inverse"], state["qfrc_applied"], 1e-8)

    def test_all(self):
        self.for_each_reference("urdf-reference/*.json", self.compare)


if __name__ == "__main__":
    main()
