"""A store counted again by another rule: row by row what a fresh extraction gives, killed or not."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.events import newswire
from tests.events.labels.labelled_stores import answer_all, drawn_store
from tests.events.made_up_store import store_file
from tests.events.stores import FORKSERVER, contents, extract_to, work

from howsure.data.documents.conllu import write_conllu
from howsure.errors import InputError
from howsure_events.corpus import BATCH, Fields, Filter
from howsure_events.extraction.extract_events import extract_events
from howsure_events.extraction.open_corpus import open_corpus
from howsure_events.extraction.recount import NEEDED, StoredCorpus, carry_labels, recount_events
from howsure_events.labels.answers import reading_order, record_answer, settled_labels, undo_answer
from howsure_events.labels.draw_documents import draw_documents
from howsure_events.rule import Rule, built_in_rule
from howsure_events.store.check_store import check_store
from howsure_events.store.event_store import EventStore
from howsure_events.store.store_queries import read_settings
from howsure_events.store.tables import LABEL_TABLES
from howsure_text.coreference.antecedent_model import AntecedentModel

DOCUMENTS = BATCH + 10
SPOKE = Rule(name="spoke", forms=("spoke", "rose"), nouns=("forces",))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """News some of whose sentences have speakers, and some no lemmas."""
    path = tmp_path_factory.mktemp("corpus") / "news.conllu"
    documents = []
    for number in range(DOCUMENTS):
        story = newswire.story(number, sentences=2)
        voices = {"speaker": "Ann", "addressee": "Bob, Carl"} if number % 3 else {}
        sentences = [replace(sentence, metadata={**sentence.metadata, **voices}) for sentence in story.sentences]
        documents.append(replace(story, sentences=tuple(sentences)))
    write_conllu(documents, path)
    return path


FILTER = Filter(keep="^World", require_actor=True)


def extracted(path: Path, corpus: Path, model: Path, rule: Rule, filter: Filter = FILTER) -> dict[str, Any]:
    """The store that a fresh extraction with a rule gives."""
    news = open_corpus([corpus], fields=Fields(category="desk"))
    task = replace(work(model, filter=filter), rule=rule)
    extract_events(news, path, work=task)
    return contents(path)


RULES = {"attack": newswire.rule(), "spoke": SPOKE, "attack-wide": built_in_rule("attack-wide")}


class Fresh:
    """What fresh extractions give, each done once."""

    def __init__(self, folder: Path, corpus: Path, model: Path) -> None:
        self.folder, self.corpus, self.model = folder, corpus, model
        self.held: dict[str, dict[str, Any]] = {}

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.duckdb"

    def __getitem__(self, name: str) -> dict[str, Any]:
        if name not in self.held:
            self.held[name] = extracted(self.path(name), self.corpus, self.model, RULES[name])
        return self.held[name]


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory, corpus: Path, model: Path) -> Fresh:
    return Fresh(tmp_path_factory.mktemp("fresh"), corpus, model)


@pytest.fixture(scope="module")
def first(fresh: Fresh) -> Iterator[EventStore]:
    assert fresh["attack"]
    with EventStore.open(fresh.path("attack")) as store:
        yield store


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "name", ["spoke", *(pytest.param(rule, marks=pytest.mark.long) for rule in ("attack", "attack-wide"))]
)
def test_it_is_what_an_extraction_gives(
    name: str, workers: int, first: EventStore, fresh: Fresh, model: Path, tmp_path: Path
) -> None:
    steps: list[int] = []
    report = recount_events(
        first,
        tmp_path / "again.duckdb",
        rule=RULES[name],
        model=AntecedentModel.load(model),
        workers=workers,
        advance=steps.append,
    )
    assert contents(tmp_path / "again.duckdb") == fresh[name]
    assert len(fresh[name]["events"]) > 3
    assert (sum(steps), report.kept) == (DOCUMENTS, first.ask("SELECT count(*) FROM documents")[0][0])


def test_the_parse_comes_back(first: EventStore, corpus: Path) -> None:
    documents = {document.number: document for document in StoredCorpus(first).documents()}
    assert list(documents) == list(range(DOCUMENTS))
    left_out = {number: stored.left_out for number, stored in documents.items() if stored.left_out}
    assert left_out == dict(first.ask("SELECT document, reason FROM left_out"))
    for number, stored in documents.items():
        if stored.parsed is not None:
            expected = newswire.story(number, sentences=2).sentences
            layers = ("words", "lemmas", "tags", "universal_tags", "features", "heads", "relations")
            for name in layers:
                assert [getattr(each, name) for each in stored.parsed.sentences] == [
                    getattr(each, name) for each in expected
                ]
            speakers = {each.metadata.get("speaker") for each in stored.parsed.sentences}
            assert speakers == ({"Ann"} if number % 3 else {None})
    assert [document.number for document in StoredCorpus(first).documents(DOCUMENTS - 3)] == list(
        range(DOCUMENTS - 3, DOCUMENTS)
    )


@pytest.mark.long
def test_days_may_be_left_out(first: EventStore, model: Path, corpus: Path, tmp_path: Path) -> None:
    days = {"since": "1990-02-01", "until": "1990-05-01"}
    recount_events(first, tmp_path / "a.duckdb", rule=SPOKE, model=AntecedentModel.load(model), **days)
    assert contents(tmp_path / "a.duckdb") == extracted(
        tmp_path / "b.duckdb", corpus, model, SPOKE, replace(FILTER, **days)
    )
    with EventStore.open(tmp_path / "a.duckdb") as store:
        assert store.ask("SELECT min(date) >= '1990-02-01' AND max(date) <= '1990-05-01' FROM documents") == [(True,)]
        assert store.ask("SELECT count(*) > 20 FROM left_out WHERE reason = 'date'") == [(True,)]


def recount_and_tell(pipe: Connection, store: Path, target: Path, model: Path) -> None:
    """Count again, and send a message for every stored batch."""
    with EventStore.open(store) as event_store:
        recount_events(event_store, target, rule=SPOKE, model=AntecedentModel.load(model), advance=pipe.send)


@pytest.mark.long
@pytest.mark.parametrize("heard", [2])
def test_killed_and_gone_on(heard: int, first: EventStore, fresh: Fresh, model: Path, tmp_path: Path) -> None:
    source, target = tmp_path / "first.duckdb", tmp_path / "again.duckdb"
    source.write_bytes(first.path.read_bytes())
    hears, tells = FORKSERVER.Pipe(duplex=False)
    child = FORKSERVER.Process(target=recount_and_tell, args=(tells, source, target, model))
    child.start()
    tells.close()
    with hears, contextlib.suppress(EOFError):
        for _ in range(heard):
            hears.recv()
    child.kill()
    child.join()
    assert child.exitcode in (0, -signal.SIGKILL)
    with EventStore.open(source) as event_store:
        recount_events(event_store, target, rule=SPOKE, model=AntecedentModel.load(model))
    assert contents(target) == fresh["spoke"]


@pytest.mark.long
def test_what_cannot_be_counted_again(first: EventStore, corpus: Path, model: Path, tmp_path: Path) -> None:
    right = AntecedentModel.load(model)
    with pytest.raises(InputError, match="is the store that is counted again"):
        recount_events(first, first.path, rule=SPOKE, model=right)
    with pytest.raises(InputError, match=r"was made with the model model\.npz\. Pass this model"):
        recount_events(first, tmp_path / "a.duckdb", rule=SPOKE)
    with pytest.raises(InputError, match="the parse uses 'ud' labels, but the rule expects 'clear'; set labels: ud"):
        recount_events(first, tmp_path / "a.duckdb", rule=built_in_rule("attack", labels="clear"), model=right)
    half = tmp_path / "half.duckdb"
    extract_to(half, newswire.write_corpus(tmp_path / "few.conllu", 3), model)
    with duckdb.connect(half) as connection:
        connection.execute("UPDATE settings SET value = 'false' WHERE name = 'finished'")
    with EventStore.open(half) as store, pytest.raises(InputError, match="is not finished"):
        recount_events(store, tmp_path / "a.duckdb", rule=SPOKE, model=right)
    assert not (tmp_path / "a.duckdb").exists()


NARROW = {"since": "1990-02-01", "until": "1990-05-01"}


@pytest.mark.long
def test_days_that_the_store_left_out_do_not_come_back(model: Path, tmp_path: Path) -> None:
    """The settings would say that they were looked at."""
    few = newswire.write_corpus(tmp_path / "few.conllu", 40)
    extracted(tmp_path / "a.duckdb", few, model, SPOKE, replace(FILTER, **NARROW))
    with EventStore.open(tmp_path / "a.duckdb") as store:
        for name, bound, day in (("since", "1990-01-31", "1990-02-01"), ("until", "1990-05-02", "1990-05-01")):
            message = f"{name} must be within the days of the store; .*the store.s is {day}"
            with pytest.raises(InputError, match=message):
                recount_events(
                    store, tmp_path / "b.duckdb", rule=SPOKE, model=AntecedentModel.load(model), **{name: bound}
                )
    assert not (tmp_path / "b.duckdb").exists()


@pytest.mark.long
def test_truncated_settings_are_reported_in_one_sentence(model: Path, tmp_path: Path, few: Path) -> None:
    path, right = tmp_path / "cut.duckdb", AntecedentModel.load(model)
    path.write_bytes(few.read_bytes())
    empty = "UPDATE settings SET value = '{}' WHERE name = ?"
    with EventStore.open(path, read_only=False) as store:
        for change, names in (
            ("DELETE FROM settings WHERE name = ?", ("finished", "names", *[*NEEDED][::2])),
            (empty, [*NEEDED][1::2]),
        ):
            for name in names:
                store.connection.execute("BEGIN")
                store.connection.execute(change, [name])
                store.settings = read_settings(store.connection, path)
                with pytest.raises(InputError, match=r"cannot be counted again: \w+ is incomplete"):
                    recount_events(store, tmp_path / "a.duckdb", rule=SPOKE, model=right)
                store.connection.execute("ROLLBACK")


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory, model: Path) -> Path:
    """A store of three documents."""
    folder = tmp_path_factory.mktemp("few")
    extract_to(folder / "few.duckdb", newswire.write_corpus(folder / "few.conllu", 3), model)
    return folder / "few.duckdb"


@pytest.mark.long
def test_labels_are_carried_to_a_store_of_fewer_documents(tmp_path: Path) -> None:
    """And to one of the same documents, once."""
    with drawn_store(tmp_path / "a.duckdb") as store:
        order = answer_all(store, "anna", {0: ["IRQ"]})
        undo_answer(store, "anna")
        with EventStore.open(store_file(tmp_path / "same.duckdb"), read_only=False) as same:
            for carried in (True, False):
                assert (carry_labels(store, same) is not None) == carried
                tables = [
                    [event_store.ask(f"FROM {table} ORDER BY 1") for table in LABEL_TABLES]
                    for event_store in (store, same)
                ]
                assert tables[0] == tables[1]
        with EventStore.open(store_file(tmp_path / "few.duckdb", documents=30), read_only=False) as few:
            carry_labels(store, few)
            kept = {number for (number,) in few.ask("SELECT document FROM documents")}
            assert reading_order(few) == [number for number in order if number in kept] != []
            assert set(settled_labels(few).strata) == kept  # type: ignore[union-attr]


@pytest.mark.long
def test_labels_stay_with_their_documents(model: Path, tmp_path: Path) -> None:
    path, loaded = tmp_path / "labelled.duckdb", AntecedentModel.load(model)
    extract_to(path, newswire.write_corpus(tmp_path / "news.conllu", 30), model)
    with EventStore.open(path, read_only=False) as store:
        actor = str(store.ask("SELECT actor FROM events LIMIT 1")[0][0])
        draw_documents(store, 12, actors=[actor], period="none")
        order = reading_order(store)
        for number in order[:8]:
            record_answer(store, number, "anna", acting=[actor] if number % 2 else [], revision=0)
        undo_answer(store, "anna")
        labelled = {table: store.ask(f"FROM {table} ORDER BY 1") for table in LABEL_TABLES}
        days = [day for (day,) in store.ask("SELECT date FROM documents ORDER BY date")]
        recount_events(store, tmp_path / "wide.duckdb", rule=SPOKE, model=loaded)
        recount_events(store, tmp_path / "wide.duckdb", rule=SPOKE, model=loaded)  # again, as after a kill
        recount_events(store, tmp_path / "few.duckdb", rule=SPOKE, model=loaded, until=str(days[len(days) // 2]))
    with EventStore.open(tmp_path / "wide.duckdb") as again:
        assert {table: again.ask(f"FROM {table} ORDER BY 1") for table in LABEL_TABLES} == labelled
    with EventStore.open(tmp_path / "few.duckdb") as few:
        kept = {number for (number,) in few.ask("SELECT document FROM documents")}
        assert 0 < len(reading_order(few)) < 12
        assert reading_order(few) == [number for number in order if number in kept]
        assert set(settled_labels(few).strata) == kept  # type: ignore[union-attr]
    for name in ("wide", "few"):
        assert check_store(tmp_path / f"{name}.duckdb").is_whole
