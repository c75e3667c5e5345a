"""Models whose inputs have open dims: one compiled file, run at many sizes.

The reference is ONNX Runtime without its optimizer. Each size runs with one
thread and with two, which must give the same bits.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import onnx
import pytest
from conftest import Workbench
from harness.comparison import relative_difference
from harness.reference import run_plain
from harness.refusal import assert_refused
from harness.toolchain import demand_success
from onnx import TensorProto, helper, numpy_helper

# Share of the reference's range.
TOLERANCE = 1e-4
OPSET = 17


class GraphBuilder:
    """A model, node by node, with seeded weights."""

    def __init__(self, seed: int):
        self.generator = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []

    def input(self, name: str, shape: list, dtype: int = TensorProto.FLOAT) -> str:
        self.inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def constant(self, value) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def weight(self, *shape: int) -> str:
        scale = 1 / np.sqrt(np.prod(shape[1:]) or 1)
        values = scale * self.generator.standard_normal(shape)
        return self.constant(values.astype(np.float32))

    def op(self, kind: str, *inputs: str, outputs: int = 1, **attributes):
        names = [f"t{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, inputs, names, **attributes))
        return names[0] if outputs == 1 else names

    def build(self, *outputs: str) -> onnx.ModelProto:
        values = [onnx.ValueInfoProto(name=name) for name in outputs]
        graph = helper.make_graph(self.nodes, "g", self.inputs, values, self.constants)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8
        )
        inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
        known = {value.name: value for value in inferred.graph.value_info}
        for index, value in enumerate(inferred.graph.output):
            if value.name in known:
                model.graph.output[index].CopyFrom(known[value.name])
            else:
                model.graph.output[index].CopyFrom(value)
        return model


def mlp() -> onnx.ModelProto:
    g = GraphBuilder(0)
    x = g.input("x", ["batch", 20])
    h = g.op("Relu", g.op("Gemm", x, g.weight(20, 33), g.weight(33)))
    y = g.op("Gemm", h, g.weight(7, 33), g.weight(7), transB=1)
    return g.build(g.op("Softmax", y, axis=-1))


def conv_net() -> onnx.ModelProto:
    """Stride, padding, a pool, a depthwise convolution, a residual sum, global
    pooling; both spatial dims and the batch are open."""
    g = GraphBuilder(1)
    x = g.input("x", ["n", 3, "h", "w"])
    y = g.op("Conv", x, g.weight(8, 3, 3, 3), g.weight(8), strides=[2, 2], pads=[1] * 4)
    y = g.op("Relu", y)
    z = g.op("Conv", y, g.weight(8, 1, 3, 3), group=8, pads=[1] * 4)
    z = g.op("Conv", g.op("Relu", z), g.weight(8, 8, 1, 1), g.weight(8))
    y = g.op("Add", y, z)
    p = g.op("MaxPool", y, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    q = g.op("Conv", p, g.weight(12, 8, 3, 3), pads=[1] * 4)
    mean = g.op("Flatten", g.op("GlobalAveragePool", g.op("Sigmoid", q)))
    return g.build(q, g.op("Gemm", mean, g.weight(12, 5)))


def large_convolutions() -> onnx.ModelProto:
    """3x3 convolutions of so many channels that Winograd's method pays."""
    g = GraphBuilder(9)
    x = g.input("x", ["n", 32, "h", "w"])
    y = g.op("Conv", x, g.weight(64, 32, 3, 3), g.weight(64), pads=[1] * 4)
    z = g.op("Conv", g.op("Relu", y), g.weight(64, 64, 3, 3), pads=[1] * 4)
    z = g.op("Relu", g.op("Add", y, z))
    return g.build(g.op("Conv", z, g.weight(32, 64, 3, 3), pads=[2, 0, 1, 1]))


def enlargements() -> onnx.ModelProto:
    """Transposed convolutions whose windows lie side by side, of one dim to
    three, and those that overlap or are cut."""
    g = GraphBuilder(10)
    x = g.input("x", ["n", 8, "h", "w"])
    wide = g.op("ConvTranspose", x, g.weight(8, 16, 2, 2), g.weight(16), strides=[2, 2])
    narrow = g.op(
        "ConvTranspose", g.op("Relu", wide), g.weight(16, 1, 3, 2), strides=[3, 2]
    )
    whole = g.op("Sigmoid", narrow)
    cut = g.op(
        "ConvTranspose", x, g.weight(8, 3, 2, 2), strides=[2, 2], pads=[1, 0, 0, 1]
    )
    overlapping = g.op("ConvTranspose", x, g.weight(8, 4, 3, 3), strides=[2, 2])
    rows = g.op("ReduceMean", x, axes=[3], keepdims=0)
    line = g.op("ConvTranspose", rows, g.weight(8, 5, 4), strides=[4])
    deep = g.op("Unsqueeze", x, g.constant([2]))
    cube = g.op("ConvTranspose", deep, g.weight(8, 2, 2, 1, 3), strides=[2, 1, 3])
    return g.build(whole, cut, overlapping, line, cube)


