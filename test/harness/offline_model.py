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


# Where the digests stand: the header's, and those of graph, plan, code and
# weights inside the plan (docs/plan-format.md).
HEADER_DIGEST, PLAN_DIGESTS = 120, 16
DIGEST_BYTES = 32


def seal(content: bytes) -> bytes:
    """`content` with the digests that fit its header, table, plan and code, as a
    writer leaves it."""
    parts = regions(content)
    sealed = bytearray(content)
    digests = parts["plan"].start + PLAN_DIGESTS

    def put(at: int, *names: str) -> None:
        """The digest of parts, computed with its own place zero."""
        sealed[at : at + DIGEST_BYTES] = bytes(DIGEST_BYTES)
        pieces = [part(name) for name in names]
        if at == HEADER_DIGEST:
            pieces.append(bytes(sealed[digests : digests + 4 * DIGEST_BYTES]))
        digest = hashlib.sha256(b"".join(pieces)).digest()
        sealed[at : at + DIGEST_BYTES] = digest

    def part(name: str) -> bytes:
        region = parts[name]
        return bytes(sealed[region.start : region.start + region.size])

    put(digests + 2 * DIGEST_BYTES, "code")
    put(digests + 1 * DIGEST_BYTES, "plan")
    put(HEADER_DIGEST, "header", "table")
    return bytes(sealed)
