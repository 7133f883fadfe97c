"""Stores whose truth is known: a model that misses and invents events, and documents drawn for reading."""

from __future__ import annotations

import datetime
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from tests.events.labels.labelled_stores import give
from tests.events.made_up_store import copied, created, packed

from howsure_events.labels.answers import SettledLabels, reading_order
from howsure_events.labels.draw_documents import draw_documents
from howsure_events.store.event_store import EventStore

ACTORS = ("AAA", "BBB")
TITLES = {"AAA": "Arland", "BBB": "Borland", "CCC": "Corland"}
SAMPLES = 20
FIRST = datetime.date(2001, 1, 1)
QUESTION = "Which of these attack here?"


@dataclass(frozen=True)
class KnownTruth:
    """An open store, the truth (documents, actors), and the stratum of each document."""

    store: EventStore
    documents: np.ndarray
    truth: np.ndarray
    dates: np.ndarray
    strata: dict[int, str]

    def read(self, numbers: Sequence[int] | np.ndarray, **changes: Any) -> SettledLabels:
        """What readers of some documents say: the truth."""
        numbers = np.sort(np.asarray(numbers, dtype=np.int64))
        labels = self.truth[np.searchsorted(self.documents, numbers)].astype(float)
        settled = {
            "question": QUESTION,
            "actors": ACTORS,
            "design": "stratified",
            "documents": numbers,
            "labels": labels,
            "strata": self.strata,
            "inclusion": np.ones(len(numbers)),
            "coders": ("anna",),
            "drawn": len(numbers),
            "unclear": 0,
            "unsettled": 0,
        }
        return SettledLabels(**{**settled, **changes})

    def drawn(self, n: int, seed: int) -> np.ndarray:
        """Documents at random, as many of each stratum as its size allows."""
        rng = np.random.default_rng(seed)
        of = np.array([self.strata[number] for number in self.documents.tolist()])
        share = n / len(of)
        return np.concatenate(
            [
                rng.choice(members, max(2, round(share * len(members))), replace=False)
                for members in (self.documents[of == name] for name in sorted(set(self.strata.values())))
            ]
        )

    def counts(self, period: str, actor: str) -> int:
        """The true count of a quarter."""
        year, quarter = int(period[:4]), int(period[-1])
        months = self.dates.astype("datetime64[M]").astype(int)
        inside = months // 3 == (year - 1970) * 4 + quarter - 1
        return int(self.truth[inside, ACTORS.index(actor)].sum())


def known_truth(path: Path, *, n: int = 400, seed: int = 0, order: Sequence[int] | None = None) -> KnownTruth:
    """A store of a year in which the model finds 40 % of the events, in the second quarter fewer, and invents some.

    order: in which the documents are written; it should not matter.
    """
    rng = np.random.default_rng(seed)
    numbers = 3 * np.arange(n) + 5
    days = np.sort(rng.integers(0, 365, n))
    mentions = rng.poisson(0.9, size=(n, 2))
    words = rng.poisson(0.7, size=n)
    drift = np.array([0.0, 1.2, -0.8, 0.4])[np.minimum(days // 92, 3)]
    logit = -3.0 + 0.8 * mentions + 0.9 * np.minimum(words, 2)[:, None] + drift[:, None] - np.array([0.0, 0.6])
    truth = (rng.random((n, 2)) < 1 / (1 + np.exp(-logit))) & (mentions > 0)
    detected = truth & (rng.random((n, 2)) < np.where(drift > 1, 0.2, 0.4)[:, None])
    invented = ~truth & (mentions > 0) & (rng.random((n, 2)) < 0.06)
    level = np.where(detected | invented, rng.integers(4, SAMPLES + 1, (n, 2)), 0)
    tables: dict[str, dict[str, list[Any]]] = {}

    def add(table: str, **row: Any) -> None:
        for name, value in row.items():
            tables.setdefault(table, {}).setdefault(name, []).append(value)

    for at in range(n) if order is None else order:
        number = int(numbers[at])
        date = FIRST + datetime.timedelta(days=int(days[at]))
        add(
            "documents",
            document=number,
            id=f"d{number}",
            date=date,
            title=None,
            words=9,
            mentions=int(mentions[at].sum()),
        )
        for sentence in range(max(int(mentions[at].sum()), 1)):
            text = ["Something", *(["attacked"] * int(words[at]) if sentence == 0 else []), "."]
            add("sentences", document=number, sentence=sentence, words=text, spaces=[True] * len(text))
        place = 0
        for actor in range(2):
            for _ in range(int(mentions[at, actor])):
                add(
                    "mentions",
                    document=number,
                    mention=place,
                    sentence=place,
                    start=0,
                    stop=1,
                    head=0,
                    actors=[ACTORS[actor]],
                    verb=None,
                )
                place += 1
            k = int(level[at, actor])
            if k:
                bits = np.arange(SAMPLES) < k
                add(
                    "events",
                    document=number,
                    actor=ACTORS[actor],
                    probability=k / SAMPLES,
                    samples=packed(bits),
                    entities=bits.astype(np.uint8).tobytes(),
                    best=2 * k > SAMPLES,
                    best_entities=int(2 * k > SAMPLES),
                )
        if level[at].any():
            alone = np.arange(place, dtype="<u2")
            for mention in range(place):
                add("antecedents", document=number, mention=mention, antecedent=mention, probability=1.0)
            add("clusterings", document=number, samples=np.tile(alone, SAMPLES).tobytes(), best=alone.tobytes())
    settings = {"rule": {"name": "attack", "forms": ["attacked"]}, "samples": SAMPLES, "seed": 0, "actors": TITLES}
    with created(path, settings) as store:
        store.append(tables)
        store.finish()
    is_found = level.max(axis=1) > 0
    band = np.where(is_found, "found", np.where(words > 0, "an event word", "silent"))
    strata = dict(zip(numbers.tolist(), band.tolist(), strict=True))
    dates = np.datetime64(FIRST) + days
    return KnownTruth(EventStore.open(path), numbers, truth, dates, strata)


def labelled_store(path: Path, *, n: int = 240, n_labelled: int = 80, question: str = QUESTION) -> Path:
    """A store of a known truth in which a reader, Anna, has answered for documents of a draw; closed."""
    return copied(_labelled_file(n, n_labelled, question), path)


@cache
def _labelled_file(n: int, n_labelled: int, question: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "labelled.duckdb")
        population = known_truth(path, n=n)
        population.store.close()
        with EventStore.open(path, read_only=False) as store:
            draw_documents(store, n_labelled, actors=ACTORS, question=question, period="none")
            truth = dict(zip(population.documents.tolist(), population.truth.tolist(), strict=True))
            give(
                store,
                "Anna",
                [
                    (number, [actor for actor, acts in zip(ACTORS, truth[number], strict=True) if acts])
                    for number in reading_order(store)
                ],
            )
        return path.read_bytes()
