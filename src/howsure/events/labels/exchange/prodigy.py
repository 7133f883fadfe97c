"""Exports of Prodigy (db-out): JSON lines of choices among actors, or of one actor at a time, accepted or rejected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from howsure.errors import InputError, shown
from howsure.events.labels.exchange.read_answer import ReadAnswer, answer_by_choices, id_in

ANSWERS = ("accept", "reject", "ignore")


def read_records(records: Sequence[tuple[str, Mapping[str, Any]]]) -> list[ReadAnswer]:
    """The answers in records with their places.

    With `options`, those in `accept` act, and the others do not; an example that was rejected as a whole is unclear.
    With a `label`, accepted means that this actor acts, rejected that it does not. What was ignored is unclear. The id
    of a document is the field `document` of a record, or of its `meta`.

    Raises InputError naming the line and what is wrong with it.
    """
    found: dict[tuple[str, str | None], ReadAnswer] = {}
    answers = []
    for place, record in records:
        meta = record.get("meta")
        document = id_in(meta if isinstance(meta, Mapping) and "document" not in record else record, place)
        verdict, coder = record.get("answer"), record.get("_annotator_id") or record.get("_session_id")
        who = None if coder is None else str(coder)
        if verdict not in ANSWERS:
            raise InputError(f"{place} must have the answer accept, reject or ignore; it has {shown(verdict)}.")
        if "options" in record or "accept" in record:
            answers.append(_choice(place, record, document, who))
        else:
            _add(found, place, record, document, who)
    return [*answers, *found.values()]


def _choice(place: str, record: Mapping[str, Any], document: str, coder: str | None) -> ReadAnswer:
    if record["answer"] != "accept":
        return ReadAnswer(place, document, coder, closed=True, unclear=True)
    chosen, options = record.get("accept", []), record.get("options", [])
    if not isinstance(options, list):
        raise InputError(f"{place} must have its options as a list; it has {shown(options)}.")
    texts: list[Any] = [one.get("id") if isinstance(one, Mapping) else one for one in options]
    if not isinstance(chosen, list) or not all(isinstance(one, str) for one in [*chosen, *texts]):
        raise InputError(f"{place} must have ids of options, as texts, in accept; it has {str(chosen)[:60]!r}.")
    return answer_by_choices(place, document, coder, chosen, offered=texts)


def _add(
    found: dict[tuple[str, str | None], ReadAnswer],
    place: str,
    record: Mapping[str, Any],
    document: str,
    coder: str | None,
) -> None:
    label = record.get("label")
    if not isinstance(label, str) or not label:
        raise InputError(f"{place} must have options, or an actor as its label; it has {shown(label)}.")
    held = found.setdefault((document, coder), ReadAnswer(place, document, coder))
    if label in held.says:
        raise InputError(f"{place} labels {label} in {document} again; {held.place} or later did so.")
    held.unclear = held.unclear or record["answer"] == "ignore"
    held.says[label] = record["answer"] == "accept"
