"""Test all groups that one or two conditions define, and select the groups that explain the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from howsure.calibration.bins import boundaries_of_sorted
from howsure.calibration.features import Crossed, Feature, cross_table, single_table
from howsure.inputs.pairs import Bools, Floats, Integers, Pairs

# Residuals of the labels, and their sums in blocks of rows, from which their variance and correlations are estimated.

BLOCKS = 256
MAX_STRATA, STRATUM_ROWS = 200, 50
WHOLE, DIAGONAL = "whole", "diagonal"


@dataclass(frozen=True, slots=True)
class Residuals:
    """Residuals of all rows, with sums by stratum and block.

    values (n,): the residuals w (y - r(q)), with r(q) = q for against="diagonal", or q plus the stratum's `shift` for
    "whole". strata (n,): the stratum of each row, a range of similar predictions. shift (strata,): the mean y - q of
    the stratum's rows. blocks (n,): the random block of each row; a cluster is in one block. powers: 1, w, w², w³ of
    each row; None if all are 1. totals (4, strata): the sums of these powers. variance, third (strata,): the means of r
    (1 - r) and r (1 - r)(1 - 2r), the second and third central moments of a label. by_block (blocks, strata): sums of
    `values`. clustered: whether the rows have clusters.
    """

    values: Floats
    strata: Integers
    shift: Floats
    blocks: Integers
    powers: tuple[Floats | None, ...]
    totals: Floats
    variance: Floats
    third: Floats
    by_block: Floats
    against: str
    clustered: bool

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n_blocks(self) -> int:
        return len(self.by_block)

    @property
    def n_strata(self) -> int:
        return len(self.variance)


def compute_residuals(pairs: Pairs, *, against: str, rng: np.random.Generator) -> Residuals:
    """Compute the residuals of checked pairs, all of positive weight.

    Rows are divided by prediction into at most 200 strata of at least 50 rows. For against="whole", the stratum's mean
    y - q is added to each row's own prediction.
    """
    q, y, n = pairs.probabilities, pairs.labels, len(pairs)
    size = max(STRATUM_ROWS, n // MAX_STRATA)
    edges = boundaries_of_sorted(np.sort(q), bin_size=size) if n >= 2 * size else np.empty(0)
    strata = np.searchsorted(edges, q, side="left")
    k = len(edges) + 1
    w = pairs.weights
    powers = (None, None, None, None) if w is None else (None, w, w**2, w**3)
    totals = np.array([np.bincount(strata, weights=power, minlength=k) for power in powers], dtype=np.float64)
    gaps, r, shift = y - q, q, np.zeros(k)
    if against == WHOLE:
        shift = np.bincount(strata, weights=gaps if w is None else w * gaps, minlength=k) / totals[1]
        gaps = gaps - shift[strata]
        r = np.clip(q + shift[strata], 0.0, 1.0)
    spread = r * (1 - r)
    variance = np.bincount(strata, weights=spread, minlength=k) / totals[0]
    third = np.bincount(strata, weights=spread * (1 - 2 * r), minlength=k) / totals[0]
    if against == WHOLE:  # the shift was estimated from the same rows
        variance *= totals[0] / np.maximum(totals[0] - 1, 1)
    values = gaps if w is None else w * gaps
    count = n if pairs.clusters is None else int(pairs.clusters.max()) + 1
    block = rng.permutation(count) % min(count, BLOCKS)
    blocks = block if pairs.clusters is None else block[pairs.clusters]
    n_blocks = int(blocks.max()) + 1
    by_block: Floats = np.bincount(blocks * k + strata, weights=values, minlength=n_blocks * k).astype(np.float64)
    return Residuals(
        values,
        strata,
        shift,
        blocks,
        powers,
        totals,
        variance,
        third,
        by_block.reshape(n_blocks, k),
        against,
        pairs.clusters is not None,
    )


# The normal score of a sum is the quantile of the standard normal distribution with the same tail probability.

SMALLEST = 1e-300
MIN_SKEWNESS = 1e-3


def skewed_scores(sums: Floats, variance: Floats, third: Floats, step: float) -> Floats:
    """Return normal scores of sums with mean 0 and the given second and third central moments.

    If skewness makes a tail heavier than normal, the tail of a shifted gamma distribution is used. step: continuity
    correction, subtracted from |sum|.

    >>> skewed_scores(np.array([20.0, -20.0]), np.full(2, 100.0), np.full(2, 500.0), 0.0).round(2)
    array([ 1.82, -2.  ])
    """
    from scipy.special import gammaincc, ndtri

    x = np.maximum(np.abs(sums) - step, 0.0) / np.sqrt(variance)
    skewness = np.sign(sums) * third / variance**1.5
    heavy = np.flatnonzero((skewness > MIN_SKEWNESS) & (x > 0.0))
    shape = 4 / skewness[heavy] ** 2
    tail = gammaincc(shape, shape + x[heavy] * np.sqrt(shape))
    scores = x.copy()
    is_precise = tail > SMALLEST
    scores[heavy[is_precise]] = np.clip(-ndtri(tail[is_precise]), 0.0, x[heavy[is_precise]])
    return np.asarray(np.sign(sums) * scores)


def student_scores(sums: Floats, variance: Floats, free: Floats) -> Floats:
    """Return normal scores of sums with mean 0 whose variance was estimated with `free` degrees of freedom.

    >>> student_scores(np.array([20.0]), np.array([100.0]), np.array([10.0])).round(2)
    array([1.79])
    """
    from scipy.special import ndtri, stdtr

    x = np.abs(sums) / np.sqrt(variance)
    tail = stdtr(free, -x)
    return np.asarray(np.sign(sums) * np.where(tail > SMALLEST, -ndtri(np.maximum(tail, SMALLEST)), x))


# Scores of all groups of one and of two conditions, and the distribution of the largest score.

DRAWS = 1000
MIN_ROWS = 50  # default of the minimum number of rows in a group
MIN_EXPECTED = 5.0  # least Σ r (1 - r) in a group and outside it, so that 5 labels of each kind are expected
BESIDE = 0.1  # minimum fraction of a group's variance that remains after comparison with similar predictions
CLUSTERS = 10.0  # minimum effective number of clusters in a group
LARGEST_SHARE = 0.9  # largest proportion of either condition's rows in a group of two conditions
FIGURES = ("features", "conditions", "n", "weight", "sums", "expected", "deviation", "observed", "score")
Keep = Callable[[Floats, Floats], Bools]


@dataclass(slots=True)
class Family:
    """The groups with the same number of conditions, and the largest |score| of any group in each random draw.

    features, conditions (groups, 2): indices of the features and conditions of each group; -1 if there is no second. n:
    number of rows. weight: Σ w. sums: Σ w (y - r). expected: Σ w (r - q). deviation: standard deviation of the sum
    under the null hypothesis. observed: standard deviation estimated between blocks. score: normal score of the sum.
    largest (draws,): the largest |score| in each draw. units (blocks, groups): block sums scaled to length 1, if `keep`
    was given.
    """

    features: Integers
    conditions: Integers
    n: Floats
    weight: Floats
    sums: Floats
    expected: Floats
    deviation: Floats
    observed: Floats
    score: Floats
    largest: Floats = field(repr=False)
    units: npt.NDArray[np.float32] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.n)

    def joined(self, *others: Family) -> Family:
        """Merge this family with others that use the same draws."""
        families = (self, *others)
        figures = {name: np.concatenate([getattr(family, name) for family in families]) for name in FIGURES}
        units = [family.units for family in families if family.units is not None]
        return Family(
            **figures,
            largest=np.max([family.largest for family in families], axis=0),
            units=np.concatenate(units, axis=1) if units else None,
        )

    def p_values(self, families: int) -> Floats:
        """Return the p-value of each group (groups,), adjusted for all groups of all `families`."""
        ordered = np.sort(self.largest)
        above = len(ordered) - np.searchsorted(ordered, np.abs(self.score), side="left")
        return np.asarray(np.minimum(1.0, families * (1 + above) / (1 + len(ordered))))

    def critical(self, error: float, families: int) -> float:
        """Return the critical |score|: groups with larger scores have an adjusted p-value of at most `error`."""
        ordered = np.sort(self.largest)
        rank = math.ceil((1 - error / families) * (len(ordered) + 1)) - 1
        return float(ordered[min(rank, len(ordered) - 1)])


def scan(
    residuals: Residuals,
    features: Sequence[Feature],
    *,
    conditions: int,
    min_rows: int,
    rng: np.random.Generator,
    keep: Keep | None = None,
    pairs: Sequence[tuple[int, int]] | None = None,
) -> tuple[Family, ...]:
    """Test the groups of one condition and, with conditions=2, of two conditions; return a family of scores for each.

    The sum over a group, S = Σ w (y - r), is divided by its standard deviation under the null hypothesis that labels
    are 1 with probability r. For against="whole", r is estimated from the same rows. S is then the sum of w (1[in the
    group] - π) (y - r) over all rows, where π is the group's proportion of the stratum; this is a Mantel–Haenszel
    statistic. The distribution of the largest |score| is simulated by multiplying the block sums by normal random
    numbers (the multiplier bootstrap of Chernozhukov, Chetverikov & Kato 2013), which preserves the correlations
    between groups.
    keep: a function that selects groups by their sums and observed deviations. pairs: the pairs of features that are
    combined (default: all).
    """
    multipliers = rng.standard_normal((DRAWS, residuals.n_blocks), dtype=np.float32)
    search = _Search(residuals, features, min_rows, multipliers, keep)
    families = [_family(search.groups_of_one_condition())]
    if conditions == 2:
        families.append(_family(search.groups_of_two_conditions(pairs or list(combinations(range(len(features)), 2)))))
    return tuple(families)


@dataclass(frozen=True, slots=True)
class _Search:
    residuals: Residuals
    features: Sequence[Feature]
    min_rows: int
    multipliers: npt.NDArray[np.float32]
    keep: Keep | None

    def groups_of_one_condition(self) -> Iterator[Family]:
        """Test the groups of one condition; yield their scores, a family for each feature."""
        for feature_index in (i for i, feature in enumerate(self.features) if feature.alone):
            feature = self.features[feature_index]
            yield self._judged(
                single_table(feature), (feature_index, -1), np.ones((len(feature.conditions), 1), np.bool_)
            )

    def groups_of_two_conditions(self, pairs: Sequence[tuple[int, int]]) -> Iterator[Family]:
        """Test the groups of two conditions; yield their scores, a family for each pair of features.

        A group is left out if it has more than 90% of the rows of either condition.
        """
        rows = [feature.members @ np.bincount(feature.codes, minlength=feature.cells) for feature in self.features]
        for f, g in pairs:
            first, second = self.features[f], self.features[g]
            smaller = np.minimum.outer(rows[f][first.in_pairs], rows[g][second.in_pairs])
            yield self._judged(cross_table(first, second), (f, g), LARGEST_SHARE * smaller)

    def _judged(self, table: Crossed, places: tuple[int, int], most: Floats | Bools) -> Family:
        """Compute the scores of those groups of a table that are large enough and have at most `most` rows."""
        residuals, strata = self.residuals, self.residuals.n_strata
        n, w1, w2, w3 = self._weighed(table)
        share = w1 / residuals.totals[1][:, None, None] if residuals.against == WHOLE else np.zeros_like(w1)
        rest2, rest3 = residuals.totals[2][:, None, None] - w2, residuals.totals[3][:, None, None] - w3
        variance = np.tensordot(residuals.variance, w2 * (1 - share) ** 2 + rest2 * share**2, 1)
        third = np.tensordot(residuals.third, w3 * (1 - share) ** 3 - rest3 * share**3, 1)
        rows = n.sum(axis=0)
        spread = np.tensordot(residuals.variance, n, 1)
        enough = (rows >= self.min_rows) & (spread >= MIN_EXPECTED)
        if residuals.against == WHOLE:
            smaller = np.minimum(spread, residuals.variance @ residuals.totals[0] - spread)
            unit = np.divide(w2.sum(axis=0), rows, out=np.ones_like(rows), where=rows > 0)
            enough &= (smaller >= MIN_EXPECTED) & (variance >= unit * np.maximum(MIN_EXPECTED / 2, BESIDE * smaller))
        enough &= (rows <= most) if places[1] >= 0 else most
        chosen = np.flatnonzero(enough)
        sums = table.sums(residuals.blocks, residuals.n_blocks, residuals.values).reshape(residuals.n_blocks, -1)[
            :, chosen
        ]
        filled = np.count_nonzero(sums, axis=0)
        if residuals.against == WHOLE:
            sums = sums - residuals.by_block @ share.reshape(strata, -1)[:, chosen]
        total = sums.sum(axis=0)
        sums = sums - total / residuals.n_blocks
        squares = np.einsum("bg,bg->g", sums, sums)
        observed = np.sqrt(squares * (residuals.n_blocks / max(residuals.n_blocks - 1, 1)))
        variance, third = variance.ravel()[chosen], third.ravel()[chosen]
        if residuals.clustered:
            variance = np.maximum(variance, observed**2)
            free = _degrees_of_freedom(sums, squares, filled)
            score, is_known = student_scores(total, variance, np.maximum(free, 1.0)), free >= CLUSTERS - 1
        else:
            step = 0.5 if residuals.powers[1] is None else 0.0
            score, is_known = skewed_scores(total, variance, third, step), squares > 0.0
        if self.keep is not None:
            is_known &= self.keep(total, observed)
        chosen, total, variance, score = chosen[is_known], total[is_known], variance[is_known], score[is_known]
        first, second = np.divmod(chosen, n.shape[2])
        units = (sums[:, is_known] / np.sqrt(squares[is_known])).astype(np.float32)
        return Family(
            np.tile(np.array(places), (len(chosen), 1)),
            np.column_stack([table.conditions[0][first], table.conditions[1][second]]),
            rows.ravel()[chosen],
            w1.sum(axis=0).ravel()[chosen],
            total,
            np.tensordot(residuals.shift, w1, 1).ravel()[chosen],
            np.sqrt(variance),
            observed[is_known],
            score,
            self._largest(units),
            units if self.keep is not None else None,
        )

    def _weighed(self, table: Crossed) -> list[Floats]:
        """Return the sums of 1, w, w² and w³ by stratum and group: (4, strata, conditions, conditions)."""
        residuals = self.residuals
        counts = table.sums(residuals.strata, residuals.n_strata, None)
        return [
            counts if power is None else table.sums(residuals.strata, residuals.n_strata, power)
            for power in residuals.powers
        ]

    def _largest(self, units: npt.NDArray[np.float32]) -> Floats:
        """Return the largest |score| of these groups in each draw (draws,)."""
        if not units.shape[1]:
            return np.zeros(len(self.multipliers))
        return np.asarray(np.abs(self.multipliers @ units).max(axis=1).astype(np.float64))


def _degrees_of_freedom(sums: Floats, squares: Floats, filled: Integers) -> Floats:
    """Return the degrees of freedom of a variance estimated from block sums: the effective number of blocks minus 1.

    The effective number is 3 (Σ x²)² / Σ x⁴ (for normal sums, the number of blocks), but at most `filled`.
    """
    fourth = np.einsum("bg,bg->g", sums**2, sums**2)
    free: Floats = np.minimum(np.divide(3 * squares**2, fourth, out=np.zeros_like(squares), where=fourth > 0), filled)
    return free - 1


def _family(parts: Iterator[Family]) -> Family:
    """Merge families; if there are none, return an empty family."""
    families = list(parts)
    if not families:
        none, nothing = np.zeros((0, 2), dtype=np.int64), np.zeros(0)
        return Family(none, none, nothing, nothing, nothing, nothing, nothing, nothing, nothing, np.zeros(DRAWS))
    return families[0].joined(*families[1:])


# Select among overlapping groups those that explain the departure of the others.

LEFT_OVER = 2.576  # critical score (p = 0.01) of a two-condition group after its parent's departure is removed


@dataclass(frozen=True, slots=True)
class Group:
    """A significant group, by the index of its family and its row in the family.

    features, conditions: the indices of the features and of the conditions that define the group; -1 if there is no
    second condition."""

    family: int
    row: int
    features: tuple[int, int]
    conditions: tuple[int, int]

    @property
    def parts(self) -> tuple[tuple[int, int], ...]:
        """The feature and condition of each of the group's one or two conditions."""
        return tuple((f, c) for f, c in zip(self.features, self.conditions, strict=True) if f >= 0)


