"""What the commands of `howsure calibration` print of a result: its text, whose advice is told in options."""

from __future__ import annotations

from howsure.cli.terminal.output import result_text
from howsure.result import Result


def shown_in(form: str, result: Result) -> str:
    """A result in one of the formats, of the columns that the user wants."""
    text = result_text(result, form)
    return text if form == "json" else f"{in_a_shell(text.rstrip())}\n"


def in_a_shell(text: str) -> str:
    """What notes on rows of several files advise, as an option."""
    return text.replace("id='COL'", "--id COL")
