"""Extraction of the events of a corpus into a store, batch by batch."""

from __future__ import annotations

import hashlib
import math
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from howsure.errors import HowsureError
from howsure.inputs.numbers_and_names import MAX_CLUSTERINGS, MAX_PROCESSES, check_integer
from howsure_events.corpus import ALL, BATCH, Corpus, Documents, Filter, Part
from howsure_events.extraction.parsers import check_language, load_parser
from howsure_events.extraction.processes import Batch, Batches, Work, deferred_interrupts, process_batches
from howsure_events.extraction.scored_coreference import ScoredCoreference
from howsure_events.lexicon import COUNTRIES, Lexicon
from howsure_events.store.event_store import EventStore
from howsure_events.stories import MIN_SHARED, WORDS, find_stories

# Batches are stored in order, each in one transaction, and always start at the same documents. A killed run can
# therefore be resumed, and gives the same store.

STORED = "SELECT (SELECT count(*) FROM documents) + (SELECT count(*) FROM left_out)"
MAX_WORKERS = 4  # by default, because each process loads a parser and a model
Advance = Callable[[int], None]


@dataclass(slots=True)
class ExtractionReport:
    """The report of a run: numbers of documents and the time used.

    total: documents of the input, or its part. before: documents stored by earlier runs. read: documents read by this
    run. seconds_parsing and seconds_rest are summed over processes; seconds_storing is the time of the main process.
    """

    total: int
    before: int
    read: int = 0
    kept: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    with_events: int = 0
    mentions_left_out: int = 0
    seconds_parsing: float = 0.0
    seconds_rest: float = 0.0
    seconds_storing: float = 0.0
    seconds: float = 0.0
    interrupted: bool = False

    def add(self, batch: Batch) -> None:
        self.read += batch.documents
        self.kept += len(batch.tables["documents"]["document"])
        self.left_out.update(batch.tables["left_out"]["reason"])
        self.mentions_left_out += batch.mentions_left_out
        self.with_events += len(set(batch.tables["events"]["document"]))
        self.seconds_parsing += batch.seconds_parsing
        self.seconds_rest += batch.seconds_rest


def extract_events(
    corpus: Corpus,
    path: str | os.PathLike[str],
    *,
    work: Work,
    workers: int | None = None,
    part: tuple[int, int] | str | None = None,
    advance: Advance | None = None,
) -> ExtractionReport:
    """Extract the events of a corpus into a store at `path`, or resume an earlier call with the same corpus and work.

    workers: number of processes (default: 1); the store does not depend on it. part: (3, 64) or "3/64" extracts the
    third of 64 parts of the corpus, so that several machines can share the work; `merge_stores` combines the parts.
    advance: called with the number of documents done, first with those of an earlier run.

    After Ctrl-C, the report has `interrupted` True. Batches that were stored are always kept, and the same call resumes
    after them.

    Raises InputError for the errors of the corpus and the rule, or if the store was started with other settings;
    StoreError if the store cannot be written, or a worker process ends early.
    """
    check_language(load_parser(work.parser), work.rule, has_names=work.lexicon.name != COUNTRIES)
    check_integer(work.samples, name="samples", most=MAX_CLUSTERINGS)
    part_ = Part.parse(part)
    if isinstance(work.model, ScoredCoreference):
        work.model.check_documents(corpus, work.filter)
    settings = {**_recipe(corpus, work), **part_.recipe(corpus.total)}
    return fill_store(corpus, path, work=work, settings=settings, workers=workers, part=part_, advance=advance)


def fill_store(
    corpus: Documents,
    path: str | os.PathLike[str],
    *,
    work: Work,
    settings: dict[str, Any],
    workers: int | None = None,
    part: Part = ALL,
    advance: Advance | None = None,
) -> ExtractionReport:
    """Do the work of `extract_events` with given settings of the store, for example in a recount of another store."""
    if workers is not None:
        workers = check_integer(workers, name="workers", most=MAX_PROCESSES)
    target = Path(path)
    with deferred_interrupts():
        store = _open_begun(target, settings) or EventStore.create(target, settings)
    try:
        with store:
            store.check_settings(settings)
            doing = process_batches(_batches(corpus, store.next_document, part), work, workers)
            return _store_batches(doing, store, part, part.size(corpus.total), advance or (lambda documents: None))
    except Exception:
        with suppress(HowsureError):  # the first error is the one to report
            if (kept := _open_begun(target, settings)) is not None:
                kept.close()
        raise


