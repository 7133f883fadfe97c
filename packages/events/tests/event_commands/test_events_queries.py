"""`howsure events series`, `compare` and `doubtful` from the outside, also with scores as features of corrections."""

from __future__ import annotations

import csv
import datetime
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.cli.running import howsure, printed
from tests.events.corrected.known_truth import labelled_store
from tests.events.made_up_store import hussein_document, store_file, write_store

from howsure.errors import InputError
from howsure_events.commands.main import command
from howsure_events.series.corrected_series import corrected_series
from howsure_events.store.event_store import EventStore


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("events") / "news.duckdb"
    store_file(where, documents=80, hostile=True)
    return where


@pytest.fixture(scope="module")
def store(path: Path) -> Iterator[EventStore]:
    with EventStore.open(path) as opened:
        yield opened


def run(*arguments: object) -> Result:
    """The command; what is wrong is raised."""
    return CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=False)


@pytest.mark.long
def test_nothing_is_that_doubtful(path: Path) -> None:
    assert "no document is that uncertain" in run("doubtful", path, "--low", 0.501, "--high", 0.502).output


def test_what_cannot_be(path: Path, tmp_path: Path) -> None:
    for arguments, message in [
        (["series", path, "--title", "All"], "--title is for a figure"),
        (["doubtful", path, "--low", 2], "0 ≤ low ≤ high ≤ 1"),
    ]:
        with pytest.raises(InputError, match=message):
            run(*arguments)
    assert list(tmp_path.iterdir()) == []
    assert run("series", path, "--actor", "IRQ,,YUG").exit_code == 2
    assert run("series", path, "--period", "decade").exit_code == 2


@pytest.mark.long
def test_actors_by_name(path: Path) -> None:
    """Also in `test_figure`."""
    for arguments in (["series", path, "--actor"], ["doubtful", path, "--actor"]):
        assert run(*arguments, "iraq").output == run(*arguments, "IRQ").output


