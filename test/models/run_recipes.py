#!/usr/bin/env python3
"""Runs the models of models/*.toml and prints how far each is from right.

    test/models/run_recipes.py [--local-models DIR] [--full | NAME ...]

Every case of a recipe, and seeded noise, goes through atc and atc-run; outputs
are compared with the reference (harness/reference.py), and where the recipe
names an answer (a class, a text …), it must be given too. Results must be the
same bits with one and with two threads, and atc must stay within its memory.
Recipes that are `large` need --full or their name. --reference-only checks the
recipes themselves, without a compiler.

--precision fp16 compiles with --precision_mode_v2=fp16. Where a model ends
further from its reference than half precision may, storage in half precision is
simulated in ONNX Runtime (harness/half_storage.py): a model that loses its
digits there loses them by itself, and may be as far off here.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "test")]
from harness import half_storage, process, reference, report, toolchain
from harness.evaluation import largest_difference, save_inputs, within
from harness.report import Report, Result
from harness.toolchain import ToolFailure

from models import answers, inputs, recipes, sources
from models.recipes import TOLERANCE, Case, Recipe, Unavailable

# What the compiler may take: this many MB, and this multiple of the model file.
PEAK_MB, PEAK_SHARE = 300, 2.5
# Two evaluations that round at other places end this much apart.
STORAGE_SHARE = 1.5


class Runner:
    def __init__(self, arguments: argparse.Namespace):
        self.sources = sources.Sources(arguments.cache, arguments.local_models)
        self.precision = arguments.precision
        self.reference_only = arguments.reference_only
        self.runs_large = arguments.full or bool(arguments.names)
        if not self.reference_only:
            self.tools = toolchain.from_arguments(arguments)

    def run(self, recipe: Recipe) -> list[Result]:
        """One result per case. The model is compiled once."""
        names = [f"{recipe.name}/{case.name}" for case in recipe.cases]
        if recipe.large and not self.runs_large:
            return [Result(n, "skipped", "large: needs --full") for n in names]
        try:
            path = self.sources.model(recipe)
        except Unavailable as reason:
            return [Result(name, "skipped", str(reason)) for name in names]
        with tempfile.TemporaryDirectory(prefix="atc-") as scratch:
            om = Path(scratch) / "model.om"
            compiled = None
            if not self.reference_only:
                try:
                    compiled = self.compile(recipe, path, om)
                except ToolFailure as failure:
                    return [Result(n, failure.kind, str(failure)) for n in names]
            results = [
                self.run_case(Result(name, "ok"), recipe, case, path, om)
                for name, case in zip(names, recipe.cases)
            ]
        if compiled:
            self.judge_compilation(results[0], compiled, path)
        return results

    def judge_compilation(
        self, result: Result, compiled: process.Completed, path: Path
    ) -> None:
        result.compile_seconds = compiled.seconds
        result.facts["compile_peak_mb"] = compiled.peak_mb
        limit = PEAK_MB + PEAK_SHARE * path.stat().st_size / 2**20
        if compiled.peak_mb > limit and not result.failed:
            result.status = "wrong"
            result.reason = (
                f"atc took {compiled.peak_mb:.0f} MB, more than {limit:.0f} MB"
            )

    def compile(self, recipe: Recipe, path: Path, om: Path):
        options = [f"--precision_mode_v2={self.precision}"]
        if shapes := recipe.input_shape_option():
            options.append(f"--input_shape={shapes}")
        return self.tools.compile(path, om, *options)

    def run_case(
        self, result: Result, recipe: Recipe, case: Case, path: Path, om: Path
    ) -> Result:
        """Fills in `result`; the first reason why it is not ok ends the case."""
        try:
            feeds = inputs.make_feeds(recipe, case, path, self.sources)
            wanted, oracle = reference.evaluate(path, feeds)
            said = self.answer(case, wanted, path, "the reference ")
            result.facts["oracle"] = oracle
            if not self.reference_only:
                outputs = self.outputs(om, feeds, om.parent / case.name)
                oracle += self.judge(result, recipe, outputs, wanted, path, feeds)
                said = self.answer(case, outputs, path)
            result.reason = f"{said} ({oracle})".strip()
        except Unavailable as reason:
            result.status, result.reason = "skipped", str(reason)
        except ToolFailure as failure:
            result.status, result.reason = failure.kind, str(failure)
        except reference.ReferenceError as error:
            result.status, result.reason = "error", str(error)
        except answers.WrongAnswer as error:
            result.status, result.reason = "wrong", str(error)
        return result

    def outputs(
        self, om: Path, feeds: dict[str, np.ndarray], folder: Path
    ) -> list[np.ndarray]:
        """Outputs with one thread; two threads must give the same bits."""
        paths = save_inputs(feeds, folder)
        one, two = (
            self.tools.run(om, paths, folder / n, "--threads", n).outputs
            for n in ("1", "2")
        )
        if [o.tobytes() for o in one] != [o.tobytes() for o in two]:
            raise answers.WrongAnswer("1 and 2 threads differ")
        return one

    def judge(
        self,
        result: Result,
        recipe: Recipe,
        outputs: list[np.ndarray],
        wanted: list[np.ndarray],
        path: Path,
        feeds: dict[str, np.ndarray],
    ) -> str:
        """What is to be said of outputs that are right; raises WrongAnswer."""
        narrow = "fp16" in (self.precision, recipe.precision)
        judge = within(TOLERANCE["fp16" if narrow else "fp32"], demand_top=narrow)
        result.difference = largest_difference(outputs, wanted)
        reason = judge(outputs, wanted)
        if not reason:
            return ""
        if self.precision != "fp16" or recipe.precision == "fp16":
            raise answers.WrongAnswer(reason)
        stored = half_storage.evaluate(path, feeds)
        alone = largest_difference(stored, wanted)
        if reason := within(STORAGE_SHARE * alone, demand_top=True)(outputs, wanted):
            raise answers.WrongAnswer(f"{reason}; storage alone: {alone:.1e}")
        return f"; storage alone: {alone:.1e}"

    def answer(
        self, case: Case, outputs: list[np.ndarray], path: Path, who: str = ""
    ) -> str:
        """What the outputs say; raises WrongAnswer."""
        if not case.answer:
            return ""
        try:
            return answers.check(outputs, case.answer, path, self.sources)
        except answers.WrongAnswer as error:
            raise answers.WrongAnswer(f"{who}{error}") from error


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--cache", type=Path, help="folder for fetched models")
    parser.add_argument("--local-models", type=Path, help="models without a package")
    parser.add_argument("--full", action="store_true", help="large ones as well")
    parser.add_argument("--reference-only", action="store_true")
    parser.add_argument("--precision", choices=["origin", "fp16"], default="origin")
    toolchain.add_arguments(parser)
    report.add_arguments(parser)
    arguments = parser.parse_args()
    chosen = recipes.select(arguments.names)
    runner = Runner(arguments)
    names = [f"{r.name}/{c.name}" for r in chosen for c in r.cases]
    suite = "models" if arguments.precision == "origin" else "models-fp16"
    results = Report(suite, names, not arguments.quiet)
    for recipe in chosen:
        for result in runner.run(recipe):
            results.add(result)
    return results.finish(arguments.json, arguments.junit)


if __name__ == "__main__":
    sys.exit(main())
