"""Models whose numbers are wrong or extreme: sizes that overflow, attributes out
of range, shapes that contradict each other, graphs that are very wide or long.

A case names the outcome: the code by which the model must be refused, or by which
its run must end, or that it runs.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

RUNS = "runs"
# Refused for something that is not supported yet, or run.
ORDERLY = "orderly"
Shape = Iterable[int]


@dataclass(frozen=True)
class Case:
    build: Callable[[], onnx.ModelProto]
    outcome: str
    """RUNS, ORDERLY, a code of the compiler, or `run:` and a code of the run."""


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def floats(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def ones(*shape: int) -> np.ndarray:
    return np.ones(shape, np.float32)


def scalar(value: float, dtype: type = np.int64) -> np.ndarray:
    return np.array(value, dtype)


def draft(
    nodes: list[onnx.NodeProto],
    inputs: Mapping[str, Shape],
    outputs: Iterable[str] = ("y",),
    constants: Mapping[str, np.ndarray] | None = None,
) -> onnx.ModelProto:
    """float32 inputs; outputs of which only the type is written down."""

    def value(name: str, shape: Shape | None) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    graph = helper.make_graph(
        nodes,
        "g",
        [value(name, list(shape)) for name, shape in inputs.items()],
        [value(name, None) for name in outputs],
        [
            numpy_helper.from_array(data, name)
            for name, data in (constants or {}).items()
        ],
    )
    imports = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


def node(
    operator: str,
    outcome: str,
    *constants: np.ndarray | None,
    shape: Shape | None = (1, 4, 8, 8),
    results: int = 1,
    **attributes,
) -> Case:
    """One node: the input x of `shape`, if there is one, then constants, where
    None leaves an input out."""

    def build() -> onnx.ModelProto:
        names = [f"c{i}" if c is not None else "" for i, c in enumerate(constants)]
        inputs = {} if shape is None else {"x": shape}
        made = helper.make_node(
            operator,
            [*inputs, *names],
            ["y", *(f"y{i}" for i in range(1, results))],
            **attributes,
        )
        values = {n: c for n, c in zip(names, constants) if n}
        return draft([made], inputs, constants=values)

    return Case(build, outcome)


def nodes(
    text: str,
    outcome: str,
    shape: Shape | None = (1, 4, 8, 8),
    **constants: np.ndarray,
) -> Case:
    """Nodes in ONNX's own syntax, with the input x and constants by name."""

    def build() -> onnx.ModelProto:
        body = onnx.parser.parse_graph(f"g (float[1] x) => (float[1] y) {{ {text} }}")
        inputs = {} if shape is None else {"x": shape}
        return draft(list(body.node), inputs, constants=constants)

    return Case(build, outcome)


# --- Windows: convolutions and pools --------------------------------------------

HUGE = 1 << 40
WEIGHTS = {"Conv": ones(8, 4, 3, 3), "ConvTranspose": ones(4, 8, 3, 3)}
WINDOW_ATTRIBUTES = {
    "huge_kernel": {"kernel_shape": [HUGE, 3]},
    "zero_strides": {"strides": [0, 0]},
    "negative_stride": {"strides": [-1, 1]},
    "huge_dilations": {"dilations": [HUGE, HUGE]},
    "zero_dilations": {"dilations": [0, 0]},
    "huge_pads": {"pads": [1 << 62] * 4},
    "negative_pads": {"pads": [-100] * 4},
    "one_stride_of_two": {"strides": [1]},
    "unknown_auto_pad": {"auto_pad": "NOPE"},
    "zero_groups": {"group": 0},
    "negative_groups": {"group": -1},
    "groups_that_do_not_divide": {"group": 3},
}


def windows() -> dict[str, Case]:
    cases = {}
    for label, attributes in WINDOW_ATTRIBUTES.items():
        for operator in "Conv", "ConvTranspose", "MaxPool", "AveragePool":
            weight = WEIGHTS.get(operator)
            if weight is None and "group" in attributes:
                continue
            own = {} if weight is not None else {"kernel_shape": [3, 3]}
            constants = () if weight is None else (weight,)
            cases[f"{operator}: {label}"] = node(
                operator,
                WINDOW_OUTCOMES.get(f"{operator}: {label}", "E16005"),
                *constants,
                **{**own, **attributes},
            )
    return cases


