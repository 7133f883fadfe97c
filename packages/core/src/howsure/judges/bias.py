"""`judge_bias`: whether a judge's grades depend on order, length, its own model family, or time."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from howsure.errors import ANY_VALUE, LIST_COLUMNS, InputError, parameter
from howsure.inputs.arguments import check_arguments
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import (
    check_bounds,
    check_level,
    check_scales,
    check_within,
    counted,
    unknown_name,
)
from howsure.inputs.pairs import Floats
from howsure.inputs.parameter_types import ArrayLike, Axes, IntoFrame
from howsure.judges.columns import LENGTHS, Columns
from howsure.judges.correction import UNKNOWN, Graded, undetermined_estimate
from howsure.notes import marked_note
from howsure.regression.moments import Regression, dependent, fitted, rough_intervals
from howsure.result import Estimate, Rows, as_json
from howsure.show.axes import checks_axes
from howsure.show.table import COUNT, ESTIMATE, FRAME, P_VALUE, WORDS, Column
from howsure.stats.clusters import few_clusters
from howsure.stats.mean_score import share_bounds

MIN_GRADES, MIN_UNITS = 40, 25  # minimum number of human-graded answers, and of clusters of them, for estimating a bias
MIN_PAIRED = 10  # minimum number of regraded answers, or clusters of them
SAME = 1e-9  # standard error, relative to the spread of grades, below which grades do not vary
MAX_GRADES = 20  # number of human grades up to which answers are compared within each grade
COVARIATES = {  # effects among answers with equal human grades
    "length": "for an answer twice as long",
    "prompt_length": "if the prompt is twice as long",
    "family": "for an answer of {own}",
}
PAIRED = {  # other grades of the judge for the same answer
    "swapped": ("order", "in the first place than in the second", "with the order of the answers"),
    "earlier": ("drift", "than earlier", "from the earlier ones"),
}


MAX_SAID = 2  # number of biases in the first line


def _capitalised(sentence: str) -> str:
    return f"{sentence[:1].upper()}{sentence[1:]}"


@dataclass(frozen=True, slots=True)
class BiasRow:
    """A bias of a judge, from n answers.

    estimate: NaN if there are too few answers. p_value: NaN for a proportion of changed grades. sentence: the meaning
    of the estimate.
    """

    bias: str
    n: int
    estimate: Estimate
    p_value: float
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class JudgeBias(Rows[BiasRow]):
    """The result of `judge_bias`: a row per bias.

    Iteration, indexing by the name of the bias and `len` refer to rows. recipe: everything needed to repeat it.
    """

    rows: tuple[BiasRow, ...] = as_json("biases")
    notes: tuple[str, ...] = ()
    recipe: Mapping[str, object]

    named = "bias"
    title = "Biases of the judge"
    suggested: ClassVar = {"report": "bias.html"}

    def columns(self) -> Sequence[Column]:
        """Each bias with its interval."""
        level = f"in brackets the {100 * self.rows[0].estimate.level:g}% interval"
        return [
            Column("bias", WORDS),
            Column("n", COUNT, legend="answers that show it"),
            Column("estimate", ESTIMATE, legend=level),
            Column("p_value", P_VALUE, "p", legend="of no bias"),
            Column("sentence", WORDS, only=FRAME),
        ]

    @property
    def answer(self) -> str:
        """Return the first two detected biases, and those not detected; for a single bias, its meaning."""
        if len(self.rows) == 1:
            return _capitalised(self.rows[0].sentence)
        alpha = 1 - self.rows[0].estimate.level
        tested = [row for row in self.rows if not math.isnan(row.p_value)]
        detected = [row for row in tested if row.p_value <= alpha]
        parts = [_capitalised(row.sentence) for row in detected[:MAX_SAID]]
        others = {"Also detected": detected[MAX_SAID:], "Not detected": [row for row in tested if row.p_value > alpha]}
        parts += [f"{kind}: {', '.join(map(_name_in_words, rows))}." for kind, rows in others.items() if rows]
        return " ".join(parts) or "No bias could be tested."

    def footnotes(self) -> Sequence[str]:
        """A sentence on the meaning of each row, and the notes."""
        return [*(f"{row.bias}: {row.sentence}" for row in self.rows), *self.notes]

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the change of a grade due to each bias, on matplotlib axes (new ones if None)."""
        from howsure.figures.judges import draw_biases

        return draw_biases(self, ax=ax)


