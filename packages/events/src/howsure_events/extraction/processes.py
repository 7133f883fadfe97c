"""Processing the batches of a corpus, in this process or by several worker processes."""

from __future__ import annotations

import atexit
import gc
import os
import pickle
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import parent_process
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from howsure.data.documents.document import Document
from howsure.errors import InputError
from howsure.files.input_files import Scratch
from howsure_events.corpus import EMPTY, TOO_LONG, Filter, InputDocument
from howsure_events.extraction.extract_document import Model, Rows, Tables, document_seed, extract
from howsure_events.extraction.parsers import load_parser
from howsure_events.extraction.scored_coreference import candidate_mentions
from howsure_events.lexicon import Lexicon
from howsure_events.rule import Rule
from howsure_events.store.event_store import StoreError
from howsure_text.coreference.detection import MAX_MENTIONS
from howsure_text.parses import ParsedDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The settings by which every document is processed.

    parser: the name or path of a spaCy pipeline; None if documents are already parsed. samples: sampled clusterings per
    document.
    """

    parser: str | None
    model: Model
    lexicon: Lexicon
    rule: Rule
    samples: int = 100
    seed: int = 0
    filter: Filter = field(default_factory=Filter)


@dataclass(frozen=True, slots=True)
class Batch:
    """The result of a batch: rows of the tables, number of documents read, and seconds for parsing and for the rest.

    mentions_left_out: number of mentions in imported coreference scores that do not fit the parsed documents.
    """

    tables: Tables
    documents: int
    seconds_parsing: float
    seconds_rest: float
    mentions_left_out: int = 0


class Worker:
    """A worker that parses documents, extracts their events and converts them to rows, one batch after another."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.mentions_left_out = 0
        self.parser = load_parser(work.parser)

    def __call__(self, batch: Sequence[InputDocument]) -> Batch:
        """Process a batch; the result does not depend on earlier batches."""
        rows, kept, ready = Rows(), list[InputDocument](), list[Any]()
        started = time.perf_counter()
        for document in batch:
            reason, prepared, _ = self.prepared(document)
            if reason is None:
                kept.append(document)
                ready.append(prepared)
            else:
                rows.leave_out(document, reason)
        parsed = self.parser.parse(ready)
        self.mentions_left_out = 0
        between = time.perf_counter()
        for source, parsed_document in zip(kept, parsed, strict=True):
            self.add(rows, source, parsed_document)
        tables = rows.tables()
        seconds = between - started, time.perf_counter() - between
        return Batch(tables, len(batch), *seconds, self.mentions_left_out)

    def prepared(self, document: InputDocument) -> tuple[str | None, Any, Sequence[str]]:
        """Return the reason to leave out a document (None: it is kept), its input for the parser, and its words."""
        work = self.work
        reason = work.filter.reason(document)
        if reason is not None:
            return reason, None, ()
        words_and_tags = self.parser.words(document)
        if words_and_tags is None:
            return TOO_LONG, None, ()
        return work.filter.reason_of_words(words_and_tags[1], work.lexicon), *words_and_tags

    def add(self, rows: Rows, source: InputDocument, document: Document) -> None:
        """Extract the events of a parsed document, and add them to the rows."""
        work = self.work
        parsed = ParsedDocument.of(document)
        mentions, left_out = candidate_mentions(work.model, parsed)
        self.mentions_left_out += left_out
        if not document.sentences or len(mentions) > MAX_MENTIONS:
            rows.leave_out(source, TOO_LONG if document.sentences else EMPTY)
            return
        rng = document_seed(work.seed, source.id)
        model, lexicon, rule = work.model, work.lexicon, work.rule
        extracted = extract(
            parsed, model=model, lexicon=lexicon, rule=rule, samples=work.samples, rng=rng, mentions=mentions
        )
        rows.add(source, extracted)


# Ctrl-C is deferred while a batch is read or stored, since DuckDB would report it as an error. Worker processes ignore
# it, and their parent process ends them.

BATCHES_AHEAD = 2  # batches per worker that are submitted before their results are needed
Batches = Iterator[list[InputDocument]]


