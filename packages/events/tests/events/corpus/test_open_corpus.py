"""Documents as they come: from tables and CoNLL-U, from any position, and what is wrong with them."""

from __future__ import annotations

import gzip
import json
import re
import tracemalloc
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.events import newswire

from howsure.data.documents.conllu import read_conllu
from howsure.errors import InputError
from howsure_events.corpus import (
    CATEGORY,
    EMPTY,
    NO_ACTOR,
    NO_DATE,
    REASONS,
    Corpus,
    Fields,
    Filter,
    InputDocument,
    Part,
)
from howsure_events.extraction.open_corpus import open_corpus, read_part

ROWS = [
    {"key": "a", "day": "1999-01-02", "head": "One", "body": "First.\nText", "desk": "World"},
    {"key": "b", "day": "1999-12-31T23:59:59.5", "head": None, "body": "<script>alert(1)</script>", "desk": None},
    {"key": "c", "day": " 2000-02-29 ", "head": "", "body": None, "desk": "Sports, local"},
]
FIELDS = Fields(text="body", date="day", id="key", title="head", category="desk")
EXPECTED = [
    InputDocument(0, "a", "1999-01-02", "One", "World", "First.\nText"),
    InputDocument(1, "b", "1999-12-31", None, None, "<script>alert(1)</script>"),
    InputDocument(2, "c", "2000-02-29", "", "Sports, local", ""),
]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    """The rows in the format that the name of the file says."""
    if path.suffix == ".parquet":
        pd.DataFrame(rows).to_parquet(path)
    elif path.suffix == ".csv":
        pd.DataFrame(rows).to_csv(path, index=False)
    else:
        text = "".join(json.dumps(row) + "\n" for row in rows).encode()
        path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz", "x.parquet"])
def test_every_format_holds_the_same_documents(name: str, tmp_path: Path) -> None:
    corpus = open_corpus([written(tmp_path / name, ROWS)], fields=FIELDS)
    assert list(corpus.documents()) == EXPECTED
    assert corpus.total == 3
    for start in range(4):
        assert list(corpus.documents(start)) == EXPECTED[start:]


def test_csv_knows_no_null(tmp_path: Path) -> None:
    corpus = open_corpus([written(tmp_path / "x.csv", ROWS)], fields=FIELDS)
    documents = [
        replace(document, title=document.title or None, category=document.category or None)
        for document in corpus.documents()
    ]
    assert documents == [replace(expected, title=expected.title or None) for expected in EXPECTED]


def test_several_files_are_one_corpus_in_their_order(tmp_path: Path) -> None:
    for at, row in enumerate(ROWS):
        written(tmp_path / f"part-{at}.jsonl", [row])
    assert list(open_corpus([tmp_path / "part-*.jsonl"], fields=FIELDS).documents()) == EXPECTED


def test_many_rows_keep_their_order(tmp_path: Path) -> None:
    rows = [{"key": str(at), "day": "1999-01-02", "body": "x" * (at % 70)} for at in range(6_000)]
    for name in ("x.parquet", "x.jsonl"):
        corpus = open_corpus([written(tmp_path / name, rows)], fields=Fields(text="body", date="day", id="key"))
        assert [document.id for document in corpus.documents()] == [row["key"] for row in rows]
        assert [document.id for document in corpus.documents(5_950)] == [row["key"] for row in rows[5_950:]]
        third = [(number, row["key"]) for number, row in enumerate(rows) if Part(3, 7).holds(number)]
        assert [(document.number, document.id) for document in corpus.documents(0, Part(3, 7))] == third
        later = [reference for reference in third if reference[0] >= 5_000]
        assert [(document.number, document.id) for document in corpus.documents(5_000, Part(3, 7))] == later


@pytest.mark.parametrize("name", [pytest.param("x.jsonl", marks=pytest.mark.long), "x.parquet", "x.conllu"])
def test_memory_does_not_grow_with_the_corpus(name: str, tmp_path: Path) -> None:
    n, words = (1_000, 1_200) if name == "x.conllu" else (2_500, 400)
    text = "word " * words
    if name == "x.conllu":
        comments = "# newdoc id = {}\n# date = 1999-01-02\n# about = " + text + "\n"
        path = tmp_path / name
        path.write_text("".join(f"{comments.format(at)}1\tHi\t_\t_\tUH\t_\t0\troot\t_\t_\n\n" for at in range(n)))
        corpus = open_corpus([path], fields=Fields())
    else:
        rows = [{"day": "1999-01-02", "body": text} for _ in range(n)]
        corpus = open_corpus([written(tmp_path / name, rows)], fields=Fields(text="body", date="day"))
    tracemalloc.start()
    assert sum(1 for _ in corpus.documents()) == n
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4e6 < n * len(text)


