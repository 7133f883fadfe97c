"""The law of a count: against enumeration, and against convolution where sums are large."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import hypergeom, norm, rayleigh, t

from howsure.counts.cell_levels import LEVELS as GRID
from howsure.counts.cell_levels import (
    SCALE_OF_SIMILAR,
    SCALE_OF_SPREADS,
    _mid_tails,
    cell_levels,
    conditional_estimate,
    conditional_interval,
    hypergeometric_interval,
    mid_tails,
)
from howsure.counts.count_law import SMALL_VARIANCE, CountLaw, LogitCounts, count_law, mixed_small_sums
from howsure.counts.count_laws import count_intervals, count_laws
from howsure.inputs.pairs import Floats
from howsure.stats.logistic import sigmoid
from howsure.stats.proportions import poisson_binomial

LEVELS = np.array([-1.0, 0.3, 2.0])
WEIGHTS = np.array([0.2, 0.5, 0.3])


def enumerated(logits: Floats, n_positive: int) -> Floats:
    """P(T = t) from t = 0, by all outcomes of the units."""
    pmf = np.zeros(n_positive + len(logits) + 1)
    for level, weight in zip(LEVELS, WEIGHTS, strict=True):
        p = 1 / (1 + np.exp(-(logits + level)))
        for outcome in product((0, 1), repeat=len(logits)):
            pmf[n_positive + sum(outcome)] += weight * np.prod(np.where(outcome, p, 1 - p))
    return pmf


def pmf_of(law: CountLaw) -> Floats:
    return np.diff(law.cdf(np.arange(law.labelled_positives + law.units + 1)), prepend=0.0)


@pytest.mark.parametrize("units", [0, 1, 2, 7])
def test_small_counts_match_enumeration(units: int) -> None:
    logits = np.linspace(-3, 2, units)
    law = count_law(2, [logits], LEVELS, [WEIGHTS])
    expected = enumerated(logits, 2)
    np.testing.assert_allclose(pmf_of(law), expected, atol=1e-12)
    assert law.expected == pytest.approx(expected @ np.arange(len(expected)), abs=1e-12)
    assert law.quantile(0.5) == int(np.searchsorted(np.cumsum(expected), 0.5 - 1e-12))


def test_two_counts_are_compared_as_by_enumeration() -> None:
    a, b = (
        count_law(1, [np.array([-1.0, 0.5, 1.0])], LEVELS, [WEIGHTS]),
        count_law(0, [np.array([0.2] * 4)], LEVELS, [WEIGHTS]),
    )
    joint = np.outer(enumerated(np.array([-1.0, 0.5, 1.0]), 1), enumerated(np.array([0.2] * 4), 0))
    rows, columns = np.indices(joint.shape)
    chance = joint[rows > columns].sum() + joint[rows == columns].sum() / 2
    assert a.more_than(b) == pytest.approx(chance, abs=1e-12)
    difference = np.array([joint[rows - columns == d].sum() for d in range(-4, 5)])
    least = [int(np.searchsorted(np.cumsum(difference), share - 1e-9)) - 4 for share in (0.1, 0.9)]
    assert a.minus(b, 0.8) == tuple(least)


@pytest.mark.parametrize(("units", "mean"), [(400, 60.0), (3_000, 200.0), (50_000, 12.0), (50_000, 4_000.0)])
def test_large_counts_are_near_their_convolution(units: int, mean: float) -> None:
    """Edgeworth's law, and units taken together, to a thousandth of probability."""
    p = np.random.default_rng(0).beta(0.5, 0.5 * (units / mean - 1), units)
    logits = np.log(np.clip(p, 1e-4, 1 - 1e-4)) - np.log1p(-np.clip(p, 1e-4, 1 - 1e-4))
    law = count_law(0, [logits], np.zeros(1), [np.ones(1)])
    expected = np.cumsum(poisson_binomial(np.clip(p, 1e-4, 1 - 1e-4)).pmf)
    points = np.arange(units + 1)
    assert np.abs(law.cdf(points) - expected).max() < 2e-3


