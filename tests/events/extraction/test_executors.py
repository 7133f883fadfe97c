"""Executors of others do the work, lose workers, or break: the store is that of one run, or what is lost is named."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from howsure.coreference.antecedent_model import AntecedentModel
from howsure.data.documents.document import Document
from howsure.errors import InputError, MissingExtraError
from howsure.events import Fields, extract_events, open_corpus
from howsure.events.corpus import BATCH
from howsure.events.extraction import processes
from howsure.events.extraction.processes import TRIES, Failed, deaf_children, do, undisturbed
from howsure.events.rule import Rule
from howsure.events.store.event_store import EventStore, StoreError
from tests.events.stores import DOCUMENTS, FORKSERVER, Killer, contents, extract_to, work


@pytest.fixture
def pool() -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(2, mp_context=FORKSERVER) as held:
        yield held


class Unreliable(Executor):
    """A pool of one thread on which some errands are lost: those of which `is_lost` says so, by their number."""

    def __init__(self, is_lost: Callable[[int], bool]) -> None:
        self.is_lost, self.submitted, self.pool = is_lost, 0, ThreadPoolExecutor(1)

    def submit(self, function: Any, /, *given: Any, **named: Any) -> Future[Any]:
        self.submitted += 1
        if self.is_lost(self.submitted):
            lost = Future[Any]()
            lost.set_exception(ConnectionError("the worker is gone"))
            return lost
        return self.pool.submit(function, *given, **named)


@pytest.mark.long
def test_threads(tmp_path: Path, corpus: Path, model: Path, whole: dict[str, Any]) -> None:
    with ThreadPoolExecutor(2) as threads:
        report = extract_to(tmp_path / "news.duckdb", corpus, model, workers=None, executor=threads)
        assert threads.submit(sum, [1, 2]).result() == 3  # it stays open
    assert contents(tmp_path / "news.duckdb") == whole
    assert (report.read, report.with_events) == (DOCUMENTS, len({row[0] for row in whole["events"]}))


def cannot_begin() -> None:
    raise MemoryError("no room")


def test_workers_that_cannot_begin(tmp_path: Path, corpus: Path, model: Path) -> None:
    store = tmp_path / "news.duckdb"
    with (
        ThreadPoolExecutor(1, initializer=cannot_begin) as threads,
        pytest.raises(StoreError, match=r"the workers of the executor ended .* run the same again"),
    ):
        extract_to(store, corpus, model, executor=threads)
    assert not store.exists()  # nothing was stored


@pytest.mark.long
def test_workers_that_are_killed(
    tmp_path: Path, corpus: Path, model: Path, whole: dict[str, Any], pool: ProcessPoolExecutor
) -> None:
    """A pool of processes breaks as a whole; what is stored stays."""
    store, killer = tmp_path / "news.duckdb", Killer(AntecedentModel.load(model), f"story-{2 * BATCH}")
    with pytest.raises(StoreError, match=r"the workers of the executor ended .* run the same again"):
        extract_to(store, corpus, killer, executor=pool)
    with pytest.raises(StoreError, match=r"the workers of the executor ended"):
        extract_to(store, corpus, model, executor=pool)  # the broken one
    extract_to(store, corpus, model)
    assert contents(store) == whole


def test_batches_that_are_lost_are_sent_again(tmp_path: Path, corpus: Path, model: Path, whole: dict[str, Any]) -> None:
    executor = Unreliable(lambda number: number % 3 == 1)
    extract_to(tmp_path / "news.duckdb", corpus, model, executor=executor)
    assert contents(tmp_path / "news.duckdb") == whole
    assert executor.submitted > 4


def test_a_batch_that_is_lost_every_time_is_named(tmp_path: Path, corpus: Path, model: Path) -> None:
    store, executor = tmp_path / "news.duckdb", Unreliable(lambda number: number > 1)
    with pytest.raises(
        StoreError,
        match=rf"64 documents from 'story-\d+' to 'story-\d+' were not done in {TRIES} attempts \(ConnectionError: the "
        r"worker is gone\)",
    ):
        extract_to(store, corpus, model, executor=executor, workers=1)
    if store.exists():  # the batch before it was stored in time
        with EventStore.open(store) as held:
            assert held.next_document == BATCH


def fail(sentence: Any) -> Any:
    raise ZeroDivisionError("by the rule")


def test_an_error_of_the_work_is_told_as_it_is(tmp_path: Path, corpus: Path, model: Path) -> None:
    held = open_corpus([corpus], fields=Fields())
    executor = Unreliable(lambda number: False)
    for name, function, kind, told in (
        ("fails", fail, ZeroDivisionError, "by the rule"),
        ("local", lambda sentence: [], InputError, "Define a rule's function at the top of a module"),
    ):
        task = replace(work(model), rule=Rule(name=name, function=function))
        with pytest.raises(kind, match=told):
            extract_events(held, tmp_path / "news.duckdb", work=task, executor=executor, workers=1)
        assert not (tmp_path / "news.duckdb").exists()  # so that the corrected rule may begin
    assert executor.submitted <= 6  # nothing was tried again


def test_what_is_no_executor(tmp_path: Path, corpus: Path, model: Path) -> None:
    refused(tmp_path, corpus, model, "dask", "it is 'dask'")
    with pytest.raises(InputError, match="workers must be a whole number from 1 to 100000, not 0"):
        extract_to(tmp_path / "news.duckdb", corpus, model, executor=ThreadPoolExecutor(1), workers=0)
    assert os.listdir(tmp_path) == []


def refused(folder: Path, corpus: Path, model: Path, wrong: Any, told: str) -> None:
    with pytest.raises(InputError, match=rf"executor must be one of concurrent\.futures, .*{told}"):
        extract_to(folder / "none.duckdb", corpus, model, executor=wrong)


def refusal(answer: object) -> str:
    assert isinstance(answer, Failed)
    assert isinstance(answer.error, InputError)
    assert str(pickle.loads(pickle.dumps(answer.error))) == str(answer.error)  # it reaches whoever asked
    return str(answer.error)


def unpack() -> None:
    raise ModuleNotFoundError("No module named 'my_rules'")


class Elsewhere:
    """What cannot be unpacked where it arrives."""

    def __reduce__(self) -> Any:
        return unpack, ()


def test_what_a_worker_says_that_cannot_do_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "each worker needs howsure 0.0.1, as here; one has" in refusal(do("0.0.1", "key", None, []))
    version = processes.__version__
    told = refusal(do(version, "key", pickle.dumps(Elsewhere()), []))
    assert "a worker cannot take up the work: No module named 'my_rules'. The parser, and the module" in told

    def without_spacy(work: object) -> None:
        raise MissingExtraError("a parser", "spacy")

    monkeypatch.setattr(processes, "Worker", without_spacy)
    assert "howsure[spacy]" in refusal(do(version, "key", pickle.dumps(1), []))


@pytest.mark.long
def test_a_dask_cluster(tmp_path: Path, corpus: Path, model: Path, whole: dict[str, Any]) -> None:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=2, processes=False, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        refused(tmp_path, corpus, model, client, r"Give client\.get_executor\(\)")
        extract_to(tmp_path / "news.duckdb", corpus, model, executor=client.get_executor(), workers=4)
    assert contents(tmp_path / "news.duckdb") == whole


@dataclass(frozen=True)
class Once:
    """A model over one document of which the first process that sees it is killed, as on a machine that is taken."""

    model: AntecedentModel
    name: str
    place: Path

    @property
    def weights_(self) -> Any:
        return self.model.weights_

    @property
    def source_(self) -> str:
        return self.model.source_

    def posterior(self, document: Document, **options: Any) -> Any:
        if document.name == self.name and not self.place.exists():
            self.place.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return self.model.posterior(document, **options)


@pytest.mark.cluster
def test_a_dask_cluster_of_which_a_worker_is_killed(
    tmp_path: Path, corpus: Path, model: Path, whole: dict[str, Any]
) -> None:
    from distributed import Client, LocalCluster

    once = Once(AntecedentModel.load(model), f"story-{2 * BATCH + 4}", tmp_path / "killed")
    store = tmp_path / "news.duckdb"
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        report = extract_to(store, corpus, once, executor=client.get_executor(), workers=2)  # type: ignore[arg-type]
        assert (report.read, once.place.exists()) == (DOCUMENTS, True)
        assert contents(store) == whole
        always = Killer(AntecedentModel.load(model), f"story-{2 * BATCH + 4}")
        with pytest.raises(StoreError, match=r"11 documents from 'story-128' to 'story-138' were not done .*Killed"):
            extract_to(tmp_path / "other.duckdb", corpus, always, executor=client.get_executor(), workers=2)


# Ctrl-C waits for what must not be broken off, and reaches no child.


def ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def work_on(done: list[bool]) -> None:
    with undisturbed():
        ctrl_c()
        done.append(True)


def fail_inside() -> None:
    with undisturbed():
        ctrl_c()
        raise ValueError("inside")


def test_ctrl_c_waits() -> None:
    done: list[bool] = []
    with pytest.raises(KeyboardInterrupt):
        work_on(done)
    assert done == [True]
    with pytest.raises(KeyboardInterrupt):  # as before
        ctrl_c()


def test_who_ignores_it_goes_on() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    done: list[bool] = []
    try:
        work_on(done)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert done == [True]


def test_without_ctrl_c_nothing_happens() -> None:
    before = signal.getsignal(signal.SIGINT)
    with undisturbed():
        pass
    assert signal.getsignal(signal.SIGINT) is before


def test_an_error_inside_comes_first() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ValueError, match="inside"):
        fail_inside()
    assert signal.getsignal(signal.SIGINT) is before


def test_in_another_thread() -> None:
    told: list[bool] = []

    def inside() -> None:
        with undisturbed():
            told.append(True)

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    assert told == [True]


def test_children_do_not_hear() -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGINT); print('alive')"
    with deaf_children():
        deaf = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    hearing = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (deaf.returncode, deaf.stdout) == (0, "alive\n")
    assert (hearing.returncode, hearing.stdout) == (-signal.SIGINT, "")
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
