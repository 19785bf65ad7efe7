"""Standard input and output in the place of files, readers that go away, and signals."""

import os
import re
import signal
import subprocess
import zipfile

from support import LIGAMENT, SOURCE_DIR, AppTest, main

BOX = os.path.join(SOURCE_DIR, "scenes", "falling_box.xml")
CHARACTER = os.path.join(SOURCE_DIR, "scenes", "character.xml")
WAVE = os.path.join(SOURCE_DIR, "scenes", "motions", "wave.bvh")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class StreamsTest(AppTest):
    def path(self, name):
        return os.path.join(self.folder, name)

    def test_a_trajectory_on_standard_output(self):
        result = self.run_app("run", BOX, "--duration", "1", "--every", "0.1", "--out", "-", "--out", self.path("box.csv"))
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(result.out, read(self.path("box.csv")))
        self.assertEqual(result.out.count("\n"), 12)
        # What is usually the result is a message now.
        self.assertRegex(result.err, r"(?m)^simulated     1 s in")
        self.assertRegex(result.err, r"(?m)^joint0\.z")

    def test_what_excludes_it(self):
        self.assert_fails(1, ["run", BOX, "--out", "-", "--json"], "--json and --out - both", "--out NAME.csv")
        self.assert_fails(1, ["run", BOX, "--out", "-", "--out", "-"], "'-' is given twice")
        self.assert_fails(1, ["run", BOX, "--out", "-", "--contacts"], "a table of their own", "--out NAME.csv")

    def test_models_through_pipes(self):
        chain = self.run_app("generate", "chain", "-", "--count", "3").out
        self.assertEqual(self.run_app("info", "-", stdin=chain).code, 0)
        again = self.run_app("convert", "-", "-", stdin=chain)
        self.assertEqual((again.code, self.run_app("convert", "-", "-", stdin=again.out).out), (0, again.out))
        self.assertEqual(self.run_app("run", "-", "--duration", "0.1", stdin=chain).code, 0)
        self.assert_fails(2, ["info", "-"], "<stdin>", "empty")
        self.assert_fails(2, ["run", "-"], "<stdin>:1:", stdin="<mujoco><body></mujoco>")

    def test_clips_on_standard_output(self):
        wanted = self.path("wave.csv")
        self.assertEqual(self.run_app("clip", CHARACTER, WAVE, wanted).code, 0)
        result = self.run_app("clip", CHARACTER, WAVE, "-")
        self.assertEqual((result.code, result.out), (0, read(wanted)))
        self.assertIn("91 samples", result.err)

    def test_a_reader_that_has_enough(self):
        """The run ends, quietly, and other files are whole."""
        process = subprocess.Popen(
            [LIGAMENT, "run", BOX, "--duration", "1e6", "--out", "-", "--out", self.path("box.csv"), "--out", self.path("box.svg")],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        self.assertTrue(process.stdout.readline().startswith(b"time,"))
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(timeout=60), 141)
        self.assertTrue(read(self.path("box.csv")).endswith("\n"))
        self.assertTrue(read(self.path("box.svg")).rstrip().endswith("</svg>"))

    def test_results_that_nobody_reads(self):
        for words in (["info", CHARACTER, "--json"], ["generate", "pile", "-"], ["run", "--help"]):
            reader, writer = os.pipe()
            os.close(reader)
            process = subprocess.run([LIGAMENT, *words], stdout=writer, stderr=subprocess.PIPE, check=False)
            os.close(writer)
            self.assertEqual((process.returncode, process.stderr), (141, b""), words)


