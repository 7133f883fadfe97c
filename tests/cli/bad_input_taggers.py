"""Wrong output of neural taggers and classifiers, and what is said to it: part of the table of `bad_input.py`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from tests.cli.bad_input import Wrong, archive

LABELS = "O,B-PER,I-PER"


def predictions(**changes: Any) -> dict[str, bytes]:
    """An archive as the output of a Trainer is saved: two sentences of four tokens, three labels."""
    logits = np.random.default_rng(0).normal(size=(2, 4, 3)).round(3)
    held = {"predictions": logits, "label_ids": np.array([[1, 2, 0, -100], [0, 1, -100, -100]])}
    return {"x.npz": archive(**held | changes)}


def changed(at: tuple[int, ...], value: float) -> np.ndarray[Any, Any]:
    """The logits with one changed."""
    logits = np.random.default_rng(0).normal(size=(2, 4, 3)).round(3)
    logits[at] = value
    return logits


def pipeline(*records: dict[str, Any]) -> dict[str, bytes]:
    """Scores of a pipeline, one line for each text."""
    return {"x.jsonl": "".join(json.dumps(one) + "\n" for one in records).encode()}


def scored(*pairs: tuple[str, float], gold: str) -> dict[str, Any]:
    """The scores of the classes of a text, and the right one."""
    return {"gold": gold, "scores": [{"label": label, "score": score} for label, score in pairs]}


SPANS = f"sequences spans x.npz --labels {LABELS}"
GOOD = scored(("a", 0.6), ("b", 0.4), gold="a")
TOKENS = [[{"entity": "B-PER", "score": 0.9, "index": 1, "word": "Ann", "start": 0, "end": 3}]]

NEURAL = [
    Wrong(
        "labels without names",
        "sequences spans x.npz",
        "x.npz does not name its labels; give --labels, separated by commas in the order of the logits, "
        "or the config.json of the model.",
        predictions(),
    ),
    Wrong(
        "a label too few",
        "sequences spans x.npz --labels O,B-PER",
        "labels must name every column of the logits; there are 2 labels and 3 columns.",
        predictions(),
    ),
    Wrong(
        "labels of no entities",
        "sequences spans x.npz --labels D,N,V",
        "labels must be O, B-TYPE, I-TYPE (or with E-, S-, L-, U-, M-) to speak of entities; they hold 'D'.",
        predictions(),
    ),
    Wrong(
        "another grammar's labels",
        f"{SPANS} --grammar bioes",
        "grammar 'bioes' allows 'B-PER' in no sentence: labels hold no label that may stand before or "
        "after it. Do they follow another grammar (BIO, BIOES, IOB1)?",
        predictions(),
    ),
    Wrong(
        "logits that are none",
        SPANS,
        "logits must be finite, or -inf (forbidden); sentence 0, row 1 holds nan for I-PER. (Rows are counted from 0.)",
        predictions(predictions=changed((0, 1, 2), np.nan)),
    ),
    Wrong(
        "padding taken for a prediction",
        SPANS,
        "logits of sentence 1, row 3 are all -100: padding, no prediction. Give label_ids, word_ids or mask "
        "to say which rows count. (Rows are counted from 0.)",
        {"x.npz": archive(logits=changed((1, 3), -100.0))},
    ),
    Wrong(
        "a number that is no label's",
        SPANS,
        "label_ids must lie below the number of labels, 3; sentence 0 holds 3.",
        predictions(label_ids=np.full((2, 4), 3)),
    ),
    Wrong(
        "labels of other sentences",
        SPANS,
        "label_ids must be those of the 2 sentences; they are of 3.",
        predictions(label_ids=np.zeros((3, 4), dtype=int)),
    ),
    Wrong(
        "an archive without logits",
        SPANS,
        "x.npz holds no logits: an array named logits or predictions; its arrays are scores.",
        {"x.npz": archive(scores=np.zeros(3))},
    ),
    Wrong(
        "labels named twice",
        f"{SPANS} --targets y.npy",
        "x.npz holds the numbers of the right labels; --targets y.npy names them again.",
        predictions(),
    ),
    Wrong(
        "a config.json without labels",
        "sequences spans x.npz --labels config.json",
        "config.json is no config.json of a model: it has no id2label by number.",
        predictions() | {"config.json": b"{}"},
    ),
    Wrong(
        "logits with Python objects",
        "calibration x.npz",
        "x.npz cannot be read: predictions holds Python objects, which are never unpickled; save numbers"
        " or text (dtype str).",
        predictions(predictions=np.array([None, None], dtype=object)),
    ),
    Wrong(
        "labels of a regression",
        "calibration x.npz",
        "label_ids of x.npz must be numbers of classes, integers; they are float64. Of several labels "
        "per text, each is a column of its own; of a regression no probabilities follow.",
        predictions(label_ids=np.zeros((2, 4))),
    ),
    Wrong(
        "an archive that is cut off",
        "calibration x.npz",
        "x.npz cannot be read: it is not a complete archive (File is not a zip file). Was it cut off?",
        {"x.npz": predictions()["x.npz"][:200]},
    ),
    Wrong(
        "scores of some classes",
        "calibration x.jsonl",
        "line 1 of x.jsonl: its scores sum to 0.9, not to 1. Write the scores of all classes "
        "(top_k=None); scores of labels that do not exclude each other (sigmoid) are one column each.",
        pipeline(scored(("a", 0.6), ("b", 0.3), gold="a")),
    ),
    Wrong(
        "a right label that is no class",
        "calibration x.jsonl",
        "line 2 of x.jsonl: its label 'c' is none of the classes a, b.",
        pipeline(GOOD, scored(("a", 0.6), ("b", 0.4), gold="c")),
    ),
    Wrong(
        "the output of a token-classification pipeline",
        "calibration x.json",
        "sample 1 of x.json: a token-classification pipeline keeps the score of the best label alone, "
        "and leaves out what it calls O: of that there is no posterior. Save the logits by "
        "Trainer.predict, and use `howsure sequences spans`.",
        {"x.json": json.dumps(TOKENS).encode()},
    ),
    Wrong(
        "scores of a pipeline without the right labels",
        "calibration x.json",
        "--target must name the column of the true label; x.json holds none by itself.",
        {"x.json": json.dumps([GOOD["scores"]] * 3).encode()},
    ),
]