# Where it is not an error of shapes.
WINDOW_OUTCOMES = {
    "AveragePool: huge_dilations": ORDERLY,
    "AveragePool: zero_dilations": ORDERLY,
}

# --- Single operators -----------------------------------------------------------

LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1

OPERATORS = {
    "empty kernel of a pool": node("MaxPool", "E16005", kernel_shape=[0, 0]),
    "negative kernel of a pool": node("AveragePool", "E16005", kernel_shape=[-3, 3]),
    "empty kernel": node("Conv", "E16005", ones(8, 4, 0, 3)),
    "weight of rank 2": node("Conv", "E16005", ones(8, 4)),
    "huge output padding": node(
        "ConvTranspose", "E16005", ones(4, 8, 3, 3), output_padding=[1 << 50, 0]
    ),
    "huge output shape": node(
        "ConvTranspose", "E16005", ones(4, 8, 3, 3), output_shape=[HUGE, HUGE]
    ),
    "constant that overflows": node(
        "ConstantOfShape", "E20004", ints(1 << 20, 1 << 20, 1 << 20), shape=None
    ),
    "range without an end": node(
        "Range", "E20004", scalar(0), scalar(1 << 60), scalar(1), shape=None
    ),
    "range of step zero": node(
        "Range", "E16005", scalar(0), scalar(10), scalar(0), shape=None
    ),
    "range to nan": node(
        "Range",
        ORDERLY,
        *(scalar(v, np.float32) for v in (0, np.nan, 1)),
        shape=None,
    ),
    "negative repeats": node("Tile", "E16005", ints(-1, 1, 1, 1)),
    "huge pads": node(
        "Pad", "E16005", ints(0, 0, 1 << 62, 1 << 62, 0, 0, 1 << 62, 1 << 62)
    ),
    "pads below nothing": node("Pad", "E16005", ints(0, 0, -9, 0, 0, 0, -9, 0)),
    "pads of two dims": node("Pad", "E16005", ints(0, 0)),
    "reflection wider than the data": node(
        "Pad", RUNS, ints(0, 0, 100, 100, 0, 0, 100, 100), mode="reflect"
    ),
    "scale nan": node("Resize", "E16005", floats(), floats(1, 1, np.nan, 2)),
    "scale inf": node("Resize", "E16005", floats(), floats(1, 1, np.inf, 2)),
    "scale 1e30": node("Resize", "E16005", floats(), floats(1, 1, 1e30, 2)),
    "scale negative": node("Resize", "E16005", floats(), floats(1, 1, -1, 2)),
    "scale zero": node("Resize", "E16005", floats(), floats(1, 1, 0, 0)),
    "scales of two dims": node("Resize", "E16005", floats(), floats(1, 2)),
    "huge sizes": node("Resize", "E20004", None, None, ints(1, 4, HUGE, HUGE)),
    "negative sizes": node("Resize", "E16005", None, None, ints(1, 4, -1, 4)),
    "concat axis": node("Concat", "E16005", ones(1, 4, 8, 8), axis=77),
    "concat of nothing": node("Concat", "E16005", shape=None, axis=0),
    "reshape with two unknowns": node("Reshape", "E16005", ints(-1, -1)),
    "reshape to other elements": node("Reshape", "E16005", ints(3, 5)),
    "reshape that overflows": node("Reshape", ORDERLY, ints(1 << 62, 1 << 62, -1)),
    "reshape to negative sizes": node("Reshape", "E16005", ints(-7, 4)),
    "reshape copies a dim that is not there": node("Reshape", "E16005", ints(*[0] * 6)),
    "split into nothing": node("Split", RUNS, ints(0, 8), results=2, axis=3),
    "split into negative parts": node(
        "Split", "E16005", ints(-5, 13), results=2, axis=3
    ),
    "split that overflows": node(
        "Split", "E16005", ints(1 << 62, 1 << 62), results=2, axis=3
    ),
    "einsum of too many operands": node("Einsum", "E16005", equation="...ij,,->->"),
    "einsum of rank 8": node("Einsum", "E16005", equation="abcdefgh->a"),
    "einsum of a diagonal": node("Einsum", ORDERLY, equation="zzzz->zzzz"),
    "einsum of nothing": node("Einsum", "E16005", equation=""),
    "transpose by zeros": node("Transpose", "E16005", perm=[0, 0, 0, 0]),
    "transpose of two dims": node("Transpose", "E16005", perm=[0, 1]),
    "transpose by a huge dim": node("Transpose", "E16005", perm=[0, 1, 2, HUGE]),
    "slice of step zero": node("Slice", "E16005", ints(0), ints(5), ints(2), ints(0)),
    "slice by extremes": node(
        "Slice", ORDERLY, ints(LOWEST), ints(HIGHEST), ints(2), ints(LOWEST)
    ),
    "slice of an axis twice": node(
        "Slice", "E16005", ints(0, 0), ints(5, 5), ints(2, 2)
    ),
    "gather outside": node("Gather", "E16005", ints(100, -100), axis=1),
    "gather axis": node("Gather", "E16005", ints(0), axis=-9),
    "gather_nd outside": node("GatherND", "E16005", ints(1000)),
    "gather_elements outside": node(
        "GatherElements", "E16005", np.full((1, 4, 8, 8), 99), axis=1
    ),
    "scatter_nd outside": node(
        "ScatterND", "E16005", np.full((1, 1), 50), ones(1, 4, 8, 8)
    ),
    "scatter_elements outside": node(
        "ScatterElements",
        "E16005",
        np.full((1, 4, 8, 8), -9),
        ones(1, 4, 8, 8),
        axis=1,
    ),
    "one-hot of huge depth": node(
        "OneHot", "run:E20004", scalar(1 << 50), floats(0, 1)
    ),
    "one-hot of negative depth": node("OneHot", "E16005", scalar(-5), floats(0, 1)),
    "top of too many": node("TopK", ORDERLY, ints(HUGE), results=2),
    "top of negatively many": node("TopK", ORDERLY, ints(-3), results=2),
    "cumsum axis": node("CumSum", "E16005", scalar(9)),
    "softmax axis": node("Softmax", "E16005", axis=99),
    "layer normalization axis": node(
        "LayerNormalization", "E16005", floats(1), axis=-99
    ),
    "reduction axes": node("ReduceMean", "E16005", axes=[9, -9]),
    "reduction of an axis twice": node("ReduceSum", "E16005", ints(1, 1)),
    "argmax axis": node("ArgMax", "E16005", axis=50),
    "squeeze of a size": node("Squeeze", "E16005", ints(1)),
    "unsqueeze twice": node("Unsqueeze", "E16005", ints(0, 0)),
    "unsqueeze far away": node("Unsqueeze", "E16005", ints(HUGE)),
    "flatten axis": node("Flatten", "E16005", axis=100),
    "gemm of rank 4": node("Gemm", "E16005", ones(3, 3)),
    "product of other sizes": node("MatMul", "E16005", ones(3, 3)),
    "batch normalization of other channels": node(
        "BatchNormalization", "E16005", *[floats(1, 2)] * 4
    ),
    "instance normalization of other channels": node(
        "InstanceNormalization", "E16005", *[floats(1, 2)] * 2
    ),
    "blocks of nothing": node("DepthToSpace", "E16005", blocksize=0),
    "blocks that do not divide": node("DepthToSpace", "E16005", blocksize=3),
    "negative blocks": node("SpaceToDepth", "E16005", blocksize=-1),
    "huge blocks": node("DepthToSpace", "E16005", blocksize=1 << 32),
    "response over nothing": node("LRN", "E16005", size=0),
    "clip to an empty range": node(
        "Clip", RUNS, scalar(3, np.float32), scalar(-3, np.float32)
    ),
    "cast to an unknown type": node("Cast", ORDERLY, to=999),
    "cast to no type": node("Cast", ORDERLY, to=0),
    "cast to text": node("Cast", ORDERLY, to=int(TensorProto.STRING)),
    "power of another type": node("Pow", RUNS, ints(2)),
    "remainder by zero": node("Mod", RUNS, floats(0), fmod=1),
    "rank 200": node("Relu", "E20001", shape=[1] * 200),
    "rank 2000": node("Relu", "E20001", shape=[1] * 2000),
    "transpose of rank 64": node("Transpose", "E20001", shape=[2] + [1] * 63),
    "input that overflows": node("Relu", "E20004", shape=[1 << 31, 1 << 31]),
    "empty input": node("Relu", RUNS, shape=[0, 5]),
    "input without a size": node("Relu", ORDERLY, shape=[-5, 5]),
    "product of nothing": node("MatMul", RUNS, ones(0, 5), shape=[3, 0]),
    "convolution of an empty batch": node(
        "Conv", RUNS, ones(8, 4, 3, 3), shape=[0, 4, 8, 8]
    ),
    "maximum of nothing": node("ReduceMax", RUNS, shape=[0, 4]),
    "softmax of nothing": node("Softmax", RUNS, shape=[0, 4], axis=0),
    "pool without channels": node(
        "MaxPool", RUNS, shape=[1, 0, 4, 4], kernel_shape=[2, 2]
    ),
}

