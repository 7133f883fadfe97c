"""Columns that no parameter names though results depend on them: those of repeated items, and those of models."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.errors import parameter
from howsure.inputs.checks import is_missing
from howsure.inputs.frames import PROMPT, Source, columns_from, frame_names, is_frame
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Integers
from howsure.notes import marked_note

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
"""Columns that identify the item. If such a column never repeats, each row is its own item."""
ROW_OR_ITEM_COLUMNS = ("id", "task_id", "sample_id")
"""Columns that may identify the row, the item or the whole task."""
ASKED_COLUMNS = ("question", "question_text", "prompt", "input", "user_input")
"""Columns with the question or the question's number, used if no other column identifies the item."""
SOURCE_ROW = "source_row"  # the column with the number of the file's row from which several rows were made
NUMBERED_IN = (
    *("task", "task_id", "dataset", "benchmark", "subset", "split", "subject", "category", "domain", "topic", "file"),
    *("document", "document_id", "doc", "doc_id"),
)
"""Columns within which items may be numbered, so that equal numbers in two of their values are different items."""
MIN_ITEMS = 10  # a column with fewer values may contain tasks or categories instead


@dataclass(frozen=True, slots=True)
class RepeatedItems:
    """A column whose values repeat within a group of rows, so that it probably identifies the item.

    rows: number of rows with an item. items: number of distinct items. times: the largest number of rows of an item in
    a group. fewest: the smallest number of items in a group. groups: number of groups. has_missing: whether some rows
    have no item. across_files: whether items repeat only across files.
    """

    column: str
    rows: int
    items: int
    times: int
    fewest: int
    groups: int = 1
    has_missing: bool = False
    across_files: bool = False

    @property
    def are_clusters(self) -> bool:
        """Whether items can be clusters: none is missing, they repeat within a file, and are 10 or more per group.

        Two per group are enough in a column whose name says that it identifies the item.
        """
        fewest = 2 if self.column.casefold() in ITEM_COLUMNS else MIN_ITEMS
        return self.fewest >= fewest and not self.has_missing and not self.across_files

    @property
    def counts(self) -> str:
        """The numbers of rows and items, and the largest number of rows per item, as a phrase."""
        each = "each" if self.groups == 1 else "each in a model or group"
        return f"{counted(self.rows, 'row')} of {counted(self.items, 'item')}, up to {self.times:,} {each}"

    def note(self, *, of_frame: bool = False, is_used: bool = False) -> str:
        """Return a note that items are used as clusters, and how to switch this off. is_used: as another role, too."""
        leave_out = "name a column of row numbers, `clusters='row'`" if is_used else f"leave {self.column} out of data"
        off = leave_out if of_frame else "`independent_rows=True`"
        return marked_note(
            f"{self.column} repeats ({self.counts}), so rows of equal {self.column} are one cluster. If rows are "
            f"independent: {off}."
        )

    def warning(self, *, can_switch_off: bool = True) -> str:
        """Return a warning that items are not used as clusters, and how to name the column if they should be."""
        files = " in several files" if self.across_files else ""
        off = " If rows are independent: `independent_rows=True`." if can_switch_off else ""
        return marked_note(
            f"{self.column} repeats{files} ({self.counts}). If it identifies the item of a row, rows are not "
            f"independent and intervals are too narrow. In this case, give {parameter('clusters', self.column)}.{off}"
        )


def candidates(
    columns: Sequence[str], excluded: Sequence[str] = (), *, id: object = None
) -> Iterator[tuple[str, bool]]:
    """Yield the columns that may identify the item, the most likely first, each with a flag.

    The flag is True if each row is its own item when the column never repeats. excluded: columns that already have a
    role. id: the column that the user named to identify a row, or several in a list or separated by commas. A single
    one named like an item leaves no candidates. Others may still have several rows of one item, such as question and
    attempt, but not if each item is numbered within the rest, such as the question within a data set.

    >>> list(candidates(["task_id", "Item", "score"]))
    [('Item', True), ('task_id', False)]
    >>> list(candidates(["question_id", "attempt"], id="question_id,attempt"))
    [('question_id', True)]
    >>> list(candidates(["question_id", "dataset"], id="question_id,dataset"))
    []
    """
    keys = _key_columns(id)
    if len(keys) == 1 and keys[0].casefold() in ITEM_COLUMNS:
        return
    kinds = [(ITEM_COLUMNS, True), (ROW_OR_ITEM_COLUMNS, False)]
    kinds += [] if keys else [(ASKED_COLUMNS, True), ((SOURCE_ROW,), True)]
    part_items = {key for key in keys if any(rest.casefold() not in NUMBERED_IN for rest in keys if rest != key)}
    with_role = {*excluded, *keys} - part_items
    by_name = {name.casefold(): name for name in columns if name not in with_role}
    for names, is_item in kinds:
        yield from ((by_name[name], is_item) for name in names if name in by_name)


