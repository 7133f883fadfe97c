"""Test sets from populations whose truth is known: targets, baseline, model, and maybe clusters and strata."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from howsure.significance import Runs

N = 1000
Set = tuple[Any, ...]


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


def over_and_under(rng: np.random.Generator, *, n: int = N, gap: float = 0.3) -> Set:
    """Probabilities of .2 to .8, by one system a share `gap` too far from a half, by the other as much too near."""
    truth = 0.2 + 0.6 * rng.random(n)
    return (rng.random(n) < truth).astype(int), *(0.5 + (1 + sign * gap) * (truth - 0.5) for sign in (1, -1))


def shifted(rng: np.random.Generator, *, n: int = N, gap: float = 0.1) -> Set:
    """Probabilities that one system says too high by `gap`, and the other too low."""
    truth = 0.2 + 0.6 * rng.random(n)
    return (rng.random(n) < truth).astype(int), truth + gap, truth - gap


def sharp_and_coarse(rng: np.random.Generator, *, n: int = N) -> Set:
    """Two calibrated systems, one of them informative, the other not."""
    truth = 0.2 + 0.6 * rng.random(n)
    return (rng.random(n) < truth).astype(int), truth, np.full(n, 0.5)


def equal_precision(rng: np.random.Generator, *, n: int = N) -> Set:
    """Two systems of precision .6, one of which predicts the class in a tenth of the items, one in half of them."""
    targets = (rng.random(n) < 0.4).astype(int)
    systems = []
    for share in (0.1, 0.5):
        luck = rng.random(n)
        systems.append(np.where(targets == 1, luck < 0.6 * share / 0.4, luck < 0.4 * share / 0.6).astype(int))
    return targets, *systems


def paired_strata(rng: np.random.Generator, *, n: int = N, size: int = 2) -> tuple[Any, ...]:
    """Two equally good systems, no clusters, and strata of a few items, many of equal content."""
    return *disagreeing_labels(rng, n=n, disagreement=0.3), None, np.arange(n) // size


def unequal_clusters(
    rng: np.random.Generator, *, clusters: int = 10, kind: str = "lognormal", shared: float = 0.4
) -> tuple[Any, ...]:
    """Three classes in clusters of 30 rows or so, each harder for one system or the other; equally good systems.

    Sizes are `equal`, `lognormal` (standard deviation 1), or such that `one large` cluster holds half of the rows.
    """
    sizes = {
        "equal": np.full(clusters, 30),
        "lognormal": np.maximum(2, np.round(30 * np.exp(rng.normal(size=clusters)))).astype(int),
        "one large": np.array([15 * (clusters - 1), *[15] * (clusters - 1)]),
    }[kind]
    cluster = np.repeat(np.arange(clusters), sizes)
    n = len(cluster)
    targets = rng.integers(0, 3, n)
    ease = 0.5 * rng.normal(size=clusters)[cluster]
    systems = []
    for _ in range(2):
        skill = np.sqrt(shared) * rng.normal(size=clusters)[cluster] + np.sqrt(1 - shared) * rng.normal(size=n)
        systems.append(np.where(ease + skill > -0.7, targets, (targets + rng.integers(1, 3, n)) % 3))
    return targets, *systems, cluster


def other_strengths(rng: np.random.Generator, *, n: int = N) -> Set:
    """Two classes; one system is right in .9 and .7 of them, the other in .7 and .9: equal accuracy and macro-F1."""
    targets = rng.integers(0, 2, n)
    rates = (np.where(targets == 0, *pair) for pair in ((0.9, 0.7), (0.7, 0.9)))
    return targets, *(np.where(rng.random(n) < rate, targets, 1 - targets) for rate in rates)


def several_runs(rng: np.random.Generator, *, runs: int = 5, n: int = N, shared: float = 0.7) -> Set:
    """Runs of two systems of accuracy .8: an item is hard for one system (correlation .7 of its runs), not both."""
    targets = rng.integers(0, 2, n)

    def system() -> Runs:
        ease = rng.normal(size=n)
        skill = np.sqrt(shared) * ease + np.sqrt(1 - shared) * rng.normal(size=(runs, n))
        return Runs([np.where(run_skill > -0.8416, targets, 1 - targets) for run_skill in skill])

    return targets, system(), system()


def seed_effects(rng: np.random.Generator, *, runs: int = 5, n: int = N, spread: float = 0.01) -> Set:
    """Runs whose accuracy varies by a standard deviation of a point: equal systems, unequal trainings."""
    targets = rng.integers(0, 2, n)
    ease = rng.normal(size=n)

    def system() -> Runs:
        predictions = []
        for _ in range(runs):
            accuracy = 0.8 + spread * rng.normal()
            skill = np.sqrt(0.5) * ease + np.sqrt(0.5) * rng.normal(size=n)
            predictions.append(np.where(skill > -_quantile(accuracy), targets, 1 - targets))
        return Runs(predictions)

    return targets, system(), system()


def concatenated(make: Callable[..., Set]) -> Callable[..., Set]:
    """The same, with all runs one after the other as if they were more items: what BooStSa does."""

    def made(rng: np.random.Generator, **options: Any) -> Set:
        targets, a, b = make(rng, **options)
        return np.tile(targets, len(a)), *(np.concatenate(list(runs)) for runs in (a, b))

    return made


def _quantile(p: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(p))
