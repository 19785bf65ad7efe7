"""info and check: what they say of a model, and how they end when a model is wrong."""

import math
import os

from support import SOURCE_DIR, AppTest, main

SCENES = os.path.join(SOURCE_DIR, "scenes")

# Every kind of joint that MJCF has, limits, a coupling, a loop, names left out, keyframes.
MODEL = """<mujoco model="sampler">
  <option timestep="0.01" gravity="0 0 -5"/>
  <worldbody>
    <body name="floater" pos="1 2 3">
      <freejoint name="root"/>
      <geom type="box" size="0.1 0.1 0.1" mass="2"/>
      <body name="arm" pos="0 0 1">
        <joint name="swing" type="ball" range="0 90"/>
        <geom size="0.1" mass="3"/>
        <body>
          <joint type="hinge" axis="0 1 0" range="-30 60"/>
          <joint name="slider" type="slide" axis="1 0 0"/>
          <geom size="0.1" mass="0.5"/>
          <site name="tip" pos="0 0 0.2"/>
        </body>
      </body>
    </body>
    <body name="post"><geom size="0.1" mass="7"/></body>
  </worldbody>
  <equality>
    <connect name="pin" body1="arm" body2="post" anchor="0 0 0"/>
  </equality>
  <keyframe><key name="home"/></keyframe>
</mujoco>
"""

URDF = """<robot name="{name}">
  <link name="a"/>
  <link name="b"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" effort="3" velocity="4"/></joint>
</robot>
"""


class InfoTest(AppTest):
    def test_json(self):
        info = self.run_json("info", self.file("m.xml", MODEL))
        self.assertEqual(info["name"], "sampler")
        counts = {"nq": 13, "nv": 11, "nu": 0, "na": 0, "nbody": 5, "njnt": 4, "timestep": 0.01}
        self.assertEqual({key: info[key] for key in counts}, counts)
        self.assertAlmostEqual(info["total_mass"], 12.5, delta=1e-12)
        self.assertEqual(info["gravity"], [0, 0, -5])
        self.assertEqual([b["name"] for b in info["bodies"]], ["world", "floater", "arm", "body3", "post"])
        self.assertEqual([b["parent"] for b in info["bodies"]], [None, "world", "floater", "arm", "world"])
        self.assertEqual([b["mass"] for b in info["bodies"]], [0, 2, 3, 0.5, 7])
        self.assertEqual(info["bodies"][2]["pos"], [1, 2, 4])
        joints = info["joints"]
        self.assertEqual([j["name"] for j in joints], ["root", "swing", "joint2", "slider"])
        self.assertEqual([j["type"] for j in joints], ["free", "ball", "hinge", "slide"])
        self.assertEqual([j["qposadr"] for j in joints], [0, 7, 11, 12])
        self.assertEqual([j["dofadr"] for j in joints], [0, 6, 9, 10])
        self.assertIsNone(joints[0]["range"])
        self.assert_near(joints[1]["range"], [0, math.pi / 2], 1e-12)
        self.assert_near(joints[2]["range"], [-math.pi / 6, math.pi / 3], 1e-12)
        self.assertIsNone(joints[3]["range"])
        self.assertEqual(info["actuators"], [])
        self.assertEqual(len(info["loops"]), 1)
        self.assertEqual((info["loops"][0]["name"], info["loops"][0]["body_a"]), ("pin", "arm"))
        self.assertEqual([k["name"] for k in info["keyframes"]], ["home"])
        self.assertIsInstance(info["warnings"], list)

    def test_coupling_to_nothing(self):
        path = os.path.join(SOURCE_DIR, "tests", "data", "mjcf", "equalities.xml")
        info = self.run_json("info", path, "--quiet")
        self.assertEqual([c["leader"] for c in info["couplings"]], ["b", None])
        self.assertIn("nothing", self.run_app("info", path, "--quiet").out)

    def test_text(self):
        text = self.run_app("info", self.file("m.xml", MODEL)).out
        for part in ("sampler", "13 (nq), velocities 11 (nv)", "12.5 kg", "keyframes: home"):
            self.assertIn(part, text)
        self.assertRegex(text, r"(?m)^floater +2 +root +free$")
        self.assertRegex(text, r"(?m)^  arm +3 +swing +ball +cone 1.5708 rad$")
        self.assertRegex(text, r"(?m)^    body3 +0.5 +joint2 +hinge +0 1 0 +-0.523599 … 1.0472 rad$")
        self.assertRegex(text, r"(?m)^ +slider +slide +1 0 0$")
        self.assertRegex(text, r"(?m)^pin +ball +arm +post$")

    def test_bodies_with_joints_of_their_own(self):
        path = self.file(
            "kinds.xml",
            '<mujoco><worldbody><body name="bead" kind="particle" pos="1 2 3"><geom size="1"/></body>'
            '<body name="flat" kind="planar"><geom size="1"/></body>'
            '<body name="arm"><joint name="j"/><geom size="1"/></body></worldbody></mujoco>',
        )
        info = self.run_json("info", path)
        self.assertEqual((info["nq"], info["nv"], info["njnt"]), (7, 7, 7))
        self.assertEqual([b.get("kind") for b in info["bodies"]], [None, "particle", "planar", None])
        own = ["bead.x", "bead.y", "bead.z", "flat.x", "flat.z", "flat.angle"]
        self.assertEqual([j["name"] for j in info["joints"] if j.get("own")], own)
        self.assertEqual([j["qposadr"] for j in info["joints"]], list(range(7)))
        text = self.run_app("info", path).out
        self.assertRegex(text, r"(?m)^bead .* bead\.x +slide \(particle\) +1 0 0 of the world")
        self.assertRegex(text, r"(?m)^ +flat\.angle +hinge \(planar\) +0 1 0 of the world")

    def test_standard_input_and_base(self):
        info = self.run_json("info", "-", stdin=URDF.format(name="r"))
        self.assertEqual((info["nq"], [j["name"] for j in info["joints"]]), (1, ["j"]))
        self.assertEqual(info["joints"][0]["range"], [-1, 2])
        info = self.run_json("info", "-", "--base", "free", stdin=URDF.format(name="r"))
        self.assertEqual((info["nq"], [j["name"] for j in info["joints"]]), (8, ["root_joint", "j"]))
        self.assert_fails(2, ["info", "-"], "<stdin>", stdin="<robot")

    def test_a_link_may_be_called_world(self):
        text = URDF.format(name="r").replace('"a"', '"world"')
        info = self.run_json("info", "-", stdin=text)
        self.assertEqual([b["name"] for b in info["bodies"]], ["world", "world", "b"])
        self.assertEqual([b["parent_id"] for b in info["bodies"]], [-1, 0, 1])
        state = self.run_json("forward", "-", stdin=text)["states"][0]
        self.assertEqual(sorted(state["xpos"]), ["b", "world"])

    def test_generated_names_keep_clear_of_given_ones(self):
        text = '<body><geom size="1"/></body><body name="body1"><geom size="1"/></body>'
        text = f"<mujoco><worldbody>{text}</worldbody></mujoco>"
        names = [b["name"] for b in self.run_json("info", "-", stdin=text)["bodies"]]
        self.assertEqual(names, ["world", "body1_", "body1"])

    def test_long_chains(self):
        count = 10000
        text = "<mujoco><worldbody>" + '<body pos="0 0 1"><joint/><geom size="0.1"/>' * count
        path = self.file("chain.xml", text + "</body>" * count + "</worldbody></mujoco>")
        short = self.run_app("info", path)
        self.assertEqual(short.code, 0, short.err)
        self.assertLess(len(short.out.splitlines()), 230)
        self.assertIn("and 9800 more bodies; --all shows them", short.out)
        full = self.run_app("info", path, "--all")
        self.assertGreater(len(full.out.splitlines()), count)
        self.assertLess(len(full.out), 200 * count)
        self.assertEqual(self.run_json("info", path)["nv"], count)


