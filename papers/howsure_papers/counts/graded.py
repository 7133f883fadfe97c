"""The accuracy of language models from their confidence and a hundred grades: `llm_mcq_confidence`."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from howsure.data.datasets import data_set_path
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
            table = csv.reader(lines, delimiter="\t")
            columns = itemgetter(*map(next(table).index, ("model", "prompt", "confidence", "grade")))
            for model, prompt, confidence, grade in map(columns, table):
                found = rows.setdefault(model, [])
                if prompt == PROMPT and (limit is None or len(found) < limit):
                    found.append((float(confidence), float(grade == "correct")))
        for model, pairs in rows.items():
            held = np.array(pairs)
            yield Graded(model, name, held[:, 0], held[:, 1])
