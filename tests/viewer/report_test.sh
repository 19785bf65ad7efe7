#!/usr/bin/env bash
# Pages that the program writes, in headless Chromium.
set -euo pipefail
source "$(dirname "$0")/support.sh"

[[ -n ${LIGAMENT:-} ]] || skip 'this build has no command line'
"$LIGAMENT" list outputs | grep -q '^\.html *true' || skip 'the program was built without npm and has no page'

run_page_tests report
