"""`check_fields`: check on new documents whether a filing policy still keeps its limit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from howsure.check.evidence import BELOW, Baseline, Entry, Evidence, MeanSummary, Rule, other_model
from howsure.check.scores import notes_on
from howsure.check.verdicts import Check, Found, check_size, decide
from howsure.errors import InputError
from howsure.fields.checked_values import CheckedValues, Flags, check_values, document_clusters, read_values
from howsure.fields.filing import DOCUMENTS, FIELDS
from howsure.fields.policy import FilingPolicy, check_policy, documents_digest, filed_values, policy_warnings
from howsure.inputs.arguments import check_arguments
from howsure.inputs.frames import Source
from howsure.inputs.pairs import Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.notes import FINDING, WARNING, Note
from howsure.stats.clusters import ItemGroups
from howsure.stats.mean_score import mean_score

KIND = "fields"
QUANTITIES = {FIELDS: "wrong share of filed values", DOCUMENTS: "share of filed documents with a wrong value"}
SAME_DOCUMENTS = Note(
    "The policy was made from documents with the same ids, so this check is too optimistic. Use other documents with "
    "true values.",
    WARNING,
)
CHANGES = "number of changed models and questions"
QUANTITY = "wrong share of values in filed documents"


@dataclass(frozen=True, slots=True)
class Changed:
    """The number of changed models and questions, which is known exactly: p-values are 0 or 1."""

    value: float

    def p_below(self, limit: float) -> float:
        """Return the p-value for "below the limit": 1 if the number is at least the limit, else 0."""
        return float(self.value >= limit)

    def p_above(self, limit: float) -> float:
        """Return the p-value for "above the limit": 1 if the number is at most the limit, else 0."""
        return float(self.value <= limit)

    def bounds(self, size: float) -> tuple[float, float]:
        """Return the number itself as both bounds."""
        return self.value, self.value

    def rows_needed(self, limit: float, size: float) -> int | None:
        """Return None, because further rows cannot change the verdict."""
        return None


def check_fields(
    policy: FilingPolicy,
    *,
    document: ArrayLike | str | None = None,
    field: ArrayLike | str | None = None,
    value: ArrayLike | str | None = None,
    confidence: ArrayLike | str | None = None,
    gold: ArrayLike | str | Source | None = None,
    against: Baseline | None = None,
    not_worse_than: float | None = None,
    name: str = KIND,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> Check:
    """Check on new documents whether a filing policy still keeps its limit: pass, fail, or cannot tell.

    policy: a policy made by `evaluate_fields(max_risk=...)`.
    document (n,): the document of each value.
    field (n,): the field of each value, such as total or items[0].price.
    value (n,): the predicted values; missing or null if the field was not predicted.
    confidence (n,): the probability of each value; computed from logprobs if the data are responses with logprobs.
    gold (n,): the true values; or files of true values by document.
    against: the `Baseline` of an earlier check.
    not_worse_than: the proportion of wrong values may exceed that of `against` by less than this.
    name: name of the check in files, baselines and the history.

    The documents must have been checked by a person after the policy was made. Only values and documents that the
    policy files are evaluated; `file_documents(audit=...)` draws a random sample of them for this purpose. The check
    also fails if the values come from a model that the policy was not made for, or if the text of a question has
    changed.

    >>> import numpy as np
    >>> from howsure.fields import evaluate_fields
    >>> rng = np.random.default_rng(0)
    >>> p = rng.beta(30, 1, 1000)
    >>> value = np.where(rng.random(1000) < p, "a", "b")
    >>> values = {"document": np.arange(1000), "field": ["total"] * 1000, "value": value, "confidence": p}
    >>> policy = evaluate_fields(**values, gold=["a"] * 1000, max_risk=0.05).policy
    >>> [check_fields(policy, **values, gold=[true] * 1000).outcome for true in ("a", "c")]
    ['pass', 'fail']

    Raises InputError naming the file, parameter, row and value that violated a rule.
    """
    check_arguments(check_fields, locals())
    level = check_size(level)
    check_policy(policy)
    other_model(None, None, not_worse_than, baseline=against is not None)
    raw = read_values(document, field, value, confidence, gold, data, compare=policy.compare, choices=policy.choices)
    values = check_values(raw, policy.compare)
    quantity = QUANTITIES.get(policy.promise, QUANTITY)
    rule = Rule(name, quantity, BELOW, policy.risk, unit="document" if policy.promise == DOCUMENTS else "value")
    evidence, entries = [], []
    for group, wrong, clusters in _filed(values, policy):
        test = mean_score(wrong, ItemGroups.of(len(wrong), clusters=clusters), bounds=(0.0, 1.0), n=len(wrong))
        entries.append(Entry(name, group, MeanSummary.of(test, len(wrong)), {"max_risk": policy.risk}))
        evidence.append(Evidence(rule, group, len(wrong), test, (), partial(notes_on, wrong, clusters, test, rule)))
    changes = [*policy.served.changes(raw.served)]
    if not evidence and not changes:
        raise InputError(
            "the policy sends all of these documents to review, so its guarantee cannot be checked. Give documents "
            "that it accepts."
        )
    if against is not None:
        compared = Rule(
            name, f"difference of the {quantity}", BELOW, float(not_worse_than or 0), against.name, of=quantity
        )
        evidence = [*evidence, *against.evidence(entries, compared)]
    recipe = {"check": name, **values.provenance, "max_risk": policy.risk, "promise": policy.promise}
    recipe |= {"not_worse_than": not_worse_than}
    notes = [*policy_warnings(policy, raw.served), *values.notes]
    if changes:
        evidence.insert(0, Evidence(Rule(name, CHANGES, BELOW, 0.5), None, len(changes), Changed(float(len(changes)))))
        notes += [Note(f"{change[0].upper()}{change[1:]}.", FINDING) for change in changes]
    if policy.recipe.get("documents_sha256") == documents_digest(values.documents):
        notes.insert(0, SAME_DOCUMENTS)
    evidence_of_check = Found(name, tuple(evidence), recipe, tuple(notes), tuple(entries))
    return decide([evidence_of_check], level=level)


def _filed(values: CheckedValues, policy: FilingPolicy) -> list[tuple[str | None, Any, Integers | None]]:
    """Return (field, errors, clusters) of what a policy files.

    errors: 1 for each filed value, or filed document, that is wrong, else 0. clusters: the document of each value; None
    if no document has several. There is one entry per field if the promise is about fields, otherwise one entry for all
    values (field None).
    """
    is_filed = filed_values(values, policy)
    if policy.promise == FIELDS:
        groups = [(name, is_filed & (values.field == code)) for code, name in enumerate(values.fields)]
        return [(name, *_wrong(values, rows)) for name, rows in groups if rows.any()]
    if not is_filed.any():
        return []
    if policy.promise == DOCUMENTS:
        wrong = np.bincount(values.document[is_filed], ~values.right[is_filed], minlength=len(values.documents)) > 0
        return [(None, wrong[np.unique(values.document[is_filed])].astype(np.float64), None)]
    return [(None, *_wrong(values, is_filed))]


def _wrong(values: CheckedValues, rows: Flags) -> tuple[Any, Integers | None]:
    return (~values.right[rows]).astype(np.float64), document_clusters(values.document[rows])
