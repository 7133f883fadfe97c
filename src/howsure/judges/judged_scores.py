"""`judged_scores`: what would people have given, where a judge graded everything and people graded a few?"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from howsure import __version__
from howsure.counts.draw import Elements, partial_column, read_draw
from howsure.errors import GIVEN, LOOK, InputError, at_row, parameter, told
from howsure.inputs.checks import Coded, as_column, check_clusters, check_codes
from howsure.inputs.frames import AS_READ, Kind, Rows, Source, no_column_name
from howsure.inputs.frames import rows_of as rows_of_data
from howsure.inputs.numbers_and_names import check_bounds, check_level, check_within, counted, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.judges.correction import UNKNOWN, Graded
from howsure.judges.results import JudgedDifference, JudgedRow, JudgedScores
from howsure.result import Estimate
from howsure.scores.rows import partial_scores
from howsure.significance.rows_by_model import item_twice
from howsure.stats.clusters import few_clusters
from howsure.stats.mean_score import Bounds, share_bounds
from howsure.stats.p_values import adjust_p_values, smallest_size

FEWEST = 10  # grades of people, below which nothing is said
SURELY, PROBABLY = 1e-6, 1e-3  # p of a draw at random, below which nothing is promised, or it is said
STEPS = 24  # of the search for a p, after which it is known to a relative 2e-6
OF = {"score": "the judge", "y_true": "people"}


def judged_scores(
    y_true: ArrayLike | Mapping[int, object] | str,
    score: ArrayLike | str,
    *,
    model: ArrayLike | str | None = None,
    id: ArrayLike | str | None = None,
    against: str | None = None,
    strata: ArrayLike | str | None = None,
    inclusion: ArrayLike | Mapping[int, float] | str | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    bounds: tuple[float, float] | None = None,
    adjust: Literal["holm", "bh"] | None = "holm",
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> JudgedScores:
    """What would people have given, where a judge graded every answer and people graded a few?

    A row per model: the mean grade of people, estimated from the judge's grades of all answers and from how far these
    are off where people graded, too: θ = λ · mean f + Σ w (y - λ f) / Σ w, with the λ that makes the interval narrow. A
    judge that errs, or means something else by its grades, costs width, not truth, as long as the answers that people
    graded were drawn at random, or with known chances. Differences of models are those of answers to the same items.

    y_true (n,): the grade of a person, missing where nobody graded the answer.
    score (n,): the judge's grade of each answer: 0 and 1, grades from 1 to 5, any numbers.
    model (n,): the model of each answer.
    id (n,): the item of each answer, on which models are compared.
    against: the model that the others are compared with (default: the best one).
    strata (n,): strata within which answers were drawn at random for people.
    inclusion (n,): the chance with which an answer that people graded was drawn for them.
    clusters (n,): what is correlated, such as the document of each item.
    pos_label: the grade that counts as 1, every other as 0.
    bounds: the lowest and the highest grade that a person can give; those of grades that are all 0 or 1 are known.
    adjust: how p-values of several differences are adjusted.
    level: level of the intervals.

    Intervals are of the mean over all such answers, of which these were drawn. They are Gaffke's of y - λ f where
    grades have bounds; else Student's, and none where few answers carry what the judge is off by, as of a judge that is
    nearly always right: then only bounds can tell.

    Sources: Angelopoulos, Duchi & Zrnic (2023), PPI++; Särndal, Swensson & Wretman (1992); Gaffke (2005).

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = (rng.random(2000) < 0.6) * 1.0  # of which people graded 100
    >>> judge = np.where(rng.random(2000) < 0.9, truth, 1.0)  # too generous
    >>> people = np.where(np.isin(np.arange(2000), rng.choice(2000, 100, replace=False)), truth, np.nan)
    >>> row = judged_scores(people, judge).rows[0]
    >>> print(row.judge, row.corrected, row.worth, sep="; ")
    0.6395 [0.6180, 0.6606]; 0.5984 [0.5364, 0.6509]; 310

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    level, ends = check_level(level), None if bounds is None else check_bounds(bounds)
    adjust_p_values([], method=adjust)
    roles = {"score": score, "y_true": y_true, "model": model, "id": id, "strata": strata, "inclusion": inclusion}
    held, rows = _held(roles | {"clusters": clusters}, data, pos_label=pos_label)
    with rows.placed():
        answers = _answers(held, roles | {"clusters": clusters}, pos_label, ends, data is not None)
        made = _rows(answers, level)
        found = sorted(made, key=lambda row: -math.inf if math.isnan(row.corrected.value) else row.corrected.value)[
            ::-1
        ]
        sure = [row.model for row in found if not math.isnan(row.corrected.value)]
        differences = _differences(answers, [row.model for row in found], sure, against, adjust, level)
    recipe: dict[str, Any] = {"howsure": __version__, **(rows.read or {"n": len(answers.judged)})}
    if data is not None:
        recipe |= {AS_READ.get(role, role): one for role, one in roles.items() if one is not None}
        recipe |= {} if clusters is None else {"cluster": clusters}
    recipe |= {"against": differences[0].against if differences else None, "pos_label": pos_label}
    recipe |= {"bounds": answers.bounds, "adjust": adjust, "level": level}
    return JudgedScores(rows=tuple(found), differences=differences, notes=tuple(answers.notes), recipe=recipe)


