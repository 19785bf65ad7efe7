"""The examples in docs/command-line.md print what the page says, and it names every command and option."""

import os
import re
import subprocess

from support import LIGAMENT, SOURCE_DIR, AppTest, main

# What depends on the machine.
VARYING = re.compile(r"^(residual|time  |closed to ).*$", re.MULTILINE)


class DocsTest(AppTest):
    def setUp(self):
        super().setUp()
        with open(os.path.join(SOURCE_DIR, "docs", "command-line.md"), encoding="utf-8") as file:
            self.page = file.read()

    def test_examples(self):
        os.symlink(os.path.join(SOURCE_DIR, "scenes"), os.path.join(self.folder, "scenes"))
        for name, text in re.findall(r"for this `(\w+\.\w+)`:\n\n```\w+\n(.*?)```", self.page, re.DOTALL):
            self.file(name, text)
        examples = re.findall(r"```\n\$ ligament (.*?)\n(.*?)```", self.page, re.DOTALL)
        self.assertGreaterEqual(len(examples), 5)
        for words, wanted in examples:
            with self.subTest(words):
                process = subprocess.run(
                    [LIGAMENT, *words.split()],
                    capture_output=True,
                    encoding="utf-8",
                    cwd=self.folder,
                    check=False,
                )
                self.assertEqual((process.returncode, process.stderr), (0, ""))
                self.assertEqual(VARYING.sub("", process.stdout), VARYING.sub("", wanted))

    def test_every_command_and_option_is_named(self):
        commands = re.findall(r"(?m)^  (\w+) ", self.run_app("--help").out)
        self.assertGreaterEqual(len(commands), 5)
        for command in commands:
            self.assertIn(f"\n## {command}\n", self.page)
            for option in re.findall(r"(?m)^  (--[\w-]+)", self.run_app(command, "--help").out):
                self.assertRegex(self.page, rf"{option}\b")


if __name__ == "__main__":
    main()
