"""Tables with lines above the names of their columns, as spreadsheet programs export them."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest

import howsure
from howsure.data.tables.title_rows import rewrite_table
from howsure.errors import InputError

ROWS = "id;richtig;modell\n1;1;a\n2;0;a\n3;1;a\n"
TITLED = {
    "a title": ("Versammlungen 2022;;\n" + ROWS, 2),
    "a title as pandas reads it": ("Unnamed: 0;Ergebnis;Unnamed: 2\n" + ROWS, 2),
    "a title, a date, an empty line": ("Umfrage\nStand: Mai 2023;;\n\n" + ROWS, 4),
    "a title in quotation marks, on two lines": ('"Umfrage\n2023";;\n' + ROWS, 3),
    "line ends of Windows, mark of UTF-8": ("\ufeffUmfrage;;\r\n" + ROWS.replace("\n", "\r\n"), 2),
}


@pytest.mark.parametrize("title", TITLED)
def test_lines_above_the_names_are_left_out_and_reported(title: str, tmp_path: Path) -> None:
    text, line = TITLED[title]
    path = tmp_path / "survey.csv"
    path.write_text(text, encoding="utf-8", newline="")
    notes: list[str] = []
    scores = howsure.mean_scores("richtig", data=replace(howsure.read(path), tell=notes.append))
    assert (scores.rows[0].n, scores.rows[0].mean.value) == (3, pytest.approx(2 / 3))
    assert [note for note in notes if f"line {line} ('id', 'richtig', 'modell' …)" in note]
    assert scores.recipe["names_in_line"] == {str(path): line}


@pytest.mark.parametrize("ends", ["sep=;\n", "sep=;\r\n"])
def test_separator_line_and_two_kinds_of_line_ends(ends: str, tmp_path: Path) -> None:
    path = tmp_path / "survey.csv"
    path.write_text(ends + ROWS.replace("a\n", "a\r\n"), newline="")
    assert howsure.mean_scores("richtig", data=howsure.read(path)).rows[0].n == 3


@pytest.mark.parametrize(
    "text",
    [
        ROWS,
        ";name;value\n0;a;1\n1;b;2\n",  # the index of a data frame
        "model;;\na;b;c\nx;y;z\n",  # nothing shows that the second line has names
        "1;;\n2;3;4\n5;6;7\n",
        "question,answer\nHow?,yes\n",
        'id,names,gold\nq1,"Bob; Ann; Eve; Dan; Kim",a\nq2,"Bob; Ann; 3; Dan; Kim",b\n',  # lists in cells
        "id,names,gold\rq1,2,a\rq2,3,b\r",  # no line ends but those of old computers
        "Results,,\rid,gold,pred\r1,2,3\r",
    ],
)
def test_other_tables_are_unchanged(text: str, tmp_path: Path) -> None:
    path = tmp_path / "survey.csv"
    path.write_text(text)
    assert rewrite_table(str(path), str(tmp_path / "copy.csv")) is None


def test_a_tab_separated_table_keeps_its_header_above_lists_with_commas(tmp_path: Path) -> None:
    path = tmp_path / "lists.tsv"
    path.write_text("text\tgold\tright\nBob, Ann, Eve, Dan\ta\t1\nBob, 12, Eve, Dan\tb\t0\n")
    assert howsure.mean_scores("right", data=howsure.read(path)).rows[0].n == 2


def test_a_title_with_a_line_separator_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "survey.csv"
    path.write_text("Results\u2028of July;;\n" + ROWS, encoding="utf-8")
    assert howsure.mean_scores("richtig", data=howsure.read(path)).recipe["names_in_line"] == {str(path): 2}


def test_titles_in_compressed_tables_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "survey.csv.gz"
    path.write_bytes(gzip.compress(("Umfrage;;\n" + ROWS).encode()))
    assert howsure.mean_scores("richtig", data=howsure.read(path)).recipe["names_in_line"] == {str(path): 2}


def test_lines_in_messages_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "survey.csv"
    path.write_text("Umfrage,,\n" + ROWS.replace(";", ",") + "4,1,a,b\n")
    with pytest.raises(InputError, match="line 6 has 4 instead of 3"):
        howsure.mean_scores("richtig", data=howsure.read(path))


@pytest.mark.parametrize("suffix", [".xlsx", ".xlsm", ".ods"])
def test_workbooks_are_refused_with_the_way_to_export_them(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"survey{suffix}"
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(InputError, match=r"Excel: File, Save As, CSV UTF-8.*LibreOffice.*Google Sheets.*pandas"):
        howsure.mean_scores("richtig", data=howsure.read(path))
