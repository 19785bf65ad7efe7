# Sourced by the tests of the page. They need Node, the packages of viewer/package-lock.json, which the build installs in
# its own folder, and Chromium; where one of them is not there they say so and are skipped.

skip() {
    echo "skipped: $1"
    exit 0
}

# Modules are looked for beside the files that import them: tests run beside the packages that there are.
viewer=$SOURCE_DIR/viewer
if [[ ! -d $viewer/node_modules/playwright-core ]]; then
    viewer=$BINARY_DIR/viewer
    [[ -d $viewer/node_modules/playwright-core ]] ||
        skip 'the packages of the page are not installed: the build does that where there is npm'
    tests=$viewer/$(basename "$0" .sh)
    rm -rf "$tests"
    cp -r "$SOURCE_DIR/viewer/test" "$tests"
else
    tests=$viewer/test
fi
node -e "import('$tests/open_page.mjs').then((m) => process.exit(m.findChromium() ? 0 : 1))" ||
    skip 'Chromium is not installed, and CHROMIUM does not name one'

run_page_tests() {
    local name
    for name in "$@"; do
        node "$tests/${name}_test.mjs"
    done
}
