"""What the commands of `howsure calibration` show of a result: text or a format, a figure, a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from howsure.cli.terminal.output import chosen, command_line, is_raw, json_text
from howsure.result import Result
from howsure.result import files_read as files_text

__all__ = ["files_text", "in_a_shell", "left_out", "shown_in", "write_pictures"]


def shown_in(form: str, result: Result, document: Mapping[str, Any] | None = None) -> str:
    """A result in one of the formats, of the columns that the user wants; `document`: its JSON, if not its own."""
    how: dict[str, Any] = {"columns": chosen(), "raw": is_raw()}
    if form == "json":
        return json_text(result.to_dict() if document is None else document)
    write = {"table": result.text, "csv": result.to_csv, "markdown": result.to_markdown, "latex": result.to_latex}
    text = write[form](**how).rstrip("\n")
    return f"{in_a_shell(text)}\n"


def in_a_shell(text: str) -> str:
    """What notes on rows of several files advise, as an option."""
    return text.replace("id='COL'", "--id COL")


def write_pictures(
    result: Any, *, figure: str | None, report: str | None, title: str | None = None, **how: Any
) -> None:
    """The figure and the report of a result, in the files that the user named."""
    if figure is not None:
        from howsure.figures.files import save_figure

        save_figure(result.figure(**how) if hasattr(result, "figure") else result.plot(**how).figure, figure)
    if report is not None:
        from howsure.figures.width import of_width
        from howsure.report.files import write_report
        from howsure.report.results import result_report

        with of_width(None):  # that of the figure in a file is not that of a page
            write_report(result_report(result, title=title, command=command_line()), report)


def left_out(recipe: Mapping[str, Any]) -> str:
    """The rows that do not satisfy the user's expression, and the expression."""
    return f", {recipe['left_out']:,} left out (not where {recipe['where']})" if "where" in recipe else ""
