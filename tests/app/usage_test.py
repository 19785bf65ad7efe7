"""Dispatch, help, suggestions, and exit codes for wrong usage."""

import os
import re
import subprocess

from support import LIGAMENT, SOURCE_DIR, AppTest, main

ACROBAT = os.path.join(SOURCE_DIR, "scenes", "acrobat.xml")
COMMANDS = ["info", "check", "convert", "generate", "forward", "inverse", "run", "compare", "replay", "clip", "assemble", "contacts", "gallery", "bench", "list", "completion"]


class UsageTest(AppTest):
    def test_version(self):
        result = self.run_app("--version")
        self.assertEqual(result.code, 0)
        with open(os.path.join(SOURCE_DIR, "include", "ligament", "config.h"), encoding="utf-8") as file:
            version = ".".join(re.findall(r"version_\w+ = (\d+)", file.read()))
        self.assertEqual(result.out, f"ligament {version}\n")
        told = self.run_app("--version", "--verbose").out
        self.assertRegex(told, rf"\Aligament {version}\ncompiler +\S.*\ninstructions +(baseline|avx2|avx512)\n\Z")

    def test_help_starts_with_an_example(self):
        overview = self.run_app("--help")
        self.assertEqual(overview.code, 0)
        self.assertTrue(overview.out.startswith("Example: ligament "))
        for command in COMMANDS:
            self.assertRegex(overview.out, rf"(?m)^  {command} ")
            result = self.run_app(command, "--help")
            self.assertEqual(result.code, 0, command)
            # One, or one in each line.
            examples = re.match(r"(?:Example: (.*)\n|Examples:\n((?:    .*\n)+))\n", result.out)
            self.assertTrue(examples, result.out)
            for line in (examples[1] or examples[2]).strip().split("\n"):
                self.assertIn(f"ligament {command} ", line + " ")
            self.assertEqual(result.err, "")
            for words in ([command, "-h"], ["help", command]):
                self.assertEqual(self.run_app(*words).out, result.out)
            self.assertLessEqual(max(map(len, result.out.splitlines())), 100)
        self.assertIn("--mass-matrix", self.run_app("forward", "--help").out)

    def test_examples_of_the_help_run(self):
        os.symlink(os.path.abspath(os.path.join(SOURCE_DIR, "scenes")), os.path.join(self.folder, "scenes"))
        self.file("state.json", {"qpos": [0, 0.5, 1, 0, 0, 0], "qvel": [0] * 6, "qacc": [1] + [0] * 5})
        tools = os.path.dirname(os.path.abspath(LIGAMENT))
        for command in COMMANDS:
            text = self.run_app(command, "--help").out
            for line in re.findall(r"(?m)^(?:Example: |    )(\w.*ligament .*|ligament .*)$", text):
                if line.startswith("ligament bench papers"):
                    continue  # takes its time; tests/app/bench_test.py runs it
                with self.subTest(line):
                    process = subprocess.run(
                        ["bash", "-o", "pipefail", "-c", line], cwd=self.folder, capture_output=True, check=False,
                        env={**os.environ, "PATH": tools + ":" + os.environ["PATH"]}, encoding="utf-8",
                    )
                    # 141: head has enough.
                    self.assertIn(process.returncode, (0, 141) if "| head" in line else (0,), process.stderr)

    def test_width(self):
        for command in COMMANDS:
            text = self.run_app(command, "--help", env={"COLUMNS": "60"}).out
            lines = [line for line in text.splitlines() if "ligament " not in line and line.startswith(" ")]
            self.assertLessEqual(max(map(len, lines)), 60)
            # Nothing but spaces and line breaks is another.
            self.assertEqual(text.split(), self.run_app(command, "--help").out.split())

    def test_options_are_grouped(self):
        text = self.run_app("run", "--help").out
        titles = re.findall(r"(?m)^(\w.*):$", text)
        self.assertGreater(len(titles), 6)
        for section, option in (("Time and steps", "--dt"), ("Results and files", "--out"), ("Messages", "--quiet")):
            self.assertIn(f"  {option}", text.split(f"\n{section}:\n")[1].split("\n\n")[0])
        self.assertEqual(re.findall(r"(?m)^(\w.*):$", self.run_app("list", "--help").out), ["Examples"])

    def test_every_command_is_in_the_overview_once(self):
        text = self.run_app("--help").out
        for command in COMMANDS:
            self.assertEqual(len(re.findall(rf"(?m)^  {command} ", text)), 1)

    def test_beginnings_of_options(self):
        self.assert_fails(1, ["run", ACROBAT, "--dur", "3"], "did you mean '--duration'?")
        self.assert_fails(1, ["run", ACROBAT, "-o", "x.csv"], "no option '-o'", "did you mean '--out'?")
        self.assert_fails(1, ["run", ACROBAT, "-t", "2"], "there are --tolerance, --touching, --threads")
        self.assert_fails(1, ["run", ACROBAT, "-", "-"], "one argument too many")

    def test_no_command(self):
        self.assert_fails(1, [], "Usage: ligament COMMAND")

    def test_mistyped_command(self):
        self.assert_fails(1, ["forwrad", ACROBAT], "no command 'forwrad'", "did you mean 'forward'?")
        self.assert_fails(1, ["simulate"], "no command 'simulate'", ", ".join(COMMANDS))
        self.assert_fails(1, ["--versoin"], "did you mean '--version'?")

    def test_mistyped_option(self):
        self.assert_fails(1, ["info", ACROBAT, "--jsno"], "no option '--jsno'", "did you mean '--json'?")
        # The option is the first thing to complain about, even where MODEL is missing, too.
        self.assert_fails(1, ["forward", "--mas-matrix"], "did you mean '--mass-matrix'?")
        self.assert_fails(1, ["info", "--bse=free", ACROBAT], "no option '--bse'", "did you mean '--base'?")

    def test_wrong_arguments(self):
        self.assert_fails(1, ["info"], "MODEL is missing")
        self.assert_fails(1, ["info", ACROBAT, "more"], "one argument too many: 'more'")
        self.assert_fails(1, ["info", ACROBAT, "--base", "fred"], "fixed or free", "did you mean 'free'?")
        self.assert_fails(1, ["forward", "-", "--state", "-"], "both be read from standard input")
        for words, *expected in (
            (["--state"], "--state needs a value"),
            (["--key", "stand", "--key", "stand"], "--key is given more than once"),
            (["--key", "stand", "--state", "x"], "exclude each other"),
            (["--disable", "gravity,dampr"], "'dampr'", "did you mean 'damper'?"),
            (["--disable", ""], "--disable does not know ''", "contact, limit"),
            (["--key", "stnad"], "no keyframe 'stnad'", "did you mean 'stand'?"),
            (["--jacobian", "hed"], "no body or site 'hed'", "did you mean 'head'?"),
        ):
            with self.subTest(words):
                self.assert_fails(1, ["forward", ACROBAT, *words], *expected)

    def test_unknown_formulation(self):
        self.assert_fails(5, ["forward", ACROBAT, "--formulation", "magic"], "'magic'", "one of reduced, multiplier")
        self.assert_fails(5, ["forward", ACROBAT, "--formulation", "reducd"], "did you mean 'reduced'?")

    def test_a_full_disk_is_noticed(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        for words in (["list", "solvers"], ["info", ACROBAT, "--json"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                process = subprocess.run([LIGAMENT, *words], stdout=full, stderr=subprocess.PIPE, check=False)
            self.assertEqual(process.returncode, 4)
            self.assertIn(b"cannot be written", process.stderr)


def documented(page, header):
    """The first column of the table of that page whose header starts with this word."""
    with open(os.path.join(SOURCE_DIR, "docs", page), encoding="utf-8") as file:
        table = re.search(rf"(?m)^\| {header} \|.*\n\|---.*\n((?:\|.*\n)+)", file.read())[1]
    return re.findall(r"(?m)^\| `(\w+)` \|", table)


class ListTest(AppTest):
    def names(self, topic):
        return [entry["name"] for entry in self.run_json("list", topic)[topic]]

    def test_topics(self):
        self.assertIn("reduced", self.names("formulations"))
        self.assertEqual(self.names("joints"), documented("joints.md", "name"))
        self.assertIn("screw", self.names("joints"))
        kinds = ["rigid", "planar", "particle", "affine", "stretching", "scaling", "program"]
        self.assertEqual(self.names("bodies"), kinds)
        self.assertIn("capsule", self.names("shapes"))
        self.assertEqual(self.names("formats"), ["urdf", "mjcf"])
        self.assertEqual(
            self.names("constraints"),
            ["loop", "coupling", "tendon_coupling", "pair", *documented("constraints.md", "kind"),
             "subtree", "group", "drive", "tracking", "pair_drive", "group_drive", "tendon", "bushing", "friction_loss",
             "tendon_friction", "limit", "tendon_limit", "pair_limit", "group_limit", "contact"],
        )
        self.assertIn("knife_edge", self.names("constraints"))
        self.assertEqual(self.names("solvers"), ["sweeps", "split-step", "soft-step", "classic", "dantzig", "pgs", "block_pgs", "nncg", "lemke"])

    def test_joints_say_their_freedoms(self):
        joints = {j["name"]: j for j in self.run_json("list", "joints")["joints"]}
        for joint in joints.values():
            self.assertEqual(joint["nv"] + joint["rows"], 6)
        self.assertEqual((joints["free"]["nq"], joints["free"]["nv"]), (7, 6))
        text = self.run_app("list", "joints")
        self.assertRegex(text.out, r"(?m)^hinge +1 +1 +5  ")

    def test_bodies_say_their_freedoms(self):
        bodies = {b["name"]: b["dimension"] for b in self.run_json("list", "bodies")["bodies"]}
        self.assertEqual(bodies, {"rigid": 6, "planar": 3, "particle": 3, "affine": 12, "stretching": 9, "scaling": 7, "program": 12})
        self.assertRegex(self.run_app("list", "bodies").out, r"(?m)^planar +3  ")

    def test_unknown(self):
        self.assert_fails(1, ["list", "jonts"], "no topic 'jonts'", "did you mean 'joints'?")
        self.assert_fails(1, ["list"], "TOPIC is missing")


if __name__ == "__main__":
    main()
