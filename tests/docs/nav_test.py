#!/usr/bin/env python3
"""Every page of docs/ is in the navigation of mkdocs.yml, once, and in the index docs/README.md."""

import os
import pathlib
import re
import sys

root = pathlib.Path(os.environ["SOURCE_DIR"]).resolve()
docs = root / "docs"
there = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
navigation = (root / "mkdocs.yml").read_text("utf-8").split("\nnav:\n")[1]
listed = re.findall(r"(?m)^ +- .*: (\S+\.md)$", navigation)
index = re.findall(r"\]\(([\w-]+\.md)", (docs / "README.md").read_text("utf-8"))

problems = []
problems += [f"mkdocs.yml: {page} is not in the navigation" for page in sorted(there - set(listed))]
problems += [f"mkdocs.yml: {page} is in the navigation, but there is no such page" for page in sorted(set(listed) - there)]
problems += [f"mkdocs.yml: {page} is in the navigation more than once" for page in sorted(set(listed)) if listed.count(page) > 1]
problems += [f"docs/README.md: {page} is not in the index" for page in sorted(there - set(index) - {"README.md"})]
print(*problems, f"{len(listed)} pages, {len(problems)} problems", sep="\n")
sys.exit(1 if problems or len(listed) < 40 else 0)
