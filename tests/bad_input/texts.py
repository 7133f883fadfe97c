"""The files of wrong inputs of sequences, coreference and events."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from howsure_events.store.event_store import EventStore
from tests.bad_input.files import Files, archive


def predictions(**changes: Any) -> dict[str, bytes]:
    """Write an archive like the saved output of a Trainer: two sentences of four tokens, three labels."""
    logits = np.random.default_rng(0).normal(size=(2, 4, 3)).round(3)
    arrays = {"predictions": logits, "label_ids": np.array([[1, 2, 0, -100], [0, 1, -100, -100]])}
    return {"x.npz": archive(**arrays | changes)}


def changed(at: tuple[int, ...], value: float) -> np.ndarray[Any, Any]:
    """Write the logits with one value changed."""
    logits = np.random.default_rng(0).normal(size=(2, 4, 3)).round(3)
    logits[at] = value
    return logits


def pipeline(*records: dict[str, Any]) -> dict[str, bytes]:
    """Write scores of a pipeline, one line for each text."""
    return {"x.jsonl": "".join(json.dumps(record) + "\n" for record in records).encode()}


def scored(*pairs: tuple[str, float], gold: str) -> dict[str, Any]:
    """Return the scores of the classes of a text, and the correct class."""
    return {"gold": gold, "scores": [{"label": label, "score": score} for label, score in pairs]}


GOOD = scored(("a", 0.6), ("b", 0.4), gold="a")
TOKENS = [[{"entity": "B-PER", "score": 0.9, "index": 1, "word": "Ann", "start": 0, "end": 3}]]

NEURAL = Files(
    predictions(),
    {
        "logits of nan": predictions(predictions=changed((0, 1, 2), np.nan)),
        "padding taken for a prediction": {"x.npz": archive(logits=changed((1, 3), -100.0))},
        "a number without a label": predictions(label_ids=np.full((2, 4), 3)),
        "labels of other sentences": predictions(label_ids=np.zeros((3, 4), dtype=int)),
        "an archive without logits": {"x.npz": archive(scores=np.zeros(3))},
        "logits with Python objects": predictions(predictions=np.array([None, None], dtype=object)),
        "labels of a regression": predictions(label_ids=np.zeros((2, 4))),
        "an archive that is cut off": {"x.npz": predictions()["x.npz"][:200]},
        "scores of some classes": pipeline(scored(("a", 0.6), ("b", 0.3), gold="a")),
        "a right label that is not a class": pipeline(GOOD, scored(("a", 0.6), ("b", 0.4), gold="c")),
        "the output of a token-classification pipeline": {"x.json": json.dumps(TOKENS).encode()},
        "scores of a pipeline without the right labels": {"x.json": json.dumps([GOOD["scores"]] * 3).encode()},
    },
)


SENTENCE = "1\tAnn\t_\tPROPN\tNNP\t_\t2\tnsubj\t_\tEntity=(1)\n2\tsings\t_\tVERB\tVBZ\t_\t0\troot\t_\t_\n\n"


def documents(*names: str, entities: bool = True) -> bytes:
    """Write CoNLL-U documents of two sentences, in which Ann sings."""
    text = "".join(f"# newdoc id = {name}\n{SENTENCE * 2}" for name in names)
    return (text if entities else text.replace("Entity=(1)", "_")).encode()


SCORES = "".join(
    f'{{"id": "{name}", "words": [["Ann", "sings"], ["Ann", "sings"]], "mentions": [[0, 1], [2, 3]], '
    '"scores": [[], [1.0]], "null": 0}\n'
    for name in "ab"
).encode()
GOLD = {"gold.conllu": documents("a", "b"), "scores.jsonl": SCORES}
SCORED = "coreference posterior gold.conllu --scores scores.jsonl --recalibration recalibration.json"

MENDED = Files(
    GOLD,
    {
        "a recalibration by one document": {"gold.conllu": documents("a")},
        "a recalibration by documents without entities": {"gold.conllu": documents("a", "b", entities=False)},
        "scores that lack a document of the recalibration": {"gold.conllu": documents("a", "b", "c")},
        "a file that is not a recalibration": {"recalibration.json": b"{}"},
        "a recalibration that is not JSON": {"recalibration.json": b"links = 1.2"},
    },
)


@cache
def part_of_three() -> dict[str, bytes]:
    """Write the store of the second of three parts of an input without documents."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "part-2.duckdb"
        with EventStore.create(path, {"samples": 5, "part": {"number": 2, "of": 3, "documents": 0}}) as store:
            store.finish()
        return {path.name: path.read_bytes()}


APART = Files(
    {}, {"a part of an input used as a store": part_of_three(), "parts of which some are missing": part_of_three()}
)
