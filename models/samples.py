"""Pictures and texts to feed to models: photographs from a package, drawings.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from models.recipes import RecipeError, Unavailable
from models.sources import Sources

# Photographs that scikit-image ships, in the public domain by its own notes.
PHOTO_PACKAGE = {"kind": "pypi", "package": "scikit-image", "version": "0.26.0"}
PHOTO_DIGESTS = {
    "astronaut": "88431cd9653ccd539741b555fb0a46b61558b301d4110412b5bc28b5e3ea6cb5",
    "chelsea": "596aa1e7cb875eb79f437e310381d26b338a81c2da23439704a73c4651e8c4bb",
    "coffee": "cc02f8ca188b167c775a7101b5d767d1e71792cf762c33d6fa15a4599b5a8de7",
}

FONT = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")

PYTHON_SOURCE = '''\
import json
from pathlib import Path


class Inventory:
    """Counts things by name."""

    def __init__(self, path):
        self.path = Path(path)
        self.counts = {}

    def add(self, name, count=1):
        if count < 0:
            raise ValueError(f"cannot add {count} of {name}")
        self.counts[name] = self.counts.get(name, 0) + count
        return self.counts[name]

    def save(self):
        with open(self.path, "w") as file:
            json.dump(self.counts, file, indent=2, sort_keys=True)


if __name__ == "__main__":
    inventory = Inventory("things.json")
    for name in ("apple", "pear", "apple"):
        inventory.add(name)
    inventory.save()
'''

TEXTS = {"python_source": PYTHON_SOURCE}


def photo(sources: Sources, name: str) -> Image.Image:
    if name not in PHOTO_DIGESTS:
        raise RecipeError(f"unknown photograph '{name}'")
    source = {**PHOTO_PACKAGE, "file": f"skimage/data/{name}.png"}
    path = sources.file(source, PHOTO_DIGESTS[name], f"{name}.png")
    return Image.open(path).convert("RGB")


def font(size: int) -> ImageFont.FreeTypeFont:
    if not FONT.exists():
        raise Unavailable("the DejaVu fonts are not installed")
    return ImageFont.truetype(str(FONT), size)


def draw_line(text: str, height: int, width: int) -> Image.Image:
    """Black text on white, as high as the picture allows, from the left."""
    image = Image.new("RGB", (width, height), "white")
    size = round(height * 0.72)
    while font(size).getlength(text) > width - height // 4:
        size -= 1
    position = (height // 8, height // 2)
    ImageDraw.Draw(image).text(position, text, "black", font(size), anchor="lm")
    return image


def draw_page(lines: list[str], height: int, width: int) -> Image.Image:
    """A page with one line of text in each of equal bands."""
    image = Image.new("RGB", (width, height), (250, 248, 240))
    draw = ImageDraw.Draw(image)
    for i, line in enumerate(lines):
        middle = round((i + 0.5) * height / len(lines))
        draw.text(
            (width // 10, middle), line, (20, 20, 60), font(height // 16), anchor="lm"
        )
    return image


def draw_digit(digit: str, size: int) -> Image.Image:
    """A white digit on black, centred, with the margin that MNIST leaves."""
    image = Image.new("RGB", (size, size), "black")
    ImageDraw.Draw(image).text(
        (size / 2, size / 2), digit, "white", font(round(size * 0.85)), anchor="mm"
    )
    return image


def picture(sources: Sources, table: dict, height: int, width: int) -> Image.Image:
    """The picture that a feed's table names, turned by `turn` degrees."""
    return untilted(sources, table, height, width).rotate(table.get("turn", 0))


def untilted(sources: Sources, table: dict, height: int, width: int) -> Image.Image:
    if "photo" in table:
        return photo(sources, table["photo"])
    if "line" in table:
        return draw_line(table["line"], height, width)
    if "page" in table:
        return draw_page(table["page"], height, width)
    if "digit" in table:
        return draw_digit(table["digit"], height)
    raise RecipeError(f"no picture in {table}")
