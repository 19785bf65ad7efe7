"""Files made to do harm cost a message: within five seconds and 500 MB, with exit code 2 or 5."""

import os
import re
import resource
import struct
import subprocess
import time

from support import LIGAMENT, AppTest, Result, main

SECONDS = 5
MEGABYTES = 500
# Sanitizers reserve address space and slow everything down.
SANITIZED = bool(os.environ.get("SANITIZE"))

# Of the text of messages: a hundred of each kind are listed.
MOST_OUTPUT = 200_000


class Process:
    def __init__(self, code, out, err):
        self.returncode, self.stdout, self.stderr = code, out, err


class HostileTest(AppTest):
    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def run_limited(self, *words, stdin=subprocess.DEVNULL):
        """Runs the program within the limits. Time is that of the processor: the machine may be busy."""

        def limit():
            if not SANITIZED:
                resource.setrlimit(resource.RLIMIT_AS, (MEGABYTES << 20, MEGABYTES << 20))

        out_path, err_path = os.path.join(self.folder, "stdout"), os.path.join(self.folder, "stderr")
        with open(out_path, "wb") as out, open(err_path, "wb") as err:
            process = subprocess.Popen([LIGAMENT, *words], stdin=stdin, stdout=out, stderr=err, preexec_fn=limit)
            deadline = time.monotonic() + 120
            while True:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if pid != 0:
                    break
                if time.monotonic() > deadline:
                    process.kill()
                    os.wait4(process.pid, 0)
                    self.fail(f"{words} did not end")
                time.sleep(0.005)
            process.returncode = os.waitstatus_to_exitcode(status)
        with open(out_path, encoding="utf-8", errors="strict") as out:
            out_text = out.read()
        with open(err_path, encoding="utf-8", errors="strict") as err:
            err_text = err.read()
        self.seconds = usage.ru_utime + usage.ru_stime
        if not SANITIZED:
            self.assertLess(self.seconds, SECONDS)
        if os.environ.get("HOSTILE_TIMES"):
            print(f"{self.seconds:6.2f} s {usage.ru_maxrss // 1024:5d} MB  {self.id()}", flush=True)
        return Result(Process(process.returncode, out_text, err_text))

    def refused(self, path, *expected, codes=(2, 5), words=(), stdin=subprocess.DEVNULL):
        result = self.run_limited("info", path, *words, stdin=stdin)
        self.assertIn(result.code, codes, result.err[:2000])
        self.assertEqual(result.out, "")
        self.assertRegex(result.err, r"(?m)^\S.*: error")
        self.assertLess(len(result.err), MOST_OUTPUT)
        for part in expected:
            self.assertIn(part, result.err)
        return result

    def read(self, path):
        """The file is harmless although it looks bad: it is read, within the limits."""
        result = self.run_limited("info", path)
        self.assertEqual(result.code, 0, result.err[:2000])
        return result

    def model(self, inside, name="m.xml"):
        return self.write(name, f"<mujoco><worldbody>{inside}</worldbody></mujoco>")

    # --- XML ---------------------------------------------------------------------------------------------------

    def test_entities(self):
        laughs = '<!ENTITY l0 "ha">' + "".join(
            f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 30)
        )
        self.refused(
            self.write("m.xml", f'<!DOCTYPE m [{laughs}]><mujoco model="&l29;"/>'), "m.xml:1:", "error[U017]"
        )
        secret = self.write("secret", "the secret")
        for kind in (f'SYSTEM "{secret}"', f'SYSTEM "file://{secret}"', f'PUBLIC "x" "{secret}"'):
            for text in (
                f'<!DOCTYPE m [<!ENTITY e {kind}>]><mujoco model="&e;"/>',
                f'<!DOCTYPE m [<!ENTITY % e {kind}> %e;]><robot name="r"><link name="&e;"/></robot>',
            ):
                result = self.refused(self.write("m.xml", text), "error[U017]", codes=(5,))
                self.assertNotIn("the secret", result.err)
        # A document type without entities does no harm.
        self.read(self.write("m.xml", '<?xml version="1.0"?><!DOCTYPE mujoco><mujoco/>'))

    def test_deep_nesting(self):
        count = 100_000
        for before, opening, closing, after in (
            ("<mujoco><worldbody>", "<body>", "</body>", "</worldbody></mujoco>"),
            ("<mujoco><worldbody>", "<frame>", "</frame>", "</worldbody></mujoco>"),
            ("<mujoco>", "<default class='x'>", "</default>", "</mujoco>"),
            ("<mujoco>", "<mujoco>", "</mujoco>", "</mujoco>"),
            ("", "<x>", "</x>", ""),
            ("<robot name='r'>", "<link name='a'>", "</link>", "</robot>"),
        ):
            with self.subTest(opening):
                self.refused(self.write("m.xml", before + opening * count), "error[E003]")
                whole = self.write("m.xml", before + opening * count + closing * count + after)
                result = self.run_limited("info", whole)
                self.assertIn(result.code, (0, 2, 5), result.err[:2000])
        self.refused(self.write("m.xml", "<!DOCTYPE m [" + "<!ELEMENT (" * count), "error[E003]")

    def test_a_million_attributes(self):
        attributes = " ".join(f'a{i}="1"' for i in range(1_000_000))
        result = self.refused(self.model(f"<body {attributes}/>"), words=["--strict"])
        self.assertEqual(result.err.count("error[W010]"), 101)
        self.refused(self.model("<body " + 'pos="0 0 0" ' * 1_000_000 + "/>"), "given twice")

    def test_many_errors(self):
        count = 100_000
        for name, text in (
            ("numbers", '<body><joint range="a b"/></body>' * count),
            ("elements", "<nonsense/>" * count),
            ("names", '<body name="x"/>' * count),
            ("classes", '<geom class="c" size="1"/>' * count),
            ("values", '<body><geom type="cube"/></body>' * count),
        ):
            with self.subTest(name):
                result = self.refused(self.model(text), "there are more of this kind", words=["--strict"])
                self.assertLess(result.err.count("\n"), 1000)

    def test_broken_references(self):
        count = 30_000
        bodies = "".join(f'<body name="body{i}"/>' for i in range(count))
        equalities = "".join(f'<weld body1="bodi{i}" body2="bodz{i}"/>' for i in range(count))
        text = f"<mujoco><worldbody>{bodies}</worldbody><equality>{equalities}</equality></mujoco>"
        self.refused(self.write("m.xml", text), "'bodi0'")
        links = "".join(f'<link name="link{i}"/>' for i in range(count))
        joints = "".join(
            f'<joint name="j{i}" type="fixed"><parent link="lynk{i}"/><child link="lonk{i}"/></joint>'
            for i in range(count)
        )
        self.refused(self.write("m.urdf", f'<robot name="r">{links}{joints}</robot>'), "'lynk0'")

    # --- text --------------------------------------------------------------------------------------------------

    def test_encodings(self):
        text = '<mujoco model="é"><worldbody><body name="ü"/></worldbody></mujoco>'
        self.assertIn("ü", self.read(self.write("m.xml", text)).out)
        for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"):
            with self.subTest(encoding):
                result = self.read(self.write("m.xml", text.encode(encoding)))
                self.assertIn("ü", result.out)
        self.refused(self.write("m.xml", text.encode("latin-1")), "W013", words=["--strict"], codes=(2,))
        for junk in (b"\xff" * 1000, b"\xfe\xff" + b"\xd8\x00" * 999, b"\xff\xfe<", b"\xed\xa0\x80<mujoco/>"):
            with self.subTest(junk[:8]):
                self.refused(self.write("m.xml", junk), codes=(2,))

    def test_zero_bytes_and_control_characters(self):
        self.refused(self.write("m.xml", b"\0" * 1_000_000), "m.xml:1:1: error[E003]")
        self.refused(self.write("m.xml", b"<mujoco/>\0"), "m.xml:1:10: error[E003]")
        for bad in ("\x1b[31m", "\x01", "\x08", "&#0;", "&#27;", "&#x1b;", "&#xd800;", "&#1114112;", "&#xffff;"):
            with self.subTest(bad):
                result = self.refused(self.model(f'<body name="a{bad}"/>'), "m.xml:1:33: error[E003]")
                self.assertNotRegex(result.err, r"[\x00-\x09\x0b-\x1f\x7f]")
        # In a comment a reference is none.
        self.read(self.model("<!-- &#27; --><body/>"))

    def test_names_that_steer_the_terminal(self):
        for bad, shown in (
            ("&#10;", "\\x0a"),
            ("&#127;", "\\x7f"),
            ("\u009b31m", "\\u009b"),
            ("\u202e", "\\u202e"),
        ):
            with self.subTest(shown):
                path = self.model(f'<body name="a{bad}b"><joint axis="0 0 0"/></body>')
                self.refused(path)
                path = self.write(
                    "m.urdf",
                    f'<robot name="r"><link name="a"/><joint name="{bad}" type="fixed">'
                    f'<parent link="a"/><child link="{bad}"/></joint></robot>',
                )
                result = self.refused(path, shown)
                self.assertNotIn(bad, result.err)
        table = self.read(self.model('<body name="a&#10;b\u202e"/>')).out
        self.assertIn("a\\x0ab\\u202e", table)

    def test_long_values(self):
        long = "x" * 10_000_000
        for inside in (
            f'<body name="{long}"><joint range="a b"/></body>',
            f'<body name="{long}"/><body name="{long}"/>',
            f"<{long}/>",
            f'<body {long}="1"/>',
            f'<body pos="{long}"/>',
            f'<body pos="{"1 " * 3_000_000}"/>',
            f'<body pos="{"1" * 5_000_000}e5 0 0"/>',
            f'<body childclass="{long}"/>',
            f'<body><geom type="{long}"/></body>',
        ):
            with self.subTest(inside[:20]):
                result = self.refused(self.model(inside), words=["--strict"])
                self.assertLess(len(result.err), 10_000)

    def test_numbers(self):
        for word in ("1e400", "-1e400", "nan", "inf", "0x10", "1,5", "1e", "--1", "١", "1_000", "1e" + "9" * 100_000):
            with self.subTest(word[:10]):
                self.refused(self.model(f'<body pos="0 {word} 0"/>'), "m.xml:1:33: error[E006]")
        for word in ("1e-400", "0" * 100_000 + "1", "." + "0" * 100_000 + "1", "1e-" + "9" * 100_000):
            with self.subTest(word[:10]):
                self.read(self.model(f'<body pos="0 {word} 0"/>'))

    # --- counts ------------------------------------------------------------------------------------------------

    def test_large_counts(self):
        billion = 1_000_000_000
        tree = '<worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>'
        for inside in (
            f'<asset><hfield name="h" nrow="{billion}" ncol="{billion}" size="1 1 1 1"/></asset>',
            f'<asset><hfield name="h" nrow="{billion}" ncol="2" size="1 1 1 1" elevation="1 2 3 4"/></asset>',
            f'<worldbody><replicate count="{billion}"><geom size="1"/></replicate></worldbody>',
            '<worldbody>'
            + '<replicate count="100">' * 8
            + '<body><joint/><geom size="1"/></body>'
            + "</replicate>" * 8
            + "</worldbody>",
            f'<worldbody><body><joint/><joint/><joint/>{"<joint/>" * 1000}<geom size="1"/></body></worldbody>',
        ):
            with self.subTest(inside[:60]):
                self.refused(self.write("m.xml", f"<mujoco>{inside}</mujoco>"))
        for inside in (
            f'<size memory="{billion}G" njmax="{billion}" nconmax="{billion}" nstack="{billion}"/>',
            f'<size nuser_body="{billion}" nuser_geom="{billion}" nuserdata="{billion}" nkey="{billion}"/>',
            tree + f'<actuator><general joint="j" dyntype="user" actdim="{billion}"/></actuator>',
            tree + f'<sensor><user dim="{billion}"/></sensor>',
            f'<custom><numeric name="n" size="{billion}" data="1"/></custom>',
        ):
            with self.subTest(inside[-60:]):
                result = self.run_limited("info", self.write("m.xml", f"<mujoco>{inside}</mujoco>"))
                self.assertIn(result.code, (0, 2, 5), result.err[:2000])

    def test_copies_of_copies(self):
        # Doubled again and again: 2^n bodies, or names of 2^n letters.
        double = '<body name="b0"><joint/><geom size="1"/></body>' + "".join(
            f'<body name="b{i}"><attach body="b{i - 1}" prefix="l{i}"/><attach body="b{i - 1}" prefix="r{i}"/></body>'
            for i in range(1, 60)
        )
        self.refused(self.model(double), "error[E111]")
        long = "p" * 1000
        self.refused(
            self.model('<body name="b"/>' + f'<attach body="b" prefix="{long}"/>' * 50 + f'<body name="c{long}"/>')
        )
        grow = '<body name="b0"><geom name="g" size="1"/></body>' + "".join(
            f'<body name="c{i}"><attach body="{"c" if i else "b"}{max(i - 1, 0)}" prefix="{"p" * 500}"/></body>'
            for i in range(10)
        )
        self.refused(self.model(grow), "error[E018]")
        # As many as are allowed, and more.
        body = '<body><joint/><geom size="1"/></body>'
        self.read(self.model(f'<replicate count="60000">{body}</replicate>'))
        self.refused(self.model(f'<replicate count="600000">{body}</replicate>'), "error[E111]")
        named = f'<body name="n{"n" * 900}"><joint name="j{"j" * 900}"/><geom name="g{"g" * 900}" size="1"/></body>'
        self.refused(self.model(f'<replicate count="70000">{named}</replicate>'))
        many = "".join(f'<attach body="b" prefix="p{i}"/>' for i in range(100_000))
        self.refused(self.model(f'<body name="b"/>{many}'), "error[E111]")

    def test_models_within_models(self):
        for i in range(12):
            models = "".join(f'<model name="m{k}" file="m{i + 1}.xml"/>' for k in range(10))
            self.write(f"m{i}.xml", f"<mujoco><asset>{models if i < 11 else ''}</asset></mujoco>")
        self.refused(os.path.join(self.folder, "m0.xml"), "error[E111]")
        self.write("self.xml", '<mujoco><asset><model file="self.xml"/></asset></mujoco>')
        self.refused(os.path.join(self.folder, "self.xml"), "error[E112]")
        os.mkfifo(os.path.join(self.folder, "pipe"))
        self.refused(self.write("m.xml", '<mujoco><asset><model file="pipe"/></asset></mujoco>'), "error[E015]")

    def test_keyframes(self):
        tree = '<worldbody><body><joint/><geom size="1"/></body></worldbody>'
        for field in ("qpos", "qvel", "act", "ctrl", "mpos", "mquat"):
            with self.subTest(field):
                text = f'<mujoco>{tree}<keyframe><key {field}="{"1 " * 1_000_000}"/></keyframe></mujoco>'
                self.refused(self.write("m.xml", text))

    # --- size --------------------------------------------------------------------------------------------------

    def test_many_objects(self):
        count = 100_000
        for name, text in (
            ("bodies", "".join(f'<body name="b{i}"/>' for i in range(count))),
            ("geoms of a body", "<body>" + "".join(f'<geom name="g{i}" size="1"/>' for i in range(count)) + "</body>"),
            ("sites of a body", "<body>" + '<site pos="1 0 0"/>' * count + "</body>"),
            ("unnamed bodies", "<body/>" * count),
        ):
            with self.subTest(name):
                self.read(self.model(text))
        classes = "".join(f'<default class="c{i}">' for i in range(count))
        nested = f"<mujoco><default>{classes}{'</default>' * count}</default></mujoco>"
        beside = "".join(f'<default class="c{i}"/>' for i in range(count))
        for text in (nested, f"<mujoco><default>{beside}</default></mujoco>"):
            with self.subTest(text[:40]):
                result = self.run_limited("info", self.write("m.xml", text))
                self.assertIn(result.code, (0, 2, 5), result.err[:2000])

    def test_loading_takes_linear_time(self):
        """A chain of 10,000 bodies with everything that refers to them loads in well under two seconds."""
        count = 10_000
        bodies = "".join(
            f'<body name="b{i}" pos="0 0.1 0.3"><joint name="j{i}" axis="0 1 0" range="-90 90"/>'
            f'<geom name="g{i}" type="capsule" fromto="0 0 0 0 0.1 0.3" size="0.05"/><site name="s{i}"/>'
            for i in range(count)
        )
        motors = "".join(f'<motor name="m{i}" joint="j{i}"/>' for i in range(count))
        tendons = "".join(
            f'<fixed name="t{i}"><joint joint="j{i}" coef="1"/><joint joint="j{i + 1}" coef="2"/></fixed>'
            for i in range(count - 1)
        )
        sensors = "".join(f'<jointpos name="q{i}" joint="j{i}"/>' for i in range(count))
        exclusions = "".join(f'<exclude body1="b{i}" body2="b{i + 2}"/>' for i in range(count - 2))
        welds = "".join(f'<weld body1="b{i}" body2="b{i + 5}"/>' for i in range(count - 5))
        path = self.write(
            "m.xml",
            f"<mujoco><worldbody>{bodies}{'</body>' * count}</worldbody><actuator>{motors}</actuator>"
            f"<tendon>{tendons}</tendon><sensor>{sensors}</sensor><contact>{exclusions}</contact>"
            f"<equality>{welds}</equality></mujoco>",
        )
        self.read(path)
        if not SANITIZED:
            self.assertLess(self.seconds, 2)

    # --- files -------------------------------------------------------------------------------------------------

    def test_includes(self):
        self.write("a.xml", '<mujoco><include file="b.xml"/></mujoco>')
        self.write("b.xml", '<mujoco><include file="a.xml"/></mujoco>')
        self.refused(os.path.join(self.folder, "a.xml"), "circle")
        self.write("leaf.xml", "<mujoco/>")
        self.refused(self.write("m.xml", "<mujoco>" + '<include file="leaf.xml"/>' * 100_000 + "</mujoco>"), "twice")
        missing = "".join(f'<include file="none{i}.xml"/>' for i in range(10_000))
        self.refused(self.write("m.xml", f"<mujoco>{missing}</mujoco>"), codes=(2, 4))
        # Each file includes all that come after it: 2^n if every include were followed.
        count = 200
        for i in range(count):
            rest = "".join(f'<include file="f{k}.xml"/>' for k in range(i + 1, count))
            self.write(f"f{i}.xml", f"<mujoco>{rest}</mujoco>")
        self.refused(os.path.join(self.folder, "f0.xml"), "twice")
        # A long chain.
        for i in range(2000):
            self.write(f"c{i}.xml", f'<mujoco><include file="c{(i + 1) % 2000}.xml"/></mujoco>')
        self.refused(os.path.join(self.folder, "c0.xml"), "circle")

    def test_what_is_no_file(self):
        pipe = os.path.join(self.folder, "pipe")
        os.mkfifo(pipe)
        os.mkdir(os.path.join(self.folder, "folder"))
        for name in ("/dev/zero", "/dev/random", "folder"):
            with self.subTest(name):
                self.refused(os.path.join(self.folder, name), "error[E015]", codes=(2,))
        for name in ("/dev/zero", "pipe", "folder"):
            with self.subTest(name):
                path = self.write("m.xml", f'<mujoco><include file="{name}"/></mujoco>')
                self.refused(path, "error[E015]", codes=(2,))
        long = self.write("long.xml", "<mujoco>")
        os.truncate(long, 1 << 40)  # of which nothing is on the disk
        self.refused(long, "error[E016]", codes=(2,))
        self.refused(self.write("m.xml", '<mujoco><include file="long.xml"/></mujoco>'), "error[E016]", codes=(2,))
        self.refused(self.write("m.xml", '<mujoco><include file="' + "../" * 5000 + 'x"/></mujoco>'), codes=(2, 4))
        self.refused(self.write("m.xml", '<mujoco><include file="' + "x" * 5000 + '"/></mujoco>'), codes=(2, 4))

    def test_meshes(self):
        solid = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
        stl = bytes(80) + struct.pack("<I", 1_000_000_000) + bytes(50)
        os.mkdir(os.path.join(self.folder, "folder.stl"))
        os.mkfifo(os.path.join(self.folder, "pipe.obj"))
        self.write("sparse.stl", "")
        os.truncate(os.path.join(self.folder, "sparse.stl"), 1 << 40)
        for name, content in (
            ("a.stl", os.urandom(100_000)),
            ("b.stl", stl),
            ("c.stl", b""),
            ("d.stl", b"solid x\n" + b"outer loop\n" * 100_000),
            ("e.obj", os.urandom(100_000)),
            ("f.obj", solid + "f 1 2 1000000000\n"),
            ("g.obj", solid + "f " + "1 " * 3_000_000),
            ("h.obj", "v 1e400 nan inf\n"),
            ("i.obj", solid + "f -5 -1 -2\n"),
            ("j.msh", struct.pack("<4i", 1_000_000_000, 0, 0, 1_000_000_000)),
            ("k.msh", struct.pack("<4i", -1, -1, -1, -1) + bytes(1000)),
            ("l.msh", os.urandom(100_000)),
            ("m.stl", bytes(80) + struct.pack("<I", 1_500_000) + bytes(50 * 1_500_000)),
            ("folder.stl", None),
            ("pipe.obj", None),
            ("sparse.stl", None),
        ):
            with self.subTest(name):
                if content is not None:
                    self.write(name, content)
                self.refused(
                    self.write(
                        "m.xml",
                        f'<mujoco><asset><mesh name="m" file="{name}"/></asset><worldbody><body><joint/>'
                        '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>',
                    )
                )

    def test_endless_input(self):
        for command in (["yes", "<mujoco>"], ["cat", "/dev/zero"]):
            with self.subTest(command):
                with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as endless:
                    try:
                        self.refused("-", "256 MiB", codes=(2,), stdin=endless.stdout)
                    finally:
                        endless.kill()
        model = self.model('<body><joint/><geom size="1"/></body>')
        with open("/dev/zero", "rb") as zero:
            result = self.run_limited("forward", model, "--state", "-", stdin=zero)
        self.assertEqual(result.code, 2)
        self.assertIn("256 MiB", result.err)

    def test_states(self):
        model = self.model('<body><joint/><geom size="1"/></body>')
        for text in (
            "[" * 100_000,
            '{"qpos":' * 100_000,
            "[" * 100_000 + "]" * 100_000,
            '{"qpos":[1e400],"qvel":[0]}',
            '{"qpos":[NaN],"qvel":[0]}',
            '{"qpos":[' + "0," * 1_000_000 + '0],"qvel":[0]}',
            '{"states":[' + "1," * 100_000 + "1]}",
            '{"qpos":[0],"qvel":[0],"xfrc_applied":{"\x1b[31m":[0]}}',
            b'{"qpos":[0],"qvel":[0],"\xff\xfe":1}',
            b"\0" * 1000,
            "",
        ):
            with self.subTest(text[:40]):
                path = self.write("state.json", text)
                result = self.run_limited("forward", model, "--state", path)
                self.assertEqual(result.code, 2, result.err[:2000])
                self.assertRegex(result.err, r"state\.json.*: error: ")
                self.assertLess(len(result.err), MOST_OUTPUT)


if __name__ == "__main__":
    main()