def test_without_ids_documents_are_numbered(tmp_path: Path) -> None:
    corpus = open_corpus([written(tmp_path / "x.jsonl", ROWS)], fields=Fields(text="body", date="day"))
    assert [document.id for document in corpus.documents()] == ["1", "2", "3"]
    assert [document.id for document in corpus.documents(2)] == ["3"]


def test_dates_written_in_another_way(tmp_path: Path) -> None:
    rows = [{"day": "31/12/1999", "body": "x"}, {"day": "1/2/2000", "body": "x"}]
    fields = Fields(text="body", date="day", date_format="%d/%m/%Y")
    corpus = open_corpus([written(tmp_path / "x.csv", rows)], fields=fields)
    assert [document.date for document in corpus.documents()] == ["1999-12-31", "2000-02-01"]


def test_typed_dates(tmp_path: Path) -> None:
    frame = pd.DataFrame({"day": pd.to_datetime(["1999-01-02 23:00", "2000-02-29 00:00"]), "body": ["x", "y"]})
    frame.to_parquet(tmp_path / "x.parquet")
    corpus = open_corpus([tmp_path / "x.parquet"], fields=Fields(text="body", date="day"))
    assert [document.date for document in corpus.documents()] == ["1999-01-02", "2000-02-29"]


BAD = (None, "", "soon", "1999-02-30", "02.01.1999", "1999", "199-01-02", "19990102", "9999-12-31", "0001-01-01")


def test_all_bad_dates_are_found_and_may_be_left_out(tmp_path: Path) -> None:
    rows = [ROWS[0], *({**ROWS[1], "key": f"bad {at}", "day": bad} for at, bad in enumerate(BAD))]
    path = written(tmp_path / "x.jsonl", rows)
    with pytest.raises(InputError, match=rf"row 2 of .* \({len(BAD)} in all\)"):
        open_corpus([path], fields=FIELDS)
    corpus = open_corpus([path], fields=FIELDS, bad_dates="leave-out")
    assert [document.date for document in corpus.documents()] == ["1999-01-02", *[None] * len(BAD)]


