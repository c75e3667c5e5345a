"""Damages bytes, the same way for the same seed.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import random


def mutate(content: bytes, seed: int) -> bytes:
    """One damage of a kind drawn by `seed`: bits flipped, the end cut off, a
    part zeroed, doubled, removed, or overwritten with 0xFF."""
    draw = random.Random(seed)
    data = bytearray(content)
    kind = draw.choice(["flip", "flip", "flip", "cut", "zero", "double", "drop", "ff"])
    start = draw.randrange(len(data))
    end = min(len(data), start + draw.choice([1, 2, 4, 8, 16, 64]))
    if kind == "flip":
        for _ in range(draw.choice([1, 1, 1, 2, 4, 8])):
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    elif kind == "cut":
        del data[start:]
    elif kind == "zero":
        data[start:end] = bytes(end - start)
    elif kind == "double":
        data[start:start] = data[start:end]
    elif kind == "drop":
        del data[start:end]
    else:
        data[start:end] = b"\xff" * (end - start)
    return bytes(data)


def flip(content: bytes, offset: int, bit: int = 0) -> bytes:
    data = bytearray(content)
    data[offset] ^= 1 << bit
    return bytes(data)
