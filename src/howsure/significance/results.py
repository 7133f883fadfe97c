"""The result of comparing systems: one row per model and metric."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, overload

from howsure.errors import InputError
from howsure.inputs.frames import to_frame
from howsure.inputs.naming import unknown_name
from howsure.show.harmless import in_a_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True)
class Difference:
    """One model against the baseline in one metric; what is undefined is NaN.

    `difference` is model - baseline, [`low`, `high`] its interval. `p_error` is the Monte Carlo standard error of
    `p_value`, 0 where that is exact. `relative_error_reduction` is the share of the baseline's distance from a perfect
    value that the model takes away; `share_better` and `share_worse` are those of rows on which it is better and worse.
    `undefined_resamples` of the resamples had no value and are left out of the interval (and count against a finding).
    """

    baseline: str
    model: str
    metric: str
    baseline_value: float
    model_value: float
    difference: float
    low: float
    high: float
    p_value: float
    p_adjusted: float
    p_error: float
    n: int
    exact: bool
    higher_is_better: bool
    relative_error_reduction: float
    share_better: float
    share_worse: float
    undefined_resamples: int

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: what is undefined or infinite is None."""
        held = {field.name: getattr(self, field.name) for field in fields(self)}
        return {key: None if isinstance(one, float) and not math.isfinite(one) else one for key, one in held.items()}

    @property
    def stars(self) -> str:
        """`**` for an adjusted p of at most .01, `*` for at most .05, nothing for what is undefined."""
        if math.isnan(self.difference):
            return ""
        return "**" if self.p_adjusted <= 0.01 else "*" if self.p_adjusted <= 0.05 else ""


COLUMNS: dict[str, Callable[[Difference], str]] = {
    "model": lambda row: in_a_line(row.model),
    "metric": lambda row: row.metric,
    "baseline": lambda row: _number(row.baseline_value),
    "value": lambda row: _number(row.model_value),
    "difference": lambda row: _number(row.difference, sign=True),
    "interval": lambda row: f"[{_number(row.low, sign=True)}, {_number(row.high, sign=True)}]",
    "p": lambda row: p_text(row.p_value),
    "adjusted p": lambda row: f"{p_text(row.p_adjusted)}{row.stars}",
}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Models against a baseline: one row per model and metric, the recipe that made them, and what to know beside them.

    Iterating, indexing and `len` go by rows. In a notebook it shows itself as a table.
    """

    rows: tuple[Difference, ...]
    recipe: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.rows)

    @overload
    def __getitem__(self, place: int) -> Difference: ...
    @overload
    def __getitem__(self, place: tuple[str, str]) -> Difference: ...
    def __getitem__(self, place: int | tuple[str, str]) -> Difference:
        """The row at a place, or that of a (model, metric)."""
        if isinstance(place, int):
            return self.rows[place]
        for row in self.rows:
            if (row.model, row.metric) == place:
                return row
        raise KeyError(place)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """The headings and cells of the table as text."""
        return list(COLUMNS), [[show(row) for show in COLUMNS.values()] for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: `recipe`, `notes` and `comparisons`."""
        rows = [row.to_dict() for row in self.rows]
        return {"recipe": dict(self.recipe), "notes": list(self.notes), "comparisons": rows}

    def to_frame(self, backend: str | None = None) -> Any:
        """A data frame, one row per model and metric: of pandas, polars or pyarrow."""
        names = [field.name for field in fields(Difference)]
        return to_frame({name: [getattr(row, name) for row in self.rows] for name in names}, backend)

    def __str__(self) -> str:
        headings, rows = self.table()
        widths = [max(map(len, column)) for column in zip(headings, *rows, strict=True)]
        lines = [_aligned(line, widths) for line in (headings, *rows)]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes), recipe_text(self.recipe)])

    __repr__ = __str__

    def plot(self, ax: Axes | None = None, *, metric: str | None = None) -> Axes:
        """Draw the differences of one metric with their intervals on axes (new ones if None); `metric` names it.

        Raises InputError for a metric that it does not hold, or if it holds several and none is named.
        """
        from howsure.figures.significance import difference_figure, draw_differences

        metrics = list(dict.fromkeys(row.metric for row in self.rows))
        if metric is None and len(metrics) > 1:
            raise InputError(f"metric must name one of {', '.join(metrics)}; figure() draws them all.")
        if metric is not None and metric not in metrics:
            raise unknown_name("metric", metric, metrics, place="the comparison")
        rows = tuple(row for row in self.rows if metric in (None, row.metric))
        return difference_figure(replace(self, rows=rows)).axes[0] if ax is None else draw_differences(rows, ax=ax)

    def figure(self) -> Figure:
        """The differences with their intervals as a matplotlib figure, a panel per metric."""
        from howsure.figures.significance import difference_figure

        return difference_figure(self)

    def _repr_html_(self) -> str:
        from howsure.figures.significance import difference_svg

        headings, rows = self.table()
        head = "".join(f"<th>{html.escape(cell)}</th>" for cell in headings)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        caption = html.escape(recipe_text(self.recipe))
        table = f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        return f"<div>{table}{notes}{difference_svg(self)}</div>"


def p_text(p: float) -> str:
    """A p-value as it is printed: `.0003`, `<.0001`, `undefined`.

    >>> p_text(0.00027), p_text(0.00001), p_text(1.0)
    ('.0003', '<.0001', '1.0000')
    """
    if math.isnan(p):
        return "undefined"
    return "<.0001" if p < 0.0001 else f"{p:.4f}".removeprefix("0")


def recipe_text(recipe: Mapping[str, Any]) -> str:
    """The recipe in one line.

    >>> recipe_text({"method": "permutation", "n": 1000, "clusters": None, "runs": {"base": 3, "large": 5}})
    'method permutation, n 1000, runs base 3 and large 5'
    """
    return ", ".join(f"{name} {text}" for name, text in recipe_rows(recipe))


def recipe_rows(recipe: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The recipe in words: what is there, by its name."""
    held = {key.replace("_", " "): value for key, value in recipe.items() if value is not None and value is not False}
    return [(name, in_a_line(_in_words(value))) for name, value in held.items()]


def _in_words(value: object) -> str:
    if isinstance(value, Mapping):
        return " and ".join(f"{name} {one}" for name, one in value.items()) or "0"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "yes" if value is True else str(value)


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    """The two names to the left, the numbers to the right."""
    pairs = list(zip(cells, widths, strict=True))
    return "  ".join([c.ljust(w) for c, w in pairs[:2]] + [c.rjust(w) for c, w in pairs[2:]]).rstrip()


def _number(value: float, *, sign: bool = False) -> str:
    if math.isnan(value):
        return "undefined"
    return f"{value:+.4f}" if sign else f"{value:.4f}"
