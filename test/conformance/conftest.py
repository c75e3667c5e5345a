"""Fixtures of the tests of bad input.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import sys
from pathlib import Path

import onnx
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "test")]

from harness import process
from harness.process import Completed
from harness.toolchain import Toolchain, default_bin_folder

from models import generate

LIMIT_SECONDS = 120


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--bin", type=Path, help="tree with atc and atc-run")
    parser.addoption("--mutations", type=int, default=500, help="damaged models in all")


class Workbench:
    """A folder for one test, and the tools. Outputs go to a folder of their
    own, so that what is left behind can be seen."""

    def __init__(self, tools: Toolchain, folder: Path):
        self.tools = tools
        self.folder = folder
        self.outputs = folder / "out"
        self.outputs.mkdir()

    def model(self, content: onnx.ModelProto | bytes, name: str = "m.onnx") -> Path:
        path = self.folder / name
        if isinstance(content, onnx.ModelProto):
            content = content.SerializeToString()
        path.write_bytes(content)
        return path

    def compile(self, model: Path, *options: str, **arguments) -> Completed:
        om = arguments.pop("om", self.outputs / "m.om")
        soc_version = arguments.pop("soc_version", "CPU")
        command = self.tools.compile_command(
            model, om, *options, soc_version=soc_version
        )
        return process.run(command, LIMIT_SECONDS, watch_memory=True, **arguments)

    def run(self, *words: str | Path, **arguments) -> Completed:
        command = [self.tools.tool("atc-run"), *words]
        return process.run(command, LIMIT_SECONDS, watch_memory=True, **arguments)

    @property
    def om(self) -> Path:
        return self.outputs / "m.om"


@pytest.fixture(scope="session")
def tools(request: pytest.FixtureRequest) -> Toolchain:
    return Toolchain(request.config.getoption("--bin") or default_bin_folder())


@pytest.fixture
def bench(tools: Toolchain, tmp_path: Path) -> Workbench:
    return Workbench(tools, tmp_path)


@pytest.fixture(scope="session")
def small_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound model: one convolution."""
    path = tmp_path_factory.mktemp("sound") / "conv.onnx"
    generate.generate("op_conv_3x3", path)
    return path
