"""Picks a part of a suite by the hash of names: stable, and spread evenly.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Callable
from typing import TypeVar

Item = TypeVar("Item")


def fraction(text: str) -> tuple[int, int]:
    """ "I/N": part I (from 1) of N."""
    part, _, parts = text.partition("/")
    index, count = int(part), int(parts)
    if not 1 <= index <= count:
        raise ValueError(text)
    return index, count


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sample",
        type=fraction,
        default=(1, 1),
        metavar="I/N",
        help="only part I of N, chosen by the hash of the name",
    )


def choose(
    items: list[Item], sample: tuple[int, int], name: Callable[[Item], str]
) -> list[Item]:
    index, count = sample
    return [i for i in items if zlib.crc32(name(i).encode()) % count == index - 1]
