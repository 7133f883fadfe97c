"""From a corpus to an events store: batches of documents, processed here or by several processes."""

from __future__ import annotations

import hashlib
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
from howsure.inputs.numbers_and_names import MAX_CLUSTERINGS, MAX_PROCESSES, check_whole
from howsure_events.corpus import ALL, BATCH, Corpus, Documents, Filter, Part
from howsure_events.extraction.parsers import check_language, load_parser
from howsure_events.extraction.processes import Batch, Batches, Work, deferred_interrupts, process_batches
from howsure_events.extraction.scored_coreference import ScoredCoreference
from howsure_events.lexicon import COUNTRIES, Lexicon
from howsure_events.store.event_store import EventStore
from howsure_events.stories import MIN_SHARED, WORDS, find_stories

# From a corpus to an events store: batches of documents, processed here or by several processes, stored in order.
#
# Every batch is a transaction, and batches always start at the same documents, so a killed run can be resumed, and ends
# with the same store.

STORED = "SELECT (SELECT count(*) FROM documents) + (SELECT count(*) FROM left_out)"
MAX_WORKERS = 4  # by default: each holds a parser and a model
Advance = Callable[[int], None]


@dataclass(slots=True)
class ExtractionReport:
    """A run's report: documents in the whole input, those stored before, and those read; seconds taken.

    `seconds_parsing` and `seconds_rest` are summed over processes, `seconds_storing` is the time of this one.
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
        """Count a stored batch."""
        self.read += batch.read
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
    """Write the store at `path`, or continue one that was begun with the same corpus and work.

    The store holds what made it as its settings. With several `workers` (default: 1) each is a process of its own; the
    store is the same row by row. With `part=(3, 64)`, or "3/64", the store holds the third of 64 parts of the corpus,
    which other machines may do, and which `merge_stores` puts together.

    `advance` is called with the number of documents done, first with those of an earlier run. Ctrl-C ends the run with
    `interrupted`; what is done is stored.

    Raises InputError as the readers and the rule do, or where the store was begun otherwise; StoreError where it cannot
    be written, or a process is lost. Whatever happens, batches that are stored stay, and the same call goes on after
    them.
    """
    check_language(load_parser(work.parser), work.rule, has_names=work.lexicon.name != COUNTRIES)
    check_whole(work.samples, name="samples", most=MAX_CLUSTERINGS)
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
    """Do the work of `extract_events` under known settings, such as those of a store that is recounted."""
    if workers is not None:
        workers = check_whole(workers, name="workers", most=MAX_PROCESSES)
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
    """The store to continue; None if there is none. A store without a document is removed if nothing was stored or the
    settings differ: before the first document, rules may be corrected and filters widened."""
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


def usable_processors() -> int:
    """The default number of processes: one per processor that this one may use, at most 4."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, MAX_WORKERS)


def _recipe(corpus: Corpus, work: Work) -> dict[str, Any]:
    """The settings of a store: the input and its processing, by name and, where names may be ambiguous, by content."""
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
                    advance(batch.read)
            with deferred_interrupts():
                store.finish(find_stories(store) if part.is_all else None)  # they may lie in several parts
    except KeyboardInterrupt:
        report.interrupted = True
    report.seconds = time.perf_counter() - started
    return report


def _batches(corpus: Documents, start: int, part: Part) -> Batches:
    """The batches of a part from a document on, the first of a batch."""
    documents = corpus.documents(start, part)
    while True:
        with deferred_interrupts():
            batch = list(islice(documents, BATCH))
        if not batch:
            return
        yield batch


def lexicon_recipe(lexicon: Lexicon) -> dict[str, Any]:
    """The name and the matching rule of a lexicon, and a hash of its content."""
    content = {name: getattr(lexicon, name) for name in ("name", "stemming", "match_case")}
    return {**content, "digest": hashlib.blake2b(repr(lexicon.entries).encode(), digest_size=8).hexdigest()}


def model_digest(model: Any) -> str:
    """A hash of a model's content."""
    weights = getattr(model, "weights_", None)
    weights_text = repr(getattr(model, "get_params", dict)()).encode() if weights is None else weights.tobytes()
    return hashlib.blake2b(weights_text, digest_size=8).hexdigest()
