"""Compiles a model for a simulated NPU and for the CPU, and runs both.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx

from harness import process
from harness.evaluation import save_inputs
from harness.toolchain import RunResult, Toolchain, demand_success

DEVICE = "TinyNpu"
# Of the largest magnitude. Half precision has 11 bits; the CPU rounds where one
# kernel ends and the other may not, so the two may differ by a few units in the
# last place.
TOLERANCE = 2.0**-9


@dataclass(frozen=True)
class Instruction:
    """A line of atc-objdump: where the instruction stands in the file's code."""

    kernel: str
    offset: int
    text: str

    @property
    def name(self) -> str:
        return self.text.split()[0]


KERNEL_LINE = re.compile(r"^(\S+) <0x([0-9a-f]+)>:")
INSTRUCTION_LINE = re.compile(r"^ *\d+ ([0-9a-f]{6,})  (\S.*)$")


def disassemble(tools: Toolchain, om: Path) -> list[Instruction]:
    shown = demand_success(process.run([tools.tool("atc-objdump"), om], 60))
    found, kernel, base = [], "", 0
    for line in shown.stdout.splitlines():
        if match := KERNEL_LINE.match(line):
            kernel, base = match[1], int(match[2], 16)
        elif match := INSTRUCTION_LINE.match(line):
            found.append(Instruction(kernel, base + int(match[1], 16), match[2]))
    return found


def random_feeds(model: onnx.ModelProto, seed: int = 0) -> dict[str, np.ndarray]:
    """Numbers from -1 to 1 for the inputs, in the model's order."""
    draw = np.random.default_rng(seed)
    initialized = {tensor.name for tensor in model.graph.initializer}
    feeds = {}
    for port in model.graph.input:
        if port.name in initialized:
            continue
        tensor = port.type.tensor_type
        shape = [dim.dim_value for dim in tensor.shape.dim]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        feeds[port.name] = draw.uniform(-1, 1, shape).astype(dtype)
    return feeds


class Pair:
    """One model on both targets."""

    def __init__(
        self,
        tools: Toolchain,
        model: Path,
        folder: Path,
        *options: str,
        device: str = DEVICE,
    ):
        self.tools, self.folder = tools, folder
        folder.mkdir(parents=True, exist_ok=True)
        self.npu, self.cpu = folder / "npu.om", folder / "cpu.om"
        tools.compile(model, self.npu, *options, soc_version=device)
        tools.compile(model, self.cpu, *options)
        self.feeds = random_feeds(onnx.load(model))
        self.inputs = save_inputs(self.feeds, folder / "inputs")

    def simulate(self, *options: str) -> RunResult:
        words = ("--device=sim", "--strict", *options)
        return self.tools.run(self.npu, self.inputs, self.folder / "sim", *words)

    def run_on_cpu(self) -> RunResult:
        return self.tools.run(self.cpu, self.inputs, self.folder / "cpu")

    def difference(self) -> float:
        """The largest difference of the two over the CPU's largest magnitude."""
        largest = 0.0
        for npu, cpu in zip(self.simulate().outputs, self.run_on_cpu().outputs):
            assert npu.shape == cpu.shape and npu.dtype == cpu.dtype
            wanted = cpu.astype(np.float64)
            scale = max(float(np.abs(wanted).max()), 1e-2)
            difference = np.abs(npu.astype(np.float64) - wanted)
            largest = max(
                largest, float(np.nan_to_num(difference, nan=np.inf).max()) / scale
            )
        return largest
