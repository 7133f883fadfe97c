"""Batches done by any executor of `concurrent.futures`: a pool of processes or threads, of MPI, a Dask cluster.

A worker is not prepared by its executor: it gets the work, some megabytes, with the first batch for which it lacks it.
So workers may come, go and be replaced while a run goes on.
"""

from __future__ import annotations

import asyncio
import hashlib
import pickle
import threading
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass

from howsure import __version__
from howsure.errors import HowsureError, InputError
from howsure.events.corpus.documents import InputDocument
from howsure.events.extraction.worker import Batch, Work, Worker
from howsure.events.store.event_store import StoreError
from howsure.inputs.naming import counted

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
            "module, or take workers=1."
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
            worker = _worker(key, work)
            return Lacking() if worker is None else worker(batch)
        except Exception as error:  # it is told where the run was started
            return Failed(_portable(error))


def _worker(key: str, work: bytes | None) -> Worker | None:
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
