"""Do the intervals of corrected counts and judged scores cover if human annotators make mistakes?

    .venv/bin/python benchmarks/readers.py [files]

prints the tables of docs/counts.md and docs/judges.md: the coverage of intervals (level 0.95) and, in brackets, their
width relative to that with a single annotator. Counts are totals of simulated files of 4,000 units: 300 are labelled, a
third of these by two annotators. Judged scores are of two models with 1,000 items; the judge is correct for 90% of
their answers. Both answers to 150 items are labelled, those to half of these items by two annotators.
"""

from __future__ import annotations

import sys
from functools import partial

import numpy as np

import howsure
from howsure.counts.estimation import count_units
from howsure.inputs.pairs import Floats, Integers

N, READ, TWICE, FILES = 4000, 300, 100, 150
ITEMS, OF_BOTH = 1000, 150
ERRORS = ((0.05, 0.05), (0.01, 0.2), (0.1, 0.02))


Readings = list[dict[str, object]]  # one reading, flips alike, settled readings, bounds: what is given of each
Held = list[tuple[float, float]]  # of each, coverage and relative width


def readings(
    draw: np.random.Generator, truth: Floats, alpha: float, beta: float, labelled_units: Integers, twice: Integers
) -> tuple[Floats, Readings]:
    """Return the labels of a first annotator for some units, and of a second one for some of these."""
    first, second = (
        np.where(truth == 1, draw.random(len(truth)) >= beta, draw.random(len(truth)) < alpha) * 1.0 for _ in range(2)
    )
    settled = np.where(first != second, truth, np.nan)
    places = np.arange(len(truth))
    first[~np.isin(places, labelled_units)] = np.nan
    for labels in (second, settled):
        labels[~np.isin(places, twice)] = np.nan
    return first, [{}, {"second": second, "flips": "alike"}, {"second": second, "settled": settled}, {"second": second}]


def counts(positive: float, alpha: float, beta: float, run: int) -> Held:
    """Return the intervals of a total."""
    draw = np.random.default_rng(run)
    truth = (draw.random(N) < positive) * 1.0
    score = np.clip(0.4 * truth + 0.6 * draw.random(N), 0.0, 1.0)
    sample = howsure.draw_label_sample(score, READ, rng=run)
    order = draw.permutation(sample.indices)
    first, options = readings(draw, truth, alpha, beta, order, order[:TWICE])
    totals = [count_units(first, score, sample=sample, method="difference", rng=run, **how).total for how in options]
    return coverage_and_width([(total.low, total.high) for total in totals], truth.sum())


def judged(positive: float, alpha: float, beta: float, run: int, *, of_difference: bool = False) -> Held:
    """Return the intervals of one model's mean, or of the difference of two models. The second model is correct twice
    as often, or in 10 percentage points more."""
    draw = np.random.default_rng(run)
    item, rates = np.tile(np.arange(ITEMS), 2), np.repeat([positive, min(2 * positive, positive + 0.1)], ITEMS)
    truth = (draw.random(2 * ITEMS) < rates) * 1.0
    judge = np.where(draw.random(2 * ITEMS) < 0.9, truth, 1 - truth)
    order = draw.permutation(ITEMS)[:OF_BOTH]
    both = [np.flatnonzero(np.isin(item, some)) for some in (order, order[: OF_BOTH // 2])]
    first, options = readings(draw, truth, alpha, beta, *both)
    model = np.repeat(["one", "other"], ITEMS)
    corrections = [
        howsure.correct_judge_scores(first, judge, model=model, id=item, against="other", **how) for how in options
    ]
    of = [(estimate.differences[0] if of_difference else estimate["one"]).corrected for estimate in corrections]
    return coverage_and_width(
        [(estimate.low, estimate.high) for estimate in of], rates[0] - rates[-1] if of_difference else positive
    )


def coverage_and_width(ends: list[tuple[float, float]], truth: float) -> Held:
    """Return whether intervals contain the true value, and their width relative to the first interval."""
    return [(float(low <= truth <= high), (high - low) / (ends[0][1] - ends[0][0])) for low, high in ends]


def main() -> None:
    files = int(sys.argv[1]) if len(sys.argv) > 1 else FILES
    for name, of in (
        ("counts", counts),
        ("judged means", judged),
        ("judged differences", partial(judged, of_difference=True)),
    ):
        print(f"\n| {name}: true | 0 read as 1 | 1 read as 0 | read once | flips alike | settled | bounds |")
        print("|---|---|---|---|---|---|---|")
        for positive in (0.05, 0.3):
            for alpha, beta in ERRORS:
                rows = [of(positive, alpha, beta, run) for run in range(files)]
                once, *others = np.mean(np.array(rows), axis=0).tolist()
                cells = [f"{coverage:.3f} ({wide:.1f})" for coverage, wide in others]
                print(f"| {positive:g} | {alpha:g} | {beta:g} | {once[0]:.3f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
