"""Completion of bash, by calling its function as bash does."""

import os
import re
import subprocess

from support import LIGAMENT, SOURCE_DIR, AppTest, main

CASE = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_ligament
printf '%s\\n' "${COMPREPLY[@]}"
"""


class CompletionTest(AppTest):
    def setUp(self):
        super().setUp()
        self.script = self.file("ligament.bash", self.run_app("completion", "bash").out)
        os.symlink(os.path.abspath(os.path.join(SOURCE_DIR, "scenes")), os.path.join(self.folder, "scenes"))

    def complete(self, *words):
        """What the last word may become; the command's own path stands first."""
        process = subprocess.run(
            ["bash", "--norc", "-c", CASE, "bash", self.script, os.path.abspath(LIGAMENT), *words],
            capture_output=True, encoding="utf-8", cwd=self.folder, check=False,
        )
        self.assertEqual(process.stderr, "")
        return [word for word in process.stdout.split("\n") if word]

    def options_in_help(self, command):
        return re.findall(r"(?m)^  (--[\w-]+)", self.run_app(command, "--help").out)

    def test_the_script_is_registered(self):
        process = subprocess.run(
            ["bash", "--norc", "-c", f"source '{self.script}'; complete -p ligament"],
            capture_output=True, encoding="utf-8", check=False,
        )
        self.assertEqual(process.stdout.strip(), "complete -F _ligament ligament")

    def test_commands(self):
        commands = re.findall(r"(?m)^  (\w+) ", self.run_app("--help").out)
        self.assertEqual(sorted(self.complete("")), sorted(commands + ["help", "--help", "--version"]))
        self.assertEqual(self.complete("ass"), ["assemble"])
        self.assertEqual(sorted(self.complete("help", "")), sorted(commands))
        self.assertEqual(self.complete("zzz"), [])

    def test_options_are_those_of_the_help(self):
        for command in re.findall(r"(?m)^  (\w+) ", self.run_app("--help").out):
            with self.subTest(command):
                wanted = self.options_in_help(command)
                self.assertIn("--help", wanted)
                self.assertEqual(sorted(self.complete(command, "--")), sorted(wanted))
        self.assertEqual(self.complete("run", "scenes/arm.urdf", "--dur"), ["--duration"])

    def test_choices(self):
        names = [entry["name"] for entry in self.run_json("list", "formulations")["formulations"]]
        self.assertEqual(self.complete("run", "--formulation", ""), names)
        self.assertEqual(self.complete("forward", "x.xml", "--formulation", "im"), ["implicit", "impulse"])
        # Bash breaks words at =.
        self.assertEqual(self.complete("run", "--formulation", "=", "mul"), ["multiplier"])
        self.assertEqual(self.complete("run", "--formulation", "="), names)
        self.assertEqual(self.complete("run", "--stepping", ""), ["automatic", "velocity", "event", "smooth", "crowd"])
        self.assertEqual(self.complete("run", "--integrator", "rk"), ["rk4", "rk45"])
        self.assertEqual(self.complete("run", "--solver", "d"), ["dantzig"])
        self.assertEqual(self.complete("info", "--base", ""), ["fixed", "free"])
        self.assertEqual(self.complete("run", "--disable", "gravity,sp"), ["gravity,spring"])
        scenes = [entry["name"] for entry in self.run_json("list", "scenes")["scenes"]]
        self.assertEqual(self.complete("generate", ""), scenes)
        self.assertIn("solvers", self.complete("list", ""))
        self.assertEqual(self.complete("bench", "papers", "kok"), ["kokkevis"])
        self.assertEqual(self.complete("run", "--dt", ""), [])

    def test_files(self):
        for name in ("a.xml", "b.urdf", "c.txt", "d.csv", "with space.xml"):
            self.file(name, "")
        os.mkdir(os.path.join(self.folder, "folder"))
        self.assertEqual(
            sorted(self.complete("info", "")), ["a.xml", "b.urdf", "folder", "scenes", "with space.xml"]
        )
        self.assertEqual(self.complete("run", "scenes/acr"), ["scenes/acrobat.xml"])
        self.assertEqual(sorted(self.complete("run", "a.xml", "--paths", "")), ["d.csv", "folder", "scenes"])
        self.assertEqual(self.complete("run", "--package-path", "fol"), ["folder"])
        # The second argument of convert is written, and URDF is not.
        self.assertEqual(sorted(self.complete("convert", "b.urdf", "")), ["a.xml", "folder", "scenes", "with space.xml"])
        self.assertEqual(self.complete("info", "a.xml", ""), [])
        self.file("way.lrec", "")
        self.assertEqual(sorted(self.complete("replay", "")), ["folder", "scenes", "way.lrec"])

    def test_keyframes_of_the_model(self):
        self.assertEqual(self.complete("run", "scenes/acrobat.xml", "--key", "st"), ["stand"])
        self.assertEqual(
            self.complete("forward", "--json", "--base", "free", "scenes/acrobat.xml", "--key", ""),
            [key["name"] for key in self.run_json("info", os.path.join(SOURCE_DIR, "scenes", "acrobat.xml"))["keyframes"]],
        )
        self.assertEqual(self.complete("run", "--key", ""), [])
        self.assertEqual(self.complete("run", "none.xml", "--key", ""), [])

    def test_wrong_usage(self):
        self.assert_fails(1, ["completion", "bsh"], "is one of bash, keyframes", "did you mean 'bash'?")
        self.assert_fails(1, ["completion", "keyframes"], "takes one MODEL")
        self.assert_fails(1, ["completion", "bash", "x.xml"], "takes nothing else")


if __name__ == "__main__":
    main()
