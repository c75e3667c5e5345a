#!/usr/bin/env python3
"""Draws a line of text, lets a compiled text recognizer read it, prints both.

    scripts/ocr_demo.py --runner ATC-RUN --om REC.om --model REC.onnx [TEXT]

The .om must be the PP-OCRv4 recognizer at 1x3x48x320; the .onnx is only read
for the alphabet in its metadata.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from models import answers, samples

HEIGHT, WIDTH = 48, 320
# What the recognizer was trained on: BGR in [-1, 1].
PREPARATION = (
    f"size={HEIGHT}x{WIDTH},fit=stretch,channels=bgr,layout=nchw,"
    "mean=0.5/0.5/0.5,std=0.5/0.5/0.5,scale=0.00392156862745098"
)


def run(runner: Path, om: Path, picture: Path, folder: Path) -> dict:
    """Runs the recognizer on a picture; the runner's JSON report."""
    command = [runner, om, "--image", f"x={picture},{PREPARATION}"]
    command += ["--output", folder, "--warmup", "2", "--loop", "20"]
    command += ["--threads", "1", "--json"]
    done = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, text=True
    )
    if done.returncode:
        raise SystemExit(done.returncode)
    return json.loads(done.stdout.strip().splitlines()[-1])


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("text", nargs="?", default="Hello offline model")
    parser.add_argument("--runner", type=Path, required=True)
    parser.add_argument("--om", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--picture", type=Path, help="keep the drawing here")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        picture = arguments.picture or Path(scratch) / "line.png"
        samples.draw_line(arguments.text, HEIGHT, WIDTH).save(picture)
        outputs = Path(scratch) / "outputs"
        report = run(arguments.runner, arguments.om, picture, outputs)
        listed = json.loads((outputs / "outputs.json").read_text())
        probabilities = np.load(outputs / listed[0]["file"])
    alphabet = answers.characters(arguments.model)
    text = answers.decode_ctc(probabilities[0], alphabet).rstrip()
    median = statistics.median(report["latency_ms"])
    print(f"drawn: {arguments.text}\nread:  {text}\ntime:  {median:.1f} ms, 1 thread")
    return 0 if text == arguments.text else 1


if __name__ == "__main__":
    sys.exit(main())
