"""The result of `evaluate_fields`: a row per field, the worst values, and the policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from howsure.errors import quote
from howsure.fields.filing import FIELDS
from howsure.fields.policy import FilingPolicy
from howsure.inputs.numbers_and_names import count_equal_first, counted, highest_first, listed_names
from howsure.inputs.pairs import Floats
from howsure.notes import DETAIL, Note
from howsure.recalibration.results import RecalibrationMap
from howsure.result import Estimate, Result, Rows, as_json
from howsure.show.axes import checks_axes
from howsure.show.table import COUNT, ESTIMATE, FRAME, HIGHER, LOWER, NUMBER, WORDS, Column

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class FieldRow:
    """The evaluation of a field.

    n: number of values that are evaluated: all true values, and the predictions for documents without a true value
    (null is then right, any other prediction wrong). not_predicted: number of true values without a prediction.
    with_confidence: number of values with a confidence. accuracy: the proportion of right values. calibration_error,
    auroc: quality of the confidences; None if there are too few values. unseen: for a field with known choices, 1 minus
    the mean sum of the probabilities that the listed alternatives of the tokens give to the choices; else None.
    """

    field: str
    n: int
    not_predicted: int
    with_confidence: int
    accuracy: Estimate
    calibration_error: Estimate | None
    auroc: Estimate | None
    unseen: float | None


@dataclass(frozen=True, slots=True)
class WrongValue:
    """A wrong value: its document and path, the predicted value with its confidence, and the true value."""

    document: str
    path: str
    value: str | None
    gold: str | None
    confidence: float | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WrongValues(Rows[WrongValue]):
    """The wrong values, the most confident first."""

    rows: tuple[WrongValue, ...] = as_json("worst")
    recipe: Mapping[str, Any]

    named = ""
    title = "Most confident wrong values"

    @property
    def input_line(self) -> str:
        """The title."""
        return self.title

    @property
    def answer(self) -> str:
        """The most confident wrong value."""
        if not self.rows:
            return "No value is wrong."
        first = self.rows[0]
        return f"The most confident wrong value is {first.path} of document {quote(first.document)}."

    def columns(self) -> Sequence[Column]:
        """The location of each value, the predicted value, and the true value."""
        return [
            Column("document", WORDS),
            Column("path", WORDS, "field"),
            Column("value", WORDS, "predicted"),
            Column("gold", WORDS, "true"),
            Column("confidence", NUMBER),
        ]


@dataclass(frozen=True, slots=True)
class FilingCurve:
    """For each threshold, the proportion of a field's values that is filed, and of wrong values among these (risk)."""

    field: str
    coverage: Floats
    risk: Floats


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FieldTable(Rows[FieldRow]):
    """The result of `evaluate_fields`: a row per field, and all values together.

    documents: number of documents. total: the accuracy of all values. policy: the filing policy, if `max_risk` was
    given. recalibration: the recalibration maps, if requested. worst: the most confident wrong values, if requested.
    curves: by field, the proportion of wrong values at each proportion of filed values.
    """

    rows: tuple[FieldRow, ...] = as_json("fields")
    documents: int
    total: Estimate
    policy: FilingPolicy | None = None
    recalibration: RecalibrationMap | None = None
    worst: WrongValues | None = None
    curves: tuple[FilingCurve, ...] = as_json(None, default=())
    notes: tuple[str, ...] = ()
    recipe: Mapping[str, Any]

    named = "field"
    title = "Fields"

    def columns(self) -> Sequence[Column]:
        """The numbers of values, the accuracy, and the quality of the confidences."""
        rows = self.rows
        level = f"in brackets the {100 * self.total.level:g}% interval"
        has_confidence = any(row.with_confidence for row in rows)
        of_fields = self.policy is not None and self.policy.promise == FIELDS
        is_missed = any(row.not_predicted for row in rows)
        shown = [
            Column("field", WORDS),
            Column("n", COUNT, "values"),
            Column("not_predicted", COUNT, "not predicted", only="" if is_missed else FRAME),
            Column("with_confidence", COUNT, only=FRAME),
            Column("accuracy", ESTIMATE, better=HIGHER, legend=level),
            Column("calibration_error", ESTIMATE, "calibration error", LOWER, detail=of_fields)
            if has_confidence
            else None,
            Column(
                "auroc",
                ESTIMATE,
                "AUROC",
                HIGHER,
                "area under the ROC curve of confidence for correctness",
                detail=of_fields,
            )
            if has_confidence
            else None,
            Column("unseen", NUMBER, only=FRAME),
            *self._thresholds(),
        ]
        return [column for column in shown if column is not None]

    @property
    def answer(self) -> str:
        """A sentence on what can be filed or, without a policy, on the accuracy and the worst field."""
        if self.policy is not None:
            return self.policy.answer
        ordered = sorted(self.rows, key=lambda row: highest_first(-row.accuracy.value, row.field))
        equal = count_equal_first([row.accuracy.value for row in ordered])
        whole = f"{self.total} of {counted(sum(row.n for row in self.rows), 'value')} in "
        whole += f"{counted(self.documents, 'document')} are right"
        if len(self.rows) == 1:
            return f"{whole}."
        if equal == len(ordered):
            return f"{whole}; all fields are right equally often."
        worst = listed_names([row.field for row in ordered[:equal]])
        if equal > 1:
            return (
                f"{whole}; the fields that are wrong most often, {worst}, are right in {ordered[0].accuracy.value:.4f}."
            )
        return f"{whole}; the field that is wrong most often, {worst}, is right in {ordered[0].accuracy}."

    def next_parameters(self) -> Mapping[str, object]:
        """The parameters to try next: a list of wrong values, or a promise."""
        if not any(row.with_confidence for row in self.rows):
            return {"worst": 20} if self.worst is None else {}
        return {"max_risk": 0.05} if self.policy is None else {}

    def footnotes(self) -> Sequence[str]:
        """The notes, the rule of the policy, and fields without confidences."""
        without = [row.field for row in self.rows if not row.with_confidence]
        notes = [*self.notes, *(self.policy.notes if self.policy else ())]
        if self.policy is not None and self.policy.rule:
            notes.append(self.policy.rule)
        if without and len(without) < len(self.rows):
            notes.append(Note(f"Without confidences: {', '.join(without)}.", DETAIL))
        return notes

    def _thresholds(self) -> Sequence[Column]:
        """The threshold of each field, if the promise is about fields."""
        policy = self.policy
        if policy is None or policy.promise != FIELDS:
            return []
        filed = f"values that would be filed: at most the proportion {policy.risk:g} of them is wrong"
        return [
            Column("threshold", NUMBER, values=[row.threshold for row in policy.fields], legend="least confidence"),
            Column("filed", COUNT, values=[row.filed for row in policy.fields], legend=filed),
            Column("filed_wrong", COUNT, "wrong", values=[row.wrong for row in policy.fields]),
        ]

    def further_tables(self) -> Sequence[Result]:
        """The worst values, if requested."""
        return [] if self.worst is None else [self.worst]

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw, by field, the proportion of wrong values among filed values against the proportion of filed values."""
        from howsure.figures.fields import draw_filing

        return draw_filing(self, ax=ax)

    def figure(self) -> Figure:
        """Return a figure with a panel for each field."""
        from howsure.figures.fields import filing_figure

        return filing_figure(self)