class CheckTest(AppTest):
    def test_clean(self):
        for name in ("acrobat.xml", "arm.urdf"):
            path = os.path.join(SCENES, name)
            result = self.run_app("check", path, "--strict")
            self.assertEqual((result.code, result.err), (0, ""))
            self.assertEqual(result.out, f"{path}: 0 errors, 0 warnings\n")

    def test_warnings_and_strict(self):
        path = self.file("r.urdf", URDF.format(name=""))
        result = self.run_app("check", path)
        self.assertEqual(result.code, 0)
        lines = result.out.splitlines()
        self.assertRegex(lines[0], r"r\.urdf:\d+:\d+: warning\[W\d+\]: ")
        count = len(lines) - 1
        self.assertEqual(lines[-1], f"{path}: 0 errors, {count} warning{'' if count == 1 else 's'}")

        strict = self.run_app("check", path, "--strict")
        self.assertEqual(strict.code, 2)
        self.assertRegex(strict.out, r"r\.urdf:\d+:\d+: error\[W\d+\]: ")
        self.assertEqual(self.run_app("check", path, "--quiet").out.count("\n"), 1)

        document = self.run_json("check", path)
        self.assertEqual((document["errors"], document["warnings"]), (0, len(lines) - 1))
        first = document["diagnostics"][0]
        self.assertRegex(first["code"], r"^W\d+$")
        self.assertEqual(first["location"], f"{path}:{first['line']}:{first['column']}")
        self.assertTrue(first["message"])

        # Other commands print warnings beside their result.
        info = self.run_app("info", path, "--json")
        self.assertEqual(len(info.json()["warnings"]), len(lines) - 1)
        self.assertEqual(info.err.splitlines(), lines[:-1])
        self.assertEqual(self.run_app("info", path, "--quiet").err, "")
        self.assert_fails(2, ["info", path, "--strict"], "error[W")

    def test_errors(self):
        broken = URDF.replace('value="1"', 'value="-1"').replace('xyz="0 0 1"', 'xyz="0 0 0"')
        path = self.file("r.urdf", broken.format(name="r"))
        result = self.run_app("check", path)
        self.assertEqual(result.code, 2)
        self.assertGreaterEqual(result.out.count("error["), 1)
        document = self.run_app("check", path, "--json")
        self.assertEqual(document.code, 2)
        self.assertEqual(document.json()["errors"], result.out.count("error["))

    def test_kinds_of_errors(self):
        missing = os.path.join(self.folder, "missing.urdf")
        mesh = '<mujoco><asset><mesh name="m" file="m.stl"/></asset><worldbody><body><freejoint/>'
        mesh += '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>'
        rope = '<mujoco><worldbody><composite type="cable" count="3 1 1"/></worldbody></mujoco>'
        for code, path in (
            (4, missing),
            (2, self.file("empty.xml", "")),
            (2, self.file("other.xml", "<sdf/>")),
            (2, self.file("truncated.urdf", "<robot><link")),
            (2, self.file("mesh.xml", mesh)),
            (5, self.file("rope.xml", rope)),
        ):
            with self.subTest(path):
                self.assertEqual(self.run_app("check", path).code, code)
                self.assert_fails(code, ["info", path], "error[")
                self.assert_fails(code, ["forward", path, "--json"], "error[")


if __name__ == "__main__":
    main()
