"""The store as a file: whole or not at all, never mistaken for another, never damaged by a full disk."""

from __future__ import annotations

import datetime
import json
import os
import resource
import signal
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
import pytest
from tests.events.made_up_store import copied
from tests.events.stores import FORKSERVER

from howsure.errors import InputError
from howsure_events.store import event_store
from howsure_events.store.event_store import EventStore, StoreError
from howsure_events.store.integrity import DamagedStoreError
from howsure_events.store.store_queries import documents_by_period, incomplete_periods
from howsure_events.store.tables import TABLES, VERSION, arrow_table, column_types

LIMIT = 6 << 20  # bytes a file may have, where the disk is full


def rows(number: int, *, words: int = 3) -> dict[str, dict[str, Any]]:
    return {
        "documents": {
            "document": [number],
            "id": [f"{number}\x00<b>"],
            "date": ["1999-01-02"],
            "title": [None],
            "category": [None],
            "words": [words],
            "mentions": [0],
        },
        "sentences": {
            "document": [number],
            "sentence": [0],
            "words": [[os.urandom(8).hex() for _ in range(words)]],
            "spaces": [[True] * words],
        },
    }


MONDAY = datetime.date(2001, 1, 1)
DAILY, WEEKDAYS = range(120), [day for day in range(120) if day % 7 < 5]


@pytest.mark.parametrize(
    ("days", "period", "requested", "incomplete"),
    [
        (DAILY[2:89], "month", {}, ()),  # 3 January to 30 March
        (DAILY[3:87], "month", {}, ("2001-01", "2001-03")),
        (DAILY[2:89], "year", {}, ("2001",)),
        (DAILY[:118:59], "month", {}, ()),  # 1 January and 1 March: the days of most periods
        (WEEKDAYS[:15], "week", {}, ()),  # to a Friday
        (WEEKDAYS[1:14], "week", {}, ("2001-W01", "2001-W03")),
        (DAILY, "month", {"since": "2001-02-02", "until": "2001-03-30"}, ("2001-02", "2001-03")),
        (DAILY[31:87], "month", {"since": "2001-01-15", "until": "2001-04-02"}, ("2001-03",)),
    ],
)
def test_periods_in_which_documents_or_requested_days_end_may_be_incomplete(
    days: list[int], period: str, requested: dict[str, str], incomplete: tuple[str, ...], tmp_path: Path
) -> None:
    with EventStore.create(tmp_path / "days.duckdb", {}) as store:
        documents = {**rows(0)["documents"], "document": [*days], "id": [*map(str, days)]}
        columns = {name: values * len(days) if len(values) == 1 else values for name, values in documents.items()}
        store.append({"documents": columns | {"date": [str(MONDAY + datetime.timedelta(day)) for day in days]}})
        periods = list(documents_by_period(store, period, **requested))
        since, until = requested.get("since"), requested.get("until")
        assert incomplete_periods(store, periods, since, until) == incomplete


def test_appended_rows_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    with EventStore.create(path, {"seed": 4, "files": [["ü", 3]]}) as store:
        store.append(rows(0))
        store.append({"left_out": {"document": [1], "id": ["x"], "reason": ["empty"]}, "documents": {"document": []}})
        assert store.next_document == 2
    with EventStore.open(path) as store:
        assert (store.settings["seed"], store.settings["files"]) == (4, [["ü", 3]])
        assert (store.settings["version"], store.settings["finished"]) == (VERSION, False)
        assert store.ask("SELECT id FROM documents") == [("0\x00<b>",)]
        assert store.ask("SELECT reason FROM left_out WHERE document = ?", [1]) == [("empty",)]
        with pytest.raises(duckdb.Error):
            store.ask("DELETE FROM documents")
        with pytest.raises(duckdb.Error):
            store.ask("SELECT * FROM read_text('/etc/hostname')")
    assert os.listdir(tmp_path) == ["a.duckdb"]


