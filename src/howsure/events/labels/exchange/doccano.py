"""Exports of doccano: JSON, JSON lines or CSV of a text classification, a file for each annotator or one for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from howsure.errors import InputError
from howsure.events.labels.exchange.label_csv import read_rows
from howsure.events.labels.exchange.read_answer import ReadAnswer, answer_by_choices, id_in
from howsure.files.text import Text

BETWEEN = "#"  # labels in CSV


def read_records(records: Sequence[tuple[str, Mapping[str, Any]]]) -> list[ReadAnswer]:
    """The answers in records with their places: `label` is the list of the actors that act, empty if none does.

    The id of a document is the field `document` that was imported with its text (before version 1.8 it is in `meta`).
    doccano does not say who labelled what, nor whether a document without a label was read: it `is_empty`.

    Raises InputError naming the line and what is wrong with it.
    """
    return [_answer(place, record) for place, record in records]


def read_csv(text: Text) -> list[ReadAnswer]:
    """The answers in a CSV export, where # stands between the labels."""
    rows = read_rows(text)
    return read_records([(place, row | {"label": _split(row.get("label", ""))}) for place, row in rows])


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
