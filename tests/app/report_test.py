"""run --out x.html: the document in the page against the tables of the same run."""

import csv
import os

import numpy
from report_file import EMPTY_PAGE, ReportFile
from support import SOURCE_DIR, AppTest, main

CHARACTER = os.path.join(SOURCE_DIR, "scenes", "character.xml")
TOUCHING = os.path.join(SOURCE_DIR, "scenes", "touching.xml")
LEDGER = ["work_drives", "work_applied", "work_kinematic", "lost_dampers", "lost_joint_friction", "lost_contact_friction"]
LEDGER += ["lost_impacts", "lost_limits", "lost_corrections", "removed_by_guard", "made_by_method"]


def close(found, wanted):
    """The same to the rounding of single precision."""
    return numpy.allclose(found, wanted, rtol=2e-7, atol=1e-9, equal_nan=True)


class ReportTest(AppTest):
    def setUp(self):
        super().setUp()
        # With no npm there is no page in the program; the document does not depend on it.
        self.page = self.file("page.html", EMPTY_PAGE)

    def path(self, name):
        return os.path.join(self.folder, name)

    def report(self, scene, *words, others=(), code=0):
        out = self.path("run.html")
        files = [word for name in (out, *(self.path(other) for other in others)) for word in ("--out", name)]
        result = self.run_app("run", scene, *words, *files, env={"LIGAMENT_PAGE": self.page})
        self.assertEqual(result.code, code, result.err)
        return ReportFile(out)

    def table(self, name):
        with open(self.path(name), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def test_poses_are_those_of_npz(self):
        report = self.report(CHARACTER, "--key", "tumble", "--duration", "2", others=["run.npz"])
        run = report.document["runs"][0]
        with numpy.load(self.path("run.npz")) as arrays:
            self.assertTrue(close(report.array(run["time"]), arrays["time"]))
            poses = report.array(run["poses"])
            self.assertEqual(poses.shape, (len(arrays["time"]), arrays["xpos"].shape[1], 7))
            self.assertTrue(close(poses[:, :, :3], arrays["xpos"]))
            # A quaternion and its negative are one attitude; those of the page do not jump.
            turned = poses[:, :, 3:]
            signs = numpy.sign((turned * arrays["xquat"]).sum(axis=2))[:, :, None]
            self.assertTrue(close(signs * turned, arrays["xquat"]))
            self.assertTrue(((turned[1:] * turned[:-1]).sum(axis=2) > 0).all())
            self.assertTrue(close(report.array(run["com"]), arrays["com"]))
            bodies = [body["name"] for body in report.document["scene"]["bodies"]]
            self.assertEqual(bodies, list(arrays["body_names"]))
            self.assertNotIn("stage_seconds", arrays, "what a page wants to know is not for tables")
            self.assertNotIn("contact_time", arrays)

    def test_contacts_are_those_of_csv(self):
        report = self.report(CHARACTER, "--key", "tumble", "--duration", "2", "--contacts", others=["run.csv"])
        run = report.document["runs"][0]
        rows = self.table("run.contacts.csv")
        self.assertGreater(len(rows), 100)
        contacts = {key: report.array(value) for key, value in run["contacts"].items()}
        time = report.array(run["time"])
        start = contacts["start"].astype(int)
        self.assertEqual(start[0], 0)
        self.assertEqual(start[-1], len(rows))
        self.assertTrue(close(numpy.repeat(time, numpy.diff(start)), [float(row["time"]) for row in rows]))
        for key, columns in (("points", "x y z"), ("normals", "nx ny nz"), ("forces", "fx fy fz"), ("distances", "distance")):
            wanted = numpy.array([[float(row[column]) for column in columns.split()] for row in rows])
            self.assertTrue(close(contacts[key].reshape(wanted.shape), wanted), key)

    def test_contacts_are_in_the_page_without_being_asked_for_and_in_no_table(self):
        report = self.report(TOUCHING, "--duration", "0.1", others=["run.csv"])
        self.assertGreater(report.document["runs"][0]["contacts"]["points"]["shape"][0], 0)
        self.assertFalse(os.path.exists(self.path("run.contacts.csv")))
        alone = self.path("alone.csv")
        self.assertEqual(self.run_app("run", TOUCHING, "--duration", "0.1", "--out", alone).code, 0)
        with open(alone, "rb") as one, open(self.path("run.csv"), "rb") as other:
            self.assertEqual(one.read(), other.read())

    def test_series_are_the_columns_of_csv(self):
        report = self.report(CHARACTER, "--key", "tumble", "--duration", "2", "--figures", others=["run.csv"])
        series = report.series()
        rows = self.table("run.csv")
        zero = []
        for name in rows[0]:
            if name == "time":
                continue
            wanted = numpy.array([float(row[name]) for row in rows])
            if name in series:
                self.assertTrue(close(series[name], wanted), name)
            else:
                zero.append(name)
                self.assertFalse(wanted.any(), f"{name} is not in the page")
        # Of the ledger a falling character may fill this or that, but no motor, force or kinematic body works on it.
        for name in ("elastic", "work_drives", "work_applied", "work_kinematic", "joint_error", "equality_error"):
            self.assertIn(name, zero)
        rest = [name for name in zero if name not in LEDGER and "momentum_" not in name]
        self.assertEqual(rest, ["elastic", "joint_error", "equality_error"])
        # Neither is anything but the floor below it, which has carried some of its weight.
        for what in ("by_applied", "by_supports", "by_medium"):
            self.assertIn(f"momentum_{what}.z", zero)
        self.assertIn("momentum_by_contacts.z", series)
        self.assertIn("made_by_method", series)
        for name in ("kinetic", "potential", "momentum.x", "angular_momentum.z", "resolve"):
            self.assertIn(name, series)
        shown = {one["name"]: one["shown"] for one in report.document["runs"][0]["series"]}
        self.assertTrue(shown["energy"] and shown["penetration"])
        self.assertFalse(shown["root.x"] or shown["resolve"])

    def test_every_shape_is_there(self):
        report = self.report(TOUCHING, "--duration", "0.01")
        scene = report.document["scene"]
        kinds = {shape["name"]: shape["kind"] for shape in scene["shapes"]}
        wanted = {"floor": "plane", "tray": "trimesh", "hills": "heightfield", "crate": "box", "drum": "cylinder",
                  "egg": "ellipsoid", "log": "capsule", "wedge": "mesh", "marble": "sphere", "ball": "sphere"}
        self.assertEqual(kinds, wanted)
        shapes = {shape["name"]: shape for shape in scene["shapes"]}
        self.assertEqual(shapes["floor"]["size"], [4, 4])
        self.assertIsNone(shapes["floor"]["mesh"])
        self.assertEqual(shapes["drum"]["color"], [0.6, 0.2, 0.2, 1])
        self.assertNotEqual(shapes["marble"]["mesh"], shapes["ball"]["mesh"])
        # Half sizes of the boxes around the meshes, from the file; the wedge stands on its own frame.
        half = {"crate": (0.4, 0.4, 0.3), "drum": (0.25, 0.25, 0.2), "egg": (0.2, 0.2, 0.3), "log": (0.15, 0.15, 0.65),
                "marble": (0.2, 0.2, 0.2), "ball": (0.15, 0.15, 0.15), "hills": (1, 1, 0.2), "tray": (1.2, 1.2, 0.15)}
        for name, size in half.items():
            mesh = scene["meshes"][shapes[name]["mesh"]]
            points, normals, triangles = (report.array(mesh[key]) for key in ("positions", "normals", "indices"))
            extent = 0.5 * (points.max(axis=0) - points.min(axis=0))
            self.assertTrue(numpy.allclose(extent, size, rtol=0.01), f"{name}: {extent}")
            self.assertTrue(numpy.allclose((normals**2).sum(axis=1), 1, atol=1e-5), name)
            self.assertLess(triangles.max(), len(points))
        # The tray is open: ten triangles, and their backs.
        tray = scene["meshes"][shapes["tray"]["mesh"]]
        triangles = report.array(tray["positions"])[report.array(tray["indices"])]
        across = numpy.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
        self.assertEqual(len(triangles), 20)
        self.assertTrue(numpy.allclose(across.sum(axis=0), 0, atol=1e-5))
        wedge = scene["meshes"][shapes["wedge"]["mesh"]]
        points = report.array(wedge["positions"]).astype(float)
        turn = shapes["wedge"]["quat"]
        vector = numpy.array(turn[1:])
        turned = points + 2 * numpy.cross(vector, numpy.cross(vector, points) + turn[0] * points) + shapes["wedge"]["pos"]
        self.assertTrue(numpy.allclose(turned.min(axis=0), (-0.3, -0.25, 0), atol=1e-6), turned.min(axis=0))
        self.assertTrue(numpy.allclose(turned.max(axis=0), (0.3, 0.25, 0.3), atol=1e-6), turned.max(axis=0))

    def test_equal_shapes_share_a_mesh_and_hidden_ones_are_left_out(self):
        scene = self.file("groups.xml", """<mujoco><worldbody>
            <body name="both"><freejoint/><geom name="seen" size="1" group="2"/><geom name="same" size="1" pos="3 0 0"/>
              <geom name="hull" type="box" size="1 1 1" group="3"/><geom name="clear" type="box" size="1 1 1" rgba="1 0 0 0"/></body>
            <body name="urdf" pos="0 9 0"><freejoint/><geom name="nice" size="1" group="1" contype="0" conaffinity="0"/>
              <geom name="coarse" type="box" size="1 1 1"/></body>
            <body name="collides" pos="9 0 0"><freejoint/><geom name="only" type="box" size="1 1 1" group="3"/></body>
            </worldbody></mujoco>""")
        shapes = self.report(scene, "--duration", "0.01").document["scene"]["shapes"]
        self.assertEqual([shape["name"] for shape in shapes], ["seen", "same", "nice", "only"])
        self.assertEqual(shapes[0]["mesh"], shapes[1]["mesh"])
        self.assertIsNone(shapes[0]["color"])

    def test_joints_and_links_lie_where_the_model_has_them(self):
        scene = self.file("linked.xml", """<mujoco><compiler angle="radian"/><worldbody>
            <body name="a" pos="0 0 2"><joint name="turn" type="hinge" axis="0 1 0" pos="0.1 0 0.5"/>
              <joint name="push" type="slide" axis="1 0 0"/><geom size="0.1"/></body>
            <body name="b" pos="1 0 2"><joint name="swing" type="ball" pos="0 0 0.3"/><geom size="0.1"/></body>
            </worldbody><equality><connect name="tie" body1="a" body2="b" anchor="0.5 0 0"/></equality></mujoco>""")
        scene = self.report(scene, "--duration", "0.01").document["scene"]
        joints = {joint["name"]: joint for joint in scene["joints"]}
        self.assert_near(joints["turn"]["pos"], [0.1, 0, 0.5], 1e-12)
        self.assert_near(joints["turn"]["axes"][0], [0, 1, 0], 1e-12)
        self.assert_near(joints["push"]["axes"][0], [1, 0, 0], 1e-12)
        self.assert_near(joints["swing"]["pos"], [0, 0, 0.3], 1e-12)
        self.assertEqual(joints["swing"]["axes"], [])
        (link,) = scene["links"]
        self.assertEqual((link["name"], link["a"], link["b"]), ("tie", 1, 2))
        self.assert_near(link["pos_a"], [0.5, 0, 0], 1e-12)
        self.assert_near(link["pos_b"], [-0.5, 0, 0], 1e-12)

    def test_figures_have_titles_and_units(self):
        document = self.report(CHARACTER, "--key", "tumble", "--duration", "1").document
        figures = document["runs"][0]["figures"]
        self.assertEqual({column["key"] for column in document["columns"]}, set(figures))
        overlap = next(column for column in document["columns"] if column["key"] == "max_penetration")
        self.assertEqual((overlap["unit"], overlap["scale"]), ("mm", 1000))

    def test_what_may_slide_has_no_gap(self):
        coin = self.report(os.path.join(SOURCE_DIR, "scenes", "coin.xml"), "--key", "round", "--duration", "0.05")
        self.assertEqual(coin.document["scene"]["links"], [], "a disk that rolls is not held at a point")
        distances = self.report(os.path.join(SOURCE_DIR, "scenes", "distance.xml"), "--duration", "0.05")
        self.assertGreater(len(distances.document["scene"]["links"]), 0)
        for link in distances.document["scene"]["links"]:
            self.assertGreater(link["distance"], 0)

    def test_hostile_names_stay_text(self):
        name = "</script><!-- \u2028 “λ” & ]]> \\ '"
        text = name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        scene = self.file("hostile.xml", f'<mujoco model="{text}"><worldbody><body name="{text}"><freejoint/>'
                          f'<geom name="{text}" size="1"/></body></worldbody></mujoco>')
        report = self.report(scene, "--duration", "0.01")
        self.assertEqual(report.document["title"], name)
        self.assertEqual(report.document["scene"]["bodies"][1]["name"], name)
        self.assertEqual(report.document["scene"]["shapes"][0]["name"], name)
        self.assertEqual(report.page.count("</script"), 2)

    def test_long_runs_are_thinned_out_and_keep_what_happened_between(self):
        words = ("--key", "tumble", "--dt", "0.002", "--duration", "8", "--figures")
        report = self.report(CHARACTER, *words, others=["run.csv"])
        run = report.document["runs"][0]
        rows = self.table("run.csv")
        time = report.array(run["time"])
        every = run["samples"]["every"]
        self.assertEqual(run["samples"]["taken"], 4001)
        self.assertGreater(every, 1)
        self.assertLess(len(time), 1002)
        self.assertLess(numpy.diff(time).max(), 1 / 50)
        kept = sorted({*range(0, 4001, every), 4000})
        self.assertTrue(close(time, [float(rows[k]["time"]) for k in kept]))
        series = report.series()
        self.assertTrue(close(series["energy"], [float(rows[k]["energy"]) for k in kept]))
        parts = [range(before + 1, now + 1) for before, now in zip([-1, *kept], kept)]
        deepest = [max(float(rows[k]["penetration"]) for k in part) for part in parts]
        self.assertGreater(max(deepest), 0)
        self.assertTrue(close(series["penetration"], deepest))
        self.assertTrue(close(series["substeps"], [sum(float(rows[k]["substeps"]) for k in part) for part in parts]))

    def test_large_models_have_few_curves_and_triangles(self):
        scene = self.path("pile.xml")
        self.assertEqual(self.run_app("generate", "pile", scene, "--count", "12").code, 0)
        report = self.report(scene, "--formulation", "impulse", "--dt", "0.01", "--duration", "0.05")
        groups = {one["group"] for one in report.document["runs"][0]["series"]}
        self.assertIn("energy", groups)
        self.assertNotIn("orientations (quaternions)", groups)
        scene = report.document["scene"]
        self.assertEqual(len(scene["bodies"]), 12 * 16 + 1)
        # What can be drawn without a graphics card.
        drawn = sum(scene["meshes"][shape["mesh"]]["indices"]["shape"][0] for shape in scene["shapes"] if shape["mesh"] is not None)
        self.assertLess(drawn, 60000)

    def test_a_run_that_fails_is_shown_up_to_there(self):
        scene = self.file("open.xml", """<mujoco><worldbody>
            <body name="bob"><joint name="j" axis="0 1 0"/><geom size="0.1" pos="0 0 -1"/></body></worldbody>
            <equality><weld body1="bob"/></equality></mujoco>""")
        run = self.report(scene, "--set", "j=1", code=3).document["runs"][0]
        self.assertNotEqual(run["status"], "ok")
        self.assertIn("is open by", run["message"])
        self.assertEqual((run["time"]["shape"], run["poses"]["shape"]), ([1], [1, 2, 7]))

    def test_the_view_holds_the_motion(self):
        scene = self.file("far.xml", """<mujoco><option timestep="0.01"/><worldbody><geom type="plane" size="0 0 1"/>
            <body pos="0 0 10"><freejoint/><geom size="0.5"/></body></worldbody></mujoco>""")
        bounds = self.report(scene, "--duration", "1").document["scene"]["bounds"]
        # It falls by 4.9 m: from 10.5 m to 4.6 m.
        self.assert_near(bounds["center"], [0, 0, 7.55], 0.05)
        self.assertGreater(bounds["radius"], 2.95)
        self.assertLess(bounds["radius"], 4)

    def test_ten_seconds_of_the_character_are_small(self):
        self.report(CHARACTER, "--key", "tumble")
        self.assertLess(os.path.getsize(self.path("run.html")), 600e3)

    def test_the_page_of_the_program(self):
        out = self.path("own.html")
        result = self.run_app("run", CHARACTER, "--duration", "0.1", "--out", out, env={"LIGAMENT_PAGE": ""})
        if result.code == 5:
            self.assertIn("npm", result.err)
            self.assertFalse(os.path.exists(out))
            self.skipTest("this build has no page")
        self.assertEqual(result.code, 0, result.err)
        report = ReportFile(out)
        self.assertEqual(report.document["kind"], "replay")
        self.assertIn("three.js", report.page)
        self.assertNotIn("<!--LIGAMENT-DOCUMENT-->", report.page)

    def test_another_page_is_refused_where_it_is_none(self):
        for name, content, code, said in (("none.html", None, 4, "cannot be read"), ("empty.html", "<p>", 2, "LIGAMENT-DOCUMENT")):
            page = self.path(name)
            if content is not None:
                self.file(name, content)
            result = self.run_app("run", CHARACTER, "--out", self.path("x.html"), env={"LIGAMENT_PAGE": page})
            self.assertEqual(result.code, code)
            self.assertIn(said, result.err)


if __name__ == "__main__":
    main()
