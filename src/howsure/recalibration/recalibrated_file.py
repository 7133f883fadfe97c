"""`recalibrate_file`: a file of predictions with recalibrated probabilities beside the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from howsure.errors import InputError, parameter
from howsure.files.whole import Place
from howsure.inputs.frames import Rows
from howsure.inputs.given import Given
from howsure.inputs.numbers_and_names import counted
from howsure.recalibration.results import RecalibrationMap
from howsure.recalibration.scores import scores_of

if TYPE_CHECKING:
    from howsure.data.sources import Files


@dataclass(frozen=True, slots=True)
class RecalibratedFile:
    """What `recalibrate_file` wrote: `n` rows, of which `skipped` have no value, with further `columns`."""

    path: str
    n: int
    skipped: int
    columns: tuple[str, ...]

    def __str__(self) -> str:
        empty = f", {self.skipped:,} of them without a value" if self.skipped else ""
        return f"{self.path}: {counted(self.n, 'row')}{empty}, with {', '.join(self.columns)}"


def recalibrate_file(
    map: RecalibrationMap,
    y_prob: str | Sequence[str] | Given | None = None,
    *,
    groups: str | None = None,
    new_name: str = "recalibrated",
    output: Place,
    data: Files,
) -> RecalibratedFile:
    """Write a file of `howsure.read` with recalibrated probabilities in new columns, after its own.

    The file is CSV, TSV, JSON, JSON lines or Parquet; the rows stay in order, in a file of the same format, and are
    read and written some at a time. Classes are matched by name, whatever the order of their columns.

    map: the map that recalibrate fit wrote.
    y_prob: column of the predicted probability.
    groups: column of groups, for a map of groups; several: a,b.
    new_name: name of the new column; with classes, of the columns NAME_CLASS.
    output: where the rows are written.

    Of the options of a source, `skip_missing` leaves the new columns empty where a value is missing, and counts these;
    `format` is that of the file.

    >>> import howsure, os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> old, new = (os.path.join(folder, name) for name in ("test.csv", "mended.csv"))
    >>> with open(old, "w") as file:
    ...     _ = file.write("id,score\\na,0.9\\nb,0.2\\n")
    >>> found = howsure.recalibrate([0, 1, 0, 1] * 10, [0.1, 0.9, 0.6, 0.7] * 10, method="none")
    >>> howsure.recalibrate_file(found, "score", data=howsure.read(old), output=new).columns
    ('recalibrated',)
    >>> open(new).read().split()
    ['id,score,recalibrated', 'a,0.9,0.9', 'b,0.2,0.2']

    Raises InputError for anything that is not there or not as it must be.
    """
    if map.groups and groups is None:
        raise InputError(
            f"{parameter('groups', 'COL')} must name the column of groups: the map has one for each group."
        )
    with data.to_extend(y_prob, wanted=map.classes, groups=groups, check_groups=map.check_groups) as rows:
        rows.check_output(output)
        names = [f"{new_name}_{name}" for name in map.classes] or [new_name]
        rows.check_new(names)
        with data.progress(rows.n, "rows") as advance:
            for chunk in rows.chunks():
                with Rows({}, place=lambda row, held=chunk.rows: rows.place(int(held[row]))).placed():  # type: ignore[misc]
                    after = map.apply_rows(scores_of(chunk.scores, rows.scale, map.floor), chunk.groups, rows.groups)
                columns = [after] if after.ndim == 1 else list(after.T.copy())
                rows.add(chunk, dict(zip(names, columns, strict=True)))
                advance(chunk.length)
        rows.write(output)
        return RecalibratedFile(str(output), rows.n, rows.skipped, tuple(names))
