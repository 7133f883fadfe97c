"""`check_score`: is the mean of a score of each item above a limit, or above that of another model?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from howsure import __version__
from howsure.check.decision import check_sizes, decided
from howsure.check.evidence import ABOVE, BELOW, Evidence, Rule, check_limit, check_margin, named_once
from howsure.check.results import Check
from howsure.errors import GIVEN, InputError, at_row, parameter
from howsure.inputs.checks import check_clusters, check_codes
from howsure.inputs.frames import Source, columns_of
from howsure.inputs.naming import counted
from howsure.inputs.numbers import check_bounds, check_within
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.stats.clusters import ItemGroups, few_clusters
from howsure.stats.mean_score import BoundedMean, Bounds, MeanScore, mean_difference, mean_score, share_bounds

KIND, OTHER = "score", "the other model"


def check_score(
    score: ArrayLike | str,
    *,
    min_score: float | None = None,
    max_score: float | None = None,
    better_than: Any = None,
    not_worse_than: float | None = None,
    against: Any = None,
    lower_is_better: bool = False,
    bounds: tuple[float, float] | None = None,
    groups: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    level: float = 0.95,
    alarms_over: int = 1,
    data: Source | IntoFrame | None = None,
) -> Check:
    """Verdicts on the mean of a score that each item has: is it right, exact match, ROUGE, a judge's grade.

    score (n,): numbers. min_score, max_score: limits of their mean. better_than (n,): the scores of another model on
    the same items, whose mean must be lower (with lower_is_better: higher). not_worse_than: the margin by which the
    mean may be worse than that of the other model, whose scores are `against` (n,). bounds: the lowest and the highest
    score that is possible; those of scores that are all 0 or 1 are known. groups, clusters, level, alarms_over: as in
    `check_calibration`. data: a data frame, whose columns the other arguments name.

    With bounds the tests are Gaffke's, which hold for clusters that are right or wrong as a whole, and for rare large
    losses; without clusters those of 0 and 1 are exact. Without bounds they are Student's t, and suppose that no loss
    exists that is too rare to have been seen; the result says how large one would have to be.

    >>> right = [True] * 95 + [False] * 5
    >>> [check_score(right, min_score=limit).outcome for limit in (0.8, 0.93, 0.99)]
    ['pass', 'cannot tell', 'fail']

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    level, alarms_over = check_sizes(level, alarms_over)
    other = named_once(better_than, against, not_worse_than)
    limits = score_limits(min_score, max_score)
    if not limits and other is None:
        raise InputError(
            f"nothing to check: give {parameter('min_score', 0.8)}, {parameter('better_than', GIVEN)} or "
            f"{parameter('not_worse_than', 0.01)}."
        )
    check_margin(not_worse_than, most=np.inf)
    if data is not None:
        score, other, groups, clusters = columns_of(data, score=score, other=other, groups=groups, clusters=clusters)
    values = check_scores(score, name="score")
    n = len(values)
    ends = bounds_of(bounds, score=values)
    codes, names = (None, ()) if groups is None else check_codes(groups, n=n, name="groups", groups=True)
    units = None if clusters is None else check_clusters(clusters, n=n)
    parts = list(parts_of(n, codes, names))
    found = [evidence for rule in limits for evidence in of_scores(values, units, parts, rule, bounds=ends)]
    if other is not None:
        role = "against" if better_than is None else "better_than"
        theirs = check_scores(other, name=role, n=n)
        ends = bounds_of(bounds, score=values, **{role: theirs})
        rules = score_rules(
            better=better_than is not None, margin=not_worse_than, against=OTHER, lower_is_better=lower_is_better
        )
        found += [
            evidence for rule in rules for evidence in of_differences(values, theirs, units, parts, rule, bounds=ends)
        ]
    recipe = {"howsure": __version__, "n": n, "clustered": units is not None, "min_score": min_score}
    recipe |= {"max_score": max_score, "not_worse_than": not_worse_than, "lower_is_better": lower_is_better}
    recipe |= {"bounds": ends, "level": level, "alarms_over": alarms_over}
    return Check(rows=decided(found, level=level, alarms_over=alarms_over), level=level, recipe=recipe)


def score_limits(
    low: float | None, high: float | None, *, name: str = KIND, quantity: str = "mean score"
) -> list[Rule]:
    """The rules about limits of the mean."""
    given = [(ABOVE, "min_score", low), (BELOW, "max_score", high)]
    return [
        Rule(name, quantity, side, check_limit(limit, name=parameter, low=-np.inf, high=np.inf))
        for side, parameter, limit in given
        if limit is not None
    ]


def score_rules(
    *, better: bool, margin: float | None, against: str, lower_is_better: bool, name: str = KIND,
    quantity: str = "mean score",
) -> list[Rule]:  # fmt: skip
    """The rules about another model: to be better, or not to be worse by the margin or more."""
    side, sign = (BELOW, 1.0) if lower_is_better else (ABOVE, -1.0)
    limits = ([0.0] if better else []) + ([] if margin is None else [sign * margin])
    return [Rule(name, f"difference of {quantity}", side, limit, against) for limit in limits]


Part = tuple[str | None, Integers]


def parts_of(n: int, codes: Integers | None, names: tuple[str, ...]) -> Iterator[Part]:
    """The rows of each group by its name, or all."""
    if codes is None:
        yield None, np.arange(n)
    else:
        for code, name in enumerate(names):
            yield name, np.flatnonzero(codes == code)


