"""The slow twin of the calibration room: loops over rows in exact fractions, each formula as it is written down."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, permutations

import numpy as np

ZERO = Fraction(0)


@dataclass(frozen=True)
class Row:
    """A pair: prediction, label, weight, cluster; `u` is its gap."""

    q: Fraction
    y: int
    w: Fraction = Fraction(1)
    cluster: object = None

    @property
    def u(self) -> Fraction:
        return self.q - self.y


Bins = list[list[Row]]


def rows_of(
    y: Iterable[object], q: Iterable[float], w: Iterable[float] | None = None, clusters: Iterable[object] | None = None
) -> list[Row]:
    y, q = [int(label) for label in y], [Fraction(float(value)) for value in q]  # type: ignore[call-overload]
    w = [Fraction(1)] * len(q) if w is None else [Fraction(float(value)) for value in w]
    clusters = range(len(q)) if clusters is None else clusters
    return [Row(*row) for row in zip(q, y, w, clusters, strict=True)]


def adaptive_bins(rows: Sequence[Row], bin_size: int) -> Bins:
    """Algorithm 1 with whole ties: a bin takes groups of equal predictions until it holds `bin_size` rows."""
    bins: Bins = []
    current: list[Row] = []
    for _, ties in groupby(sorted(rows, key=lambda row: row.q), key=lambda row: row.q):
        current += ties
        if len(current) >= bin_size:
            bins.append(current)
            current = []
    if current and bins:
        bins[-1] += current
    elif current:
        bins.append(current)
    return bins


def paper_bins(rows: Sequence[Row], bin_size: int) -> Bins:
    """Algorithm 1 as printed: the k-th row goes to bin floor((k - 1) / bin_size) + 1, a short last bin is merged."""
    ordered = sorted(rows, key=lambda row: row.q)
    bins = [ordered[start : start + bin_size] for start in range(0, len(ordered), bin_size)]
    if len(bins) > 1 and len(bins[-1]) < bin_size:
        last = bins.pop()
        bins[-1] += last
    return bins


def uniform_bins(rows: Sequence[Row], edges: Sequence[float]) -> Bins:
    """Bins (lower, upper], the first from 0 on; empty ones left out."""
    inner = [Fraction(float(edge)) for edge in edges]
    bins: Bins = [[] for _ in range(len(inner) + 1)]
    for row in sorted(rows, key=lambda row: row.q):
        bins[sum(row.q > edge for edge in inner)].append(row)
    return [bin_rows for bin_rows in bins if bin_rows]


def weight(rows: Iterable[Row]) -> Fraction:
    return sum((row.w for row in rows), ZERO)


def mean(rows: Iterable[Row], value: Callable[[Row], Fraction | int]) -> Fraction:
    rows = list(rows)
    return sum((row.w * value(row) for row in rows), ZERO) / weight(rows)


def mean_prob(rows: Iterable[Row]) -> Fraction:
    return mean(rows, lambda row: row.q)


def frequency(rows: Iterable[Row]) -> Fraction:
    return mean(rows, lambda row: row.y)


def averaged(bins: Bins, value: Callable[[list[Row]], Fraction]) -> Fraction:
    """The mean over bins, weighted by the bins' weight."""
    return sum((weight(rows) * value(rows) for rows in bins), ZERO) / sum((weight(rows) for rows in bins), ZERO)


def gap(rows: list[Row]) -> Fraction:
    return mean_prob(rows) - frequency(rows)


def plugin_mse(bins: Bins) -> Fraction:
    return averaged(bins, lambda rows: gap(rows) ** 2)


def ece(bins: Bins) -> Fraction:
    return averaged(bins, lambda rows: abs(gap(rows)))


def over_different_rows(sample: list[Row], powers: Sequence[int]) -> Fraction | None:
    """Σ Π (w u)^k / Σ Π w^k over all tuples of different rows: an unbiased estimate of Π E[u^k]; None without any."""
    above, below = ZERO, ZERO
    for rows in permutations(sample, len(powers)):
        numerator, denominator = Fraction(1), Fraction(1)
        for row, power in zip(rows, powers, strict=True):
            numerator *= (row.w * row.u) ** power
            denominator *= row.w**power
        above += numerator
        below += denominator
    return above / below if below else None


def concentration(rows: list[Row]) -> Fraction:
    """Σw² / (Σw)²: one over the effective number of rows."""
    return sum((row.w**2 for row in rows), ZERO) / weight(rows) ** 2


@dataclass(frozen=True)
class Squared:
    """What an estimate of the squared error holds; the names are those of `SquaredError`."""

    value: Fraction
    variance: Fraction
    slope_above: Fraction
    slope_below: Fraction
    least: Fraction
    left_out: int


def worth_two(rows: list[Row]) -> bool:
    """Whether a bin is worth two rows: none outweighs the others together."""
    return float(concentration(rows)) <= 1 / (2 - 1e-9)


def debiased(bins: Bins) -> Squared:
    """The debiased squared error and the parts of its variance; every bin by tuples of different rows."""
    usable = [rows for rows in bins if len(rows) > 1 and worth_two(rows)]
    total = sum((weight(rows) for rows in usable), ZERO)
    value = least = noise = slope = spread = fourths = ZERO
    for rows in usable:
        share = weight(rows) / total
        theta = over_different_rows(rows, (1, 1))
        centre = mean(rows, lambda row: row.u)
        w2 = sum((row.w**2 for row in rows), ZERO)
        v = sum(((row.w * (row.u - centre)) ** 2 for row in rows), ZERO) / (weight(rows) ** 2 - w2)
        fourth, second = over_different_rows(rows, (1,) * 4), over_different_rows(rows, (1, 1, 2))
        if fourth is None or second is None:
            fourth, product = max(theta, ZERO) ** 2, max(theta, ZERO) * v
        else:
            product = (second - fourth) * concentration(rows)
        value += share * theta
        least += 2 * share**2 * v**2
        noise += share * v
        slope += 4 * share**2 * v
        spread += 4 * share**2 * product
        fourths += share * fourth
    between = max(fourths - value**2, ZERO) * concentration([row for rows in usable for row in rows])
    above = 2 * least / noise if noise else ZERO
    left_out = sum(len(rows) for rows in bins) - sum(len(rows) for rows in usable)
    return Squared(value, spread + least + between, above, slope, least, left_out)