def _open_begun(target: Path, settings: Mapping[str, Any]) -> EventStore | None:
    """Open the store to resume; return None if there is none.

    A store without documents is removed if it is unused or if its settings differ. Therefore, the rule or the filters
    can be corrected as long as no document is stored.
    """
    if not target.exists():
        return None
    store = EventStore.open(target, read_only=False, part=True)
    if store.ask("SELECT count(*) FROM documents")[0][0] or (store.settings["finished"] and "part" in store.settings):
        return store
    if (store.settings["finished"] or store.ask(STORED)[0][0]) and not store.differs(settings):
        return store
    store.close()
    target.unlink()
    return None


def usable_processors(documents: int | None = None) -> int:
    """Return the default number of processes: one per available processor and batch of the documents, at most 4."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    n_batches = MAX_WORKERS if documents is None else max(1, math.ceil(documents / BATCH))
    return min(usable, n_batches, MAX_WORKERS)


def _recipe(corpus: Corpus, work: Work) -> dict[str, Any]:
    """Return the settings of a store: the input and its processing, with hashes where names may be ambiguous."""
    column = corpus.fields.story
    source = getattr(work.model, "source_", type(work.model).__name__)
    return {
        "input": corpus.recipe,
        "parser": load_parser(work.parser).recipe,
        "rule": work.rule.to_dict(),
        "lexicon": lexicon_recipe(work.lexicon),
        "names": [list(entry) for entry in work.lexicon.entries],
        "actors": {code: work.lexicon.title(code) for code in work.lexicon.codes},
        "model": {"name": os.path.basename(source), "digest": model_digest(work.model)},
        "samples": work.samples,
        "seed": work.seed,
        "filters": {name: getattr(work.filter, name) for name in Filter.__slots__},
        "stories": {"column": column} if column else {"shared": MIN_SHARED, "words": WORDS},
    }


def _store_batches(
    doing: AbstractContextManager[Iterator[Batch]], store: EventStore, part: Part, total: int, advance: Advance
) -> ExtractionReport:
    """Store the finished batches, and complete the store."""
    report = ExtractionReport(total, before=store.ask(STORED)[0][0])
    started = time.perf_counter()
    advance(report.before)
    try:
        if not store.settings["finished"]:
            with doing as results:
                for batch in results:
                    storing = time.perf_counter()
                    with deferred_interrupts():
                        store.append(batch.tables)
                        report.add(batch)
                    report.seconds_storing += time.perf_counter() - storing
                    advance(batch.documents)
            with deferred_interrupts():
                store.finish(find_stories(store) if part.is_all else None)  # a story may be spread over several parts
    except KeyboardInterrupt:
        report.interrupted = True
    report.seconds = time.perf_counter() - started
    return report


def _batches(corpus: Documents, start: int, part: Part) -> Batches:
    """Yield the batches of a part; start: the document at which the first batch starts."""
    documents = corpus.documents(start, part)
    while True:
        with deferred_interrupts():
            batch = list(islice(documents, BATCH))
        if not batch:
            return
        yield batch


def lexicon_recipe(lexicon: Lexicon) -> dict[str, Any]:
    """Return the name and the settings of a lexicon, and a hash of its entries."""
    content = {name: getattr(lexicon, name) for name in ("name", "stemming", "match_case")}
    return {**content, "digest": hashlib.blake2b(repr(lexicon.entries).encode(), digest_size=8).hexdigest()}


def model_digest(model: Any) -> str:
    """Return a hash of a model's content."""
    weights = getattr(model, "weights_", None)
    weights_text = repr(getattr(model, "get_params", dict)()).encode() if weights is None else weights.tobytes()
    return hashlib.blake2b(weights_text, digest_size=8).hexdigest()
