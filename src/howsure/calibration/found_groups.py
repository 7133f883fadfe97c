"""`find_groups`: in which groups of rows are predictions worse calibrated than in the whole?"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure import __version__
from howsure.calibration.bins import bin_pairs
from howsure.calibration.calibration_errors import debiased_estimate, squared_error
from howsure.calibration.features import Feature, features_of, pairs_and_features, predictions_of
from howsure.calibration.group_results import FoundGroups, MiscalibratedGroup, WholeCalibration
from howsure.calibration.multicalibration import multicalibration_of
from howsure.calibration.scan import (
    DIAGONAL,
    DRAWS,
    MIN_ROWS,
    WHOLE,
    Family,
    Group,
    Residuals,
    leading,
    names_of,
    residuals_of,
    rows_of,
    scan,
)
from howsure.errors import InputError
from howsure.inputs.frames import Source
from howsure.inputs.given import Given
from howsure.inputs.numbers_and_names import check_level, check_whole, counted, shortened
from howsure.inputs.pairs import Pairs
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.result import Estimate
from howsure.stats.clusters import few_clusters
from howsure.stats.randomness import Randomness, generator_from, seed_in_recipe
from howsure.stats.threads import one_thread

MOST_GROUPS = 20


def find_groups(
    y_true: ArrayLike | str | Pairs | None = None,
    y_prob: ArrayLike | str | Given | None = None,
    *,
    features: Any,
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
) -> FoundGroups:
    """In which groups of rows are predictions worse calibrated than in the whole? Groups are made of one or two
    conditions on columns, and tested all at once.

    For every group, the sum of y - r(q) over its rows is compared with what chance does to it, where r(q) is q plus the
    mean gap of all rows with similar predictions (against="whole"), or q itself (against="diagonal"). The p-values
    are adjusted for all groups tested by the law of the largest departure, simulated with all correlations: with
    probability `level`, no group is found that is as well calibrated as the whole. Half of the error goes to groups of
    one condition, half to those of two.

    y_true, y_prob, sample_weight, clusters, pos_label, data: as in `calibration_curve`. features: a data frame, a
    mapping of names to columns of n values, or with `data` names of its columns. Categories give one condition per
    value (values in fewer than `min_rows` rows, and those beyond the 30 most frequent, are one condition together),
    numbers and dates are cut at their 5, 10, 25, 50, 75, 90 and 95 % quantiles, and a missing value is a value. The
    prediction itself is one more feature, in groups of two conditions: a group may be overconfident only above 0.9.
    multicalibration: also the `multicalibration_error`. id: in files, the item of each row, for rows of several files.

    conditions: most conditions of a group, 1 or 2.
    against: compare a group with the whole at the same predictions, or with perfect calibration (diagonal).
    min_rows: least number of rows of a group.
    rng: seed of what is drawn at random.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> q, prompt, length = rng.random(8000), rng.choice(["first", "second"], 8000), rng.integers(1, 200, 8000)
    >>> bad = (prompt == "second") & (length > 150)
    >>> held = {"prompt": prompt, "length": length}
    >>> found = find_groups(rng.random(8000) < np.where(bad, q**2, q), q, features=held)
    >>> [(group.name, group.n) for group in found]
    [('prompt = second and length > 149', 955)]

    Raises InputError naming the parameter, row and value that violated a rule, or if no group can be made.
    Source: docs/find-groups.md; the statistic: Mantel & Haenszel (1959); the law of the largest: Chernozhukov,
    Chetverikov & Kato (2013).
    """
    level = check_level(level)
    if conditions not in (1, 2) or isinstance(conditions, bool):
        raise InputError(f"conditions must be 1 or 2; it is {conditions!r}.")
    if against not in (WHOLE, DIAGONAL):
        raise InputError(f"against must be {WHOLE!r} or {DIAGONAL!r}, not {against!r}")
    min_rows = check_whole(min_rows, name="min_rows", least=2)
    given, columns, read = pairs_and_features(
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
    found = groups_of(given, columns, conditions=conditions, against=against, **how)
    error = multicalibration_of(given, columns, **how) if multicalibration else None
    return replace(found, multicalibration=error, recipe={**found.recipe, **read})


def groups_of(
    given: Pairs,
    columns: Mapping[str, Any],
    *,
    conditions: int = 2,
    against: str = WHOLE,
    min_rows: int = MIN_ROWS,
    level: float = 0.95,
    rng: Randomness = 0,
) -> FoundGroups:
    """The groups of checked pairs: the implementation of `find_groups`."""
    pairs, held = features_of(given, columns, min_rows=min_rows)
    generator = generator_from(rng)
    features = [*held, predictions_of(pairs, columns, min_rows=min_rows, alone=against == DIAGONAL)]
    with one_thread():
        residuals = residuals_of(pairs, against=against, rng=generator)
        families = scan(residuals, features, conditions=conditions, min_rows=min_rows, rng=generator)
        tested = tuple(len(family) for family in families)
        if not sum(tested):
            raise _no_group(held, residuals, min_rows)
        number = sum(count > 0 for count in tested)
        critical = [family.critical(1 - level, number) for family in families]
        significant = [family.p_values(number) <= 1 - level + 1e-12 for family in families]
        worse = [
            some & (np.abs(family.sums + family.expected) > np.abs(family.expected))
            for family, some in zip(families, significant, strict=True)
        ]
        led = leading(residuals, features, families, worse, critical, most=MOST_GROUPS)
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
    notes = tuple(_notes(given, pairs, held, better, led.left))
    return FoundGroups(
        rows=rows,
        whole=_whole(pairs, level),
        tested=tested,
        better=better,
        left=led.left,
        recipe=recipe,
        notes=notes,
    )


def _no_group(features: Sequence[Feature], residuals: Residuals, min_rows: int) -> InputError:
    held = shortened(f"{feature.name} ({_kind_of(feature)})" for feature in features)
    rare = "; 5 labels of either kind must be expected in a group, and as many beside it at the same predictions"
    rare += ", and its rows must come from at least 10 clusters" if residuals.clustered else ""
    return InputError(
        f"no group of at least {min_rows:,} rows can be made of the features: {held}{rare}. Is each value rare? Give "
        "features with few values, or numbers, such as the length of a text."
    )


def _kind_of(feature: Feature) -> str:
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
    mine = pairs.only(rows_of(group, features))
    mean, rate = _means(mine)
    weight = float(family.weight[group.row])
    whole_gap = -float(family.expected[group.row]) / weight
    excess, half = -float(family.sums[group.row]) / weight, critical * float(family.deviation[group.row]) / weight
    total = len(pairs) if pairs.weights is None else float(pairs.weights.sum())
    names = names_of(group, features)
    return MiscalibratedGroup(
        name=" and ".join(names),
        conditions=names,
        n=len(mine),
        share=weight / total,
        mean_prob=mean,
        base_rate=rate,
        gap=mean - rate,
        whole_gap=whole_gap,
        excess=Estimate(excess, excess - half, excess + half, level, "simultaneous", len(mine)),
        error=_error(mine, level),
        p_adjusted=float(family.p_values(number)[group.row]),
        explains=tuple(" and ".join(names_of(other, features)) for other in explains),
    )


def _whole(pairs: Pairs, level: float) -> WholeCalibration:
    mean, rate = _means(pairs)
    return WholeCalibration(len(pairs), mean, rate, mean - rate, _error(pairs, level))


def _means(pairs: Pairs) -> tuple[float, float]:
    """The mean prediction and the frequency of label 1."""
    mean, rate = (float(np.average(column, weights=pairs.weights)) for column in (pairs.probabilities, pairs.labels))
    return mean, rate


def _error(pairs: Pairs, level: float) -> Estimate:
    return debiased_estimate(squared_error(pairs, bin_pairs(pairs)), n=len(pairs), level=level)


def _notes(given: Pairs, pairs: Pairs, features: Sequence[Feature], better: int, left: int) -> Iterator[str]:
    if len(given) > len(pairs):
        yield f"{counted(len(given) - len(pairs), 'row')} of weight 0 are left out"
    if pairs.clusters is not None and (few := few_clusters(np.bincount(pairs.clusters))):
        yield few
    for feature in features:
        if len(feature.conditions) < 2:
            yield f"{feature.name} makes no groups ({_kind_of(feature)})"
        elif feature.pooled[0]:
            values, rows = feature.pooled
            yield f"{feature.name}: {counted(values, 'rare value')} in {counted(rows, 'row')} count as one"
    if better:
        are = "is" if better == 1 else "are"
        yield f"{counted(better, 'group')} {are} significantly better calibrated than the whole"
    if left:
        yield f"{counted(left, 'more group')} found and not explained by these"
