"""Stores made from the made-up newswire, here or in a process of their own, and what is in them."""

from __future__ import annotations

import itertools
import os
import signal
import time
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from tests.events import newswire

from howsure.data.documents.document import Document
from howsure_events.corpus import BATCH, Corpus, Fields, Filter
from howsure_events.extraction.extract_events import ExtractionReport, extract_events
from howsure_events.extraction.open_corpus import open_corpus
from howsure_events.extraction.processes import Work
from howsure_events.store.tables import TABLES
from howsure_text.coreference.antecedent_model import AntecedentModel
from howsure_text.coreference.coref_posterior import CorefPosterior

DOCUMENTS = 2 * BATCH + 11  # of the newswire of which all is extracted
FORKSERVER = get_context("forkserver")  # starts processes that have loaded what they need
FORKSERVER.set_forkserver_preload(["tests.events.stores"])


class Stopped(KeyboardInterrupt):
    """Ctrl-C, by ourselves."""


@dataclass(frozen=True)
class Killer:
    """A model that kills its process over one document, as a system without memory does."""

    model: AntecedentModel
    name: str

    @property
    def weights_(self) -> Any:
        return self.model.weights_

    @property
    def source_(self) -> str:
        return self.model.source_

    def posterior(self, document: Document, **options: Any) -> CorefPosterior:
        if document.name == self.name:
            os.kill(os.getpid(), signal.SIGKILL)
        return self.model.posterior(document, **options)


class Deaf:
    """Of two workers one dies, once the other has begun; that one hears no request to end."""

    weights_ = np.zeros(1)

    def __init__(self, place: Path) -> None:
        self.place, self.parent = place, os.getpid()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if os.getpid() == self.parent:
            return
        try:
            (self.place / "first").touch(exist_ok=False)
        except FileExistsError:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            (self.place / "second").touch()
            return
        while not (self.place / "second").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGKILL)

    def posterior(self, document: Document, **options: Any) -> CorefPosterior:
        while True:
            signal.pause()


Model = Killer | Deaf


def work(model: Path | Model, *, samples: int = 20, seed: int = 0, filter: Filter | None = None) -> Work:
    """The work on parsed documents."""
    return Work(
        parser=None,
        model=AntecedentModel.load(model) if isinstance(model, Path) else model,
        lexicon=newswire.lexicon(),
        rule=newswire.rule(),
        samples=samples,
        seed=seed,
        filter=filter or Filter(),
    )


def extract_to(
    store: Path,
    corpus: Path | Corpus,
    model: Path | Model,
    *,
    workers: int | None = 1,
    part: Any = None,
    advance: Any = None,
    **options: Any,
) -> ExtractionReport:
    """Extract the events of a CoNLL-U file."""
    documents = open_corpus([corpus], fields=Fields()) if isinstance(corpus, Path) else corpus
    task = work(model, **options)
    return extract_events(documents, store, work=task, workers=workers, part=part, advance=advance)


def extract_until(messages: int, seconds: float, store: Path, corpus: Path, model: Path) -> None:
    """Extract; some CPU time after a number of messages of progress the system kills the process, in whatever it does.

    It is the time that the process itself has spent, so that the moment does not depend on what else the machine does.
    """
    messages_sent = itertools.count(1)

    def advance(_: int) -> None:
        if next(messages_sent) == messages:
            signal.setitimer(signal.ITIMER_PROF, seconds)

    if messages == 0:
        signal.setitimer(signal.ITIMER_PROF, seconds)
    extract_to(store, corpus, model, advance=advance)


def contents(store: Path) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables, in the order in which they lie there."""
    with duckdb.connect(store, read_only=True) as connection:
        return {name: connection.execute(f"FROM {name}").fetchall() for name in TABLES}
