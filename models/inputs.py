"""Makes the arrays that a case feeds to a model.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import onnx
from PIL import Image

from models import samples
from models.recipes import Case, Recipe, RecipeError
from models.sources import Sources

# Magika 3 reads this many bytes from each end of a file and pads with this.
MAGIKA_BYTES, MAGIKA_PADDING = 1024, 256


def graph_inputs(model: onnx.ModelProto) -> list[onnx.ValueInfoProto]:
    """The inputs that a caller must feed: an initializer has its value."""
    constants = {w.name for w in model.graph.initializer}
    return [v for v in model.graph.input if v.name not in constants]


def static_shape(value: onnx.ValueInfoProto, recipe: Recipe) -> list[int]:
    if value.name in recipe.shapes:
        return recipe.shapes[value.name]
    dims = value.type.tensor_type.shape.dim
    if not all(d.dim_value > 0 for d in dims):
        raise RecipeError(f"{recipe.name}: the shape of '{value.name}' is not static")
    return [d.dim_value for d in dims]


def make_feeds(
    recipe: Recipe, case: Case, path: Path, sources: Sources
) -> dict[str, np.ndarray]:
    """One array per input of the model at `path`, in the model's order."""
    model = onnx.load(path, load_external_data=False)
    feeds = {}
    for value in graph_inputs(model):
        shape = static_shape(value, recipe)
        elem_type = value.type.tensor_type.elem_type
        dtype = onnx.helper.tensor_dtype_to_np_dtype(elem_type)
        table = case.feeds.get(value.name)
        if table is None:
            seed = zlib.crc32(f"{recipe.name}/{value.name}".encode())
            array = noise(shape, dtype, recipe.noise.get(value.name, {}), seed)
        else:
            array = make(table, shape, sources)
        array = np.ascontiguousarray(array, dtype)
        if list(array.shape) != shape:
            raise RecipeError(
                f"{recipe.name}: '{value.name}' has shape {shape}, "
                f"case '{case.name}' makes {list(array.shape)}"
            )
        feeds[value.name] = array
    unknown = set(case.feeds) - set(feeds)
    if unknown:
        raise RecipeError(f"{recipe.name}: no input is called {sorted(unknown)}")
    return feeds


def noise(shape: list[int], dtype: np.dtype, table: dict, seed: int) -> np.ndarray:
    """Normal floats, or integers in [low, high); `fill` gives one value."""
    generator = np.random.default_rng(seed)
    if "fill" in table:
        return np.full(shape, table["fill"], dtype)
    if dtype.kind in "iu":
        low, high = table.get("low", 0), table.get("high", 100)
        return generator.integers(low, high, shape).astype(dtype)
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(dtype)
    mean, std = table.get("mean", 0.0), table.get("std", 1.0)
    return (mean + std * generator.standard_normal(shape)).astype(dtype)


def make(table: dict, shape: list[int], sources: Sources) -> np.ndarray:
    if "ids" in table:
        return padded_ids(table["ids"], shape, table.get("pad", 0))
    if "fill" in table:
        return np.full(shape, table["fill"])
    if "bytes" in table:
        return magika_bytes(samples.TEXTS[table["bytes"]].encode(), shape)
    return image(table, shape, sources)


def padded_ids(ids: list[int], shape: list[int], pad: int) -> np.ndarray:
    """Token ids at the start of the last dimension."""
    result = np.full(shape, pad, np.int64)
    result[..., : len(ids)] = ids
    return result


def magika_bytes(content: bytes, shape: list[int]) -> np.ndarray:
    """The stripped bytes' head, padded after, and tail, padded before."""
    content = content.strip()
    result = np.full(shape, MAGIKA_PADDING, np.int64)
    head, tail = content[:MAGIKA_BYTES], content[-MAGIKA_BYTES:]
    result[..., : len(head)] = list(head)
    result[..., shape[-1] - len(tail) :] = list(tail)
    return result


def image(table: dict, shape: list[int], sources: Sources) -> np.ndarray:
    """A picture as `atc-run --image` prepares it: resized (`fit` is stretch or
    pad), channels in the given order, y = (x * scale - mean) / std."""
    nhwc = table.get("layout", "nchw") == "nhwc"
    height, width = shape[1:3] if nhwc else shape[2:4]
    picture = samples.picture(sources, table, height, width)
    pixels = np.asarray(fit(picture, height, width, table.get("fit", "stretch")))
    channels = table.get("channels", "rgb")
    if channels == "gray":
        pixels = np.asarray(Image.fromarray(pixels).convert("L"))[..., None]
    elif channels == "bgr":
        pixels = pixels[..., ::-1]
    count = pixels.shape[-1]
    mean = np.broadcast_to(np.float32(table.get("mean", 0)), count)
    std = np.broadcast_to(np.float32(table.get("std", 1)), count)
    scale = np.float32(table.get("scale", 1))
    y = (pixels.astype(np.float32) * scale - mean) / std
    return (y if nhwc else y.transpose(2, 0, 1))[None]


def fit(picture: Image.Image, height: int, width: int, how: str) -> Image.Image:
    if picture.size == (width, height):
        return picture
    if how == "stretch":
        return picture.resize((width, height), Image.Resampling.BILINEAR)
    if how != "pad":
        raise RecipeError(f"unknown fit '{how}'")
    ratio = min(width / picture.width, height / picture.height)
    inner = round(picture.width * ratio), round(picture.height * ratio)
    canvas = Image.new("RGB", (width, height))
    canvas.paste(picture.resize(inner, Image.Resampling.BILINEAR), (0, 0))
    return canvas
