"""`howsure counts`: from a model's scores and a few hundred labels to counts with intervals that hold."""

from __future__ import annotations

import shlex
from typing import Any

import click
import numpy as np

from howsure.cli.terminal.commands import Group, Written
from howsure.cli.terminal.derived import choice, command_of, derived, finish, result_of, said_of
from howsure.cli.terminal.options import (
    Decorator,
    as_names,
    figure_option,
    output_option,
    output_options,
    report_option,
    role_option,
    seed_option,
    source_of,
)
from howsure.cli.terminal.output import emit, say, table_text
from howsure.counts import LabelSample, estimate_counts, labels_needed, sample_for_labels
from howsure.counts.columns import Columns
from howsure.counts.estimation import METHODS
from howsure.counts.further_labels import joined, recovered_sample
from howsure.counts.label_sample import DESIGNS
from howsure.counts.planning import DESIGNS as PLANNED
from howsure.counts.planning import worth_is_known
from howsure.counts.sheets import (
    CHANCE,
    CHECK,
    LABEL,
    ROW,
    STRATUM,
    Sheet,
    labels_of_sheet,
    read_sheet,
    sheet_table,
    two_values,
)
from howsure.data.sources import Files
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.periods import PERIODS
from howsure.regression.regress_predicted import regress_predicted
from howsure.result import rows_read


@click.group("counts", cls=Group)
def command() -> None:
    """How many units have a property, if a model's scores are known for all and labels for a few hundred?

    First draw the units to label (sample), label them in a spreadsheet, then estimate.
    """


# Options that the commands share.

OF_UNITS: dict[str, Decorator | None] = {
    "y_prob": role_option("y_prob", required=True, help="Column of the scores, from 0 to 1."),
    "groups": role_option(
        "groups", callback=as_names, metavar="COL,COL,…", help="Columns of groups, counted one by one, the period last."
    ),
    "period": choice(estimate_counts, "period", PERIODS),
    "rng": seed_option(to="rng"),
}


def sheet_of(file: str | None) -> Files | None:
    """The filled sheet as a source."""
    return None if file is None else source_of([file], {"input_format": None})


def plan(share: bool, output: str | None, **typed: Any) -> None:
    """Print how many labels are needed."""
    width, pos_label = typed["width"], typed["pos_label"]
    if not share and 0 < width < 1:
        raise InputError(f"--width must be at least 1 unit; it is {width:g}. If it is a share of the units: --share.")
    if share and width > 1:
        raise InputError(f"--width must be at most 1 with --share, all of the units; it is {width:g}.")
    if typed["labelled"] is not None and typed["y_true"] is not None:
        raise InputError("labels are either in --labelled FILE.csv or in --target COL, not in both.")
    columns = Columns.read(source_of(typed["files"], typed), y_prob=typed["y_prob"], y_true=typed["y_true"])
    score, labels = columns["y_prob"], columns["y_true"]
    with columns.rows.placed():
        if (sheet := sheet_of(typed["labelled"])) is not None:
            (labels,), _ = labels_of_sheet(sheet, score, place=columns.rows.place, pos_label=pos_label)
            pos_label = None
        found = {"y_true": labels, "pos_label": pos_label, "design": typed["design"], "level": typed["level"]}
        n = labels_needed(score, width=width * len(score) if share else width, **found)
        worth = worth_is_known(labels, len(score), pos_label)
    told = f"{width:g} of the units" if share else counted(round(width), "unit")
    said = f"{counted(n, 'label')} of {counted(len(score), 'unit')} for an interval about {told} wide"
    how = (
        "those at hand included, planned from what these show of the scores"
        if worth
        else "planned as if the scores were worth nothing and half of the units positive; with 20 labels or more at "
        "hand (--labelled, --target), perhaps fewer"
    )
    emit(f"{said}, {how}.\n", output)


command.add_command(
    command_of(
        "plan",
        labels_needed,
        plan,
        examples="""
howsure counts plan news.csv --prob score --width 200
howsure counts plan news.csv --prob score --width 0.1 --share --labelled to_label.csv
""",
        own=[
            click.option("--share", is_flag=True, help="The width is a share of the units, such as 0.05."),
            click.option(
                "--labelled", metavar="FILE.csv", help="Filled sheet of `howsure counts sample`, labels at hand."
            ),
            output_option,
        ],
        options=OF_UNITS | {"design": choice(labels_needed, "design", PLANNED)},
    )
)


