"""Verdicts as Markdown, for the summary of a job."""

from __future__ import annotations

from howsure.check.results import Check
from howsure.cli.terminal.output import is_raw
from howsure.show.harmless import in_a_line
from howsure.show.table import markdown_escaped


def summary_markdown(check: Check) -> str:
    """A heading with the outcome, the table, and a sentence per verdict; nothing in it is HTML or a link."""
    said = [f"- {markdown_escaped(in_a_line(line))}" for line in check.lines()]
    table = check.table().markdown(raw=is_raw())
    return "\n".join([f"### howsure check: {check.outcome}", "", table, "", *said, "", ""])
