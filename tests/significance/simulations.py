"""Test sets from populations whose truth is known, and how often `compare` finds something in them.

`python -m tests.significance.simulations` prints the table of docs/significance.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from howsure.significance import Runs, compare, metric_names

N = 1000
LEVEL = 0.05
RESAMPLES = 999
Set = tuple[Any, Any, Any]


def disagreeing_labels(rng: np.random.Generator, *, n: int = N, disagreement: float = 0.1, gain: float = 0.0) -> Set:
    """Two classes; accuracy .8 and .8 + gain; only one system is right in a share `disagreement` of the items."""
    targets = rng.integers(0, 2, n)
    kind = rng.random(n)
    only_model, only_baseline = (disagreement + gain) / 2, (disagreement - gain) / 2
    both = 0.8 - only_baseline
    a = (kind < both) | ((kind >= both) & (kind < both + only_baseline))
    b = (kind < both) | ((kind >= both + only_baseline) & (kind < both + only_baseline + only_model))
    return targets, np.where(a, targets, 1 - targets), np.where(b, targets, 1 - targets)


def three_classes(rng: np.random.Generator, *, n: int = N) -> Set:
    """Three classes of 50, 30 and 20 %; two equally good systems that are often right together."""
    targets = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    ease = rng.normal(size=n)
    systems = [
        np.where(ease + rng.normal(size=n) > -1.0, targets, rng.choice(3, n, p=[0.5, 0.3, 0.2])) for _ in range(2)
    ]
    return targets, *systems


def rare_class(rng: np.random.Generator, *, n: int = 200, gain: float = 0.0) -> Set:
    """Classes of 80, 15 and 5 %; two equally good systems, or items `gain` standard deviations easier for the model."""
    shares = [0.8, 0.15, 0.05]
    targets = rng.choice(3, n, p=shares)
    ease = rng.normal(size=n)
    systems = [
        np.where(ease + rng.normal(size=n) > -1.2 - more, targets, rng.choice(3, n, p=shares)) for more in (0.0, gain)
    ]
    return targets, *systems


def votes(rng: np.random.Generator, *, n: int = N, gain: float = 0.0) -> Set:
    """Distributions over three classes and two systems that mix them with noise: .6 of the target, .6 + gain."""
    targets = rng.dirichlet(np.ones(3), n)
    return targets, *(w * targets + (1 - w) * rng.dirichlet(np.ones(3), n) for w in (0.6, 0.6 + gain))


def probabilities(rng: np.random.Generator, *, n: int = N) -> Set:
    """Labels drawn from distributions of which two systems know as much."""
    truth = rng.dirichlet(np.ones(3), n)
    targets = (rng.random((n, 1)) > truth.cumsum(axis=1)).sum(axis=1)
    return targets, *(0.7 * truth + 0.3 * rng.dirichlet(np.ones(3), n) for _ in range(2))


def several_runs(rng: np.random.Generator, *, runs: int = 5, n: int = N, shared: float = 0.7) -> Set:
    """Runs of two systems of accuracy .8: an item is hard for one system (correlation .7 of its runs), not both."""
    targets = rng.integers(0, 2, n)

    def system() -> Runs:
        ease = rng.normal(size=n)
        skill = np.sqrt(shared) * ease + np.sqrt(1 - shared) * rng.normal(size=(runs, n))
        return Runs([np.where(one > -0.8416, targets, 1 - targets) for one in skill])

    return targets, system(), system()


def seed_effects(rng: np.random.Generator, *, runs: int = 5, n: int = N, spread: float = 0.01) -> Set:
    """Runs whose accuracy varies by a standard deviation of a point: equal systems, unequal trainings."""
    targets = rng.integers(0, 2, n)
    ease = rng.normal(size=n)

    def system() -> Runs:
        held = []
        for _ in range(runs):
            accuracy = 0.8 + spread * rng.normal()
            skill = np.sqrt(0.5) * ease + np.sqrt(0.5) * rng.normal(size=n)
            held.append(np.where(skill > -_quantile(accuracy), targets, 1 - targets))
        return Runs(held)

    return targets, system(), system()


def concatenated(make: Callable[..., Set]) -> Callable[..., Set]:
    """The same, with all runs one after the other as if they were more items: what BooStSa does."""

    def made(rng: np.random.Generator, **options: Any) -> Set:
        targets, a, b = make(rng, **options)
        return np.tile(targets, len(a)), *(np.concatenate(list(one)) for one in (a, b))

    return made


def comparisons(
    make: Callable[..., Set], sets: int, *, seed: int = 0, data: dict | None = None, **options: Any
) -> Iterator:
    """`compare` of so many test sets."""
    for k in range(sets):
        rng = np.random.default_rng([seed, k])
        yield compare(*make(rng, **(data or {})), rng=k, **{"n_resamples": RESAMPLES, "interval": None, **options})


def rejection_rates(make: Callable[..., Set], sets: int, **options: Any) -> dict[str, float]:
    """Metric by metric how often p is at most .05."""
    found: dict[str, int] = {}
    for result in comparisons(make, sets, **options):
        for row in result:
            found[row.metric] = found.get(row.metric, 0) + (row.p_value <= LEVEL)
    return {metric: count / sets for metric, count in found.items()}


def coverage(make: Callable[..., Set], sets: int, *, truth: float = 0.0, **options: Any) -> dict[str, float]:
    """Metric by metric how often the interval holds the true difference."""
    found: dict[str, int] = {}
    for result in comparisons(make, sets, **options):
        for row in result:
            found[row.metric] = found.get(row.metric, 0) + (row.low <= truth <= row.high)
    return {metric: count / sets for metric, count in found.items()}


def true_difference(make: Callable[..., Set], *, n: int = 4_000_000, **data: Any) -> dict[str, float]:
    """Metric by metric the difference in a set so large that chance plays no part."""
    result = compare(*make(np.random.default_rng(0), n=n, **data), interval=None, n_resamples=1, rng=0)
    return {row.metric: row.difference for row in result}


def _quantile(p: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(p))


HARD, SOFT, PROBABILISTIC = (metric_names(task) for task in ("hard", "soft", "probabilistic"))
BOOTSTRAP_TASKS = {
    "two classes": (disagreeing_labels, HARD),
    "three classes": (three_classes, HARD),
    "votes": (votes, SOFT),
}


def table(sets: int) -> Iterator[str]:
    """The rows of the table in docs/significance.md."""
    yield "| what is simulated | test | share of sets with p ≤ .05 |"
    yield "|---|---|---|"

    def line(what: str, test: str, rates: dict[str, float]) -> str:
        low, high = min(rates, key=rates.__getitem__), max(rates, key=rates.__getitem__)
        ends = f"{rates[low]:.4f} ({low}) … {rates[high]:.4f} ({high})"
        shown = ends if len(rates) > 1 else f"{rates[low]:.4f}"
        return f"| {what} | {test} | {shown} |"

    for what, (make, names) in {**BOOTSTRAP_TASKS, "probabilities": (probabilities, PROBABILISTIC)}.items():
        for method in ("permutation", "bootstrap"):
            yield line(
                f"no difference, {what}, {len(names)} metrics",
                method,
                rejection_rates(make, sets, method=method, metrics=names, adjust=None),
            )
    yield line(
        "no difference, two classes, accuracy",
        "mid-p McNemar",
        rejection_rates(disagreeing_labels, sets, method="mcnemar"),
    )
    for share in (0.1, 0.2, 0.5):
        yield line(
            "no difference, two classes, accuracy",
            f"BooStSa's rule, {share}",
            rejection_rates(disagreeing_labels, sets, method="boostsa", sample_size=share, metrics="accuracy"),
        )
        yield line(
            "no difference, votes, distance and cross-entropy",
            f"BooStSa as it counts, {share}",
            rejection_rates(
                votes,
                sets // 5,
                method="boostsa",
                sample_size=share,
                bug_compatible=True,
                metrics=["jensen_shannon_distance", "clipped_cross_entropy"],
                adjust=None,
            ),
        )
    accuracy: dict[str, Any] = {"metrics": "accuracy", "data": {"gain": 0.02}}
    for name, options in {
        "permutation, one-sided": {"alternative": "better"},
        "permutation, two-sided": {},
        "mid-p McNemar, two-sided": {"method": "mcnemar"},
        "bootstrap, two-sided": {"method": "bootstrap"},
        "BooStSa's rule, 0.1": {"method": "boostsa", "sample_size": 0.1},
        "BooStSa's rule, 0.5": {"method": "boostsa", "sample_size": 0.5},
    }.items():
        yield line(
            "two points better, a tenth disagree",
            name,
            rejection_rates(disagreeing_labels, sets, **accuracy, **options),
        )
    for name, make, options in (
        ("permutation by item", several_runs, {}),
        ("bootstrap by item", several_runs, {"method": "bootstrap"}),
        ("permutation, concatenated", concatenated(several_runs), {}),
    ):
        yield line(
            "no difference, 5 runs, items hard for one system",
            name,
            rejection_rates(make, sets // 2, metrics="accuracy", **options),
        )
    for name, make, options in (
        ("bootstrap by item", seed_effects, {"method": "bootstrap"}),
        ("bootstrap, items × runs", seed_effects, {"method": "bootstrap", "two_way": True}),
    ):
        yield line(
            "no difference, 5 runs that vary by a point",
            name,
            rejection_rates(make, sets // 2, metrics="accuracy", **options),
        )
    yield ""
    yield "| n = 200, classes of 80, 15, 5 %, macro-F1 | no difference | the model is better |"
    yield "|---|---|---|"
    truth = true_difference(rare_class, gain=0.5)["macro_f1"]
    for interval in ("basic", "percentile", "bca"):
        options: dict[str, Any] = {"interval": interval, "metrics": "macro_f1"}
        equal = coverage(rare_class, sets, **options)["macro_f1"]
        better = coverage(rare_class, sets, truth=truth, data={"gain": 0.5}, **options)["macro_f1"]
        yield f"| {interval} | {equal:.4f} | {better:.4f} (by {truth:.3f}) |"


if __name__ == "__main__":
    for one in table(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000):
        print(one, flush=True)
