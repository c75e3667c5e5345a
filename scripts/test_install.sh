#!/bin/bash
# Installs the release build into a folder of its own and builds and runs the
# example programs against it, by CMake and by pkg-config.
#   scripts/test_install.sh [JUNIT-FILE]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."

junit=${1:-}
prefix=$PWD/build/install
rm -rf "$prefix" build/examples
cmake --install build/release --prefix "$prefix" >/dev/null
cmake -G Ninja -S examples -B build/examples -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 >/dev/null
cmake --build build/examples
ctest --test-dir build/examples --output-on-failure ${junit:+--output-junit "$junit"}
