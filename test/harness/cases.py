"""Finds models in folders, with the data that stands beside them.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper


class CaseError(Exception):
    """The case cannot be run here; the text is the reason."""


@dataclass
class ModelCase:
    """A model and its data sets: input files in order, output files in order.
    Without data sets the inputs are seeded and the reference is computed."""

    name: str
    model: Path
    data_sets: list[tuple[list[Path], list[Path]]]


def numbered(folder: Path, stem: str) -> list[Path]:
    files = folder.glob(f"{stem}_*.pb")
    return sorted(files, key=lambda p: int(p.stem.rsplit("_", 1)[1]))


def find(folders: list[Path]) -> list[ModelCase]:
    """Cases below `folders`: X/model.onnx with X/test_data_set_N beside it is
    called X; every other *.onnx file is a case of its own."""
    cases = []
    for folder in folders:
        files = [folder] if folder.is_file() else sorted(folder.rglob("*.onnx"))
        for path in files:
            sets = sorted(path.parent.glob("test_data_set_*"))
            sets = sets if path.name == "model.onnx" else []
            data = [(numbered(s, "input"), numbered(s, "output")) for s in sets]
            named = path.parent if data else path.with_suffix("")
            base = folder.parent if folder.is_file() else folder
            name = str(named.relative_to(base)) if named != base else named.name
            cases.append(ModelCase(name, path, data))
    return cases


def read_tensor(path: Path) -> np.ndarray:
    """A TensorProto; a sequence or an optional is not a tensor."""
    tensor = onnx.TensorProto()
    try:
        tensor.ParseFromString(path.read_bytes())
        array = numpy_helper.to_array(tensor)
    except Exception as error:  # protobuf and onnx raise many types here.
        raise CaseError(f"{path.name} does not hold a tensor") from error
    if tensor.data_type == onnx.TensorProto.UNDEFINED:
        raise CaseError(f"{path.name} does not hold a tensor")
    return array


def feedable(model: onnx.ModelProto) -> list[onnx.ValueInfoProto]:
    constants = {w.name for w in model.graph.initializer}
    return [v for v in model.graph.input if v.name not in constants]


def is_half(model: onnx.ModelProto) -> bool:
    """Whether some of the model computes in half precision: a weight, an input
    or an output is of that type, or a value is cast to it."""
    half = onnx.TensorProto.FLOAT16
    values = [*model.graph.input, *model.graph.output]
    attributes = [
        a for n in model.graph.node if n.op_type == "Cast" for a in n.attribute
    ]
    return (
        any(w.data_type == half for w in model.graph.initializer)
        or any(v.type.tensor_type.elem_type == half for v in values)
        or any(a.name == "to" and a.i == half for a in attributes)
    )


def seeded_inputs(
    model: onnx.ModelProto, name: str, open_dim: int = 2
) -> dict[str, np.ndarray]:
    """Noise for every input. Named dimensions get one size each, unnamed ones
    `open_dim`; integers stay small, so that they are valid indices."""
    generator = np.random.default_rng(zlib.crc32(name.encode()))
    sizes: dict[str, int] = {}
    feeds = {}
    for value in feedable(model):
        kind = value.type.WhichOneof("value")
        if kind != "tensor_type":
            raise CaseError(f"input '{value.name}' is a {kind}")
        tensor = value.type.tensor_type
        if not tensor.HasField("shape"):
            raise CaseError(f"input '{value.name}' has no rank")
        shape = []
        for dim in tensor.shape.dim:
            if dim.WhichOneof("value") == "dim_value" and dim.dim_value >= 0:
                shape.append(dim.dim_value)
            else:
                shape.append(sizes.setdefault(dim.dim_param or "", open_dim))
        feeds[value.name] = noise(tensor.elem_type, shape, generator, value.name)
    return feeds


def noise(
    elem_type: int, shape: list[int], generator: np.random.Generator, name: str
) -> np.ndarray:
    try:
        dtype = onnx.helper.tensor_dtype_to_np_dtype(elem_type)
    except KeyError as error:
        raise CaseError(f"input '{name}' has element type {elem_type}") from error
    if elem_type == onnx.TensorProto.STRING:
        raise CaseError(f"input '{name}' is of strings")
    if dtype.kind in "iu":
        return generator.integers(0, 2, shape).astype(dtype)
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(bool)
    return generator.standard_normal(shape).astype(dtype)


def shape_option(
    model: onnx.ModelProto, shapes: dict[str, tuple[int, ...]]
) -> list[str]:
    """--input_shape with every input's shape, where the model leaves one open."""
    open_inputs = [
        v.name
        for v in feedable(model)
        if not all(
            d.WhichOneof("value") == "dim_value" and d.dim_value >= 0
            for d in v.type.tensor_type.shape.dim
        )
    ]
    if not open_inputs:
        return []
    texts = [f"{name}:{','.join(map(str, shapes[name]))}" for name in open_inputs]
    return ["--input_shape=" + ";".join(texts)]
