"""What somebody new does wrong. Every message says where it is, what is the matter and what to do."""

import os
import re
import unittest

from support import SOURCE_DIR, AppTest, main

GOOD = """<mujoco><worldbody><geom name="floor" type="plane" size="5 5 1"/>
<body name="crate" pos="0 0 1"><freejoint name="crate"/><geom name="crate" type="box" size="0.1 0.1 0.1"/></body></worldbody>
<keyframe><key name="dropped" qpos="0 0 2 1 0 0 0"/></keyframe></mujoco>"""


class NewcomerTest(AppTest):
    def setUp(self):
        super().setUp()
        self.model = self.file("crate.xml", GOOD)

    def path(self, name):
        return os.path.join(self.folder, name)

    def says(self, code, words, *expected, stdin=""):
        """Fails so, with all of this in a message without anything of how the program is made."""
        result = self.run_app(*words, stdin=stdin)
        self.assertEqual(result.code, code, f"{words}: {result.err}")
        for part in expected:
            self.assertIn(part, result.err)
        for part in ("lig::", "std::", "terminate", "Assertion", "{}"):
            self.assertNotIn(part, result.err)
        return result

    def test_a_wrong_path(self):
        self.says(4, ["run", self.path("carte.xml")], "carte.xml", "there is no such file", "did you mean", "crate.xml?")
        self.says(4, ["run", self.path("models/crate.xml")], "there is no such file", "there is no folder")
        self.says(2, ["run", self.folder], "this is a folder, not a file", "give the path of a file")
        self.says(4, ["run", self.model, "--state", self.path("sate.json")], "sate.json", "there is no such file", "check the path")
        self.says(4, ["run", self.model, "--track", self.path("walk.bvh")], "walk.bvh", "there is no such file")

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_no_permission(self):
        os.chmod(self.model, 0)
        self.says(4, ["run", self.model], "cannot be opened: Permission denied", "check its permissions")

    def test_a_wrong_command_or_option(self):
        self.says(1, ["rnu", self.model], "no command 'rnu'", "did you mean 'run'?", "Try 'ligament --help'")
        self.says(1, ["simulate", self.model], "there are: info, check")
        self.says(1, ["run"], "MODEL is missing", "Try 'ligament run --help'")
        self.says(1, ["run", self.model, "--druation", "3"], "no option '--druation'", "did you mean '--duration'?")
        self.says(1, ["run", self.model, "--dur", "3"], "did you mean '--duration'?")
        self.says(1, ["run", self.model, "-q"], "did you mean '--quiet'?")
        self.says(1, ["run", self.model, "extra"], "one argument too many: 'extra'", "--help")
        self.says(1, ["run", self.model, "--out"], "--out needs a value", "--help")

    def test_a_wrong_name(self):
        self.says(5, ["run", self.model, "--formulation", "reducd"], "did you mean 'reduced'?")
        self.says(5, ["run", self.model, "--formulation", "featherstone"], "one of reduced, multiplier", "'ligament list formulations'")
        self.says(1, ["run", self.model, "--key", "droped"], "did you mean 'dropped'?")
        self.says(1, ["run", self.model, "--key", "standing"], "it has: dropped")
        arm = os.path.join(SOURCE_DIR, "scenes", "arm.urdf")
        self.says(1, ["run", arm, "--key", "home"], "it has none at all", "leave out --key", "--state")
        self.says(1, ["run", arm, "--set", "elbo=1"], "no coordinate 'elbo'", "did you mean 'elbow'?")
        self.says(1, ["forward", arm, "--jacobian", "gripper"], "no body or site 'gripper'", "'ligament info MODEL'")
        self.says(1, ["run", self.model, "--integrator", "rk5"], "did you mean 'rk4'?")
        self.says(5, ["run", self.model, "--formulation", "impulse", "--integrator", "rk4"], "does not have the integrator rk4", "leave out that option", "'ligament list formulations'")

    def test_a_wrong_number(self):
        self.says(1, ["run", self.model, "--dt", "-1"], "--dt is a time in seconds, not '-1'", "it must be more than 0")
        self.says(1, ["run", self.model, "--dt", "0,01"], "decimals have a point: 0.01")
        self.says(1, ["run", self.model, "--duration", "-3"], "it must not be less than 0")
        self.says(1, ["run", self.model, "--threads", "-1"], "--threads is a whole number from 0 on")
        wrong = self.says(1, ["run", self.model, "--integrator", "rk4", "--dt", "0.01", "--every", "0.025"], "not a multiple of the step (0.01 s)")
        for words in (["--every", "0.03"], ["--dt", "0.00833333"]):
            self.assertIn(" ".join(words), wrong.err)
        self.assertEqual(self.run_app("run", self.model, "--integrator", "rk4", "--dt", "0.01", "--every", "0.03", "--duration", "0.1").code, 0)

    def test_broken_files(self):
        broken = self.file("broken.xml", '<mujoco>\n  <worldbody>\n    <body name="a">\n      <geom size="0.1"></body>\n</mujoco>\n')
        self.says(2, ["run", broken], "broken.xml:4:24: error[E003]", "not well formed", "every <name> needs its own </name>")
        self.says(2, ["run", self.file("empty.xml", "")], "empty.xml: error[E002]: the file is empty", "give a file with a model in it")
        with open(self.path("picture.xml"), "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 4)
        self.says(2, ["run", self.path("picture.xml")], "this is not XML", "give a URDF or MJCF file")
        self.says(2, ["run", self.model, "--state", self.file("s.json", '{"qpos": [0, 0')], "s.json:1:", "not well formed")
        self.says(2, ["run", self.model, "--state", self.file("s.json", {"qpos": [0], "qvel": [0] * 6})], "qpos has 1 numbers; the model needs 7")

    def test_meshes_that_are_not_there(self):
        robot = self.file("robot.urdf", """<robot name="r"><link name="base">
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="package://nowhere/base.stl"/></geometry></visual></link></robot>""")
        result = self.run_app("info", robot)
        self.assertEqual(result.code, 0)
        self.assertIn("robot.urdf:3:", result.err)
        self.assertIn("was not found; tried:", result.err)
        self.assertIn("give the folder that holds the package", result.err)

    def test_what_is_not_supported(self):
        model = self.file("others.xml", """<mujoco><worldbody><body name="a"><joint name="j"/><geom size="0.1"/></body>
<composite type="cable" count="10 1 1"/></worldbody>
<actuator><pid name="biceps" joint="j" kp="1"/></actuator>
<extension><plugin plugin="mujoco.elasticity.cable"/></extension></mujoco>""")
        self.says(5, ["run", model],
                  "others.xml:3:22: error[U124]", '<pid "biceps">', "write it as <general>, <motor>",
                  "others.xml:2:1: error[U090]: <composite>", "write the bodies out",
                  "others.xml:4:12: error[U115]", "take it out")

    def test_places_that_cannot_be_written(self):
        missing = os.path.join(self.folder, "results", "a.csv")
        self.says(4, ["run", self.model, "--out", missing], "a.csv: error: cannot be written", "make it first: mkdir -p", "results")
        self.says(4, ["convert", self.model, os.path.join(self.folder, "results", "a.xml")], "make it first: mkdir -p")
        os.mkdir(self.path("folder.csv"))
        self.says(4, ["run", self.model, "--out", self.path("folder.csv")], "this is a folder; name a file in it")
        self.says(1, ["run", self.model, "--out", self.path("a.mp4")], "the ending tells the format", ".csv, .npz")
        self.says(1, ["convert", self.model, self.model], "is the model itself; write to another file")
        self.says(4, ["bench", "--plots", self.path("results")], "mkdir -p")
        if os.path.exists("/dev/full"):
            os.symlink("/dev/full", self.path("full.csv"))
            self.says(4, ["run", self.model, "--out", self.path("full.csv")], "full.csv: error: cannot be written: No space left", "make room on the disk", "--every")

    def test_messages_of_the_page_are_those_of_the_program(self):
        """The first column of docs/troubleshooting.md, where it quotes messages, is in the source."""
        source = ""
        for folder, _, names in os.walk(os.path.join(SOURCE_DIR, "src")):
            for name in names:
                if name.endswith((".cpp", ".h")):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        source += re.sub(r'"\s*\n\s*"', "", file.read())
        with open(os.path.join(SOURCE_DIR, "docs", "troubleshooting.md"), encoding="utf-8") as file:
            page = file.read()
        tables = re.findall(r"(?m)^\| message \|.*\n\|---.*\n((?:\|.*\n)+)", page)
        self.assertEqual(len(tables), 2)
        messages = re.findall(r"(?m)^\| `(.*?)`", "".join(tables))
        self.assertGreater(len(messages), 10)
        for message in messages:
            self.assertIn(message, source)
        statuses = re.findall(r"(?m)^\| `(\w+)`", page.split("| status |")[1].split("\n\n")[0])
        for status in statuses:
            self.assertIn(f'return "{status}"', source)

    def test_a_scene_that_diverges(self):
        """tests/app/failure_hints_test.py has more of them, and tries what they advise."""
        stiff = self.file("stiff.xml", """<mujoco><option timestep="0.01"/><worldbody><body name="arm">
<joint name="elbow" axis="0 1 0" stiffness="1e7" springref="30"/><geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.03"/>
</body></worldbody></mujoco>""")
        result = self.says(3, ["run", stiff, "--integrator", "rk4"], "energy_gained", "'elbow'", "try --integrator auto", "docs/troubleshooting.md")
        self.assertIn("simulated", result.out)
        self.assertEqual(self.run_app("run", stiff, "--integrator", "auto", "--duration", "1").code, 0)


if __name__ == "__main__":
    main()
