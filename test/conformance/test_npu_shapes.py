"""Random shapes on the simulated NPU, most of them larger than its buffers: the
CPU's answer, and nothing for the strict simulator to report.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np
import onnx
import pytest
from harness.npu import TOLERANCE, Pair
from onnx import TensorProto, helper, numpy_helper

SEEDS = 12
HALF = TensorProto.FLOAT16


class Sketch:
    """A half-precision model that grows node by node."""

    def __init__(self, seed: int):
        self.draw = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []

    def pick(self, *choices):
        return choices[self.draw.integers(len(choices))]

    def size(self, least: int, greatest: int) -> int:
        """Small sizes and large ones are equally likely."""
        exponent = self.draw.uniform(np.log(least), np.log(greatest + 1))
        return min(int(np.exp(exponent)), greatest)

    def input(self, *shape: int) -> str:
        name = f"x{len(self.inputs)}"
        self.inputs.append(helper.make_tensor_value_info(name, HALF, shape))
        return name

    def weight(self, *shape: int, fan_in: int = 1) -> str:
        name = f"w{len(self.weights)}"
        values = self.draw.standard_normal(shape) * fan_in**-0.5
        self.weights.append(numpy_helper.from_array(values.astype(np.float16), name))
        return name

    def node(self, kind: str, *inputs: str, **attributes) -> str:
        output = f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def model(self, result: str) -> onnx.ModelProto:
        output = onnx.ValueInfoProto(name=result)
        graph = helper.make_graph(self.nodes, "g", self.inputs, [output], self.weights)
        model = helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
        )
        inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True)
        onnx.checker.check_model(inferred)
        return inferred

    def epilogue(self, value: str, shape: list[int], bias: list[int]) -> str:
        """What may follow a product; some of it the cube does, some it cannot."""
        for kind in EPILOGUES[self.draw.integers(len(EPILOGUES))]:
            if kind == "bias":
                value = self.node("Add", value, self.weight(*bias))
            elif kind == "residual":
                value = self.node("Add", value, self.input(*shape))
            elif kind == "scale":
                value = self.node("Mul", value, self.weight(*bias))
            elif kind == "gate":
                value = self.node("Mul", value, self.input(*shape))
            elif kind == "gelu":
                value = self.gelu(value)
            else:
                value = self.node(kind, value)
        return value

    def gelu(self, value: str) -> str:
        """As exporters write it."""

        def number(x: float) -> str:
            self.weights.append(
                numpy_helper.from_array(
                    np.array(x, np.float16), f"w{len(self.weights)}"
                )
            )
            return self.weights[-1].name

        error = self.node("Erf", self.node("Div", value, number(2**0.5)))
        factor = self.node("Add", error, number(1))
        return self.node("Mul", self.node("Mul", value, factor), number(0.5))


EPILOGUES = [
    [],
    ["bias"],
    ["bias", "Relu"],
    ["Relu"],
    ["bias", "residual", "Relu"],
    ["Relu", "bias"],
    ["scale", "bias"],
    ["bias", "gate"],
    ["bias", "gelu"],
    ["bias", "Sigmoid", "gate"],
    ["bias", "Tanh"],
]


def matrix_products(seed: int) -> onnx.ModelProto:
    """One or two layers; a right-hand side may be an input, batches may share
    it."""
    sketch = Sketch(seed)
    batch = [sketch.size(2, 4)] if sketch.pick(True, False, False) else []
    rows, depth = sketch.size(1, 200), sketch.size(1, 300)
    value = sketch.input(*batch, rows, depth)
    for _ in range(sketch.pick(1, 2)):
        columns = sketch.size(1, 200)
        if sketch.pick(True, True, False):
            right = sketch.weight(depth, columns, fan_in=depth)
        else:
            right = sketch.input(*batch, depth, columns)
        product = sketch.node("MatMul", value, right)
        value = sketch.epilogue(product, [*batch, rows, columns], [columns])
        depth = columns
    return sketch.model(value)


def convolutions(seed: int) -> onnx.ModelProto:
    sketch = Sketch(seed)
    batch, channels, filters = sketch.size(1, 2), sketch.size(1, 70), sketch.size(1, 70)
    kernel = [int(k) for k in sketch.draw.integers(1, 6, 2)]
    strides = [int(s) for s in sketch.draw.integers(1, 4, 2)]
    dilations = [1, 1] if sketch.pick(True, True, False) else [2, 1]
    extent = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    size = [e + sketch.size(1, 28) - 1 for e in extent]
    # Low sides, then high sides, each smaller than the filter.
    pads = [int(sketch.draw.integers(0, k)) for k in kernel * 2]
    x = sketch.input(batch, channels, *size)
    w = sketch.weight(
        filters, channels, *kernel, fan_in=channels * kernel[0] * kernel[1]
    )
    product = sketch.node("Conv", x, w, strides=strides, pads=pads, dilations=dilations)
    spans = [
        n + pads[i] + pads[i + 2] - e for i, (n, e) in enumerate(zip(size, extent))
    ]
    out = [span // stride + 1 for span, stride in zip(spans, strides)]
    value = sketch.epilogue(product, [batch, filters, *out], [filters, 1, 1])
    return sketch.model(value)


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("family", [matrix_products, convolutions])
def test_random_shapes(tools, tmp_path, family, seed):
    model = tmp_path / "m.onnx"
    onnx.save(family(seed), model)
    assert Pair(tools, model, tmp_path / "pair").difference() <= TOLERANCE
