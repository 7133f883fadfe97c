"""Results about judges: estimates of human grades, compared with the judge's grades."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from howsure.counts.notes import as_sentence
from howsure.counts.results import ReadingErrors
from howsure.inputs.numbers_and_names import count_equal_first, counted, shortened
from howsure.inputs.parameter_types import Axes
from howsure.notes import DETAIL, Note, notes_by_name
from howsure.result import AMONG, Estimate, Result, Rows, as_json
from howsure.scores.results import best_model_sentence, equal_means_text
from howsure.show.axes import checks_axes
from howsure.show.table import COUNT, ESTIMATE, FRAME, HIGHER, NUMBER, P_VALUE, TEXT, WORDS, Column, digits, interval

SIGNED = digits(4, sign=True)


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """The mean grade of a model's answers, of which the judge graded n and humans graded `labelled`.

    judge: the mean of the judge's grades, as if they were human grades. people: the mean estimated from the human
    grades alone. corrected: the mean estimated from both. bias: the mean of the judge's grade minus the human grade.
    slope: the weight λ of the judge. worth: the number of human grades that would, without the judge, give an interval
    as narrow as the interval of `corrected`. An estimate is NaN if there are too few human grades.
    """

    model: str | None
    n: int
    labelled: int
    judge: Estimate
    people: Estimate
    corrected: Estimate
    bias: Estimate
    slope: float
    notes: tuple[str, ...] = ()
    worth: int | None = None


@dataclass(frozen=True, slots=True)
class JudgedDifference:
    """The difference between two models in the mean human grade, on the n items that both answered.

    labelled: the number of items with human grades of both answers. judge: the difference by the judge's grades
    alone. p_value: the p-value of no difference. p_adjusted: p adjusted for all differences.
    """

    model: str
    against: str
    n: int
    labelled: int
    judge: float
    corrected: Estimate
    p_value: float = math.nan
    p_adjusted: float = math.nan

    @property
    def pair(self) -> tuple[str, str]:
        """Both models."""
        return self.model, self.against


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class JudgedScores(Rows[JudgedRow]):
    """The result of `correct_judge_scores`: a row per model, the best first, and differences from a reference model.

    Iteration, indexing by the name of the model and `len` refer to rows. readings: the error rates of the human
    annotators, if some answers were graded twice. recipe: everything needed to repeat it.
    """

    rows: tuple[JudgedRow, ...] = as_json("models")
    differences: tuple[JudgedDifference, ...]
    notes: tuple[str, ...] = ()
    readings: ReadingErrors | None = as_json(AMONG, default=None)
    recipe: Mapping[str, object]

    named = "model"
    title = "Scores that people would have given"
    suggested: ClassVar = {"report": "judge.html"}

    def columns(self) -> Sequence[Column]:
        """Models with the estimates from the judge alone, from people alone, and from both."""
        level = f"in brackets the {100 * self.rows[0].corrected.level:g}% interval"
        return [
            *([Column("model", WORDS)] if any(row.model is not None for row in self.rows) else []),
            Column("n", COUNT, legend="answers that the judge graded"),
            Column("labelled", COUNT, legend="of these also graded by humans"),
            Column("judge", digits(4), get=lambda row: row.judge.value, legend="mean grade of the judge"),
            Column("people", ESTIMATE, "people alone", legend="by the human grades alone", detail=True),
            Column("corrected", ESTIMATE, better=HIGHER, legend=f"by both together; {level}"),
            Column("bias", ESTIMATE, "judge minus people", legend="of the answers that people graded"),
            Column(
                "worth", COUNT, "effective n", legend="human grades that alone give an interval as narrow", detail=True
            ),
            Column("slope", NUMBER, only=FRAME),
        ]

    @property
    def answer(self) -> str:
        """The best model by the corrected means, or the only mean; and the mean by the judge alone."""
        first = self.rows[0]
        if len(self.rows) == 1:
            of = "" if first.model is None else f" {first.model}"
            if math.isnan(first.corrected.value):
                return f"Too few human grades to correct the mean{of}; the judge gives {first.judge.value:.4f}."
            return f"People would give{of} {first.corrected} on average; the judge gives {first.judge.value:.4f}."
        if all(math.isnan(row.corrected.value) for row in self.rows):
            return f"Too few human grades to correct the mean of any of {len(self.rows)} models."
        alpha = 1 - first.corrected.level
        by_grades = " by corrected grades"
        names, means = [str(row.model) for row in self.rows], [row.corrected for row in self.rows]
        if {row.against for row in self.differences} == {first.model}:
            not_worse: dict[str | None, bool | None] = {
                row.model: None if math.isnan(row.p_adjusted) else row.p_adjusted > alpha for row in self.differences
            }
            return best_model_sentence(
                names, means, [not_worse.get(row.model, True) for row in self.rows], by=by_grades
            )
        sides: dict[str, list[str]] = {}
        for row in self.differences:
            side = "better" if row.corrected.value > 0 else "worse"
            verdict = f"{side} than {row.against}" if row.p_adjusted <= alpha else f"no difference from {row.against}"
            verdict = f"not compared with {row.against}" if math.isnan(row.p_adjusted) else verdict
            sides.setdefault(verdict, []).append(row.model)
        verdicts = "".join(f"; {side}: {shortened(models)}" for side, models in sides.items())
        if count_equal_first([mean.value for mean in means]) > 1:
            return f"{equal_means_text(names, means, by=by_grades)}{verdicts}."
        return f"{first.model} scores best{by_grades}, {first.corrected}{verdicts}."

    def further_tables(self) -> Sequence[Result]:
        """The differences, if there are any."""
        return [_Differences(rows=self.differences, recipe=self.recipe)] if self.differences else []

    def csv_result(self) -> Result:
        """The scores."""
        return self

    def footnotes(self) -> Sequence[str]:
        """Annotation errors, and the notes."""
        of_rows = notes_by_name([(row.model or "all", row.notes) for row in self.rows])
        errors = self.readings.sentences("corrected means up to") if self.readings else []
        wider = [row.model or "all" for row in self.rows if _width(row.corrected) > _width(row.people)]
        no_help = "The judge does not help here: the interval of people alone is narrower"
        of_wider = [] if not wider else [f"{no_help}." if wider == ["all"] else f"{no_help} ({shortened(wider)})."]
        return [*map(as_sentence, errors), *of_wider, *self.notes, *of_rows]

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the means by judge, people and both for each model, on matplotlib axes (new ones if None)."""
        from howsure.figures.judges import draw_judged

        return draw_judged(self, ax=ax)


