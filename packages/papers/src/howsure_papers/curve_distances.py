"""Distances of estimated calibration curves from the true one: bins, local, isotonic and parametric regression."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from howsure.calibration.bins import boundaries_of_sorted
from howsure.calibration.curve_choice import cross_validate_curve, local_regression
from howsure.calibration.simulation import label_probability
from howsure.inputs.pairs import Floats, Pairs
from howsure.recalibration.recalibrate import recalibrate
from howsure.show.table import Column, digits
from howsure_papers.reproduction import NAME, Advance, Finding, Numbers, numbers

PAIRS = 20_000
BETA = (0.5, 0.5)
TRUTHS: Mapping[str, Callable[[Floats], Floats]] = {
    "calibrated": lambda q: q,
    "k = 0.1": lambda q: label_probability(q, transform=0.1),
    "q^1.5": lambda q: q**1.5,
}
PAPERS, AUTOMATIC, CHOSEN = "bins of 5,000", "bins of n^(2/3) / 2", "bins, size by cross-validation"
LOCAL, ISOTONIC, PARAMETRIC = "local regression", "isotonic regression", "logistic curve (Platt)"
METHODS = (PAPERS, AUTOMATIC, CHOSEN, LOCAL, ISOTONIC, PARAMETRIC)
AUTOMATIC_SIZE = 368  # bin size for 20,000 pairs


@dataclass(frozen=True, slots=True)
class Distances:
    """The results of all samples (runs) with one true curve: the distances of the estimated curves (runs, methods), the
    chosen bin sizes and spans (runs,), and the coverage of the intervals of local regression (runs,).
    """

    distances: Floats
    sizes: Floats
    spans: Floats
    covered: Floats


def steps_of_distances(runs: int) -> int:
    """The number of samples that are drawn."""
    return runs * len(TRUTHS)


def distances_by_truth(runs: int, seed: int, advance: Advance) -> dict[str, Distances]:
    """The root mean squared distance of each curve from the true one, over the pairs of a sample."""
    by_truth = {}
    for name, truth in TRUTHS.items():
        rows = []
        for run in range(runs):
            rows.append(_sample_distances(truth, np.random.default_rng([seed, 11, run])))
            advance(1)
        by_truth[name] = Distances(*(np.array(column) for column in zip(*rows, strict=True)))
    return by_truth


def _sample_distances(
    truth: Callable[[Floats], Floats], rng: np.random.Generator
) -> tuple[list[float], int, float, float]:
    q = np.sort(rng.beta(*BETA, size=PAIRS))
    y = (rng.random(PAIRS) < truth(q)).astype(np.uint8)
    pairs = Pairs(y, q)
    from scipy.optimize import isotonic_regression

    choice = cross_validate_curve(pairs)
    local = local_regression(pairs, span=choice.span)
    points, frequency, low, high = (
        np.array([getattr(point, name) for point in local], dtype=np.float64)
        for name in ("probability", "frequency", "low", "high")
    )
    curves = {
        PAPERS: _bin_frequencies(q, y, 5_000),
        AUTOMATIC: _bin_frequencies(q, y, AUTOMATIC_SIZE),
        CHOSEN: _bin_frequencies(q, y, choice.bin_size),
        LOCAL: np.interp(q, points, frequency),
        ISOTONIC: isotonic_regression(y.astype(np.float64)).x,
        PARAMETRIC: np.asarray(recalibrate(y, q, method="platt").apply(q)),
    }
    distances = [float(np.sqrt(((curves[name] - truth(q)) ** 2).mean())) for name in METHODS]
    is_covered = (low <= truth(points)) & (truth(points) <= high)
    return distances, choice.bin_size, choice.span, float(is_covered.mean())


def _bin_frequencies(q: Floats, y: np.typing.NDArray[np.uint8], size: int) -> Floats:
    bins = np.searchsorted(boundaries_of_sorted(q, bin_size=size), q, side="left")
    frequency: Floats = np.bincount(bins, weights=y) / np.bincount(bins)
    return frequency[bins]


def findings(by_truth: Mapping[str, Distances]) -> list[Finding]:
    """Return findings: does cross-validation choose good bin sizes, and is local regression better than parametric?"""
    means = {name: dict(zip(METHODS, of.distances.mean(axis=0).tolist(), strict=True)) for name, of in by_truth.items()}

    def listed(method: str) -> str:
        return ", ".join(f"{means[name][method]:.4f}" for name in means)

    truths = ", ".join(means)
    sizes = ", ".join(f"{np.median(of.sizes):,.0f}" for of in by_truth.values())
    covered = float(np.mean([of.covered.mean() for of in by_truth.values()]))
    chosen = (
        f"distance from the true curve ({truths}): {listed(CHOSEN)}, with {sizes} pairs a bin; bins of 5,000: "
        f"{listed(PAPERS)}; of n^(2/3) / 2: {listed(AUTOMATIC)}"
    )
    local = (
        f"distance from the true curve ({truths}): {listed(LOCAL)}, parametric: {listed(PARAMETRIC)}; its intervals "
        f"have the truth at {covered:.3f} of the points"
    )
    miscalibrated = [name for name in means if name != "calibrated"]
    better = all(of[CHOSEN] < of[PAPERS] for of in means.values())
    flexible = all(means[name][LOCAL] < means[name][PARAMETRIC] for name in miscalibrated)
    good = "local regression estimates calibration better than a parametric curve, with good intervals"
    return [
        Finding("footnote 7", "cross-validation may select the bin size better", chosen, better),
        Finding("chapter 2", good, local, flexible and covered > 0.9),
    ]


def table(by_truth: Mapping[str, Distances], runs: int) -> Numbers:
    caption = f"Distances of curves of {PAIRS:,} pairs from the true curve (root mean square), means of {runs} samples"
    columns = [Column(name, digits(4), values=of.distances.mean(axis=0)) for name, of in by_truth.items()]
    return numbers(caption, METHODS, Column("curve", NAME, get=str), *columns)