# --- Several nodes --------------------------------------------------------------

CAST_AND_ADD = "d = Cast <to = 1> (c) y = Add (x, d)"
GRAPHS = {
    "sum of 2^40 copies": nodes(
        "e = Expand (c, s) r = ReduceSum <keepdims = 0> (e) y = Add (x, r)",
        "E20004",
        c=floats(1),
        s=ints(1 << 20, 1 << 20),
    ),
    "sum of 2^64 copies": nodes(
        "e = Expand (c, s) r = ReduceSum <keepdims = 0> (e) y = Add (x, r)",
        "E20004",
        c=floats(1),
        s=ints(1 << 31, 1 << 31, 4),
    ),
    "tiles of tiles": nodes(
        "a = Tile (x, r) b = Tile (a, r) y = Tile (b, r)",
        "E20004",
        r=ints(*[1 << 10] * 4),
    ),
    "smallest integer by -1": nodes(
        f"c = Div (a, b) {CAST_AND_ADD}", RUNS, a=ints(LOWEST), b=ints(-1)
    ),
    "integer by zero": nodes(
        f"c = Div (a, b) {CAST_AND_ADD}", RUNS, a=ints(5), b=ints(0)
    ),
    "integer remainder by zero": nodes(
        f"c = Mod (a, b) {CAST_AND_ADD}", RUNS, a=ints(5), b=ints(0)
    ),
    "shift by 200 bits": nodes(
        f'c = BitShift <direction = "LEFT"> (a, b) {CAST_AND_ADD}',
        RUNS,
        a=np.array([5], np.uint64),
        b=np.array([200], np.uint64),
    ),
    "two huge values": nodes(
        "a = Relu (x) y = Relu (a)", "run:E20004", shape=[1 << 20, 1 << 18]
    ),
}

