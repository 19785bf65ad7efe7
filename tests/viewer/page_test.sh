#!/usr/bin/env bash
# The page of reports and replays in headless Chromium: poses, keys, plots, table, and pages that cannot show all.
set -euo pipefail
source "$(dirname "$0")/support.sh"

run_page_tests page trouble
