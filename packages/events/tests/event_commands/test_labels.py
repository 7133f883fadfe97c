"""`howsure events label` and `howsure events labels`: what they draw, write, print and refuse."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import howsure, printed
from tests.events.labels.labelled_stores import answer_all, drawn_store, store_to_label

from howsure_events.examples import example_store
from howsure_events.labels.answers import current_answers, reading_order, record_answer, require_labelling, settle
from howsure_events.store.event_store import EventStore


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with store_to_label(tmp_path_factory.mktemp("whole") / "s.duckdb") as store:
        return store.path


@pytest.fixture(scope="module")
def labelled_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose drawn documents two coders read."""
    with drawn_store(tmp_path_factory.mktemp("read") / "s.duckdb", 20) as store:
        order = answer_all(store, "anna", {0: ["IRQ"], 1: ["NATO"], 2: ["IRQ", "NATO"]})
        answer_all(store, "bob", {0: ["IRQ"], 2: ["IRQ"]})
        record_answer(store, order[3], "bob", acting=[], unclear=True, revision=1)
        settle(store, order[1], ["NATO"], coder="carla")
        return store.path


@pytest.fixture
def store(whole: Path, tmp_path: Path) -> Path:
    path = tmp_path / "s.duckdb"
    path.write_bytes(whole.read_bytes())
    return path


def label(store: Path, *options: object) -> str:
    return printed("events", "label", store, "--draw-only", *options)


@pytest.mark.long
def test_documents_are_drawn_and_more_of_them_later(store: Path) -> None:
    out = label(store, "--labels", 20, "--actor", "IRQ,nato", "--period", "none", "--seed", 3)
    assert out.splitlines()[0].split() == ["stratum", "documents", "drawn", "before", "drawn", "now"]
    assert "20 documents of 52 to read: Which of these attack here?" in out
    assert label(store).startswith("20 documents drawn before: Which of these attack here?\n  20 left, ")
    assert "10 documents of 52 to read" in label(store, "--labels", 30)
    with EventStore.open(store) as opened:
        assert len(reading_order(opened)) == 30
        assert (require_labelling(opened).actors, require_labelling(opened).period) == (("IRQ", "NATO"), "none")
        assert [draw["seed"] for draw in require_labelling(opened).draws] == [3, 0]


def test_options_of_a_drawn_sample_cannot_change(store: Path) -> None:
    drawn = label(store, "--labels", 20, "--actor", "IRQ", "--language", "de")
    assert "to read: Auf welche dieser Akteure trifft „attack“ im Text zu?" in drawn
    done = howsure("events", "label", store, "--draw-only", "--actor", "NATO")
    assert done.code == 2
    assert "--actor must be the same as in the first draw of documents, 'IRQ'; it is ['NATO']. Leave it out" in done.err


@pytest.mark.long
def test_the_same_command_resumes(store: Path) -> None:
    options = ["--labels", 20, "--actor", "IRQ,NATO", "--question", " Who attacks? ", "--period", "none", "--seed", 3]
    label(store, *options, "--design", "simple")
    again = label(store, *options, "--design", "simple")
    assert again.startswith("20 documents drawn before: Who attacks?\n")
    assert label(store, "--actor", "nato", "--actor", "Iraq") == again
    assert "10 documents of 52 to read" in label(
        store, *["30" if option_value == 20 else option_value for option_value in options]
    )
    for option, value in (("--question", "Who strikes?"), ("--period", "year"), ("--design", "stratified")):
        done = howsure("events", "label", store, "--draw-only", option, value)
        assert (done.code, f"{option} must be the same as in" in done.err) == (2, True)


