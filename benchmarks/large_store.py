"""Write a store of any size with texts, samples and labels: a thousand documents are made and copied to other days."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
from bench_events import Stored, sampled, shapes

from howsure_events.extraction.extract_document import Rows
from howsure_events.labels.answers import reading_order, record_answer
from howsure_events.labels.draw_documents import draw_documents
from howsure_events.store.event_store import EventStore

FIRST, DAYS = datetime.date(1987, 1, 1), 7_670
ACTORS = [f"A{actor:02}" for actor in range(60)]  # a few of them frequent
MADE, MENTIONS, SAMPLES = 1_000, 40, 100
RULE = {"name": "attack", "forms": ["word3"]}
NUMBER = ("document + added AS document",)
COPIED = {
    "documents": (*NUMBER, "(documents.document + added)::VARCHAR AS id"),
    **dict.fromkeys(("sentences", "mentions", "antecedents", "clusterings", "events", "evidence"), NUMBER),
}
ASKED, WRONG = 3, 0.1  # actors; the share of answers against what the model finds


def write_store(path: Path, n: int, *, labels: int = 0) -> None:
    """Write a finished store of n documents of 120 words and 40 mentions over 21 years, with labels of `labels`
    documents."""
    made = shapes(MENTIONS, ACTORS, n=MADE)
    stored, rows = Stored(made, MENTIONS), Rows()
    for number, shape in enumerate(made):
        stored.add(rows, number, sampled(*shape, number))
    settings = {"samples": SAMPLES, "rule": RULE, "actors": {code: f"Actor {int(code[1:])}" for code in ACTORS}}
    with EventStore.create(path, settings) as store:
        store.append(rows.tables())
        with store.transaction() as connection:
            for name in COPIED:
                connection.execute(
                    f"INSERT INTO {name} SELECT {name}.* REPLACE ({', '.join(COPIED[name])}) FROM {name}, "
                    f"range({MADE}, {n}, {MADE}) copies(added) WHERE document + added < {n} ORDER BY document + added"
                )
            connection.execute(f"UPDATE documents SET date = DATE '{FIRST}' + (hash(document) % {DAYS})::INTEGER")
        store.finish()
    if labels:
        read_some(path, labels)


def read_some(path: Path, n: int) -> None:
    """Label n documents that are drawn at random; the labels mostly agree with the model."""
    rng = np.random.default_rng(1)
    with EventStore.open(path, read_only=False) as store:
        draw_documents(store, n, actors=ACTORS[:ASKED])
        best_events = set(store.ask("SELECT document, actor FROM events WHERE best"))
        for number in reading_order(store):
            acting = [code for code in ACTORS[:ASKED] if ((number, code) in best_events) != (rng.random() < WRONG)]
            record_answer(store, number, "Anna", acting=acting, revision=0)
