#!/usr/bin/env python3
"""Writes the models with random weights.

    models/generate.py --output DIR [NAME ...]      all, or the named ones
    models/generate.py --list

Every model is checked by onnx and, where it is installed, run once in ONNX
Runtime: an output that is not finite, or is constant, is an error. The table
of names stands below; `op_NAME` is a model of the one operator NAME.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

import numpy as np
import onnx

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from models.generators import convolutional, detector, stress, tiny, transformers

ARCHITECTURES = {
    "resnet50": convolutional.resnet50,
    "resnet50_bn": partial(convolutional.resnet50, keep_batch_norm=True),
    "mobilenetv2": convolutional.mobilenetv2,
    "mobilenetv2_bn": partial(convolutional.mobilenetv2, keep_batch_norm=True),
    "efficientnet_b0": convolutional.efficientnet_b0,
    "efficientnet_b0_bn": partial(convolutional.efficientnet_b0, keep_batch_norm=True),
    "yolo_640": detector.yolo_640,
    "vit_b16": transformers.vit_b16,
    "vit_b16_lnop": partial(transformers.vit_b16, layer_norm_op=True),
    "bert_base_s128": transformers.bert_base,
    "bert_base_s128_lnop": partial(transformers.bert_base, layer_norm_op=True),
    "unet_block": transformers.unet_block,
    "unet_block_lnop": partial(transformers.unet_block, layer_norm_op=True),
}
SMALL = {
    "mlp_fp16": tiny.mlp_fp16,
    "conv3x3_fp16": tiny.conv3x3_fp16,
    "mlp_dynamic": tiny.mlp_dynamic,
    "chain_20000": stress.chain,
    "long_names": stress.long_names,
    "odd_names": stress.odd_names,
    "unsorted_nodes": stress.unsorted_nodes,
    **{f"op_{n}": partial(tiny.single_operator, n) for n in tiny.SINGLE_OPERATORS},
}
GENERATORS = {**ARCHITECTURES, **SMALL}
# Legal for a compiler, but not for onnx.checker (order), or slow there (size).
UNCHECKED = {"unsorted_nodes", "chain_20000"}


def generate(name: str, path: Path) -> None:
    """Writes the model `name` to `path`, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial_path = path.with_name(path.name + ".partial")
    onnx.save(GENERATORS[name](), partial_path)
    partial_path.rename(path)


def feed(value: onnx.ValueInfoProto, generator: np.random.Generator) -> np.ndarray:
    tensor = value.type.tensor_type
    shape = [d.dim_value or 2 for d in tensor.shape.dim]
    dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    if dtype.kind == "i":
        return np.ones(shape, dtype)
    return generator.standard_normal(shape).astype(dtype)


def check(path: Path) -> str:
    """Checks one model; returns a few words about it."""
    onnx.checker.check_model(str(path), full_check=True)
    try:
        import onnxruntime
    except ImportError:
        return "not run: onnxruntime is not installed"
    session = onnxruntime.InferenceSession(
        str(path), providers=["CPUExecutionProvider"]
    )
    graph, generator = onnx.load(path).graph, np.random.default_rng(0)
    feeds = {v.name: feed(v, generator) for v in graph.input}
    outputs = session.run(None, feeds)
    for output in outputs:
        if not np.isfinite(output).all() or output.std() == 0:
            raise SystemExit(f"{path.name}: an output is not finite, or constant")
    largest = ", ".join(f"{np.abs(o).max():.3g}" for o in outputs)
    count = sum(int(np.prod(w.dims)) for w in graph.initializer)
    return f"{len(graph.node)} nodes, {count / 1e6:.2f} M weights, |out| <= {largest}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--output", type=Path, help="folder for the models")
    parser.add_argument("--list", action="store_true", help="print the names")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(GENERATORS))
        return
    if not arguments.output:
        parser.error("--output is missing")
    for name in arguments.names or GENERATORS:
        if name not in GENERATORS:
            parser.error(f"no model is called {name}; --list prints the names")
        path = arguments.output / f"{name}.onnx"
        generate(name, path)
        print(f"{name}: {'written' if name in UNCHECKED else check(path)}", flush=True)


if __name__ == "__main__":
    main()