@dataclass(frozen=True, slots=True)
class _Answers:
    """Answers with the judge's grades (n,), people's, NaN where there is none, and what else is known of each."""

    judged: Floats
    people: Floats
    model: Coded | None
    id: Coded | None
    strata: Any
    inclusion: Any
    units: Integers | None
    bounds: Bounds | None
    notes: list[str]

    @property
    def names(self) -> tuple[str | None, ...]:
        """The models."""
        return (None,) if self.model is None else self.model.names

    def of(self, code: int) -> Integers:
        """The rows of a model."""
        return np.arange(len(self.judged)) if self.model is None else np.flatnonzero(self.model.codes == code)

    def graded(self, rows: Integers) -> Graded:
        """Some of the answers, those drawn for people among them.

        Raises InputError where strata or chances are missing, or contradict each other.
        """
        read = np.flatnonzero(~np.isnan(self.people[rows]))
        how = {role: _of_rows(one, rows) for role, one in (("strata", self.strata), ("inclusion", self.inclusion))}
        try:
            draw, _ = read_draw(Elements(len(rows), None), read, strata=how["strata"], inclusion=how["inclusion"])
        except InputError as error:
            raise error.at(lambda row: at_row(int(rows[row]))) from error
        if draw.note and draw.note not in self.notes:
            self.notes.append(draw.note)
        held, units = _units(self, rows), np.unique(draw.stratum, return_inverse=True)[1]
        of_all = (
            None if draw.stratum_of_all is None or draw.stratum.max() == 0 else draw.stratum_of_all.astype(np.int64)
        )
        grades = self.people[rows][read]
        return Graded(self.judged[rows], read, grades, draw.weight, units, held, self.bounds, of_all)


def _of_rows(values: Any, rows: Integers) -> Any:
    """A column, or a mapping of rows that hold something, of some of the rows; None of nothing."""
    if values is None:
        return None
    if isinstance(values, Mapping):
        return {place: values[row] for place, row in enumerate(rows.tolist()) if row in values}
    if isinstance(values, Coded):
        return np.array(values.names, dtype=object)[values.codes[rows]]
    return np.asarray(values)[rows]


def _held(roles: dict[str, Any], data: Any, *, pos_label: object) -> tuple[dict[str, Any], Rows]:
    """What plays each role, and the rows whose places messages name."""
    given = {role: one for role, one in roles.items() if one is not None}
    for role in ("score", "y_true"):
        if role not in given:
            raise InputError(f"{parameter(role, GIVEN)} must be given, the grades of {OF[role]}.{LOOK}")
    if data is None:
        return given, Rows({})
    for role, column in given.items():
        if not isinstance(column, str):
            raise no_column_name(role, column)
    kinds = {given["score"]: Kind.SCORE if pos_label is None else Kind.NAMES, given["y_true"]: Kind.PARTIAL}
    partial = ["inclusion", *(["strata"] if "inclusion" in given else [])]
    for role in ("model", "id", "strata", "inclusion", "clusters"):
        if role in given:
            kinds[given[role]] = Kind.PARTIAL if role in partial else Kind.NAMES
    how = {"clusters": given.get("clusters")} if isinstance(data, Source) else {}
    found = rows_of_data(data, kinds, **how)
    return {role: found[column] for role, column in given.items()}, found


