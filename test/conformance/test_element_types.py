"""Operators in every element type that their definition allows, and on tensors
without elements and of rank 0.

One model per type holds a node per operator; the reference is onnx.reference,
which knows types that ONNX Runtime lacks.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import ml_dtypes
import numpy as np
import onnx
import pytest
from conftest import Workbench
from harness.comparison import close_elements
from harness.toolchain import demand_success
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

OPSET = 21
FLOATS = [np.float32, np.float16, np.float64, ml_dtypes.bfloat16]
INTEGERS = [
    *[np.int8, np.int16, np.int32, np.int64],
    *[np.uint8, np.uint16, np.uint32, np.uint64],
]
TYPES = [np.dtype(t) for t in [*FLOATS, *INTEGERS, np.bool_]]
# Relative error after one operator: the reference may round once more.
TOLERANCE = {2: 1e-2, 4: 1e-5, 8: 1e-12}

AXES = np.array([1], np.int64)
PICKS = np.array([2, -1, 0], np.int64)

# Operator, operands (a and b are of the type, arrays are constants), attributes.
NODES = [
    *[(kind, "a", {}) for kind in ["Abs", "Neg", "Sign", "Relu", "Identity"]],
    *[(kind, "a", {}) for kind in ["Exp", "Sqrt", "Sigmoid", "Tanh", "Erf"]],
    *[(kind, "a", {}) for kind in ["Floor", "Ceil", "Round", "Reciprocal"]],
    *[(kind, "a", {}) for kind in ["Sin", "Cos", "Softplus", "LeakyRelu", "Elu"]],
    *[(kind, "ab", {}) for kind in ["Add", "Sub", "Mul", "Div", "Max", "Min"]],
    *[(kind, "ab", {}) for kind in ["Equal", "Less", "Greater", "LessOrEqual"]],
    *[(kind, "ab", {}) for kind in ["And", "Or", "Xor", "BitwiseAnd"]],
    *[(kind, "ab", {}) for kind in ["BitwiseOr", "BitwiseXor", "Sum"]],
    ("Mod", "ab", {"fmod": 1}),
    ("Pow", ["a", np.array(2, np.int32)], {}),
    ("Not", "a", {}),
    ("BitwiseNot", "a", {}),
    ("BitShift", "ab", {"direction": "LEFT"}),
    ("BitShift", "ab", {"direction": "RIGHT"}),
    ("Clip", "a", {}),
    ("Where", [np.array([[True], [False], [True]]), "a", "b"], {}),
    ("ReduceSum", ["a", AXES], {}),
    ("ReduceMax", ["a", AXES], {"keepdims": 0}),
    ("ReduceMin", ["a", AXES], {}),
    ("ReduceMean", ["a", AXES], {}),
    ("ReduceProd", ["a", AXES], {"keepdims": 0}),
    ("ArgMax", "a", {"axis": -1}),
    ("CumSum", ["a", np.array(1, np.int64)], {}),
    ("Softmax", "a", {"axis": 1}),
    ("MatMul", "ac", {}),
    ("Gemm", "ac", {}),
    ("Transpose", "a", {}),
    ("Concat", "ab", {"axis": 1}),
    ("Slice", ["a", np.array([3]), np.array([0]), AXES, np.array([-1])], {}),
    ("Pad", ["a", np.array([1, 0, 0, 2])], {"mode": "constant"}),
    ("Pad", ["a", np.array([1, 0, 0, 2])], {"mode": "edge"}),
    ("Tile", ["a", np.array([2, 1])], {}),
    ("Expand", ["b", np.array([2, 1, 1])], {}),
    ("Gather", ["a", PICKS], {"axis": 1}),
    ("GatherElements", ["a", np.array([[0, 2, -1, 1, 0]])], {"axis": 0}),
    ("ScatterElements", ["a", np.array([[0, 2, 1, 1, 0]]), "d"], {"axis": 0}),
    ("Trilu", "a", {}),
    ("Cast", "a", {"to": onnx.TensorProto.FLOAT}),
    ("Cast", "a", {"to": onnx.TensorProto.INT32}),
    ("Cast", "a", {"to": onnx.TensorProto.BOOL}),
]


def allows(kind: str, dtype: np.dtype) -> bool:
    """Whether the definition has the type for its first operand of type T."""
    schema = onnx.defs.get_schema(kind, OPSET)
    operand = schema.inputs[1 if kind == "Where" else 0].type_str
    name = helper.tensor_dtype_to_string(helper.np_dtype_to_tensor_dtype(dtype))
    spelled = f"tensor({name.rpartition('.')[2].lower()})"
    allowed = {c.type_param_str: c.allowed_type_strs for c in schema.type_constraints}
    return spelled in allowed.get(operand, [operand])


def sample(dtype: np.dtype, shape: tuple[int, ...], seed: int) -> np.ndarray:
    """Small numbers, of both signs where there are; not zero."""
    generator = np.random.default_rng(seed)
    if dtype == np.bool_:
        return generator.random(shape) < 0.5
    values = np.asarray(generator.integers(1, 6, shape))
    if dtype.kind == "i":
        values = values * generator.choice([-1, 1], shape)
    elif dtype.kind != "u":
        values = values / 4 * generator.choice([-1, 1], shape)
    return np.asarray(values).astype(dtype)


def model_of(nodes: list, feeds: dict[str, np.ndarray]) -> onnx.ModelProto:
    made, constants, outputs = [], [], []
    for number, (kind, operands, attributes) in enumerate(nodes):
        names = []
        for operand in operands:
            if not isinstance(operand, str):
                constants.append(numpy_helper.from_array(operand, f"c{len(constants)}"))
                operand = constants[-1].name
            names.append(operand)
        name = f"{kind}_{number}"
        made.append(helper.make_node(kind, names, [name], name, **attributes))
        outputs.append(helper.make_tensor_value_info(name, 0, None))
    inputs = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
        )
        for name, array in feeds.items()
        if any(name in node.input for node in made)
    ]
    graph = helper.make_graph(made, "types", inputs, outputs, constants)
    opset = [helper.make_opsetid("", OPSET)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=10)
    return onnx.shape_inference.infer_shapes(model, strict_mode=True)


def compare(bench: Workbench, nodes: list, feeds: dict[str, np.ndarray]) -> list[str]:
    """The nodes whose results differ from the reference."""
    model = model_of(nodes, feeds)
    used = {v.name: feeds[v.name] for v in model.graph.input}
    with np.errstate(all="ignore"):
        wanted = ReferenceEvaluator(model).run(None, used)
    demand_success(bench.compile(bench.model(model)))
    inputs = []
    for name, array in used.items():
        inputs.append(bench.folder / f"{name}.pb")
        inputs[-1].write_bytes(numpy_helper.from_array(array).SerializeToString())
    result = bench.tools.run(bench.om, inputs, bench.folder / "results")
    wrong = []
    for node, got, expected in zip(model.graph.node, result.outputs, wanted):
        expected = np.asarray(expected)
        tolerance = TOLERANCE.get(got.dtype.itemsize, 0)
        if not close_elements(got, expected, tolerance, tolerance):
            wrong.append(f"{node.name}: {got.tolist()} for {expected.tolist()}")
    return wrong


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_every_type(bench: Workbench, dtype: np.dtype):
    nodes = [node for node in NODES if allows(node[0], dtype)]
    if dtype == np.float64:  # The reference computes it in single precision.
        nodes = [node for node in nodes if node[0] != "Erf"]
    feeds = {
        "a": sample(dtype, (3, 5), 1),
        "b": sample(dtype, (3, 1), 2),
        "c": sample(dtype, (5, 4), 3),
        "d": sample(dtype, (1, 5), 4),
    }
    assert not compare(bench, nodes, feeds)


@pytest.mark.parametrize("dtype", [d for d in TYPES if d.kind in "iu"], ids=str)
def test_remainder_has_the_sign_of_the_divisor(bench: Workbench, dtype: np.dtype):
    feeds = {"a": sample(dtype, (3, 5), 1), "b": sample(dtype, (3, 1), 2)}
    assert not compare(bench, [("Mod", "ab", {"fmod": 0})], feeds)


@pytest.mark.parametrize(
    "types",
    [
        (np.float16, np.float32, np.float32),
        (np.float32, np.float16, np.float32),
        (np.float32, np.float32, np.float64),
    ],
    ids=["narrow_input", "narrow_scale", "wide_statistics"],
)
def test_batch_normalization_of_several_types(bench: Workbench, types: tuple):
    x, scale, mean = (np.dtype(t) for t in types)
    parameters = [np.array([1.5, 0.5], t) for t in (scale, scale, mean, mean)]
    node = ("BatchNormalization", ["a", *parameters], {})
    assert not compare(bench, [node], {"a": sample(x, (1, 2, 3), 1)})


@pytest.mark.parametrize("name", ["FLOAT4E2M1", "INT4", "UINT4", "FLOAT8E4M3FN"])
def test_constants_of_narrow_types(bench: Workbench, name: str):
    kind = getattr(onnx.TensorProto, name)
    value = helper.make_tensor("value", kind, [5], [1, 2, 3, 4, 0])
    node = helper.make_node("Constant", [], ["y"], value=value)
    output = helper.make_tensor_value_info("y", kind, [5])
    graph = helper.make_graph([node], "narrow", [], [output])
    opset = [helper.make_opsetid("", 23)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=11)
    demand_success(bench.compile(bench.model(model)))
    (got,) = bench.tools.run(bench.om, [], bench.folder / "results").outputs
    wanted = numpy_helper.to_array(value)
    assert got.view(np.uint8).tolist() == wanted.view(np.uint8).tolist()


NONE = np.array([], np.int64)

SCALAR_NODES = [
    *[(kind, "a", {}) for kind in ["Relu", "Exp", "Softplus", "Identity"]],
    *[(kind, "ab", {}) for kind in ["Add", "Mul", "Max", "Less"]],
    ("Where", [np.array(True), "a", "b"], {}),
    ("ReduceSum", ["a"], {}),
    ("ReduceMax", ["a"], {"keepdims": 0}),
    ("Reshape", ["a", np.array([1, 1])], {}),
    ("Unsqueeze", ["a", np.array([0])], {}),
    ("Expand", ["a", np.array([2, 3])], {}),
    ("Transpose", "a", {}),
    ("Add", ["a", "c"], {}),
    ("Gather", ["c", np.array(-1)], {"axis": 0}),
    ("ReduceMean", ["c"], {"keepdims": 0}),
    ("ArgMax", ["c"], {"axis": 0, "keepdims": 0}),
    ("MatMul", ["c", "c"], {}),
    ("Flatten", "c", {"axis": 0}),
    ("Squeeze", ["d"], {}),
    ("Cast", "a", {"to": onnx.TensorProto.INT64}),
    ("Shape", "a", {}),
    ("Size", "a", {}),
]


def test_rank_0(bench: Workbench):
    dtype = np.dtype(np.float32)
    feeds = {
        "a": sample(dtype, (), 1),
        "b": sample(dtype, (), 2),
        "c": sample(dtype, (5,), 3),
        "d": sample(dtype, (1, 1), 3),
    }
    assert not compare(bench, SCALAR_NODES, feeds)


EMPTY_NODES = [
    *[(kind, "a", {}) for kind in ["Relu", "Exp", "Identity", "Transpose"]],
    *[(kind, "ab", {}) for kind in ["Add", "Less"]],
    ("ReduceSum", ["a", np.array([0])], {}),
    ("ReduceProd", ["a", np.array([0])], {"keepdims": 0}),
    ("ReduceSum", ["a", np.array([1])], {"keepdims": 0}),
    ("Concat", "aca", {"axis": 0}),
    ("Reshape", ["a", np.array([5, 0])], {"allowzero": 1}),
    ("Slice", ["c", np.array([1]), np.array([1]), np.array([0])], {}),
    ("Pad", ["a", np.array([1, 0, 2, 0])], {"mode": "constant"}),
    ("Gather", ["c", NONE], {"axis": 0}),
    ("Tile", ["a", np.array([2, 2])], {}),
    ("Tile", ["c", np.array([0, 2])], {}),
    ("Softmax", "a", {"axis": 1}),
    ("CumSum", ["a", np.array(1, np.int64)], {}),
    ("MatMul", "ad", {}),
    ("MatMul", "ea", {}),
    ("Cast", "a", {"to": onnx.TensorProto.INT64}),
    ("Shape", "a", {}),
]


def test_no_elements(bench: Workbench):
    dtype = np.dtype(np.float32)
    feeds = {
        "a": sample(dtype, (0, 5), 1),
        "b": sample(dtype, (1, 5), 2),
        "c": sample(dtype, (2, 5), 3),
        "d": sample(dtype, (5, 3), 4),
        "e": sample(dtype, (3, 0), 5),
    }
    assert not compare(bench, EMPTY_NODES, feeds)
