"""The verdicts of `howsure check` for systems of continuous integration: JUnit XML, and a summary in Markdown."""

from __future__ import annotations

import os
from pathlib import Path
from xml.sax.saxutils import quoteattr

from howsure.check.verdicts import CANNOT_TELL, FAIL, Check, Verdict
from howsure.cli.terminal.output import is_raw
from howsure.files.whole import alone, write_whole
from howsure.show.table import in_a_line, markdown_escaped


def junit_xml(check: Check) -> str:
    """A suite with a test per verdict: `fail` is a failure, `cannot tell` a skipped test with its reason."""
    outcomes = [one.outcome for one in check]
    counts = (
        f'tests="{len(outcomes)}" failures="{outcomes.count(FAIL)}" errors="0" skipped="{outcomes.count(CANNOT_TELL)}"'
    )
    cases = "".join(map(_case, check))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<testsuites {counts}>\n<testsuite name="howsure check" {counts}>\n{cases}</testsuite>\n</testsuites>\n'
    )


def _case(one: Verdict) -> str:
    name = one.rule if one.group is None else f"{one.rule} [{one.group}]"
    head = f"<testcase classname={_quoted(f'howsure.check.{one.check}')} name={_quoted(name)}"
    if one.outcome == FAIL:
        return f"{head}><failure message={_quoted(one.sentence)}/></testcase>\n"
    if one.outcome == CANNOT_TELL:
        return f"{head}><skipped message={_quoted(one.sentence)}/></testcase>\n"
    return f"{head}><system-out>{_quoted(one.sentence)[1:-1]}</system-out></testcase>\n"


def _quoted(text: str) -> str:
    return quoteattr(in_a_line(text))


def summary_markdown(check: Check) -> str:
    """A heading with the outcome, the table, and a sentence per verdict; nothing in it is HTML or a link."""
    said = [f"- {markdown_escaped(in_a_line(line))}" for line in check.below()]
    table = check.table().markdown(raw=is_raw())
    return "\n".join([f"### howsure check: {check.outcome}", "", table, "", *said, "", ""])


def append_summary(check: Check, path: str) -> None:
    """Write the summary behind what a file holds: several steps of a job share it."""
    with alone(path):
        before = Path(path).read_bytes() if os.path.isfile(path) else b""
        write_whole(before + summary_markdown(check).encode(), path)
