"""Wrong inputs of `howsure events import` and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

from tests.cli.bad_input import Wrong
from tests.events.imported.scored_files import ROWS, changed, csv_of

IMPORT = "events import scores.csv --id id --date date --actor actor --prob p --store news.duckdb"
SCORES = {"scores.csv": csv_of(ROWS).encode()}


def with_changes(row: int, **values: str) -> dict[str, bytes]:
    return {"scores.csv": csv_of(changed(row, **values)).encode()}


SCORED = [
    Wrong("a document without an id", IMPORT, with_changes(3, id="")),
    Wrong("a document without a date", IMPORT, with_changes(3, date="")),
    Wrong("two dates of one document", IMPORT, with_changes(2, date="2001-01-04")),
    Wrong("a document and actor twice", IMPORT, with_changes(2, actor="IRQ")),
    Wrong("an actor without a probability", IMPORT, with_changes(4, p="")),
    Wrong("a percentage", IMPORT, with_changes(4, p="90")),
    Wrong("a probability with a decimal comma", IMPORT, with_changes(1, p="0,9")),
    Wrong("a probability of nobody", IMPORT, with_changes(3, p="0.5")),
    Wrong("an actor with a comma", IMPORT, with_changes(4, actor="Gaza, City")),
    Wrong(
        "scores of a document that is not listed",
        f"{IMPORT} --documents documents.csv",
        SCORES | {"documents.csv": b"id,date\na,2001-01-03\nb,2001-02-03\nd,2001-05-13\n"},
    ),
    Wrong(
        "scores without an actor", "events import scores.csv --id id --date date --prob p --store news.duckdb", SCORES
    ),
    Wrong("scores in two forms", f"{IMPORT} --actors p", SCORES),
    Wrong("a store that is something else", IMPORT, SCORES | {"news.duckdb": b"notes"}),
]
