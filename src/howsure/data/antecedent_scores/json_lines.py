"""Antecedent scores as JSON, one document per line."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from howsure.data.antecedent_scores.antecedent_scores import AntecedentScores
from howsure.errors import InputError, shown
from howsure.files.utf8 import parsed_json
from howsure.inputs.naming import nearest, shortened

NEEDED, OPTIONAL, PAIRS = ("id", "mentions", "scores", "null"), ("words", "text", "antecedents"), "pair_logits"


def record_of(line: bytes | str) -> dict[str, Any]:
    """The JSON object of a line.

    Raises InputError if it is none, or names no document.
    """
    try:
        record = parsed_json(line)
    except ValueError as error:
        raise InputError(f"it is no JSON ({error}); write one document per line.") from error
    if not isinstance(record, dict):
        raise InputError(f"it holds {type(record).__name__}, not an object; write one document {{…}} per line.")
    if "id" not in record:
        raise _missing("id", record)
    return {**record, "id": str(record["id"]) if type(record["id"]) is int else record["id"]}


def scores_from_json(record: dict[str, Any]) -> AntecedentScores:
    """The scores that a JSON object holds.

    Raises InputError naming the key that is missing or wrong.
    """
    if PAIRS in record and "scores" not in record:
        raise InputError(
            f"{PAIRS} say of each pair by itself whether it corefers; that is no distribution over antecedents, and "
            "defines no posterior over entities. Evaluate 1/(1 + exp(-logit)) as predictions of pairs, with "
            "calibration, or rename them to scores, with null 0: then the best antecedent is that of the model, and "
            "the probabilities are those of this reading."
        )
    for name in NEEDED:
        if record.get(name) is None:
            raise _missing(name, record)
    held = {name: record[name] for name in (*NEEDED, *OPTIONAL) if record.get(name) is not None}
    if not isinstance(record["scores"], list):
        raise InputError(f"scores must be a list with one row per mention; they are {shown(record['scores'])}.")
    held["scores"] = [_numbers(row, f"row {j} of scores") for j, row in enumerate(record["scores"])]
    if not isinstance(record["null"], str):
        null = record["null"]
        held["null"] = _numbers(null, "null") if isinstance(null, list) else _numbers([null], "null")[0]
    return AntecedentScores(**held)


def json_from_scores(scores: AntecedentScores) -> str:
    """A line of JSON; scores of earlier mentions only, where the others are -inf."""
    held: dict[str, Any] = {"id": scores.id}
    if scores.text is None:
        held["words"] = [list(sentence) for sentence in scores.words]
    else:
        held["text"] = scores.text
    held["mentions"] = scores.mentions.tolist()
    if scores.antecedents is not None:
        held["antecedents"] = [np.asarray(row).tolist() for row in scores.antecedents]
    rows = [np.asarray(row, dtype=np.float64) for row in scores.scores]
    m = len(rows)
    if scores.antecedents is None and all(len(r) == m and bool((r[j:] == -np.inf).all()) for j, r in enumerate(rows)):
        rows = [row[:j] for j, row in enumerate(rows)]
    held["scores"] = [[None if score == -np.inf else score for score in row.tolist()] for row in rows]
    held["null"] = scores.null if isinstance(scores.null, str) else np.asarray(scores.null, dtype=np.float64).tolist()
    try:
        return json.dumps(held, ensure_ascii=False, allow_nan=False)
    except ValueError as error:
        raise InputError(f"scores and null of document {scores.id} must be finite, or -inf for scores.") from error


def _numbers(row: object, where: str) -> Any:
    """Numbers, null for -inf."""
    if not isinstance(row, list):
        raise InputError(f"{where} must be a list of numbers; it is {shown(row)}.")
    try:
        found = np.array([-np.inf if one is None else one for one in row], dtype=None if row else np.float64)
    except ValueError:  # lists of different length
        found = np.array(None)
    if found.ndim != 1 or found.dtype.kind not in "iuf":
        wrong = next((one for one in row if one is not None and type(one) not in (int, float)), row)
        raise InputError(f"{where} must hold numbers, or null where there is no link; it holds {shown(wrong)}.")
    return found.astype(np.float64)


def _missing(name: str, record: dict[str, Any]) -> InputError:
    near = nearest(name, list(record))
    advice = f" Did you mean {near}?" if near and near not in (*NEEDED, *OPTIONAL) else ""
    return InputError(f"the key {name!r} is missing or null; there are {shortened(record, limit=8)}.{advice}")
