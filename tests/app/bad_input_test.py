"""Wrong model files cost a message with its place and nothing more: no crash, no hang, no silent result."""

import os
import random
import re
import shutil
import subprocess
import time

from support import SOURCE_DIR, AppTest, main

SCENES = [os.path.join(SOURCE_DIR, "scenes", name) for name in ("acrobat.xml", "arm.urdf")]

# Attributes that the shipped scenes do without.
MJCF = """<mujoco>
  <compiler angle="radian" inertiagrouprange="0 5"/>
  <option timestep="0.002" gravity="0 0 -9.81"/>
  <default>
    <default class="heavy">
      <geom density="900"/>
      <joint damping="0.1"/>
    </default>
  </default>
  <worldbody>
    <body name="a" pos="0 0 1" quat="1 0 0 0" gravcomp="0.5">
      <inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0"/>
      <joint name="ja" axis="0 0 1" pos="0 0 0" range="-1 1" ref="0.1" armature="0.1" damping="0.2"
             stiffness="3" springref="0.1" frictionloss="0.1"/>
      <body name="b" axisangle="0 0 1 0.5">
        <inertial pos="0 0 0" mass="1" diaginertia="1 1 1" quat="1 0 0 0"/>
        <joint name="jb" type="ball" range="0 1"/>
        <body name="c" euler="0 0 0.5">
          <geom class="heavy" type="capsule" fromto="0 0 0 0 0 1" size="0.1"/>
          <joint name="jc"/>
          <body name="d" xyaxes="1 0 0 0 1 0">
            <geom type="box" size="0.1 0.1 0.1" pos="0 0 0" mass="1" friction="1 0.005 0.0001"/>
            <site name="s" zaxis="0 0 1"/>
            <joint name="jd" type="slide"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <equality>
    <connect body1="d" anchor="0 0 0"/>
    <weld body1="c" body2="b" relpose="0 0 0 1 0 0 0"/>
    <joint joint1="ja" joint2="jc" polycoef="0 1 0 0 0"/>
  </equality>
  <keyframe>
    <key name="k" time="0" qpos="0 1 0 0 0 0 0" qvel="0 0 0 0 0 0"/>
  </keyframe>
</mujoco>
"""
URDF = """<robot name="r">
  <material name="m"><color rgba="1 0 0 1"/></material>
  <link name="a"/>
  <link name="b">
    <inertial><origin xyz="0 0 0" rpy="0 0 0"/><mass value="1.5"/>
      <inertia ixx="1" iyy="1" izz="2" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><cylinder radius="0.1" length="1"/></geometry></visual>
    <collision><geometry><sphere radius="0.1"/></geometry></collision>
    <collision><geometry><box size="1 1 1"/></geometry></collision>
    <collision><geometry><mesh filename="m.stl" scale="1 1 1"/></geometry></collision>
  </link>
  <link name="c">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="j" type="revolute">
    <origin xyz="0 0 1" rpy="0 0 0"/>
    <parent link="a"/>
    <child link="b"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" effort="3" velocity="4"/>
    <dynamics damping="0.1" friction="0.2"/>
  </joint>
  <joint name="k" type="continuous">
    <parent link="b"/>
    <child link="c"/>
    <axis xyz="0 0 1"/>
    <mimic joint="j" multiplier="2" offset="0.1"/>
  </joint>
</robot>
"""

NUMERIC = re.compile(r'(?P<name>\w+)="(?P<first>[-+.\deE]+)(?P<rest>(?: +[-+.\deE]+)*)"')


def element_of(text, offset):
    return re.match(r"<([?\w:]+)", text[text.rindex("<", 0, offset) :]).group(1)


def numeric_attributes(text):
    """The first use of every numeric attribute of every element."""
    seen = set()
    without_comments = re.sub(r"(?s)<!--.*?-->", lambda comment: " " * len(comment.group()), text)
    for match in NUMERIC.finditer(without_comments):
        kind = (element_of(text, match.start()), match["name"])
        # Names and versions may look like numbers, too.
        if kind not in seen and match["name"] not in ("name", "version"):
            seen.add(kind)
            yield kind, match