def _answers(
    held: dict[str, Any], roles: Mapping[str, Any], pos_label: object, bounds: Bounds | None, named: bool
) -> _Answers:
    called = {role: one if named and isinstance(one, str) else role for role, one in roles.items()}
    notes: list[str] = []
    n = len(held["score"] if isinstance(held["score"], Coded) else as_column(held["score"], name=called["score"]))
    judged = partial_scores(held["score"], n, pos_label=pos_label, name=called["score"], notes=notes)
    if np.isnan(judged).any():
        row = int(np.isnan(judged).argmax())
        raise InputError(f"{called['score']}, the judge's grade, must not be missing; {at_row(row)} holds nothing.")
    if isinstance(held["y_true"], Mapping):
        partial_column(held["y_true"], n=n, name=called["y_true"])
    people = partial_scores(held["y_true"], n, pos_label=pos_label, name=called["y_true"], notes=notes)
    known = people[~np.isnan(people)]
    if not len(known):
        raise InputError(f"{called['y_true']} holds nothing: no answer has a person's grade. Have some graded.")
    if bounds is not None:
        check_within(people, bounds, name=called["y_true"])
    coded = {
        role: one if isinstance(one := held[role], Coded) else Coded(*check_codes(one, n=n, name=called[role]))
        for role in ("model", "id")
        if role in held
    }
    for role in ("strata", "inclusion"):
        if (one := held.get(role)) is not None and not isinstance(one, Coded):
            partial_column(one, n=n, name=called[role], beside=called["score"])
    units = held.get("clusters")
    if units is not None:
        units = units.codes.astype(np.int64) if isinstance(units, Coded) else check_clusters(units, n=n)
    model, item = coded.get("model"), coded.get("id")
    if item is not None:
        _check_once(model, item)
    elif model is not None and len(model.names) > 1:
        notes.append(told(f"differences of models need the item of each answer: {parameter('id', GIVEN)}"))
    of_shares = pos_label is not None or bool(((judged >= 0.0) & (judged <= 1.0)).all())
    ends = bounds or (share_bounds(known) if of_shares else None)
    return _Answers(judged, people, model, item, held.get("strata"), held.get("inclusion"), units, ends, notes)


def _check_once(model: Coded | None, item: Coded) -> None:
    """Raise InputError for two rows of an item of a model."""
    key = item.codes.astype(np.int64) + (0 if model is None else model.codes.astype(np.int64) * len(item.names))
    seen, times = np.unique(key, return_counts=True)
    if len(seen) < len(key):
        a, b = np.flatnonzero(key == seen[times.argmax()])[:2]
        raise item_twice(int(a), int(b), repr(item.names[item.codes[a]]), each="model")


def _rows(answers: _Answers, level: float) -> list[JudgedRow]:
    """A row per model; where the draw of one tells nothing, its row says why, unless no model has another."""
    rows, untold = list[JudgedRow](), list[InputError]()
    for code, name in enumerate(answers.names):
        try:
            rows.append(_row(answers, code, name, level))
        except InputError as error:
            if not error.untold:
                raise
            untold.append(error)
            rows.append(_nothing(answers, answers.of(code), name, level, error.message))
    if len(untold) == len(rows):
        raise untold[0]
    return rows


def _nothing(answers: _Answers, rows: Integers, name: str | None, level: float, why: str) -> JudgedRow:
    """The row of a model of which only the judge's grades say something."""
    labelled = int((~np.isnan(answers.people[rows])).sum())
    nothing = Estimate(math.nan, None, None, level=level, method=UNKNOWN, n=labelled)
    graded = Graded(answers.judged[rows], rows[:0], np.zeros(0), np.zeros(0), rows[:0], _units(answers, rows))
    judge = _judge(graded, level)
    return JudgedRow(name, len(rows), labelled, judge, nothing, nothing, nothing, math.nan, (told(why),))


def _row(answers: _Answers, code: int, name: str | None, level: float) -> JudgedRow:
    rows = answers.of(code)
    n, labelled = len(rows), int((~np.isnan(answers.people[rows])).sum())
    nothing = Estimate(math.nan, None, None, level=level, method=UNKNOWN, n=labelled)
    if labelled < FEWEST:
        why = f"people graded {counted(labelled, 'answer')}, below {FEWEST}: nothing shows what the judge is off by"
        return _nothing(answers, rows, name, level, why)
    graded, notes = answers.graded(rows), list[str]()
    slope = graded.slope()
    people, corrected = (graded.mean(level, slope=one) for one in (0.0, slope))
    bias = graded.bias(level)
    if not graded.judged.min() < graded.judged.max():
        notes.append("the judge gives every answer the same grade, which tells nothing")
    elif answers.strata is answers.inclusion is graded.units is None and labelled < n:
        p = _drawn_at_random(graded)
        if p < PROBABLY:
            notes.append(
                f"the answers that people graded have other grades of the judge than the rest (p {p:.1g}): were they "
                f"drawn at random? Say how they were drawn, {parameter('strata', GIVEN)} or "
                f"{parameter('inclusion', GIVEN)}"
            )
        if p < SURELY:
            people, corrected, bias = (replace(nothing, value=math.nan) for _ in range(3))
    if corrected.low is None and not math.isnan(corrected.value):
        notes.append(
            f"few answers carry what the judge is off by, so that rarer errors may weigh more: "
            f"{parameter('bounds', GIVEN)}, the lowest and the highest grade, would tell"
        )
    if graded.units is not None and (few := few_clusters(np.bincount(graded.units[graded.read]))):
        notes.append(few)
    return JudgedRow(name, n, labelled, _judge(graded, level), people, corrected, bias, slope, tuple(map(told, notes)))


