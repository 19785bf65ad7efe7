"""The options of a simulation on the command line: each is in the help, is refused by name where the formulation does
not have it, and comes back from a recording as it was given. All that is known of them is `ligament list options`."""

import json
import os
import re

import lrec
from support import AppTest, formulations, main

MODEL = """<mujoco><worldbody><geom type="plane" size="0 0 1"/>
<body pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
<body pos="0 2 1"><joint axis="0 1 0"/><geom size="0.1" pos="0.5 0 0"/></body></worldbody></mujoco>"""
FORMULATIONS = formulations()
# These have words of their own on the command line (run_test.py).
OTHERS = ("formulation", "integrator", "stepping", "threads")
# What else has to be given.
WITH = {
    "seed": ["--friction", "tangent"],
    "multiplier.baumgarte": ["--integrator", "rk4"],
    "implicit.penalty_frequency": ["--touching", "penalty"],
    "implicit.penalty_dissipation": ["--touching", "penalty"],
    "event.max_events": ["--stepping", "event"],
    "impulse.bias_factor": ["--solver", "classic"],
    "impulse.contacts": ["--solver", "soft-step"],
    "impulse.joints": ["--solver", "soft-step"],
}
VALUES = {"coordinates": "joint", "solver": "pgs", "impulse.contacts": "20,3", "impulse.joints": "25,4", "impact": "simultaneous", "touching": "hard"}


def other(option):
    """A value that is not the default, as a word of the command line and as in a recording."""
    name, default = option["name"], option["default"]
    if default in ("yes", "no"):
        return [], default == "no"
    if name in VALUES:
        word = VALUES[name]
        return [word], [float(x) for x in word.split(",")] if "," in word else word
    if "," in option["range"] and "≤" not in option["range"]:
        word = next(word for word in option["range"].split(", ") if word not in ("automatic", default))
        return [word], word
    number = float(default) / 2 if "." in default or "e" in default else int(default) + 1
    return [repr(number)], number


class OptionsTest(AppTest):
    def options(self):
        listed = self.run_json("list", "options")["options"]
        self.assertGreater(len(listed), 30)
        return [option for option in listed if option["flag"] and option["name"] not in OTHERS]

    def test_all_are_in_the_help(self):
        entries = re.split(r"\n  (?=-)", self.run_app("run", "--help").out)
        texts = {entry.split()[0]: " ".join(entry.split()) for entry in entries[1:]}
        for option in self.options():
            with self.subTest(option["name"]):
                self.assertIn(option["flag"], texts)
                if option["default"] not in ("yes", "no"):
                    self.assertIn(f"(default: {option['default']}", texts[option["flag"]])

    def test_refused_by_name_where_a_formulation_does_not_have_it(self):
        path = self.file("m.xml", MODEL)
        refused = 0
        for option in self.options():
            owners = FORMULATIONS if option["of"] == "all" else option["of"].split(", ")
            for formulation in FORMULATIONS:
                if formulation in owners:
                    continue
                with self.subTest(option["name"], formulation=formulation):
                    words = ["run", path, "--duration", "0", "--formulation", formulation, option["flag"], *other(option)[0]]
                    self.assert_fails(5, words, f"the formulation '{formulation}' does not have", option["name"], option["flag"])
                    refused += 1
        self.assertGreater(refused, 40)

    def test_set_recorded_and_read_back(self):
        path = self.file("m.xml", MODEL)
        out = os.path.join(self.folder, "o.lrec")
        for option in self.options():
            formulation = "reduced" if "reduced" in option["of"] or option["of"] == "all" else option["of"].split(", ")[0]
            given, recorded = other(option)
            words = ["--formulation", formulation, option["flag"], *given, *WITH.get(option["name"], [])]
            with self.subTest(words):
                result = self.run_app("run", path, "--duration", "0.01", "--dt", "0.01", *words, "--out", out)
                self.assertIn(result.code, (0, 3), result.err)
                result = self.run_json("replay", out)
                self.assertEqual(result["status"], "reproduced")
                found = result["settings"]["options"]
                for part in option["name"].split("."):
                    found = found[part]
                self.assertEqual(found, recorded)

    def test_old_recordings_are_read(self):
        """Before options had owners they stood side by side, and what a formulation ignored was taken."""
        path = self.file("m.xml", MODEL)
        out = os.path.join(self.folder, "o.lrec")
        for formulation in FORMULATIONS:
            with self.subTest(formulation):
                result = self.run_app("run", path, "--duration", "0.05", "--formulation", formulation, "--out", out)
                self.assertEqual(result.code, 0, result.err)
                with open(out, "rb") as file:
                    blocks = lrec.split(file.read())
                blocks = [(kind, self.made_old(content) if kind == "SETT" else content) for kind, content in blocks]
                with open(out, "wb") as file:
                    file.write(lrec.join(blocks))
                self.assertEqual(self.run_json("replay", out)["status"], "reproduced")

    def made_old(self, content):
        document = json.loads(content)
        options = document["options"]
        options.update(options.pop("multiplier"))
        options.update(options.pop("implicit"))
        options["most_events"] = options.pop("event")["max_events"]
        for kind in ("contact", "joint"):
            soft = options["impulse"].pop(kind + "s")
            options["impulse"][kind + "_frequency"], options["impulse"][kind + "_damping_ratio"] = soft
        if options["formulation"] != "implicit":
            options["newton"] = 3
        return json.dumps(document).encode()


if __name__ == "__main__":
    main()
