"""What commands that judge predictions read: the options that name the columns, and the predictions in the files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
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
from howsure.cli.terminal.progress import progress
from howsure.cli.terminal.vocabulary import WORDS
from howsure.data.sources import ENGINES, Files
from howsure.data.sources import read as files_of
from howsure.errors import InputError
from howsure.inputs.given import UNNAMED, Given


def reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options that name the columns of a file, beside those of labels and probabilities; then those of a source."""
    options: list[Callable[[Callable[..., Any]], Callable[..., Any]]] = [
        click.option(word.option, word.option[2:], metavar=word.metavar, help=word.told)
        for word in (WORDS[name] for name in ("pos_label", "clusters", "sample_weight", "id"))
    ]
    return in_order([*options, source_options])(function)


def source_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a source: which rows of which files are meant, and how they are read."""
    options: list[Callable[[Callable[..., Any]], Callable[..., Any]]] = [
        where_option,
        by_file_option,
        across_files_option("--id or --cluster"),
        click.option("--skip-missing", is_flag=True, help="Leave out rows with missing values, and count them."),
        click.option(
            "--missing",
            multiple=True,
            metavar="VALUE",
            help="A value to treat as missing, such as 'unparseable' (see --skip-missing). Repeatable.",
        ),
        from_option,
        click.option(
            "--normalise",
            metavar="HOW",
            help="Divide log-likelihoods of choices in a log by their characters, bytes or tokens.",
        ),
    ]
    return in_order(options)(function)


def engine_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--engine` and `--scheduler`."""
    options: list[Callable[[Callable[..., Any]], Callable[..., Any]]] = [
        click.option("--engine", type=click.Choice(ENGINES), default=ENGINES[0], show_default=True,
                     help="What reads the files: DuckDB here, or a Dask cluster all of whose workers see the Parquet "
                     "files, such as 's3://bucket/*.parquet'."),
        click.option("--scheduler", metavar="ADDRESS", help="Address of the scheduler of --engine dask."),
    ]  # fmt: skip
    return in_order(options)(function)


OF_SOURCE = ("where", "by_file", "across_files", "skip_missing", "normalise", "engine", "scheduler")
ROLES = {"label": "y_true", "group": "groups", "cluster": "clusters", "weight": "sample_weight"}
ROLES |= {"positive": "pos_label", "id": "id"}


def as_called(read: Mapping[str, Any]) -> dict[str, Any]:
    """What was read, the column of true labels named as its option is: `target`."""
    return {"target" if name == "label" else name: held for name, held in read.items()}


def source_of(files: Sequence[str], options: Mapping[str, Any]) -> Files:
    """The source that the options of a command name; it tells what it took files for, and shows its progress."""
    how = {name: options[name] for name in OF_SOURCE if name in options}
    source = files_of(files, missing_values=options["missing"], format=options["input_format"], **how)
    return replace(source, tell=tell, bar=lambda pairs: progress("pairs", total=pairs))


def source_and_roles(files: Sequence[str], options: Mapping[str, Any]) -> tuple[Files, dict[str, Any]]:
    """The source that the options of a command name, and the columns by their roles.

    Raises InputError if the probabilities are named in several ways.
    """
    roles = {role: options[name] for name, role in ROLES.items() if name in options}
    return source_of(files, options), roles | {"y_prob": given(options)}


def given(options: Mapping[str, Any]) -> Given | None:
    """How the options of a command give probabilities; None where a log names them."""
    ways = [way for way in PROBABILITIES if options.get(way)]
    if len(ways) > 1:
        raise InputError(ONE_WAY)
    asked = {name: options[name] for name in ("reduce", "classes") if options.get(name) is not None}
    if not ways:
        return Given(UNNAMED, None, **asked) if asked else None
    return Given(ways[0], options[ways[0]], **asked)


def opened(files: Sequence[str], **options: Any) -> AbstractContextManager[Any]:
    """The predictions that the options of a command name, checked; those that say nothing of reading go with them."""
    source, roles = source_and_roles(files, options)
    known = {*OF_SOURCE, *ROLES, *PROBABILITIES, "missing", "input_format", "reduce", "classes"}
    return source.predictions(**roles, **{name: value for name, value in options.items() if name not in known})


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
