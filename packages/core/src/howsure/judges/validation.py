"""`validate_judge`: does a judge agree with human labels often enough to replace them?"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import shorten
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from howsure.data.sources import Files
from howsure.errors import InputError
from howsure.inputs.arguments import check_arguments
from howsure.inputs.checks import Coded, is_missing
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_level, check_number, counted, is_number, parse_number, shortened
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.judges.agreement import cohens_kappa
from howsure.judges.columns import Columns, distinct_values, needed
from howsure.judges.correct_judge_scores import correct_judge_scores
from howsure.judges.correction import undetermined_estimate
from howsure.notes import DETAIL, Note, marked_note
from howsure.result import Estimate, Result, Rows, as_json
from howsure.show.axes import checks_axes
from howsure.show.table import COUNT, ESTIMATE, FRAME, WORDS, Column, digits
from howsure.stats.clusters import ItemGroups
from howsure.stats.mean_score import MeanScore, mean_score

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

VALID, INVALID, UNDECIDED = "valid", "invalid", "cannot tell"
MIN_TEXTS, MAX_LABELS = 3, 20
MAX_LETTERS = 40  # of a label
MAX_COLUMNS = 5  # maximum number of labels in a printed confusion matrix
UNIT = (0.0, 1.0)  # an answer's agreement is 0 or 1
RATES = {"1": "TPR", "0": "TNR"}


@dataclass(frozen=True, slots=True)
class JudgeValidationRow:
    """The answers with one human label.

    n: the number of these answers. right: the number to which the judge gave the same label. judged: how often the
    judge gave each label to these answers. rate: right / n, the TPR of label 1 and the TNR of label 0. low: the
    one-sided lower bound of the rate. verdict: "valid" if low reaches the required rate, "invalid" if the upper bound
    is below it, else "cannot tell".
    """

    label: str
    n: int
    right: int
    judged: Mapping[str, int]
    rate: Estimate
    low: float | None
    verdict: str


@dataclass(frozen=True, slots=True)
class JudgeDisagreement:
    """An answer with different labels by judge and humans.

    file, row: its file and its row, counted from 1. judge, people: the labels. shown: the requested columns.
    """

    file: str | None
    row: int
    judge: str
    people: str
    shown: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class JudgeDisagreements(Rows[JudgeDisagreement]):
    """The answers with different labels by judge and humans, in the order of the data."""

    rows: tuple[JudgeDisagreement, ...]
    recipe: Mapping[str, object]

    named = ""
    title = "Disagreements of judge and people"

    @property
    def input_line(self) -> str:
        """The title."""
        return self.title

    @property
    def answer(self) -> str:
        """The number of disagreements."""
        return f"Judge and people disagree on {counted(len(self.rows), 'answer')}."

    def columns(self) -> Sequence[Column]:
        """Return columns with the location of each answer, both labels, and the requested columns."""
        names = self.rows[0].shown if self.rows else {}
        several = len({row.file for row in self.rows}) > 1
        return [
            Column("file", WORDS, only="" if several else FRAME),
            Column("row", COUNT),
            Column("judge", WORDS),
            Column("people", WORDS),
            *(Column(name, WORDS, values=[row.shown[name] for row in self.rows]) for name in names),
        ]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class JudgeValidation(Rows[JudgeValidationRow]):
    """The result of `validate_judge`: a row for each possible human label.

    outcome: "valid" if all rows are, "invalid" if one row is, else "cannot tell". labels_needed: the number of labelled
    answers, including the present ones, that would probably lead to a verdict; None if there is a verdict or if too
    many would be needed. corrected: the estimated mean human label of all answers. judge: the mean label of the judge;
    both are None if labels are texts. kappa: Cohen's κ of judge and humans. disagreements: the answers with different
    labels. recipe: everything needed to repeat it. in_words: the names of labels 0 and 1 in the data, if `pos_label`
    named label 1. how_to_list: how the disagreements are listed, if they are not.
    """

    rows: tuple[JudgeValidationRow, ...] = as_json("labels")
    outcome: str
    labels_needed: int | None
    n: int
    labelled: int
    judge: float | None
    corrected: Estimate | None
    kappa: Estimate
    disagreements: tuple[JudgeDisagreement, ...]
    notes: tuple[str, ...] = ()
    recipe: Mapping[str, object]
    in_words: Mapping[str, str] = as_json(None, default_factory=dict, repr=False)
    how_to_list: str = as_json(None, default="", repr=False)

    named = "label"
    title = "Judge against people"
    suggested: ClassVar = {"report": "validation.html"}

    def columns(self) -> Sequence[Column]:
        """The confusion matrix, and the judge's rate for each label."""
        level = f"{100 * self.rows[0].rate.level:g}%"
        names = list(self.rows[0].judged)
        return [
            Column("label", WORDS, "people say", values=[self._label_words(row.label) for row in self.rows]),
            *(
                Column(
                    "judge_" + re.sub(r"\W", "_", name),
                    COUNT,
                    f"judge: {self._label_words(name)}",
                    values=[row.judged[name] for row in self.rows],
                    detail=True,
                )
                for name in (names if len(names) <= 5 else [])
            ),
            Column("n", COUNT, legend="answers with this human label"),
            Column("right", COUNT, only=FRAME),
            Column("rate", ESTIMATE, "judge agrees", legend=f"in brackets the {level} interval"),
            Column(
                "low",
                digits(4),
                "at least",
                legend=f"one-sided {level} bound, compared with the required rate",
                answer=True,
            ),
            Column("verdict", WORDS),
        ]

    @property
    def is_binary(self) -> bool:
        """Whether labels are 0 and 1, so that the rates are TNR and TPR."""
        return {row.label for row in self.rows} == set(RATES)

    def _label_words(self, label: str) -> str:
        """The label that counts as 1, if `pos_label` named it; without the end of a long text."""
        return shorten(self.in_words.get(label, label), MAX_LETTERS, placeholder="…")

    def rate_name(self, name: str) -> str:
        """The name of the rate of a label: TPR or TNR, or the label."""
        return RATES[name] if self.is_binary else self._label_words(name)

    def _means_words(self, judge: float) -> str:
        """The mean label of judge and people, in words."""
        if self.is_binary:
            label = self._label_words("1")
            share = f"{self.corrected} of all {self.n:,} answers"
            return f"People would give {share} the label {label}; the judge, {judge:.4f}."
        return f"People would give {self.corrected} on average; the judge gives {judge:.4f}."

    @property
    def answer(self) -> str:
        """Return the verdict, and the rates on which it is based."""
        bar = f"{self.recipe['min_rate']:g}"
        separator = " " if self.is_binary else ": "
        rates = ", ".join(
            f"{self.rate_name(row.label)}{separator}{row.rate}"
            for row in reversed(self.rows)
            if row.n or self.is_binary
        )
        if self.outcome == VALID:
            return f"The judge is valid: it agrees with people in at least {bar} of answers of each label ({rates})."
        if self.outcome == INVALID:
            of_invalid = {self._label_words(row.label): row.rate for row in self.rows if row.verdict == INVALID}
            which = f"The judge is invalid: it agrees in less than {bar} of answers that people label"
            if self.is_binary:
                return f"{which} {shortened(of_invalid)} ({rates})."
            return f"{which} {shortened([f'{label} ({rate})' for label, rate in of_invalid.items()])}."
        in_all = self.labels_needed
        more = "" if in_all is None else f" About {in_all:,} labelled answers in all would decide it."
        return f"Cannot tell whether the judge agrees with people in {bar} of answers of each label ({rates}).{more}"

    def further_tables(self) -> Sequence[Result]:
        """The disagreements, if columns of them are to be shown."""
        rows = self.disagreements
        return [JudgeDisagreements(rows=rows, recipe=self.recipe)] if rows and self.recipe["show"] else []

    def csv_result(self) -> Result:
        """The rates."""
        return self

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the rate of each label with its interval and bound, next to the required rate."""
        from howsure.figures.judges import draw_validation

        return draw_validation(self, ax=ax)

    def figure(self) -> Figure:
        """The same as a figure."""
        from howsure.figures.style import parent_figure

        return parent_figure(self.plot())

    def footnotes(self) -> Sequence[str]:
        """The corrected mean, κ, where the disagreements are, how verdicts are made, and the notes."""
        bounds = (
            f"A judge is valid if all bounds (at least) reach {self.recipe['min_rate']:g}: a judge that is not good "
            f"enough is called valid in at most {1 - self.rows[0].rate.level:.2g} of cases."
        )
        return [
            *self.notes,
            *([] if self.judge is None else [self._means_words(self.judge)]),
            f"Cohen's κ of judge and people is {self.kappa}; {len(self.disagreements):,} of {self.labelled:,} "
            f"labels differ.{self.how_to_list}",
            Note(bounds, DETAIL),
        ]


def validate_judge(
    y_true: ArrayLike | Mapping[int, object] | str,
    score: ArrayLike | str,
    *,
    min_rate: float = 0.8,
    clusters: ArrayLike | str | None = None,
    pos_label: Hashable = None,
    show: Sequence[str] = (),
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> JudgeValidation:
    """Test whether a judge agrees with human labels: TPR, TNR, κ, the corrected mean, and a verdict.

    The judge is "valid" if, for each human label, it gives the same label at a rate of at least `min_rate`. This rate
    is the TPR for label 1 and the TNR for label 0.

    y_true (n,): the human label, missing for answers without one: a number, or one of 3 to 20 texts.
    score (n,): the judge's label of each answer.
    min_rate: the rate of agreement that each label must reach.
    clusters (n,): the cluster of each answer, such as its conversation; answers of a cluster may be correlated.
    pos_label: the label that counts as 1, every other as 0.
    show: columns to list for each disagreement, such as question,answer.
    level: level of the intervals and of the one-sided bounds.

    The human-labelled answers must be a random sample of all answers. If they were chosen by the judge's labels, both
    rates would be biased. A rate is right / n among the answers with one human label. Its bound is Gaffke's, which
    equals Clopper & Pearson's (1934) if there are no clusters. A judge with a rate below `min_rate` for some label is
    called valid in at most 1 - level of cases. A judge with a rate of at least `min_rate` for every label is called
    invalid in at most 1 - level of cases, since each of K labels is tested at (1 - level) / K. The number of labels
    needed is the number with which the bounds decide in 80% of samples, if the true rates equal the observed ones.

    >>> people = [1, 0] * 60 + [None] * 80
    >>> judge = [1, 0] * 57 + [0, 1] * 3 + [1, 0] * 40
    >>> validation = validate_judge(people, judge)
    >>> validation.outcome, str(validation["1"].rate), round(validation["1"].low, 4)
    ('valid', '0.9500 [0.8608, 0.9896]', 0.8758)

    Raises InputError naming the parameter, row and value that violated a rule.
    Sources: Clopper & Pearson (1934); Gaffke (2005); Cohen (1960).
    """
    check_arguments(validate_judge, locals())
    level, show = check_level(level), list(show)
    check_number(min_rate, name="min_rate", low=0, high=1, open="both", remedy="Write 0.8 for 80%.")
    if show and data is None:
        raise InputError("`show=...` names columns of `data=...`, which is missing.")
    for role, column in (("y_true", y_true), ("score", score)):
        if column is None:
            raise needed(role, "as the judge's labels are compared with human labels")
    roles = {"score": score, "y_true": y_true, "clusters": clusters}
    if isinstance(data, Files):
        data = replace(data, grades_are_labels=True)
    answers = _read(roles, data, pos_label, show)
    people, judge = answers.numbers["y_true"], answers.numbers["score"]
    labelled = np.flatnonzero(~np.isnan(people))
    with answers.rows.locating_errors():
        labels = _labels(people, judge, labelled, answers.labels, name="score" if data is None else str(score))
    names = {label: answers.labels[int(label)] if answers.labels else f"{label:.15g}" for label in labels}
    tests = {label: _mean(people, judge, labelled[people[labelled] == label], answers.units) for label in labels}
    rows = tuple(
        _row(names, label, judge[labelled[people[labelled] == label]], tests[label], min_rate, level)
        for label in labels
    )
    verdicts = {row.verdict for row in rows}
    outcome = INVALID if INVALID in verdicts else VALID if verdicts == {VALID} else UNDECIDED
    different = labelled[people[labelled] != judge[labelled]]
    recipe = answers.recipe | {"pos_label": pos_label, "min_rate": min_rate, "show": show, "level": level}
    notes = list(answers.notes)
    for row in rows:
        if not row.n:
            notes.append(f"No answer has the human label {row.label}. Label more answers.")
        elif not any(other.judged[row.label] for other in rows):
            notes.append(f"The judge gave the label {row.label} to none of the labelled answers.")
    people_said = y_true if data is None else answers.rows[str(y_true)]
    in_words = {} if pos_label is None else _label_words(people_said, pos_label)
    shown_names = {label: in_words.get(name, name) for label, name in names.items()}
    return JudgeValidation(
        rows=rows,
        outcome=outcome,
        labels_needed=_labels_needed(rows, tests, min_rate, level, len(labelled)) if outcome == UNDECIDED else None,
        n=answers.n,
        labelled=len(labelled),
        judge=None if answers.labels else float(judge.mean()),
        corrected=None
        if answers.labels
        else correct_judge_scores(people, judge, clusters=answers.units, level=level).rows[0].corrected,
        kappa=_kappa(people[labelled], judge[labelled], clustered=answers.units is not None, level=level),
        disagreements=_disagreements(answers, different, shown_names, show),
        notes=tuple(notes),
        recipe=recipe,
        in_words=in_words,
        how_to_list="" if show or not len(different) else marked_note(" `show=...` lists them."),
    )


def _label_words(values: Any, pos_label: Hashable) -> dict[str, str]:
    """Return the names of labels 0 and 1. Label 0 has the name of the other human label, or "other" if there are
    several.

    >>> _label_words(["good", "bad", None], "good"), _label_words(["win", "tie", "loss"], "win")
    ({'1': 'good', '0': 'bad'}, {'1': 'win', '0': 'other'})
    >>> _label_words([1.0, 0.0, None], 1), _label_words(["1.0", "0.0"], "1")
    ({'1': '1', '0': '0'}, {'1': '1', '0': '0'})
    """
    texts = [str(value) for value in (*(v for v in distinct_values(values) if not is_missing(v)), pos_label)]
    numbers = {text: parse_number(text) for text in texts}  # 1.0 is 1
    plain = {text: text if n is None or not n.is_integer() else str(int(n)) for text, n in numbers.items()}
    others = {*plain.values()} - {plain[str(pos_label)]}
    return {"1": str(pos_label), "0": others.pop() if len(others) == 1 else "other"}


def _read(roles: Mapping[str, Any], data: Any, pos_label: Hashable, show: Sequence[str]) -> Columns:
    """Read the labels: numbers, or else texts. Of two texts, `pos_label` must name the one that counts as 1."""
    try:
        return Columns.read(roles, data, pos_label=pos_label, show=show)
    except InputError as error:
        if error.fault is None or error.fault.rule != "not_a_number":
            raise
        answers = Columns.read(roles, data, show=show, texts=True)
        has_numbers = any(parse_number(label) is not None for label in answers.labels)
        if has_numbers or not MIN_TEXTS <= len(answers.labels) <= MAX_LABELS:
            raise
        return answers


def _labels(people: Floats, judge: Floats, labelled: Integers, texts: Sequence[str], *, name: str) -> list[float]:
    """Return all labels in ascending order; these are 0 and 1 if no other label occurs."""
    if not len(labelled):
        raise InputError("{parameter} is missing in every row; have some answers labelled by humans", "y_true")
    if texts:
        return [float(code) for code in range(len(texts))]
    of_people = np.unique(people[labelled])
    if np.isin(of_people, UNIT).all():
        invalid_rows = np.flatnonzero(~np.isin(judge, UNIT))
        if len(invalid_rows):
            raise InputError(
                "{parameter} must be labels, 0 or 1 like the human labels",
                name,
                value=float(judge[invalid_rows[0]]),
                row=int(invalid_rows[0]),
                remedy="If it is a probability or a score, turn it into labels by its threshold.",
            )
        return list(UNIT)
    labels = np.union1d(of_people, judge)
    if len(labels) > MAX_LABELS:
        raise InputError(
            "{parameter} and the human labels have more than {most} different values. Compare means of such scores "
            "with `howsure.correct_judge_scores`.",
            name,
            most=MAX_LABELS,
        )
    return [float(label) for label in labels]


def _mean(people: Floats, judge: Floats, rows: Integers, units: Integers | None) -> MeanScore | None:
    """The rate of agreement over some rows; None without rows."""
    if not len(rows):
        return None
    groups = ItemGroups.of(len(rows), clusters=None if units is None else units[rows])
    return mean_score((people[rows] == judge[rows]).astype(np.float64), groups, bounds=UNIT)


def _row(
    names: Mapping[float, str], label: float, judged: Floats, mean: MeanScore | None, min_rate: float, level: float
) -> JudgeValidationRow:
    counts = {name: int((judged == value).sum()) for value, name in names.items()}
    if mean is None:
        return JudgeValidationRow(names[label], 0, 0, counts, undetermined_estimate(level, 0), None, UNDECIDED)
    low, high = mean.bound(1 - level, upper=False), mean.bound((1 - level) / len(names), upper=True)
    verdict = VALID if low >= min_rate else INVALID if high < min_rate else UNDECIDED
    ends = mean.interval(level)
    rate = Estimate(mean.value, *ends, level=level, method=mean.method, n=len(judged))
    return JudgeValidationRow(names[label], len(judged), counts[names[label]], counts, rate, low, verdict)


def _labels_needed(
    rows: Sequence[JudgeValidationRow],
    tests: Mapping[float, MeanScore | None],
    min_rate: float,
    level: float,
    labelled: int,
) -> int | None:
    """The number of labelled answers that would probably show that a rate is too low, or that all are high enough."""
    to_valid: list[float] = []
    to_invalid: list[float] = []
    for row, mean in zip(rows, tests.values(), strict=True):
        if mean is None:
            return None
        if row.verdict == UNDECIDED:
            below = mean.value < min_rate
            n = mean.rows_needed(min_rate, (1 - level) / len(rows) if below else 1 - level)
            in_all = math.inf if n is None else math.ceil(max(n, row.n + 1) * labelled / row.n)
            (to_invalid if below else to_valid).append(in_all)
    number = min(to_invalid) if to_invalid else max(to_valid)
    return None if number == math.inf else int(number)


def _kappa(people: Floats, judge: Floats, *, clustered: bool, level: float) -> Estimate:
    """Cohen's κ. Its interval is a jackknife over answers, so with clusters it has none."""
    n = len(people)
    if n < 2:
        return undetermined_estimate(level, n)
    kappa = cohens_kappa(judge, people, level)
    return replace(kappa, low=None, high=None) if clustered else kappa


def _disagreements(
    answers: Columns, rows: Integers, names: Mapping[float, str], show: Sequence[str]
) -> tuple[JudgeDisagreement, ...]:
    shown = answers.rows.at(rows.tolist()) if show and len(rows) else {}
    shown = {name: shown[name] if name in shown else _values_at(answers.rows[name], rows, names) for name in show}
    judge, people = (map(names.__getitem__, answers.numbers[role][rows].tolist()) for role in ("score", "y_true"))
    return tuple(
        JudgeDisagreement(
            *answers.rows.location(row), by_judge, by_people, {name: shown[name][position] for name in show}
        )
        for position, (row, by_judge, by_people) in enumerate(zip(rows.tolist(), judge, people, strict=True))
    )


def _values_at(column: Any, rows: Integers, names: Mapping[float, str]) -> list[Any]:
    """Return a column's values in some rows, for display; numbers that stand for labels are replaced by their names."""
    if isinstance(column, Coded):
        return [column.names[column.codes[row]] for row in rows]
    values = [column.get(row) if isinstance(column, Mapping) else column[row] for row in rows.tolist()]
    return [names.get(float(value), value) if is_number(value) else value for value in values]
