"""run --out x.glb: binary glTF, read here by hand, against the arrays of the same run; and the validator of Khronos."""

import json
import os
import shutil
import struct
import subprocess

import numpy
from support import SOURCE_DIR, AppTest, main

BINARY_DIR = os.environ.get("BINARY_DIR", "")
CHARACTER = os.path.join(SOURCE_DIR, "scenes", "character.xml")
TOUCHING = os.path.join(SOURCE_DIR, "scenes", "touching.xml")
TYPES = {5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}

# Prints the issues that npm's gltf-validator finds in files.
VALIDATE = """
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
const validator = createRequire(process.argv[2] + '/')('gltf-validator');
for (const file of process.argv.slice(3)) {
    const { issues } = await validator.validateBytes(new Uint8Array(readFileSync(file)));
    console.log(JSON.stringify({ file, errors: issues.numErrors, warnings: issues.numWarnings, messages: issues.messages }));
}
"""


class Glb:
    def __init__(self, path):
        with open(path, "rb") as file:
            content = file.read()
        magic, version, length = struct.unpack_from("<4sII", content)
        assert (magic, version, length) == (b"glTF", 2, len(content))
        size, kind = struct.unpack_from("<I4s", content, 12)
        assert kind == b"JSON" and size % 4 == 0
        self.document = json.loads(content[20 : 20 + size])
        self.data = b""
        if 20 + size < length:
            data_size, kind = struct.unpack_from("<I4s", content, 20 + size)
            assert kind == b"BIN\0" and 28 + size + data_size == length
            self.data = content[28 + size :]
        # Those of bodies; geoms below them may have the same names.
        nodes = self.document["nodes"]
        self.nodes = {nodes[child]["name"]: child for child in nodes[0]["children"]}

    def node(self, name):
        return self.document["nodes"][self.nodes[name]]

    def accessor(self, index):
        accessor = self.document["accessors"][index]
        view = self.document["bufferViews"][accessor["bufferView"]]
        width = WIDTHS[accessor["type"]]
        numbers = numpy.frombuffer(self.data, TYPES[accessor["componentType"]], accessor["count"] * width, view["byteOffset"])
        return numbers.reshape(-1, width)

    def motion(self, name, path):
        """Times and values of a node, one row where it does not move."""
        for animation in self.document.get("animations", []):
            for channel in animation["channels"]:
                if channel["target"] == {"node": self.nodes[name], "path": path}:
                    sampler = animation["samplers"][channel["sampler"]]
                    assert sampler["interpolation"] == "LINEAR"
                    return self.accessor(sampler["input"])[:, 0], self.accessor(sampler["output"])
        return None, numpy.array([self.node(name)[path]])


