"""Real robots from URDF: what convert writes moves as the original, to the last digit."""

import json
import os

from support import SHARED_DIR, AppTest, main

MODELS = os.path.join(SHARED_DIR, "models")


class ConvertUrdfTest(AppTest):
    def accelerations(self, model, states):
        result = self.run_json(
            "forward", model, "--quiet", "--state", states, "--disable", "constraint"
        )  # fmt: skip
        return [state["qacc"] for state in result["states"]]

    def compare(self, reference_path):
        robot = os.path.basename(reference_path).split(".")[0]
        urdf = os.path.join(MODELS, "urdf", robot + ".urdf")
        written = os.path.join(self.folder, "written.xml")
        self.assertEqual(self.run_app("convert", urdf, written, "--quiet").code, 0)
        names = [joint["name"] for joint in self.run_json("info", urdf, "--quiet")["joints"]]
        with open(reference_path, encoding="utf-8") as file:
            reference = json.load(file)
        states = [
            {field: [x for name in names for x in state["joint"][name][field]] for field in ("qpos", "qvel")}
            for state in reference["states"]
        ]
        path = self.file("states.json", {"states": states})
        self.assertEqual(self.accelerations(urdf, path), self.accelerations(written, path))

    def test_all(self):
        self.for_each_reference("urdf-reference/*.fixed.json", self.compare)


if __name__ == "__main__":
    main()