def _units(answers: _Answers, rows: Integers) -> Integers | None:
    return None if answers.units is None else answers.units[rows]


def _judge(graded: Graded, level: float) -> Estimate:
    mean = graded.judge()
    low, high = mean.interval(level)
    known = math.isfinite(high - low)
    ends = (low if known else None, high if known else None)
    return Estimate(mean.value, ends[0], ends[1], level=level, method=mean.method, n=len(graded.judged))


def _drawn_at_random(graded: Graded) -> float:
    """The p of Kolmogorov and Smirnov's test that the judge's grades of what people graded are as those of the rest."""
    from scipy.stats import ks_2samp

    rest = np.delete(graded.judged, graded.read)
    return float(ks_2samp(graded.judged[graded.read], rest, method="asymp").pvalue)


def _differences(
    answers: _Answers,
    order: Sequence[str | None],
    sure: Sequence[str | None],
    against: str | None,
    adjust: str | None,
    level: float,
) -> tuple[JudgedDifference, ...]:
    """The difference of each model from one of them, on the items of both, unless one has no mean of its own."""
    names = [one for one in order if one is not None]
    if answers.id is None or len(names) < 2:
        if against is not None:
            raise InputError(
                f"{parameter('against', against)} needs several models, {parameter('model', GIVEN)}, and the item of "
                f"each answer, {parameter('id', GIVEN)}."
            )
        return ()
    if against is not None and str(against) not in names:
        raise unknown_name("model", str(against), names, place="the data")
    base = names[0] if against is None else str(against)
    found = [
        _difference(answers, name, base, level, told=name in sure and base in sure) for name in names if name != base
    ]
    if any(math.isnan(one.corrected.value) for one in found):
        answers.notes.append(
            f"a difference needs {FEWEST} items or more whose answers of both models people graded, drawn with the "
            "same chance: draw items, and have the answers of all models to them graded"
        )
    adjusted = adjust_p_values([one.p_value for one in found], method=adjust)
    return tuple(replace(one, p_adjusted=float(p)) for one, p in zip(found, adjusted, strict=True))


def _difference(answers: _Answers, model: str, base: str, level: float, *, told: bool) -> JudgedDifference:
    """Of one model from another, by the items that people graded for both, if these were drawn alike for both."""
    assert answers.id is not None
    rows = [answers.of(answers.names.index(one)) for one in (model, base)]
    items = [answers.id.codes[one] for one in rows]
    shared, a, b = np.intersect1d(items[0], items[1], return_indices=True)
    first, second = rows[0][a], rows[1][b]
    judged, people = (held[first] - held[second] for held in (answers.judged, answers.people))
    both, n = np.flatnonzero(~np.isnan(people)), len(shared)
    value = float(judged.mean()) if n else math.nan
    drawn = {role: one for role in ("strata", "inclusion") if (one := getattr(answers, role)) is not None}
    alike = all(_same(one, first[both], second[both]) for one in drawn.values())
    nothing = Estimate(math.nan, None, None, level=level, method=UNKNOWN, n=len(both))
    if len(both) < FEWEST or not alike or not told:
        return JudgedDifference(model, base, n, len(both), value, nothing)
    spread = None if answers.bounds is None else answers.bounds[1] - answers.bounds[0]
    of_both = replace(
        answers,
        judged=judged,
        people=people,
        units=_units(answers, first),
        bounds=None if spread is None else (-spread, spread),
        strata=_of_rows(answers.strata, first),
        inclusion=_of_rows(answers.inclusion, first),
    )
    try:
        graded = of_both.graded(np.arange(n))
    except InputError:  # these were drawn, but not for both
        return JudgedDifference(model, base, n, len(both), value, nothing)
    slope = graded.slope()
    corrected = graded.mean(level, slope=slope)
    p = math.nan if corrected.low is None else _p_value(graded, slope)
    return JudgedDifference(model, base, n, len(both), value, corrected, p)


def _p_value(graded: Graded, slope: float) -> float:
    """The two-sided p of a mean of 0: 1 less the highest level at which the interval leaves it out."""

    def leaves_out(size: float) -> bool:
        found = graded.mean(1 - 2 * size, slope=slope)
        return found.low is not None and found.high is not None and not found.low <= 0.0 <= found.high

    return min(2 * smallest_size(leaves_out, steps=STEPS), 1.0)


def _same(values: Any, first: Integers, second: Integers) -> bool:
    """Whether two sets of rows hold the same."""
    if isinstance(values, Mapping):
        return all(str(values.get(a)) == str(values.get(b)) for a, b in zip(first, second, strict=True))
    return all(str(a) == str(b) for a, b in zip(_of_rows(values, first), _of_rows(values, second), strict=True))