def test_draws_are_equally_likely() -> None:
    draws = [np.linspace(-2, 1, 5) + shift for shift in (0.0, 1.0)]
    weights = [WEIGHTS, WEIGHTS[::-1]]
    laws = [count_law(1, [logits], LEVELS, [weight]) for logits, weight in zip(draws, weights, strict=True)]
    both = count_law(1, draws, LEVELS, weights)
    np.testing.assert_allclose(pmf_of(both), (pmf_of(laws[0]) + pmf_of(laws[1])) / 2, atol=1e-12)
    assert both.expected == pytest.approx((laws[0].expected + laws[1].expected) / 2)


@pytest.mark.parametrize("shift", [-6.0, -1.0, 1.0, 6.0])
def test_sums_of_few_negatives_are_as_exact_as_those_of_few_positives(shift: float) -> None:
    """Units that are nearly all positive are counted by their negatives."""
    p = 1 / (1 + np.exp(-(np.linspace(-1, 1, 60) + shift)))
    law = count_law(3, [np.linspace(-1, 1, 60)], np.array([shift]), [np.ones(1)])
    assert len(law.weight) == 0
    np.testing.assert_allclose(pmf_of(law)[3:], poisson_binomial(p).pmf, atol=1e-14)


@pytest.mark.parametrize("units", [1, 40, 300, 2_000])
@pytest.mark.parametrize("kind", ["alike", "spread", "two clusters", "both certain"])
def test_small_sums_at_all_levels_match_each_level(kind: str, units: int) -> None:
    """The law of one level, tilted to the others, is the law of each: the mixture of draws and levels, one by one."""
    rng = np.random.default_rng(units)
    logits = {
        "alike": rng.choice(rng.normal(-3, 3, 5), units),
        "spread": rng.normal(-2, 2, units),
        "two clusters": np.where(rng.random(units) < 0.3, rng.normal(7, 1, units), rng.normal(-8, 0.5, units)),
        "both certain": rng.choice([-9.2, 9.2], units),
    }[kind]
    levels = np.arange(-60, 61, 8) / 10.0
    draws = [logits + 0.7, logits - 0.4 * (logits > 0)]
    weights = [rng.dirichlet(np.ones(len(levels))) for _ in draws]
    law = count_law(0, draws, levels, weights)
    expected = np.zeros(units + 1)
    for drawn, weight in zip(draws, weights, strict=True):
        for level, share in zip(levels, weight, strict=True):
            p = sigmoid(drawn + level)
            if p @ (1 - p) < SMALL_VARIANCE:
                expected += share / 2 * poisson_binomial(p).pmf
    np.testing.assert_allclose(law.small, expected, atol=1e-12)


@pytest.mark.long
def test_small_sums_of_draws_that_are_unlike_match_each() -> None:
    """Of units that are mostly positive in one draw and negative in another: no law of either may be cut off."""
    rng, levels = np.random.default_rng(6), np.arange(-60, 61) / 10.0
    for _ in range(60):
        kinds = int(rng.integers(1, 5))
        count, value = rng.integers(1, 60, kinds), rng.normal(0, 3, (int(rng.integers(1, 5)), kinds))
        p = sigmoid(value[:, None, :] + levels[None, :, None])
        mean, variance = (p * count).sum(axis=2), (p * (1 - p) * count).sum(axis=2)
        weight = np.where((variance < SMALL_VARIANCE) & (rng.random(mean.shape) < 0.2), rng.random(mean.shape), 0.0)
        sums = mixed_small_sums((value, count), levels, weight, mean, variance)
        expected = np.zeros(int(count.sum()) + 1)
        for draw, level in zip(*np.nonzero(weight), strict=True):
            expected += weight[draw, level] * poisson_binomial(np.repeat(p[draw, level], count)).pmf
        np.testing.assert_allclose(sums, expected, atol=1e-12)


@pytest.mark.parametrize("share", [1e-12, 0.025, 0.5, 0.975, 1 - 1e-12])
def test_quantiles_found_together_are_the_least_counts_that_reach_them(share: float) -> None:
    law = count_law(5, [np.linspace(-3, 1, 200)], LEVELS, [WEIGHTS])
    points = np.arange(law.labelled_positives, law.labelled_positives + law.units + 1)
    assert law.quantiles(0.3, share)[1] == points[int(np.argmax(law.cdf(points) >= share - 1e-12))]


