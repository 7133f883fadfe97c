"""Wrong inputs of `howsure events import` and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

from tests.cli.bad_input import COUNTED, Wrong
from tests.events.imported.scored_files import ROWS, changed, csv_of

IMPORT = "events import scores.csv --id id --date date --actor actor --prob p --store news.duckdb"
SCORES = {"scores.csv": csv_of(ROWS).encode()}


def with_changes(row: int, **values: str) -> dict[str, bytes]:
    return {"scores.csv": csv_of(changed(row, **values)).encode()}


SCORED = [
    Wrong("a document without an id", IMPORT,
          f"id must not be missing; row 3 of scores.csv {COUNTED} has none (1 such). Give every document an id.",
          with_changes(3, id="")),
    Wrong("a document without a date", IMPORT,
          f"date must be a date, written YYYY-MM-DD; row 3 of scores.csv {COUNTED} holds no date (1 in all). "
          "Years run from 1000 to 2999. If they are written in another way, give --date-format, such as %d/%m/%Y for "
          "31/12/2001; or leave such documents out with --bad-dates leave-out.", with_changes(3, date="")),
    Wrong("two dates of one document", IMPORT,
          "date must be the same in all rows of a document; that with id 'a' has '2001-01-03' in row 1 of "
          f"scores.csv {COUNTED} and '2001-01-04' in row 2 of scores.csv {COUNTED}.",
          with_changes(2, date="2001-01-04")),
    Wrong("a document and actor twice", IMPORT,
          "there must be one row per document and actor; id 'a' with actor 'IRQ' is that of row 1 of "
          f"scores.csv {COUNTED} and of row 2 of scores.csv {COUNTED}. Remove one of them.",
          with_changes(2, actor="IRQ")),
    Wrong("an actor without a probability", IMPORT,
          f"p must not be missing; row 4 of scores.csv {COUNTED} has none (1 such). Write 0 where the actor "
          "does not act.", with_changes(4, p="")),
    Wrong("a percentage", IMPORT,
          f"p must lie in [0, 1]; row 4 of scores.csv {COUNTED} holds 90 (1 such). Divide percentages by 100, "
          "and turn logits into probabilities.", with_changes(4, p="90")),
    Wrong("a probability with a decimal comma", IMPORT,
          f"p must be a number from 0 to 1, with a decimal point; row 1 of scores.csv {COUNTED} holds '0,9' (1 such).",
          with_changes(1, p="0,9")),
    Wrong("a probability of nobody", IMPORT,
          f"actor must not be missing where the probability is above 0; row 3 of scores.csv {COUNTED} has none, "
          "with 0.5 (1 such). A row without an actor is a document in which none acts.",
          with_changes(3, p="0.5")),
    Wrong("an actor with a comma", IMPORT,
          "an actor's name must not have a comma, which separates actors in commands; 'Gaza, City' has one.",
          with_changes(4, actor="Gaza, City")),
    Wrong("scores of a document that is not listed", f"{IMPORT} --documents documents.csv",
          f"id must be that of a document in documents.csv; row 4 of scores.csv {COUNTED} holds 'c', which is "
          "none (1 such). Add these documents, or remove their rows.",
          SCORES | {"documents.csv": b"id,date\na,2001-01-03\nb,2001-02-03\nd,2001-05-13\n"}),
    Wrong("scores without an actor", "events import scores.csv --id id --date date --prob p --store news.duckdb",
          "name the columns of the scores: actor and prob, with a row per document and actor; or "
          "actors, with a column of probabilities per actor.",
          SCORES),
    Wrong("scores in two forms", f"{IMPORT} --actors p",
          "name the columns of one form: either actors (a column each), or actor and prob (a row each); both "
          "are named: p, actor, p.", SCORES),
    Wrong("a store that is something else", IMPORT,
          "news.duckdb is not a store of events, or it is damaged: it does not begin like a DuckDB file.",
          SCORES | {"news.duckdb": b"notes"}),
]  # fmt: skip
