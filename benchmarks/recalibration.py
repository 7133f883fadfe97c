"""Do the intervals of an improvement by recalibration cover, and is a calibrated model left unchanged? Simulated rows.

    .venv/bin/python benchmarks/recalibration.py [--quick]

prints the tables of docs/recalibration.md. The tests import functions of this file.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from howsure import InputError
from howsure.recalibration.evaluate_recalibration import applied, check_repeats, fold_method
from howsure.recalibration.evaluation import evaluate_fits
from howsure.recalibration.map_input import assign_folds, labelled_from, scores_from
from howsure.recalibration.methods import candidates

MODELS = ("calibrated", "T = 1.5", "T = 0.7", "shifted", "waves")
SPREAD = 1.5  # of the log-odds
RARE = -3.5  # their mean where label 1 is rare: 6 % of the rows
WITHIN = 0.5  # of the log-odds' variance between clusters, and the correlation of labels within them
GRID = (np.arange(4000) + 0.5) / 4000
FOLDS = 5


def frequency(model: str, q: Any) -> Any:
    """Return P(label 1) at the model's prediction q."""
    if model == "T = 1.5":
        return expit(logit(q) / 1.5)
    if model == "T = 0.7":
        return expit(logit(q) / 0.7)
    if model == "shifted":
        return expit(logit(q) - 0.5)
    return np.clip(q + 0.1 * np.sin(6 * np.pi * q), 0.01, 0.99) if model == "waves" else q


def predictions(u: Any, *, rare: bool) -> Any:
    """Return predictions at these quantiles."""
    return expit(SPREAD * ndtri(u) + (RARE if rare else 0.0))


MAIN = ("calibrated", "T = 1.5", "shifted")
KINDS: tuple[tuple[str, int, tuple[str, ...], tuple[str, ...], dict[str, Any], int], ...] = (
    ("200", 200, ("temperature", "platt"), MODELS, {}, 200),
    ("1,000", 1000, ("temperature", "platt"), MODELS, {}, 100),
    ("1,000", 1000, ("isotonic", "histogram"), MAIN, {}, 60),
    ("1,000 in clusters of 5", 1000, ("temperature", "platt"), MAIN, {"size": 5}, 60),
    ("1,000, label 1 rare", 1000, ("temperature", "platt"), MAIN, {"rare": True}, 60),
    ("5,000", 5000, ("temperature",), MAIN, {}, 40),
    ("300", 300, ("auto",), ("calibrated",), {}, 20),
)


@dataclass(frozen=True)
class Cell:
    """Proportions of data sets in which intervals contain the improvement of the squared error, Brier score and log
    loss, and the error after recalibration; proportions of the verdicts "improves", "makes it worse" and "does not
    help"; and the mean of the true improvement."""

    squared: float
    brier: float
    log_loss: float
    after: float
    improves: float
    worse: float
    no_help: float
    truth: float
    sets: int


def cell(model: str, method: str, n: int, sets: int, *, size: int = 1, rare: bool = False, seed: int = 0) -> Cell:
    """Simulate `sets` data sets of n rows, in clusters of `size`."""
    rng = np.random.default_rng([seed, n, size])
    runs = [run for _ in range(sets) if (run := _one_data_set(model, method, n, size, rare, rng)) is not None]
    return Cell(*np.mean(runs, axis=0).tolist(), sets=len(runs))


def _one_data_set(model: str, method: str, n: int, size: int, rare: bool, rng: Any) -> list[float] | None:
    """Return the results for one data set; None if a method cannot fit a map to it."""
    cluster = np.arange(n) // size
    shared = [rng.standard_normal(n)[cluster] for _ in range(2)]
    independent = [rng.standard_normal(n) for _ in range(2)]
    between = WITHIN if size > 1 else 0.0
    mixed = [np.sqrt(between) * a + np.sqrt(1 - between) * b for a, b in zip(shared, independent, strict=True)]
    q = predictions(ndtr(mixed[0]), rare=rare)
    y = mixed[1] < ndtri(frequency(model, q))
    try:
        data = labelled_from(y, q, clusters=cluster if size > 1 else None)
        grid = scores_from(predictions(GRID, rare=rare), None)[0]
        fitted, truths = [], []
        for _ in range(check_repeats(None, n)):
            fold = assign_folds(data, FOLDS, rng)
            after = []
            for k in range(FOLDS):
                others = data.select(np.flatnonzero(fold != k))
                chosen = fold_method(others, candidates(method, binary=True), FOLDS, int(rng.integers(1 << 62)))
                after.append(applied(others, chosen, data.scores))
                truths.append(_truth(model, grid.probabilities, applied(others, chosen, grid)))
            fitted.append((fold, after))
    except InputError:
        return None
    e = evaluate_fits(data, fitted, method=method, level=0.95, margin=0.01, recipe={"folds": FOLDS})
    squared, brier, log_loss, error = np.mean(truths, axis=0)
    low, high = e.error_after.low, e.error_after.high
    covered = [
        score.improvement.low is not None and score.improvement.low <= true <= score.improvement.high
        for score, true in ((e.squared_error, squared), (e.brier, brier), (e.log_loss, log_loss))
    ]
    verdicts = [e.kind == kind for kind in ("improves", "makes it worse", "does not help")]
    return [*covered, low is not None and low <= np.sqrt(error) <= high, *verdicts, brier]


def _truth(model: str, q: Any, mapped: Any) -> list[float]:
    """Return the true improvements of the squared error, the Brier score and the log loss, and the squared error
    after."""
    f = frequency(model, q)
    before = float(np.mean((q - f) ** 2))
    values, of_value, counts = np.unique(mapped, return_inverse=True, return_counts=True)
    after = float(counts @ (values - np.bincount(of_value, weights=f) / counts) ** 2 / len(q))
    with np.errstate(divide="ignore"):
        losses = [
            -np.mean(f * np.log(probabilities) + (1 - f) * np.log1p(-probabilities)) for probabilities in (q, mapped)
        ]
    return [before - after, before - float(np.mean((mapped - f) ** 2)), float(losses[0] - losses[1]), after]


def main(quick: bool) -> None:
    """Print the tables."""
    shares = ("squared error", "Brier", "log loss", "error after", "improves", "does not help", "worse")
    print(f"| rows | model | method | {' | '.join(shares)} |")
    print("|---|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for name, n, methods, models, how, sets in KINDS:
        for model in models:
            for method in methods:
                show(name, model, method, cell(model, method, n, sets // 10 if quick else sets, **how))


def show(name: str, model: str, method: str, measured: Cell) -> None:
    """Print a row."""
    log_loss = measured.log_loss if method not in ("isotonic", "histogram") else None  # these may say 0 or 1
    shares = (
        measured.squared,
        measured.brier,
        log_loss,
        measured.after,
        measured.improves,
        measured.no_help,
        measured.worse,
    )
    cells = ["–" if share is None else f"{share:.2f}" for share in shares]
    print(f"| {name} | {model} | {method} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main("--quick" in sys.argv)