def test_the_recipe_says_what_was_read(tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", ROWS)
    recipe = open_corpus([path], fields=FIELDS).recipe
    assert recipe == {"files": [["x.jsonl", path.stat().st_size]], "columns": asdict(FIELDS), "bad_dates": "error"}


def conllu(path: Path, documents: int, *, packed: bool = False) -> Corpus:
    newswire.write_corpus(path, documents)
    if packed:
        path.write_bytes(gzip.compress(path.read_bytes()))
    return open_corpus([path], fields=Fields(category="desk"))


@pytest.mark.parametrize("packed", [False, True])
def test_conllu_holds_the_documents_of_its_reader(packed: bool, tmp_path: Path) -> None:
    corpus = conllu(tmp_path / "news.conllu", 20, packed=packed)
    assert (corpus.total, corpus.is_parsed) == (20, True)
    stories = read_conllu(tmp_path / "news.conllu")
    for start in (0, 7, 20):
        documents = list(corpus.documents(start))
        assert list(corpus.documents(start, Part(2, 3))) == [
            document for document in documents if Part(2, 3).holds(document.number)
        ]
        assert [document.number for document in documents] == list(range(start, 20))
        for document in documents:
            story = newswire.story(document.number)
            assert (document.id, document.date, document.title) == (
                story.name,
                story.metadata["date"],
                story.metadata["title"],
            )
            assert document.category == story.metadata["desk"]
            assert read_part(document) == replace(stories[document.number], mentions=None)


@pytest.mark.parametrize(
    "comment", ["# date = 1999-01-02", "# meta::dateCreated = 1999-01-02", "# meta::date=1999-01-02"]
)
def test_where_conllu_keeps_the_date(comment: str, tmp_path: Path) -> None:
    path = tmp_path / "one.conllu"
    path.write_text(f"# global.Entity = eid\n{comment}\n1\tHi\t_\t_\tUH\t_\t0\troot\t_\tEntity=(1)\n")
    (document,) = open_corpus([path], fields=Fields()).documents()
    assert (document.id, document.date) == ("one", "1999-01-02")
    assert read_part(document).sentences[0].words == ("Hi",)


def test_conllu_with_its_own_key(tmp_path: Path) -> None:
    path = tmp_path / "one.conllu"
    path.write_text("# newdoc\n# meta::printed = 1999-01-02\n# meta::paper = Post\n1\tHi\t_\t_\tUH\t_\t0\troot\t_\t_\n")
    (document,) = open_corpus([path], fields=Fields(date="printed", title="paper")).documents()
    assert (document.id, document.date, document.title) == ("one-1", "1999-01-02", "Post")


def test_conllu_with_a_key_that_nobody_named(tmp_path: Path) -> None:
    path = tmp_path / "one.conllu"
    path.write_text("# newdoc\n# meta::printed = 1999-01-02\n# meta::paper = Post\n1\tHi\t_\t_\tUH\t_\t0\troot\t_\t_\n")
    for fields, key in ((Fields(), "meta::date"), (Fields(date="day"), "meta::day")):
        with pytest.raises(InputError, match=rf"no document has a date, # {key} = …; .* has paper, printed\. Name"):
            open_corpus([path], fields=fields)
    assert open_corpus([path], fields=Fields(), bad_dates="leave-out").total == 1


SO = "1\tSo\t_\t_\t_\t_\t0\troot\t_\t_\n"


def test_the_layout_of_mentions_is_not_looked_at_however_it_is_written(tmp_path: Path) -> None:
    """Without the space it ended in RuntimeError."""
    path = tmp_path / "one.conllu"
    path.write_text(f"# newdoc id = a\n# date = 1999-01-02\n#global.Entity = eid-etype\n{SO}", encoding="utf-8")
    (document,) = open_corpus([path], fields=Fields()).documents()
    assert read_part(document).sentences == read_conllu(path)[0].sentences


# A format of dates that cannot tell the day is refused before any date is read.


@pytest.mark.parametrize("written", ["%d/%m/%Y", "%Y-%m-%d", "%-d. %B %Y", "%b %d, %y", "%Y%j", "%d.%m.%Y %H:%M"])
def test_formats_that_tell_the_day(written: str) -> None:
    assert Fields(text="body", date="day", date_format=written).date_format == written


# Which documents are kept.


PAPER = Filter(keep="^Top/News/World", drop="Sports|Opinion", require_actor=True)


def given(category: str | None, *, text: str = "x", date: str | None = "1999-01-02") -> InputDocument:
    return InputDocument(0, "a", date, None, category, text)


@pytest.mark.parametrize(
    ("category", "reason"),
    [
        ("Top/News/World/Europe", None),
        ("Top/News/World/Sports", CATEGORY),
        ("Top/Opinion", CATEGORY),
        ("News/Top/News/World", CATEGORY),
        (None, CATEGORY),
    ],
)
def test_the_filter_of_the_paper(category: str | None, reason: str | None) -> None:
    assert PAPER.reason(given(category)) == reason


def test_without_patterns_every_category_is_kept() -> None:
    assert Filter().reason(given(None)) is None
    assert Filter(drop="Sports").reason(given(None)) is None


def test_no_date_and_no_text() -> None:
    assert Filter().reason(given(None, date=None)) == NO_DATE
    assert Filter().reason(given(None, text=" \n\t")) == EMPTY
    assert Filter().reason_of_words([], newswire.lexicon()) == EMPTY


def test_an_actor_must_be_named() -> None:
    assert PAPER.reason_of_words(["Iraqis", "spoke"], newswire.lexicon()) is None
    assert PAPER.reason_of_words(["They", "spoke"], newswire.lexicon()) == NO_ACTOR
    assert Filter().reason_of_words(["They", "spoke"], newswire.lexicon()) is None
    assert {NO_DATE, CATEGORY, EMPTY, NO_ACTOR} < set(REASONS)


@pytest.mark.parametrize(
    ("written", "day"),
    [
        ("2020-01-01T25:61", None),
        ("2020-01-01 12:60:00", None),
        ("2020-01-01 noon", None),
        ("2020-01-01T23:59:60.5Z", "2020-01-01"),
        ("2020-01-01 24:00", "2020-01-01"),
        ("2020-01-01T235900+0100", "2020-01-01"),
        ("2020-01-01 11:30 pm UTC", "2020-01-01"),
    ],
)
def test_a_date_with_an_impossible_time_is_none(written: str, day: str | None, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"id,date,text\na,2019-05-06,x\nb,{written},y\n")
    fields = Fields(text="text", date="date", id="id")
    if day is None:
        with pytest.raises(InputError, match=f"row 2 of .* is '{re.escape(written)}'"):
            open_corpus([path], fields=fields)
    corpus = open_corpus([path], fields=fields, bad_dates="leave-out")
    assert [document.date for document in corpus.documents()] == ["2019-05-06", day]
