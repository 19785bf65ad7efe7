#!/usr/bin/env bash
# Every table of docs/choosing.md is one that bench/choosing.py measures, and all of them have been measured.
set -euo pipefail
python3 "$SOURCE_DIR/bench/choosing.py" --check
if grep -A1 '<!-- measured: ' "$SOURCE_DIR/docs/choosing.md" | grep -q '<!-- end -->'; then
    echo 'docs/choosing.md has sections without a table: run bench/choosing.py' >&2
    exit 1
fi
