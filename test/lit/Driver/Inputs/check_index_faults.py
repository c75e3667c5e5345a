"""Runs models that index by their input `i`, with indices at and behind both
ends of what they index.

    check_index_faults.py ATC ATC_RUN     in the folder of the models

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import math
import shutil
import struct
import subprocess
import sys
from pathlib import Path

# Of each model, the shape and format of `i` and the lowest and highest index.
MODELS = {
    "gather": ((4,), "q", -5, 4),
    "gather_columns": ((13,), "q", -5, 4),
    "gather_elements": ((3, 13), "i", -5, 4),
    "gather_nd": ((7, 2), "q", -3, 2),
    "scatter_elements": ((2, 3), "q", -5, 4),
    "scatter_nd": ((4, 1), "q", -3, 2),
    "computed": ((13,), "q", -9, 0),
    "product": ((7,), "q", -50, 49),
}


def run(*command: str) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True)


def main() -> None:
    atc, atc_run = map(shutil.which, sys.argv[1:])
    for name, (shape, form, lowest, highest) in MODELS.items():
        compiled = run(
            atc,
            "--framework=5",
            f"--model={name}.onnx",
            f"--output={name}",
            "--soc_version=CPU",
        )
        assert compiled.returncode == 0, compiled.stdout
        smallest = -(1 << (8 * struct.calcsize(form) - 1))
        for value in lowest, highest, lowest - 1, highest + 1, smallest:
            # One index, the last, is the one in question.
            count = math.prod(shape)
            indices = [highest] * (count - 1) + [value]
            Path("i.bin").write_bytes(struct.pack(f"<{count}{form}", *indices))
            texts = set()
            for threads in "1", "2":
                out = Path(f"out-{name}-{value}-{threads}")
                words = ["--input", "i=i.bin", "--output", str(out), "--quiet"]
                ran = run(atc_run, f"{name}.om", *words, "--threads", threads)
                is_good = lowest <= value <= highest
                assert ran.returncode == (0 if is_good else 255), (name, value)
                assert out.exists() == is_good, (name, value)
                texts.add(ran.stderr)
            assert len(texts) == 1, texts
            (text,) = texts
            if is_good:
                assert text == "", text
            else:
                assert text.startswith("E31003: node '"), text
                assert "picked" in text and "from -n to n - 1" in text, text


main()
