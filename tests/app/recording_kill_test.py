"""`kill -9` at any moment of a recording run: the file that is left can be read, up to its last whole block."""

import os
import random
import subprocess
import time

import lrec
import support

CHARACTER = os.path.join(support.SOURCE_DIR, "scenes", "character.xml")


class RecordingKillTest(support.AppTest):
    def record_and_kill(self, path, delay):
        words = ["run", CHARACTER, "--key", "tumble", "--duration", "1e5", "--contacts", "--quiet", "--out", path]
        process = subprocess.Popen([support.LIGAMENT, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.kill()
        process.wait()
        self.assertEqual(process.returncode, -9)

    def samples_in(self, path):
        result = self.run_app("replay", path, "--quiet", "--json")
        self.assertEqual((result.code, result.err), (0, ""))
        document = result.json()
        self.assertEqual(document["status"], "reproduced")
        self.assertTrue(document["truncated"])
        return document["samples"]

    def test_killed_at_random_moments(self):
        draw = random.Random(20)
        path = os.path.join(self.folder, "killed.lrec")
        # The first moments of a run, when the file takes its place, and later ones, in the midst of its blocks.
        delays = [draw.uniform(0, 0.08) for _ in range(8)] + [draw.uniform(0, 0.4) for _ in range(12)]
        found, in_a_block = [], 0
        for delay in delays:
            with self.subTest(delay):
                if os.path.exists(path):
                    os.remove(path)
                self.record_and_kill(path, delay)
                if not os.path.exists(path):
                    continue  # it had not begun
                found.append(self.samples_in(path))
                with open(path, "rb") as file:
                    data = file.read()
                in_a_block += lrec.ends(data)[-1] > len(data)
        print(f"{len(found)} of {len(delays)} files, {min(found)} to {max(found)} samples, {in_a_block} end within a block")
        self.assertGreater(len(found), 5)
        self.assertGreaterEqual(min(found), 1)

    def test_an_older_recording_stays_until_the_new_one_can_be_read(self):
        draw = random.Random(21)
        path = os.path.join(self.folder, "twice.lrec")
        self.record_and_kill(path, 0.4)
        while not os.path.exists(path):
            self.record_and_kill(path, 1)
        for _ in range(6):
            self.record_and_kill(path, draw.uniform(0, 0.08))
            self.assertGreaterEqual(self.samples_in(path), 1)


if __name__ == "__main__":
    support.main()
