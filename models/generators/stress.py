"""Legal models of unusual size, and models that a compiler must refuse.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT
OPSETS = [helper.make_opsetid("", 17)]


def draft(nodes, inputs, outputs, weights=(), opsets=OPSETS) -> onnx.ModelProto:
    """A model that nobody checks."""
    graph = helper.make_graph(
        nodes,
        "stress",
        [helper.make_tensor_value_info(k, FLOAT, v) for k, v in inputs.items()],
        [helper.make_tensor_value_info(k, FLOAT, v) for k, v in outputs.items()],
        list(weights),
    )
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


# --- Legal --------------------------------------------------------------------


def chain(length: int = 20_000) -> onnx.ModelProto:
    """A def-use chain: relu and a small shift in turn, so that nothing folds."""
    nodes, value = [], "x"
    for i in range(length):
        result = "y" if i == length - 1 else f"v{i}"
        if i % 2:
            nodes.append(helper.make_node("Add", [value, "shift"], [result]))
        else:
            nodes.append(helper.make_node("Relu", [value], [result]))
        value = result
    shift = numpy_helper.from_array(np.float32([0.001]), "shift")
    return draft(nodes, {"x": [1, 8]}, {"y": [1, 8]}, [shift])


def long_names(length: int = 10_000) -> onnx.ModelProto:
    """Every name has `length` characters."""
    x, y, node = ("a" * (length - 1) + c for c in "xyn")
    return draft(
        [helper.make_node("Relu", [x], [y], name=node)], {x: [1, 8]}, {y: [1, 8]}
    )


def odd_names() -> onnx.ModelProto:
    """Names with separators, quotes, spaces, and characters outside ASCII."""
    x, mid, y = "in/put:0", 'a "quoted" name; {"k": 1}', "выход=1 输出"
    nodes = [
        helper.make_node("Relu", [x], [mid], name="node one\\two"),
        helper.make_node("Abs", [mid], [y], name="%s%n"),
    ]
    return draft(nodes, {x: [1, 8]}, {y: [1, 8]})


def unsorted_nodes() -> onnx.ModelProto:
    """The user of a value stands before its definition."""
    nodes = [
        helper.make_node("Abs", ["m"], ["y"]),
        helper.make_node("Neg", ["x"], ["m"]),
    ]
    return draft(nodes, {"x": [1, 8]}, {"y": [1, 8]})


def write_large(path: Path, gigabytes: float = 1.0, width: int = 4096) -> int:
    """Writes a stack of square MatMul layers with about `gigabytes` of weights,
    one layer in memory at a time. Returns the bytes of weights.

    Serialized messages concatenate, so the graph's length is known before any
    weight is drawn: each initializer is a header of fixed size and its payload.
    """
    payload = width * width * 4
    layers = max(1, round(gigabytes * (1 << 30) / payload))
    nodes, value = [], "x"
    for i in range(layers):
        result = "y" if i == layers - 1 else f"v{i}"
        nodes.append(helper.make_node("MatMul", [value, f"w{i}"], [result]))
        value = result
    model = draft(nodes, {"x": [1, width]}, {"y": [1, width]})
    graph = model.graph.SerializeToString()
    model.ClearField("graph")

    def header(i: int) -> bytes:
        tensor = TensorProto(dims=[width, width], data_type=FLOAT, name=f"w{i}")
        raw_data = field_key(TensorProto.RAW_DATA_FIELD_NUMBER) + varint(payload)
        start = tensor.SerializeToString() + raw_data
        key = field_key(onnx.GraphProto.INITIALIZER_FIELD_NUMBER)
        return key + varint(len(start) + payload) + start

    headers = [header(i) for i in range(layers)]
    size = len(graph) + sum(len(h) + payload for h in headers)
    generator = np.random.default_rng(0)
    with path.open("wb") as file:
        file.write(model.SerializeToString())
        file.write(field_key(onnx.ModelProto.GRAPH_FIELD_NUMBER) + varint(size))
        file.write(graph)
        for h in headers:
            file.write(h)
            weight = generator.standard_normal((width, width), np.float32)
            file.write((weight * np.float32(width**-0.5)).tobytes())
    return layers * payload


def field_key(number: int) -> bytes:
    """The key of a length-delimited field."""
    return varint(number << 3 | 2)


def message(number: int, content: bytes) -> bytes:
    """A length-delimited field with its content."""
    return field_key(number) + varint(len(content)) + content


def varint(value: int) -> bytes:
    digits = bytearray()
    while value > 0x7F:
        digits.append(value & 0x7F | 0x80)
        value >>= 7
    digits.append(value)
    return bytes(digits)


# --- To be refused ------------------------------------------------------------


def cycle() -> onnx.ModelProto:
    nodes = [
        helper.make_node("Add", ["x", "b"], ["a"], name="first"),
        helper.make_node("Relu", ["a"], ["b"], name="second"),
        helper.make_node("Abs", ["a"], ["y"], name="third"),
    ]
    return draft(nodes, {"x": [1, 8]}, {"y": [1, 8]})


def unknown_operators() -> onnx.ModelProto:
    """Three operators that no opset has, one of them in a domain of its own."""
    nodes = [
        helper.make_node("Frobnicate", ["x"], ["a"], name="one"),
        helper.make_node("Relu", ["a"], ["b"], name="fine"),
        helper.make_node("Quuxify", ["b"], ["c"], name="two"),
        helper.make_node("Gadget", ["c"], ["y"], name="three", domain="com.example"),
    ]
    opsets = [*OPSETS, helper.make_opsetid("com.example", 1)]
    return draft(nodes, {"x": [1, 8]}, {"y": [1, 8]}, opsets=opsets)


def unknown_dtype() -> onnx.ModelProto:
    model = draft(
        [helper.make_node("Relu", ["x"], ["y"])], {"x": [1, 8]}, {"y": [1, 8]}
    )
    model.graph.input[0].type.tensor_type.elem_type = 99
    return model


def short_tensor() -> onnx.ModelProto:
    """A weight whose data is shorter than its shape."""
    weight = TensorProto(dims=[4, 8], data_type=FLOAT, name="w", raw_data=bytes(64))
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    return draft(nodes, {"x": [4, 8]}, {"y": [4, 8]}, [weight])


def overflowing_shape() -> onnx.ModelProto:
    """A weight whose element count does not fit 64 bits."""
    dims = [1 << 31, 1 << 31, 1 << 31]
    weight = TensorProto(dims=dims, data_type=FLOAT, name="w", raw_data=bytes(64))
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    return draft(nodes, {"x": [1]}, {"y": [1]}, [weight])


def negative_dim() -> onnx.ModelProto:
    weight = TensorProto(dims=[-4, -8], data_type=FLOAT, name="w", raw_data=bytes(128))
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    return draft(nodes, {"x": [4, 8]}, {"y": [4, 8]}, [weight])


def undefined_value() -> onnx.ModelProto:
    nodes = [helper.make_node("Add", ["x", "nowhere"], ["y"], name="sum")]
    return draft(nodes, {"x": [1, 8]}, {"y": [1, 8]})


def defined_twice() -> onnx.ModelProto:
    nodes = [
        helper.make_node("Relu", ["x"], ["y"], name="first"),
        helper.make_node("Abs", ["x"], ["y"], name="second"),
    ]
    return draft(nodes, {"x": [1, 8]}, {"y": [1, 8]})


def missing_output() -> onnx.ModelProto:
    nodes = [helper.make_node("Relu", ["x"], ["z"])]
    return draft(nodes, {"x": [1, 8]}, {"y": [1, 8]})


def incompatible_shapes() -> onnx.ModelProto:
    nodes = [helper.make_node("MatMul", ["x", "z"], ["y"], name="product")]
    return draft(nodes, {"x": [3, 4], "z": [5, 6]}, {"y": [3, 6]})


def open_inputs() -> onnx.ModelProto:
    nodes = [helper.make_node("Add", ["x", "z"], ["y"])]
    return draft(nodes, {"x": ["N", 8], "z": [1, 8]}, {"y": ["N", 8]})


def size_from_data() -> onnx.ModelProto:
    nodes = [
        helper.make_node("Cast", ["x"], ["shape"], to=TensorProto.INT64),
        helper.make_node("ConstantOfShape", ["shape"], ["y"]),
    ]
    return draft(nodes, {"x": [2]}, {"y": ["a", "b"]})


def strings() -> onnx.ModelProto:
    nodes = [helper.make_node("Identity", ["x"], ["y"])]
    model = draft(nodes, {"x": [4]}, {"y": [4]})
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.elem_type = TensorProto.STRING
    return model


def output_twice() -> onnx.ModelProto:
    nodes = [helper.make_node("Relu", ["x"], ["y"])]
    model = draft(nodes, {"x": [4]}, {"y": [4]})
    model.graph.output.append(model.graph.output[0])
    return model


def nested_branches(depth: int = 200) -> bytes:
    """If inside If, deeper than a parser should follow. Serialized by
    hand: protobuf's own limit is 100 messages."""
    leaf = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["r"])],
        "leaf",
        [],
        [helper.make_tensor_value_info("r", FLOAT, [1, 8])],
    )
    graph = plain = leaf.SerializeToString()
    for level in range(depth):
        node = helper.make_node("If", ["c"], [f"r{level}"]).SerializeToString()
        # Two deep branches would double the size at every level.
        for branch, body in ("then_branch", graph), ("else_branch", plain):
            header = onnx.AttributeProto(name=branch, type=onnx.AttributeProto.GRAPH)
            attribute = header.SerializeToString()
            attribute += message(onnx.AttributeProto.G_FIELD_NUMBER, body)
            node += message(onnx.NodeProto.ATTRIBUTE_FIELD_NUMBER, attribute)
        output = helper.make_tensor_value_info(f"r{level}", FLOAT, [1, 8])
        graph = onnx.GraphProto(name=f"level{level}", output=[output])
        graph = graph.SerializeToString()
        graph += message(onnx.GraphProto.NODE_FIELD_NUMBER, node)
    condition = helper.make_tensor_value_info("c", TensorProto.BOOL, [])
    inputs = [helper.make_tensor_value_info("x", FLOAT, [1, 8]), condition]
    graph += onnx.GraphProto(input=inputs).SerializeToString()
    model = onnx.ModelProto(ir_version=8, opset_import=OPSETS).SerializeToString()
    return model + message(onnx.ModelProto.GRAPH_FIELD_NUMBER, graph)


def external_data(location: str, length: int = 128) -> onnx.ModelProto:
    """A weight that points to `location` beside the model."""
    weight = TensorProto(dims=[4, 8], data_type=FLOAT, name="w")
    weight.data_location = TensorProto.EXTERNAL
    for key, value in ("location", location), ("length", str(length)):
        weight.external_data.add(key=key, value=value)
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    return draft(nodes, {"x": [4, 8]}, {"y": [4, 8]}, [weight])


REFUSED = {
    "cycle": cycle,
    "unknown_operators": unknown_operators,
    "unknown_dtype": unknown_dtype,
    "short_tensor": short_tensor,
    "overflowing_shape": overflowing_shape,
    "negative_dim": negative_dim,
    "undefined_value": undefined_value,
    "defined_twice": defined_twice,
    "missing_output": missing_output,
    "incompatible_shapes": incompatible_shapes,
    "size_from_data": size_from_data,
    "strings": strings,
}
