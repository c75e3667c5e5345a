"""Transformers with random weights: ViT-B/16, BERT-base, a diffusion UNet block.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np
import onnx

from .convolutional import ConvolutionBuilder
from .graph import FLOAT, INT64


class TransformerBuilder(ConvolutionBuilder):
    """Adds attention and normalization. `layer_norm_op` writes the
    LayerNormalization operator; without it the nine nodes that exporters before
    opset 17 write."""

    def __init__(self, name: str, layer_norm_op: bool = False, **options):
        super().__init__(name, **options)
        self.layer_norm_op = layer_norm_op

    def layer_norm(self, x: str, width: int, epsilon: float = 1e-5) -> str:
        gamma = self.weight(self.random(width, std=0.05, mean=1), "gamma")
        beta = self.weight(self.random(width, std=0.05), "beta")
        if self.layer_norm_op:
            return self.op(
                "LayerNormalization", x, gamma, beta, axis=-1, epsilon=epsilon
            )
        centered = self.op("Sub", x, self.op("ReduceMean", x, axes=[-1], keepdims=1))
        square = self.op("Pow", centered, self.scalar(2))
        variance = self.op("ReduceMean", square, axes=[-1], keepdims=1)
        deviation = self.op("Sqrt", self.op("Add", variance, self.scalar(epsilon)))
        y = self.op("Div", centered, deviation)
        return self.op("Add", self.op("Mul", y, gamma), beta)

    def gelu(self, x: str) -> str:
        e = self.op("Erf", self.op("Div", x, self.scalar(2**0.5)))
        y = self.op("Mul", x, self.op("Add", e, self.scalar(1)))
        return self.op("Mul", y, self.scalar(0.5))

    def feed_forward(self, x: str, width: int) -> str:
        return self.linear(
            self.gelu(self.linear(x, width, 4 * width)), 4 * width, width
        )

    def attention(
        self,
        x: str,
        tokens: int,
        width: int,
        heads: int,
        context: tuple[str, int, int] | None = None,
        mask: str | None = None,
        bias: bool = True,
    ) -> str:
        """Multi-head attention of x[1, tokens, width]; keys and values come from
        `context` (value, tokens, width) or x itself."""
        source, source_tokens, source_width = context or (x, tokens, width)
        head = width // heads

        def project(value: str, rows: int, count: int, perm: list[int]) -> str:
            y = self.linear(value, rows, width, bias)
            y = self.op("Reshape", y, self.ints(1, count, heads, head))
            return self.op("Transpose", y, perm=perm)

        q = project(x, width, tokens, [0, 2, 1, 3])
        k = project(source, source_width, source_tokens, [0, 2, 3, 1])
        v = project(source, source_width, source_tokens, [0, 2, 1, 3])
        scores = self.op("Div", self.op("MatMul", q, k), self.scalar(head**0.5))
        if mask:
            scores = self.op("Add", scores, mask)
        y = self.op("MatMul", self.op("Softmax", scores, axis=-1), v)
        y = self.op("Transpose", y, perm=[0, 2, 1, 3])
        y = self.op("Reshape", y, self.ints(1, tokens, width))
        return self.linear(y, width, width)

    def group_norm(self, x: str, size: int, groups: int, epsilon: float = 1e-5) -> str:
        """Group normalization as exporters write it: InstanceNormalization over
        the groups, then scale and shift."""
        channels = self.channels[x]
        y = self.op("Reshape", x, self.ints(0, groups, -1))
        ones = self.weight(np.ones(groups, np.float32))
        zeros = self.weight(np.zeros(groups, np.float32))
        y = self.op("InstanceNormalization", y, ones, zeros, epsilon=epsilon)
        y = self.op("Reshape", y, self.ints(1, channels, size, size))
        gamma = self.weight(self.random(channels, 1, 1, std=0.05, mean=1), "gamma")
        beta = self.weight(self.random(channels, 1, 1, std=0.05), "beta")
        y = self.op("Add", self.op("Mul", y, gamma), beta)
        self.channels[y] = channels
        return y


def vit_b16(layer_norm_op: bool = False) -> onnx.ModelProto:
    """Dosovitskiy et al. 2020, base size, 16x16 patches of a 224x224 image."""
    width, heads, layers, patches = 768, 12, 12, 196
    g = TransformerBuilder("vit_b16", layer_norm_op)
    x = g.conv(g.input("pixels", [1, 3, 224, 224]), width, 16, 16, norm=False)
    x = g.op("Reshape", x, g.ints(1, width, patches))
    x = g.op("Transpose", x, perm=[0, 2, 1])
    token = g.weight(g.random(1, 1, width, std=0.02), "class_token")
    x = g.op("Concat", token, x, axis=1)
    tokens = patches + 1
    positions = g.weight(g.random(1, tokens, width, std=0.02), "positions")
    x = g.op("Add", x, positions)
    for _ in range(layers):
        y = g.attention(g.layer_norm(x, width, 1e-6), tokens, width, heads)
        x = g.op("Add", x, y)
        x = g.op("Add", x, g.feed_forward(g.layer_norm(x, width, 1e-6), width))
    x = g.op("Gather", g.layer_norm(x, width, 1e-6), g.scalar(0, np.int64), axis=1)
    g.output(g.gemm(x, width, 1000), "logits", [1, 1000])
    return g.model()


def bert_base(tokens: int = 128, layer_norm_op: bool = False) -> onnx.ModelProto:
    """Devlin et al. 2018, base size, a fixed number of tokens."""
    width, heads, layers, vocabulary = 768, 12, 12, 30522
    g = TransformerBuilder(f"bert_base_s{tokens}", layer_norm_op)
    names = "input_ids", "attention_mask", "token_type_ids"
    ids, mask, kinds = (g.input(name, [1, tokens], INT64) for name in names)
    m = g.op("Unsqueeze", g.op("Unsqueeze", mask, g.ints(1)), g.ints(2))
    m = g.op("Sub", g.scalar(1), g.op("Cast", m, to=FLOAT))
    m = g.op("Mul", m, g.scalar(np.finfo(np.float32).min))

    def table(rows: int) -> str:
        return g.weight(g.random(rows, width, std=0.02), "table")

    x = g.op("Gather", table(vocabulary), ids)
    x = g.op("Add", x, g.op("Gather", table(2), kinds))
    positions = g.weight(np.arange(tokens, dtype=np.int64)[None], "positions")
    x = g.op("Add", x, g.op("Gather", table(512), positions))
    x = g.layer_norm(x, width, 1e-12)
    for _ in range(layers):
        y = g.attention(x, tokens, width, heads, mask=m)
        x = g.layer_norm(g.op("Add", y, x), width, 1e-12)
        x = g.layer_norm(g.op("Add", g.feed_forward(x, width), x), width, 1e-12)
    g.output(x, "last_hidden_state", [1, tokens, width])
    first = g.op("Gather", x, g.scalar(0, np.int64), axis=1)
    pooled = g.op("Tanh", g.gemm(first, width, width))
    g.output(pooled, "pooler_output", [1, width])
    return g.model()


def unet_block(layer_norm_op: bool = False) -> onnx.ModelProto:
    """One up block of a latent diffusion UNet (Rombach et al. 2022): upsample,
    skip connection, residual block, transformer with cross attention."""
    channels, size, groups, heads = 320, 32, 32, 8
    context_tokens, context_width, time_width = 77, 768, 1280
    g = TransformerBuilder("unet_block", layer_norm_op)
    x = g.input("hidden", [1, channels, size // 2, size // 2])
    skip = g.input("skip", [1, channels, size, size])
    time = g.input("time_embedding", [1, time_width])
    context = g.input("context", [1, context_tokens, context_width])

    x = g.conv(g.upsample2(x), channels, 3, norm=False, gain=0.7)
    x = g.concat(x, skip)
    y = g.activate(g.group_norm(x, size, groups), "silu")
    y = g.conv(y, channels, 3, norm=False)
    t = g.gemm(g.activate(time, "silu"), time_width, channels)
    t = g.op("Unsqueeze", g.op("Unsqueeze", t, g.ints(2)), g.ints(3))
    y = g.op("Add", y, t)
    y = g.activate(g.group_norm(y, size, groups), "silu")
    y = g.conv(y, channels, 3, norm=False)
    x = g.op("Add", g.conv(x, channels, norm=False, gain=0.7), y)

    residual, tokens = x, size * size
    y = g.conv(g.group_norm(x, size, groups, 1e-6), channels, norm=False)
    y = g.op("Transpose", y, perm=[0, 2, 3, 1])
    y = g.op("Reshape", y, g.ints(1, tokens, channels))
    for source in None, (context, context_tokens, context_width):
        normalized = g.layer_norm(y, channels)
        attended = g.attention(
            normalized, tokens, channels, heads, context=source, bias=False
        )
        y = g.op("Add", attended, y)
    y = g.op("Add", gated_feed_forward(g, g.layer_norm(y, channels), channels), y)
    y = g.op("Reshape", y, g.ints(1, size, size, channels))
    y = g.op("Transpose", y, perm=[0, 3, 1, 2])
    g.channels[y] = channels
    y = g.conv(y, channels, norm=False)
    g.output(g.op("Add", y, residual), "out", [1, channels, size, size])
    return g.model()


def gated_feed_forward(g: TransformerBuilder, x: str, width: int) -> str:
    """Shazeer 2020: one half of the hidden features gates the other by gelu."""
    inner = 4 * width
    both = g.linear(x, width, 2 * inner)
    hidden, gate = g.op("Split", both, g.ints(inner, inner), outputs=2, axis=-1)
    return g.linear(g.op("Mul", hidden, g.gelu(gate)), inner, width)
