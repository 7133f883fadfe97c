"""The experiments store: predictions collected while experiments run, in a file that a crash cannot damage.

Every record is one line of a journal (`files/atomic_write.py`), appended under a lock and flushed to disk before `add`
returns.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from howsure import __version__
from howsure.errors import InputError
from howsure.files.atomic_write import append, appending, checksummed_line, line_number, read_records
from howsure.files.input_files import is_version
from howsure.inputs.arguments import Randomness, check_row_order
from howsure.inputs.checks import as_column
from howsure.inputs.numbers_and_names import shortened, unknown_name
from howsure.inputs.parameter_types import ArrayLike
from howsure.significance.checked_systems import check_predictions
from howsure.significance.comparison import compare
from howsure.significance.metrics.metric import Metric
from howsure.significance.results import Comparison
from howsure.significance.systems import Runs
from howsure.significance.trend import Trend, TrendPoint, build_trend, check_point

TARGETS, RUN, POINT = "targets", "run", "point"
SCHEMA = 1  # version of the records; files of later versions are refused
STORE = "a store of experiments"


@dataclass(frozen=True, slots=True)
class Run:
    """The predictions of one run of a condition, in the order of the targets."""

    condition: str
    name: str
    predictions: tuple[Any, ...]
    epochs: int | None


class Experiments:
    """A file that stores predictions of several conditions (a baseline, models) and runs on one test set, and the
    results of checks with their dates.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "nli.experiments")
    >>> store = Experiments(path)
    >>> store.add("base", "seed 1", ["e", "n", "c"], y_true=["e", "n", "n"], id=["a", "b", "c"])
    >>> store.add("large", "seed 1", ["n", "e", "n"], id=["b", "a", "c"])
    >>> print(round(Experiments(path).compare("base", metrics="accuracy", rng=1)[0].difference, 4))
    0.3333
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if self.path.is_dir():
            raise InputError(f"the store must be a file; {self.path} is a folder.")
        if not self.path.parent.is_dir():
            raise InputError(f"the store {self.path} cannot be created: the folder {self.path.parent} does not exist.")
        self._read_to = 0
        self._ids: tuple[str, ...] = ()
        self._targets: tuple[Any, ...] = ()
        self._runs: dict[tuple[str, str], Run] = {}
        self._points: list[TrendPoint] = []
        self._refresh()

    @property
    def conditions(self) -> dict[str, tuple[str, ...]]:
        """The names of the runs of every condition, in the order in which they were added."""
        self._refresh()
        runs_by_condition: dict[str, tuple[str, ...]] = {}
        for condition, run in self._runs:
            runs_by_condition[condition] = (*runs_by_condition.get(condition, ()), run)
        return runs_by_condition

    @property
    def y_true(self) -> tuple[Any, ...]:
        """The true labels of the items, in the order of `id`."""
        self._refresh()
        return self._targets

    @property
    def id(self) -> tuple[str, ...]:
        """The names of the items."""
        self._refresh()
        return self._ids

    def runs(self, condition: str) -> tuple[Run, ...]:
        """The runs of one condition.

        Raises InputError if the condition does not exist.
        """
        condition = str(condition)
        self._refresh()
        matching_runs = tuple(run for run in self._runs.values() if run.condition == condition)
        if not matching_runs:
            raise unknown_name("condition", condition, list(self.conditions), place=str(self.path))
        return matching_runs

    def add(
        self,
        condition: str,
        run: object,
        prediction: ArrayLike,
        *,
        y_true: ArrayLike | None = None,
        id: ArrayLike | None = None,
        epochs: int | None = None,
    ) -> None:
        """Write the predictions of one run. They are on disk when this method returns.

        `y_true` is required with the first run. If it is given again, it must be the same. `id` identifies the items,
        in any order; without `id`, items are identified by row number.

        Raises InputError if the run already exists, if items or true labels do not match, for invalid predictions, or
        for epochs that are not whole numbers.
        """
        check_row_order({"prediction": prediction, "y_true": y_true, "id": id})
        condition, run, epochs = str(condition), str(run), _whole_number(epochs)
        values = check_predictions(prediction, name="prediction").tolist()
        true = None if y_true is None else check_predictions(y_true, name="y_true").tolist()
        names = _names(id, len(values))
        if true is not None and len(true) != len(values):
            raise InputError(
                f"y_true must have as many rows as prediction; y_true has {len(true):,}, prediction has "
                f"{len(values):,}."
            )
        with appending(self.path) as file:
            self._refresh()
            lines = b""
            if not self._targets:
                if true is None:
                    raise InputError("y_true is needed with the first run: add(..., `y_true=...`).")
                lines += checksummed_line({"kind": TARGETS, "schema": SCHEMA, "ids": names, "targets": true})
            else:
                self._check_same(names, true)
            if (condition, run) in self._runs:
                raise InputError(f"run {run!r} of {condition!r} already exists; give this one another name.")
            record = {"kind": RUN, "condition": condition, "run": run, "epochs": epochs, "ids": names}
            lines += checksummed_line({**record, "predictions": values})
            append(file, lines, start=self._read_to)  # overwrites an incomplete last line
        self._refresh()

    def add_points(self, points: Iterable[TrendPoint]) -> None:
        """Write the results of a check on a date (`Check.points`). They are on disk when this method returns.

        In a trend, a later point replaces an earlier point with the same date, check, rule and group.
        """
        lines = b"".join(checksummed_line({"kind": POINT, "schema": SCHEMA, **_plain(point)}) for point in points)
        with appending(self.path) as file:
            self._refresh()
            append(file, lines, start=self._read_to)  # overwrites an incomplete last line
        self._refresh()

    def trend(self, check: str | None = None) -> Trend:
        """Return the results of all checks by date, or of the check with the name `check`.

        Raises InputError if there are no results, or if the check does not exist.
        """
        self._refresh()
        names = list(dict.fromkeys(point.check for point in self._points))
        if not names:
            raise InputError(f"{self.path} has no results of checks. Add them with add_points(check.points(date)).")
        if check is not None and check not in names:
            raise unknown_name("check", check, names, place=str(self.path))
        chosen = [point for point in self._points if check in (None, point.check)]
        return build_trend(chosen, source=str(self.path), howsure=__version__)

    def compare(
        self,
        against: str,
        model: Sequence[str] | None = None,
        *,
        metrics: str | Metric | Sequence[str | Metric] | None = None,
        clusters: ArrayLike | None = None,
        method: str | None = None,
        n_resamples: int = 10_000,
        alternative: str = "two-sided",
        adjust: str | None = "holm",
        level: float = 0.95,
        rng: Randomness = None,
    ) -> Comparison:
        """Compare all other conditions (or the conditions in `model`) with the condition `against`, as `compare_models`
        does.

        Items are resampled with all their runs. Raises InputError as `compare_models` does, or for an unknown
        condition.
        """
        against = str(against)
        others = [name for name in self.conditions if name != against] if model is None else list(model)
        if not others:
            raise InputError(
                f"there is no other condition to compare {against!r} with; {self.path} contains "
                f"{shortened(self.conditions)}."
            )
        runs = {name: Runs([list(run.predictions) for run in self.runs(name)]) for name in (against, *others)}
        models = {name: runs[name] for name in others}
        return compare(
            list(self._targets),
            {against: runs[against]},
            models,
            metrics=metrics,
            clusters=clusters,
            method=method,
            n_resamples=n_resamples,
            alternative=alternative,
            adjust=adjust,
            level=level,
            rng=rng,
        )

    def _check_same(self, names: list[str], true: list[Any] | None) -> None:
        if set(names) != set(self._ids):
            absent, strange = set(self._ids) - set(names), set(names) - set(self._ids)
            what = f"lack {shortened(sorted(absent), limit=3)}" if absent else ""
            more = f"have {shortened(sorted(strange), limit=3)}, which the earlier runs do not have" if strange else ""
            raise InputError(f"id must name the same items as before: they {' and '.join(filter(None, (what, more)))}.")
        if true is not None:
            targets_by_id = dict(zip(self._ids, self._targets, strict=True))
            for name, target in zip(names, true, strict=True):
                if targets_by_id[name] != target:
                    raise InputError(
                        f"the target of {name!r} was {targets_by_id[name]!r} before and is {target!r} now."
                    )

    def _refresh(self) -> None:
        """Read the records that were appended since the last call, also by other processes."""
        for record, end in read_records(self.path, self._read_to, what=STORE):
            try:
                self._take(record)
            except (KeyError, TypeError, ValueError) as error:
                number = line_number(self.path, self._read_to)
                raise InputError(
                    f"{self.path}, line {number} is not a record of a store of experiments: {_reason(error)}. "
                    "Restore a copy."
                ) from error
            self._read_to = end

    def _take(self, record: Any) -> None:
        """Check a record and store it in memory.

        Raises KeyError, TypeError or ValueError if it is invalid or inconsistent with earlier records.
        """
        if not isinstance(record, dict) or record.get("kind") not in (TARGETS, RUN, POINT):
            raise ValueError(f"its kind is not one of {TARGETS}, {RUN} and {POINT}")
        if not is_version(record.get("schema", SCHEMA), SCHEMA):
            raise ValueError(
                f"its schema is {record['schema']!r}, but this version of howsure reads {SCHEMA}; install a newer "
                "version"
            )
        if record["kind"] == POINT:
            self._points.append(check_point(record))
            return
        ids = record["ids"]
        if not isinstance(ids, list) or not all(isinstance(name, str) for name in ids) or len(set(ids)) != len(ids):
            raise ValueError("its ids must be different strings")
        values = record[TARGETS if record["kind"] == TARGETS else "predictions"]
        if not isinstance(values, list) or len(values) != len(ids):
            raise ValueError("it must contain as many values as ids")
        check_predictions(values, name="it")
        if record["kind"] == RUN:
            self._keep(record)
        elif self._ids:
            raise ValueError("the targets occur twice")
        else:
            self._ids, self._targets = tuple(ids), tuple(values)

    def _keep(self, record: dict[str, Any]) -> None:
        name, epochs = (record["condition"], record["run"]), record["epochs"]
        if not all(isinstance(part, str) for part in name) or not (epochs is None or type(epochs) is int):
            raise ValueError("condition and run must be strings, and epochs a whole number or null")
        if name in self._runs:
            raise ValueError(f"run {name[1]!r} of {name[0]!r} occurs twice")
        if set(record["ids"]) != set(self._ids):
            raise ValueError("its ids differ from the ids of the targets")
        row_by_id = {item_id: row for row, item_id in enumerate(record["ids"])}
        ordered = tuple(record["predictions"][row_by_id[item_id]] for item_id in self._ids)
        self._runs[name] = Run(*name, ordered, epochs)


def _reason(error: Exception) -> str:
    return f"it lacks {error}" if isinstance(error, KeyError) else str(error).rstrip(".")


def _plain(point: TrendPoint) -> dict[str, Any]:
    """Convert a point to a record; undefined values become null."""
    record = asdict(point)
    return {name: None if isinstance(value, float) and value != value else value for name, value in record.items()}


def _names(id: object, n: int) -> list[str]:
    if id is None:
        return [str(row) for row in range(n)]
    names = [str(name) for name in as_column(id, name="id").tolist()]
    if len(names) != n:
        raise InputError(f"id must have as many rows as prediction; id has {len(names):,}, prediction has {n:,}.")
    if len(set(names)) != n:
        distinct, counts = np.unique(np.array(names), return_counts=True)
        raise InputError(
            f"id must be different in every row; {str(distinct[counts.argmax()])!r} occurs {counts.max()} times."
        )
    return names


def _whole_number(epochs: object) -> int | None:
    if epochs is None:
        return None
    try:
        return int(operator.index(epochs))  # type: ignore[arg-type]
    except TypeError as error:
        raise InputError(f"epochs must be a whole number or None; {epochs!r} is not.") from error
