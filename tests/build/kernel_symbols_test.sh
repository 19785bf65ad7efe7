#!/usr/bin/env bash
# The kernels built for AVX must define no weak symbol. The linker keeps one of several equal weak names, and if
# that is the AVX one, code for older processors runs into it. See cmake/LigamentKernels.cmake.
set -euo pipefail

if [[ -n $SANITIZE ]]; then
    echo 'skipped: under sanitizers kernels are hardly optimized, and keep what would be inlined'
    exit 0
fi

kernels=$(find "$SOURCE_DIR/src" -name '*.kernel.cpp' | wc -l)
mapfile -t objects < <(grep . "$BINARY_DIR/kernel_objects.txt" || true)

case $SYSTEM_PROCESSOR in
    x86_64 | amd64 | AMD64) expected=$((2 * kernels)) ;;
    *) expected=0 ;;
esac
if ((${#objects[@]} != expected)); then
    echo "$kernels kernels should give $expected objects for AVX; kernel_objects.txt lists ${#objects[@]}"
    exit 1
fi

bad=0
for object in "${objects[@]}"; do
    symbols=$("$NM" -C --defined-only "$object")
    # Exempt: references to the exception personality are data, and clang's call to terminate has no vector code.
    weak=$(grep -E '^[0-9a-f]* [WVu] ' <<<"$symbols" | grep -vE ' (DW\.ref\.__gxx_personality_v0|__clang_call_terminate)$' || true)
    if [[ -n $weak ]]; then
        printf 'weak symbols in %s:\n%s\n' "${object#"$BINARY_DIR"/}" "$weak"
        bad=1
    fi
done
((bad == 0)) && echo "${#objects[@]} objects, no weak symbols"
exit "$bad"
