"""Random small graphs, for comparing compilers.

Every graph is legal, its values stay finite, and the same seed gives the same
graph. Sizes are small and awkward: odd, one, channel counts that no vector
width divides. A step (random_steps.py) looks at a value and adds nodes to it.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

Shape = tuple[int, ...]
# Adds nodes to a value of the given shape, or raises Unfit.
Step = Callable[["RandomGraph", str, Shape], None]

MAX_ELEMENTS = 20_000
CHANNELS = [1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 24, 33]
SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 17, 23, 33]


class Unfit(Exception):
    """The step does not fit the value."""


def fit(condition: bool) -> None:
    if not condition:
        raise Unfit


class RandomGraph:
    """A graph of one to eight steps, drawn from `steps`. `feeds` holds its
    inputs; `shapes` the shapes of float values and weights by name, `others`
    those of values of another type, with that type. Steps begin and end at
    float values."""

    def __init__(self, seed: int, steps: list[Step], operations: int | None = None):
        self.steps = steps
        self.random = np.random.default_rng(seed)
        self.name = f"seed_{seed}"
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.feeds: dict[str, np.ndarray] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.others: dict[str, tuple[tuple[int, ...], int]] = {}
        for _ in range(self.pick([1, 1, 2])):
            self.add_input()
        wanted = operations or int(self.random.integers(1, 9))
        for _ in range(wanted * 4):
            if len(self.nodes) >= wanted:
                break
            self.grow()
        if not self.nodes:
            self.node("Relu", [next(iter(self.feeds))])

    # --- Drawing ----------------------------------------------------------

    def pick(self, choices):
        return choices[int(self.random.integers(len(choices)))]

    def chance(self, probability: float) -> bool:
        return bool(self.random.random() < probability)

    def array(self, *shape: int, std: float = 1.0) -> np.ndarray:
        values = std * self.random.standard_normal(shape)
        return np.asarray(values, np.float32)

    # --- Building ---------------------------------------------------------

    def add_input(self) -> None:
        rank = self.pick([0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 4, 4, 4, 4, 5, 5])
        if rank == 4:
            shape = [self.pick([1, 1, 2]), self.pick(CHANNELS)]
            shape += [self.pick(SIZES), self.pick(SIZES)]
        else:
            shape = [self.pick(SIZES) for _ in range(rank)]
        while np.prod(shape) > MAX_ELEMENTS:
            shape[int(np.argmax(shape))] //= 2
        name = f"in{len(self.feeds)}"
        self.feeds[name] = self.array(*shape)
        self.shapes[name] = tuple(shape)

    def weight(self, array: np.ndarray) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        if array.dtype == np.float32:
            self.shapes[name] = array.shape
        return name

    def ints(self, *values: int) -> str:
        return self.weight(np.array(values, np.int64))

    def node(self, kind: str, inputs: list[str], outputs: int = 1, **attributes):
        """Adds a node; its output's shape is inferred by ONNX."""
        index = len(self.nodes)
        names = [f"v{index}" + (f"_{i}" if outputs > 1 else "") for i in range(outputs)]
        node = helper.make_node(kind, inputs, names, name=f"n{index}", **attributes)
        for name, (shape, kind) in zip(names, self.infer(node)):
            if np.prod(shape) > MAX_ELEMENTS * 4 or 0 in shape:
                raise Unfit
            if kind == TensorProto.FLOAT:
                self.shapes[name] = shape
            else:
                self.others[name] = shape, kind
        self.nodes.append(node)
        return names if outputs > 1 else names[0]

    def described(self, name: str) -> tuple[tuple[int, ...], int]:
        """Shape and element type of a value."""
        if name in self.others:
            return self.others[name]
        return self.shapes[name], TensorProto.FLOAT

    def infer(self, node: onnx.NodeProto) -> list[tuple[tuple[int, ...], int]]:
        constants = {w.name: w for w in self.weights}
        inputs = [
            self.info(n) for n in dict.fromkeys(node.input) if n and n not in constants
        ]
        outputs = [
            helper.make_tensor_value_info(n, TensorProto.UNDEFINED, None)
            for n in node.output
        ]
        used = [constants[n] for n in dict.fromkeys(node.input) if n in constants]
        graph = helper.make_graph([node], "one", inputs, outputs, used)
        inferred = onnx.shape_inference.infer_shapes(
            package(graph), strict_mode=True, data_prop=True
        )
        types = [o.type.tensor_type for o in inferred.graph.output]
        return [(tuple(d.dim_value for d in t.shape.dim), t.elem_type) for t in types]

    def grow(self) -> None:
        """Adds one step; later values are more likely to be extended."""
        values = [n for n in self.shapes if n[0] in "iv"]
        value = values[-1] if self.chance(0.7) else self.pick(values)
        count, weights = len(self.nodes), len(self.weights)
        try:
            self.pick(self.steps)(self, value, self.shapes[value])
        except (Unfit, onnx.shape_inference.InferenceError):
            for node in self.nodes[count:]:
                for name in node.output:
                    self.shapes.pop(name, None)
                    self.others.pop(name, None)
            for weight in self.weights[weights:]:
                self.shapes.pop(weight.name, None)
            del self.nodes[count:], self.weights[weights:]

    def model(self) -> onnx.ModelProto:
        """Every value that nobody reads is an output."""
        read = {n for node in self.nodes for n in node.input}
        made = [n for node in self.nodes for n in node.output]
        used = [n for n in self.feeds if n in read]
        self.feeds = {n: self.feeds[n] for n in used}
        graph = helper.make_graph(
            self.nodes,
            self.name,
            [self.info(n) for n in used],
            [self.info(n) for n in made if n not in read],
            [w for w in self.weights if w.name in read],
        )
        return package(graph)

    def info(self, name: str) -> onnx.ValueInfoProto:
        shape, kind = self.described(name)
        return helper.make_tensor_value_info(name, kind, shape)


def package(graph: onnx.GraphProto) -> onnx.ModelProto:
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    )
