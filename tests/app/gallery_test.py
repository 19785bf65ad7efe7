"""The gallery: its list is sound and whole, its scenes load and run, and those with known answers have them.

The numbers of Andrews' mechanism, Bricard's, the governor and the top were computed in quadruple precision, by two
formulations that share no code with this program, and agree with each other to the digits written here.
"""

import json
import math
import os
import subprocess
import sys

from support import SOURCE_DIR, AppTest, main

SCENES = os.path.join(SOURCE_DIR, "scenes")
FORMULATIONS = ("reduced", "multiplier", "implicit", "impulse")
# A word for everything that the gallery has to have, and the scene that has it.
WANTED = {
    "54 constraints in the plane": "planar_structure",
    "the same with loops": "planar_structure_loops",
    "127 joints": "structure_127",
    "contact": "structure_contact",
    "constraint list": "constraint_list",
    "stack": "stack",
    "ragdoll": "ragdoll",
    "cloth": "cloth",
    "chain": "heavy_chain",
    "robot": "haptic_robot",
    "hand": "hand",
    "falling character": "character",
    "limits": "limits",
    "motion tracking": "tracking",
    "four-bar": "four_bar",
    "Andrews": "andrews",
    "Bricard": "bricard",
    "flyball governor": "flyball",
    "Newton's cradle": "cradle",
    "Dzhanibekov top": "dzhanibekov",
    "rolling disk": "coin",
    "excavator": "excavator",
    "parallel robot": "stewart",
}


def read_list():
    with open(os.path.join(SCENES, "gallery.json"), encoding="utf-8") as file:
        return json.load(file)["scenes"]


