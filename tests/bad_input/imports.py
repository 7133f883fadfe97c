"""The files of wrong inputs of `howsure events import`."""

from __future__ import annotations

from tests.events.imported.scored_files import ROWS, changed, csv_of

from tests.bad_input.files import Files

SCORES = {"scores.csv": csv_of(ROWS).encode()}


def with_changes(row: int, **values: str) -> dict[str, bytes]:
    return {"scores.csv": csv_of(changed(row, **values)).encode()}


SCORED = Files(
    {},
    {
        "a document without an id": with_changes(3, id=""),
        "a document without a date": with_changes(3, date=""),
        "two dates of one document": with_changes(2, date="2001-01-04"),
        "a document and actor twice": with_changes(2, actor="IRQ"),
        "an actor without a probability": with_changes(4, p=""),
        "a percentage": with_changes(4, p="90"),
        "a probability with a decimal comma": with_changes(1, p="0,9"),
        "a probability without an actor": with_changes(3, p="0.5"),
        "an actor with a comma": with_changes(4, actor="Gaza, City"),
        "scores of a document that is not listed": SCORES
        | {"documents.csv": b"id,date\na,2001-01-03\nb,2001-02-03\nd,2001-05-13\n"},
        "a store that is something else": SCORES | {"news.duckdb": b"notes"},
    },
)
