"""`howsure counts`: from a model's scores and a few hundred labels to counts with intervals that hold."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np

from howsure.cli.terminal.commands import Group, Written, rows_as_in_files, tell
from howsure.cli.terminal.derived import derived
from howsure.cli.terminal.options import (
    as_names,
    choice_option,
    figure_option,
    from_option,
    in_order,
    level_option,
    output_option,
    output_options,
    report_option,
    role_option,
    seed_option,
    where_option,
)
from howsure.cli.terminal.output import emit, result_text, say, table_text, write_pictures
from howsure.counts import LabelSample, estimate_counts, labels_needed, sample_for_labels
from howsure.counts.estimation import METHODS
from howsure.counts.further_labels import joined, recovered_sample
from howsure.counts.label_sample import DESIGNS
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
from howsure.data.sources import read as files_of
from howsure.errors import InputError
from howsure.events.corpus import check_date_format
from howsure.events.periods import PERIODS, period_of
from howsure.inputs.checks import NOT_MISSING, Coded
from howsure.inputs.frames import Kind
from howsure.inputs.numbers_and_names import counted, shortened
from howsure.regression.regress_predicted import regress_predicted
from howsure.result import rows_read


@click.group("counts", cls=Group)
def command() -> None:
    """How many units have a property, if a model's scores are known for all and labels for a few hundred?

    First draw the units to label (sample), label them in a spreadsheet, then estimate.
    """


# Options that the commands share.

prob_option = role_option("y_prob", required=True, help="Column of the scores, from 0 to 1.")
cluster_option = role_option("clusters", help="Column identifying units that are read together, e.g. the document.")
positive_option = role_option("pos_label")
cell_options = in_order(
    [
        role_option(
            "groups",
            callback=as_names,
            metavar="COL,COL,…",
            help="Columns of groups, counted one by one, the period last.",
        ),
        click.option("--date", metavar="COL", help="Column of dates, whose periods divide the units after --group."),
        click.option("--date-format", metavar="FORMAT", help="Date format, such as %d/%m/%Y (default: ISO 8601)."),
        click.option("--period", type=click.Choice(PERIODS), help="Length of the periods of --date."),
        where_option,
        from_option,
    ]
)


READINGS = ("second", "settled")

# What the commands read: scores, groups and features of all units, and the labels of those that were read.


@dataclass(frozen=True, slots=True)
class Population:
    """Columns of all units by what they are for, what was read, where the i-th unit (from 0) stands, and `at`."""

    columns: dict[str, Any]
    recipe: dict[str, Any]
    place: Callable[[int], str]
    at: Callable[[Sequence[int]], dict[str, list[Any]]]


def read_population(
    file: str, typed: Mapping[str, Any], *, label: str | None = None, shown: Sequence[str] = ()
) -> Population:
    """The columns that the options name, of the rows that satisfy `--where`.

    Label and chance may be missing in a row, the stratum where chances are known. With a date, its periods are the last
    of the groups.
    """
    prob, groups, features = typed["y_prob"], typed.get("groups") or (), typed.get("features") or ()
    names = ("date", "period", "date_format", "clusters", "strata", "inclusion")
    date, period, date_format, cluster, stratum, inclusion = map(typed.get, names)
    if (date is None) != (period is None):
        raise InputError(
            "--date COL and --period week, month, quarter or year belong together; one of them is missing."
        )
    if date_format is not None:
        if date is None:
            raise InputError("--date-format says how --date is written; name its column too: --date COL.")
        check_date_format(date_format)
    cells = [*groups, *([date] if date else [])]
    texts = [*cells, *([cluster] if cluster else [])]
    numbers = [prob, *features]
    readings = {role: typed.get(role) for role in READINGS}
    marks = [name for name in (label, *readings.values(), stratum, inclusion) if name is not None]
    named = [*dict.fromkeys(texts), *dict.fromkeys(numbers), *marks]
    if len(set(named)) < len(named):
        raise InputError(f"a column has one meaning; some of these are named for two: {shortened(named)}.")
    partial = [
        name for name in (label, *readings.values(), inclusion, stratum if inclusion else None) if name is not None
    ]
    coded = [*groups, *([stratum] if stratum and not inclusion else [])]
    kinds = (
        dict.fromkeys(shown, Kind.LATER)
        | ({cluster: Kind.VALUES} if cluster else {})
        | dict.fromkeys(coded, Kind.NAMES)
    )
    kinds |= (
        ({date: Kind.DAYS} if date else {}) | dict.fromkeys(numbers, Kind.NUMBER) | dict.fromkeys(partial, Kind.PARTIAL)
    )
    source = source_of(file, where=typed.get("where"), format=typed.get("input_format"))
    try:
        found = source.rows(kinds)
    except InputError as error:
        if error.fault is None or error.fault.rule != NOT_MISSING:
            raise
        raise InputError(replace(error.fault, advice="Give each unit a value, or remove it.")) from error
    held = dict(found.columns)
    if date is not None:
        held[date] = _periods(held[date], str(period), date, found.place, date_format)
    columns = {
        "y_prob": held[prob],
        "groups": {str(period) if name == date else name: held[name] for name in cells} or None,
        "features": {name: held[name] for name in features} or None,
        "clusters": held[cluster] if cluster else None,
        "y_true": held[label] if label else None,
        **{role: held[name] if name else None for role, name in readings.items()},
        "strata": held[stratum] if stratum else None,
        "inclusion": held[inclusion] if inclusion else None,
    }
    return Population(columns, found.read, found.place, found.at)


def _periods(dates: Any, period: str, name: str, place: Callable[[int], str], written: str | None) -> Coded:
    """The period of each date: each different date is read once."""
    if not isinstance(dates, Coded):
        texts, codes = np.unique(dates.astype(str), return_inverse=True)
        dates = Coded(codes, tuple(texts.tolist()))
    labels = []
    for code, (date, day) in enumerate(zip(dates.names, _iso(dates.names, written), strict=True)):
        try:
            labels.append(period_of(day, period=period))
        except InputError:
            row = int(np.flatnonzero(dates.codes == code)[0])
            advice = "If they are written in another way, name it: --date-format %d.%m.%Y." if written is None else ""
            like = "such as 2003-03-20" if written is None else f"written as {written}"
            raise InputError(f"{name} must hold dates {like}; {place(row)} holds {date!r}. {advice}".rstrip()) from None
    known = sorted(set(labels))
    places = {label: place for place, label in enumerate(known)}
    return Coded(np.array([places[label] for label in labels], dtype=np.int32)[dates.codes], tuple(known))


def _iso(dates: Sequence[str], written: str | None) -> Sequence[str]:
    """Dates written in a format as ISO 8601, and "" for what is none; as they are without a format."""
    if written is None:
        return dates
    import duckdb

    with duckdb.connect() as database:
        asked = "SELECT coalesce(CAST(CAST(try_strptime(trim(unnest($1)), $2) AS DATE) AS VARCHAR), '')"
        return [day for (day,) in database.execute(asked, [list(dates), written]).fetchall()]


def source_of(file: str, **how: Any) -> Files:
    """A file, which tells what it is taken for."""
    return replace(files_of(file, **how), tell=tell)


@command.command("plan")
@click.argument("file", metavar="FILE")
@prob_option
@click.option("--width", type=float, required=True, metavar="W", help="Width of the total's interval, in units.")
@click.option("--share", is_flag=True, help="W is a share of the units, such as 0.05.")
@choice_option("--design", of=["stratified", "simple"], help="Sampling method.")
@click.option("--labelled", metavar="FILE.csv", help="File written by `howsure counts sample`, with some labels.")
@role_option("y_true", help="Alternatively, the column of some labels in FILE.")
@positive_option
@level_option
@output_option
def plan_command(
    file: str,
    width: float,
    share: bool,
    labelled: str | None,
    y_true: str | None,
    pos_label: str | None,
    output: str | None,
    design: str,
    level: float,
    **typed: Any,
) -> None:
    """How many labels does an interval of this width need?

    With some labels at hand the plan counts on what the scores are worth; without, on the labels alone.

    FILE: CSV, TSV, JSON lines, Parquet or .npz."""
    if labelled is not None and y_true is not None:
        raise InputError("labels are either in --labelled FILE.csv or in --target COL, not in both.")
    if not share and 0 < width < 1:
        raise InputError(f"--width must be at least 1 unit; it is {width:g}. If it is a share of the units: --share.")
    population = read_population(file, typed, label=y_true)
    score, labels = population.columns["y_prob"], population.columns["y_true"]
    if labelled is not None:
        (labels,), _ = labels_of_sheet(source_of(labelled), score, place=population.place, pos_label=pos_label)
        pos_label = None
    with rows_as_in_files(population.place):
        wide = width * len(score) if share else width
        n = labels_needed(score, width=wide, y_true=labels, pos_label=pos_label, design=design, level=level)
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


@command.command("sample")
@click.argument("file", metavar="FILE")
@prob_option
@click.option("--labels", "n", type=click.IntRange(min=1), required=True, metavar="N", help="Number of units to label.")
@cell_options
@cluster_option
@click.option("--show", callback=as_names, metavar="COL,COL,…", help="Columns to copy, such as an id and the text.")
@choice_option("--design", of=DESIGNS, help="Sampling method.")
@click.option(
    "--more",
    metavar="FILE.csv",
    help="Filled sheet of an earlier sample: draw N further units, and write all into one sheet.",
)
@seed_option(to="rng")
@click.option("--output", type=Written(".csv"), metavar="FILE.csv", help="Write to a file instead of standard output.")
def sample_command(
    file: str, n: int, show: list[str] | None, design: str, more: str | None, rng: int, output: str | None, **typed: Any
) -> None:
    """Draw the units to label, into a CSV.

    Units whose score is low are drawn too, since what a model misses lies there. Fill the column `label` of the CSV
    with 1 or 0. FILE: CSV, TSV, JSON lines, Parquet or .npz.
    """
    taken = {ROW, STRATUM, CHANCE, CHECK, LABEL} & set(show or ())
    if taken:
        raise InputError(f"--show names {min(taken)!r}, which is the name of a column that is written; rename it.")
    population = read_population(file, typed, shown=show or ())
    score = population.columns["y_prob"]
    given = {name: population.columns[name] for name in ("groups", "clusters")}
    earlier = None
    if more is not None:
        earlier = read_sheet(source_of(more), score, place=population.place, words=True, whole=True)
    with rows_as_in_files(population.place):
        if earlier is None:
            sample = sample_for_labels(score, n, design=design, rng=rng, **given)
        else:
            sample = _further(score, n, earlier, str(more), rng, given)
    held = population.at(sample.indices.tolist())
    labels = {} if earlier is None else earlier.labels
    sheet = sheet_table(sample, score, {name: held[name] for name in show or ()}, labels=labels)
    emit(table_text(sheet, "csv"), output)
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
        table = sample.table().shortened(rest=f"{output} holds the units themselves")
        say(
            f"{rows_read(population.recipe)}\n{len(sample):,} of {len(sample.codes):,} units to read\n{table}\n"
            f"Fill the column {LABEL} of {output} with 1 or 0, then: "
            f"{shlex.join(['howsure', 'counts', 'estimate', file, *told])}"
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


@command.command("estimate")
@click.argument("file", metavar="FILE")
@prob_option
@click.option("--labelled", metavar="FILE.csv", help="File written by `howsure counts sample`, with labels filled in.")
@role_option("y_true", help="Alternatively, the column of labels in FILE: 1, 0, or empty if not read.")
@positive_option
@role_option("strata", help="Column of the strata within which --target was drawn at random.")
@click.option("--inclusion", metavar="COL", help="Column of the inclusion probabilities of --target.")
@role_option("second", help="Column of a second reader's labels, in the file of the labels; empty if read once.")
@role_option("settled", help="Column of the labels that settle what both read differently.")
@click.option("--flips", type=click.Choice(["alike"]), help="Assume that readers misread both labels as often.")
@cell_options
@click.option(
    "--features", callback=as_names, metavar="COL,COL,…", help="Numeric columns that may help predict the labels."
)
@cluster_option
@choice_option("--method", of=METHODS, help="Method of estimation for groups and totals.")
@click.option("--share", is_flag=True, help="Show estimates and intervals as shares of the units.")
@level_option
@seed_option(to="rng")
@output_options
@figure_option("Draw the counts with their intervals")
@report_option
def estimate_command(
    file: str,
    labelled: str | None,
    y_true: str | None,
    pos_label: str | None,
    form: str,
    output: str | None,
    figure: str | None,
    report: str | None,
    **typed: Any,
) -> None:
    """Estimate counts per group and in all, with intervals.

    FILE: CSV, TSV, JSON lines, Parquet or .npz, with one row per unit.
    """
    if (labelled is None) == (y_true is None):
        raise InputError("say where the labels are: either --labelled FILE.csv or --target COL.")
    if labelled is not None and (typed["strata"] or typed["inclusion"]):
        raise InputError("--stratum and --inclusion belong to --target; a file of --labelled has its own.")
    further = {} if labelled is None else {role: typed[role] for role in READINGS if typed[role] is not None}
    population = read_population(file, typed | dict.fromkeys(further), label=y_true)
    asked = population.columns | {name: typed[name] for name in ("flips", "method", "level", "share", "rng")}
    if labelled is not None:
        sheet, place = source_of(labelled), population.place
        columns = tuple(further.values())
        labels, asked["sample"] = labels_of_sheet(
            sheet, asked["y_prob"], place=place, pos_label=pos_label, others=columns
        )
        asked |= dict(zip(("y_true", *further), labels, strict=True))
    with rows_as_in_files(population.place):
        counts = estimate_counts(**asked, pos_label=pos_label if labelled is None else None)
    counts = replace(counts, recipe={**counts.recipe, **population.recipe})
    text = result_text(counts, form)  # which may refuse a column, before anything is written
    write_pictures(counts, figure=figure, report=report)
    emit(text, output)


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
