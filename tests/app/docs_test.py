"""The examples of pages print what the pages say, and docs/command-line.md names every command and option."""

import os
import re

from support import SOURCE_DIR, AppTest, main

# What depends on the machine.
VARYING = re.compile(r"^(residual|joints  |constraints|equalities  |took|time  |closed to ).*$", re.MULTILINE)
TIME_COLUMN = "time per second [ms]"


def repeatable(text):
    """Without what depends on the machine: lines, and the times in the table of `compare`."""
    lines = VARYING.sub("", text).splitlines()
    for header in [line for line in lines if TIME_COLUMN in line]:
        begin = header.index(TIME_COLUMN)
        lines = [line[:begin] + line[begin + len(TIME_COLUMN) :] for line in lines]
    return lines


def read_page(name):
    with open(os.path.join(SOURCE_DIR, "docs", name), encoding="utf-8") as file:
        return file.read()


class DocsTest(AppTest):
    def setUp(self):
        super().setUp()
        self.page = read_page("command-line.md")
        os.symlink(os.path.join(SOURCE_DIR, "scenes"), os.path.join(self.folder, "scenes"))

    def run_here(self, words):
        return self.run_app(*words.split(), folder=self.folder)

    def test_examples(self):
        for name, least in (("start.md", 5), ("command-line.md", 5), ("multiplier.md", 2)):
            page = read_page(name)
            files = re.findall(r"(?:for this|into a file) `(\w+\.\w+)`:\n\n```\w+\n(.*?)```", page, re.DOTALL)
            for file, text in files:
                self.file(file, text)
            examples = re.findall(r"```\n\$ ligament (.*?)\n(.*?)```", page, re.DOTALL)
            self.assertGreaterEqual(len(examples), least)
            for words, wanted in examples:
                with self.subTest(words):
                    result = self.run_here(words)
                    self.assertEqual((result.code, result.err), (0, ""))
                    self.assertEqual(repeatable(result.out), repeatable(wanted))

    def test_commands_in_tables(self):
        """Those of docs/multiplier.md, and of the second table of docs/scenes.md, one after the other."""
        structures = read_page("scenes.md").split("| structure | commands |")[1].split("\n\n")[0]
        for page, least in ((read_page("multiplier.md"), 9), (structures, 6)):
            rows = [line for line in page.splitlines() if line.startswith("|")]
            commands = re.findall(r"`ligament ((?:run|forward|generate) .*?)`", "\n".join(rows))
            self.assertGreaterEqual(len(commands), least)
            for words in commands:
                with self.subTest(words):
                    result = self.run_here(words)
                    self.assertEqual((result.code, result.err), (0, ""))

    def test_every_command_and_option_is_named(self):
        commands = re.findall(r"(?m)^  (\w+) ", self.run_app("--help").out)
        self.assertGreaterEqual(len(commands), 5)
        for command in commands:
            self.assertIn(f"\n## {command}\n", self.page)
            for option in re.findall(r"(?m)^  (--[\w-]+)", self.run_app(command, "--help").out):
                self.assertRegex(self.page, rf"{option}\b")


if __name__ == "__main__":
    main()
