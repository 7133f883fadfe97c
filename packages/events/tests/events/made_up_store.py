"""Stores of events for tests: made-up documents whose clusterings are drawn from made-up antecedent distributions.

`make_store` writes one by the package's own pieces (posterior, rule, evidence), so that the samples are known and all
that is asked of the store can be computed again from them, slowly.
"""

from __future__ import annotations

import datetime
import json
import tempfile
import zlib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from howsure_events.extraction.extract_document import Facts, entity_counts, find_evidence
from howsure_events.store.event_store import EventStore
from howsure_events.store.integrity import remember_undamaged, store_state
from howsure_text.coreference.coref_posterior import CorefPosterior

TITLES = {"IRQ": "Iraq", "KWT": "Kuwait", "NATO": "NATO", "YUG": "Yugoslavia", "USA": "United States"}
FIRST_DAY = datetime.date(1998, 11, 20)
DAYS = 500
EMPTY = ("1999-07-01", "1999-09-30")  # a quarter without any document
PEOPLE = ("President Saddam Hussein", "the troops", "Mr. Hussein", "they", "General Clark", "some leaders", "warplanes")
HOSTILE = "<script>document.title='taken'</script> & <img src=x onerror=alert(1)>"
Rows = dict[str, dict[str, list[Any]]]


@dataclass(frozen=True)
class MadeUpMention:
    """A mention in a sentence of its own: its words, what describes it, and whether it acts."""

    words: tuple[str, ...]
    actors: tuple[str, ...] = ()
    acts: bool = False


@dataclass(frozen=True)
class MadeUpDocument:
    """A document of such mentions, and the distribution over their antecedents (M, M), on the diagonal "new"."""

    number: int
    date: datetime.date
    title: str | None
    mentions: tuple[MadeUpMention, ...]
    antecedents: np.ndarray


def hussein_document(number: int) -> MadeUpDocument:
    """The paper's example: "Mr. Hussein" is Iraq's only if he is "President Saddam Hussein of Iraq", p = 0.5."""
    mentions = (
        MadeUpMention(("President", "Saddam", "Hussein", "of", "Iraq"), ("IRQ",)),
        MadeUpMention(("some", "political", "leaders")),
        MadeUpMention(("Mr.", "Hussein"), acts=True),
    )
    antecedents = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.0, 0.5]])
    return MadeUpDocument(number, datetime.date(1999, 2, 3), "Fears of an attack", mentions, antecedents)


def random_document(number: int, rng: np.random.Generator) -> MadeUpDocument:
    """Two to seven mentions, some named and some acting; a date from a range of 500 days but for an empty quarter."""
    date = FIRST_DAY + datetime.timedelta(days=int(rng.integers(DAYS)))
    while EMPTY[0] <= str(date) <= EMPTY[1]:
        date = FIRST_DAY + datetime.timedelta(days=int(rng.integers(DAYS)))
    mentions = []
    for _ in range(int(rng.integers(2, 8))):
        words = tuple(str(rng.choice(PEOPLE)).split())
        actors = (str(rng.choice(list(TITLES), p=[0.15, 0.1, 0.3, 0.3, 0.15])),) if rng.random() < 0.5 else ()
        named = (*words, "of", TITLES[actors[0]]) if actors else words
        mentions.append(MadeUpMention(named, actors, bool(rng.random() < 0.45)))
    weights = np.tril(rng.gamma(0.3, size=(len(mentions), len(mentions)))) + 0.02 * np.eye(len(mentions))
    return MadeUpDocument(
        number, date, f"Title {number}", tuple(mentions), weights / weights.sum(axis=1, keepdims=True)
    )


def make_store(
    path: Path, *, documents: int = 60, samples: int = 40, seed: int = 0, hostile: bool = False, **settings: Any
) -> EventStore:
    """A store at `path`, open for reading: document 0 is the paper's example, every seventh of the others left out.

    hostile: document 1 has HTML with a script in its title and in its words.
    """
    return EventStore.open(
        store_file(path, documents=documents, samples=samples, seed=seed, hostile=hostile, **settings)
    )


def store_file(
    path: Path, *, documents: int = 60, samples: int = 40, seed: int = 0, hostile: bool = False, **settings: Any
) -> Path:
    """The same as a file, which nobody has open; one that was made before is copied."""
    return copied(_made_file(documents, samples, seed, hostile, json.dumps(settings)), path)


def copied(whole: bytes, path: Path) -> Path:
    """A store that was found whole, at another place; opening it there need not look through it again."""
    path.write_bytes(whole)
    remember_undamaged(path, store_state(path))
    return path


@cache
def _made_file(documents: int, samples: int, seed: int, hostile: bool, settings: str) -> bytes:
    rng = np.random.default_rng(seed)
    made = [hussein_document(0), *(random_document(number, rng) for number in range(1, documents) if number % 7)]
    if hostile:
        first = made[1].mentions[0]
        words = MadeUpMention((*first.words, *HOSTILE.split()), ("IRQ",), acts=True)
        made[1] = MadeUpDocument(1, made[1].date, HOSTILE, (words, *made[1].mentions[1:]), made[1].antecedents)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "made.duckdb")
        write_store(path, made, samples=samples, seed=seed, left_out=documents, **json.loads(settings)).close()
        return path.read_bytes()