@pytest.mark.long
def test_a_store_is_checked_again_only_after_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, checked = tmp_path / "a.duckdb", list[str]()
    check = event_store.check_opened
    monkeypatch.setattr(event_store, "check_opened", lambda store: (checked.append(store.path.name), check(store)))

    def times(place: Path, again: int = 1) -> int:
        checked.clear()
        for _ in range(again):
            EventStore.open(place).close()
        return len(checked)

    with empty_store(path) as store:
        store.append(rows(0))
    assert times(path, again=2) == 1
    monkeypatch.chdir(tmp_path)
    assert times(Path("a.duckdb")) == 0
    with EventStore.open(path, read_only=False) as store:
        store.append(rows(1))
    assert times(path) == 1
    whole = path.read_bytes()
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE documents SET words = -1 WHERE document = 1")
    for _ in range(2):
        with pytest.raises(DamagedStoreError, match="table documents"):
            EventStore.open(path)
    path.write_bytes(whole)
    assert times(path) == 1
    copy = tmp_path / "b.duckdb"
    copy.write_bytes(whole)
    assert times(copy) == 1
    with duckdb.connect(copy) as connection:
        connection.execute("PRAGMA disable_checkpoint_on_shutdown")
        connection.execute("UPDATE documents SET words = -1 WHERE document = 1")
    with pytest.raises(DamagedStoreError, match="table documents"):
        EventStore.open(copy)


def test_one_value_among_many_that_are_empty(tmp_path: Path) -> None:
    n = 5_000
    zeros = [0] * n
    with empty_store(tmp_path / "a.duckdb") as store:
        for document, place in enumerate((3, n - 1)):
            actors = [["IRQ", "USA"] if at == place else [] for at in range(n)]
            verbs = [7 if at == place else None for at in range(n)]
            store.append(
                {
                    "mentions": {
                        "document": [document] * n,
                        "mention": list(range(n)),
                        "sentence": zeros,
                        "start": zeros,
                        "stop": zeros,
                        "head": zeros,
                        "actors": actors,
                        "verb": verbs,
                    }
                }
            )
            query = "SELECT mention, actors FROM mentions WHERE verb = 7 AND document = ?"
            assert store.ask(query, [document]) == [(place, ["IRQ", "USA"])]
            silent = "SELECT count(*) FROM mentions WHERE len(actors) = 0 AND verb IS NULL AND document = ?"
            assert store.ask(silent, [document]) == [(n - 1,)]


def test_a_batch_is_stored_whole_or_not_at_all(tmp_path: Path) -> None:
    with empty_store(tmp_path / "a.duckdb") as store:
        store.append(rows(0))
        half = rows(1)
        half["sentences"]["sentence"] = [None]
        with pytest.raises(duckdb.Error):
            store.append(half)
        with pytest.raises(duckdb.ConstraintException):
            store.append(rows(0))
        assert store.next_document == 1
        store.append(rows(1))
        assert store.ask("SELECT count(*) FROM sentences") == [(2,)]


