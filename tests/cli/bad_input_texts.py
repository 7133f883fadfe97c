"""Wrong inputs of sequences, coreference and events: part of the table of `bad_input.py`."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from howsure.events.store.event_store import EventStore
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


SENTENCE = "1\tAnn\t_\tPROPN\tNNP\t_\t2\tnsubj\t_\tEntity=(1)\n2\tsings\t_\tVERB\tVBZ\t_\t0\troot\t_\t_\n\n"


def documents(*names: str, entities: bool = True) -> bytes:
    """CoNLL-U documents of two sentences, in which Ann sings."""
    text = "".join(f"# newdoc id = {name}\n{SENTENCE * 2}" for name in names)
    return (text if entities else text.replace("Entity=(1)", "_")).encode()


SCORES = "".join(
    f'{{"id": "{name}", "words": [["Ann", "sings"], ["Ann", "sings"]], "mentions": [[0, 1], [2, 3]], '
    '"scores": [[], [1.0]], "null": 0}\n'
    for name in "ab"
).encode()
GOLD = {"gold.conllu": documents("a", "b"), "scores.jsonl": SCORES}
MEND = "coreference recalibrate gold.conllu"
SCORED = "coreference posterior gold.conllu --scores scores.jsonl --recalibration mended.json"

MENDED = [
    Wrong("a model in a JSON file", f"{MEND} --output mended.json", GOLD),
    Wrong("a recalibration of scores in a model file", f"{MEND} --scores scores.jsonl --output mended.npz", GOLD),
    Wrong("a recalibration by one document", f"{MEND} --output mended.npz", {"gold.conllu": documents("a")}),
    Wrong(
        "a recalibration by documents without entities",
        f"{MEND} --output mended.npz",
        {"gold.conllu": documents("a", "b", entities=False)},
    ),
    Wrong("a recalibration by pairs that all corefer", f"{MEND} --scores scores.jsonl --output mended.json", GOLD),
    Wrong("a weight below 0", f"{MEND} --weight-of-new -1 --output mended.npz", GOLD),
    Wrong(
        "scores that lack a document of the recalibration",
        f"{MEND} --scores scores.jsonl --output mended.json",
        {**GOLD, "gold.conllu": documents("a", "b", "c")},
    ),
    Wrong(
        "a recalibration beside a model",
        "coreference posterior gold.conllu --recalibration mended.json --output o.json",
        {**GOLD, "mended.json": b"{}"},
    ),
    Wrong("a recalibration that is none", SCORED, {**GOLD, "mended.json": b"{}"}),
    Wrong("a recalibration that is no JSON", SCORED, {**GOLD, "mended.json": b"links = 1.2"}),
    Wrong("more folds than documents allow", "coreference train gold.conllu --folds 2 --output model.npz", GOLD),
    Wrong("one fold", "coreference train gold.conllu --folds 1 --output model.npz", GOLD),
]


EXTRACT = "events extract news.conllu --store news.duckdb"


@cache
def part_of_three() -> dict[str, bytes]:
    """The store of the second of three parts of an input without documents."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "part-2.duckdb"
        with EventStore.create(path, {"samples": 5, "part": {"number": 2, "of": 3, "documents": 0}}) as store:
            store.finish()
        return {path.name: path.read_bytes()}


APART = [
    Wrong("a part without its number", f"{EXTRACT} --part 64"),
    Wrong("a part beyond the last", f"{EXTRACT} --part 4/3"),
    Wrong("a part taken for the whole", "events series part-2.duckdb", part_of_three()),
    Wrong("parts of which some are missing", "events merge part-2.duckdb --store news.duckdb", part_of_three()),
    Wrong("parts that a glob does not find", "events merge 'part-*.duckdb' --store all.duckdb"),
]
