"""Possible ranks, tiers and possibly best models, from simultaneous tests of all paired differences."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations

import numpy as np
import numpy.typing as npt

from howsure.inputs.pairs import Floats, Integers
from howsure.stats.clusters import MIN_CLUSTERS, kish
from howsure.stats.gaffke import UnitSums, gaffke_p_value
from howsure.stats.mean_score import VOTES, Bounds
from howsure.stats.proportions import normal_quantile

N_MULTIPLIERS = 10_000
MAX_BLOCK, CELLS_TOGETHER = 24, 200_000  # number of models; estimates that fit into the processor's cache
ROUNDING = 1e-9  # thresholds are lowered by this fraction, to allow for rounding
CANCELLATION = 1e-2  # if less of a sum of squares remains after subtraction, too many digits are lost
MAX_T, BONFERRONI, GAFFKE = "max-t", "Bonferroni", "Gaffke"
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Ranks:
    """For each model (m,): its possible ranks `low` to `high`, its tier, and whether it is possibly the best."""

    low: Integers
    high: Integers
    tier: Integers
    best: Flags
    method: str


@dataclass(frozen=True, slots=True)
class PairwiseDifferences:
    """Paired differences of all models (m, m), row minus column, on the items that both have.

    t: mean / standard error. scale: standard error · number of items. degrees: degrees of freedom. units: number of
    items or clusters.
    """

    t: Floats
    scale: Floats
    degrees: Floats
    units: Floats

    def exceed(self, chosen: tuple[npt.NDArray[np.integer], ...], c: Floats | float) -> Flags:
        """Whether t of the chosen pairs (k,) exceeds the quantile of Student's t with the same tail probability as the
        normal quantile c (one quantile for all pairs, or (k,)).

        Always False if a pair's units are too few: equal signs in all units would then be more probable than the tail.
        """
        from scipy.special import ndtr, stdtrit

        tail, degrees = ndtr(-np.asarray(c)), self.degrees[chosen]
        if tail.ndim:
            quantiles = -stdtrit(degrees, tail)
        else:
            distinct, index = np.unique(degrees, return_inverse=True)
            quantiles = -stdtrit(distinct, tail)[index]
        return np.asarray((self.t[chosen] > quantiles) & (np.exp2(-self.units[chosen]) <= tail))


def ranks(
    scores: Floats,
    units: Integers | None = None,
    *,
    crossed_units: Integers | None = None,
    weights: Floats | None = None,
    sizes: Floats | None = None,
    bounds: Bounds | None = None,
    level: float,
    rng: np.random.Generator,
) -> Ranks:
    """Return the possible ranks of models from their scores (m, items), NaN if a model lacks an item; higher is better.

    units (items,): the codes of clusters. crossed_units (items,): the codes of a second kind of clusters, which cross
    the first kind. weights (items,): the weights of a weighted mean. sizes (items,): the sizes of documents, from which
    the effective number of items and the degrees of freedom follow. bounds: the bounds of the scores.

    A model is significantly better than another if their mean difference, on the items that both have, exceeds c
    standard errors. The lowest possible rank number of a model is 1 + the number of significantly better models, and
    the highest is m - the number of significantly worse models (Mogstad, Romano, Shaikh & Wilhelm 2024). c is the
    quantile of the largest |t| of all pairs over 10,000 draws of normal multipliers of items or clusters, or, if models
    have different items, Bonferroni's; it is converted to a quantile of Student's t, since errors are estimated. If
    scores have bounds, and the effective number of clusters (or of items with unequal weights) is below 40, each pair
    is tested by Gaffke's test at Bonferroni's level instead.

    With crossed clusters, both kinds have multipliers, the variance is the sum of the variances by each kind (an upper
    bound of the variance of Cameron, Gelbach & Miller 2011), and a difference must also be significant by each kind
    alone.

    A new tier begins after a model if all models up to it are significantly better than all models below it. A model is
    possibly the best unless another model is significantly better in a test of this model against the m - 1 others; of
    two models, in the test of the pair. For each model, this statement is correct with probability `level`.
    """
    by_unit = _ScoresByUnit.of(scores, units, weights, sizes)
    better, worse_than_some, method = by_unit.significant(bounds, level, rng)
    if crossed_units is not None:
        crossed = _ScoresByUnit.of(scores, crossed_units, weights, sizes)
        better_crossed, worse_crossed, _ = crossed.significant(bounds, level, rng)
        better_both, worse_both, method = _two_way(by_unit, crossed).significant(level, rng)
        better, worse_than_some = better & better_crossed & better_both, worse_than_some & worse_crossed & worse_both
    return assemble_ranks(better, worse_than_some, method)


@dataclass(frozen=True, slots=True)
class _ScoresByUnit:
    """Scores (m, items) with the items of a cluster next to each other, where each cluster starts (None: each item is a
    cluster), and the weights and sizes of the items."""

    scores: Floats
    starts: Integers | None
    weights: Floats
    sizes: Floats

    @classmethod
    def of(cls, scores: Floats, units: Integers | None, weights: Floats | None, sizes: Floats | None) -> _ScoresByUnit:
        n = scores.shape[1]
        order = np.arange(n) if units is None else np.argsort(units, kind="stable")
        starts = None if units is None else np.flatnonzero(np.append(True, np.diff(units[order]) != 0))
        if weights is not None and starts is None:
            starts = np.arange(n)  # items of unequal weight are treated as clusters of unequal size
        weights = np.ones(n) if weights is None else weights[order] * n / weights.sum()
        return cls(scores[:, order], starts, weights, weights if sizes is None else sizes[order])

    def significant(self, bounds: Bounds | None, level: float, rng: np.random.Generator) -> tuple[Flags, Flags, str]:
        """Return which differences between models are significant (m, m), which models are significantly worse than
        some other model (m,), and the method of the tests. Both are adjusted for the number of tests."""
        m = len(self.scores)
        if (
            self.starts is not None
            and bounds is not None
            and kish(_cluster_sums(self.weights[None], self.starts)[0]) < MIN_CLUSTERS
        ):
            p = _gaffke_p_values(self.scores, self.weights, self.starts, low=bounds[0] - bounds[1])
            better, worse_than_some = p < (1 - level) / (m * (m - 1)), (p < (1 - level) / (m - 1)).any(axis=0)
            return better, np.asarray(worse_than_some), GAFFKE
        return self.differences().significant(level, rng)

    def differences(self) -> _Differences:
        """The paired differences of all models and, if each model has all items, the covariance of their means."""
        pairs = _all_differences(self.scores, self.weights, self.sizes, self.starts)
        if np.isnan(self.scores).any():
            return _Differences(pairs, None)
        centred = self.weights * (self.scores - (self.weights * self.scores).mean(axis=1, keepdims=True))
        sums = _cluster_sums(centred, self.starts)
        return _Differences(pairs, sums @ sums.T)


@dataclass(frozen=True, slots=True)
class _Differences:
    pairs: PairwiseDifferences
    covariance: Floats | None  # (m, m)

    def significant(self, level: float, rng: np.random.Generator) -> tuple[Flags, Flags, str]:
        """Return the same masks and method as `significant` of the scores, from the t statistics of all pairs."""
        m = len(self.pairs.t)
        if self.covariance is None:
            c_all_pairs = normal_quantile(1 - (1 - level) / (m * (m - 1) / 2))
            c_by_model, method = np.full(m, normal_quantile(1 - 2 * (1 - level) / (m - 1))), BONFERRONI
        else:
            c_all_pairs, c_by_model = _max_t_quantiles(
                self.covariance, self.pairs.scale, level=level, level_of_best=level, rng=rng
            )
            method = MAX_T
        return *_significant(self.pairs, c_all_pairs, c_by_model), method


def _two_way(by_unit: _ScoresByUnit, crossed: _ScoresByUnit) -> _Differences:
    """Differences with the sum of the variances by both kinds of clusters, and Satterthwaite's degrees of freedom."""
    first, second = by_unit.differences(), crossed.differences()
    unit_pairs, crossed_pairs = first.pairs, second.pairs
    scale = np.hypot(unit_pairs.scale, crossed_pairs.scale)
    comparable = np.isfinite(scale)
    finite = np.where(comparable, scale, 1.0)
    parts = [np.where(comparable, pairs.scale, 1.0) / finite for pairs in (unit_pairs, crossed_pairs)]
    degrees = 1 / (parts[0] ** 4 / unit_pairs.degrees + parts[1] ** 4 / crossed_pairs.degrees)
    t = np.where(comparable, unit_pairs.t * parts[0], 0.0)
    pairs = PairwiseDifferences(t, scale, np.maximum(degrees, 1.0), np.minimum(unit_pairs.units, crossed_pairs.units))
    if first.covariance is None or second.covariance is None:
        return _Differences(pairs, None)
    return _Differences(pairs, first.covariance + second.covariance)


