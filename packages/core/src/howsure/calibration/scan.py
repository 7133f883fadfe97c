"""All groups of one and of two conditions at once: how far each departs from what is expected, and which lead."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
import numpy.typing as npt

from howsure.calibration.bins import boundaries_of_sorted
from howsure.calibration.features import Crossed, Feature, alone, crossed
from howsure.inputs.pairs import Floats, Integers, Pairs

# What the labels differ by from what is expected of them, and how far that varies by chance, in blocks of rows.

BLOCKS = 256
MOST_STRATA, STRATUM_ROWS = 200, 50
WHOLE, DIAGONAL = "whole", "diagonal"


@dataclass(frozen=True, slots=True)
class Residuals:
    """The rows of a search.

    values (n,): w (y - r(q)), with r(q) = q ("diagonal"), or q plus the mean gap of the whole at such predictions
    ("whole"). strata (n,): the stretch of predictions of each row. shift (strata,): the whole's mean y - q. blocks
    (n,): the block of each row: whole clusters, or single rows at random. powers: 1, w, w², w³ of each row, None where
    all are 1. totals (4, strata): their sums. variance, third (strata,): the mean r (1 - r) and r (1 - r)(1 - 2 r).
    by_block (blocks, strata): the sums of the values.
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
        """The number of blocks."""
        return len(self.by_block)

    @property
    def n_strata(self) -> int:
        """The number of stretches of predictions."""
        return len(self.variance)


