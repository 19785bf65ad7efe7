"""ligament assemble: poses in which loops close."""

import json
import math
import os

from support import AppTest, main

# Crank 1 m, coupler 2 m, rocker 1.5 m; the rocker stands `apart` from the crank.
FOUR_BAR = """<mujoco>
  <worldbody>
    <body name="crank"><joint name="foot" axis="0 1 0" {crank}/><geom type="capsule" fromto="0 0 0 0 0 1" size="0.05"/>
      <body name="coupler" pos="0 0 1"><joint name="knee" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 2 0 0" size="0.05"/></body>
    </body>
    <body name="rocker" pos="{apart} 0 0"><joint name="hip" axis="0 1 0" {rocker}/>
      <geom type="capsule" fromto="0 0 0 0 0 1.5" size="0.05"/></body>
  </worldbody>
  <equality><loop name="pin" type="ball" body1="coupler" body2="rocker" pos1="2 0 0" pos2="0 0 1.5"/></equality>
</mujoco>"""


def four_bar(apart=1.5, crank="", rocker=""):
    return FOUR_BAR.format(apart=apart, crank=crank, rocker=rocker)


def gap(qpos, apart=1.5):
    """From the tip of the coupler to the tip of the rocker; y turns z towards x."""
    foot, knee, hip = qpos
    x = math.sin(foot) + 2 * math.cos(foot + knee) - apart - 1.5 * math.sin(hip)
    z = math.cos(foot) - 2 * math.sin(foot + knee) - 1.5 * math.cos(hip)
    return math.hypot(x, z)