class SignalsTest(AppTest):
    def interrupt(self, number, *words, before=None):
        process = subprocess.Popen(
            [LIGAMENT, "run", BOX, "--duration", "1e6", "--out", "-", *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", preexec_fn=before,
        )
        process.stdout.readline()
        process.stdout.readline()
        process.send_signal(number)
        return process

    def end(self, process):
        """What is left to read of both streams."""
        rows = process.stdout.read()
        message = process.stderr.read()
        process.stdout.close()
        process.stderr.close()
        self.assertEqual(process.wait(timeout=60), 130, message)
        return rows, message

    def test_files_are_finished(self):
        names = [os.path.join(self.folder, name) for name in ("way.csv", "way.npz", "way.svg")]
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                process = self.interrupt(number, *[word for name in names for word in ("--out", name)])
                rows, message = self.end(process)
                when = re.search(r"(?m)^ligament run: interrupted at ([\d.e+]+) s$", message)[1]
                self.assertIn("simulated", message)
                last = float(rows.splitlines()[-1].split(",")[0])
                self.assertAlmostEqual(last, float(when), delta=1e-5 * last)
                self.assertEqual(read(names[0]).splitlines()[-1], rows.splitlines()[-1])
                self.assertTrue(read(names[2]).rstrip().endswith("</svg>"))
                self.assertIsNone(zipfile.ZipFile(names[1]).testzip())

    def test_a_second_time_ends_it_at_once(self):
        # It is writing to a pipe that nobody reads from, so that it cannot end by itself.
        process = self.interrupt(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)
        self.assertIn(process.returncode, (130, -signal.SIGINT))
        process.stdout.close()
        process.stderr.close()

    def test_nohup_is_respected(self):
        def ignore():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

        process = self.interrupt(signal.SIGHUP, before=ignore)
        for _ in range(2000):  # still going
            self.assertTrue(process.stdout.readline())
        process.send_signal(signal.SIGTERM)
        self.end(process)


class VerboseTest(AppTest):
    def test_what_is_read_and_chosen(self):
        result = self.run_app("run", BOX, "--verbose", "--dt", "0.01", "--formulation", "multiplier", "--duration", "0.5")
        self.assertEqual(result.code, 0)
        for line in (
            rf"ligament: read {re.escape(BOX)} in [\d.e-]+ ms, compiled in [\d.e-]+ ms: 2 bodies, 1 joints, 2 geoms, 6 velocities, .*",
            r"ligament run: formulation: multiplier, .* \(asked for\)",
            r"ligament run: integrator: auto, RATTLE where nothing is touched \(the formulation's own\)",
            r"ligament run: solver: sweeps \(the formulation's own\)",
            r"ligament run: step: at most 0\.01 s \(asked for\)",
            r"ligament run: start: the reference configuration \(the default\)",
            r"ligament run: stages: look [\d.e-]+ s \(\d+ %\), assemble .*, factor .*, resolve .*, advance .*",
        ):
            self.assertRegex(result.err, rf"(?m)^{line}$")
        self.assertEqual(self.run_app("run", BOX, "--duration", "0.5").err, "")
        lemke = self.run_app("run", BOX, "--verbose", "--friction", "tangent", "--duration", "0.1")
        self.assertIn("solver: lemke (that of the law of friction)", lemke.err)

    def test_troubled_steps_as_they_happen(self):
        pyramid = self.file("pyramid.xml", self.run_app("generate", "pyramid", "-", "--count", "12").out)
        # Fixed steps: automatic ones get shorter until most of them are no trouble.
        words = ["run", pyramid, "--iterations", "1", "--duration", "0.2", "--stepping", "velocity"]
        told = re.findall(r"at ([\d.]+) s: not_converged: .*; the step was taken", self.run_app(*words, "--verbose").err)
        self.assertEqual(told, [f"{k / 60:g}" for k in range(1, 13)])
        self.assertNotIn("the step was taken", self.run_app(*words).err)

    def test_stages_are_those_of_the_json(self):
        self.assertGreater(sum(self.run_json("run", BOX, "--duration", "0.5")["stage_seconds"].values()), 0)

    def test_quiet(self):
        self.assert_fails(1, ["info", BOX, "--quiet", "--verbose"], "--quiet and --verbose exclude each other")
        loud = self.run_app("info", BOX, "--verbose")
        self.assertEqual(loud.out, self.run_app("info", BOX).out)
        self.assertIn("ligament: read", loud.err)


if __name__ == "__main__":
    main()