@pytest.mark.long
def test_the_page_opens_on_the_drawn_documents(store: Path) -> None:
    command = [sys.executable, "-m", "howsure_cli", "events", "label", str(store), "--labels", "20", "--port", "0"]
    process = subprocess.Popen([*command, "--no-open"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        greeting = next(line for line in process.stdout if " is labelled at " in line)
    finally:
        process.send_signal(signal.SIGINT)
    assert process.wait() == 0
    assert greeting.startswith(f"{store} is labelled at http://127.0.0.1:")
    with EventStore.open(store) as opened:
        assert len(reading_order(opened)) == 20


def test_labels_go_out_and_come_back(labelled_store: Path, store: Path, tmp_path: Path) -> None:
    out = tmp_path / "labels.csv"
    assert printed("events", "labels", "export", labelled_store, "--output", out) == f"82 labels in {out}\n"
    assert printed("events", "labels", "export", labelled_store) == out.read_text()
    with EventStore.open(labelled_store) as opened:
        order = reading_order(opened)
        ids = dict(opened.ask("SELECT document, id FROM documents"))
        answers = [(answer.document, answer.coder, answer.acting) for answer in current_answers(opened)]
    rows = list(csv.DictReader(out.open(newline="")))
    assert rows[0]["document"] == ids[order[0]]
    unclear = [row for row in rows if (row["document"], row["coder"]) == (ids[order[3]], "bob")]
    assert [(row["actor"], row["label"]) for row in unclear] == [("IRQ", "unclear"), ("NATO", "unclear")]
    label(store, "--labels", 20, "--actor", "IRQ,NATO", "--period", "none")
    output = printed("events", "labels", "import", store, out)
    assert output == f"{store}: 41 answers to 20 documents by anna, bob, carla\n"
    with EventStore.open(store) as opened:
        assert [(answer.document, answer.coder, answer.acting) for answer in current_answers(opened)] == answers


@pytest.mark.long
def test_a_sheet_is_filled_in(store: Path, tmp_path: Path) -> None:
    label(store, "--labels", 20, "--actor", "IRQ,NATO")
    for name in ("sheet.csv", "sheet.json"):
        output = printed("events", "labels", "sheet", store, "--output", tmp_path / name)
        assert output == f"20 documents to read in {tmp_path / name}\n"
    texts = json.loads((tmp_path / "sheet.json").read_text())
    assert list(texts[0]) == ["document", "date", "title", "text"]
    sheet = tmp_path / "sheet.csv"
    rows = sheet.read_text(encoding="utf-8-sig").splitlines()
    assert rows[0] == "document,date,title,text,actor,label"
    done = howsure("events", "labels", "import", store, sheet, "--coder", "anna")
    assert done.code == 2
    assert "sheet.csv has no labels: its column label is empty. Fill it in with 1, 0 or unclear." in done.err
    sheet.write_text("\n".join([rows[0], *(f"{row}{at % 2}" for at, row in enumerate(rows[1:])), ""]))
    output = printed("events", "labels", "import", store, sheet, "--coder", "anna")
    assert output == f"{store}: 20 answers to 20 documents by anna\n"
    done = howsure("events", "labels", "sheet", store, "--output", sheet)
    assert (done.code, done.out) == (2, "")
    assert "sheet.csv has 40 entries in its column label, which the new sheet would delete." in done.err
    other = tmp_path / "other.csv"
    printed("events", "labels", "sheet", store, "--output", other, "--semicolons")
    of_commas, of_semicolons = csv.reader(rows), csv.reader(other.open(encoding="utf-8-sig"), delimiter=";")
    assert [*of_semicolons] == [*of_commas]


@pytest.mark.long
def test_nobody_disagrees(store: Path) -> None:
    label(store, "--labels", 20)
    nobody = "no document was read yet, none by two coders: nobody could disagree\n"
    assert printed("events", "labels", "disagreements", store) == nobody
    with EventStore.open(store, read_only=False) as opened:
        first, second = sorted(number for (number,) in opened.ask("SELECT document FROM label_sample"))[:2]
        for document, coder in ((first, "anna"), (second, "anna"), (second, "bert")):
            record_answer(opened, document, coder, acting=[], revision=0)
    agreed = "all coders agree on the 1 document that two or more of them read\n"
    assert printed("events", "labels", "disagreements", store) == agreed


@pytest.mark.parametrize("command", [["export"], ["agreement"], ["disagreements"], ["sheet", "--output", "s.csv"]])
def test_a_store_without_labels(
    command: list[str], whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = howsure("events", "labels", *command, whole)
    assert (done.code, done.out) == (2, "")
    assert f"{whole} has no labels; draw documents first: howsure events label {whole}." in done.err
    assert not (tmp_path / "s.csv").exists()


def test_labels_of_picked_documents_need_a_design(whole: Path, store: Path, tmp_path: Path) -> None:
    (tmp_path / "picked.csv").write_text("document,actor,label,coder\nitem-0,IRQ,1,anna\nitem-1,IRQ,0,anna\n")
    done = howsure("events", "labels", "import", store, tmp_path / "picked.csv")
    assert done.code == 2
    assert (
        "labels of documents that were not drawn at random cannot correct a count. Give --design simple if they were"
        in done.err
    )
    output = printed("events", "labels", "import", store, tmp_path / "picked.csv", "--design", "simple")
    assert output == f"{store}: 2 answers to 2 documents by anna\n"


@pytest.mark.long
def test_a_store_that_is_counted_again_says_that_it_keeps_its_labels(tmp_path: Path) -> None:
    path, again = tmp_path / "news.duckdb", tmp_path / "again.duckdb"
    example_store(path).close()
    label(path, "--labels", 20, "--actor", "NORLAND", "--question", "Who?")
    with EventStore.open(path, read_only=False) as opened:
        answer_all(opened, "anna")
    out = printed("events", "recount", path, "--rule", "attack-wide", "--workers", 1, "--store", again)
    assert f"labels of 20 documents are carried over from {path}; they answer: Who?\n" in out
    with EventStore.open(again) as opened:
        assert len(current_answers(opened)) == 20