class GlbTest(AppTest):
    def path(self, name):
        return os.path.join(self.folder, name)

    def glb(self, scene, *words, out="run.glb", others=()):
        files = [word for name in (out, *others) for word in ("--out", self.path(name))]
        result = self.run_app("run", scene, *words, *files)
        self.assertEqual(result.code, 0, result.err)
        return Glb(self.path(out))

    def test_poses_are_those_of_npz(self):
        glb = self.glb(CHARACTER, "--key", "tumble", "--duration", "2", others=["run.npz"])
        self.assertEqual(glb.document["asset"], {"version": "2.0", "generator": "ligament 0.1.0"})
        with numpy.load(self.path("run.npz")) as arrays:
            for b, name in enumerate(arrays["body_names"]):
                time, places = glb.motion(name, "translation")
                if name == "world":
                    self.assertIsNone(time)
                else:
                    self.assertTrue(numpy.allclose(time, arrays["time"], rtol=2e-7), name)
                self.assertTrue(numpy.allclose(places, arrays["xpos"][:, b], rtol=2e-7, atol=1e-9), name)
                turned = glb.motion(name, "rotation")[1]
                wanted = arrays["xquat"][:, b][:, [1, 2, 3, 0]]
                signs = numpy.sign((turned * wanted).sum(axis=1))[:, None]
                self.assertTrue(numpy.allclose(signs * turned, wanted, rtol=2e-7, atol=1e-9), name)
                # Whoever interpolates straight must not go the long way round.
                self.assertTrue(((turned[1:] * turned[:-1]).sum(axis=1) > 0).all(), name)
                # Where nothing plays, everything is as at the start.
                self.assertEqual(glb.node(name)["translation"], [float(x) for x in places[0]])

    def test_up_is_y(self):
        glb = self.glb(CHARACTER, "--duration", "0.1")
        (root,) = glb.document["scenes"][0]["nodes"]
        root = glb.document["nodes"][root]
        x, y, z, w = root["rotation"]
        # The rotation takes z to y.
        self.assert_near([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], [0, 1, 0], 1e-12)
        bodies = {glb.document["nodes"][child]["name"] for child in root["children"]}
        self.assertIn("world", bodies)
        self.assertIn("head", bodies)

    def test_shapes_hang_on_their_bodies(self):
        glb = self.glb(TOUCHING, "--duration", "0.01")
        nodes = glb.document["nodes"]
        # Bodies and geoms have the same names in this file: the geoms are the children.
        shapes = {}
        for body in (nodes[child] for child in nodes[0]["children"]):
            for child in body.get("children", []):
                shapes[nodes[child]["name"]] = (body["name"], nodes[child])
        self.assertEqual({name for name, (body, _) in shapes.items() if body == "world"}, {"floor", "tray", "hills"})
        self.assertEqual(len(shapes), 10)
        self.assertEqual(shapes["drum"][0], "drum")
        half = {"crate": (0.4, 0.4, 0.3), "drum": (0.25, 0.25, 0.2), "log": (0.15, 0.15, 0.65), "floor": (4, 4, 0)}
        for name, size in half.items():
            (primitive,) = glb.document["meshes"][shapes[name][1]["mesh"]]["primitives"]
            points = glb.accessor(primitive["attributes"]["POSITION"])
            self.assertTrue(numpy.allclose(numpy.abs(points).max(axis=0), size, rtol=0.01), name)
            self.assertEqual(len(glb.accessor(primitive["attributes"]["NORMAL"])), len(points))
            self.assertLess(glb.accessor(primitive["indices"]).max(), len(points))
        # 0.6 and 0.2 of a screen's brightness are 0.3185 and 0.0331 of its light (sRGB).
        (drum,) = glb.document["meshes"][shapes["drum"][1]["mesh"]]["primitives"]
        color = glb.document["materials"][drum["material"]]["pbrMetallicRoughness"]["baseColorFactor"]
        self.assert_near(color, [0.3185, 0.0331, 0.0331, 1], 1e-4)

    def test_times_begin_at_zero(self):
        scene = self.file("late.xml", """<mujoco><worldbody><body name="b"><freejoint/><geom size="0.1"/></body></worldbody>
            <keyframe><key name="late" time="100"/></keyframe></mujoco>""")
        time, _ = self.glb(scene, "--key", "late", "--duration", "0.1", "--every", "0.01").motion("b", "translation")
        self.assertTrue(numpy.allclose(time, numpy.arange(11) * 0.01, atol=1e-6), time)

    def test_the_validator_finds_nothing(self):
        packages = next((folder for folder in (os.path.join(BINARY_DIR, "viewer"), os.path.join(SOURCE_DIR, "viewer"))
                         if os.path.isdir(os.path.join(folder, "node_modules", "gltf-validator"))), None)
        if not packages or not shutil.which("node"):
            self.skipTest("gltf-validator is not installed: it comes with the packages of viewer/, by npm")
        text = "</script> “λ”"
        odd = self.file("odd.xml", f"""<mujoco model="{text.replace('<', '&lt;')}"><worldbody>
            <body><geom type="box" size="1 1 1" rgba="1 0 0 0.5"/></body></worldbody></mujoco>""")
        nothing = self.file("nothing.xml", "<mujoco/>")
        for k, scene in enumerate((TOUCHING, odd, nothing)):
            self.glb(scene, "--duration", "0.1", out=f"{k}.glb")
        self.glb(CHARACTER, "--key", "tumble", "--duration", "2", out="3.glb")
        script = self.file("validate.mjs", VALIDATE)
        words = ["node", script, os.path.abspath(packages), *(self.path(f"{k}.glb") for k in range(4))]
        found = subprocess.run(words, capture_output=True, encoding="utf-8", timeout=300)
        self.assertEqual(found.returncode, 0, found.stderr)
        lines = [json.loads(line) for line in found.stdout.splitlines()]
        self.assertEqual(len(lines), 4)
        for line in lines:
            self.assertEqual((line["errors"], line["warnings"]), (0, 0), line)


if __name__ == "__main__":
    main()
