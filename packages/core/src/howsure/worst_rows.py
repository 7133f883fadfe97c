"""The worst rows: the most confidently wrong or the lowest-scoring rows, with columns that may show why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError, parameter
from howsure.inputs.arguments import is_listlike
from howsure.inputs.checks import check_same_length
from howsure.inputs.frames import Kind, Read, Rows, not_a_column_name, read_columns
from howsure.inputs.numbers_and_names import check_integer, counted
from howsure.inputs.pairs import CLASS_WISE, TOP_LABEL, Floats, Integers, Labels, Pairs
from howsure.inputs.parameter_types import ArrayLike
from howsure.inputs.source_names import source_names
from howsure.result import Rows as ResultOfRows
from howsure.result import as_json, plain
from howsure.show.table import COUNT, FRAME, NUMBER, TABLE, WORDS, Column, Table

Show: TypeAlias = Sequence[str] | Mapping[str, ArrayLike]
Wrong: TypeAlias = Callable[[Labels, Floats], npt.NDArray[np.bool_]]
LONGEST = 60  # characters of a text in a table for a terminal or print
BY_PROBABILITY = "wrong predictions with the highest probability"
KINDS = {"row": COUNT, "n": COUNT, "probability": NUMBER, "mean": NUMBER}


@dataclass(frozen=True, slots=True)
class WrongRow:
    """A row with a large predicted probability of a wrong label.

    file, row: its location; rows are counted from 1. group: its group or, for class-wise pairs, its class. label: the
    true label as given. probability: the predicted probability of label 1, or the confidence in a wrong answer. shown:
    the requested columns.
    """

    file: str | None
    row: int
    group: str | None
    label: Any
    probability: float
    shown: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class LowItem:
    """An item, or a row without an item, with one of the lowest mean scores over its n rows (models, runs).

    score: the name of the score. file, row, model, shown: the location, the model and the requested columns of the
    item's first row with the lowest score.
    """

    score: str
    group: str | None
    item: str | None
    mean: float
    n: int
    file: str | None
    row: int
    model: str | None
    shown: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class WorstRows(ResultOfRows[Any]):
    """The worst rows of a result, the worst first, ties in their original order; indexed by position.

    recipe: the number of requested rows, the columns shown, and the measure by which rows are ranked. tied: for each
    score, the number of further items with the same mean as the last item shown.
    """

    rows: tuple[WrongRow, ...] | tuple[LowItem, ...] = as_json("worst")
    recipe: Mapping[str, Any] = field(repr=False)
    tied: Mapping[str, int] = as_json(None, default_factory=dict, repr=False)

    named = ""
    title = "Worst rows"

    @property
    def input_line(self) -> str:
        """The criterion of the ranking."""
        return f"{self.title}: {self.recipe['by']}"

    @property
    def description(self) -> str:
        """A statement that no row is wrong."""
        return "" if self.rows else "None is wrong."

    def columns(self) -> Sequence[Column]:
        """The location of each row, its error, and the requested columns."""
        field_names = [field.name for field in fields(type(self.rows[0]) if self.rows else WrongRow)][:-1]
        field_names = [
            name for name in field_names if not self.rows or any(getattr(row, name) is not None for row in self.rows)
        ]
        headings = {name: f"shown_{name}" if name in field_names else name for name in self.recipe["show"]}
        shown = [
            Column(name, WORDS, name, values=[row.shown[key] for row in self.rows]) for key, name in headings.items()
        ]
        same = {name for name in ("file", "score") if len({getattr(row, name, None) for row in self.rows}) < 2}
        known_columns = [
            Column(name, KINDS.get(name, WORDS), only=FRAME if name in same | {"file"} else "") for name in field_names
        ]
        if "file" not in same:  # frames have the whole name, tables only the part that differs between files
            files = source_names([str(row.file) for row in self.rows])
            known_columns.insert(field_names.index("row"), Column("file", WORDS, values=files, only=TABLE))
        return [*known_columns, *shown]

    def footnotes(self) -> Sequence[str]:
        """The number of further items that tie with the last one."""
        tied = {name: n for name, n in self.tied.items() if n}
        by = [f" by {name}" if len(self.tied) > 1 else "" for name in tied]
        return [
            f"{counted(n, 'more item ties', 'more items tie')} with the last one{score}."
            for n, score in zip(tied.values(), by, strict=True)
        ] + self.recipe_notes

    def table(self) -> Table:
        """The rows; texts are cut except in HTML."""
        return replace(ResultOfRows.table(self), longest=LONGEST)

    def text(self, **options: Any) -> str:
        """The text output; texts are cut, with a note."""
        table_text = ResultOfRows.text(self, **options)
        long = any(len(str(value)) > LONGEST for row in self.rows for value in row.shown.values())
        cut = f"Texts are cut after {LONGEST} characters; JSON, CSV and HTML contain them in full."
        return f"{table_text}\n\n{cut}" if long else table_text


@dataclass(frozen=True, slots=True)
class Worst:
    """A request for the n worst rows.

    show: the columns to show. wrong: a function that says which pairs are wrong, if only wrong pairs may be listed.
    """

    n: int
    show: Show
    wrong: Wrong | None = None

    def result(self, rows: Sequence[Any], by: str, *, tied: Mapping[str, int] | None = None) -> WorstRows:
        """Return the worst rows as a result. tied: for each score, the number of items that tie with the last one."""
        return WorstRows(rows=tuple(rows), recipe=self.recipe | {"by": by}, tied=tied or {})

    @property
    def recipe(self) -> dict[str, Any]:
        """The request, for the recipe of a result."""
        return {"worst": self.n, "show": list(self.show)}

    def other_columns(self, n: int, data: Any, names: Sequence[str] = (), **arrays: Any) -> Rows:
        """Return the n rows of a frame or of arrays; their method `at` reads the columns to show, and `names`."""
        if data is not None:
            return read_columns(data, dict.fromkeys([*names, *self.show], Kind.LATER))
        arrays_shown = arrays | dict(self.show) if isinstance(self.show, Mapping) else arrays
        check_same_length(rows=range(n), **arrays_shown)
        columns = {name: np.asarray(column) for name, column in arrays_shown.items()}
        return Rows({}, at=lambda some: {name: column[list(some)].tolist() for name, column in columns.items()})

    def rank_pairs(self, pairs: Pairs, y_true: Any, data: Any) -> WorstRows:
        """Return the worst rows of arrays or of a frame; y_true: the labels, or the name of their column."""
        each = pairs.groups is not None and pairs.reduction == CLASS_WISE and pairs.positive is None
        n = len(pairs) // len(pairs.group_names) if each else len(pairs)
        if isinstance(y_true, str):
            ranked = self._rank_blocks([pairs], self.other_columns(n, data, [y_true]), n, label=y_true)
        else:
            labels = pairs.labels if isinstance(y_true, Pairs) else y_true
            ranked = self._rank_blocks([pairs], self.other_columns(n, None, y_true=labels), n, label="y_true")
        return replace(ranked, recipe={**ranked.recipe, **pairs.described})

    def rank_source(self, predictions: Read) -> WorstRows:
        """Return the worst rows of files; very many pairs are processed in blocks."""
        described, blocks = predictions.describe(), predictions.blocks()
        if described.get("soft_labels"):
            target = described["target"]
            raise InputError(
                f"`worst=...` needs one label per row; {target} contains proportions of annotators. Leave `worst` out."
            )
        label, group = described["target"], described.get("group")
        rows = predictions.other_columns([label, *([group] if group else []), *self.show])
        return self._rank_blocks(blocks, rows, int(described["rows"]), label=label, group=group)

    def _rank_blocks(
        self, blocks: Iterable[Pairs], rows: Rows, n: int, *, label: str, group: str | None = None
    ) -> WorstRows:
        """Return the n worst rows. Labels and further columns are read only for these rows."""
        index, by, q, start = np.zeros(0, np.int64), np.zeros(0), np.zeros(0), 0
        groups: list[str] | None = None
        for block in blocks:
            wrong_by = np.abs(block.probabilities - block.labels)
            wrong = self.wrong or (is_wrong if block.reduction == TOP_LABEL else None)
            if wrong is not None:
                wrong_by[~wrong(block.labels, block.probabilities)] = 0.0
            least = np.partition(wrong_by, -self.n)[-self.n] if len(wrong_by) > self.n else 0.0
            some = np.flatnonzero((wrong_by >= least) & (wrong_by > 0.0))
            index, by = np.append(index, start + some), np.append(by, wrong_by[some])
            q, start = np.append(q, block.probabilities[some]), start + len(wrong_by)
            order = np.lexsort((index % n, -by))[: self.n]
            index, by, q = index[order], by[order], q[order]
            if block.groups is not None:
                groups = [block.group_names[block.groups[i]] for i in index]
        places = index % n
        values = self.read_at(rows, places, label, *([group] if group else []))
        groups = [str(group_value) for group_value in values[group]] if group and groups is None else groups
        return self.result(
            [
                WrongRow(
                    *rows.location(int(place)),
                    group=None if groups is None else groups[i],
                    label=values[label][i],
                    probability=float(q[i]),
                    shown={name: values[name][i] for name in self.show},
                )
                for i, place in enumerate(places)
            ],
            BY_PROBABILITY,
        )

    def read_at(self, rows: Rows, places: Integers, *more: str) -> dict[str, list[Any]]:
        """Return the columns to show, and the columns `more`, of the rows at these positions, in this order."""
        some, back = np.unique(places, return_inverse=True)
        values = rows.at(some.tolist()) if len(some) else {}
        return {name: [_json_value(values[name][i]) for i in back] if values else [] for name in (*self.show, *more)}


def check_worst(worst: int | None, show: Show, data: Any, *, wrong: Wrong | None = None) -> Worst | None:
    """Check and return the request for worst rows; None without a request."""
    if not (isinstance(show, (str, Mapping)) or is_listlike(show)) or hasattr(show, "columns"):
        raise InputError("{parameter} must be a list of names; it is {value!r}", "show", value=show)
    listed: Show = [show] if isinstance(show, str) else show if isinstance(show, Mapping) else list(show)
    if worst is None:
        if listed:
            needed = parameter("worst", 20)
            raise InputError(f"`show=...` names columns of the worst rows. Name the number of rows, too: {needed}.")
        return None
    if data is not None and isinstance(listed, Mapping):
        raise not_a_column_name("show", listed)
    if data is None and listed and not isinstance(listed, Mapping):
        raise InputError(
            "without `data`, `show` must be a mapping of names to arrays, such as {'question': texts}; it is "
            f"{listed!r}."
        )
    names = listed if isinstance(listed, Mapping) else list(dict.fromkeys(listed))
    return Worst(check_integer(worst, name="worst"), names, wrong)


def is_wrong(labels: Labels, probabilities: Floats) -> npt.NDArray[np.bool_]:
    """Return which answers are wrong: those with label 0."""
    wrong: npt.NDArray[np.bool_] = labels == 0
    return wrong


def _json_value(value: object) -> object:
    """Return a value in a form that JSON can contain; other values become strings."""
    plain_value = plain(value)
    return (
        plain_value
        if plain_value is None or isinstance(plain_value, str | int | float | list | dict)
        else str(plain_value)
    )
