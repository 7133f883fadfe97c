"""Labels in a file of any of the formats, told apart by what is in it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from howsure.errors import InputError
from howsure.events.labels.exchange import doccano, label_studio, prodigy
from howsure.events.labels.exchange.label_csv import read_label_csv
from howsure.events.labels.exchange.label_studio import ITS_OWN
from howsure.events.labels.exchange.read_answer import ReadAnswer
from howsure.files.json_text import parsed_json
from howsure.files.text import Text, read_text

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
            return doccano.read_records(_placed(tasks, text.name)), "doccano"
        return label_studio.read_tasks(tasks, text.name), "label-studio"
    if begins == "{":
        return _of_lines(_records(text), text.name)
    header = text.content.partition("\n")[0]
    if "__label__" in header:
        raise InputError(f"{text.name} is in fastText's format, which has no ids of documents; export JSON lines.")
    columns = {cell.strip(' "\r') for cell in re.split("[,;\t]", header)}
    if {"annotation_id", "annotator"} <= columns:
        return label_studio.read_csv(text), "label-studio"
    if {"label", "Comments"} <= columns and "actor" not in columns:
        return doccano.read_csv(text), "doccano"
    return read_label_csv(text), "csv"


def _of_lines(records: list[tuple[str, Mapping[str, Any]]], name: str) -> tuple[list[ReadAnswer], str]:
    _, first = records[0]
    if "annotations" in first:
        return label_studio.read_tasks([one for _, one in records], name), "label-studio"
    if "answer" in first:
        return prodigy.read_records(records), "prodigy"
    if "label" in first or "labels" in first:
        return doccano.read_records(records), "doccano"
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
