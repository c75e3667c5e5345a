#!/usr/bin/env python3
"""Writes the IR of each phase into docs/pipeline.md, or checks that it is there.

    pipeline_doc.py --bin build/release            rewrite the listings
    pipeline_doc.py --bin build/release --check    fail if they changed

The document says what each listing shows in a comment before it:
`<!-- phase: select -->` or `<!-- code -->`. `from: TEXT` begins at the first line
that holds a text, and ends with its block or, with `to: TEXT`, at another line.
The model is the listing in `onnx`, in the syntax that import_onnx.py explains.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import difflib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "test" / "lit" / "Frontend" / "Onnx" / "Inputs"))
from import_onnx import Parser

DOCUMENT = ROOT / "docs" / "pipeline.md"
DEVICE = "TinyNpu"
MODEL = re.compile(r"```onnx\n(.*?)```", re.DOTALL)
LISTING = re.compile(
    r"<!-- (?P<what>phase: (?P<phase>\w+)|code)(?: from: (?P<first>.+?))?"
    r"(?: to: (?P<last>.+?))? -->\n```(?P<language>\w+)\n(?P<text>.*?)```\n",
    re.DOTALL,
)


class Compiler:
    """What the tools say of the model; each question is asked once."""

    def __init__(self, bin_folder: Path, scratch: Path, model: bytes):
        self.bin_folder, self.scratch = bin_folder, scratch
        self.model = scratch / "layer.onnx"
        self.model.write_bytes(model)
        self.known: dict[str, list[str]] = {}

    def tool(self, folder: str, name: str) -> str:
        found = self.bin_folder / "tools" / folder / name
        return str(found if found.exists() else self.bin_folder / name)

    def compile(self, output: Path, *options: str) -> None:
        command = [
            self.tool("atc-cli", "atc"),
            "--framework=5",
            f"--model={self.model}",
            f"--output={output}",
            f"--soc_version={DEVICE}",
            *options,
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def lines(self, phase: str | None) -> list[str]:
        """The IR after a phase, or the code of the offline model."""
        key = phase or "code"
        if key in self.known:
            return self.known[key]
        output = self.scratch / (phase or "layer.om")
        if phase:
            self.compile(output, f"--stop_after={phase}")
            text = output.read_text()
        else:
            self.compile(output)
            shown = subprocess.run(
                [self.tool("atc-objdump", "atc-objdump"), str(output)],
                check=True,
                capture_output=True,
                text=True,
            )
            # The first line names the file.
            text = shown.stdout.partition("\n")[2]
        self.known[key] = text.strip("\n").split("\n")
        return self.known[key]


def excerpt(lines: list[str], first: str | None, last: str | None) -> str:
    begin = next((i for i, line in enumerate(lines) if first and first in line), 0)
    indent = len(lines[begin]) - len(lines[begin].lstrip())
    # Without `to:` a block ends at the brace under its begin.
    final = last or " " * indent + "}"
    rest = range(begin + 1, len(lines))
    matches = (i for i in rest if (final in lines[i] if last else lines[i] == final))
    end = next(matches, len(lines) - 1)
    chosen = lines[begin : end + 1]
    indent = min(len(line) - len(line.lstrip()) for line in chosen if line.strip())
    return "".join(line[indent:].rstrip() + "\n" for line in chosen)


def fill(document: str, compiler: Compiler) -> str:
    def listing(match: re.Match) -> str:
        text = excerpt(compiler.lines(match["phase"]), match["first"], match["last"])
        head = match[0][: match.start("text") - match.start()]
        return f"{head}{text}```\n"

    return LISTING.sub(listing, document)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bin", type=Path, required=True, help="tree with the tools")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    old = DOCUMENT.read_text()
    with tempfile.TemporaryDirectory(prefix="atc-") as scratch:
        model = Parser(MODEL.search(old)[1]).model()
        new = fill(old, Compiler(arguments.bin, Path(scratch), model))
    if not arguments.check:
        DOCUMENT.write_text(new)
        return 0
    changes = difflib.unified_diff(
        old.splitlines(True), new.splitlines(True), "docs/pipeline.md", "the compiler"
    )
    text = "".join(changes)
    print(text or "the listings are those of the compiler")
    return 1 if text else 0


if __name__ == "__main__":
    sys.exit(main())
