"""What `howsure check` shows and writes."""

from __future__ import annotations

import datetime
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.sax.saxutils import quoteattr

from howsure import __version__
from howsure.check.decision import Found
from howsure.check.decision import checked as verdicts_on
from howsure.check.results import CANNOT_TELL, FAIL, Check, Verdict
from howsure.cli.check.options import Shared, write_baseline
from howsure.cli.terminal.output import emit, emit_result, is_raw
from howsure.files.whole import alone, write_whole
from howsure.show.harmless import in_a_line
from howsure.show.table import markdown_escaped
from howsure.significance.experiments import Experiments

# Verdicts as JUnit XML, which systems of continuous integration show as tests.


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


def checked(found: Sequence[Found], shared: Shared) -> Check:
    """The verdicts on all evidence of a command, adjusted together."""
    check = verdicts_on(found, level=shared.level, alarms_over=shared.alarms_over)
    recipe = {
        "command": "howsure check", "howsure": __version__, "level": shared.level, "alarms_over": shared.alarms_over,
        "baseline": shared.baseline,
        "checks": [each.recipe for each in found],
    }  # fmt: skip
    return replace(check, recipe=recipe)


def show(check: Check, found: Sequence[Found], shared: Shared) -> None:
    """Print the verdicts, and write the files that the user named."""
    store = None if shared.experiments is None else Experiments(shared.experiments)
    if shared.write_baseline is not None:
        write_baseline((entry for each in found for entry in each.entries), shared.write_baseline)
    if shared.junit is not None:
        write_whole(junit_xml(check).encode(), shared.junit)
    if shared.summary is not None:
        _append(summary_markdown(check), shared.summary)
    if store is not None:
        store.add_points(check.points(shared.date or datetime.date.today()))
    if shared.form == "markdown":
        emit(summary_markdown(check), shared.output)
    else:
        emit_result(check, shared.form, shared.output)


def _append(text: str, path: str) -> None:
    """Write behind what a file holds: several steps of a job share their summary."""
    with alone(path):
        before = Path(path).read_bytes() if os.path.isfile(path) else b""
        write_whole(before + text.encode(), path)
