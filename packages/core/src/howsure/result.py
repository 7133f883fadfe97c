"""The methods of every result, derived from its fields and columns: JSON, data frame, text, Markdown, LaTeX, CSV, HTML,
report.

A result is a frozen dataclass. Its *fields* become its JSON, in the same order (the recipe first):

    error: Estimate                                     an estimate becomes an object with value, low, high …
    name: str | None = as_json("group")                 the field has another name in JSON; as_json(None): not in JSON
    derived: ClassVar = {"outcome": "group"}            a property or method that follows "group" in JSON

Its *columns* become its tables: `columns()` declares each column once (`show.table`). Results with rows derive from
`Rows`, and can be iterated and indexed by name. `suggested` and `further` name what is shown next to and below the
result. Each class writes only its own sentences: the `answer`, the `footnotes`, or a `description` instead of a table.
"""

from __future__ import annotations

import datetime
import importlib
import math
import os
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from html import escape
from typing import Any, ClassVar, Generic, SupportsIndex, TypeVar, cast

import numpy as np

from howsure.inputs.frames import to_frame
from howsure.inputs.numbers_and_names import counted, shortened, unknown_name
from howsure.inputs.repeated_items import item_notes
from howsure.lazy_imports import require
from howsure.notes import MAX_NOTES, footnote, most_serious_first
from howsure.show.table import (
    COUNT,
    FLAG,
    FRAME,
    NUMBER,
    PRINTED_ROWS,
    TABLE,
    UNDEFINED,
    WORDS,
    Cell,
    Column,
    Table,
    in_a_line,
    interval,
    is_extreme,
    on_a_terminal,
    plain_list,
)

Row = TypeVar("Row")
LOG_COLUMNS = ("score", "target", "prob", "probs", "probs_column", "logits", "logprobs", "verbalised")  # in recipes
KINDS = {"i": COUNT, "u": COUNT, "f": NUMBER, "b": FLAG}  # of arrays, by their type


AMONG = "*"  # the JSON name of a field whose own fields are placed among the fields of the result


def as_json(key: str | None, **how: Any) -> Any:
    """Return a dataclass field with another name in JSON, or without one (None). how: arguments of `field`."""
    return field(metadata={"json": key}, **how)


