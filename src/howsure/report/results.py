"""A page for any result: its own report where there is one, or its words, table, figure and recipe."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from howsure.calibration.results import CalibrationCurve
from howsure.counts.results import CountEstimates
from howsure.figures.files import inline_svg
from howsure.report.counts import counts_report
from howsure.report.files import check_report, write_report
from howsure.report.page import calibration_report
from howsure.report.pages import page_template
from howsure.report.significance import significance_report
from howsure.result import Result, result_recipe, title_of
from howsure.show.recipe import recipe_rows
from howsure.significance.results import Comparison

MOST_ROWS = 500  # of a table on a page
NOTE = "note: "


def write_result(result: Result, path: str | os.PathLike[str], *, title: str | None = None) -> None:
    """Write the page of a result, whole or not at all.

    Raises InputError for a name that does not end in .html, or a folder that does not exist.
    """
    check_report(path)
    write_report(result_report(result, title=title), path)


def result_report(
    result: Result,
    *,
    title: str | None = None,
    read: Mapping[str, Any] | None = None,
    command: str | None = None,
) -> str:
    """Everything about a result as one HTML page that needs no network and runs no script.

    `read` says what was read, for the recipe, `command` what was typed.
    """
    match result:
        case CalibrationCurve():
            return calibration_report([result], title=title or "How far can these predictions be trusted?")
        case Comparison():
            return significance_report(result, title=title or "Is the model really better?")
        case CountEstimates():
            return counts_report(result, title=title or "How many, and how certain is that?")
    table = result.table()
    shown = replace(table.shortened(MOST_ROWS), caption="", notes=())
    return page_template("result.html").render(
        title=title or title_of(result),
        subtitle=None,
        said=_said(result),
        notes=[note.removeprefix(NOTE) for note in table.notes],
        table=Markup(shown.html()) if table.rows else None,
        picture=_picture(result),
        legend=[(name or "All", text) for name, text in table.legend.items() if name in ("", *table.headings)]
        if table.rows
        else [],
        recipe=recipe_rows({**(read or {}), **result_recipe(result)}),
        command=command,
    )


def _said(result: Any) -> list[str]:
    """The verdict on a result, or its lines where they are no table."""
    if hasattr(result, "verdict"):
        return str(result.verdict()).splitlines()
    lines = [line for line in str(result).splitlines() if line.strip() and not line.startswith(NOTE)]
    return [] if any(set(line) == {"─"} for line in lines) else lines


def _picture(result: Any) -> Markup | None:
    """The figure of what can be drawn."""
    draw = getattr(result, "figure", None)
    if draw is None and not hasattr(result, "plot"):
        return None
    figure = draw() if draw is not None else result.plot().figure
    prefix = "r" + hashlib.sha256(repr(result).encode()).hexdigest()[:8]
    return Markup(inline_svg(figure, prefix=prefix, description=title_of(result)))
