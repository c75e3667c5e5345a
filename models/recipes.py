"""Recipes: where a model comes from, what it is fed, what it must answer.

A recipe is one TOML file beside this one; docs/models.md explains its keys.
This module is the only one that reads them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent

# Largest difference over the range of the reference, by the type of the
# arithmetic. A range below RANGE_FLOOR counts as RANGE_FLOOR.
TOLERANCE = {"fp32": 1e-4, "fp16": 2e-2}
RANGE_FLOOR = 1e-2

KEYS = {
    "summary",
    "licence",
    "sha256",
    "source",
    "precision",
    "large",
    "shapes",
    "noise",
    "case",
}


class RecipeError(Exception):
    """The recipe itself is wrong: a fault of the project, never a skip."""


class Unavailable(Exception):
    """The model or a sample cannot be had here; the text is the reason."""


@dataclass(frozen=True)
class Case:
    """One set of inputs. `feeds` maps an input's name to the table that makes
    it; an empty one means seeded noise."""

    name: str
    feeds: dict[str, dict[str, Any]]
    answer: dict[str, Any] | None = None


@dataclass(frozen=True)
class Recipe:
    name: str
    summary: str
    licence: str
    source: dict[str, str]
    sha256: str | None
    precision: str = "fp32"
    # Left out where all models are run, unless asked for.
    large: bool = False
    shapes: dict[str, list[int]] = field(default_factory=dict)
    noise: dict[str, dict[str, Any]] = field(default_factory=dict)
    cases: tuple[Case, ...] = ()

    @property
    def tolerance(self) -> float:
        return TOLERANCE[self.precision]

    def input_shape_option(self) -> str | None:
        """The value of --input_shape, where the recipe fixes shapes."""
        if not self.shapes:
            return None
        return ";".join(f"{k}:{','.join(map(str, v))}" for k, v in self.shapes.items())


def load(path: Path) -> Recipe:
    with path.open("rb") as file:
        table = tomllib.load(file)
    unknown = set(table) - KEYS
    if unknown:
        raise RecipeError(f"{path.name}: unknown keys {sorted(unknown)}")
    for key in "summary", "licence", "source":
        if key not in table:
            raise RecipeError(f"{path.name}: '{key}' is missing")
    source, sha256 = table["source"], table.get("sha256")
    if source.get("kind") != "generated" and not sha256:
        raise RecipeError(f"{path.name}: a fetched model needs its sha256")
    precision = table.get("precision", "fp32")
    if precision not in TOLERANCE:
        raise RecipeError(f"{path.name}: unknown precision '{precision}'")
    cases = [
        Case(c["name"], c.get("feeds", {}), c.get("answer"))
        for c in table.get("case", [])
    ]
    cases.append(Case("noise", {}))
    return Recipe(
        name=path.stem,
        summary=table["summary"],
        licence=table["licence"],
        source=source,
        sha256=sha256,
        precision=precision,
        large=table.get("large", False),
        shapes=table.get("shapes", {}),
        noise=table.get("noise", {}),
        cases=tuple(cases),
    )


def load_all() -> dict[str, Recipe]:
    return {path.stem: load(path) for path in sorted(FOLDER.glob("*.toml"))}


def select(names: list[str]) -> list[Recipe]:
    """The named recipes, or all; an unknown name is an error."""
    recipes = load_all()
    unknown = [name for name in names if name not in recipes]
    if unknown:
        raise RecipeError(f"no recipe is called {', '.join(unknown)}")
    return [recipes[name] for name in names] if names else list(recipes.values())
