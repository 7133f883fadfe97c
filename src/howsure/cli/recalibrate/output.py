"""What `howsure recalibrate evaluate` shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from howsure.cli.calibration.output import files_text, left_out
from howsure.cli.terminal.output import chosen, command_line, json_text, table_text
from howsure.figures.width import of_width
from howsure.files.whole import write_whole
from howsure.inputs.naming import counted
from howsure.recalibration.evaluation.results import RecalibrationEvaluation, RecalibrationTable
from howsure.show.numbers import all_digits
from howsure.show.recipe import recipe_text
from howsure.show.table import Table

ENDS = ("", " low", " high")


def evaluations_json(found: RecalibrationTable, recipe: dict[str, Any]) -> str:
    """The documented schema: recipe, evaluations, skipped."""
    skipped = sum(recipe["skipped"].values())
    return json_text(found.to_dict() | {"recipe": recipe | found.recipe, "skipped": skipped})


def evaluations_text(found: RecalibrationTable, recipe: dict[str, Any], form: str) -> str:
    """One evaluation: its verdict, table and notes. Several: a row each. `form`: the format."""
    alone = _alone(found)
    if form == "csv":
        return table_text(_exact(found), form)
    if form != "table":
        table = found.table() if alone is None else alone.table()
        told = [recipe_text(found.recipe), _read(recipe), *table.notes]
        return table_text(replace(table, caption="\n".join(told), notes=()), form)
    if alone is not None and chosen() is None:
        return f"{_read(recipe)}\n\n{alone!r}\n"
    table = found.table()
    return "\n".join([_read(recipe), "", table_text(table), *table.notes, ""])


def write_figure(found: RecalibrationTable, path: str, *, axis: str) -> None:
    """Draw the curves of one evaluation, or the improvements of several, into a file."""
    from howsure.figures.compared_curves import improvements_figure, recalibration_figure
    from howsure.figures.files import save_figure

    alone = _alone(found)
    save_figure(improvements_figure(found) if alone is None else recalibration_figure(alone, axis=axis), path)


def write_page(found: RecalibrationTable, path: str, *, recipe: dict[str, Any]) -> None:
    """Write the report into a file."""
    from howsure.report.results import result_report

    title = f"Does recalibration help? {files_text(recipe)}"
    with of_width(None):  # that of the figure in a file is not that of a page
        page = result_report(_alone(found) or found, title=title, read=recipe, command=command_line())
    write_whole(page.encode(), path)


def _alone(found: RecalibrationTable) -> RecalibrationEvaluation | None:
    """The evaluation, where there is just one, of all rows."""
    return found.rows[0] if len(found) == 1 and found.rows[0].name is None else None


def _read(recipe: dict[str, Any]) -> str:
    skipped = {column: count for column, count in recipe["skipped"].items() if count}
    said = f"{files_text(recipe)}: {counted(recipe['rows'], 'row')}"
    if skipped:
        missing = ", ".join(f"{column}: {count:,}" for column, count in skipped.items())
        said += f", {sum(skipped.values()):,} skipped ({missing})"
    return said + left_out(recipe)


def _exact(found: RecalibrationTable) -> Table:
    """One row an evaluation, with all digits, each end of an interval in its own column, empty if unknown."""
    rows = []
    for row, p in zip(found.rows, found.p_adjusted, strict=True):
        held = {"group": row.name or "all", "method": row.method, "n": str(row.n)}
        for name, one in (("error before", row.error_before), ("error after", row.error_after)):
            held |= dict(
                zip([name + end for end in ENDS], map(all_digits, (one.value, one.low, one.high)), strict=True)
            )
        for name, change in row.changes().items():
            words, gain = name.replace("_", " "), change.improvement
            ends = [f"{words} improvement{end}" for end in ENDS]
            held |= {f"{words} before": all_digits(change.before), f"{words} after": all_digits(change.after)}
            held |= dict(zip(ends, map(all_digits, (gain.value, gain.low, gain.high)), strict=True))
        held |= {"p": all_digits(row.p_value), "p adjusted": all_digits(p), "verdict": row.kind}
        rows.append(held | {"rows needed": "" if row.needed is None else str(row.needed)})
    return Table(list(rows[0]), [list(row.values()) for row in rows], words=("group", "method", "verdict"))