def judge_bias(
    score: ArrayLike | str,
    *,
    y_true: ArrayLike | str | None = None,
    swapped: ArrayLike | str | None = None,
    earlier: ArrayLike | str | None = None,
    length: ArrayLike | str | None = None,
    prompt_length: ArrayLike | str | None = None,
    family: ArrayLike | str | None = None,
    own: str | None = None,
    strata: ArrayLike | str | None = None,
    inclusion: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    bounds: tuple[float, float] | None = None,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> JudgeBias:
    """Estimate biases of a judge: order of the answers, length, preference for its own model family, and drift over
    time.

    Returns a row for each bias whose columns are given, with an interval and a sentence.

    score (n,): the judge's grade of each answer; for pairs of answers, whether it prefers the one that it saw first.
    y_true (n,): the human grade, missing for answers without one; required for lengths and families.
    swapped (n,): the judge's grade of the same answer when shown second.
    earlier (n,): the grade of the same answer by the judge at an earlier date, or by an earlier version of it.
    length (n,): the length of each answer, such as its words.
    prompt_length (n,): the length of each prompt.
    family (n,): the family of models that wrote each answer.
    own: the family of the judge.
    strata (n,): strata within which answers were drawn at random for human grading.
    inclusion (n,): the probability with which an answer was drawn for human grading.
    clusters (n,): the cluster of each answer, such as its item; answers of a cluster may be correlated.
    pos_label: the grade that counts as 1, every other as 0.
    bounds: the lowest and the highest grade; those of grades that are all 0 or 1 are known.
    level: level of the intervals.

    Order and drift are measured by the proportion of grades that change and by the mean of score minus the other grade.
    Their intervals are Gaffke's for grades of 0 and 1 and if few grades change, otherwise Student's. For grades of 0
    and 1 without clusters, p comes from McNemar's exact test. The effects of length and family are coefficients of one
    regression of the judge's grade on log2 length and an indicator of its own family, among answers with the same human
    grade (with more than 20 human grades, the regression includes these and their squares). Each effect holds the
    others fixed. Standard errors are CR2, by clusters; intervals use Student's t with Satterthwaite's degrees of
    freedom. Human grades count as true. If they are coarse and long answers are better, an effect of length may be a
    real difference.

    Sources: Zheng et al. (2023); McNemar (1947); Gaffke (2005); Bell & McCaffrey (2002), Pustejovsky & Tipton (2018).

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> good, words = rng.integers(1, 6, 400), rng.integers(50, 400, 400)
    >>> judge = good + rng.normal(0, 0.5, 400) + 0.3 * np.log2(words / 100)  # likes long answers
    >>> print(judge_bias(judge, y_true=good, length=words)["length"].sentence)
    among answers with the same human grade, the judge's grade is 0.3128 higher for an answer twice as long.

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    check_arguments(judge_bias, locals())
    level = check_level(level)
    roles = {"score": score, "y_true": y_true, "swapped": swapped, "earlier": earlier, "length": length}
    roles |= {"prompt_length": prompt_length, "family": family, "strata": strata, "inclusion": inclusion}
    covariates = [role for role in COVARIATES if roles[role] is not None]
    if not covariates and swapped is earlier is None:
        parameter_names = ", ".join(parameter(role, ANY_VALUE) for role in (*PAIRED, *COVARIATES))
        raise InputError(f"grades alone do not show a bias. Give one of {parameter_names} too.{LIST_COLUMNS}")
    if covariates and y_true is None:
        raise InputError(f"{parameter(covariates[0], ANY_VALUE)} needs `y_true=...`, human grades.{LIST_COLUMNS}")
    if (family is None) != (own is None):
        raise InputError("`family=...` and `own=...` (the judge's family) must be given together.")
    answers = Columns.read(roles | {"clusters": clusters}, data, pos_label=pos_label)
    check_scales({str(score): answers.numbers["score"]}, answers.rows.provenance.get("percentages", ()), bounds)
    with answers.rows.locating_errors():
        rows = [row for role in PAIRED if role in answers.numbers for row in _paired(answers, role, bounds, level)]
        rows += _covariates(answers, covariates, own, level) if covariates else []
    bounded = all(row.estimate.method == "Gaffke" for row in rows)
    if answers.units is not None and (few := few_clusters(np.bincount(answers.units), bounded=bounded)):
        answers.notes.append(few)
    recipe = answers.recipe | {"own": own, "pos_label": pos_label, "bounds": bounds, "level": level}
    return JudgeBias(rows=tuple(rows), notes=tuple(answers.notes), recipe=recipe)


def _paired(columns: Columns, role: str, bounds: tuple[float, float] | None, level: float) -> list[BiasRow]:
    """Return two rows that compare grades of the same answers by the judge and by the column `role`: the proportion of
    grades that differ, and the mean difference."""
    name, than, how = PAIRED[role]
    rows = np.flatnonzero(~np.isnan(columns.numbers[role]))
    f, other = columns.numbers["score"][rows], columns.numbers[role][rows]
    shares, n = share_bounds(f, other), len(rows)
    ends = shares if bounds is None else check_bounds(bounds)
    if ends is not None:
        for grade_role in ("score", role):
            check_within(columns.numbers[grade_role], ends, name=grade_role)
    units = columns.select_units(rows)
    changes, shift = (f"{name}: {quantity}" for quantity in ("changes", "shift"))
    if (n if units is None else len(np.unique(units))) < MIN_PAIRED:
        return [_untold(label, n, level) for label in (changes, shift)]
    flipped = Graded(
        np.zeros(n), np.arange(n), (f != other) * 1.0, np.ones(n), np.zeros(n, dtype=np.int64), units, (0.0, 1.0)
    )
    share = flipped.mean(level, slope=0.0)
    moved = replace(flipped, grades=f - other, bounds=None if shares is None else (-1.0, 1.0))
    if (estimate := moved.mean(level, slope=0.0)).low is None and ends is not None:  # few grades cause the shift
        moved = replace(moved, bounds=(ends[0] - ends[1], ends[1] - ends[0]))
        estimate = moved.mean(level, slope=0.0)
    p = math.nan if estimate.low is None else moved.p_value(0.0)
    sentence = marked_note(f"the judge grades the same answer {_more(estimate)} {than}{_doubt(estimate)}.")
    of = f"{share.value:.1%} of {counted(n, 'grade')} differ {how}."
    return [BiasRow(changes, n, share, math.nan, of), BiasRow(shift, n, estimate, p, sentence)]


def _covariates(answers: Columns, covariates: Sequence[str], own_family: str | None, level: float) -> list[BiasRow]:
    """Return the effects of covariates on the judge's grade, among answers with equal human grades."""
    f, y = answers.numbers["score"], answers.numbers["y_true"]
    if np.isnan(y).all():
        raise InputError("`y_true` is empty in every row. Have some answers graded by humans.")
    columns = np.stack([_column(answers, role, own_family) for role in covariates], axis=1)
    graded = answers.graded(np.arange(answers.n), f, y, None)
    of, n = graded.labelled, len(graded.labelled)
    units = None if answers.units is None else np.unique(answers.units[of], return_inverse=True)[1]
    if n < MIN_GRADES + len(covariates) or (units is not None and units.max() + 1 < MIN_UNITS):
        return [_untold(role, n, level) for role in covariates]
    grades, code = np.unique(y[of], return_inverse=True)
    few_grades = len(grades) <= MAX_GRADES
    standardised = (y[of] - y[of].mean()) / max(float(y[of].std()), 1e-300)
    nuisance = np.empty((n, 0)) if few_grades else np.stack([np.ones(n), standardised, standardised**2], axis=1)
    weight = graded.weight / graded.weight.mean()
    regression = Regression(columns[of], nuisance, weight, code if few_grades else None, units, logit=False)
    design = np.hstack([regression.within(nuisance), regression.within(columns[of])])
    lengths = np.linalg.norm(np.hstack([nuisance, columns[of]]), axis=0)
    if (dependent_column := dependent(design, lengths)) is not None and dependent_column >= nuisance.shape[1]:
        role = covariates[dependent_column - nuisance.shape[1]]
        raise InputError(
            f"{parameter(role)} does not vary among answers with the same human grade, or is determined by the other "
            "columns. Leave it out."
        )
    fit = fitted(regression, f[of])
    assert fit is not None
    if not fit.errors[fit.has_error].min(initial=np.inf) > SAME * np.ptp(f):
        return [_untold(role, n, level, "the human grades determine the judge's completely") for role in covariates]
    with_error = np.flatnonzero(fit.has_error).tolist()
    what = "answers" if units is None else "clusters"
    answers.notes.extend(rough_intervals([covariates[place] for place in with_error], fit.degrees[with_error], what))
    made = []
    for place, role in enumerate(covariates):
        if not fit.has_error[place]:
            made.append(_untold(role, n, level, f"a single {'answer' if units is None else 'cluster'} determines it"))
            continue
        estimate, _, p = fit.estimate(place, level=level, method="Student", n=n)
        sentence = (
            f"among answers with the same human grade, the judge's grade is {_more(estimate)} "
            f"{COVARIATES[role].format(own=own_family)}"
        )
        made.append(BiasRow(role.replace("_", " "), n, estimate, p, marked_note(f"{sentence}{_doubt(estimate)}.")))
    return made


def _column(columns: Columns, role: str, own_family: str | None) -> Floats:
    """The covariate of a role: log2 of the lengths, or 1 for answers of the judge's own family and 0 for others."""
    if role in LENGTHS:
        values = columns.numbers[role]
        if not (values > 0.0).all():
            row = int((values <= 0.0).argmax())
            raise InputError(
                f"{parameter(role)} must be positive; `row {row}` is {values[row]:g}. Leave out empty answers."
            )
        return np.asarray(np.log2(values))
    if own_family not in columns.names(role):
        raise unknown_name("family", str(own_family), columns.names(role), place="the data")
    return np.asarray(columns.codes(role) == columns.names(role).index(own_family), dtype=np.float64)


def _untold(bias: str, n: int, level: float, why: str = "too few answers, or clusters of them, show it") -> BiasRow:
    return BiasRow(bias.replace("_", " "), n, undetermined_estimate(level, n), math.nan, f"{UNKNOWN}: {why}.")


def _name_in_words(row: BiasRow) -> str:
    """The name of a bias; of the two of other grades, such as "order: shift", with the quantity in brackets."""
    bias, _, quantity = row.bias.partition(": ")
    return f"{bias} ({quantity})" if quantity else bias


def _more(estimate: Estimate) -> str:
    return f"{abs(estimate.value):.4f} {'lower' if estimate.value < 0.0 else 'higher'}"


def _doubt(estimate: Estimate) -> str:
    """Return a clause that qualifies an estimate if its interval contains 0 or is missing."""
    if estimate.low is None or estimate.high is None:
        return ", based on few answers: rarer errors may change this, and `bounds=...` would settle it"
    return ", which may be chance" if estimate.low <= 0.0 <= estimate.high else ""
