#!/usr/bin/env python3
"""Compares the compiler with ONNX Runtime on random small graphs.

    test/conformance/fuzz_graphs.py [--seed N] [--count N] [--open] [--save DIR]

One seed is one graph (harness/random_steps.py). A failing graph is made
smaller and saved in DIR/seed_N as model.onnx with test_data_set_0, which
test/conformance/run_models.py runs again. A result counts as wrong only where
it is further from a float64 evaluation than the tolerance and than four times
ONNX Runtime's own distance. --precision fp16 narrows the graphs to float16: what
storage in half precision does to them by itself (harness/half_storage.py) takes
the place of that distance. With --open, inputs leave their sizes open, and the
compiled file also runs at other sizes that ONNX Runtime takes.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test"))
from harness import float64, half_storage, open_sizes, reference, report, toolchain
from harness.comparison import relative_difference
from harness.evaluation import Experiment, perform, save_inputs
from harness.minimization import Specimen, minimize
from harness.random_steps import random_graph
from harness.report import Report, Result
from harness.toolchain import Toolchain

TOLERANCE, HALF_TOLERANCE = 1e-4, 2e-2
# Conditioning: how much worse than ONNX Runtime a right result may be.
SLACK = 4
# Where ONNX Runtime takes sizes that its specification does not: windows longer
# than the input, and an einsum that repeats a dim of one element.
STRICTER = ("the window and the padded size", "expects the shape")
FAILURES = {"wrong", "error", "crash", "timeout"}


class Fuzzer:
    def __init__(self, tools: Toolchain, arguments: argparse.Namespace):
        self.tools = tools
        self.save = arguments.save
        self.leaves_open = arguments.open
        self.options = [f"--precision_mode_v2={arguments.precision}"]
        self.judge = HalfJudge if arguments.precision == "fp16" else Judge

    def compare(self, name: str, specimen: Specimen) -> Result:
        """Compiles, runs, and compares; never raises for the tools' faults."""
        model, all_feeds = specimen.model, [specimen.feeds]
        if self.leaves_open:
            model = open_sizes.opened(model)
            all_feeds += open_sizes.other_feeds(model, specimen.feeds)
        judge = self.judge(model)
        with tempfile.TemporaryDirectory(prefix="atc-") as scratch:
            path = Path(scratch) / "model.onnx"
            onnx.save(model, path)
            experiment = Experiment(name, path, [], [], judge, self.options)
            for index, feeds in enumerate(all_feeds):
                try:
                    plain = judge.expect(feeds)
                except reference.ReferenceError as error:
                    return Result(name, "skipped", str(error))
                experiment.references.append(plain)
                folder = Path(scratch) / f"in{index}"
                experiment.inputs.append(save_inputs(feeds, folder))
            result = perform(experiment, self.tools)
        result.facts.pop("outputs", None)
        return result

    def run(self, seed: int) -> Result:
        graph = random_graph(seed)
        model = graph.model()
        specimen = Specimen(model, graph.feeds)
        result = self.compare(graph.name, specimen)
        if self.leaves_open and any(text in result.reason for text in STRICTER):
            result.status = "unsupported"
        operators = ", ".join(dict.fromkeys(n.op_type for n in model.graph.node))
        result.reason = f"{result.reason}  [{operators}]".strip()
        if result.status in FAILURES:
            result.reason += f"  -> {self.keep(seed, specimen, result.status)}"
        return result

    def keep(self, seed: int, specimen: Specimen, status: str) -> Path:
        """Saves the smallest part that fails in the same way."""

        def fails(smaller: Specimen) -> bool:
            return self.compare("smaller", smaller).status == status

        small = minimize(specimen, fails)
        folder = self.save / f"seed_{seed}"
        data = folder / "test_data_set_0"
        data.mkdir(parents=True, exist_ok=True)
        onnx.save(small.model, folder / "model.onnx")
        outputs = reference.run_plain(small.model.SerializeToString(), small.feeds)
        for kind, arrays in ("input", small.feeds.values()), ("output", outputs):
            for i, array in enumerate(arrays):
                content = numpy_helper.from_array(array).SerializeToString()
                (data / f"{kind}_{i}.pb").write_bytes(content)
        return folder