class Result:
    """The base class of all results: each has a `recipe`, and declares its `columns()`."""

    __slots__ = ()
    derived: ClassVar[Mapping[str, str]] = {}
    title: ClassVar[str] = ""  # of tables in Markdown and LaTeX; by default the name of the class
    suggested: ClassVar[Mapping[str, object]] = {}  # parameters that the user may want to add to the call
    further: ClassVar[Sequence[str]] = ()  # fields with other results, which are shown below this one if not None

    @property
    def latex_columns(self) -> Sequence[str] | None:
        """The headings of a LaTeX table without `columns`; None for all."""

    def columns(self) -> Sequence[Column]:
        """Return the columns of the result's table, in their order."""
        raise NotImplementedError(f"{type(self).__name__} has no columns")

    def table_rows(self) -> Sequence[object]:
        """Return the rows of the result's table; by default a single row, the result itself."""
        return (self,)

    def frame_rows(self) -> Sequence[object]:
        """Return the rows of the result's data frame: the rows of the table without totals."""
        return self.table_rows()

    @property
    def skipped(self) -> int:
        """The rows of files that were left out because of missing values."""
        return sum(result_recipe(self).get("skipped", {}).values())

    @property
    def input_line(self) -> str:
        """The input, for files; "" for arrays and frames."""
        return rows_read(result_recipe(self))

    @property
    def answer(self) -> str | None:
        """The answer in a sentence, printed first; None if the result has none."""
        return None

    @property
    def key_figures(self) -> str:
        """Text printed below the answer instead of the table; "" for the table."""
        return ""

    @property
    def n_last_rows(self) -> int:
        """The number of rows at the end of the table, such as totals, that are always displayed."""
        return max(len(self.table_rows()) - len(self.frame_rows()), 0)

    @property
    def provenance(self) -> str:
        """The input, and the level of the intervals, in a line."""
        return provenance_line(result_recipe(self))

    def next_parameters(self) -> Mapping[str, object]:
        """Parameters that the user may want to add to the call, or {}."""
        return self.suggested

    def recipe_comment(self) -> str:
        """The recipe in one line, printed with a table as a comment."""
        return recipe_text(result_recipe(self))

    @property
    def signature(self) -> str:
        """The method in one line to print in a paper: howsure|estimate|method:debiased|n:6000|v:0.2.0.

        `howsure.read_signature` reads it back.
        """
        from howsure.show.signature import signature_text

        rows = [result_recipe(row) for row in self.table_rows() if isinstance(row, Result) and row is not self]
        return signature_text(kind_title(self).lower(), result_recipe(self), rows)

    @property
    def description(self) -> str:
        """Text printed instead of a table, one figure per line; "" for the table."""
        pairs = [(column.shown, *column.cells([self])) for column in self.columns() if column.only != FRAME]
        width = max(len(name) for name, *_ in pairs)
        return "\n".join(f"{name:<{width}}  {text}" for name, text in pairs)

    def tables_above(self) -> Sequence[Table]:
        """Return other tables that are printed above the result's own table."""
        return ()

    def footnotes(self) -> Sequence[str]:
        """Return the lines that are printed below the table: notes, and those of the recipe on how rows were read."""
        return [*dict.fromkeys([*map(footnote, getattr(self, "notes", ())), *self.recipe_notes])]

    @property
    def recipe_notes(self) -> list[str]:
        """The notes of the recipe on how rows were read, which `footnotes` contains."""
        return [*map(footnote, item_notes(getattr(self, "recipe", {})))]

    def footnotes_of_answer(self, *, verbose: bool) -> Sequence[str]:
        """Lines printed below an answer that does not contain them. verbose: below its `description`, not its table."""
        return [note for note in self.footnotes() if note != self.answer]

    def further_tables(self) -> Sequence[Result]:
        """Other results that are shown below this one, each with its own table."""
        return [part for name in self.further if (part := getattr(self, name)) is not None]

    def csv_result(self) -> Result:
        """The result to write as CSV, which is a single table: a further result that was requested, else this one."""
        return next(iter(self.further_tables()), self)

    def competing_rows(self) -> Sequence[Hashable]:
        """Return a key for each row; in Markdown and LaTeX, the best cell among rows with equal keys is bold.

        Returns () if all rows are compared with each other.
        """
        return ()

    def legend(self) -> Mapping[str, str]:
        """The meaning of the headings; under "", notes on the whole table."""
        return {column.shown: column.legend for column in self.columns() if column.legend}

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: plain values by name, None for undefined or infinite numbers."""
        return plain_dict(self)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame of the `backend`, or of the first that is installed: pandas, polars or pyarrow."""
        return to_frame(self.frame_columns(), backend=backend)

    def table(self) -> Table:
        """The result as a table of formatted texts."""
        shown, rows = [column for column in self.columns() if column.only != FRAME], self.table_rows()
        return Table(
            [column.shown for column in shown],
            list(zip(*(column.cells(rows) for column in shown), strict=True)),
            words=[column.shown for column in shown if column.kind.left],
            notes=self.footnotes(),
            title=self.title,
            better={column.shown: column.better for column in shown if column.better},
            legend=self.legend(),
            contests=self.competing_rows(),
            details=[column.shown for column in shown if column.detail],
            answers=[column.shown for column in shown if column.answers],
        )

    def text(
        self,
        *,
        columns: Sequence[str] | None = None,
        raw: bool = False,
        most: int | None = None,
        rest: str | None = None,
        width: int | None = None,
    ) -> str:
        """Return the text output: the answer in a sentence, the table or some `columns` of it, notes, and the input.

        raw: do not escape names for a terminal. most: maximum number of rows of a table without an answer. rest: a hint
        that says where further rows (beyond 12) and notes (beyond three) can be found, which are then only counted;
        None prints everything. width: the width of the terminal. If there is a `rest`, the least important columns of a
        wider table are hidden and named.
        """
        more = [part.text(raw=raw, most=most, rest=rest, width=width) for part in self.further_tables()]
        return "\n\n".join([self.own_text(columns=columns, raw=raw, most=most, rest=rest, width=width), *more])

    def own_text(
        self,
        *,
        columns: Sequence[str] | None = None,
        raw: bool = False,
        most: int | None = None,
        rest: str | None = None,
        width: int | None = None,
    ) -> str:
        """Return the text output without the further results below it."""
        if self.answer is not None:
            return self._answer_first(self.answer, columns=columns, raw=raw, rest=rest, width=width)
        provenance, words = self.input_line, self.description if columns is None else ""
        if words:
            return "\n\n".join(filter(None, [provenance, words, "\n".join(map(in_a_line, self.recipe_notes))]))
        table = chosen_columns(self.table(), columns)
        table = table if most is None else table.shortened(most)
        above = [part.text(raw=raw) for part in self.tables_above()] if columns is None else []
        shown, notes = fitted_text(table, raw=raw, rest=rest, width=width), "\n".join(map(in_a_line, table.notes))
        return "\n\n".join(filter(None, [provenance, *above, shown, notes]))

    def _answer_first(
        self, answer: str, *, columns: Sequence[str] | None, raw: bool, rest: str | None, width: int | None
    ) -> str:
        """The answer, the table, notes, and the input."""
        all_figures = columns is None and rest is None and self.description
        table = chosen_columns(self.table(), columns)
        notes = most_serious_first(self.footnotes_of_answer(verbose=bool(all_figures)))
        rows, hidden_rows, hidden_notes = table, 0, 0
        if rest is not None:
            hidden_notes, notes = max(len(notes) - MAX_NOTES, 0), notes[:MAX_NOTES]
            rows, hidden_rows = table.displayed(self.n_last_rows, [answer, *notes])
        more_rows = f"… {counted(hidden_rows, 'more row')}: {rest}" if hidden_rows else ""
        more_notes = f"{counted(hidden_notes, 'more note')}: {rest}" if hidden_notes else ""
        above = [part.text(raw=raw) for part in self.tables_above()] if columns is None and rest is None else []
        width = None if columns is not None else width
        shown = "\n".join(filter(None, [fitted_text(rows, raw=raw, rest=rest, width=width), more_rows]))
        if columns is None:
            shown = all_figures or (self.key_figures if rest is not None else "") or shown
        below = filter(None, [*map(in_a_line, notes), more_notes, in_a_line(self.provenance)])
        return "\n\n".join(filter(None, [answer if raw else in_a_line(answer), *above, shown, "\n".join(below)]))

    def to_csv(self, *, columns: Sequence[str] | None = None, raw: bool = False) -> str:
        """Return the table as CSV, with all digits and both ends of intervals; unknown values are empty.

        If a further result was requested, such as the worst rows, that result is returned instead, because CSV is a
        single table. columns: the headings to include. raw: do not change cells that a spreadsheet would treat as
        formulas.

        Raises InputError for a heading that the table does not have.
        """
        if (other := self.csv_result()) is not self:
            return other.to_csv(columns=columns, raw=raw)
        columns_by_heading = {column.shown: column for column in self.columns() if column.only != TABLE}
        headings = chosen_columns(Table(list(columns_by_heading), []), columns).headings
        rows = self.table_rows()
        cells_by_name = {
            name: cells for heading in headings for name, cells in columns_by_heading[heading].exact(rows).items()
        }
        return Table(list(cells_by_name), list(zip(*cells_by_name.values(), strict=True))).csv(raw=raw)

    def to_markdown(self, *, columns: Sequence[str] | None = None, raw: bool = False) -> str:
        """Return the table in Markdown, with the recipe as a comment above it. columns: the headings to include.

        Raises InputError for a heading that the table does not have.
        """
        more = [part.to_markdown(raw=raw) for part in self.further_tables()]
        return "\n\n".join([self._printed(columns).markdown(raw=raw), *more])

    def to_latex(self, *, columns: Sequence[str] | None = None, label: str | None = None, raw: bool = False) -> str:
        r"""Return the table in LaTeX, with a legend in its caption and the recipe as a comment.

        The preamble needs \usepackage{booktabs}. columns: headings (default: `latex_columns`, or all). label: for \ref.

        Raises InputError for a heading that the table does not have.
        """
        more = [part.to_latex(raw=raw) for part in self.further_tables()]
        table = self._printed(self.latex_columns if columns is None else columns)
        return "\n\n".join([table.latex(label=label, raw=raw), *more])

    def report(self, path: str | os.PathLike[str], *, title: str | None = None) -> None:
        """Write a self-contained HTML page with the result in words, its table, figure and recipe.

        Raises InputError for a name that does not end in .html, or a folder that does not exist.
        """
        require("A report", "cli", "howsure_cli")
        importlib.import_module("howsure_cli.report.results").write_result(self, path, title=title)

    def __repr__(self) -> str:
        return self.text(most=PRINTED_ROWS, rest="see .text()")

    def _repr_html_(self) -> str:
        more = "".join(part._repr_html_() for part in self.further_tables())
        if self.description:
            return preformatted(self.own_text() if more else repr(self)) + more
        answer = "" if self.answer is None else f"<p>{escape(on_a_terminal(self.answer))}</p>"
        return answer + "".join(table.html() for table in (*self.tables_above(), self.table().shortened())) + more

    def frame_columns(self) -> Mapping[str, Any]:
        """The columns of the data frame by name."""
        framed_columns: dict[str, Any] = {}
        for column in self.columns():
            framed_columns |= column.framed(column.of(self.frame_rows())) if column.only != TABLE else {}
        return framed_columns

    def records(self) -> list[dict[str, Any]]:
        """The rows of the data frame as plain values; None for undefined ones."""
        values = plain(self.frame_columns())
        return [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]

    def _printed(self, columns: Sequence[str] | None) -> Table:
        table = chosen_columns(self.table(), columns)
        footnotes = [self.recipe_comment(), *table.notes]
        return replace(table, title=table.title or kind_title(self), caption="\n".join(footnotes), notes=())


