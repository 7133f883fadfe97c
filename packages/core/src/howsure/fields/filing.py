"""Scores of documents, and thresholds above which documents are filed, that is, accepted without a check by a person.

The score of a document is a fixed function of the confidences of its values, so that the true values determine only the
thresholds. There are three kinds of promises. Each is broken with probability at most delta:

    values at most the proportion `risk` of the values in filed documents is wrong. Score: the mean confidence.
    documents at most the proportion `risk` of the filed documents has a wrong value. Score: the product of confidences.
    fields     at most the proportion `risk` of the filed values of each field is wrong, in all fields simultaneously.
               Each field has its own threshold, for the lowest confidence of its values in a document.

The tests are those of `selective_threshold` (Learn then Test): rows are values and clusters are documents. If the
promise is about fields, delta is divided equally between the fields. If all thresholds of a field pass, its part of
delta is added to the parts of the other fields (Bretz et al. 2009: fixed sequences in a graph, which controls the
family-wise error).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from howsure.data.structured.json_values import FieldValue
from howsure.fields.checked_values import CheckedValues, Flags, document_clusters
from howsure.inputs.pairs import Floats, Pairs
from howsure.selective.kept_answers import Kept
from howsure.selective.ranked_answers import ranked
from howsure.selective.threshold import answers_needed, candidate_tests, fallback, start_weights, threshold_tests

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
    """Return the confidence in each checked document."""
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
    if promise == DOCUMENTS:
        wrong = np.bincount(values.document, ~values.right, minlength=len(scores)) > 0
        can_file = ~np.isnan(scores)
        if not can_file.any():
            return FiledAt(None, 0, 0, 0)
        pairs = Pairs((~wrong[can_file]).astype(np.uint8), scores[can_file])
        filed = _filed(pairs, np.flatnonzero(can_file), risk=risk, delta=delta, checked=checked)
        in_filed = (scores >= (math.inf if filed.threshold is None else filed.threshold))[values.document]
        return replace(filed, values=int(in_filed.sum()), wrong=int((~values.right[in_filed]).sum()))
    row_scores = scores[values.document]
    can_file = ~np.isnan(row_scores)
    if not can_file.any():
        return FiledAt(None, 0, 0, 0)
    documents = values.document[can_file]
    pairs = Pairs(values.right[can_file].astype(np.uint8), row_scores[can_file], clusters=documents)
    return _filed(pairs, documents, risk=risk, delta=delta, checked=checked)


def _filed(pairs: Pairs, documents: np.typing.NDArray[np.int64], *, risk: float, delta: float, checked: int) -> FiledAt:
    """Return the lowest threshold that passes the tests, or the number of documents needed if none does."""
    if len(np.unique(documents)) < 2:
        return FiledAt(None, 0, 0, 0)
    ranks = ranked(pairs)
    tests = threshold_tests(ranks, risk=risk, delta=delta, unseen=True)
    passed = np.flatnonzero(tests.passed)
    if not len(passed):
        needed = answers_needed(ranks, risk=risk, delta=delta, unseen=True)
        return FiledAt(None, 0, 0, 0, None if needed is None else _rounded_up(needed * checked / ranks.total))
    best = int(passed[-1])
    return _filed_at(float(tests.kept.threshold[best]), pairs, documents)


def _filed_at(threshold: float, pairs: Pairs, documents: np.typing.NDArray[np.int64]) -> FiledAt:
    filed = pairs.probabilities >= threshold
    return FiledAt(threshold, len(np.unique(documents[filed])), int(filed.sum()), int((pairs.labels[filed] == 0).sum()))


def _rounded_up(needed: float) -> int:
    """Round up to two digits."""
    unit = 10 ** max(int(math.log10(max(needed, 1))) - 1, 0)
    return int(math.ceil(needed / unit) * unit)


def field_thresholds(
    values: CheckedValues, confidences: Sequence[DocumentConfidence], *, risk: float, delta: float, checked: int
) -> dict[str, FiledAt]:
    """Return the lowest threshold of each field that keeps a guarantee about all fields simultaneously.

    checked: see `document_threshold`.
    """
    pairs_by_field = {
        field: _field_pairs(values, confidences, field_code) for field_code, field in enumerate(values.fields)
    }
    level = delta / len(pairs_by_field)
    tests: dict[str, tuple[Kept, Floats]] = {}
    for field, (pairs, documents) in pairs_by_field.items():
        if len(np.unique(documents)) > 1:
            kept, p = candidate_tests(ranked(pairs), risk=risk, delta=level, unseen=True)
            if len(p):
                tests[field] = (kept, p)
    passed = passing_thresholds({field: p for field, (_, p) in tests.items()}, delta)
    thresholds = {}
    for field, (pairs, documents) in pairs_by_field.items():
        passing = np.flatnonzero(passed.get(field, np.zeros(0, dtype=np.bool_)))
        if len(passing):
            thresholds[field] = _filed_at(float(tests[field][0].threshold[passing[-1]]), pairs, documents)
            continue
        needed = None
        if len(np.unique(documents)) > 1:
            needed = answers_needed(ranked(pairs), risk=risk, delta=level, unseen=True)
        documents_needed = None if needed is None else _rounded_up(needed * checked / len(pairs))
        thresholds[field] = FiledAt(None, 0, 0, 0, documents_needed)
    return thresholds


def passing_thresholds(p_values: Mapping[str, Floats], delta: float) -> dict[str, Flags]:
    """Return by field which thresholds pass. The probability that any threshold passes falsely is at most delta.

    p_values: for each field, the p-values of its thresholds, the strictest threshold first. Each field starts with an
    equal part of delta. If all thresholds of a field pass, its part is added to the parts of the other fields.

    >>> p = {"total": np.array([0.001]), "date": np.array([0.03])}
    >>> {field: passed.tolist() for field, passed in passing_thresholds(p, 0.05).items()}
    {'total': [True], 'date': [True]}
    """
    passed: dict[str, Flags] = {}
    active = list(p_values)
    while active:
        level = delta / len(active)
        for field in active:
            p = p_values[field]
            passed[field] = fallback(p, level * start_weights(len(p)))[1]
        done = [field for field in active if passed[field].all()]
        if not done:
            break
        active = [field for field in active if field not in done]
    return passed


def _field_pairs(
    values: CheckedValues, confidences: Sequence[DocumentConfidence], field_code: int
) -> tuple[Pairs, np.typing.NDArray[np.int64]]:
    """Return the values of a field as pairs (right, confidence), and their documents.

    The confidence is the lowest confidence of the field in the document. It is 1 for a field that is neither predicted
    nor required, because a document is not shown for lack of such a field.
    """
    field = values.fields[field_code]
    lowest = np.array(
        [math.nan if field in confidence.unknown else confidence.lowest.get(field, 1.0) for confidence in confidences]
    )
    row_scores = lowest[values.document]
    rows = (values.field == field_code) & ~np.isnan(row_scores)
    documents = values.document[rows]
    labels = values.right[rows].astype(np.uint8)
    return Pairs(labels, row_scores[rows], clusters=document_clusters(documents)), documents