def residuals_of(pairs: Pairs, *, against: str, rng: np.random.Generator) -> Residuals:
    """The residuals of checked pairs, all of which weigh.

    The whole's gap is its mean over stretches of at least 50 rows with similar predictions (at most 200 stretches), and
    is added to each row's own prediction.
    """
    q, y, n = pairs.probabilities, pairs.labels, len(pairs)
    size = max(STRATUM_ROWS, n // MOST_STRATA)
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
    blocks = _blocks(pairs.clusters, n, rng)
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


def _blocks(clusters: Integers | None, n: int, rng: np.random.Generator) -> Integers:
    """The block of each row: every cluster (or row) in one, at random, all blocks of about as many."""
    count = n if clusters is None else int(clusters.max()) + 1
    block = rng.permutation(count) % min(count, BLOCKS)
    return block if clusters is None else block[clusters]


# Sums as normal scores: the standard normal variable that is as unlikely as the sum.

SMALLEST = 1e-300
LEAST_SKEWNESS = 1e-3


def skewed_scores(sums: Floats, variance: Floats, third: Floats, step: float) -> Floats:
    """The scores of sums with mean 0 and these second and third moments; a tail heavier than the normal one is that of
    a shifted gamma distribution. `step`, half the step in which the sum moves, is taken off |sum|.

    >>> skewed_scores(np.array([20.0, -20.0]), np.full(2, 100.0), np.full(2, 500.0), 0.0).round(2)
    array([ 1.82, -2.  ])
    """
    from scipy.special import gammaincc, ndtri

    x = np.maximum(np.abs(sums) - step, 0.0) / np.sqrt(variance)
    skewness = np.sign(sums) * third / variance**1.5
    heavy = np.flatnonzero((skewness > LEAST_SKEWNESS) & (x > 0.0))
    shape = 4 / skewness[heavy] ** 2
    tail = gammaincc(shape, shape + x[heavy] * np.sqrt(shape))
    scores = x.copy()
    is_precise = tail > SMALLEST
    scores[heavy[is_precise]] = np.clip(-ndtri(tail[is_precise]), 0.0, x[heavy[is_precise]])
    signed: Floats = np.sign(sums) * scores
    return signed


def student_scores(sums: Floats, variance: Floats, free: Floats) -> Floats:
    """The scores of sums whose variance was estimated with `free` degrees of freedom.

    >>> student_scores(np.array([20.0]), np.array([100.0]), np.array([10.0])).round(2)
    array([1.79])
    """
    from scipy.special import ndtri, stdtr

    x = np.abs(sums) / np.sqrt(variance)
    tail = stdtr(free, -x)
    scores: Floats = np.sign(sums) * np.where(tail > SMALLEST, -ndtri(np.maximum(tail, SMALLEST)), x)
    return scores


# All groups of one and of two conditions at once: how far each departs from what is expected, and the law of the
# largest departure.

DRAWS = 1000
MIN_ROWS = 50  # of a group, unless the user says else
EXPECTED = 5.0  # the least Σ r (1 - r), so that more labels of either kind are expected; outside a group, too
BESIDE = 0.1  # the least share of the variance of a group that is left beside others with the same predictions
CLUSTERS = 10.0  # the least equivalent number of clusters in a group
LARGEST_SHARE = 0.9  # of a condition's rows that a second condition may leave
FIGURES = ("features", "conditions", "n", "weight", "sums", "expected", "deviation", "observed", "score")
Keep = Callable[[Floats, Floats], npt.NDArray[np.bool_]]


@dataclass(slots=True)
class Family:
    """The groups with a certain number of conditions, and the largest departure of any in each draw.

    features, conditions (groups, 2): which they are made of; -1 without a second. n: rows. weight: Σ w. sums:
    Σ w (y - r), expected: Σ w (r - q). deviation: the standard deviation of the sum under the null hypothesis,
    observed: that between blocks. score: the normal variable that is as unlikely as the sum. units (blocks, groups):
    the sums of blocks, scaled to length 1, of groups that are kept.
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
        """This family and others from the same draws as one."""
        families = (self, *others)
        figures = {name: np.concatenate([getattr(family, name) for family in families]) for name in FIGURES}
        units = [family.units for family in families if family.units is not None]
        return Family(
            **figures,
            largest=np.max([family.largest for family in families], axis=0),
            units=np.concatenate(units, axis=1) if units else None,
        )

    def p_values(self, families: int) -> Floats:
        """The p-value of each group, adjusted for all groups of all families."""
        ordered = np.sort(self.largest)
        above = len(ordered) - np.searchsorted(ordered, np.abs(self.score), side="left")
        adjusted: Floats = np.minimum(1.0, families * (1 + above) / (1 + len(ordered)))
        return adjusted

    def critical(self, error: float, families: int) -> float:
        """The score beyond which adjusted p-values are at most `error`."""
        ordered = np.sort(self.largest)
        place = math.ceil((1 - error / families) * (len(ordered) + 1)) - 1
        return float(ordered[min(place, len(ordered) - 1)])


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
    """The groups of one condition, and with conditions=2 those of two, each family with the law of its largest score.

    A sum over a group, S = Σ w (y - r), is compared with its standard deviation under the null hypothesis that labels
    are 1 with probability r. Against the whole, r was estimated from the same rows, and S is the sum of
    w (1[in the group] - π) (y - r) over all rows, with π the group's share of the rows with such predictions: a
    Mantel–Haenszel statistic. The law of the largest |score| is that of normal variables with the correlations that
    these sums have over blocks of rows or clusters: sums of blocks times normal multipliers (Chernozhukov, Chetverikov
    & Kato 2013). `keep` says of sums and observed deviations which groups count,
    `pairs` which features are combined (default: all).
    """
    multipliers = rng.standard_normal((DRAWS, residuals.n_blocks), dtype=np.float32)
    search = _Search(residuals, features, min_rows, multipliers, keep)
    families = [_family(search.ones())]
    if conditions == 2:
        families.append(_family(search.twos(pairs or list(combinations(range(len(features)), 2)))))
    return tuple(families)


@dataclass(frozen=True, slots=True)
class _Search:
    residuals: Residuals
    features: Sequence[Feature]
    min_rows: int
    multipliers: npt.NDArray[np.float32]
    keep: Keep | None

    def ones(self) -> Iterator[Family]:
        """The groups of one condition, feature by feature."""
        for place in (i for i, feature in enumerate(self.features) if feature.alone):
            feature = self.features[place]
            yield self._judged(alone(feature), (place, -1), np.ones((len(feature.conditions), 1), np.bool_))

    def twos(self, pairs: Sequence[tuple[int, int]]) -> Iterator[Family]:
        """The groups of two conditions, by pairs of features; not those that are nearly one of the two conditions."""
        rows = [feature.members @ np.bincount(feature.codes, minlength=feature.cells) for feature in self.features]
        for f, g in pairs:
            first, second = self.features[f], self.features[g]
            smaller = np.minimum.outer(rows[f][first.in_pairs], rows[g][second.in_pairs])
            yield self._judged(crossed(first, second), (f, g), LARGEST_SHARE * smaller)

    def _judged(self, table: Crossed, places: tuple[int, int], most: Floats | npt.NDArray[np.bool_]) -> Family:
        """The groups of a table that are large enough, of at most so many rows."""
        residuals, strata = self.residuals, self.residuals.n_strata
        n, w1, w2, w3 = self._weighed(table)
        share = w1 / residuals.totals[1][:, None, None] if residuals.against == WHOLE else np.zeros_like(w1)
        rest2, rest3 = residuals.totals[2][:, None, None] - w2, residuals.totals[3][:, None, None] - w3
        variance = np.tensordot(residuals.variance, w2 * (1 - share) ** 2 + rest2 * share**2, 1)
        third = np.tensordot(residuals.third, w3 * (1 - share) ** 3 - rest3 * share**3, 1)
        rows = n.sum(axis=0)
        spread = np.tensordot(residuals.variance, n, 1)
        enough = (rows >= self.min_rows) & (spread >= EXPECTED)
        if residuals.against == WHOLE:
            smaller = np.minimum(spread, residuals.variance @ residuals.totals[0] - spread)
            unit = np.divide(w2.sum(axis=0), rows, out=np.ones_like(rows), where=rows > 0)
            enough &= (smaller >= EXPECTED) & (variance >= unit * np.maximum(EXPECTED / 2, BESIDE * smaller))
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
        """The sums of 1, w, w² and w³ by stratum and group: (4, strata, conditions, conditions)."""
        residuals = self.residuals
        counts = table.sums(residuals.strata, residuals.n_strata, None)
        return [
            counts if power is None else table.sums(residuals.strata, residuals.n_strata, power)
            for power in residuals.powers
        ]

    def _largest(self, units: npt.NDArray[np.float32]) -> Floats:
        """The largest |score| of these groups in each draw."""
        if not units.shape[1]:
            return np.zeros(len(self.multipliers))
        largest: Floats = np.abs(self.multipliers @ units).max(axis=1).astype(np.float64)
        return largest


def _degrees_of_freedom(sums: Floats, squares: Floats, filled: Integers) -> Floats:
    """Those of a variance made of block sums: of `filled` blocks, or of as many normal ones as vary as much (Σ x⁴)."""
    fourth = np.einsum("bg,bg->g", sums**2, sums**2)
    free: Floats = np.minimum(np.divide(3 * squares**2, fourth, out=np.zeros_like(squares), where=fourth > 0), filled)
    return free - 1


def _family(parts: Iterator[Family]) -> Family:
    """Several families as one."""
    families = list(parts)
    if not families:
        none, nothing = np.zeros((0, 2), dtype=np.int64), np.zeros(0)
        return Family(none, none, nothing, nothing, nothing, nothing, nothing, nothing, nothing, np.zeros(DRAWS))
    return families[0].joined(*families[1:])


# Which of many overlapping groups lead, and which of them the others owe their departure to.

LEFT_OVER = 2.576  # a two-condition group with less than this beside its parent is explained by it (p = .01)


@dataclass(frozen=True, slots=True)
class Group:
    """A group that was found: its family, its row there, its features and conditions."""

    family: int
    row: int
    features: tuple[int, int]
    conditions: tuple[int, int]

    @property
    def parts(self) -> tuple[tuple[int, int], ...]:
        """Each feature with its condition."""
        return tuple((f, c) for f, c in zip(self.features, self.conditions, strict=True) if f >= 0)


@dataclass(frozen=True, slots=True)
class Leading:
    """The groups that lead, the strongest first, each with those that it explains; and how many were not looked at."""

    groups: tuple[tuple[Group, tuple[Group, ...]], ...]
    left: int


def rows_of(group: Group, features: Sequence[Feature]) -> npt.NDArray[np.bool_]:
    """Whether each row is in a group."""
    inside = [features[f].members[c].astype(np.bool_)[features[f].codes] for f, c in group.parts]
    rows: npt.NDArray[np.bool_] = inside[0] if len(inside) == 1 else inside[0] & inside[1]
    return rows


def leading(
    residuals: Residuals,
    features: Sequence[Feature],
    families: Sequence[Family],
    memberships: Sequence[npt.NDArray[np.bool_]],
    critical: Sequence[float],
    *,
    most: int,
) -> Leading:
    """The strongest of the groups found leads; its mean departure is taken out of its rows, and the groups whose
    score then lies below the critical one, or has the other sign, are explained by it; the strongest of the others
    leads next.

    Where a group of two conditions is the strongest, one of its two conditions leads in its place if it was found too
    and leaves the group a score below 2.58 once its own departure is taken out.
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
        ones = np.array([len(g.parts) for g in groups])
        order = np.lexsort((size, ones, -np.round(np.abs(scores), 9)))
        strongest = int(next(i for i in order if open_[i]))
        lead = _parent_or_self(strongest, groups, open_, scores, per_sum, current, features)
        current = without(current, rows_of(groups[lead], features))
        places = np.flatnonzero(open_)
        scores[places] = per_sum[places] * sums_of([groups[i] for i in places], current.values, features)
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
    open_: npt.NDArray[np.bool_],
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
        rest = without(residuals, rows_of(groups[parent], features))
        if abs(per_sum[strongest] * float(sums_of([group], rest.values, features)[0])) < LEFT_OVER:
            return parent
    return strongest


def sums_of(groups: Sequence[Group], values: Floats, features: Sequence[Feature]) -> Floats:
    """The sum of some values over each group."""
    totals = np.empty(len(groups))
    by_table: dict[tuple[int, int], list[int]] = {}
    for i, group in enumerate(groups):
        by_table.setdefault(group.features, []).append(i)
    everything = np.zeros(len(values), dtype=np.int64)
    for (f, g), places in by_table.items():
        table = alone(features[f]) if g < 0 else crossed(features[f], features[g])
        sums = table.sums(everything, 1, values)[0]
        at = np.array([groups[i].conditions for i in places])
        columns = [
            np.searchsorted(known_conditions, wanted_conditions)
            for known_conditions, wanted_conditions in zip(table.conditions, at.T, strict=True)
        ]
        totals[places] = sums[columns[0], columns[1]]
    return totals


def without(residuals: Residuals, inside: npt.NDArray[np.bool_]) -> Residuals:
    """The residuals once the mean departure of a group is taken out of them, by least squares."""
    current, w = residuals, residuals.powers[1]
    weight = inside.astype(np.float64) if w is None else w * inside
    direction = inside.astype(np.float64)
    if current.against == WHOLE:
        share = np.bincount(current.strata, weights=weight, minlength=current.n_strata) / current.totals[1]
        direction -= share[current.strata]
    weighed = direction if w is None else w * direction
    size = float(current.values @ direction) / float(weighed @ direction)
    return replace(current, values=current.values - size * weighed)


def names_of(group: Group, features: Sequence[Feature]) -> tuple[str, ...]:
    """The conditions of a group in words."""
    return tuple(features[f].conditions[c] for f, c in group.parts)
