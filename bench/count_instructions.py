#!/usr/bin/python3
"""Instructions of one forward dynamics call, counted by callgrind: the same whatever else the machine does.

The count of a run with k calls less that of a run with none is k calls. For the chains the exponent of growth between the
shortest and the longest is printed; linear is 1.

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


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    probe = sys.argv[1]
    chains = [10, 100, 1000, 10000]
    names = sys.argv[2:] or ["arm7", "quadruped18", "humanoid38", "humanoid27", "tree127"] + [f"chain{n}" for n in chains]
    per_call = {}
    print(f"{'workload':>12}  instructions per call")
    for name in names:
        calls = 2 if name == "chain10000" else 20
        counts = [collected(probe, name, k) for k in (0, calls)]
        if None in counts:
            print(f"{name:>12}  left out: its model is absent")
            continue
        per_call[name] = (counts[1] - counts[0]) / calls
        print(f"{name:>12}  {per_call[name]:>14,.0f}")
    ends = [f"chain{chains[0]}", f"chain{chains[-1]}"]
    if all(e in per_call for e in ends):
        exponent = math.log(per_call[ends[1]] / per_call[ends[0]]) / math.log(chains[-1] / chains[0])
        print(f"growth from {chains[0]} to {chains[-1]} joints: exponent {exponent:.4f}")


if __name__ == "__main__":
    main()
