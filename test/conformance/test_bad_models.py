"""Models that must be refused with one clear message, and strange ones that
must not.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re

import onnx
import pytest
from harness import mutation
from harness.refusal import assert_orderly, assert_refused

from models import generate
from models.generators import stress

# Refused models, and the code by which each must be refused.
CODES = {
    "cycle": "E16004",
    "unknown_operators": "E16002",
    "unknown_dtype": "E16007",
    "short_tensor": "E16006",
    "overflowing_shape": "E16006",
    "negative_dim": "E16006",
    "undefined_value": "E16004",
    "defined_twice": "E16004",
    "missing_output": "E16004",
    "incompatible_shapes": "E16005",
    "size_from_data": "E20003",
    "strings": "E16007",
}


@pytest.mark.parametrize("name", stress.REFUSED)
def test_refused_model(bench, name):
    model = bench.model(stress.REFUSED[name]())
    assert_refused(bench.compile(model), bench.outputs, CODES[name])


def test_open_inputs_are_refused_where_sizes_must_be_static(bench):
    completed = bench.compile(bench.model(stress.open_inputs()), soc_version="TinyNpu")
    assert_refused(completed, bench.outputs, "E20003")


def test_unknown_operators_are_listed_at_once(bench):
    model = bench.model(stress.unknown_operators())
    text = bench.compile(model).text
    for name in "Frobnicate", "Quuxify", "Gadget":
        assert name in text
    assert not re.search(r"\bRelu\b", text)


def test_message_names_the_node(bench):
    model = bench.model(stress.incompatible_shapes())
    assert "product" in bench.compile(model).text


@pytest.mark.parametrize("location", ["../secret.bin", "a/../../secret.bin"])
def test_external_data_outside_the_folder(bench, location):
    (bench.folder / "secret.bin").write_bytes(bytes(128))
    (bench.folder / "inner" / "a").mkdir(parents=True)
    model = bench.model(stress.external_data(location), "inner/m.onnx")
    assert_refused(bench.compile(model), bench.outputs, "E13003")


def test_external_data_by_absolute_path(bench):
    secret = bench.folder / "secret.bin"
    secret.write_bytes(bytes(128))
    model = bench.model(stress.external_data(str(secret)))
    assert_refused(bench.compile(model), bench.outputs, "E13003")


def test_external_data_through_a_link(bench):
    (bench.folder / "secret.bin").write_bytes(bytes(128))
    (bench.folder / "inner").mkdir()
    (bench.folder / "inner" / "w.bin").symlink_to("../secret.bin")
    model = bench.model(stress.external_data("w.bin"), "inner/m.onnx")
    assert_refused(bench.compile(model), bench.outputs, "E13003")


def test_external_data_missing(bench):
    model = bench.model(stress.external_data("nowhere.bin"))
    assert_refused(bench.compile(model), bench.outputs)


def test_external_data_shorter_than_the_tensor(bench):
    (bench.folder / "w.bin").write_bytes(bytes(64))
    model = bench.model(stress.external_data("w.bin"))
    assert_refused(bench.compile(model), bench.outputs)


def test_external_data_beside_the_model(bench):
    (bench.folder / "w.bin").write_bytes(bytes(128))
    model = bench.model(stress.external_data("w.bin"))
    completed = bench.compile(model)
    assert completed.code == 0, completed.text


def test_deep_subgraphs(bench):
    model = bench.model(stress.nested_branches(200))
    assert_refused(bench.compile(model), bench.outputs)


@pytest.mark.parametrize(
    "content",
    [b"", b"\0", b"not a model", bytes(4096), b"\x3a\xff\xff\xff\xff\xff\xff\x7f"],
    ids=["empty", "zero", "text", "zeros", "huge-length"],
)
def test_not_a_model(bench, content):
    assert_refused(bench.compile(bench.model(content)), bench.outputs)


# --- Strange, but legal -------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["chain", "long_names", "odd_names", "output_twice", "unsorted_nodes"]
)
def test_strange_but_legal(bench, name):
    model = bench.model(getattr(stress, name)())
    completed = bench.compile(model)
    assert completed.code == 0, completed.text[-2000:]
    ran = bench.run(bench.om, "--output", bench.folder / "results")
    assert ran.code == 0, ran.text[-2000:]


def test_initializers_listed_as_inputs(bench, small_model):
    model = onnx.load(small_model)
    for weight in model.graph.initializer:
        info = onnx.helper.make_tensor_value_info(
            weight.name, weight.data_type, weight.dims
        )
        model.graph.input.append(info)
    completed = bench.compile(bench.model(model))
    assert completed.code == 0, completed.text


# --- Damaged protobuf ---------------------------------------------------------

MUTATED = ["mlp_fp16", "conv3x3_fp16", "op_gemm", "op_slice", "op_max_pool"]
PARTS = 10


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", MUTATED)
def test_damaged_model(bench, request, name, part):
    """Refused in order, or, where the damage is to a weight or a name, compiled
    to a file that runs or refuses in order."""
    sound = generate.GENERATORS[name]().SerializeToString()
    count = request.config.getoption("--mutations") // (len(MUTATED) * PARTS)
    faults = []
    for index in range(count):
        seed = part * count + index
        model = bench.model(mutation.mutate(sound, seed))
        completed = bench.compile(model)
        try:
            if completed.code == 0:
                assert bench.om.exists()
                assert_orderly(bench.run(bench.om))
                bench.om.unlink()
            else:
                assert_refused(completed, bench.outputs)
        except AssertionError as fault:
            faults.append(f"{name}, seed {seed}: {str(fault).splitlines()[0]}")
            for left in bench.outputs.iterdir():
                left.unlink()
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("name", MUTATED)
def test_truncated_model(bench, name):
    """Cut at 16 places from the first byte to the last but one."""
    sound = generate.GENERATORS[name]().SerializeToString()
    for i in range(16):
        size = 1 + (len(sound) - 2) * i // 15
        completed = bench.compile(bench.model(sound[:size]))
        if completed.code == 0:
            # What is left may happen to be a whole model.
            onnx.checker.check_model(sound[:size])
            bench.om.unlink()
        else:
            assert_refused(completed, bench.outputs)