def test_finished(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    with empty_store(path) as store:
        store.finish()
        assert store.settings["finished"]
    with EventStore.open(path) as store:
        assert store.settings["finished"]


@cache
def empty() -> bytes:
    """A store without documents, as it lies on the disk."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.duckdb")
        EventStore.create(path, {"seed": 4, "samples": 4}).close()
        return path.read_bytes()


def empty_store(path: Path) -> EventStore:
    """A copy of it, open for writing."""
    return EventStore.open(copied(empty(), path), read_only=False)


def changed(path: Path, statement: str) -> Path:
    path.write_bytes(empty())
    with duckdb.connect(path) as connection:
        connection.execute(statement)
    return path


def test_a_newer_store_is_refused(tmp_path: Path) -> None:
    newer = f"UPDATE settings SET value = '{VERSION + 1}' WHERE name = 'version'"
    path = changed(tmp_path / "newer.duckdb", newer)
    for read_only in (True, False):
        with pytest.raises(InputError, match=rf"newer howsure .*version {VERSION + 1} .* Update howsure"):
            EventStore.open(path, read_only=read_only)


def test_an_older_store_is_refused(tmp_path: Path) -> None:
    older = f"UPDATE settings SET value = '{VERSION - 1}' WHERE name = 'version'"
    with pytest.raises(InputError, match=rf"older howsure .*version {VERSION - 1} .* Extract the events again"):
        EventStore.open(changed(tmp_path / "older.duckdb", older))


def _append_and_fail(store: EventStore) -> None:
    with store.transaction() as connection:
        connection.execute("INSERT INTO label_draw VALUES (1, '{}')")
        store.append(rows(0))
        connection.execute("no SQL")


def test_a_transaction_is_all_or_nothing(tmp_path: Path) -> None:
    with empty_store(tmp_path / "a.duckdb") as store:
        with pytest.raises(duckdb.Error):
            _append_and_fail(store)
        assert store.ask("SELECT count(*) FROM label_draw") == store.ask("SELECT count(*) FROM documents") == [(0,)]


@pytest.mark.long
def test_a_store_that_was_cut_off_or_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    with empty_store(path) as store:
        for number in range(4):
            store.append(rows(number, words=10_000))
        store.finish()
    with EventStore.open(path) as store:
        answer = store.ask("SELECT words FROM sentences ORDER BY document")
    whole, found_out = path.read_bytes(), 0
    places = [len(whole) * part // 10 for part in (5, 9)]
    damaged = [whole[:place] + b"\xff" * 4_096 + whole[place + 4_096 :] for place in places]
    for content in (whole[:4_096], *(whole[:place] for place in places), *damaged):
        path.write_bytes(content)
        try:
            with EventStore.open(path) as store:
                assert store.ask("SELECT words FROM sentences ORDER BY document") == answer
        except InputError:
            found_out += 1
    assert found_out > 2


def test_a_store_in_use(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    with empty_store(path) as store:
        store.append(rows(0))
        process = FORKSERVER.Process(target=_open_elsewhere, args=(path, tmp_path / "report"))
        process.start()
        process.join()
        with pytest.raises(StoreError, match="being written to"):
            EventStore.open(path)
    message = f"{path} is being written to; wait until that has ended, and try again."
    assert (tmp_path / "report").read_text() == message


def _open_elsewhere(path: Path, report: Path) -> None:
    try:
        EventStore.open(path)
    except StoreError as error:
        report.write_text(str(error))


def test_settings_that_differ_are_named(tmp_path: Path) -> None:
    with EventStore.create(tmp_path / "a.duckdb", {"seed": 1, "rule": {"verbs": ("a",)}}) as store:
        store.check_settings({"seed": 1, "rule": {"verbs": ["a"]}})
        with pytest.raises(InputError, match=r"other settings: seed was 1 and is now 2; extra was null and is now 3\."):
            store.check_settings({"seed": 2, "rule": {"verbs": ["a"]}, "extra": 3})
        store.settings["howsure"] = "0.0.0"
        with pytest.raises(InputError, match=r"howsure was 0\.0\.0 and is now"):
            store.check_settings({"seed": 1, "rule": {"verbs": ["a"]}})


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    path, report = tmp_path / "a.duckdb", tmp_path / "report.json"
    process = FORKSERVER.Process(target=_fill, args=(path, report))
    process.start()
    process.join()
    assert process.exitcode == 0
    stored, message = json.loads(report.read_text())
    assert "cannot be written" in message
    assert "Data stored before are kept" in message
    assert stored > 3
    with EventStore.open(path, read_only=False) as store:
        assert store.next_document == stored
        assert store.ask("SELECT count(*), min(len(words)) FROM sentences") == [(stored, 5_000)]
        store.append(rows(stored, words=5_000))
        assert store.next_document == stored + 1


def _fill(path: Path, report: Path) -> None:
    """Append until no file may grow; report the number of stored batches, and the error."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store = EventStore.create(path, {})
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, resource.RLIM_INFINITY))
    stored = 0
    try:
        while stored < 10_000:
            store.append(rows(stored, words=5_000))
            stored += 1
    except StoreError as error:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        report.write_text(json.dumps([stored, str(error)]))


