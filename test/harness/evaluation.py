"""One model through compiler and runner, and its outputs beside the reference.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from harness.comparison import relative_difference, same_top
from harness.report import Result
from harness.toolchain import Toolchain, ToolFailure


@dataclass
class Experiment:
    """What to compile, what to feed, and what to demand of the outputs.

    `judge` maps (outputs, reference) to a reason, or None if they are right.
    """

    name: str
    model: Path
    inputs: list[list[Path]]
    references: list[list[np.ndarray]]
    judge: Callable[[list[np.ndarray], list[np.ndarray]], str | None]
    options: list[str] = field(default_factory=list)
    soc_version: str = "CPU"
    # Options of each run; empty: none for any.
    run_options: list[list[str]] = field(default_factory=list)


Judge = Callable[[list[np.ndarray], list[np.ndarray]], str | None]


def within(tolerance: float, demand_top: bool = False) -> Judge:
    """A judge by the largest difference as a share of the range."""

    def judge(outputs: list[np.ndarray], wanted: list[np.ndarray]) -> str | None:
        if len(outputs) != len(wanted):
            return f"{len(outputs)} outputs, expected {len(wanted)}"
        for i, (g, w) in enumerate(zip(outputs, wanted)):
            if g.shape != w.shape or g.dtype != w.dtype:
                return (
                    f"output {i} is {g.dtype}{list(g.shape)}, "
                    f"expected {w.dtype}{list(w.shape)}"
                )
            difference = relative_difference(g, w)
            if not difference <= tolerance:
                return f"output {i} differs by {difference:.1e} of its range"
            if demand_top and not same_top(g, w):
                return f"output {i} has another largest element"
        return None

    return judge


def largest_difference(outputs, wanted) -> float:
    return max((relative_difference(g, w) for g, w in zip(outputs, wanted)), default=0)


def perform(experiment: Experiment, tools: Toolchain) -> Result:
    """Compiles once, runs every set of inputs. Never raises for what the tools
    do: a failure is a result."""
    result = Result(experiment.name, "ok")
    with tempfile.TemporaryDirectory(prefix="atc-") as scratch:
        om = Path(scratch) / "model.om"
        try:
            compiled = tools.compile(
                experiment.model,
                om,
                *experiment.options,
                soc_version=experiment.soc_version,
            )
            result.compile_seconds = compiled.seconds
            result.facts["compile_peak_mb"] = compiled.peak_mb
            for index, inputs in enumerate(experiment.inputs):
                folder = Path(scratch) / f"out{index}"
                options = experiment.run_options[index : index + 1]
                run = tools.run(om, inputs, folder, *sum(options, []))
                judge_run(experiment, index, run.outputs, result)
                result.facts.setdefault("outputs", []).append(run.outputs)
        except ToolFailure as failure:
            result.status, result.reason = failure.kind, str(failure)
        except (OSError, ValueError, KeyError) as error:
            # A file that the runner promised is missing or malformed.
            result.status = "error"
            result.reason = f"{type(error).__name__}: {error}"
    return result


def judge_run(
    experiment: Experiment, index: int, outputs: list[np.ndarray], result: Result
) -> None:
    wanted = experiment.references[index]
    if len(outputs) != len(wanted):
        reason = f"{len(outputs)} outputs, expected {len(wanted)}"
    else:
        difference = largest_difference(outputs, wanted)
        result.difference = max(result.difference or 0, difference)
        reason = experiment.judge(outputs, wanted)
    if reason and result.status == "ok":
        where = f"data set {index}: " if len(experiment.inputs) > 1 else ""
        result.status, result.reason = "wrong", where + reason


def save_inputs(feeds: dict[str, np.ndarray], folder: Path) -> list[Path]:
    """Writes 0.npy, 1.npy … in order."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for i, array in enumerate(feeds.values()):
        paths.append(folder / f"{i}.npy")
        np.save(paths[-1], array)
    return paths
