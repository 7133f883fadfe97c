"""`evaluate_fields`: the accuracy of each extracted field, and a policy for filing documents without a person."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from howsure import __version__
from howsure.calibration.calibration_errors import estimate_error
from howsure.errors import InputError
from howsure.fields.checked_values import CheckedValues, Flags, check_values, document_clusters, read_values
from howsure.fields.equality import equality_summary
from howsure.fields.field_results import FieldRow, FieldTable, FilingCurve, WrongValue, WrongValues
from howsure.fields.filing import (
    FIELDS,
    PROMISES,
    document_confidences,
    document_threshold,
    field_thresholds,
    required_fields,
)
from howsure.fields.policy import (
    CHECKED,
    FIRST_POLICY,
    FilingPolicy,
    PolicyField,
    check_policy,
    check_served,
    documents_digest,
    fields_below,
    filed_values,
    policy_warnings,
)
from howsure.fields.recalibration import field_map, halves, recalibrated_values
from howsure.inputs.arguments import check_arguments
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_integer, check_level, counted, is_number, part_of
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.notes import DETAIL, FINDING, WARNING, Note
from howsure.recalibration.binary_maps import Unchanged
from howsure.recalibration.map_input import separate_generator
from howsure.recalibration.results import RecalibrationMap
from howsure.result import Estimate
from howsure.selective.ranked_answers import estimate_auroc, ranked
from howsure.stats.clusters import ItemGroups
from howsure.stats.mean_score import mean_score

MIN_FOR_CALIBRATION = 2
SECOND_STEP = "The new policy applies only to what the first policy files."
SEED = 0  # seed of the random division of documents into two halves
PROMISE_NOTE = (
    "The promise applies to filed documents, and assumes that future documents resemble the checked documents."
)


def evaluate_fields(
    *,
    document: ArrayLike | str | None = None,
    field: ArrayLike | str | None = None,
    value: ArrayLike | str | None = None,
    confidence: ArrayLike | str | None = None,
    gold: ArrayLike | str | Source | None = None,
    compare: Mapping[str, str] | None = None,
    choices: Mapping[str, Sequence[str]] | None = None,
    policy: FilingPolicy | None = None,
    max_risk: float | None = None,
    delta: float = 0.1,
    promise: Literal["values", "documents", "fields"] = "values",
    recalibrate: bool = False,
    worst: int | None = None,
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> FieldTable:
    """Evaluate extracted fields: accuracy, quality of confidences, and which documents can be filed without review.

    document (n,): the document of each value.
    field (n,): the field of each value, such as total or items[0].price.
    value (n,): the predicted values; missing or null if the field was not predicted.
    confidence (n,): the probability of each value; computed from logprobs if the data are responses with logprobs.
    gold (n,): the true values; or files of true values by document.
    compare: by field, how values are compared: exact, text, number:0.01, date or set (default: what the true values
    are).
    choices: the possible values of closed fields, whose probabilities sum to 1.
    policy: a policy made from other documents, for the second step of a pipeline: only values that it files are
        evaluated.
    max_risk: compute a policy by which at most this proportion of the filed values or documents is wrong.
    delta: largest probability that this limit is exceeded.
    promise: what `max_risk` is a proportion of: values in filed documents, filed documents, or values of each field.
    recalibrate: fit recalibration maps by field to half of the documents; all results are from the other half.
    worst: list this many of the most confident wrong values.

    Data files contain responses of an API with JSON as their content, JSON objects by document, or a table. Elements of
    arrays are matched by position. A true value that was not predicted is wrong, and has no confidence.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> p = rng.beta(20, 1, 800)
    >>> gold, value = np.full(800, "a"), np.where(rng.random(800) < p, "a", "b")
    >>> document, field = np.repeat(np.arange(400), 2), np.tile(["total", "date"], 400)
    >>> columns = {"document": document, "field": field, "value": value, "confidence": p, "gold": gold}
    >>> table = evaluate_fields(**columns, max_risk=0.04)
    >>> table.policy.filed_documents, table.policy.filed_values, table.policy.wrong_values
    (328, 656, 18)

    Raises InputError naming the file, parameter, row and value that violated a rule.
    Sources: Learn then Test (Angelopoulos et al. 2021); Bretz et al. (2009) for all fields at once.
    """
    check_arguments(evaluate_fields, locals())
    level = check_level(level)
    _check_settings(max_risk, delta, promise)
    n_worst = None if worst is None else check_integer(worst, name="worst")
    checked_compare, checked_choices = _texts("compare", compare), _lists("choices", choices)
    raw = read_values(document, field, value, confidence, gold, data, compare=checked_compare, choices=checked_choices)
    values = check_values(raw, checked_compare)
    if policy is not None:
        check_policy(policy)
        check_served(policy, raw.served)
        values = _passed(values, policy, documents_digest([*raw.predicted]))
    recalibration, checked = None, len(values.documents)
    if recalibrate:
        for_maps, values = halves(values, separate_generator(SEED))
        fields = tuple(dict.fromkeys([*for_maps.fields, *values.fields]))
        recalibration = field_map(for_maps, fields, checked=checked)
        values = recalibrated_values(values, recalibration)
    recipe: dict[str, Any] = {"howsure": __version__, **values.provenance, "level": level}
    recipe["compare"] = {name: equality.written for name, equality in values.equalities.items()}
    recipe |= {} if policy is None else {FIRST_POLICY: policy.recipe.get("documents_sha256")}
    recipe |= {"recalibrate": True, "seed": SEED, CHECKED: checked} if recalibrate else {}
    rows = tuple(_row(values, place, level) for place in range(len(values.fields)))
    new_policy = None
    if max_risk is not None:
        policy_recipe = recipe | {"documents_sha256": documents_digest([*raw.predicted])}
        how: dict[str, Any] = {"choices": checked_choices, "recipe": policy_recipe}
        new_policy = filing_policy(values, promise, risk=max_risk, delta=delta, checked=checked, **how)
        new_policy = replace(new_policy, recalibration=recalibration, served=raw.served)
        if policy is not None:
            new_policy = replace(new_policy, notes=(Note(SECOND_STEP, WARNING), *new_policy.notes))
    notes = [] if policy is None else policy_warnings(policy, raw.served)
    notes += [Note(_never_predicted(row), WARNING) for row in rows if row.not_predicted == row.n]
    notes += [Note(equality_summary(values.equalities), DETAIL), *values.notes]
    if raw.served.aliases and max_risk is not None:
        names = ", ".join(raw.served.aliases)
        notes.append(
            Note(
                f"{names} is an alias of a model. If it later refers to another model, the policy cannot detect the "
                "change.",
                WARNING,
            )
        )
    if any("[" in path for path in values.path):
        notes.append(Note("Elements of arrays are matched by their position.", DETAIL))
    if recalibration is not None:
        notes[:0] = _recalibration_notes(recalibration, len(for_maps.documents), len(values.documents))
    return FieldTable(
        rows=tuple(rows),
        documents=len(values.documents),
        total=_accuracy(values, np.ones(len(values), dtype=np.bool_), level),
        policy=new_policy,
        recalibration=recalibration,
        worst=None if n_worst is None else worst_values(values, n_worst, recipe),
        curves=tuple(_curve(values, place) for place in range(len(values.fields))),
        notes=tuple(notes),
        recipe=recipe,
    )


def _passed(values: CheckedValues, policy: FilingPolicy, digest: str) -> CheckedValues:
    """Return the values that a policy files; refuse its own documents, on which the results would be too good."""
    if policy.recipe.get("documents_sha256") == digest:
        raise InputError("the policy was made from these documents. Use other documents to evaluate it.")
    is_filed = filed_values(values, policy)
    if not is_filed.any():
        raise InputError(
            "the policy sends all of these documents to review, so there is nothing to evaluate. Give documents that "
            "it accepts."
        )
    return values.select_values(is_filed)


def _never_predicted(row: FieldRow) -> str:
    return (
        f"{row.field} is never predicted, so all its true values count as wrong. If the model need not predict it, "
        "leave it out of the true values."
    )


def _recalibration_notes(recalibration: RecalibrationMap, fitted_to: int, others: int) -> list[Note]:
    results = f"{counted(fitted_to, 'document')}; the results are from the other {others:,}."
    if recalibration.method == Unchanged.method:
        is_possible = recalibration.choice is None or recalibration.choice.is_possible
        reason = "no recalibration map helps in" if is_possible else "no recalibration map can be fitted to"
        return [Note(f"Confidences are unchanged: {reason} {results}", FINDING)]
    maps = [f"{field} {a_b['a']:.4f}, {a_b['b']:.4f}" for field, a_b in recalibration.parameters.items()]
    return [
        Note(f"Recalibrated by field with {results}", FINDING),
        Note(f"Maps logit(p') = a + b logit(p), with a, b: {'; '.join(maps)}.", DETAIL),
    ]


def _check_settings(max_risk: float | None, delta: float, promise: str) -> None:
    """Raise InputError for a risk or probability that is not between 0 and 1, and for an unknown promise."""
    for name, value in {"max_risk": 0.5 if max_risk is None else max_risk, "delta": delta}.items():
        if not is_number(value) or not 0.0 < value < 1.0:
            raise InputError("not_between", name, value=value, low=0, high=1, remedy="Write 0.05 for 5%.")
    if promise not in PROMISES:
        raise InputError(
            "{parameter} must be one of {promises}; it is {value!r}",
            "promise",
            promises=", ".join(PROMISES),
            value=promise,
        )


def _texts(name: str, value: object) -> dict[str, str] | None:
    """Check a mapping of fields to strings, and return it as dict."""
    if value is None:
        return None
    if not isinstance(value, Mapping) or not all(isinstance(t, str) for pair in value.items() for t in pair):
        raise InputError("{parameter} must be a mapping of fields to strings; it is {value!r}", name, value=value)
    return dict(value)


def _lists(name: str, value: object) -> dict[str, list[str]]:
    """Check a mapping of fields to lists of strings, and return it as dict."""
    if value is None:
        return {}
    is_valid = isinstance(value, Mapping) and all(
        isinstance(field, str) and isinstance(texts, list | tuple) and texts and all(isinstance(t, str) for t in texts)
        for field, texts in value.items()
    )
    if not isinstance(value, Mapping) or not is_valid:
        raise InputError(
            "{parameter} must be a mapping of fields to lists of strings; it is {value!r}", name, value=value
        )
    return {field: list(texts) for field, texts in value.items()}


def _accuracy(values: CheckedValues, rows: Flags, level: float) -> Estimate:
    right = values.right[rows].astype(np.float64)
    groups = ItemGroups.of(len(right), clusters=document_clusters(values.document[rows]))
    mean = mean_score(right, groups, bounds=(0.0, 1.0))
    return Estimate(mean.value, *mean.interval(level), level=level, method=mean.method, n=len(right))


def _row(values: CheckedValues, field_code: int, level: float) -> FieldRow:
    rows = values.field == field_code
    pairs = values.pairs(rows)
    enough = len(pairs) >= MIN_FOR_CALIBRATION and (pairs.clusters is None or int(pairs.clusters.max()) > 0)
    unseen_probability = values.unseen[rows]
    unseen_probability = unseen_probability[~np.isnan(unseen_probability)]
    return FieldRow(
        field=values.fields[field_code],
        n=int(rows.sum()),
        not_predicted=int((rows & ~values.predicted).sum()),
        with_confidence=len(pairs),
        accuracy=_accuracy(values, rows, level),
        calibration_error=estimate_error(pairs, level=level) if enough else None,
        auroc=estimate_auroc(ranked(pairs), level=level) if enough else None,
        unseen=float(unseen_probability.mean()) if len(unseen_probability) else None,
    )


def _curve(values: CheckedValues, field_code: int) -> FilingCurve:
    rows = values.field == field_code
    confidence, right = values.confidence[rows], values.right[rows]
    has_confidence = ~np.isnan(confidence)
    order = np.argsort(-confidence[has_confidence], kind="stable")
    n = np.arange(1, int(has_confidence.sum()) + 1)
    ends = np.append(np.diff(confidence[has_confidence][order]) != 0, True) if len(n) else np.zeros(0, dtype=np.bool_)
    wrong = np.cumsum(~right[has_confidence][order])
    return FilingCurve(values.fields[field_code], n[ends] / len(right), wrong[ends] / n[ends])


def worst_values(values: CheckedValues, n: int, recipe: Mapping[str, Any]) -> WrongValues:
    """Return the n most confident wrong values; values without a confidence come last."""
    wrong = np.flatnonzero(~values.right)
    confidence = values.confidence[wrong]
    order = np.argsort(np.where(np.isnan(confidence), 1.0, -confidence), kind="stable")[:n]
    return WrongValues(
        rows=tuple(
            WrongValue(
                values.documents[values.document[row]],
                values.path[row],
                values.value[row],
                values.gold[row],
                None if math.isnan(values.confidence[row]) else float(values.confidence[row]),
            )
            for row in wrong[order].tolist()
        ),
        recipe=dict(recipe) | {"worst": n},
    )


def filing_policy(
    values: CheckedValues,
    promise: str,
    *,
    risk: float,
    delta: float,
    checked: int,
    choices: Mapping[str, Sequence[str]],
    recipe: Mapping[str, Any],
) -> FilingPolicy:
    """Return the policy that files as many documents as its guarantee allows. checked: see `document_threshold`."""
    if np.isnan(values.confidence).all():
        raise InputError(
            "no value has a confidence, so a policy cannot choose documents. Request logprobs from the model, or give "
            "a column of confidences."
        )
    required = required_fields(values)
    confidences = document_confidences(values, required, promise)
    how: dict[str, Any] = {
        "promise": promise,
        "risk": float(risk),
        "delta": float(delta),
        "documents": len(values.documents),
        "compare": {name: equality.written for name, equality in values.equalities.items()},
        "choices": choices,
        "notes": tuple(_policy_notes(confidences, len(values.documents))),
        "recipe": {**recipe, "max_risk": risk, "delta": delta, "promise": promise},
    }
    if promise != FIELDS:
        filed = document_threshold(values, confidences, promise, risk=risk, delta=delta, checked=checked)
        return FilingPolicy(
            threshold=filed.threshold,
            fields=tuple(PolicyField(field, field in required) for field in values.fields),
            filed_documents=filed.documents,
            filed_values=filed.values,
            wrong_values=filed.wrong,
            needed=filed.needed,
            **how,
        )
    thresholds = field_thresholds(values, confidences, risk=risk, delta=delta, checked=checked)
    rows = tuple(
        PolicyField(field, field in required, filed.threshold, filed.values, filed.wrong, filed.needed)
        for field, filed in thresholds.items()
    )
    policy = FilingPolicy(
        threshold=None, fields=rows, filed_documents=0, filed_values=0, wrong_values=0, needed=None, **how
    )
    is_filed = np.array([confidence.n > 0 and not fields_below(policy, confidence) for confidence in confidences])
    in_filed = is_filed[values.document]
    return replace(
        policy,
        filed_documents=int(is_filed.sum()),
        filed_values=int(in_filed.sum()),
        wrong_values=int((~values.right[in_filed]).sum()),
    )


def _policy_notes(confidences: Sequence[Any], n: int) -> list[str]:
    unknown = sum(bool(confidence.unknown) for confidence in confidences)
    notes = [Note(PROMISE_NOTE, DETAIL)]
    if unknown:
        notes.insert(
            0,
            Note(
                f"{part_of(unknown, n, 'document', 'lacks', 'lack')} a field or a confidence: not filed automatically.",
                WARNING,
            ),
        )
    return list(notes)
