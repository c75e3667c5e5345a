"""Image classifiers with random weights: ResNet-50, MobileNetV2, EfficientNet-B0.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np
import onnx

from .graph import GraphBuilder


class ConvolutionBuilder(GraphBuilder):
    """Adds convolution blocks. With `keep_batch_norm` a block has its
    BatchNormalization node; without, the node is folded into the weights. Both
    forms compute the same function, from the same random numbers."""

    def __init__(self, name: str, keep_batch_norm: bool = False, **options):
        super().__init__(name, **options)
        self.keep_batch_norm = keep_batch_norm

    def conv(
        self,
        x: str,
        out_channels: int,
        kernel: int = 1,
        stride: int = 1,
        groups: int = 1,
        activation: str | None = None,
        norm: bool = True,
        gain: float = 1.0,
    ) -> str:
        in_channels = self.channels[x] // groups
        fan_in = in_channels * kernel * kernel
        weight = self.random(
            out_channels, in_channels, kernel, kernel, std=gain * (2 / fan_in) ** 0.5
        )
        attributes = {
            "kernel_shape": [kernel, kernel],
            "strides": [stride] * 2,
            "pads": [kernel // 2 if stride < kernel else 0] * 4,
            "dilations": [1, 1],
            "group": groups,
        }
        if norm:
            y = self.normalized_conv(x, weight, attributes)
        else:
            bias = self.random(out_channels, std=0.05)
            y = self.op(
                "Conv", x, self.weight(weight), self.weight(bias, "bias"), **attributes
            )
        self.channels[y] = out_channels
        result = self.activate(y, activation)
        self.channels[result] = out_channels
        return result

    def normalized_conv(self, x: str, weight: np.ndarray, attributes: dict) -> str:
        count, epsilon = weight.shape[0], 1e-5
        gamma = self.random(count, std=0.1, mean=1)
        beta = self.random(count, std=0.1)
        mean = self.random(count, std=0.1)
        variance = np.abs(self.random(count, std=0.1)) + np.float32(1)
        if self.keep_batch_norm:
            y = self.op("Conv", x, self.weight(weight), **attributes)
            statistics = (self.weight(v, "bn") for v in (gamma, beta, mean, variance))
            return self.op("BatchNormalization", y, *statistics, epsilon=epsilon)
        scale = gamma / np.sqrt(variance + np.float32(epsilon))
        folded = self.weight(weight * scale[:, None, None, None])
        bias = self.weight(beta - mean * scale, "bias")
        return self.op("Conv", x, folded, bias, **attributes)

    def classifier(self, x: str, classes: int = 1000) -> None:
        features = self.channels[x]
        pooled = self.op("Flatten", self.op("GlobalAveragePool", x), axis=1)
        self.output(self.gemm(pooled, features, classes), "logits", [1, classes])


def resnet50(keep_batch_norm: bool = False) -> onnx.ModelProto:
    """He et al. 2015, with the stride in the 3x3 convolution (v1.5)."""
    g = ConvolutionBuilder("resnet50", keep_batch_norm)
    x = g.conv(g.input("input", [1, 3, 224, 224]), 64, 7, 2, activation="relu")
    x = g.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    stages = (64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)
    for width, blocks, first_stride in stages:
        for block in range(blocks):
            stride = first_stride if block == 0 else 1
            y = g.conv(x, width, activation="relu")
            y = g.conv(y, width, 3, stride, activation="relu")
            y = g.conv(y, 4 * width, gain=0.3)
            if block == 0:
                x = g.conv(x, 4 * width, 1, stride, gain=0.7)
            x = g.op("Relu", g.op("Add", y, x))
            g.channels[x] = 4 * width
    g.classifier(x)
    return g.model()


def mobilenetv2(keep_batch_norm: bool = False) -> onnx.ModelProto:
    """Sandler et al. 2018: inverted residuals with linear bottlenecks."""
    g = ConvolutionBuilder("mobilenetv2", keep_batch_norm)
    x = g.conv(g.input("input", [1, 3, 224, 224]), 32, 3, 2, activation="relu6")
    # Expansion factor, channels, repeats, stride of the first.
    stages = (
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    )
    for expansion, channels, repeats, first_stride in stages:
        for repeat in range(repeats):
            stride, width = (first_stride if repeat == 0 else 1), g.channels[x]
            inner = width * expansion
            y = g.conv(x, inner, activation="relu6") if expansion > 1 else x
            y = g.conv(y, inner, 3, stride, groups=inner, activation="relu6")
            y = g.conv(y, channels, gain=0.7)
            x = g.op("Add", x, y) if stride == 1 and width == channels else y
    g.classifier(g.conv(x, 1280, activation="relu6"))
    return g.model()


def efficientnet_b0(keep_batch_norm: bool = False) -> onnx.ModelProto:
    """Tan and Le 2019: inverted residuals with squeeze and excitation."""
    g = ConvolutionBuilder("efficientnet_b0", keep_batch_norm)
    x = g.conv(g.input("input", [1, 3, 224, 224]), 32, 3, 2, activation="silu")
    # Expansion factor, channels, repeats, stride of the first, kernel.
    stages = (
        (1, 16, 1, 1, 3),
        (6, 24, 2, 2, 3),
        (6, 40, 2, 2, 5),
        (6, 80, 3, 2, 3),
        (6, 112, 3, 1, 5),
        (6, 192, 4, 2, 5),
        (6, 320, 1, 1, 3),
    )
    for expansion, channels, repeats, first_stride, kernel in stages:
        for repeat in range(repeats):
            stride, width = (first_stride if repeat == 0 else 1), g.channels[x]
            inner = width * expansion
            y = g.conv(x, inner, activation="silu") if expansion > 1 else x
            y = g.conv(y, inner, kernel, stride, groups=inner, activation="silu")
            squeezed = g.op("GlobalAveragePool", y)
            squeezed = g.conv(squeezed, width // 4, activation="silu", norm=False)
            y = g.op(
                "Mul", y, g.conv(squeezed, inner, activation="sigmoid", norm=False)
            )
            y = g.conv(y, channels)
            x = g.op("Add", y, x) if stride == 1 and width == channels else y
    g.classifier(g.conv(x, 1280, activation="silu"))
    return g.model()
