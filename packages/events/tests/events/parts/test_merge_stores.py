"""Parts of an input, done apart and put together, are the store of one run; what does not go together is refused."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.events import newswire
from tests.events.damaged_stores import damaged_for_now
from tests.events.made_up_store import copied
from tests.events.stores import Stopped, contents, extract_to

from howsure.data.documents.conllu import write_conllu
from howsure.errors import InputError
from howsure_events import check_store, event_series, merge_stores
from howsure_events.corpus import BATCH, Part
from howsure_events.extraction import merge_stores as module
from howsure_events.extraction.merge_stores import check_open_part, checked_parts, input_recipe
from howsure_events.store.event_store import EventStore
from howsure_events.store.store_queries import read_settings

DOCUMENTS = 3 * BATCH + 11  # two batches, and two of which one is short
REPRINTED = (0, BATCH, 2 * BATCH)  # the same text in both parts


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus, a model, the store of all, and the stores of two parts."""
    folder = tmp_path_factory.mktemp("parts")
    stories = [newswire.story(number, sentences=2) for number in range(DOCUMENTS)]
    for number in REPRINTED[1:]:
        object.__setattr__(stories[number], "sentences", stories[0].sentences)
    write_conllu(stories, folder / "news.conllu")
    newswire.write_model(folder / "model.npz")
    extract_to(folder / "whole.duckdb", folder / "news.conllu", folder / "model.npz")
    for number in (1, 2):
        extract_part(folder, number)
    return folder


def extract_part(folder: Path, number: int, *, of: int = 2, store: Path | None = None, **options: Any) -> Any:
    target = store or folder / f"part-{number}.duckdb"
    return extract_to(target, folder / "news.conllu", folder / "model.npz", part=(number, of), **options)


@pytest.fixture(scope="module")
def whole(place: Path) -> dict[str, Any]:
    return contents(place / "whole.duckdb")


def parts_of(place: Path, of: int = 2) -> list[Path]:
    return [place / f"part-{number}.duckdb" for number in range(1, of + 1)]


