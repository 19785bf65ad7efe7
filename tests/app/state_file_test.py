"""Files of states: what is wrong with them is named with its place."""

import json
import os

from support import SOURCE_DIR, AppTest, main

ARM = os.path.join(SOURCE_DIR, "scenes", "arm.urdf")
ACROBAT = os.path.join(SOURCE_DIR, "scenes", "acrobat.xml")
GOOD = {"qpos": [0] * 6, "qvel": [0] * 6}


class StateFileTest(AppTest):
    def words(self, content, command="forward"):
        return [command, ARM, "--quiet", "--state", self.file("s.json", content)]

    def test_wrong_fields(self):
        for change, expected in (
            ({"qpos": [0] * 5}, "qpos has 5 numbers; the model needs 6 (nq)"),
            ({"qvel": [0] * 7}, "qvel has 7 numbers; the model needs 6 (nv)"),
            ({"qvel": "fast"}, "qvel is a string; it should be an array of numbers"),
            ({"qvel": [0, 0, None, 0, 0, 0]}, "qvel[2] is null; it should be a finite number"),
            ({"qvel": [0, True, 0, 0, 0, 0]}, "qvel[1] is true or false"),
            ({"qfrc_applied": [0]}, "qfrc_applied has 1 numbers; the model needs 6 (nv)"),
            ({"ctrl": [0]}, "ctrl has 1 numbers; the model needs 0 (nu)"),
            ({"act": [0]}, "act has 1 numbers; the model needs 0 (na)"),
            ({"xfrc_applied": [0]}, "xfrc_applied is an array; it should be an object"),
            ({"xfrc_applied": {"flnge": [0] * 6}}, "no body 'flnge'; did you mean 'flange'?"),
            ({"xfrc_applied": {"flange": [0] * 3}}, "xfrc_applied['flange'] has 3 numbers; it needs 6"),
        ):
            with self.subTest(expected):
                bad = {**GOOD, **change}
                self.assert_fails(2, self.words(bad), "s.json: error: state 0: ", expected)
                third = {"states": [GOOD, GOOD, bad]}
                self.assert_fails(2, self.words(third), "s.json: error: state 2: ", expected)

    def test_missing_fields(self):
        self.assert_fails(2, self.words({"qvel": [0] * 6}), "state 0: qpos is missing; 6 numbers (nq)")
        self.assert_fails(2, self.words({"qpos": [0] * 6}), "state 0: qvel is missing; 6 numbers (nv)")
        self.assert_fails(2, self.words(GOOD, "inverse"), "state 0: qacc is missing; 6 numbers (nv)")

    def test_every_error_is_listed(self):
        result = self.assert_fails(2, self.words({"states": [{"qpos": []}, 7, {"qvel": []}]}))
        self.assertEqual(result.err.count("error: state 0"), 2)
        self.assertIn("state 1: is a number; it should be an object", result.err)
        self.assertEqual(result.err.count("error: state 2"), 2)
        many = self.assert_fails(2, self.words({"states": [{}] * 1000}), "more errors like these")
        self.assertLess(many.err.count("\n"), 30)

    def test_wrong_documents(self):
        self.assert_fails(2, self.words("[1]"), "s.json: error: holds an array; it should hold one state")
        self.assert_fails(2, self.words({"states": {}}), "'states' is an object; it should be an array")
        self.assert_fails(2, self.words('{"qpos": [0,\n  0, x'), "s.json:2:6: error", "not well formed")
        self.assert_fails(2, self.words('{"qpos": [NaN]}'), "s.json:1:11: error")
        self.assert_fails(2, self.words('{"qpos": [1e999]}'), "s.json", "error", "1e999")
        self.assert_fails(2, self.words(""), "s.json:1:1: error")
        self.assert_fails(2, self.words("[" * 100000), "s.json:1:1000")
        for path in (os.path.join(self.folder, "none.json"), self.folder):
            self.assert_fails(4, ["forward", ARM, "--state", path], path, "cannot be read")

    def test_unknown_fields(self):
        words = self.words({"states": [{**GOOD, "qvell": []}] * 3})
        words.remove("--quiet")
        result = self.run_app(*words, "--disable", "contact")
        self.assertEqual(result.code, 0)
        message = "the field 'qvell' is not known and was not read; did you mean 'qvel'?"
        self.assertEqual(result.err.count(message), 1)
        self.assert_fails(2, [*words, "--strict", "--disable", "contact"], "error: the field 'qvell'")
        outside = self.words({"states": [], "model": "arm"})
        outside.remove("--quiet")
        self.assertIn("the field 'model' is not known", self.run_app(*outside).err)

    def test_accepted(self):
        for change in ({"ctrl": [], "act": []}, {"time": 3}, {"qacc": [0] * 6}, {"xfrc_applied": {}}):
            self.assertEqual(self.run_app(*self.words({**GOOD, **change})).code, 0, change)
        # What is switched off is not looked at.
        words = self.words({**GOOD, "ctrl": [1, 2]})
        self.assertEqual(self.run_app(*words, "--disable", "actuation").code, 0)

    def test_zero_quaternion(self):
        state = self.file("s.json", {"qpos": [0] * 42, "qvel": [0] * 37})
        expected = "qpos[3…6], the quaternion of joint 'root', is zero"
        self.assert_fails(2, ["forward", ACROBAT, "--state", state], expected)

    def test_locale_does_not_matter(self):
        state = json.dumps({**GOOD, "qpos": [0.5] * 6})
        for name in ("C", "de_DE.UTF-8"):
            words = ["forward", ARM, "--quiet", "--json", "--state", "-"]
            result = self.run_app(*words, stdin=state, env={"LC_ALL": name})
            self.assertNotEqual(result.json()["states"][0]["qacc"][1], 0)


if __name__ == "__main__":
    main()
