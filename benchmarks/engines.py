#!/usr/bin/env python3
"""Engines: one pinned process each, which runs when it is told.

Started as a program, this module is such a process: it loads a case, warms up,
and then for every line "SECONDS" on its standard input runs the model for that
long and prints the times as JSON.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "test")]

from harness import process, toolchain

from benchmarks.cases import BenchCase

clock = time.perf_counter
START_LIMIT_SECONDS = 600
TURN_LIMIT_SECONDS = 300
# A run that lost the core for longer counts with its CPU time instead.
PREEMPTED_MS = 0.5


def peak_mb() -> float:
    return process.megabytes(Path("/proc/self/status").read_text(), "VmHWM:")


# --- Inside the process of an engine ------------------------------------------


def start_onnxruntime(case: BenchCase, threads: int):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 4
    begin = clock()
    session = onnxruntime.InferenceSession(
        str(case.model), options, providers=["CPUExecutionProvider"]
    )
    load = clock() - begin
    binding = session.io_binding()
    for name, value in case.feeds().items():
        ort_value = onnxruntime.OrtValue.ortvalue_from_numpy(value)
        binding.bind_ortvalue_input(name, ort_value)
    for output in session.get_outputs():
        binding.bind_output(output.name, "cpu")
    facts = {"load_ms": 1e3 * load, "version": onnxruntime.__version__}
    return (
        lambda: session.run_with_iobinding(binding),
        binding.copy_outputs_to_cpu,
        facts,
    )


def start_openvino(case: BenchCase, threads: int):
    import openvino

    begin, core = clock(), openvino.Core()
    settings = {
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_NUM_THREADS": threads,
        "INFERENCE_PRECISION_HINT": "f32",
    }
    compiled = core.compile_model(core.read_model(case.model), "CPU", settings)
    load, request = clock() - begin, compiled.create_infer_request()
    for name, value in case.feeds().items():
        request.set_tensor(name, openvino.Tensor(value))

    def outputs():
        count = len(compiled.outputs)
        return [np.array(request.get_output_tensor(i).data) for i in range(count)]

    version = openvino.__version__.split("-")[0]
    return request.infer, outputs, {"load_ms": 1e3 * load, "version": version}


STARTERS = {"onnxruntime": start_onnxruntime, "openvino": start_openvino}


def serve(engine: str, folder: Path, threads: int) -> None:
    channel, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr

    def say(**facts) -> None:
        print(json.dumps(facts), file=channel, flush=True)

    case = BenchCase.load(folder)
    try:
        once, outputs, facts = STARTERS[engine](case, threads)
        once()
        np.savez(folder / f"{engine}.npz", *outputs())
        begin = clock()
        while clock() - begin < 0.2:
            once()
    except Exception as error:  # Whatever the engine raises is its result.
        say(skip=f"{type(error).__name__}: {str(error).splitlines()[:1]}")
        return
    say(**facts)
    for line in sys.stdin:
        say(**timed_runs(once, float(line)))


def timed_runs(once, seconds: float) -> dict:
    """One uncounted run to warm the caches, then runs for `seconds`."""
    once()
    wall, cpu, begin = [], [], clock()
    while not wall or clock() - begin < seconds:
        used, start = time.process_time(), clock()
        once()
        wall.append(1e3 * (clock() - start))
        cpu.append(1e3 * (time.process_time() - used))
    return {"latency_ms": wall, "cpu_ms": cpu, "peak_rss_mb": peak_mb()}


# --- As the driver sees them --------------------------------------------------


class Engine:
    """An engine in its own process, pinned to `cores`. `samples` holds what was
    measured, in ms; `facts` the rest, or `skip` with a reason."""

    def __init__(self, name: str, case: BenchCase, cores: list[int]):
        self.name, self.case, self.cores = name, case, cores
        self.samples: list[float] = []
        self.facts: dict = {}
        self.spent = 0.0
        self.preempted = 0

    @property
    def pin(self) -> list[str]:
        return ["taskset", "-c", ",".join(map(str, self.cores))]

    @property
    def threads(self) -> int:
        return len(self.cores)

    def start(self) -> None:
        words = [sys.executable, __file__, self.name, self.case.folder, self.threads]
        self.process = subprocess.Popen(
            [*self.pin, *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.facts.update(self.answer(START_LIMIT_SECONDS))

    def answer(self, limit: float) -> dict:
        if not select.select([self.process.stdout], [], [], limit)[0]:
            self.process.kill()
            return {"skip": f"no answer within {limit:.0f} s"}
        line = self.process.stdout.readline()
        if line:
            return json.loads(line)
        return {"skip": f"the process ended with {self.process.wait()}"}

    def turn(self, seconds: float) -> dict:
        print(seconds, file=self.process.stdin, flush=True)
        return self.answer(TURN_LIMIT_SECONDS)

    def measure(self, seconds: float) -> None:
        begin = clock()
        answer = self.turn(seconds)
        self.spent += clock() - begin
        wall, cpu = answer.pop("latency_ms", []), answer.pop("cpu_ms", None)
        if cpu and self.threads == 1:
            calm = [w if w - c < PREEMPTED_MS else c for w, c in zip(wall, cpu)]
            self.preempted += sum(a != b for a, b in zip(calm, wall))
            wall = calm
        self.samples += wall
        self.facts.update(answer)

    def stop(self) -> None:
        if getattr(self, "process", None):
            self.process.stdin.close()
            self.process.wait()


class AtcEngine(Engine):
    """Compiles once; every turn is one atc-run."""

    def __init__(self, name, case, cores, tools: toolchain.Toolchain):
        super().__init__(name, case, cores)
        self.tools = tools
        self.om = case.folder / "model.om"

    def start(self) -> None:
        options = ["--precision_mode_v2=origin"]
        if self.case.shape_option:
            options.append(f"--input_shape={self.case.shape_option}")
        try:
            compiled = self.tools.compile(self.case.source, self.om, *options)
        except toolchain.ToolFailure as failure:
            self.facts["skip"] = str(failure)
            return
        self.facts.update(
            compile_s=compiled.seconds,
            compile_peak_mb=compiled.peak_mb,
            file_mb=self.om.stat().st_size / 1e6,
        )
        folder = self.case.folder / "atc-outputs"
        self.facts.update(self.command(1, "--output", str(folder)))
        self.facts.pop("latency_ms", None)
        if "skip" not in self.facts:
            listed = json.loads((folder / "outputs.json").read_text())
            arrays = [
                toolchain.read_array(folder / o["file"], o["type"]) for o in listed
            ]
            np.savez(self.case.folder / f"{self.name}.npz", *arrays)

    def command(self, loop: int, *options: str) -> dict:
        command = [*self.pin, self.tools.tool("atc-run"), self.om]
        command += ["--inputs", self.case.input_folder, "--threads", self.threads]
        command += ["--warmup", 1, "--loop", loop, "--json", *options]
        completed = process.run([str(w) for w in command], TURN_LIMIT_SECONDS)
        try:
            toolchain.demand_success(completed)
            return json.loads(completed.stdout.strip().splitlines()[-1])
        except toolchain.ToolFailure as failure:
            return {"skip": str(failure)}
        except ValueError:
            return {"skip": "atc-run printed no JSON"}

    def turn(self, seconds: float) -> dict:
        last = self.samples[-1] if self.samples else 1e3 * seconds
        return self.command(max(1, min(1000, int(1e3 * seconds / last))))

    def stop(self) -> None:
        self.om.unlink(missing_ok=True)


if __name__ == "__main__":
    serve(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
