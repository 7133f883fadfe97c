"""`howsure monitor`: is a deployed model still calibrated and, if not, since when?"""

from __future__ import annotations

import datetime
import inspect
import math
import os
from collections.abc import Iterable
from typing import Any

import click

from howsure.errors import InputError
from howsure.monitoring.calibration_monitor import CalibrationMonitor
from howsure.monitoring.results import GroupStatus, MonitorStatus
from howsure.monitoring.settings import read_rows
from howsure.show.table import in_a_line
from howsure_cli.terminal.commands import Group, OutputFile
from howsure_cli.terminal.derived import option, parameter_help
from howsure_cli.terminal.options import (
    as_names,
    build_source,
    column_roles,
    figure_option,
    in_order,
    output_option,
    output_options,
    probability_options,
    reading_options,
    report_option,
    role_option,
)
from howsure_cli.terminal.output import emit, emit_result, in_options, result_text, write_pictures

CODES = "Exit codes: 0 no alarm, 1 alarm, 3 no data yet, 2 wrong input."
state_argument = click.argument("state", metavar="STATE.json")
settings_options = in_order(
    [
        option(name, inspect.signature(CalibrationMonitor).parameters[name], help_text)
        for name, help_text in parameter_help(CalibrationMonitor).items()
    ]
)


@click.group(cls=Group, context_settings={"max_content_width": 110})
def command() -> None:
    """Is a model still calibrated? A stream of predictions with late labels, watched without false alarms."""


@command.command("update", short_help="Add the predictions and labels of completed days.")
@click.argument("state", metavar="STATE.json", type=OutputFile())
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option("--date", "dates", required=True, metavar="COL")
@click.option("--date-format", metavar="FORMAT")
@role_option("y_true")
@probability_options()
@click.option("--reduce", metavar="HOW")
@click.option("--classes", callback=as_names, metavar="NAME,NAME,…")
@role_option("groups")
@reading_options
@click.option("--database", metavar="FILE.duckdb", help="Read a table of this DuckDB database instead of files.")
@click.option("--table", metavar="NAME", help="The table, or view, of the --database.")
@click.option("--until", metavar="DATE")
@settings_options
def update_command(
    state: str, files: tuple[str, ...], dates: str, database: str | None, until: str | None, **typed: Any
) -> None:
    """Add the completed periods in FILE... that were not added before to the state of the monitor, STATE.json.

    Give the whole log, or its rows since any earlier day; periods that were added before are skipped. STATE.json is
    created if it does not exist, and replaced atomically. If two updates run at once, one waits for the other. The
    period and the four options after it are set when STATE.json is created.

    \b
    howsure monitor update state.json log.jsonl --date time --target right --prob confidence
    howsure monitor update state.json 'logs/*.parquet' --date day --target gold --probs-column probs --wait 7
    howsure monitor update state.json --database app.duckdb --table answers --date day --target right --prob p
    """
    from howsure.files.atomic_write import locked

    if typed.pop("sample_weight") is not None:
        raise InputError("--weight is not supported, because a monitor counts rows. Leave --weight out.")
    settings = {name: typed.pop(name) for name in parameter_help(CalibrationMonitor)}
    CalibrationMonitor(**settings)  # raises an error for a wrong setting before the log is read
    source = build_source(_named_input(files, database, typed["table"]), typed)
    # before the state is locked: standard input may take its time
    rows = read_rows(dates, **column_roles(typed), date_format=typed["date_format"], data=source)
    with locked(state):
        if os.path.exists(state):
            monitor = read_state(state)
            _check_unchanged(monitor.settings.to_dict(), settings, state)
        else:
            monitor = CalibrationMonitor(**settings)
        update = in_options(monitor.take(rows, until=until))
        monitor.save(state)
    emit(f"{state}: {update!r}\n\n{monitor.status().text()}\n", None)


def _named_input(files: tuple[str, ...], database: str | None, table: str | None) -> tuple[str, ...]:
    """Return the files, or the database, that the user named."""
    if database is None and table is None:
        if not files:
            raise InputError("no input is named. Name a file, a glob in quotes, - for standard input, or a --database.")
        return files
    if database is None or table is None or files:
        raise InputError("--database FILE.duckdb and --table NAME must be given together, without other files.")
    return (database,)


def read_state(path: str) -> CalibrationMonitor:
    """Load the monitor in a file. Raises InputError if the file does not exist or is not the state of a monitor."""
    if not os.path.exists(path):
        raise InputError(f"the file {path} does not exist. howsure monitor update {path} FILE... creates it.")
    return CalibrationMonitor.load(path)


