"""Verdicts as JUnit XML, which systems of continuous integration show as tests."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

from howsure.check.results import CANNOT_TELL, FAIL, Check, Verdict
from howsure.show.harmless import in_a_line


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
