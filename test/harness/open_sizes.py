"""Models whose inputs leave their sizes open, and sizes to run them at.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import itertools

import numpy as np
import onnx

from harness import reference

# Sets of sizes that are tried, and how many of those that fit are used.
MAX_TRIALS, MAX_VARIANTS = 8, 2


def opened(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with every size of an input open. In every second graph, equal
    sizes have one name; in the others no size has any."""
    result = onnx.ModelProto()
    result.CopyFrom(model)
    named = len(model.graph.node) % 2 == 0
    for value in result.graph.input:
        for dim in value.type.tensor_type.shape.dim:
            name = f"n{dim.dim_value}"
            dim.Clear()
            if named:
                dim.dim_param = name
    for value in result.graph.output:
        value.type.tensor_type.ClearField("shape")
    return result


def resized(
    feeds: dict[str, np.ndarray], size: int, other: int
) -> dict[str, np.ndarray]:
    """Data of the same kinds, with `other` for each dim of `size`."""
    random = np.random.default_rng(other)
    result = {}
    for name, array in feeds.items():
        shape = [other if dim == size else dim for dim in array.shape]
        result[name] = random.standard_normal(shape).astype(array.dtype)
    return result


def other_feeds(
    model: onnx.ModelProto, feeds: dict[str, np.ndarray]
) -> list[dict[str, np.ndarray]]:
    """Inputs of other sizes that ONNX Runtime takes: equal sizes stay equal."""
    sizes = sorted({dim for array in feeds.values() for dim in array.shape})
    changes = [[size + 1, size * 2, max(1, size - 1)] for size in sizes]
    trials = [
        (size, other)
        for others in itertools.zip_longest(*changes)
        for size, other in zip(sizes, others)
        if other != size
    ]
    result: list[dict[str, np.ndarray]] = []
    for size, other in trials[:MAX_TRIALS]:
        variant = resized(feeds, size, other)
        try:
            reference.run_plain(model.SerializeToString(), variant)
        except reference.ReferenceError:
            continue
        result.append(variant)
        if len(result) == MAX_VARIANTS:
            break
    return result