def test_merged_parts_are_the_store_of_one_run(
    place: Path, whole: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same extraction finds it done; the same merge leaves it as it is."""
    monkeypatch.setattr(module, "AT_ONCE", 3 * BATCH)
    store, steps = tmp_path / "all.duckdb", list[int]()
    report = merge_stores(parts_of(place)[::-1], store, advance=steps.append)
    assert contents(store) == whole
    assert (report.parts, report.documents, report.was_there) == (2, DOCUMENTS, False)
    assert steps == [3 * BATCH, DOCUMENTS - 3 * BATCH]
    assert len({document // BATCH % 2 for document, _ in whole["stories"]}) > 1  # a story that lies in several parts
    assert os.listdir(tmp_path) == [store.name]
    with EventStore.open(store) as merged, EventStore.open(place / "whole.duckdb") as whole_store:
        assert event_series(merged).to_dict() == event_series(whole_store).to_dict()
    again = extract_to(store, place / "news.conllu", place / "model.npz")
    assert (again.before, again.read) == (DOCUMENTS, 0)
    written = store.stat().st_mtime_ns
    assert merge_stores(parts_of(place), store).was_there
    assert store.stat().st_mtime_ns == written


@pytest.mark.long
def test_a_part_that_was_stopped_is_gone_on_with(place: Path, tmp_path: Path) -> None:
    store = tmp_path / "part-2.duckdb"
    steps: list[int] = []

    def stop(documents: int) -> None:
        steps.append(documents)
        if len(steps) == 2:  # of which the first says how many were done before
            raise Stopped

    first = extract_part(place, 2, store=store, advance=stop)
    assert (first.interrupted, first.read, first.total) == (True, BATCH, BATCH + 11)
    with pytest.raises(
        InputError, match=r"part-2\.duckdb, part 2 of 2, is not finished: run its extract command again"
    ):
        merge_stores([store], tmp_path / "all.duckdb")
    then = extract_part(place, 2, store=store)
    assert (then.before, then.read) == (BATCH, 11)
    assert contents(store) == contents(place / "part-2.duckdb")


@pytest.mark.long
def test_more_parts_than_batches(place: Path, tmp_path: Path) -> None:
    """A part may be empty: a user who divides the work need not count documents first."""
    few = newswire.write_corpus(tmp_path / "news.conllu", BATCH + 1)
    shutil.copy(place / "model.npz", tmp_path)
    extract_to(tmp_path / "whole.duckdb", few, place / "model.npz")
    reports = [extract_part(tmp_path, number, of=3) for number in (1, 2, 3)]
    assert [report.kept for report in reports] == [BATCH, 1, 0]
    merge_stores(parts_of(tmp_path, 3), tmp_path / "all.duckdb")
    assert contents(tmp_path / "all.duckdb") == contents(tmp_path / "whole.duckdb")


@pytest.mark.long
def test_a_part_is_not_taken_for_the_whole(place: Path, tmp_path: Path) -> None:
    part = place / "part-2.duckdb"
    for read_only in (True, False):
        with pytest.raises(InputError, match=r"contains only part 2 of 2 of its input. Merge all parts"):
            EventStore.open(part, read_only=read_only)
    with EventStore.open(part, part=True) as store:
        assert store.settings["part"] == {"number": 2, "of": 2, "documents": DOCUMENTS}
    report = check_store(part)
    assert report.is_whole
    assert f"{part} is undamaged, part 2 of 2 of its input: {BATCH + 11} documents" in report.verdict()
    assert report.recipe["part"]["number"] == 2
    shutil.copy(part, tmp_path / "again.duckdb")
    with pytest.raises(InputError, match=r"started with other settings: part\.number was 2 and is now 1"):
        extract_part(place, 1, store=tmp_path / "again.duckdb")
    with pytest.raises(InputError, match=r"started with other settings: part was \{.*\} and is now null"):
        extract_to(tmp_path / "again.duckdb", place / "news.conllu", place / "model.npz")


def changed(place: Path, folder: Path, statement: str, *, number: int = 2) -> list[Path]:
    """The parts, one of them changed by hand."""
    parts = parts_of(place)
    parts[number - 1] = Path(shutil.copy(parts[number - 1], folder))
    with duckdb.connect(parts[number - 1]) as connection:
        connection.execute(statement)
    return parts


def refused(parts: list[Path], folder: Path) -> str:
    """What is said; nothing is written."""
    before = sorted(os.listdir(folder))
    with pytest.raises(InputError) as refusal:
        merge_stores(parts, folder / "all.duckdb")
    assert sorted(os.listdir(folder)) == before
    return str(refusal.value)


def test_a_part_that_is_missing_is_named(place: Path, tmp_path: Path) -> None:
    first, second_part = parts_of(place)
    assert "of 2, 1 part is missing: 2. Extract part 2/2 too" in refused([first], tmp_path)
    of_four = Path(shutil.copy(second_part, tmp_path / "of-four.duckdb"))
    with duckdb.connect(of_four) as connection:
        connection.execute("UPDATE settings SET value = json_merge_patch(value, '{\"of\": 4}') WHERE name = 'part'")
    assert "of 4, 3 parts are missing: 1, 3, 4. Extract part 1/4 too" in refused([of_four], tmp_path)
    assert "parts must name the stores of all parts" in refused([], tmp_path)
    assert "does not exist" in refused([first, second_part, place / "part-9.duckdb"], tmp_path)


def test_a_part_that_is_given_twice_is_named(place: Path, tmp_path: Path) -> None:
    first, second_part = parts_of(place)
    copied = Path(shutil.copy(second_part, tmp_path / "copied.duckdb"))
    assert f"part 2 of 2 is both {second_part} and {copied}" in refused([first, second_part, copied], tmp_path)


def test_a_store_that_is_not_a_part_is_refused(place: Path, tmp_path: Path) -> None:
    message = refused([*parts_of(place), place / "whole.duckdb"], tmp_path)
    assert "whole.duckdb is not a part of an input: it was extracted as a whole" in message


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("UPDATE settings SET value = '21' WHERE name = 'seed'", r"seed is 0 in .*part-1.* and 21 in .*part-2"),
        (
            "UPDATE settings SET value = json_merge_patch(value, '{\"documents\": 400}') WHERE name = 'part'",
            r"part\.documents is 203 in .* and 400 in",
        ),
        ("UPDATE settings SET value = '\"0.0.1\"' WHERE name = 'howsure'", r"was made by howsure 0\.0\.1, and this is"),
        ("UPDATE settings SET value = '3' WHERE name = 'version'", r"part-2\.duckdb was written by an older howsure"),
        ("UPDATE settings SET value = 'false' WHERE name = 'finished'", r"part-2\.duckdb, part 2 of 2, is not fini"),
        ("INSERT INTO label_draw VALUES (1, '{}')", r"has labels, which belong to the whole"),
        (
            "UPDATE documents SET id = 'story-0' WHERE document = 64",
            r"that with id 'story-0' is in part 1 \(.*part-1\.duckdb\) and part 2 \(.*part-2\.duckdb\)",
        ),
    ],
)
def test_parts_that_do_not_belong_together(statement: str, message: str, place: Path, tmp_path: Path) -> None:
    parts = changed(place, tmp_path, statement)
    assert re.search(message, refused(parts, tmp_path))


@pytest.fixture(scope="module")
def second(place: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    """A copy of a part, in which damage is taken back at once."""
    path = copied((place / "part-2.duckdb").read_bytes(), tmp_path_factory.mktemp("second") / "part-2.duckdb")
    with EventStore.open(path, read_only=False, part=True) as event_store:
        yield event_store


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (
            "DELETE FROM documents WHERE document = 64; DELETE FROM sentences WHERE document = 64; "
            "DELETE FROM mentions WHERE document = 64; DELETE FROM antecedents WHERE document = 64; "
            "DELETE FROM clusterings WHERE document = 64; DELETE FROM events WHERE document = 64; "
            "DELETE FROM evidence WHERE document = 64",
            r"part-2\.duckdb, part 2 of 2, is damaged: it contains 74 documents instead of 75",
        ),
        (
            "INSERT INTO left_out VALUES (0, 'elsewhere', NULL, 'no date')",
            r"part-2\.duckdb, part 2 of 2, is damaged: it contains 1 of another part",
        ),
        ("DELETE FROM sentences WHERE document = 64 AND sentence = 0", r"part-2\.duckdb is damaged: table sentences"),
    ],
)
def test_a_part_that_holds_something_else(statement: str, message: str, place: Path, second: EventStore) -> None:
    part = replace(checked_parts(parts_of(place))[1], path=second.path)
    with damaged_for_now(second, statement) as damaged_store, pytest.raises(InputError, match=message):
        check_open_part(damaged_store, part)


NO_PARTS = (
    "3",
    '{"number": 1, "of": 3}',
    '{"number": 1.0, "of": 3, "documents": 9}',
    '{"number": 4, "of": 3, "documents": 9}',
)


def test_a_part_that_no_extraction_writes(tmp_path: Path) -> None:
    with EventStore.create(tmp_path / "a.duckdb", {"part": {"number": 1, "of": 2, "documents": 9}}) as store:
        for value in NO_PARTS:
            store.connection.execute("UPDATE settings SET value = ? WHERE name = 'part'", [value])
            with pytest.raises(
                InputError, match=r"part must be the number of a part, that of parts, and that of all documents"
            ):
                read_settings(store.connection, store.path)
    with pytest.raises(InputError, match=r"part must be the number of a part"):
        EventStore.open(tmp_path / "a.duckdb", part=True)


@pytest.mark.long
def test_another_file_is_not_written_over(place: Path, tmp_path: Path) -> None:
    store = tmp_path / "all.duckdb"
    checked = checked_parts(parts_of(place))
    EventStore.create(store, {**input_recipe(checked), "seed": 1}).close()
    before = contents(store)
    with pytest.raises(InputError, match=r"started with other settings: .*seed was 1 and is now 0"):
        merge_stores(parts_of(place), store)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"is not a store"):
        merge_stores(parts_of(place), tmp_path / "notes.txt")
    assert contents(store) == before
    assert (tmp_path / "notes.txt").read_text() == "mine"


@pytest.mark.long
def test_a_merge_that_is_broken_off_leaves_nothing(place: Path, tmp_path: Path) -> None:
    def stop(documents: int) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        merge_stores(parts_of(place), tmp_path / "all.duckdb", advance=stop)
    assert os.listdir(tmp_path) == []


@given(st.integers(0, 1_000), st.integers(1, 9))
def test_each_document_is_in_one_part(documents: int, of: int) -> None:
    parts = [Part(number, of) for number in range(1, of + 1)]
    documents_of_parts = [[document for document in range(documents) if part.holds(document)] for part in parts]
    assert sorted(chain(*documents_of_parts)) == list(range(documents))
    assert [part.size(documents) for part in parts] == [
        len(documents_of_part) for documents_of_part in documents_of_parts
    ]
    assert max(map(len, documents_of_parts)) - min(map(len, documents_of_parts)) <= BATCH
    for documents_of_part in documents_of_parts:
        assert all(
            document in documents_of_part
            for first in documents_of_part[::BATCH]
            for document in range(first, min(first + BATCH, documents))
        )


def test_as_it_is_asked_for() -> None:
    assert Part.parse("3/64") == Part.parse((3, 64)) == Part(3, 64)
    assert Part.parse(None) == Part.parse("1/1") == Part()
    assert Part().is_all
    assert Part().recipe(7) == {}
    assert str(Part(3, 64)) == "part 3 of 64"
