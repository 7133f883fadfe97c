"""Files of labels: howsure's CSV, and the JSON that Label Studio exports."""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from howsure.errors import InputError, parameter
from howsure.files.input_files import NotUTF8Error, Text, encoding_error, parsed_json, read_text
from howsure.inputs.checks import check_labels
from howsure.inputs.label_spelling import is_same_label, spellings
from howsure.inputs.numbers_and_names import parse_number, shortened
from howsure.show.table import out_of_a_spreadsheet
from howsure_events.labels.coders import coder_key


@dataclass(slots=True)
class ReadAnswer:
    """A coder's answer as read from a file, before its names are looked up in a store.

    document: an id. says: whether an actor acts, by the actor's code or title. place: location in the file, for error
    messages. closed: whether coders were also asked about actors that are missing in `says`, so that these do not act.
    unlabelled: whether the document was drawn, but its labels are still empty.
    """

    place: str
    document: str
    coder: str | None
    says: dict[str, bool] = field(default_factory=dict)
    closed: bool = False
    unclear: bool = False
    unlabelled: bool = False
    settles: bool = False
    stratum: str | None = None
    inclusion: float | None = None


def read_labels(
    path: str | os.PathLike[str], *, encoding: str | None = None, pos_label: object = None
) -> list[ReadAnswer]:
    """Read the answers in a CSV file or a JSON export of Label Studio.

    encoding: the file's encoding (default: UTF-8). pos_label: the label that counts as 1 in a CSV with two labels.
    """
    try:
        text = read_text(path, encoding=encoding)
    except NotUTF8Error as error:
        raise encoding_error(path, os.fspath(path)) from error
    is_json = text.content.lstrip()[:1] in ("[", "{")
    if is_json and pos_label is not None:
        raise InputError(f"`pos_label` is for labels in CSV; {text.name} is JSON. Leave it out.")
    answers = _tasks(text) if is_json else _rows(text, pos_label)
    if not answers:
        raise InputError(f"{text.name} has no answers. Label its documents first.")
    return answers


# Labels as CSV: a row per document, actor and coder.

DOCUMENT, ACTOR, LABEL, CODER = "document", "actor", "label", "coder"
STRATUM, INCLUSION, SETTLES = "stratum", "inclusion", "settles"
COLUMNS = (DOCUMENT, "date", ACTOR, LABEL, CODER, STRATUM, INCLUSION, SETTLES)
UNCLEAR = "unclear"
Row = Mapping[str, str]


def _rows(text: Text, pos_label: object) -> list[ReadAnswer]:
    """Read the answers in CSV separated by commas, semicolons or tabs."""
    first = text.content.partition("\n")[0]
    separator = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text.content), delimiter=separator, strict=True)
    rows: list[tuple[str, dict[str, str]]] = []
    names: list[str] = []
    try:
        for cells in reader:
            stripped = [cell.strip() for cell in cells]
            if not any(stripped):
                continue
            if not names:
                names = stripped
                if not {DOCUMENT, ACTOR, LABEL} <= {*names}:
                    expected = f"{DOCUMENT}, {ACTOR} and {LABEL}"
                    raise InputError(f"{text.name} must have the columns {expected}; it has {', '.join(names)}.")
                continue
            place = f"{text.name}, line {reader.line_num}"
            if len(stripped) != len(names):
                raise InputError(f"{place} must have {len(names)} cells, as the header; it has {len(stripped)}.")
            row = dict(zip(names, stripped, strict=True))
            if separator != "," and INCLUSION in row:  # a comma here is a decimal comma, since inclusion is at most 1
                row[INCLUSION] = row[INCLUSION].replace(",", ".")
            rows.append((place, row))
    except csv.Error as error:
        raise InputError(f"{text.name}, line {reader.line_num}: it is not CSV: {error}.") from error
    if not rows:
        raise InputError(f"{text.name} has no row below its header.")
    labels = [row[LABEL] for _, row in rows if row[LABEL] and row[LABEL].lower() != UNCLEAR]
    if pos_label is not None:
        _check_two_labels(labels, pos_label, text.name)
        for _, row in rows:
            if row[LABEL] and row[LABEL].lower() != UNCLEAR:
                row[LABEL] = str(int(is_same_label(row[LABEL], pos_label)))
    answers: dict[tuple[str, str | None, bool], ReadAnswer] = {}
    for place, row in rows:
        _add_row(answers, place, row, labels)
    if all(answer.unlabelled for answer in answers.values()):
        raise InputError(f"{text.name} has no labels: its column {LABEL} is empty. Fill it in with 1, 0 or {UNCLEAR}.")
    return list(answers.values())