@contextmanager
def process_batches(batches: Batches, work: Work, workers: int | None) -> Iterator[Iterator[Batch]]:
    """A context that gives the finished batches, in order. Worker processes end with the `with` statement."""
    if workers is None or workers == 1:
        worker = Worker(work)
        gc.freeze()  # keeps the garbage collector from searching the parser and the model again and again
        try:
            yield map(worker, batches)
        finally:
            gc.unfreeze()
        return
    _check_program()
    content, processes = _packed(work), Spawning()
    with Scratch() as scratch:  # a file, since writing to the pipe of a process that ends early may never return
        place = scratch.folder / "work"
        place.write_bytes(content)
        pool = ProcessPoolExecutor(workers, mp_context=processes, initializer=_begin, initargs=(str(place),))
        try:
            yield _in_order(pool, batches, workers * BATCHES_AHEAD)
        except BrokenProcessPool as error:
            processes.kill()
            _forget_queued(pool)
            pool.shutdown(wait=True, cancel_futures=True)  # afterwards, exit codes are known
            why = processes.why_they_ended()
            raise StoreError(f"{why} What was stored is kept: rerun the same command with fewer workers.") from error
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _packed(work: Work) -> bytes:
    """Serialize the work for other processes."""
    try:
        return pickle.dumps(work)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(
            f"the rule and the model cannot be passed to worker processes: {error}. Define a rule's function at the "
            "top of a module, or use `workers=1`."
        ) from error


def _check_program() -> None:
    """Raise InputError if the main program is not a file (`python -`), because worker processes could not start it."""
    program = getattr(sys.modules["__main__"], "__file__", None)
    if program is not None and not Path(program).exists():
        raise InputError("several workers need a program that is a file; save it, or use `workers=1`.")


def _in_order(pool: ProcessPoolExecutor, batches: Batches, ahead: int) -> Iterator[Batch]:
    waiting: deque[Future[Batch]] = deque()
    for batch in batches:
        with deferred_interrupts(), children_ignoring_interrupts():
            waiting.append(pool.submit(_process_batch, batch))
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _forget_queued(pool: ProcessPoolExecutor) -> None:
    """Close the reading end of the pool's pipe, if its processes have ended.

    Before Python 3.11.5, the pool would otherwise wait forever for data to be read from the pipe
    (github.com/python/cpython/issues/94777).
    """
    if sys.version_info < (3, 11, 5):
        queue: Any = getattr(pool, "_call_queue", None)
        if queue is not None:
            queue._reader.close()


class Spawning(SpawnContext):
    """A context of multiprocessing that starts new processes and keeps track of them, so that they can be killed.

    A pool asks its processes only once to end, and would wait forever for a process that is starting or hanging.
    """

    def __init__(self) -> None:
        self.started: list[BaseProcess] = []

    def Process(self, *args: Any, **options: Any) -> BaseProcess:  # type: ignore[override]
        """Create a process, which is not started yet."""
        process = SpawnContext.Process(*args, **options)
        self.started.append(process)
        return process

    def why_they_ended(self) -> str:
        """Return a sentence on why a process ended before its work was done, with advice."""
        if any(process.exitcode == 1 for process in self.started):  # by an error in Python, not by a signal
            return (
                "a worker process could not start; its error is printed above. Does the program call extract_events "
                "outside of `if __name__ == '__main__':`? Each worker runs it again."
            )
        return "a worker process ended before its work was done, perhaps because it had too little memory."

    def kill(self) -> None:
        """End all processes at once."""
        for process in self.started:
            if process.pid is not None:
                process.kill()


_worker_of_process: Worker | None = None  # set in worker processes


def _begin(place: str) -> None:
    """Make this process a worker for the work stored at a path. It ignores Ctrl-C, and ends if its parent ends."""
    global _worker_of_process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    atexit.register(os._exit, 0)  # exit at once, without messages of libraries about memory that was not freed
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker_of_process = Worker(pickle.loads(Path(place).read_bytes()))
    gc.freeze()


def _process_batch(batch: Sequence[InputDocument]) -> Batch:
    assert _worker_of_process is not None
    return _worker_of_process(batch)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def deferred_interrupts() -> Iterator[None]:
    """Defer Ctrl-C until the end of the `with` statement, unless this process ignores Ctrl-C anyway."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread receives signals
        yield
        return
    waiting: list[Any] = []
    before = signal.signal(signal.SIGINT, lambda *signal_args: waiting.append(signal_args))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if waiting and before is not signal.SIG_IGN:
        raise KeyboardInterrupt


@contextmanager
def children_ignoring_interrupts() -> Iterator[None]:
    """A context in which newly started processes ignore Ctrl-C."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
