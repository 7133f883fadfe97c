"""Options that all checks share: the level, what they are compared with, and where verdicts go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import click

from howsure.check.decision import MOST_RUNS
from howsure.cli.terminal.destinations import Written
from howsure.cli.terminal.options import in_order, output_option, raw_option
from howsure.errors import InputError
from howsure.significance.trend import check_date

FORMATS = ("table", "json", "csv", "markdown")
Decorated = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Shared:
    """The options of all checks of a command: how sure verdicts must be, the baseline, and where verdicts go."""

    level: float
    alarms_over: int
    baseline: str | None
    write_baseline: str | None
    form: str
    output: str | None
    junit: str | None
    summary: str | None
    experiments: str | None
    date: str | None


NAMES = tuple(one.name for one in fields(Shared))


def split(given: dict[str, Any]) -> tuple[dict[str, Any], Shared]:
    """The options of one kind of check, and those that all share."""
    own = {name: value for name, value in given.items() if name not in NAMES}
    return own, Shared(**{name: given[name] for name in NAMES})


def as_level(context: click.Context, parameter: click.Parameter, value: float) -> float:
    """The level of one-sided tests."""
    if not 0.5 < value < 1.0:
        raise click.BadParameter(f"{value:g} does not lie strictly between 0.5 and 1; write 0.95 for 95 %")
    return value


def as_date(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """A day."""
    try:
        return None if value is None else check_date(value)
    except InputError as error:
        raise click.BadParameter(str(error)) from error


def shared_options(function: Decorated) -> Decorated:
    """The options of `Shared`."""
    options: list[Callable[[Decorated], Decorated]] = [
        click.option("--level", type=float, callback=as_level, default=0.95, show_default=True,
                     help="Level of the one-sided tests: a verdict errs with probability at most 1 - level."),
        click.option("--alarms-over", type=click.IntRange(1, MOST_RUNS), default=1, show_default=True, metavar="RUNS",
                     help="Keep the probability of any false fail at 1 - level over so many runs together."),
        click.option("--baseline", metavar="FILE.json",
                     help="Compare with what a former run wrote; --not-worse-than names the margin."),
        click.option("--write-baseline", type=Written(".json"), metavar="FILE.json",
                     help="Write the estimates to a file that a later run can be compared with."),
        click.option("--format", "form", type=click.Choice(FORMATS), default="table", show_default=True,
                     help="Format of the result."),
        output_option,
        raw_option,
        click.option("--junit", type=Written(".xml"), metavar="FILE.xml", help="Also write the verdicts as JUnit XML."),
        click.option("--summary", type=Written(".md", ".markdown", ".txt", "", appended=True), metavar="FILE",
                     help="Also append the verdicts to a file as Markdown, such as a job's summary on GitHub."),
        click.option("--experiments", type=Written(), metavar="FILE",
                     help="Also add the verdicts to the history in this file; see howsure check trend."),
        click.option("--date", callback=as_date, metavar="DATE", help="Their day, 2026-11-22 (default: today)."),
    ]  # fmt: skip
    return in_order(options)(function)


def name_option(kind: str) -> Callable[[Decorated], Decorated]:
    """`--name`."""
    return click.option("--name", default=kind, show_default=True, metavar="NAME",
                        help="Name of the check in files, baselines and the history.")  # fmt: skip


def against_options(what: str) -> Callable[[Decorated], Decorated]:
    """`--better-than`, `--not-worse-than` and `--against`, about a quantity."""
    options: list[Callable[[Decorated], Decorated]] = [
        click.option("--better-than", metavar="FILE|COL",
                     help=f"The {what} must be better than this model's: that of FILE, or of column COL."),
        margin_option(what),
        click.option("--against", metavar="FILE|COL", help="The other model, for --not-worse-than."),
    ]  # fmt: skip
    return in_order(options)


def margin_option(what: str) -> Callable[[Decorated], Decorated]:
    """`--not-worse-than`."""
    return click.option(
        "--not-worse-than", type=click.FloatRange(min=0.0), metavar="MARGIN",
        help=f"The {what} may be worse by less than this: than that of --against, or of the --baseline.",
    )  # fmt: skip
