"""Real robots through the command line against MuJoCo's results."""

import json
import os

from support import SHARED_DIR, AppTest, main

MODELS = os.path.join(SHARED_DIR, "models")


class MenagerieReferenceTest(AppTest):
    def compare(self, reference_path):
        name = os.path.basename(reference_path)[: -len(".json")].replace("+", "/")
        with open(reference_path, encoding="utf-8") as file:
            reference = json.load(file)
        model = os.path.join(MODELS, "menagerie", name)
        info = self.run_json("info", model, "--quiet")
        for size in ("nq", "nv", "nu", "nbody", "njnt"):
            self.assertEqual(info[size], reference[size], size)
        self.assertAlmostEqual(info["total_mass"], reference["total_mass"], delta=1e-9 * reference["total_mass"])
        inputs = ("qpos", "qvel", "act", "ctrl", "qfrc_applied")
        states = [{k: s[k] for k in inputs if k in s} for s in reference["states"]]
        path = self.file("states.json", {"states": states})
        for field, disabled in (("qacc", "constraint,actuation"), ("qacc_ctrl", "constraint")):
            if field not in reference["states"][0]:
                continue
            result = self.run_json("forward", model, "--quiet", "--state", path, "--disable", disabled)
            self.assertEqual(len(result["states"]), len(states))
            for found, wanted in zip(result["states"], reference["states"]):
                self.assert_near(found["qacc"], wanted[field], 1e-8 * max(map(abs, wanted[field])))
                position = [x for p in found["xpos"].values() for x in p]
                self.assert_near(position, wanted["xpos"], 1e-10)

    def test_all(self):
        self.for_each_reference("menagerie-reference/*.json", self.compare)


if __name__ == "__main__":
    main()
