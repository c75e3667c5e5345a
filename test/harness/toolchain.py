"""The compiler and the runner as a test sees them: command lines.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

import ml_dtypes
import numpy as np

from harness import process

ROOT = Path(__file__).resolve().parents[2]
ERROR = re.compile(r"\b(E\d{5})\b:?\s*(.*)")

# Codes that say "this model needs what is not implemented": a clear refusal.
# Unsupported operator, version, element type; no kernel template; open shape.
UNSUPPORTED_CODES = {"E16002", "E16003", "E16007", "E20001", "E20003"}

# NumPy has no descriptor for these: their files hold raw bits.
EXTENSION_TYPES = {
    "bfloat16": ml_dtypes.bfloat16,
    "float8e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "float8e5m2": ml_dtypes.float8_e5m2,
    "float8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "float4e2m1": ml_dtypes.float4_e2m1fn,
}

# Their files hold a byte for each number.
FOUR_BIT_INTEGERS = {"int4": ml_dtypes.int4, "uint4": ml_dtypes.uint4}


class ToolFailure(Exception):
    """A tool did not do its work. `kind` is one of unsupported, error, crash
    and timeout."""

    def __init__(self, kind: str, message: str, completed: process.Completed):
        super().__init__(message)
        self.kind = kind
        self.completed = completed


def error_lines(text: str) -> list[tuple[str, str]]:
    """The coded messages in a tool's output: (code, message)."""
    return [m.groups() for line in text.splitlines() if (m := ERROR.search(line))]


def demand_success(completed: process.Completed) -> process.Completed:
    if completed.code == 0:
        return completed
    tool = Path(completed.command[0]).name
    if completed.code is None:
        message = f"{tool}: ended after {completed.seconds:.0f} s"
        raise ToolFailure("timeout", message, completed)
    lines = error_lines(completed.text)
    if completed.crashed:
        raise ToolFailure("crash", f"{tool}: signal, code {completed.code}", completed)
    if not lines:
        last = (completed.text.strip().splitlines() or ["no message"])[-1]
        message = f"{tool}: exit {completed.code} without a coded message: {last}"
        raise ToolFailure("error", message, completed)
    code, message = lines[0]
    if message.endswith(":"):  # A list follows.
        following = completed.text.partition(message)[2].split("\n", 2)
        message += " " + " ".join(line.strip() for line in following[1:2])
    kind = "unsupported" if code in UNSUPPORTED_CODES else "error"
    raise ToolFailure(kind, f"{code}: {message}", completed)


@dataclass
class RunResult:
    outputs: list[np.ndarray]
    names: list[str]
    report: dict


class Toolchain:
    def __init__(self, bin_folder: Path | None = None, limit: float = 300.0):
        self.bin_folder = bin_folder or default_bin_folder()
        self.limit = limit

    def tool(self, name: str) -> Path:
        """`name` in an install tree's bin, or in a build tree."""
        folders = ("", "bin", f"tools/{name}", "tools/atc-cli")
        for folder in folders:
            path = self.bin_folder / folder / name
            if path.is_file():
                return path
        raise FileNotFoundError(f"no {name} under {self.bin_folder}")

    def compile_command(
        self, model: Path, om: Path, *options: str, soc_version: str = "CPU"
    ) -> list[str]:
        return [
            str(self.tool("atc")),
            "--framework=5",
            f"--model={model}",
            f"--output={om}",
            f"--soc_version={soc_version}",
            *options,
        ]

    def compile(
        self, model: Path, om: Path, *options: str, soc_version: str = "CPU"
    ) -> process.Completed:
        """Compiles `model` to `om`, the IR checked at each phase; raises
        ToolFailure."""
        options = ("--verify_phases", *options)
        command = self.compile_command(model, om, *options, soc_version=soc_version)
        completed = demand_success(process.run(command, self.limit, watch_memory=True))
        if not om.exists():
            raise ToolFailure("error", "atc: success, but no file", completed)
        return completed

    def run(
        self, om: Path, inputs: list[Path], folder: Path, *options: str
    ) -> RunResult:
        """Runs `om` on files in the model's order; raises ToolFailure. The outputs
        are those of a second run, whose memory holds what the first left there."""
        command: list[str | Path] = [self.tool("atc-run"), om]
        for path in inputs:
            command += ["--input", path]
        command += ["--warmup", "1", "--output", folder, "--json", *options]
        completed = demand_success(process.run(command, self.limit))
        listed = json.loads((folder / "outputs.json").read_text())
        arrays = [read_array(folder / o["file"], o["type"]) for o in listed]
        report = json.loads(completed.stdout.strip().splitlines()[-1])
        return RunResult(arrays, [o["name"] for o in listed], report)


def read_array(path: Path, element_type: str) -> np.ndarray:
    array = np.load(path, allow_pickle=False)
    if element_type in FOUR_BIT_INTEGERS:
        return array.astype(FOUR_BIT_INTEGERS[element_type])
    if element_type in EXTENSION_TYPES:
        return array.view(EXTENSION_TYPES[element_type])
    return array


def default_bin_folder() -> Path:
    return Path(os.environ.get("ATC_BIN", ROOT / "build" / "release"))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--bin",
        type=Path,
        help="build or install tree with atc and atc-run (default: build/release)",
    )
    parser.add_argument(
        "--limit", type=float, default=300, help="seconds that one program may take"
    )


def from_arguments(arguments: argparse.Namespace) -> Toolchain:
    """The tools; ends the program where they are not built."""
    tools = Toolchain(arguments.bin, arguments.limit)
    try:
        tools.tool("atc"), tools.tool("atc-run")
    except FileNotFoundError as error:
        raise SystemExit(f"{error}: build them, or name a folder by --bin") from error
    return tools