def test_units_alike_are_taken_together_in_large_cells_only() -> None:
    logits = np.random.default_rng(0).normal(-4, 1.5, 20_000)
    counts = LogitCounts.empty()
    for start in range(0, 20_000, 3_000):
        counts.add(logits[start : start + 3_000])
    single, other = (count_law(0, [units], LEVELS, [WEIGHTS]) for units in (logits, counts))
    assert single.interval(0.95) == other.interval(0.95)
    exact = np.zeros(20_001)
    for level, weight in zip(LEVELS, WEIGHTS, strict=True):
        exact += weight * poisson_binomial(1 / (1 + np.exp(-(logits + level)))).pmf
    assert np.abs(single.cdf(np.arange(20_001)) - np.cumsum(exact)).max() < 2e-3


# Many counts together: each as by itself.


def cells_of_all_kinds(rng: np.random.Generator) -> list[list[Floats] | list[LogitCounts]]:
    """Two draws each of cells without units, small, large, certain, mostly positive, and larger than a batch."""
    logits = [rng.normal(centre, 2.0, units) for units in (0, 1, 2, 7, 60, 333) for centre in (-6.0, -2.0, 0.0, 4.0)]
    logits += [rng.choice([-9.2, 9.2], 1_500), rng.normal(-7, 1, 4_096), rng.normal(8, 1, 4_096)]
    logits += [np.full(40, -1e4), np.full(40, 1e4), rng.normal(-6, 1, 5_000)]
    cells: list[list[Floats] | list[LogitCounts]] = [[values + 0.3, values - 0.3] for values in logits]
    counts = LogitCounts.empty()
    counts.add(rng.normal(-4, 1, 6_000))
    return [*cells, [counts, counts]]


@pytest.mark.parametrize("levels", [GRID, GRID[::15], np.zeros(1)], ids=["grid", "few", "one"])
def test_counts_computed_together_are_those_computed_one_by_one(levels: Floats) -> None:
    rng = np.random.default_rng(1)
    cells = cells_of_all_kinds(rng)
    spread = rng.choice([0.3, 2.0, 1e3], (len(cells), 2, 1))
    weights = np.exp(-0.5 * ((levels - rng.normal(0, 1, (len(cells), 2, 1))) / spread) ** 2)
    known_counts = rng.integers(0, 5, len(cells)).tolist()
    together = count_laws(known_counts, cells, levels, weights)
    alone = [
        count_law(k, draws, levels, list(weight)) for k, draws, weight in zip(known_counts, cells, weights, strict=True)
    ]
    assert sum(len(law.weight) > 0 for law in together) > 3 < sum(law.small.sum() > 0.5 for law in together)
    for batched, single in zip(together, alone, strict=True):
        assert (batched.labelled_positives, batched.units) == (single.labelled_positives, single.units)
        assert batched.unread == pytest.approx(single.unread, rel=1e-12, abs=1e-12)
        np.testing.assert_allclose(batched.small, single.small, atol=1e-12)
        for part in ("weight", "mean", "deviation", "skewness"):
            np.testing.assert_allclose(getattr(batched, part), getattr(single, part), rtol=1e-9, atol=1e-12)
    for level in (0.5, 0.95, 1 - 1e-9):
        assert count_intervals(together, level) == [law.interval(level) for law in together]
    assert count_intervals([], 0.95) == []


def test_cells_without_further_units_have_the_known_count() -> None:
    weights = np.ones((2, 1, len(GRID)))
    laws = count_laws([0, 3], [[np.empty(0)], [np.empty(0)]], GRID, weights)
    assert count_intervals(laws, 0.95) == [(0, 0), (3, 3)]


# One cell by its own labels: the conditional law against enumeration, and the hypergeometric law of equal units.


LABELLED = np.array([-1.5, 0.0, 0.7])
OTHERS = np.array([-2.0, -0.3, 0.1, 1.2])


@pytest.mark.parametrize("total", range(1, 7))
@pytest.mark.parametrize("positives", range(4))
def test_tails_match_enumeration(total: int, positives: int) -> None:
    logits = np.concatenate([LABELLED, OTHERS])
    weight = np.zeros(4)
    for outcome in product((0, 1), repeat=7):
        if sum(outcome) == total:
            weight[sum(outcome[:3])] += np.exp(np.dot(outcome, logits))
    weight /= weight.sum()
    expected = weight[:positives].sum() + weight[positives] / 2, weight[positives + 1 :].sum() + weight[positives] / 2
    assert _mid_tails(LABELLED, OTHERS, positives, total) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("n", "positives"), [(20, 0), (20, 1), (20, 7), (20, 20), (3, 1)])