def _check_two_labels(labels: list[str], pos_label: object, file: str) -> None:
    """Raise InputError if there are other labels than the positive one and one more."""
    others = [label for label, _ in Counter(labels).most_common() if not is_same_label(label, pos_label)]
    if len(others) > 1 and len(others) < len(set(labels)) and not spellings(Counter(labels)):
        raise InputError(
            f"{LABEL} of {file} must have two different values; it contains {shortened(map(repr, Counter(labels)))}. "
            f"{_no_label(others[1:])}"
        )
    check_labels(labels, pos_label=pos_label, name=f"{LABEL} of {file}")


def _no_label(values: Sequence[str]) -> str:
    listed = " and ".join(map(repr, values))
    return f"If {listed} means that the text leaves it open, write {UNCLEAR}; if nobody has decided, leave it empty."


def _add_row(
    answers: dict[tuple[str, str | None, bool], ReadAnswer], place: str, row: Row, labels: Sequence[str]
) -> None:
    document, actor, coder = row[DOCUMENT], *(out_of_a_spreadsheet(row.get(name, "")) for name in (ACTOR, CODER))
    if not document or not actor:
        raise InputError(f"{place} must name a document and an actor; it has {document!r} and {actor!r}.")
    key = document, coder_key(coder) or None, _settles(place, row)
    label, is_empty = _label(place, row[LABEL], labels), not row[LABEL]
    answer = answers.get(key)
    if answer is None:
        answer = ReadAnswer(place, document, coder or None, settles=key[2], unclear=label is None and not is_empty)
        answer.unlabelled = is_empty
        answer.stratum, answer.inclusion = row.get(STRATUM) or None, _inclusion(place, row)
        answers[key] = answer
    if actor in answer.says:
        raise InputError(
            f"{place} repeats the label of {actor} in {document}, which is also in {answer.place}; remove one of the "
            "two."
        )
    if answer.unlabelled != is_empty:
        raise InputError(
            f"{place}: a document must be labelled for all actors or for none; {document} is labelled for some only."
        )
    if answer.unclear != (label is None and not is_empty):
        raise InputError(
            f"{place}: a document must be unclear for all actors or for none; {document} is unclear for some only."
        )
    if answer.inclusion != _inclusion(place, row):
        raise InputError(f"{place}: {INCLUSION} must be the same in all rows of {document}.")
    answer.says[actor] = bool(label)


def _label(place: str, text: str, labels: Sequence[str]) -> bool | None:
    """Return whether the actor acts; None if the text is "unclear" or empty. labels: all labels of the file."""
    value = parse_number(text)
    if value in (0.0, 1.0):
        return value == 1.0
    if not text or text.lower() == UNCLEAR:
        return None
    counts = Counter(labels)
    if any(parse_number(label) in (0.0, 1.0) for label in counts):
        advice = _no_label([text])
    else:
        first, *others = (parameter("pos_label", label) for label, _ in counts.most_common(2))
        advice = f"Name the label that counts as 1: {' or '.join([first, *others])}."
    raise InputError(f"{place}: {LABEL} must be 1, 0 or {UNCLEAR}; it is {text!r}. {advice}")


def _inclusion(place: str, row: Row) -> float | None:
    text = row.get(INCLUSION) or ""
    if not text:
        return None
    value = parse_number(text)
    if value is None or not 0.0 < value <= 1.0:
        raise InputError(f"{place}: {INCLUSION} must be a number above 0 and at most 1; it is {text!r}.")
    return value


