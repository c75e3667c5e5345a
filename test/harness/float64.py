"""Evaluates a model in double precision.

onnx.reference runs the graph; the operators where it is slow, or where it does
not follow the specification, are replaced here by small double-precision ones.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np
import onnx
from numpy.lib.stride_tricks import sliding_window_view
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

NARROW = {TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16}


class NotEvaluated(Exception):
    """The model has something that this evaluation does not know."""


class Conv(OpRun):
    """N-dimensional convolution as one matrix product per group."""

    def _run(
        self,
        x,
        w,
        bias=None,
        auto_pad=None,
        dilations=None,
        group=None,
        kernel_shape=None,
        pads=None,
        strides=None,
    ):
        kernel = w.shape[2:]
        rank, group = len(kernel), group or 1
        strides, dilations = strides or [1] * rank, dilations or [1] * rank
        extent = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
        pads = explicit_pads(auto_pad, pads, x.shape[2:], extent, strides)
        padded = np.pad(x, [(0, 0), (0, 0), *pads])
        windows = sliding_window_view(padded, extent, axis=tuple(range(2, 2 + rank)))
        steps = [slice(None, None, s) for s in strides]
        taps = [slice(None, None, d) for d in dilations]
        windows = windows[(slice(None), slice(None), *steps, *taps)]
        batch, channels = x.shape[:2]
        space = windows.shape[2 : 2 + rank]
        # [batch, group, channels / group, space..., kernel...]
        windows = windows.reshape(batch, group, channels // group, *space, *kernel)
        order = [0, 1, *range(3, 3 + rank), 2, *range(3 + rank, 3 + 2 * rank)]
        matrix = windows.transpose(order).reshape(batch, group, np.prod(space), -1)
        weights = w.reshape(group, w.shape[0] // group, -1).transpose(0, 2, 1)
        y = (matrix @ weights).transpose(0, 1, 3, 2)
        y = y.reshape(batch, w.shape[0], *space)
        if bias is not None:
            y = y + bias.reshape(-1, *[1] * rank)
        return (y,)


def explicit_pads(auto_pad, pads, size, extent, strides):
    """(before, after) of every spatial dimension."""
    rank = len(size)
    if auto_pad in (None, "NOTSET"):
        pads = pads or [0] * 2 * rank
        return list(zip(pads[:rank], pads[rank:]))
    if auto_pad == "VALID":
        return [(0, 0)] * rank
    result = []
    for n, k, s in zip(size, extent, strides):
        total = max(0, (-(-n // s) - 1) * s + k - n)
        small, large = total // 2, total - total // 2
        result.append((small, large) if auto_pad == "SAME_UPPER" else (large, small))
    return result


class BatchNormalization(OpRun):
    """Inference only: the given statistics, whatever `momentum` says."""

    def _run(self, x, scale, bias, mean, variance, epsilon=None, **attributes):
        if attributes.get("training_mode"):
            raise NotEvaluated("BatchNormalization in training mode")
        shape = [-1, *[1] * (x.ndim - 2)]
        factor = scale / np.sqrt(variance + (1e-5 if epsilon is None else epsilon))
        return (
            (x - mean.reshape(shape)) * factor.reshape(shape) + bias.reshape(shape),
        )


class Softmax(OpRun):
    """Before opset 13 all dimensions from `axis` on, by default 1, are one."""

    def _run(self, x, axis=None):
        given = [a.i for a in self.onnx_node.attribute if a.name == "axis"]
        old = self.run_params["opsets"][""] < 13
        axis = given[0] if given else (1 if old else -1)
        axes = tuple(range(axis % x.ndim, x.ndim)) if old else axis
        return (self.finish(x - x.max(axes, keepdims=True), axes),)

    def finish(self, x, axes):
        y = np.exp(x)
        return y / y.sum(axes, keepdims=True)


class LogSoftmax(Softmax):
    def finish(self, x, axes):
        return x - np.log(np.exp(x).sum(axes, keepdims=True))


class GlobalMaxPool(OpRun):
    def _run(self, x):
        return (x.max(tuple(range(2, x.ndim)), keepdims=True),)


OPERATORS = [Conv, BatchNormalization, Softmax, LogSoftmax, GlobalMaxPool]


def widen_tensor(tensor: TensorProto) -> None:
    if tensor.data_type in NARROW:
        array = numpy_helper.to_array(tensor).astype(np.float64)
        tensor.CopyFrom(numpy_helper.from_array(array, tensor.name))


def widen_graph(graph: onnx.GraphProto) -> None:
    for tensor in graph.initializer:
        widen_tensor(tensor)
    for value in [*graph.input, *graph.output]:
        if value.type.tensor_type.elem_type in NARROW:
            value.type.tensor_type.elem_type = TensorProto.DOUBLE
    del graph.value_info[:]
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.TENSOR:
                widen_tensor(attribute.t)
            elif attribute.type == onnx.AttributeProto.GRAPH:
                widen_graph(attribute.g)
            elif node.op_type == "Cast" and attribute.i in NARROW:
                attribute.i = TensorProto.DOUBLE
            elif node.op_type == "Constant" and attribute.name.startswith("value_fl"):
                values = attribute.floats or attribute.f
                tensor = numpy_helper.from_array(np.array(values, np.float64))
                attribute.CopyFrom(helper.make_attribute("value", tensor))


def evaluate(model: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> list[np.ndarray]:
    widen_graph(model.graph)
    wide = {
        k: v.astype(np.float64) if v.dtype.kind == "f" else v for k, v in feeds.items()
    }
    for operator in OPERATORS:
        operator.op_domain = ""
    try:
        evaluator = ReferenceEvaluator(model, new_ops=OPERATORS)
        return evaluator.run(None, wide)
    except Exception as error:  # The evaluator raises whatever NumPy raises.
        raise NotEvaluated(str(error)) from error
