"""Results of a driver: a table for people, JSON and JUnit XML for programs.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import collections
import json
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from xml.etree import ElementTree

PASSED = {"ok"}
SKIPPED = {"skipped", "unsupported"}


@dataclass
class Result:
    """`status` is ok, wrong, error, crash, timeout, unsupported or skipped.
    `difference` is a share of the reference's range."""

    name: str
    status: str
    reason: str = ""
    difference: float | None = None
    compile_seconds: float | None = None
    facts: dict = field(default_factory=dict)

    @property
    def failed(self) -> bool:
        return self.status not in PASSED | SKIPPED


def number(value: float | None, pattern: str) -> str:
    return "-" if value is None else format(value, pattern)


def row(result: Result, width: int) -> str:
    return (
        f"{result.name:<{width}}  {result.status:<11}  "
        f"{number(result.difference, '.1e'):>8}  "
        f"{number(result.compile_seconds, '.2f'):>9}  {result.reason}"
    ).rstrip()


def head(width: int) -> str:
    return (
        f"{'name':<{width}}  {'status':<11}  {'max diff':>8}  {'compile s':>9}  reason"
    )


class Report:
    """Collects results and prints each when it is known."""

    def __init__(self, suite: str, names: list[str], show_passed: bool = True):
        self.suite = suite
        self.results: list[Result] = []
        self.show_passed = show_passed
        self.width = min(60, max([len(n) for n in names], default=4))
        print(head(self.width), flush=True)

    def add(self, result: Result) -> None:
        self.results.append(result)
        if self.show_passed or result.failed:
            print(row(result, self.width), flush=True)

    def counts(self) -> tuple[int, int, int]:
        failed = sum(r.failed for r in self.results)
        skipped = sum(r.status in SKIPPED for r in self.results)
        return len(self.results) - failed - skipped, failed, skipped

    def finish(self, json_path: Path | None, junit_path: Path | None) -> int:
        """Writes the files, prints the summary line; the exit code."""
        self.results.sort(key=lambda r: r.name)
        if json_path:
            content = [asdict(r) for r in self.results]
            json_path.write_text(json.dumps(content, indent=1, default=str) + "\n")
        if junit_path:
            write_junit(junit_path, self.suite, self.results)
        tally = collections.Counter(r.status for r in self.results)
        print(
            f"{self.suite}: " + ", ".join(f"{n} {s}" for s, n in sorted(tally.items()))
        )
        passed, failed, skipped = self.counts()
        print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
        return 1 if failed or not self.results else 0


def write_junit(path: Path, suite: str, results: list[Result]) -> None:
    root = ElementTree.Element(
        "testsuite",
        name=suite,
        tests=str(len(results)),
        failures=str(sum(r.failed for r in results)),
        skipped=str(sum(r.status in SKIPPED for r in results)),
    )
    for result in results:
        case = ElementTree.SubElement(
            root, "testcase", classname=suite, name=printable(result.name)
        )
        message = printable(f"{result.status}: {result.reason}")
        if result.failed:
            ElementTree.SubElement(case, "failure", message=message)
        elif result.status in SKIPPED:
            ElementTree.SubElement(case, "skipped", message=message)
    path.parent.mkdir(parents=True, exist_ok=True)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)


def printable(text: str) -> str:
    """XML cannot hold control characters, not even escaped."""
    return "".join(c if c.isprintable() else "?" for c in text)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", type=Path, help="write the results as JSON")
    parser.add_argument("--junit", type=Path, help="write the results as JUnit XML")
    parser.add_argument(
        "--quiet", action="store_true", help="print rows of failures only"
    )


def progress(text: str) -> None:
    """A line for a person who waits; nothing where nobody watches."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
