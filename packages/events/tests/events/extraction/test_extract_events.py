"""Killed, stopped, resumed, by one process or several: the store is the same."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.events import newswire, sentences
from tests.events.sentences import document
from tests.events.stores import DOCUMENTS, FORKSERVER, Deaf, Killer, Stopped, contents, extract_to, extract_until, work

from howsure.data.documents.conllu import write_conllu
from howsure.data.documents.document import Mention
from howsure.errors import InputError
from howsure_events.corpus import BATCH, CATEGORY, NO_ACTOR, Fields, Filter
from howsure_events.extraction.dependencies import DependencyCounts, count_dependencies
from howsure_events.extraction.extract_events import extract_events
from howsure_events.extraction.open_corpus import open_corpus
from howsure_events.extraction.processes import children_ignoring_interrupts, deferred_interrupts
from howsure_events.lexicon import Lexicon
from howsure_events.rule import Rule, built_in_rule
from howsure_events.store.event_store import EventStore, StoreError
from howsure_text.coreference.antecedent_model import AntecedentModel
from tests.source import DEMO


@pytest.mark.long
@pytest.mark.parametrize("kills", [1, pytest.param(10, marks=pytest.mark.slow)])
def test_killed_at_random_moments(kills: int, tmp_path: Path, corpus: Path, model: Path, whole: dict[str, Any]) -> None:
    store, rng, done, begun_after = tmp_path / "news.duckdb", np.random.default_rng(0), 0, []
    while done < kills:
        messages = int(rng.integers(4))  # none: perhaps the store does not exist; two: a batch more is stored
        child = FORKSERVER.Process(target=extract_until, args=(messages, rng.uniform(0.01, 0.15), store, corpus, model))
        child.start()
        child.join()
        assert child.exitcode in (0, -signal.SIGPROF)
        done += child.exitcode == -signal.SIGPROF
        if child.exitcode == 0:
            assert contents(store) == whole
            store.unlink()
        elif store.exists():
            with EventStore.open(store, read_only=False) as event_store:
                begun_after.append(event_store.next_document)
    extract_to(store, corpus, model)
    assert contents(store) == whole
    assert all(document % BATCH == 0 or document == DOCUMENTS for document in begun_after)  # whole batches only
    assert kills < 10 or len(set(begun_after)) > 1  # of many, some were killed in the middle


@pytest.mark.long
def test_any_number_of_processes(tmp_path: Path, corpus: Path, model: Path, whole: dict[str, Any]) -> None:
    steps: list[int] = []
    report = extract_to(tmp_path / "news.duckdb", corpus, model, workers=2, advance=steps.append)
    assert contents(tmp_path / "news.duckdb") == whole
    assert sum(steps) == report.total == report.read == report.kept == DOCUMENTS
    assert report.with_events == len({row[0] for row in whole["events"]}) > 10


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.long)])
def test_stopped_and_gone_on(workers: int, tmp_path: Path, corpus: Path, model: Path, whole: dict[str, Any]) -> None:
    store, steps = tmp_path / "news.duckdb", list[int]()

    def stop(documents: int) -> None:
        steps.append(documents)
        if len(steps) == 3:  # of which the first says how many were done before
            raise Stopped

    report = extract_to(store, corpus, model, workers=workers, advance=stop)
    assert report.interrupted
    assert report.read == 2 * BATCH
    with EventStore.open(store) as event_store:
        assert (event_store.next_document, event_store.settings["finished"]) == (2 * BATCH, False)
    report = extract_to(store, corpus, model)
    assert (report.interrupted, report.before, report.read) == (False, 2 * BATCH, DOCUMENTS - 2 * BATCH)
    assert contents(store) == whole


@pytest.mark.long
def test_a_worker_that_is_killed(tmp_path: Path, corpus: Path, model: Path, whole: dict[str, Any]) -> None:
    store = tmp_path / "news.duckdb"
    killer = Killer(AntecedentModel.load(model), f"story-{2 * BATCH}")
    with pytest.raises(StoreError, match=r"worker process ended .* rerun the same command"):
        extract_to(store, corpus, killer, workers=2)
    report = extract_to(store, corpus, model, workers=2)
    assert report.before + report.read == DOCUMENTS
    assert contents(store) == whole


@pytest.mark.long
def test_the_workers_that_are_left_end_too(tmp_path: Path, corpus: Path, model: Path) -> None:
    """Nobody waits without end for a worker that waits for one that was killed."""
    of_other_tests = set(multiprocessing.active_children())
    with pytest.raises(StoreError, match=r"worker process ended .* rerun the same command"):
        extract_to(tmp_path / "news.duckdb", corpus, Deaf(tmp_path), workers=2)
    assert set(multiprocessing.active_children()) <= of_other_tests


@pytest.mark.long
def test_nobody_waits_for_what_killed_workers_will_not_read(tmp_path: Path, model: Path) -> None:
    """More than fits into the pipe was waited for without end, before Python 3.11.5."""
    stories = [
        replace(story, metadata={**story.metadata, "note": "x" * 9_000})
        for story in map(newswire.story, range(4 * BATCH))
    ]
    write_conllu(stories, tmp_path / "long.conllu")
    with pytest.raises(StoreError, match=r"worker process ended .* rerun the same command"):
        extract_to(tmp_path / "news.duckdb", tmp_path / "long.conllu", Deaf(tmp_path), workers=2)


@pytest.mark.long
def test_draws_depend_on_seed_and_id_alone(tmp_path: Path, model: Path, whole: dict[str, Any]) -> None:
    few = newswire.write_corpus(tmp_path / "few.conllu", 12, sentences=2)
    backwards = tmp_path / "backwards.conllu"
    parts = few.read_text().split("# newdoc")[1:]
    backwards.write_text("".join(f"# newdoc{part}" for part in reversed(parts)))
    stores = {name: tmp_path / f"{name}.duckdb" for name in ("few", "backwards", "seed")}
    extract_to(stores["few"], few, model)
    extract_to(stores["backwards"], backwards, model)
    extract_to(stores["seed"], few, model, seed=1)
    events = {name: events_by_id(contents(store)) for name, store in stores.items()}
    assert events["few"] == events["backwards"] != events["seed"]
    assert events["few"].items() <= events_by_id(whole).items()


def events_by_id(tables: dict[str, Any]) -> dict[str, list[Any]]:
    names = {row[0]: row[1] for row in tables["documents"]}
    events: dict[str, list[Any]] = {}
    for number, *rest in tables["events"]:
        events.setdefault(names[number], []).append(rest)
    return events


@pytest.mark.long
def test_documents_left_out_are_counted(tmp_path: Path, model: Path) -> None:
    numbers = [*range(20), 348, 428, *range(20, BATCH + 4)]  # in two of them nobody is named
    write_conllu([newswire.story(number) for number in numbers], tmp_path / "news.conllu")
    corpus = open_corpus([tmp_path / "news.conllu"], fields=Fields(category="desk"))
    store = tmp_path / "news.duckdb"
    report = extract_to(store, corpus, model, filter=Filter(keep="^World", drop="Sports", require_actor=True))
    sports = [at for at, number in enumerate(numbers) if number % 10 == 7]
    rows = contents(store)
    assert [row[0] for row in rows["left_out"] if row[3] == CATEGORY] == sports
    nobody = [row[0] for row in rows["left_out"] if row[3] == NO_ACTOR]
    names = {word for _, *words in newswire.ACTORS for word in words}
    assert nobody == [
        at
        for at, number in enumerate(numbers)
        if number % 10 != 7 and not any(names & set(sentence.words) for sentence in newswire.story(number).sentences)
    ]
    assert len(nobody) == 2
    assert report.left_out == {CATEGORY: len(sports), NO_ACTOR: len(nobody)}
    assert report.kept == len(rows["documents"]) == len(numbers) - len(sports) - len(nobody)


@pytest.mark.long
def test_other_settings_are_named(tmp_path: Path, model: Path) -> None:
    few, store = newswire.write_corpus(tmp_path / "few.conllu", 3), tmp_path / "few.duckdb"
    extract_to(store, few, model)
    with pytest.raises(
        InputError, match=r"started with other settings: samples was 20 and is now 10; seed was 0 and is"
    ):
        extract_to(store, few, model, samples=10, seed=4)
    newswire.write_corpus(few, 4)
    with pytest.raises(InputError, match=r"input\.\w+(\.\w+)* was .* and is now"):
        extract_to(store, few, model)


@pytest.mark.long
def test_settings_may_change_until_the_first_document_is_in(tmp_path: Path, model: Path) -> None:
    """A filter that left everything out, and a rule that failed, are corrected under the same name."""
    few, store = newswire.write_corpus(tmp_path / "few.conllu", 3), tmp_path / "few.duckdb"
    corpus = open_corpus([few], fields=Fields())
    report = extract_events(corpus, store, work=replace(work(model), filter=Filter(until="1000-01-01")))
    assert (report.kept, sum(report.left_out.values())) == (0, 3)
    again = extract_events(corpus, store, work=replace(work(model), filter=Filter(until="1000-01-01")))
    assert again.before == 3, "the same command finds it done"

    def fails(sentence: Any) -> list[Any]:
        raise ValueError("a slip")

    other = tmp_path / "other.duckdb"
    with pytest.raises(ValueError, match="a slip"):
        extract_events(corpus, other, work=replace(work(model), rule=Rule(name="slip", function=fails)))
    assert not other.exists()
    assert extract_to(store, few, model).kept == 3
    with pytest.raises(InputError, match="started with other settings: seed was 0 and is now 1"):
        extract_to(store, few, model, seed=1)
    assert contents(store)["documents"], "and a store with documents stays"


def test_several_workers_need_a_program_that_is_a_file(
    tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = newswire.write_corpus(tmp_path / "few.conllu", 3)
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(tmp_path / "<stdin>"), raising=False)
    with pytest.raises(InputError, match="several workers need a program that is a file"):
        extract_to(tmp_path / "few.duckdb", few, model, workers=2)


@pytest.mark.long
def test_a_program_that_is_not_a_file(tmp_path: Path) -> None:
    call = ["events", "extract", str(DEMO / "news.conllu"), "--lexicon", str(DEMO / "actors.tsv"), "--workers", "2"]
    call += ["--store", str(tmp_path / "news.duckdb")]
    program = f"from howsure_cli.command_line import main\nmain({call!r})\n"
    done = subprocess.run([sys.executable, "-"], input=program, capture_output=True, text=True, timeout=600)
    assert done.returncode == 2
    assert "several workers need a program that is a file" in done.stderr


@pytest.mark.long
def test_a_program_that_each_worker_runs_again(tmp_path: Path) -> None:
    """Without a guard the workers end while they start; the program waited for them without end."""
    program, corpus = tmp_path / "program.py", newswire.write_corpus(tmp_path / "news.conllu", 1)
    program.write_text(f"""
