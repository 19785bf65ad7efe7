#!/usr/bin/env bash
# LIGAMENT_ISA chooses the instruction set: every one that runs here passes the tests of the recursions, and another name is
# refused with the list of those that do.
set -euo pipefail

IFS=: read -ra programs <<<"$TEST_PROGRAMS"
for program in "${programs[@]}"; do
    [[ ${program##*/} == test_dynamics ]] && break
done

if message=$(LIGAMENT_ISA=abacus "$program" --test-case='*active instruction set*' 2>&1); then
    echo 'an unknown instruction set was accepted' >&2
    exit 1
fi
names=$(sed -nE 's/.*LIGAMENT_ISA=abacus is not .*choose one of (.*) or unset.*/\1/p' <<<"$message")
[[ $names == baseline* ]] || {
    echo "the refusal does not list the choices: $message" >&2
    exit 1
}

for name in ${names//,/ }; do
    LIGAMENT_ISA=$name "$program" --test-case='*active instruction set*,urdf references*,*trees of up to 100*' >/dev/null || {
        echo "the tests fail on $name" >&2
        exit 1
    }
    echo "passed on $name"
done
