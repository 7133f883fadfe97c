"""`correct_judge_scores`: the mean human grade, estimated from a judge's grades of all answers and human grades of a
sample."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from howsure.counts.annotation_errors import DoubleLabels, ErrorRates, read_double_labels
from howsure.counts.notes import note_text
from howsure.counts.results import ReadingErrors
from howsure.errors import InputError, parameter
from howsure.inputs.arguments import check_arguments
from howsure.inputs.checks import Coded
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_level, counted, highest_first, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.judges.columns import Columns, needed
from howsure.judges.correction import MIN_GRADES, Graded, undetermined_estimate
from howsure.judges.results import JudgedDifference, JudgedRow, JudgedScores
from howsure.notes import marked_note
from howsure.result import Estimate
from howsure.stats.clusters import few_clusters
from howsure.stats.mean_score import STUDENT_NOTE, Bounds
from howsure.stats.p_values import adjust_p_values, kolmogorov_smirnov

SURELY, PROBABLY = 1e-6, 1e-3  # if the p-value of "drawn at random" is lower, there is no estimate, or a note
DISPLAYED = 1e-4  # smallest displayed difference of two means
OF = {"score": "the judge", "y_true": "people"}


def correct_judge_scores(
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
    second: ArrayLike | str | None = None,
    settled: ArrayLike | str | None = None,
    flips: Literal["alike"] | None = None,
    bounds: tuple[float, float] | None = None,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> JudgedScores:
    """Estimate the mean human grade of each model from a judge's grades of all answers and human grades of a few.

    Returns a row per model. The mean human grade is estimated from the judge's grades f of all answers, corrected by
    their errors on the answers with human grades y: θ = λ · mean f + Σ w (y - λ f) / Σ w, with the λ that minimises the
    variance. If the judge makes mistakes or uses the scale differently, the interval is wider, but the estimate is not
    biased, provided that the human-graded answers were drawn at random or with known probabilities. Models are
    compared on answers to the same items; the p-values are adjusted (Holm).

    y_true (n,): the human grade, missing for answers without one.
    score (n,): the judge's grade of each answer: 0 and 1, grades from 1 to 5, any numbers.
    model (n,): the model of each answer.
    id (n,): the item of each answer, on which models are compared.
    against: the model that the others are compared with (default: the best model).
    strata (n,): strata within which answers were drawn at random for human grading.
    inclusion (n,): the probability with which an answer was drawn for human grading.
    clusters (n,): the cluster of each item, such as its document; items of a cluster may be correlated.
    pos_label: the grade that counts as 1, every other as 0.
    second (n,): independent grades (0 or 1) by a second annotator for some graded answers, chosen at random.
    settled (n,): the grade that settles a disagreement of the two annotators.
    flips: "alike" assumes that annotators mistake 0 for 1 as often as 1 for 0.
    bounds: the lowest and the highest possible human grade; known as (0, 1) if all human grades are 0 or 1 and all of
        the judge's grades are between 0 and 1.
    level: level of the intervals.

    Intervals refer to the mean over the population from which the answers were drawn. They combine the interval of the
    mean of y - λ f over the graded answers, Gaffke's if grades have bounds, else Student's, with that of the mean of λ
    f over all answers: if a and b are the distances from the two means to their ends, θ ∓ √(a² + b²). Without bounds
    there is no interval if only a few answers account for the judge's errors, for example if the judge is nearly always
    right; then give `bounds`.

    Human annotators make mistakes, too. With a `second` grade, estimates and intervals refer to the true grades,
    provided that annotators make errors independently and at the same rates α (0 as 1) and β (1 as 0) for all models. A
    mean becomes (mean - α) / (1 - α - β), a difference is divided by 1 - α - β, and its p is unchanged. Without
    `settled` or flips="alike", the intervals allow for errors in either direction.

    Sources: Angelopoulos, Duchi & Zrnic (2023), PPI++; Särndal, Swensson & Wretman (1992); Gaffke (2005); Zou & Donner
    (2008).

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = (rng.random(2000) < 0.6) * 1.0  # of which people graded 100
    >>> judge = np.where(rng.random(2000) < 0.9, truth, 1.0)  # too generous
    >>> people = np.where(np.isin(np.arange(2000), rng.choice(2000, 100, replace=False)), truth, np.nan)
    >>> row = correct_judge_scores(people, judge).rows[0]
    >>> print(row.judge, row.corrected, row.worth, sep="; ")
    0.6395 [0.6180, 0.6606]; 0.5984 [0.5364, 0.6509]; 310

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    return correct_grades(**check_arguments(correct_judge_scores, locals()))


