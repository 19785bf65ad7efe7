#!/usr/bin/env python3
"""Writes docs/gallery.md from gallery.json, its pictures, and that of the report in README.md:

    python3 scenes/make_gallery.py [--only NAME] [--no-pictures] [--check]

A picture is the page of a run (`ligament run --out page.html`) in headless Chromium, at the time and from the place that
the list tells. The program is build/release/ligament, or what LIGAMENT says; the browser `chromium`, or what CHROMIUM says.
--only takes the picture of one scene; --no-pictures leaves them as they are; --check writes nothing and ends with 1 where
docs/gallery.md is not what would be written, or a picture is missing.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "gallery.md")
PICTURES = os.path.join(ROOT, "docs", "gallery")
SIZE = (800, 500)
REPORT = os.path.join(ROOT, "docs", "report.png")
REPORT_SIZE = (1280, 760)

HEAD = """# Gallery

The scenes that are shipped, each with what it shows. `ligament gallery` lists them, `ligament gallery NAME` tells one of them whole.
`compare` runs a scene in several ways and measures the differences; with `--out report.html` it writes a page in which the motions
can be seen ([report.md](report.md)). Figures are of one run on one machine, times of one core. All models, also those that are not here,
are in [scenes.md](scenes.md). This page and its pictures are written by `scenes/make_gallery.py` from `scenes/gallery.json`.
"""


def read_list():
    with open(os.path.join(ROOT, "scenes", "gallery.json"), encoding="utf-8") as file:
        return json.load(file)["scenes"]


def run_words(entry, duration):
    formulation, _, integrator = entry["formulations"][0].partition(":")
    words = ["run", entry["file"]]
    if entry["key"]:
        words += ["--key", entry["key"]]
    words += [*entry["options"], "--duration", f"{duration:g}", "--formulation", formulation]
    return words + (["--integrator", integrator] if integrator else [])


# --- the page ---


def anchor(title):
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def write_page(entries):
    yield HEAD
    yield "| scene | what it is | from |\n|---|---|---|"
    for entry in entries:
        yield f"| [{entry['title']}](#{anchor(entry['title'])}) | {entry['sentence']} | {entry['paper']} |"
    for entry in entries:
        yield f"\n## {entry['title']}\n"
        yield f"![{entry['title']}](gallery/{entry['name']}.png)\n"
        yield f"{entry['sentence']} {entry['shows']}\n"
        yield f"From: {entry['paper']}. Model: [{entry['file']}](../{entry['file']})."
        if entry["left_out"]:
            yield "\nNot by:\n"
            for formulation, reason in entry["left_out"].items():
                yield f"- `{formulation}`: {reason}."
        yield "\n```"
        yield "ligament " + " ".join(run_words(entry, entry["duration"]))
        yield "ligament " + entry["command"] + " --out report.html"
        yield "```"


# --- the pictures ---


def radius_and_center(page):
    """Of what the page has to show."""
    with open(page, encoding="utf-8") as file:
        found = re.search(r'<script type="application/json" id="ligament-document">(.*?)</script>', file.read(), re.DOTALL)
    bounds = json.loads(found.group(1))["scene"]["bounds"]
    return bounds["radius"], bounds["center"]


def take_picture(entry, program, browser):
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        # As long as it takes to get there: what is drawn is framed by all that moved.
        words = run_words(entry, entry["time"] or 1e-3 * entry["duration"])
        subprocess.run([program, *words, "--out", page, "--json"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        radius, center = radius_and_center(page)
        camera = entry["camera"]
        place = f"{camera['azimuth']},{camera['elevation']},{camera['distance'] * radius:.6g}"
        target = ",".join(f"{x:.6g}" for x in camera.get("target", center))
        address = f"t={entry['time']}&view=picture&theme=light&play=0&camera={place}&target={target}"
        for word in ("show", "hide"):
            if word in camera:
                address += f"&{word}=" + ",".join(camera[word])
        os.makedirs(PICTURES, exist_ok=True)
        photograph(browser, page, address, SIZE, os.path.join(PICTURES, entry["name"] + ".png"))


def take_report(program, browser):
    """The page that `./dev run` writes, for README.md."""
    words = ["compare", "scenes/character.xml", "--key", "tumble", "--duration", "10", "--out", "report.html"]
    with tempfile.TemporaryDirectory() as folder:
        # From within, so that the command in the page is what one would type.
        os.symlink(os.path.join(ROOT, "scenes"), os.path.join(folder, "scenes"))
        subprocess.run([os.path.abspath(program), *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        photograph(browser, os.path.join(folder, "report.html"), "t=0.8&mode=side&theme=light&show=contacts,forces",
                   REPORT_SIZE, REPORT)


def photograph(browser, page, address, size, target):
    with tempfile.TemporaryDirectory() as folder:
        shot = os.path.join(folder, "shot.png")
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader"]
        flags += ["--enable-unsafe-swiftshader", "--hide-scrollbars", "--force-color-profile=srgb"]
        flags += [f"--user-data-dir={folder}/profile", f"--window-size={size[0]},{size[1]}"]
        flags += ["--virtual-time-budget=10000", f"--screenshot={shot}", f"file://{page}#{address}"]
        subprocess.run([browser, *flags], check=True, timeout=300, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        shutil.copyfile(shot, target)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", metavar="NAME", help="take the picture of this scene alone")
    parser.add_argument("--no-pictures", action="store_true", help="leave the pictures as they are")
    parser.add_argument("--check", action="store_true", help="write nothing; say whether the page is as it would be written")
    arguments = parser.parse_args()
    entries = read_list()
    names = [entry["name"] for entry in entries]
    if arguments.only and arguments.only not in names:
        parser.error(f"there is no scene {arguments.only}; there are: {', '.join(names)}")
    text = "\n".join(write_page(entries)) + "\n"
    if arguments.check:
        with open(PAGE, encoding="utf-8") as file:
            if file.read() != text:
                sys.exit("docs/gallery.md is not what scenes/make_gallery.py writes; run it with --no-pictures")
        missing = [name for name in names if not os.path.isfile(os.path.join(PICTURES, name + ".png"))]
        if missing:
            sys.exit(f"docs/gallery has no pictures of: {', '.join(missing)}")
        return
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(text)
    if arguments.no_pictures:
        return
    program = os.environ.get("LIGAMENT", os.path.join(ROOT, "build", "release", "ligament"))
    browser = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        sys.exit("there is no Chromium to take pictures with; install it, set CHROMIUM, or use --no-pictures")
    if not arguments.only:
        print("report")
        take_report(program, browser)
    for entry in entries:
        if arguments.only in (None, entry["name"]):
            print(entry["name"])
            take_picture(entry, program, browser)


if __name__ == "__main__":
    main()
