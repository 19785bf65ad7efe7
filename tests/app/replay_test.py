"""Recordings: `run --out x.lrec` and `replay`. The format is checked by a reader of its own (lrec.py) and by the one
that docs/recordings.md shows."""

import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import time

import numpy as np

import lrec
import support

SCENES = os.path.join(support.SOURCE_DIR, "scenes")
CHARACTER = os.path.join(SCENES, "character.xml")

# Balls and a mesh that fall onto a height field from a file, one of them beside a mesh that is not there.
GROUND = """<mujoco model="ground"><option timestep="0.01"/><asset>
  <hfield name="hills" file="hills.bin" size="2 2 0.3 0.1"/>
  <mesh name="rock" file="rock.stl" scale="0.2 0.2 0.2"/><mesh name="lost" file="lost.stl"/>
</asset><worldbody><geom name="hills" type="hfield" hfield="hills"/>
  <body name="rock" pos="0.1 0.2 0.8"><freejoint/><geom name="rock" type="mesh" mesh="rock" density="800"/></body>
  <body name="ball" pos="-0.4 0.3 0.7"><freejoint/><geom name="ball" size="0.1"/></body>
</worldbody></mujoco>"""

# A block on a rail, tied to a target by a spring and a damper; a motor with an activation of its own.
CART = """<mujoco><option timestep="0.01"/><worldbody>
  <body name="target" mocap="true" pos="0 0 1"/>
  <body name="block" pos="0 0 1"><joint name="rail" type="slide" axis="1 0 0"/>
    <geom size="0.1" mass="2" contype="0" conaffinity="0"/></body>
</worldbody><force><bushing name="tie" body1="target" body2="block" stiffness="200" damping="40"/></force>
<actuator><general name="push" joint="rail" dyntype="filter" dynprm="0.2" gainprm="3"/></actuator></mujoco>"""

# A ball that falls onto a box on the floor, and slides.
SLIDE = """<mujoco><option timestep="0.01"/><worldbody><geom name="floor" type="plane" size="0 0 1" friction="0.5"/>
  <body name="box" pos="0 0 0.1"><freejoint/><geom name="box" type="box" size="0.1 0.1 0.1" friction="0.5"/></body>
  <body name="ball" pos="0.02 0.01 0.4"><freejoint/><geom name="ball" size="0.1" restitution="0.5"/></body>
</worldbody></mujoco>"""

PENDULUM = """<mujoco><option timestep="0.01"/><worldbody><body name="bob"><joint name="pivot" axis="0 1 0"/>
  <geom size="0.1" pos="0 0 -1"/></body></worldbody></mujoco>"""


def doc_reader():
    """read_lrec, as the page has it."""
    with open(os.path.join(support.SOURCE_DIR, "docs", "recordings.md"), encoding="utf-8") as file:
        code = re.search(r"```python\n(import json.*?)```", file.read(), re.DOTALL).group(1)
    names = {}
    exec(compile(code, "docs/recordings.md", "exec"), names)
    return names["read_lrec"]


