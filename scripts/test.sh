#!/bin/bash
# Installs what is missing, builds, and runs the tests; the last line is the sum.
#   scripts/test.sh             what CI runs
#   scripts/test.sh --full      whole suites, all models, benchmarks as well
#   scripts/test.sh --no-install --only SUITE[,SUITE...]      for a developer
# Suites: checks build lit unit npu asan install bad-input types onnx-node fuzz
# fuzz-open fuzz-fp16 fuzzers models models-fp16 benchmarks. Results are JUnit XML
# files and logs in build/test-results.
# SPDX-License-Identifier: Apache-2.0
set -uo pipefail
cd "$(dirname "$0")/.."

full=false install=true only=
while [ $# -gt 0 ]; do
  case $1 in
    --full) full=true ;;
    --no-install) install=false ;;
    --only) shift; only=${1:-} ;;
    *) echo "unknown option $1; see the head of $0" >&2; exit 2 ;;
  esac
  shift
done

results=$PWD/build/test-results
rm -rf "$results"
mkdir -p "$results"
jobs=$(nproc)
missing=()

wanted() { [ -z "$only" ] || [[ ",$only," == *",$1,"* ]]; }

# suite NAME MINUTES COMMAND...: runs a command that leaves NAME.xml; its output
# goes to NAME.log, the end of which is shown. A command that ends without the
# file, or is ended by its time limit, counts as one failure.
suite() {
  local name=$1 minutes=$2 begin=$SECONDS status=0
  shift 2
  wanted "$name" || return 0
  echo "== $name"
  timeout --kill-after=30 $((minutes * 60)) "$@" >"$results/$name.log" 2>&1 || status=$?
  tail -n 12 "$results/$name.log"
  echo "== $name: $((SECONDS - begin)) s"
  if [ ! -s "$results/$name.xml" ] || [ $status = 124 ] || [ $status = 137 ]; then
    missing+=("$name")
  fi
  return 0
}

finish() {
  "$python" scripts/sum_results.py "$results" --missing ${missing[@]+"${missing[@]}"}
  exit $?
}

if $install; then
  scripts/install_packages.sh || exit 1
fi
python=$(scripts/python_env.sh) || exit 1

# build PRESET TARGET...: nothing can be tested after a failure.
build() {
  local preset=$1 begin=$SECONDS
  shift
  echo "== build $preset"
  if ! { cmake --preset "$preset" && cmake --build --preset "$preset" -j "$jobs" \
         --target "$@"; } >"$results/build-$preset.log" 2>&1; then
    grep -E 'error|Error|FAILED' -A5 "$results/build-$preset.log" | head -n 60
    missing+=("build-$preset")
    finish
  fi
  echo "== build $preset: $((SECONDS - begin)) s"
}

lit_tests() {
  LIT_OPTS="--xunit-xml-output=$results/lit.xml -v --time-tests" \
    cmake --build --preset release --target check-lit
}
unit_tests() {
  ctest --test-dir "build/$1" -E "^install[.]" -j "$jobs" --output-on-failure \
    --output-junit "$results/$2.xml"
}
pytest() { "$python" -m pytest -q -n "$jobs" "$@"; }
export -f lit_tests unit_tests pytest
export results jobs python

build release all
suite checks 10 bash -c '
  $python scripts/check_includes.py --bin build/release --junit $results/checks.xml
  $python scripts/check_style.py --junit $results/style.xml
  $python scripts/check_tidy.py --build build/release --junit $results/tidy.xml'
suite lit 15 bash -c lit_tests
suite unit 10 bash -c 'unit_tests release unit'
suite npu 10 bash -c 'pytest test/conformance/test_npu*.py --junitxml $results/npu.xml'

if wanted asan; then
  build asan unit-tests
  suite asan 10 bash -c 'unit_tests asan asan'
fi
suite install 10 scripts/test_install.sh "$results/install.xml"

if $full; then
  mutations=2500 sample=1/1 graphs=2000 large='' models=--full minutes=120
else
  mutations=500 sample=1/4 graphs=150 large='not large' models= minutes=15
fi
suite bad-input $minutes bash -c "pytest test/conformance/test_{bad_*,compilation,netron}.py -m '$large' \
  --mutations $mutations --junitxml $results/bad-input.xml"
suite models $minutes "$python" test/models/run_recipes.py $models \
  --junit "$results/models.xml"
if $full; then
  suite models-fp16 $minutes "$python" test/models/run_recipes.py --full \
    --precision fp16 --junit "$results/models-fp16.xml"
fi

suite types $minutes bash -c 'pytest test/conformance/test_{element_types,force_fp16,dynamic_sizes}.py \
  --junitxml $results/types.xml'
suite onnx-node $minutes "$python" test/conformance/run_node_tests.py --quiet \
  --sample $sample --jobs "$jobs" --junit "$results/onnx-node.xml"
suite fuzz $minutes "$python" test/conformance/fuzz_graphs.py --quiet \
  --count $graphs --jobs "$jobs" --junit "$results/fuzz.xml"
suite fuzz-open $minutes "$python" test/conformance/fuzz_graphs.py --quiet --open \
  --seed 100000 --count $graphs --jobs "$jobs" --junit "$results/fuzz-open.xml"
suite fuzz-fp16 $minutes "$python" test/conformance/fuzz_graphs.py --quiet \
  --precision fp16 --seed 200000 --count $graphs --jobs "$jobs" \
  --junit "$results/fuzz-fp16.xml"
if wanted fuzzers; then
  build asan fuzzers
  suite fuzzers 20 scripts/run_fuzzers.py --junit "$results/fuzzers.xml"
fi
if $full && wanted benchmarks; then
  python=$(scripts/python_env.sh benchmarks/requirements.txt)
  for threads in 1 2; do
    "$python" benchmarks/run --threads $threads --output "build/benchmarks-$threads"
  done
fi
finish
