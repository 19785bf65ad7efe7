"""What `ligament run` writes: the same numbers in every kind of file, whole files, forces that are right."""

import csv
import math
import os
import re
import signal
import subprocess
import time
import xml.etree.ElementTree as ElementTree
import zipfile

import numpy as np

import support

G = 9.81
MOMENTUM = ["by_weight", "by_applied", "by_contacts", "by_supports", "by_medium", "made_by_method"]

PENDULUM = """<mujoco model="swing &amp; hang"><option timestep="0.01" gravity="0 0 -9.81"/><worldbody>
  <body name="bob"><joint name="pivot" axis="0 1 0"/>
    <inertial pos="0 0 -2" mass="3" diaginertia="1e-9 1e-9 1e-9"/><geom size="0.05" pos="0 0 -2" mass="0"/>
  </body></worldbody></mujoco>"""

BOX = """<mujoco><option timestep="0.01" gravity="0 0 -9.81"/><worldbody>
  <geom name="floor" type="plane" size="0 0 1"/>
  <body name="crate" pos="0 0 0.1"><freejoint name="root"/>
    <geom name="crate" type="box" size="0.2 0.2 0.1" mass="7"/></body>
</worldbody></mujoco>"""


def read_csv(path):
    """Columns by name; what is empty is NaN."""
    with open(path, newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    numbers = [[float(cell) if cell else math.nan for cell in row] for row in rows]
    return header, {name: np.array(column) for name, column in zip(header, zip(*numbers))}


class RunOutput(support.AppTest):
    def path(self, name):
        return os.path.join(self.folder, name)

    def outs(self, *names):
        return [word for name in names for word in ("--out", self.path(name))]

    def test_arrays_equal_the_text(self):
        scene = os.path.join(support.SOURCE_DIR, "scenes", "character.xml")
        words = ["--key", "tumble", "--duration", "0.5", "--every", "0.05", "--wrenches", "--contacts", "--figures"]
        result = self.run_app("run", scene, *words, *self.outs("t.csv", "t.npz"))
        self.assertEqual(result.code, 0, result.err)
        for name in ("t.csv", "t.contacts.csv", "t.npz"):
            self.assertIn(name, result.out)
        self.assertIsNone(zipfile.ZipFile(self.path("t.npz")).testzip())
        header, columns = read_csv(self.path("t.csv"))
        with np.load(self.path("t.npz"), allow_pickle=False) as arrays:
            self.assertEqual(arrays["time"].shape, (11,))
            self.assertEqual(arrays["qpos"].shape, (11, 55))
            self.assertEqual(arrays["qvel"].shape, (11, 43))
            self.assertEqual(arrays["xpos"].shape, (11, 17, 3))
            self.assertEqual(arrays["xquat"].shape, (11, 17, 4))
            self.assertEqual(arrays["joint_wrench"].shape, (11, 15, 6))
            self.assertEqual(arrays["contact_wrench"].shape, (11, 16, 6))
            for array in ("time", "qpos", "qvel", "energy"):
                self.assertEqual(arrays[array].dtype, np.dtype("<f8"))
            names = ["time", *arrays["qpos_names"], *(f"{name}.v" for name in arrays["qvel_names"]), "energy"]
            parts = ["kinetic", "potential", "elastic", "work_drives", "work_applied", "work_kinematic", "lost_dampers"]
            parts += ["lost_joint_friction", "lost_contact_friction", "lost_impacts", "lost_limits", "lost_corrections"]
            parts += ["removed_by_guard", "made_by_method"]
            momentum = [f"{kind}_{what}" for kind in ("momentum", "angular_momentum") for what in MOMENTUM]
            names += parts + [f"{name}.{axis}" for name in momentum for axis in "xyz"]
            axes = ("fx", "fy", "fz", "tx", "ty", "tz")
            names += [f"{name}.{axis}" for name in arrays["joint_wrench_names"] for axis in axes]
            names += [f"{name}.contact.{axis}" for name in arrays["contact_wrench_names"] for axis in axes]
            figures = ["penetration", "limit_violation", "joint_error", "equality_error", "contacts", "substeps", "iterations"]
            self.assertEqual(header, names + figures)
            blocks = ["time", "qpos", "qvel", "energy", *parts, *momentum, "joint_wrench", "contact_wrench", *figures]
            table = np.concatenate([arrays[name].reshape(11, -1) for name in blocks], axis=1)
            # Every bit, but for what is not known.
            np.testing.assert_array_equal(table, np.stack([columns[name] for name in header], axis=1))
            np.testing.assert_array_equal(arrays["energy"], arrays["kinetic"] + arrays["potential"])
            # Before the first step there is no force, and afterwards always.
            self.assertTrue(np.isnan(arrays["joint_wrench"][0]).all())
            self.assertTrue(np.isfinite(arrays["joint_wrench"][1:]).all())
            pelvis = list(arrays["body_names"]).index("pelvis")
            np.testing.assert_array_equal(arrays["xpos"][:, pelvis], arrays["qpos"][:, :3])
            np.testing.assert_allclose(np.linalg.norm(arrays["xquat"], axis=2), 1, atol=1e-14)
            contacts = {key: arrays[key] for key in arrays if key.startswith("contact_")}
            geoms = arrays["geom_names"]
        with open(self.path("t.contacts.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(contacts["contact_time"]))
        for k, row in enumerate(rows):
            self.assertEqual([row["geom1"], row["geom2"]], [geoms[g] for g in contacts["contact_geoms"][k]])
            for key, wanted in (
                (("time",), "contact_time"),
                (("distance",), "contact_distance"),
                (("x", "y", "z"), "contact_point"),
                (("nx", "ny", "nz"), "contact_normal"),
                (("fx", "fy", "fz"), "contact_force"),
                (("tx", "ty", "tz"), "contact_moment"),
            ):
                self.assertEqual([float(row[name]) for name in key], list(np.atleast_1d(contacts[wanted][k])))

    def test_plots(self):
        path = self.file("p.xml", PENDULUM)
        words = ["--set", "pivot=1", "--duration", "40", *self.outs("p.svg", "p.csv")]
        self.assertEqual(self.run_app("run", path, *words).code, 0)
        svg = "{http://www.w3.org/2000/svg}"
        root = ElementTree.parse(self.path("p.svg")).getroot()
        self.assertEqual(root.find(f"{svg}title").text, "swing & hang")
        panels = {}
        for group in root.findall(f"{svg}g"):
            lines = {}
            for line in group.findall(f"{svg}path"):
                title = line.find(f"{svg}title")
                if title is not None:
                    lines[title.text] = np.array(re.findall(r"[\d.]+", line.get("d")), float).reshape(-1, 2)
            panels[group.find(f"{svg}text").text] = lines
        self.assertEqual(list(panels)[:3], ["angles [rad]", "angular velocities [rad/s]", "energy [J]"])
        self.assertEqual(list(panels["angles [rad]"]), ["pivot"])
        self.assertEqual(set(panels["energy [J]"]), {"energy", "kinetic", "potential"})
        # The line is the motion: as wide as it, and as high where it is high (the axis goes from 1 to -1).
        _, columns = read_csv(self.path("p.csv"))
        line = panels["angles [rad]"]["pivot"]
        self.assertLess(len(line), 2000)
        self.assertGreater(len(line), 500)
        top, bottom = line[:, 1].min(), line[:, 1].max()
        t = (line[:, 0] - line[0, 0]) / (line[-1, 0] - line[0, 0]) * 40
        drawn = -1 + 2 * (bottom - line[:, 1]) / (bottom - top)
        # A tenth of a pixel of 660 is 6 ms, in which the fastest motion is 0.015.
        np.testing.assert_allclose(drawn, np.interp(t, columns["time"], columns["pivot"]), atol=0.02)

    def test_reaction_of_a_pendulum(self):
        """A mass on a rod without weight: the pivot carries its weight and pulls it towards the centre."""
        path = self.file("p.xml", PENDULUM)
        words = ["--set", "pivot=1.2", "--duration", "3", "--every", "0.1", "--wrenches", "--tolerance", "1e-10"]
        result = self.run_app("run", path, *words, *self.outs("p.csv"))
        self.assertEqual(result.code, 0, result.err)
        _, columns = read_csv(self.path("p.csv"))
        angle, rate = columns["pivot"][1:], columns["pivot.v"][1:]
        m, length = 3, 2
        acceleration = -G / length * np.sin(angle)
        # The mass is at length · (-sin, 0, -cos).
        fx = m * length * (-np.cos(angle) * acceleration + np.sin(angle) * rate**2)
        fz = m * G + m * length * (np.sin(angle) * acceleration + np.cos(angle) * rate**2)
        # Of forces of some 50 N: in smooth motion they are those of the state in the row, not of a step before it.
        np.testing.assert_allclose(columns["pivot.fx"][1:], fx, atol=1e-6)
        np.testing.assert_allclose(columns["pivot.fz"][1:], fz, atol=1e-6)
        np.testing.assert_allclose(columns["pivot.fy"][1:], 0, atol=1e-9)
        for axis in ("tx", "ty", "tz"):  # a hinge carries no moment about its axis, and no other is there
            np.testing.assert_allclose(columns[f"pivot.{axis}"][1:], 0, atol=1e-6)

        # Hanging still: the weight and nothing else.
        self.run_app("run", path, "--duration", "0.1", "--wrenches", *self.outs("h.csv"))
        _, columns = read_csv(self.path("h.csv"))
        np.testing.assert_allclose(columns["pivot.fz"][1:], m * G, rtol=1e-9)
        np.testing.assert_allclose(columns["pivot.fx"][1:], 0, atol=1e-9)

    def test_contact_forces_of_a_resting_box(self):
        path = self.file("b.xml", BOX)
        words = ["--duration", "1", "--contacts", *self.outs("b.csv", "b.npz")]
        result = self.run_app("run", path, *words)
        self.assertEqual(result.code, 0, result.err)
        _, columns = read_csv(self.path("b.csv"))
        last = slice(-20, None)
        np.testing.assert_allclose(columns["crate.contact.fz"][last], 7 * G, rtol=1e-3)
        for axis in ("fx", "fy", "tx", "ty", "tz"):
            np.testing.assert_allclose(columns[f"crate.contact.{axis}"][last], 0, atol=1e-3 * 7 * G)
        with np.load(self.path("b.npz")) as arrays:
            now = arrays["contact_time"] == arrays["time"][-1]
            self.assertEqual(now.sum(), 4)
            self.assertEqual(set(map(tuple, arrays["contact_geoms"][now])), {(0, 1)})
            self.assertEqual(list(arrays["geom_names"]), ["floor", "crate"])
            np.testing.assert_allclose(arrays["contact_force"][now].sum(axis=0), [0, 0, 7 * G], atol=1e-3 * 7 * G)
            np.testing.assert_allclose(np.abs(arrays["contact_point"][now]), [[0.2, 0.2, 0]] * 4, atol=1e-3)
            np.testing.assert_allclose(arrays["contact_normal"][now], [[0, 0, 1]] * 4, atol=1e-12)

    def test_interrupted_runs_leave_whole_files(self):
        path = self.file("p.xml", PENDULUM)
        for number in (signal.SIGINT, signal.SIGTERM):
            words = ["run", path, "--set", "pivot=1", "--duration", "1e6", *self.outs("i.csv", "i.npz", "i.svg")]
            process = subprocess.Popen(
                [support.LIGAMENT, *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
            )
            while not os.path.exists(self.path("i.csv")) or os.path.getsize(self.path("i.csv")) < 20000:
                time.sleep(0.01)
            self.assertFalse(os.path.exists(self.path("i.npz")))
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130)
            self.assertIn("interrupted", err)
            self.assertIn('"status":"interrupted"', out)
            _, columns = read_csv(self.path("i.csv"))
            with np.load(self.path("i.npz")) as arrays:
                np.testing.assert_array_equal(arrays["qpos"][:, 0], columns["pivot"])
            ElementTree.parse(self.path("i.svg"))
            self.assertEqual(sorted(os.listdir(self.folder)), ["i.csv", "i.npz", "i.svg", "p.xml"])
            for name in ("i.csv", "i.npz", "i.svg"):
                os.remove(self.path(name))

    def test_what_was_there_is_kept_until_the_end(self):
        """A run that fails before it begins leaves an older file alone; one that ends replaces it."""
        path = self.file("p.xml", PENDULUM)
        old = self.file("o.npz", "old")
        self.assert_fails(1, ["run", path, "--set", "pviot=1", *self.outs("o.npz")], "no coordinate 'pviot'")
        with open(old, encoding="utf-8") as file:
            self.assertEqual(file.read(), "old")
        self.assertEqual(self.run_app("run", path, "--duration", "0.1", *self.outs("o.npz")).code, 0)
        with np.load(old) as arrays:
            self.assertEqual(len(arrays["time"]), 11)
        self.assert_fails(1, ["run", path, "--out", path], "the ending tells the format")
        self.assert_fails(4, ["run", path, *self.outs("no/x.svg")], "x.svg: error: cannot be written: No such file")


if __name__ == "__main__":
    support.main()