def _key_columns(id: object) -> list[str]:
    """Return the names of the columns in `id`; [] if it is not a name or several names."""
    names = id.split(",") if isinstance(id, str) else list(id) if isinstance(id, (list, tuple)) else []
    return names if all(isinstance(name, str) for name in names) else []


def frame_clusters(
    frame: Any,
    cells: Sequence[Any],
    columns_with_role: Sequence[Any],
    may_be_items: Collection[str] = (),
    *,
    id: object = None,
) -> tuple[str | None, tuple[str, ...]]:
    """Find the data frame's column that identifies items, to be used as clusters, and the notes about it.

    Items must repeat within the groups of rows that the columns `cells` (models, groups) form. If the column is not
    suitable as clusters, the result is None and a warning. If no item repeats, or `frame` is not a data frame, the
    result is (None, ()). Values of `cells` and `columns_with_role` that are not column names are ignored. may_be_items:
    columns with a role that may identify the item nevertheless, such as covariates of a regression. id: as in
    `candidates`.

    >>> import pandas
    >>> frame = pandas.DataFrame({"question": [*range(10)] * 2, "score": 1})
    >>> frame_clusters(frame, [], ["score"])[0]
    'question'
    """
    excluded = [column for column in columns_with_role if column not in may_be_items]
    repeated = repeated_in_frame(frame, cells, excluded, id=id)
    if repeated is None:
        return None, ()
    values = columns_from(frame, [repeated.column])[0]
    if not repeated.are_clusters or any(isinstance(value, (list, dict, np.ndarray)) for value in values[:1]):
        return None, (repeated.warning(can_switch_off=False),)
    return repeated.column, (repeated.note(of_frame=True, is_used=repeated.column in may_be_items),)