def sample(n: int, show: list[str] | None, design: str, more: str | None, output: str | None, **typed: Any) -> None:
    """Write the sheet of units to label, and tell what to do with it."""
    taken = {ROW, STRATUM, CHANCE, CHECK, LABEL} & set(show or ())
    if taken:
        raise InputError(f"--show names {min(taken)!r}, which is the name of a column that is written; rename it.")
    asked = ("y_prob", "groups", "clusters", "date", "period", "date_format")
    columns = Columns.read(source_of(typed["files"], typed), show=show or (), **{role: typed[role] for role in asked})
    score, given = columns["y_prob"], {role: columns[role] for role in ("groups", "clusters")}
    with columns.rows.placed():
        if (before := sheet_of(more)) is None:
            earlier, drawn = None, sample_for_labels(score, n, design=design, rng=typed["rng"], **given)
        else:
            earlier = read_sheet(before, score, place=columns.rows.place, words=True, whole=True)
            drawn = _further(score, n, earlier, before.name, typed["rng"], given)
    held = columns.rows.at(drawn.indices.tolist())
    labels = {} if earlier is None else earlier.labels
    emit(table_text(sheet_table(drawn, score, {name: held[name] for name in show or ()}, labels=labels), "csv"), output)
    if output is not None:
        same = {
            "--prob": typed["y_prob"],
            "--labelled": output,
            "--group": typed["groups"] and ",".join(typed["groups"]),
            "--date": typed["date"],
            "--period": typed["period"],
            "--date-format": typed["date_format"],
            "--cluster": typed["clusters"],
            "--where": typed["where"],
            "--from": typed["input_format"],
        }
        told = [part for name, value in same.items() if value for part in (name, value)]
        say(
            f"{rows_read(columns.rows.read)}\n{len(drawn):,} of {len(drawn.codes):,} units to read\n"
            f"{drawn.table().shortened(rest=f'{output} holds the units themselves')}\n"
            f"Fill the column {LABEL} of {output} with 1 or 0, then: "
            f"{shlex.join(['howsure', 'counts', 'estimate', *typed['files'], *told])}"
        )


def _further(score: Any, number: int, earlier: Sheet, file: str, seed: int, given: dict[str, Any]) -> LabelSample:
    """The sample of a sheet and further units as one."""
    if all(name is None for name in earlier.strata.values()):
        raise InputError(f"--more: {file} was drawn by --design importance; further units can be drawn in strata only.")
    before = recovered_sample(score, earlier.strata, **given)
    told = [earlier.chances[unit] for unit in before.indices.tolist()]
    if not np.allclose(before.inclusion, told, rtol=1e-3):
        raise InputError(
            f"--more: {file} must hold all rows of its sample, with the inclusion probabilities that this gave; some "
            "are missing or changed. What was drawn and is not labelled cannot be drawn again."
        )
    labels = two_values(earlier.labels, file)
    further = sample_for_labels(score, number, batch=(before, labels), rng=seed, clusters=given["clusters"])
    return joined(before, further, clusters=given["clusters"])


command.add_command(
    command_of(
        "sample",
        sample_for_labels,
        sample,
        examples="""
howsure counts sample news.csv --prob score --labels 200 --show id,text --output to_label.csv
howsure counts sample news.csv --prob score --labels 100 --more to_label.csv --show id,text --output more.csv
""",
        own=[
            click.option("--show", callback=as_names, metavar="COL,COL,…", help="Columns to copy, such as id,text."),
            click.option(
                "--more",
                metavar="FILE.csv",
                help="Filled sheet of an earlier sample: draw further units, and write all into one sheet.",
            ),
            click.option(
                "--output", type=Written(".csv"), metavar="FILE.csv", help="Write to a file instead of standard output."
            ),
        ],
        options=OF_UNITS
        | {
            "n": click.option(
                "--labels",
                "n",
                type=click.IntRange(min=1),
                required=True,
                metavar="N",
                help="Number of units to label.",
            ),
            "bands": None,
            "batch": None,
            "design": choice(sample_for_labels, "design", DESIGNS),
        },
    )
)


def estimate(
    labelled: str | None, form: str, output: str | None, figure: str | None, report: str | None, **typed: Any
) -> None:
    """Print the counts."""
    found = result_of(estimate_counts, typed, y_true=typed["y_true"], labelled=sheet_of(labelled))
    finish(found, name="counts estimate", form=form, output=output, figure=figure, report=report)


command.add_command(
    command_of(
        "estimate",
        estimate_counts,
        estimate,
        examples="""
howsure counts estimate news.csv --prob score --labelled to_label.csv --date day --period month
howsure counts estimate posts.csv --prob score --target label --stratum stratum --group country
""",
        own=[output_options, figure_option("Draw the counts with their intervals"), report_option],
        options=OF_UNITS
        | {
            "y_true": role_option("y_true", help=said_of(estimate_counts)["y_true"]),
            "labelled": click.option("--labelled", metavar="FILE.csv", help=said_of(estimate_counts)["labelled"]),
            "features": click.option(
                "--features", callback=as_names, metavar="COL,COL,…", help=said_of(estimate_counts)["features"]
            ),
            "sample": None,
            "method": choice(estimate_counts, "method", METHODS),
        },
    )
)
OF_REGRESS = """
howsure counts regress posts.csv --prediction score --target label --covariates age,party
howsure counts regress posts.csv --prediction score --target label --treated reform --after late --fixed-effects city
"""
command.add_command(
    derived(
        "counts regress",
        regress_predicted,
        examples=OF_REGRESS,
        figure="Draw the coefficients, naive and corrected",
        report=True,
    ),
    "regress",
)