def better_estimates(
    estimates: Floats,
    covariance: Floats,
    units: Floats,
    *,
    level: float,
    level_of_best: float,
    rng: np.random.Generator,
) -> tuple[Flags, Flags]:
    """Test all pairs of models by the max-t method, from estimates of strength (m,) and their covariance (m, m).

    Returns whether the model of the row is significantly better than the model of the column (m, m), and whether each
    model is significantly worse than some other model (m,).

    units (m,): the number of battles, or of clusters of equal size, from which each strength is estimated. level: the
    level of all pairs together. level_of_best: the level of the pairs of each model together.
    """
    variances, least = np.diag(covariance), np.minimum.outer(units, units)
    errors = np.sqrt(np.maximum(variances[:, None] + variances - 2 * covariance, 0.0))
    has_error = errors > 0.0
    t = np.divide(estimates[:, None] - estimates, errors, out=np.zeros_like(errors), where=has_error)
    pairs = PairwiseDifferences(t, np.where(has_error, errors, np.inf), np.maximum(least - 1, 1.0), least)
    c_all_pairs, c_by_model = _max_t_quantiles(
        covariance, pairs.scale, level=level, level_of_best=level_of_best, rng=rng
    )
    return _significant(pairs, c_all_pairs, c_by_model)


def _significant(pairs: PairwiseDifferences, c_all_pairs: float, c_by_model: Floats) -> tuple[Flags, Flags]:
    """Return whether the model of the row is better than the model of the column (m, m), by the critical value for all
    pairs, and whether each model is worse than some other (m,), by the critical values for the pairs of each model."""
    better, columns = np.zeros(pairs.t.shape, dtype=bool), np.arange(len(pairs.t))
    candidates = np.nonzero(pairs.t > (1 - ROUNDING) * c_all_pairs)  # Student's quantile is above the normal one
    better[candidates] = pairs.exceed(candidates, c_all_pairs)
    worse_than_some = pairs.exceed((pairs.t.argmax(axis=0), columns), c_by_model)
    candidates = np.nonzero((pairs.t > (1 - ROUNDING) * c_by_model) & ~worse_than_some)
    worse_than_some[candidates[1][pairs.exceed(candidates, c_by_model[candidates[1]])]] = True
    return better, worse_than_some


