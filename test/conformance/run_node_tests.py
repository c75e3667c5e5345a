#!/usr/bin/env python3
"""Runs the ONNX operator tests of the installed onnx package.

    test/conformance/run_node_tests.py [--sample I/N] [--list] [NAME-PATTERN ...]

Data files beside this one say what must pass:
  supported_operators.txt    an operator per line. A test whose operators all
                             stand there fails if it is refused.
  expected_unsupported.txt   "PATTERN  reason" per line: tests of supported
                             operators that are refused all the same. One that
                             passes is reported, so that the line can go.
  disputed.txt               "PATTERN  reason" per line: tests whose expected
                             answer is not ours on purpose; skipped.
A test of another operator may be refused with a code that says so; it then
counts as skipped. A wrong result, a crash, or a refusal without such a code
always fails. --write-supported prints the operators whose tests all pass.

A test that is refused with parameters such as axes or shapes among its inputs
runs again with these as constants, as models have them; that result counts.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import collections
import fnmatch
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from harness import cases, node_tests, report, sampling, toolchain
from harness.comparison import close_elements
from harness.evaluation import Experiment, perform
from harness.node_tests import NodeTest
from harness.report import Report, Result
from harness.toolchain import Toolchain


class Expectations:
    def __init__(self, folder: Path = HERE):
        self.supported = {
            line.split()[0] for line in lines(folder / "supported_operators.txt")
        }
        self.refused = patterns(folder / "expected_unsupported.txt")
        self.disputed = patterns(folder / "disputed.txt")

    def apply(self, test: NodeTest, result: Result) -> Result:
        """Turns a refusal that must not be into a failure."""
        disputed = reason_for(test.name, self.disputed)
        if result.status == "wrong" and disputed is not None:
            result.status, result.reason = "skipped", f"disputed: {disputed}"
        expected = reason_for(test.name, self.refused)
        if result.status == "ok" and expected is not None:
            result.reason = "passes: drop its line from expected_unsupported.txt"
        must_pass = test.operators <= self.supported and expected is None
        if result.status == "unsupported" and must_pass:
            result.status = "error"
            result.reason = f"refused, but its operators are listed: {result.reason}"
        return result


def lines(path: Path) -> list[str]:
    """Lines without comments; a missing file has none."""
    if not path.exists():
        return []
    texts = (line.partition("#")[0].strip() for line in path.read_text().splitlines())
    return [text for text in texts if text]


def patterns(path: Path) -> list[tuple[str, str]]:
    """(pattern, reason) of each line."""
    return [(line.split()[0], line.partition(" ")[2].strip()) for line in lines(path)]


def reason_for(name: str, known: list[tuple[str, str]]) -> str | None:
    for pattern, reason in known:
        if fnmatch.fnmatchcase(name, pattern):
            return reason
    return None


def elementwise(rtol: float, atol: float):
    def judge(outputs: list[np.ndarray], wanted: list[np.ndarray]) -> str | None:
        for i, (g, w) in enumerate(zip(outputs, wanted)):
            if g.shape != w.shape or g.dtype != w.dtype:
                return (
                    f"output {i} is {g.dtype}{list(g.shape)}, "
                    f"expected {w.dtype}{list(w.shape)}"
                )
            if not close_elements(g, w, rtol, atol):
                return f"output {i} differs"
        return None

    return judge


@dataclass
class TestData:
    model: onnx.ModelProto
    inputs: list[list[Path]]
    references: list[list[np.ndarray]]


def read_test(test: NodeTest) -> TestData:
    """Raises CaseError where an input or output is no tensor."""
    data = TestData(onnx.load(test.folder / "model.onnx"), [], [])
    for folder in sorted(test.folder.glob("test_data_set_*")):
        data.inputs.append(cases.numbered(folder, "input"))
        outputs = cases.numbered(folder, "output")
        data.references.append([cases.read_tensor(p) for p in outputs])
    return data


def run_model(test: NodeTest, path: Path, data: TestData, tools: Toolchain) -> Result:
    arrays = [cases.read_tensor(p) for p in data.inputs[0]]
    names = [v.name for v in cases.feedable(data.model)]
    shapes = {name: array.shape for name, array in zip(names, arrays)}
    options = cases.shape_option(data.model, shapes)
    options.append("--precision_mode_v2=origin")
    judge = elementwise(test.rtol, test.atol)
    result = perform(
        Experiment(test.name, path, data.inputs, data.references, judge, options),
        tools,
    )
    result.facts.pop("outputs", None)
    result.facts["operators"] = sorted(test.operators)
    return result


def run_with_constants(
    test: NodeTest, data: TestData, tools: Toolchain
) -> Result | None:
    """The test with its parameters as constants, or None if it has none or if
    they differ between the data sets."""
    indices = node_tests.parameter_inputs(data.model)
    if not indices or len(data.inputs) > 1:
        return None
    values = {i: cases.read_tensor(data.inputs[0][i]) for i in indices}
    model = node_tests.with_constants(data.model, values)
    path = test.folder / "constant_parameters.onnx"
    onnx.save(model, path)
    kept = [p for i, p in enumerate(data.inputs[0]) if i not in values]
    return run_model(test, path, TestData(model, [kept], data.references), tools)


def run_test(test: NodeTest, tools: Toolchain) -> Result:
    try:
        data = read_test(test)
        result = run_model(test, test.folder / "model.onnx", data, tools)
        if result.status != "unsupported":
            return result
        constant = run_with_constants(test, data, tools)
    except cases.CaseError as error:
        return Result(test.name, "skipped", str(error))
    if constant is None:
        return result
    constant.reason = f"(constant parameters) {constant.reason}".strip()
    return constant


def fully_supported(results: list[Result]) -> list[str]:
    """Operators that have a passing test of their own and no test, alone or
    with others, that did not pass."""
    passed, spoiled = set(), set()
    for result in results:
        names = result.facts.get("operators", [])
        if result.status == "ok":
            passed.update(names)
        elif len(names) == 1:
            spoiled.update(names)
    return sorted(passed - spoiled)


def summary_by_operator(results: list[Result]) -> None:
    """How many tests of each operator are refused."""
    refused: collections.Counter = collections.Counter()
    for result in results:
        if result.status == "unsupported":
            refused.update(result.facts.get("operators", [])[:1])
    if refused:
        texts = [f"{name} {count}" for name, count in sorted(refused.items())]
        print("unsupported: " + ", ".join(texts))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("patterns", nargs="*", metavar="NAME-PATTERN")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="print the names")
    parser.add_argument("--keep", type=Path, help="leave the folders of tests here")
    parser.add_argument("--write-supported", action="store_true")
    sampling.add_arguments(parser)
    toolchain.add_arguments(parser)
    report.add_arguments(parser)
    arguments = parser.parse_args()
    chosen = sampling.choose(node_tests.collect(), arguments.sample, lambda c: c.name)
    if arguments.patterns:
        chosen = [
            c
            for c in chosen
            if any(fnmatch.fnmatchcase(c.name, p) for p in arguments.patterns)
        ]
    if arguments.list:
        print("\n".join(c.name for c in chosen))
        return 0
    tools, expectations = toolchain.from_arguments(arguments), Expectations()
    results = Report("onnx-node", [c.name for c in chosen], not arguments.quiet)
    with tempfile.TemporaryDirectory(prefix="atc-") as scratch:
        folder = arguments.keep or Path(scratch)
        tests = [node_tests.write(c, folder / c.name) for c in chosen]
        with ThreadPoolExecutor(arguments.jobs) as pool:
            done = pool.map(lambda t: run_test(t, tools), tests)
            for test, result in zip(tests, done):
                results.add(expectations.apply(test, result))
    if arguments.write_supported:
        print("\n".join(fully_supported(results.results)))
    summary_by_operator(results.results)
    return results.finish(arguments.json, arguments.junit)


if __name__ == "__main__":
    sys.exit(main())
