"""Models narrowed to float16 whose numbers float16 does not hold: sums beyond its
range, positions, small numbers that keep a divisor from zero, scales.

The reference is the float32 model in ONNX Runtime.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from conftest import Workbench
from harness import reference
from harness.comparison import relative_difference
from harness.evaluation import save_inputs
from harness.toolchain import demand_success
from onnx import TensorProto, helper, numpy_helper

BOUND = 2e-3
NOISE = np.random.default_rng(0).standard_normal((2, 4, 64)).astype(np.float32)
POSITIONS = np.array([0, 2049, 4001, 5003], np.int64)


def node(kind: str, operands: str, result: str, **attributes) -> onnx.NodeProto:
    return helper.make_node(kind, operands.split(), [result], **attributes)


NORM = [
    node("Mul", "x x", "square"),
    node("ReduceSum", "square axes", "sum", keepdims=1),
    node("Add", "sum tiny", "safe"),
    node("Sqrt", "safe", "norm"),
    node("Div", "x norm", "y"),
]
TO_FLOAT = node("Cast", "x", "float", to=TensorProto.FLOAT)
AXES, TINY = np.array([1, 2], np.int64), np.float32(1e-12)

# Nodes from x to y, constants, x.
MODELS = {
    "sum of squares beyond the range": (NORM, {"axes": AXES, "tiny": TINY}, 50 * NOISE),
    "norm of zeros": (NORM, {"axes": AXES, "tiny": TINY}, 0 * NOISE),
    "product beyond the range": (
        [node("Exp", "x", "e"), node("Add", "e one", "p"), node("Div", "e p", "y")],
        {"one": np.float32(1)},
        5 * NOISE,
    ),
    "lower bound of a logarithm": (
        [node("Abs", "x", "a"), node("Clip", "a tiny", "b"), node("Log", "b", "y")],
        {"tiny": TINY},
        0 * NOISE,
    ),
    "remainder of positions": (
        [
            TO_FLOAT,
            node("Div", "float seven", "quotient"),
            node("Floor", "quotient", "whole"),
            node("Mul", "whole seven", "product"),
            node("Sub", "float product", "rest"),
            node("Cast", "rest", "y", to=TensorProto.INT64),
        ],
        {"seven": np.float32(7)},
        POSITIONS,
    ),
    "nearest position": (
        [
            TO_FLOAT,
            node("Sub", "float table", "difference"),
            node("Abs", "difference", "distance"),
            node("ArgMin", "distance", "y", axis=-1),
        ],
        {"table": np.arange(6000, dtype=np.float32)[None]},
        POSITIONS[:, None],
    ),
    "positions given as floats": (
        [node("Cast", "x", "y", to=TensorProto.INT64)],
        {},
        POSITIONS.astype(np.float32),
    ),
    "small scale": (
        [node("DequantizeLinear", "x scale", "f"), node("Mul", "f large", "y")],
        {"scale": np.float32(1e-8), "large": np.float32(1e6)},
        np.arange(-50000, 50000, 997, dtype=np.int32),
    ),
    "mask below the range": (
        [node("Add", "x mask", "scores"), node("Softmax", "scores", "y", axis=-1)],
        {"mask": np.where(np.arange(64) % 3, 0, np.finfo(np.float32).min / 2)},
        NOISE,
    ),
}


def model_of(nodes, constants: dict[str, np.ndarray], x: np.ndarray):
    is_position = nodes[-1].op_type in ("Cast", "ArgMin")
    kind = TensorProto.INT64 if is_position else TensorProto.FLOAT
    dtype = helper.np_dtype_to_tensor_dtype(x.dtype)
    graph = helper.make_graph(
        nodes,
        "model",
        [helper.make_tensor_value_info("x", dtype, x.shape)],
        [helper.make_tensor_value_info("y", kind, None)],
        [
            numpy_helper.from_array(
                np.asarray(value, np.float32 if name != "axes" else None), name
            )
            for name, value in constants.items()
        ],
    )
    opset = [helper.make_opsetid("", 17)]
    return onnx.shape_inference.infer_shapes(
        helper.make_model(graph, opset_imports=opset, ir_version=9)
    )


@pytest.mark.parametrize("name", MODELS)
def test_what_float16_does_not_hold(bench: Workbench, name: str):
    nodes, constants, x = MODELS[name]
    path = bench.model(model_of(nodes, constants, x))
    (wanted,) = reference.run_plain(path, {"x": x})
    demand_success(bench.compile(path, "--precision_mode_v2=fp16"))
    inputs = save_inputs({"x": x}, bench.folder / "inputs")
    (got,) = bench.tools.run(bench.om, inputs, bench.folder / "results").outputs
    if got.dtype.kind == "i":
        assert got.tolist() == wanted.tolist()
    else:
        assert relative_difference(got, wanted) <= BOUND
