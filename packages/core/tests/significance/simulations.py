"""How often `compare` finds something in test sets from populations whose truth is known.

`python -m tests.significance.simulations` prints the table of docs/significance.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from typing import Any

import numpy as np
from tests.significance.populations import (
    Set,
    concatenated,
    disagreeing_labels,
    equal_precision,
    other_strengths,
    over_and_under,
    paired_strata,
    probabilities,
    rare_class,
    seed_effects,
    several_runs,
    sharp_and_coarse,
    shifted,
    three_classes,
    unequal_clusters,
    votes,
)

from howsure.significance import metric_names
from howsure.significance.comparison import compare

LEVEL = 0.05
RESAMPLES = 999


def comparisons(
    make: Callable[..., Set], sets: int, *, seed: int = 0, data: dict | None = None, **options: Any
) -> Iterator:
    """`compare` of this many test sets."""
    for k in range(sets):
        made = make(np.random.default_rng([seed, k]), **(data or {}))
        grouping = dict(zip(("clusters", "strata"), made[3:], strict=False))
        settings = {"n_resamples": RESAMPLES, "interval": None, **options}
        yield compare(
            *made[:3], rng=k, **{name: column for name, column in grouping.items() if column is not None}, **settings
        )


def rejection_rates(make: Callable[..., Set], sets: int, **options: Any) -> dict[str, float]:
    """Metric by metric how often p is at most .05."""
    counts: dict[str, int] = {}
    for result in comparisons(make, sets, **options):
        for row in result:
            counts[row.metric] = counts.get(row.metric, 0) + (row.p_value <= LEVEL)
    return {metric: count / sets for metric, count in counts.items()}


def coverage(make: Callable[..., Set], sets: int, *, truth: float = 0.0, **options: Any) -> dict[str, float]:
    """Metric by metric how often the interval holds the true difference."""
    counts: dict[str, int] = {}
    for result in comparisons(make, sets, **options):
        for row in result:
            counts[row.metric] = counts.get(row.metric, 0) + (row.low <= truth <= row.high)
    return {metric: count / sets for metric, count in counts.items()}


def misses(make: Callable[..., Set], sets: int, **options: Any) -> dict[str, float]:
    """Metric by metric how often the interval misses a difference of 0."""
    return {metric: 1 - rate for metric, rate in coverage(make, sets, interval="basic", **options).items()}


def true_difference(make: Callable[..., Set], *, n: int = 4_000_000, **data: Any) -> dict[str, float]:
    """Metric by metric the difference in a set so large that chance plays no part."""
    result = compare(*make(np.random.default_rng(0), n=n, **data), interval=None, n_resamples=1, rng=0)
    return {row.metric: row.difference for row in result}


HARD, SOFT = metric_names("hard"), metric_names("soft")
PROBABILISTIC = tuple(name for name in metric_names("probabilistic") if name != "brier")  # of one column
ALIKE: dict[str, tuple[Callable[..., Set], tuple[str, ...]]] = {
    "two classes": (disagreeing_labels, HARD),
    "three classes": (three_classes, HARD),
    "votes": (votes, SOFT),
    "probabilities": (probabilities, PROBABILISTIC),
}
CALIBRATION = {"metrics": ["calibration_error", "squared_calibration_error"]}
UNLIKE: dict[str, tuple[Callable[..., Set], dict[str, Any]]] = {
    "equal calibration error, one too extreme, one not extreme enough": (over_and_under, CALIBRATION),
    "equal calibration error, one too high, one too low": (shifted, CALIBRATION),
    "both calibrated, one informative, one uninformative": (sharp_and_coarse, CALIBRATION),
    "equal precision, one predicts five times as often": (equal_precision, {"metrics": "precision", "target_class": 1}),
    "equal macro-F1, strong in different classes": (other_strengths, {"metrics": ["macro_f1", "mcc"]}),
}
Line = tuple[str, str, Callable[[], dict[str, float]]]


def lines(sets: int) -> Iterator[Line]:
    """What is simulated, by which test, and the rates: the rows of the first table in docs/significance.md."""

    def line(what: str, test: str, make: Callable[..., Set], share: int = 1, **options: Any) -> Line:
        return what, test, lambda: rejection_rates(make, sets // share, adjust=None, **options)

    for what, (make, names) in ALIKE.items():
        for method in ("permutation", "bootstrap"):
            yield line(f"no difference, {what}, {len(names)} metrics", method, make, method=method, metrics=names)
    for what, (make, options) in UNLIKE.items():
        for n in (500, 1000, 2000):
            yield line(f"{what}, n = {n:,}", "permutation", make, data={"n": n}, **options)
    for size in (2, 4):
        for method in ("permutation", "bootstrap"):
            data = {"n": 200, "size": size}
            what = f"no difference, 200 items in strata of {size}"
            yield line(what, method, paired_strata, method=method, metrics="accuracy", data=data)
    yield line("no difference, two classes, accuracy", "mid-p McNemar", disagreeing_labels, method="mcnemar")
    for share in (0.1, 0.2, 0.5):
        rule: dict[str, Any] = {"method": "boostsa", "sample_size": share}
        yield line(
            "no difference, two classes, accuracy",
            f"BooStSa's rule, {share}",
            disagreeing_labels,
            metrics="accuracy",
            **rule,
        )
        yield line(
            "no difference, votes, distance and cross-entropy",
            f"BooStSa as it counts, {share}",
            votes,
            5,
            bug_compatible=True,
            metrics=["jensen_shannon_distance", "clipped_cross_entropy"],
            **rule,
        )
    for name, options in {
        "permutation, one-sided": {"alternative": "better"},
        "permutation, two-sided": {},
        "mid-p McNemar, two-sided": {"method": "mcnemar"},
        "bootstrap, two-sided": {"method": "bootstrap"},
        "BooStSa's rule, 0.1": {"method": "boostsa", "sample_size": 0.1},
        "BooStSa's rule, 0.5": {"method": "boostsa", "sample_size": 0.5},
    }.items():
        gain = {"metrics": "accuracy", "data": {"gain": 0.02}}
        yield line("two points better, a tenth disagree", name, disagreeing_labels, **gain, **options)
    hard, vary = "no difference, 5 runs, items hard for one system", "no difference, 5 runs that vary by a point"
    runs: list[tuple[str, str, Callable[..., Set], dict[str, Any]]] = [
        (hard, "permutation by item", several_runs, {}),
        (hard, "bootstrap by item", several_runs, {"method": "bootstrap"}),
        (hard, "permutation, concatenated", concatenated(several_runs), {}),
        (vary, "bootstrap by item", seed_effects, {"method": "bootstrap"}),
        (vary, "bootstrap, items × runs", seed_effects, {"method": "bootstrap", "two_way": True}),
    ]
    for what, test, make, options in runs:
        yield line(what, test, make, 2, metrics="accuracy", **options)


def line_text(line: Line) -> str:
    """A row of the first table."""
    what, test, rates_of = line
    rates = rates_of()
    low, high = min(rates, key=rates.__getitem__), max(rates, key=rates.__getitem__)
    ends = f"{rates[low]:.4f} ({low}) … {rates[high]:.4f} ({high})"
    return f"| {what} | {test} | {ends if len(rates) > 1 else f'{rates[low]:.4f}'} |"


def cluster_text(kind: str, clusters: int, sets: int) -> str:
    """A row of the table of clusters: how often interval and p find a difference that does not exist."""
    data, cells = {"clusters": clusters, "kind": kind}, []
    for metric in ("accuracy", "macro_f1"):
        options: dict[str, Any] = {"metrics": metric, "data": data}
        cells += [f"{rates(unequal_clusters, sets, **options)[metric]:.4f}" for rates in (misses, rejection_rates)]
    return f"| {clusters} {kind} | {' | '.join(cells)} |"


def rare_text(interval: str, sets: int) -> str:
    """A row of the table of a rare class: how often the interval holds the true difference."""
    truth = true_difference(rare_class, gain=0.5)["macro_f1"]
    options: dict[str, Any] = {"interval": interval, "metrics": "macro_f1"}
    equal = coverage(rare_class, sets, **options)["macro_f1"]
    better = coverage(rare_class, sets, truth=truth, data={"gain": 0.5}, **options)["macro_f1"]
    return f"| {interval} | {equal:.4f} | {better:.4f} (by {truth:.3f}) |"


KINDS, NUMBERS = ("equal", "lognormal", "one large"), (6, 10, 20, 30)


def row(task: tuple[str, Any, int]) -> str:
    """A row of any table, by its kind, its place or name, and the number of sets."""
    table, which, sets = task
    if table == "rates":
        return line_text(list(lines(sets))[which])
    return cluster_text(*which, sets // 4) if table == "clusters" else rare_text(which, sets)


def main(sets: int, workers: int) -> None:
    """Print the tables of docs/significance.md."""
    clusters = "| clusters | accuracy: interval misses 0 | p ≤ .05 | macro-F1: interval misses 0 | p ≤ .05 |"
    rare = "| n = 200, classes of 80, 15, 5 %, macro-F1 | no difference | the model is better |"
    tables: dict[str, list[tuple[str, Any, int]]] = {
        "| what is simulated | test | share of sets with p ≤ .05 |\n|---|---|---|": [
            ("rates", k, sets) for k in range(len(list(lines(sets))))
        ],
        f"{clusters}\n|---|---|---|---|---|": [("clusters", design[::-1], sets) for design in product(NUMBERS, KINDS)],
        f"{rare}\n|---|---|---|": [("rare", interval, sets) for interval in ("basic", "percentile", "bca")],
    }
    with ProcessPoolExecutor(workers) as pool:
        for head, tasks in tables.items():
            print(head)
            for text in pool.map(row, tasks):
                print(text, flush=True)
            print()


if __name__ == "__main__":
    main(*(int(sys.argv[k]) if len(sys.argv) > k else usual for k, usual in ((1, 10_000), (2, 2))))
