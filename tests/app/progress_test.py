"""The progress bar: on a terminal, which is a pseudo-terminal here, and nowhere else."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unicodedata

from support import LIGAMENT, AppTest, main

# In steps this short it takes about a second to simulate; the bar is drawn ten times a second.
PENDULUM = """<mujoco><worldbody><body name="rod"><joint name="pivot" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0 0 -1" size="0.02"/></body></worldbody></mujoco>"""


class ProgressTest(AppTest):
    def on_a_terminal(self, *words, columns=100, command=None, **environment):
        """Standard error of a run, which is a terminal of so many columns."""
        model = self.file("pendulum.xml", PENDULUM)
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        env = {key: value for key, value in os.environ.items() if key != "COLUMNS" and not key.startswith("LC_")}
        env.update({"TERM": "xterm", "LANG": "C.UTF-8", **environment})
        command = [LIGAMENT, *(command or ["run", "--integrator", "rk4", "--dt", "0.000004"]), model, "--duration", "0.8", *words]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=follower, env=env) as process:
            os.close(follower)
            output = b""
            try:
                while block := os.read(leader, 65536):
                    output += block
            except OSError:  # the other end is closed
                pass
            process.stdout.read()
            self.assertEqual(process.wait(), 0)
        os.close(leader)
        return output.decode("utf-8")

    def lines(self, text):
        return [line.replace("\x1b[K", "") for line in text.split("\r") if line.replace("\x1b[K", "")]

    def test_what_it_shows(self):
        text = self.on_a_terminal(columns=120)
        lines = self.lines(text)
        self.assertGreater(len(lines), 1)
        self.assertTrue(text.endswith("\r\x1b[K"), "it is wiped at the end")
        self.assertNotIn("\n", text)
        shares, simulated = [], []
        for line in lines:
            match = re.fullmatch(
                r"▕(.*)▏ +(\d+) %  (\d+:\d\d left)  ([\d.]+) of 0\.8 s  ([\d.e+]+) × real time  \d+:\d\d so far", line
            )
            self.assertTrue(match, line)
            shares.append(int(match[2]))
            simulated.append(float(match[4]))
            self.assertEqual(len(match[1]), 30)
            filled = len(match[1].rstrip(" "))
            self.assertLessEqual(abs(filled - 0.3 * shares[-1]), 1.2)
            self.assertLessEqual(abs(shares[-1] - 125 * simulated[-1]), 1.2)
        self.assertEqual(simulated, sorted(simulated))

    def test_no_line_is_broken(self):
        for columns in (20, 40, 60, 200):
            with self.subTest(columns):
                for line in self.lines(self.on_a_terminal(columns=columns)):
                    wide = sum(1 + (unicodedata.east_asian_width(c) in "WF") for c in line)
                    self.assertLess(wide, columns)
                    self.assertRegex(line, r"\d+ %")
        self.assertLess(max(map(len, self.lines(self.on_a_terminal(columns=200, COLUMNS="50")))), 50)

    def test_labels_tell_which_of_several(self):
        compare = ["compare", "--formulations", "reduced:rk4", "--dt", "0.000004,0.000008", "--reference", "none", "--every", "0.1"]
        text = self.on_a_terminal(command=compare, columns=120)
        labels = [re.match(r"(\d) of 2: \S.*  ▕", line) for line in self.lines(text)]
        self.assertTrue(all(labels), text)
        self.assertEqual(sorted({label[1] for label in labels}), ["1", "2"])
        # Where there is no place for it, the bar is all there is.
        for line in self.lines(self.on_a_terminal(command=compare, columns=25)):
            self.assertLess(len(line), 25)
            self.assertRegex(line, r"\d+ %")

    def test_without_utf8(self):
        for line in self.lines(self.on_a_terminal(LANG="C")):
            self.assertRegex(line, r"^\[#*\.*\] +\d+ %")
            self.assertTrue(line.isascii())

    def test_nothing_where_it_is_not_wanted(self):
        self.assertEqual(self.on_a_terminal("--quiet"), "")
        self.assertEqual(self.on_a_terminal(TERM="dumb"), "")
        model = self.file("pendulum.xml", PENDULUM)
        result = self.run_app("run", model, "--integrator", "rk4", "--dt", "0.000004", "--duration", "0.8")
        self.assertEqual((result.code, result.err), (0, ""))


if __name__ == "__main__":
    main()
