#!/usr/bin/env bash
# The main views of the page against stored pictures (viewer/test/pictures_test.mjs --update writes them anew).
set -euo pipefail
source "$(dirname "$0")/support.sh"

run_page_tests pictures