class GalleryTest(AppTest):
    def words(self, *words):
        """The list names files as seen from above the folder of scenes."""
        return [os.path.join(SOURCE_DIR, word) if word.startswith("scenes/") else word for word in words]

    def simulate(self, scene, duration, *words):
        result = self.run_json("run", os.path.join(SCENES, scene + ".xml"), "--duration", repr(duration), *words)
        self.assertEqual(result["status"], "ok")
        return result

    # --- the list ---

    def test_list_is_whole(self):
        scenes = read_list()
        names = [entry["name"] for entry in scenes]
        self.assertEqual(len(set(names)), len(names))
        self.assertLessEqual(set(WANTED.values()), set(names))
        for entry in scenes:
            with self.subTest(entry["name"]):
                self.assertEqual(entry["file"], f"scenes/{entry['name']}.xml")
                for key in ("title", "sentence", "shows", "paper"):
                    self.assertTrue(entry[key].strip())
                self.assertTrue(entry["sentence"].endswith("."))
                self.assertLessEqual(len(entry["sentence"]), 110)
                # Whatever cannot be run is left out with a reason.
                run = {method.split(":")[0] for method in entry["formulations"]}
                self.assertEqual(run | set(entry["left_out"]), set(FORMULATIONS))
                self.assertFalse(run & set(entry["left_out"]))
                self.assertTrue(0 <= entry["time"] <= entry["duration"])
                self.assertTrue({"azimuth", "elevation", "distance"} <= set(entry["camera"]))

    def test_commands_say_what_the_list_says(self):
        for entry in read_list():
            words = ["compare", entry["file"]]
            if entry["key"]:
                words += ["--key", entry["key"]]
            words += entry["options"]
            words += ["--duration", f"{entry['duration']:g}", "--formulations", ",".join(entry["formulations"])]
            if entry["dt"]:
                words += ["--dt", entry["dt"]]
            self.assertEqual(entry["command"], " ".join(words))

    def test_scenes_load_and_run(self):
        """Without a warning, for some steps, in every way that the list names."""
        for entry in read_list():
            path = os.path.join(SOURCE_DIR, entry["file"])
            result = self.run_app("check", path, "--strict")
            self.assertEqual((result.code, result.err), (0, ""), entry["name"])
            words = self.words("run", entry["file"], *entry["options"])
            if entry["key"]:
                words += ["--key", entry["key"]]
            timestep = self.run_json("info", path)["timestep"]
            for method in entry["formulations"]:
                formulation, _, integrator = method.partition(":")
                how = ["--formulation", formulation, *(["--integrator", integrator] if integrator else [])]
                with self.subTest(f"{entry['name']} {method}"):
                    result = self.run_json(*words, *how, "--duration", repr(20 * timestep))
                    self.assertEqual((result["status"], result["steps"]), ("ok", 20))

    def test_page(self):
        """docs/gallery.md is what the script writes of the list, and has a picture of each scene."""
        script = os.path.join(SCENES, "make_gallery.py")
        check = subprocess.run([sys.executable, script, "--check"], capture_output=True, encoding="utf-8", timeout=60)
        self.assertEqual((check.returncode, check.stderr), (0, ""))

    def test_written_scenes(self):
        """Those of the script and of the generator are what these write."""
        script = os.path.join(SCENES, "make_scenes.py")
        subprocess.run([sys.executable, script, self.folder], check=True, timeout=60)
        written = os.listdir(self.folder)
        self.assertGreaterEqual(len(written), 5)
        options = ("--held", "0", "--shear", "0", "--ball", "0.3", "--spacing", "0.06")
        cloth = self.run_app("generate", "cloth", "-", *options).out
        for name, text in [("cloth.xml", cloth.replace("cloth20x20", "cloth"))] + [(name, None) for name in written]:
            with self.subTest(name):
                if text is None:
                    with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                        text = file.read()
                with open(os.path.join(SCENES, name), encoding="utf-8") as file:
                    shipped = file.read()
                # The generator writes no comment at the head.
                self.assertEqual(shipped[shipped.index("<mujoco") :], text[text.index("<mujoco") :])

    # --- the command ---

    def test_command(self):
        scenes = read_list()
        table = self.run_app("gallery")
        self.assertEqual((table.code, table.err), (0, ""))
        for entry in scenes:
            self.assertRegex(table.out, rf"(?m)^{entry['name']} +{entry['sentence'][:20]}")
        listed = self.run_json("gallery")
        self.assertEqual(listed["scenes"], scenes)
        self.assertTrue(os.path.samefile(listed["folder"], SCENES))
        one = self.run_app("gallery", "excavator", folder=SOURCE_DIR).out
        self.assertIn("run       ligament run scenes/excavator.xml --key dig --duration 6 --formulation reduced", one)
        self.assertIn("without   impulse: ", one)
        self.assertEqual(self.run_json("gallery", "coin")["scenes"], [e for e in scenes if e["name"] == "coin"])
        # From elsewhere files are told by their whole path.
        elsewhere = self.run_app("gallery", "coin", folder=self.folder).out
        path = elsewhere.split("file      ")[1].split("\n")[0]
        self.assertTrue(os.path.isabs(path) and os.path.isfile(path))

    def test_command_goes_wrong(self):
        self.assert_fails(1, ["gallery", "excavater"], "did you mean 'excavator'?")
        nowhere = self.run_app("gallery", env={"LIGAMENT_SCENES": self.folder})
        self.assertEqual((nowhere.code, nowhere.out), (4, ""))
        self.assertIn(os.path.join(self.folder, "gallery.json"), nowhere.err)
        for text in ("[]", '{"scenes": [{"name": "x"}]}', '{"scenes": 3}', "{"):
            path = self.file("gallery.json", text)
            result = self.run_app("gallery", env={"LIGAMENT_SCENES": self.folder})
            self.assertEqual((result.code, result.out), (2, ""), text)
            self.assertIn(path, result.err)

    def test_command_elsewhere(self):
        entry = dict(read_list()[0], name="mine", sentence="Mine.")
        self.file("gallery.json", {"scenes": [entry]})
        result = self.run_app("gallery", env={"LIGAMENT_SCENES": self.folder})
        self.assertEqual(result.code, 0)
        self.assertIn("Mine.", result.out)

    # --- problems with known answers ---

    def test_andrews(self):
        """The seven angles after 0.03 s: beta theta gamma delta phi epsilon Omega."""
        wanted = [15.810771195153707, -15.756371058411839, 0.0408222401196458, 0.524409965879954]
        wanted += [-0.5347301163420796, 1.048080741041938, 0.5347301163420796]
        how = ("--integrator", "rk45", "--key", "start", "--formulation")
        for formulation in ("reduced", "multiplier"):
            result = self.simulate("andrews", 0.03, *how, formulation)
            for found, right in zip(result["final"]["qpos"], wanted):
                self.assertLess(abs(found - right), 1e-6 * abs(right))
            self.assertLess(result["max_equality_error"], 1e-12)

    def test_bricard(self):
        """Where the third joint is; x, −z and y of the definition."""
        for duration, wanted in (
            (1, [0.274481319264621, 0.4623300026873766, -0.886707938734672]),
            (5, [0.999932742302091, 6.725543609165933e-05, -0.9999999977383593]),
        ):
            for formulation, tolerance in (("reduced", 1e-8), ("multiplier", 5e-5)):
                result = self.simulate("bricard", duration, "--formulation", formulation)
                self.assert_near(result["final"]["xpos"]["rod3"], wanted, tolerance)
                self.assertEqual((result["equality_rows"], result["redundant_rows"]), (5, 1))
                self.assertLess(result["max_equality_error"], 1e-11)

    def test_flyball(self):
        """How high the slider is."""
        for duration, wanted in ((0.5, 0.7432494247863257), (1, 0.5014209223795677)):
            for words, tolerance in (
                (("reduced",), 1e-8),
                (("multiplier", "--dt", "0.001"), 1e-3),
                (("implicit", "--integrator", "bdf2", "--dt", "0.001"), 1e-4),
            ):
                result = self.simulate("flyball", duration, "--key", "start", "--formulation", *words)
                self.assertLess(abs(result["final"]["qpos"][1] - wanted), tolerance)

    def test_dzhanibekov(self):
        """The angular velocity after 10 s; after a flip it is turned over, after two it is what it was."""
        wanted = [0.185634187115859, 2.995920551111767, 0.134734370059716]
        for formulation, tolerance in (("reduced", 1e-7), ("multiplier", 1e-4), ("impulse", 1e-5)):
            final = self.simulate("dzhanibekov", 10, "--key", "spin", "--formulation", formulation)["final"]
            self.assert_near(final["qvel"][3:], wanted, tolerance)
        period = 2 * 5.12352347434431
        final = self.simulate("dzhanibekov", period, "--key", "spin", "--dt", repr(period / 1000))["final"]
        self.assert_near(final["qvel"][3:], [0.1, 3, 0.1], 1e-6)
        final = self.simulate("dzhanibekov", period / 2, "--key", "spin", "--dt", repr(period / 1000))["final"]
        self.assert_near([abs(x) for x in final["qvel"][3:]], [0.1, 3, 0.1], 1e-6)
        self.assertLess(final["qvel"][4], 0)

    def test_four_bar(self):
        """The loop by its lengths: of the crank, 0.2 m about the origin, and the rocker, 1 m about (1.4, 0)."""
        final = self.simulate("four_bar", 2)["final"]
        x, _, z = final["xpos"]["coupler"]
        self.assertAlmostEqual(math.hypot(x, z), 0.2, delta=1e-12)
        w, _, y, _ = final["xquat"]["coupler"]
        turn = 2 * math.atan2(y, w)
        # The far end of the coupler, (0.8, 0.6) in its own axes.
        end = (x + 0.8 * math.cos(turn) + 0.6 * math.sin(turn), z - 0.8 * math.sin(turn) + 0.6 * math.cos(turn))
        self.assertAlmostEqual(math.hypot(end[0] - 1.4, end[1]), 1, delta=1e-10)

    def test_cradle(self):
        """From event to event: the last ball alone rises, as high as the first one was."""
        result = self.simulate("cradle", 2, "--key", "one", "--stepping", "event")
        self.assertLess(result["energy_max_drift"], 1e-6)
        table = os.path.join(self.folder, "cradle.csv")
        how = ("--key", "one", "--stepping", "event", "--dt", "0.001", "--out", table)
        self.simulate("cradle", 1.2, *how)
        with open(table, encoding="utf-8") as file:
            names, *rows = [line.strip().split(",") for line in file]
        angles = {k: [float(row[names.index(f"swing{k}")]) for row in rows] for k in range(1, 6)}
        self.assertAlmostEqual(max(angles[5]), 0.6, delta=1e-5)
        for k in (2, 3, 4):
            self.assertLess(max(map(abs, angles[k])), 1e-6)

    def test_constraint_list(self):
        """Closed forms: sliding, sticking, a motor at its torque, a limit that holds."""
        result = self.simulate("constraint_list", 0.6, "--key", "start", "--formulation", "reduced")
        final = result["final"]
        sine, cosine = 0.5, math.sqrt(0.75)
        # Boxes start 0.55 m up the slope of 30° from its middle, 0.1 m above it.
        start = [7 - 0.55 * cosine + 0.1 * sine, -0.2, 0.65 + 0.55 * sine + 0.1 * cosine]
        acceleration = 9.81 * (sine - 0.3 * cosine)
        self.assertAlmostEqual(math.dist(final["xpos"]["smooth"], start), 0.5 * acceleration * 0.36, delta=2e-3)
        self.assertAlmostEqual(final["xpos"]["rough"][0], start[0], delta=1e-6)
        self.assertAlmostEqual(-final["xvel"]["wheel"]["angular"][1], 2 * 0.6, delta=1e-6)
        held = self.simulate("constraint_list", 1.5, "--key", "start")["final"]
        turn = 2 * math.atan2(held["xquat"]["arm"][2], held["xquat"]["arm"][0])
        self.assertAlmostEqual(turn, math.radians(100), delta=1e-6)

    def test_structure_on_ice(self):
        """Three contacts without friction: the centre of mass does not leave its vertical."""
        path = os.path.join(SCENES, "structure_contact.xml")
        info = self.run_json("info", path)
        self.assertEqual((len(info["bodies"]), len(info["joints"])), (34, 33))
        start = self.run_json("forward", path, "--disable", "contact")["states"][0]["com"]
        events, implicit = ("--stepping", "event", "--dt", "0.01"), ("--formulation", "implicit")
        for words, tolerance in ((events, 1e-6), (implicit, 1e-9)):
            result = self.simulate("structure_contact", 0.5, *words)
            self.assertEqual(result["contacts_mean"], 3)
            final = result["final"]
            state = self.file("state.json", {"qpos": final["qpos"], "qvel": final["qvel"]})
            com = self.run_json("forward", path, "--disable", "contact", "--state", state)["states"][0]["com"]
            self.assert_near(com[:2], start[:2], tolerance)

    def test_heavy_chain(self):
        """Hanging, with its links a little askew, at 60 Hz: they stay where they are."""
        result = self.simulate("heavy_chain", 2, "--key", "hanging", "--formulation", "implicit")
        self.assertEqual(result["steps"], result["substeps"])
        self.assertLess(result["max_joint_error"], 1e-12)
        for name, (x, _, _) in result["final"]["xpos"].items():
            self.assertLess(abs(x), 1e-2, name)

    def test_excavator(self):
        """Digging and holding: loops stay closed and agree, and what is held does not sink."""
        path = os.path.join(SCENES, "excavator.xml")
        info = self.run_json("info", path)
        masses = [body["mass"] for body in info["bodies"] if body["mass"] > 0]
        self.assertGreaterEqual(max(masses) / min(masses), 1e4)
        self.assertGreater(info["total_mass"], 2e4)
        at = {body["name"]: body["pos"] for body in info["bodies"]}
        buckets = []
        for formulation in ("reduced", "multiplier", "implicit"):
            with self.subTest(formulation):
                held = self.simulate("excavator", 3, "--key", "hold", "--formulation", formulation)
                dug = self.simulate("excavator", 3, "--key", "dig", "--formulation", formulation)
                for result in (held, dug):
                    self.assertLess(result["max_equality_error"], 1e-6)
                    self.assertLess(result["max_joint_error"], 1e-6)
                bucket = held["final"]["xpos"]["bucket"]
                # Its weight on the oil: millimetres at the end of 6 m of boom and stick.
                self.assertLess(math.dist(bucket, at["bucket"]), 0.01)
                self.assertLess(math.dist([0] * 3, held["final"]["xvel"]["bucket"]["linear"]), 1e-3)
                # Pulled in by more than half a metre.
                self.assertLess(dug["final"]["xpos"]["bucket"][0], at["bucket"][0] - 0.5)
                buckets += [bucket, dug["final"]["xpos"]["bucket"]]
        for other in (2, 4):
            self.assert_near(buckets[other], buckets[0], 1e-4)
            self.assert_near(buckets[other + 1], buckets[1], 1e-2)


if __name__ == "__main__":
    main()
