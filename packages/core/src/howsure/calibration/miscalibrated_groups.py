"""Groups that are worse calibrated than the whole: `find_miscalibrated_groups` and its result."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from howsure import __version__
from howsure.calibration.bins import bin_pairs
from howsure.calibration.calibration_errors import debiased_estimate, squared_error
from howsure.calibration.curve_text import OVERCONFIDENT, UNDERCONFIDENT
from howsure.calibration.features import Feature, pairs_and_features, prediction_feature, weighted_features
from howsure.calibration.multicalibration import estimate_multicalibration
from howsure.calibration.scan import (
    DIAGONAL,
    DRAWS,
    MIN_ROWS,
    WHOLE,
    Family,
    Group,
    Residuals,
    compute_residuals,
    condition_names,
    group_rows,
    leading,
    scan,
)
from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, check_arguments, generator_from, seed_in_recipe
from howsure.inputs.frames import Source
from howsure.inputs.label_spelling import spellings_note
from howsure.inputs.numbers_and_names import check_integer, check_level, counted, shortened
from howsure.inputs.pairs import Pairs, Probabilities
from howsure.inputs.parameter_types import ArrayLike, Axes, IntoFrame
from howsure.notes import FINDING, Note
from howsure.result import Estimate, Result, Rows, as_json, provenance_line, rows_read
from howsure.show.axes import checks_axes
from howsure.show.table import COUNT, FRAME, NUMBER, P_VALUE, WORDS, Column, Kind, digits, in_a_line, number
from howsure.stats.clusters import few_clusters
from howsure.stats.threads import one_thread

if TYPE_CHECKING:
    from howsure.calibration.multicalibration import MulticalibrationError


def found_in_words(groups: MiscalibratedGroups) -> str:
    """Return sentences that say how many groups are worse calibrated than the whole, and describe each of them."""
    tested = f"{counted(sum(groups.tested), 'group')} of {_conditions(groups)}"
    against = groups.recipe["against"]
    than = "worse calibrated than the whole at the same predictions" if against == WHOLE else "miscalibrated"
    promise = f"With probability {groups.recipe['level']:g}, none of the groups found is there by chance"
    if not groups.rows:
        features, least = shortened(map(in_a_line, groups.recipe["features"])), groups.recipe["min_rows"]
        return f"No group is found to be {than}. Tested: {tested} on {features}, each with {least:,} rows or more."
    are = "is" if len(groups.rows) == 1 else "are"
    lines = [f"{counted(len(groups.rows), 'group')} {are} {than}. Tested: {tested}. {promise}."]
    return "\n".join([*lines, *(group_in_words(row, against=against) for row in groups.rows)])


def group_in_words(row: MiscalibratedGroup, *, against: str) -> str:
    """Describe one group in a sentence."""
    comparison = ""
    if against == WHOLE:
        same = _direction(row.gap) == _direction(row.whole_gap)
        side = "" if same else f"{_direction(row.whole_gap)} "
        comparison = f"; in all rows, at the same predictions, {side}by {_size(row.whole_gap)}"
    explained = f" It explains {counted(len(row.explains), 'other group')}." if row.explains else ""
    return f"{_direction(row.gap).capitalize()} by {_size(row.gap)} where {in_a_line(row.name)}{comparison}.{explained}"


def describe_all_rows(miscalibrated_groups: MiscalibratedGroups) -> str:
    """Describe all rows together in a sentence."""
    whole = miscalibrated_groups.whole
    rates = f"mean prediction {number(whole.mean_prob, 3)}, observed frequency {number(whole.base_rate, 3)}"
    return f"all {counted(whole.n, 'row')}: {rates}, calibration error {whole.error}"


def _conditions(miscalibrated_groups: MiscalibratedGroups) -> str:
    return "one condition" if len(miscalibrated_groups.tested) == 1 else "one or two conditions"


def _direction(gap: float) -> str:
    return OVERCONFIDENT if gap > 0 else UNDERCONFIDENT


def _size(gap: float) -> str:
    return number(abs(gap), 3)


# The result: groups that are worse calibrated than the whole.


@dataclass(frozen=True, slots=True, kw_only=True)
class MiscalibratedGroup:
    """A group that is worse calibrated than the whole.

    name: its conditions in words, joined by "and"; conditions: the same as a tuple. n: number of rows. share:
    proportion of the total weight. mean_prob: mean prediction. base_rate: frequency of label 1. gap: mean_prob -
    base_rate, positive if the model is overconfident. whole_gap: the gap of all rows at the same predictions (0 if the
    comparison is with perfect calibration). excess: gap - whole_gap, with a simultaneous interval for all groups
    tested. error: the debiased calibration error. p_adjusted: adjusted for all groups tested. explains: names of other
    groups that are significant, but no longer after this group's excess is removed.
    """

    name: str = as_json("group")
    conditions: tuple[str, ...]
    n: int
    share: float
    mean_prob: float
    base_rate: float
    gap: float
    whole_gap: float
    excess: Estimate
    error: Estimate
    p_adjusted: float
    explains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WholeCalibration:
    """All rows: their number, the mean prediction, the frequency of label 1, the gap and the debiased error."""

    n: int
    mean_prob: float
    base_rate: float
    gap: float
    error: Estimate


BEYOND = Kind(
    lambda estimate: f"{number(estimate.value, 3, sign=True)} [{estimate.low:+.3f}, {estimate.high:+.3f}]",
    ends=("", "_low", "_high"),
)
SIGNED = digits(3, sign=True)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MiscalibratedGroups(Rows[MiscalibratedGroup]):
    """The result of `find_miscalibrated_groups`: iterate over it, index it by a group's name, or convert it.

    rows: the groups found, by descending score; among overlapping groups, only those that explain the others. whole:
    figures of all rows. tested: number of groups of one condition and, if tested, of two conditions. better: number of
    groups that are significantly better calibrated than the whole. left: number of significant groups that are neither
    in `rows` nor explained by them. notes: caveats. multicalibration: the error over all groups, if requested. recipe:
    everything needed to repeat the search, and what was read.
    """

    whole: WholeCalibration
    tested: tuple[int, ...]
    better: int
    left: int
    rows: tuple[MiscalibratedGroup, ...] = as_json("groups")
    notes: tuple[str, ...] = ()
    multicalibration: MulticalibrationError | None = None
    recipe: dict[str, Any] = field(repr=False)

    title = "Groups that are worse calibrated than the whole"
    derived: ClassVar = {"skipped": "notes"}

    def columns(self) -> Sequence[Column]:
        """The columns of a table with one row per group found."""
        level, whole = f"{100 * self.recipe['level']:g}%", self.recipe["against"] == WHOLE
        gap = "mean prediction minus label frequency; positive: overconfident"
        excess = "gap minus the gap of the whole at the same predictions" if whole else "the gap"
        excess += f", with an interval that is simultaneous for all groups ({level})"
        return [
            Column("group", WORDS, get=lambda row: row.name),
            Column("n", COUNT),
            Column("share", NUMBER, only=FRAME),
            Column("mean_prob", digits(3), "predicted"),
            Column("base_rate", digits(3), "observed"),
            Column("gap", SIGNED, legend=gap),
            Column("whole_gap", SIGNED, only=FRAME),
            Column("excess", BEYOND, "beyond the whole" if whole else "beyond 0", legend=excess),
            Column("error", digits(3), legend="debiased calibration error", get=lambda row: row.error.value),
            Column("p_adjusted", P_VALUE, "p", legend="adjusted for all groups tested"),
            Column("explains", COUNT, get=lambda row: len(row.explains), only=FRAME),
        ]

    @property
    def input_line(self) -> str:
        """A description of the input, and the calibration of all rows in a sentence."""
        return "\n\n".join(filter(None, [rows_read(self.recipe), describe_all_rows(self)]))

    @property
    def answer(self) -> str | None:
        """The groups that are worse calibrated, or None."""
        if not self.rows:
            return None
        than = "worse calibrated than the whole" if self.recipe["against"] == WHOLE else "miscalibrated"
        names = shortened([row.name for row in self.rows], limit=3)
        return f"{counted(len(self.rows), 'group is', 'groups are')} {than}: {names}."

    @property
    def provenance(self) -> str:
        """The calibration of all rows in a sentence, a description of the input, and the level of the intervals."""
        whole = describe_all_rows(self)
        source = provenance_line({name: value for name, value in self.recipe.items() if name != "level"})
        level = f"{100 * self.recipe['level']:g}% intervals, for all groups at once."
        return " ".join(filter(None, [f"{whole[:1].upper()}{whole[1:]}.", source, level]))

    @property
    def description(self) -> str:
        """A sentence if no group was found; otherwise empty, and the table is printed."""
        return "" if self.rows else "\n".join(self.footnotes())

    def footnotes(self) -> Sequence[str]:
        """Lines below the table: one per group, the error over all groups, and the notes."""
        error = [] if self.multicalibration is None else [Note(repr(self.multicalibration), FINDING)]
        return [*self.verdict().splitlines(), *error, *Result.footnotes(self)]

    def legend(self) -> Mapping[str, str]:
        """The meaning of the headings; if no group was found, which groups were tested."""
        return ({} if self.rows else {"": self.verdict()}) | dict(Result.legend(self))

    def verdict(self) -> str:
        """The number of groups found, and a line for each."""
        return found_in_words(self)

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the departure of each group with its interval, on matplotlib axes (new ones if None)."""
        from howsure.figures.calibration import draw_groups, groups_figure

        return groups_figure(self).axes[0] if ax is None else draw_groups(self, ax=ax)