def detector_neck() -> onnx.ModelProto:
    """Branches of one size that a concat joins, and a slice of them."""
    g = GraphBuilder(2)
    x = g.input("x", ["n", 4, "h", "w"])
    a = g.op("Relu", g.op("Conv", x, g.weight(6, 4, 1, 1)))
    b = g.op("Sigmoid", g.op("Conv", x, g.weight(5, 4, 3, 3), pads=[1] * 4))
    joined = g.op("Concat", a, b, axis=1)
    part = g.op("Slice", joined, g.constant([2]), g.constant([9]), g.constant([1]))
    moved = g.op("Transpose", joined, perm=[0, 2, 3, 1])
    return g.build(g.op("Conv", joined, g.weight(3, 11, 1, 1)), part, moved)


def transformer_block() -> onnx.ModelProto:
    """Attention over open batch and length, with reshapes through Shape."""
    heads, head, width = 4, 8, 32
    g = GraphBuilder(3)
    x = g.input("x", ["batch", "length", width])
    shape = g.op("Shape", x)
    batch = g.op("Gather", shape, g.constant(np.array([0])), axis=0)
    length = g.op("Gather", shape, g.constant(np.array([1])), axis=0)
    split = g.op(
        "Concat", batch, length, g.constant([heads]), g.constant([head]), axis=0
    )

    def project(value: str, perm: list[int]) -> str:
        y = g.op("Add", g.op("MatMul", value, g.weight(width, width)), g.weight(width))
        return g.op("Transpose", g.op("Reshape", y, split), perm=perm)

    def normalize(value: str) -> str:
        centred = g.op("Sub", value, g.op("ReduceMean", value, axes=[-1]))
        square = g.op("Pow", centred, g.constant(np.float32(2)))
        variance = g.op("ReduceMean", square, axes=[-1])
        epsilon = g.constant(np.float32(1e-5))
        deviation = g.op("Sqrt", g.op("Add", variance, epsilon))
        y = g.op("Mul", g.op("Div", centred, deviation), g.weight(width))
        return g.op("Add", y, g.weight(width))

    q, v = project(x, [0, 2, 1, 3]), project(x, [0, 2, 1, 3])
    k = project(x, [0, 2, 3, 1])
    scores = g.op("Div", g.op("MatMul", q, k), g.constant(np.float32(np.sqrt(head))))
    mixed = g.op("MatMul", g.op("Softmax", scores, axis=-1), v)
    mixed = g.op("Transpose", mixed, perm=[0, 2, 1, 3])
    mixed = g.op("Reshape", mixed, g.constant([0, 0, width]))
    y = normalize(g.op("Add", x, g.op("MatMul", mixed, g.weight(width, width))))
    h = g.op("MatMul", y, g.weight(width, 48))
    gelu = g.op("Erf", g.op("Mul", h, g.constant(np.float32(np.sqrt(0.5)))))
    gelu = g.op("Add", gelu, g.constant(np.float32(1)))
    h = g.op("Mul", g.op("Mul", h, gelu), g.constant(np.float32(0.5)))
    y = normalize(g.op("Add", y, g.op("MatMul", h, g.weight(48, width))))
    return g.build(y)


def broadcasting() -> onnx.ModelProto:
    """Unnamed dims that are equal, or 1 on either side, which only the run
    tells."""
    g = GraphBuilder(4)
    a = g.input("a", [None, None, 5])
    b = g.input("b", [None, 5])
    total = g.op("Add", a, b)
    return g.build(g.op("Mul", total, g.op("Sub", a, b)), g.op("Exp", b))


def shape_arithmetic() -> onnx.ModelProto:
    """Sizes that go through Shape, Gather, Mul, Concat and Reshape, and out."""
    g = GraphBuilder(5)
    x = g.input("x", ["a", "b", 6])
    shape = g.op("Shape", x)
    a = g.op("Gather", shape, g.constant(np.array([0])), axis=0)
    b = g.op("Gather", shape, g.constant(np.array([1])), axis=0)
    rows = g.op("Mul", a, b)
    flat = g.op("Reshape", x, g.op("Concat", rows, g.constant([6]), axis=0))
    split = g.op("Concat", a, b, g.constant([2, 3]), axis=0)
    back = g.op("Reshape", g.op("Neg", flat), split)
    halves = g.op("Reshape", x, g.constant([0, -1, 3]))
    return g.build(flat, back, g.op("Abs", halves), shape)


