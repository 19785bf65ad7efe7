"""Recordings of earlier programs, in which figures of all equalities were called those of loops."""

import json
import os

import lrec
from support import SOURCE_DIR, AppTest, main

# What was written, by what is written now.
WAS = {
    "equality_error": "loop_error",
    "equality_rows": "loop_rows",
    "equality_open": "loop_open",
    "equalities_kept": "loops_kept",
    "equalities_kept_at": "loops_kept_at",
    "equalities_promised": "loops_promised",
    "max_substeps": "most_substeps",
}


def renamed(members):
    return {WAS.get(name, name): value for name, value in members.items()}


def made_old(kind, content):
    if kind not in ("SETT", "LAYT", "DONE"):
        return content
    document = json.loads(content)
    if kind == "SETT":
        multiplier = document["options"]["multiplier"]
        multiplier["loops"] = multiplier.pop("equalities")
        document["options"] = renamed(document["options"])
    elif kind == "LAYT":
        for array in document["arrays"]:
            if array["name"] in WAS:
                array["name"] = WAS[array["name"]]
                array["columns"] = [array["name"]]
    else:
        document = renamed(document)
        document["status"] = WAS.get(document["status"], document["status"])
    text = json.dumps(document)
    assert not any(f'"{name}"' in text for name in WAS), text
    return text.encode()


class OldNames(AppTest):
    def test_are_read(self):
        out = os.path.join(self.folder, "o.lrec")
        scene = os.path.join(SOURCE_DIR, "scenes", "four_bar.xml")
        for words, status in (
            (["--formulation", "multiplier", "--loops", "anticipation", "--duration", "0.1"], "ok"),
            (["--duration", "0.1"], "ok"),
            (["--set", "crank=1"], "equality_open"),
        ):
            with self.subTest(words):
                self.run_app("run", scene, *words, "--out", out)
                with open(out, "rb") as file:
                    blocks = lrec.split(file.read())
                before = self.replayed(out)
                self.assertEqual((before["status"], before["end"]), ("reproduced", status))
                with open(out, "wb") as file:
                    file.write(lrec.join([(kind, made_old(kind, content)) for kind, content in blocks]))
                self.assertEqual(self.replayed(out), before)

    def replayed(self, path):
        document = self.run_json("replay", path)
        del document["bytes"]  # names are not of the same length
        return document


if __name__ == "__main__":
    main()
