"""Filing policies, which decide which documents are filed: their files, and their decisions on new documents."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.data.structured.json_values import FieldValue
from howsure.data.structured.served import UNKNOWN, Served
from howsure.errors import InputError
from howsure.fields.checked_values import CheckedValues, Flags
from howsure.fields.filing import DOCUMENTS, FIELDS, PROMISES, VALUES, DocumentConfidence, document_confidences
from howsure.fields.recalibration import recalibrated_values
from howsure.files.atomic_write import Place
from howsure.files.serialization import Head, SavedState, load, save
from howsure.inputs.numbers_and_names import counted, share_text, shortened
from howsure.notes import WARNING, Note
from howsure.recalibration.results import RecalibrationMap
from howsure.result import Result
from howsure.show.table import COUNT, FLAG, NUMBER, WORDS, Column

FIRST_POLICY = "policy"  # recipe key of a second-step policy: the digest of the first policy's documents
CHECKED = "checked_documents"  # recipe key with recalibration: number of documents for both maps and thresholds
AFTER_ANOTHER = "This policy is the second of two steps: its promise applies only to what the first policy files."
LIKE = "policy.json"
STATE = SavedState(
    Head(
        "howsure filing policy",
        1,
        ("format", "version"),
        "the policy",
        "this is not a filing policy: `evaluate_fields(max_risk=...)` makes one, and its method `save` writes it.",
    ),
    "Restore a copy, or write the policy again.",
)
PROMISED = {
    VALUES: "of the values in filed documents, at most {risk:g} are wrong",
    DOCUMENTS: "of the filed documents, at most {risk:g} contain a wrong value",
    FIELDS: "of the filed values of each field, at most {risk:g} are wrong",
}
SCORES = {VALUES: "mean confidence", DOCUMENTS: "product of the confidences"}


@dataclass(frozen=True, slots=True)
class PolicyField:
    """A field in a policy.

    required: whether a document without this field is always shown. The other attributes are used for promises about
    fields. threshold: the lowest confidence at which the field is filed; None if its values are always shown. filed,
    wrong: numbers of checked values that would be filed, and of wrong values among these. needed: number of checked
    documents that would probably be enough for a threshold.
    """

    field: str
    required: bool
    threshold: float | None = None
    filed: int = 0
    wrong: int = 0
    needed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FilingPolicy(Result):
    """A policy that decides which documents are filed without review; made by `evaluate_fields(max_risk=...)`.

    promise, risk, delta: with probability of at least 1 - delta, at most the proportion `risk` of the filed values or
    documents is wrong; see `howsure.fields.filing` for the kinds of promises. threshold: the lowest score of a filed
    document; None if nothing can be guaranteed, or if the promise is about fields, which have their own thresholds.
    documents: number of checked documents; filed_documents, filed_values, wrong_values: how many of them and of their
    values would be filed, and how many of these values are wrong. fields: the fields of the checked documents. compare:
    how values were compared. choices: the possible values of fields with known choices. recalibration: the
    recalibration maps, if any. served: the models and questions for which the policy is valid. needed: see
    `PolicyField`.
    """

    promise: str
    risk: float
    delta: float
    threshold: float | None
    fields: tuple[PolicyField, ...]
    documents: int
    filed_documents: int
    filed_values: int
    wrong_values: int
    needed: int | None
    compare: Mapping[str, str]
    choices: Mapping[str, Sequence[str]]
    recalibration: RecalibrationMap | None = None
    served: Served = UNKNOWN
    notes: tuple[str, ...] = ()
    recipe: Mapping[str, Any]

    title = "Filing policy"

    @property
    def required(self) -> list[str]:
        """The fields that a filed document must have."""
        return [row.field for row in self.fields if row.required]

    @property
    def is_empty(self) -> bool:
        """Whether nothing can be promised."""
        return self.threshold is None and all(row.threshold is None for row in self.fields)

    @property
    def promised(self) -> str:
        """The promise in words."""
        return f"{PROMISED[self.promise].format(risk=self.risk)} (with probability {1 - self.delta:g})"

    @property
    def rule(self) -> str:
        """A sentence on when a document is filed; empty if no document is filed, or if the promise is about fields."""
        if self.threshold is None:
            return ""
        return f"A document is filed if the {SCORES[self.promise]} of its values is at least {self.threshold:.4f}."

    @property
    def answer(self) -> str:
        """A sentence on the documents that can be filed, or on the number of checked documents that is needed."""
        if self.is_empty:
            needed = [row.needed for row in self.fields] if self.promise == FIELDS else [self.needed]
            counts = [n for n in needed if n is not None]
            more = (
                f"about {min(counts):,} checked documents like these would suffice"
                if counts
                else "the most confident values are wrong too often, so more checked documents would not help"
            )
            checked = counted(int(self.recipe.get(CHECKED, self.documents)), "checked document")
            halves = "" if self.recalibration is None else " (half of them are used for recalibration)"
            return f"No document can be filed without a person with {checked}{halves}; {more}."
        fields = [row.field for row in self.fields if row.threshold is not None]
        if self.promise == FIELDS and len(fields) < len(self.fields):
            return (
                f"{len(fields)} of {counted(len(self.fields), 'field')} can be filed without a person, "
                f"{shortened(fields, limit=4)}: {self.promised}."
            )
        return (
            f"{self.filed_documents:,} of {counted(self.documents, 'document')}, "
            f"{share_text(self.filed_documents, self.documents)}, can be filed without a person: {self.promised}."
        )

    def columns(self) -> Sequence[Column]:
        """The fields, with their thresholds if the promise is about fields."""
        of_fields = self.promise == FIELDS
        return [
            Column("field", WORDS),
            Column("required", FLAG),
            *(
                [
                    Column("threshold", NUMBER),
                    Column("filed", COUNT),
                    Column("wrong", COUNT),
                    Column("needed", COUNT, "documents needed"),
                ]
                if of_fields
                else []
            ),
        ]

    def table_rows(self) -> Sequence[object]:
        """The fields."""
        return self.fields

    @property
    def description(self) -> str:
        """Empty, because the table is printed."""
        return ""

    def save(self, path: Place) -> None:
        """Write the policy to a file for `load`, replacing an existing one."""
        save(STATE.text(self._state()).encode(), path, like=LIKE)

    @classmethod
    def load(cls, path: Place) -> FilingPolicy:
        """Read a policy that `save` wrote.

        Raises InputError if the file does not exist, was changed or cut off, or is of another version.
        """
        return load(path, cls.from_json, like=LIKE, what="filing policy")

    def _state(self) -> dict[str, Any]:
        state = self.to_dict()
        return {name: state[name] for name in STATE_KEYS}

    @classmethod
    def from_json(cls, text: str | bytes) -> FilingPolicy:
        """Parse the JSON text of a policy's file.

        Raises InputError if it was changed or cut off, or is of another version.
        """
        with STATE.content(text) as state:
            fields = tuple(
                PolicyField(
                    field=_typed(row["field"], str),
                    required=_typed(row["required"], bool),
                    threshold=_share(row["threshold"]),
                    filed=_typed(row["filed"], int),
                    wrong=_typed(row["wrong"], int),
                    needed=_typed(row["needed"], int, type(None)),
                )
                for row in state["fields"]
            )
            policy = cls(
                promise=_typed(state["promise"], str),
                risk=_typed(state["risk"], float),
                delta=_typed(state["delta"], float),
                threshold=_share(state["threshold"]),
                fields=fields,
                **{name: _typed(state[name], int) for name in COUNTS},
                needed=_typed(state["needed"], int, type(None)),
                compare={str(k): _typed(v, str) for k, v in _typed(state["compare"], dict).items()},
                choices={
                    str(k): [_typed(c, str) for c in _typed(v, list)] for k, v in _typed(state["choices"], dict).items()
                },
                recalibration=_recalibration(state.get("recalibration")),
                served=_served(state.get("served")),
                recipe=_typed(state["recipe"], dict),
            )
            if policy.promise not in PROMISES or not fields or len({row.field for row in fields}) < len(fields):
                raise ValueError("its promise or its fields are not valid")
        return policy


def check_policy(policy: object) -> None:
    """Raise InputError if an object is not a filing policy."""
    if not isinstance(policy, FilingPolicy):
        raise InputError("{parameter} must be a FilingPolicy; FilingPolicy.load reads one from a file.", "policy")


def check_served(policy: FilingPolicy, served: Served) -> None:
    """Raise InputError if values come from another model, or from another question, than those of the policy."""
    if changes := [*policy.served.changes(served)]:
        raise InputError(
            f"the guarantee of the policy does not apply: {'; '.join(changes)}. Have documents with the new answers "
            "checked, and make a policy from them."
        )


def policy_warnings(policy: FilingPolicy, served: Served) -> list[str]:
    """Return warnings on the limits of a policy's promise, and on models or questions that cannot be compared."""
    warnings = [AFTER_ANOTHER] if FIRST_POLICY in policy.recipe else []
    return [Note(text, WARNING) for text in [*warnings, *policy.served.not_compared(served)]]


