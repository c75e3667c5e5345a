"""Writes ONNX graphs the way the usual exporters lay them out.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import zlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT
INT64 = TensorProto.INT64


class GraphBuilder:
    """A graph being written. A value is represented by its name.

    The weights come from a generator seeded by the graph's name, so one name
    always gives one model. Their scales keep activations near unit variance
    through any depth: He scaling before a rectifier, LeCun scaling elsewhere,
    and a smaller gain on residual branches.
    """

    def __init__(self, name: str, opset: int = 17, ir_version: int = 8):
        self.name = name
        self.opset = opset
        self.ir_version = ir_version
        self.random_generator = np.random.default_rng(zlib.crc32(name.encode()))
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self.outputs: list[onnx.ValueInfoProto] = []
        # Dimension 1 of image-like values, which a convolution needs to know.
        self.channels: dict[str, int | None] = {}

    # --- Values -----------------------------------------------------------

    def input(self, name: str, shape: list, dtype: int = FLOAT) -> str:
        self.inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        self.channels[name] = shape[1] if len(shape) > 1 else None
        return name

    def output(self, value: str, name: str, shape: list, dtype: int = FLOAT) -> None:
        """Names `value` as a graph output, through an Identity node."""
        self.nodes.append(
            helper.make_node("Identity", [value], [name], name=f"out/{name}")
        )
        self.outputs.append(helper.make_tensor_value_info(name, dtype, shape))

    def weight(self, array: np.ndarray, hint: str = "weight") -> str:
        name = f"{hint}.{len(self.weights)}"
        contiguous = np.array(array, order="C")
        self.weights.append(numpy_helper.from_array(contiguous, name))
        return name

    def ints(self, *values: int) -> str:
        return self.weight(np.array(values, np.int64), "shape")

    def scalar(self, value, dtype=np.float32) -> str:
        return self.weight(np.array(value, dtype), "constant")

    def random(self, *shape: int, std: float = 1.0, mean: float = 0.0) -> np.ndarray:
        noise = self.random_generator.standard_normal(shape, np.float32)
        return (mean + std * noise).astype(np.float32)

    # --- Nodes ------------------------------------------------------------

    def op(self, kind: str, *inputs: str, outputs: int = 1, **attributes):
        """Adds a node; returns its output's name, or a list of several."""
        index = len(self.nodes)
        names = [
            f"{kind.lower()}_{index}" + (f"_{i}" if outputs > 1 else "")
            for i in range(outputs)
        ]
        self.nodes.append(
            helper.make_node(
                kind, list(inputs), names, name=f"{kind}_{index}", **attributes
            )
        )
        for name in names:
            self.channels[name] = self.channels.get(inputs[0]) if inputs else None
        return names if outputs > 1 else names[0]

    def concat(self, *values: str, axis: int = 1) -> str:
        result = self.op("Concat", *values, axis=axis)
        if axis == 1:
            self.channels[result] = sum(self.channels.get(v) or 0 for v in values)
        return result

    def activate(self, x: str, kind: str | None) -> str:
        if kind is None:
            return x
        if kind == "silu":
            return self.op("Mul", x, self.op("Sigmoid", x))
        if kind == "relu6":
            return self.op("Clip", x, self.scalar(0), self.scalar(6))
        return self.op({"relu": "Relu", "sigmoid": "Sigmoid"}[kind], x)

    def upsample2(self, x: str) -> str:
        scales = self.weight(np.array([1, 1, 2, 2], np.float32), "scales")
        return self.op(
            "Resize",
            x,
            "",
            scales,
            mode="nearest",
            nearest_mode="floor",
            coordinate_transformation_mode="asymmetric",
        )

    def gemm(self, x: str, rows: int, columns: int) -> str:
        weight = self.weight(self.random(columns, rows, std=rows**-0.5))
        bias = self.weight(self.random(columns, std=0.02), "bias")
        return self.op("Gemm", x, weight, bias, transB=1)

    def linear(self, x: str, rows: int, columns: int, bias: bool = True) -> str:
        weight = self.weight(self.random(rows, columns, std=0.7 * rows**-0.5))
        y = self.op("MatMul", x, weight)
        if not bias:
            return y
        return self.op("Add", self.weight(self.random(columns, std=0.02), "bias"), y)

    # --- The whole --------------------------------------------------------

    def model(self) -> onnx.ModelProto:
        graph = helper.make_graph(
            self.nodes, self.name, self.inputs, self.outputs, self.weights
        )
        return helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", self.opset)],
            ir_version=self.ir_version,
            producer_name="openatc-generate",
        )
