"""Paths, disks and options that cannot work.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest
from harness import process
from harness.refusal import assert_refused

from models import generate
from models.generators import stress

NOBODY = 65534


def test_missing_model(bench):
    completed = bench.compile(bench.folder / "nowhere.onnx")
    assert "nowhere.onnx" in assert_refused(completed, bench.outputs, "E13000")


def test_model_is_a_folder(bench):
    assert_refused(bench.compile(bench.folder), bench.outputs, "E13000")


def test_output_names_a_folder(bench, small_model):
    command = bench.tools.compile_command(small_model, bench.om)
    command[command.index(f"--output={bench.om}")] = f"--output={bench.outputs}/"
    assert_refused(process.run(command), bench.outputs, "E10022")


def test_output_folder_is_missing(bench, small_model):
    completed = bench.compile(small_model, om=bench.outputs / "nowhere" / "m.om")
    assert_refused(completed, bench.outputs, "E13002")


def test_existing_output_survives_a_failure(bench):
    bench.om.write_bytes(b"precious")
    completed = bench.compile(bench.model(stress.cycle()))
    assert completed.code != 0
    assert bench.om.read_bytes() == b"precious"
    assert [p.name for p in bench.outputs.iterdir()] == ["m.om"]


# --- Disks --------------------------------------------------------------------


def in_mount(bench, mount: str, command: list[str]) -> process.Completed:
    """Runs `command` where `mount` was done on the outputs folder, in a mount
    namespace that ends with it. What the folder holds afterwards is printed to
    listing.txt. Skips where mounting is forbidden."""
    target = shlex.quote(str(bench.outputs))
    if not shutil.which("unshare"):
        pytest.skip("unshare is not installed")
    probe = process.run(["unshare", "-m", "sh", "-c", mount.format(target)])
    if probe.code != 0:
        pytest.skip(f"mounting is forbidden: {probe.text.strip()}")
    listing = shlex.quote(str(bench.folder / "listing.txt"))
    script = (
        f"{mount.format(target)} && {{ {shlex.join(command)}; code=$?;"
        f" ls -A {target} > {listing}; exit $code; }}"
    )
    return process.run(["unshare", "-m", "sh", "-c", script])


def test_disk_full(bench):
    """A model whose weights do not fit on a disk of 64 KiB."""
    model = bench.folder / "mlp.onnx"
    generate.generate("mlp_fp16", model)
    om = bench.outputs / "m.om"
    command = bench.tools.compile_command(model, om)
    completed = in_mount(bench, "mount -t tmpfs -o size=16k tmpfs {0}", command)
    assert_refused(completed, bench.outputs, "E13002")
    assert (bench.folder / "listing.txt").read_text() == ""


def test_read_only_disk(bench, small_model):
    command = bench.tools.compile_command(small_model, bench.outputs / "m.om")
    completed = in_mount(bench, "mount -t tmpfs -o ro tmpfs {0}", command)
    assert_refused(completed, bench.outputs, "E13002")


def test_folder_of_another_user(bench, small_model):
    """Root ignores mode bits, so the tool runs as nobody."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    folder = Path("/var/tmp") / f"atc-{os.getpid()}"
    folder.mkdir(mode=0o755)
    try:
        model = folder / "m.onnx"
        shutil.copy(small_model, model)
        om = folder / "m.om"
        command = bench.tools.compile_command(model, om)
        probe = process.run(["test", "-x", command[0]], user=NOBODY)
        if probe.code != 0:
            pytest.skip("another user cannot reach the tool")
        assert_refused(process.run(command, user=NOBODY), code="E13002")
        assert [p.name for p in folder.iterdir()] == ["m.onnx"]
    finally:
        shutil.rmtree(folder)


def test_unreadable_model(bench, small_model):
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    command = bench.tools.compile_command(small_model, bench.om)
    probe = process.run(["test", "-x", command[0]], user=NOBODY)
    if probe.code != 0:
        pytest.skip("another user cannot reach the tool")
    # The folder of the test belongs to root alone.
    bench.folder.chmod(0o700)
    assert_refused(process.run(command, user=NOBODY), bench.outputs)


def test_file_size_limit(bench):
    """The stand-in for a full disk where mounting is forbidden."""
    model = bench.folder / "mlp.onnx"
    generate.generate("mlp_fp16", model)
    command = bench.tools.compile_command(model, bench.om)
    # SIGXFSZ ignored makes write() fail instead, as on a full disk.
    script = f"trap '' XFSZ; exec prlimit --fsize=8192 {shlex.join(command)}"
    completed = process.run(["sh", "-c", script])
    assert_refused(completed, bench.outputs)


