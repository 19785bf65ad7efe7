#!/usr/bin/env python3
"""The pages that lead from papers to code name functions that are there: every `Class::member` in their tables."""

import os
import pathlib
import re
import sys

root = pathlib.Path(os.environ["SOURCE_DIR"]).resolve()
# Pages, and how many such names each has at least.
pages = {
    "multiplier.md": 20,
    "implicit.md": 12,
    "impulse.md": 20,
    "reduced.md": 4,
    "event-stepping.md": 12,
    "acceleration-constraints.md": 8,
}

files = [path for folder in ("include", "src") for path in (root / folder).rglob("*") if path.suffix in (".h", ".cpp")]
sources = {path: path.read_text("utf-8") for path in files}


def is_defined(owner, member):
    """Whether a file that declares the class names the member as one of its own, or a file defines it."""
    declared = re.compile(rf"\b(class|struct) (alignas\(\w+\) )?{owner}\b[^;]*\{{")
    named = re.compile(rf"\b{member}\b")
    return any(declared.search(text) and named.search(text) for text in sources.values())


problems = 0
for page, least in pages.items():
    text = (root / "docs" / page).read_text("utf-8")
    rows = "\n".join(line for line in text.splitlines() if line.startswith("|"))
    names = sorted(set(re.findall(r"`(\w+)::(\w+)`", rows)))
    for owner, member in names:
        if not is_defined(owner, member):
            print(f"docs/{page}: there is no {owner}::{member}")
            problems += 1
    if len(names) < least:
        print(f"docs/{page}: {len(names)} names in its tables, at least {least} were expected")
        problems += 1

print(f"{len(pages)} pages, {problems} problems")
sys.exit(1 if problems else 0)
