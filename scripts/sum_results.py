#!/usr/bin/env python3
"""Adds up JUnit XML files.

    scripts/sum_results.py DIR [--missing NAME ...]

Prints a line per file and at last "N passed, N failed, N skipped". A suite
named by --missing ended without a file: it counts as one failure. Exit code 1
if anything failed or nothing passed.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from xml.etree import ElementTree

FAILURES = {"failure", "error"}


def count(path: Path) -> tuple[int, int, int]:
    """Passed, failed, skipped of one file."""
    passed = failed = skipped = 0
    for case in ElementTree.parse(path).iter("testcase"):
        tags = {child.tag for child in case}
        if tags & FAILURES:
            failed += 1
        elif "skipped" in tags or case.get("status") in {"disabled", "notrun"}:
            skipped += 1
        else:
            passed += 1
    return passed, failed, skipped


def failures(path: Path) -> list[str]:
    names = []
    for case in ElementTree.parse(path).iter("testcase"):
        if {child.tag for child in case} & FAILURES:
            names.append(case.get("name", "?"))
    return names


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--missing", nargs="*", default=[])
    arguments = parser.parse_args()
    total = [0, len(arguments.missing), 0]
    for name in arguments.missing:
        print(f"{name:<12} ended without results")
    for path in sorted(arguments.folder.glob("*.xml")):
        try:
            counts = count(path)
        except ElementTree.ParseError as error:
            print(f"{path.stem:<12} {error}")
            counts = (0, 1, 0)
        else:
            for name in failures(path)[:50]:
                print(f"  failed: {path.stem}: {name}")
        print("{:<12} {} passed, {} failed, {} skipped".format(path.stem, *counts))
        total = [a + b for a, b in zip(total, counts)]
    print("{} passed, {} failed, {} skipped".format(*total), flush=True)
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    sys.exit(main())