def bounds_of(bounds: Bounds | None, **scores: Floats) -> Bounds | None:
    """The bounds that are given, checked with all scores.

    Raises InputError if these are none, or if a score lies outside.
    """
    if bounds is None:
        return None
    ends = check_bounds(bounds)
    for name, values in scores.items():
        check_within(values, ends, name=name)
    return ends


def of_scores(
    values: Floats,
    clusters: Integers | None,
    parts: Iterable[Part],
    rule: Rule,
    *,
    bounds: Bounds | None,
) -> Iterator[Evidence]:
    """What the scores of each group say about a limit.

    Without `bounds`, scores that are all 0 or 1 are taken for shares if the limit lies between these.
    """
    guessed = bounds is None
    bounds = bounds or (share_bounds(values) if 0.0 < rule.limit < 1.0 else None)
    for name, rows in parts:
        units = None if clusters is None else clusters[rows]
        test = mean_score(values[rows], ItemGroups.of(len(rows), clusters=units), bounds=bounds)
        yield Evidence(
            rule, name, len(rows), test, caveats=partial(notes_on, values[rows], units, test, rule, guessed=guessed)
        )


def of_differences(
    values: Floats, other: Floats, clusters: Integers | None, parts: Iterable[Part], rule: Rule, *,
    bounds: Bounds | None,
) -> Iterator[Evidence]:  # fmt: skip
    """What the paired scores of each group say about the difference of two models, shares as in `of_scores`."""
    guessed = bounds is None
    bounds = bounds or (share_bounds(values, other) if -1.0 < rule.limit < 1.0 else None)
    for name, rows in parts:
        units = None if clusters is None else clusters[rows]
        test = mean_difference(values[rows], other[rows], ItemGroups.of(len(rows), clusters=units), bounds=bounds)
        differences = values[rows] - other[rows]
        caveats = partial(notes_on, differences, units, test, rule, guessed=guessed)
        yield Evidence(rule, name, len(rows), test, caveats=caveats)


def notes_on(
    values: Floats,
    clusters: Integers | None,
    test: MeanScore,
    rule: Rule,
    size: float,
    *,
    guessed: bool = False,
) -> tuple[str, ...]:
    """Caveats on tests of a size: too few rows or clusters for any verdict, or few for Student's t; and what a test
    supposes; `guessed`: that scores are shares."""
    if isinstance(test, BoundedMean):
        alike = guessed and bool((values == values[0]).all())
        taken = "all are alike, and taken for shares between 0 and 1; give bounds if other values are possible"
        return (*_too_few(test, rule, size), *((taken,) if alike else ()))
    notes = []
    if clusters is not None and (few := few_clusters(np.bincount(clusters)[np.unique(clusters)])):
        notes.append(few)
    if len(values) > 1 and not test.error > 0.0:
        notes.append(
            f"every value is {values[0]:g}: nothing shows how much it may vary; if scores have a lowest and a highest "
            "value, give these as bounds"
        )
    elif not np.isnan(test.bounds(size)[0]):
        share, far = test.rare_loss(rule.limit, size)
        notes.append(
            f"this supposes that no rarer values lie far away: if {share:.1%} of all values were about {far:.4g}, and "
            f"all of them unseen here (probability {size:g}), the mean would be {rule.limit:g}; if scores have a "
            "lowest and a highest value, give these as bounds"
        )
    return tuple(notes)


def _too_few(test: BoundedMean, rule: Rule, size: float) -> Iterator[str]:
    """That so few rows or clusters could not pass whatever their scores were, and how many could."""
    low, high = test.within
    if not low < rule.limit < high:
        return
    least = test.least_p(rule.limit, above=rule.wanted == ABOVE)
    if least > size:
        unit = "cluster" if test.clustered else "row"
        share = (rule.limit - low) / (high - low)
        share = share if rule.wanted == ABOVE else 1 - share
        needed = math.ceil(math.log(size) / math.log(share) - 1e-9)
        equal = " of equal size" if test.clustered else ""
        yield (
            f"{counted(int(test.sums.times.sum()), unit)} cannot show this, whatever the scores: if the rule were "
            f"broken, all could look right with probability {least:.2g}; {counted(needed, unit)}{equal} are the fewest"
        )


def check_scores(values: Any, *, name: str, n: int | None = None) -> Floats:
    """Scores as finite numbers; True and False are 1 and 0.

    Raises InputError naming the row and the value.
    """
    from howsure.inputs.checks import as_column

    column = as_column(values, name=name)
    if n is not None and len(column) != n:
        raise InputError(f"{name} must have as many rows as the others; it has {len(column):,}, they have {n:,}.")
    try:
        numbers = column.astype(np.float64)
    except (TypeError, ValueError):
        row = next(row for row, value in enumerate(column.tolist()) if not _is_number(value))
        raise InputError(
            f"{name} must be numbers; {at_row(row)} holds {column[row : row + 1].tolist()[0]!r}."
        ) from None
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if len(wrong):
        raise InputError(
            f"{name} must be finite numbers; {at_row(wrong[0])} holds {numbers[wrong[0]]}. Leave it out first."
        )
    return np.asarray(numbers)


def _is_number(value: object) -> bool:
    try:
        float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return False
    return True