# --- Whole graphs ---------------------------------------------------------------


def without_outputs() -> onnx.ModelProto:
    return draft([helper.make_node("Relu", ["x"], ["y"])], {"x": [4]}, outputs=())


def many_outputs(count: int = 1000) -> onnx.ModelProto:
    names = [f"o{i}" for i in range(count)]
    return draft(
        [helper.make_node("Split", ["x"], names, axis=0)], {"x": [count]}, names
    )


def many_inputs(operator: str, count: int = 500, **attributes) -> onnx.ModelProto:
    names = [f"i{i}" for i in range(count)]
    made = helper.make_node(operator, names, ["y"], **attributes)
    return draft([made], dict.fromkeys(names, [2]))


def chain(operator: str, count: int, other: str | None, **constants) -> onnx.ModelProto:
    """Each node takes the result of the one before, and `other` or the same."""
    values = ["x", *(f"v{i}" for i in range(count - 1)), "y"]
    made = [
        helper.make_node(operator, [before, other or before], [after])
        for before, after in zip(values, values[1:])
    ]
    return draft(made, {"x": [4, 4]}, constants=constants)


WHOLE = {
    "no outputs": Case(without_outputs, "E16001"),
    "input is the output": Case(lambda: draft([], {"x": [4]}, ["x"]), RUNS),
    "constant is the output": Case(
        lambda: draft([], {}, ["c"], {"c": floats(1)}), RUNS
    ),
    "1000 outputs": Case(many_outputs, RUNS),
    "500 summands": Case(lambda: many_inputs("Sum"), RUNS),
    "500 parts": Case(lambda: many_inputs("Concat", axis=0), RUNS),
    "doubled 1000 times": Case(lambda: chain("Add", 1000, None), RUNS),
    "100 products": Case(lambda: chain("MatMul", 100, "w", w=ones(4, 4)), RUNS),
}

CASES: dict[str, Case] = {**windows(), **OPERATORS, **GRAPHS, **WHOLE}
