"""Models of one or a few operators: what a first look at a target needs.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import zlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, FLOAT16 = TensorProto.FLOAT, TensorProto.FLOAT16


def build(
    name: str,
    nodes: list[onnx.NodeProto],
    inputs: dict[str, list],
    outputs: dict[str, list | None],
    weights: dict[str, np.ndarray] | None = None,
    dtype: int = FLOAT,
    output_dtype: int | None = None,
) -> onnx.ModelProto:
    """A checked model; `None` as an output's shape leaves it to inference."""
    graph = helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info(k, dtype, v) for k, v in inputs.items()],
        [
            helper.make_tensor_value_info(
                k, dtype if output_dtype is None else output_dtype, v
            )
            for k, v in outputs.items()
        ],
        [numpy_helper.from_array(v, k) for k, v in (weights or {}).items()],
    )
    model = helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
        producer_name="openatc-generate",
    )
    onnx.checker.check_model(model, full_check=True)
    return model


def random_weights(name: str, dtype=np.float32):
    """A function that draws arrays, seeded by the model's name."""
    generator = np.random.default_rng(zlib.crc32(name.encode()))

    def draw(*shape: int, std: float = 1.0) -> np.ndarray:
        return (std * generator.standard_normal(shape)).astype(dtype)

    return draw


def mlp_fp16(rows: int = 16, features: int = 64, hidden: int = 128, classes: int = 32):
    """Two fully connected layers in half precision, with bias and a relu."""
    draw = random_weights("mlp_fp16", np.float16)
    nodes = [
        helper.make_node("MatMul", ["x", "w1"], ["product1"], name="fc1/matmul"),
        helper.make_node("Add", ["product1", "b1"], ["sum1"], name="fc1/bias"),
        helper.make_node("Relu", ["sum1"], ["hidden"], name="fc1/relu"),
        helper.make_node("MatMul", ["hidden", "w2"], ["product2"], name="fc2/matmul"),
        helper.make_node("Add", ["product2", "b2"], ["y"], name="fc2/bias"),
    ]
    weights = {
        "w1": draw(features, hidden, std=features**-0.5),
        "b1": draw(hidden, std=0.1),
        "w2": draw(hidden, classes, std=hidden**-0.5),
        "b2": draw(classes, std=0.1),
    }
    return build(
        "mlp_fp16",
        nodes,
        {"x": [rows, features]},
        {"y": [rows, classes]},
        weights,
        FLOAT16,
    )


def conv3x3_fp16(channels: int = 16, filters: int = 32, size: int = 14):
    """One 3x3 convolution with bias and relu in half precision."""
    draw = random_weights("conv3x3_fp16", np.float16)
    nodes = [
        helper.make_node(
            "Conv",
            ["x", "w", "b"],
            ["sum"],
            name="conv",
            kernel_shape=[3, 3],
            pads=[1, 1, 1, 1],
        ),
        helper.make_node("Relu", ["sum"], ["y"], name="relu"),
    ]
    weights = {
        "w": draw(filters, channels, 3, 3, std=(9 * channels) ** -0.5),
        "b": draw(filters, std=0.1),
    }
    return build(
        "conv3x3_fp16",
        nodes,
        {"x": [1, channels, size, size]},
        {"y": [1, filters, size, size]},
        weights,
        FLOAT16,
    )


def mlp_dynamic(features: int = 64, classes: int = 32):
    """One fully connected layer whose batch is a symbol."""
    draw = random_weights("mlp_dynamic")
    nodes = [
        helper.make_node("Gemm", ["x", "w", "b"], ["sum"], name="fc", transB=1),
        helper.make_node("Softmax", ["sum"], ["y"], name="probability", axis=-1),
    ]
    weights = {"w": draw(classes, features, std=features**-0.5), "b": draw(classes)}
    return build(
        "mlp_dynamic", nodes, {"x": ["N", features]}, {"y": ["N", classes]}, weights
    )


# The operands of these after the first are weights, not inputs.
WEIGHTED = {"Conv", "ConvTranspose", "Gemm", "LayerNormalization"}