def test_equal_units_are_a_simple_random_sample(n: int, positives: int) -> None:
    interval = conditional_interval(np.full(n, -1.0), np.full(60 - n, -1.0), positives, level=0.95)
    assert interval == hypergeometric_interval(60, n, positives, level=0.95)
    assert conditional_estimate(np.full(n, -1.0), np.full(60 - n, -1.0), positives) == pytest.approx(60 * positives / n)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(40):
        logits = rng.normal(-1, 1.5, 80)
        y = rng.random(80) < 1 / (1 + np.exp(-(logits + 1.0)))  # a level that nobody knows
        drawn = rng.permutation(80) < 30
        low, high = conditional_interval(logits[drawn], logits[~drawn], int(y[drawn].sum()), level=0.9)
        covered += low <= y.sum() <= high
    assert 0.8 <= covered / 40 <= 0.99


# The hypergeometric interval: against its definition, and for populations that are too large to try all totals.


@pytest.mark.parametrize(("units", "n", "positives"), [(30, 10, 0), (30, 10, 4), (30, 10, 10), (30, 0, 0), (5, 5, 2)])
def test_the_hypergeometric_interval_holds_what_its_tails_allow(units: int, n: int, positives: int) -> None:
    low, high = hypergeometric_interval(units, n, positives, level=0.9)
    kept = [
        total
        for total in range(units + 1)
        if min(
            hypergeom.cdf(positives, units, total, n) - hypergeom.pmf(positives, units, total, n) / 2,
            hypergeom.sf(positives, units, total, n) + hypergeom.pmf(positives, units, total, n) / 2,
        )
        > 0.05 + 1e-12
        and hypergeom.pmf(positives, units, total, n) > 0
    ]
    assert (low, high) == (kept[0], kept[-1])


@pytest.mark.parametrize(("units", "n", "worst"), [(50, 10, 0.925), (200, 30, 0.918), (1000, 50, 0.921)])
def test_mid_p_intervals_cover_on_average_and_little_less_at_worst(units: int, n: int, worst: float) -> None:
    """Every total is enumerated: nominal coverage is that of the average, not of each total."""
    ends = [hypergeometric_interval(units, n, positives, level=0.95) for positives in range(n + 1)]
    low, high = np.array(ends).T
    totals, positives = np.arange(units + 1)[:, None], np.arange(n + 1)
    covered = (low <= totals) & (totals <= high)
    coverage = (hypergeom.pmf(positives, units, totals, n) * covered).sum(axis=1)
    assert coverage.mean() > 0.95
    assert worst < coverage.min() < 0.93


@pytest.mark.parametrize(
    ("units", "n", "positives", "total"), [(40, 7, 2, 9), (9_000, 300, 4, 50), (10**7, 900, 500, 5_555_000)]
)
def test_the_tails_match_scipy(units: int, n: int, positives: int, total: int) -> None:
    half = hypergeom.pmf(positives, units, total, n) / 2
    expected = hypergeom.cdf(positives, units, total, n) - half, hypergeom.sf(positives, units, total, n) + half
    assert mid_tails(units, n, positives, total) == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_large_populations_take_a_few_steps() -> None:
    """Each end is where a tail crosses its share, among ten million totals."""
    low, high = hypergeometric_interval(10**7, 1_000, 37, level=0.95)
    for end, outside in ((low, low - 1), (high, high + 1)):
        assert min(mid_tails(10**7, 1_000, 37, end)) > 0.025 >= min(mid_tails(10**7, 1_000, 37, outside))


def test_a_level_near_0_leaves_the_most_likely_total() -> None:
    low, high = hypergeometric_interval(1_000, 100, 33, level=1e-9)
    assert low == high
    assert abs(low - 330) <= 4


# The posterior of levels on the grid: against integration over finer grids.


LOGITS = np.array([-1.0, 0.5, 0.2, -2.0, 1.0, 0.0])
LABELS = np.array([1.0, 1.0, 1.0, 0.0, 1.0, 0.0])
CELL = np.array([0, 0, 0, 1, 1, 1])