MAX_GROUPS = 20


def find_miscalibrated_groups(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Probabilities | None = None,
    *,
    features: Mapping[str, ArrayLike] | Sequence[str] | IntoFrame,
    conditions: int = 2,
    against: str = WHOLE,
    min_rows: int = MIN_ROWS,
    multicalibration: bool = False,
    sample_weight: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    id: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
    rng: Randomness = 0,
) -> MiscalibratedGroups:
    """Find groups of rows, defined by one or two conditions on columns, that are worse calibrated than the whole.

    For every group, the sum of y - r(q) over its rows is tested against 0, where r(q) is q plus the mean y - q of all
    rows with similar predictions (against="whole"), or q itself (against="diagonal"). P-values are adjusted for all
    groups tested, using the simulated distribution of the largest score with all correlations between groups. With
    probability `level`, every group found is really worse calibrated than the whole. The error probability is divided
    equally between groups of one condition and groups of two.

    y_true, y_prob, sample_weight, clusters, pos_label, data: as in `calibration_curve`. features: a data frame, a
    mapping of names to columns of n values, or with `data` names of its columns. A category has one condition per
    value; values in fewer than `min_rows` rows, and values beyond the 30 most frequent, are one condition together.
    Numbers and dates are cut at their 5, 10, 25, 50, 75, 90 and 95% quantiles. A missing value is a value of its own.
    The prediction itself is a further feature in groups of two conditions, because a group may be overconfident only
    above 0.9. multicalibration: also compute the `multicalibration_error`. id: the column that identifies items, if
    several files have rows of the same items.

    conditions: maximum number of conditions of a group, 1 or 2.
    against: compare a group with the whole at the same predictions, or with perfect calibration (diagonal).
    min_rows: minimum number of rows of a group.
    rng: seed of what is drawn at random.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> q, prompt, length = rng.random(8000), rng.choice(["first", "second"], 8000), rng.integers(1, 200, 8000)
    >>> bad = (prompt == "second") & (length > 150)
    >>> held = {"prompt": prompt, "length": length}
    >>> found = find_miscalibrated_groups(rng.random(8000) < np.where(bad, q**2, q), q, features=held)
    >>> [(group.name, group.n) for group in found]
    [('prompt = second and length > 149', 955)]

    Raises InputError, which names the parameter, row and value, for an invalid input, or if no group can be made.
    Source: docs/find-groups.md; the statistic: Mantel & Haenszel (1959); the distribution of the largest score:
    Chernozhukov, Chetverikov & Kato (2013).
    """
    check_arguments(find_miscalibrated_groups, locals())
    level = check_level(level)
    if conditions not in (1, 2) or isinstance(conditions, bool):
        raise InputError(f"conditions must be 1 or 2; it is {conditions!r}.")
    if against not in (WHOLE, DIAGONAL):
        raise InputError(f"against must be {WHOLE!r} or {DIAGONAL!r}, not {against!r}")
    min_rows = check_integer(min_rows, name="min_rows", least=2)
    raw_pairs, columns, provenance = pairs_and_features(
        y_true,
        y_prob,
        features=features,
        data=data,
        sample_weight=sample_weight,
        clusters=clusters,
        id=id,
        pos_label=pos_label,
    )
    how: dict[str, Any] = {"min_rows": min_rows, "level": level, "rng": rng}
    groups = find_groups(raw_pairs, columns, conditions=conditions, against=against, **how)
    error = estimate_multicalibration(raw_pairs, columns, **how) if multicalibration else None
    return replace(groups, multicalibration=error, recipe={**groups.recipe, **provenance})