class BadInputTest(AppTest):
    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def refused(self, path, *expected, code=2):
        """The model is refused, and every message of the program begins with a place in a file."""
        result = self.assert_fails(code, ["info", path], *expected)
        self.assertRegex(result.err, r"(?m)^\S+:\d+:\d+: error\[[EUF]\d+\]: ")
        return result

    def survives(self, path):
        """Whatever the file holds, the program ends by itself, and with a message if it cannot use it."""
        result = self.run_app("info", path, "--json")
        self.assertIn(result.code, (0, 2, 5), f"{path}: {result.err}")
        if result.code == 0:
            result.json()
        else:
            self.assertEqual(result.out, "")
            self.assertRegex(result.err, rf"(?m)^{re.escape(self.folder)}\S*:\d+:\d+: error\[")
        return result

    def test_nothing_to_read(self):
        for ending in (".xml", ".urdf"):
            with self.subTest(ending):
                missing = os.path.join(self.folder, "missing" + ending)
                self.assert_fails(4, ["info", missing], missing, "error[")
                folder = os.path.join(self.folder, "folder" + ending)
                os.mkdir(folder)
                self.assert_fails(2, ["info", folder], folder, "error[E015]")
                for content in ("", " \t\n\n  ", "\ufeff", "\ufeff\r\n", "<!-- only a comment -->"):
                    void = self.write("void" + ending, content)
                    self.assert_fails(2, ["info", void], f"{void}: error[E00")
                void = self.write("void" + ending, "\0" * 50)
                self.refused(void, void + ":1:1: error[E003]")

    def test_truncations(self):
        for path in SCENES:
            with open(path, "rb") as file:
                content = file.read()
            for length in range(1, len(content.rstrip()), 200):
                with self.subTest(f"{os.path.basename(path)}, {length} bytes"):
                    cut = self.write(os.path.basename(path), content[:length])
                    self.assertEqual(self.survives(cut).code, 2)

    def test_mutations(self):
        for path in SCENES:
            with open(path, "rb") as file:
                content = file.read()
            dice = random.Random(os.path.basename(path))
            for round_number in range(300):
                mutant = bytearray(content)
                for _ in range(dice.choice((1, 1, 2, 5, 20))):
                    at = dice.randrange(len(mutant))
                    kind = dice.randrange(4)
                    if kind == 0:
                        mutant[at] = dice.randrange(256)
                    elif kind == 1:
                        del mutant[at : at + dice.randrange(1, 30)]
                    elif kind == 2:
                        mutant[at:at] = mutant[dice.randrange(len(mutant)) :][: dice.randrange(1, 200)]
                    else:
                        mutant[at] = dice.choice(b"<>\"'&/=-0 9e\n\0")
                with self.subTest(f"{os.path.basename(path)}, {round_number}"):
                    self.survives(self.write(os.path.basename(path), bytes(mutant)))

    def test_numbers(self):
        texts = [("m.xml", MJCF), ("m.urdf", URDF)]
        for path in SCENES:
            with open(path, encoding="utf-8") as file:
                texts.append((os.path.basename(path), file.read()))
        for name, text in texts:
            self.assertEqual(self.run_app("info", self.write(name, text)).code, 0)
            for kind, match in numeric_attributes(text):
                for word in ("nan", "inf", "-Infinity", "1e999", "0x10", "1,5", "1.2.3", "--1", "1f"):
                    with self.subTest((name, kind, word)):
                        start, end = match.span("first")
                        path = self.write(name, text[:start] + word + text[end:])
                        line = text.count("\n", 0, start) + 1
                        column = start - text.rfind("\n", 0, start)
                        self.refused(path, f"{path}:{line}:{column}: error[")

    def refused_change(self, text, old, new, *expected):
        """The text is refused with this change, and an error stands where the change is."""
        with self.subTest(new):
            self.assertEqual(text.count(old), 1)
            path = self.write("m.xml" if text is MJCF else "m.urdf", text.replace(old, new))
            line = text.count("\n", 0, text.index(old) + len(os.path.commonprefix([old, new]))) + 1
            error = rf"(?m)^{re.escape(path)}:{line}:\d+: error\["
            self.assertRegex(self.refused(path, *expected).err, error)

    def test_physics(self):
        for text, old, new in (
            (MJCF, 'mass="1" fullinertia', 'mass="-1" fullinertia'),
            (MJCF, "1 1 1 0 0 0", "1 1 1 0 0 2"),
            (MJCF, 'diaginertia="1 1 1"', 'diaginertia="1 1 -1"'),
            (MJCF, 'axis="0 0 1" pos', 'axis="0 0 0" pos'),
            (MJCF, 'axisangle="0 0 1', 'axisangle="0 0 0'),
            (MJCF, 'quat="1 0 0 0" gravcomp', 'quat="0 0 0 0" gravcomp'),
            (MJCF, 'density="900"', 'density="-900"'),
            (MJCF, 'timestep="0.002"', 'timestep="-1"'),
            (MJCF, 'fromto="0 0 0 0 0 1"', 'fromto="0 0 0 0 0 0"'),
            (MJCF, 'range="-1 1"', 'range="1 -1" limited="true"'),
            (URDF, 'mass value="1.5"', 'mass value="-1.5"'),
            (URDF, '<mass value="1.5"/>\n      <inertia ixx="1"', '<mass value="1.5"/>  <inertia ixx="-1"'),
            (URDF, '<axis xyz="0 0 1"/>\n    <limit', '<axis xyz="0 0 0"/>\n    <limit'),
            (URDF, 'radius="0.1" length', 'radius="-0.1" length'),
            (URDF, 'lower="-1"', 'lower="5"'),
        ):
            self.refused_change(text, old, new)

    def test_references(self):
        for text, old, new, *expected in (
            (MJCF, 'class="heavy" type', 'class="hevy" type', "'hevy'", "'heavy'"),
            (MJCF, 'name="b" axisangle', 'name="b" childclass="none" axisangle', "'none'"),
            (MJCF, 'joint2="jc"', 'joint2="jx"', "'jx'"),
            (MJCF, 'body1="d"', 'body1="dd"', "'dd'"),
            (MJCF, 'qvel="0 ', 'qvel="0 0 ', "qvel", "6"),
            (URDF, '<parent link="a"/>', '<parent link="aa"/>', "'aa'"),
            (URDF, '<child link="c"/>', '<child link="cc"/>', "'cc'"),
            (URDF, 'mimic joint="j"', 'mimic joint="k"', "itself"),
        ):
            self.refused_change(text, old, new, *expected)
        # What other programs read is read, with a warning at its place.
        for text, old, new, *expected in (
            (MJCF, 'qpos="0 1', 'qpos="1', "W191", "qpos has 6 numbers, the model needs 7"),
            (URDF, 'mimic joint="j"', 'mimic joint="jj"', "W078", "'jj'", "did you mean 'j'?"),
        ):
            with self.subTest(new):
                path = self.write("m.xml" if text is MJCF else "m.urdf", text.replace(old, new))
                result = self.run_app("info", path)
                self.assertEqual(result.code, 0)
                for part in expected:
                    self.assertIn(part, result.err)
                self.assertEqual(self.run_app("info", path, "--strict").code, 2)

    second_parent = '<joint name="l" type="fixed"><parent link="a"/><child link="c"/></joint>'

    def test_what_is_no_tree(self):
        for name, old, new, *expected in (
            ("two roots", '<link name="a"/>', '<link name="a"/><link name="alone"/>', "E064", "alone"),
            ("two parents", "</robot>", self.second_parent + "</robot>", "E066", "'c'"),
            ("a cycle", '<parent link="a"/>', '<parent link="c"/>', "E065"),
        ):
            with self.subTest(name):
                self.assertEqual(URDF.count(old), 1)
                self.refused(self.write("m.urdf", URDF.replace(old, new)), *expected)

    def test_includes_in_a_circle(self):
        self.write("b.xml", '<mujoco><include file="c.xml"/></mujoco>')
        self.write("c.xml", '<mujoco>\n<include file="a.xml"/></mujoco>')
        self.refused(self.write("a.xml", '<mujoco><include file="b.xml"/></mujoco>'), "c.xml:2:", "a.xml")
        self.refused(self.write("a.xml", '<mujoco><include file="a.xml"/></mujoco>'), "a.xml:1:")

    def test_deep_nesting(self):
        count = 100000
        for name, opening, closing in (
            ("m.urdf", "<robot name='r'><link name='a'>" + "<x>" * count, "</x>" * count + "</link></robot>"),
            ("m.urdf", "<robot name='r'>" + "<link name='a'>" * count, "</link>" * count + "</robot>"),
            ("m.xml", "<mujoco><worldbody>" + "<x>" * count, "</x>" * count + "</worldbody></mujoco>"),
            ("m.xml", "<mujoco>" * count, "</mujoco>" * count),
            ("m.xml", "<mujoco>" + "<default>" * count, "</default>" * count + "</mujoco>"),
            ("m.xml", "<x>" * count, "</x>" * count),
        ):
            with self.subTest(opening[:40]):
                self.survives(self.write(name, opening + closing))
                self.refused(self.write(name, opening), name)

    def test_chains_of_nested_bodies(self):
        body = '<body pos="0 0 1"><joint/><geom size="0.1"/>'
        for count, seconds in ((10000, 10), (100000, 100)):
            with self.subTest(count):
                text = "<mujoco><worldbody>" + body * count + "</body>" * count + "</worldbody></mujoco>"
                before = time.monotonic()
                info = self.run_json("info", self.write("chain.xml", text))
                self.assertLess(time.monotonic() - before, seconds)
                self.assertEqual((info["nv"], info["nbody"]), (count, count + 1))
                self.assertEqual(info["bodies"][-1]["pos"], [0, 0, count])

    def test_line_ends_and_byte_order_marks(self):
        for path in SCENES:
            plain = self.run_json("info", path)
            with open(path, "rb") as file:
                content = file.read()
            windows = content.replace(b"\n", b"\r\n")
            for change, changed in (
                ("Windows line ends", windows),
                ("byte order mark", b"\xef\xbb\xbf" + content),
                ("both", b"\xef\xbb\xbf" + windows),
                ("UTF-16", b"\xff\xfe" + content.decode().encode("utf-16-le")),
            ):
                with self.subTest((path, change)):
                    info = self.run_json("info", self.write(os.path.basename(path), changed))
                    self.assertEqual(info, plain)

    def comma_locale(self):
        """The environment of a locale with a decimal comma: an installed one, or one made from its sources."""

        def run(*words):
            return subprocess.run(words, capture_output=True, encoding="utf-8", check=False)

        installed = run("locale", "-a").stdout.split()
        for name in ("de_DE.utf8", "de_DE.UTF-8", "fr_FR.utf8", "fr_FR.UTF-8"):
            if name in installed:
                return {"LC_ALL": name}
        if shutil.which("localedef"):
            target = os.path.join(self.folder, "de_DE.UTF-8")
            if run("localedef", "-i", "de_DE", "-f", "UTF-8", target).returncode == 0:
                return {"LC_ALL": "de_DE.UTF-8", "LOCPATH": self.folder}
        self.skipTest("there is no locale with a decimal comma")

    def test_locale(self):
        comma = self.comma_locale()
        for path in SCENES:
            for words in (["info", path], ["info", path, "--json"], ["check", path]):
                with self.subTest(words):
                    plain = self.run_app(*words, env={"LC_ALL": "C"})
                    local = self.run_app(*words, env=comma)
                    self.assertEqual((local.code, local.out, local.err), (plain.code, plain.out, plain.err))


if __name__ == "__main__":
    main()