class Rows(Result, Generic[Row]):
    """A result with rows, which can be iterated and indexed by position or name. Subclasses have a field `rows`.

    named: the attribute with the name of a row; "" if rows have no names.
    """

    __slots__ = ()
    rows: tuple[Row, ...]
    named: ClassVar[str] = "name"

    @property
    def description(self) -> str:
        """Empty, because the table is printed."""
        return ""

    def table_rows(self) -> Sequence[object]:
        """The rows."""
        return self.rows

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: Any) -> Row:
        """The row at a position, or with a name if rows have names; a slice gives a tuple of rows."""
        if isinstance(name, slice | SupportsIndex):
            return cast(Row, self.rows[name])
        return self._row_called(name)

    def _row_called(self, name: Any) -> Row:
        for row in self.rows if self.named else ():
            if getattr(row, self.named) == name:
                return row
        raise KeyError(name)


class Arrays:
    """A part of a result: a frozen dataclass of arrays of equal length. JSON has an object for each index."""

    __slots__ = ()

    def __len__(self) -> int:
        return len(next(iter(self.arrays().values())))

    def columns(self) -> list[Column]:
        """Each array as a column."""
        return [Column(name, KINDS.get(array.dtype.kind, WORDS), values=array) for name, array in self.arrays().items()]

    def to_dicts(self) -> list[dict[str, Any]]:
        """The JSON form."""
        values = {key: plain(getattr(self, name)) for name, key in json_keys(self).items()}
        return [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """The arrays by their names."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


def frame_only_columns(row: type) -> list[Column]:
    """The fields of a dataclass that frames and CSV contain for each row."""
    return [Column(field.name, NUMBER, only=FRAME) for field in fields(row)]


def plain_dict(record: Any) -> dict[str, Any]:
    """A dataclass as plain JSON: its fields in order, the recipe first, and derived values."""
    values: dict[str, Any] = {}
    for name, key in json_keys(record).items():
        value = plain(getattr(record, name))
        values |= (value or {}) if key == AMONG else {key: value}
    order = sorted(values, key=lambda key: key != "recipe")
    for name, behind in getattr(record, "derived", {}).items():
        order.insert(order.index(behind) + 1, name)
    return {key: values[key] if key in values else plain(_value_or_call(getattr(record, key))) for key in order}


def _value_or_call(derived: Any) -> Any:
    return derived() if callable(derived) else derived


def json_keys(record: Any) -> dict[str, str]:
    """The JSON keys of a dataclass's fields."""
    keys = {field.name: field.metadata.get("json", field.name) for field in fields(record)}
    return {name: key for name, key in keys.items() if key is not None}


def plain(value: Any) -> Any:
    """A value in a form that JSON allows: None for an undefined or infinite number.

    >>> plain({"p": math.nan, "n": np.int64(3), "curve": (0.5, math.inf)})
    {'p': None, 'n': 3, 'curve': [0.5, None]}
    """
    if isinstance(value, Arrays):
        return value.to_dicts()
    if isinstance(value, Result):
        return value.to_dict()
    if is_dataclass(value):
        return plain_dict(value)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [plain(item) for item in plain_list(value)]
    if isinstance(value, datetime.date):
        return value.isoformat()
    scalar = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(scalar, float) and not math.isfinite(scalar) else scalar


def result_recipe(result: Any) -> dict[str, Any]:
    """The recipe of a result."""
    return dict(result.recipe)


def rows_read(recipe: Mapping[str, Any]) -> str:
    """Return a line on the input: files, their rows, and how many rows were left out; "" for arrays and frames.

    >>> print(rows_read({"files": ["a.csv"], "rows": 1200, "skipped": {"p": 3}}))
    a.csv: 1,200 rows, 3 skipped (p: 3)
    """
    if "files" not in recipe or "rows" not in recipe:
        return ""
    return f"{files_read(recipe)}: {rows_used(recipe)}{log_read(recipe)}"


def log_read(recipe: Mapping[str, Any]) -> str:
    """Return the format of a log, and the columns read from it; "" for a table.

    >>> log_read({"format": "lm-eval", "target": "target", "probs_column": "probabilities", "group": "model"})
    ' (lm-eval, target, probabilities, by model)'
    """
    if "format" not in recipe:
        return ""
    columns = [recipe[role] for role in LOG_COLUMNS if recipe.get(role)]
    names = [name for column in columns for name in ([column] if isinstance(column, str) else column)]
    groups = [f"by {recipe['group']}"] if recipe.get("group") else []
    return f" ({', '.join([recipe['format'], *names, *groups])})"


def rows_used(recipe: Mapping[str, Any]) -> str:
    """Return the number of rows read, and how many of them were left out.

    >>> rows_used({"rows": 1200, "where": "n > 3", "left_out": 200})
    '1,200 rows where n > 3; 200 others left out'
    """
    skipped, rows = recipe.get("skipped", {}), counted(recipe["rows"], "row")
    rows += f" where {recipe['where']}" if "where" in recipe else ""
    missing = ", ".join(f"{column}: {count:,}" for column, count in skipped.items())
    rows += f", {sum(skipped.values()):,} skipped ({missing})" if any(skipped.values()) else ""
    return rows + (f"; {counted(recipe['left_out'], 'other')} left out" if "where" in recipe else "")


def provenance_line(recipe: Mapping[str, Any]) -> str:
    """The input with the columns of a log, and the level of the intervals; several files are counted, not named.

    >>> recipe = {"files": ["a.jsonl", "b.jsonl"], "rows": 720, "format": "lm-eval", "score": ["acc"], "level": 0.95}
    >>> print(provenance_line(recipe))
    2 files, 720 rows (lm-eval, acc). 95% intervals.
    """
    sentences = []
    if "files" in recipe and "rows" in recipe:
        files = recipe["files"]
        source = f"{files[0]}:" if len(files) == 1 else f"{counted(len(files), 'file')},"
        sentences.append(f"{source} {rows_used(recipe)}{log_read(recipe)}.")
    if "level" in recipe:
        sentences.append(f"{100 * recipe['level']:g}% intervals.")
    return " ".join(sentences)


def files_read(recipe: Mapping[str, Any]) -> str:
    """The names of the files, and their number if several are pooled.

    >>> files_read({"files": ["a.csv", "b.csv"]})
    '2 files pooled (a.csv, b.csv)'
    """
    files = recipe["files"]
    return str(files[0]) if len(files) == 1 else f"{len(files):,} files pooled ({shortened(files, limit=6)})"


def kind_title(result: object) -> str:
    """The name of a kind of result in words.

    >>> kind_title(Result())
    'Result'
    """
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(result).__name__).lower()
    return words[0].upper() + words[1:]


