"""Sums in the place of predictions: added up by a Dask cluster, or saved by `howsure calibration summary`."""

from __future__ import annotations

import glob
import logging
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import click

from howsure.cli.calibration.reading import opened
from howsure.cli.terminal.options import in_order
from howsure.data.tables.named_files import each_once
from howsure.errors import InputError

if TYPE_CHECKING:
    from howsure.calibration.summary.slots import Slots

DASK = "dask"
ENGINES = ("duckdb", DASK)
SAVED = "saved summaries"
COLUMNS = ("label", "prob", "group", "weight")  # that the workers of a cluster read
Decorated = Callable[..., Any]


def engine_options(function: Decorated) -> Decorated:
    """`--engine` and `--scheduler`."""
    options: list[Callable[[Decorated], Decorated]] = [
        click.option("--engine", type=click.Choice(ENGINES), default=ENGINES[0], show_default=True,
                     help="What reads the files: DuckDB here, or a Dask cluster all of whose workers see the Parquet "
                     "files, such as 's3://bucket/*.parquet'."),
        click.option("--scheduler", metavar="ADDRESS", help="Address of the scheduler of --engine dask."),
    ]  # fmt: skip
    return in_order(options)(function)


@dataclass(frozen=True)
class SummedPredictions:
    """What a command asks of predictions, of pairs that come as sums; without groups, under the name ""."""

    sums: dict[str, Slots]
    files: list[str]
    columns: dict[str, Any]
    notes: dict[str, Any]
    skipped: dict[str, int] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """The number of pairs."""
        return sum(len(slots) + slots.weightless for slots in self.sums.values())

    @property
    def group_names(self) -> tuple[str, ...]:
        """The names of the groups; () if there are none."""
        return () if list(self.sums) == [""] else tuple(self.sums)

    def source(self, group: str | None = None, *, advance: Callable[[int], None]) -> Slots:
        """The sums of a group, or of all pairs."""
        slots = self.sums[group or ""]
        advance(len(slots))
        return slots

    def pairs(self) -> NoReturn:
        """Raise InputError: there are none."""
        raise InputError(
            "--test, --interval bootstrap and, with weights, --method corp need the pairs themselves; these are sums. "
            "Leave them out."
        )

    def describe(self) -> dict[str, Any]:
        """What was read, for the recipe of a result."""
        return {"files": self.files, "rows": self.n, "skipped": self.skipped, **self.columns, **self.notes}


@contextmanager
def predictions_or_sums(
    files: Sequence[str], *, engine: str = ENGINES[0], scheduler: str | None = None, of_rows: Collection[str] = (),
    **reading: Any,
) -> Iterator[Any]:  # fmt: skip
    """The predictions in files, checked; or their sums, from a cluster or from saved summaries.

    of_rows: parameters of the command, besides those of reading, that no sums can follow.
    """
    if saved := saved_summaries(files):
        why = "is for files of predictions; saved summaries hold sums"
        refuse_options({*reading, *of_rows, "engine", "scheduler"}, why)
        yield of_saved(saved)
    elif engine == DASK:
        yield _by_dask(files, scheduler, reading)
    elif scheduler is not None:
        raise InputError("--scheduler is that of --engine dask. Name the engine too, or leave the scheduler out.")
    else:
        with opened(files, **reading) as predictions:
            yield predictions


def saved_summaries(files: Sequence[str]) -> list[str]:
    """The saved summaries that paths and globs name; [] if they name none.

    Raises InputError if they name anything else beside summaries, or a summary twice.
    """
    paths = [path for file in files for path in ([file] if os.path.exists(file) else glob.glob(file, recursive=True))]
    first = next(filter(is_summary, paths), None)
    if first is None:
        return []
    named = each_once(files)
    for file in named:
        if not is_summary(file):
            raise InputError(
                f"{file} is not a saved summary, and {first} is. Summarise it first: howsure calibration summary FILE "
                "--out FILE."
            )
    return named


def is_summary(path: str) -> bool:
    """Whether a file begins as saved summaries do."""
    from howsure.calibration.summary.saved import WORDS

    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(len(WORDS)) == WORDS


def of_saved(files: Sequence[str]) -> SummedPredictions:
    """What saved summaries hold together, by group. Raises InputError where they do not go together."""
    from howsure.calibration.summary.saved import read
    from howsure.calibration.summary.slots import Slots
    from howsure.inputs.naming import natural_order

    sums: dict[str, Slots] = {}
    for file in files:
        found = read(file)
        for name, slots in zip(found.names if found.names is not None else [""], found.parts, strict=True):
            sums[name] = sums.get(name, Slots.none()) + slots
    if "" in sums and len(sums) > 1:
        raise InputError("some of the summaries have groups and others have none. Summarise all with --group, or none.")
    if not any(len(slots) for slots in sums.values()):
        raise InputError("the summaries are empty: no pairs were added to them.")
    sums = {name: sums[name] for name in sorted(sums, key=natural_order)}
    return SummedPredictions(sums, list(files), {}, {"engine": SAVED})


def _by_dask(files: Sequence[str], scheduler: str | None, reading: dict[str, Any]) -> SummedPredictions:
    if scheduler is None:
        raise InputError("--engine dask needs the address of a scheduler: --scheduler tcp://host:8786.")
    why = "does not go with --engine dask, whose workers read --target, --prob, --group and --weight"
    refuse_options({*reading} - {*COLUMNS, "positive"}, why)
    for role, option in (("label", "--target"), ("prob", "--prob")):
        if reading[role] is None:
            raise InputError(f"--engine dask reads a label and one probability per row; name its column: {option} COL.")
    from howsure.calibration.engines.dask_files import sums_by_dask

    positive = reading["positive"]
    logging.disable(logging.CRITICAL)  # Dask's remarks on a lost scheduler; what went wrong is told in one sentence
    try:
        sums = sums_by_dask(
            list(files), scheduler=scheduler, y_true=reading["label"], y_prob=reading["prob"], groups=reading["group"],
            sample_weight=reading["weight"], pos_label=int(positive) if positive in ("0", "1") else positive,
        )  # fmt: skip
    finally:
        logging.disable(logging.NOTSET)
    columns = {role: reading[role] for role in COLUMNS if reading[role] is not None}
    return SummedPredictions(
        sums, list(files), columns, {"engine": DASK} | ({"positive": positive} if positive else {})
    )


def refuse_options(names: set[str], why: str) -> None:
    """Raise InputError for an option that was given and cannot be followed."""
    context = click.get_current_context()
    for option in context.command.params:
        given = context.get_parameter_source(str(option.name)) is not click.core.ParameterSource.DEFAULT
        if option.name in names and given:
            raise InputError(f"{option.opts[0]} {why}. Leave it out.")