@dataclass(frozen=True, slots=True)
class Leading:
    """The selected groups, by descending score, each with the groups that it explains. left: number of other groups."""

    groups: tuple[tuple[Group, tuple[Group, ...]], ...]
    left: int


def group_rows(group: Group, features: Sequence[Feature]) -> Bools:
    inside = [features[f].members[c].astype(np.bool_)[features[f].codes] for f, c in group.parts]
    return np.asarray(inside[0] if len(inside) == 1 else inside[0] & inside[1])


def leading(
    residuals: Residuals,
    features: Sequence[Feature],
    families: Sequence[Family],
    memberships: Sequence[Bools],
    critical: Sequence[float],
    *,
    most: int,
) -> Leading:
    """Select at most `most` groups that explain the other significant groups, by forward selection.

    The group with the largest |score| is selected, and its mean departure is subtracted from its rows. It explains the
    groups whose score is then below the critical value or has changed its sign. This is repeated with the remaining
    groups. If a group of two conditions has the largest score, one of its conditions may be selected instead. This
    condition must be significant itself, and the group's score must be below 2.58 after the condition's departure is
    subtracted.
    """
    groups = [
        Group(k, int(row), tuple(family.features[row].tolist()), tuple(family.conditions[row].tolist()))
        for k, (family, mine) in enumerate(zip(families, memberships, strict=True))
        for row in np.flatnonzero(mine)
    ]
    per_sum = np.array([_score_per_sum(families[g.family], g.row) for g in groups])
    size = np.array([families[g.family].n[g.row] for g in groups])
    limit = np.array([critical[g.family] for g in groups])
    open_ = np.ones(len(groups), dtype=np.bool_)
    current = residuals
    chosen: list[tuple[Group, tuple[Group, ...]]] = []
    scores = np.array([families[g.family].score[g.row] for g in groups])
    signs = np.sign(scores)
    while open_.any() and len(chosen) < most:
        n_conditions = np.array([len(g.parts) for g in groups])
        order = np.lexsort((size, n_conditions, -np.round(np.abs(scores), 9)))
        strongest = int(next(i for i in order if open_[i]))
        lead = _parent_or_self(strongest, groups, open_, scores, per_sum, current, features)
        current = without(current, group_rows(groups[lead], features))
        candidates = np.flatnonzero(open_)
        scores[candidates] = per_sum[candidates] * group_sums([groups[i] for i in candidates], current.values, features)
        gone = open_ & (signs * scores < limit)
        gone[lead] = False
        chosen.append((groups[lead], tuple(groups[i] for i in np.flatnonzero(gone))))
        open_ &= ~gone
        open_[lead] = False
    return Leading(tuple(chosen), int(open_.sum()))


