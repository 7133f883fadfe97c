"""Labels in files: our own CSV, and the exports of Label Studio, doccano and Prodigy."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from howsure.errors import InputError, shown
from howsure.files.opened import Text, parsed_json, read_text
from howsure.inputs.naming import unknown_name
from howsure.inputs.numbers import spelled_number
from howsure.show.table import out_of_a_spreadsheet

# An answer as a file gives it, before the store was asked what its names mean.

NONE, UNCLEAR_WORDS = ("none", "nobody", "no one"), ("unclear", "unsure")  # choices that name no actor


@dataclass(slots=True)
class ReadAnswer:
    """What a coder said of a document, by its id: whether each actor acts, by code or title.

    place: where in the file, for errors. closed: actors that are not in `says` were asked too and do not act; is_empty:
    nothing was chosen, not even that nobody acts.
    """

    place: str
    document: str
    coder: str | None
    says: dict[str, bool] = field(default_factory=dict)
    closed: bool = False
    is_empty: bool = False
    unclear: bool = False
    settles: bool = False
    stratum: str | None = None
    inclusion: float | None = None


def answer_by_choices(
    place: str, document: str, coder: str | None, choices: Iterable[str], *, offered: Iterable[str] = ()
) -> ReadAnswer:
    """An answer by the choices made, of those offered; choices such as "none" and "unclear" name no actor.

    Raises InputError if "none" or "unclear" was chosen with something else.
    """
    chosen = [one.strip() for one in choices]
    plain = [one for one in chosen if one.lower() not in (*NONE, *UNCLEAR_WORDS)]
    if len(plain) < len(chosen) and len(chosen) > 1:
        raise InputError(f"{place} chose {' and '.join(map(repr, chosen))}; these exclude each other.")
    unclear = bool(chosen) and chosen[0].lower() in UNCLEAR_WORDS
    others = [one.strip() for one in offered if one.strip().lower() not in (*NONE, *UNCLEAR_WORDS)]
    says = dict.fromkeys(others, False) | dict.fromkeys(plain, True)
    return ReadAnswer(
        place, document, coder, {} if unclear else says, closed=True, is_empty=not chosen, unclear=unclear
    )


def id_in(record: Mapping[str, object], place: str, *, within: str = "") -> str:
    """The id of the document in a record, under the key "document".

    Raises InputError if there is none.
    """
    held = record.get("document")
    if isinstance(held, bool) or not isinstance(held, (str, int)) or not str(held).strip():
        keys = ", ".join(map(repr, list(record)[:8]))
        raise InputError(
            f"{place} must say which document it is of, under the key 'document'{within}; it has {keys}. Give it along "
            "when the texts go into the tool: howsure events labels sheet writes them so."
        )
    return str(held)


# Labels as CSV: a row per document, actor and coder.

DOCUMENT, ACTOR, LABEL, CODER = "document", "actor", "label", "coder"
STRATUM, INCLUSION, SETTLES = "stratum", "inclusion", "settles"
COLUMNS = (DOCUMENT, "date", ACTOR, LABEL, CODER, STRATUM, INCLUSION, SETTLES)
UNCLEAR = "unclear"
Row = Mapping[str, str]


def read_rows(text: Text) -> list[tuple[str, dict[str, str]]]:
    """The rows of a CSV with commas, semicolons or tabs, by the names of their columns, each with its place.

    Raises InputError if it is no CSV, or a row has another number of cells than the header.
    """
    first = text.content.partition("\n")[0]
    separator = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text.content), delimiter=separator, strict=True)
    rows: list[tuple[str, dict[str, str]]] = []
    names: list[str] = []
    try:
        for cells in reader:
            if not any(map(str.strip, cells)):
                continue
            if not names:
                names = [cell.strip() for cell in cells]
                continue
            place = f"{text.name}, line {reader.line_num}"
            if len(cells) != len(names):
                raise InputError(f"{place} must have {len(names)} cells, as the header; it has {len(cells)}.")
            row = dict(zip(names, map(str.strip, cells), strict=True))
            if separator != "," and INCLUSION in row:  # of at most 1, so that no comma in it separates thousands
                row[INCLUSION] = row[INCLUSION].replace(",", ".")
            rows.append((place, row))
    except csv.Error as error:
        raise InputError(f"{text.name}, line {reader.line_num}: it is not CSV: {error}.") from error
    if not rows:
        raise InputError(f"{text.name} holds no row below its header.")
    return rows


def read_label_csv(text: Text) -> list[ReadAnswer]:
    """The answers in a CSV with the columns document, actor and label (1, 0 or unclear), perhaps coder and others.

    Raises InputError naming the line and what is wrong with it.
    """
    rows = read_rows(text)
    for name in (DOCUMENT, ACTOR, LABEL):
        if name not in rows[0][1]:
            raise unknown_name("column", name, list(rows[0][1]), place=text.name)
    found: dict[tuple[str, str | None, bool], ReadAnswer] = {}
    for place, row in rows:
        _add_row(found, place, row)
    return list(found.values())


def _add_row(found: dict[tuple[str, str | None, bool], ReadAnswer], place: str, row: Row) -> None:
    document, actor, coder = row[DOCUMENT], *(out_of_a_spreadsheet(row.get(name, "")) for name in (ACTOR, CODER))
    if not document or not actor:
        raise InputError(f"{place} must name a document and an actor; it has {document!r} and {actor!r}.")
    key = document, coder or None, _settles(place, row)
    label = _label(place, row[LABEL])
    answer = found.get(key)
    if answer is None:
        answer = ReadAnswer(place, document, key[1], settles=key[2], unclear=label is None)
        answer.stratum, answer.inclusion = row.get(STRATUM) or None, _inclusion(place, row)
        found[key] = answer
    if actor in answer.says:
        raise InputError(f"{place} labels {actor} in {document} again; {answer.place} and later did so.")
    if answer.unclear != (label is None):
        raise InputError(f"{place}: a document is unclear for all actors or for none; {document} is both.")
    if answer.inclusion != _inclusion(place, row):
        raise InputError(f"{place}: {INCLUSION} must be the same in all rows of {document}.")
    answer.says[actor] = bool(label)


def _label(place: str, text: str) -> bool | None:
    """Whether the actor acts; None if the text is unclear."""
    value = spelled_number(text)
    if value in (0.0, 1.0):
        return value == 1.0
    if text.lower() == UNCLEAR:
        return None
    raise InputError(f"{place}: {LABEL} must be 1, 0 or {UNCLEAR}; it is {text!r}.")


def _inclusion(place: str, row: Row) -> float | None:
    text = row.get(INCLUSION) or ""
    if not text:
        return None
    value = spelled_number(text)
    if value is None or not 0.0 < value <= 1.0:
        raise InputError(f"{place}: {INCLUSION} must be a number above 0 and at most 1; it is {text!r}.")
    return value


def _settles(place: str, row: Row) -> bool:
    text = row.get(SETTLES) or "0"
    if text not in ("0", "1"):
        raise InputError(f"{place}: {SETTLES} must be 1 or 0; it is {text!r}.")
    return text == "1"


# Exports of Label Studio: JSON, JSON-MIN and CSV of a project with choices (one or several) on a text.

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


def label_studio_csv(text: Text) -> list[ReadAnswer]:
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


# Exports of doccano: JSON, JSON lines or CSV of a text classification, a file for each annotator or one for all.

BETWEEN = "#"  # labels in CSV


def doccano_records(records: Sequence[tuple[str, Mapping[str, Any]]]) -> list[ReadAnswer]:
    """The answers in records with their places: `label` is the list of the actors that act, empty if none does.

    The id of a document is the field `document` that was imported with its text (before version 1.8 it is in `meta`).
    doccano does not say who labelled what, nor whether a document without a label was read: it `is_empty`.

    Raises InputError naming the line and what is wrong with it.
    """
    return [_answer(place, record) for place, record in records]


def doccano_csv(text: Text) -> list[ReadAnswer]:
    """The answers in a CSV export, where # stands between the labels."""
    rows = read_rows(text)
    return doccano_records([(place, row | {"label": _split(row.get("label", ""))}) for place, row in rows])