def find_groups(
    raw_pairs: Pairs,
    columns: Mapping[str, Any],
    *,
    conditions: int = 2,
    against: str = WHOLE,
    min_rows: int = MIN_ROWS,
    level: float = 0.95,
    rng: Randomness = 0,
) -> MiscalibratedGroups:
    """Compute `find_miscalibrated_groups` for checked pairs and columns by name."""
    pairs, checked_features = weighted_features(raw_pairs, columns, min_rows=min_rows)
    generator = generator_from(rng)
    features = [*checked_features, prediction_feature(pairs, columns, min_rows=min_rows, alone=against == DIAGONAL)]
    with one_thread():
        residuals = compute_residuals(pairs, against=against, rng=generator)
        families = scan(residuals, features, conditions=conditions, min_rows=min_rows, rng=generator)
        tested = tuple(len(family) for family in families)
        if not sum(tested):
            raise _no_group_error(checked_features, residuals, min_rows)
        number = sum(count > 0 for count in tested)
        critical = [family.critical(1 - level, number) for family in families]
        significant = [family.p_values(number) <= 1 - level + 1e-12 for family in families]
        worse = [
            some & (np.abs(family.sums + family.expected) > np.abs(family.expected))
            for family, some in zip(families, significant, strict=True)
        ]
        led = leading(residuals, features, families, worse, critical, most=MAX_GROUPS)
    rows = tuple(
        _row(group, explains, pairs, features, families[group.family], critical[group.family], number, level)
        for group, explains in led.groups
    )
    recipe: dict[str, Any] = {
        "howsure": __version__,
        "n": len(pairs),
        "features": list(columns),
        "conditions": conditions,
        "against": against,
        "min_rows": min_rows,
        "level": level,
        "weighted": pairs.weights is not None,
        "clustered": pairs.clusters is not None,
        "draws": DRAWS,
        "seed": seed_in_recipe(rng),
    }
    better = sum(int((some & ~bad).sum()) for some, bad in zip(significant, worse, strict=True))
    notes = (*raw_pairs.notes, *_notes(raw_pairs, pairs, checked_features, better, led.left))
    return MiscalibratedGroups(
        rows=rows, whole=_whole(pairs, level), tested=tested, better=better, left=led.left, recipe=recipe, notes=notes
    )


