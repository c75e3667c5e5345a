"""Models on the simulated NPU: the CPU's answer, without races, and no wait too
many; what the device cannot do is refused in order.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from harness.npu import DEVICE, TOLERANCE, Pair, disassemble
from harness.offline_model import regions, seal
from harness.process import Completed
from harness.refusal import assert_refused
from onnx import TensorProto, helper, numpy_helper

from models import generate

RECIPES = ["mlp_fp16", "conv3x3_fp16"]


@pytest.fixture(scope="module", params=RECIPES)
def pair(request, tools, tmp_path_factory) -> Pair:
    folder = tmp_path_factory.mktemp(request.param)
    model = folder / "m.onnx"
    generate.generate(request.param, model)
    return Pair(tools, model, folder / "pair")


def refusal(completed: Completed, code: str) -> str:
    """All that an orderly refusal with `code` says."""
    assert_refused(completed, code=code)
    return completed.text


def half_precision_mlp(dtype: int = TensorProto.FLOAT16):
    draw = np.random.default_rng(1)
    kind = helper.tensor_dtype_to_np_dtype(dtype)

    def weight(name: str, *shape: int):
        values = draw.uniform(-0.5, 0.5, shape).astype(kind)
        return numpy_helper.from_array(values, name)

    return helper.make_model(
        helper.make_graph(
            [
                helper.make_node("MatMul", ["x", "w1"], ["a"], name="fc1"),
                helper.make_node("Add", ["a", "b1"], ["b"], name="bias1"),
                helper.make_node("Relu", ["b"], ["c"], name="relu"),
                helper.make_node("MatMul", ["c", "w2"], ["y"], name="fc2"),
            ],
            "mlp",
            [helper.make_tensor_value_info("x", dtype, [20, 40])],
            [helper.make_tensor_value_info("y", dtype, [20, 10])],
            [weight("w1", 40, 24), weight("b1", 24), weight("w2", 24, 10)],
        ),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )


# The answer


def test_the_simulator_agrees_with_the_cpu(pair):
    """Strict: a race, or a read of bytes that nothing wrote, would be an error."""
    assert pair.difference() <= TOLERANCE


def test_split_cores_agree_with_the_cpu(pair, tmp_path):
    """A device whose cube and vector cores share only global memory."""
    model = pair.folder.parent / "m.onnx"
    split = Pair(pair.tools, model, tmp_path / "pair", device="Ascend910B1")
    assert split.difference() <= TOLERANCE


def test_the_disassembler_shows_the_code(pair):
    instructions = disassemble(pair.tools, pair.npu)
    names = {instruction.name.split(".")[0] for instruction in instructions}
    assert {"mmad", "fixpipe_to_gm", "load3d_l0a", "set_flag", "wait_flag"} <= names
    assert instructions[-1].name == "end"


def test_equal_input_gives_equal_bytes(pair, tmp_path):
    again = tmp_path / pair.npu.name  # the file's name stands in its header
    model = pair.folder.parent / "m.onnx"
    pair.tools.compile(model, again, soc_version=DEVICE)
    assert again.read_bytes() == pair.npu.read_bytes()


def test_every_flag_is_needed(pair, bench):
    """A set or wait that is replaced by a harmless instruction of the same size
    leaves a race, a deadlock or a flag that stays set."""
    content = pair.npu.read_bytes()
    code = regions(content)["code"].start
    instructions = disassemble(pair.tools, pair.npu)
    nop = harmless(content, code, instructions)
    flags = [i for i in instructions if i.name.startswith(("set_flag", "wait_flag"))]
    assert len(flags) > 20
    for flag in flags:
        at = code + flag.offset
        bench.om.write_bytes(seal(content[:at] + nop + content[at + len(nop) :]))
        completed = bench.run("--device=sim", "--strict", bench.om)
        assert completed.code != 0, f"not missed: {flag}"
        refusal(completed, "E31004")


def harmless(content: bytes, code: int, instructions) -> bytes:
    """An instruction of the size of a flag's that loads a register that no
    program uses: the first one of a kernel, with another register."""
    first, second = instructions[0], instructions[1]
    assert first.text == "load_argument d=x0, index=0"
    assert not any("x127" in instruction.text for instruction in instructions)
    start, size = code + first.offset, second.offset - first.offset
    words = bytearray(content[start : start + size])
    words[8:12] = (127).to_bytes(4, "little")
    return bytes(words)


# Precision


def test_float32_is_computed_in_half_precision(bench, tools):
    model = bench.model(half_precision_mlp(TensorProto.FLOAT))
    pair = Pair(tools, model, bench.folder / "pair", "--precision_mode_v2=fp16")
    assert pair.difference() <= TOLERANCE
    (y,) = pair.simulate().outputs
    assert y.dtype == np.float32


def test_float32_kept_is_refused_with_advice(bench):
    model = bench.model(half_precision_mlp(TensorProto.FLOAT))
    options = ["--precision_mode_v2=origin"]
    completed = bench.compile(model, *options, soc_version=DEVICE)
    message = refusal(completed, "E20001")
    assert "'fc1'" in message and "'fc2'" in message
    assert "force_fp16" in message


# Refusals


def test_all_unsupported_operators_are_listed(bench):
    nodes = [
        helper.make_node("Softmax", ["x"], ["a"], name="first"),
        helper.make_node("Sin", ["a"], ["b"], name="second"),
        helper.make_node("Relu", ["b"], ["c"], name="possible"),
        helper.make_node("MaxPool", ["c"], ["y"], name="third", kernel_shape=[2, 2]),
    ]
    ports = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT16, shape)
        for name, shape in (("x", [1, 4, 8, 8]), ("y", [1, 4, 7, 7]))
    ]
    model = helper.make_model(
        helper.make_graph(nodes, "g", ports[:1], ports[1:]),
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
    )
    completed = bench.compile(bench.model(model), soc_version=DEVICE)
    message = refusal(completed, "E20001")
    for name in ("first", "second", "third"):
        assert f"'{name}'" in message
    assert "'possible'" not in message


def test_a_model_runs_only_on_its_device(pair, bench):
    on_cpu = refusal(bench.run(pair.npu, "--device=cpu"), "E30004")
    assert DEVICE in on_cpu and "--device=sim" in on_cpu
    on_npu = refusal(bench.run(pair.cpu, "--device=sim"), "E30004")
    assert "without --device=sim" in on_npu


def test_unknown_device_lists_the_known(bench):
    completed = bench.compile(bench.model(half_precision_mlp()), soc_version="Tiny")
    assert DEVICE in refusal(completed, "E20002")


# What a run tells


def test_time_is_that_of_the_device(pair):
    report = pair.simulate().report
    assert report["device_cycles"] > 1000
    again = pair.simulate().report
    assert again["device_cycles"] == report["device_cycles"]


def test_profile_shows_the_pipes(pair, bench):
    trace = bench.folder / "trace.json"
    completed = bench.run("--device=sim", "--profile", trace, pair.npu)
    assert completed.code == 0, completed.text
    assert re.search(r"^busy % .*\bmte2\b", completed.stdout, re.M)
    events = json.loads(trace.read_text())["traceEvents"]
    launches = [event for event in events if event["ph"] == "X"]
    assert launches
    end = 0.0
    for event in launches:
        assert event["ts"] == pytest.approx(end, abs=1e-3)
        end = event["ts"] + event["dur"]
        arguments = event["args"]
        cores_cycles = arguments["cycles"] * arguments["threads"]
        assert 0 < arguments["busy_cycles"]["mte2"] <= cores_cycles


def test_dump_writes_what_launches_compute(pair, bench):
    folder = bench.folder / "dump"
    words = [w for path in pair.inputs for w in ("--input", path)]
    completed = bench.run("--device=sim", "--dump", folder, *words, pair.npu)
    assert completed.code == 0, completed.text
    listed = json.loads((folder / "tensors.json").read_text())
    assert listed
    last = np.load(folder / listed[-1]["file"])
    (result,) = pair.simulate().outputs
    assert np.array_equal(last, result)
