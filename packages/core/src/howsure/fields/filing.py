"""Scores of documents, and thresholds above which documents are filed, that is, accepted without a check by a person.

The score of a document is a fixed function of the confidences of its values, so that the true values determine only the
thresholds. There are three kinds of promises. Each is broken with probability at most delta:

    values at most the proportion `risk` of the values in filed documents is wrong. Score: the mean confidence.
    documents at most the proportion `risk` of the filed documents has a wrong value. Score: the product of confidences.
    fields     at most the proportion `risk` of the filed values of each field is wrong, in all fields simultaneously.
               Each field has its own threshold, for the lowest confidence of its values in a document.

`howsure.fields.filing_tests` tests which thresholds keep a promise (Learn then Test, Angelopoulos et al. 2021).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from howsure.data.structured.json_values import FieldValue
from howsure.fields.checked_values import CheckedValues
from howsure.fields.filing_tests import RankedDocuments, lowest_count, lowest_counts
from howsure.inputs.pairs import Floats, Integers

VALUES = "values"
DOCUMENTS = "documents"
FIELDS = "fields"
PROMISES = (VALUES, DOCUMENTS, FIELDS)
REQUIRED_SHARE = 0.9  # a field is required if at least this proportion of the checked documents have it


@dataclass(frozen=True, slots=True)
class DocumentConfidence:
    """The confidence in the values of a document.

    lowest: the lowest confidence of each field. losses: the loss of each field, which is the sum over its values of
    -log p (promise about documents) or 1 - p; the sum of all losses determines the score of the document. n: number of
    values. unknown: fields that are required but missing, or that have a value without a confidence.
    """

    lowest: Mapping[str, float]
    losses: Mapping[str, float]
    n: int
    unknown: tuple[str, ...]

    @classmethod
    def of(cls, values: Sequence[FieldValue], required: Sequence[str], promise: str) -> DocumentConfidence:
        """Compute the confidence in the values of a document, for a kind of promise."""
        by_field: dict[str, list[float | None]] = {}
        for value in values:
            by_field.setdefault(value.field, []).append(value.confidence)
        stated = {field: [p for p in confidences if p is not None] for field, confidences in by_field.items()}
        unknown = [field for field in required if field not in by_field]
        unknown += [field for field, confidences in by_field.items() if len(stated[field]) < len(confidences)]
        losses = {
            field: math.fsum(_loss(p, promise) for p in probabilities)
            for field, probabilities in stated.items()
            if probabilities
        }
        lowest = {field: min(probabilities) for field, probabilities in stated.items() if probabilities}
        return cls(lowest, losses, len(values), tuple(unknown))

    def score(self, promise: str) -> float:
        """Return the score of the document; NaN if a field is unknown or there are no values."""
        if self.unknown or not self.n:
            return math.nan
        return self.loss_score(math.fsum(self.losses.values()), promise)

    def loss_score(self, loss: float, promise: str) -> float:
        """Return the score of a document with this sum of losses."""
        return math.exp(-loss) if promise == DOCUMENTS else 1.0 - loss / self.n

    def fields_to_show(self, threshold: float, promise: str) -> tuple[str, ...]:
        """Return the unknown fields, and as few others as possible so that the remaining fields reach the threshold."""
        losses = {field: loss for field, loss in self.losses.items() if field not in self.unknown}
        shown = list(self.unknown)
        for field in sorted(losses, key=lambda field: -losses[field]):
            if self.n and self.loss_score(math.fsum(losses.values()), promise) >= threshold:
                break
            shown.append(field)
            del losses[field]
        return tuple(shown)


def _loss(p: float, promise: str) -> float:
    if promise == DOCUMENTS:
        return -math.log(p) if p > 0.0 else math.inf
    return 1.0 - p


@dataclass(frozen=True, slots=True)
class FiledAt:
    """What a threshold accepts without review: the numbers of documents, of values, and of wrong values among them.

    threshold: None if no threshold keeps the guarantee. needed: without a threshold, the number of checked documents
    that would probably be enough, or None if more documents would not help.
    """

    threshold: float | None
    documents: int
    values: int
    wrong: int
    needed: int | None = None


def required_fields(values: CheckedValues) -> tuple[str, ...]:
    """Return the fields that at least 90% of the checked documents have.

    A document that lacks a required field is always shown to a person.
    """
    predicted = np.unique(np.stack([values.document, values.field])[:, values.predicted], axis=1)
    counts = np.bincount(predicted[1], minlength=len(values.fields))
    least = REQUIRED_SHARE * len(values.documents)
    return tuple(field for field, count in zip(values.fields, counts.tolist(), strict=True) if count >= least)


def document_confidences(values: CheckedValues, required: Sequence[str], promise: str) -> list[DocumentConfidence]:
    by_document: list[list[FieldValue]] = [[] for _ in values.documents]
    for row in np.flatnonzero(values.predicted).tolist():
        p = float(values.confidence[row])
        by_document[int(values.document[row])].append(
            FieldValue(values.path[row], values.value[row], None if math.isnan(p) else p)
        )
    return [DocumentConfidence.of(in_document, required, promise) for in_document in by_document]


def document_threshold(
    values: CheckedValues,
    confidences: Sequence[DocumentConfidence],
    promise: str,
    *,
    risk: float,
    delta: float,
    checked: int,
) -> FiledAt:
    """Return the lowest threshold of document scores that keeps a promise about values or documents.

    checked: number of checked documents, including those to which recalibration maps were fitted.
    """
    scores = np.array([confidence.score(promise) for confidence in confidences])
    n, wrong = _counts(values.document, len(scores)), _counts(values.document[~values.right], len(scores))
    is_about_documents = promise == DOCUMENTS
    tested = RankedDocuments.of(scores, n > 0 if is_about_documents else n, wrong > 0 if is_about_documents else wrong)
    count = lowest_count(tested, risk=risk, delta=delta)
    return _filed_at(
        tested.threshold(count), scores, n, wrong, needed=partial(tested.times_needed, risk, delta), checked=checked
    )


def _counts(documents: Integers, n: int) -> Floats:
    return np.bincount(documents, minlength=n).astype(np.float64)


def _filed_at(
    threshold: float | None,
    scores: Floats,
    n: Floats,
    wrong: Floats,
    *,
    needed: Callable[[], float | None],
    checked: int,
) -> FiledAt:
    """Return what a threshold accepts; without one, the number of checked documents that would be needed."""
    if threshold is None:
        times = needed()
        return FiledAt(None, 0, 0, 0, None if times is None else _rounded_up(times * checked))
    filed = (scores >= threshold) & (n > 0)
    return FiledAt(threshold, int(filed.sum()), int(n[filed].sum()), int(wrong[filed].sum()))


def _rounded_up(needed: float) -> int:
    unit = 10 ** max(int(math.log10(max(needed, 1))) - 1, 0)
    return int(math.ceil(needed / unit) * unit)


def field_thresholds(
    values: CheckedValues, confidences: Sequence[DocumentConfidence], *, risk: float, delta: float, checked: int
) -> dict[str, FiledAt]:
    """Return the lowest threshold of each field that keeps a guarantee about all fields simultaneously.

    checked: see `document_threshold`.
    """
    columns = {field: _field_columns(values, confidences, field_code) for field_code, field in enumerate(values.fields)}
    documents = {field: RankedDocuments.of(*field_columns) for field, field_columns in columns.items()}
    counts = lowest_counts(documents, risk=risk, delta=delta)
    level = delta / len(columns)
    return {
        field: _filed_at(
            documents[field].threshold(counts[field]),
            *columns[field],
            needed=partial(documents[field].times_needed, risk, level),
            checked=checked,
        )
        for field in columns
    }


def _field_columns(
    values: CheckedValues, confidences: Sequence[DocumentConfidence], field_code: int
) -> tuple[Floats, Floats, Floats]:
    """Return for each document its score in a field, and its numbers of values and of wrong values of the field.

    The score is the lowest confidence of the field in the document. It is 1 for a field that is neither predicted nor
    required, because a document is not shown for lack of such a field; it is NaN if the field is unknown.
    """
    field = values.fields[field_code]
    lowest = [math.nan if field in c.unknown else c.lowest.get(field, 1.0) for c in confidences]
    rows = values.field == field_code
    n, wrong = (_counts(values.document[some], len(lowest)) for some in (rows, rows & ~values.right))
    return np.array(lowest), n, wrong
