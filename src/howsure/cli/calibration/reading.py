"""What commands that judge predictions read: the options that name the columns, and the predictions in the files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import click

from howsure.cli.terminal.commands import tell
from howsure.cli.terminal.options import (
    ONE_WAY,
    PROBABILITIES,
    across_files_option,
    by_file_option,
    from_option,
    in_order,
    where_option,
)
from howsure.errors import InputError

ONE_PER_ROW = ("prob", "verbalised")
LOG_SCALES = ("logits", "logprobs")


def reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that name the columns of a file."""
    options: list[Callable[[Callable[..., Any]], Callable[..., Any]]] = [
        click.option("--positive", metavar="VALUE", help="Label value treated as positive (default: 1)."),
        click.option("--cluster", metavar="COL",
                     help="Column identifying correlated rows, e.g. the document; several: a,b."),
        click.option("--weight", metavar="COL", help="Column of row weights."),
        click.option("--id", metavar="COL", help="Column identifying the item of each row; several: a,b."),
        where_option,
        by_file_option,
        across_files_option("--id or --cluster"),
        click.option("--skip-missing", is_flag=True, help="Leave out rows with missing values, and count them."),
        click.option("--missing", multiple=True, metavar="VALUE",
                     help="A value to treat as missing, such as 'unparseable' (see --skip-missing). Repeatable."),
        from_option,
        click.option("--normalise", metavar="HOW",
                     help="Divide log-likelihoods of choices in a log by their characters, bytes or tokens."),
    ]  # fmt: skip
    return in_order(options)(function)


def as_called(read: Mapping[str, Any]) -> dict[str, Any]:
    """What was read, the column of true labels named as its option is: `target`."""
    return {"target" if name == "label" else name: held for name, held in read.items()}


def opened(files: Sequence[str], *, missing: Sequence[str], input_format: str | None, **reading: Any) -> Any:
    """The predictions in files, checked."""
    from howsure.data import open_predictions

    given = [role for role in PROBABILITIES if reading.get(role)]
    if len(given) > 1:
        raise InputError(ONE_WAY)
    for option in ("reduce", "classes"):
        if reading.get(option) is not None and given and given[0] in ONE_PER_ROW:
            raise InputError(f"--{option} is for several classes; with --{given[0]}, there is one probability per row.")
    if given and given[0] not in (*ONE_PER_ROW, *LOG_SCALES) and reading.get("reduce") is None:
        reading["reduce"] = "top-label"
    predictions = open_predictions(files, missing_values=missing, format=input_format, **reading)
    tell(predictions.said)
    return predictions


def sources(
    predictions: Any, *, in_memory: bool = False, advance: Callable[[int], None] = lambda rows: None
) -> Iterator[tuple[str | None, Any]]:
    """The pairs of each group by its name, or all pairs; of very many, their sums. Clusters need the pairs themselves.

    `advance` is told how many rows were read.
    """
    from howsure.calibration.table import by_group

    if in_memory or predictions.columns.get("cluster"):
        pairs = predictions.pairs()
        advance(len(pairs))
        yield from by_group(pairs) if predictions.group_names else [(None, pairs)]
    else:
        for name in predictions.group_names or (None,):
            yield name, predictions.source(name, advance=advance)
