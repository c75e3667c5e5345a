"""What storing tensors in half precision does to a model, without our compiler.

ONNX Runtime evaluates the model in float32, but every input, every weight and
every tensor between nodes passes through float16. Batch normalization is folded
first, as any compiler folds it: its statistics are not stored. How far this is
from the plain evaluation is a property of the model: steep outputs behind many
layers magnify roundings.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from harness import reference

# Results that are not stored as float16: shapes, constants, conversions.
NOT_STORED = {"Shape", "Constant", "Cast"}
LARGEST = float(np.finfo(np.float16).max)


def folded(model: Path) -> onnx.ModelProto:
    """The model after ONNX Runtime's rewrites that keep the standard's
    operators."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = (
        onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    )
    options.log_severity_level = 4
    with tempfile.TemporaryDirectory(prefix="atc-") as scratch:
        options.optimized_model_filepath = f"{scratch}/folded.onnx"
        onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )
        return onnx.load(options.optimized_model_filepath)


def round_weights(graph: onnx.GraphProto) -> None:
    for tensor in graph.initializer:
        # Single numbers stay: kernels hold them as they are.
        if tensor.data_type != TensorProto.FLOAT or np.prod(tensor.dims) == 1:
            continue
        values = np.clip(numpy_helper.to_array(tensor), -LARGEST, LARGEST)
        rounded = values.astype(np.float16).astype(np.float32)
        tensor.CopyFrom(numpy_helper.from_array(rounded, tensor.name))


def through_half(source: str, result: str) -> list[onnx.NodeProto]:
    """A pair of casts."""
    half = f"{result}/half"
    return [
        helper.make_node("Cast", [source], [half], to=TensorProto.FLOAT16),
        helper.make_node("Cast", [half], [result], to=TensorProto.FLOAT),
    ]


def round_inputs(graph: onnx.GraphProto) -> None:
    constant = {tensor.name for tensor in graph.initializer}
    for value in list(graph.input):
        single = value.type.tensor_type.elem_type == TensorProto.FLOAT
        if not single or value.name in constant:
            continue
        rounded = f"{value.name}/rounded"
        for node in graph.node:
            for index, name in enumerate(node.input):
                if name == value.name:
                    node.input[index] = rounded
        for node in reversed(through_half(value.name, rounded)):
            graph.node.insert(0, node)


def round_results(model: onnx.ModelProto) -> None:
    """Puts a pair of casts behind every float32 result inside the graph."""
    graph = onnx.shape_inference.infer_shapes(model).graph
    outputs = {output.name for output in graph.output}
    inside = {
        value.name
        for value in graph.value_info
        if value.type.tensor_type.elem_type == TensorProto.FLOAT
    } - outputs
    nodes = []
    for node in model.graph.node:
        nodes.append(node)
        if node.op_type in NOT_STORED:
            continue
        for index, name in enumerate(node.output):
            if name not in inside:
                continue
            node.output[index] = f"{name}/exact"
            nodes += through_half(node.output[index], name)
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    del model.graph.value_info[:]


def evaluate(model: Path, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
    """The outputs; raises reference.ReferenceError."""
    try:
        stored = folded(model)
    except Exception as error:  # ONNX Runtime raises a type per status code.
        raise reference.ReferenceError(str(error).splitlines()[0]) from error
    round_weights(stored.graph)
    round_results(stored)
    round_inputs(stored.graph)
    return reference.run_plain(stored.SerializeToString(), feeds)