def _width(mean: Estimate) -> float:
    """The width of the mean's interval; NaN if it has none."""
    return math.nan if mean.low is None or mean.high is None else mean.high - mean.low


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Differences(Rows[JudgedDifference]):
    rows: tuple[JudgedDifference, ...]
    recipe: Mapping[str, object]

    title = "Differences that people would have found"

    @property
    def input_line(self) -> str:
        return self.title

    def columns(self) -> Sequence[Column]:
        return [
            Column("model", WORDS),
            Column("against", WORDS),
            Column("n", COUNT),
            Column("labelled", COUNT),
            Column("judge", SIGNED, "by the judge", detail=True),
            Column("corrected", SIGNED, get=lambda row: row.corrected.value, answer=True),
            Column(
                "interval",
                TEXT,
                get=lambda row: interval(row.corrected.low, row.corrected.high, sign=True),
                answer=True,
            ),
            Column("p_value", P_VALUE, "p"),
            Column("p_adjusted", P_VALUE, "adjusted p"),
        ]


@dataclass(frozen=True, slots=True)
class RaterAgreementRow:
    """The agreement of two raters, or of all raters (`b` is None), on the n items that at least two of them graded.

    share: the mean agreement of two grades of an item. Coefficients that are defined only for two raters are None in
    the row of all raters.
    """

    a: str
    b: str | None
    n: int
    share: Estimate
    alpha: Estimate
    kappa: Estimate | None
    ac: Estimate | None


@dataclass(frozen=True, slots=True)
class JudgeReplacement:
    """Whether a judge may replace a human annotator, by the alternative annotator test.

    people: the number of human annotators. compared: the number of human annotators who graded at least 30 items that
    the judge and other human annotators graded, too. winning_rate: the proportion of the compared annotators to whom
    the judge is shown to be equal, up to the margin. advantage: the probability that the judge is at least as close to
    the other human annotators as a human annotator is. may: the verdict; None if the data do not decide. why: the
    reason if the verdict is None.
    """

    judge: str
    people: int
    compared: int
    winning_rate: float
    advantage: float
    may: bool | None
    why: str

    @property
    def sentence(self) -> str:
        """The verdict in words."""
        if self.may is None:
            return f"Whether {self.judge} may replace a person cannot be decided: {self.why}."
        verdict = "may replace a person" if self.may else "is not shown to be able to replace a person"
        name = "The judge" if self.judge == "judge" else self.judge
        as_good = round(self.winning_rate * self.compared)
        return (
            f"{name} {verdict}: of {self.compared} human raters, it is shown to be as good as {as_good or 'none'}. In "
            f"{self.advantage:.0%} of grades, it is at least as close to the other human raters as a human rater is."
        )


WEIGHTS = {"ordinal": " (linear weights)", "interval": " (quadratic weights)"}  # by scale, of unequal grades


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RaterAgreement(Rows[RaterAgreementRow]):
    """The result of `rater_agreement`: a row for all raters, and one for each two.

    Iteration and `len` refer to rows. The index is the position of a row. replacement: whether the judge may replace a
    human annotator, if a judge was named. recipe: everything needed to repeat it.
    """

    rows: tuple[RaterAgreementRow, ...] = as_json("agreement")
    replacement: JudgeReplacement | None
    notes: tuple[str, ...] = ()
    recipe: Mapping[str, object]

    named = ""
    suggested: ClassVar = {"report": "agreement.html"}

    def columns(self) -> Sequence[Column]:
        """Raters and coefficients."""
        level = f"in brackets the {100 * self.rows[0].alpha.level:g}% interval"
        weights = WEIGHTS.get(str(self.recipe.get("scale")), "")
        return [
            Column("raters", WORDS, get=lambda row: row.a if row.b is None else f"{row.a}, {row.b}"),
            Column("n", COUNT, legend="items with two grades or more"),
            Column("share", ESTIMATE, f"agreement{weights}", legend=f"how far two grades of an item agree; {level}"),
            Column("alpha", ESTIMATE, "α", legend="Krippendorff's"),
            Column("kappa", ESTIMATE, f"κ{weights}", legend="Cohen's"),
            Column("ac", ESTIMATE, f"AC{weights}", legend="Gwet's", detail=True),
        ]

    @property
    def answer(self) -> str:
        """The verdict on the judge if one was named, otherwise Krippendorff's α of all raters."""
        if self.replacement is not None:
            return self.replacement.sentence
        row = self.rows[0]
        raters = f"{row.a} and {row.b}" if row.b else "the raters"
        rest = f"{self.recipe['scale']} scale, {counted(row.n, 'item')} with two grades or more"
        return f"Krippendorff's α of {raters} is {row.alpha} ({rest})."

    def footnotes(self) -> Sequence[str]:
        """How intervals are computed, the verdict on the judge, and the notes."""
        method = Note("Intervals leave out each item in turn.", DETAIL)
        return [*([self.replacement.sentence] if self.replacement else []), method, *self.notes]
