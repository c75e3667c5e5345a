"""Offline models that are damaged, too new, or for another device.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest
from harness import process
from harness.mutation import flip
from harness.offline_model import regions, seal
from harness.refusal import assert_orderly, assert_refused

FLIPS = 8
CHECKED_AT_LOAD = ["header", "table", "graph", "plan", "code"]


@pytest.fixture(scope="module")
def sound(tools, small_model, tmp_path_factory) -> bytes:
    om = tmp_path_factory.mktemp("om") / "m.om"
    tools.compile(small_model, om)
    return om.read_bytes()


def refused(bench, content: bytes, *options: str) -> str:
    """The runner and mode 6 both refuse; the runner's message."""
    bench.om.write_bytes(content)
    results = bench.folder / "results"
    completed = bench.run(bench.om, "--output", results, *options)
    message = assert_refused(completed)
    assert not results.exists() or not list(results.iterdir())
    shown = process.run([bench.tools.tool("atc"), "--mode=6", f"--om={bench.om}"])
    assert_orderly(shown)
    return message


def test_sound_model_runs(bench, sound):
    bench.om.write_bytes(sound)
    completed = bench.run(bench.om, "--verify")
    assert completed.code == 0, completed.text


def test_parts_are_where_the_format_says(sound):
    assert set(regions(sound)) == {*CHECKED_AT_LOAD, "weights"}


@pytest.mark.parametrize("part", CHECKED_AT_LOAD)
def test_flip_is_detected_at_load(bench, sound, part):
    region = regions(sound)[part]
    draw = random.Random(part)
    for _ in range(FLIPS):
        offset = region.start + draw.randrange(region.size)
        refused(bench, flip(sound, offset, draw.randrange(8)))


def test_flip_in_weights_is_detected_by_verify(bench, sound):
    region = regions(sound)["weights"]
    draw = random.Random("weights")
    for _ in range(FLIPS):
        offset = region.start + draw.randrange(region.size)
        damaged = flip(sound, offset, draw.randrange(8))
        refused(bench, damaged, "--verify")
        assert_orderly(bench.run(bench.om))


def cut_sizes(content: bytes) -> list[int]:
    sizes = {0, 1, 3, 4, 100, 255, 256, 260, len(content) - 1}
    for region in regions(content).values():
        sizes |= {region.start, region.start + 1, region.start + region.size - 1}
    return sorted(n for n in sizes if n < len(content))


def test_truncated(bench, sound):
    for size in cut_sizes(sound):
        refused(bench, sound[:size])


def test_longer_than_it_says(bench, sound):
    refused(bench, sound + bytes(4096))


def test_another_file(bench):
    refused(bench, b"PK\3\4" + bytes(1000))


def test_missing_file(bench):
    completed = bench.run(bench.folder / "nowhere.om")
    assert_refused(completed, code="E13000")


def test_folder(bench):
    assert_refused(bench.run(bench.folder))


def test_newer_version_is_refused_by_name(bench, sound):
    """A sound file whose header has a later version; the same change without
    its digest is damage."""
    (version,) = struct.unpack_from("<I", sound, 8)
    newer = bytearray(sound)
    struct.pack_into("<I", newer, 8, version + 0x10000000)
    bench.om.write_bytes(newer)
    assert_refused(bench.run(bench.om), code="E30002")
    bench.om.write_bytes(seal(newer))
    assert_refused(bench.run(bench.om), code="E30003")


def test_sizes_that_overflow(bench, sound):
    """Every 8-byte word of the table set to the largest numbers."""
    table = regions(sound)["table"]
    for offset in range(table.start, table.start + table.size - 7, 8):
        for value in (1 << 63) - 1, (1 << 64) - 1, 1 << 32:
            damaged = bytearray(sound)
            struct.pack_into("<Q", damaged, offset, value)
            if bytes(damaged) != sound:
                refused(bench, bytes(damaged))


@pytest.mark.parametrize("device", ["CPU-aarch64", "TinyNpu"])
def test_another_device(bench, device, tmp_path):
    from models import generate

    model: Path = tmp_path / "mlp.onnx"
    generate.generate("mlp_fp16", model)
    completed = bench.compile(model, soc_version=device)
    if "E20002" in completed.text:
        pytest.skip(f"this build has no target {device}")
    assert completed.code == 0, completed.text
    assert_refused(bench.run(bench.om), code="E30004")
