"""Turns what was measured into a table and into JSON.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import platform
from pathlib import Path

import numpy as np

from benchmarks.cases import BenchCase
from benchmarks.engines import Engine

HEAD = [
    "model",
    "GFLOP",
    "engine",
    "median ms",
    "min",
    "p90",
    "x ORT",
    "GFLOP/s",
    "load ms",
    "compile s",
    "compile MB",
    "file MB",
    "peak MB",
    "error",
    "runs",
]


def difference(case: BenchCase, engine: str) -> float | None:
    """The largest difference from ONNX Runtime over its largest output."""
    try:
        wanted, got = (
            list(np.load(case.folder / f"{name}.npz").values())
            for name in ("onnxruntime", engine)
        )
    except FileNotFoundError:
        return None
    if [w.shape for w in wanted] != [g.shape for g in got]:
        return float("inf")
    pairs = [(w.astype(float), g.astype(float)) for w, g in zip(wanted, got) if w.size]
    shares = [np.abs(w - g).max() / (np.abs(w).max() or 1) for w, g in pairs]
    return float(max(shares, default=0))


def summarize(case: BenchCase, macs: int, engines: list[Engine]) -> list[dict]:
    """One row per engine."""
    medians = {e.name: float(np.median(e.samples)) for e in engines if e.samples}
    rows = []
    for engine in engines:
        row = {"model": case.name, "engine": engine.name, "gflop": 2e-9 * macs}
        row |= engine.facts
        if "skip" not in row and engine.samples:
            median = medians[engine.name]
            row |= {
                "median": median,
                "min": min(engine.samples),
                "p90": float(np.percentile(engine.samples, 90)),
                "samples": engine.samples,
                "preempted": engine.preempted,
                "gflops": 2e-6 * macs / median,
                "error": difference(case, engine.name),
            }
            if "onnxruntime" in medians:
                row["vs_ort"] = medians["onnxruntime"] / median
        rows.append(row)
    return rows


def cell(value: float | None, pattern: str) -> str:
    return "" if value is None else format(value, pattern)


def table_row(row: dict) -> str:
    cells = [row["model"], cell(row["gflop"] or None, ".3g"), row["engine"]]
    if "median" not in row:
        reason = row.get("skip", "not measured").replace("|", "/")
        cells += [f"skipped: {reason}", *[""] * (len(HEAD) - 4)]
    else:
        cells += [cell(row[k], ".3g") for k in ("median", "min", "p90")]
        cells += [cell(row.get("vs_ort"), ".2f"), cell(row["gflops"], ".1f")]
        cells += [
            cell(row.get("load_ms"), ".3g"),
            cell(row.get("compile_s"), ".2f"),
            cell(row.get("compile_peak_mb"), ".0f"),
            cell(row.get("file_mb"), ".1f"),
            cell(row.get("peak_rss_mb"), ".0f"),
            cell(row["error"], ".1e"),
            str(len(row["samples"])),
        ]
    return "| " + " | ".join(cells) + " |"


def head() -> str:
    return "| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD)


def geometric_means(rows: list[dict]) -> str:
    """The engines' speed against ONNX Runtime over the models that both ran."""
    ratios: dict[str, list[float]] = {}
    for row in rows:
        if row["engine"] != "onnxruntime" and row.get("vs_ort"):
            ratios.setdefault(row["engine"], []).append(row["vs_ort"])
    return ", ".join(
        f"{name} {np.exp(np.mean(np.log(values))):.2f} over {len(values)} models"
        for name, values in ratios.items()
    )


def machine() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()