def assemble_ranks(better: Flags, worse_than_some: Flags, method: str) -> Ranks:
    """Ranks, tiers and possibly best models. better (m, m): whether the model of the row is significantly better."""
    if len(better) == 2:
        worse_than_some = np.asarray(better.any(axis=0))  # a single pair: the same two-sided test for both statements
    low, high = 1 + better.sum(axis=0), len(better) - better.sum(axis=1)
    return Ranks(low, high, _tiers(better, low + high), ~worse_than_some, method)


def count_shared(scores: Floats, units: Integers | None) -> Integers:
    """Return how many items, or clusters if there are `units`, each two models (m, m) share, from scores as in `ranks`.

    >>> scores = np.array([[1.0, 0.0, 1.0, 1.0], [0.0, 1.0, 1.0, np.nan]])
    >>> count_shared(scores, None).tolist(), count_shared(scores, np.array([7, 7, 7, 8])).tolist()
    ([[4, 3], [3, 3]], [[2, 1], [1, 1]])
    """
    present = ~np.isnan(scores)
    if units is None:
        return (present.astype(np.float64) @ present.T).astype(np.int64)
    codes = np.unique(units, return_inverse=True)[1]
    if present.all():
        return np.full((len(scores), len(scores)), codes.max() + 1)
    return np.array([[np.count_nonzero(np.bincount(codes[a & b])) for b in present] for a in present])


