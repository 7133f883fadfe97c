"""Which of many overlapping groups lead, and which of them the others owe their departure to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from howsure.calibration.subgroups.crossed import alone, crossed
from howsure.calibration.subgroups.features import Feature
from howsure.calibration.subgroups.residuals import WHOLE, Residuals
from howsure.calibration.subgroups.scan import Family
from howsure.inputs.pairs import Floats

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
    found: Sequence[npt.NDArray[np.bool_]],
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
        for k, (family, mine) in enumerate(zip(families, found, strict=True))
        for row in np.flatnonzero(mine)
    ]
    per_sum = np.array([_score_per_sum(families[g.family], g.row) for g in groups])
    size = np.array([families[g.family].n[g.row] for g in groups])
    limit = np.array([critical[g.family] for g in groups])
    open_ = np.ones(len(groups), dtype=np.bool_)
    held = residuals
    chosen: list[tuple[Group, tuple[Group, ...]]] = []
    scores = np.array([families[g.family].score[g.row] for g in groups])
    signs = np.sign(scores)
    while open_.any() and len(chosen) < most:
        ones = np.array([len(g.parts) for g in groups])
        order = np.lexsort((size, ones, -np.round(np.abs(scores), 9)))
        strongest = int(next(i for i in order if open_[i]))
        lead = _parent_or_self(strongest, groups, open_, scores, per_sum, held, features)
        held = without(held, rows_of(groups[lead], features))
        places = np.flatnonzero(open_)
        scores[places] = per_sum[places] * sums_of([groups[i] for i in places], held.values, features)
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
    found = np.empty(len(groups))
    by_table: dict[tuple[int, int], list[int]] = {}
    for i, group in enumerate(groups):
        by_table.setdefault(group.features, []).append(i)
    everything = np.zeros(len(values), dtype=np.int64)
    for (f, g), places in by_table.items():
        table = alone(features[f]) if g < 0 else crossed(features[f], features[g])
        sums = table.sums(everything, 1, values)[0]
        at = np.array([groups[i].conditions for i in places])
        columns = [np.searchsorted(known, asked) for known, asked in zip(table.conditions, at.T, strict=True)]
        found[places] = sums[columns[0], columns[1]]
    return found


def without(residuals: Residuals, inside: npt.NDArray[np.bool_]) -> Residuals:
    """The residuals once the mean departure of a group is taken out of them, by least squares."""
    held, w = residuals, residuals.powers[1]
    weight = inside.astype(np.float64) if w is None else w * inside
    direction = inside.astype(np.float64)
    if held.against == WHOLE:
        share = np.bincount(held.strata, weights=weight, minlength=held.n_strata) / held.totals[1]
        direction -= share[held.strata]
    weighed = direction if w is None else w * direction
    size = float(held.values @ direction) / float(weighed @ direction)
    return replace(held, values=held.values - size * weighed)


def names_of(group: Group, features: Sequence[Feature]) -> tuple[str, ...]:
    """The conditions of a group in words."""
    return tuple(features[f].conditions[c] for f, c in group.parts)
