"""`file_documents`: decide which new documents a policy files, and which fields of the others a person must check."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure import __version__
from howsure.data.structured.json_values import FieldValue
from howsure.errors import InputError
from howsure.fields.checked_values import read_values
from howsure.fields.policy import FilingPolicy, check_policy, check_served, fields_to_show, policy_warnings
from howsure.fields.recalibration import recalibrated
from howsure.inputs.arguments import Randomness, check_arguments, generator_from, seed_in_recipe
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_integer, counted
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.notes import DETAIL, Note
from howsure.result import Rows
from howsure.show.table import FLAG, FRAME, WORDS, Column, digits

FILE, SHOW = "file", "show"


@dataclass(frozen=True, slots=True)
class FilingDecision:
    """The decision on a document: "file", or "show" if a person must check some of its fields.

    show: the fields to check. score: the document's score, which the policy compares with its threshold. audit: whether
    the document is filed but was drawn at random for a check.
    """

    document: str
    decision: str
    show: tuple[str, ...]
    score: float
    audit: bool

    @property
    def text(self) -> str:
        """The decision as text: "file", or "show: total, date"."""
        return self.decision if self.decision == FILE else f"{SHOW}: {', '.join(self.show) or 'everything'}"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FilingDecisions(Rows[FilingDecision]):
    """The result of `file_documents`: a row per document, in the order of the data."""

    rows: tuple[FilingDecision, ...]
    promised: str
    notes: tuple[str, ...] = ()
    recipe: Mapping[str, Any]

    named = "document"
    title = "Filing decisions"

    def columns(self) -> Sequence[Column]:
        """The decision on each document."""
        has_audit = any(row.audit for row in self.rows)
        return [
            Column("document", WORDS),
            Column("score", digits(4)),
            Column("audit", FLAG, only="" if has_audit else FRAME),
            Column("decision", WORDS, get=lambda row: row.text),
        ]

    @property
    def answer(self) -> str:
        """The number of documents that are filed, and the promise."""
        filed = sum(row.decision == FILE for row in self.rows)
        return f"{filed:,} of {counted(len(self.rows), 'document')} can be filed: {self.promised}."

    def footnotes(self) -> Sequence[str]:
        """The notes, and to which documents the promise applies."""
        return [
            *self.notes,
            Note(
                "The promise applies to filed documents only, not to unchecked fields of the documents that are shown.",
                DETAIL,
            ),
        ]


def file_documents(
    policy: FilingPolicy,
    *,
    document: ArrayLike | str | None = None,
    field: ArrayLike | str | None = None,
    value: ArrayLike | str | None = None,
    confidence: ArrayLike | str | None = None,
    audit: int | None = None,
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> FilingDecisions:
    """Decide which documents can be filed without a person, and which fields of the other documents must be checked.

    policy: a policy made by `evaluate_fields(max_risk=...)`.
    document (n,): the document of each value.
    field (n,): the field of each value, such as total or items[0].price.
    value (n,): the predicted values; missing or null if the field was not predicted.
    confidence (n,): the probability of each value; computed from logprobs if the data are responses with logprobs.
    audit: draw this many filed documents at random, to be checked by a person.
    rng: seed of this draw.

    For a document that is not filed, the decision lists the smallest set of fields to check: if these are correct, the
    confidences of the other fields reach the policy's threshold.

    >>> import numpy as np
    >>> from howsure.fields import evaluate_fields
    >>> rng = np.random.default_rng(0)
    >>> p = rng.beta(20, 1, 300)
    >>> value = np.where(rng.random(300) < p, "a", "b")
    >>> checked = {"document": np.arange(300), "field": ["total"] * 300, "value": value, "confidence": p}
    >>> policy = evaluate_fields(**checked, gold=["a"] * 300, max_risk=0.08).policy
    >>> new = {"document": ["x", "y"], "field": ["total"] * 2, "value": ["a", "b"], "confidence": [0.99, 0.3]}
    >>> [(row.document, row.text) for row in file_documents(policy, **new)]
    [('x', 'file'), ('y', 'show: total')]

    Raises InputError naming the file, parameter, row and value that violated a rule.
    """
    check_arguments(file_documents, locals())
    check_policy(policy)
    n_audit = 0 if audit is None else check_integer(audit, name="audit")
    generator = generator_from(rng)
    predictions = read_values(
        document, field, value, confidence, None, data, compare=policy.compare, choices=policy.choices
    )
    check_served(policy, predictions.served)
    policy_fields = {row.field for row in policy.fields}
    if not any(value.field in policy_fields for values in predictions.predicted.values() for value in values.values()):
        raise InputError(
            f"no document has a field of the policy ({', '.join(sorted(policy_fields))}). Give documents with these "
            "fields."
        )
    shown = [
        fields_to_show(policy, _recalibrated(policy, [*values.values()])) for values in predictions.predicted.values()
    ]
    decisions = [FILE if not fields and not math.isnan(score) else SHOW for fields, score in shown]
    filed = [index for index, decision in enumerate(decisions) if decision == FILE]
    drawn = set(generator.choice(filed, min(n_audit, len(filed)), replace=False).tolist()) if filed else set()
    rows = tuple(
        FilingDecision(name, decisions[index], *shown[index], index in drawn)
        for index, name in enumerate(predictions.predicted)
    )
    recipe = {"howsure": __version__, **predictions.provenance, "promise": policy.promise, "max_risk": policy.risk}
    recipe |= {"audit": n_audit, "seed": seed_in_recipe(rng)} if n_audit else {}
    notes = (*policy_warnings(policy, predictions.served), *predictions.notes)
    return FilingDecisions(rows=rows, promised=policy.promised, notes=notes, recipe=recipe)


def _recalibrated(policy: FilingPolicy, values: Sequence[FieldValue]) -> Sequence[FieldValue]:
    """Return the values of a document with recalibrated confidences, if the policy has a recalibration map."""
    if policy.recalibration is None:
        return values
    before = np.array([math.nan if value.confidence is None else value.confidence for value in values])
    after = recalibrated(before, [value.field for value in values], policy.recalibration).tolist()
    return [
        value if value.confidence is None else replace(value, confidence=p)
        for value, p in zip(values, after, strict=True)
    ]