# --- Options ------------------------------------------------------------------

BAD_OPTIONS = {
    "unknown name": ("--input_shape=nobody:1,3", "E10016"),
    "no colon": ("--input_shape=x0", "E10002"),
    "not a number": ("--input_shape=x0:1,a,19,23", "E10002"),
    "overflow": ("--input_shape=x0:99999999999999999999,5,19,23", "E10002"),
    "rank": ("--input_shape=x0:1,5,19", "E10049"),
    "fixed dimension": ("--input_shape=x0:1,6,19,23", "E10050"),
    "out_nodes": ("--out_nodes=nobody:0", "E10016"),
    "precision mode": ("--precision_mode_v2=fp17", "E10001"),
    "later mode": ("--precision_mode_v2=mixed_float16", "E10001"),
}


@pytest.mark.parametrize("name", BAD_OPTIONS)
def test_bad_option(bench, small_model, name):
    option, code = BAD_OPTIONS[name]
    assert_refused(bench.compile(small_model, option), bench.outputs, code)


def test_two_precision_modes(bench, small_model):
    options = "--precision_mode=force_fp16", "--precision_mode_v2=fp16"
    assert_refused(bench.compile(small_model, *options), bench.outputs, "E10056")


def test_unknown_device(bench, small_model):
    completed = bench.compile(small_model, soc_version="Nonesuch")
    assert_refused(completed, bench.outputs, "E20002")


@pytest.mark.parametrize("missing", ["--output", "--soc_version", "--model"])
def test_missing_option(bench, small_model, missing):
    command = bench.tools.compile_command(small_model, bench.om)
    command = [word for word in command if not word.startswith(missing)]
    assert_refused(process.run(command), bench.outputs, "E10054")


def test_missing_framework(bench, small_model):
    command = bench.tools.compile_command(small_model, bench.om)
    command.remove("--framework=5")
    assert_refused(process.run(command), bench.outputs, "E10007")


# --- Inputs of a run ----------------------------------------------------------


@pytest.fixture
def runnable(bench, small_model):
    assert bench.compile(small_model).code == 0
    return bench


def save(bench, name: str, array) -> Path:
    path = bench.folder / name
    np.save(path, array)
    return path


def refused_run(bench, *words, code: str | None = None) -> str:
    results = bench.folder / "results"
    completed = bench.run(bench.om, *words, "--output", results)
    assert not results.exists() or not list(results.iterdir())
    return assert_refused(completed, code=code)


def test_wrong_input_name(runnable):
    file = save(runnable, "x.npy", np.zeros((1, 5, 19, 23), np.float32))
    refused_run(runnable, "--input", f"nobody={file}", code="E10016")


@pytest.mark.parametrize("shape", [(1, 5, 19, 22), (5, 19, 23), (1, 5, 19, 23, 1), ()])
def test_wrong_input_shape(runnable, shape):
    file = save(runnable, "x.npy", np.zeros(shape, np.float32))
    refused_run(runnable, "--input", f"x0={file}", code="E31001")


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32", "bool"])
def test_wrong_input_type(runnable, dtype):
    file = save(runnable, "x.npy", np.zeros((1, 5, 19, 23), dtype))
    refused_run(runnable, "--input", f"x0={file}", code="E31001")


def test_too_many_inputs(runnable):
    file = save(runnable, "x.npy", np.zeros((1, 5, 19, 23), np.float32))
    refused_run(runnable, "--input", file, "--input", file, code="E31001")


def test_missing_input_file(runnable):
    refused_run(runnable, "--input", "x0=nowhere.npy", code="E13000")


@pytest.mark.parametrize("size", [0, 1, 6, 10, 64, 127, 128, 500])
def test_truncated_npy(runnable, size):
    file = save(runnable, "x.npy", np.zeros((1, 5, 19, 23), np.float32))
    file.write_bytes(file.read_bytes()[:size])
    refused_run(runnable, "--input", f"x0={file}", code="E13006")


def test_npy_that_holds_objects(runnable):
    file = save(runnable, "x.npy", np.array([{"a": 1}], dtype=object))
    refused_run(runnable, "--input", f"x0={file}", code="E13006")


def test_raw_file_of_another_size(runnable):
    file = runnable.folder / "x.bin"
    file.write_bytes(bytes(100))
    refused_run(runnable, "--input", f"x0={file}", code="E13006")