def _no_group_error(features: Sequence[Feature], residuals: Residuals, min_rows: int) -> InputError:
    feature_names = shortened(f"{feature.name} ({_skip_reason(feature)})" for feature in features)
    rare = "; 5 labels of either kind must be expected in a group, and as many outside it at the same predictions"
    rare += ", and its rows must come from at least 10 clusters" if residuals.clustered else ""
    return InputError(
        f"no group of at least {min_rows:,} rows can be made of the features: {feature_names}{rare}. Are all values "
        "rare? Give features with few values, or numbers, such as the length of a text."
    )


def _skip_reason(feature: Feature) -> str:
    if len(feature.conditions) > 1:
        return counted(len(feature.conditions), "condition")
    return "all values are rare" if feature.pooled[0] else "one value in all rows"


def _row(
    group: Group,
    explains: Sequence[Group],
    pairs: Pairs,
    features: Sequence[Feature],
    family: Family,
    critical: float,
    number: int,
    level: float,
) -> MiscalibratedGroup:
    group_pairs = pairs.select(group_rows(group, features))
    mean, rate = _means(group_pairs)
    weight = float(family.weight[group.row])
    whole_gap = -float(family.expected[group.row]) / weight
    excess, half = -float(family.sums[group.row]) / weight, critical * float(family.deviation[group.row]) / weight
    total = len(pairs) if pairs.weights is None else float(pairs.weights.sum())
    names = condition_names(group, features)
    return MiscalibratedGroup(
        name=" and ".join(names),
        conditions=names,
        n=len(group_pairs),
        share=weight / total,
        mean_prob=mean,
        base_rate=rate,
        gap=mean - rate,
        whole_gap=whole_gap,
        excess=Estimate(excess, excess - half, excess + half, level, "simultaneous", len(group_pairs)),
        error=_error(group_pairs, level),
        p_adjusted=float(family.p_values(number)[group.row]),
        explains=tuple(" and ".join(condition_names(other, features)) for other in explains),
    )


