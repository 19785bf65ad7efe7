"""The momentum ledger wherever it is shown: columns, totals, recordings, comparisons, pages. In every row the momentum is what it
was at the start and what has come since."""

import csv
import json
import os
import re

import numpy as np

import lrec
import support

G = 9.81
FLOWS = [f"by_{what}" for what in ("weight", "applied", "contacts", "supports", "medium")]
LEDGER = [*FLOWS, "made_by_method"]
ARRAYS = [f"{kind}_{name}" for kind in ("momentum", "angular_momentum") for name in LEDGER]
COLUMNS = [f"{name}.{axis}" for name in ARRAYS for axis in "xyz"]
FORMULATIONS = support.formulations()
# N·s; of stiff penalties what Newton's method leaves, by its tolerance.
DRIFT = {**dict.fromkeys(FORMULATIONS, 1e-11), "implicit": 2e-4}

# A box that slides to a stop, off the origin.
SLIDE = """<mujoco><option timestep="0.005" gravity="0 0 -9.81"/><worldbody>
  <geom type="plane" size="0 0 1" friction="0.3"/>
  <body name="box" pos="0 0 0.1"><freejoint/><geom type="box" size="0.2 0.2 0.1" mass="3" friction="0.3"/></body>
</worldbody><keyframe><key name="push" qpos="0.5 1 0.1 1 0 0 0" qvel="2 0 0 0 0 0"/></keyframe></mujoco>"""

PENDULUM = """<mujoco><option timestep="0.01" gravity="0 0 -9.81"/><worldbody>
  <body name="bob"><joint name="pivot" axis="0 1 0"/><geom size="0.1" pos="1 0 0" mass="3"/></body>
</worldbody></mujoco>"""


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return header, {name: np.array(column, float) for name, column in zip(header, zip(*rows))}


