"""`howsure events import`: what it writes and says, and that the other commands work on what it wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import printed
from tests.events.imported.scored_files import HEADINGS, ROWS, csv_of

GIVEN = ("--id", "id", "--date", "date", "--actor", "actor", "--prob", "p")
TEXTS = ("--title", "title", "--text", "text", "--event", "attack")


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with scores and the store that they were imported into."""
    folder = tmp_path_factory.mktemp("imported")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("scores.csv").write_text(csv_of(ROWS), encoding="utf-8")
        assert printed("events", "import", "scores.csv", *GIVEN, *TEXTS, "--store", "s.duckdb") == (
            "s.duckdb: 4 documents of 29 words, 2 with an event above probability 0\n"
            "  expected documents: USA 1.2, IRQ 0.9\n"
            "next: howsure events explore s.duckdb\n"
        )
    return folder


@pytest.fixture
def store(imported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    for name in ("scores.csv", "s.duckdb"):
        (tmp_path / name).write_bytes((imported / name).read_bytes())
    return "s.duckdb"


def test_it_is_done_once(store: str) -> None:
    again = printed("events", "import", "scores.csv", *GIVEN, *TEXTS, "--store", store)
    assert "  it was there: the same files were imported before\n" in again


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_text(csv_of([ROWS[0], ROWS[3], ("e", "", "", "", "IRQ", "0.5")]), encoding="utf-8")
    told = printed("events", "import", "scores.csv", *GIVEN, "--bad-dates", "leave-out", "--store", "s.duckdb")
    assert "  left out 1: the date is missing or invalid\n" in told
    assert "  no text: name its column (--text)" in told
    assert "  note: every document has an event with a probability above 0." in told


def test_other_forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("documents.csv").write_text(csv_of([row[:4] for row in (ROWS[0], *ROWS[2:])], HEADINGS[:4]), encoding="utf-8")
    rows = [(row[0], row[4], int(float(row[5]))) for row in ROWS if row[4]]
    Path("scores.csv").write_text(csv_of(rows, ("id", "actor", "p")), encoding="utf-8")
    given = ("--id", "id", "--date", "date", "--actor", "actor", "--prob", "p", "--documents", "documents.csv")
    printed("events", "import", "scores.csv", *given, "--text", "text", "--store", "s.duckdb")
    assert "USA    USA    2001            4                      1.0         [1, 1]" in printed(
        "events", "series", "s.duckdb", "--period", "year"
    )


@pytest.mark.long
def test_a_column_for_each_actor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wide.csv").write_text("id,date,IRQ,USA\na,2001-01-03,0.9,0.25\nb,2001-01-04,0,0\n")
    told = printed(
        "events", "import", "wide.csv", "--id", "id", "--date", "date", "--actors", "IRQ,USA", "--store", "w"
    )
    assert "expected documents: IRQ 0.9, USA 0.2" in told
