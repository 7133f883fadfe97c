"""Batches of a corpus, done here, by several processes or by any executor of `concurrent.futures`."""

from __future__ import annotations

import asyncio
import atexit
import gc
import hashlib
import os
import pickle
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from multiprocessing import parent_process
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from howsure import __version__
from howsure.coreference.detection import MOST_MENTIONS
from howsure.data.documents.document import Document
from howsure.data.parses import ParsedDocument
from howsure.errors import HowsureError, InputError, parameter
from howsure.events.corpus import EMPTY, TOO_LONG, Filter, InputDocument
from howsure.events.extraction.one_document import Model, Rows, Tables, document_seed, extract
from howsure.events.extraction.parsers import parser_of
from howsure.events.extraction.scored_coreference import candidate_mentions
from howsure.events.lexicon import Lexicon
from howsure.events.rule import Rule
from howsure.events.store.event_store import StoreError
from howsure.files.whole import Scratch
from howsure.inputs.naming import counted

# Processing a batch of documents, in this process or another: parse, extract, convert to rows.


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The processing of every document. `parser` is the name or path of a spaCy pipeline; None if documents are already
    parsed."""

    parser: str | None
    model: Model
    lexicon: Lexicon
    rule: Rule
    samples: int = 100
    seed: int = 0
    filter: Filter = field(default_factory=Filter)


@dataclass(frozen=True, slots=True)
class Batch:
    """The result of a batch: rows of the tables, and the seconds taken by parsing and by the rest.

    mentions_left_out: those of the scores of another model that the documents cannot have.
    """

    tables: Tables
    read: int
    seconds_parsing: float
    seconds_rest: float
    mentions_left_out: int = 0


class Worker:
    """Does the work, batch by batch."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.mentions_left_out = 0
        self.parser = parser_of(work.parser)

    def __call__(self, batch: Sequence[InputDocument]) -> Batch:
        """The rows of a batch, independent of earlier batches."""
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
        for source, found in zip(kept, parsed, strict=True):
            self.add(rows, source, found)
        tables = rows.tables()
        seconds = between - started, time.perf_counter() - between
        return Batch(tables, len(batch), *seconds, self.mentions_left_out)

    def prepared(self, document: InputDocument) -> tuple[str | None, Any, Sequence[str]]:
        """The reason to leave out a document, or None, its input for the parser, and its words."""
        work = self.work
        reason = work.filter.reason(document)
        if reason is not None:
            return reason, None, ()
        found = self.parser.words(document)
        if found is None:
            return TOO_LONG, None, ()
        return work.filter.reason_of_words(found[1], work.lexicon), *found

    def add(self, rows: Rows, source: InputDocument, document: Document) -> None:
        """The extraction of a parsed document, as rows."""
        work = self.work
        parsed = ParsedDocument.of(document)
        mentions, left_out = candidate_mentions(work.model, parsed)
        self.mentions_left_out += left_out
        if not document.sentences or len(mentions) > MOST_MENTIONS:
            rows.leave_out(source, TOO_LONG if document.sentences else EMPTY)
            return
        rng = document_seed(work.seed, source.id)
        model, lexicon, rule = work.model, work.lexicon, work.rule
        found = extract(
            parsed, model=model, lexicon=lexicon, rule=rule, samples=work.samples, rng=rng, mentions=mentions
        )
        rows.add(source, found)


# Batches done by any executor of `concurrent.futures`: a pool of processes or threads, of MPI, a Dask cluster.
#
# A worker is not prepared by its executor: it gets the work, some megabytes, with the first batch for which it lacks
# it. So workers may come, go and be replaced while a run goes on.

TRIES = 4  # of a batch whose worker is lost
WORKERS = 32  # of an executor, where their number is not said
AHEAD = 2  # batches a worker that wait to be done or stored


@dataclass(frozen=True, slots=True)
class Lacking:
    """The answer of a worker that does not have the work."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The answer of a worker that could not do a batch, and no other can: there is no use in trying again."""

    error: Exception


Answer = Batch | Lacking | Failed


@dataclass(slots=True)
class Errand:
    """A batch on its way: what will be answered, how often it was sent, and the answer."""

    batch: Sequence[InputDocument]
    future: Future[Answer]
    with_work: bool = False
    tries: int = 1
    done: Batch | None = None


def done_by(
    executor: Executor, batches: Iterator[list[InputDocument]], work: Work, workers: int
) -> Generator[Batch, None, None]:
    """The batches done, in their order; at most two a worker are on their way. The executor stays open.

    Raises StoreError if the workers are lost, or a batch is lost in four attempts; and as the work does.
    """
    errands = Errands(executor, work)
    waiting = errands.waiting
    try:
        for batch in batches:
            errands.add(batch)
            if len(waiting) >= AHEAD * workers:
                yield errands.next()
        while waiting:
            yield errands.next()
    finally:
        for one in waiting:
            one.future.cancel()


