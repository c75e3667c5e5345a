"""A one-stage object detector at 640x640 with random weights.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import numpy as np
import onnx

from .convolutional import ConvolutionBuilder

IMAGE_SIZE = 640
CLASSES = 80
# A box side is a distribution over this many distances (Li et al. 2020).
BINS = 16


class DetectorBuilder(ConvolutionBuilder):
    """Blocks of the YOLO family: cross-stage-partial stages and heads."""

    def partial_stage(self, x: str, channels: int, depth: int, shortcut: bool) -> str:
        """Wang et al. 2019: half of the channels pass by a stack of bottlenecks,
        and every intermediate result joins the final concatenation."""
        half = channels // 2
        both = self.conv(x, channels, activation="silu")
        parts = self.op("Split", both, self.ints(half, half), outputs=2, axis=1)
        self.channels.update(dict.fromkeys(parts, half))
        for _ in range(depth):
            y = self.conv(parts[-1], half, 3, activation="silu")
            y = self.conv(y, half, 3, activation="silu")
            parts.append(self.op("Add", parts[-1], y) if shortcut else y)
        return self.conv(self.concat(*parts), channels, activation="silu")

    def pyramid_pool(self, x: str, channels: int) -> str:
        pools = [self.conv(x, channels // 2, activation="silu")]
        for _ in range(3):
            pools.append(
                self.op(
                    "MaxPool",
                    pools[-1],
                    kernel_shape=[5, 5],
                    strides=[1, 1],
                    pads=[2] * 4,
                )
            )
        return self.conv(self.concat(*pools), channels, activation="silu")

    def head(self, x: str, cells: int) -> str:
        """Box distributions and class scores of one level: [1, 4*BINS+C, cells]."""

        def branch(width: int, out_channels: int) -> str:
            y = self.conv(x, width, 3, activation="silu")
            y = self.conv(y, width, 3, activation="silu")
            return self.conv(y, out_channels, norm=False)

        both = self.concat(branch(64, 4 * BINS), branch(80, CLASSES))
        return self.op("Reshape", both, self.ints(1, 4 * BINS + CLASSES, cells))


def anchor_points(strides: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Cell centres [1, 2, N] and the stride of each cell [1, N]."""
    points, steps = [], []
    for stride in strides:
        side = IMAGE_SIZE // stride
        y, x = np.meshgrid(np.arange(side), np.arange(side), indexing="ij")
        points.append(np.stack([x.ravel() + 0.5, y.ravel() + 0.5]))
        steps.append(np.full((1, side * side), stride))
    return (
        np.concatenate(points, 1)[None].astype(np.float32),
        np.concatenate(steps, 1).astype(np.float32),
    )


def decode_boxes(g: DetectorBuilder, distances: str, strides: tuple[int, ...]) -> str:
    """Expected distances to the four sides, then centre and size in pixels."""
    points, steps = anchor_points(strides)
    cells = points.shape[-1]
    d = g.op("Reshape", distances, g.ints(1, 4, BINS, cells))
    d = g.op("Softmax", g.op("Transpose", d, perm=[0, 2, 1, 3]), axis=1)
    expectation = np.arange(BINS, dtype=np.float32).reshape(1, BINS, 1, 1)
    d = g.op("Conv", d, g.weight(expectation))
    d = g.op("Reshape", d, g.ints(1, 4, cells))
    left_top, right_bottom = g.op("Split", d, g.ints(2, 2), outputs=2, axis=1)
    anchors = g.weight(points, "anchors")
    low, high = g.op("Sub", anchors, left_top), g.op("Add", anchors, right_bottom)
    center = g.op("Div", g.op("Add", low, high), g.scalar(2))
    box = g.op("Concat", center, g.op("Sub", high, low), axis=1)
    return g.op("Mul", box, g.weight(steps, "strides"))


def yolo_640(keep_batch_norm: bool = False) -> onnx.ModelProto:
    """Backbone, two-way pyramid and decoupled heads; 8.7 GFLOP."""
    g = DetectorBuilder("yolo_640", keep_batch_norm)
    x = g.input("images", [1, 3, IMAGE_SIZE, IMAGE_SIZE])
    x = g.conv(x, 16, 3, 2, activation="silu")
    levels = []
    for channels, depth in (32, 1), (64, 2), (128, 2), (256, 1):
        x = g.conv(x, channels, 3, 2, activation="silu")
        x = g.partial_stage(x, channels, depth, True)
        levels.append(x)
    p5 = g.pyramid_pool(x, 256)
    p4 = g.partial_stage(g.concat(g.upsample2(p5), levels[2]), 128, 1, False)
    p3 = g.partial_stage(g.concat(g.upsample2(p4), levels[1]), 64, 1, False)
    down = g.concat(g.conv(p3, 64, 3, 2, activation="silu"), p4)
    p4 = g.partial_stage(down, 128, 1, False)
    down = g.concat(g.conv(p4, 128, 3, 2, activation="silu"), p5)
    p5 = g.partial_stage(down, 256, 1, False)

    strides = (8, 16, 32)
    heads = [
        g.head(level, (IMAGE_SIZE // stride) ** 2)
        for level, stride in zip((p3, p4, p5), strides, strict=False)
    ]
    distances, scores = g.op(
        "Split",
        g.concat(*heads, axis=2),
        g.ints(4 * BINS, CLASSES),
        outputs=2,
        axis=1,
    )
    boxes = decode_boxes(g, distances, strides)
    result = g.op("Concat", boxes, g.op("Sigmoid", scores), axis=1)
    g.output(result, "output", [1, 4 + CLASSES, 8400])
    return g.model()
