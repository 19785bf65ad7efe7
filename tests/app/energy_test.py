"""The energy ledger wherever it is shown: columns, totals, promises. In every row the energy is what it was at the start and
what has come and gone since."""

import csv
import json
import math
import os
import re

import numpy as np

import lrec
import support

G = 9.81
WORK = ["work_drives", "work_applied", "work_kinematic"]
LOST = [f"lost_{what}" for what in ("dampers", "joint_friction", "contact_friction", "impacts", "limits", "corrections")]
FLOWS = [*WORK, *LOST, "removed_by_guard"]
LEDGER = [*FLOWS, "made_by_method"]
ENERGY = ["kinetic", "potential", "elastic"]
FORMULATIONS = support.formulations()

# Two kilograms on a rail that stands upright: a motor pulls with 30 N, a damper brakes, a spring holds.
LIFT = """<mujoco><option timestep="0.002" gravity="0 0 -9.81"/><worldbody>
  <body name="load"><joint name="rail" type="slide" axis="0 0 1" damping="4" stiffness="20"/>
    <geom size="0.1" mass="2" contype="0" conaffinity="0"/></body></worldbody>
<actuator><motor name="winch" joint="rail"/></actuator>
<keyframe><key name="pull" ctrl="30"/></keyframe></mujoco>"""

# A box that slides to a stop.
SLIDE = """<mujoco><option timestep="0.005" gravity="0 0 -9.81"/><worldbody>
  <geom type="plane" size="0 0 1" friction="0.3"/>
  <body name="box" pos="0 0 0.1"><freejoint/><geom type="box" size="0.2 0.2 0.1" mass="3" friction="0.3"/></body>
</worldbody><keyframe><key name="push" qpos="0 0 0.1 1 0 0 0" qvel="2 0 0 0 0 0"/></keyframe></mujoco>"""

# In long steps of a method of first order its energy swings.
PENDULUM = """<mujoco><option timestep="0.1" gravity="0 0 -9.81"/><worldbody>
  <body name="bob"><joint name="pivot" axis="0 1 0"/><geom size="0.1" pos="0 0 -2" mass="3"/></body>
</worldbody></mujoco>"""

# A box that begins 3 cm below the floor.
SUNK = """<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="0 0 1"/>
  <body pos="0 0 0.07"><freejoint/><geom type="box" size="0.2 0.2 0.1" mass="3"/></body></worldbody></mujoco>"""

# A spring that swings at 1,600 Hz, in steps of a tenth of a second.
STIFF = """<mujoco><option timestep="0.1"/><worldbody>
  <body name="load"><joint name="rail" type="slide" axis="1 0 0" stiffness="1e8"/><geom size="0.1" mass="1"/></body>
</worldbody></mujoco>"""

# A damper that stops an arm in 0.1 ms, in steps of a tenth of a second.
OVERDAMPED = """<mujoco><option timestep="0.1" gravity="0 0 0"/><worldbody><body name="arm">
  <inertial pos="0.1 0 0" mass="1" diaginertia="1e-9 1e-9 1e-9"/><joint name="hinge" axis="0 1 0" damping="100"/></body>
</worldbody><keyframe><key name="moving" qvel="1"/></keyframe></mujoco>"""


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return header, {name: np.array(column, float) for name, column in zip(header, zip(*rows))}


def added(columns):
    """What has been added to the energy since the start."""
    work = sum(columns[name] for name in WORK)
    return work - sum(columns[name] for name in LOST) - columns["removed_by_guard"] + columns["made_by_method"]


