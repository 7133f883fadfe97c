"""All groups of one and of two conditions at once: how far each departs from what is expected, and the law of the
largest departure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import numpy.typing as npt

from howsure.calibration.subgroups.crossed import Crossed, alone, crossed
from howsure.calibration.subgroups.features import Feature
from howsure.calibration.subgroups.residuals import WHOLE, Residuals
from howsure.calibration.subgroups.tails import skewed_scores, student_scores
from howsure.inputs.pairs import Floats, Integers

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
        held = {name: np.concatenate([getattr(one, name) for one in families]) for name in FIGURES}
        units = [one.units for one in families if one.units is not None]
        return Family(
            **held,
            largest=np.max([one.largest for one in families], axis=0),
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
        rows = [one.members @ np.bincount(one.codes, minlength=one.cells) for one in self.features]
        for f, g in pairs:
            first, second = self.features[f], self.features[g]
            smaller = np.minimum.outer(rows[f][first.in_pairs], rows[g][second.in_pairs])
            yield self._judged(crossed(first, second), (f, g), LARGEST_SHARE * smaller)

    def _judged(self, table: Crossed, places: tuple[int, int], most: Floats | npt.NDArray[np.bool_]) -> Family:
        """The groups of a table that are large enough, of at most so many rows."""
        held, strata = self.residuals, self.residuals.n_strata
        n, w1, w2, w3 = self._weighed(table)
        share = w1 / held.totals[1][:, None, None] if held.against == WHOLE else np.zeros_like(w1)
        rest2, rest3 = held.totals[2][:, None, None] - w2, held.totals[3][:, None, None] - w3
        variance = np.tensordot(held.variance, w2 * (1 - share) ** 2 + rest2 * share**2, 1)
        third = np.tensordot(held.third, w3 * (1 - share) ** 3 - rest3 * share**3, 1)
        rows = n.sum(axis=0)
        spread = np.tensordot(held.variance, n, 1)
        enough = (rows >= self.min_rows) & (spread >= EXPECTED)
        if held.against == WHOLE:
            smaller = np.minimum(spread, held.variance @ held.totals[0] - spread)
            unit = np.divide(w2.sum(axis=0), rows, out=np.ones_like(rows), where=rows > 0)
            enough &= (smaller >= EXPECTED) & (variance >= unit * np.maximum(EXPECTED / 2, BESIDE * smaller))
        enough &= (rows <= most) if places[1] >= 0 else most
        chosen = np.flatnonzero(enough)
        sums = table.sums(held.blocks, held.n_blocks, held.values).reshape(held.n_blocks, -1)[:, chosen]
        filled = np.count_nonzero(sums, axis=0)
        if held.against == WHOLE:
            sums = sums - held.by_block @ share.reshape(strata, -1)[:, chosen]
        total = sums.sum(axis=0)
        sums = sums - total / held.n_blocks
        squares = np.einsum("bg,bg->g", sums, sums)
        observed = np.sqrt(squares * (held.n_blocks / max(held.n_blocks - 1, 1)))
        variance, third = variance.ravel()[chosen], third.ravel()[chosen]
        if held.clustered:
            variance = np.maximum(variance, observed**2)
            free = _degrees_of_freedom(sums, squares, filled)
            score, known = student_scores(total, variance, np.maximum(free, 1.0)), free >= CLUSTERS - 1
        else:
            step = 0.5 if held.powers[1] is None else 0.0
            score, known = skewed_scores(total, variance, third, step), squares > 0.0
        if self.keep is not None:
            known &= self.keep(total, observed)
        chosen, total, variance, score = chosen[known], total[known], variance[known], score[known]
        first, second = np.divmod(chosen, n.shape[2])
        units = (sums[:, known] / np.sqrt(squares[known])).astype(np.float32)
        return Family(
            np.tile(np.array(places), (len(chosen), 1)),
            np.column_stack([table.conditions[0][first], table.conditions[1][second]]),
            rows.ravel()[chosen],
            w1.sum(axis=0).ravel()[chosen],
            total,
            np.tensordot(held.shift, w1, 1).ravel()[chosen],
            np.sqrt(variance),
            observed[known],
            score,
            self._largest(units),
            units if self.keep is not None else None,
        )

    def _weighed(self, table: Crossed) -> list[Floats]:
        """The sums of 1, w, w² and w³ by stratum and group: (4, strata, conditions, conditions)."""
        held = self.residuals
        counts = table.sums(held.strata, held.n_strata, None)
        return [counts if one is None else table.sums(held.strata, held.n_strata, one) for one in held.powers]

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
    held = list(parts)
    if not held:
        none, nothing = np.zeros((0, 2), dtype=np.int64), np.zeros(0)
        return Family(none, none, nothing, nothing, nothing, nothing, nothing, nothing, nothing, np.zeros(DRAWS))
    return held[0].joined(*held[1:])