def fitted_text(table: Table, *, raw: bool, rest: str | None, width: int | None) -> str:
    """Return the text of a table without columns that do not fit in a terminal; a line names the hidden columns."""
    if width is None or rest is None:
        return table.text(raw=raw)
    shown, hidden = table.fitted(width)
    more = f"… {counted(len(hidden), 'more column')}, {' · '.join(map(in_a_line, hidden))}: {rest}" if hidden else ""
    return "\n".join(filter(None, [shown.text(raw=raw), more]))


def chosen_columns(table: Table, columns: Sequence[str] | None) -> Table:
    """Return a table with only some columns, in the given order; None means all columns.

    An estimate without the columns of its interval shows the interval in brackets.

    >>> table = Table(["model", "error", "low", "high"], [["HMM", "0.15", "0.13", "0.16"]], words=["model"])
    >>> print(chosen_columns(table, ["model", "error"]))
    model              error
    ────────────────────────
    HMM    0.15 [0.13, 0.16]
    """
    if columns is None:
        return table
    place_by_heading = {heading.casefold(): place for place, heading in reversed(list(enumerate(table.headings)))}
    for name in columns:
        if name.casefold() not in place_by_heading:
            raise unknown_name("column", name, table.headings, place="the table")
    places = list(dict.fromkeys(place_by_heading[name.casefold()] for name in columns))
    headings = [table.headings[place] for place in places]
    estimates = [
        place
        for place in places
        if list(table.headings[place + 1 : place + 3]) == ["low", "high"] and not {place + 1, place + 2} & {*places}
    ]
    rows = [
        [_with_interval(row, place) if place in estimates else row[place] for place in places] for row in table.rows
    ]
    legend = dict(table.legend)
    for heading in (table.headings[place] for place in estimates if "low" in legend):
        of_ends = legend["low"].replace("from here to high", "in brackets")
        legend[heading] = "; ".join(filter(None, [legend.get(heading), of_ends]))
    return replace(table, headings=headings, rows=rows, legend=legend)


