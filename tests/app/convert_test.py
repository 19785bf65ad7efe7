"""convert: what it writes loads back to the same model, and how it ends when it cannot write."""

import os

from support import SOURCE_DIR, AppTest, main

SCENES = os.path.join(SOURCE_DIR, "scenes")
ACROBAT = os.path.join(SCENES, "acrobat.xml")
ARM = os.path.join(SCENES, "arm.urdf")

# Things that a converted file says in another way: degrees, classes, frames, fromto, materials, a loop.
MODEL = """<mujoco model="sampler">
  <compiler eulerseq="XYZ"/>
  <default>
    <joint damping="0.3"/>
    <default class="thick"><geom size="0.07" material="red"/></default>
  </default>
  <asset><material name="red" rgba="1 0 0 1"/></asset>
  <worldbody>
    <frame euler="10 20 30" pos="0.1 0.2 0.3">
      <body name="upper" pos="0 0 1" euler="3 4 5">
        <joint name="shoulder" axis="1 1 0" range="-70 40" ref="12" stiffness="3" springref="5"/>
        <geom class="thick" type="capsule" fromto="0 0 0 0.3 0.1 0.2"/>
        <body name="lower" pos="0.3 0.1 0.2">
          <joint name="elbow" type="ball" range="0 100"/>
          <geom class="thick" type="box" size="0.1 0.2 0.3" pos="0.1 0 0"/>
        </body>
      </body>
    </frame>
    <body name="post" pos="1 0 0"><geom size="0.1"/></body>
  </worldbody>
  <equality><connect name="pin" body1="lower" body2="post" anchor="0.1 0.2 0.3"/></equality>
</mujoco>
"""


class ConvertTest(AppTest):
    def assert_same_model(self, one, other):
        """All that info and forward tell, down to the last digit. Places in the files differ."""
        a, b = self.run_json("info", one), self.run_json("info", other)
        a.pop("warnings"), b.pop("warnings")
        self.assertEqual(a, b)
        disable = ["--disable", "constraint,contact"]
        states = [self.run_json("forward", path, *disable)["states"][0] for path in (one, other)]
        for state in states:
            state.pop("microseconds", None)
        self.assertEqual(states[0], states[1])

    def test_round_trip(self):
        for path in (ACROBAT, ARM, self.file("sampler.xml", MODEL)):
            with self.subTest(path):
                out = os.path.join(self.folder, "out.xml")
                result = self.run_app("convert", path, out)
                self.assertEqual((result.code, result.out, result.err), (0, "", ""))
                self.assert_same_model(path, out)
                # What is written once is written the same again.
                again = os.path.join(self.folder, "again.xml")
                self.assertEqual(self.run_app("convert", out, again).code, 0)
                with open(out, "rb") as first, open(again, "rb") as second:
                    self.assertEqual(first.read(), second.read())

    def test_stdout_and_stdin(self):
        written = self.run_app("convert", ARM, "-")
        self.assertEqual(written.code, 0)
        self.assertTrue(written.out.startswith('<mujoco model="arm">\n'))
        piped = self.run_app("convert", "-", "-", stdin=written.out)
        self.assertEqual((piped.code, piped.out), (0, written.out))

    def test_free_base(self):
        out = os.path.join(self.folder, "free.xml")
        self.assertEqual(self.run_app("convert", ARM, out, "--base", "free").code, 0)
        joints = self.run_json("info", out)["joints"]
        self.assertEqual((joints[0]["name"], joints[0]["type"]), ("root_joint", "free"))

    def test_help_shows_an_example_first(self):
        help_text = self.run_app("convert", "--help").out
        self.assertTrue(help_text.startswith("Examples:\n    ligament convert "), help_text)
        for part in ("mjcf (.xml, .mjcf)", "--base", "standard output"):
            self.assertIn(part, help_text)

    def test_other_endings_name_the_formats(self):
        for name, part in (
            ("out.sdf", "no format has the ending '.sdf'"),
            ("out", "no ending"),
            ("out.urdf", "urdf is read, but not written"),
        ):
            with self.subTest(name):
                out = os.path.join(self.folder, name)
                self.assert_fails(1, ["convert", ARM, out], part, "mjcf (.xml, .mjcf)")
                self.assertFalse(os.path.exists(out))

    def test_the_model_is_not_overwritten(self):
        path = self.file("model.xml", MODEL)
        link = os.path.join(self.folder, "link.xml")
        os.symlink(path, link)
        for out in (path, os.path.join(self.folder, ".", "model.xml"), link):
            with self.subTest(out):
                self.assert_fails(1, ["convert", path, out], "is the model itself")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), MODEL)

    def test_writing_fails(self):
        nowhere = os.path.join(self.folder, "nowhere", "out.xml")
        self.assert_fails(4, ["convert", ARM, nowhere], nowhere, "cannot be written: No such file")
        full = os.path.join(self.folder, "full.xml")
        if os.path.exists("/dev/full"):
            os.symlink("/dev/full", full)
            self.assert_fails(4, ["convert", ARM, full], "cannot be written: No space left")

    def test_wrong_models_are_not_written(self):
        out = os.path.join(self.folder, "out.xml")
        missing = os.path.join(self.folder, "missing.xml")
        self.assert_fails(4, ["convert", missing, out], "error[E001]")
        wrong = self.file("wrong.xml", '<mujoco><worldbody><body pos="1 2"/></worldbody></mujoco>')
        self.assert_fails(2, ["convert", wrong, out], "wrong.xml:1:", "error[E007]")
        self.assertFalse(os.path.exists(out))
        self.assert_fails(1, ["convert", ARM], "OUT")

    def test_warnings_are_printed(self):
        path = self.file("typo.xml", '<mujoco><worldbody><body nmae="b"/></worldbody></mujoco>')
        out = os.path.join(self.folder, "out.xml")
        result = self.run_app("convert", path, out)
        self.assertEqual(result.code, 0)
        self.assertIn("typo.xml:1:", result.err)
        self.assertIn("warning[W010]", result.err)
        self.assertEqual(self.run_app("convert", path, out, "--quiet").err, "")
        self.assert_fails(2, ["convert", path, out, "--strict"], "error[W010]")


if __name__ == "__main__":
    main()
