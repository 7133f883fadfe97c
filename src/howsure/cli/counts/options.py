"""Options that the commands of `howsure counts` share."""

from __future__ import annotations

from typing import Any

import click

from howsure.cli.terminal.options import as_names, from_option, where_option
from howsure.events.periods import PERIODS

prob_option = click.option("--prob", required=True, metavar="COL", help="Column of the scores, from 0 to 1.")
cluster_option = click.option(
    "--cluster", metavar="COL", help="Column identifying units that are read together, e.g. the document."
)
seed_option = click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed.")


def cell_options(function: Any) -> Any:
    """`--by`, `--date`, `--date-format`, `--period`, `--where`, and `--from`, the format of the file."""
    by = click.option("--by", callback=as_names, metavar="COL,COL,…",
                      help="Columns that divide the units into cells, the period last.")  # fmt: skip
    date = click.option("--date", metavar="COL", help="Column of dates, whose periods divide the units after --by.")
    period = click.option("--period", type=click.Choice(PERIODS), help="Length of the periods of --date.")
    form = click.option("--date-format", metavar="FORMAT", help="Date format, such as %d/%m/%Y (default: ISO 8601).")
    return by(date(form(period(where_option(from_option(function))))))
