"""Options that all checks share, the other model, and the checks of a configuration file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import click

from howsure.check.baseline import Baseline, Entry, baseline_dict, baseline_from
from howsure.check.decision import MOST_RUNS
from howsure.cli.terminal.commands import Written
from howsure.cli.terminal.options import in_order, output_option, raw_option
from howsure.cli.terminal.output import json_text
from howsure.data.sources import Files
from howsure.errors import InputError
from howsure.files.opened import identity
from howsure.files.text import read_text
from howsure.files.utf8 import parsed_json
from howsure.files.whole import write_whole
from howsure.significance.trend import check_date

# Which file and columns the other model of a check has.


def other_files(named: str, files: Sequence[str]) -> Sequence[str] | None:
    """The file that names the other model; None if the name is a column's of the same files.

    Raises InputError if it is the file that is checked.
    """
    if not (os.path.exists(named) or Path(named).suffix or any(mark in named for mark in "*?/")):
        return None
    if [identity(named) or named] == [identity(path) or path for path in files]:
        raise InputError(f"{named} is what is checked; a model is compared with another one.")
    return [named]


def other_model(named: str | None, source: Files) -> Files | str | None:
    """The other model as a source with the same columns, or as a column of the same files."""
    place = None if named is None else other_files(named, source.paths)
    return named if place is None else replace(source, paths=tuple(place))


# Options that all checks share: the level, what they are compared with, and where verdicts go.

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


# Baselines as files: read whole and checked, written whole or not at all.


def read_baseline(path: str | None) -> Baseline | None:
    """The baseline in a file; None where none is named.

    Raises InputError if it is none, or damaged.
    """
    if path is None:
        return None
    text = read_text(path)
    try:
        held = parsed_json(text.content)
    except ValueError as error:
        raise InputError(f"{path} is no baseline: {error}.") from error
    return baseline_from(held, name=path)


def write_baseline(entries: Iterable[Entry], path: str) -> None:
    """Write what a later run may compare with."""
    write_whole(json_text(baseline_dict(entries)).encode(), path)
