"""A query that the memory limit is too small for runs again with a larger one."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import duckdb
import pytest

from howsure.data.tables.connections import Connection, PatientConnection, connect, lift_memory_limit, memory_limit
from howsure.data.tables.database import batches
from howsure.errors import InputError

LONG = "SELECT list(range) AS numbers FROM range(1000000)"  # one value of 8 MB
ERROR = duckdb.OutOfMemoryException("Out of Memory Error: could not allocate block")


@pytest.fixture
def narrow() -> Iterator[Connection]:
    with closing(connect(memory_limit="5MB")) as connection:
        yield connection


def test_the_limit_is_too_small_without_patience(narrow: Connection) -> None:
    with pytest.raises(duckdb.OutOfMemoryException):
        narrow.execute(LONG).fetchall()


def test_rows_are_fetched_with_a_larger_limit(narrow: Connection) -> None:
    small = memory_limit(narrow)
    ((numbers,),) = PatientConnection(narrow).execute(LONG).fetchall()
    assert (numbers[0], numbers[-1], len(numbers)) == (0, 999_999, 1_000_000)
    assert memory_limit(narrow) != small
    assert not lift_memory_limit(narrow, ERROR)


def test_batches_are_read_with_a_larger_limit(narrow: Connection) -> None:
    assert [batch.length for batch in batches(narrow, LONG)] == [1]


def test_other_errors_do_not_change_the_limit(narrow: Connection) -> None:
    small = memory_limit(narrow)
    with pytest.raises(duckdb.ParserException):
        PatientConnection(narrow).execute("SELEKT 1")
    assert memory_limit(narrow) == small


class Failing:
    """A connection whose third call of `fetchmany` runs out of memory."""

    def __init__(self, connection: Connection) -> None:
        self.connection, self.calls = connection, itertools.count(1)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.connection, name)

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        if next(self.calls) == 3:
            raise ERROR
        return self.connection.fetchmany(size)


def test_rows_continue_where_the_memory_ran_out(narrow: Connection) -> None:
    patient = PatientConnection(Failing(narrow))  # type: ignore[arg-type]
    patient.execute("SELECT range FROM range(7)")
    assert [row[0] for _ in range(4) for row in patient.fetchmany(2)] == [0, 1, 2, 3, 4, 5, 6]


def test_more_than_the_memory_is_a_plain_sentence(monkeypatch: pytest.MonkeyPatch, narrow: Connection) -> None:
    monkeypatch.setattr("howsure.data.tables.database.lift_memory_limit", lambda *_: False)
    with pytest.raises(
        InputError, match=r"^the input needs more memory than is available\. Read fewer rows or columns"
    ):
        list(batches(narrow, LONG))
