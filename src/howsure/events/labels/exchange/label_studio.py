"""Exports of Label Studio: JSON, JSON-MIN and CSV of a project with choices (one or several) on a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from howsure.errors import InputError
from howsure.events.labels.exchange.label_csv import read_rows
from howsure.events.labels.exchange.read_answer import ReadAnswer, answer_by_choices, id_in
from howsure.files.json_text import parsed_json
from howsure.files.text import Text

ITS_OWN = {"annotator", "annotation_id", "created_at", "updated_at", "lead_time"}  # columns of each export
NAMES = ("label", "choice", "choices", "actor", "actors", "sentiment")  # of the choices, in JSON-MIN and CSV


def read_tasks(tasks: Sequence[Any], name: str) -> list[ReadAnswer]:
    """The answers in a JSON or JSON-MIN export; the id of a document is the field `document` of its task's data.

    A skipped task is unclear; an annotation without a choice says that none acts; a task without annotation was not
    read. JSON-MIN leaves skipped tasks out, and the choices of an annotation that has none.

    Raises InputError naming the task and what is wrong with it.
    """
    placed = [(f"{name}, task {number}", task) for number, task in enumerate(tasks, start=1)]
    for place, task in placed:
        if not isinstance(task, Mapping):
            raise InputError(f"{place} must be an object; it is {str(task)[:60]!r}.")
    if not any("annotations" in task for _, task in placed):
        return _flat(placed)
    return [answer for place, task in placed for answer in _annotations(task, place)]


def read_csv(text: Text) -> list[ReadAnswer]:
    """The answers in a CSV or TSV export, which leaves skipped tasks out."""
    return _flat(read_rows(text))


def _annotations(task: Mapping[str, Any], place: str) -> list[ReadAnswer]:
    data, annotations = task.get("data"), task.get("annotations")
    if not isinstance(data, Mapping) or not isinstance(annotations, list):
        raise InputError(f"{place} must have an object data and a list annotations, as Label Studio exports them.")
    document = id_in(data, place, within=" of its data")
    return [_annotation(one, document, place) for one in annotations]


def _annotation(one: Any, document: str, place: str) -> ReadAnswer:
    if not isinstance(one, Mapping) or not isinstance(one.get("result"), list):
        raise InputError(f"{place}: an annotation must have a list result, as Label Studio exports it.")
    coder = _coder(one.get("completed_by"))
    if one.get("was_cancelled"):
        return ReadAnswer(place, document, coder, closed=True, unclear=True)
    results = [part for part in one["result"] if isinstance(part, Mapping) and part.get("type") == "choices"]
    if len({str(part.get("from_name")) for part in results}) > 1:
        raise InputError(f"{place} answers several questions; export a project with one set of choices.")
    chosen = [choice for part in results for choice in _choices(part.get("value"), place)]
    return answer_by_choices(place, document, coder, chosen)


def _flat(records: Sequence[tuple[str, Mapping[str, Any]]]) -> list[ReadAnswer]:
    """The answers in records of an annotation each, or of a task that nobody annotated: this one has no answer."""
    annotated = [(place, one) for place, one in records if one.get("annotation_id", 0) not in (None, "")]
    named = [name for name in NAMES if any(name in one for _, one in annotated)]
    answers = []
    for place, one in annotated:
        document, coder = id_in(one, place), _coder(one.get("annotator"))
        if str(one.get("was_cancelled")).lower() in ("true", "1"):
            answers.append(ReadAnswer(place, document, coder, closed=True, unclear=True))
            continue
        if not named:
            keys = ", ".join(repr(key) for key in one if key not in ITS_OWN)
            raise InputError(
                f"{place} must have its choices under the key 'label' or 'choice'; it has {keys}. Name the choices so "
                "in the project, or export JSON instead of JSON-MIN or CSV."
            )
        chosen = _choices(one.get(named[0], []), place)
        answers.append(answer_by_choices(place, document, coder, chosen))
    return answers


def _choices(value: Any, place: str) -> list[str]:
    """The choices in {"choices": [...]}, a list, a text, or a text of JSON."""
    held = value
    if isinstance(held, str) and held[:1] in ("{", "["):
        try:
            held = parsed_json(held)
        except ValueError as error:
            raise InputError(f"{place} has choices that are no JSON: {error}.") from error
    if isinstance(held, Mapping):
        held = held.get("choices")
    if isinstance(held, str):
        held = [held] if held else []
    if not isinstance(held, list) or not all(isinstance(one, str) for one in held):
        raise InputError(f"{place} must have choices as texts; it has {str(value)[:60]!r}.")
    return held


def _coder(value: Any) -> str | None:
    """An annotator, given by number, e-mail address or as an object with both; CSV writes None where it has none."""
    if isinstance(value, Mapping):
        value = value.get("email") or value.get("id")
    return None if value in (None, "", "None") else str(value)
