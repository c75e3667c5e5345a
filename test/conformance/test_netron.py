"""Netron opens an offline model: its own reader, run under node.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path

import pytest
from harness import process

READER = [
    "text.js",
    "base.js",
    "protobuf.js",
    "om.js",
    "om-proto.js",
    "om-metadata.json",
]


@pytest.fixture(scope="module")
def netron(tmp_path_factory) -> Path:
    """Netron's files in a folder that node takes for a package of modules."""
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    found = importlib.util.find_spec("netron")
    if not found:
        pytest.skip("the package netron is not installed")
    folder = tmp_path_factory.mktemp("netron")
    for name in READER:
        shutil.copy(Path(found.origin).parent / name, folder)
    (folder / "package.json").write_text('{"type": "module"}\n')
    return folder


@pytest.fixture(scope="module")
def graph(netron, tools, small_model, tmp_path_factory) -> dict:
    om = tmp_path_factory.mktemp("om") / "conv.om"
    tools.compile(small_model, om)
    script = Path(__file__).with_name("open_om.mjs")
    completed = process.run(["node", script, netron, om])
    assert completed.code == 0, completed.text
    seen = json.loads(completed.stdout)
    assert seen["format"] == "DaVinci OM"
    assert len(seen["graphs"]) == 1
    return seen["graphs"][0]


def test_node_shows_its_operator(graph):
    assert any(node["type"].startswith("Conv") for node in graph["nodes"])


def test_input_and_output_are_there(graph):
    types = [node["type"] for node in graph["nodes"]]
    assert "Data" in types
    assert "NetOutput" in types


def test_values_have_types(graph):
    values = [v for node in graph["nodes"] for v in node["outputs"]]
    assert values
    assert all(v["type"] for v in values)


def test_weight_has_its_data(graph):
    weights = [
        v for node in graph["nodes"] for v in node["inputs"] if v["bytes"] is not None
    ]
    # The convolution of 7 filters of 5x3x3 keeps at least its elements.
    assert any(v["bytes"] >= 7 * 5 * 3 * 3 * 4 for v in weights)