def _with_interval(row: Sequence[str], place: int) -> str:
    """Return the cell of an estimate joined with the cells of its interval."""
    estimate, low, high = row[place : place + 3]
    text = estimate if UNDEFINED in (low, high) else f"{estimate} [{low}, {high}]"
    return Cell(text, estimate.rank) if isinstance(estimate, Cell) else text


# The recipe of a result in words, and printed text as HTML.


def recipe_text(recipe: Mapping[str, Any]) -> str:
    """Return the recipe in one line.

    >>> recipe_text({"method": "permutation", "n": 1000, "clusters": None, "runs": {"base": 3, "large": 5}})
    'method permutation, n 1000, runs base: 3, large: 5'
    """
    return ", ".join(f"{name} {text}" for name, text in recipe_rows(recipe))


def recipe_rows(recipe: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The recipe in words: its entries by name."""
    entries = {
        key.replace("_", " "): value for key, value in recipe.items() if value is not None and value is not False
    }
    return [(name, in_a_line(_cell_text(value))) for name, value in entries.items()]


def _cell_text(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {item}" for name, item in value.items()) or "0"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "–"
    return "yes" if value is True else str(value)


def preformatted(text: str) -> str:
    """Return text as escaped, preformatted HTML.

    >>> preformatted("a < b")
    '<pre>a &lt; b</pre>'
    """
    return f"<pre>{escape(on_a_terminal(text))}</pre>"


# A number with its uncertainty.


@dataclass(frozen=True, slots=True)
class Estimate(Result):
    """A value, its interval (None if the method gives none), and how both were computed.

    >>> print(Estimate(0.0412, 0.033, 0.049, level=0.95, method="debiased", n=1000))
    0.0412 [0.0330, 0.0490]
    >>> print(Estimate(math.inf, 4.2, None, level=0.95, method="bound", n=30))  # no finite estimate, but a bound
    > 4.2000
    """

    value: float
    low: float | None
    high: float | None
    level: float
    method: str
    n: int

    def __str__(self) -> str:
        return estimate_text(self, 4)

    @property
    def width(self) -> float | None:
        """The width of the interval; None without one."""
        return None if self.low is None or self.high is None else self.high - self.low

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on how its rows were read, if necessary."""
        return ()

    @property
    def recipe(self) -> dict[str, Any]:
        """How the value and its interval were computed: the method, the level, and the sample size."""
        return {"method": self.method, "level": self.level, "n": self.n}

    def columns(self) -> tuple[Column, ...]:
        """One row."""
        numbers = (Column(name, NUMBER) for name in ("value", "low", "high", "level"))
        return (*numbers, Column("method", WORDS), Column("n", COUNT))

    @property
    def description(self) -> str:
        """The value and its interval."""
        return str(self)

    def _repr_html_(self) -> str:
        return preformatted(self.description)


def estimate_text(estimate: Estimate, decimals: int) -> str:
    """An estimate with its interval; a bound if it is infinite.

    >>> estimate_text(Estimate(1223.161, 1149.5, 1296.8, level=0.95, method="sandwich", n=60), 0)
    '1223 [1150, 1297]'
    >>> estimate_text(Estimate(1.25e-7, 1e-7, 1.5e-7, level=0.95, method="sandwich", n=60), 4)
    '1.25e-07 [1e-07, 1.5e-07]'
    """
    ends_and_value = (number for number in (estimate.value, estimate.low, estimate.high) if number is not None)
    if is_extreme(max((abs(number) for number in ends_and_value if math.isfinite(number)), default=0.0)):
        value, width = f"{estimate.value:.3g}", estimate.width
        has_interval = width is not None and not math.isnan(width)
        return f"{value} [{estimate.low:.3g}, {estimate.high:.3g}]" if has_interval else value
    bound = estimate.low if estimate.value > 0 else estimate.high
    if math.isinf(estimate.value) and bound is not None:
        return f"{'>' if estimate.value > 0 else '<'} {bound:.{decimals}f}"
    value = UNDEFINED if math.isnan(estimate.value) else f"{estimate.value:.{decimals}f}"
    ends = value if estimate.width is None else interval(estimate.low, estimate.high, decimals)
    return value if ends == value else f"{value} {ends}"  # of neither, one dash


@dataclass(frozen=True, slots=True)
class EstimateWithNotes(Estimate):
    """An estimate with notes on how its rows were read, such as repeated items as clusters."""

    notes: tuple[str, ...] = as_json(None, compare=False, repr=False)

    @property
    def description(self) -> str:
        """The value and its interval, then the notes."""
        return "\n".join([str(self), *(f"note: {note}" for note in self.notes)])