class EnergyTest(support.AppTest):
    def path(self, name):
        return os.path.join(self.folder, name)

    def run_to(self, model, *words, files=("t.csv",)):
        outs = [word for name in files for word in ("--out", self.path(name))]
        return self.run_json("run", self.file("m.xml", model), "--figures", *words, *outs)

    def assert_closes(self, columns):
        scale = np.abs(columns["energy"]).max() + sum(np.abs(columns[name]).max() for name in LEDGER)
        change = columns["energy"] - columns["energy"][0]
        np.testing.assert_allclose(change, added(columns), atol=1e-12 * scale)
        np.testing.assert_allclose(columns["energy"], columns["kinetic"] + columns["potential"], atol=1e-14 * scale)

    def test_columns_close(self):
        for formulation in FORMULATIONS:
            for model, key in ((LIFT, "pull"), (SLIDE, "push")):
                with self.subTest(f"{formulation} {key}"):
                    words = ["--key", key, "--formulation", formulation, "--duration", "1", "--energy-guard", "off"]
                    result = self.run_to(model, *words, files=("t.csv", "t.npz", "t.lrec"))
                    header, columns = read_csv(self.path("t.csv"))
                    at = header.index("energy")
                    self.assertEqual(header[at : at + 15], ["energy", *ENERGY, *LEDGER])
                    self.assert_closes(columns)
                    for name in LEDGER:
                        self.assertEqual(columns[name][0], 0, "it counts from the start")
                    for name in LOST:
                        self.assertGreaterEqual(np.diff(columns[name]).min(), -1e-6, "losses take energy")
                    # The same everywhere.
                    with np.load(self.path("t.npz")) as arrays:
                        for name in (*ENERGY, *LEDGER):
                            np.testing.assert_array_equal(arrays[name], columns[name])
                    self.assertEqual(list(result["ledger"]), LEDGER)
                    self.assertEqual(result["ledger"], {name: columns[name][-1] for name in LEDGER})
                    self.assertEqual(result["made_by_method"], columns["made_by_method"][-1])
                    again = self.run_app("replay", self.path("t.lrec"), "--check", "--out", self.path("again.csv"))
                    self.assertEqual(again.code, 0, again.err)
                    with open(self.path("t.csv"), encoding="utf-8") as a, open(self.path("again.csv"), encoding="utf-8") as b:
                        self.assertEqual(a.read(), b.read())

    def lift(self, *words):
        """What the winch and the damper have done, each less what they should have, and what the method has made."""
        result = self.run_to(LIFT, "--key", "pull", "--duration", "1", "--energy-guard", "off", *words)
        _, columns = read_csv(self.path("t.csv"))
        x, v = columns["rail"], columns["rail.v"]
        np.testing.assert_allclose(columns["elastic"], 10 * x**2, atol=1e-9)
        np.testing.assert_allclose(columns["potential"], 10 * x**2 + 2 * G * x, atol=1e-9)
        np.testing.assert_allclose(columns["kinetic"], v**2, atol=1e-9)
        power = 4 * v**2
        drag = (power[:-2:2] + 4 * power[1:-1:2] + power[2::2]).sum() * columns["time"][2] / 6  # by Simpson's rule
        ledger = result["ledger"]
        return np.array([ledger["work_drives"] - 30 * x[-1], ledger["lost_dampers"] - drag, ledger["made_by_method"]])

    def test_known_work(self):
        """The motor's work is force times way; a spring stores k x²/2."""
        for formulation in ("reduced", "multiplier"):
            off = self.lift("--formulation", formulation, "--integrator", "rk45", "--tolerance", "1e-11", "--dt", "0.001")
            np.testing.assert_allclose(off, 0, atol=1e-10)
        # Up to the order of the method, two.
        rattle = ("--formulation", "multiplier", "--integrator", "rattle", "--dt")
        long, short = self.lift(*rattle, "0.002"), self.lift(*rattle, "0.001")
        np.testing.assert_allclose(short, 0, atol=1e-4)
        np.testing.assert_allclose((long / short)[[0, 2]], 4, atol=0.02)

    def test_sliding_takes_all(self):
        for formulation in ("reduced", "multiplier"):
            result = self.run_to(SLIDE, "--key", "push", "--duration", "1", "--energy-guard", "off", "--formulation", formulation)
            self.assertLess(abs(result["made_by_method"]), 1e-9)
            self.assertAlmostEqual(result["ledger"]["lost_contact_friction"], 6, delta=1e-9)

    def test_guard(self):
        words = ["--set", "pivot=1.5", "--integrator", "euler", "--dt", "0.02", "--duration", "3"]
        free = self.run_to(PENDULUM, *words, "--energy-guard", "off")
        self.assertEqual((free["guarded_substeps"], free["ledger"]["removed_by_guard"]), (0, 0))
        held = self.run_to(PENDULUM, *words, "--energy-guard", "1e-6")
        _, columns = read_csv(self.path("t.csv"))
        self.assert_closes(columns)
        self.assertGreater(held["guarded_substeps"], 0)
        self.assertGreater(held["ledger"]["removed_by_guard"], 0)
        # Fifty times the share, for a method asked for by name.
        self.assertLessEqual(held["made_share"], 50e-6)
        self.assertGreater(free["made_share"], held["made_share"])
        self.assertEqual(held["missed"], [])
        text = self.run_app("run", self.path("m.xml"), *words, "--energy-guard", "1e-6").out
        self.assertRegex(text, r"(?m)^guard         \d+ sub-steps taken again or slowed down")
        self.assertRegex(text, r"(?m)^ledger        -[\d.]+ J by the guard, -?[+\d.]+ J by the method")

    def test_guard_bounds_what_grows_by_itself(self):
        """What a step has made is no energy in motion by which the next may make more."""
        model = self.file("d.xml", OVERDAMPED)
        result = self.run_app("run", model, "--key", "moving", "--integrator", "rk4", "--duration", "1", "--json")
        summary = result.json()
        self.assertEqual(result.code, 0 if summary["status"] == "ok" else 3)
        self.assertIn(summary["status"], ("ok", "energy_gained"))
        # Asked for by name, half of what is in motion.
        self.assertLessEqual(summary["energy_max_rise"], 0.5 * summary["energy_start"])

    def test_energy_that_cannot_be_held(self):
        words = ["run", self.file("s.xml", STIFF), "--set", "rail=0.1", "--duration", "1", "--energy-guard", "0.02"]
        result = self.run_app(*words, "--integrator", "euler")
        self.assertEqual(result.code, 3)
        self.assertRegex(result.err, r"at 0 s: energy_gained: ")
        self.assertRegex(result.err, r"(?m)^  try --integrator auto: joint 'rail' swings at 1\.59e\+03 Hz on its spring")
        self.assertRegex(result.err, r"(?m)^  try --formulation implicit --integrator auto")
        self.assertRegex(result.err, r"(?m)^  try --dt 2e-05")
        self.assertRegex(result.err, r"(?m)^  see --energy-guard off: ")
        self.assertEqual(self.run_app(*words, "--formulation", "implicit").code, 0)
        self.assertIn("energy_gained", self.page("troubleshooting.md"))

    def test_text(self):
        text = self.run_app("run", self.file("l.xml", LIFT), "--key", "pull", "--duration", "1", "--energy-guard", "off").out
        line = re.search(r"(?m)^ledger        (.*)$", text)[1]
        parts = re.findall(r"([+-][\d.e-]+) J by ([a-z ]+)", line)
        self.assertEqual(parts[-1][1].strip(), "the method")
        start, end = map(float, re.search(r"(?m)^energy +(\S+) J at the start, (\S+) J at the end", text).groups())
        self.assertAlmostEqual(sum(float(joules) for joules, _ in parts), end - start, delta=1e-3)
        self.assertNotRegex(text, r"(?m)^(guard|missed) ")

    def test_old_recordings(self):
        """As they were before there was a ledger: without its columns, options and figures."""
        words = ["--key", "pull", "--duration", "0.2", "--energy-guard", "off"]
        self.run_to(LIFT, *words, files=("new.lrec", "new.csv"))
        with open(self.path("new.lrec"), "rb") as file:
            blocks = dict(lrec.split(file.read()))
        settings, layout, end = (json.loads(blocks[kind]) for kind in ("SETT", "LAYT", "DONE"))
        del settings["options"]["energy_guard"], settings["contents"]["ledger"]
        for name in [name for name in end if name in LEDGER or re.search("_kept|_promised|guarded|energy_in_motion", name)]:
            del end[name]
        gone = {"elastic", *LEDGER}
        kept, arrays = [], []
        for array in layout["arrays"]:
            if array["name"] in gone:
                continue
            columns = range(array["begin"], array["begin"] + len(array["columns"]))
            arrays.append({**array, "begin": len(kept)})
            kept += columns
        layout.update(arrays=arrays, columns=len(kept))
        changed = {"SETT": settings, "LAYT": layout, "DONE": end}
        old = []
        with open(self.path("new.lrec"), "rb") as file:
            for kind, content in lrec.split(file.read()):
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
        self.assertIn("reproduced: 101 samples", result.out)
        outs = [word for name in ("old.csv", "old.html") for word in ("--out", self.path(name))]
        result = self.run_app("replay", self.path("old.lrec"), "--figures", *outs)
        self.assertEqual((result.code, result.err), (0, ""))
        _, before = read_csv(self.path("new.csv"))
        header, after = read_csv(self.path("old.csv"))
        self.assertEqual(set(before) - set(after), gone)
        for name in header:
            np.testing.assert_array_equal(before[name], after[name])

    def page(self, name):
        with open(os.path.join(support.SOURCE_DIR, "docs", name), encoding="utf-8") as file:
            return file.read()

    def promises(self):
        return {row.pop("name"): row for row in self.run_json("list", "promises")["promises"]}

    def test_promises_of_the_page(self):
        """docs/promises.md has the table of the program, and the names of what is promised."""
        page = self.page("promises.md")
        table = re.search(r"(?m)^\| \| `reduced`.*\n\|[-|]+\n((?:\|.*\n)+)", page)
        names = re.findall(r"`([^`]+)`", table[0].split("\n")[0])
        self.assertEqual(names, list(self.promises()))
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table[1].strip().split("\n")]
        for k, formulation in enumerate(names):
            told = {row[0].split("`")[1]: row[k + 1].split(" ")[0] for row in rows}
            wanted = self.promises()[formulation]
            self.assertEqual(list(told), list(wanted))
            for name, text in told.items():
                self.assertEqual(None if text == "–" else float(text), wanted[name], f"{formulation} {name}")
        formulations = [row["name"] for row in self.run_json("list", "formulations")["formulations"]]
        self.assertEqual([name for name in names if "--stepping" not in name], formulations)

    def test_promises_of_a_good_run(self):
        for formulation in FORMULATIONS:
            result = self.run_to(SLIDE, "--key", "push", "--duration", "1", "--formulation", formulation)
            promised = self.promises()[formulation]
            worst = result["worst"]
            self.assertEqual(list(worst), ["name", "value", "promise", "time", "missed"])
            self.assertEqual(worst["promise"], promised[worst["name"]])
            self.assertLessEqual(worst["value"], worst["promise"])
            self.assertTrue(0 < worst["time"] <= 1)
            self.assertEqual((worst["missed"], result["missed"]), (False, []))

    def test_missed_promises_are_told(self):
        model = self.file("sunk.xml", SUNK)
        # That the box is lifted out of the floor is another matter.
        words = ["--duration", "0.1", "--energy-guard", "off"]
        result = self.run_json("run", model, *words)
        self.assertEqual(result["status"], "ok")
        self.assertEqual([one["name"] for one in result["missed"]], ["contacts"])
        depth = result["worst"]
        self.assertEqual(depth, result["missed"][0])
        self.assertEqual(depth["promise"], self.promises()["reduced"]["contacts"])
        self.assertAlmostEqual(depth["value"], 0.03, delta=0.005)
        self.assertEqual((depth["value"], depth["missed"]), (result["max_penetration"], True))
        text = self.run_app("run", model, *words)
        self.assertEqual(text.code, 0)
        self.assertRegex(text.out, r"(?m)^missed        contacts 0\.0\d+ m at 0\.01 s, 0\.005 promised$")
        # And in the table of a comparison, in its files.
        outs = [word for name in ("c.json", "c.csv", "c.html") for word in ("--out", self.path(name))]
        text = self.run_app("compare", model, *words, "--reference", "none", *outs)
        self.assertEqual(text.code, 0, text.err)
        self.assertRegex(text.out, r"(?m)^reduced +0\.01 +ok, missed ")
        self.assertRegex(text.out, r"(?m)^missed: reduced: contacts 0\.0\d+ m at 0\.01 s, 0\.005 promised$")
        self.assertRegex(text.out.split("\n")[0], r"made by the method \[J\]")
        with open(self.path("c.json"), encoding="utf-8") as file:
            run = json.load(file)["runs"][0]
        self.assertEqual((run["missed"], run["worst"]), (result["missed"], result["worst"]))
        self.assertEqual(run["ledger"], result["ledger"])
        with open(self.path("c.csv"), newline="", encoding="utf-8") as file:
            self.assertRegex(next(csv.DictReader(file))["missed"], r"^contacts 0\.0\d+ m at 0\.01 s")
        with open(self.path("c.html"), encoding="utf-8") as file:
            document = json.loads(re.search(r'id="ligament-document">(.*?)</script>', file.read())[1])
        self.assertRegex(document["runs"][0]["missed"], r"^contacts 0\.0\d+ m at 0\.01 s")
        self.assertEqual([flow["name"] for flow in document["ledger"]], LEDGER)
        self.assertEqual([flow["sign"] for flow in document["ledger"]], [1] * 3 + [-1] * 7 + [1])

    def test_a_share_of_its_own(self):
        """The promise of the energy is that of --energy-guard; without a guard there is none."""
        words = ["--set", "pivot=1.5", "--integrator", "euler", "--dt", "0.02", "--duration", "3"]
        result = self.run_to(PENDULUM, *words, "--energy-guard", "off")
        self.assertGreater(result["made_share"], 0.01)
        self.assertNotIn("energy", [missed["name"] for missed in result["missed"]])
        self.assertTrue(math.isclose(self.promises()["reduced"]["energy"], 0.01))


if __name__ == "__main__":
    support.main()