def _whole(pairs: Pairs, level: float) -> WholeCalibration:
    mean, rate = _means(pairs)
    return WholeCalibration(len(pairs), mean, rate, mean - rate, _error(pairs, level))


def _means(pairs: Pairs) -> tuple[float, float]:
    """Return the mean prediction and the frequency of label 1."""
    mean, rate = (float(np.average(column, weights=pairs.weights)) for column in (pairs.probabilities, pairs.labels))
    return mean, rate


def _error(pairs: Pairs, level: float) -> Estimate:
    return debiased_estimate(squared_error(pairs, bin_pairs(pairs)), n=len(pairs), level=level)


def _notes(raw_pairs: Pairs, pairs: Pairs, features: Sequence[Feature], better: int, left: int) -> Iterator[str]:
    if len(raw_pairs) > len(pairs):
        yield f"{counted(len(raw_pairs) - len(pairs), 'row')} of weight 0 are left out"
    if pairs.clusters is not None and (few := few_clusters(np.bincount(pairs.clusters))):
        yield few
    for feature in features:
        if feature.cells == len(feature.conditions):  # a condition for each value
            counts = np.bincount(feature.codes, minlength=feature.cells).tolist()
            spelled = spellings_note(dict(zip(feature.conditions, counts, strict=True)), "groups")
            yield from [] if spelled is None else [spelled]
        if len(feature.conditions) < 2:
            yield f"{feature.name} makes no groups ({_skip_reason(feature)})"
        elif feature.pooled[0]:
            values, rows = feature.pooled
            yield f"{feature.name}: {counted(values, 'rare value')} in {counted(rows, 'row')} count as one"
    if better:
        are = "is" if better == 1 else "are"
        yield f"{counted(better, 'group')} {are} significantly better calibrated than the whole"
    if left:
        yield f"{counted(left, 'more group')} found and not explained by these"
