#!/bin/bash
# Installs the release build into fresh trees and builds and runs the example
# programs against them, by CMake and by pkg-config (test/install).
#   scripts/test_install.sh [JUNIT-FILE]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."

junit=${1:-}
ctest --test-dir build/release -R '^install[.]' --no-tests=error \
  --output-on-failure ${junit:+--output-junit "$junit"}
