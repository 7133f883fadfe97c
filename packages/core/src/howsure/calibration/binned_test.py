"""Tests of calibration over bins: Hosmer and Lemeshow's test, made accurate for rare labels, and a simulation test."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Self

import numpy as np

from howsure.calibration.bins import Binned, sorted_rows
from howsure.calibration.slots import CELLS, Slots, first_of_cells
from howsure.calibration.squared_error import plugin_mse
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.stats.proportions import sums_of_counts

# The distribution of Hosmer and Lemeshow's statistic if some bins expect few labels 1 or few labels 0. The statistic is
# then too skewed for a chi-square approximation.

MAX_RARE_LABELS = 25.0  # expected labels of the rarer kind above which a bin's number counts as normal
STEPS = 4096  # contributions of bins are rounded to 1/4096 of the statistic
SPARSE = 1024  # with more values than this, a distribution is stored by step instead of by value
MAX_GRID_STEPS = 100_000
NUMBERS_AT_ONCE = 1 << 16
NEGLIGIBLE = 1e-100  # such a probability is added to that of reaching the statistic
ROUNDING = 1e-12  # a smaller statistic counts as 0
MIN_LAWS_FOR_BLAS = 20
Add = Callable[[float, Floats, Floats], None]


def add_scaled(scale: float, x: Floats, y: Floats) -> None:
    """y += scale · x."""
    y += scale * x


def blas_add_scaled() -> Add:
    """Return `add_scaled` computed by BLAS: twice as fast, but importing it pays only for many distributions."""
    from scipy.linalg.blas import daxpy

    return lambda scale, x, y: daxpy(x, y, a=scale)


def binned_p_values(
    statistics: Sequence[float], expected: Sequence[Floats], variances: Sequence[Floats], *, add: Add = add_scaled
) -> list[float]:
    """Return the p-values of Hosmer and Lemeshow's statistics, P(Σ_b (K_b - E_b)² / V_b ≥ statistic) under calibration.

    K_b is the number of labels of the rarer kind in bin b, with mean E_b (`expected`) and variance V_b; each
    element of the arguments is about one set of bins. In bins with E_b < 25, K_b is approximated by a binomial
    distribution with this mean and variance (Poisson in the limit), and the distributions of these bins'
    contributions are convolved. If there are several such bins, each contribution is rounded to 1/4096 of the
    statistic. The sum over the other bins is approximated by a chi-square.
    """
    from scipy.special import gammaincc

    p_values, few = [1.0] * len(statistics), []
    for i, (statistic, mean, variance) in enumerate(zip(statistics, expected, variances, strict=True)):
        if statistic <= ROUNDING or not len(mean):
            continue
        rare = mean < MAX_RARE_LABELS
        if not rare.any() or math.sqrt(float(variance[rare].max()) * statistic) > MAX_GRID_STEPS:
            p_values[i] = float(gammaincc(len(mean) / 2, statistic / 2))
        else:
            few.append(RareBins(i, statistic, mean[rare], variance[rare], len(mean) - int(np.count_nonzero(rare))))
    few.sort(key=lambda bins: bins.numbers)  # of similar size, since together they are as wide as the widest
    for some in _batched(few):
        for bins, laws in zip(some, _contributions(some), strict=True):
            p_values[bins.row] = _p_value_of_rare(bins, laws, add)
    return p_values


@dataclass(frozen=True, slots=True)
class RareBins:
    """The bins of one set that expect few labels of one kind, and what `binned_p_values` needs to know about the other
    bins.

    row: the set's index in the input. statistic: the statistic of the whole set. mean, variance (bins,): mean and
    variance of the number of the rarer label in each bin that expects few. degrees: the number of the other bins, whose
    contributions follow a chi-square distribution.
    """

    row: int
    statistic: float
    mean: Floats
    variance: Floats
    degrees: int

    @property
    def numbers(self) -> int:
        """How many counts of labels (0, 1, 2, …) to consider: with more, one bin alone would reach the statistic."""
        return math.ceil(float((self.mean + np.sqrt(self.variance * self.statistic)).max())) + 1

    @property
    def steps(self) -> int:
        """The number of steps to which contributions are rounded: 1 if there is a single contribution."""
        return 1 if len(self.mean) + self.degrees == 1 else STEPS


# The distribution of a bin's contribution below the statistic: possible contributions, in steps, and their
# probabilities, both (numbers,); and the probability that the bin alone reaches the statistic.
Contribution = tuple[Integers, Floats, float]


def _batched(sets: Sequence[RareBins]) -> Iterator[list[RareBins]]:
    """Yield batches of sets whose distributions are computed together."""
    batch: list[RareBins] = []
    bins = 0
    for rare in sets:
        bins += len(rare.mean)
        if batch and bins * rare.numbers > NUMBERS_AT_ONCE:
            yield batch
            batch, bins = [], len(rare.mean)
        batch.append(rare)
    if batch:
        yield batch


def _contributions(sets: Sequence[RareBins]) -> Iterator[list[Contribution]]:
    sizes = [len(rare.mean) for rare in sets]
    e, v = (np.concatenate(columns)[:, None] for columns in zip(*((s.mean, s.variance) for s in sets), strict=True))
    of_sets = zip(*((s.statistic, s.steps, s.numbers) for s in sets), strict=True)
    statistic, steps, numbers = (np.repeat(column, sizes)[:, None] for column in of_sets)
    chance, more = label_numbers(numbers, e, v)
    number = np.arange(chance.shape[1])
    with np.errstate(over="ignore"):  # an infinite contribution reaches the statistic
        part = (number - e) ** 2 / v / statistic
    inside = (part < 1 - 1e-9) & (chance > NEGLIGIBLE)
    step = np.minimum(np.rint(part * steps, where=inside, out=part), steps - 1).astype(np.int64)
    outside = np.where(inside | (number >= numbers), 0.0, chance)
    reached = np.cumsum(outside, axis=1)[:, -1] + more  # summed in order: independent of the batch
    first = inside.argmax(axis=1)
    ends = first + np.count_nonzero(inside, axis=1)  # the numbers near the mean are consecutive
    columns = zip(step, chance, first.tolist(), ends.tolist(), reached.tolist(), strict=True)
    laws = ((of_bin[start:end], chances[start:end], far) for of_bin, chances, start, end, far in columns)
    for size in sizes:
        yield list(islice(laws, size))


def _p_value_of_rare(bins: RareBins, laws: Sequence[Contribution], add: Add) -> float:
    """The probability that the contributions of all bins reach the statistic."""
    from scipy.special import gammaincc

    steps = bins.steps
    half = len(laws) if bins.degrees else len(laws) // 2  # the two halves are combined by a sum of products
    below, beyond = _sum_contributions(laws[:half], steps, add)
    if bins.degrees:
        rest = gammaincc(bins.degrees / 2, bins.statistic * (1 - np.arange(steps) / steps) / 2)
    else:
        others, reached = _sum_contributions(laws[half:], steps, add)
        rest = reached + np.append(0.0, np.cumsum(others[:0:-1]))
    return min(beyond + float(below @ rest), 1.0)


def _sum_contributions(laws: Sequence[Contribution], steps: int, add: Add) -> tuple[Floats, float]:
    """Return the distribution (steps,) of a sum of contributions below the statistic, and P(sum ≥ statistic)."""
    step, chance, beyond, row = np.zeros(1, dtype=np.int64), np.ones(1), 0.0, 0
    while row < len(laws) and len(step) * len(laws[row][0]) <= SPARSE:
        of_bin, chances, reached = laws[row]
        beyond += float(np.add.reduce(chance)) * reached
        step, chance = np.add.outer(step, of_bin).ravel(), np.multiply.outer(chance, chances).ravel()
        row += 1
    by_step = np.bincount(step, chance, steps).astype(np.float64, copy=False)
    below, beyond = by_step[:steps], beyond + float(np.add.reduce(by_step[steps:]))
    for of_bin, chances, reached in laws[row:]:
        beyond += float(np.add.reduce(below)) * reached
        summed = np.zeros(2 * steps)
        for start, probability in zip(of_bin.tolist(), chances.tolist(), strict=True):
            add(probability, below, summed[start : start + steps])
        below, beyond = summed[:steps], beyond + float(np.add.reduce(summed[steps:]))
    return below, beyond


def label_numbers(numbers: int | Integers, mean: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """Return each bin's probabilities of 0, 1, 2, … labels, shape (b, n), and of at least `numbers` labels, shape (b,).

    numbers: one number for all bins, or one for each bin (b, 1); n is the largest. mean, variance: (b, 1). The
    distribution is binomial with this mean and, up to rounding the number of trials, this variance; it is Poisson if
    mean and variance are equal.
    """
    from scipy.special import betainc, gammainc

    poisson = variance >= mean * (1 - 1e-9)
    trials = np.maximum(np.ceil(mean**2 / np.where(poisson, 1.0, mean - variance) - 1e-9), 1.0)
    p = np.where(poisson, 0.0, np.minimum(mean / trials, 1 - 2.0**-53))
    number = np.arange(1.0, np.max(numbers))
    with np.errstate(divide="ignore"):
        ratio = np.log(np.where(poisson, mean, np.maximum(trials - number + 1, 0.0) * p / (1 - p)) / number)
    first = np.where(poisson, -mean, trials * np.log1p(-p))
    chance = np.exp(np.cumsum(np.concatenate([first, ratio], axis=1), axis=1))
    of_trials = betainc(numbers, np.maximum(trials - numbers + 1, 1.0), p) * (numbers <= trials)
    return chance, np.where(poisson, gammainc(numbers, mean), of_trials)[:, 0]


# The test of calibration used in tables: Hosmer and Lemeshow's test over the bins, and a separate one for clusters.

WRONG = 1e-9  # a bin of predictions 0 or 1 has an error, not just rounding, above this fraction of its squared weights
MIN_EXPECTED = 5.0  # expected labels of each kind in a merged bin


def binned_test(binned: Binned) -> tuple[float, float]:
    """Return Hosmer and Lemeshow's statistic and its p-value.

    The statistic is the sum over bins of (Σ w (q - y))² / Σ w² q (1 - q). Neighbouring bins are first merged until each
    expects at least five labels of each kind; expected weights are converted to counts by the factor Σw / Σw². Since
    predictions are not fitted to these labels, the reference is a chi-square with one degree of freedom per bin. Bins
    that expect few labels get a more accurate distribution (`binned_p_values`). If all predictions of a bin are exactly
    0 or 1 and one of them is wrong, the statistic is infinite and the p-value 0.
    """
    return binned_tests([binned])[0]


def binned_tests(many: Sequence[Binned]) -> list[tuple[float, float]]:
    """Return the statistic and the p-value of each of several sets of bins."""
    statistics, *moments = zip(*map(_hosmer_lemeshow, many), strict=True) if many else ((), (), ())
    add = blas_add_scaled() if len(many) >= MIN_LAWS_FOR_BLAS else add_scaled
    p_values = binned_p_values(statistics, *moments, add=add)
    return [(value, 0.0 if math.isinf(value) else p) for value, p in zip(statistics, p_values, strict=True)]


def _hosmer_lemeshow(binned: Binned) -> tuple[float, Floats, Floats]:
    """Return the statistic, and the mean and variance of the rarer label's number in each merged bin.

    Bins whose predictions are all 0 or 1 have no variance and are left out. If one of these predictions is wrong, the
    statistic is infinite.
    """
    s, bins = binned.sums, merged_bins(binned)
    zeros = s.w1 - s.y - s.u  # Σ w (1 - q), without cancellation near 1
    columns: list[Floats] = [s.u, np.maximum(binned.label_variance, 0.0), s.q, zeros, s.w1, s.w2, s.u2]
    gap, spread, ones, zeros, w, ww, squares = (np.bincount(bins, column).astype(np.float64) for column in columns)
    certain = spread <= 0.0
    if bool((squares > WRONG * ww)[certain].any()):  # a prediction of 0 or 1 is wrong; squares never cancel
        return math.inf, np.empty(0), np.empty(0)
    open_ = ~certain
    with np.errstate(over="ignore"):  # a nearly impossible event makes the statistic infinite
        statistic = float((gap[open_] ** 2 / spread[open_]).sum())
    worth = (w / ww)[open_]
    expected = np.maximum(np.minimum(ones, zeros), 0.0)[open_] * worth
    return statistic, expected, np.minimum(spread[open_] * worth**2, expected)


def merged_bins(binned: Binned) -> Integers:
    """Assign each bin to a merged bin (bins,), so that every merged bin expects at least five labels of each kind."""
    s = binned.sums
    worth = s.w1 / s.w2
    return _merge_small_bins(s.q * worth, (s.w1 - s.q) * worth)


def merged_edges(binned: Binned) -> Floats:
    """The largest prediction of each merged bin but the last."""
    return binned.inner[np.diff(merged_bins(binned)) > 0]


def _merge_small_bins(positives: Floats, negatives: Floats) -> Integers:
    """Merge neighbouring bins until each expects five labels of each kind; a remainder joins the last merged bin."""
    merged, number, expected = np.zeros(len(positives), dtype=np.int64), 0, [0.0, 0.0]
    for i, (positive, other) in enumerate(zip(positives.tolist(), negatives.tolist(), strict=True)):
        merged[i] = number
        expected = [expected[0] + positive, expected[1] + other]
        if min(expected) >= MIN_EXPECTED:
            number, expected = number + 1, [0.0, 0.0]
    return np.minimum(merged, max(number - 1, 0))


def binned_p_value(binned: Binned) -> float:
    """The p-value of `binned_test`."""
    return binned_test(binned)[1]


DRAWS_AT_ONCE = 1 << 22


def simulation_test(
    pairs: Pairs | Slots, binned: Binned, *, times: int, rng: np.random.Generator
) -> tuple[float, float, float]:
    """Return the squared error of the bins, its p-value by simulation, and the p-value's Monte Carlo standard error.

    Labels are drawn from the predictions `times` times; p = (c + 1) / (times + 1), where c is the number of draws whose
    squared error is at least that of the data. Without weights, the number of labels 1 in each bin is drawn from its
    exact distribution instead of drawing each label. The test is the same, because given the predictions these numbers
    are independent.
    """
    mse = plugin_mse(binned.sums)
    if isinstance(pairs, Pairs) and pairs.weights is not None:
        observed, drawn = mse, _errors_of_drawn_labels(pairs, binned, times, rng)
    else:
        errors = np.zeros(times + 1)
        for positives, weight, law in zip(binned.sums.y, binned.sums.w1, _label_counts(pairs, binned), strict=True):
            gap = law.mean - np.append(positives, law.draw(times, rng))  # entry 0 is the data, the others are draws
            errors += gap * gap / weight
        observed, drawn = float(errors[0]), errors[1:]
    p = (int(np.count_nonzero(drawn >= observed * (1 - 1e-12))) + 1) / (times + 1)
    return mse, p, math.sqrt(p * (1 - p) / (times + 1))


def _errors_of_drawn_labels(pairs: Pairs, binned: Binned, times: int, rng: np.random.Generator) -> Floats:
    """The squared errors (times,) of labels drawn for each weighted pair."""
    q, _, w = sorted_rows(pairs)
    assert w is not None
    bins = binned.assign_bins(q)
    starts = np.flatnonzero(np.append(True, bins[1:] != bins[:-1]))
    predicted, weights = np.add.reduceat(w * q, starts), np.add.reduceat(w, starts)
    values = np.empty(times)
    step = max(1, DRAWS_AT_ONCE // len(q))
    for start in range(0, times, step):
        rows = min(step, times - start)
        drawn = rng.random((rows, len(q))) < q
        positives = np.add.reduceat(drawn * w, starts, axis=1, dtype=np.float64)
        values[start : start + rows] = ((predicted - positives) ** 2 / weights).sum(axis=1) / weights.sum()
    return values


def _label_counts(pairs: Pairs | Slots, binned: Binned) -> Iterator[LabelCount]:
    """Yield the distribution of the number of labels 1 in each bin; the pairs or sums must have no weights."""
    q = np.sort(pairs.probabilities) if isinstance(pairs, Pairs) else first_of_cells()[pairs.cell]
    bins = binned.assign_bins(q)
    starts = np.flatnonzero(np.append(True, bins[1:] != bins[:-1]))
    if isinstance(pairs, Pairs):
        for law in sums_of_counts(np.split(np.column_stack([1.0 - q, q]), starts[1:])):
            below = np.cumsum(law.pmf)
            yield LabelCount(law.mean, 0, below / below[-1])
    else:
        for start, end in zip(starts, np.append(starts[1:], len(bins)), strict=True):
            yield LabelCount.of(pairs, slice(start, end))


EXPONENT = 36.0  # probabilities below e⁻³⁶ = 2·10⁻¹⁶ are neglected


@dataclass(frozen=True, slots=True)
class LabelCount:
    """The number of labels 1 among independent pairs with different probabilities (a Poisson-binomial distribution).

    below[i] is P(number ≤ first + i), to about 10⁻¹³. mean: Σ q.
    """

    mean: float
    first: int
    below: Floats

    @classmethod
    def of(cls, slots: Slots, part: slice) -> Self:
        """Compute the distribution for the pairs of some slots; each pair has the mean prediction of its slot.

        The characteristic function φ(ω) = Π (1 - q + q e^{iω})^n is inverted by a Fourier transform of odd length. The
        length covers the numbers that can occur by Bernstein's inequality. Frequencies at which the bound |φ| ≤ exp(-σ²
        (1 - cos ω)) is negligible are left out. For precision, r = min(q, 1 - q) replaces q; the function φ of 1 - q is
        the conjugated and shifted φ of q.
        """
        n, r = slots.count[part].astype(np.float64), slots.nearest[0][part]
        upper = slots.slot[part] >> 1 >= CELLS
        mean, variance = float(n @ np.where(upper, 1.0 - r, r)), float(n @ (r * (1.0 - r)))
        length = 2 * math.ceil(EXPONENT / 3 + math.sqrt(EXPONENT**2 / 9 + 2 * EXPONENT * variance)) + 1
        turn = 2 * math.pi / length * np.arange(1, length // 2 + 1)
        short = 2 * np.sin(turn / 2) ** 2  # 1 - cos ω
        turn, short = turn[deviation := variance * short < EXPONENT], short[deviation]
        size = n @ np.log1p(-2 * np.multiply.outer(r * (1.0 - r), short)) / 2
        angle = np.arctan2(np.multiply.outer(r, np.sin(turn)), 1.0 - np.multiply.outer(r, short))
        angle -= np.multiply.outer(r, turn)  # around the mean
        middle = round(mean)
        phase = np.where(upper, -n, n) @ angle + turn * (mean - middle)
        transformed = np.zeros(length // 2 + 1, dtype=np.complex128)
        transformed[0] = 1.0
        transformed[1 : len(turn) + 1] = np.exp(size - 1j * phase)
        chances = np.fft.fftshift(np.fft.irfft(transformed, length))
        below = np.cumsum(np.maximum(chances, 0.0))
        return cls(mean, middle - length // 2, below / below[-1])

    def draw(self, times: int, rng: np.random.Generator) -> Integers:
        """Draw independent numbers of labels 1, (times,)."""
        return self.first + np.searchsorted(self.below, rng.random(times), side="right")
