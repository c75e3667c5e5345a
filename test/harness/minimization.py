"""Makes a failing model smaller.

First the graph is cut after the earliest value that is still wrong, then
values that the failure does not need to compute become inputs.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import helper

from harness import reference

# A predicate costs a compilation and a run.
MAX_TRIALS = 60


@dataclass
class Specimen:
    model: onnx.ModelProto
    feeds: dict[str, np.ndarray]


Fails = Callable[[Specimen], bool]


def all_values(specimen: Specimen) -> dict[str, np.ndarray]:
    """Every value of the graph, by ONNX Runtime."""
    model = onnx.ModelProto()
    model.CopyFrom(specimen.model)
    names = [o for node in model.graph.node for o in node.output if o]
    del model.graph.output[:]
    model.graph.output.extend(onnx.ValueInfoProto(name=n) for n in names)
    outputs = reference.run_plain(model.SerializeToString(), specimen.feeds)
    return {**specimen.feeds, **dict(zip(names, outputs))}


def describe(name: str, array: np.ndarray) -> onnx.ValueInfoProto:
    kind = helper.np_dtype_to_tensor_dtype(array.dtype)
    return helper.make_tensor_value_info(name, kind, array.shape)


def extract(
    specimen: Specimen,
    values: dict[str, np.ndarray],
    outputs: list[str],
    inputs: set[str],
) -> Specimen:
    """The part of the graph that computes `outputs`; values in `inputs` are fed
    with what they were."""
    graph = specimen.model.graph
    producer = {o: node for node in graph.node for o in node.output}
    constants = {w.name: w for w in graph.initializer}
    needed, pending, kept = set(), list(outputs), []
    while pending:
        name = pending.pop()
        if not name or name in needed:
            continue
        needed.add(name)
        if name in inputs or name in constants or name not in producer:
            continue
        kept.append(producer[name].name)
        pending.extend(producer[name].input)
    nodes = [node for node in graph.node if node.name in kept]
    fed = [n for n in values if n in needed and (n in inputs or n in specimen.feeds)]
    small = helper.make_graph(
        nodes,
        graph.name,
        [describe(n, values[n]) for n in fed],
        [describe(n, values[n]) for n in outputs],
        [w for n, w in constants.items() if n in needed],
    )
    model = helper.make_model(
        small,
        opset_imports=specimen.model.opset_import,
        ir_version=specimen.model.ir_version,
    )
    return Specimen(model, {n: values[n] for n in fed})


def minimize(specimen: Specimen, fails: Fails) -> Specimen:
    """The smallest failing part found; `specimen` itself must fail."""
    values = all_values(specimen)
    trials = MAX_TRIALS
    computed = [o for node in specimen.model.graph.node for o in node.output if o]
    for name in computed:
        trials -= 1
        smaller = extract(specimen, values, [name], set())
        if fails(smaller):
            specimen = smaller
            break
    inputs: set[str] = set()
    outputs = [o.name for o in specimen.model.graph.output]
    whole = specimen
    for node in reversed(list(whole.model.graph.node)):
        for name in node.output:
            if trials <= 0 or name in outputs or not name:
                continue
            trials -= 1
            smaller = extract(whole, values, outputs, inputs | {name})
            fewer = len(smaller.model.graph.node) < len(specimen.model.graph.node)
            if fewer and fails(smaller):
                inputs.add(name)
                specimen = smaller
    return specimen