def reductions() -> onnx.ModelProto:
    """Reductions along open dims and beside them."""
    g = GraphBuilder(6)
    x = g.input("x", ["a", "b", "c"])
    results = [g.op("ReduceMean", x, axes=[axis], keepdims=0) for axis in range(3)]
    results.append(g.op("ReduceSum", x, g.constant([0, 2]), keepdims=1))
    results.append(g.op("Softmax", x, axis=1))
    results.append(g.op("ArgMax", x, axis=2))
    return g.build(*results)


def feature_pyramid() -> onnx.ModelProto:
    """Coarse maps, enlarged to the size of the input or of a tensor of sizes."""
    g = GraphBuilder(7)
    x = g.input("x", ["n", 4, "h", "w"])
    y = g.op("Conv", x, g.weight(4, 4, 3, 3), strides=[2, 2], pads=[1] * 4)
    size = g.op("Shape", x)
    empty = ["", ""]
    results = [
        g.op("Resize", y, *empty, size, mode=mode, coordinate_transformation_mode=how)
        for mode, how in [
            ("nearest", "asymmetric"),
            ("nearest", "half_pixel"),
            ("linear", "half_pixel"),
            ("linear", "align_corners"),
            ("linear", "pytorch_half_pixel"),
            ("cubic", "half_pixel"),
        ]
    ]
    results = [g.op("Add", result, x) for result in results]
    batch = g.op("Gather", size, g.constant(np.array([0])), axis=0)
    fixed = g.op("Concat", batch, g.constant([4, 7, 9]), axis=0)
    results.append(g.op("Resize", x, *empty, fixed, mode="linear"))
    return g.build(*results)


def anchor_grid() -> onnx.ModelProto:
    """Points of a map, counted as floats, as detectors make their anchors."""
    g = GraphBuilder(8)
    x = g.input("x", ["n", 3, "h", "w"])
    size = g.op("Shape", x)
    zero, one, half = (g.constant(np.float32(v)) for v in (0, 1, 0.5))
    points = []
    for axis in (2, 3):
        count = g.op("Gather", size, g.constant(np.array(axis)), axis=0)
        limit = g.op("Cast", count, to=TensorProto.FLOAT)
        points.append(g.op("Add", g.op("Range", zero, limit, one), half))
    column = g.op("Unsqueeze", points[0], g.constant([1]))
    grid = g.op("Add", column, points[1])
    every_third = g.op(
        "Range", one, limit, g.constant(np.float32(3))
    )  # Of columns, the second on.
    return g.build(g.op("Mul", x, grid), grid, every_third)


@dataclass
class Model:
    build: Callable[[], onnx.ModelProto]
    sizes: list[dict[str, tuple[int, ...]]]


MODELS = {
    "mlp": Model(mlp, [{"x": (n, 20)} for n in [1, 5, 0, 3, 64, 7, 8, 5]]),
    "conv_net": Model(
        conv_net,
        [
            {"x": (n, 3, h, w)}
            for n, h, w in [(1, 16, 16), (2, 17, 5), (1, 1, 1), (3, 8, 33), (1, 40, 64)]
        ],
    ),
    "large_convolutions": Model(
        large_convolutions,
        [
            {"x": (n, 32, h, w)}
            for n, h, w in [(1, 16, 16), (2, 17, 5), (1, 1, 2), (0, 8, 9), (1, 3, 70)]
        ],
    ),
    "enlargements": Model(
        enlargements,
        [
            {"x": (n, 8, h, w)}
            for n, h, w in [(1, 8, 8), (2, 3, 9), (1, 1, 1), (0, 4, 4), (1, 20, 7)]
        ],
    ),
    "detector_neck": Model(
        detector_neck,
        [
            {"x": (n, 4, h, w)}
            for n, h, w in [(1, 8, 8), (2, 3, 9), (1, 1, 1), (0, 4, 4), (4, 20, 7)]
        ],
    ),
    "transformer_block": Model(
        transformer_block,
        [{"x": (n, s, 32)} for n, s in [(1, 8), (2, 5), (1, 1), (3, 17), (1, 64)]],
    ),
    "broadcasting": Model(
        broadcasting,
        [
            {"a": (2, 3, 5), "b": (3, 5)},
            {"a": (2, 1, 5), "b": (4, 5)},
            {"a": (2, 4, 5), "b": (1, 5)},
            {"a": (1, 1, 5), "b": (1, 5)},
            {"a": (3, 0, 5), "b": (1, 5)},
            {"a": (7, 19, 5), "b": (19, 5)},
        ],
    ),
    "shape_arithmetic": Model(
        shape_arithmetic,
        [{"x": (a, b, 6)} for a, b in [(2, 3), (1, 1), (5, 7), (16, 1)]],
    ),
    "feature_pyramid": Model(
        feature_pyramid,
        [
            {"x": (n, 4, h, w)}
            for n, h, w in [(1, 8, 8), (2, 7, 13), (1, 1, 1), (1, 32, 5), (0, 4, 4)]
        ],
    ),
    "anchor_grid": Model(
        anchor_grid,
        [
            {"x": (n, 3, h, w)}
            for n, h, w in [(1, 8, 8), (2, 7, 13), (1, 1, 1), (1, 0, 5), (0, 4, 4)]
        ],
    ),
    "reductions": Model(
        reductions,
        [{"x": s} for s in [(2, 3, 4), (1, 1, 1), (5, 17, 9), (3, 8, 64), (9, 2, 33)]],
    ),
}


