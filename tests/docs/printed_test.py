#!/usr/bin/env python3
"""Programs whose output a page shows print that: the block after a program is what it prints."""

import os
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(os.environ["SOURCE_DIR"]).resolve()
programs = pathlib.Path(os.environ["BINARY_DIR"]).resolve() / "examples"
shown = {
    "cpp.md": ("hello", "two_formulations", "forward", "many_states"),
    "acceleration-constraints.md": ("planted_tip",),
}
# The instruction set, and differences that are no more than rounding and steps.
VARYING = re.compile(r" \(\w+\)$|[-+.\de]+ apart$", re.M)

wrong = 0
for page, names in shown.items():
    text = (root / "docs" / page).read_text("utf-8")
    for name in names:
        code = (root / "examples" / f"{name}.cpp").read_text("utf-8")
        after = text.split(f"```cpp\n{code}```", 1)[1]
        wanted = re.search(r"^```\n(.*?)^```", after, re.M | re.S)[1]
        program = programs / f"example_{name}"
        if not program.exists():  # examples/NAME of ctest fails where it should be there
            print(f"skipped: {program} is not built")
            continue
        result = subprocess.run([program], cwd=root, capture_output=True, encoding="utf-8", timeout=60)
        if result.returncode != 0 or VARYING.sub("", result.stdout) != VARYING.sub("", wanted):
            print(f"docs/{page}: {name} ended with {result.returncode} and printed\n{result.stdout}{result.stderr}")
            wrong += 1
print(f"{sum(map(len, shown.values()))} programs, {wrong} wrong")
sys.exit(1 if wrong else 0)
