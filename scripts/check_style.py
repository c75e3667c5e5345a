#!/usr/bin/env python3
"""Checks the looks of the tree: formats, sizes, names, words.

    scripts/check_style.py [--changed BASE] [--fix] [--junit FILE]

All tracked files, or with --changed those that differ from the commit BASE.
--fix lets the formatters write.

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
CPP = {".h", ".cpp", ".c"}
TEXT = CPP | {".def", ".td", ".py", ".sh", ".md", ".toml", ".mlir", ".cmake", ".txt"}
# Other people's files, as they wrote them.
FOREIGN = "third_party/"

MOST_LINES = 800
LINE_LIMITED = CPP | {".td", ".py"}

# Pattern, the files it applies to, why.
BANNED = [
    (r"(?<![\w.])/(work|root|home|farm)/\w", TEXT, "a path of one machine"),
    (r"(?<![\w.])/tmp/\w", TEXT, "a path of one machine"),
    (r"\b(TODO|FIXME|XXX|HACK)\b(?!\(#\d+\))", CPP | {".td", ".py"}, "open ends"),
    (r"^using namespace\b", {".h"}, "opens a namespace for every includer"),
    (r"\blet constructor\b", {".td"}, "passes use generated constructors"),
]
# Libraries report errors as values and print nothing by themselves.
BANNED_IN_LIBRARIES = [
    (r"\bcl::opt\b", "options are structs, parsed in tools"),
    (r"\bllvm::(errs|outs)\(\)|\bstd::(cerr|cout)\b", "a library prints"),
    (r"(?<![\w.:>])(?:std::)?(?:exit|abort)\(", "a library ends the process"),
    (r"\breport_fatal_error\b", "a library ends the process"),
]
VAGUE_NAME = re.compile(r"(^|/)(\w*Utils?|Misc|Helpers?)\.(h|cpp|td|py)$")
NAMED_FILE = re.compile(
    r"`((?:benchmarks|cmake|docs|examples|include|lib|models|scripts|test|tools)"
    r"/[\w./*-]*)`"
)
LINKED_FILE = re.compile(r"\]\((?!\w+:)([\w./-]+)[^)]*\)")
BANNER = "SPDX-License-Identifier: Apache-2.0"
BANNERED = CPP | {".def", ".td", ".py", ".sh"}


def git(*words: str) -> list[str]:
    command = ["git", "-C", str(ROOT), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def files(base: str | None) -> list[Path]:
    """Tracked files, or those changed since `base`, that still exist."""
    names = git("diff", "--name-only", base) if base else git("ls-files")
    paths = (ROOT / n for n in names if not n.startswith(FOREIGN))
    return [p for p in paths if p.is_file()]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def of_kind(paths: list[Path], suffixes: set[str]) -> list[Path]:
    return [p for p in paths if p.suffix in suffixes]


def check_words(paths: list[Path]) -> list[str]:
    faults = []
    for path in paths:
        rules = [(p, why) for p, suffixes, why in BANNED if path.suffix in suffixes]
        if name_of(path).startswith("lib/"):
            rules += BANNED_IN_LIBRARIES
        # The rules themselves name what they ban.
        if not rules or path == Path(__file__).resolve():
            continue
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            for pattern, why in rules:
                if found := re.search(pattern, line):
                    text = found.group().strip()
                    faults.append(f"{name_of(path)}:{number}: '{text}': {why}")
    return faults


def check_sizes(paths: list[Path]) -> list[str]:
    faults = []
    for path in of_kind(paths, LINE_LIMITED):
        count = len(path.read_text("utf-8").splitlines())
        if count > MOST_LINES:
            faults.append(f"{name_of(path)}: {count} lines, more than {MOST_LINES}")
    return faults


def check_names(paths: list[Path]) -> list[str]:
    return [
        f"{name_of(p)}: a name that says nothing"
        for p in paths
        if VAGUE_NAME.search(name_of(p))
    ]


def check_banners(paths: list[Path]) -> list[str]:
    faults = []
    for path in of_kind(paths, BANNERED):
        head = path.read_text("utf-8").splitlines()[:40]
        if head and not any(BANNER in line for line in head):
            faults.append(f"{name_of(path)}: no licence line")
    return faults


def tool(*names: str) -> str | None:
    """The first of `names` that is installed, here or beside this Python."""
    for name in names:
        if found := shutil.which(name) or shutil.which(
            name, path=str(Path(sys.executable).parent)
        ):
            return found
    return None


def run_formatter(command: list[str], paths: list[Path]) -> list[str]:
    """Lines that a formatter or linter complains with."""
    if not paths:
        return []
    done = subprocess.run(
        [*command, *map(str, paths)], capture_output=True, text=True, cwd=ROOT
    )
    if done.returncode == 0:
        return []
    lines = (done.stdout + done.stderr).splitlines()
    return [line for line in lines if ": error:" in line or ": warning:" in line] or (
        lines[:20] or [f"{command[0]} ended with {done.returncode}"]
    )


def is_python(path: Path) -> bool:
    if path.suffix == ".py":
        return True
    return not path.suffix and path.read_bytes()[:40].startswith(
        b"#!/usr/bin/env python3"
    )


def check_formats(results: CheckResults, paths: list[Path], fix: bool) -> None:
    if clang_format := tool("clang-format-22"):
        how = ["-i"] if fix else ["--dry-run", "-Werror"]
        faults = run_formatter([clang_format, *how], of_kind(paths, CPP))
        results.add("clang-format", faults)
    else:
        results.skip("clang-format", "clang-format-22 is not installed")
    python = [p for p in paths if is_python(p)]
    if ruff := tool("ruff"):
        how = [] if fix else ["--check"]
        results.add("ruff-format", run_formatter([ruff, "format", *how], python))
        command = [ruff, "check", "--output-format=concise"]
        results.add("ruff", run_formatter(command, python))
    else:
        results.skip("ruff", "ruff is not installed")


def check_documents(paths: list[Path]) -> list[str]:
    """Files that documents name, in backquotes or as links, are there."""
    faults = []
    for path in of_kind(paths, {".md"}):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            named = [(ROOT, name) for name in NAMED_FILE.findall(line)]
            named += [(path.parent, name) for name in LINKED_FILE.findall(line)]
            for folder, name in named:
                if not list(folder.glob(name.rstrip("/"))):
                    faults.append(f"{name_of(path)}:{number}: no file {name}")
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--changed", metavar="BASE")
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("--junit", type=Path)
    arguments = parser.parse_args()
    paths = files(arguments.changed)
    results = CheckResults("style")
    check_formats(results, paths, arguments.fix)
    results.add("words", check_words(paths))
    results.add("sizes", check_sizes(paths))
    results.add("names", check_names(paths))
    results.add("licence-lines", check_banners(paths))
    results.add("documents", check_documents(paths))
    return results.finish(arguments.junit)


if __name__ == "__main__":
    sys.exit(main())