def _score_per_sum(family: Family, row: int) -> float:
    return float(family.score[row] / family.sums[row])


def _parent_or_self(
    strongest: int,
    groups: Sequence[Group],
    open_: Bools,
    scores: Floats,
    per_sum: Floats,
    residuals: Residuals,
    features: Sequence[Feature],
) -> int:
    group = groups[strongest]
    if len(group.parts) == 1:
        return strongest
    parents = [
        i for i in np.flatnonzero(open_).tolist() if len(groups[i].parts) == 1 and groups[i].parts[0] in group.parts
    ]
    for parent in sorted(parents, key=lambda i: -abs(scores[i])):
        rest = without(residuals, group_rows(groups[parent], features))
        if abs(per_sum[strongest] * float(group_sums([group], rest.values, features)[0])) < LEFT_OVER:
            return parent
    return strongest


def group_sums(groups: Sequence[Group], values: Floats, features: Sequence[Feature]) -> Floats:
    """Add up the values (n,) over the rows of each group."""
    totals = np.empty(len(groups))
    by_table: dict[tuple[int, int], list[int]] = {}
    for i, group in enumerate(groups):
        by_table.setdefault(group.features, []).append(i)
    everything = np.zeros(len(values), dtype=np.int64)
    for (f, g), places in by_table.items():
        table = single_table(features[f]) if g < 0 else cross_table(features[f], features[g])
        sums = table.sums(everything, 1, values)[0]
        at = np.array([groups[i].conditions for i in places])
        columns = [
            np.searchsorted(known_conditions, wanted_conditions)
            for known_conditions, wanted_conditions in zip(table.conditions, at.T, strict=True)
        ]
        totals[places] = sums[columns[0], columns[1]]
    return totals


def without(residuals: Residuals, inside: Bools) -> Residuals:
    """Return the residuals after subtracting the mean departure of a group's rows by least squares."""
    current, w = residuals, residuals.powers[1]
    weight = inside.astype(np.float64) if w is None else w * inside
    direction = inside.astype(np.float64)
    if current.against == WHOLE:
        share = np.bincount(current.strata, weights=weight, minlength=current.n_strata) / current.totals[1]
        direction -= share[current.strata]
    weighed = direction if w is None else w * direction
    size = float(current.values @ direction) / float(weighed @ direction)
    return replace(current, values=current.values - size * weighed)


def condition_names(group: Group, features: Sequence[Feature]) -> tuple[str, ...]:
    """Describe the conditions of a group in words."""
    return tuple(features[f].conditions[c] for f, c in group.parts)
