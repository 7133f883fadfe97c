"""What is asked of a table with one row per model, item and run; and what logs of programs name by themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import click

from howsure.cli.terminal.options import in_order
from howsure.data.logs.conversion import Log
from howsure.data.predictions.selection import SEPARATE
from howsure.data.tables.columns import FILE
from howsure.errors import InputError
from howsure.inputs.naming import shortened

Decorated = Callable[..., Any]
ITEM, TASK, RUN, MODEL = "item", "task", "run", "model"  # columns of logs


@dataclass(frozen=True, slots=True)
class Asked:
    """What the options say; columns by their names. `targets` is a file of what is true."""

    model: str | None
    id: str | None
    run: str | None
    target: str | None
    targets: str | None
    prediction: str | None
    score: tuple[str, ...]
    pos_label: str | None
    clusters: str | None
    strata: str | None
    baseline: str | None
    models: tuple[str, ...]
    all_pairs: bool
    lower_is_better: bool
    skip_missing: bool
    input_format: str | None
    across_files: str
    where: str | None
    by_file: bool

    @property
    def is_long(self) -> bool:
        """Whether the table has one row per model and item: the model's column is named, or what only such tables
        have."""
        return self.model is not None or self.prediction is not None or bool(self.score)

    def check(self, has_files: bool) -> None:
        """Raise InputError for options that belong to another kind of table."""
        if self.is_long:
            if not has_files:
                raise InputError("--by, --prediction and --score name columns: name a FILE that holds them.")
            if self.targets is not None and (self.target is None or self.prediction is None):
                raise InputError("--targets holds what is true: name its column, --target, and the --prediction's.")
            return
        for option, value in {"--positive": self.pos_label, "--all-pairs": self.all_pairs or None}.items():
            if value is not None:
                raise InputError(
                    f"{option} is for tables with one row per model and item; name the model's column: --by."
                )

    def to_read(self) -> Asked:
        """The same, with the files' names where these may be the models, and as parts of keys that are separate in
        each file.

        Raises InputError where items cannot be separate.
        """
        if self.across_files == SEPARATE:
            if self.model is None or self.id is None:
                raise InputError("--across-files separate: name the model's column, --by, and the item's, --id.")
            clusters = None if self.clusters is None else f"{FILE},{self.clusters}"
            return replace(self, id=f"{FILE},{self.id}", clusters=clusters, across_files="error", by_file=True)
        return self if self.model is not None else replace(self, by_file=True)

    def of_log(self, log: Log) -> dict[str, str]:
        """The columns of a log for what was not named: its models, items and epochs.

        Raises InputError if it lacks a score that is asked for, or holds the same answers scored in several ways.
        """
        for name in self.score:
            if name not in log.held and name in _plain(name):
                raise InputError(f"no score {name!r} in this log of {log.format.program}; it has {_scores(log)}.")
        by = (self.model or MODEL).split(",")
        models = [MODEL] if log.varies(MODEL) else []
        log.check_ways(by, advice=f"compare them, model='{','.join([*models, RUN])}'")
        if by == [RUN] and models:
            several = shortened(map(repr, log.values[MODEL]))
            raise InputError(
                f"this log of {log.format.program} holds the answers of several models ({several}). Choose one, "
                f"{log.choice_of(MODEL)}, or compare them too, model='{MODEL},{RUN}'."
            )
        found = {}
        if self.model is None and MODEL in log.held:
            found["model"] = MODEL
        if self.id is None and ITEM in log.held:
            found["id"] = f"{TASK},{ITEM}" if log.varies(TASK) else ITEM
        if self.run is None and RUN not in log.format.group and log.varies(RUN):
            found["run"] = RUN
        return found

    def found(self, by_log: Mapping[str, str], files: int) -> Asked:
        """The same, with the columns that a log names, else the file for the model.

        Raises InputError where nothing names the model or the item.
        """
        model = self.model or by_log.get("model") or (FILE if files > 1 else None)
        key = self.id or by_log.get("id")
        if model is None:
            raise InputError("--by must name the model's column; or give a FILE for each model.")
        if key is None:
            raise InputError("--id must name the column that identifies the item of each row.")
        return replace(self, model=model, id=key, run=self.run or by_log.get("run"))


def _plain(name: str) -> tuple[str, ...]:
    """The name, if it is no path into a column."""
    return () if "." in name or "[" in name else (name,)


def _scores(log: Log) -> str:
    return shortened(log.scores) if log.scores else "no score"


def long_form_options(function: Decorated) -> Decorated:
    """The options of a table with one row per model and item."""
    options: list[Callable[[Decorated], Decorated]] = [
        click.option("--by", "model", metavar="COL",
                     help="Column of the model, in tables with one row per model, item (--id) and run "
                     "(default: the file, with several)."),
        click.option("--prediction", metavar="COL", help="Column of the predictions, in such tables."),
        click.option("--score", "score", multiple=True, metavar="COL",
                     help="Column of a score that each row already has (exact match, a grade); repeatable."),
        click.option("--positive", "pos_label", metavar="VALUE",
                     help="The value of --score that counts as 1; every other counts as 0."),
        click.option("--lower-is-better", is_flag=True, help="Lower values of --score are better."),
        click.option("--all-pairs", is_flag=True, help="Show every pair of models, not only those with the best."),
    ]  # fmt: skip
    return in_order(options)(function)
