"""The database reads the files named and nothing else, and needs neither pandas nor pyarrow."""

from __future__ import annotations

import _thread
import gzip
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import duckdb
import numpy as np
import pytest
from tests.data.files import write

import howsure
from howsure.data.tables.database import (
    Database,
    NullFound,
    chunks,
    copy_to_file,
    file_literal,
    identifier,
    literal,
    reading,
)
from howsure.errors import InputError
from howsure_events.corpus import Fields
from howsure_events.extraction.open_corpus import open_corpus

PROGRAM = """
import sys

class Refused:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("pandas", "pyarrow", "polars", "narwhals", "matplotlib"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Refused())
import howsure
for path in sys.argv[1:]:
    with howsure.read(path).predictions("y", "q", groups="g", clusters="c", sample_weight="w") as predictions:
        assert len(predictions.pairs()) == 2, path
print("done")
"""


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = Database(tmp_path)
    database.allow_only([str(tmp_path / "mine.parquet")])
    return database


def test_other_files_and_the_network_are_out_of_reach(database: Database, tmp_path: Path) -> None:
    for name in ("mine.parquet", "other.parquet"):
        write(tmp_path / name, {"q": [0.5]})
    connection = database.connection
    assert connection.execute(f"SELECT q FROM read_parquet({file_literal(str(tmp_path / 'mine.parquet'))})").fetchall()
    for query in (
        f"SELECT * FROM read_parquet({literal(str(tmp_path / 'other.parquet'))})",
        f"SELECT * FROM read_parquet({literal(str(tmp_path / '*.parquet'))})",
        f"COPY (SELECT 1) TO {literal(str(tmp_path / 'new.csv'))}",
        "SELECT * FROM read_csv('https://example.org/x.csv')",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        f"ATTACH {literal(str(tmp_path / 'new.db'))}",
    ):
        with pytest.raises(duckdb.Error):
            connection.execute(query).fetchall()
    assert not (tmp_path / "new.csv").exists()
    assert connection.execute("SELECT current_setting('autoinstall_known_extensions')").fetchall() == [(False,)]


def test_files_can_be_restricted_after_opening(tmp_path: Path) -> None:
    write(tmp_path / "other.parquet", {"q": [0.5]})
    with Database(tmp_path).opening() as database:
        query = f"SELECT q FROM read_parquet({literal(str(tmp_path / 'other.parquet'))})"
        assert database.connection.execute(query).fetchall() == [(0.5,)]
        database.allow_only([])
        with pytest.raises(duckdb.PermissionException):
            database.connection.execute(query).fetchall()
        database.close()


def test_what_exceeds_the_memory_goes_to_the_scratch_folder_only(database: Database, tmp_path: Path) -> None:
    database.connection.execute("SET memory_limit = '20MB'")
    database.connection.execute(
        "CREATE TABLE big AS SELECT i AS a, i::VARCHAR || ' and more' AS b FROM range(1000000) t(i)"
    )
    assert database.connection.execute("SELECT count(*), sum(a) FROM big").fetchall() == [(10**6, 499999500000)]
    assert [path.name.startswith("howsure-") for path in tmp_path.iterdir()] == [True]
    database.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["plain", "it's", 'a"b', "a''b", "ü \\ ; --", "*?[x]"])
def test_names_and_texts_in_sql(text: str, database: Database) -> None:
    cursor = database.connection.execute(f"SELECT {literal(text)} AS {identifier(text)}")
    assert cursor.description[0][0] == text
    assert cursor.fetchall() == [(text,)]


