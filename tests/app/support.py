"""What the tests of the command line share: running it, and files in a folder that goes away."""

import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

LIGAMENT = os.environ.get("LIGAMENT")
SOURCE_DIR = os.environ["SOURCE_DIR"]
SHARED_DIR = os.environ.get("SHARED_DIR", "")


class Result:
    def __init__(self, process):
        self.code = process.returncode
        self.out = process.stdout
        self.err = process.stderr

    def json(self):
        """The one document on stdout. NaN and infinity are no JSON, though Python would read them."""

        def refuse(word):
            raise ValueError(f"{word} in the JSON")

        return json.loads(self.out, parse_constant=refuse)


class AppTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, content):
        """Writes a file; anything but text as JSON."""
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return path

    def run_app(self, *words, stdin="", env=None, folder=None):
        return Result(
            subprocess.run(
                [LIGAMENT, *words],
                input=stdin,
                capture_output=True,
                encoding="utf-8",
                env={**os.environ, **(env or {})},
                cwd=folder,
                timeout=300,
            )
        )

    def run_json(self, *words, stdin=""):
        result = self.run_app(*words, "--json", stdin=stdin)
        self.assertEqual(result.code, 0, result.err)
        return result.json()

    def assert_fails(self, code, words, *expected, stdin=""):
        """The command fails with this exit code and no result; its message holds all the expected parts."""
        result = self.run_app(*words, stdin=stdin)
        self.assertEqual(result.code, code, f"{words}: {result.err}")
        self.assertEqual(result.out, "")
        for part in expected:
            self.assertIn(part, result.err)
        return result

    def assert_ends_early(self, words, *expected):
        """A simulation that fails: exit code 3, the message, and a summary of how far it came."""
        result = self.run_app(*words)
        self.assertEqual(result.code, 3, f"{words}: {result.err}")
        self.assertIn("simulated", result.out)
        for part in expected:
            self.assertIn(part, result.err)

    def for_each_reference(self, pattern, compare):
        """Calls compare(path) with each file of ../shared/models that fits; skips where there is none."""
        models = os.path.join(SHARED_DIR, "models")
        references = sorted(glob.glob(os.path.join(models, pattern)))
        if not references:
            self.skipTest(f"there are no reference results in {models}")
        for path in references:
            with self.subTest(os.path.basename(path)):
                compare(path)

    def assert_near(self, found, wanted, tolerance):
        self.assertEqual(len(found), len(wanted))
        for a, b in zip(found, wanted):
            self.assertLessEqual(abs(a - b), tolerance, f"{found} is not {wanted}")


def formulations():
    """The names of all that the program has."""
    if not LIGAMENT:
        return ()
    told = subprocess.run([LIGAMENT, "list", "formulations", "--json"], capture_output=True, check=True)
    return tuple(entry["name"] for entry in json.loads(told.stdout)["formulations"])


def main():
    if not LIGAMENT:
        print("skipped: this build has no command line")
        return
    unittest.main(verbosity=1)
