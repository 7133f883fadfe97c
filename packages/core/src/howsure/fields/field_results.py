"""The result of `evaluate_fields`: a row per field, the worst values, and the policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from howsure.errors import shown
from howsure.fields.filing import FIELDS
from howsure.fields.policy import FilingPolicy
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Floats
from howsure.recalibration.results import RecalibrationMap
from howsure.result import Estimate, Result, Rows, as_json
from howsure.show.axes import checks_axes
from howsure.show.notes import DETAIL, Note
from howsure.show.table import COUNT, ESTIMATE, FRAME, HIGHER, LOWER, NUMBER, WORDS, Column

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class FieldRow:
    """The values of a field.

    n: true values, and predicted ones where nothing is true. not_predicted: true values without a prediction.
    with_confidence: values with a confidence. accuracy: the share of right values. calibration_error, auroc: of the
    confidences; None without any. unseen: the mean probability that no alternative accounts for, of closed values.
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
    """A wrong value: its document, path, what was predicted with which confidence, and what is true."""

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
    def what_was_read(self) -> str:
        """The title."""
        return self.title

    @property
    def answer(self) -> str:
        """The most confident wrong value."""
        if not self.rows:
            return "No value is wrong."
        first = self.rows[0]
        return f"The most confident wrong value is {first.path} of document {shown(first.document)}."

    def columns(self) -> Sequence[Column]:
        """Where each value is, what was predicted, and what is true."""
        return [
            Column("document", WORDS),
            Column("path", WORDS, "field"),
            Column("value", WORDS, "predicted"),
            Column("gold", WORDS, "true"),
            Column("confidence", NUMBER),
        ]


@dataclass(frozen=True, slots=True)
class FilingCurve:
    """The share of a field's values filed at each threshold, and the share of these that is wrong."""

    field: str
    coverage: Floats
    risk: Floats


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FieldTable(Rows[FieldRow]):
    """The result of `evaluate_fields`: a row per field, and all values together.

    documents: their number. total: the accuracy of all values. policy: which documents can be filed, if a risk was
    named. recalibration: the map of confidences, worst: wrong values, if requested. curves: the share filed against the
    risk, by field.
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
        """Values, accuracy, and how good confidences are."""
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
        """What can be filed, or how many values are right and which field is worst."""
        if self.policy is not None:
            return self.policy.answer
        worst = min(self.rows, key=lambda row: row.accuracy.value)
        whole = f"{self.total} of {counted(sum(row.n for row in self.rows), 'value')} in "
        whole += f"{counted(self.documents, 'document')} are right"
        if len(self.rows) == 1:
            return f"{whole}."
        return f"{whole}; the field that is wrong most often is {worst.field}, right in {worst.accuracy}."

    def next_parameters(self) -> Mapping[str, object]:
        """A promise, or the file of the policy."""
        if not any(row.with_confidence for row in self.rows):
            return {"worst": 20} if self.worst is None else {}
        return {"max_risk": 0.05} if self.policy is None else {}

    def below(self) -> Sequence[str]:
        """The notes, and how confidences should be read."""
        without = [row.field for row in self.rows if not row.with_confidence]
        notes = [*self.notes, *(self.policy.notes if self.policy else ())]
        if self.policy is not None and self.policy.rule:
            notes.append(self.policy.rule)
        if without and len(without) < len(self.rows):
            notes.append(Note(f"Without confidences: {', '.join(without)}.", DETAIL))
        return notes

    def _thresholds(self) -> Sequence[Column]:
        """The threshold of each field, where the promise is about fields."""
        policy = self.policy
        if policy is None or policy.promise != FIELDS:
            return []
        filed = f"values that would be filed: at most {policy.risk:g} of them are wrong"
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
        """Draw the share of values filed against the share of them that is wrong, by field."""
        from howsure.figures.fields import draw_filing

        return draw_filing(self, ax=ax)

    def figure(self) -> Figure:
        """The same as a figure."""
        from howsure.figures.style import parent_figure

        return parent_figure(self.plot())
