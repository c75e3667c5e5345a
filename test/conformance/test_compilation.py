"""What a successful compilation promises: the same bytes every time, bounded
memory, ATC's way of talking.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest
from harness import process

from models import generate
from models.generators import stress

FIRST_LINE = "ATC start working now, please wait for a moment."
LAST_LINE = "ATC run success, welcome to the next use."
FAILURE_LINE = "ATC run failed, Please check the detail log"

IMPORT_LIMIT_MB = 150


def test_first_and_last_line(bench, small_model):
    completed = bench.compile(small_model)
    lines = completed.stdout.strip().splitlines()
    assert completed.code == 0
    assert lines[0] == FIRST_LINE
    assert LAST_LINE in lines


def test_failure_line_and_exit_code(bench):
    completed = bench.compile(bench.model(stress.cycle()))
    assert completed.code == 255
    assert FAILURE_LINE in completed.text
    assert LAST_LINE not in completed.text


@pytest.mark.parametrize("name", ["m", "m.om", "m.v1"])
def test_output_name(bench, small_model, name):
    """The suffix is added once."""
    completed = bench.compile(small_model, om=bench.outputs / name)
    assert completed.code == 0, completed.text
    expected = name if name.endswith(".om") else f"{name}.om"
    assert [p.name for p in bench.outputs.iterdir()] == [expected]


@pytest.mark.parametrize("name", ["conv3x3_fp16", "mlp_fp16", "op_softmax"])
def test_same_bytes_in_two_folders(bench, name):
    """Neither paths, nor time, nor the number of cores stand in the file."""
    contents = []
    cores = sorted(os.sched_getaffinity(0))
    for i, cpus in enumerate([cores[:1], cores[:2]]):
        folder = bench.folder / f"{'x' * (1 + 20 * i)}"
        folder.mkdir()
        generate.generate(name, folder / f"{name}.onnx")
        pin = ["taskset", "-c", ",".join(map(str, cpus))]
        command = bench.tools.compile_command(folder / f"{name}.onnx", folder / "m.om")
        completed = process.run([*pin, *command], cwd=folder)
        assert completed.code == 0, completed.text
        contents.append((folder / "m.om").read_bytes())
    assert contents[0] == contents[1]


def import_memory(bench, gigabytes: float) -> float:
    """Anonymous MB of an import above those of a process that does nothing."""
    model: Path = bench.folder / "large.onnx"
    stress.write_large(model, gigabytes)
    bare = process.run([bench.tools.tool("atc"), "--help"], watch_memory=True)
    completed = bench.compile(model, "--stop-after=import")
    assert completed.code == 0, completed.text[-2000:]
    return completed.peak_anonymous_mb - bare.peak_anonymous_mb


def test_import_does_not_copy_weights(bench):
    assert import_memory(bench, 0.25) < IMPORT_LIMIT_MB


@pytest.mark.large
def test_import_of_a_gigabyte(bench):
    assert import_memory(bench, 1.0) < IMPORT_LIMIT_MB


def test_many_models_in_one_process(bench):
    """A model of one operator costs at most 150 ms of a processor's time."""
    models = [name for name in generate.GENERATORS if name.startswith("op_")]
    lines = []
    for name in models:
        generate.generate(name, bench.folder / f"{name}.onnx")
        om = bench.outputs / f"{name}.om"
        lines.append(f"--model={bench.folder / name}.onnx --output={om}\n")
    listed = bench.folder / "models.txt"
    listed.write_text("".join(lines))
    command = [bench.tools.tool("atc"), "--framework=5", "--soc_version=CPU"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    completed = process.run([*command, f"--batch_list={listed}"])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert completed.code == 0, completed.text
    assert completed.stdout.count(LAST_LINE) == len(models)
    assert {om.stem for om in bench.outputs.iterdir()} == set(models)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert seconds / len(models) < 0.15
