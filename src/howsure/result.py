"""What every result can do: become a data frame, a table, Markdown, LaTeX and a page."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from howsure.inputs.frames import to_frame
from howsure.inputs.naming import unknown_name
from howsure.show.numbers import UNDEFINED, number
from howsure.show.recipe import recipe_text
from howsure.show.table import Table


class Result:
    """The base of all results: each has a `recipe`, and a `table()`, or `_columns()` that one is made of."""

    __slots__ = ()

    def to_frame(self, backend: str | None = None) -> Any:
        """The columns as a data frame (pandas, else polars, else pyarrow; or the `backend` named)."""
        return to_frame(self._columns(), backend=backend)

    def table(self) -> Table:
        """The result as a table of texts, for people."""
        return table_of(self._columns())

    def to_markdown(self, *, columns: Sequence[str] | None = None) -> str:
        """The table in Markdown, below the recipe as a comment; `columns` names some of its headings.

        Raises InputError for a heading that the table does not have.
        """
        return self._printed(columns).markdown()

    def to_latex(self, *, columns: Sequence[str] | None = None, label: str | None = None) -> str:
        r"""The table in LaTeX, with a legend in its caption and the recipe as a comment.

        The preamble needs \usepackage{booktabs}, as a comment says. `columns` names some of the headings, `label` is
        what \ref finds.

        Raises InputError for a heading that the table does not have.
        """
        return self._printed(columns).latex(label=label)

    def report(self, path: str | os.PathLike[str], *, title: str | None = None) -> None:
        """Write a page of the result in words, its table, its figure and its recipe: one HTML file, complete in itself.

        Raises InputError for a name that does not end in .html, or a folder that does not exist.
        """
        from howsure.report.results import write_result

        write_result(self, path, title=title)

    def _columns(self) -> Mapping[str, Any]:
        """The columns of the data frame by their names."""
        raise NotImplementedError(f"{type(self).__name__} has no columns")

    def _printed(self, columns: Sequence[str] | None) -> Table:
        table = chosen_columns(self.table(), columns)
        told = [recipe_text(result_recipe(self)), *table.notes]
        return replace(table, title=table.title or title_of(self), caption="\n".join(told), notes=())


def result_recipe(result: Any) -> dict[str, Any]:
    """How a result was made."""
    return dict(result.recipe)


def title_of(result: object) -> str:
    """What a result is, in words.

    >>> title_of(Result())
    'Result'
    """
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(result).__name__).lower()
    return words[0].upper() + words[1:]


def chosen_columns(table: Table, columns: Sequence[str] | None) -> Table:
    """Some columns of a table, in the order named; all of them for None.

    Raises InputError for a heading that the table does not have, or that is named twice.
    """
    if columns is None:
        return table
    known = {heading.casefold(): place for place, heading in reversed(list(enumerate(table.headings)))}
    for name in columns:
        if name.casefold() not in known:
            raise unknown_name("column", name, table.headings, place="the table")
    places = list(dict.fromkeys(known[name.casefold()] for name in columns))
    headings = [table.headings[place] for place in places]
    return replace(table, headings=headings, rows=[[row[place] for place in places] for row in table.rows])


def table_of(columns: Mapping[str, Any]) -> Table:
    """A table of columns by their names, numbers with four decimals.

    >>> print(table_of({"method": ["cox"], "p_value": [0.04], "n": [100]}))
    method  p value    n
    ────────────────────
    cox      0.0400  100
    """
    held = {name.replace("_", " "): list(column) for name, column in columns.items()}
    words = [name for name, column in held.items() if any(isinstance(value, str) for value in column)]
    rows = zip(*held.values(), strict=True)
    return Table(list(held), [[cell(value) for value in row] for row in rows], words=words)


def cell(value: object) -> str:
    """A value as a table shows it.

    >>> cell(12345), cell(0.5), cell(None), cell(float("inf")), cell("NN")
    ('12,345', '0.5000', '–', 'inf', 'NN')
    """
    plain = value.item() if hasattr(value, "item") else value
    if plain is None:
        return UNDEFINED
    if isinstance(plain, bool):
        return "yes" if plain else "no"
    if isinstance(plain, int):
        return f"{plain:,}"
    return number(plain) if isinstance(plain, float) else str(plain)
