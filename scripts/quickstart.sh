#!/bin/bash
# From a bare machine to an answer.
#   scripts/quickstart.sh
#       installs, builds, fetches a text recognizer, compiles it, reads a picture
#       with it, and runs a small network on the simulated NPU
#   scripts/quickstart.sh MODEL.onnx [ATC-OPTION ...]
#       compiles and runs that model; open sizes need --input_shape="name:1,3,..."
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
model=${1:+$(realpath "$1")}
[ $# = 0 ] || shift
cd "$(dirname "$0")/.."

work=build/quickstart
mkdir -p "$work"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
program() { find build/release/tools -type f -executable -name "$1" | head -n 1; }

# show COMMAND...: prints the command before it runs.
show() {
  printf '$'
  printf ' %q' "$@"
  printf '\n'
  "$@"
}

say "Packages"
scripts/install_packages.sh
python=$(scripts/python_env.sh)

say "Build"
cmake --preset release >"$work/configure.log"
cmake --build --preset release --target atc atc-run -j "$(nproc)" | tail -n 1
atc=$(program atc) runner=$(program atc-run)

if [ -n "$model" ]; then
  om=$work/$(basename "${model%.onnx}").om
  say "Compile"
  show "$atc" --framework=5 --model="$model" --output="$om" --soc_version=CPU "$@"
  say "What it takes and gives"
  show "$atc" --mode=6 --om="$om"
  say "Run, on seeded random inputs"
  show "$runner" "$om" --warmup 2 --loop 20 --threads 1
  exit 0
fi

say "A text recognizer (PP-OCRv4), compiled at 48x320 for this CPU"
recognizer=$("$python" models/sources.py ppocr_v4_rec | cut -f2)
[ -f "$recognizer" ] || { echo "the model is $recognizer" >&2; exit 1; }
show "$atc" --framework=5 --model="$recognizer" --output="$work/rec" \
  --soc_version=CPU --input_shape="x:1,3,48,320"
say "It reads a picture that we draw"
"$python" scripts/ocr_demo.py --runner "$runner" --om "$work/rec.om" \
  --model "$recognizer" --picture "$work/line.png"

say "Two fully connected layers on the simulated NPU"
"$python" models/generate.py --output "$work" mlp_fp16
show "$atc" --framework=5 --model="$work/mlp_fp16.onnx" --output="$work/mlp" \
  --soc_version=TinyNpu
show "$runner" "$work/mlp.om" --device=sim
