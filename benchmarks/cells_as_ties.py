"""How much do results change if a bin may only end at the border of a cell, instead of between any two predictions?

Data: real predictions (the data sets of docs/data.md, in the folder HOWSURE_DATA), and 200,000 pairs of difficult
simulated ones: with point masses, ties, few digits, in float32, all in one cell, or near 0 and 1; calibrated and
overconfident. Both ways bin the same pairs with the default bin size. The table shows how far the debiased error and
the ends of its interval move, and the ECE and its ends, relative to the width of the exact interval (the largest of the
three shifts). For comparison, it shows how far they move if exact bins hold one more pair each.

    python benchmarks/cells_as_ties.py [--data FOLDER]
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is loaded

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import numpy as np

import howsure
from howsure.calibration.curve import binned_curve
from howsure.calibration.slots import sum_by_slot
from howsure.inputs.classes import pairs_from_classes
from howsure.inputs.pairs import Pairs

N = 200_000
EVERYTHING = 1 << 40


def hostile() -> Iterator[tuple[str, Pairs]]:
    """Return predictions that rounding to cells could distort; half of the data sets are overconfident."""
    kinds = {
        "Beta(0.3, 0.7)": lambda rng: rng.beta(0.3, 0.7, N),
        "uniform": lambda rng: rng.random(N),
        "masses at 0 and 1": lambda rng: np.choose(rng.integers(0, 5, N), [0.0, 0.0, 1.0, *rng.beta(0.3, 0.7, (2, N))]),
        "mass at .25": lambda rng: np.where(rng.random(N) < 0.3, 0.25, rng.beta(0.3, 0.7, N)),
        "2 digits": lambda rng: rng.beta(0.3, 0.7, N).round(2),
        "3 digits": lambda rng: rng.beta(0.3, 0.7, N).round(3),
        "5 digits": lambda rng: rng.beta(0.3, 0.7, N).round(5),
        "float32": lambda rng: rng.beta(0.3, 0.7, N).astype(np.float32).astype(np.float64),
        "float16": lambda rng: rng.beta(0.3, 0.7, N).astype(np.float16).astype(np.float64),
        "all in one cell": lambda rng: 0.3 + rng.random(N) * 1e-6,
        "all in ten cells": lambda rng: 0.3 + rng.random(N) * 4e-4,
        "near 0": lambda rng: 10.0 ** rng.uniform(-12, -2, N),
        "near 1": lambda rng: 1 - 10.0 ** rng.uniform(-12, -2, N),
        "softmax of 50,000": lambda rng: np.minimum(rng.lognormal(-9, 3, N), 1.0),
    }
    for name, make in kinds.items():
        for model in ("calibrated", "overconfident"):
            rng = np.random.default_rng([len(name), len(model)])
            q = make(rng)
            p = q if model == "calibrated" else q + 0.1 * (0.4 - q) * (q > 0)
            yield f"{name}, {model}", Pairs((rng.random(N) < p).astype(np.uint8), q)


def real(folder: Path) -> Iterator[tuple[str, Pairs]]:
    """Return the data sets that exist in the folder."""
    for path in sorted((folder / "llm_mcq_confidence").glob("*.tsv.gz")):
        with gzip.open(path, "rt") as file:
            graded = [(row["grade"], row["confidence"]) for row in csv.DictReader(file, delimiter="\t")]
        answers = [(grade == "correct", float(q)) for grade, q in graded if grade in ("correct", "wrong") and q]
        yield f"llm_mcq_confidence, {path.name.partition('.')[0]}", pairs(*zip(*answers, strict=True))
    for name in ("imdb", "20news"):
        place = folder / "text_classifier_probs"
        labels, probs = (np.load(place / f"{name}_{part}.npy") for part in ("labels", "probs"))
        for reduce in ("class-wise", "top-label"):
            yield f"{name}, {reduce}", pairs_from_classes(labels, probs.clip(0, 1), reduce=reduce)
    for corpus in ("SNLI", "MNLI"):
        rows = []
        for path in sorted((folder / "nli_model_predictions").glob(f"{corpus}_*.jsonl.gz")):
            with gzip.open(path, "rt") as file:
                rows += [json.loads(line) for line in file]
        labels, probs = np.array([row["true"] for row in rows]), np.array([row["probs"] for row in rows])
        for reduce in ("class-wise", "top-label"):
            yield f"{corpus}, RoBERTa, {reduce}", pairs_from_classes(labels, probs, reduce=reduce)


def pairs(y: object, q: object) -> Pairs:
    return Pairs(np.asarray(y, dtype=np.uint8), np.asarray(q, dtype=np.float64))


def moved(cells: howsure.Estimate, exact: howsure.Estimate) -> tuple[float, float]:
    """Return the width of the exact interval, and how far the value or an end moved, relative to this width."""
    assert exact.low is not None
    assert exact.high is not None
    width = exact.high - exact.low
    ends = [(cells.value, exact.value), (cells.low, exact.low), (cells.high, exact.high)]
    return width, max(abs(a - b) for a, b in ends if a is not None and b is not None) / width


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("HOWSURE_DATA"))
    folder = parser.parse_args().data
    print("| predictions | pairs | error | width | cells | size + 1 | ECE width | cells | size + 1 |")
    print("|---|" + "---:|" * 8)
    differences = []
    for name, data_set in [*(real(Path(folder)) if folder else []), *hostile()]:
        with patch("howsure.calibration.bins.EXACT_UP_TO", EVERYTHING):
            exact = binned_curve(data_set)
            other = binned_curve(data_set, bin_size=exact.recipe["bin_size"] + 1)
        cells = binned_curve(sum_by_slot(data_set))
        row = [f"{exact.error.value:.4f}"]
        for part in ("error", "ece"):
            (width, by_cells), (_, by_size) = (
                moved(getattr(curve, part), getattr(exact, part)) for curve in (cells, other)
            )
            row += [f"{number:.4f}" for number in (width, by_cells, by_size)]
            differences += [(f"{part}, cells", by_cells), (f"{part}, size + 1", by_size)]
        print(f"| {name} | {len(data_set):,} | {' | '.join(row)} |", flush=True)
    for what in dict.fromkeys(name for name, _ in differences):
        column = np.array([number for name, number in differences if name == what])
        below = f"{np.mean(column < 0.001):.0%} below a thousandth"
        print(f"- {what}: median {np.median(column):.4f}, largest {column.max():.4f} of the width, {below}")


if __name__ == "__main__":
    main()