def interval_by_search(squared: Squared, z: float) -> tuple[float, float]:
    """The outermost t with (t - value)² ≤ z² max(variance at t, least), by bisection.

    Where t is favoured most, d = z² slope / 2 away from the value, it is held if it is anywhere beyond the least.
    A value below zero counts as zero at the upper end.
    """
    numbers = [float(getattr(squared, name)) for name in ("value", "variance", "slope_above", "slope_below", "least")]
    value, variance, slope_above, slope_below, least = numbers

    def is_inside(d: float) -> bool:
        slope = slope_above if d > 0 else slope_below
        return d**2 <= z * z * max(variance + slope * d, least)

    ends = []
    for sign in (-1.0, 1.0):
        favoured = z * z * slope_above / 2 if sign > 0 else 0.0
        inside = favoured if is_inside(favoured) else 0.0
        outside = inside + 1.0
        while is_inside(sign * outside):
            outside *= 2
        for _ in range(100):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if is_inside(sign * middle) else (inside, middle)
        ends.append(value + sign * inside)
    return ends[0], ends[1] - min(value, 0.0)


def clustered_value(bins: Bins) -> Fraction | None:
    """Σ p_b θ_b, θ_b the weighted mean of u_i u_j over rows of different clusters; bins without any do not count."""
    above = total = ZERO
    for rows in bins:
        products = couples = ZERO
        for first in rows:
            for second in rows:
                if first.cluster != second.cluster:
                    products += first.w * first.u * second.w * second.u
                    couples += first.w * second.w
        if couples:
            above += weight(rows) * products / couples
            total += weight(rows)
    return above / total if total else None


def jackknife(bins: Bins) -> Fraction:
    """(n - 1) / n Σ (value without a cluster - mean of these)², every cluster left out in turn; the bins stay.

    0 if nothing is left without any of the clusters.
    """
    clusters = list(dict.fromkeys(row.cluster for rows in bins for row in rows))
    usable = [rows for rows in bins if len({row.cluster for row in rows}) > 1 and worth_two(rows)]
    values = []
    for cluster in clusters:
        value = clustered_value([[row for row in rows if row.cluster != cluster] for rows in usable])
        if value is not None:
            values.append(value)
    if not values:
        return ZERO
    centre = sum(values, ZERO) / len(values)
    n = len(clusters)
    return Fraction(n - 1, n) * sum(((value - centre) ** 2 for value in values), ZERO)


def cluster_noise(bins: Bins) -> tuple[Fraction, Fraction, Fraction]:
    """2 Σ p_b p_b' V_bb'², Σ p_b V_bb, 4 Σ p_b² V_bb; V_bb' = Σ_c r_bc r_b'c / (W_b W_b'), r_bc = Σ w (u - gap_b)."""
    usable = [rows for rows in bins if len({row.cluster for row in rows}) > 1 and worth_two(rows)]
    clusters = list(dict.fromkeys(row.cluster for rows in usable for row in rows))
    total = sum((weight(rows) for rows in usable), ZERO)

    def residual(rows: list[Row], cluster: object) -> Fraction:
        return sum((row.w * (row.u - gap(rows)) for row in rows if row.cluster == cluster), ZERO) / weight(rows)

    residuals = [[residual(rows, cluster) for cluster in clusters] for rows in usable]
    shares = [weight(rows) / total for rows in usable]
    least = noise = slope = ZERO
    for p, mine in zip(shares, residuals, strict=True):
        sum_of_squares = sum((r * r for r in mine), ZERO)
        noise += p * sum_of_squares
        slope += 4 * p * p * sum_of_squares
        for other_p, other in zip(shares, residuals, strict=True):
            least += 2 * p * other_p * sum((a * b for a, b in zip(mine, other, strict=True)), ZERO) ** 2
    return least, noise, slope


def algorithm_2(bins: Bins, normals: np.ndarray, z: float) -> tuple[tuple[float, float], tuple[float, float]]:
    """The interval of the error and of its square from given standard normals (samples, bins)."""
    n = float(sum((weight(rows) for rows in bins), ZERO))
    parts = [
        (
            float(weight(rows)) / n,
            float(mean_prob(rows)),
            float(frequency(rows)),
            math.sqrt(frequency(rows) * (1 - frequency(rows)) * concentration(rows)),
        )
        for rows in bins
    ]
    errors, squares = [], []
    for sample in normals.tolist():
        error = square = 0.0
        for (share, predicted, observed, sigma), normal in zip(parts, sample, strict=True):
            drawn = observed + sigma * normal
            square += share * (predicted - drawn) ** 2
            error += share * (predicted - min(max(drawn, 0.0), 1.0)) ** 2
        errors.append(math.sqrt(error))
        squares.append(square)
    return _mean_and_reach(errors, z), _mean_and_reach(squares, z)


def _mean_and_reach(values: list[float], z: float) -> tuple[float, float]:
    centre = math.fsum(values) / len(values)
    sd = math.sqrt(math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1))
    return centre - z * sd, centre + z * sd
