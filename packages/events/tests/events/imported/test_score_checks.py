"""Wrong scores get one sentence that names the row, the rule and what to do."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.events.imported.scored_files import FIELDS, HEADINGS, LONG, ROWS, csv_of, held_in, scores_of

from howsure.errors import InputError
from howsure_events.corpus import Fields
from howsure_events.extraction.imported_scores import ScoreColumns, open_scores

BARE = Fields(id="id", date="date")


def test_wrong_documents(tmp_path: Path) -> None:
    def told(documents: str, **options: Any) -> str:
        (tmp_path / "documents.csv").write_text(documents)
        with pytest.raises(InputError) as caught:
            scores_of(tmp_path, **{"documents": [tmp_path / "documents.csv"], **options})
        return str(caught.value)

    rows = [row[:4] for row in (ROWS[0], *ROWS[2:])]
    without = csv_of(rows[:2], HEADINGS[:4])
    assert "is 'c', which is not one (2 such). Add these documents, or remove their rows." in told(without)
    twice = csv_of([*rows, rows[0]], HEADINGS[:4])
    assert f"id must be different in every document; 'a' is in row 1 of {tmp_path / 'documents.csv'}" in told(twice)
    undated = csv_of([(*rows[0][:1], "", *rows[0][2:]), *rows[1:]], HEADINGS[:4])
    assert f"row 1 of {tmp_path / 'documents.csv'}" in told(undated)
    assert "no column 'title' in" in told("id,date,text\na,2001-01-01,x\n")


def test_wide_scores(tmp_path: Path) -> None:
    headings = ("id", "date", "IRQ", "USA")
    columns = ScoreColumns(actors=("IRQ", "USA"))

    def told(*rows: tuple[str, ...]) -> str:
        with pytest.raises(InputError) as caught:
            scores_of(tmp_path, rows, headings, fields=BARE, columns=columns)
        return str(caught.value)

    assert "id must be different in every document" in told(
        ("a", "2001-01-01", "0", "1"), ("a", "2001-01-01", "0", "1")
    )
    assert "USA must not be missing; row 1" in told(("a", "2001-01-01", "0", ""))
    assert "IRQ must be between 0 and 1; row 1" in told(("a", "2001-01-01", "2", "0"))
    percentage = told(("a", "2001-01-01", "0.5", "90 %"), ("b", "2001-01-02", "0.5", "7 %"))
    assert "row 1" in percentage
    assert percentage.endswith("is '90 %' (2 such). It is a percentage: write 0.9.")
    with pytest.raises(
        InputError, match=r"For one yes/no question, name the column .* as an actor: actors='p_protest'"
    ):
        ScoreColumns(prob="p_protest")


# Scores from files of any format and form: the same documents, the same probabilities.


HELD = {"a": {"IRQ": 0.9, "USA": 0.25}, "b": {}, "c": {"USA": 1.0}, "d": {}}


def test_a_row_per_document_and_actor(tmp_path: Path) -> None:
    scores = scores_of(tmp_path)
    assert held_in(scores) == HELD
    assert scores.actors == ("IRQ", "USA")  # one acts with probability 0 only in d, and elsewhere above
    documents = [
        (document.id, document.date, document.title, document.text[:4]) for document in scores.corpus.documents()
    ]
    assert documents == [(row[0], row[1], row[2], row[3][:4]) for row in (ROWS[0], *ROWS[2:])]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "csv.gz", "jsonl", "parquet"])
def test_every_format_is_the_same(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"scores.{suffix}"
    objects = [dict(zip(HEADINGS, row, strict=True)) for row in ROWS]
    text = csv_of(ROWS)
    if suffix == "jsonl":
        typed = [
            {**fields, "p": float(fields["p"]) if fields["p"] else None, "actor": fields["actor"] or None}
            for fields in objects
        ]
        path.write_text("".join(json.dumps(fields) + "\n" for fields in typed), encoding="utf-8")
    elif suffix == "tsv":
        path.write_text("\n".join("\t".join(row) for row in [HEADINGS, *ROWS]), encoding="utf-8")
    elif suffix == "parquet":
        (tmp_path / "held.csv").write_text(text, encoding="utf-8")
        with duckdb.connect() as connection:
            connection.execute(f"COPY (FROM '{tmp_path / 'held.csv'}') TO '{path}'")  # with dates and numbers
    else:
        path.write_bytes(gzip.compress(text.encode()) if suffix.endswith("gz") else text.encode())
    scores = open_scores([path], fields=FIELDS, columns=LONG)
    assert held_in(scores) == HELD
    assert [document.date for document in scores.corpus.documents()] == [
        "2001-01-03",
        "2001-02-03",
        "2001-05-03",
        "2001-05-13",
    ]


def test_a_column_per_actor(tmp_path: Path) -> None:
    rows = [
        ("a", "2001-01-03", ".9", ".25"),
        ("b", "2001-02-03", "0", "0"),
        ("c", "2001-05-03", "0", "1"),
        ("d", "2001-05-13", "0", "0"),
    ]
    columns = ScoreColumns(actors=("IRQ", "USA"))
    scores = scores_of(tmp_path, rows, ("id", "date", "IRQ", "USA"), fields=BARE, columns=columns)
    assert held_in(scores) == HELD
    assert scores.recipe["columns"]["actors"] == ["IRQ", "USA"]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_documents_in_a_file_of_their_own(suffix: str, tmp_path: Path) -> None:
    documents = tmp_path / f"documents.{suffix}"
    listed = csv_of([row[:4] for row in (ROWS[3], ROWS[0], ROWS[2], ROWS[4])], HEADINGS[:4])
    (tmp_path / "listed.csv").write_text(listed, encoding="utf-8")
    if suffix == "parquet":
        with duckdb.connect() as connection:
            connection.execute(f"COPY (FROM '{tmp_path / 'listed.csv'}') TO '{documents}'")
    else:
        documents.write_text(listed, encoding="utf-8")
    rows = [(row[0], row[4], row[5]) for row in ROWS if row[4]]
    scores = scores_of(tmp_path, rows, ("id", "actor", "p"), documents=[documents])
    assert held_in(scores) == HELD
    assert [document.id for document in scores.corpus.documents()] == ["c", "a", "b", "d"]


def test_dates_that_are_left_out(tmp_path: Path) -> None:
    rows = [*ROWS, ("e", "9999-12-31", "Five", "Nothing.", "IRQ", "0.5")]
    scores = scores_of(tmp_path, rows, bad_dates="leave-out")
    assert [document.date for document in scores.corpus.documents()][-1] is None


def test_rows_of_a_wide_table_are_numbered_without_an_id(tmp_path: Path) -> None:
    rows = [("2001-01-03", "One.", "0.9", "0"), ("2001-02-03", "One.", "0", "0.4")]
    how: dict[str, Any] = {"fields": Fields(date="date", text="text"), "columns": ScoreColumns(actors=("IRQ", "USA"))}
    scores = scores_of(tmp_path, rows, ("date", "text", "IRQ", "USA"), **how)
    assert held_in(scores) == {"1": {"IRQ": 0.9}, "2": {"USA": 0.4}}
    with pytest.raises(InputError, match="column of the id"):
        scores_of(tmp_path, columns=LONG, fields=Fields(date="date"))
