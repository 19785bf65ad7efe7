"""The gallery at length: its comparisons as the list has them, and reference problems to their ends.

The numbers of Andrews' mechanism and the governor were computed in quadruple precision.
"""

import json
import math
import os

from support import SOURCE_DIR, AppTest, main

SCENES = os.path.join(SOURCE_DIR, "scenes")


class GalleryLongTest(AppTest):
    def simulate(self, scene, duration, *words):
        result = self.run_json("run", os.path.join(SCENES, scene + ".xml"), "--duration", repr(duration), *words)
        self.assertEqual(result["status"], "ok")
        return result

    def test_comparisons(self):
        """Every one comes to its end, and nothing is left out but what the list says."""
        with open(os.path.join(SCENES, "gallery.json"), encoding="utf-8") as file:
            scenes = json.load(file)["scenes"]
        for entry in scenes:
            with self.subTest(entry["name"]):
                result = self.run_app(*entry["command"].split(), "--json", folder=SOURCE_DIR)
                self.assertEqual((result.code, result.err), (0, ""))
                self.assertEqual(result.json()["not_run"], [])
                # What scenes of the gallery do not keep at their own steps is no promise.
                for run in result.json()["runs"]:
                    self.assertEqual(run["missed"], [], run["name"])

    def test_andrews(self):
        """beta theta gamma after 0.05 s."""
        how = ("--integrator", "rk45", "--tolerance", "1e-11", "--key", "start", "--formulation")
        for formulation in ("reduced", "multiplier"):
            found = self.simulate("andrews", 0.05, *how, formulation)["final"]["qpos"]
            for angle, right in zip(found, [33.82586776695452, -33.58343151746387, 0.11339507381259901]):
                self.assertLess(abs(angle - right), 1e-6 * abs(right))

    def test_flyball(self):
        """How high the slider is after 5 s and 10 s."""
        for duration, wanted in ((5, 0.5355631037216435), (10, 0.6196229170613657)):
            found = self.simulate("flyball", duration, "--key", "start")["final"]["qpos"][1]
            self.assertAlmostEqual(found, wanted, delta=1e-6)

    def test_excavator_does_not_sink(self):
        """From ten seconds on to twenty, by less than a micrometre."""
        for formulation in ("reduced", "multiplier", "implicit"):
            how = ("--key", "hold", "--formulation", formulation)
            first, second = (self.simulate("excavator", t, *how)["final"]["xpos"]["bucket"] for t in (10, 20))
            self.assertLess(math.dist(first, second), 1e-6)

    def test_stacks_stand(self):
        """For ten seconds, and every box where it was."""
        start = self.simulate("stack", 1e-6, "--dt", "1e-6")["final"]["xpos"]
        for formulation, tolerance in (("reduced", 1e-4), ("multiplier", 1e-4), ("implicit", 5e-3), ("impulse", 5e-3)):
            final = self.simulate("stack", 10, "--formulation", formulation)["final"]["xpos"]
            self.assertLess(max(math.dist(final[name], start[name]) for name in start), tolerance, formulation)


if __name__ == "__main__":
    main()
