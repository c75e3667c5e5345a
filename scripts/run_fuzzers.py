#!/usr/bin/env python3
"""Runs the libFuzzer programs of test/fuzz, each for a while.

    scripts/run_fuzzers.py [--build DIR] [--seconds N] [--junit FILE] [NAME ...]

They are built by `cmake --build DIR --target fuzzers`. An input that a program
fails on is kept in DIR/fuzz/NAME-crash-*, and what it learned in
DIR/fuzz/NAME-corpus, where the next run starts.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from check_results import CheckResults

ROOT = Path(__file__).resolve().parents[1]
# A single input may take so much, no more.
MOST_SECONDS, MOST_MEGABYTES = 10, 2048


def run(program: Path, folder: Path, seconds: int) -> list[str]:
    """Faults; none if the time passed without one."""
    corpus = folder / f"{program.name}-corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    command = [
        program,
        corpus,
        f"-max_total_time={seconds}",
        f"-timeout={MOST_SECONDS}",
        f"-rss_limit_mb={MOST_MEGABYTES}",
        f"-artifact_prefix={folder / program.name}-",
        "-max_len=16384",
        "-print_final_stats=1",
    ]
    # Sizes that a file asks for may be more than there is: that is refused.
    environment = {**os.environ, "ASAN_OPTIONS": "allocator_may_return_null=1"}
    done = subprocess.run(
        command,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env=environment,
        timeout=seconds + 300,
    )
    if found := re.search(r"number_of_executed_units: (\d+)", done.stderr):
        print(f"{program.name}: {found[1]} inputs", flush=True)
    if done.returncode == 0:
        return []
    lines = done.stderr.splitlines()
    first = next((i for i, text in enumerate(lines) if "ERROR" in text), 0)
    return [f"{program.name}: {text}" for text in lines[first : first + 40]]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "asan")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--junit", type=Path)
    arguments = parser.parse_args()
    sources = sorted((ROOT / "test" / "fuzz").glob("*Fuzzer.cpp"))
    results = CheckResults("fuzzers")
    for name in arguments.names or [path.stem for path in sources]:
        program = arguments.build / "test" / "fuzz" / name
        faults = (
            run(program, arguments.build / "fuzz", arguments.seconds)
            if program.is_file()
            else [f"{program} is not built"]
        )
        results.add(name, faults)
    return results.finish(arguments.junit)


if __name__ == "__main__":
    sys.exit(main())
