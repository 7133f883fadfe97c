"""Results of regressions with predicted labels: naive coefficients (predictions taken as labels) and corrected ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from howsure.errors import shortened
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.parameter_types import Axes
from howsure.regression.design import INTERCEPT
from howsure.result import Estimate, Rows, as_json
from howsure.show.axes import checks_axes
from howsure.show.table import ESTIMATE, FRAME, NUMBER, P_VALUE, TABLE, UNDEFINED, WORDS, Column, Kind, interval, number

MAX_NAMED = 4  # coefficients in a sentence


@dataclass(frozen=True, slots=True)
class PredictedCoefficient:
    """A coefficient of a regression.

    outcome: the class whose probability is the outcome; None without classes. naive, naive_error, naive_degrees: the
    estimate with predictions as labels, its standard error and its degrees of freedom. corrected and so on: the
    estimate with human labels; NaN if there are too few. p_value: the p-value of "the corrected coefficient is 0".
    """

    outcome: str | None
    name: str
    naive: Estimate
    naive_error: float
    naive_degrees: float
    corrected: Estimate
    corrected_error: float
    corrected_degrees: float
    p_value: float

    @property
    def label(self) -> str:
        """The name of the coefficient, preceded by the class if there are several classes."""
        return self.name if self.outcome is None else f"{self.outcome}: {self.name}"


# Coefficients are shown with four decimals, or with as many as two digits of their standard error require.


def _decimals(error: float) -> int:
    return max(4, 1 - math.floor(math.log10(error))) if math.isfinite(error) and error > 0.0 else 4


def _text(estimate: Estimate, error: float) -> str:
    if math.isnan(estimate.value):
        return UNDEFINED
    decimals = _decimals(error)
    return f"{number(estimate.value, decimals)} {interval(estimate.low, estimate.high, decimals)}"


def _excludes_0(estimate: Estimate) -> bool:
    return estimate.low is not None and estimate.high is not None and not estimate.low <= 0.0 <= estimate.high


def _or_none(names: Sequence[str]) -> str:
    return shortened(names, limit=MAX_NAMED) if names else "none"


def _unchanged(row: PredictedCoefficient) -> PredictedCoefficient:
    return row


NAIVE = Kind(lambda row: _text(row.naive, row.naive_error))
CORRECTED = Kind(lambda row: _text(row.corrected, row.corrected_error))
ERROR = Kind(lambda row: number(row.corrected_error, _decimals(row.corrected_error)))
DEGREES = Kind(lambda degrees: number(degrees, 1))


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PredictedRegression(Rows[PredictedCoefficient]):
    """The result of `regress_predicted`: a row per coefficient.

    Iteration, `len`, and indexing by the name of a coefficient ("class: name" with several classes) refer to rows.
    recipe: everything needed to repeat it.
    """

    rows: tuple[PredictedCoefficient, ...] = as_json("coefficients")
    notes: tuple[str, ...] = ()
    recipe: Mapping[str, object]

    named = "label"
    title = "Regression with predicted labels"
    suggested: ClassVar = {"report": "regression.html"}

    def columns(self) -> Sequence[Column]:
        """The naive and the corrected coefficients."""
        level = f"in brackets the {100 * self.rows[0].corrected.level:g}% interval"
        return [
            *([Column("outcome", WORDS)] if self.rows[0].outcome is not None else []),
            Column("name", WORDS, "coefficient"),
            Column("naive", ESTIMATE, only=FRAME),
            Column("naive", NAIVE, legend=f"with predictions taken as labels; {level}", get=_unchanged, only=TABLE),
            Column("naive_error", NUMBER, only=FRAME),
            Column("naive_degrees", NUMBER, only=FRAME),
            Column("corrected", ESTIMATE, only=FRAME),
            Column("corrected", CORRECTED, legend="corrected with the labels of people", get=_unchanged, only=TABLE),
            Column("corrected_error", NUMBER, "standard error", only=FRAME),
            Column("error", ERROR, "standard error", legend="of the corrected coefficient", get=_unchanged, only=TABLE),
            Column("corrected_degrees", DEGREES, "df", legend="degrees of freedom of the corrected interval"),
            Column("p_value", P_VALUE, "p", legend="of the hypothesis that the corrected coefficient is 0"),
        ]

    @property
    def answer(self) -> str:
        """The corrected and the naive value of a single coefficient; of several, those that differ from 0."""
        labels = counted(self.rows[0].corrected.n, "label")
        rows = [row for row in self.rows if row.name != INTERCEPT] or list(self.rows)
        if len(rows) == 1:
            row = rows[0]
            estimable = not math.isnan(row.corrected.value)
            corrected = _text(row.corrected, row.corrected_error) if estimable else "no estimate"
            naive = _text(row.naive, row.naive_error)
            return f"{row.label}: {corrected} after correction with {labels}; without it, {naive}."
        alpha = 1.0 - self.rows[0].corrected.level
        corrected = _or_none([row.label for row in rows if row.p_value < alpha])
        naive = _or_none([row.label for row in rows if _excludes_0(row.naive)])
        verb = "differ" if sum(row.p_value < alpha for row in rows) > 1 else "differs"
        return (
            f"Of {len(rows)} coefficients, {corrected} {verb} significantly from 0 after correction with {labels}; "
            f"with predictions taken as labels, without correction: {naive}."
        )

    def footnotes(self) -> Sequence[str]:
        """The answer, the outcome and the regressors, and the notes."""
        recipe = self.recipe
        kind = "Logistic" if recipe["method"] == "logit" else "Linear"
        design = "" if recipe["design"] is None else f", {recipe['design']}"
        effects = recipe["fixed_effects"]
        effects_text = "" if not isinstance(effects, list) else f", fixed effects of {' and '.join(effects)}"
        labels = self.rows[0].corrected.n
        sentence = f"{kind} regression{design}{effects_text}: {self.rows[0].naive.n:,} rows, {labels:,} with a label."
        return [self.answer, sentence, *(note if note.endswith(".") else f"{note}." for note in self.notes)]

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw each coefficient, naive and corrected, on matplotlib axes (new ones if None)."""
        from howsure.figures.regression import draw_coefficients

        return draw_coefficients(self, ax=ax)
