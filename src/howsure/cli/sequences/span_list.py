"""The entities of sentences without gold labels: a line each, sentences and words counted from 1."""

from __future__ import annotations

from typing import Any

from howsure.cli.sequences.span_input import Labelled
from howsure.cli.terminal.output import json_text, table_text
from howsure.sequences.entities.entity_spans import EntitySpans
from howsure.show.numbers import all_digits, number
from howsure.show.table import Table

WORDS = ("type", "predicted", "text")  # aligned to the left


def entities_output(labelled: Labelled, found: EntitySpans, recipe: dict[str, Any], form: str) -> str:
    """The entities in one of the formats."""
    records = [_record(labelled, found, row) for row in range(len(found))]
    if form == "json":
        return json_text({"recipe": found.recipe | recipe, "entities": records})
    names = ("sentence", "first", "last", "type", "probability", "predicted", *(("text",) if labelled.words else ()))
    rows = [[_cell(record[name], exact=form == "csv") for name in names] for record in records]
    return table_text(Table(names, rows, words=WORDS), form)


def _record(labelled: Labelled, found: EntitySpans, row: int) -> dict[str, Any]:
    sentence, start, stop = int(found.sentence[row]), int(found.start[row]), int(found.stop[row])
    text = {} if labelled.words is None else {"text": " ".join(labelled.words[sentence][start:stop])}
    return {
        "sentence": sentence + 1,
        "first": start + 1,
        "last": stop,
        "type": found.types[row],
        "probability": float(found.probability[row]),
        "predicted": bool(found.predicted[row]),
        **text,
    }


def _cell(value: Any, *, exact: bool) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return (all_digits if exact else number)(value) if isinstance(value, float) else str(value)