def documents_digest(names: Sequence[str]) -> str:
    """Return a checksum of the names of documents, independent of their order."""
    return hashlib.sha256(json.dumps(sorted(names)).encode()).hexdigest()


def fields_to_show(policy: FilingPolicy, values: Sequence[FieldValue]) -> tuple[tuple[str, ...], float]:
    """Return the fields of a document that a person must check (none if it is filed), and the document's score."""
    names = {row.field for row in policy.fields}
    of_policy = [value for value in values if value.field in names]
    return select_fields(policy, DocumentConfidence.of(of_policy, policy.required, policy.promise))


def select_fields(policy: FilingPolicy, confidence: DocumentConfidence) -> tuple[tuple[str, ...], float]:
    """Return the result of `fields_to_show`, for the confidence in a document."""
    score = confidence.score(policy.promise)
    everything = tuple(row.field for row in policy.fields)
    if policy.promise == FIELDS:
        return fields_below(policy, confidence), score
    if policy.threshold is None or not confidence.n:
        return everything, score
    return (() if score >= policy.threshold else confidence.fields_to_show(policy.threshold, policy.promise)), score


def filed_values(values: CheckedValues, policy: FilingPolicy) -> Flags:
    """Return for each checked value (n,) whether the policy files its document or, with promise "fields", the value."""
    if policy.recalibration is not None:
        values = recalibrated_values(values, policy.recalibration)
    confidences = document_confidences(values, policy.required, policy.promise)
    shown = [select_fields(policy, confidence)[0] for confidence in confidences]
    if policy.promise != FIELDS:
        return np.array([not fields for fields in shown])[values.document]
    codes = zip(values.document.tolist(), values.field.tolist(), strict=True)
    return np.array([values.fields[field] not in shown[document] for document, field in codes])


