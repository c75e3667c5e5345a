"""Results of checks that find faults line by line, as text and JUnit XML.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree


class CheckResults:
    def __init__(self, suite: str):
        self.suite = suite
        self.checks: dict[str, list[str]] = {}
        self.skipped: dict[str, str] = {}

    def add(self, name: str, faults: list[str]) -> None:
        """A check with what it found; nothing means that it passed."""
        self.checks[name] = faults
        for fault in faults:
            print(fault)

    def skip(self, name: str, reason: str) -> None:
        self.skipped[name] = reason

    def finish(self, junit: Path | None) -> int:
        """Writes the file, prints the counts; the exit code."""
        failed = sum(bool(faults) for faults in self.checks.values())
        if junit:
            self.write(junit, failed)
        passed, skipped = len(self.checks) - failed, len(self.skipped)
        print(f"{self.suite}: {passed} passed, {failed} failed, {skipped} skipped")
        return 1 if failed else 0

    def write(self, path: Path, failed: int) -> None:
        suite = ElementTree.Element(
            "testsuite",
            name=self.suite,
            tests=str(len(self.checks) + len(self.skipped)),
            failures=str(failed),
        )
        for name, faults in self.checks.items():
            case = ElementTree.SubElement(
                suite, "testcase", classname=self.suite, name=name
            )
            if faults:
                message = "\n".join(faults[:20])
                ElementTree.SubElement(case, "failure", message=message)
        for name, reason in self.skipped.items():
            case = ElementTree.SubElement(
                suite, "testcase", classname=self.suite, name=name
            )
            ElementTree.SubElement(case, "skipped", message=reason)
        path.parent.mkdir(parents=True, exist_ok=True)
        ElementTree.ElementTree(suite).write(path, encoding="utf-8")
