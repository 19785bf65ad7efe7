#!/usr/bin/env bash
# ctest runs the test programs one source file at a time. A test case registered from any other file, such as a
# header, would never run.
set -euo pipefail

IFS=: read -ra programs <<<"$TEST_PROGRAMS"
bad=0
for program in "${programs[@]}"; do
    report=$("$program" --list-test-cases --source-file-exclude='*_test.cpp')
    if ! grep -q 'unskipped test cases passing the current filters: 0$' <<<"$report"; then
        printf '%s has test cases outside of *_test.cpp files:\n%s\n' "$(basename "$program")" "$report"
        bad=1
    fi
done
((bad == 0)) && echo "${#programs[@]} programs, every test case runs"
exit "$bad"
