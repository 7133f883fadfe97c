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
    Wrong("labels without names", "sequences spans x.npz", predictions()),
    Wrong("a label too few", "sequences spans x.npz --labels O,B-PER", predictions()),
    Wrong("labels of no entities", "sequences spans x.npz --labels D,N,V", predictions()),
    Wrong("another grammar's labels", f"{SPANS} --grammar bioes", predictions()),
    Wrong("logits that are none", SPANS, predictions(predictions=changed((0, 1, 2), np.nan))),
    Wrong("padding taken for a prediction", SPANS, {"x.npz": archive(logits=changed((1, 3), -100.0))}),
    Wrong("a number that is no label's", SPANS, predictions(label_ids=np.full((2, 4), 3))),
    Wrong("labels of other sentences", SPANS, predictions(label_ids=np.zeros((3, 4), dtype=int))),
    Wrong("an archive without logits", SPANS, {"x.npz": archive(scores=np.zeros(3))}),
    Wrong("labels named twice", f"{SPANS} --targets y.npy", predictions()),
    Wrong(
        "a config.json without labels",
        "sequences spans x.npz --labels config.json",
        predictions() | {"config.json": b"{}"},
    ),
    Wrong(
        "logits with Python objects",
        "calibration x.npz",
        predictions(predictions=np.array([None, None], dtype=object)),
    ),
    Wrong("labels of a regression", "calibration x.npz", predictions(label_ids=np.zeros((2, 4)))),
    Wrong("an archive that is cut off", "calibration x.npz", {"x.npz": predictions()["x.npz"][:200]}),
    Wrong("scores of some classes", "calibration x.jsonl", pipeline(scored(("a", 0.6), ("b", 0.3), gold="a"))),
    Wrong(
        "a right label that is no class",
        "calibration x.jsonl",
        pipeline(GOOD, scored(("a", 0.6), ("b", 0.4), gold="c")),
    ),
    Wrong(
        "the output of a token-classification pipeline",
        "calibration x.json",
        {"x.json": json.dumps(TOKENS).encode()},
    ),
    Wrong(
        "scores of a pipeline without the right labels",
        "calibration x.json",
        {"x.json": json.dumps([GOOD["scores"]] * 3).encode()},
    ),
]
