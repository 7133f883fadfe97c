"""Reports of incidents with gold templates, `muc4`, as pairs of a report and a country whose counts are known."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from howsure.events.lexicon import Lexicon
from howsure.events.periods import period_of
from howsure.events.series.labelled_pairs import pair_features
from howsure.events.store.event_store import EventStore
from howsure.events.store.reading import columns_of
from howsure.inputs.pairs import Floats, Integers
from howsure_papers.counts.trials import Population
from howsure_papers.events.corpora import Item, News, read_incidents
from howsure_papers.events.extraction import NOUNS, store_events
from howsure_papers.events.gold import LABELS
from howsure_papers.reproduction import nobody

ACTORS = ("SLV", "COL", "PER", "GTM", "CHL", "HND", "BOL")  # those of most gold incidents
FIRST, LAST = "1989-01-01", "1990-06-30"  # six quarters; eleven reports are older
FOUND, EVENT_WORD, SILENT = "an event is found", "an event word", "no event word"


@dataclass(frozen=True, slots=True)
class Incidents:
    """N pairs of a report and a country: scores, features, quarters, gold labels by question, and what is drawn.

    bands: of each pair, what the rule says of its report: it finds an event of one of the countries, or has an event
    word at least, or neither.
    """

    score: Floats
    features: Mapping[str, Floats]
    actor: np.ndarray[Any, Any]
    quarter: np.ndarray[Any, Any]
    month: np.ndarray[Any, Any]
    document: Integers
    bands: np.ndarray[Any, Any]
    labels: Mapping[str, Floats]


def population_of(held: Incidents, question: str, *, by: str = "quarter") -> Population:
    """Countries by quarter or by month; whole reports are drawn, by quarter and by what the rule finds in them."""
    return Population(
        held.score,
        held.labels[question],
        {"actor": held.actor, by: held.quarter if by == "quarter" else held.month},
        drawn_by=held.quarter,
        bands=held.bands,
        clusters=held.document,
        features=held.features,
    )


def read_reports(data: str | None, lexicon: Lexicon, *, limit: int | None = None) -> list[Item]:
    """The reports of the six quarters, whether they name a country or not, with their gold actors."""
    news = read_incidents(data, lexicon=lexicon, event=re.compile(""), limit=limit)
    return [item for item in (*news.items, *news.silent, *news.others) if FIRST <= item.date <= LAST]


def store_reports(items: list[Item], path: Path, *, parser: str, lexicon: Lexicon, seed: int, workers: int) -> None:
    """Write a store of the events of the widest rule."""
    news = News(items, [], [], len(items), len(items))
    store_events(news, path, parser=parser, rule=NOUNS, lexicon=lexicon, seed=seed, workers=workers, advance=nobody)


def incidents_of(items: list[Item], path: Path) -> Incidents:
    """The pairs of a store of these reports, with their gold labels."""
    by_id = {item.id: item for item in items}
    with EventStore.open(path) as store:
        pairs = pair_features(store, ACTORS)
        held = columns_of(store, "SELECT document, id FROM documents ORDER BY document")
    kept = [by_id[name] for name in held["id"].tolist() if name in by_id]
    actors = len(ACTORS)
    inside = np.repeat([name in by_id for name in held["id"].tolist()], actors)
    words = pairs.features["event words"][inside]
    found = np.repeat(pairs.probability[inside].reshape(-1, actors).max(axis=1) > 0, actors)
    return Incidents(
        score=pairs.probability[inside],
        features={name: column[inside] for name, column in pairs.features.items()},
        actor=pairs.actor_codes[inside],
        quarter=np.repeat([period_of(item.date, period="quarter") for item in kept], actors),
        month=np.repeat([item.date[:7] for item in kept], actors),
        document=np.repeat(np.arange(len(kept)), actors),
        bands=np.where(found, FOUND, np.where(words > 0, EVENT_WORD, SILENT)),
        labels={
            name: np.array([float(actor in getattr(item, which)) for item in kept for actor in ACTORS])
            for name, which in LABELS.items()
        },
    )
