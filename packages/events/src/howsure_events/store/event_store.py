"""The events store: a DuckDB file to which documents are added in batches, one transaction each."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb

from howsure import __version__
from howsure.data.tables.connections import Setting, connect
from howsure.errors import HowsureError, InputError
from howsure.files.atomic_write import check_place, sync_folder
from howsure.files.input_files import Scratch
from howsure_events.store.integrity import (
    check_complete_input,
    check_opened,
    remember_undamaged,
    store_state,
    was_undamaged,
)
from howsure_events.store.store_queries import Facts, Settings, closed_store, is_for_reading, read_settings, run_query
from howsure_events.store.tables import TABLES, VERSION, arrow_table

FAILED_WRITES = (duckdb.IOException, duckdb.FatalException, duckdb.TransactionException, duckdb.OutOfMemoryException)
MAGIC, MAGIC_AT = b"DUCK", 8  # start of a DuckDB file, after a checksum of 8 bytes
OWN_SETTINGS = ("version", "howsure", "finished", "names")  # set by the store itself, or covered by a digest
Columns = Mapping[str, Any]  # the values of each column, by name


class StoreError(HowsureError):
    """Error if a store cannot be written or is in use. Data stored before are kept; the message says what to do."""


class EventStore:
    """A DuckDB file with the documents of a corpus and their events, in the tables of `howsure_events.store.tables`.

    settings: how the store was made. Use a store in a `with` statement, or call `close`.
    """

    def __init__(self, path: Path, connection: duckdb.DuckDBPyConnection, settings: Settings) -> None:
        self.path, self.connection, self.settings = path, connection, settings
        self.facts: Facts | None = None
        self._turn, self._changing = threading.RLock(), False
        self._for_reading: bool | None = None  # determined by the first attempt to write

    @classmethod
    def create(cls, path: str | os.PathLike[str], settings: Mapping[str, Any]) -> Self:
        """Create an empty store, open for writing. The file appears with all its tables or not at all.

        Raises InputError if the file exists or its path is invalid; StoreError if it cannot be written.
        """
        target = Path(path)
        check_place(target)
        if target.exists():
            raise InputError(f"the file {target} already exists; name another store, or remove it.")
        all_settings = {**settings, "version": VERSION, "howsure": __version__, "finished": False}
        with _writing(target), Scratch(target.parent) as scratch:
            temporary = scratch.folder / target.name
            with connect(temporary) as connection:
                connection.execute("BEGIN")
                for name, columns in TABLES.items():
                    connection.execute(f"CREATE TABLE {name} ({columns}\n)")
                values = [json.dumps(value) for value in all_settings.values()]
                connection.execute("INSERT INTO settings SELECT unnest($1), unnest($2)", [list(all_settings), values])
                connection.execute("COMMIT")
                connection.execute("CHECKPOINT")  # closing would do this too, but without reporting a failure
            os.replace(temporary, target)
            sync_folder(target.parent)
        remember_undamaged(target, store_state(target))  # no check needed, since the tables were just created
        return cls.open(target, read_only=False, part=True)

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *, read_only: bool = True, checked: bool = True, part: bool = False
    ) -> Self:
        """Open an existing store, for reading or (`read_only=False`) for writing.

        checked: whether to check its columns and small tables (`howsure_events.store.integrity`). part: whether the
        store may contain only a part of its input; counts of a part are not counts of the input.

        Raises InputError if the file does not exist, is not a store, is damaged, was written by another version of
        howsure, or contains only a part; StoreError if another process writes to it, or permission to write is missing.
        """
        target = Path(path)
        if target.is_dir():
            raise InputError(f"{target} is a folder; a store is a file, such as {target / 'news.duckdb'}.")
        if not target.is_file():
            raise InputError(f"the store {target} does not exist; create it with howsure events extract.")
        _check_magic(target)
        if not read_only and not os.access(target, os.W_OK):
            raise StoreError(
                f"{target} cannot be written: permission denied. Change its permissions, or work on a copy."
            )
        state = store_state(target)
        is_known_whole = was_undamaged(target, state)
        try:
            # Queries to a store that is open for reading must not access other files.
            closed: dict[str, Setting] = {"enable_external_access": "false"} if read_only else {}
            connection = connect(target, read_only=read_only, **closed)
        except duckdb.Error as error:
            if isinstance(error, duckdb.ConnectionException):
                raise StoreError(
                    f"{target} is already open in this program, or is being written to; close it there first."
                ) from error
            if "Could not set lock" in str(error):
                raise StoreError(f"{target} is being written to; wait until that has ended, and try again.") from error
            raise InputError(f"{target} is not a store, or it is damaged or truncated: {_first_line(error)}") from error
        try:
            store = cls(target, connection, read_settings(connection, target, is_known_whole=is_known_whole))
            if not part:
                check_complete_input(store)
            if checked and not is_known_whole:
                check_opened(store)
                remember_undamaged(target, state)
            return store
        except BaseException:
            connection.close()
            raise

    @property
    def next_document(self) -> int:
        """The input position of the first document not yet in the store."""
        numbers = "SELECT max(document) AS last FROM documents UNION ALL SELECT max(document) FROM left_out"
        return int(self.ask(f"SELECT coalesce(max(last), -1) + 1 FROM ({numbers})")[0][0])

    def ask(self, query: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query. Each query has its own cursor, so threads can query concurrently.

        Raises InputError if the store turns out to be damaged, or is closed.
        """
        with run_query(self, query, list(parameters)) as answer:
            return answer.fetchall()

    def append(self, tables: Mapping[str, Columns], *, finished: bool = False) -> None:
        """Add rows, given as the columns of each table by name, in one transaction.

        finished: also mark the input as complete.

        Raises StoreError if the rows cannot be written, for example because the disk is full; earlier rows remain.
        Raises InputError if the store is closed.
        """
        added = {name: columns for name, columns in tables.items() if len(next(iter(columns.values())))}
        with self.transaction() as connection:
            try:
                for name, columns in added.items():
                    connection.register(f"added_{name}", arrow_table(name, columns))
                for name, columns in added.items():
                    listed = ", ".join(columns)
                    connection.execute(f"INSERT INTO {name} ({listed}) SELECT {listed} FROM added_{name}")
                if finished:
                    connection.execute("UPDATE settings SET value = 'true' WHERE name = 'finished'")
            finally:
                for name in added:
                    with suppress(duckdb.Error):
                        connection.unregister(f"added_{name}")

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A context that gives the connection for changing tables, in one transaction and one thread at a time.

        The changes are on disk when the context ends; after an error, none is kept. A nested context is part of the
        outer transaction.

        Raises StoreError if the store cannot be written; InputError if it is closed or open for reading only.
        """
        with self._turn, _writing(self.path):
            if self._changing:
                yield self.connection
                return
            if self._for_reading is None:
                self._for_reading = is_for_reading(self)
            if self._for_reading:
                raise InputError(f"{self.path} is open for reading only: EventStore.open(path, `read_only=False`).")
            self.connection.execute("BEGIN")
            self._changing = True
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                with suppress(duckdb.Error):  # the first error is the one to report
                    self.connection.execute("ROLLBACK")
                raise
            finally:
                self._changing = False

    def finish(self, stories: Mapping[int, int] | None = None) -> None:
        """Mark the input as complete. stories: for each document of a shared story, the first document of the story."""
        story_by_document = stories or {}
        self.append(
            {"stories": {"document": list(story_by_document), "story": list(story_by_document.values())}}, finished=True
        )
        with _writing(self.path):
            self.connection.execute("CHECKPOINT")
        self.settings["finished"] = True

    def check_settings(self, expected: Mapping[str, Any]) -> None:
        """Raise InputError naming the differences if the store was started with other settings than expected."""
        if differences := self.differs(expected):
            raise InputError(
                f"{self.path} was started with other settings: {'; '.join(differences)}. Use the same ones to "
                "resume, or name another store."
            )

    def differs(self, expected: Mapping[str, Any]) -> list[str]:
        """Return sentences on the settings that differ between this store and the expected ones."""
        both_settings = self.settings, json.loads(json.dumps(expected))
        own_settings, expected_settings = (
            {name: settings[name] for name in settings if name not in OWN_SETTINGS} for settings in both_settings
        )
        differences = [
            f"{name} was {was} and is now {now}"
            for name, was, now in settings_that_differ(own_settings, expected_settings)
        ]
        if self.settings["howsure"] != __version__:
            differences.append(f"howsure was {self.settings['howsure']} and is now {__version__}")
        return differences

    def close(self) -> None:
        """Close the file."""
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _check_magic(path: Path) -> None:
    """Raise InputError unless a file starts like a DuckDB file; DuckDB could read others as a table."""
    try:
        with path.open("rb") as file:
            start = file.read(MAGIC_AT + len(MAGIC))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    if start[MAGIC_AT:] != MAGIC:
        raise InputError(f"{path} is not a store of events, or it is damaged: it does not begin like a DuckDB file.")


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Convert DuckDB's write errors to a StoreError in one line, and the use of a closed store to an InputError."""
    try:
        yield
    except duckdb.ConnectionException as error:
        raise closed_store(path) from error
    except (*FAILED_WRITES, OSError) as error:
        raise StoreError(
            f"{path} cannot be written: {_first_line(error)} Data stored before are kept; free some space if the disk "
            "is full, and rerun the same command."
        ) from error


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__).rstrip(".")[:300] + "."


def settings_that_differ(was: Settings, now: Settings, within: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield (name, old value, new value) for the settings that differ, as shown; nested names have dots."""
    for name in {**was, **now}:
        before, after = was.get(name), now.get(name)
        if isinstance(before, dict) and isinstance(after, dict):
            yield from settings_that_differ(before, after, f"{within}{name}.")
        elif before != after:
            yield f"{within}{name}", _shown(before), _shown(after)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}…"


@contextmanager
def write_store_atomically(target: Path, settings: Mapping[str, Any]) -> Iterator[EventStore]:
    """A context that gives a new store in a temporary folder, and moves its file to `target` when it is complete."""
    check_place(target)
    try:
        scratch = Scratch(target.parent)
    except OSError as error:
        raise _unwritten(target, error) from error
    with scratch:
        temporary = scratch.folder / target.name
        try:
            with EventStore.create(temporary, settings) as store:
                yield store
        except StoreError as error:
            raise _unwritten(target, error.__cause__) from error
        os.replace(temporary, target)
        sync_folder(target.parent)


def _unwritten(target: Path, why: BaseException | None) -> StoreError:
    return StoreError(
        f"{target} cannot be written: {why} Nothing was stored; free some space if the disk is full, and rerun the "
        "same command."
    )
