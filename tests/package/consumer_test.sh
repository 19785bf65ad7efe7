#!/usr/bin/env bash
# Installs into a folder of the build tree and builds a program against it, as a user would: once through
# find_package, once through pkg-config.
set -euo pipefail

work=$BINARY_DIR/package_test
rm -rf "$work"
mkdir -p "$work"

# Moving the installed tree before it is used proves that no path into the build or to the first prefix is left.
"$CMAKE" --install "$BINARY_DIR" --prefix "$work/staged" >"$work/install.log"
mv "$work/staged" "$work/prefix"
prefix=$work/prefix

if grep -rnE '#include *[<"](pugixml|fmt|png|zlib|nlohmann|CLI)' "$prefix/include"; then
    echo 'a public header includes a private dependency'
    exit 1
fi

if [[ -x $prefix/bin/ligament ]]; then
    echo '-- completion'
    diff <("$prefix/bin/ligament" completion bash) "$prefix/share/bash-completion/completions/ligament"
fi

flags=(-Wall -Werror)
[[ -z $SANITIZE ]] || flags+=("-fsanitize=$SANITIZE")

echo '-- find_package'
"$CMAKE" -S "$SOURCE_DIR/tests/package/consumer" -B "$work/build" -G Ninja \
    -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_CXX_FLAGS="${flags[*]}" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF >"$work/configure.log" || { cat "$work/configure.log"; exit 1; }
"$CMAKE" --build "$work/build" >"$work/build.log" || { cat "$work/build.log"; exit 1; }
"$work/build/consumer"

echo '-- pkg-config'
pc=$(find "$prefix" -name ligament.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
pkg_config=(pkg-config)
[[ -z $(find "$prefix" -name libligament.a) ]] || pkg_config+=(--static)
read -ra package < <("${pkg_config[@]}" --cflags --libs ligament)
"$CXX" -std=c++20 "${flags[@]}" "$SOURCE_DIR/tests/package/consumer/main.cpp" "${package[@]}" -o "$work/consumer"
LD_LIBRARY_PATH=$("${pkg_config[@]}" --variable=libdir ligament) "$work/consumer"

if [[ -x $prefix/bin/ligament ]]; then
    echo '-- the scenes of the gallery'
    "$prefix/bin/ligament" gallery excavator | grep -q "$prefix/share/ligament/scenes/excavator.xml"
    "$prefix/bin/ligament" check --strict "$prefix/share/ligament/scenes/ragdoll.xml"
fi