class Judge:
    """Finds a result wrong only where float64 agrees that it is."""

    tolerance = TOLERANCE

    def __init__(self, model: onnx.ModelProto):
        self.model = model
        self.cases: list[tuple[dict[str, np.ndarray], list[np.ndarray]]] = []

    def expect(self, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
        """What ONNX Runtime gives; raises reference.ReferenceError."""
        plain = reference.run_plain(self.model.SerializeToString(), feeds)
        self.cases.append((feeds, plain))
        return plain

    def __call__(
        self, outputs: list[np.ndarray], plain: list[np.ndarray]
    ) -> str | None:
        shapes = [(list(g.shape), list(p.shape)) for g, p in zip(outputs, plain)]
        for i, (own_shape, their_shape) in enumerate(shapes):
            if own_shape != their_shape:
                return f"output {i} is {own_shape}, expected {their_shape}"
        far = [relative_difference(g, p) for g, p in zip(outputs, plain)]
        if all(d <= self.tolerance for d in far):
            return None
        feeds = next(feeds for feeds, known in self.cases if known is plain)
        return self.weigh(outputs, plain, feeds, max(far))

    def weigh(self, outputs, plain, feeds, farthest: float) -> str | None:
        """Of outputs further from ONNX Runtime's than the tolerance."""
        try:
            model = onnx.ModelProto()
            model.CopyFrom(self.model)
            exact = float64.evaluate(model, feeds)
        except float64.NotEvaluated as error:
            return f"differs by {farthest:.1e}; no float64 evaluation: {error}"
        for i, (g, p, e) in enumerate(zip(outputs, plain, exact)):
            e = np.asarray(e, p.dtype)
            own, theirs = relative_difference(g, e), relative_difference(p, e)
            if theirs > 100 * TOLERANCE and own > TOLERANCE:
                return f"output {i}: float64 and ONNX Runtime differ by {theirs:.1e}"
            if own > max(TOLERANCE, SLACK * theirs):
                return f"output {i} differs by {own:.1e} of its range"
        return None


def without_flips(
    array: np.ndarray, other: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Both but for the hundredth of their elements that is furthest apart: where a
    comparison or a rounding steps, the last digit decides."""
    array, other = array.ravel(), other.ravel()
    with np.errstate(all="ignore"):
        distance = np.abs(array.astype(np.float64) - other.astype(np.float64))
    kept = np.argsort(distance)[: array.size - array.size // 100]
    return array[kept], other[kept]


class HalfJudge(Judge):
    """Finds a result wrong only where storage in half precision alone is not."""

    tolerance = HALF_TOLERANCE

    def weigh(self, outputs, plain, feeds, farthest: float) -> str | None:
        with tempfile.TemporaryDirectory(prefix="atc-") as scratch:
            path = Path(scratch) / "model.onnx"
            onnx.save(self.model, path)
            try:
                stored = half_storage.evaluate(path, feeds)
            except reference.ReferenceError as error:
                return f"differs by {farthest:.1e}; no half precision: {error}"
        for i, (g, p, s) in enumerate(zip(outputs, plain, stored)):
            own = relative_difference(*without_flips(g, p))
            theirs = relative_difference(s, p)
            if own > max(HALF_TOLERANCE, SLACK * theirs):
                return f"output {i} differs by {own:.1e}, by storage {theirs:.1e}"
        return None


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--open", action="store_true", help="leave sizes open")
    parser.add_argument("--save", type=Path, default=ROOT / "build" / "fuzz-failures")
    parser.add_argument("--precision", choices=["origin", "fp16"], default="origin")
    toolchain.add_arguments(parser)
    report.add_arguments(parser)
    arguments = parser.parse_args()
    fuzzer = Fuzzer(toolchain.from_arguments(arguments), arguments)
    seeds = range(arguments.seed, arguments.seed + arguments.count)
    results = Report("fuzz", [f"seed_{s}" for s in seeds], not arguments.quiet)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for result in pool.map(fuzzer.run, seeds):
            results.add(result)
    return results.finish(arguments.json, arguments.junit)


if __name__ == "__main__":
    sys.exit(main())