def item_notes(recipe: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the notes of a recipe; () for a log, whose notes were shown while it was read."""
    return () if "format" in recipe else tuple(recipe.get("notes", ()))


def first_repeated(
    columns: Mapping[str, bool], find_repeated: Callable[[str], RepeatedItems | None]
) -> RepeatedItems | None:
    """Return the first candidate column that repeats, preferably with at least 10 items; None if no column repeats.

    The search stops at a column of items that never repeats. Skipped are a column `prompt` with fewer than 10 values,
    which contains prompt templates, and source rows if each cell has one, which are models. columns: from `candidates`.
    find_repeated: a function that examines a column.
    """
    few: RepeatedItems | None = None
    for name, is_item in columns.items():
        repeated = find_repeated(name)
        if repeated is None:
            if is_item:
                break
        elif repeated.fewest >= MIN_ITEMS:
            return repeated
        elif few is None and name.casefold() != PROMPT and (name != SOURCE_ROW or repeated.fewest > 1):
            few = repeated
    return few


def repeated_in_frame(
    frame: Any, cells: Sequence[Any], columns_with_role: Sequence[Any], *, id: object = None
) -> RepeatedItems | None:
    """Find the data frame's column that identifies items, if they repeat; for the arguments see `frame_clusters`."""
    if isinstance(frame, Source) or not is_frame(frame):
        return None
    cells, columns_with_role = (
        [name for name in names if isinstance(name, str)] for names in (cells, columns_with_role)
    )

    keys = _key_columns(id)

    def find_repeated(name: str) -> RepeatedItems | None:
        items, *columns = columns_from(frame, [name, *cells, *keys])
        if keys and not _is_constant(items, columns[len(cells) :]):
            return None
        return find_repeats(name, items, columns[: len(cells)])

    return first_repeated(dict(candidates(frame_names(frame), columns_with_role, id=id)), find_repeated)


def _is_constant(items: Any, keys: Sequence[Any]) -> bool:
    """Whether all rows with equal keys have the same item."""
    groups = np.stack([_codes(key) for key in keys], axis=1)
    pairs = np.column_stack([groups, _codes(items)])
    return len(np.unique(groups, axis=0)) == len(np.unique(pairs, axis=0))


def find_repeats(column: str, items: Any, cells: Sequence[Any]) -> RepeatedItems | None:
    """Count the rows of items that repeat within a cell, the rows with equal values in `cells`; None if none does."""
    codes = _codes(items)
    is_item = codes >= 0
    n, different = int(is_item.sum()), int(codes.max(initial=-1)) + 1
    if not n:
        return None
    cell = np.zeros(n, dtype=np.int64)
    for part in cells:
        part_codes = _codes(part)[is_item] + 1  # 0 if missing
        cell = np.unique(cell * (int(part_codes.max()) + 1) + part_codes, return_inverse=True)[1]
    pairs, times = np.unique(cell * different + codes[is_item], return_counts=True)
    if times.max() == 1:
        return None
    items_by_cell = np.unique(pairs // different, return_counts=True)[1]
    return RepeatedItems(
        column,
        rows=n,
        items=len(np.unique(pairs % different)),
        times=int(times.max()),
        fewest=int(items_by_cell.min()),
        groups=len(items_by_cell),
        has_missing=n < len(codes),
    )


def _codes(values: Any) -> Integers:
    """Return codes (n,) of the values; -1 for missing values.

    >>> _codes(np.array(["b", "a", None, "b"], dtype=object)).tolist()
    [0, 1, -1, 0]
    """
    column = np.asarray(values)
    if column.dtype.kind in "biufmM":  # without creating a Python object for each number
        codes = np.unique(column, return_inverse=True)[1]
        return np.where(column == column, codes, -1)
    code_by_value: dict[str, int] = {}
    missing: set[int] = set()
    codes = np.empty(len(column), dtype=np.int64)
    for row, value in enumerate(column.tolist()):
        text = str(value)
        if text not in code_by_value:
            code_by_value[text] = len(code_by_value)
            if is_missing(value):
                missing.add(code_by_value[text])
        codes[row] = code_by_value[text]
    return np.where(np.isin(codes, list(missing)), -1, codes)


# Rows of several models that would be evaluated together, because no parameter names the column of models.

MODEL_COLUMNS = ("model", "model_name", "model_id", "system", "system_name", "system_id", "llm", "agent")
REMEDIES = {"where": "For one of them", "covariates": "To compare equal models", "features": "To find groups of each"}
MAX_MODELS, LONGEST_NAME = 200, 100  # with more values, or longer strings, a column does not contain models


def model_columns(columns: Sequence[str], with_role: Collection[str]) -> list[str]:
    """Return the columns that name models; [] if one of the columns with a role names models.

    >>> model_columns(["Model", "score"], ["score"]), model_columns(["model", "agent"], ["agent"])
    (['Model'], [])
    """
    used = {name for column in with_role for name in [column, *column.split(",")]}
    named = [name for name in columns if name.casefold() in MODEL_COLUMNS]
    return [] if used & {*named} else named


def note_on_models(column: str, n_models: int, longest: int, role: str) -> tuple[str, ...]:
    """Return a note that rows of several models are evaluated together; () unless the column has several models.

    role: the parameter that separates models; "where" or "covariates" if a function has no result for each model.
    """
    if not 1 < n_models <= MAX_MODELS or longest > LONGEST_NAME:
        return ()
    value = f"{column} = 'NAME'" if role == "where" else column
    remedy = f"{REMEDIES.get(role, 'For a result of each')}: {parameter(role, value)}."
    return (marked_note(f"{column} has {n_models} values, and their rows are evaluated together. {remedy}"),)


def note_on_models_of_frame(frame: Any, role: str, with_role: Sequence[Any]) -> tuple[str, ...]:
    """Return `note_on_models` for a data frame; () for arrays and files. Items of `with_role` may be column names.

    >>> import pandas
    >>> note_on_models_of_frame(pandas.DataFrame({"model": ["a", "b"], "score": [0, 1]}), "model", ["score"])
    ("model has 2 values, and their rows are evaluated together. For a result of each: model='model'.",)
    """
    if isinstance(frame, Source) or not is_frame(frame):
        return ()
    names = model_columns(frame_names(frame), [name for name in with_role if isinstance(name, str)])
    for name in names:
        values = {str(value) for value in columns_from(frame, [name])[0].tolist() if not is_missing(value)}
        if note := note_on_models(name, len(values), max(map(len, values), default=0), role):
            return note
    return ()
