#!/usr/bin/env python3
"""Measures what docs/choosing.md says, and writes it there: scenes under all formulations, by `ligament compare`.

    bench/choosing.py [--ligament build/release/ligament] [--only NAME] [--check]

Takes some minutes; nothing else should run meanwhile. --check only tells whether every section of the page is one of
this list, without measuring anything.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "choosing.md")
BEGIN, END = "<!-- measured: {} -->", "<!-- end -->"

# Figures by their keys in `compare --json`: title, unit, factor.
FIGURES = {
    "error_rms": ("error", "m", 1),
    "order": ("order", "", 1),
    "energy_max_drift": ("energy drift", "J", 1),
    "energy_max_rise": ("energy rise", "J", 1),
    "max_joint_error": ("joint gap", "mm, mrad", 1e3),
    "max_equality_error": ("equality gap", "mm, mrad", 1e3),
    "max_penetration": ("overlap", "mm", 1e3),
    "max_limit_violation": ("limits", "°", 57.29577951308232),
    "time_per_second": ("time per second", "ms", 1e3),
}

# Name of the section: generated scene or file, further words, figures.
CASES = {
    "character": ("scenes/character.xml", "--key tumble --duration 10 --repeat 5",
                  "energy_max_rise max_joint_error max_penetration max_limit_violation time_per_second"),
    "heap": ("generate pile --count 5", "--dt 1/60 --duration 2 --reference none",
             "energy_max_rise max_joint_error max_penetration max_limit_violation time_per_second"),
    "crowd": ("generate pile --count 100", "--dt 1/60 --duration 3 --reference none --formulations impulse",
              "max_joint_error max_penetration max_limit_violation time_per_second"),
    "stack": ("generate stack --count 20", "--dt 1/60 --duration 3 --reference none",
              "energy_max_rise max_penetration time_per_second"),
    "mechanism": ("scenes/four_bar.xml", "--dt 1/200 --duration 10 --repeat 3",
                  "error_rms energy_max_drift max_joint_error max_equality_error time_per_second"),
    "load": ("generate chain --count 20 --mass 100000",
             "--dt 1/60 --duration 5 --reference none --formulations reduced,multiplier,implicit,implicit:bdf2,impulse",
             "energy_max_rise max_joint_error time_per_second"),
    "springs": ("scenes/hand.xml", "--paths scenes/motions/hand_target.csv --dt 1/60 --duration 2 --repeat 3",
                "error_rms max_joint_error time_per_second"),
    "net": ("generate net --count 10", "--dt 1/60 --duration 2 --reference none --disable contact",
            "energy_max_drift max_joint_error max_equality_error time_per_second"),
    "long": ("scenes/four_bar.xml", "--dt 1/200 --duration 200 --reference none --every 1",
             "energy_max_drift max_equality_error time_per_second"),
    "accuracy": ("generate pendulum --count 2",
                 "--dt 1/100,1/400 --duration 2 --disable contact --repeat 20 --formulations "
                 "reduced,reduced:rk4,multiplier,multiplier:rk4,implicit:bdf2,implicit,impulse",
                 "error_rms order time_per_second"),
    "excavator": ("scenes/excavator.xml", "--key dig --dt 1/60 --duration 3 --reference none",
                  "max_joint_error max_equality_error time_per_second"),
}


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = re.findall(r"model name\s*:\s*(.*)", file.read())
    return f"{names[0] if names else 'an unknown processor'}, {os.cpu_count()} cores"


def number(x):
    return "–" if x is None else "0" if x == 0 else f"{x:.2g}" if abs(x) < 100 else f"{x:.0f}"


def measure(ligament, name):
    scene, words, figures = CASES[name]
    with tempfile.TemporaryDirectory() as folder:
        path = scene
        if scene.startswith("generate "):
            kind, *rest = scene.split()[1:]
            path = os.path.join(folder, kind + ".xml")
            subprocess.run([ligament, "generate", kind, path, *rest], check=True, cwd=ROOT)
        result = subprocess.run([ligament, "compare", path, *words.split(), "--json"], cwd=ROOT, encoding="utf-8",
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return json.loads(result.stdout), figures.split()


def section(name, document, keys):
    scene, words, _ = CASES[name]
    told = scene if not scene.startswith("generate ") else scene.split()[1] + ".xml"
    lines = []
    if scene.startswith("generate "):
        kind, *rest = scene.split()[1:]
        lines.append(f"`ligament generate {kind} {told} {' '.join(rest)}`,")
    lines.append(f"`ligament compare {told} {words}`:")
    lines.append("")
    titles = [f"{FIGURES[key][0]} [{FIGURES[key][1]}]" if FIGURES[key][1] else FIGURES[key][0] for key in keys]
    lines.append("| formulation | " + " | ".join(titles) + " |")
    lines.append("|---|" + "---:|" * len(keys))
    several = len({run["dt"] for run in document["runs"] if run["name"] != "reference"}) > 1
    for run in document["runs"]:
        if run["name"] == "reference":
            continue
        called = run["formulation"] + ("" if run["integrator"] == "auto" else ":" + run["integrator"])
        head = f"`{called}`" + (f", {run['dt']:g} s" if several else "")
        if run["status"] not in ("ok", "not_converged"):
            end = f"{run['status']} after {run['simulated_time']:.2g} s"
            lines.append(f"| {head} | {end} |" + " |" * (len(keys) - 1))
            continue
        if run["status"] != "ok":
            head += f" ({run['status']})"
        cells = [number(None if run[key] is None else run[key] * FIGURES[key][2]) for key in keys]
        lines.append(f"| {head} | " + " | ".join(cells) + " |")
    for one in document["not_run"]:
        lines.append(f"| `{one['name']}` | not run: {one['reason']} |" + " |" * (len(keys) - 1))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ligament", default=os.path.join(ROOT, "build", "release", "ligament"))
    parser.add_argument("--only", action="append", choices=CASES)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    found = re.findall(r"<!-- measured: (\w+) -->", page)
    if sorted(found) != sorted(CASES):
        print(f"docs/choosing.md has the sections {sorted(found)}, bench/choosing.py {sorted(CASES)}")
        return 1
    if options.check:
        return 0
    for name in options.only or CASES:
        print(name, file=sys.stderr)
        text = section(name, *measure(os.path.abspath(options.ligament), name))
        begin = page.index(BEGIN.format(name)) + len(BEGIN.format(name))
        page = page[:begin] + "\n" + text + "\n" + page[page.index(END, begin):]
    page = re.sub(r"(?m)^Measured on .*$", f"Measured on {machine()}, one thread, by `bench/choosing.py`.", page)
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
