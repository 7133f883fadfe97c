"""Exports of doccano: JSON lines of a text classification project, one file for each annotator or one for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from howsure.errors import InputError
from howsure.events.labels.exchange.read_answer import ReadAnswer, answer_by_choices, id_in


def read_records(records: Sequence[tuple[str, Mapping[str, Any]]]) -> list[ReadAnswer]:
    """The answers in records with their places: `label` is the list of the actors that act, empty if none does.

    The id of a document is the field `document` that was imported with its text (before version 1.8 it is in `meta`).
    doccano does not say who labelled what.

    Raises InputError naming the line and what is wrong with it.
    """
    return [_answer(place, record) for place, record in records]


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