@pytest.fixture(scope="module")
def compiled(tools, tmp_path_factory):
    """Compiles a model once and gives its path and that of the .om file."""
    known = {}

    def compile(name: str):
        if name not in known:
            folder = tmp_path_factory.mktemp(name)
            model = folder / "m.onnx"
            onnx.save(MODELS[name].build(), model)
            tools.compile(model, folder / "m.om")
            known[name] = (model, folder / "m.om")
        return known[name]

    return compile


def noise(shape: tuple[int, ...], seed: int) -> np.ndarray:
    generator = np.random.default_rng(seed)
    return generator.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("name", MODELS)
def test_every_size_gives_the_right_answer(name, compiled, tools, tmp_path):
    model, om = compiled(name)
    for number, sizes in enumerate(MODELS[name].sizes):
        feeds = {
            key: noise(shape, number + index)
            for index, (key, shape) in enumerate(sizes.items())
        }
        files = []
        for key, value in feeds.items():
            files.append(tmp_path / f"{number}_{key}.npy")
            np.save(files[-1], value)
        wanted = run_plain(model, feeds)
        got = {
            threads: tools.run(
                om, files, tmp_path / f"{number}_{threads}", f"--threads={threads}"
            )
            for threads in (1, 2)
        }
        for one, two, reference in zip(
            got[1].outputs, got[2].outputs, wanted, strict=True
        ):
            assert one.tobytes() == two.tobytes(), f"threads matter at {sizes}"
            difference = relative_difference(one, reference)
            assert difference <= TOLERANCE, f"{difference:.1e} at {sizes}"


def sum_model(*shapes: list) -> onnx.ModelProto:
    """The sum of inputs of the given shapes."""
    g = GraphBuilder(7)
    return g.build(g.op("Sum", *(g.input(f"x{i}", s) for i, s in enumerate(shapes))))


def run_with_shapes(bench: Workbench, model: onnx.ModelProto, **shapes: str):
    demand_success(bench.compile(bench.model(model)))
    words = [w for key, text in shapes.items() for w in ("--shape", f"{key}:{text}")]
    return bench.run(bench.outputs / "m.om", "--fill", "1", *words)


def test_one_name_is_one_size(bench):
    completed = run_with_shapes(bench, sum_model(["n"], ["n"]), x0="3", x1="4")
    message = assert_refused(completed, code="E31001")
    assert "dim 0 (n) is 3, but another input says 4" in message


def test_one_name_is_given_once(bench):
    demand_success(run_with_shapes(bench, sum_model(["n"], ["n"]), x1="4"))


def test_unnamed_sizes_must_fit_each_other(bench):
    completed = run_with_shapes(bench, sum_model([None], [None]), x0="3", x1="4")
    message = assert_refused(completed, code="E31003")
    assert "sizes of the operands do not match" in message


def test_open_sizes_must_be_given(bench):
    completed = run_with_shapes(bench, sum_model(["n", 2, None]))
    message = assert_refused(completed)
    assert "[n, 2, ?] is open" in message and "--shape x0:" in message


def test_fixed_sizes_stay_fixed(bench):
    completed = run_with_shapes(bench, sum_model(["n", 2]), x0="3,3")
    assert_refused(completed, code="E10050")


def test_outputs_have_the_actual_shape(bench):
    model = bench.model(sum_model(["n", 2]))
    demand_success(bench.compile(model))
    om = bench.outputs / "m.om"
    folder = bench.folder / "results"
    demand_success(bench.run(om, "--shape", "x0:5,2", "--output", folder))
    assert json.loads((folder / "outputs.json").read_text())[0]["shape"] == [5, 2]
