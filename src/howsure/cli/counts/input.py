"""What `howsure counts` reads, and the options that its commands share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np

from howsure.cli.terminal.commands import tell
from howsure.cli.terminal.options import as_names, from_option, where_option
from howsure.data.sources import read as files_of
from howsure.errors import InputError
from howsure.events.corpus import check_date_format
from howsure.events.periods import PERIODS, period_of
from howsure.inputs.checks import NOT_MISSING, Coded
from howsure.inputs.frames import Kind
from howsure.inputs.naming import shortened

# Options that the commands of `howsure counts` share.

prob_option = click.option("--prob", required=True, metavar="COL", help="Column of the scores, from 0 to 1.")
cluster_option = click.option(
    "--cluster", metavar="COL", help="Column identifying units that are read together, e.g. the document."
)
seed_option = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")


def cell_options(function: Any) -> Any:
    """`--group`, `--date`, `--date-format`, `--period`, `--where`, and `--from`, the format of the file."""
    by = click.option(
        "--group",
        "groups",
        callback=as_names,
        metavar="COL,COL,…",
        help="Columns of groups, counted one by one, the period last.",
    )
    date = click.option("--date", metavar="COL", help="Column of dates, whose periods divide the units after --group.")
    period = click.option("--period", type=click.Choice(PERIODS), help="Length of the periods of --date.")
    form = click.option("--date-format", metavar="FORMAT", help="Date format, such as %d/%m/%Y (default: ISO 8601).")
    return by(date(form(period(where_option(from_option(function))))))


# What `howsure counts` reads: scores, groups and features of all units, and the labels of those that were read.

ROW, STRATUM, CHANCE, CHECK, LABEL = "row", "stratum", "inclusion", "check", "label"


@dataclass(frozen=True, slots=True)
class Population:
    """Columns of all units by what they are for, what was read, where the i-th unit (from 0) stands, and `at`."""

    columns: dict[str, Any]
    recipe: dict[str, Any]
    place: Callable[[int], str]
    at: Callable[[Sequence[int]], dict[str, list[Any]]]


def read_population(
    file: str,
    prob: str,
    *,
    groups: Sequence[str] = (),
    date: str | None = None,
    period: str | None = None,
    date_format: str | None = None,
    features: Sequence[str] = (),
    cluster: str | None = None,
    label: str | None = None,
    stratum: str | None = None,
    inclusion: str | None = None,
    shown: Sequence[str] = (),
    where: str | None = None,
    format: str | None = None,
) -> Population:
    """The columns that the options name, of the rows that satisfy `where`.

    Label and chance may be missing in a row, the stratum where chances are known.

    With a date, its periods are the last of the groups.
    """
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
    marks = [name for name in (label, stratum, inclusion) if name is not None]
    named = [*dict.fromkeys(texts), *dict.fromkeys(numbers), *marks]
    if len(set(named)) < len(named):
        raise InputError(f"a column has one meaning; some of these are named for two: {shortened(named)}.")
    partial = [name for name in (label, inclusion, stratum if inclusion else None) if name is not None]
    coded = [*groups, *([stratum] if stratum and not inclusion else [])]
    kinds = (
        dict.fromkeys(shown, Kind.LATER)
        | ({cluster: Kind.VALUES} if cluster else {})
        | dict.fromkeys(coded, Kind.NAMES)
    )
    kinds |= (
        ({date: Kind.DAYS} if date else {}) | dict.fromkeys(numbers, Kind.NUMBER) | dict.fromkeys(partial, Kind.PARTIAL)
    )
    source = files_of(file, where=where, format=format)
    try:
        found = replace(source, tell=tell).rows(kinds)
    except InputError as error:
        if error.fault is None or error.fault.rule != NOT_MISSING:
            raise
        raise InputError(replace(error.fault, advice="Give each unit a value, or remove it.")) from error
    held = dict(found.columns)
    if date is not None:
        held[date] = _periods(held[date], str(period), date, found.place, date_format)
    columns = {
        "prob": held[prob],
        "groups": {str(period) if name == date else name: held[name] for name in cells} or None,
        "features": {name: held[name] for name in features} or None,
        "clusters": held[cluster] if cluster else None,
        "labels": held[label] if label else None,
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
