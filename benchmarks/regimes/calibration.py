"""Calibration errors, guaranteed thresholds, CORP's components and areas under curves, for rows in clusters.

Clusters are few, of unequal size, or wrong as a whole, or larger clusters have a higher risk. True values are those of
the distribution, from a closed form or from two million independent rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.special import expit, ndtr

from benchmarks.regimes.regime import Generator, Regime, Trial
from howsure import Pairs, calibration_error, check_calibration, selective_threshold
from howsure.calibration.clustered_error import clustered_standard_errors, effective_numbers
from howsure.calibration.decomposition import Fit, decomposed, rows_of_steps
from howsure.calibration.isotonic import by_content, isotonic_steps, ordered
from howsure.calibration.squared_error import cluster_sums
from howsure.selective.ranked_answers import estimate_auroc, ranked, risk_areas

ITEM = "7 calibration, thresholds, CORP and areas in clusters"
MANY = 2_000_000
Sizes = Callable[[Generator], Any]


def equal(clusters: int, size: int, rng: Generator) -> Any:
    """Return clusters of one size."""
    return np.full(clusters, size)


def uneven(clusters: int, rng: Generator) -> Any:
    """Return clusters of lognormal size, with 20 rows on average."""
    return np.ceil(rng.lognormal(2.5, 1.0, clusters)).astype(int)


def large_or_small(clusters: int, rng: Generator) -> Any:
    """Return clusters, of which a tenth have 100 rows and the others 2."""
    return np.where(np.arange(clusters) < clusters // 10, 100, 2)


def covers(estimate: Any, truth: float) -> bool | None:
    """Return whether an interval contains the true value; None if there is no interval."""
    if estimate.low is None or estimate.high is None:
        return None
    return bool(estimate.low - 1e-9 <= truth <= estimate.high + 1e-9)


# a. calibration errors


def off_in_some(sizes: Sizes, share: float, gap: float, rng: Generator, least: float = 0.0) -> Pairs:
    """Return predictions above `gap` and `least`; in a proportion of the clusters, label 1 is less frequent by the
    gap."""
    codes = np.repeat(np.arange(len(rows := sizes(rng))), rows)
    q = rng.uniform(max(gap, least), 1.0, len(codes))
    off = gap * (rng.random(len(rows)) < share)[codes]
    return Pairs((rng.random(len(codes)) < q - off).astype(np.uint8), q, clusters=codes)


def moved(sizes: Sizes, spread: float, limit: float, rng: Generator) -> Pairs:
    """Return calibrated predictions shifted by `limit`, and by a normal shift of each cluster with standard deviation
    `spread`."""
    codes = np.repeat(np.arange(len(rows := sizes(rng))), rows)
    q = rng.uniform(0.3, 0.7, len(codes))
    cluster_shift = np.clip(rng.normal(0.0, spread, len(rows)), -0.25, 0.25)[codes]
    return Pairs((rng.random(len(codes)) < q - limit + cluster_shift).astype(np.uint8), q, clusters=codes)


def at_the_limit(draw: Callable[[Generator], Pairs], limit: float, rng: Generator) -> dict[str, bool | None]:
    """Test a population whose true error equals the limit."""
    pairs = draw(rng)
    checked = check_calibration(pairs, max_error=limit)[0].outcome
    return {
        "false pass": checked == "pass",
        "false fail": checked == "fail",
        "error covers": covers(calibration_error(pairs), limit),
    }


# b. promised thresholds

RISK = 0.05


def larger_riskier(clusters: int, sigma: float, steep: float, together: bool, rng: Generator) -> Pairs:
    """Return lognormal clusters whose risk grows with a power of their size. The risk over all rows is just above the
    target."""
    size = np.ceil(rng.lognormal(1.5, sigma, clusters)).astype(int)
    risk = np.minimum(size**steep * _scale(sigma, steep), 1.0)
    codes = np.repeat(np.arange(clusters), size)
    luck = rng.random(clusters)[codes] if together else rng.random(len(codes))
    return Pairs((luck >= risk[codes]).astype(np.uint8), rng.random(len(codes)), clusters=codes)


@cache
def _scale(sigma: float, steep: float) -> float:
    """Return the factor for which the risk of a row is just above the target."""
    size = np.ceil(np.random.default_rng(1).lognormal(1.5, sigma, MANY))
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        risk = float(size @ np.minimum(size**steep * middle, 1.0) / size.sum())
        low, high = (middle, high) if risk < RISK * 1.002 else (low, middle)
    return high


def wrong_as_a_whole(clusters: int, rng: Generator) -> Pairs:
    """Return clusters of 100 or of 2 rows; one cluster in twenty is wrong as a whole."""
    codes = np.repeat(np.arange(clusters), large_or_small(clusters, rng))
    right = (rng.random(clusters) >= RISK * 1.002)[codes]
    return Pairs(right.astype(np.uint8), rng.random(len(codes)), clusters=codes)


def promised(draw: Callable[[Generator], Pairs], rng: Generator) -> dict[str, bool | None]:
    """Test thresholds of confidences that are independent of correctness, so that any threshold breaks the
    guarantee."""
    pairs = draw(rng)
    return {
        f"broken at delta {delta:g}": selective_threshold(pairs, risk=RISK, delta=delta).threshold is not None
        for delta in (0.05, 0.1)
    }


# c. the parts of CORP


def hanging_together(sizes: Sizes, shape: str, correlation: float, rng: Generator) -> Pairs:
    """Return uniform predictions, with labels that are correlated within clusters (a Gaussian copula)."""
    codes = np.repeat(np.arange(len(rows := sizes(rng))), rows)
    q = rng.random(len(codes))
    shared, independent = rng.normal(size=len(rows))[codes], rng.normal(size=len(codes))
    luck = ndtr(np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * independent)
    return Pairs((luck < _frequency(shape, q)).astype(np.uint8), q, clusters=codes)


def alike(sizes: Sizes, rng: Generator) -> Pairs:
    """Return predictions and labels that depend on the cluster: easy and hard documents."""
    codes = np.repeat(np.arange(len(rows := sizes(rng))), rows)
    q = expit(1.5 * rng.normal(size=len(rows))[codes] + rng.normal(size=len(codes)))
    return Pairs((rng.random(len(codes)) < q).astype(np.uint8), q, clusters=codes)


def _frequency(shape: str, q: Any) -> Any:
    return {"calibrated": q, "overconfident": 0.15 + 0.7 * q, "sharp": q**2}[shape]


@cache
def _true_parts(shape: str) -> tuple[float, float]:
    """Return the miscalibration and discrimination of the Brier score in the population."""
    rng = np.random.default_rng(1)
    q = expit(np.sqrt(3.25) * rng.normal(size=MANY)) if shape == "alike" else rng.random(MANY)
    c = q if shape == "alike" else _frequency(shape, q)
    return float(((q - c) ** 2).mean()), float(c.var())


def parts_cover(draw: Callable[[Generator], Pairs], shape: str, rng: Generator) -> dict[str, bool | None]:
    """Test the components of the Brier score, without the simulated band."""
    pairs = by_content(draw(rng))
    rows = ordered(pairs)
    starts = isotonic_steps(rows)
    weight = rows.by(starts, rows.weight)
    frequency, squares = rows.by(starts, rows.weight * rows.y) / weight, rows.by(starts, rows.weight * rows.w)
    upper = rows.q[np.append(starts[1:], len(rows.q)) - 1]
    cells = cluster_sums(pairs, np.searchsorted(upper[:-1], pairs.probabilities, side="left"), len(starts))
    effective = effective_numbers(cells, squares, frequency, clustered_standard_errors(cells))
    fit = Fit(weight, frequency, effective, frequency[rows_of_steps(starts, len(rows.q))])
    brier = decomposed(rows, fit, level=0.95, recipe={})[0]
    miscalibration, discrimination = _true_parts(shape)
    return {
        "miscalibration covers": covers(brier.miscalibration, miscalibration),
        "discrimination covers": covers(brier.discrimination, discrimination),
    }


# d. areas under curves


def whole_clusters(sizes: Sizes, share: float, mean: float, distance: float, confident: float, rng: Generator) -> Pairs:
    """Return rows, a proportion of which follow the outcome of their cluster; the others are independent.

    Correct answers are more confident by `distance`. The cluster accounts for the proportion `confident` of the
    variance of the confidence.
    """
    codes = np.repeat(np.arange(len(rows := sizes(rng))), rows)
    independent, shared = rng.random(len(codes)) < mean, (rng.random(len(rows)) < mean)[codes]
    right = np.where(rng.random(len(codes)) < share, shared, independent)
    normal = np.sqrt(confident) * rng.normal(size=len(rows))[codes]
    normal += np.sqrt(1 - confident) * rng.normal(size=len(independent))
    return Pairs(right.astype(np.uint8), expit(normal + distance * right), clusters=codes)


def random_effects(clusters: int, size: int, accuracy: float, rng: Generator) -> Pairs:
    """Return correctness and confidence that are both correlated within clusters (normal; half of the variance)."""
    codes = np.repeat(np.arange(clusters), size)
    first, second = (np.sqrt(0.5) * (rng.normal(size=len(codes)) + rng.normal(size=clusters)[codes]) for _ in range(2))
    right = ndtr(first) < accuracy
    return Pairs(right.astype(np.uint8), expit(second + right), clusters=codes)


@cache
def _true_areas(mean: float, distance: float) -> tuple[float, float, float]:
    """Return AUROC, AURC and E-AURC of answers with an accuracy, whose confidence is higher by `distance` if
    correct."""
    rng = np.random.default_rng(1)
    right = rng.random(MANY) < mean
    confidence = expit(rng.normal(size=MANY) + distance * right)
    ranks = ranked(Pairs(right.astype(np.uint8), confidence))
    auroc = estimate_auroc(ranks, level=0.95)
    area, excess = risk_areas(ranks, auroc, level=0.95)
    return auroc.value, area.value, excess.value


def areas_cover(
    draw: Callable[[Generator], Pairs], mean: float, distance: float, rng: Generator
) -> dict[str, bool | None]:
    """Test the intervals of AUROC, AURC and E-AURC."""
    ranks = ranked(draw(rng))
    auroc = estimate_auroc(ranks, level=0.95)
    estimates, truth = (auroc, *risk_areas(ranks, auroc, level=0.95)), _true_areas(mean, distance)
    named = zip(("AUROC", "AURC", "E-AURC"), estimates, truth, strict=True)
    return {
        f"{name} covers": None if np.isnan(estimate.value) else covers(estimate, true) for name, estimate, true in named
    }


def _regimes() -> list[Regime]:
    def row(name: str, trial: Trial, runs: int = 500) -> Regime:
        return Regime(ITEM, name, trial, runs)

    limits: dict[str, tuple[Any, float]] = {
        "100 of 20, a tenth off by .5": (partial(off_in_some, partial(equal, 100, 20), 0.1, 0.5), 0.05),
        "100 of 20, a tenth off by .5, sure": (
            partial(off_in_some, partial(equal, 100, 20), 0.1, 0.5, least=0.95),
            0.05,
        ),
        "100 of 50, a tenth off by .5": (partial(off_in_some, partial(equal, 100, 50), 0.1, 0.5), 0.05),
        "60 of 50, a tenth off by .5": (partial(off_in_some, partial(equal, 60, 50), 0.1, 0.5), 0.05),
        "200 of 20, one in twenty off by .8": (partial(off_in_some, partial(equal, 200, 20), 0.05, 0.8), 0.04),
        "100 uneven, a tenth off by .5": (partial(off_in_some, partial(uneven, 100), 0.1, 0.5), 0.05),
        "30 of 20, each moved a little": (partial(moved, partial(equal, 30, 20), 0.1, 0.1), 0.1),
        "100 uneven, each moved a little": (partial(moved, partial(uneven, 100), 0.1, 0.05), 0.05),
    }
    risky: dict[str, Any] = {
        "200 lognormal, larger ones riskier": partial(larger_riskier, 200, 1.0, 1.0, False),
        "400 lognormal, larger ones riskier": partial(larger_riskier, 400, 1.0, 1.0, False),
        "200 lognormal, larger ones riskier, wrong together": partial(larger_riskier, 200, 1.0, 0.5, True),
        "400 with long tails, larger ones riskier": partial(larger_riskier, 400, 1.3, 0.7, False),
        "100 of 100 or of 2 rows, wrong as a whole": partial(wrong_as_a_whole, 100),
        "400 of 100 or of 2 rows, wrong as a whole": partial(wrong_as_a_whole, 400),
    }
    curves: dict[str, tuple[Any, str]] = {
        "15 uneven": (partial(hanging_together, partial(uneven, 15), "calibrated", 0.5), "calibrated"),
        "60 uneven": (partial(hanging_together, partial(uneven, 60), "calibrated", 0.5), "calibrated"),
        "60 uneven, overconfident": (
            partial(hanging_together, partial(uneven, 60), "overconfident", 0.3),
            "overconfident",
        ),
        "30 of 20, sharp": (partial(hanging_together, partial(equal, 30, 20), "sharp", 0.5), "sharp"),
        "15 uneven, predictions alike": (partial(alike, partial(uneven, 15)), "alike"),
        "60 uneven, predictions alike": (partial(alike, partial(uneven, 60)), "alike"),
    }
    wholes: dict[str, tuple[Sizes, float, float]] = {
        "5 of 20, .3, .9": (partial(equal, 5, 20), 0.3, 0.9),
        "10 of 20, .9, .9": (partial(equal, 10, 20), 0.9, 0.9),
        "20 of 20, .6, .95": (partial(equal, 20, 20), 0.6, 0.95),
        "60 of 20, .9, .97": (partial(equal, 60, 20), 0.9, 0.97),
        "30 lognormal, .6, .95": (partial(uneven, 30), 0.6, 0.95),
        "60 lognormal, .9, .95": (partial(uneven, 60), 0.9, 0.95),
        "200 lognormal, .9, .95": (partial(uneven, 200), 0.9, 0.95),
        "50 of 100 or 2, .3, .9": (partial(large_or_small, 50), 0.3, 0.9),
        "50 of 100 or 2, .6, .9": (partial(large_or_small, 50), 0.6, 0.9),
        "200 of 100 or 2, .9, .9": (partial(large_or_small, 200), 0.9, 0.9),
    }
    return [
        *(row(f"error at the limit: {name}", partial(at_the_limit, *arguments)) for name, arguments in limits.items()),
        *(row(f"threshold: {name}", partial(promised, draw)) for name, draw in risky.items()),
        *(row(f"CORP: {name}", partial(parts_cover, *arguments)) for name, arguments in curves.items()),
        *(
            row(
                f"areas: {name}{how}",
                partial(areas_cover, partial(whole_clusters, *arguments, 1.0, alike), arguments[2], 1.0),
            )
            for name, arguments in wholes.items()
            for alike, how in ((0.0, ""), (0.5, ", confidence too"))
        ),
        *(
            row(
                f"areas: {many} of 5, random effects",
                partial(areas_cover, partial(random_effects, many, 5, 0.8), 0.8, 1.0),
            )
            for many in (10, 30, 100)
        ),
    ]


REGIMES = _regimes()
