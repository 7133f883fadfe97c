"""Do the intervals of entity F1 and of the word error rate hold? Made-up documents of unlike length and difficulty.

    .venv/bin/python benchmarks/document_metrics.py [--quick]

prints the table of docs/document-metrics.md: the share of sets whose 95 % interval holds the value of all documents.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

import howsure

RUNS, QUICK = 2000, 50
DOCUMENTS = (20, 50, 200)
Spans = list[tuple[int, int, str]]
Drawn = tuple[list[Spans], list[Spans]] | tuple[list[str], list[str]]  # what is true, what is predicted


def entities(rng: np.random.Generator, n: int) -> Drawn:
    """Documents of 3 entities on average, 80 % of them found; for every four true ones, one that is none."""
    true = rng.poisson(rng.gamma(1.0, 3.0, n))
    found = rng.binomial(true, rng.beta(8.0, 2.0, n))
    wrong = rng.poisson(0.25 * true)
    each = zip(found.tolist(), wrong.tolist(), true.tolist(), strict=True)
    predicted = [[*spans(0, right), *spans(there, there + others)] for right, others, there in each]
    return [spans(0, there) for there in true.tolist()], predicted


def spans(start: int, stop: int) -> Spans:
    """Entities of a word each."""
    return [(place, place + 1, "PER") for place in range(start, stop)]


def texts(rng: np.random.Generator, n: int) -> Drawn:
    """Texts of 3 to 29 words, one of nine of them heard as another."""
    words = rng.integers(3, 30, n)
    wrong = rng.binomial(words, rng.beta(0.5, 4.0, n))
    each = list(zip(words.tolist(), wrong.tolist(), strict=True))
    said = [" ".join(["wrong"] * others + ["right"] * (there - others)) for there, others in each]
    return [" ".join(["right"] * there) for there, _ in each], said


# Of all documents: one has 2.4 entities that are found, 3.15 predicted, 3 true; 0.5 of 4.5 words are wrong.
METRICS: dict[str, tuple[str, Callable[[np.random.Generator, int], Drawn], float]] = {
    "entity F1": ("entity_f1", entities, 2 * 2.4 / (3.15 + 3.0)),
    "word error rate": ("wer", texts, 0.5 / 4.5),
}


def held(metric: str, draw: Callable[[np.random.Generator, int], Drawn], truth: float, n: int, runs: int) -> float:
    """The share of sets of n documents whose interval holds the truth."""
    rng, holding = np.random.default_rng(n), 0
    for _ in range(runs):
        true, predicted = draw(rng, n)
        mean = howsure.score_table(y_true=true, prediction=predicted, metrics=metric)[0].mean
        low, high = np.array([mean.low, mean.high], dtype=float)
        holding += int(low <= truth <= high)
    return holding / runs


def main() -> None:
    """Print the table."""
    runs = QUICK if "--quick" in sys.argv[1:] else RUNS
    headings = ("documents", *METRICS)
    print(f"| {' | '.join(headings)} |")
    print(f"|{'|'.join('-' * (len(one) + 1) + ':' for one in headings)}|")
    for n in DOCUMENTS:
        shares = [(name, held(*asked, n, runs)) for name, asked in METRICS.items()]
        cells = (f"{share:.3f}".lstrip("0").rjust(len(name)) for name, share in shares)
        print(f"| {n:>{len(headings[0])}} | {' | '.join(cells)} |", flush=True)
    print(f"\n{runs:,} sets each")


if __name__ == "__main__":
    main()
