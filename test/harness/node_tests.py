"""Writes the operator tests of the installed onnx package as folders.

The package carries them as code, not as files. A folder holds model.onnx and
test_data_set_N with input_M.pb and output_M.pb.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path

import onnx
from onnx import numpy_helper


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
