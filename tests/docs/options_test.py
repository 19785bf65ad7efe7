#!/usr/bin/env python3
"""The tables of docs/options.md are those of `ligament list options`; `--write` writes them."""

import json
import os
import pathlib
import re
import subprocess
import sys

page = pathlib.Path(os.environ["SOURCE_DIR"]) / "docs/options.md"
listed = json.loads(subprocess.run([os.environ["LIGAMENT"], "list", "options", "--json"], capture_output=True, check=True).stdout)
HEADER = "| option | flag | default | range | of | meaning |\n|---|---|---|---|---|---|\n"


def row(option):
    code = lambda text: f"`{text}`" if text else ""
    meaning = option["summary"] + (f", {option['unit']}" if option["unit"] else "")
    if option["default_means"]:
        meaning += f"; by default {option['default_means']}"
    return f"| {code(option['name'])} | {code(option['flag'])} | {code(option['default'])} | {option['range']} | {option['of']} | {meaning} |\n"


tables = {}
for option in listed["options"]:
    tables.setdefault(option["name"].rpartition(".")[0], []).append(row(option))
text = page.read_text("utf-8")
made = text
for owner, rows in tables.items():
    title = f"## `{owner}`" if owner else "## Shared"
    head, found, rest = made.partition(title + "\n")
    assert found, f"docs/options.md has no section {title}"
    made = head + found + re.sub(r"\| option \|.*?\n(?!\|)", lambda _: HEADER + "".join(rows), rest, count=1, flags=re.S)
if "--write" in sys.argv:
    page.write_text(made, "utf-8")
problems = [f"docs/options.md: another line is listed: {line}" for line in made.splitlines() if line not in text.splitlines()]
problems += [f"docs/options.md: this line is not listed: {line}" for line in text.splitlines() if line not in made.splitlines()]
print(*problems, f"{len(listed['options'])} options, {len(problems)} problems", sep="\n")
sys.exit(1 if problems and "--write" not in sys.argv or len(listed["options"]) < 30 else 0)
