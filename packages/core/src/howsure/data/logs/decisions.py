"""Logs of decisions: typed answers with probabilities, with several questions per response, in two vendors' formats.

The formats are {"model": …, "answers": {NAME: {"type": "noul", "noul": p}, …}} (typesafe-sdk) and {"model": …,
"answers": [{"type": "predicate", "name": NAME, "probability": p}, …]} (openai). A line is a response, or a record with
the response in the field `response`, an `id` and perhaps `labels`, {NAME: value}.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from howsure.data.logs.labels import NO, YES, position
from howsure.data.logs.log_file import Beginning, LogFormat, Row, Source, listed, mapping, number
from howsure.errors import InputError, parameter, quote

TYPES = {"noul": "noul", "predicate": "probability"}  # type of a yes or no question -> field of its probability
KINDS = (*TYPES, "choice", "score", "refusal", "box")
ITEMS = ("id", "custom_id", "item", "request_id")
LABELS = ("labels", "targets", "gold")
TOLERANCE = 0.02  # for the sum of probabilities, which vendors round
REFUSED = {
    "confidence": "is not the probability that the answer is right: vendors compute it from the probabilities in "
    "different ways, so that even a calibrated model looks underconfident. Leave it out to use the probabilities"
}


def recognises(beginning: Beginning) -> bool:
    """Whether a response contains typed answers."""
    if beginning.file.format == "jsonl":
        return bool(typed_answers(beginning.record)[1])
    keys = set(beginning.keys)
    typed = bool(keys & {"noul", "probability", "probabilities"})
    return beginning.file.format == "json" and typed and {"model", "answers", "type"} <= keys


def rows(source: Source) -> Iterator[Row]:
    """Yield a row per question of each response. Refusals have no probabilities; answers of type "box" are left out."""
    counts, aliases, unknown = Counter[str](), set[str](), 0
    for line, record in source.objects():
        body = _body(record)
        if not _answers(body):
            raise source.fault(line, "it has no answers. Is this a response with decisions?")
        model = body.get("model") or None
        item = next((record[name] for name in ITEMS if name in record), line)
        labels = right_answers(record)
        if model is None or str(model).endswith("latest"):
            unknown += 1
            aliases |= set() if model is None else {str(model)}
            model = source.model_version or model
        for name, answer in _answers(body):
            kind = str(mapping(answer).get("type"))
            counts[kind] += 1
            try:
                typed_row = answer_row(kind, mapping(answer))
            except ValueError as error:
                raise source.fault(line, f"{name}: {error}.") from error
            if typed_row is not None:
                row: Row = {"item": item, "model": model if isinstance(model, str) else None, "task": name}
                yield row | typed_row | _target(labels.get(name), typed_row)
    if counts["refusal"]:
        source.note(f"{counts['refusal']:,} of {counts.total():,} answers are refusals, which have no probabilities")
    left_out = counts.total() - sum(counts[kind] for kind in (*TYPES, "choice", "score", "refusal"))
    if left_out:
        source.note(f"{left_out:,} answers are left out, because answers of their type (box) have no probabilities")
    if source.model_version is not None and not unknown:
        raise InputError(
            f"{parameter('model_version', source.model_version)} replaces an alias, but every response of "
            f"{source.name} names its model. Leave it out."
        )
    if aliases and source.model_version is None:
        source.note(f"{', '.join(sorted(aliases))} is an alias, which may name another model later")


def typed_answers(record: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[tuple[str, Any]]]:
    """Return the response in a record, and its answers by name; [] if the answers have no types."""
    body = _body(record)
    answers = _answers(body)
    return body, answers if any(isinstance(mapping(answer).get("type"), str) for _, answer in answers) else []


def right_answers(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the true answers by name, which a record may contain next to a response."""
    return mapping(next((record[name] for name in LABELS if name in record), None))


def _body(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the response in a record: the record itself, its field `response`, or the body of this field."""
    response = mapping(record.get("response"))
    places = (record, response, mapping(response.get("body")), mapping(record.get("decision")))
    return next((place for place in places if place.get("answers")), {})


def _answers(body: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the answers with the names of their questions."""
    return named_entries(body.get("answers"))


def named_entries(entries: Any) -> list[tuple[str, Any]]:
    """Return the entries of an object or a list with their names; in a list, the default name is the number.

    >>> named_entries(["Is it billing?", {"name": "tone", "text": "Which tone?"}])
    [('1', 'Is it billing?'), ('tone', {'name': 'tone', 'text': 'Which tone?'})]
    """
    if isinstance(entries, dict):
        return list(entries.items())
    return [(str(mapping(entry).get("name") or at), entry) for at, entry in enumerate(listed(entries), start=1)]


def answer_row(kind: str, answer: Mapping[str, Any]) -> Row | None:
    """Return the probability of each class in an answer; None for a type without probabilities."""
    if kind == "refusal":
        return {"prediction": None}
    if kind in TYPES:
        p = number(answer.get(TYPES[kind]))
        if p is None or not 0.0 <= p <= 1.0:
            raise ValueError(f"{TYPES[kind]} must be a probability; it is {quote(answer.get(TYPES[kind]))}")
        return {"classes": [NO, YES], "probabilities": [1.0 - p, p], "prediction": int(p >= 0.5)}
    if kind not in ("choice", "score"):
        return None
    probabilities = answer.get("probabilities")
    pairs = (
        list(probabilities.items())
        if isinstance(probabilities, dict)
        else [(mapping(entry).get("value"), mapping(entry).get("probability")) for entry in listed(probabilities)]
    )
    values, chances = [value for value, _ in pairs], [number(p) for _, p in pairs]
    known_probabilities = [p for p in chances if p is not None]
    if (
        len(known_probabilities) < 2
        or len(known_probabilities) < len(pairs)
        or min(known_probabilities) < 0.0
        or abs(sum(known_probabilities) - 1.0) > TOLERANCE
    ):
        raise ValueError(f"probabilities must be two or more that sum to 1; they are {quote(probabilities)}")
    total = sum(known_probabilities)  # 1 up to rounding
    row: Row = {"classes": _class_names(values), "probabilities": [p / total for p in known_probabilities]}
    choice = answer.get("choice")
    same = [
        at for at, value in enumerate(values) if value == choice and isinstance(value, bool) == isinstance(choice, bool)
    ]
    return row | ({"prediction": same[0]} if same else {})


def _class_names(values: list[Any]) -> list[str]:
    """Convert values to names of classes; the string "true" is quoted if the truth value true occurs too."""
    truths = [str(value).lower() for value in values if isinstance(value, bool)]
    return [
        str(value).lower() if isinstance(value, bool) else f"'{value}'" if value in truths else str(value)
        for value in values
    ]


def _target(label: Any, row: Row) -> Row:
    """Return the index of the true class by its label; {} without a label."""
    if label is None or "classes" not in row:
        return {}
    name = _class_names([label])[0]
    return {"target": position(name, row["classes"])}


DECISIONS = LogFormat("decisions", "decisions", recognises, rows, refused=REFUSED)
