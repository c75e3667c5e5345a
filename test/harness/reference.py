"""What the right answer is: ONNX Runtime without its optimizer, or float64.

ONNX Runtime's optimizer changes results, so its plain execution is the oracle.
Where the two differ by more than DOUBT of the range, neither is trusted: the
model is evaluated in double precision.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime

from harness import float64
from harness.comparison import relative_difference

# Share of the reference's range.
DOUBT = 2e-5
# A float64 evaluation further away than this from the plain run is itself
# wrong: a fault of the oracle that must not pass for a fault of the compiler.
ORACLE_FAULT = 1e-3
# Half precision is this much coarser than what the two bounds are meant for.
HALF = 20


class ReferenceError(Exception):
    """There is no trustworthy reference; the text is the reason."""


def session(model: bytes | Path, optimize: bool) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    level = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = (
        level.ORT_ENABLE_ALL if optimize else level.ORT_DISABLE_ALL
    )
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    source = str(model) if isinstance(model, Path) else model
    try:
        return onnxruntime.InferenceSession(
            source, options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # ONNX Runtime raises a type per status code.
        first = str(error).splitlines()[0]
        raise ReferenceError(f"ONNX Runtime: {first}") from error


def run_plain(
    model: bytes | Path, feeds: dict[str, np.ndarray], optimize: bool = False
) -> list[np.ndarray]:
    try:
        outputs = session(model, optimize).run(None, feeds)
    except ReferenceError:
        raise
    except Exception as error:
        first = str(error).splitlines()[0]
        raise ReferenceError(f"ONNX Runtime: {first}") from error
    if not all(isinstance(output, np.ndarray) for output in outputs):
        raise ReferenceError("an output is a sequence, a map or absent")
    return outputs


def evaluate(model: Path, feeds: dict[str, np.ndarray]) -> tuple[list[np.ndarray], str]:
    """The reference outputs and the name of the oracle that gave them."""
    plain = run_plain(model, feeds)
    optimized = run_plain(model, feeds, optimize=True)
    if all(relative_difference(o, p) <= DOUBT for o, p in zip(optimized, plain)):
        return plain, "onnxruntime"
    try:
        exact = evaluate_exactly(model, feeds, plain)
    except float64.NotEvaluated:
        return plain, "onnxruntime, in doubt"
    for e, p in zip(exact, plain):
        difference = relative_difference(e, p)
        if difference > ORACLE_FAULT * (HALF if p.dtype == np.float16 else 1):
            raise ReferenceError(f"float64 and ONNX Runtime differ by {difference:.1e}")
    return exact, "float64"


def evaluate_exactly(
    model: Path, feeds: dict[str, np.ndarray], plain: list[np.ndarray]
) -> list[np.ndarray]:
    """The outputs in double precision, narrowed to the types of `plain`; raises
    float64.NotEvaluated."""
    exact = float64.evaluate(onnx.load(model), feeds)
    return [np.asarray(e).astype(p.dtype) for e, p in zip(exact, plain)]