def _check_unchanged(saved_settings: dict[str, Any], new_settings: dict[str, Any], state: str) -> None:
    """Raise InputError for a setting that was passed again with another value."""
    context = click.get_current_context()
    for name, value in new_settings.items():
        typed = context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT
        if typed and saved_settings[name] != value:
            raise InputError(
                f"--{name} is {value}, but it was {saved_settings[name]} when {state} was created. Leave --{name} out, "
                "or create another state."
            )


@command.command("status", epilog=CODES, short_help="Alarms, errors and evidence of each group, with an exit code.")
@state_argument
@output_options
def status_command(state: str, form: str, output: str | None) -> None:
    """Is the model still calibrated, and if not, since when? Look as often as you like.

    \b
    howsure monitor status state.json
    """
    status = read_state(state).status()
    emit_result(status, form, output)
    if status.exit_code:
        click.get_current_context().exit(status.exit_code)


@command.command("series", short_help="Each period of a group: its error with a band, and the evidence after it.")
@state_argument
@click.option("--group", metavar="NAME")
@output_options
@figure_option()
@report_option
def series_command(
    state: str, group: str | None, form: str, output: str | None, figure: str | None, report: str | None
) -> None:
    """The error of each period, and the evidence against calibration after it.

    \b
    howsure monitor series state.json --figure series.svg
    howsure monitor series state.json --group de --report de.html
    """
    series = read_state(state).series(group)
    text = result_text(series, form)
    write_pictures(series, figure=figure, report=report)
    emit(text, output)


@command.command("metrics", short_help="The same for Prometheus.")
@state_argument
@output_option
def metrics_command(state: str, output: str | None) -> None:
    """Print gauges in the text format of Prometheus.

    \b
    howsure monitor metrics state.json --output /var/lib/node_exporter/howsure.prom
    """
    emit(metrics_text(read_state(state).status()), output)


# The state of a monitor in the text format that Prometheus reads (version 0.0.4).

Sample = tuple[str | None, float]  # the group, and its value


def metrics_text(status: MonitorStatus) -> str:
    """Return all gauges as text, each with a sample per group; unknown values are left out."""
    rows = list(status)
    lines = [
        *_gauge("calibration_error", "Calibration error over all periods.", _row_samples(rows, "error", "value")),
        *_gauge("calibration_error_low", "Lower end of its band.", _row_samples(rows, "error", "low")),
        *_gauge("calibration_error_high", "Upper end of its band.", _row_samples(rows, "error", "high")),
        *_gauge(
            "calibration_error_latest", "Calibration error of the last period.", _row_samples(rows, "latest", "value")
        ),
        *_gauge("calibration_e_value", "Evidence against calibration.", [(row.name, row.e_value) for row in rows]),
        *_gauge("calibration_e_threshold", "Evidence of an alarm.", [(row.name, row.threshold) for row in rows]),
        *_gauge("calibration_alarm", "1 after an alarm, else 0.", [(r.name, float(r.alarm is not None)) for r in rows]),
        *_gauge("monitor_rows", "Rows with labels in the periods used.", [(row.name, float(row.n)) for row in rows]),
        *_gauge(
            "monitor_unlabelled_rows", "Rows without labels in the periods used.", [(None, float(status.unlabelled))]
        ),
    ]
    if status.last is not None:
        last = datetime.datetime.fromisoformat(status.last).replace(tzinfo=datetime.UTC)
        lines += _gauge(
            "monitor_last_period_timestamp_seconds", "Start of the last period used, UTC.", [(None, last.timestamp())]
        )
    return "\n".join(lines) + "\n"


def _row_samples(rows: Iterable[GroupStatus], name: str, end: str) -> list[Sample]:
    return [(row.name, math.nan if (number := getattr(getattr(row, name), end)) is None else number) for row in rows]


def _gauge(name: str, help_text: str, samples: Iterable[Sample]) -> list[str]:
    full = f"howsure_{name}"
    defined_samples = [(group, value) for group, value in samples if not math.isnan(value)]
    sample_lines = [f"{full}{_labels(group)} {value!r}" for group, value in defined_samples]
    return [f"# HELP {full} {help_text}", f"# TYPE {full} gauge", *sample_lines] if sample_lines else []


def _labels(group: str | None) -> str:
    """The label of a group: no line ends, backslashes and quotes escaped."""
    if group is None:
        return ""
    escaped = in_a_line(group).replace("\\", "\\\\").replace('"', '\\"')
    return f'{{group="{escaped}"}}'