def _gaffke_p_values(scores: Floats, weights: Floats, starts: Integers, *, low: float) -> Floats:
    """p-values (m, m) of Gaffke's test of the null hypothesis that the row's model is not better than the column's."""
    p = np.ones((len(scores), len(scores)))
    for a, b in permutations(range(len(scores)), 2):
        d = scores[a] - scores[b]
        shared = ~np.isnan(d)
        sums, sizes = _cluster_sums(np.stack([np.where(shared, weights * d, 0.0), shared * weights]), starts)
        if sums.sum() > 0.0:
            p[a, b] = gaffke_p_value(UnitSums.of(sums[sizes > 0], sizes[sizes > 0]), 0.0, low=low)
    return p


def _cluster_sums(values: Floats, starts: Integers | None) -> Floats:
    """Add up values by cluster; the items of a cluster are adjacent and begin at `starts`."""
    return values if starts is None else np.asarray(np.add.reduceat(values, starts, axis=1))


def _all_differences(scores: Floats, weights: Floats, sizes: Floats, starts: Integers | None) -> PairwiseDifferences:
    m = len(scores)
    if np.isnan(scores).any():
        statistics, to_compute = _no_differences(m), ~np.eye(m, dtype=bool)
    else:
        statistics, to_compute = _differences_without_gaps(scores, weights, sizes, starts)
    for a in range(m - 1):
        others = a + 1 + np.flatnonzero(to_compute[a, a + 1 :])
        if len(others):
            by_pair = _difference_statistics(scores[a] - scores[others], weights, sizes, starts)
            for matrix, values, sign in zip(statistics, by_pair, (-1, 1, 1, 1), strict=True):
                matrix[a, others], matrix[others, a] = values, sign * values
    return PairwiseDifferences(*statistics)


def _no_differences(m: int) -> tuple[Floats, Floats, Floats, Floats]:
    """The fields of `PairwiseDifferences` before any pair is computed."""
    t, scale, degrees, units = (np.full((m, m), value) for value in (0.0, np.inf, 1.0, 0.0))
    return t, scale, degrees, units


def _differences_without_gaps(
    scores: Floats, weights: Floats, sizes: Floats, starts: Integers | None
) -> tuple[tuple[Floats, Floats, Floats, Floats], Flags]:
    """Return the fields of `PairwiseDifferences` if each model has every item, and a mask (m, m) of pairs to compute
    again.

    All pairs are computed at once by products of matrices. For pairs that hardly differ, these products lose digits, so
    that such pairs must be computed again.
    """
    m = len(scores)
    deviations = weights * (scores - scores.mean(axis=0))
    cluster_weights, cluster_sizes = _cluster_sums(np.stack([weights, sizes]), starts)
    n, units = cluster_weights.sum(), int(np.count_nonzero(cluster_weights))
    totals = deviations.sum(axis=1)
    residuals = _cluster_sums(deviations - weights * (totals / n)[:, None], starts)
    left_out = n / np.maximum(n - cluster_weights, 1.0)
    more = max(units / max(units - 1, 1), 1.0)
    squares, imprecise = _squared_distances(residuals)
    jackknife = left_out[0] ** 2 * squares if starts is None else _squared_distances(left_out * residuals)[0]
    of_items, nearly_equal = _squared_distances(deviations)
    item = np.sqrt(of_items / np.maximum(_count_unequal(scores), 1))
    cluster, imprecise = item, imprecise | nearly_equal
    if starts is not None:
        of_clusters, nearly_equal = _squared_distances(_cluster_sums(deviations, starts))
        cluster = np.sqrt(of_clusters / np.maximum(_count_unequal(_cluster_sums(weights * scores, starts)), 1))
        imprecise |= nearly_equal
    spread = np.sqrt(np.maximum(more * squares, jackknife / more))
    error = np.maximum(np.hypot(spread, item), min(2.0, VOTES / max(units, 1)) * cluster)
    comparable = (error > 0.0) & (units > 1)
    t = np.divide(totals[:, None] - totals, error, out=np.zeros((m, m)), where=comparable)
    degrees = max(cluster_sizes.sum() ** 2 / (cluster_sizes**2).sum() - 1, 1.0)
    np.fill_diagonal(t, 0.0)
    scale, everywhere = np.where(comparable, error, np.inf), np.ones((m, m))
    return (t, scale, degrees * everywhere, units * everywhere), imprecise


