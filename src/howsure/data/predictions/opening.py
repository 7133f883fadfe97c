"""Files that are opened: which of their rows are wanted, what logs among them hold, and what is told of that."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from howsure.data.logs.conversion import Log, described, in_rows_left, input_files
from howsure.data.predictions.selection import Selection, check_across_files, check_different, select_rows
from howsure.data.tables.columns import Column, said_of_commas
from howsure.data.tables.database import Database
from howsure.data.tables.named_files import File
from howsure.data.tables.table import Table, open_table
from howsure.data.tables.where import ALL, Condition, condition

if TYPE_CHECKING:
    from howsure.data.sources import Files


@contextmanager
def opened_files(
    asked: Files, names: Sequence[str], *, spool: str | os.PathLike[str] | None = None
) -> Iterator[Opened]:
    """Files of which these columns will be asked; closed if what is done with them fails.

    Raises InputError for a file that cannot be read, and an expression that is none.
    """
    wanted = condition(asked.where) if asked.where is not None else None
    with Database(spool).opening() as database:
        texts = [*names, *(wanted.names if wanted else ())]
        files, log = input_files(
            asked.paths, format=asked.format, spool=database.folder, wanted=texts, normalise=asked.normalise
        )
        database.allow_only([file.path for file in files])
        if log is not None:
            log = in_rows_left(log, files, wanted, by_file=asked.by_file, missing_values=asked.missing_values)
        yield Opened(asked, database, files, log, wanted)


@dataclass(frozen=True, slots=True)
class Opened:
    """Files that are open: what was found in logs among them, and the condition of the user."""

    asked: Files
    database: Database
    files: tuple[File, ...]
    log: Log | None
    condition: Condition | None

    def table(self, names: Sequence[str]) -> tuple[Table, str]:
        """The table of these columns, and in SQL which of its rows are wanted."""
        more = self.condition.names if self.condition else ()
        table = open_table(self.database, self.files, [*names, *more], by_file=self.asked.by_file)
        return table, self.condition.sql(table, self.asked.missing_values) if self.condition else ALL

    def selected(
        self, table: Table, only: str, kinds: Mapping[Column, str], *, stream_checks: bool = False
    ) -> Selection:
        """The wanted rows in which no column is missing: `kinds` says as what each is read (see `Column.missing`).

        Raises InputError at the first missing value, unless these are to be skipped, and if no row is left.
        """
        asked = self.asked
        tests = {column: column.missing(asked.missing_values, role=kind) for column, kind in kinds.items()}
        return select_rows(
            table, tests, skip=asked.skip_missing, values=asked.missing_values, stream_checks=stream_checks, only=only
        )

    def notes(
        self, selection: Selection, *, positive: str | None = None, across_files: str = "error"
    ) -> dict[str, Any]:
        """How the rows were read, for the recipe of a result."""
        asked, notes = self.asked, {} if self.log is None else self.log.describe()
        options: dict[str, Any] = {
            "positive": positive,
            "missing_values": list(asked.missing_values) or None,
            "by_file": asked.by_file or None,
            "across_files": across_files if len(self.files) > 1 and across_files != "error" else None,
        }
        notes |= {name: value for name, value in options.items() if value is not None}
        notes |= {} if asked.where is None else {"where": asked.where, "left_out": selection.others}
        commas = selection.table.with_commas
        return notes | ({"decimal_comma": commas} if commas else {})

    def said(self, table: Table, chosen: Mapping[str, str]) -> str:
        """What users are told of what was read: as which log, with which columns, and of decimal commas."""
        log = "" if self.log is None else described(self.log, self.files, chosen)
        return f"{log} {said_of_commas(table.with_commas)}".strip()


def check_pooling(
    selection: Selection, columns: Mapping[str, Column | None], part: Column | None, across_files: str
) -> None:
    """Refuse an id that stands twice in a file (within a part, if there are parts), and equal ids or clusters of
    several files, unless `across_files` says what they are."""
    if id := columns.get("id"):
        check_different(selection, id, part)
    for role in ("id", "cluster"):
        if column := columns.get(role):
            check_across_files(selection, column, part, how=across_files)