def check_executor(executor: object) -> None:
    """Raise InputError for what is no executor, such as the client of a Dask cluster, which has one."""
    if not isinstance(executor, Executor):
        advice = " Give client.get_executor()." if hasattr(executor, "get_executor") else ""
        raise InputError(
            f"executor must be one of concurrent.futures, such as a ProcessPoolExecutor; it is {executor!r}.{advice}"
        )


def packed(work: Work) -> bytes:
    """The work as it is passed to other processes.

    Raises InputError if it cannot be passed.
    """
    try:
        return pickle.dumps(work)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(
            f"the rule and the model must reach other processes: {error}. Define a rule's function at the top of a "
            f"module, or take {parameter('workers', 1)}."
        ) from error


class Errands:
    """The batches on their way, in their order."""

    def __init__(self, executor: Executor, work: Work) -> None:
        self.executor, self.work = executor, packed(work)
        self.key = hashlib.blake2b(self.work, digest_size=16).hexdigest()
        self.waiting: deque[Errand] = deque()

    def add(self, batch: Sequence[InputDocument]) -> None:
        """Send a batch, without the work."""
        self.waiting.append(Errand(batch, self._sent(batch, False)))

    def next(self) -> Batch:
        """The first batch, as soon as it is done; meanwhile, what others lack is sent."""
        while (found := self.waiting[0].done) is None:
            open_ = [one for one in self.waiting if one.done is None]
            wait([one.future for one in open_], return_when=FIRST_COMPLETED)
            for one in open_:
                if one.future.done():
                    self._take(one)
        self.waiting.popleft()
        return found

    def _take(self, one: Errand) -> None:
        """The answer to an errand, which is sent again if its worker lacked the work, or was lost."""
        try:
            answer = one.future.result()
        except BrokenExecutor as error:
            raise _broken(error) from error
        except (Exception, asyncio.CancelledError) as error:  # of the executor, whatever it is
            if one.tries == TRIES:
                raise _lost(one.batch, error) from error
            one.tries += 1
            one.future = self._sent(one.batch, one.with_work)
            return
        if isinstance(answer, Failed):
            raise answer.error
        if isinstance(answer, Lacking):
            one.with_work = True
            one.future = self._sent(one.batch, True)
        else:
            one.done = answer

    def _sent(self, batch: Sequence[InputDocument], with_work: bool) -> Future[Answer]:
        try:
            return self.executor.submit(do, __version__, self.key, self.work if with_work else None, batch)
        except RuntimeError as error:  # it is broken, or was shut down
            raise _broken(error) from error


def _broken(error: Exception) -> StoreError:
    return StoreError(
        f"the workers of the executor ended before the work was done ({type(error).__name__}: {error}); out of memory? "
        "What is stored stays: run the same again with a new executor."
    )


def _lost(batch: Sequence[InputDocument], error: BaseException) -> StoreError:
    return StoreError(
        f"{counted(len(batch), 'document')} from {batch[0].id!r} to {batch[-1].id!r} were not done in {TRIES} attempts "
        f"({type(error).__name__}: {str(error)[:300]}): workers were lost over them. Do they run out of memory? What "
        "is stored stays: rerun the same command."
    )


_turn = threading.Lock()  # a worker is no two threads' at once
_held: tuple[str, Worker] | None = None  # the work of this process, by its key


def do(version: str, key: str, work: bytes | None, batch: Sequence[InputDocument]) -> Answer:
    """A batch, in the process of a worker."""
    with _turn:
        try:
            if version != __version__:
                raise InputError(f"each worker needs howsure {version}, as here; one has {__version__}.")
            worker = _worker_of(key, work)
            return Lacking() if worker is None else worker(batch)
        except Exception as error:  # it is told where the run was started
            return Failed(_portable(error))


def _worker_of(key: str, work: bytes | None) -> Worker | None:
    """The worker of this process, made if the work is given."""
    global _held
    if _held is not None and _held[0] == key:
        return _held[1]
    if work is None:
        return None
    try:
        _held = key, Worker(pickle.loads(work))
    except HowsureError:
        raise
    except Exception as error:
        raise InputError(
            f"a worker cannot take up the work: {error}. The parser, and the module of a rule's function, must be "
            "installed where the workers are."
        ) from error
    return _held[1]


