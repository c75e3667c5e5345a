"""Writes the operator tests of the installed onnx package as folders.

The package carries them as code, not as files. A folder holds model.onnx and
test_data_set_N with input_M.pb and output_M.pb.

Many tests feed what a model holds as a constant: axes, shapes, scales. Such a
test also exists with these inputs as constants.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

REDUCTIONS = [
    *["L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum"],
    "SumSquare",
]

# Operands that decide the shape of a result, or what is computed at all, by
# operator. In models they are constants.
PARAMETERS = {
    "AffineGrid": [1],
    "BlackmanWindow": [0],
    "CenterCropPad": [1],
    "ConstantOfShape": [0],
    "CumSum": [1],
    "Dropout": [1, 2],
    "Expand": [1],
    "HammingWindow": [0],
    "HannWindow": [0],
    "OneHot": [1],
    "Pad": [1, 3],
    "Range": [0, 1, 2],
    "Reshape": [1],
    "Resize": [1, 2, 3],
    "Slice": [1, 2, 3, 4],
    "Split": [1],
    "Squeeze": [1],
    "Tile": [1],
    "TopK": [1],
    "Trilu": [1],
    "Unsqueeze": [1],
    "Upsample": [1],
    **{f"Reduce{kind}": [1] for kind in REDUCTIONS},
}


@dataclass(frozen=True)
class NodeTest:
    """`operators` are the op types of the whole graph, subgraphs included."""

    name: str
    folder: Path
    operators: frozenset[str]
    rtol: float
    atol: float


def to_proto(value, info: onnx.ValueInfoProto):
    if hasattr(value, "SerializeToString"):
        return value
    kind = info.type.WhichOneof("value")
    if kind == "sequence_type":
        return numpy_helper.from_list(value, info.name)
    if kind == "optional_type":
        return numpy_helper.from_optional(value, info.name)
    if kind == "map_type":
        return numpy_helper.from_dict(value, info.name)
    return numpy_helper.from_array(value, info.name)


def operators(graph: onnx.GraphProto) -> set[str]:
    found = set()
    for node in graph.node:
        found.add(f"{node.domain}.{node.op_type}" if node.domain else node.op_type)
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                found |= operators(attribute.g)
    return found


def parameter_inputs(model: onnx.ModelProto) -> list[int]:
    """Indices of the graph's inputs that are a parameter of a node."""
    names = {
        node.input[i]
        for node in model.graph.node
        for i in PARAMETERS.get(node.op_type, [])
        if i < len(node.input)
    }
    return [i for i, value in enumerate(model.graph.input) if value.name in names]


def with_constants(
    model: onnx.ModelProto, values: dict[int, np.ndarray]
) -> onnx.ModelProto:
    """The model with the inputs of these indices as constants."""
    result = onnx.ModelProto()
    result.CopyFrom(model)
    for index in sorted(values, reverse=True):
        name = result.graph.input[index].name
        tensor = numpy_helper.from_array(values[index], name)
        result.graph.initializer.append(tensor)
        del result.graph.input[index]
    return result


def collect() -> list:
    """The test cases of the package; making their data takes seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        return collect_testcases(None)


def write(case, folder: Path) -> NodeTest:
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(case.model, folder / "model.onnx")
    graph = case.model.graph
    for i, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{i}"
        data.mkdir(exist_ok=True)
        # An omitted optional input has no entry among the graph's inputs.
        kinds = ("input", inputs, graph.input), ("output", outputs, graph.output)
        for kind, values, infos in kinds:
            for j, (value, info) in enumerate(zip(values, infos)):
                content = to_proto(value, info).SerializeToString()
                (data / f"{kind}_{j}.pb").write_bytes(content)
    return NodeTest(
        case.name, folder, frozenset(operators(graph)), case.rtol, case.atol
    )
