"""The accuracy of language models from their confidence and a hundred grades: `llm_mcq_confidence`."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from howsure.data.datasets.registry import data_set_path
from howsure.inputs.pairs import Floats

NAME = "llm_mcq_confidence"
SETS = ("arc", "hellaswag", "mmlu", "truthfulqa", "winogrande")
PROMPT = "first"  # of two phrasings


@dataclass(frozen=True, slots=True)
class Graded:
    """A model's answers to the questions of a data set: its confidence in each (N,) and whether it is right (N,)."""

    model: str
    questions: str
    confidence: Floats
    correct: Floats


def read_graded(data: str | None, *, limit: int | None = None) -> Iterator[Graded]:
    """Every model on every data set, by the first phrasing; an answer that cannot be parsed is wrong."""
    for name in SETS:
        rows: dict[str, list[tuple[float, float]]] = {}
        with gzip.open(data_set_path(NAME, f"{name}.tsv.gz", data=data), "rt", encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                found = rows.setdefault(row["model"], [])
                if row["prompt"] == PROMPT and (limit is None or len(found) < limit):
                    found.append((float(row["confidence"]), float(row["grade"] == "correct")))
        for model, pairs in rows.items():
            held = np.array(pairs)
            yield Graded(model, name, held[:, 0], held[:, 1])