def _split(labels: str) -> list[str]:
    return labels.split(BETWEEN) if labels else []


def _answer(place: str, record: Mapping[str, Any]) -> ReadAnswer:
    meta = record.get("meta")
    held = meta if isinstance(meta, Mapping) and "document" not in record else record
    labels = record.get("label", record.get("labels"))
    if not isinstance(labels, list) or not all(isinstance(one, str) for one in labels):
        raise InputError(
            f"{place} must have a list of texts as its label; it has {str(labels)[:60]!r}. Export a project of text "
            "classification."
        )
    return answer_by_choices(place, id_in(held, place), None, labels)


# Exports of Prodigy (db-out): JSON lines of choices among actors, or of one actor at a time, accepted or rejected.

ANSWERS = ("accept", "reject", "ignore")


def prodigy_records(records: Sequence[tuple[str, Mapping[str, Any]]]) -> list[ReadAnswer]:
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
            _add_record(found, place, record, document, who)
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


def _add_record(
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


# Labels in a file of any of the formats, told apart by what is in it.

KNOWN = "CSV with document, actor, label and coder, or an export of Label Studio, doccano or Prodigy"


def read_labels(path: str | os.PathLike[str]) -> tuple[list[ReadAnswer], str]:
    """The answers in a file, and the name of its format: "csv", "label-studio", "doccano" or "prodigy".

    Raises InputError naming the place and what is wrong with it.
    """
    text = read_text(path)
    answers, kind = _told_apart(text)
    if not answers:
        raise InputError(f"{text.name} holds no answer; nobody labelled its documents.")
    return answers, kind


def _told_apart(text: Text) -> tuple[list[ReadAnswer], str]:
    begins = text.content.lstrip()[:1]
    if begins == "[":
        tasks = _parsed(text)
        if _is_of_doccano(tasks[0]):
            return doccano_records(_placed(tasks, text.name)), "doccano"
        return read_tasks(tasks, text.name), "label-studio"
    if begins == "{":
        return _of_lines(_records(text), text.name)
    header = text.content.partition("\n")[0]
    if "__label__" in header:
        raise InputError(f"{text.name} is in fastText's format, which has no ids of documents; export JSON lines.")
    columns = {cell.strip(' "\r') for cell in re.split("[,;\t]", header)}
    if {"annotation_id", "annotator"} <= columns:
        return label_studio_csv(text), "label-studio"
    if {"label", "Comments"} <= columns and "actor" not in columns:
        return doccano_csv(text), "doccano"
    return read_label_csv(text), "csv"


def _of_lines(records: list[tuple[str, Mapping[str, Any]]], name: str) -> tuple[list[ReadAnswer], str]:
    _, first = records[0]
    if "annotations" in first:
        return read_tasks([one for _, one in records], name), "label-studio"
    if "answer" in first:
        return prodigy_records(records), "prodigy"
    if "label" in first or "labels" in first:
        return doccano_records(records), "doccano"
    keys = ", ".join(map(repr, list(first)[:8]))
    raise InputError(f"{name} is in no format of labels that is known ({KNOWN}); its records have {keys}.")


def _is_of_doccano(record: Any) -> bool:
    """Whether the first of a list is a record of doccano: Label Studio never lists labels beside a text."""
    return isinstance(record, Mapping) and isinstance(record.get("label"), list) and not ITS_OWN & record.keys()


def _placed(records: list[Any], name: str) -> list[tuple[str, Mapping[str, Any]]]:
    found = []
    for number, one in enumerate(records, start=1):
        if not isinstance(one, Mapping):
            raise InputError(f"{name}, record {number} must be an object; it is {str(one)[:60]!r}.")
        found.append((f"{name}, record {number}", one))
    return found


def _parsed(text: Text) -> list[Any]:
    try:
        held = parsed_json(text.content)
    except ValueError as error:
        raise InputError(f"{text.name} is not JSON: {error}.") from error
    if not isinstance(held, list) or not held:
        raise InputError(f"{text.name} must be a list of tasks that is not empty.")
    return held


def _records(text: Text) -> list[tuple[str, Mapping[str, Any]]]:
    """The objects of JSON lines, each with its place."""
    found = []
    for number, line in enumerate(text.content.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            held = parsed_json(line)
        except ValueError as error:
            raise text.fault(number, f"it is not JSON: {error}.") from error
        if not isinstance(held, Mapping):
            raise text.fault(number, "it must be a JSON object.")
        found.append((f"{text.name}, line {number}", held))
    return found