def write_store(
    path: Path, made: list[MadeUpDocument], *, samples: int = 40, seed: int = 0, left_out: int = 0, **settings: Any
) -> EventStore:
    """A store of given documents; numbers below `left_out` that none of them has are noted as left out."""
    tables: Rows = defaultdict(lambda: defaultdict(list))
    for document in made:
        _add_document(tables, document, samples, seed)
    kept = {document.number for document in made}
    for number in range(left_out):
        if number not in kept:
            reason = "no actor" if number % 2 else "category"
            _add(tables, "left_out", document=number, id=f"item-{number}", reason=reason)
    recipe = {"rule": {"name": "attack"}, "lexicon": "made up", "parser": "none", "model": "made up"}
    recipe |= {"samples": samples, "seed": seed, "actors": TITLES, **settings}
    with created(path, recipe) as store:
        store.append(tables)
        store.finish()
    return EventStore.open(path)


def created(path: Path, settings: Mapping[str, Any]) -> EventStore:
    """An empty store as `EventStore.create` makes it; its tables are made only once."""
    store = EventStore.open(copied(_empty_file(), path), read_only=False)
    with store.transaction() as connection:
        values = [[*settings], [json.dumps(value) for value in settings.values()]]
        connection.execute("INSERT INTO settings SELECT unnest($1), unnest($2)", values)
    store.settings.update(settings)
    return store


@cache
def _empty_file() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "empty.duckdb")
        EventStore.create(path, {}).close()
        return path.read_bytes()


def _add(tables: Rows, table: str, **row: Any) -> None:
    for name, value in row.items():
        tables[table][name].append(value)


def _add_document(tables: Rows, made: MadeUpDocument, samples: int, seed: int) -> None:
    n, number = len(made.mentions), made.number
    sentences = [
        (*mention.words, *(("attacked", "Kuwait") if mention.acts else ("spoke",)), ".") for mention in made.mentions
    ]
    _add(
        tables,
        "documents",
        document=number,
        id=f"item-{number}",
        date=made.date,
        title=made.title,
        category=None,
        words=sum(map(len, sentences)),
        mentions=n,
    )
    for at, (made_mention, words) in enumerate(zip(made.mentions, sentences, strict=True)):
        spaces = [True] * (len(words) - 2) + [False, True]
        _add(tables, "sentences", document=number, sentence=at, words=list(words), spaces=spaces)
        _add(
            tables,
            "mentions",
            document=number,
            mention=at,
            sentence=at,
            start=0,
            stop=len(made_mention.words),
            head=len(made_mention.words) - 1,
            actors=list(made_mention.actors),
            verb=len(made_mention.words) if made_mention.acts else None,
        )
    facts = facts_of(made)
    if not facts.agent.any() or not facts.described.any():
        return
    for j in range(n):
        for k in range(j + 1):
            if made.antecedents[j, k] > 0:
                _add(
                    tables,
                    "antecedents",
                    document=number,
                    mention=j,
                    antecedent=k,
                    probability=float(made.antecedents[j, k]),
                )
    posterior = CorefPosterior(made.antecedents)
    drawn = posterior.sample(samples, rng=np.random.default_rng([seed, zlib.crc32(f"item-{number}".encode())]))
    best = posterior.labels(posterior.best_antecedent_clusters())[np.newaxis]
    blobs = {"samples": drawn.astype("<u2").tobytes(), "best": best.astype("<u2").tobytes()}
    _add(tables, "clusterings", document=number, **blobs)
    acting, acting_best = entity_counts(drawn, facts), entity_counts(best, facts)[0]
    for at, actor in enumerate(facts.actors):
        if acting[:, at].any() or acting_best[at]:
            counted = acting[:, at]
            _add(
                tables,
                "events",
                document=number,
                actor=actor,
                probability=float((counted > 0).mean()),
                samples=packed(counted > 0),
                entities=counted.astype(np.uint8).tobytes(),
                best=bool(acting_best[at]),
                best_entities=int(acting_best[at]),
            )
    for evidence in find_evidence(drawn, facts):
        _add(
            tables,
            "evidence",
            document=number,
            actor=evidence.actor,
            named=evidence.description,
            agent=evidence.agent,
            probability=float(evidence.samples.mean()),
            samples=packed(evidence.samples),
        )


def facts_of(made: MadeUpDocument) -> Facts:
    """What the rule needs to know of a document."""
    actors = tuple(sorted({actor for mention in made.mentions for actor in mention.actors}))
    described = np.array([[actor in mention.actors for actor in actors] for mention in made.mentions], dtype=np.bool_)
    agent = np.array([mention.acts for mention in made.mentions], dtype=np.bool_)
    return Facts(actors, described.reshape(len(made.mentions), len(actors)), agent, (), ())


def packed(bits: np.ndarray) -> bytes:
    """Truth values as the store holds them."""
    return np.packbits(bits, bitorder="little").tobytes()