def test_a_store_is_made_whole_or_not_at_all_on_an_almost_full_disk(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    process = FORKSERVER.Process(target=_make, args=(tmp_path, report))
    process.start()
    process.join()
    assert process.exitcode == 0
    content = json.loads(report.read_text())
    for kilobytes, message in content.items():
        path = tmp_path / kilobytes / "a.duckdb"
        assert os.listdir(path.parent) == ([path.name] if message is None else [])
        if message is None:
            with EventStore.open(path) as store:
                assert store.settings["seed"] == 4
        else:
            assert f"{path} cannot be written" in message
    assert {message is None for message in content.values()} == {True, False}


def _make(folder: Path, report: Path) -> None:
    """Make a store under each limit of kilobytes for a file; report each error, or null."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    errors: dict[str, str | None] = {}
    for kilobytes in (0, 8, 64, 300, 700, 780, 2_000):
        (folder / f"{kilobytes}").mkdir()
        resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes << 10, resource.RLIM_INFINITY))
        try:
            EventStore.create(folder / f"{kilobytes}" / "a.duckdb", {"seed": 4}).close()
            errors[f"{kilobytes}"] = None
        except StoreError as error:
            errors[f"{kilobytes}"] = str(error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    report.write_text(json.dumps(errors))


def test_a_store_open_in_this_program_is_distinguished_from_one_that_another_writes(tmp_path: Path) -> None:
    path = copied(empty(), tmp_path / "a.duckdb")
    with duckdb.connect(path, read_only=True), pytest.raises(StoreError, match="already open in this program"):
        EventStore.open(path)


def test_what_differs_inside_a_setting_is_named(tmp_path: Path) -> None:
    columns = {"text": "body", "date": "published", "title": "a headline that is long enough to fill the line"}
    with EventStore.create(tmp_path / "a.duckdb", {"input": {"columns": columns}}) as store:
        store.check_settings({"input": {"columns": columns}})
        with pytest.raises(InputError, match=r'settings: input\.columns\.date was "published" and is now "day"\. Use'):
            store.check_settings({"input": {"columns": {**columns, "date": "day"}}})


def test_a_store_that_may_not_be_written_to() -> None:
    """Without permission the message says so, not that the store is damaged; reading still works."""
    with TemporaryDirectory() as folder:
        path = copied(empty(), Path(folder) / "a.duckdb")
        path.chmod(0o444)
        Path(folder).chmod(0o755)
        reader, writer = os.pipe()
        process = get_context("fork").Process(target=_open_as_nobody, args=(path, writer))
        process.start()
        process.join()
        os.close(writer)
        with os.fdopen(reader) as output:
            message = f"4 {path} cannot be written: permission denied. Change its permissions, or work on a copy."
            assert output.read() == message


def _open_as_nobody(path: Path, writer: int) -> None:
    if os.geteuid() == 0:  # who may write whatever the permissions say
        os.setuid(65_534)
    with EventStore.open(path) as store:
        seed = store.settings["seed"]
    try:
        EventStore.open(path, read_only=False)
    except StoreError as error:
        os.write(writer, f"{seed} {error}".encode())


# Columns as Arrow arrays: what DuckDB reads is what was given, whatever holds it.


VALUES: dict[str, list[Any]] = {
    "BIGINT": [2**40, 0, -1],
    "INTEGER": [7, 0, -1],
    "DOUBLE": [0.5, 0.0, 1.0],
    "BOOLEAN": [True, False, True],
    "VARCHAR": ["a", "ü", ""],
    "DATE": [datetime.date(1987, 1, 31), datetime.date(2025, 12, 1), datetime.date(1, 1, 1)],
    "TIMESTAMP": [datetime.datetime(2026, 1, 31, 7, 5, 0, 25), datetime.datetime(1, 1, 1), datetime.datetime.max],
    "BLOB": [b"\x00\xff", b"", b"x"],
}
VALUES |= {f"{kind}[]": [values, [], values[:1]] for kind, values in VALUES.items()}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("as_array", [False, True])
def test_stored_values_are_read_unchanged(table: str, as_array: bool) -> None:
    types = column_types(table)
    columns_given = {name: VALUES[kind] for name, kind in types.items()}
    columns: dict[str, Any] = dict(columns_given)
    if as_array:  # a column of a matrix, whose values do not lie side by side
        for name in columns_given:
            if types[name] in ("BIGINT", "INTEGER", "DOUBLE", "BOOLEAN"):
                columns[name] = np.column_stack([columns_given[name], columns_given[name]])[:, 0]
    connection = duckdb.connect()
    connection.register("added", arrow_table(table, columns))
    listed = ", ".join(f"{name}::{kind}" for name, kind in types.items())
    assert connection.execute(f"SELECT {listed} FROM added").fetchall() == list(
        zip(*columns_given.values(), strict=True)
    )
