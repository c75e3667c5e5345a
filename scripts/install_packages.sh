#!/bin/bash
# Installs the Debian packages that building and testing need, if any is absent.
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

# Versions are never pinned: Debian keeps only the newest of a release.
packages=(
  # Compiler, linker, MLIR.
  clang-22 lld-22 liblld-22-dev llvm-22-dev llvm-22-tools
  libmlir-22-dev mlir-22-tools libclang-rt-22-dev
  clang-format-22 clang-tidy-22
  # Build tools.
  cmake ninja-build ccache pkg-config git binutils
  # Libraries.
  protobuf-compiler libprotobuf-dev libfmt-dev libssl-dev
  nlohmann-json3-dev libcli11-dev libpng-dev libjpeg-dev
  libgtest-dev libgmock-dev libbenchmark-dev
  # Tests: Python from here, its packages from PyPI; the font that is drawn with.
  python3 python3-venv fonts-dejavu-core util-linux
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [ "$status" = "install ok installed" ] || missing+=("$package")
done
if [ ${#missing[@]} = 0 ]; then
  exit 0
fi

run=()
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "these packages are missing: ${missing[*]}" >&2
    echo "install them as root, or run this script as root" >&2
    exit 1
  fi
  run=(sudo)
fi
echo "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${run[@]}" apt-get update -qq
"${run[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
