"""Files of made-up scores, and the stores that are made from them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from howsure_events.corpus import Fields
from howsure_events.extraction.imported_scores import ScoreColumns, Scores, open_scores

HEADINGS = ("id", "date", "title", "text", "actor", "p")
ROWS = (
    ("a", "2001-01-03", "One", "They attacked at dawn. Nobody knew.", "IRQ", "0.9"),
    ("a", "2001-01-03", "One", "", "USA", "0.25"),
    ("b", "2001-02-03", "Two", "Rain fell in Oslo today.", "", ""),
    ("c", "2001-05-03", "Three", "The troops attacked. “We did,” he said.", "USA", "1"),
    ("d", "2001-05-13", "Four", "It rained.", "IRQ", "0"),
)
FIELDS = Fields(id="id", date="date", title="title", text="text")
LONG = ScoreColumns(actor="actor", prob="p")


def csv_of(rows: Sequence[Sequence[Any]], headings: Sequence[str] = HEADINGS) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([headings, *rows])
    return out.getvalue()


def changed(row: int, **values: Any) -> list[tuple[Any, ...]]:
    """The rows with some values of one (counted from 1) changed."""
    rows = [list(row) for row in ROWS]
    for name, value in values.items():
        rows[row - 1][HEADINGS.index(name)] = value
    return [tuple(row) for row in rows]


def scores_of(
    folder: Path, rows: Sequence[Sequence[Any]] = ROWS, headings: Sequence[str] = HEADINGS, **options: Any
) -> Scores:
    """The scores of some rows, in a file scores.csv."""
    path = folder / "scores.csv"
    path.write_text(csv_of(rows, headings), encoding="utf-8")
    return open_scores([path], **{"fields": FIELDS, "columns": LONG, **options})


def held_in(scores: Scores) -> Mapping[str, Mapping[str, float]]:
    """The probabilities above 0 by document and actor."""
    names = [document.id for document in scores.corpus.documents()]
    probabilities: dict[str, dict[str, float]] = {name: {} for name in names}
    for number, score in scores.iterate_documents():
        probabilities[names[number]][score.actor] = score.probability
    return probabilities
