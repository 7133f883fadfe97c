"""`plan_judge_sample`: the number of human grades that a corrected mean needs."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from howsure.errors import InputError
from howsure.inputs.arguments import check_arguments
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_level, check_number, counted
from howsure.inputs.pairs import Floats
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.judges.columns import Columns
from howsure.judges.correction import MIN_GRADES, Graded
from howsure.result import Rows, as_json
from howsure.show.table import COUNT, WORDS, Column
from howsure.stats.mean_score import Bounds

PILOT = 20  # minimum number of human grades for a plan


@dataclass(frozen=True, slots=True)
class JudgePlanRow:
    """The number of human grades that the interval of a model's mean needs, among n answers; None if even n grades are
    too few.

    pilot: the number of human grades that the plan is based on. corrected: the number needed with the judge's grades.
    people: the number needed without the judge's grades.
    """

    model: str | None
    n: int
    pilot: int
    corrected: int | None
    people: int | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class JudgePlan(Rows[JudgePlanRow]):
    """The result of `plan_judge_sample`: a row per model. width: the planned width of the interval."""

    rows: tuple[JudgePlanRow, ...] = as_json("models")
    width: float
    notes: tuple[str, ...] = ()
    recipe: Mapping[str, object]

    named = "model"
    title = "Human grades that are needed"

    def columns(self) -> Sequence[Column]:
        """The numbers of grades needed."""
        return [
            *([Column("model", WORDS)] if any(row.model is not None for row in self.rows) else []),
            Column("n", COUNT, legend="answers that the judge graded"),
            Column("pilot", COUNT, legend="human grades that the plan is based on"),
            Column("corrected", COUNT, "with the judge", legend="human grades that are needed"),
            Column("people", COUNT, "people alone", legend="the same without a judge"),
        ]

    @property
    def answer(self) -> str:
        """Return how many human grades an interval of this width needs, with and without the judge."""
        parts = [
            f"{_counts([getattr(row, name) for row in self.rows])} {how}"
            for name, how in (("corrected", "with the judge"), ("people", "without"))
        ]
        each = " per model" if len(self.rows) > 1 else ""
        return f"An interval {self.width:g} wide needs {parts[0]}, {parts[1]}{each}."

    def footnotes(self) -> Sequence[str]:
        """The planned width, and the notes."""
        has_dash = any(row.corrected is None or row.people is None for row in self.rows)
        none = (
            [" A dash: even grades of all answers would not suffice, or the data do not show whether they would."]
            if has_dash
            else []
        )
        return [f"Human grades for an interval {self.width:g} wide.{''.join(none)}", *self.notes]


def _counts(numbers: Sequence[int | None]) -> str:
    """Numbers of human grades as a range.

    >>> _counts([12, 1_300]), _counts([1]), _counts([None])
    ('12 to 1,300 human grades', '1 human grade', 'more human grades than there are answers')
    """
    finite = [number for number in numbers if number is not None]
    if len(finite) < len(numbers):
        return "more human grades than there are answers" if not finite else f"{min(finite):,} human grades or more"
    if min(finite) == max(finite):
        return counted(min(finite), "human grade")
    return f"{min(finite):,} to {max(finite):,} human grades"


def plan_judge_sample(
    score: ArrayLike | str,
    *,
    width: float,
    y_true: ArrayLike | str | None = None,
    model: ArrayLike | str | None = None,
    correlation: float | None = None,
    pos_label: Hashable = None,
    bounds: tuple[float, float] | None = None,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> JudgePlan:
    """Compute the number of human grades that are needed to correct a judge's grades with an interval of a given width.

    The plan is based on existing human grades, or on an assumed correlation of the judge's grades and human grades. It
    uses the interval that `correct_judge_scores` would give with this many similar grades, drawn at random from all
    answers.

    score (n,): the judge's grade of each answer.
    width: the width of the interval of a model's mean.
    y_true (n,): human grades so far, missing elsewhere; at least 20 for each model.
    model (n,): the model of each answer.
    correlation: assumed correlation of human grades and the judge's grades, instead of `y_true`.
    pos_label: the grade that counts as 1, every other as 0.
    bounds: the lowest and the highest possible human grade; (0, 1) is known if all grades are 0 or 1.
    level: level of the interval.

    With `correlation`, half of the grades are assumed to be the lowest and half the highest possible grade, which gives
    the largest variance.

    >>> import numpy as np
    >>> plan_judge_sample(np.arange(5000) % 2, width=0.1, correlation=0.8).rows[0]
    JudgePlanRow(model=None, n=5000, pilot=0, corrected=185, people=402)

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    check_arguments(plan_judge_sample, locals())
    level = check_level(level)
    check_number(width, name="width", low=0, open="low")
    if (y_true is None) == (correlation is None):
        raise InputError("give either `y_true=...`, first grades, or `correlation=0.7`.")
    if correlation is not None:
        check_number(correlation, name="correlation", low=0, high=1, open="high")
    answers = Columns.read({"score": score, "y_true": y_true, "model": model}, data, pos_label=pos_label)
    with answers.rows.locating_errors():
        ends = answers.bounds(bounds, "y_true" if data is None else str(y_true))
        if correlation is not None and ends is None:
            raise InputError(
                "with `correlation`, the lowest and the highest grade must be known. Give them as `bounds=...`."
            )
        rows, notes = [], list(answers.notes)
        for code, name in enumerate(answers.names("model")):
            is_model = answers.codes("model") == code
            f = answers.numbers["score"][is_model]
            if correlation is not None and ends is not None:
                judged, people, pilot = *_assumed(len(f), correlation, ends), 0
            else:
                y = answers.numbers["y_true"][is_model]
                labelled = np.flatnonzero(~np.isnan(y))
                judged, people, pilot = (
                    np.concatenate([f[labelled], np.delete(f, labelled)]),
                    y[labelled],
                    len(labelled),
                )
                if pilot < PILOT:
                    notes.append(f"{name}: humans graded {pilot} answers, but a plan needs {PILOT}")
            few = pilot < PILOT and correlation is None
            n = None if few else _smallest_number(judged, people, width, level, ends, corrected=True)
            alone = None if few else _smallest_number(judged, people, width, level, ends, corrected=False)
            rows.append(JudgePlanRow(name if model is not None else None, len(f), pilot, n, alone))
    recipe = answers.recipe | {"correlation": correlation, "bounds": ends, "level": level}
    return JudgePlan(rows=tuple(rows), width=float(width), notes=tuple(notes), recipe=recipe)