def _portable(error: Exception) -> Exception:
    """An error that reaches another process: some cannot be made again from what they say."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return InputError(f"{error}") if isinstance(error, HowsureError) else RuntimeError(f"{error!r}")
    return error


# The batches of a corpus, done here or by several processes; Ctrl-C waits where it would do harm.
#
# DuckDB would take Ctrl-C for an error, and worker processes leave it to their parent.

Batches = Iterator[list[InputDocument]]


@contextmanager
def done(
    batches: Batches, work: Work, workers: int | None, executor: Executor | None = None
) -> Iterator[Iterator[Batch]]:
    """The batches done, in their order, by an executor if there is one; own processes end with the `with` statement."""
    if executor is not None:
        with closing(done_by(executor, batches, work, workers or WORKERS)) as results:
            yield results
        return
    if workers is None or workers == 1:
        worker = Worker(work)
        gc.freeze()  # the parser and the model are here to stay: no use in looking through them
        try:
            yield map(worker, batches)
        finally:
            gc.unfreeze()
        return
    _check_program()
    content, processes = packed(work), Spawning()
    with Scratch() as scratch:  # in a file: a process that ends while it starts would read no more from its pipe, and
        place = scratch.folder / "work"  # what does not fit into the pipe would be written without end
        place.write_bytes(content)
        pool = ProcessPoolExecutor(workers, mp_context=processes, initializer=_begin, initargs=(str(place),))
        try:
            yield _in_order(pool, batches, workers * AHEAD)
        except BrokenProcessPool as error:
            processes.kill()
            _forget_queued(pool)
            pool.shutdown(wait=True, cancel_futures=True)  # its thread knows how they ended
            why = processes.why_they_ended()
            raise StoreError(f"{why} What is stored stays: rerun the same command with fewer workers.") from error
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _check_program() -> None:
    """Raise InputError where processes would begin by looking for a program that is no file (`python -`)."""
    program = getattr(sys.modules["__main__"], "__file__", None)
    if program is not None and not Path(program).exists():
        raise InputError(f"several workers need a program that is a file; save it, or take {parameter('workers', 1)}.")


def _in_order(pool: ProcessPoolExecutor, batches: Batches, ahead: int) -> Iterator[Batch]:
    waiting: deque[Future[Batch]] = deque()
    for batch in batches:
        with undisturbed(), deaf_children():
            waiting.append(pool.submit(_do, batch))
        if len(waiting) >= ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _forget_queued(pool: ProcessPoolExecutor) -> None:
    """Nobody reads any more what is on its way to processes that have ended: close the end at which they did.

    Without this, before Python 3.11.5, the pool waits without end for what does not fit into the pipe
    (github.com/python/cpython/issues/94777).
    """
    if sys.version_info < (3, 11, 5):
        queue: Any = getattr(pool, "_call_queue", None)
        if queue is not None:
            queue._reader.close()


class Spawning(SpawnContext):
    """Starts fresh processes, and keeps track of them.

    A pool tells its processes only once to end, and would wait forever for one that is just starting or not responding.
    """

    def __init__(self) -> None:
        self.started: list[BaseProcess] = []

    def Process(self, *args: Any, **options: Any) -> BaseProcess:  # type: ignore[override]
        """A process, not yet started."""
        process = SpawnContext.Process(*args, **options)
        self.started.append(process)
        return process

    def why_they_ended(self) -> str:
        """What to look for where a process has ended before its work was done."""
        if any(process.exitcode == 1 for process in self.started):  # by an error in Python, not by a signal
            return (
                "a worker process could not start; its error is printed above. Does the program call extract_events "
                "outside of `if __name__ == '__main__':`? Each worker runs it again."
            )
        return "a worker process ended before its work was done; out of memory?"

    def kill(self) -> None:
        """End all processes at once."""
        for process in self.started:
            if process.pid is not None:
                process.kill()


_worker_of_process: Worker | None = None  # of this process, if it is one of several


def _begin(place: str) -> None:
    """Make this process a worker, of the work that its parent has left at a place: it ignores Ctrl-C, and ends if its
    parent ends."""
    global _worker_of_process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    atexit.register(os._exit, 0)  # at once, without the remarks of libraries on what they did not free
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _worker_of_process = Worker(pickle.loads(Path(place).read_bytes()))
    gc.freeze()  # the parser and the model are here to stay


def _do(batch: Sequence[InputDocument]) -> Batch:
    """Processing of a batch in a running worker process."""
    assert _worker_of_process is not None
    return _worker_of_process(batch)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Defer Ctrl-C until the end of the `with` statement; a background process that ignores it continues to do so."""
    if threading.current_thread() is not threading.main_thread():  # only the main one hears of it
        yield
        return
    waiting: list[Any] = []
    before = signal.signal(signal.SIGINT, lambda *told: waiting.append(told))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if waiting and before is not signal.SIG_IGN:
        raise KeyboardInterrupt


@contextmanager
def deaf_children() -> Iterator[None]:
    """Processes started within the `with` statement ignore Ctrl-C; this one does not, afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
