"""`ligament run --paths`: kinematic bodies go where a table has them, and pull what is tied to them."""

import csv
import math
import os

import numpy as np

import support

# A block on a rail, tied to a target by a spring and a damper.
CART = """<mujoco><option timestep="0.01" gravity="0 0 -9.81"/><worldbody>
  <body name="target" mocap="true" pos="0 0 1"/>
  <body name="other" mocap="true" pos="5 0 0"/>
  <body name="block" pos="0 0 1"><joint name="rail" type="slide" axis="1 0 0"/>
    <geom size="0.1" mass="2" contype="0" conaffinity="0"/></body>
</worldbody><force><bushing name="tie" body1="target" body2="block" stiffness="200" damping="40"/></force>
</mujoco>"""

# Two links of 1 m whose end a hand holds at (1, 0, 1): the elbow is above.
ARM = """<mujoco><compiler angle="radian"/><option timestep="0.005" gravity="0 0 0"/><worldbody>
  <body name="hand" mocap="true" pos="1 0 1"/>
  <body name="upper" pos="0 0 1" euler="0 -1.0471975511965976 0"><joint name="shoulder" axis="0 1 0"/>
    <inertial pos="0.5 0 0" mass="1" diaginertia="0.01 0.1 0.1"/>
    <body name="lower" pos="1 0 0" euler="0 2.0943951023931953 0"><joint name="elbow" axis="0 1 0"/>
      <inertial pos="0.5 0 0" mass="1" diaginertia="0.01 0.1 0.1"/></body></body>
</worldbody><equality><loop name="grip" type="ball" body1="hand" body2="lower" pos2="1 0 0"/></equality></mujoco>"""

STEP = 1 / 60


def rise(t):
    """From 0 to 1 in a second, at rest at both ends."""
    u = min(max(t, 0), 1)
    return u * u * (3 - 2 * u)


