# Sourced by the tests of the page. They need Node, the packages of viewer/package-lock.json and Chromium; where one of
# them is not there they say so and are skipped.

viewer=$SOURCE_DIR/viewer

skip() {
    echo "skipped: $1"
    exit 0
}

command -v node >/dev/null || skip 'Node is not installed'
[[ -d $viewer/node_modules/playwright-core && -d $viewer/node_modules/esbuild ]] ||
    skip "the page's packages are not installed: npm ci --prefix viewer --ignore-scripts"
node -e "import('$viewer/test/open_page.mjs').then((m) => process.exit(m.findChromium() ? 0 : 1))" ||
    skip 'Chromium is not installed, and CHROMIUM does not name one'

run_page_tests() {
    local name
    for name in "$@"; do
        node "$viewer/test/${name}_test.mjs"
    done
}
