"""Labels of a store as a table for files, and its drawn documents as a sheet to be read elsewhere."""

from __future__ import annotations

from typing import Any

from howsure.events.labels.answers import Answer, answers_of, settlements_of
from howsure.events.labels.exchange.label_csv import COLUMNS, UNCLEAR
from howsure.events.labels.labelling import asked_of
from howsure.events.labels.progress import reading_order
from howsure.events.store.documents import stored_documents
from howsure.events.store.reading import Store, rows_of
from howsure.show.numbers import all_digits
from howsure.show.table import Table

FETCHED = 256  # documents at a time


def label_table(store: Store) -> Table:
    """All present answers: a row per document, actor and coder, in the order of reading; settlements last.

    `import_labels` reads its CSV. Raises InputError if no document was drawn.
    """
    asked = asked_of(store)
    place = {number: at for at, number in enumerate(reading_order(store))}
    named = {number: (name, day) for number, name, day in rows_of(store, "SELECT document, id, date FROM documents")}
    strata = dict(rows_of(store, "SELECT document, stratum FROM label_strata"))
    chances = dict(rows_of(store, "SELECT document, inclusion FROM label_sample"))
    held = [(one, "0") for one in answers_of(store)] + [(one, "1") for one in settlements_of(store)]
    rows = []
    for one, settles in sorted(held, key=lambda pair: (pair[1], place[pair[0].document], pair[0].coder)):
        name, day = named[one.document]
        drawn = [strata.get(one.document, ""), all_digits(chances[one.document])]
        rows += [[name, str(day), actor, _label(one, actor), one.coder, *drawn, settles] for actor in asked.actors]
    return Table(list(COLUMNS), rows, words=["document", "date", "actor", "coder", "stratum"])


def reading_sheet(store: Store) -> list[dict[str, Any]]:
    """The drawn documents in the order of reading: document (its id), date, title and text.

    Raises InputError if no document was drawn.
    """
    asked_of(store)
    order, found = reading_order(store), []
    for start in range(0, len(order), FETCHED):
        held = stored_documents(store, order[start : start + FETCHED])
        for number in order[start : start + FETCHED]:
            one = held[number]
            text = " ".join(_spaced(words, spaces) for words, spaces in one.sentences)
            found.append({"document": one.id, "date": one.date.isoformat(), "title": one.title or "", "text": text})
    return found


def _spaced(words: list[str], spaces: list[bool]) -> str:
    return "".join(word + " " * space for word, space in zip(words, spaces, strict=True)).strip()


def _label(answer: Answer, actor: str) -> str:
    return UNCLEAR if answer.unclear else str(int(actor in answer.acting))
