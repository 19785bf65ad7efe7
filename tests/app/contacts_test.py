"""`ligament contacts`: what touches where, as text, JSON and a picture."""

import pathlib
import xml.etree.ElementTree as ElementTree

import support

MODEL = """<mujoco><worldbody>
  <geom name="floor" type="plane" size="2 2 0.1" friction="0.4"/>
  <body name="crate" pos="0 0 0.99"><freejoint/><geom name="box" type="box" size="1 1 1" friction="0.7"/></body>
  <body name="ball" pos="0 0 5"><freejoint/><geom size="0.5"/></body>
</worldbody></mujoco>"""


class Contacts(support.AppTest):
    def test_text(self):
        result = self.run_app("contacts", self.file("crate.xml", MODEL))
        self.assertEqual((result.code, result.err), (0, ""))
        lines = result.out.splitlines()
        self.assertEqual(len(lines), 5)
        for line in lines[1:]:
            self.assertEqual(line.split()[:3], ["floor", "box", "-0.01"])
            self.assertEqual(line.split()[-4:], ["0", "0", "1", "0.7"])

    def test_json(self):
        path = self.file("crate.xml", MODEL)
        contacts = self.run_json("contacts", path)["states"][0]["contacts"]
        self.assertEqual(len(contacts), 4)
        corners = set()
        for contact in contacts:
            self.assertEqual((contact["geom1"], contact["geom2"]), ("floor", "box"))
            self.assertAlmostEqual(contact["distance"], -0.01, delta=1e-15)
            self.assertEqual(contact["normal"], [0, 0, 1])
            self.assertAlmostEqual(contact["point1"][2], 0, delta=1e-15)
            self.assertAlmostEqual(contact["point2"][2], -0.01, delta=1e-15)
            self.assertEqual(contact["friction"], [0.7, 0.7, 0.005, 0.0001, 0.0001])
            self.assertTrue(contact["active"])
            corners.add(tuple(contact["point2"][:2]))
        self.assertEqual(corners, {(-1, -1), (-1, 1), (1, -1), (1, 1)})
        self.assertEqual(len({contact["feature"] for contact in contacts}), 4)

    def test_states_and_margin(self):
        path = self.file("crate.xml", MODEL)
        crate_up = [0, 0, 1.2, 1, 0, 0, 0]
        ball_up = [0, 0, 5, 1, 0, 0, 0]
        ball_low = [1.4, 0, 1.2, 1, 0, 0, 0]
        states = [{"qpos": crate_up + ball, "qvel": [0] * 12} for ball in (ball_up, ball_low)]
        file = self.file("states.json", {"states": states})
        found = self.run_json("contacts", path, "--state", file)["states"]
        self.assertEqual(found[0]["contacts"], [])
        self.assertEqual(len(found[1]["contacts"]), 1)
        # A geom without a name is called after its kind and index.
        self.assertEqual(found[1]["contacts"][0]["geom2"], "geom2")
        self.assertAlmostEqual(found[1]["contacts"][0]["distance"], -0.1, delta=1e-14)
        near = self.run_json("contacts", path, "--state", file, "--margin", "0.25")["states"]
        self.assertEqual([contact["active"] for contact in near[0]["contacts"]], [False] * 4)
        self.assertIn("no contacts", self.run_app("contacts", path, "--state", file).out)
        self.assert_fails(1, ["contacts", path, "--margin", "wide"], "--margin is a distance in metres, not 'wide'")
        self.assert_fails(1, ["contacts", path, "--margin=-1"], "--margin")
        self.assert_fails(1, ["contacts", path, "--margin", ""], "not ''")
        self.assert_fails(1, ["contacts", path, "--state", file, "--svg", "x.svg"], "draws one state, and there are 2")

    def test_picture(self):
        path = self.file("crate.xml", MODEL)
        picture = pathlib.Path(self.folder) / "crate.svg"
        self.assertEqual(self.run_app("contacts", path, "--svg", str(picture)).code, 0)
        root = ElementTree.parse(picture).getroot()
        tag = "{http://www.w3.org/2000/svg}"
        self.assertEqual(len(root.findall(f"{tag}circle")), 4)
        self.assertGreaterEqual(len(root.findall(f"{tag}path")), 4)  # three geoms and the scale
        width, height = float(root.get("width")), float(root.get("height"))
        for circle in root.iter(f"{tag}circle"):
            self.assertTrue(0 < float(circle.get("cx")) < width and 0 < float(circle.get("cy")) < height)
        self.assert_fails(4, ["contacts", path, "--svg", str(pathlib.Path(self.folder) / "no" / "x.svg")], "cannot be written")


if __name__ == "__main__":
    support.main()
