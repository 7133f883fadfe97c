"""Stores with drawn documents and answers, for tests of labels."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.events.made_up_store import store_file

from howsure_events.labels.answers import reading_order
from howsure_events.labels.draw_documents import draw_documents
from howsure_events.store.event_store import EventStore

RULE = {"name": "attack", "verbs": ["attack"], "forms": ["attacked"], "nouns": []}
ACTORS = ("IRQ", "NATO")


def store_to_label(path: Path, *, documents: int = 60, **settings: Any) -> EventStore:
    """A made-up store open for writing, whose rule has words."""
    store_file(path, documents=documents, **{"rule": RULE, **settings})
    return EventStore.open(path, read_only=False)


def drawn_store(path: Path, n: int = 20, **options: Any) -> EventStore:
    """The same with drawn documents, about two actors."""
    store = store_to_label(path)
    draw_documents(store, n, **{"actors": ACTORS, "period": "none", **options})
    return store


def answer_all(store: EventStore, coder: str, acting: dict[int, list[str]] | None = None) -> list[int]:
    """Answers of a coder to all drawn documents, by their place in the order of reading; none acts in the others."""
    order = reading_order(store)
    give(store, coder, [(number, (acting or {}).get(at, [])) for at, number in enumerate(order)])
    return order


def give(store: EventStore, coder: str, answers: Sequence[tuple[int, Sequence[str]]]) -> None:
    """First answers of a coder, by document, as `record_answer` writes them one by one."""
    ((last,),) = store.ask("SELECT coalesce(max(entry), 0) FROM answers")
    n = len(answers)
    now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    store.append(
        {
            "answers": {
                "entry": [*range(last + 1, last + n + 1)],
                "document": [number for number, _ in answers],
                "coder": [coder] * n,
                "settles": [False] * n,
                "acting": [list(acting) for _, acting in answers],
                "unclear": [False] * n,
                "revision": [1] * n,
                "given": [now] * n,
            }
        }
    )
