#!/usr/bin/env python3
"""Checks who includes whom, and that what is deployed is free of LLVM.

    scripts/check_includes.py [--bin DIR] [--junit FILE]

Rooms and their rules are those of docs/architecture.md. With --bin, the runner
and the disassembler of that build tree are looked at too: they may not link
LLVM or protobuf, nor hold a symbol of them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from check_results import CheckResults

ROOT = Path(__file__).resolve().parents[1]
INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^>"]+)[>"]', re.MULTILINE)
SOURCES = {".h", ".cpp", ".c", ".def", ".inc"}

BASE = {"Support", "Isa"}
COMPILER = BASE | {"Dialect", "Target"}

# Room: rooms whose headers it may include, besides its own.
ALLOWED = {
    "Support": set(),
    "Isa": {"Support"},
    "Dialect": BASE,
    "Target": BASE | {"Dialect"},
    "Frontend": COMPILER,
    "Passes": COMPILER,
    "Pipelines": COMPILER | {"Frontend", "Passes"},
    "Codegen/Common": COMPILER,
    "Codegen/Cpu": COMPILER | {"Codegen/Common"},
    "Codegen/Npu": COMPILER | {"Codegen/Common"},
    "Model": {"Support"},
    "Simulator": BASE,
    "Runtime": BASE | {"Model", "Simulator"},
}
EVERY_ROOM = set(ALLOWED) | {"Driver"}
ALLOWED["Driver"] = EVERY_ROOM
DEPLOYED = BASE | {"Model", "Runtime", "Simulator"}
DEPLOYED_TOOLS = {"atc-run", "atc-objdump"}

FOREIGN = re.compile(r"^(llvm|llvm-c|mlir|mlir-c|lld|clang|google)/|\.pb\.h$")
FOREIGN_LIBRARY = re.compile(r"lib(LLVM|MLIR|lld\w*|protobuf)")
FOREIGN_SYMBOL = re.compile(r"\b(llvm::|mlir::|google::protobuf|LLVM[A-Z]\w+$)")


def room_of(parts: tuple[str, ...]) -> str | None:
    """The room of a path below lib/ or include/atc/."""
    depth = 2 if parts[:1] == ("Codegen",) else 1
    name = "/".join(parts[:depth])
    return name if name in EVERY_ROOM else None


def owner(path: Path) -> tuple[str, set[str], bool] | None:
    """The room or tool of a file, the rooms it may include, and whether it
    belongs to what is deployed."""
    parts = path.relative_to(ROOT).parts
    if parts[0] == "tools" and len(parts) > 2:
        deployed = parts[1] in DEPLOYED_TOOLS
        return f"tools/{parts[1]}", DEPLOYED if deployed else EVERY_ROOM, deployed
    below = parts[1:] if parts[0] == "lib" else parts[2:]
    room = room_of(below)
    if room is None:
        return None
    return room, ALLOWED[room] | {room}, room in DEPLOYED


def source_files() -> list[Path]:
    folders = ROOT / "lib", ROOT / "include" / "atc", ROOT / "tools"
    files = (p for folder in folders for p in folder.rglob("*"))
    return sorted(p for p in files if p.suffix in SOURCES)


def check_file(path: Path) -> list[str]:
    """Broken rules of one file, each in a line."""
    found = owner(path)
    name = path.relative_to(ROOT)
    if found is None:
        return [] if len(name.parts) < 3 else [f"{name}: stands in no room"]
    room, allowed, deployed = found
    broken = []
    for header in INCLUDE.findall(path.read_text(errors="replace")):
        if header.startswith("atc/"):
            target = room_of(tuple(header.split("/")[1:]))
            if target and target not in allowed:
                broken.append(f"{name}: {room} includes {header}")
        elif deployed and FOREIGN.search(header):
            broken.append(f"{name}: {room} is deployed, includes {header}")
    return broken


def output_of(*command: str | Path) -> str:
    return subprocess.run(
        [str(c) for c in command], capture_output=True, text=True, check=True
    ).stdout


def check_program(path: Path) -> list[str]:
    """What a deployed program links and holds that it must not."""
    dynamic = output_of("readelf", "--dynamic", "--wide", path)
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic)
    broken = [f"{path.name} links {n}" for n in needed if FOREIGN_LIBRARY.match(n)]
    symbols = output_of("nm", "--demangle", path)
    held = [line for line in symbols.splitlines() if FOREIGN_SYMBOL.search(line)]
    broken += [f"{path.name} holds {line.strip()}" for line in held[:5]]
    return broken


def deployed_programs(folder: Path) -> list[Path]:
    found = (p for tool in DEPLOYED_TOOLS for p in folder.rglob(tool))
    return sorted(p for p in found if p.is_file())


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--bin", type=Path, help="build or install tree")
    parser.add_argument("--junit", type=Path)
    arguments = parser.parse_args()
    results = CheckResults("includes")
    broken = [line for path in source_files() for line in check_file(path)]
    results.add("include-rules", broken)
    if arguments.bin:
        programs = deployed_programs(arguments.bin)
        missing = DEPLOYED_TOOLS - {p.name for p in programs}
        results.add("deployed-programs-built", [f"no {name}" for name in missing])
        for program in programs:
            results.add(f"{program.name}-links-no-llvm", check_program(program))
    return results.finish(arguments.junit)


if __name__ == "__main__":
    sys.exit(main())