class MomentumTest(support.AppTest):
    def path(self, name):
        return os.path.join(self.folder, name)

    def run_to(self, model, *words, files=("t.csv",)):
        outs = [word for name in files for word in ("--out", self.path(name))]
        return self.run_json("run", self.file("m.xml", model), "--figures", *words, *outs)

    def test_columns_close(self):
        for formulation in FORMULATIONS:
            for model, words in ((SLIDE, ["--key", "push"]), (PENDULUM, [])):
                # Bodies of these are a little off their joints, and have the momentum.
                if model is PENDULUM and formulation in ("implicit", "impulse"):
                    continue
                with self.subTest(f"{formulation} {words}"):
                    words = [*words, "--formulation", formulation, "--duration", "1"]
                    result = self.run_to(model, *words, files=("t.csv", "t.npz", "t.lrec"))
                    header, columns = read_csv(self.path("t.csv"))
                    at = header.index("made_by_method") + 1
                    self.assertEqual(header[at : at + len(COLUMNS)], COLUMNS)
                    with np.load(self.path("t.npz")) as file:
                        arrays = {name: file[name] for name in file.files}
                    for name in ARRAYS:
                        np.testing.assert_array_equal(arrays[name], np.stack([columns[f"{name}.{x}"] for x in "xyz"], 1))
                        self.assertFalse(arrays[name][0].any(), "it counts from the start")
                    linear = arrays["momentum"]
                    angular = arrays["angular_momentum"] + np.cross(arrays["com"], linear)
                    for kind, now in (("momentum", linear), ("angular_momentum", angular)):
                        came = sum(arrays[f"{kind}_{name}"] for name in LEDGER)
                        np.testing.assert_allclose(now - now[0], came, atol=1e-9)
                    # The same everywhere.
                    told = result["momentum"]
                    self.assertEqual(list(told), LEDGER)
                    for name in FLOWS:
                        self.assertEqual(told[name]["linear"], list(arrays[f"momentum_{name}"][-1]))
                        self.assertEqual(told[name]["angular"], list(arrays[f"angular_momentum_{name}"][-1]))
                    again = self.run_app("replay", self.path("t.lrec"), "--check", "--out", self.path("again.csv"))
                    self.assertEqual(again.code, 0, again.err)
                    with open(self.path("t.csv"), encoding="utf-8") as a, open(self.path("again.csv"), encoding="utf-8") as b:
                        self.assertEqual(a.read(), b.read())

    def test_sliding(self):
        """Friction takes m v, the floor carries m g t; nothing is held."""
        for formulation in FORMULATIONS:
            told = self.run_to(SLIDE, "--key", "push", "--duration", "1", "--formulation", formulation)
            momentum = told["momentum"]
            np.testing.assert_allclose(momentum["by_weight"]["linear"], [0, 0, -3 * G], atol=1e-9)
            # Friction at y = 1 turns about z.
            self.assertAlmostEqual(momentum["by_contacts"]["linear"][0], -6, delta=1e-2)
            self.assertAlmostEqual(momentum["by_contacts"]["angular"][2], 6, delta=1e-2)
            self.assertEqual(momentum["by_supports"], {"linear": [0, 0, 0], "angular": [0, 0, 0]})
            self.assertLess(told["momentum_drift"], DRIFT[formulation])
            self.assertLess(told["angular_momentum_drift"], 1e-3)

    def test_what_hangs_is_not_measured(self):
        told = self.run_to(PENDULUM, "--duration", "0.1")
        self.assertIsNone(told["momentum"]["made_by_method"])
        self.assertIsNone(told["momentum_drift"])
        self.assertIsNone(told["angular_momentum_drift"])
        self.assertGreater(told["momentum"]["by_supports"]["linear"][2], 0)

    def test_text(self):
        """It is kept where something could tell of it."""
        model = self.file("s.xml", SLIDE)
        words = ["run", model, "--key", "push", "--duration", "0.1"]
        line = r"(?m)^momentum      at most \S+ N·s and \S+ N·m·s made by the method$"
        self.assertNotRegex(self.run_app(*words).out, r"(?m)^momentum")
        self.assertRegex(self.run_app(*words, "--out", self.path("t.csv")).out, line)

    def test_old_recordings(self):
        """As they were before there was a momentum ledger."""
        self.run_to(SLIDE, "--key", "push", "--duration", "0.2", files=("new.lrec", "new.csv"))
        with open(self.path("new.lrec"), "rb") as file:
            all_blocks = lrec.split(file.read())
        blocks = dict(all_blocks)
        settings, layout, end = (json.loads(blocks[kind]) for kind in ("SETT", "LAYT", "DONE"))
        del settings["options"]["momentum_ledger"], settings["contents"]["momentum_ledger"]
        for name in [name for name in end if name in COLUMNS or name.endswith("momentum_drift")]:
            del end[name]
        kept, arrays = [], []
        for array in layout["arrays"]:
            if array["name"] not in ARRAYS:
                arrays.append({**array, "begin": len(kept)})
                kept += range(array["begin"], array["begin"] + len(array["columns"]))
        self.assertEqual(layout["columns"] - len(kept), len(COLUMNS))
        layout.update(arrays=arrays, columns=len(kept))
        changed = {"SETT": settings, "LAYT": layout, "DONE": end}
        old = []
        for kind, content in all_blocks:
            if kind in changed:
                content = json.dumps(changed[kind]).encode()
            elif kind == "SAMP":
                samples = lrec.Samples(content)
                samples.numbers = [[row[c] for c in kept] for row in samples.numbers]
                content = samples.content()
            old.append([kind, content])
        with open(self.path("old.lrec"), "wb") as file:
            file.write(lrec.join(old))
        result = self.run_app("replay", self.path("old.lrec"))
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertIn("reproduced: 41 samples", result.out)
        result = self.run_app("replay", self.path("old.lrec"), "--figures", "--out", self.path("old.csv"))
        self.assertEqual((result.code, result.err), (0, ""))
        _, before = read_csv(self.path("new.csv"))
        header, after = read_csv(self.path("old.csv"))
        self.assertEqual(set(before) - set(after), set(COLUMNS))
        for name in header:
            np.testing.assert_array_equal(before[name], after[name])

    def test_compared(self):
        """What the method makes is told whatever acts from outside; and on the page."""
        outs = [word for name in ("c.json", "c.html") for word in ("--out", self.path(name))]
        words = ["--key", "push", "--duration", "0.5", "--reference", "none", "--formulations", "reduced,impulse,implicit"]
        text = self.run_app("compare", self.file("s.xml", SLIDE), *words, *outs)
        self.assertEqual(text.code, 0, text.err)
        self.assertRegex(text.out.split("\n")[0], r"momentum drift \[N·s\] +angular drift \[N·m·s\]")
        with open(self.path("c.json"), encoding="utf-8") as file:
            runs = json.load(file)["runs"]
        for run in runs:
            self.assertLess(run["momentum_drift"], DRIFT[run["formulation"]])
            self.assertAlmostEqual(run["momentum"]["by_weight"]["linear"][2], -3 * G * 0.5, delta=1e-9)
        with open(self.path("c.html"), encoding="utf-8") as file:
            document = json.loads(re.search(r'id="ligament-document">(.*?)</script>', file.read())[1])
        series = {one["name"]: one for one in document["runs"][0]["series"]}
        contacts, made = series["momentum_by_contacts.x"], series["momentum_made_by_method.x"]
        self.assertEqual((contacts["shown"], made["shown"]), (False, True))
        self.assertEqual((contacts["unit"], series["angular_momentum_by_contacts.z"]["unit"]), ("N·s", "N·m·s"))


if __name__ == "__main__":
    support.main()
