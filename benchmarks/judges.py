"""Do judged scores hold, and what is a judge worth? Real labels of people, of which 50 are drawn again and again.

    HOWSURE_DATA=… .venv/bin/python benchmarks/judges.py [--quick]

prints a table of docs/judges.md: how often the interval held the mean of all labels, its width beside that of people
alone, and what the judge alone says.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import sys
from pathlib import Path

import numpy as np

import howsure
from howsure.inputs.pairs import Floats

DRAWS, QUICK, LABELS = 200, 10, 50
DATA = Path(os.environ["HOWSURE_DATA"])
Graded = tuple[Floats, Floats]  # of people, of the judge


def entailment(seed: int) -> Graded:
    """Is it an entailment, by people and by RoBERTa, of pairs of sentences (Baan et al. 2022)."""
    path = DATA / "nli_model_predictions" / f"MNLI_test_roberta-base_{seed}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return np.array([row["true"] == 0 for row in rows], float), np.array([row["pred"] == 0 for row in rows], float)


def right(model: str) -> Graded:
    """Whether answers of a chat model to MMLU are right, by the key and by its own confidence (Plaut et al. 2024)."""
    with gzip.open(DATA / "llm_mcq_confidence" / "mmlu.tsv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["model"] == model]
    rows = [row for row in rows if row["prompt"] == "first" and row["grade"] != "unparseable"]
    return np.array([row["grade"] == "correct" for row in rows], float), np.array(
        [float(row["confidence"]) for row in rows]
    )


def main() -> None:
    """Draw, estimate, count."""
    draws = QUICK if "--quick" in sys.argv else DRAWS
    sets = {f"entailment, RoBERTa {seed}": entailment(seed) for seed in (0, 1)}
    sets |= {f"MMLU, {model}": right(model) for model in ("gpt-4-turbo", "Mistral")}
    headings = ("n", "people", "judge", "held", "alone", "width", "beside", "worth")
    print(f"{'data':<28}", *(f"{one:>6}" for one in headings))
    for name, (people, judge) in sets.items():
        rng, held, widths, worth = np.random.default_rng(7), [], [], []
        for _ in range(draws):
            labels = np.full(len(people), np.nan)
            read = rng.choice(len(people), LABELS, replace=False)
            labels[read] = people[read]
            row = howsure.judged_scores(labels, judge).rows[0]
            ends = [(one.low, one.high) for one in (row.corrected, row.people)]
            held.append([low <= people.mean() <= high for low, high in ends])
            widths.append([high - low for low, high in ends])
            worth.append(row.worth)
        (corrected, alone), (width, wide) = np.mean(held, axis=0), np.mean(widths, axis=0)
        figures = (people.mean(), judge.mean(), corrected, alone, width, width / wide)
        print(f"{name:<28} {len(people):>6,}", *(f"{one:>6.3f}" for one in figures), f"{np.mean(worth):>6.0f}")


if __name__ == "__main__":
    main()