class PathsTest(support.AppTest):
    def table(self, rows, name="paths.csv"):
        path = os.path.join(self.folder, name)
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
        return path

    def assert_all_near(self, rows, wanted, tolerance):
        self.assertLessEqual(np.abs(rows - np.array(wanted)).max(), tolerance)

    def run_cart(self, *words):
        model = self.file("cart.xml", CART)
        out = os.path.join(self.folder, "out.npz")
        result = self.run_app("run", model, *words, "--out", out)
        self.assertEqual((result.code, result.err), (0, ""))
        with np.load(out, allow_pickle=False) as arrays:
            return dict(arrays)

    def test_a_table_that_begins_elsewhere_takes_along_what_hangs_on_the_body(self):
        model = self.file("arm.xml", ARM)
        paths = self.table([["time", "hand.x", "hand.y", "hand.z"], [0, 0.9, 0, 1.05], [1, 0.9, 0, 1.05]])
        # The law of cosines: from the elbow of the file, 120° bent, to that of the shorter way.
        bend = math.acos((0.9**2 + 0.05**2 - 2) / 2)
        for formulation in ("reduced", "multiplier", "implicit"):
            with self.subTest(formulation):
                words = ["--paths", paths, "--duration", "0.1", "--formulation", formulation, "--energy-guard", "off"]
                summary = self.run_json("run", model, *words)
                self.assertEqual(summary["status"], "ok")
                self.assertLess(summary["max_equality_error"], 1e-9)
                self.assertAlmostEqual(summary["final"]["qpos"][1], bend - 2 * math.pi / 3, 6)

    def test_bodies_go_where_the_table_has_them(self):
        # Two rows are that cubic; the end is held.
        paths = self.table([["time", "target.x", "target.y", "target.z"], [0, 0, 0, 1], [1, 0.5, 0, 1]])
        for formulation in ("reduced", "multiplier", "implicit", "impulse"):
            with self.subTest(formulation):
                words = ["--paths", paths, "--dt", str(STEP), "--duration", "3", "--formulation", formulation]
                arrays = self.run_cart(*words, "--wrenches")
                names = list(arrays["body_names"])
                target = arrays["xpos"][:, names.index("target")]
                wanted = [0.5 * rise(t) for t in arrays["time"]]
                # Three times the error of the trapezoidal rule: h³/12 · 12 · 0.5, a few times where the
                # acceleration jumps, at the end of the curve.
                self.assert_near(target[:, 0], wanted, 20 * 0.5 * STEP**3)
                self.assert_all_near(target[:, 1:], [0, 1], 0)
                self.assert_all_near(arrays["xpos"][:, names.index("other")], [5, 0, 0], 0)
                # In the end the block is at rest where the target is.
                self.assertAlmostEqual(arrays["qpos"][-1, 0], 0.5, delta=1e-3)
                # The tie pulls by what is between them, and holds no weight: the rail does.
                force = arrays["bushing_wrench"][:, 0]
                self.assertEqual(list(arrays["bushing_wrench_names"]), ["tie"])
                self.assertTrue(np.isnan(force[0]).all())
                self.assertLess(abs(force[-1, 0]), 0.5)
                self.assertGreater(np.abs(force[1:, 0]).max(), 2)
                self.assert_all_near(force[1:, 1:], 0, 1e-9)

    def test_force_of_a_spring(self):
        """The block follows a steady pull of 0.2 m/s by a distance that its dampers do not ask for."""
        model = self.file("held.xml", CART.replace('<joint name="rail" type="slide" axis="1 0 0"/>',
                                                   '<joint name="rail" type="slide" axis="0 1 0"/>'))
        rows = [["time", "target.x", "target.y", "target.z"]] + [[t, 0.2 * t, 0, 1] for t in range(-1, 5)]
        out = os.path.join(self.folder, "held.csv")
        words = ["--paths", self.table(rows), "--dt", "0.01", "--duration", "2", "--wrenches"]
        document = self.run_json("run", model, *words, "--out", out)
        wrench = document["final"]["bushing_wrenches"]["tie"]
        self.assertEqual((wrench["body"], wrench["axes"]), ("block", "world"))
        self.assert_near(wrench["force"], [200 * 0.4 + 40 * 0.2, 0, 0], 1e-8)
        # About the frame on the block, which is at its middle.
        self.assert_near(wrench["moment"], [0, 0, 0], 1e-8)
        self.assert_near(wrench["point"], [0, 0, 1], 1e-12)
        with open(out, newline="", encoding="utf-8") as file:
            table = list(csv.DictReader(file))
        self.assertEqual(table[0]["tie.fx"], "")
        for row in table[1:]:
            self.assertAlmostEqual(float(row["tie.fx"]), 40 * float(row["time"]) + 8, delta=1e-8)
        # As text and as JSON, of a state alone: no velocity, no way.
        result = self.run_app("forward", model, "--wrenches")
        self.assertRegex(result.out, r"(?m)^tie +block ")
        state = self.run_json("forward", model, "--wrenches")["states"][0]
        self.assert_near(state["bushing_wrenches"]["tie"]["force"], [0, 0, 0], 0)

    def test_rotations(self):
        half = math.sqrt(0.5)
        header = ["time", "target.qw", "target.qx", "target.qy", "target.qz"]
        paths = self.table([header, [0, 1, 0, 0, 0], [1, half, 0, 0, half]])
        arrays = self.run_cart("--paths", paths, "--duration", "2", "--dt", str(STEP))
        target = list(arrays["body_names"]).index("target")
        angles = 2 * np.arctan2(arrays["xquat"][:, target, 3], arrays["xquat"][:, target, 0])
        wanted = [math.pi / 2 * rise(t) for t in arrays["time"]]
        self.assert_near(angles, wanted, 20 * math.pi / 2 * STEP**3)
        self.assert_all_near(arrays["xpos"][:, target], [0, 0, 1], 0)

    def test_what_is_wrong(self):
        model = self.file("cart.xml", CART)
        for rows, *words in (
            ([["time", "targte.x"]], "paths.csv:1:6: error[E181]", "did you mean 'target'?"),
            ([["time", "block.x"]], "paths.csv:1:6: error[E181]", "not kinematic"),
            ([["time", "target.x"]], "no column 'target.y'"),
            ([["time", "other.x", "other.y", "other.z"], [0, 0, 0, 0], [0, 0, 0, 0]], "paths.csv:3:1: error[E182]"),
            ([["time", "other.x", "other.y", "other.z"], [0, 0, "1m", 0]], "paths.csv:2:5: error[E180]", "'1m'"),
            ([["time", "other.x", "other.y", "other.z"], [0, 1e308, 0, 0], [1, -1e308, 0, 0], [2, 0, 0, 0]], "too fast"),
        ):
            with self.subTest(words):
                self.assert_fails(2, ["run", model, "--paths", self.table(rows)], *words)
        self.assert_fails(4, ["run", model, "--paths", os.path.join(self.folder, "none.csv")], "E001")


if __name__ == "__main__":
    support.main()
