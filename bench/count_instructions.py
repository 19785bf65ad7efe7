#!/usr/bin/python3
"""Instructions of one forward dynamics call, or of one step of `multiplier` or `implicit`, counted by callgrind: the same whatever else the
machine does.

The count of a run with k calls less that of a run with none is k calls. For chains and random trees of several sizes the exponent
of growth is printed, a fit to all of them; linear is 1. Steps are counted up to 10,000 bodies unless larger ones are named
(multiplier_chain100000).

usage: count_instructions.py PATH/TO/bench_instruction_probe [WORKLOAD...]
"""
import math
import re
import subprocess
import sys


def collected(probe, workload, calls):
    run = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", probe, workload, str(calls)],
        capture_output=True, text=True)
    found = re.search(r"Collected\s*:\s*(\d+)", run.stderr)
    if run.returncode != 0 or not found:
        return None
    return int(found.group(1))


def exponent(sizes, counts):
    """Least squares of the logarithms."""
    x, y = [math.log(size) for size in sizes], [math.log(count) for count in counts]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    probe = sys.argv[1]
    grown = [f"chain{n}" for n in (10, 100, 1000, 10000)]
    grown += [f"multiplier_{kind}{n}" for kind in ("chain", "tree") for n in (100, 1000, 10000)]
    grown += [f"implicit_chain{n}" for n in (100, 1000, 10000, 100000)]
    names = sys.argv[2:] or ["arm7", "quadruped18", "humanoid38", "humanoid27", "tree127"] + grown
    families = {}
    print(f"{'workload':>22}  instructions per call")
    for name in names:
        family, size = re.fullmatch(r"(.*?)(\d*)", name).groups()
        calls = 2 if size and int(size) >= 10000 else 20
        counts = [collected(probe, name, k) for k in (0, calls)]
        if None in counts:
            print(f"{name:>22}  left out: its model is absent")
            continue
        per_call = (counts[1] - counts[0]) / calls
        print(f"{name:>22}  {per_call:>14,.0f}")
        if size:
            families.setdefault(family, []).append((int(size), per_call))
    for family, points in families.items():
        if len(points) > 1:
            sizes, counts = zip(*points)
            print(f"growth of {family} from {min(sizes)} to {max(sizes)}: exponent {exponent(sizes, counts):.4f}")


if __name__ == "__main__":
    main()
