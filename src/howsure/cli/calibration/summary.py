"""`howsure calibration summary`: sums that stand for predictions, in a small file, to be added to others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from howsure.calibration.curves import pooling_notes
from howsure.cli.terminal.commands import Command, Written
from howsure.cli.terminal.options import as_names, engine_options, opened, probability_options, reading_options, sources
from howsure.cli.terminal.output import emit, progress
from howsure.errors import InputError
from howsure.inputs.naming import counted
from howsure.inputs.pairs import Pairs
from howsure.result import rows_read


@click.command("summary", cls=Command, context_settings={"max_content_width": 110})
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--output", type=Written(), required=True, metavar="FILE.summary", help="Where the summary is written.")
@probability_options("Column of the predicted probability.")
@click.option(
    "--reduce", metavar="HOW", help="With classes: top-label (default), class-wise, or the name of one class."
)
@click.option("--classes", callback=as_names, metavar="NAME,NAME,…", help="Class names, in order.")
@click.option("--group", metavar="COL", help="Column of groups, a summary each; several: a,b.")
@click.option("--target", "label", metavar="COL", help="Column of the true label.")
@reading_options
@engine_options
def command(files: tuple[str, ...], output: str, **reading: Any) -> None:
    """Sums that stand for the predictions in FILE..., in a file of at most two megabytes per group, without rows.

    FILE...: predictions, as for `howsure calibration`, or summaries, which are added up. `howsure calibration` reads
    summaries as it reads predictions: of yesterday and today, of two machines, of two hospitals that show no rows. Bins
    are made of whole cells of the probability scale, so narrow that their predictions count as equal.

    \b
    howsure calibration summary monday.parquet --target y --prob score --group country --output monday.summary
    howsure calibration summary monday.summary tuesday.summary --output week.summary
    howsure calibration week.summary
    """
    from howsure.calibration.saved_summaries import Saved, write
    from howsure.calibration.slots import slots_of

    if reading["cluster"] is not None or reading["id"] is not None:
        raise InputError("--cluster and --id need the rows themselves; a summary has none. Leave them out.")
    with opened(files, **reading) as predictions:
        cluster = predictions.columns.get("cluster")
        if cluster is not None:  # of a log, which knows it by itself
            raise InputError(f"rows of one {cluster} are correlated, which sums do not hold: howsure calibration FILE.")
        positive, parts = predictions.notes.get("positive"), []
        with progress("pairs", total=predictions.n) as advance:
            for _, source in sources(predictions, advance=advance):
                slots = slots_of(source) if isinstance(source, Pairs) else source
                parts.append(slots if positive is None else replace(slots, positive=str(positive)))
        names = list(predictions.group_names)
        recipe = predictions.describe()
    write(Saved(parts, names or None), output)
    of_groups = f" in {counted(len(names), 'group')}" if names else ""
    pairs = counted(sum(map(len, parts)), "pair")
    told = f"{output}: the sums of {pairs}{of_groups}\nnext: howsure calibration {output}\n"
    notes = [f"note: {note}" for note in pooling_notes(recipe)]
    emit("\n".join([rows_read(recipe), *notes, told]), None)
