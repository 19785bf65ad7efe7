#!/usr/bin/env python3
"""Every relative link in the documentation leads to a file, and every #anchor to a heading."""

import os
import pathlib
import re
import sys

root = pathlib.Path(os.environ["SOURCE_DIR"]).resolve()
skipped = {".git", "build", "node_modules"}


def without_code(text):
    text = re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "", text)


def anchors(path):
    text = re.sub(r"^(```|~~~).*?^\1", "", path.read_text("utf-8"), flags=re.M | re.S)
    found = set(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", text))
    seen = {}
    for heading in re.findall(r"^#+ +(.*?) *#*$", text, flags=re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        found.add(f"{slug}-{count}" if count else slug)
    return found


def pages():
    for path in sorted(root.rglob("*.md")):
        if not skipped & set(path.relative_to(root).parts):
            yield path


broken = links = 0
for page in pages():
    text = without_code(page.read_text("utf-8"))
    targets = re.findall(r"\]\(<?([^)\s>]+)", text) + re.findall(r"^\[[^\]]+\]: *(\S+)", text, flags=re.M)
    for target in targets:
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            continue
        links += 1
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        problem = None
        if not file.exists():
            problem = "leads nowhere"
        elif root not in file.parents and file != root:
            problem = "leads out of the repository"
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            problem = "names a heading that is not there"
        if problem:
            print(f"{page.relative_to(root)}: the link {target} {problem}")
            broken += 1

print(f"{links} links, {broken} broken")
sys.exit(1 if broken else 0)