def correct_grades(
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
    second: ArrayLike | str | None = None,
    settled: ArrayLike | str | None = None,
    flips: Literal["alike"] | None = None,
    bounds: tuple[float, float] | None = None,
    adjust: Literal["holm", "bh"] | None = "holm",
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> JudgedScores:
    """The mean human grade of each model, from a judge's grades of all answers and human grades of a few.

    The implementation of `correct_judge_scores`, whose docstring explains the parameters, and of `howsure judge`.
    """
    level = check_level(level)
    adjust_p_values([], method=adjust)
    roles = {"score": score, "y_true": y_true, "model": model, "id": id, "strata": strata, "inclusion": inclusion}
    for role in OF:
        if roles[role] is None:
            raise needed(role, f"the grades of {OF[role]}")
    twice = {"second": second, "settled": settled}
    answers = Columns.read(roles | {"clusters": clusters} | twice, data, pos_label=pos_label)
    with answers.rows.locating_errors():
        column_name = "y_true" if data is None else str(y_true)
        if np.isnan(answers.numbers["y_true"]).all():
            raise InputError(f"{column_name} is empty in every row. Have some answers graded by humans.")
        ends = answers.bounds(bounds, column_name)
        readings = _read_twice(answers, flips)
        if id is not None:
            answers.check_once(["model"], "model")
        elif len(answers.names("model")) > 1:
            need = "differences of models need the item of each answer. Give it as `id=...`"
            answers.notes.append(marked_note(need))
        made = _rows(answers, ends, level)
        rows = sorted(made, key=lambda row: highest_first(row.corrected.value, row.model))
        estimated_models = [row.model for row in rows if not math.isnan(row.corrected.value)]
        differences = _differences(answers, ends, [row.model for row in rows], estimated_models, against, adjust, level)
    base = differences[0].against if differences else None
    if ends is None and any(row.corrected.low is not None for row in rows):
        answers.notes.append(STUDENT_NOTE)
    errors = None
    if readings is not None:
        rows, differences, errors = _with_errors(rows, differences, readings, level)
        answers.notes.extend(note_text(note) for note in readings.notes)
    answers.notes.extend(_own_corrections_notes(rows, differences))
    of = {"against": base, "pos_label": pos_label, "bounds": ends, "adjust": adjust, "level": level}
    recipe = answers.recipe | of | ({} if flips is None else {"flips": flips})
    notes = tuple(answers.notes)
    return JudgedScores(rows=tuple(rows), differences=differences, notes=notes, readings=errors, recipe=recipe)


def _read_twice(answers: Columns, flips: str | None) -> DoubleLabels | None:
    """Return the labels of answers that were graded twice, from which error rates of the human grades are estimated."""
    second = answers.numbers.get("second")
    for role in ("y_true", "second", "settled") if second is not None else ():
        grades = answers.numbers.get(role, np.zeros(0))
        other = np.flatnonzero(~np.isnan(grades) & (grades != 0.0) & (grades != 1.0))
        if len(other):
            raise InputError(
                f"`second=...` estimates how often humans mislabel 0 and 1; `row {other[0]}` of {parameter(role)} is "
                f"{grades[other[0]]:g}. For other grades, have every answer graded by two people, and give their mean "
                "as `y_true`; or choose the grade that counts as 1: `pos_label=...`."
            )
    return read_double_labels(answers.numbers["y_true"], second, answers.numbers.get("settled"), flips, n=answers.n)


def _with_errors(
    rows: Sequence[JudgedRow], differences: Sequence[JudgedDifference], readings: DoubleLabels, level: float
) -> tuple[list[JudgedRow], tuple[JudgedDifference, ...], ReadingErrors]:
    """Convert estimates for observed human grades to estimates for true grades."""
    errors = ErrorRates.of(readings, level, np.random.default_rng(0))

    def of(estimate: Estimate, *, from_judge: float | None = None, of_difference: bool = False) -> Estimate:
        if estimate.low is None or estimate.high is None:
            return undetermined_estimate(level, estimate.n)
        value, low, high = estimate.value, estimate.low, estimate.high
        if from_judge is None:
            value, low, high = errors.ends(value, low, high, of_difference=of_difference)
        else:  # mean of the judge minus mean of people
            value, high, low = (
                from_judge - limit for limit in errors.ends(*(from_judge - end for end in (value, high, low)))
            )
        return replace(estimate, value=value, low=low, high=high)

    made, wider = [], [math.nan]
    for row in rows:
        judge = row.bias.value + row.people.value  # codes of the answers that people graded
        corrected = of(row.corrected)
        made.append(replace(row, people=of(row.people), corrected=corrected, bias=of(row.bias, from_judge=judge)))
        if row.corrected.width and corrected.width is not None:
            wider.append(corrected.width / row.corrected.width)
    true_differences = (
        replace(difference, corrected=of(difference.corrected, of_difference=True)) for difference in differences
    )
    return made, tuple(true_differences), errors.summary(float(np.fmax.reduce(wider)))


def _rows(answers: Columns, bounds: Bounds | None, level: float) -> list[JudgedRow]:
    """Return a row per model, or why its sample is insufficient. Raises InputError if all samples are."""
    rows, refused = list[JudgedRow](), list[InputError]()
    for model, model_rows in answers.rows_by_name("model").items():
        name = model if "model" in answers.coded else None
        judged, people = (answers.numbers[role][model_rows] for role in OF)
        labelled = int((~np.isnan(people)).sum())
        try:
            if labelled < MIN_GRADES:
                few = f"humans graded {counted(labelled, 'answer')}, fewer than {MIN_GRADES}"
                why = f"{few}: the judge's error is unknown"
            else:
                rows.append(_row(answers, name, answers.graded(model_rows, judged, people, bounds), level))
                continue
        except InputError as error:
            if not error.untold:
                raise
            refused.append(error)
            why = marked_note(error.template)
        rows.append(_row_without_correction(name, labelled, judged, answers.select_units(model_rows), level, why))
    if len(refused) == len(rows):
        raise refused[0]
    return rows


def _row_without_correction(
    name: str | None, labelled: int, judged: Floats, units: Integers | None, level: float, why: str
) -> JudgedRow:
    """The row of a model for which only the judge's grades are informative."""
    nothing, none = undetermined_estimate(level, labelled), np.zeros(0, dtype=np.int64)
    judge = Graded(judged, none, np.zeros(0), np.zeros(0), none, units).judge(level)
    return JudgedRow(name, len(judged), labelled, judge, nothing, nothing, nothing, math.nan, (why,))


def _row(answers: Columns, name: str | None, graded: Graded, level: float) -> JudgedRow:
    n, labelled, notes = len(graded.judged), len(graded.labelled), list[str]()
    slope = graded.slope()
    people, corrected = (graded.mean(level, slope=coefficient) for coefficient in (0.0, slope))
    bias = graded.bias(level)
    if not graded.judged.min() < graded.judged.max():
        notes.append("the judge gives every answer the same grade, so the judge's grades are uninformative")
    elif not answers.drawn and graded.units is None and labelled < n:
        p = kolmogorov_smirnov(graded.judged[graded.labelled], np.delete(graded.judged, graded.labelled))
        if p < PROBABLY:
            notes.append(
                marked_note(
                    f"the judge's grades of human-graded answers differ from those of the rest (p {p:.1g}). If the "
                    "answers were not drawn at random, give `strata=...` or `inclusion=...`"
                )
            )
        if p < SURELY:
            people = corrected = bias = undetermined_estimate(level, labelled)
    if corrected.low is None and not math.isnan(corrected.value):
        notes.append(
            marked_note(
                graded.lacking
                or "the correction is based on few answers, so rarer errors may change it. Give the lowest and the "
                "highest grade, `bounds=...`, for a valid interval"
            )
        )
    bounded = graded.bounds is not None
    if graded.units is not None and (few := few_clusters(np.bincount(graded.units[graded.labelled]), bounded=bounded)):
        notes.append(few)
    judge = graded.judge(level)
    worth = round(labelled * (people.width / corrected.width) ** 2) if people.width and corrected.width else None
    return JudgedRow(name, n, labelled, judge, people, corrected, bias, slope, tuple(notes), worth)


def _differences(
    answers: Columns,
    bounds: Bounds | None,
    order: Sequence[str | None],
    estimated_models: Sequence[str | None],
    against: str | None,
    adjust: str | None,
    level: float,
) -> tuple[JudgedDifference, ...]:
    """The difference of each model from a reference model on shared items; models without a mean are left out."""
    names = [model for model in order if model is not None]
    if "id" not in answers.coded or len(names) < 2:
        if against is not None:
            raise InputError(
                f"{parameter('against', against)} needs several models, `model=...`, and the item of each answer, "
                "`id=...`."
            )
        return ()
    if against is not None and str(against) not in names:
        raise unknown_name("model", str(against), names, place="the data")
    base = names[0] if against is None else str(against)
    spread = None if bounds is None else (bounds[0] - bounds[1], bounds[1] - bounds[0])
    rows_by_model = answers.rows_by_name("model")
    differences = [
        _difference(
            answers,
            rows_by_model,
            name,
            base,
            spread,
            level,
            both_estimated=name in estimated_models and base in estimated_models,
        )
        for name in names
        if name != base
    ]
    if any(math.isnan(difference.corrected.value) for difference in differences):
        answers.notes.append(
            f"a difference needs {MIN_GRADES} items or more with human grades for the answers of both models, drawn "
            "with the same probability. Draw items, and have the answers of all models to these items graded"
        )
    adjusted = adjust_p_values([difference.p_value for difference in differences], method=adjust)
    return tuple(replace(difference, p_adjusted=float(p)) for difference, p in zip(differences, adjusted, strict=True))


def _difference(
    answers: Columns,
    rows_by_model: Mapping[str, Integers],
    model: str,
    base: str,
    bounds: Bounds | None,
    level: float,
    *,
    both_estimated: bool,
) -> JudgedDifference:
    """Return the difference of two models from items with human grades of both, if drawn in the same way."""
    rows, other_rows = rows_by_model[model], rows_by_model[base]
    items = answers.coded["id"].codes
    shared, a, b = np.intersect1d(items[rows], items[other_rows], assume_unique=True, return_indices=True)
    first, second = rows[a], other_rows[b]
    judged, people = (answers.numbers[role][first] - answers.numbers[role][second] for role in OF)
    both, n = np.flatnonzero(~np.isnan(people)), len(shared)
    value = float(judged.mean()) if n else math.nan
    same_design = all(_are_equal_rows(column, first[both], second[both]) for column in answers.drawn.values())
    nothing = JudgedDifference(model, base, n, len(both), value, undetermined_estimate(level, len(both)))
    if len(both) < MIN_GRADES or not same_design or not both_estimated:
        return nothing
    try:
        graded = answers.graded(first, judged, people, bounds)
    except InputError:  # drawn, but not for both models
        return nothing
    slope = graded.slope()
    corrected = graded.mean(level, slope=slope)
    p = math.nan if corrected.low is None else graded.p_value(slope)
    return JudgedDifference(model, base, n, len(both), value, corrected, p)


def _own_corrections_notes(rows: Sequence[JudgedRow], differences: Sequence[JudgedDifference]) -> list[str]:
    """A note if a difference is not the difference of the displayed corrected means."""
    means = {row.model: row.corrected.value for row in rows}
    gaps = (row.corrected.value - (means[row.model] - means[row.against]) for row in differences)
    if not any(abs(gap) > DISPLAYED for gap in gaps):
        return []
    return ["Each difference has its own correction, so it is not exactly the difference of the corrected means."]


def _are_equal_rows(values: Any, first: Integers, second: Integers) -> bool:
    """Whether two sets of rows have equal values."""
    if isinstance(values, Mapping):
        return all(str(values.get(a)) == str(values.get(b)) for a, b in zip(first, second, strict=True))
    keys = values.codes if isinstance(values, Coded) else np.asarray(values)
    return bool((keys[first].astype(str) == keys[second].astype(str)).all())