@pytest.fixture(scope="module")
def long_ago(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One document of the year 1 among those of 1999: 2,000 years, that were all printed."""
    path = tmp_path_factory.mktemp("events") / "old.duckdb"
    first = hussein_document(0)
    write_store(path, [replace(first, date=datetime.date(1, 2, 3)), replace(first, number=1)], left_out=0).close()
    return path


@pytest.mark.long
def test_a_long_series_shows_its_first_rows(long_ago: Path) -> None:
    typed = ["series", long_ago, "--actor", "IRQ", "--period", "year"]
    lines = run(*typed).output.splitlines()
    rows = list(csv.DictReader(io.StringIO(run(*typed, "--format", "csv").output)))
    assert len(rows) == 1_999
    assert f"… {len(rows) - 12:,} more rows: --verbose" in lines
    assert len(lines) < 30
    assert len(run(*typed, "--verbose").output.splitlines()) > len(rows)


@pytest.mark.long
def test_a_long_comparison_shows_its_first_rows(long_ago: Path) -> None:
    typed = ["compare", long_ago, "IRQ", "USA", "--period", "year"]
    lines = run(*typed).output.splitlines()
    rows = list(csv.DictReader(io.StringIO(run(*typed, "--format", "csv").output)))
    assert len(rows) == 1_999
    assert f"… {len(rows) - 12:,} more rows: --verbose" in lines
    assert len(lines) < 30
    assert "more rows" not in run(*typed, "--since", "1990-01-01").output


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return labelled_store(tmp_path_factory.mktemp("labelled") / "labelled.duckdb", n=60, n_labelled=40)


@pytest.mark.long
def test_comparison_of_two_actors_of_whom_one_has_labels(labelled: Path) -> None:
    out = " ".join(run("compare", labelled, "AAA", "CCC").output.split())
    assert out.count("Raw counts. ") == 1
    assert "No corrected count for CCC, because coders were not asked about it: raw counts" in out
    assert "Corrected with" not in out


@pytest.mark.parametrize("command_line", [("series",), pytest.param(("compare", "AAA", "BBB"), marks=pytest.mark.long)])
def test_learning_from_the_labelled_texts(labelled: Path, command_line: tuple[str, ...]) -> None:
    document = json.loads(
        run(command_line[0], labelled, *command_line[1:], "--period", "year", "--learn", "--format", "json").output
    )
    assert "learned from the texts" in document["corrected"]["recipe"]["features"]


def test_why_there_are_no_corrected_counts(labelled: Path) -> None:
    out = run("series", labelled, "--unit", "entities").output
    assert "No corrected counts of entities" in out
    document = json.loads(run("series", labelled, "--unit", "entities", "--format", "json").output)
    assert document["not_corrected"].startswith("No corrected counts of entities")


# `--score FILE` of the commands that show corrected counts.


HEADINGS = "document,judge"


@pytest.fixture(scope="module")
def scored_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A labelled store and the scores of its documents."""
    where = tmp_path_factory.mktemp("labelled")
    labelled_store(where / "s.duckdb", n=60, n_labelled=40)
    with EventStore.open(where / "s.duckdb") as store:
        rows = [f"{name},{number % 7}" for number, name in store.ask("SELECT document, id FROM documents")]
    (where / "scores.csv").write_text("\n".join([HEADINGS, *rows, ""]), encoding="utf-8")
    return where


@pytest.fixture
def inside(scored_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(scored_folder)
    return scored_folder


@pytest.mark.long
def test_what_is_printed_uses_the_scores(inside: Path) -> None:
    with EventStore.open("s.duckdb") as store:
        judge = {name: float(number % 7) for number, name in store.ask("SELECT document, id FROM documents")}
        expected = corrected_series(store, period="year", scores={"judge": judge})
    scored = ("--period", "year", "--score", "scores.csv")
    series = json.loads(printed("events", "series", "s.duckdb", *scored, "--format", "json"))
    assert series["corrected"] == json.loads(json.dumps(expected.to_dict()))
    compared = json.loads(printed("events", "compare", "s.duckdb", "AAA", "BBB", *scored, "--format", "json"))
    assert compared["corrected"]["recipe"]["features"][-1] == "judge"


@pytest.mark.long
def test_what_is_written_uses_the_scores(inside: Path, tmp_path: Path) -> None:
    scored = ("--period", "year", "--score", "scores.csv")
    printed("events", "series", "s.duckdb", "--figure", str(tmp_path / "o.svg"), *scored)
    assert "corrected" in (tmp_path / "o.svg").read_text(encoding="utf-8")


@pytest.mark.long
def test_a_file_that_is_not_there_and_a_store_without_labels(inside: Path, tmp_path: Path) -> None:
    done = howsure("events", "series", "s.duckdb", "--score", "none.csv")
    assert done.code == 2
    assert "none.csv" in done.err
    (tmp_path / "p.csv").write_text("id,date,actor,p\na,2001-01-03,IRQ,0.5\n", encoding="utf-8")
    named = ("--id", "id", "--date", "date", "--actor", "actor", "--prob", "p")
    printed("events", "import", str(tmp_path / "p.csv"), *named, "--store", str(tmp_path / "p.duckdb"))
    done = howsure("events", "series", str(tmp_path / "p.duckdb"), "--score", "scores.csv")
    assert done.code == 2
    assert "has no labels; draw documents first: howsure events label" in " ".join(done.err.split())


@pytest.mark.parametrize("option", [("--learn",), ("--score", "scores.csv")], ids=lambda option: option[0])
def test_what_corrects_counts_needs_corrected_ones(inside: Path, option: tuple[str, ...]) -> None:
    done = howsure("events", "series", "s.duckdb", *option, "--uncorrected")
    assert (done.code, done.out) == (2, "")
    message = f"{option[0]} is for corrected counts, but --uncorrected leaves them out; give one of the two."
    assert message in " ".join(done.err.split())
