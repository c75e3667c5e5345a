"""Checks a model's outputs against what a person would say of the input.

A difference of outputs says that two programs agree; these say that the model
still does its job. Each checker takes the outputs in the model's order and the
recipe's table, and returns what it read; a wrong answer raises WrongAnswer.

SPDX-License-Identifier: Apache-2.0
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx

from models import samples
from models.recipes import RecipeError
from models.sources import Sources


class WrongAnswer(Exception):
    pass


def expect(found, wanted) -> str:
    if found != wanted:
        raise WrongAnswer(f"answers {found!r}, expected {wanted!r}")
    return str(found)


def top_class(outputs, table, path, sources) -> str:
    return expect(int(outputs[0].ravel().argmax()), table["class"])


def ctc_text(outputs, table, path, sources) -> str:
    # The empty end of the picture may read as a space.
    text = decode_ctc(outputs[0][0], characters(path)).rstrip()
    return expect(text, table["text"])


def characters(path: Path) -> list[str]:
    """The alphabet of a PaddleOCR recognizer: blank, the keys in the model's
    metadata, space."""
    model = onnx.load(path)
    for entry in model.metadata_props:
        if entry.key == "character":
            return ["", *entry.value.splitlines(), " "]
    raise RecipeError(f"{path.name} carries no alphabet")


def decode_ctc(probabilities: np.ndarray, alphabet: list[str]) -> str:
    """Greedy decoding of [steps, symbols]: best symbol of each step, repeats
    merged, blanks (symbol 0) dropped."""
    best = probabilities.argmax(-1)
    changed = np.concatenate([[True], best[1:] != best[:-1]])
    return "".join(alphabet[i] for i in best[changed])


def text_lines(outputs, table, path, sources) -> str:
    """Counts bands of rows in which a detector sees text."""
    rows = (outputs[0][0, 0] > 0.3).any(axis=1).astype(int)
    return expect(int((np.diff(rows, prepend=0) == 1).sum()), table["lines"])


def best_score(outputs, table, path, sources) -> str:
    """The best score of output `output`, column `column`; logits go through a
    sigmoid. Where `boxes` names an output of corner boxes in fractions, the
    best box must have its centre inside `within` (left, top, right, bottom)."""
    scores = outputs[table.get("output", 0)][0][:, table.get("column", 0)]
    index = int(scores.argmax())
    score = float(scores[index])
    if table.get("logits"):
        score = 1 / (1 + np.exp(-score))
    if score < table["least"]:
        raise WrongAnswer(f"best score {score:.2f}, expected {table['least']}")
    if "boxes" in table:
        x0, y0, x1, y1 = outputs[table["boxes"]][0][index]
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        left, top, right, bottom = table["within"]
        if not (left <= x <= right and top <= y <= bottom):
            raise WrongAnswer(f"best box is centred at {x:.2f}, {y:.2f}")
    return f"{score:.2f}"


def best_object(outputs, table, path, sources) -> str:
    """Rows of box (4), objectness, class scores: class of the best product."""
    rows = outputs[0][0]
    scores = rows[:, 4:5] * rows[:, 5:]
    return expect(int(scores.argmax() % scores.shape[1]), table["class"])


def file_type(outputs, table, path, sources) -> str:
    """A label among the names that the model's configuration lists."""
    import json

    config = sources.file(table["config"], table["sha256"], "magika_config.json")
    labels = json.loads(config.read_text())["target_labels_space"]
    return expect(labels[int(outputs[0].ravel().argmax())], table["label"])


def super_resolution(outputs, table, path, sources) -> str:
    """Peak signal-to-noise ratio against the photograph at the output's size."""
    got = outputs[0][0].transpose(1, 2, 0)
    height, width = got.shape[:2]
    photo = samples.photo(sources, table["photo"]).resize((width, height))
    wanted = np.asarray(photo, np.float32) / 255
    error = float(np.square(np.clip(got, 0, 1) - wanted).mean())
    ratio = -10 * np.log10(error)
    if ratio < table["least"]:
        raise WrongAnswer(f"{ratio:.1f} dB, expected {table['least']}")
    return f"{ratio:.1f} dB"


CHECKERS = {
    "top_class": top_class,
    "ctc_text": ctc_text,
    "text_lines": text_lines,
    "best_score": best_score,
    "best_object": best_object,
    "file_type": file_type,
    "super_resolution": super_resolution,
}


def check(outputs: list[np.ndarray], table: dict, path: Path, sources: Sources) -> str:
    """What the outputs say, in a few words. Raises WrongAnswer."""
    if table["kind"] not in CHECKERS:
        raise RecipeError(f"unknown kind of answer '{table['kind']}'")
    return CHECKERS[table["kind"]](outputs, table, path, sources)
