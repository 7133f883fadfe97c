"""`--score FILE` of the commands that show corrected counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from howsure.events.series.corrected_series import corrected_series
from howsure.events.store.event_store import EventStore
from tests.cli.running import howsure, printed
from tests.events.corrected.known_truth import labelled_store

HEADINGS = "document,judge"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A labelled store and the scores of its documents."""
    where = tmp_path_factory.mktemp("labelled")
    labelled_store(where / "s.duckdb", n=60, read=40)
    with EventStore.open(where / "s.duckdb") as store:
        rows = [f"{name},{number % 7}" for number, name in store.ask("SELECT document, id FROM documents")]
    (where / "scores.csv").write_text("\n".join([HEADINGS, *rows, ""]), encoding="utf-8")
    return where


@pytest.fixture
def inside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


def test_what_is_printed_uses_the_scores(inside: Path) -> None:
    with EventStore.open("s.duckdb") as store:
        judge = {name: float(number % 7) for number, name in store.ask("SELECT document, id FROM documents")}
        expected = corrected_series(store, period="year", scores={"judge": judge})
    assert expected is not None
    scored = ("--period", "year", "--score", "scores.csv")
    series = json.loads(printed("events", "series", "s.duckdb", *scored, "--format", "json"))
    assert series["corrected"] == json.loads(json.dumps(expected.to_dict()))
    compared = json.loads(printed("events", "compare", "s.duckdb", "AAA", "BBB", *scored, "--format", "json"))
    assert compared["corrected"]["recipe"]["features"][-1] == "judge"


@pytest.mark.long
def test_what_is_written_uses_the_scores(inside: Path, tmp_path: Path) -> None:
    scored = ("--period", "year", "--score", "scores.csv")
    written = ("--export", str(tmp_path / "o.csv"), "--figure", str(tmp_path / "o.svg"))
    printed("events", "series", "s.duckdb", *written, *scored)
    recipe = (tmp_path / "o.recipe.json").read_text(encoding="utf-8")
    assert "judge" in recipe
    assert "corrected" in (tmp_path / "o.svg").read_text(encoding="utf-8")


def test_a_file_that_is_not_there_and_a_store_without_labels(inside: Path, tmp_path: Path) -> None:
    done = howsure("events", "series", "s.duckdb", "--score", "none.csv")
    assert done.code == 2
    assert "none.csv" in done.err
    (tmp_path / "p.csv").write_text("id,date,actor,p\na,2001-01-03,IRQ,0.5\n", encoding="utf-8")
    named = ("--id", "id", "--date", "date", "--actor", "actor", "--prob", "p")
    printed("events", "import", str(tmp_path / "p.csv"), *named, "--store", str(tmp_path / "p.duckdb"))
    done = howsure("events", "series", str(tmp_path / "p.duckdb"), "--score", "scores.csv")
    assert done.code == 2
    assert "holds no labels; draw documents first: howsure events label" in " ".join(done.err.split())


def test_learning_is_for_corrected_counts(inside: Path) -> None:
    done = howsure("events", "series", "s.duckdb", "--learn", "--uncorrected")
    assert (done.code, done.out) == (2, "")
    assert "--learn is for corrected counts, which --uncorrected leaves out; give one of the two." in " ".join(
        done.err.split()
    )
