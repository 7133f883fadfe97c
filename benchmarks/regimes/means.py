"""Means and paired differences of scores: clusters that are correct or wrong as a whole, and rare large losses."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.regimes.regime import Generator, Regime
from howsure.check import check_score, check_selective
from howsure.selective import selective_curve
from howsure.significance.comparison import compare

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Sizes = Callable[[Generator], Integers]
WHOLE, MARGINS, RARE, UNTOLD = (
    "1 means of 0 and 1 in clusters that are right or wrong as a whole",
    "2 not worse than, in clusters",
    "3 rare large losses",
    "31 rare large losses, and nothing is said of bounds",
)


def equal(number: int, size: int) -> Sizes:
    """Return clusters of one size."""
    return lambda rng: np.full(number, size)


def lognormal(number: int) -> Sizes:
    """Return clusters of about ten rows, with a standard deviation of 1 in the logarithm."""
    return lambda rng: np.maximum(1, (10 * rng.lognormal(0, 1, number)).round()).astype(np.int64)


def large_or_small(number: int, large: int = 100, small: int = 2) -> Sizes:
    """Return clusters, half of which are large."""
    return lambda rng: np.where(rng.random(number) < 0.5, large, small)


def right(rng: Generator, clusters: Integers, follow: float, mean: float) -> Floats:
    """Return rows, a proportion of which follow the outcome of their cluster, the others their own; both have the same
    mean."""
    of_cluster = (rng.random(int(clusters.max()) + 1) < mean)[clusters]
    return np.where(rng.random(len(clusters)) < follow, of_cluster, rng.random(len(clusters)) < mean).astype(float)


def whole_clusters(rng: Generator, sizes: Sizes, follow: float, mean: float) -> Mapping[str, bool | None]:
    """Test one data set: a limit equal to the truth, the interval of the mean, the accuracy of all answers and of a
    half."""
    clusters = np.repeat(np.arange(len(drawn := sizes(rng))), drawn)
    values = right(rng, clusters, follow, mean)
    covers: dict[str, bool | None] = {
        "false pass of check_score": passes(check_score(values, min_score=mean, clusters=clusters))
    }
    means = compare(score={"model": values, "other": np.zeros(len(values))}, clusters=clusters).means
    assert means is not None
    mine = next(row for row in means if row.model == "model")
    covers["means: interval covers"] = covered(mine.low, mine.high, mean)
    curve = selective_curve(values, rng.random(len(values)), coverage=[0.5], clusters=clusters)
    accuracy = curve.at_coverage[0].accuracy
    covers["selective accuracy covers"] = covered(accuracy.low, accuracy.high, mean)
    return covers


def bad_clusters(rng: Generator, number: int, size: int, share: float) -> Mapping[str, bool | None]:
    """Test confident answers, all correct except for a proportion of clusters that are wrong as a whole; the limit is
    this proportion."""
    clusters = np.repeat(np.arange(number), size)
    wrong = (rng.random(number) < share)[clusters]
    check = check_selective((~wrong).astype(int), 0.5 + rng.random(len(wrong)) / 2, max_risk=share, clusters=clusters)
    return {"false pass of check_selective": passes(check)}


def flipped(rng: Generator, clusters: Integers | None, n: int, share: float) -> Mapping[str, bool | None]:
    """Test two models, one of which is worse by exactly the margin, in whole clusters (None: in single rows)."""
    units = np.arange(n) if clusters is None else clusters
    lost = (rng.random(int(units.max()) + 1) < share)[units]
    check = check_score((~lost).astype(float), against=np.ones(n), not_worse_than=share, clusters=clusters)
    return {"false pass of check_score": passes(check)}


def rare(rng: Generator, draw: Callable[[Generator], Floats], mean: float, sign: int, bounds: Any) -> Any:
    """Test scores whose mean equals the limit, without and with their bounds. `sign`: 1 if higher is better, else
    -1."""
    values = draw(rng)
    limit: dict[str, Any] = {"min_score": mean} if sign > 0 else {"max_score": mean}
    passed = {}
    if bounds is None or "bounds" in inspect.signature(check_score).parameters:
        options = {} if bounds is None else {"bounds": bounds}
        passed["false pass of check_score"] = passes(check_score(values, **limit, **options))
    else:
        passed["false pass of check_score"] = passes(check_score(values, **limit))
    return passed


def rare_difference(rng: Generator, n: int, share: float, loss: float, bounds: Any) -> Mapping[str, bool | None]:
    """Test paired scores, a few of which lose much while all others gain a little: both means are equal."""
    gain = share * loss / (1 - share)
    d = np.where(rng.random(n) < share, -loss, gain * rng.uniform(0.5, 1.5, n))
    base = np.full(n, 0.8) if bounds is not None else np.full(n, 100.0)
    takes_bounds = "bounds" in inspect.signature(compare).parameters and bounds is not None
    options = {"bounds": bounds} if takes_bounds else {}
    result = compare(score={"base": base, "model": base + d}, against="base", **options)
    row = result[0]
    return {"compare: p ≤ .05": bool(row.p_value <= 0.05), "compare: difference covers": row.low <= 0 <= row.high}


def untold(
    rng: Generator, draw: Callable[[Generator], Floats], mean: float, sign: int = 1, size: int = 1
) -> Mapping[str, bool | None]:
    """Test scores whose mean equals the limit, in clusters of a size, without known bounds."""
    values = draw(rng)
    clusters = None if size == 1 else np.arange(len(values)) // size
    limit: dict[str, Any] = {"min_score": mean} if sign > 0 else {"max_score": mean}
    return {"false pass of check_score": passes(check_score(values, clusters=clusters, **limit))}


def untold_difference(rng: Generator, n: int, share: float, loss: float) -> Mapping[str, bool | None]:
    """Test two equally good models: one loses much on a few items, and gains a little on all others."""
    gain = share * loss / (1 - share)
    base = rng.normal(100.0, 1.0, n)
    model = base + np.where(rng.random(n) < share, -loss, gain * rng.uniform(0.5, 1.5, n))
    return {"false pass of check_score": passes(check_score(model, against=base))}


def mostly(rng: Generator, n: int, law: tuple[float, float, float, float]) -> Floats:
    """Return scores between two numbers, a proportion of which are replaced by another number."""
    low, high, share, rare = law
    return np.where(rng.random(n) < share, rare, rng.uniform(low, high, n))


def mixed_mean(low: float, high: float, share: float, rare: float) -> float:
    """Return the mean of such scores."""
    return (1 - share) * (low + high) / 2 + share * rare


def failing_clusters(rng: Generator, number: int, size: int, share: float) -> Floats:
    """Return scores from 0.9 to 1 in clusters, a proportion of which are all 0."""
    lost = np.repeat(rng.random(number) < share, size)
    return np.where(lost, 0.0, rng.uniform(0.9, 1.0, number * size))


def near_one(rng: Generator, n: int, share: float = 0.02) -> Floats:
    """Return scores from 0.98 to 1, a few of which are 0."""
    return np.where(rng.random(n) < share, 0.0, rng.uniform(0.98, 1.0, n))


def grades(rng: Generator, n: int, share: float = 0.03) -> Floats:
    """Return grades from 1 to 1.2, a few of which are 5."""
    return np.where(rng.random(n) < share, 5.0, rng.uniform(1.0, 1.2, n))


def passes(check: Any) -> bool:
    """Return whether the verdict is "pass"."""
    return bool(check.outcome == "pass")


def covered(low: float | None, high: float | None, truth: float) -> bool | None:
    """Return whether an interval contains the true value; None if there is no interval."""
    if low is None or high is None or np.isnan(low):
        return None
    return bool(low - 1e-12 <= truth <= high + 1e-12)


LAWS: list[tuple[str, Sizes, float, float]] = [
    ("5 of 20", equal(5, 20), 0.3, 0.9),
    ("5 of 20", equal(5, 20), 0.6, 0.9),
    ("10 of 20", equal(10, 20), 0.9, 0.9),
    ("20 of 20", equal(20, 20), 0.6, 0.95),
    ("60 of 20", equal(60, 20), 0.9, 0.97),
    ("30 lognormal", lognormal(30), 0.6, 0.95),
    ("50: of 100 or of 2 rows", large_or_small(50), 0.3, 0.9),
    ("50: of 100 or of 2 rows", large_or_small(50), 0.6, 0.9),
    ("200: of 100 or of 2 rows", large_or_small(200), 0.9, 0.9),
    ("40 of 5", equal(40, 5), 1.0, 0.5),
    ("100 lognormal", lognormal(100), 1.0, 0.98),
    ("80: of 40 or of 1 row", large_or_small(80, 40, 1), 0.8, 0.7),
    ("60 of 10, independent", equal(60, 10), 0.0, 0.8),
]
REGIMES = [
    *(
        Regime(WHOLE, f"{name}; {follow:g}, {mean:g}", partial(whole_clusters, sizes=sizes, follow=follow, mean=mean))
        for name, sizes, follow, mean in LAWS
    ),
    *(
        Regime(
            WHOLE,
            f"{number} of {size}, {share:g} of them bad",
            partial(bad_clusters, number=number, size=size, share=share),
        )
        for number, size, share in ((12, 50, 0.1), (40, 10, 0.05), (100, 30, 0.03))
    ),
    *(
        Regime(
            MARGINS,
            f"{number} of {size}, margin {share:g}",
            partial(flipped, clusters=np.arange(number * size) // size, n=number * size, share=share),
        )
        for number, size, share in (
            (10, 20, 0.1),
            (20, 20, 0.05),
            (40, 20, 0.05),
            (100, 20, 0.02),
            (60, 5, 0.03),
            (200, 3, 0.02),
        )
    ),
    *(
        Regime(MARGINS, f"{n:,} rows, margin {share:g}", partial(flipped, clusters=None, n=n, share=share))
        for n, share in ((200, 0.02), (1_000, 0.005), (100, 0.05), (3_000, 0.002))
    ),
    Regime(
        RARE,
        "98 % in [.98, 1], 2 % are 0, n = 50; bounds 0, 1",
        partial(rare, draw=partial(near_one, n=50), mean=0.98 * 0.99, sign=1, bounds=(0.0, 1.0)),
    ),
    Regime(
        RARE,
        "grades 1 to 1.2, 3 % are 5, n = 30; bounds 1, 5",
        partial(rare, draw=partial(grades, n=30), mean=0.97 * 1.1 + 0.15, sign=-1, bounds=(1.0, 5.0)),
    ),
    Regime(
        RARE,
        "0.5 % are 0, n = 200; bounds 0, 1",
        partial(rare, draw=partial(near_one, n=200, share=0.005), mean=0.995 * 0.99, sign=1, bounds=(0.0, 1.0)),
    ),
    Regime(
        RARE,
        "grades, 10 % are 5, n = 60; bounds 1, 5",
        partial(rare, draw=partial(grades, n=60, share=0.1), mean=0.9 * 1.1 + 0.5, sign=-1, bounds=(1.0, 5.0)),
    ),
    Regime(
        RARE,
        "paired, 3 % lose .8, n = 30; bounds 0, 1",
        partial(rare_difference, n=30, share=0.03, loss=0.8, bounds=(0.0, 1.0)),
    ),
    Regime(
        RARE,
        "paired, 1 % lose .6, n = 150; bounds 0, 1",
        partial(rare_difference, n=150, share=0.01, loss=0.6, bounds=(0.0, 1.0)),
    ),
    Regime(
        RARE,
        "paired, 2 % lose 49, n = 30; no bounds, as the note says",
        partial(rare_difference, n=30, share=0.02, loss=49.0, bounds=None),
    ),
]

MIXED: list[tuple[str, int, int, tuple[float, float, float, float]]] = [  # sign, n; from, to, share of rare ones, these
    ("98 % in [.98, 1], 2 % are 0, n = 50", 1, 50, (0.98, 1.0, 0.02, 0.0)),
    ("97 % in [.9, 1], 3 % are 0, n = 30", 1, 30, (0.9, 1.0, 0.03, 0.0)),
    ("grades 1 to 1.2, 3 % are 5, n = 30", -1, 30, (1.0, 1.2, 0.03, 5.0)),
    ("percentages from 98, 2 % are 0, n = 50", 1, 50, (98.0, 100.0, 0.02, 0.0)),
    ("word error rates to .1, 3 % are 10, n = 40", -1, 40, (0.0, 0.1, 0.03, 10.0)),
    ("seconds, 1 % are 60, n = 60", -1, 60, (1.0, 1.3, 0.01, 60.0)),
]
REGIMES += [
    *(
        Regime(UNTOLD, name, partial(untold, draw=partial(mostly, n=n, law=law), mean=mixed_mean(*law), sign=sign))
        for name, sign, n, law in MIXED
    ),
    Regime(UNTOLD, "paired, 3 % lose 20, n = 30", partial(untold_difference, n=30, share=0.03, loss=20.0)),
    Regime(
        UNTOLD,
        "20 clusters of 5, 3 % of them all 0",
        partial(untold, draw=partial(failing_clusters, number=20, size=5, share=0.03), mean=0.97 * 0.95, size=5),
    ),
]
