"""`howsure counts`: counts with valid intervals from a model's scores and a few hundred labels."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Callable
from typing import Any

import click

from howsure.counts import correct_annotation_errors, draw_label_sample, estimate_counts, plan_label_sample
from howsure.counts.draw_label_sample import DESIGNS
from howsure.counts.estimation import METHODS, count_units
from howsure.counts.label_sample import CHANCE, LABEL, ROW, LabelSample
from howsure.counts.planning import DESIGNS as PLANNED
from howsure.data.sources import Files
from howsure.data.tables.named_files import separator_of
from howsure.files.input_files import own_encoding
from howsure.inputs.periods import PERIODS
from howsure.regression.regress_predicted import regress_predicted
from howsure.show.table import csv_line
from howsure_cli.terminal.commands import Group, OutputFile, check_labels_kept
from howsure_cli.terminal.derived import build_command, call_function, choice, derived, parameter_help
from howsure_cli.terminal.options import Decorator, as_names, build_source, role_option, seed_option
from howsure_cli.terminal.output import SHEET_ENCODING, emit, option_name, say


@click.group("counts", cls=Group)
def command() -> None:
    """How many units have a property, if a model's scores are known for all and labels for a few hundred?

    First draw the units to label (sample), label them in a spreadsheet, then estimate.
    """


# Options that the commands share.

UNIT_OPTIONS: dict[str, Decorator | None] = {
    "y_prob": role_option("y_prob", required=True),
    "groups": role_option("groups", callback=as_names, metavar="COL,COL,…"),
    "period": choice(estimate_counts, "period", PERIODS),
    "rng": seed_option(to="rng"),
}


def as_sheet(context: click.Context, parameter: click.Parameter, file: str | None) -> Files | None:
    """A filled sheet as a source, in the encoding in which a spreadsheet saved it: `--encoding` is of the input."""
    if file is None:
        return None
    options = {"input_format": None, "encoding": own_encoding(file), "missing": context.params.get("missing", ())}
    return build_source([file], options)


def sheet_option(function: Callable[..., object], parameter: str = "labelled") -> Decorator:
    """The option of a parameter that takes a filled sheet."""
    return click.option(
        option_name(parameter),
        parameter,
        callback=as_sheet,
        metavar="FILE.csv",
        help=parameter_help(function)[parameter],
    )


PLAN_EXAMPLES = """
howsure counts plan news.csv --prob score --width 200
howsure counts plan news.csv --prob score --width 0.1 --share --labelled to_label.csv
"""
command.add_command(
    derived(
        "counts plan",
        plan_label_sample,
        examples=PLAN_EXAMPLES,
        options=UNIT_OPTIONS
        | {"labelled": sheet_option(plan_label_sample), "design": choice(plan_label_sample, "design", PLANNED)},
    ),
    "plan",
)


def _as_source(drawn: LabelSample, path: str, encoding: str | None) -> str:
    """The sheet, with the separator and the decimal comma of the file that it was drawn from."""
    heads, *rows = csv.reader(io.StringIO(drawn.to_csv()))
    if "decimal_comma" in drawn.recipe:
        at = heads.index(CHANCE)
        rows = [[*row[:at], row[at].replace(".", ","), *row[at + 1 :]] for row in rows]
    separator = separator_of(path, encoding=encoding)
    return "\n".join(csv_line(row, separator=separator) for row in (heads, *rows))


USED_ROWS_NOTE = f"Its column {ROW} counts only the rows that are used (--where, --skip-missing)."
NO_TEXTS_NOTE = "The sheet shows nothing to judge a row by; name the columns to show, such as --show text."
CARRIED_OPTIONS = ("y_prob", "labelled", "groups", "date", "period", "date_format", "clusters", "where", "format")


def sample(output: str | None, **typed: Any) -> None:
    """Write the sheet of units to label, and print what to do with it."""
    drawn = call_function(draw_label_sample, typed)
    sheet = _as_source(drawn, typed["files"][0], typed["encoding"])
    check_labels_kept(output, sheet, column=LABEL)
    emit(f"{sheet}\n", output, encoding=SHEET_ENCODING)
    if output is not None:
        same = typed | {"labelled": output, "format": typed["input_format"]}
        options = [(option_name(role), same[role]) for role in CARRIED_OPTIONS if same[role]]
        words = [
            part
            for option, value in options
            for part in (option, ",".join(value) if isinstance(value, list) else value)
        ]
        left_out = typed["where"] is not None or any(drawn.recipe.get("skipped", {}).values())
        command_line = shlex.join(["howsure", "counts", "estimate", *typed["files"], *words])
        command_line += f" --encoding {shlex.quote(typed['encoding'])}" if typed["encoding"] else ""
        command_line += " --skip-missing" if typed["skip_missing"] else ""
        lines = [drawn.text(), *([USED_ROWS_NOTE] if left_out else []), *([] if typed["show"] else [NO_TEXTS_NOTE])]
        say("\n".join([*lines, f"Fill the column {LABEL} of {output} with 1 or 0, then: {command_line}"]))


command.add_command(
    build_command(
        "sample",
        draw_label_sample,
        sample,
        examples="""
howsure counts sample news.csv --prob score --labels 200 --show id,text --output to_label.csv
howsure counts sample news.csv --prob score --labels 100 --more to_label.csv --show id,text --output more.csv
""",
        more_options=[click.option("--output", type=OutputFile(".csv"), metavar="FILE.csv")],
        options=UNIT_OPTIONS
        | {
            "n": click.option("--labels", "n", type=click.IntRange(min=1), required=True, metavar="N"),
            "bands": None,
            "batch": None,
            "design": choice(draw_label_sample, "design", DESIGNS),
            "more": sheet_option(draw_label_sample, "more"),
        },
    )
)
ESTIMATE_EXAMPLES = """
howsure counts estimate news.csv --prob score --labelled to_label.csv --date day --period month
howsure counts estimate posts.csv --prob score --target label --stratum stratum --group country
"""
command.add_command(
    derived(
        "counts estimate",
        count_units,
        documented_by=(estimate_counts, correct_annotation_errors),
        examples=ESTIMATE_EXAMPLES,
        figure=True,
        report=True,
        options=UNIT_OPTIONS
        | {
            "y_true": role_option("y_true"),
            "labelled": sheet_option(count_units),
            "features": click.option("--features", callback=as_names, metavar="COL,COL,…"),
            "sample": None,
            "method": choice(estimate_counts, "method", METHODS),
        },
    ),
    "estimate",
)
REGRESS_EXAMPLES = """
howsure counts regress posts.csv --prediction score --target label --covariates age,party
howsure counts regress posts.csv --prediction score --target label --treated reform --after late --fixed-effects city
"""
command.add_command(
    derived("counts regress", regress_predicted, examples=REGRESS_EXAMPLES, figure=True, report=True), "regress"
)