def fields_below(policy: FilingPolicy, confidence: DocumentConfidence) -> tuple[str, ...]:
    """Return the fields that must be shown: unknown ones, those below their thresholds, and those without a threshold.

    Fields without a threshold are included even if nothing was predicted. For a document without values, all fields
    are returned.
    """
    if not confidence.n:
        return tuple(row.field for row in policy.fields)
    thresholds = {row.field: row.threshold for row in policy.fields if row.threshold is not None}
    low = [field for field, lowest in confidence.lowest.items() if lowest < thresholds.get(field, math.inf)]
    never_filed = [row.field for row in policy.fields if row.threshold is None]
    return tuple(dict.fromkeys([*confidence.unknown, *low, *never_filed]))


COUNTS = ("documents", "filed_documents", "filed_values", "wrong_values")
PROMISE_KEYS = ("promise", "risk", "delta", "threshold", "fields")
STATE_KEYS = (*PROMISE_KEYS, *COUNTS, "needed", "compare", "choices", "recalibration", "served", "recipe")


def _typed(value: Any, *kinds: type) -> Any:
    if type(value) not in kinds:
        raise TypeError(f"{value!r:.40} is not {' or '.join(kind.__name__ for kind in kinds)}")
    return value


def _recalibration(state: Any) -> RecalibrationMap | None:
    return None if state is None else RecalibrationMap.from_json(json.dumps(_typed(state, dict)))


def _served(state: Any) -> Served:
    if state is None:
        return UNKNOWN
    questions = {str(name): _typed(digest, str) for name, digest in _typed(state["questions"], dict).items()}
    return Served(tuple(_typed(model, str) for model in _typed(state["models"], list)), questions)


def _share(value: Any) -> float | None:
    if value is not None and not (type(value) is float and 0.0 <= value <= 1.0):
        raise TypeError(f"{value!r:.40} is not a threshold")
    return value