def _assumed(n: int, correlation: float, bounds: Bounds) -> tuple[Floats, Floats]:
    """Return n assumed grades of a judge and of humans with correlation ρ.

    Half of the human grades are at the lower bound, half at the upper bound. The judge's grades are equal to the human
    grades in a proportion (1 + ρ) / 2 of the answers, and at the other bound in the rest.
    """
    people = np.array(bounds)[np.arange(n) % 2]
    spread = (np.arange(n) // 2 * 0.6180339887498949) % 1.0  # spread evenly, also over the first k
    return np.where(spread < (1 + correlation) / 2, people, sum(bounds) - people), people


def _smallest_number(
    judged: Floats, people: Floats, width: float, level: float, bounds: Bounds | None, *, corrected: bool
) -> int | None:
    """Return the fewest grades with a narrow enough interval; existing grades are repeated as often as needed."""
    most = len(judged)

    def wide(n: int) -> float:
        y = np.resize(people, n)
        f = np.concatenate([np.resize(judged[: len(people)], n), np.resize(judged[::-1], most - n)])
        graded = Graded(f, np.arange(n), y, np.full(n, most / n), np.zeros(n, dtype=np.int64), None, bounds)
        mean = graded.mean(level, slope=graded.slope() if corrected else 0.0)
        return math.inf if mean.width is None else mean.width

    if most < MIN_GRADES or wide(most) > width:
        return None
    low, high = MIN_GRADES, most
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if wide(middle) <= width else (middle + 1, high)
    return high