def _settles(place: str, row: Row) -> bool:
    text = row.get(SETTLES) or "0"
    if text not in ("0", "1"):
        raise InputError(f"{place}: {SETTLES} must be 1 or 0; it is {text!r}.")
    return text == "1"


# JSON of Label Studio, from projects with single or multiple choices of actors; these choices name no actor:

NOBODY, UNSURE = ("none", "nobody", "no one"), ("unclear", "unsure")


def _tasks(text: Text) -> list[ReadAnswer]:
    """Read the answers in a JSON export; the field `document` in the data of a task is the id of its document.

    A skipped task counts as unclear, an annotation without a choice as "no actor acts", and a task without annotation
    as not answered. The other export formats of Label Studio omit skipped tasks.
    """
    try:
        tasks = parsed_json(text.content)
    except ValueError as error:
        raise InputError(f"{text.name} is not JSON: {error}.") from error
    if not isinstance(tasks, list) or not tasks:
        raise InputError(f"{text.name} must be a list of tasks that is not empty, as Label Studio exports it.")
    return [
        annotation
        for number, task in enumerate(tasks, start=1)
        for annotation in _task(task, f"{text.name}, task {number}")
    ]


def _task(task: Any, place: str) -> list[ReadAnswer]:
    data, annotations = (task.get(name) if isinstance(task, Mapping) else None for name in ("data", "annotations"))
    if not isinstance(data, Mapping) or not isinstance(annotations, list):
        raise InputError(
            f"{place} must have an object data and a list annotations, as Label Studio exports them in JSON; labels of "
            f"other tools are read as CSV with {', '.join((DOCUMENT, ACTOR, LABEL, CODER))}."
        )
    document = data.get(DOCUMENT)
    if isinstance(document, bool) or not isinstance(document, (str, int)) or not str(document).strip():
        keys = ", ".join(map(repr, list(data)[:8]))
        raise InputError(
            f"{place} must name its document under the key {DOCUMENT!r} of its data; it has {keys}. Import the texts "
            "into the tool with this key, as howsure events labels sheet writes them."
        )
    return [_annotation(annotation, str(document), place) for annotation in annotations]


def _annotation(annotation: Any, document: str, place: str) -> ReadAnswer:
    if not isinstance(annotation, Mapping) or not isinstance(annotation.get("result"), list):
        raise InputError(f"{place}: the field result of an annotation must be a list, as in exports of Label Studio.")
    coder = annotation.get("completed_by")
    if isinstance(coder, Mapping):
        coder = coder.get("email") or coder.get("id")
    who = None if coder in (None, "") else str(coder)
    if annotation.get("was_cancelled"):
        return ReadAnswer(place, document, who, closed=True, unclear=True)
    results = [part for part in annotation["result"] if isinstance(part, Mapping) and part.get("type") == "choices"]
    if len({str(part.get("from_name")) for part in results}) > 1:
        raise InputError(f"{place} answers several questions; export a project with one set of choices.")
    chosen = [choice for part in results for choice in _choices(part.get("value"), place)]
    plain = [choice for choice in chosen if choice.lower() not in (*NOBODY, *UNSURE)]
    if len(plain) < len(chosen) and len(chosen) > 1:
        raise InputError(f"{place} contains the choices {' and '.join(map(repr, chosen))}, which exclude each other.")
    unclear = bool(chosen) and chosen[0].lower() in UNSURE
    return ReadAnswer(place, document, who, dict.fromkeys(plain, True), closed=True, unclear=unclear)


def _choices(value: Any, place: str) -> list[str]:
    choices = value.get("choices") if isinstance(value, Mapping) else None
    if not isinstance(choices, list) or not all(isinstance(choice, str) for choice in choices):
        raise InputError(f"{place} must have choices as texts; it has {str(value)[:60]!r}.")
    return [choice.strip() for choice in choices]