def integrated(scale: float) -> Floats:
    """E θ of cells 0, 1 and a cell 2 without labels, over fine grids of μ, τ < 2.45 and |θ| ≤ 6."""
    theta = np.linspace(-6, 6, 241)
    likelihood = np.ones((3, len(theta)))
    for logit, label, cell in zip(LOGITS, LABELS, CELL, strict=True):
        p = 1 / (1 + np.exp(-(logit + theta)))
        likelihood[cell] *= p if label else 1 - p
    total, weight_sum = np.zeros(3), 0.0
    spreads = (np.arange(30) + 0.5) / 30 * 2.45
    for mu in np.linspace(-5, 5, 31):
        of_labels = 1 / (1 + np.exp(-(LOGITS + mu)))
        jeffreys = np.sqrt((of_labels * (1 - of_labels)).sum())
        for tau in spreads:
            density = t.pdf((theta - mu) / tau, 3)
            density /= density.sum()
            evidence = likelihood @ density
            weight = jeffreys * norm.pdf(mu, 0, 1.5) * rayleigh.pdf(tau, 0, scale) * evidence.prod()
            total += weight * (likelihood * theta) @ density / evidence
            weight_sum += weight
    return total / weight_sum


@pytest.mark.parametrize("scale", [SCALE_OF_SIMILAR, SCALE_OF_SPREADS])
def test_the_grid_agrees_with_integration(scale: float) -> None:
    cells = cell_levels(LOGITS, LABELS, CELL, 3, np.zeros(3, dtype=np.int64), scale_of_spreads=scale)
    np.testing.assert_allclose(cells.posterior.sum(axis=1), 1.0)
    np.testing.assert_allclose(cells.posterior @ GRID, integrated(scale), atol=0.08)


def test_domains_know_nothing_of_each_other() -> None:
    apart = cell_levels(LOGITS, LABELS, CELL, 2, np.array([0, 1]))
    alone = cell_levels(LOGITS[:3], LABELS[:3], CELL[:3], 1, np.zeros(1, dtype=np.int64))
    np.testing.assert_allclose(apart.posterior[0], alone.posterior[0], atol=1e-12)


def test_a_cell_without_labels_leans_on_the_others() -> None:
    sure = cell_levels(np.zeros(200), np.ones(200), np.repeat([0, 1], 100), 3, np.zeros(3, dtype=np.int64))
    assert float(sure.posterior[2] @ GRID) > 1.5
    nothing = cell_levels(np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64), 1, np.zeros(1, dtype=np.int64))
    assert float(nothing.posterior[0] @ GRID) == pytest.approx(0.0, abs=1e-9)


def test_a_weight_of_two_is_the_unit_twice() -> None:
    weight = np.array([2.0, 1.0, 1.0, 3.0, 1.0, 1.0])
    twice = np.repeat(np.arange(6), weight.astype(int))
    domain = np.zeros(2, dtype=np.int64)
    weighted = cell_levels(LOGITS, LABELS, CELL, 2, domain, weight)
    repeated = cell_levels(LOGITS[twice], LABELS[twice], CELL[twice], 2, domain)
    np.testing.assert_allclose(weighted.posterior, repeated.posterior, atol=1e-12)


def test_cells_with_extreme_logits_match_one_at_a_time() -> None:
    """Levels on both sides of half the units, odds that overflow in one direction, powers that underflow."""
    rng = np.random.default_rng(7)
    levels = np.linspace(-12.0, 12.0, 25)
    draws, weights = [], []
    for _ in range(60):
        high, low = rng.uniform(3, 12, 2)
        units = rng.integers(1, 120, 2)
        logits = np.r_[np.full(units[0], high), np.full(units[1], -low)] + rng.normal(
            0, rng.choice([0.0, 0.2]), units.sum()
        )
        weight = (1 + ((levels - rng.uniform(-6, 6)) / 2.2) ** 2 / 3) ** -2
        draws.append([logits])
        weights.append(weight / weight.sum())
    together = count_laws([0] * 60, draws, levels, np.array(weights)[:, None])
    for law, (logits,), weight in zip(together, draws, weights, strict=True):
        alone = count_law(0, [logits], levels, [weight])
        np.testing.assert_allclose(pmf_of(law), pmf_of(alone), atol=1e-9)
        assert law.interval(0.95) == alone.interval(0.95)
        assert law.small.sum() + law.weight.sum() == pytest.approx(1, abs=1e-6)