# Operator, operand shapes, constant operands after them, attributes. One line
# is one model; sizes include tails that no vector width divides.
SINGLE_OPERATORS = {
    "relu": ("Relu", [[1, 16, 33, 7]], [], {}),
    "sigmoid": ("Sigmoid", [[3, 101]], [], {}),
    "tanh": ("Tanh", [[3, 101]], [], {}),
    "erf": ("Erf", [[3, 101]], [], {}),
    "exp": ("Exp", [[3, 101]], [], {}),
    "hard_sigmoid": ("HardSigmoid", [[2, 5, 9]], [], {"alpha": 0.2}),
    "leaky_relu": ("LeakyRelu", [[2, 5, 9]], [], {"alpha": 0.1}),
    "clip": ("Clip", [[2, 5, 9]], [np.float32(-0.5), np.float32(0.5)], {}),
    "add": ("Add", [[4, 33], [4, 33]], [], {}),
    "add_broadcast": ("Add", [[2, 1, 5, 7], [3, 1, 7]], [], {}),
    "mul_constant": ("Mul", [[2, 3, 5]], [np.float32([0.5, 2, 4, 8, -1])], {}),
    "div": ("Div", [[4, 33]], [np.float32(3)], {}),
    "pow": ("Pow", [[4, 33]], [np.float32(2)], {}),
    "matmul": ("MatMul", [[33, 65], [65, 17]], [], {}),
    "matmul_batched": ("MatMul", [[2, 3, 9, 21], [21, 13]], [], {}),
    "gemm": ("Gemm", [[9, 21], [13, 21], [13]], [], {"transB": 1, "alpha": 0.5}),
    "conv_1x1": ("Conv", [[1, 16, 9, 9], [24, 16, 1, 1]], [], {}),
    "conv_3x3": (
        "Conv",
        [[1, 5, 19, 23], [7, 5, 3, 3], [7]],
        [],
        {"pads": [1] * 4, "strides": [2, 2]},
    ),
    "conv_depthwise": (
        "Conv",
        [[1, 12, 15, 15], [12, 1, 5, 5]],
        [],
        {"pads": [2] * 4, "group": 12},
    ),
    "conv_dilated": (
        "Conv",
        [[1, 4, 17, 17], [6, 4, 3, 3]],
        [],
        {"dilations": [2, 2], "pads": [2] * 4},
    ),
    "conv_transpose": (
        "ConvTranspose",
        [[1, 6, 7, 9], [6, 4, 2, 2]],
        [],
        {"strides": [2, 2]},
    ),
    "max_pool": (
        "MaxPool",
        [[1, 5, 17, 13]],
        [],
        {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1] * 4},
    ),
    "average_pool": (
        "AveragePool",
        [[1, 5, 17, 13]],
        [],
        {"kernel_shape": [3, 3], "pads": [1] * 4},
    ),
    "global_average_pool": ("GlobalAveragePool", [[2, 5, 7, 9]], [], {}),
    "batch_normalization": (
        "BatchNormalization",
        [[2, 3, 5, 7]],
        [
            np.float32([1, 2, 3]),
            np.float32([0, 1, 2]),
            np.float32([0.1, 0.2, 0.3]),
            np.float32([1, 2, 0.5]),
        ],
        {},
    ),
    "instance_normalization": (
        "InstanceNormalization",
        [[2, 3, 5, 7]],
        [np.float32([1, 2, 3]), np.float32([0, 1, 2])],
        {},
    ),
    "layer_normalization": ("LayerNormalization", [[3, 7, 65], [65], [65]], [], {}),
    "softmax": ("Softmax", [[3, 7, 65]], [], {"axis": -1}),
    "softmax_inner": ("Softmax", [[3, 7, 65]], [], {"axis": 1}),
    "reduce_mean": ("ReduceMean", [[3, 7, 9]], [], {"axes": [1], "keepdims": 0}),
    "reduce_max": ("ReduceMax", [[3, 7, 9]], [], {"axes": [0, 2]}),
    "reduce_sum": ("ReduceSum", [[3, 7, 9]], [np.int64([2])], {}),
    "transpose": ("Transpose", [[3, 5, 7]], [], {"perm": [2, 0, 1]}),
    "reshape": ("Reshape", [[3, 5, 8]], [np.int64([0, -1, 4])], {}),
    "concat": ("Concat", [[2, 3, 5], [2, 4, 5]], [], {"axis": 1}),
    "slice": (
        "Slice",
        [[3, 9, 11]],
        [np.int64([1, -1]), np.int64([7, -9]), np.int64([1, 2]), np.int64([2, -2])],
        {},
    ),
    "gather": ("Gather", [[9, 5]], [np.int64([[0, 8], [3, -1]])], {}),
    "pad": ("Pad", [[2, 3, 5]], [np.int64([0, 1, 2, 0, 0, 1])], {"mode": "reflect"}),
    "tile": ("Tile", [[2, 3]], [np.int64([2, 3])], {}),
    "expand": ("Expand", [[3, 1]], [np.int64([2, 1, 5])], {}),
    "depth_to_space": ("DepthToSpace", [[1, 12, 3, 5]], [], {"blocksize": 2}),
    "where": ("Where", [[4, 5], [4, 5]], [], {}),
}


def single_operator(name: str) -> onnx.ModelProto:
    """The model of one line of the table above. Inputs are called x0, x1 …"""
    kind, shapes, constants, attributes = SINGLE_OPERATORS[name]
    draw = random_weights(name)
    split = 1 if kind in WEIGHTED else len(shapes)
    inputs = {f"x{i}": shape for i, shape in enumerate(shapes[:split])}
    weights = {f"w{i}": draw(*shape) for i, shape in enumerate(shapes[split:])}
    weights |= {f"c{i}": np.asarray(v) for i, v in enumerate(constants)}
    operands = [*inputs, *weights]
    if kind == "Where":
        # The condition is a constant: a feed of noise would be all true.
        weights["c0"] = np.indices(shapes[0]).sum(0) % 2 == 0
        operands = ["c0", *inputs]
    node = helper.make_node(kind, operands, ["y"], name=name, **attributes)
    draft = helper.make_graph(
        [node],
        name,
        [helper.make_tensor_value_info(k, FLOAT, v) for k, v in inputs.items()],
        [helper.make_tensor_value_info("y", FLOAT, None)],
        [numpy_helper.from_array(v, k) for k, v in weights.items()],
    )
    opsets = [helper.make_opsetid("", 17)]
    inferred = onnx.shape_inference.infer_shapes(
        helper.make_model(draft, opset_imports=opsets, ir_version=8),
        strict_mode=True,
        data_prop=True,
    )
    dims = inferred.graph.output[0].type.tensor_type.shape.dim
    shape = [d.dim_value for d in dims]
    return build(name, [node], inputs, {"y": shape}, weights)
