#!/usr/bin/env python3
"""Runs any folder of ONNX models through atc and atc-run.

    test/conformance/run_models.py [--sample I/N] [--jobs N] DIR|FILE ...

A folder with model.onnx and test_data_set_N/{input,output}_M.pb brings its own
data. Any other *.onnx gets seeded inputs, and the reference of
harness/reference.py. float32 may differ by 1e-4 of the range, a model in half
precision by 2e-2. Where seeded inputs make a model lose its digits in ONNX
Runtime as well, as a double-precision evaluation shows, it is skipped.

Prints one row per model (ok, wrong, unsupported, error, crash, timeout, skipped),
and at the end how many passed, failed, and were skipped. `unsupported` is a
refusal with a code that says so; it counts as skipped here: run_node_tests.py
knows which operators must not be refused.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import onnx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from harness import cases, float64, reference, report, sampling, toolchain
from harness.cases import CaseError, ModelCase
from harness.evaluation import (
    Experiment,
    largest_difference,
    perform,
    save_inputs,
    within,
)
from harness.report import Report, Result
from harness.toolchain import Toolchain

TOLERANCE, HALF_TOLERANCE = 1e-4, 2e-2


def experiment(case: ModelCase, tolerance: float | None, scratch: Path) -> Experiment:
    """The case with its inputs and references. Raises CaseError and
    reference.ReferenceError."""
    try:
        model = onnx.load(case.model, load_external_data=False)
    except Exception as error:  # protobuf raises its own types.
        raise CaseError(f"onnx cannot read it: {error}") from error
    inputs, references = [], []
    if case.data_sets:
        for paths, outputs in case.data_sets:
            inputs.append(paths)
            references.append([cases.read_tensor(p) for p in outputs])
        names = [v.name for v in cases.feedable(model)]
        arrays = [cases.read_tensor(p) for p in inputs[0]]
        feeds = dict(zip(names, arrays))
    else:
        feeds = cases.seeded_inputs(model, case.name)
        inputs.append(save_inputs(feeds, scratch))
        references.append(reference.evaluate(case.model, feeds)[0])
    options = cases.shape_option(model, {k: v.shape for k, v in feeds.items()})
    options.append("--precision_mode_v2=origin")
    half = cases.is_half(model)
    if tolerance is None:
        tolerance = HALF_TOLERANCE if half else TOLERANCE
    judge = within(tolerance, demand_top=half)
    return Experiment(case.name, case.model, inputs, references, judge, options)


def settle(case: ModelCase, prepared: Experiment, result: Result) -> None:
    """Asks double precision about outputs that differ from ONNX Runtime's."""
    model = onnx.load(case.model, load_external_data=False)
    feeds = cases.seeded_inputs(model, case.name)
    plain, outputs = prepared.references[0], result.facts["outputs"][0]
    try:
        exact = reference.evaluate_exactly(case.model, feeds, plain)
    except float64.NotEvaluated:
        return
    if not prepared.judge(outputs, exact):
        result.status, result.reason = "ok", "(float64)"
        result.difference = largest_difference(outputs, exact)
    elif prepared.judge(plain, exact):
        doubt = largest_difference(plain, exact)
        result.status = "skipped"
        result.reason = f"ONNX Runtime is {doubt:.1e} of the range off as well"


def run_case(case: ModelCase, tolerance: float | None, tools: Toolchain) -> Result:
    with tempfile.TemporaryDirectory(prefix="atc-") as scratch:
        try:
            prepared = experiment(case, tolerance, Path(scratch))
        except (CaseError, reference.ReferenceError) as reason:
            return Result(case.name, "skipped", str(reason))
        result = perform(prepared, tools)
        if result.status == "wrong" and not case.data_sets:
            settle(case, prepared, result)
        result.facts.pop("outputs", None)
        return result


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="DIR|FILE")
    parser.add_argument("--tolerance", type=float, help="share of the range")
    parser.add_argument("--jobs", type=int, default=2)
    sampling.add_arguments(parser)
    toolchain.add_arguments(parser)
    report.add_arguments(parser)
    arguments = parser.parse_args()
    found = sampling.choose(
        cases.find(arguments.paths), arguments.sample, lambda c: c.name
    )
    results = Report("models", [c.name for c in found], not arguments.quiet)
    tools = toolchain.from_arguments(arguments)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for result in pool.map(
            lambda c: run_case(c, arguments.tolerance, tools), found
        ):
            results.add(result)
    return results.finish(arguments.json, arguments.junit)


if __name__ == "__main__":
    sys.exit(main())