@pytest.mark.parametrize("rows", [1, 7, 2048, 5000, 10**6])
def test_chunks_have_the_requested_length(rows: int, database: Database) -> None:
    query = "SELECT i::DOUBLE, i::BIGINT FROM range(5000) t(i)"
    parts = list(chunks(database.connection, query, [np.float64, np.int64], rows=rows))
    assert [len(part[0]) for part in parts] == [rows] * (5000 // rows) + [5000 % rows] * (5000 % rows > 0)
    np.testing.assert_array_equal(np.concatenate([part[0] for part in parts]), np.arange(5000))
    np.testing.assert_array_equal(np.concatenate([part[1] for part in parts]), np.arange(5000))
    with pytest.raises(NullFound):
        list(
            chunks(
                database.connection,
                "SELECT CASE WHEN i < 4999 THEN 1.0::DOUBLE END FROM range(5000) t(i)",
                [np.float64],
            )
        )


@pytest.mark.long
def test_no_data_frame_library_is_needed(tmp_path: Path) -> None:
    columns = {"q": [0.5, 0.25], "y": [1, 0], "g": ["a", "b"], "c": ["x", "x"], "w": [1.0, 2.0]}
    paths = [
        str(write(tmp_path / f"x{suffix}", columns))
        for suffix in (".csv", ".tsv.gz", ".jsonl.zst", ".json", ".parquet", ".npz")
    ]
    done = subprocess.run([sys.executable, "-c", PROGRAM, *paths], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("done", "")


def test_what_duckdb_says_of_an_interrupt_is_one() -> None:
    with pytest.raises(KeyboardInterrupt), reading("dev.csv"):
        raise RuntimeError("Query interrupted")


@pytest.mark.long
def test_an_interrupted_query_is_not_a_fault_of_the_file() -> None:
    """The query takes a second or two; DuckDB stops one only where its threads come up for air."""
    database = Database()
    threading.Timer(0.1, _thread.interrupt_main).start()  # Ctrl-C
    with pytest.raises(KeyboardInterrupt), reading("dev.csv"):
        database.connection.execute("SELECT count(*) FROM range(1000000000) WHERE hash(range) = 1").fetchall()
    database.close()
    assert not database.folder.exists()


def test_a_scratch_file_without_room_is_reported_by_its_name(tmp_path: Path) -> None:
    database = Database(tmp_path)
    target = database.folder / "pairs.csv"
    target.symlink_to("/dev/full")
    with pytest.raises(OSError, match="the scratch file cannot be written") as caught:
        copy_to_file(database.connection, "SELECT * FROM range(1000)", target, options="FORMAT csv")
    assert caught.value.filename == str(target)
    database.close()


INTERACTIVE_PROGRAM = """
from howsure.data.tables.database import Database
from howsure_events.store.event_store import EventStore
database, store = Database(), EventStore.create("news.duckdb", {})
for connection in (database.connection, store.connection):
    print(connection.execute("SELECT current_setting('enable_progress_bar')").fetchone())
"""


@pytest.mark.long
def test_no_progress_of_its_own_on_standard_output(tmp_path: Path) -> None:
    """Where Python is interactive, as in a notebook, DuckDB would print bars among the results."""
    typed = [sys.executable, "-i", "-c", INTERACTIVE_PROGRAM]
    done = subprocess.run(typed, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["(False,)", "(False,)"], done.stderr


def test_no_scratch_file_outlives_an_error(tmp_path: Path) -> None:
    """Also while the error is held, with all that its traceback refers to."""
    (tmp_path / "spool").mkdir()
    path = write(tmp_path / "x.csv.gz", {"y": [0, 1, 2], "q": [0.5, 0.5, 0.5]})
    fields = Fields(text="q", date="y")
    with pytest.raises(InputError) as caught:
        howsure.read(path).predictions("y", "q", spool=tmp_path / "spool")
    with pytest.raises(InputError) as also:
        open_corpus([path], fields=fields, spool=tmp_path / "spool")
    assert [*(tmp_path / "spool").iterdir()] == [], (caught.value, also.value)


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize(
    ("rest", "fault"),
    [
        ('{"q": 0.5}\n{"q', "line 3 of q.jsonl is not complete, valid JSON. Was the file cut off?"),
        ('{"q\n{"q": 0.5}\n', "line 2 of q.jsonl is not complete, valid JSON. Correct or remove it."),
    ],
)
def test_the_line_that_is_not_json(rest: str, fault: str, pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_bytes(pack(f'{{"q": 0.25}}\n{rest}'.encode()))
    with pytest.raises(InputError, match=re.escape(fault)), reading("q.jsonl", str(path)):
        raise duckdb.InvalidInputException('Malformed JSON in file "q.jsonl", at byte 21 in line 9: cut')