class ReplayTest(support.AppTest):
    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def record(self, model, *words, name="r.lrec", code=0):
        result = self.run_app("run", model, *words, "--out", self.path(name))
        self.assertEqual(result.code, code, result.err)
        return self.path(name)

    def assert_reproduced(self, path, samples, *words):
        result = self.run_app("replay", path, *words)
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertRegex(result.out, rf"\Areproduced: {samples} samples?, [0-9.e-]+ s, bit for bit\n\Z")

    def endings(self):
        """Of all files that this build writes."""
        return [output["name"] for output in self.run_json("list", "outputs")["outputs"] if output["there"]]

    def small(self):
        """A short recording with contacts, and its blocks."""
        path = self.record(self.file("s.xml", SLIDE), "--duration", "0.2", "--contacts", "--wrenches")
        return path, lrec.split(self.read("r.lrec"))

    def test_formulations(self):
        for formulation in ("reduced", "multiplier", "implicit", "impulse"):
            for words in ([], ["--contacts", "--wrenches", "--every", "0.05", "--dt", "0.01"]):
                with self.subTest(formulation + " ".join(words)):
                    words = ["--key", "tumble", "--duration", "0.5", "--formulation", formulation, *words]
                    path = self.record(CHARACTER, *words)
                    self.assert_reproduced(path, 11 if "--every" in words else 31)
                    self.assert_reproduced(path, 11 if "--every" in words else 31, "--threads", "2")

    def test_options(self):
        """Whatever a run can be told is in the file; the model and other inputs are not looked for again."""
        state = self.file(
            "s.json",
            {
                "qpos": [0, 0, 0.1, 1, 0, 0, 0, 0.02, 0.01, 0.4, 1, 0, 0, 0],
                "qvel": [2, 0.1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3],
                "xfrc_applied": {"ball": [0.5, 0, -1, 0, 0.01, 0]},
                "qfrc_applied": [0, 0.3, 0, 0, 0, 0.1, 0, 0, 0, 0, 0, 0],
            },
        )
        for words in (
            ["--stepping", "event"],
            ["--stepping", "event", "--impact", "sequential", "--max-events", "50"],
            ["--integrator", "velocity", "--friction", "tangent", "--seed", "7"],
            ["--integrator", "rk4", "--disable", "gravity"],
            ["--formulation", "impulse", "--solver", "classic", "--iterations", "7", "--slop", "1e-3", "--no-warm-starting"],
            ["--formulation", "impulse", "--substeps", "3", "--friction", "per_axis", "--sleep"],
            ["--formulation", "implicit", "--newton", "2", "--touching", "hard", "--no-geometric-stiffness"],
            ["--formulation", "multiplier", "--integrator", "rattle"],
            ["--formulation", "implicit", "--integrator", "bdf2", "--touching", "hard"],
            ["--formulation", "implicit", "--touching", "penalty", "--penalty-frequency", "60", "--penalty-dissipation", "2"],
            ["--solver", "pgs", "--iterations", "30"],
        ):
            with self.subTest(words):
                # Penalties do not bounce.
                model = self.file("s.xml", SLIDE.replace("0.5\"/></body>\n</w", "0\"/></body>\n</w") if "--penalty-frequency" in words else SLIDE)
                result = self.run_app(
                    "run", model, "--state", state, "--duration", "0.3", *words, "--contacts", "--out", self.path("o.lrec")
                )
                self.assertIn(result.code, (0, 3), result.err)  # 3: not converged, which comes out again, too
                result = self.run_json("replay", self.path("o.lrec"))
                self.assertEqual((result["status"], result["samples"], result["truncated"]), ("reproduced", 31, False))
                if "--seed" in words:
                    self.assertEqual(result["settings"]["options"]["seed"], 7)

    def test_what_acts_is_in_the_file(self):
        """Were an input lost, the motion would be another one: each of them moves something."""
        paths = self.file("paths.csv", "time,target.x,target.y,target.z\n0,0,0,1\n0.3,0.5,0,1.1\n")
        cart = self.file("cart.xml", CART)
        state = self.file("c.json", {"qpos": [0.1], "qvel": [0.2], "act": [0.5], "ctrl": [2]})
        for words in (["--paths", paths], ["--state", state], ["--paths", paths, "--state", state]):
            with self.subTest(words):
                path = self.record(cart, *words, "--duration", "0.5", "--wrenches")
                plain = self.record(cart, "--duration", "0.5", "--wrenches", name="plain.lrec")
                self.assert_reproduced(path, 51)
                with_input, without = doc_reader()(path), doc_reader()(plain)
                self.assertGreater(abs(with_input["qpos"][-1] - without["qpos"][-1]).max(), 1e-3)
                # The block is what does it.
                blocks = lrec.split(self.read("r.lrec"))
                if "--paths" in words and "--state" not in words:
                    blocks = [block for block in blocks if block[0] != "PATH"]
                    result = self.run_app("replay", self.write("lost.lrec", lrec.join(blocks)))
                    self.assertEqual(result.code, 3, result.err)

    def test_clips(self):
        wave = os.path.join(SCENES, "motions", "wave.bvh")
        scene = os.path.join(SCENES, "tracking.xml")
        for words in (
            ["--track", wave],
            ["--track", wave, "--tracking", "pd", "--torque-limit", "30", "--loop", "--limp", "0.1:0.2", "--limp", "0.25:9"],
            ["--track", "keyframes", "--settling-time", "0.1"],
        ):
            with self.subTest(words):
                model = CHARACTER if words[1] == "keyframes" else scene
                path = self.record(model, *words, "--duration", "0.4", "--dt", "0.01")
                self.assert_reproduced(path, 41)
                npz = self.path("t.npz")
                self.assertEqual(self.run_app("run", model, *words, "--duration", "0.4", "--dt", "0.01", "--out", npz).code, 0)
                with np.load(npz) as arrays:
                    np.testing.assert_array_equal(doc_reader()(path)["tracking_error"], arrays["tracking_error"])

    def test_a_recording_needs_no_other_file(self):
        folder = self.path("model")
        os.mkdir(folder)
        heights = np.random.default_rng(3).random((9, 7)).astype("<f4")
        self.write("model/hills.bin", struct.pack("<ii", 9, 7) + heights.tobytes())
        corners = np.array([[1, 0, 0], [-1, 0.3, 0], [0, 1, 0.1], [0, -1, 0], [0.2, 0, 1], [0, 0.1, -1]], "<f4")
        faces = [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)]
        stl = bytes(80) + struct.pack("<I", len(faces))
        for face in faces:
            stl += bytes(12) + corners[list(face)].tobytes() + bytes(2)
        self.write("model/rock.stl", stl)
        model = self.file("model/ground.xml", GROUND)
        path = self.record(model, "--duration", "1", "--contacts", "--quiet")
        shutil.rmtree(folder)
        # A file of the name of the mesh that was not found makes no difference.
        self.file("lost", "not a mesh")
        for here in (None, self.folder):
            result = self.run_app("replay", path, folder=here)
            self.assertEqual((result.code, result.err), (0, ""))
        self.assertIn("reproduced: 101 samples, 1 s", result.out)
        text = dict(lrec.split(self.read("r.lrec")))["MODL"].decode()
        self.assertNotIn("rock.stl", text)
        self.assertNotIn("hills.bin", text)

    def test_urdf(self):
        for base in ("fixed", "free"):
            path = self.record(os.path.join(SCENES, "arm.urdf"), "--base", base, "--duration", "0.3", "--wrenches")
            self.assert_reproduced(path, r"\d+")

    def test_every_scene(self):
        """What is written of a model makes the same model again, whatever it holds."""
        for name in sorted(os.listdir(SCENES)):
            if not name.endswith((".xml", ".urdf")):
                continue
            with self.subTest(name):
                words = ["--duration", "0.02", "--quiet", "--contacts", "--wrenches"]
                words += ["--out", self.path("s.lrec")]
                for formulation in ("reduced", "impulse", "multiplier"):  # the first that has what the scene holds
                    ways = ["--formulation", formulation]
                    result = self.run_app("run", os.path.join(SCENES, name), *words, *ways)
                    if result.code != 5:
                        break
                self.assertIn(result.code, (0, 3), result.err)  # 3: one of them begins with open loops
                self.assertEqual(self.run_json("replay", self.path("s.lrec"))["status"], "reproduced")

    def test_conversions_are_the_files_of_the_run(self):
        names = ["a.contacts.csv"] + [f"a{ending}" for ending in self.endings() if ending != ".lrec"]
        self.assertGreaterEqual(len(names), 5)
        outs = [word for name in names if "contacts" not in name for word in ("--out", self.path(name))]
        words = ["--key", "tumble", "--duration", "0.5", "--contacts", "--wrenches"]
        path = self.record(CHARACTER, *words, *outs)
        wanted = {name: self.read(name) for name in names}
        for name in names:
            os.remove(self.path(name))
        result = self.run_app("replay", path, *outs)
        self.assertEqual((result.code, result.err), (0, ""))
        self.assertNotIn("reproduced", result.out)
        for name in names:
            self.assertIn(name, result.out)
            self.assertEqual(self.read(name), wanted[name], name)
        # Checked in the same go, from standard input; with more columns.
        with open(path, "rb") as file:
            words = ["replay", "-", "--check", "--figures", "--out", self.path("b.csv"), "--json"]
            process = subprocess.run([support.LIGAMENT, *words], stdin=file, capture_output=True, check=True)
        document = json.loads(process.stdout)
        self.assertEqual((document["status"], document["written"]), ("reproduced", [self.path("b.csv"), self.path("b.contacts.csv")]))
        header = self.read("b.csv").decode().splitlines()[0]
        self.assertIn("penetration", header)
        # As a recording again: the same samples.
        self.assertEqual(self.run_app("replay", path, "--out", self.path("again.lrec")).code, 0)
        self.assert_reproduced(self.path("again.lrec"), 31)

    def test_the_format_is_as_documented(self):
        words = ["--key", "tumble", "--duration", "1", "--contacts", "--wrenches"]
        path = self.record(CHARACTER, *words, "--out", self.path("a.npz"))
        blocks = lrec.split(self.read("r.lrec"))
        kinds = [kind for kind, _ in blocks]
        self.assertEqual(kinds[:4], ["SETT", "MODL", "STAT", "LAYT"])
        self.assertEqual((set(kinds[4:-1]), kinds[-1]), ({"SAMP"}, "DONE"))
        found = doc_reader()(path)
        layout = lrec.layout_of(blocks)
        with np.load(self.path("a.npz")) as arrays:
            for name, numbers in found.items():
                np.testing.assert_array_equal(numbers.view("<u8"), arrays[name].view("<u8"), name)
            for name in ("qpos_names", "qvel_names", "body_names", "geom_names", "joint_wrench_names", "contact_wrench_names"):
                self.assertEqual(layout["names"][name], list(arrays[name]))
            contacts = lrec.contacts_of(blocks)
            self.assertEqual(len(contacts), len(arrays["time"]))
            flat = [contact for sample in contacts for contact in sample]
            self.assertGreater(len(flat), 20)
            np.testing.assert_array_equal(np.array([geoms for geoms, _ in flat]), arrays["contact_geoms"])
            numbers = np.array([numbers for _, numbers in flat])
            np.testing.assert_array_equal(numbers[:, 0], arrays["contact_distance"])
            for k, name in enumerate(("point", "normal", "force", "moment")):
                np.testing.assert_array_equal(numbers[:, 1 + 3 * k : 4 + 3 * k], arrays["contact_" + name])
        end = json.loads(blocks[-1][1])
        self.assertEqual((end["status"], end["message"], end["samples"]), ("ok", "", 61))
        settings = json.loads(blocks[0][1])
        self.assertIn("--key tumble", settings["command_line"])
        self.assertEqual((settings["duration"], settings["options"]["formulation"]), (1, "reduced"))
        # Samples written by others are as good.
        again = [[kind, lrec.Samples(content).content() if kind == "SAMP" else content] for kind, content in blocks]
        self.assertEqual(again, blocks)
        self.assert_reproduced(self.write("again.lrec", lrec.join(again)), 61)

    def test_the_first_difference_is_told(self):
        path, blocks = self.small()
        layout = lrec.layout_of(blocks)
        samples = [(b, s) for b, (kind, content) in enumerate(blocks) if kind == "SAMP" for s in range(struct.unpack_from("<I", content)[0])]

        def change(changes):
            changed = [list(block) for block in blocks]
            for sample, edit in changes:
                block, at = samples[sample]
                edited = lrec.Samples(changed[block][1])
                edit(edited, at)
                changed[block][1] = edited.content()
            return self.write("changed.lrec", lrec.join(changed))

        def number(array, column, flip):
            c = lrec.column_of(layout, array, column)

            def edit(block, at):
                block.numbers[at][c] ^= flip

            return edit

        # The lowest bit of one number, another one later on.
        velocity = next(a for a in layout["arrays"] if a["name"] == "qvel")["columns"][8]
        changed = change([(7, number("qvel", velocity, 1)), (12, number("time", "time", 1))])
        numbers = doc_reader()(path)["qvel"]
        result = self.run_app("replay", changed)
        self.assertEqual((result.code, result.out), (3, ""))
        self.assertIn(f"differs: sample 7 (0.07 s): {velocity} (qvel) was ", result.err)
        result = self.run_app("replay", changed, "--json")
        self.assertEqual(result.code, 3)
        document = result.json()
        first = document["first_difference"]
        self.assertEqual(document["status"], "differs")
        self.assertEqual((first["sample"], first["array"], first["column"]), (7, "qvel", velocity))
        self.assertEqual(first["computed"], numbers[7, 8])
        self.assertEqual(first["recorded"], lrec.to_float(lrec.to_bits(numbers[7, 8]) ^ 1))
        self.assertEqual(first["difference"], first["computed"] - first["recorded"])
        # It is what conversions show: they do not compute.
        self.assertEqual(self.run_app("replay", changed, "--out", self.path("c.npz")).code, 0)
        with np.load(self.path("c.npz")) as arrays:
            self.assertEqual(arrays["qvel"][7, 8], first["recorded"])
        # The sign of zero is a difference.
        result = self.run_app("replay", change([(0, number("penetration", "penetration", 1 << 63))]), "--json")
        self.assertEqual(result.json()["first_difference"]["sample"], 0)

        def push(block, at):
            block.contacts[at][1][1][9] ^= 1 << 40

        result = self.run_app("replay", change([(15, push)]))
        self.assertEqual(result.code, 3)
        self.assertRegex(result.err, r"sample 15 \(0.15 s\): force.z \(contact 1, \w+ and \w+\) was ")

        def drop(block, at):
            block.contacts[at].pop()

        result = self.run_app("replay", change([(16, drop)]), "--json").json()["first_difference"]
        self.assertEqual((result["sample"], result["array"], result["computed"] - result["recorded"]), (16, "contact list", 1))

        # An end that is another one.
        for member, value, text in (("status", "non_finite", "its end was 'non_finite', is now 'ok'"),):
            end = json.loads(blocks[-1][1])
            end[member] = value
            result = self.run_app("replay", self.write("end.lrec", lrec.join([*blocks[:-1], ["DONE", json.dumps(end).encode()]])))
            self.assertEqual(result.code, 3)
            self.assertIn(text, result.err)

    def test_other_lengths_are_differences(self):
        _, blocks = self.small()
        for duration, text in ((0.3, "the recording ends after 21 samples"), (0.1, "the simulation ends after 11 samples (ok)")):
            settings = json.loads(blocks[0][1])
            settings["duration"] = duration
            changed = lrec.join([["SETT", json.dumps(settings).encode()], *blocks[1:]])
            result = self.run_app("replay", self.write("d.lrec", changed))
            self.assertEqual(result.code, 3, result.err)
            self.assertIn(text, result.err)

    def test_truncated_recordings_are_read_as_far_as_they_are_whole(self):
        path = self.record(CHARACTER, "--key", "tumble", "--duration", "4")
        data = self.read("r.lrec")
        places = lrec.ends(data)
        self.assertGreater(len(places), 7)  # several blocks of samples
        first = next(k for k, (kind, _) in enumerate(lrec.split(data)) if kind == "SAMP")
        counts = [struct.unpack_from("<I", content)[0] for kind, content in lrec.split(data) if kind == "SAMP"]
        for size in (places[first + 1], places[first + 2] + 7, places[-2], len(data) - 1, places[-3] - 1):
            with self.subTest(size):
                cut = self.write("cut.lrec", data[:size])
                samples = sum(counts[: sum(end <= size for end in places[first + 1 : -1])])
                result = self.run_app("replay", cut)
                self.assertEqual(result.code, 0, result.err)
                self.assertIn(f"reproduced: {samples} sample", result.out)
                self.assertIn("cut.lrec: warning: the recording is truncated: it ends after ", result.err)
                self.assertIn(" of 4 s", result.err)
                self.assertEqual(self.run_app("replay", cut, "--quiet").err, "")
                self.assertEqual(self.run_app("replay", cut, "--strict").code, 2)
                self.assertEqual(len(doc_reader()(cut)["time"]), samples)
                self.assertTrue(self.run_json("replay", cut, "--info", "--quiet")["truncated"])
                # What can be read can be saved.
                self.assertEqual(self.run_app("replay", cut, "--out", self.path("saved.lrec"), "--quiet").code, 0)
                self.assert_reproduced(self.path("saved.lrec"), samples)
        for size in range(0, places[first] + 1, 37):
            result = self.run_app("replay", self.write("cut.lrec", data[:size]))
            self.assertEqual((result.code, result.out), (2, ""), size)
            self.assertRegex(result.err, "(the file is empty|ends after its first bytes|ends before its first sample)")

    def test_damaged_and_foreign_files_are_refused(self):
        path, blocks = self.small()
        data = self.read("r.lrec")
        places = lrec.ends(data)
        for at in (places[1] + 30, places[4] + 100, len(data) - 3, places[3] + 5):
            spoilt = bytearray(data)
            spoilt[at] ^= 16
            block = sum(end <= at for end in places)
            self.assert_fails(
                2, ["replay", self.write("d.lrec", bytes(spoilt))],
                "d.lrec: error: the recording is damaged: the check sum", f"(block {block}, at byte {places[block - 1]})",
            )
        self.assert_fails(2, ["replay", CHARACTER], "this is not a recording", "ligament run --out")
        self.assert_fails(2, ["replay", self.write("empty.lrec", b"")], "the file is empty")
        self.assert_fails(2, ["replay", "-"], "<stdin>: error: this is not a recording", stdin="what is this?")
        self.assert_fails(2, ["replay", self.write("n.lrec", lrec.join(blocks, version=2))], "version 2", "newer program")
        self.assert_fails(2, ["replay", self.write("n.lrec", lrec.join([["FUTR", b"x"], *blocks]))], "block 'FUTR'", "newer program")
        self.assert_reproduced(self.write("n.lrec", lrec.join([["futr", b"x"], *blocks])), 21)
        self.assert_fails(2, ["replay", self.write("n.lrec", data + b"more")], "something follows its last block")
        self.assert_fails(4, ["replay", self.path("nowhere.lrec")], "nowhere.lrec: error: cannot be read: No such file")
        self.assert_fails(4, ["replay", self.folder], "cannot be read: Is a directory")
        # Whole blocks that do not make sense.
        def with_block(kind, content):
            return [[k, content if k == kind else c] for k, c in blocks]

        def with_setting(name, value):
            settings = json.loads(blocks[0][1])
            settings[name] = value
            return with_block("SETT", json.dumps(settings).encode())

        for changed, *expected in (
            (blocks[1:], "damaged"),
            ([b for b in blocks if b[0] != "STAT"], "blocks are missing"),
            ([b for b in blocks if b[0] != "LAYT"], "blocks are missing"),
            ([*blocks[:4], *blocks[5:]], "samples are missing"),
            ([*blocks[:-1], blocks[0], blocks[-1]], "blocks are out of order"),
            (with_block("SETT", b"{"), "cannot be used"),
            (with_block("SETT", b"[]"), "cannot be used"),
            (with_block("MODL", b"<mujoco><body/></mujoco>"), "the model in it"),
            (with_block("MODL", blocks[1][1].replace(b"ball", b"bell")), "other things than those of this program"),
            (with_block("STAT", blocks[2][1][:-8]), "cannot be used"),
            (with_block("LAYT", b"{}"), "other things than those of this program"),
            (with_block("SAMP", b"\0" * 12), "samples do not fit"),
            (with_block("DONE", b"{}"), "cannot be used"),
            (with_setting("every", 0), "its times make no sense"),
            (with_setting("duration", -1), "its times make no sense"),
            (with_setting("dt", None), "its times make no sense"),
            (with_setting("integrator", "magic"), "does not know its integrator 'magic'"),
            (with_setting("fingerprint", "00"), "is another one to this program"),
            (with_setting("options", {}), "cannot be used"),
        ):
            with self.subTest(expected):
                self.assert_fails(2, ["replay", self.write("x.lrec", lrec.join(changed))], *expected)
        settings = json.loads(blocks[0][1])
        settings["options"]["formulation"] = "magic"
        self.assert_fails(5, ["replay", self.write("x.lrec", lrec.join(with_block("SETT", json.dumps(settings).encode())))], "magic")

    def test_other_contents_do_no_harm(self):
        """Blocks whose check sums are right and whose contents are not: a message or a difference, nothing worse."""
        paths = self.file("paths.csv", "time,target.x,target.y,target.z\n0,0,0,1\n0.3,0.5,0,1.1\n")
        cart = self.file("cart.xml", CART.replace("</mujoco>", "<keyframe><key/><key qpos='1'/></keyframe></mujoco>"))
        self.record(cart, "--paths", paths, "--track", "keyframes", "--duration", "0.05", "--contacts", "--wrenches")
        blocks = lrec.split(self.read("r.lrec"))
        draw = random.Random(5)
        codes = set()
        for _ in range(80):
            changed = [list(block) for block in blocks]
            block = draw.choice(changed)
            content = bytearray(block[1])
            at = draw.randrange(len(content))
            kind = draw.randrange(4)
            if kind == 0:
                content[at] = draw.choice((0, 1, 255, ord("9"), draw.randrange(256)))
            elif kind == 1:
                del content[at : at + draw.choice((1, 4, 8, 100))]
            elif kind == 2:
                content[at:at] = draw.randbytes(draw.choice((1, 4, 8)))
            else:
                del content[at:]
            block[1] = bytes(content)
            result = self.run_app("replay", self.write("x.lrec", lrec.join(changed)), "--check", "--out", self.path("x.csv"))
            self.assertIn(result.code, (0, 2, 3, 5), result.err)
            self.assertTrue(result.code == 0 or "x.lrec" in result.err or "ligament replay: " in result.err, result.err)
            codes.add(result.code)
        self.assertLessEqual({2, 3}, codes)

    def test_runs_that_fail_or_are_interrupted(self):
        welded = self.file("w.xml", PENDULUM.replace("</mujoco>", "<equality><weld body1='bob'/></equality></mujoco>"))
        bouncing = self.file("b.xml", SLIDE)
        for words, status, samples in (
            ([welded, "--set", "pivot=1"], "equality_open", 1),
            ([bouncing, "--dt", "0.5", "--duration", "2", "--stepping", "event", "--max-events", "1"], "too_many_events", 5),
        ):
            path = self.record(*words, code=3)
            document = self.run_json("replay", path)
            self.assertEqual((document["status"], document["end"], document["samples"]), ("reproduced", status, samples))
            self.assertIn("ligament run: at ", document["message"])
        path = self.path("i.lrec")
        words = ["run", self.file("p.xml", PENDULUM), "--set", "pivot=1", "--duration", "1e6", "--every", "0.5", "--out", path]
        process = subprocess.Popen([support.LIGAMENT, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not os.path.exists(path) or os.path.getsize(path) < 4000:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        document = self.run_json("replay", path)
        self.assertEqual((document["status"], document["end"], document["truncated"]), ("reproduced", "interrupted", False))
        self.assertGreater(document["samples"], 10)
        self.assertIn("interrupted: ligament run: interrupted at", self.run_app("replay", path, "--info").out)

    def test_what_was_there_is_kept_until_the_first_sample(self):
        path, _ = self.small()
        old = self.read("r.lrec")
        model = self.file("p.xml", PENDULUM)
        self.assert_fails(1, ["run", model, "--set", "pviot=1", "--out", path], "no coordinate 'pviot'")
        # A file that cannot be opened keeps all of them from being written.
        self.assert_fails(4, ["run", model, "--out", path, "--out", self.path("no/where.csv")], "where.csv: error: cannot be written")
        self.assertEqual(self.read("r.lrec"), old)
        self.assertEqual([name for name in os.listdir(self.folder) if "partial" in name], [])
        self.record(model, "--duration", "0.1")
        self.assert_reproduced(path, 11)
        # A recording is not written over itself.
        self.assert_fails(1, ["replay", path, "--out", path], "is the input itself")

    def test_a_full_disk_is_noticed(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        os.symlink("/dev/full", self.path("full.lrec"))
        self.assert_fails(4, ["run", self.file("p.xml", PENDULUM), "--out", self.path("full.lrec")], "full.lrec: error: cannot be written: No space")

    def test_info(self):
        path, _ = self.small()
        text = self.run_app("replay", path, "--info").out
        for part in (
            "samples       21, one each 0.01 s, from 0 s to 0.2 s",
            "formulation   reduced, auto",
            "forces of joints, contact forces",
            "end           ok",
            f"size          {os.path.getsize(path)} bytes",
            "command       ligament run ",
        ):
            self.assertIn(part, text)
        self.assertNotIn("reproduced", text)
        document = self.run_json("replay", path, "--info")
        self.assertEqual((document["status"], document["samples"], document["bytes"]), ("read", 21, os.path.getsize(path)))
        self.assertEqual(document["settings"]["contents"]["wrenches"], True)
        both = self.run_app("replay", path, "--info", "--check").out
        self.assertTrue(both.endswith("reproduced: 21 samples, 0.2 s, bit for bit\n"), both)

    def test_the_example_of_the_page(self):
        with open(os.path.join(support.SOURCE_DIR, "docs", "recordings.md"), encoding="utf-8") as file:
            example = re.search(r"```\n(\$ ligament run [^`]*lrec.*?)```", file.read(), re.DOTALL).group(1)
        os.symlink(SCENES, self.path("scenes"))
        for command, wanted in re.findall(r"\$ ligament (.*)\n((?:[^$].*\n)*)", example):
            result = self.run_app(*command.split(), folder=self.folder)
            self.assertEqual((result.code, result.err), (0, ""))
            self.assertIn(wanted, result.out)
        self.assertTrue(os.path.exists(self.path("fall.svg")))

    def test_usage(self):
        path, _ = self.small()
        self.assert_fails(1, ["replay"], "FILE is missing")
        self.assert_fails(1, ["replay", path, "--threads", "0"], "--threads is a whole number from 1 on, not '0'")
        self.assert_fails(1, ["replay", path, "--out", "x.txt"], "the ending tells the format")


if __name__ == "__main__":
    support.main()
