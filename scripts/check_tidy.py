#!/usr/bin/env python3
"""Runs clang-tidy over what is deployed: the half of the sources without LLVM.

    scripts/check_tidy.py [--build DIR] [--all] [--junit FILE]

Reads the compile database of that build tree, build/release unless told, and
the checks of .clang-tidy; any warning is a fault. --all takes the compiler's
half as well, which lasts many times as long. Without clang-tidy, or without a
compile database, the check counts as skipped.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from check_results import CheckResults

ROOT = Path(__file__).resolve().parents[1]
RUNNER = "run-clang-tidy-22"
DEPLOYED = "(lib/(Support|Isa|Model|Runtime|Simulator)|tools/(atc-run|atc-objdump))/"
EVERYTHING = "(lib|tools)/"
FAULT = re.compile(r"^(/\S+:\d+:\d+: (?:warning|error): .*)$", re.MULTILINE)


def find_faults(build: Path, sources: str) -> list[str]:
    command = [RUNNER, "-quiet", "-p", build, f"^{re.escape(str(ROOT))}/{sources}"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    # A header's warning comes once for every file that includes it.
    faults = {fault.removeprefix(f"{ROOT}/") for fault in FAULT.findall(run.stdout)}
    if run.returncode and not faults:
        faults = {f"{RUNNER} failed: {run.stderr.strip()[-1000:]}"}
    return sorted(faults)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--junit", type=Path)
    arguments = parser.parse_args()
    results = CheckResults("tidy")
    if not shutil.which(RUNNER):
        results.skip("clang-tidy", f"{RUNNER} is not installed")
    elif not (arguments.build / "compile_commands.json").exists():
        results.skip("clang-tidy", f"{arguments.build} has no compile database")
    else:
        sources = EVERYTHING if arguments.all else DEPLOYED
        results.add("clang-tidy", find_faults(arguments.build, sources))
    return results.finish(arguments.junit)


if __name__ == "__main__":
    sys.exit(main())
