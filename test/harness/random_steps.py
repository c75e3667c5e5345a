"""The steps by which random graphs grow. See random_graphs.py.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np

from harness import random_data_steps
from harness.random_graphs import RandomGraph, Shape, fit

# --- Elementwise --------------------------------------------------------------

UNARY = [
    ("Relu", {}),
    ("Sigmoid", {}),
    ("Tanh", {}),
    ("Abs", {}),
    ("Neg", {}),
    ("Erf", {}),
    ("LeakyRelu", {"alpha": 0.1}),
    ("HardSigmoid", {"alpha": 0.3, "beta": 0.4}),
    ("Elu", {}),
    ("Softplus", {}),
    ("HardSwish", {}),
    ("Selu", {}),
    ("Celu", {"alpha": 0.7}),
    ("Softsign", {}),
    ("ThresholdedRelu", {"alpha": 0.2}),
    ("Sin", {}),
    ("Cos", {}),
    ("Atan", {}),
    ("Asinh", {}),
]


def unary(g: RandomGraph, x: str, shape: Shape) -> None:
    kind, attributes = g.pick(UNARY)
    g.node(kind, [x], **attributes)


def exponential(g: RandomGraph, x: str, shape: Shape) -> None:
    """Exp of what cannot be large."""
    bounded = g.node("Clip", [x, g.weight(np.float32(-4)), g.weight(np.float32(4))])
    g.node("Exp", [bounded])


def root(g: RandomGraph, x: str, shape: Shape) -> None:
    positive = g.node("Add", [g.node("Abs", [x]), g.weight(np.float32(0.1))])
    g.node(g.pick(["Sqrt", "Log", "Reciprocal"]), [positive])


def power(g: RandomGraph, x: str, shape: Shape) -> None:
    if g.chance(0.5):
        g.node("Pow", [x, g.weight(np.float32(g.pick([2, 3, 1])))])
    else:
        positive = g.node("Add", [g.node("Abs", [x]), g.weight(np.float32(0.1))])
        g.node("Pow", [positive, g.weight(np.float32(g.pick([0.5, 1.7, -1])))])


def variadic(g: RandomGraph, x: str, shape: Shape) -> None:
    others = [g.weight(g.array(*broadcast_shape(g, shape))) for _ in range(2)]
    g.node(g.pick(["Sum", "Mean", "Max", "Min"]), [others[0], x, others[1]])


def prelu(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) >= 2)
    g.node("PRelu", [x, g.weight(g.array(shape[1], *[1] * (len(shape) - 2)))])


def broadcast_shape(g: RandomGraph, shape: Shape) -> list[int]:
    """Some dimensions one, some leading ones dropped, perhaps one added."""
    result = [1 if g.chance(0.4) else n for n in shape]
    if g.chance(0.3):
        result = result[int(g.random.integers(len(result) + 1)) :]
    elif g.chance(0.1) and len(result) < 5:
        result = [g.pick([1, 2]), *result]
    return result


def binary_constant(g: RandomGraph, x: str, shape: Shape) -> None:
    other = g.weight(g.array(*broadcast_shape(g, shape)))
    operands = [x, other] if g.chance(0.7) else [other, x]
    g.node(g.pick(["Add", "Sub", "Mul", "Max", "Min"]), operands)


def divide(g: RandomGraph, x: str, shape: Shape) -> None:
    other = 1 + np.abs(g.array(*broadcast_shape(g, shape)))
    g.node("Div", [x, g.weight(other.astype(np.float32))])


def binary_values(g: RandomGraph, x: str, shape: Shape) -> None:
    """Two computed operands; shapes must broadcast."""
    values = [n for n in g.shapes if n[0] in "iv"]
    y = g.pick(values)
    pairs = zip(reversed(shape), reversed(g.shapes[y]))
    fit(all(a == b or 1 in (a, b) for a, b in pairs))
    g.node(g.pick(["Add", "Sub", "Mul", "Max"]), [x, y])


def where(g: RandomGraph, x: str, shape: Shape) -> None:
    mask = g.random.random(broadcast_shape(g, shape)) < 0.5
    g.node("Where", [g.weight(mask), x, g.weight(np.float32(-0.5))])


# --- Reductions and normalizations --------------------------------------------


def axes_of(g: RandomGraph, shape: Shape) -> list[int]:
    axes = [i for i in range(len(shape)) if g.chance(0.5)]
    axes = axes or [int(g.random.integers(len(shape)))]
    return [a - len(shape) if g.chance(0.3) else a for a in axes]


REDUCTIONS = [
    *["ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin"] * 2,
    "ReduceL1",
    "ReduceL2",
    "ReduceSumSquare",
    "ReduceLogSum",
    "ReduceLogSumExp",
]


def reduction(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) > 0)
    kind = g.pick(REDUCTIONS)
    if kind == "ReduceLogSum":
        x = g.node("Add", [g.node("Abs", [x]), g.weight(np.float32(0.1))])
    axes, keep = axes_of(g, shape), int(g.chance(0.7))
    if kind == "ReduceSum":
        g.node(kind, [x, g.ints(*axes)], keepdims=keep)
    else:
        g.node(kind, [x], axes=axes, keepdims=keep)


def softmax(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) > 0)
    axis = -1 if g.chance(0.6) else int(g.random.integers(len(shape)))
    g.node(g.pick(["Softmax", "Softmax", "LogSoftmax"]), [x], axis=axis)


def cumulative(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) > 0)
    axis = int(g.random.integers(-len(shape), len(shape)))
    g.node(
        "CumSum",
        [x, g.weight(np.int64(axis))],
        exclusive=int(g.chance(0.3)),
        reverse=int(g.chance(0.3)),
    )


def row_norm(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) > 1)
    if len(shape) == 4 and g.chance(0.3):
        g.node("LRN", [x], size=g.pick([1, 3, 5]), alpha=0.1)
    elif len(shape) == 4 and g.chance(0.3):
        fit(shape[0] * shape[2] * shape[3] > 2)
        g.node("MeanVarianceNormalization", [x])
    else:
        shifted = g.node("Add", [x, g.weight(np.float32(0.3))])
        axis = g.pick([-1, 0, 1])
        g.node("LpNormalization", [shifted], axis=axis, p=g.pick([1, 2]))


def layer_norm(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) >= 2 and shape[-1] > 2)
    scale, shift = g.weight(g.array(shape[-1])), g.weight(g.array(shape[-1]))
    if g.chance(0.5):
        g.node("LayerNormalization", [x, scale, shift], axis=-1)
        return
    centered = g.node("Sub", [x, g.node("ReduceMean", [x], axes=[-1])])
    square = g.node("Mul", [centered, centered])
    variance = g.node("ReduceMean", [square], axes=[-1])
    shifted = g.node("Add", [variance, g.weight(np.float32(1e-3))])
    y = g.node("Div", [centered, g.node("Sqrt", [shifted])])
    g.node("Add", [g.node("Mul", [y, scale]), shift])


def channel_norm(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) >= 3)
    channels = shape[1]
    scale, shift = g.weight(g.array(channels)), g.weight(g.array(channels))
    if g.chance(0.5):
        mean = g.weight(g.array(channels))
        variance = g.weight(np.abs(g.array(channels)) + np.float32(0.5))
        g.node("BatchNormalization", [x, scale, shift, mean, variance])
    else:
        fit(np.prod(shape[2:]) > 2)
        g.node("InstanceNormalization", [x, scale, shift], epsilon=1e-3)


# --- Convolution, pooling, products -------------------------------------------


def conv(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) == 4)
    channels = shape[1]
    kernel = [g.pick([1, 1, 3, 3, 5, 2]), g.pick([1, 3, 3])]
    if g.chance(0.6):
        kernel[1] = kernel[0]
    divisors = [d for d in range(2, channels + 1) if channels % d == 0]
    group = g.pick(divisors) if divisors and g.chance(0.35) else 1
    if group == channels > 1:
        filters = channels * g.pick([1, 1, 1, 2])
    else:
        filters = group * g.pick([1, 2, 3, 5, 8])
        if group == 1:
            filters = g.pick([1, 4, 6, 8, 13, 16, 17, 32])
    fan_in = channels // group * kernel[0] * kernel[1]
    operands = [
        x,
        g.weight(g.array(filters, channels // group, *kernel, std=fan_in**-0.5)),
    ]
    if g.chance(0.6):
        operands.append(g.weight(g.array(filters)))
    before = [k // 2 if g.chance(0.8) else 0 for k in kernel]
    after = before if g.chance(0.8) else [k // 2 for k in kernel]
    dilation = g.pick([1, 1, 1, 2])
    for n, k, low, high in zip(shape[2:], kernel, before, after):
        fit(n + low + high > (k - 1) * dilation)
    y = g.node(
        "Conv",
        operands,
        kernel_shape=kernel,
        pads=[*before, *after],
        strides=[g.pick([1, 1, 1, 2])] * 2,
        dilations=[dilation] * 2,
        group=group,
    )
    if g.chance(0.5):
        unary(g, y, g.shapes[y])


def conv_any_rank(g: RandomGraph, x: str, shape: Shape) -> None:
    """One to three spatial dims, padding by name."""
    fit(len(shape) >= 3)
    rank, channels, filters = len(shape) - 2, shape[1], g.pick([1, 4, 9])
    kernel = [g.pick([1, 2, 3]) for _ in range(rank)]
    fit(all(n >= k for n, k in zip(shape[2:], kernel)))
    std = (channels * int(np.prod(kernel))) ** -0.5
    operands = [x, g.weight(g.array(filters, channels, *kernel, std=std))]
    strides = [g.pick([1, 2]) for _ in range(rank)]
    padding = g.pick(["SAME_UPPER", "SAME_LOWER", "VALID"])
    g.node("Conv", operands, strides=strides, auto_pad=padding)


def conv_transpose(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) == 4)
    kernel, filters = g.pick([2, 3, 4]), g.pick([1, 3, 4, 8, 9])
    std = (shape[1] * kernel) ** -0.5
    weight = g.weight(g.array(shape[1], filters, kernel, kernel, std=std))
    g.node(
        "ConvTranspose",
        [x, weight],
        kernel_shape=[kernel, kernel],
        strides=[g.pick([1, 2])] * 2,
        pads=[g.pick([0, 1])] * 4,
    )


def pool(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) == 4)
    if g.chance(0.25):
        g.node(g.pick(["GlobalAveragePool", "GlobalMaxPool"]), [x])
        return
    kernel = g.pick([2, 3, 3, 5])
    fit(min(shape[2:]) >= kernel)
    attributes = {
        "kernel_shape": [kernel, kernel],
        "strides": [g.pick([1, 2, 2])] * 2,
        "pads": [g.pick([0, kernel // 2])] * 4,
        "ceil_mode": int(g.chance(0.2)),
    }
    if g.chance(0.5):
        g.node("MaxPool", [x], **attributes)
    else:
        g.node("AveragePool", [x], count_include_pad=int(g.chance(0.5)), **attributes)


def pool_any_rank(g: RandomGraph, x: str, shape: Shape) -> None:
    """One to three spatial dims, uneven windows and padding."""
    fit(len(shape) >= 3)
    rank = len(shape) - 2
    kernel = [g.pick([1, 2, 3]) for _ in range(rank)]
    before = [g.pick([0, 0, k - 1]) for k in kernel]
    after = [g.pick([0, 0, k - 1]) for k in kernel]
    attributes = {
        "kernel_shape": kernel,
        "strides": [g.pick([1, 2, 3]) for _ in range(rank)],
        "pads": [*before, *after],
    }
    kind = g.pick(["MaxPool", "AveragePool", "LpPool"])
    extent = kernel
    if kind == "MaxPool":
        dilations = [g.pick([1, 1, 2]) for _ in range(rank)]
        attributes["dilations"] = dilations
        extent = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    elif kind == "AveragePool":
        attributes["count_include_pad"] = int(g.chance(0.5))
    fit(all(n >= k for n, k in zip(shape[2:], extent)))
    g.node(kind, [x], **attributes)


def product_of_values(g: RandomGraph, x: str, shape: Shape) -> None:
    """Batches that broadcast, and operands of one dim."""
    fit(len(shape) >= 1)
    count = g.pick([1, 3, 8, 20])
    if g.chance(0.2):
        other = g.array(shape[-1])
    elif g.chance(0.5) and len(shape) >= 2:
        batch = broadcast_shape(g, shape[:-2])
        other = g.array(*batch, shape[-1], count)
    else:
        other = g.array(g.pick([1, 2, 3]), shape[-1], count)
    y = g.weight(other * np.float32(shape[-1] ** -0.5))
    g.node("MatMul", [x, y])


def einsum(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) in (2, 3))
    if len(shape) == 2:
        equation = g.pick(["ij,kj->ik", "ij,kj->ki", "ij,kj->j", "ij,kj->k"])
        other = g.array(g.pick([1, 3, 9]), shape[1], std=shape[1] ** -0.5)
    else:
        equation = g.pick(["bij,bkj->bik", "bij,bkj->bji", "bij,bkj->ikb"])
        size = shape[0], g.pick([1, 3, 9]), shape[2]
        other = g.array(*size, std=shape[2] ** -0.5)
    g.node("Einsum", [x, g.weight(other)], equation=equation)


def matmul(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) >= 2)
    rows, columns = shape[-1], g.pick([1, 3, 8, 16, 17, 33, 48])
    y = g.node("MatMul", [x, g.weight(g.array(rows, columns, std=rows**-0.5))])
    if g.chance(0.6):
        y = g.node("Add", [y, g.weight(g.array(columns))])
    if g.chance(0.5):
        unary(g, y, g.shapes[y])


def gemm(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) == 2)
    transposed, rows = g.chance(0.5), shape[1]
    columns = g.pick([1, 3, 8, 17, 40])
    size = (columns, rows) if transposed else (rows, columns)
    operands = [x, g.weight(g.array(*size, std=rows**-0.5))]
    if g.chance(0.7):
        operands.append(g.weight(g.array(*g.pick([(columns,), (1, columns), (1,)]))))
    g.node("Gemm", operands, transB=int(transposed), alpha=g.pick([1.0, 0.5]))


def self_product(g: RandomGraph, x: str, shape: Shape) -> None:
    """The core of attention: a value times itself transposed."""
    fit(len(shape) >= 2 and shape[-2] <= 33)
    rank = len(shape)
    perm = [*range(rank - 2), rank - 1, rank - 2]
    scaled = g.node("Mul", [x, g.weight(np.float32(shape[-1] ** -0.5))])
    scores = g.node("MatMul", [scaled, g.node("Transpose", [x], perm=perm)])
    if g.chance(0.7):
        g.node("MatMul", [g.node("Softmax", [scores], axis=-1), x])


# --- Movement -----------------------------------------------------------------


def transpose(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) >= 2)
    g.node("Transpose", [x], perm=[int(i) for i in g.random.permutation(len(shape))])


def reshape(g: RandomGraph, x: str, shape: Shape) -> None:
    """Two neighbours joined, or one dimension split, or all flattened."""
    dims = list(shape)
    fit(len(dims) >= 1)
    axis = int(g.random.integers(len(dims)))
    factor = g.pick([2, 3, 4])
    if g.chance(0.2):
        dims = [-1]
    elif dims[axis] % factor == 0 and len(dims) < 5:
        dims[axis : axis + 1] = [dims[axis] // factor, factor]
    else:
        fit(axis + 1 < len(dims))
        dims[axis : axis + 2] = [dims[axis] * dims[axis + 1]]
    g.node("Reshape", [x, g.ints(*dims)])


def squeeze(g: RandomGraph, x: str, shape: Shape) -> None:
    ones = [i for i, n in enumerate(shape) if n == 1]
    if ones and len(shape) > 1 and g.chance(0.6):
        g.node("Squeeze", [x, g.ints(g.pick(ones))])
    else:
        fit(len(shape) < 5)
        g.node("Unsqueeze", [x, g.ints(int(g.random.integers(len(shape) + 1)))])


def concat(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) > 0)
    axis = int(g.random.integers(len(shape)))
    other = list(shape)
    other[axis] = g.pick([1, 2, 3, 5])
    alike = [n for n, s in g.shapes.items() if s == shape and n[0] in "iv"]
    operands = [x, g.weight(g.array(*other))]
    if g.chance(0.5):
        operands = [x, g.pick(alike)]
    if g.chance(0.3):
        operands.insert(0, g.pick(alike))
    g.node("Concat", operands, axis=axis)


def split(g: RandomGraph, x: str, shape: Shape) -> None:
    axes = [i for i, n in enumerate(shape) if n >= 2]
    fit(bool(axes))
    axis = g.pick(axes)
    first = int(g.random.integers(1, shape[axis]))
    sizes = g.ints(first, shape[axis] - first)
    low, high = g.node("Split", [x, sizes], outputs=2, axis=axis)
    if g.chance(0.5):
        g.node("Concat", [high, low], axis=axis)


def slice_(g: RandomGraph, x: str, shape: Shape) -> None:
    axes = [i for i, n in enumerate(shape) if n >= 3]
    fit(bool(axes))
    axis = g.pick(axes)
    n, step = shape[axis], g.pick([1, 1, 2, -1, -2])
    start, stop = sorted(int(v) for v in g.random.integers(0, n + 1, 2))
    fit(stop - start >= 1)
    if step < 0:
        start, stop = stop - 1, (start - 1 if start else -n - 1)
    g.node("Slice", [x, g.ints(start), g.ints(stop), g.ints(axis), g.ints(step)])


def slice_axes(g: RandomGraph, x: str, shape: Shape) -> None:
    """Several axes at once, bounds out of range."""
    fit(len(shape) >= 2)
    axes = sorted({int(v) for v in g.random.integers(0, len(shape), 3)})
    starts = [int(g.random.integers(-n - 2, n)) for n in (shape[a] for a in axes)]
    stops = [g.pick([10_000, shape[a], -1, shape[a] // 2 + 1]) for a in axes]
    steps = [g.pick([1, 1, 2, 3]) for _ in axes]
    names = [a - len(shape) if g.chance(0.3) else a for a in axes]
    g.node("Slice", [x, *(g.ints(*v) for v in (starts, stops, names, steps))])


def pad(g: RandomGraph, x: str, shape: Shape) -> None:
    mode = g.pick(["constant", "constant", "edge", "reflect"])
    most = 2 if mode != "reflect" else max(0, min(2, min(shape, default=1) - 1))
    amounts = [int(v) for v in g.random.integers(0, most + 1, 2 * len(shape))]
    fit(any(amounts))
    operands = [x, g.ints(*amounts)]
    if mode == "constant" and g.chance(0.5):
        operands.append(g.weight(np.float32(1.5)))
    g.node("Pad", operands, mode=mode)


def gather(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) > 0)
    axis = int(g.random.integers(len(shape)))
    count = g.pick([(), (1,), (3,), (2, 2)])
    indices = g.random.integers(-shape[axis], shape[axis], count)
    g.node("Gather", [x, g.weight(np.asarray(indices, np.int64))], axis=axis)


def repeat(g: RandomGraph, x: str, shape: Shape) -> None:
    if g.chance(0.5):
        g.node("Tile", [x, g.ints(*[g.pick([1, 1, 2, 3]) for _ in shape])])
    else:
        fit(1 in shape)
        target = [g.pick([1, 3, 4]) if n == 1 else n for n in shape]
        g.node("Expand", [x, g.ints(*target)])


def expand_rank(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) < 4)
    g.node("Expand", [x, g.ints(g.pick([1, 2, 3]), *[1] * len(shape))])


def resize(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) == 4)
    scale = g.pick([2.0, 2.0, 3.0, 0.5])
    fit(min(shape[2:]) * scale >= 1)
    mode = g.pick(["nearest", "nearest", "linear"])
    transformation = "asymmetric" if mode == "nearest" else "half_pixel"
    g.node(
        "Resize",
        [x, "", g.weight(np.float32([1, 1, scale, scale]))],
        mode=mode,
        nearest_mode="floor",
        coordinate_transformation_mode=transformation,
    )


def resize_to_sizes(g: RandomGraph, x: str, shape: Shape) -> None:
    """Any size, every way to place and round coordinates."""
    fit(len(shape) == 4)
    sizes = [*shape[:2], g.pick([1, 3, 4, 7, 10, 16]), g.pick([1, 2, 5, 8, 13])]
    places = ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"]
    mode = g.pick(["nearest", "linear", "cubic"])
    attributes = {"coordinate_transformation_mode": g.pick(places), "mode": mode}
    if mode == "nearest":
        roundings = ["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"]
        attributes["nearest_mode"] = g.pick(roundings)
    elif mode == "cubic":
        attributes["exclude_outside"] = int(g.chance(0.3))
        attributes["cubic_coeff_a"] = g.pick([-0.75, -0.5])
    g.node("Resize", [x, "", "", g.ints(*sizes)], **attributes)


def depth_space(g: RandomGraph, x: str, shape: Shape) -> None:
    fit(len(shape) == 4)
    if shape[1] % 4 == 0:
        g.node("DepthToSpace", [x], blocksize=2, mode=g.pick(["DCR", "CRD"]))
    else:
        fit(shape[2] % 2 == 0 and shape[3] % 2 == 0)
        g.node("SpaceToDepth", [x], blocksize=2)


STEPS = [
    (unary, 6),
    (exponential, 1),
    (root, 2),
    (power, 1),
    (binary_constant, 5),
    (divide, 2),
    (binary_values, 4),
    (variadic, 1),
    (prelu, 1),
    (where, 1),
    (reduction, 4),
    (softmax, 2),
    (layer_norm, 2),
    (channel_norm, 2),
    (cumulative, 1),
    (row_norm, 1),
    (conv, 8),
    (conv_any_rank, 2),
    (conv_transpose, 1),
    (pool, 4),
    (pool_any_rank, 2),
    (product_of_values, 2),
    (einsum, 1),
    (matmul, 4),
    (gemm, 2),
    (self_product, 2),
    (transpose, 4),
    (reshape, 4),
    (squeeze, 2),
    (concat, 3),
    (split, 2),
    (slice_, 3),
    (slice_axes, 1),
    (pad, 2),
    (gather, 2),
    (repeat, 1),
    (expand_rank, 1),
    (resize, 2),
    (resize_to_sizes, 2),
    (depth_space, 1),
    *random_data_steps.STEPS,
]

WEIGHTED_STEPS = [step for step, weight in STEPS for _ in range(weight)]


def random_graph(seed: int) -> RandomGraph:
    return RandomGraph(seed, WEIGHTED_STEPS)