from howsure_text.coreference import AntecedentModel
from howsure_events import Fields, Lexicon, Work, built_in_rule, extract_events, open_corpus

work = Work(parser=None, model=AntecedentModel.pretrained(), lexicon=Lexicon([("IRQ", "Iraq")]),
            rule=built_in_rule("attack"))
extract_events(open_corpus([{str(corpus)!r}], fields=Fields()), "news.duckdb", work=work, workers=2)
""")
    done = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 1
    assert "StoreError: a worker process could not start" in done.stderr
    assert "if __name__ == '__main__':" in done.stderr


@pytest.mark.long
def test_what_other_processes_cannot_be_given(tmp_path: Path, model: Path) -> None:
    corpus = open_corpus([newswire.write_corpus(tmp_path / "few.conllu", 3)], fields=Fields())
    task = replace(work(model), rule=Rule(name="nobody", function=lambda sentence: []))
    with pytest.raises(InputError, match="top of a module, or use workers=1"):
        extract_events(corpus, tmp_path / "two.duckdb", work=task, workers=2)
    report = extract_events(corpus, tmp_path / "one.duckdb", work=task, workers=1)
    assert (report.kept, report.with_events) == (3, 0)
    for workers in (0, 257, 10**6):
        with pytest.raises(InputError, match=f"workers must be a whole number from 1 to 256, not {workers}"):
            extract_events(corpus, tmp_path / "none.duckdb", work=task, workers=workers)
    with pytest.raises(InputError, match="samples must be a whole number from 1 to 10,000, not 1000000000"):
        extract_events(corpus, tmp_path / "none.duckdb", work=replace(work(model), samples=10**9))


def test_hostile_text_is_stored_as_it_is(whole: dict[str, Any]) -> None:
    titles = {row[0]: row[3] for row in whole["documents"]}
    assert titles[3] == newswire.HOSTILE
    assert titles[4] == "Story 4"


@pytest.mark.long
def test_a_store_says_what_made_it(model: Path, tmp_path: Path) -> None:
    """By names: of the files of the lexicon and the model, and that the documents came parsed."""
    (tmp_path / "actors.tsv").write_text("USA\tUnited States\nIRQ\tIraq\n")
    task = replace(work(model), lexicon=Lexicon.read(tmp_path / "actors.tsv"), seed=3)
    corpus = open_corpus([newswire.write_corpus(tmp_path / "few.conllu", 3)], fields=Fields())
    extract_events(corpus, tmp_path / "news.duckdb", work=task)
    with EventStore.open(tmp_path / "news.duckdb") as store:
        made = store.settings
    assert (made["lexicon"]["name"], made["model"]["name"], made["parser"]) == (
        "actors.tsv",
        model.name,
        {"format": "CoNLL-U"},
    )
    assert (made["seed"], made["rule"]["name"], made["input"]) == (3, task.rule.name, corpus.recipe)
    assert made["actors"] == {"IRQ": "Iraq", "USA": "United States"}
    with pytest.raises(InputError, match=r"was started with other settings: lexicon.name was .* and is now"):
        extract_events(
            corpus, tmp_path / "news.duckdb", work=replace(task, lexicon=replace(task.lexicon, name="other"))
        )


def ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def work_on(done: list[bool]) -> None:
    with deferred_interrupts():
        ctrl_c()
        done.append(True)


def fail_inside() -> None:
    with deferred_interrupts():
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
    with deferred_interrupts():
        pass
    assert signal.getsignal(signal.SIGINT) is before


def test_an_error_inside_comes_first() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(ValueError, match="inside"):
        fail_inside()
    assert signal.getsignal(signal.SIGINT) is before


def test_in_another_thread() -> None:
    finished: list[bool] = []

    def inside() -> None:
        with deferred_interrupts():
            finished.append(True)

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    assert finished == [True]


def test_children_do_not_hear() -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGINT); print('alive')"
    with children_ignoring_interrupts():
        deaf = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    hearing = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (deaf.returncode, deaf.stdout) == (0, "alive\n")
    assert (hearing.returncode, hearing.stdout) == (-signal.SIGINT, "")
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


# Counts of the relations inside the entities of actors.


LEXICON = Lexicon([("IRQ", "Iraq"), ("IRQ", "Iraqi"), ("KWT", "Kuwait"), ("USA", "American"), ("KOR", "South Korean")])
RULE = built_in_rule("attack")


def test_relations_are_counted_where_names_are() -> None:
    mentions = [Mention(0, 0, 5), Mention(0, 4, 5), Mention(1, 0, 2), Mention(1, 4, 5)]
    counts = count_dependencies(
        document(sentences.PRESIDENT, sentences.HUSSEIN), mentions, ["h", "i", "h", "k"], lexicon=LEXICON, rule=RULE
    )
    assert counts.names == Counter({"nmod": 1, "(head)": 2})
    assert counts.governors == Counter(
        {("root", "(root)"): 1, ("nmod", "president"): 1, ("nsubj", "attack"): 1, ("obj", "attack"): 1}
    )


def test_entities_of_no_actor_do_not_count() -> None:
    mentions = [Mention(0, 0, 2), Mention(0, 4, 5)]
    counts = count_dependencies(document(sentences.HUSSEIN), mentions, [0, 1], lexicon=LEXICON, rule=RULE)
    assert counts.governors == Counter({("obj", "attack"): 1})


def test_paths_go_down_to_the_first_word_of_a_name() -> None:
    text = "crews/NNS/5/nsubj of/IN/4/case South/JJ/4/amod Korean/JJ/1/nmod attacked/VBD/0/root"
    counts = count_dependencies(document(text), [Mention(0, 0, 4)], [0], lexicon=LEXICON, rule=RULE)
    assert counts.names == Counter({"nmod": 1})


def test_counts_add() -> None:
    mentions = [Mention(0, 0, 2), Mention(0, 3, 4)]
    single = count_dependencies(document(sentences.ACTIVE), mentions, [0, 1], lexicon=LEXICON, rule=RULE)
    both = single + single + DependencyCounts()
    assert both.names == Counter({"amod": 2, "(head)": 2})
    assert both.to_dict()["governors"][0]["count"] == 2
    assert single.names == Counter({"amod": 1, "(head)": 1})