def _squared_distances(rows: Floats) -> tuple[Floats, Flags]:
    """Squared distances (m, m) of all pairs of rows (m, n), and which of them have lost digits by cancellation."""
    products = rows @ rows.T
    norms = np.diag(products)
    sums = norms[:, None] + norms
    squares = sums - 2 * products
    return np.maximum(squares, 0.0), squares <= CANCELLATION * sums


def _count_unequal(rows: Floats) -> Floats:
    """The number of columns in which two rows differ, for all pairs (m, m) of rows (m, n)."""
    if ((rows == 0.0) | (rows == 1.0)).all():
        return _squared_distances(rows)[0]
    counts = np.zeros((len(rows), len(rows)))
    for a in range(len(rows) - 1):
        counts[a, a + 1 :] = counts[a + 1 :, a] = np.count_nonzero(rows[a] != rows[a + 1 :], axis=1)
    return counts


def _difference_statistics(
    d: Floats, weights: Floats, document_sizes: Floats, starts: Integers | None
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return t, standard error · items, degrees of freedom, and number of units, for rows of paired differences (k,
    items).

    The standard error is computed as in `mean_difference`, as if one more item, or two more clusters, differed in an
    unknown direction.
    """
    shared = ~np.isnan(d)
    d = np.where(shared, d, 0.0)
    sizes = _cluster_sums(shared * weights, starts)
    n, units = sizes.sum(axis=1), (sizes > 0).sum(axis=1)
    in_units = _cluster_sums(shared * document_sizes, starts)
    squares = (in_units**2).sum(axis=1)
    mean = (weights * d).sum(axis=1) / np.maximum(n, 1e-9)
    sums = _cluster_sums(np.where(shared, weights * (d - mean[:, None]), 0.0), starts)
    d = weights * d
    more = np.maximum(units / np.maximum(units - 1, 1), 1.0)
    # the standard error of the jackknife, which is larger if large clusters deviate
    left_out = n[:, None] / np.maximum(n[:, None] - sizes, 1.0)
    spread = np.sqrt(np.maximum(more * (sums**2).sum(axis=1), ((left_out * sums) ** 2).sum(axis=1) / more))
    one_unit = np.minimum(2.0, VOTES / np.maximum(units, 1)) * _rms_nonzero(_cluster_sums(d, starts))
    error = np.maximum(np.hypot(spread, _rms_nonzero(d)), one_unit)
    comparable = (units > 1) & (error > 0.0)
    t = np.divide(mean * n, error, out=np.zeros_like(mean), where=comparable)
    effective = np.divide(in_units.sum(axis=1) ** 2, squares, out=np.ones_like(n), where=squares > 0)
    degrees = np.maximum(effective - 1, 1.0)
    return t, np.where(comparable, error, np.inf), degrees, units.astype(np.float64)


def _rms_nonzero(d: Floats) -> Floats:
    """The root mean square of the nonzero values of each row."""
    return np.asarray(np.sqrt((d**2).sum(axis=1) / np.maximum((d != 0).sum(axis=1), 1)))


def _max_t_quantiles(
    covariance: Floats, scale: Floats, *, level: float, level_of_best: float, rng: np.random.Generator
) -> tuple[float, Floats]:
    """Simulate two quantiles: of the largest |t| of all pairs, and of the largest t against each model (m,).

    covariance (m, m): the covariance of normal estimates; for the multiplier bootstrap, the covariance of Σ g_c sums_c,
    with sums of clusters and standard normal multipliers g. scale (m, m): the symmetric matrix of standard errors. Both
    quantiles are at least the quantile of a single pair, also if differences do not vary.
    """
    roots, directions = np.linalg.eigh(covariance)
    normal = rng.standard_normal((len(covariance), N_MULTIPLIERS))
    drawn = directions @ (np.sqrt(np.maximum(roots, 0.0))[:, None] * normal)
    order = np.argsort(np.diag(covariance), kind="stable")
    largest = _largest_t(drawn[order], 1 / scale[np.ix_(order, order)], level=level, level_of_best=level_of_best)
    c_by_model = np.empty(len(order))
    c_by_model[order] = np.quantile(largest, level_of_best, axis=1)
    of_one_pair, of_one_side = normal_quantile(level), normal_quantile(2 * level_of_best - 1)
    return max(float(np.quantile(largest.max(axis=0), level)), of_one_pair), np.maximum(c_by_model, of_one_side)


def _largest_t(drawn: Floats, inverse: Floats, *, level: float, level_of_best: float) -> Floats:
    """Return the largest t against each model (m, draws): exact if it can affect the quantiles, otherwise a lower
    bound.

    drawn (m, draws): simulated estimates of models, in the order of their variances. inverse (m, m): 1 / scale of each
    pair.

    Models are put into blocks. Against a model x with drawn estimate e, the largest t of a block with the largest
    estimate f is between (f - e) · w and (f - e) · v, where w and v are the smallest and the largest inverse scale of x
    and the block's models. The quantiles of the lower bounds, over draws, are thresholds: t is computed only for the
    models of blocks whose upper bound exceeds them.
    """
    m, n_draws = drawn.shape
    size = max(min(m // 4, MAX_BLOCK), 1)
    starts, n_together = np.arange(0, m, size), max(CELLS_TOGETHER // m, 1)
    between_models = inverse.copy()
    np.fill_diagonal(between_models, np.inf)
    smallest = np.minimum.reduceat(between_models, starts, axis=0)
    smallest[np.isinf(smallest)] = 0.0  # of a model that is a block
    highest, largest = np.maximum.reduceat(drawn, starts, axis=0), np.zeros_like(drawn)
    parts = [slice(first, first + n_together) for first in range(0, n_draws, n_together)]
    for draws in parts:
        estimates, bounds = np.ascontiguousarray(drawn[:, draws]), largest[:, draws]
        t = np.empty_like(estimates)
        for block in range(len(starts)):
            np.subtract(highest[block, draws], estimates, out=t)
            t *= smallest[block, :, None]
            np.maximum(bounds, t, out=bounds)
    if size == 1:
        return largest
    place, place_of_all = (int((n_draws - 1) * share) for share in (level_of_best, level))
    by_model, of_all = np.partition(largest, place, axis=1)[:, place], np.partition(largest.max(axis=0), place_of_all)
    thresholds = np.minimum(by_model, of_all[place_of_all])
    with np.errstate(divide="ignore", invalid="ignore"):  # models without a comparable model in the block
        reach = (1 - ROUNDING) * thresholds / np.maximum.reduceat(inverse, starts, axis=0)
    for draws in parts:
        estimates, t_values = np.ascontiguousarray(drawn[:, draws]), np.ascontiguousarray(largest[:, draws])
        for block, start in enumerate(starts):
            cells = np.flatnonzero(highest[block, draws] - estimates >= reach[block, :, None])
            model, draw = np.divmod(cells, estimates.shape[1])
            estimate, t_max = estimates.ravel()[cells], t_values.ravel()[cells]
            for other in range(start, min(start + size, m)):
                np.maximum(t_max, (estimates[other].take(draw) - estimate) * inverse[other].take(model), out=t_max)
            t_values.ravel()[cells] = t_max
        largest[:, draws] = t_values
    return largest


def _tiers(better: Flags, places: Integers) -> Integers:
    """Return the tier of each model. A new tier starts if all models above are significantly better than all models
    below.

    places: the sum of the lowest and the highest rank of each model, which determines the order of the models.
    """
    order = np.argsort(places, kind="stable")
    sorted_ = better[np.ix_(order, order)]
    ends = [bool(sorted_[:i, i:].all()) for i in range(1, len(places))]
    tiers = np.empty(len(places), dtype=np.int64)
    tiers[order] = 1 + np.cumsum([0, *ends])
    return tiers