class AssembleTest(AppTest):
    def test_closes(self):
        path = self.file("open.xml", four_bar())
        result = self.run_json("assemble", path)
        self.assertTrue(result["closed"])
        self.assertLess(result["error"], 1e-14)
        self.assertLess(gap(result["qpos"]), 1e-14)
        self.assertEqual(result["open"], [])
        # From elsewhere it comes to another branch, always the same.
        other = self.run_json("assemble", path, "--set", "knee=2,hip=-1")
        self.assertLess(gap(other["qpos"]), 2e-14)
        self.assertGreater(abs(other["qpos"][1] - result["qpos"][1]), 0.5)
        self.assertEqual(other, self.run_json("assemble", path, "--set", "knee=2,hip=-1"))

    def test_writes_a_keyframe(self):
        path = self.file("open.xml", four_bar())
        out = os.path.join(self.folder, "closed.xml")
        result = self.run_app("assemble", path, "--out", out)
        self.assertEqual(result.code, 0, result.err)
        self.assertIn("closed to", result.out)
        again = self.run_json("assemble", out, "--key", "assembled")
        self.assertEqual((again["starts"], again["iterations"], again["keyframe"]), (1, 0, "assembled2"))
        forward = self.run_json("forward", out, "--key", "assembled", "--disable", "contact")["states"][0]
        self.assertLess(forward["equality_error"], 1e-14)
        self.assertEqual((forward["equality_rows"], forward["redundant_rows"]), (3, 1))
        # The reference configuration is still open: a run closes it and says so.
        unkeyed = self.run_app("run", out, "--disable", "contact", "--duration", "0.1")
        self.assertEqual(unkeyed.code, 0, unkeyed.err)
        self.assertIn("reference configuration: loop 'pin' between 'coupler' and 'rocker' is open by", unkeyed.err)
        run = self.run_json("run", out, "--key", "assembled", "--disable", "contact", "--duration", "1")
        self.assertLess(gap(run["final"]["qpos"]), 1e-12)
        self.assertLess(run["energy_max_drift"], 1e-6)
        self.assertIn("<keyframe>", self.run_app("assemble", path, "--out", "-").out)

    def test_says_what_cannot_close(self):
        path = self.file("far.xml", four_bar(apart=9))
        self.assert_fails(3, ["assemble", path], "far.xml: error: no pose", "loop 'pin' between 'coupler' and 'rocker' by 4.5")
        result = self.run_app("assemble", path, "--json")
        self.assertEqual(result.code, 3)
        report = result.json()
        self.assertFalse(report["closed"])
        # 9 m less everything stretched.
        self.assertAlmostEqual(report["open"][0]["error"], 9 - 1 - 2 - 1.5, delta=1e-3)

    def test_limits(self):
        limits = 'limited="true" range="-60 -40"'
        path = self.file("limited.xml", four_bar(rocker=limits))
        result = self.run_json("assemble", path)
        self.assertLess(gap(result["qpos"]), 1e-14)
        self.assertEqual(result["limit_violation"], 0)
        self.assertGreaterEqual(result["qpos"][2], math.radians(-60) - 1e-12)
        self.assertLessEqual(result["qpos"][2], math.radians(-40) + 1e-12)
        # Crank up, rocker lying away from it: further than the coupler reaches.
        path = self.file("tight.xml", four_bar(crank='limited="true" range="-5 5"', rocker='limited="true" range="80 90"'))
        result = self.run_app("assemble", path)
        self.assertEqual(result.code, 0)
        self.assertIn("is beyond its range by", result.err)
        self.assertIn("no pose was found within all ranges", result.err)

    def test_without_loops(self):
        path = self.file("tree.xml", "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>")
        self.assertEqual(self.run_json("assemble", path)["qpos"], [0])

    def test_loops_of_what_cannot_move(self):
        path = self.file(
            "rigid.xml",
            "<mujoco><worldbody><body name='a'><geom size='1'/></body></worldbody><equality>"
            "<loop name='never' type='ball' body1='a' body2='world' pos1='0 0 3' pos2='0 0 1'/></equality></mujoco>",
        )
        self.assert_fails(3, ["assemble", path], "loop 'never'", "cannot move by 2")

    def test_usage(self):
        path = self.file("open.xml", four_bar())
        self.assert_fails(1, ["assemble", path, "--out", path], "is the model itself")
        self.assert_fails(1, ["assemble", path, "--out", "x.urdf"], "cannot write 'x.urdf'")
        self.assert_fails(1, ["assemble", path, "--out", "-", "--json"], "both write to standard output")
        self.assert_fails(1, ["assemble", path, "--set", "heel=1"], "no coordinate 'heel'")

    def test_reach(self):
        path = self.file("open.xml", four_bar())
        # The coupler's origin is the tip of the crank.
        result = self.run_json("assemble", path, "--reach", "coupler=0.6,0,0.8")
        self.assertTrue(result["reach"]["reached"])
        self.assertAlmostEqual(result["qpos"][0], math.asin(0.6), delta=1e-9)
        self.assertLess(gap(result["qpos"]), 1e-11)
        out = os.path.join(self.folder, "posed.xml")
        self.assertEqual(self.run_app("assemble", path, "--reach", "coupler=0.6,0,0.8", "--out", out).code, 0)
        again = self.run_json("assemble", out, "--key", "assembled")
        self.assert_near(again["qpos"], result["qpos"], 1e-9)
        # With axes: those of the crank after a turn by asin 0.6 about y.
        half = math.asin(0.6) / 2
        axes = f"crank=0,0,0,{math.cos(half)},0,{math.sin(half)},0"
        turned = self.run_json("assemble", path, "--reach", axes)
        self.assertAlmostEqual(turned["qpos"][0], math.asin(0.6), delta=1e-9)

    def test_what_is_out_of_reach(self):
        path = self.file("open.xml", four_bar())
        words = ["assemble", path, "--reach", "coupler=0,0,3", "--branch", "any"]
        result = self.run_app(*words, "--json")
        self.assertEqual(result.code, 3)
        found = json.loads(result.out)
        self.assertFalse(found["reach"]["reached"])
        self.assertAlmostEqual(found["reach"]["error"], 2, delta=1e-6)
        self.assertAlmostEqual(found["qpos"][0], 0, delta=1e-5)
        self.assertIn("'coupler' is off by 2", result.err)
        kept = self.run_app("assemble", path, "--reach", "coupler=0,0,3")
        self.assertEqual(kept.code, 3)
        self.assertIn("the way ends at", kept.err)
        limited = self.file("limited.xml", four_bar(crank='range="-40 30" limited="true"'))
        stopped = self.run_app("assemble", limited, "--reach", "coupler=1,0,0", "--branch", "any")
        self.assertEqual(stopped.code, 3)
        self.assertIn("joint 'foot' is at the end of its range", stopped.err)

    def test_reach_is_checked(self):
        path = self.file("open.xml", four_bar())
        for word, expected in (
            ("coupler", "--reach is NAME=X,Y,Z or NAME=X,Y,Z,W,I,J,K with a quaternion, not 'coupler'"),
            ("coupler=1,2", "not 'coupler=1,2'"),
            ("coupler=1,2,x", "not 'coupler=1,2,x'"),
            ("coupler=1,2,3,0,0,0,0", "with a quaternion"),
            ("cupler=1,2,3", "no body or site 'cupler'; did you mean 'coupler'?"),
            ("world=1,2,3", "'world' does not move"),
        ):
            self.assert_fails(1, ["assemble", path, "--reach", word], expected)


main()
