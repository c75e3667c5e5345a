#!/bin/bash
# Makes build/venv with the Python packages of the tests; prints its python.
#   scripts/python_env.sh [MORE-REQUIREMENTS.txt ...]
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "$0")/.."

venv=build/venv
files=(test/requirements.txt "$@")
# The stamp names what was installed, so that a second call costs nothing.
stamp=$(cat "${files[@]}" | sha256sum | cut -d' ' -f1)
if [ ! -f "$venv/.installed-$stamp" ]; then
  [ -x "$venv/bin/python" ] || python3 -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
    "${files[@]/#/--requirement=}" >&2
  touch "$venv/.installed-$stamp"
fi
echo "$PWD/$venv/bin/python"
