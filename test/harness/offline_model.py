"""Reads the container of an offline model, to damage it in known places.

The layout is that of docs/plan-format.md: a header of 256 bytes, a partition
table, the partitions.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass

HEADER_BYTES = 256
# The digest of header, table and the plan's digests; where those stand.
DIGEST = slice(120, 152)
PLAN_DIGESTS, PLAN_DIGESTS_BYTES = 16, 128
# Partitions by their type in the table.
GRAPH, WEIGHTS, PLAN, CODE = range(4)
NAMES = {GRAPH: "graph", WEIGHTS: "weights", PLAN: "plan", CODE: "code"}


@dataclass(frozen=True)
class Region:
    start: int
    size: int


def regions(content: bytes) -> dict[str, Region]:
    """The parts of the file: header, table, graph, weights, plan, code."""
    assert content[:4] == b"IMOD", "not an offline model"
    (count,) = struct.unpack_from("<I", content, HEADER_BYTES)
    table = Region(HEADER_BYTES, 8 + 24 * count)
    found = {"header": Region(0, HEADER_BYTES), "table": table}
    base = table.start + table.size
    for i in range(count):
        entry = table.start + 8 + 24 * i
        kind, _, offset, size = struct.unpack_from("<IIQQ", content, entry)
        if kind in NAMES and size:
            found[NAMES[kind]] = Region(base + offset, size)
    return found


def seal(content: bytes) -> bytes:
    """`content` with the digest that fits its header, as a writer leaves it."""
    sealed = bytearray(content)
    sealed[DIGEST] = bytes(DIGEST.stop - DIGEST.start)
    parts = regions(content)
    table_end = parts["table"].start + parts["table"].size
    digests = parts["plan"].start + PLAN_DIGESTS
    covered = sealed[:table_end] + sealed[digests : digests + PLAN_DIGESTS_BYTES]
    sealed[DIGEST] = hashlib.sha256(covered).digest()
    return bytes(sealed)
