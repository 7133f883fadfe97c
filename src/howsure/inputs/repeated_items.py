"""Columns that say which item a row is: rows of one item are not independent, whether or not the user names it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.errors import parameter, told
from howsure.inputs.checks import is_missing
from howsure.inputs.frames import PROMPT, Source, columns_from, frame_names, is_frame
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Integers

ITEM_COLUMNS = (
    "item",
    "item_id",
    "question_id",
    "doc_id",
    "document_id",
    "example_id",
    "instance_id",
    "problem_id",
    "query_id",
    "qid",
    "custom_id",
)
"""Columns that name the item: where one is different in every row, rows are items."""
ROW_OR_ITEM_COLUMNS = ("id", "task_id", "sample_id")
"""Columns that may name the row, the item or the whole task."""
ASKED_COLUMNS = ("question", "question_text", "prompt", "input")
"""Columns that hold what was asked, or its number: where nothing else names the item, that does."""
MIN_ITEMS = 10  # of fewer, a column may as well name tasks or categories


@dataclass(frozen=True, slots=True)
class RepeatedItems:
    """A column whose values repeat within a group of rows: it probably says which item a row is.

    rows: those of all groups. items: the different values, those of each group added up. times: the most rows of an
    item. fewest: the fewest items of a group. has_missing: some rows have no item. across_files: items repeat only in
    different files.
    """

    column: str
    rows: int
    items: int
    times: int
    fewest: int
    has_missing: bool = False
    across_files: bool = False

    @property
    def are_clusters(self) -> bool:
        """Whether it is safe to take the items as clusters."""
        return self.fewest >= MIN_ITEMS and not self.has_missing and not self.across_files

    @property
    def counts(self) -> str:
        """How many rows have how many items."""
        return f"{counted(self.rows, 'row')} of {counted(self.items, 'item')}, up to {self.times:,} each"

    def note(self, *, of_frame: bool = False) -> str:
        """That items are clusters, and how that is switched off."""
        off = f"leave {self.column} out of data" if of_frame else parameter("independent_rows", True)
        return told(
            f"{self.column} repeats ({self.counts}), so rows of equal {self.column} are one cluster. If rows are "
            f"independent: {off}."
        )

    def warning(self, *, can_switch_off: bool = True) -> str:
        """That items are not clusters, and what to name if they are."""
        files = " in several files" if self.across_files else ""
        off = f" If rows are independent: {parameter('independent_rows', True)}." if can_switch_off else ""
        return told(
            f"{self.column} repeats{files} ({self.counts}). If it says which item a row is, rows are not independent "
            f"and intervals are too narrow: name it, {parameter('clusters', self.column)}.{off}"
        )


def candidates(columns: Sequence[str], taken: Sequence[str] = ()) -> Iterator[tuple[str, bool]]:
    """The columns that may say which item a row is, the likeliest first, and whether one that never repeats shows that
    rows are items. Columns that have a role of their own are `taken`.

    >>> list(candidates(["task_id", "Item", "score"]))
    [('Item', True), ('task_id', False)]
    """
    by_name = {name.casefold(): name for name in columns if name not in taken}
    for names, is_item in ((ITEM_COLUMNS, True), (ROW_OR_ITEM_COLUMNS, False), (ASKED_COLUMNS, True)):
        yield from ((by_name[name], is_item) for name in names if name in by_name)


def frame_warnings(frame: Any, cells: Sequence[str | None], taken: Sequence[str | None]) -> list[str]:
    """A warning where a column of a data frame says which item a row is, and items repeat within the `cells` that other
    columns part. `taken`: the columns that have a role.

    >>> import pandas
    >>> frame = pandas.DataFrame({"item": [1, 1, 2], "score": [0, 1, 1]})
    >>> [warning[:49] for warning in frame_warnings(frame, [], ["score"])]
    ['item repeats (3 rows of 2 items, up to 2 each). I']
    """
    repeated = _of_frame(frame, cells, taken)
    return [] if repeated is None else [repeated.warning(can_switch_off=False)]


def frame_clusters(frame: Any, cells: Sequence[Any], in_use: Sequence[Any]) -> tuple[str | None, tuple[str, ...]]:
    """The column of a data frame whose items are clusters, None where none is, and what to say: for verdicts, which a
    warning does not correct. `cells` and `in_use` as those of `frame_warnings`, where they are names.

    >>> import pandas
    >>> frame = pandas.DataFrame({"question": [*range(10)] * 2, "score": 1})
    >>> frame_clusters(frame, [], ["score"])[0]
    'question'
    """
    cells, in_use = ([name for name in names if isinstance(name, str)] for names in (cells, in_use))
    repeated = _of_frame(frame, cells, in_use)
    if repeated is None:
        return None, ()
    values = columns_from(frame, [repeated.column])[0]
    if not repeated.are_clusters or any(isinstance(value, (list, dict, np.ndarray)) for value in values[:1]):
        return None, (repeated.warning(can_switch_off=False),)
    return repeated.column, (repeated.note(of_frame=True),)


def first_repeated(columns: Mapping[str, bool], look: Callable[[str], RepeatedItems | None]) -> RepeatedItems | None:
    """The first of the `candidates` that repeats, of enough items; of too few only where none does, and never of a few
    prompts, which are templates. `look` says of a column whether it repeats."""
    few: RepeatedItems | None = None
    for name, is_item in columns.items():
        repeated = look(name)
        if repeated is None:
            if is_item:
                break
        elif repeated.fewest >= MIN_ITEMS:
            return repeated
        elif few is None and name.casefold() != PROMPT:
            few = repeated
    return few


def _of_frame(frame: Any, cells: Sequence[str | None], in_use: Sequence[str | None]) -> RepeatedItems | None:
    if isinstance(frame, Source) or not is_frame(frame):
        return None

    def look(name: str) -> RepeatedItems | None:
        read = columns_from(frame, [name, *(cell for cell in cells if cell)])
        return _repeated(name, read[0], read[1:])

    return first_repeated(dict(candidates(frame_names(frame), [name for name in in_use if name])), look)


def _repeated(column: str, items: Any, cells: Sequence[Any]) -> RepeatedItems | None:
    codes = _codes(items)
    is_item = codes >= 0
    n, different = int(is_item.sum()), int(codes.max(initial=-1)) + 1
    if not n:
        return None
    cell = np.zeros(n, dtype=np.int64)
    for part in cells:
        own = _codes(part)[is_item] + 1  # 0 where it is missing
        cell = np.unique(cell * (int(own.max()) + 1) + own, return_inverse=True)[1]
    pairs, times = np.unique(cell * different + codes[is_item], return_counts=True)
    if times.max() == 1:
        return None
    fewest = int(np.unique(pairs // different, return_counts=True)[1].min())
    return RepeatedItems(column, n, len(pairs), int(times.max()), fewest, has_missing=n < len(codes))


def _codes(values: Any) -> Integers:
    """The number of each different value (n,); -1 where it is missing.

    >>> _codes(np.array(["b", "a", None, "b"], dtype=object)).tolist()
    [0, 1, -1, 0]
    """
    column = np.asarray(values)
    if column.dtype.kind in "biufmM":  # of millions of numbers, no Python object is made
        codes = np.unique(column, return_inverse=True)[1]
        return np.where(column == column, codes, -1)
    places: dict[str, int] = {}
    missing: set[int] = set()
    codes = np.empty(len(column), dtype=np.int64)
    for row, value in enumerate(column.tolist()):
        text = str(value)
        if text not in places:
            places[text] = len(places)
            if is_missing(value):
                missing.add(places[text])
        codes[row] = places[text]
    return np.where(np.isin(codes, list(missing)), -1, codes)
