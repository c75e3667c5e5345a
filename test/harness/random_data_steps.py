"""Steps through other element types, and steps whose data are indices.

What jumps (rounding, comparison, the position of a maximum) is applied to
inputs alone: an intermediate value may lie on either side of the jump.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from harness.random_graphs import RandomGraph, Shape, fit

INTEGERS = {
    TensorProto.INT32: np.int32,
    TensorProto.INT64: np.int64,
    TensorProto.INT8: np.int8,
    TensorProto.UINT8: np.uint8,
}


def to_float(g: RandomGraph, x: str) -> None:
    g.node("Cast", [x], to=TensorProto.FLOAT)


def to_integer(g: RandomGraph, x: str, kind: int) -> str:
    """Of magnitude 20 at most, so that sums and products of few stay small."""
    fit(x in g.feeds)
    scaled = g.node("Mul", [x, g.weight(np.float32(7))])
    low = 0 if kind == TensorProto.UINT8 else -20
    bounds = g.weight(np.float32(low)), g.weight(np.float32(20))
    return g.node("Cast", [g.node("Clip", [scaled, *bounds])], to=kind)


def rounding(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(x in g.feeds)
    g.node(g.pick(["Floor", "Ceil", "Round", "Sign"]), [x])


def comparison(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(x in g.feeds)
    kinds = ["Less", "Greater", "LessOrEqual", "GreaterOrEqual", "Equal"]
    first = g.node(g.pick(kinds), [x, g.weight(np.float32(0.3))])
    second = g.node("Not", [g.node("Greater", [x, g.weight(np.float32(-0.3))])])
    both = g.node(g.pick(["And", "Or", "Xor"]), [first, second])
    if g.chance(0.5):
        g.node("Where", [both, x, g.weight(np.float32(0.25))])
    else:
        to_float(g, both)


def integer_arithmetic(g: RandomGraph, x: str, shape: Shape) -> None:
    kind = g.pick([TensorProto.INT32, TensorProto.INT64])
    y = to_integer(g, x, kind)
    other = INTEGERS[kind](g.pick([-3, 2, 3, 7]))
    operation = g.pick(["Add", "Sub", "Mul", "Div", "Mod", "Max", "Min"])
    y = g.node(operation, [y, g.weight(other)])
    if g.chance(0.5):
        y = g.node(g.pick(["Abs", "Neg", "Sign"]), [y])
    to_float(g, y)


def integer_rows(g: RandomGraph, x: str, shape: Shape) -> None:
    """What combines or moves integers."""
    fit(len(shape) > 0)
    kind = g.pick([TensorProto.INT32, TensorProto.INT64])
    y, axis = to_integer(g, x, kind), int(g.random.integers(len(shape)))
    choice = g.pick(["sum", "max", "cumulative", "transpose", "pad"])
    if choice == "sum":
        y = g.node("ReduceSum", [y, g.ints(axis)], keepdims=int(g.chance(0.5)))
    elif choice == "max":
        kinds = ["ReduceMax", "ReduceMin"]
        y = g.node(g.pick(kinds), [y], axes=[axis], keepdims=int(g.chance(0.5)))
    elif choice == "cumulative":
        y = g.node("CumSum", [y, g.weight(np.int64(axis))])
    elif choice == "transpose":
        perm = [int(i) for i in g.random.permutation(len(shape))]
        y = g.node("Transpose", [y], perm=perm)
    else:
        amounts = [int(v) for v in g.random.integers(0, 3, 2 * len(shape))]
        y = g.node("Pad", [y, g.ints(*amounts)])
    to_float(g, y)


def narrow_integers(g: RandomGraph, x: str, shape: Shape) -> None:
    """Eight bits: moved and widened again."""
    fit(len(shape) > 0)
    y = to_integer(g, x, g.pick([TensorProto.INT8, TensorProto.UINT8]))
    axis = int(g.random.integers(len(shape)))
    choice = g.pick(["transpose", "concat", "gather"])
    if choice == "transpose":
        y = g.node("Transpose", [y])
    elif choice == "concat":
        y = g.node("Concat", [y, y], axis=axis)
    else:
        y = g.node("Gather", [y, g.ints(0, -1)], axis=axis)
    to_float(g, y)


def quantize(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(x in g.feeds)
    kind = g.pick([np.int8, np.uint8])
    axis = int(g.random.integers(len(shape))) if shape else 0
    size = (shape[axis],) if shape and g.chance(0.5) else ()
    scale = g.weight((0.01 + 0.1 * g.random.random(size)).astype(np.float32))
    zero = g.weight(g.random.integers(0, 20, size).astype(kind))
    y = g.node("QuantizeLinear", [x, scale, zero], axis=axis)
    g.node("DequantizeLinear", [y, scale, zero], axis=axis)


def extremum(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(x in g.feeds and len(shape) > 0)
    # Zeros: several elements are the smallest.
    y = g.node("Relu", [x]) if g.chance(0.5) else x
    axis = int(g.random.integers(-len(shape), len(shape)))
    kind, last = g.pick(["ArgMax", "ArgMin"]), int(g.chance(0.3))
    keep = int(g.chance(0.5))
    to_float(g, g.node(kind, [y], axis=axis, keepdims=keep, select_last_index=last))


def gather_elements(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) > 0)
    axis = int(g.random.integers(len(shape)))
    size = [int(g.random.integers(1, n + 1)) for n in shape]
    size[axis] = g.pick([1, 2, 5])
    indices = g.random.integers(-shape[axis], shape[axis], size)
    g.node("GatherElements", [x, g.weight(indices)], axis=axis)


def gather_tuples(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) > 0)
    length = int(g.random.integers(1, len(shape) + 1))
    count = g.pick([(1,), (3,), (2, 2)])
    tuples = [g.random.integers(-n, n, count) for n in shape[:length]]
    g.node("GatherND", [x, g.weight(np.stack(tuples, -1))])


def scatter(g: RandomGraph, x: str, shape: Shape) -> None:
    """Indices do not repeat, or updates are added."""
    fit(len(shape) > 0)
    kind = g.pick(["none", "none", "add", "mul"])
    if g.chance(0.5):
        axis = int(g.random.integers(len(shape)))
        size = [int(g.random.integers(1, n + 1)) for n in shape]
        order = g.random.random([*size[:axis], shape[axis], *size[axis + 1 :]])
        indices = np.argsort(order, axis).take(range(size[axis]), axis)
        operands = [x, g.weight(indices), g.weight(g.array(*size))]
        g.node("ScatterElements", operands, axis=axis, reduction=kind)
        return
    length = int(g.random.integers(1, len(shape) + 1))
    places = int(np.prod(shape[:length]))
    count = min(places, g.pick([1, 2, 4]))
    flat = g.random.permutation(places)[:count]
    tuples = np.stack(np.unravel_index(flat, shape[:length]), -1)
    updates = g.weight(g.array(count, *shape[length:]))
    g.node("ScatterND", [x, g.weight(tuples), updates], reduction=kind)


def triangle(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) >= 2)
    diagonal = g.weight(np.int64(g.pick([-1, 0, 1, 2])))
    g.node("Trilu", [x, diagonal], upper=int(g.chance(0.5)))


STEPS = [
    (rounding, 1),
    (comparison, 2),
    (integer_arithmetic, 2),
    (integer_rows, 2),
    (narrow_integers, 1),
    (quantize, 1),
    (extremum, 1),
    (gather_elements, 1),
    (gather_tuples, 1),
    (scatter, 2),
    (triangle, 1),
]
