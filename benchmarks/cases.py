"""What is timed: a recipe's model at fixed shapes, with its first inputs.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx

from models import inputs, recipes
from models.recipes import Recipe
from models.sources import Sources

# The models whose speed the project promises something about.
DEFAULT = [
    "resnet50",
    "mobilenetv2",
    "vit_b16",
    "bert_base_s128",
    "unet_block",
    "ppocr_v4_det",
    "ppocr_v4_rec",
]


@dataclass
class BenchCase:
    """A folder with model.onnx (fixed shapes) and inputs/N.npy in order."""

    name: str
    folder: Path
    names: list[str]
    shape_option: str | None
    source: Path

    @property
    def model(self) -> Path:
        return self.folder / "model.onnx"

    @property
    def input_folder(self) -> Path:
        return self.folder / "inputs"

    def feeds(self) -> dict[str, np.ndarray]:
        return {
            name: np.load(self.input_folder / f"{i}.npy")
            for i, name in enumerate(self.names)
        }

    def save(self) -> None:
        table = {**dataclasses.asdict(self), "folder": str(self.folder)}
        table["source"] = str(self.source)
        (self.folder / "case.json").write_text(json.dumps(table))

    @staticmethod
    def load(folder: Path) -> BenchCase:
        table = json.loads((folder / "case.json").read_text())
        table["folder"], table["source"] = Path(table["folder"]), Path(table["source"])
        return BenchCase(**table)


def prepare(recipe: Recipe, sources: Sources, work: Path) -> BenchCase:
    """Fetches the model and writes the case's folder. Raises Unavailable."""
    path = sources.model(recipe)
    folder = work / recipe.name
    (folder / "inputs").mkdir(parents=True, exist_ok=True)
    feeds = inputs.make_feeds(recipe, recipe.cases[0], path, sources)
    for i, array in enumerate(feeds.values()):
        np.save(folder / "inputs" / f"{i}.npy", array)
    onnx.save(fix_shapes(onnx.load(path), feeds), folder / "model.onnx")
    option = recipe.input_shape_option()
    case = BenchCase(recipe.name, folder, list(feeds), option, path)
    case.save()
    return case


def fix_shapes(model: onnx.ModelProto, feeds: dict[str, np.ndarray]) -> onnx.ModelProto:
    """The model with the feeds' shapes, so that every engine knows as much."""
    for value in inputs.graph_inputs(model):
        dims = value.type.tensor_type.shape.dim
        del dims[:]
        for n in feeds[value.name].shape:
            dims.add(dim_value=n)
    # Shapes that named the old dimensions are worked out anew; an output whose
    # shape is still unknown keeps its rank.
    ranks = [len(o.type.tensor_type.shape.dim) for o in model.graph.output]
    del model.graph.value_info[:]
    for output in model.graph.output:
        output.type.tensor_type.ClearField("shape")
    model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    del model.graph.value_info[:]
    for output, rank in zip(model.graph.output, ranks):
        tensor = output.type.tensor_type
        if not tensor.HasField("shape"):
            tensor.shape.dim.extend(
                onnx.TensorShapeProto.Dimension() for _ in range(rank)
            )
    return model


def choose(names: list[str]) -> list[Recipe]:
    return recipes.select(names or DEFAULT)


def count_macs(case: BenchCase) -> int:
    """Multiply-adds of convolutions and matrix products, from the shapes seen in
    one run, counted as direct algorithms."""
    from harness import reference

    model = onnx.load(case.model)
    kinds = {"Conv", "ConvTranspose", "Gemm", "MatMul"}
    nodes = [n for n in model.graph.node if n.op_type in kinds]
    shapes = {w.name: tuple(w.dims) for w in model.graph.initializer}
    for node in model.graph.node:
        for attribute in node.attribute:
            if node.op_type == "Constant" and attribute.name == "value":
                shapes[node.output[0]] = tuple(attribute.t.dims)
    feeds = case.feeds()
    shapes.update({name: array.shape for name, array in feeds.items()})
    names = {v for n in nodes for v in (*n.input[:2], n.output[0])} - set(shapes)
    have = {o.name for o in model.graph.output}
    model.graph.output.extend(onnx.ValueInfoProto(name=v) for v in sorted(names - have))
    session = reference.session(model.SerializeToString(), optimize=False)
    wanted = sorted(names)
    for name, array in zip(wanted, session.run(wanted, feeds)):
        shapes[name] = array.shape
    return sum(node_macs(node, shapes) for node in nodes)


def node_macs(node: onnx.NodeProto, shapes: dict[str, tuple[int, ...]]) -> int:
    first, weight = shapes[node.input[0]], shapes[node.input[1]]
    result = int(np.prod(shapes[node.output[0]]))
    if node.op_type == "Conv":
        return result * int(np.prod(weight[1:]))
    if node.op_type == "ConvTranspose":
        return int(np.prod(first)) * int(np.prod(weight[1:]))
    if node.op_type == "MatMul":
        return result * first[-1]
    transposed = any(a.name == "transA" and a.i for a in node.attribute)
    return result * first[0 if transposed else 1]
