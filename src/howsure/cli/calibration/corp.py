"""`howsure calibration --method corp`: curves without bins."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

import click
import numpy as np

from howsure import __version__
from howsure.calibration.corp import corp_of
from howsure.calibration.corp_results import CorpCurve, corp_table, interval_of, summary
from howsure.calibration.words import notes_by_name
from howsure.cli.calibration.output import left_out, named, rows_text
from howsure.cli.terminal.output import chosen, json_text, table_text
from howsure.errors import InputError
from howsure.inputs.pairs import Pairs
from howsure.show.numbers import number
from howsure.show.table import Table

OF_BINS = ("bin_size", "bins", "binning", "interval", "test", "adjust")


def check_options(method: str) -> None:
    """Raise InputError for an option of the other method."""
    context = click.get_current_context()
    wrong = OF_BINS if method == "corp" else ("simulations",)
    for option in context.command.params:
        default = click.core.ParameterSource.DEFAULT
        if option.name in wrong and context.get_parameter_source(option.name) is not default:
            other = "bins" if method == "corp" else "corp"
            why = "a curve without bins has none" if method == "corp" else "bins are not simulated"
            raise InputError(f"{option.opts[0]} belongs to --method {other}: {why}. Leave out one of the two.")


def judged_without_bins(
    named: Iterator[tuple[str | None, Pairs]], *, positive: str | None, only: Collection[str | None] | None = None,
    **arguments: Any,
) -> Iterator[CorpCurve]:  # fmt: skip
    """One curve per group, or one for all; `only` some groups."""
    for name, source in named:
        if only is None or name in only:
            curve = corp_of(source, name=name, **arguments)
            yield curve if positive is None else replace(curve, positive=str(positive))


def corp_text(curves: Sequence[CorpCurve], form: str, *, recipe: dict[str, Any], skipped: int) -> str:
    """The curves in one of the formats."""
    if form == "json":
        found = [curve.to_dict() for curve in curves]
        return json_text({"recipe": recipe, "curves": found, "skipped": skipped})
    table = _table(curves, recipe=recipe, skipped=skipped, exact=form == "csv")
    if form != "table":
        return table_text(table, form)
    read = rows_text(recipe, skipped)
    if len(curves) == 1 and curves[0].name is None and chosen() is None:
        return f"{read}\n\n{summary(curves[0])}\n\n{table_text(_steps_table(curves[0]))}"
    said = [f"low to high: {interval_of(curves)}", ""]
    said += [named(curve, curve.verdict()) for curve in curves]
    return "\n".join([read, "", table_text(table), *said, *_notes(curves), ""])


def write_corp_figure(curves: Sequence[CorpCurve], path: str, *, axis: str) -> None:
    """Draw the curves into a file."""
    from howsure.figures.calibration import corp_figure
    from howsure.figures.files import save_figure

    save_figure(corp_figure(curves, axis=axis), path)


def _table(curves: Sequence[CorpCurve], *, recipe: dict[str, Any], skipped: int, exact: bool) -> Table:
    """One row a curve; the comment holds the recipe and the notes."""
    read = f"howsure {__version__}, files {', '.join(recipe['files'])}, skipped {skipped}{left_out(recipe)}"
    shown = ("method", "n_simulations", "level", "seed", "weighted", "clustered")
    steps = ", ".join(f"{key} {curves[0].recipe[key]}" for key in shown)
    return replace(corp_table(curves, exact=exact), caption="\n".join([read, steps, *_notes(curves)]))


def _notes(curves: Sequence[CorpCurve]) -> list[str]:
    return notes_by_name((curve.name or "note", curve.notes) for curve in curves)


def _steps_table(curve: CorpCurve, *, most: int = 20) -> Table:
    """The steps of a curve; of many steps, some at regular places, and the header says so."""
    s = curve.steps
    shown = np.unique(np.linspace(0, len(s) - 1, min(len(s), most)).round().astype(int))
    rows = [
        [f"{i + 1}", f"{s.count[i]}", *(number(c[i]) for c in (s.lower, s.upper, s.frequency, s.low, s.high))]
        for i in shown
    ]
    first = "step" if len(shown) == len(s) else f"step of {len(s)}"
    return Table((first, "n", "from", "to", "observed", "low", "high"), rows)
