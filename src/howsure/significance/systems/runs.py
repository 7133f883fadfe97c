"""Several runs of a system on the same items, for example trained with different seeds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.checks import Column, as_column, check_codes, check_same_length
from howsure.inputs.pairs import Integers
from howsure.significance.systems.as_rows import rows_of


@dataclass(frozen=True, slots=True)
class Runs:
    """The predictions of several runs of one system on the same items, in the same order.

    >>> len(Runs([["a", "b"], ["a", "a"], ["b", "b"]]))
    3
    """

    predictions: Sequence[object]

    def __post_init__(self) -> None:
        if not isinstance(self.predictions, Iterable) or isinstance(self.predictions, (str, bytes)):
            raise InputError(f"Runs must hold the predictions of each run, as a list; it holds {self.predictions!r}.")
        held = list(self.predictions.values()) if isinstance(self.predictions, Mapping) else list(self.predictions)
        if not held:
            raise InputError("Runs must hold the predictions of at least one run; it is empty.")
        object.__setattr__(self, "predictions", tuple(held))

    def __len__(self) -> int:
        return len(self.predictions)

    def __iter__(self) -> Iterator[object]:
        return iter(self.predictions)


@dataclass(frozen=True, slots=True)
class Items:
    """One row per item: targets, clusters, strata, and the runs of every system."""

    targets: Any
    systems: Mapping[str, Runs]
    clusters: Any
    strata: Any


def runs_of(
    y_true: object, systems: Mapping[str, object], *, runs: object, ids: object, clusters: object, strata: object
) -> Items:
    """One row per item, from rows that are items, or items × `runs`.

    Raises InputError if an item lacks a run, has a run twice, or has several targets, clusters or strata.
    """
    if runs is None:
        if ids is not None:
            _refuse_repeats(as_column(ids, name="ids"))
        held = {name: one if isinstance(one, Runs) else Runs([one]) for name, one in systems.items()}
        return Items(y_true, held, clusters, strata)
    if any(isinstance(one, Runs) for one in systems.values()):
        raise InputError("give runs= with one row per item and run, or Runs([...]) with one row per item, not both.")
    named: dict[str, Any] = {name: rows_of(one, name) for name, one in {"y_true": y_true, **systems}.items()}
    n = check_same_length(**named, runs=rows_of(runs, "runs"))
    run_codes, run_names = check_codes(runs, n=n, name="runs")
    order = _item_order(run_codes, run_names, named["y_true"], ids, n)
    items = len(order) // len(run_names)
    table = order.reshape(len(run_names), items)
    return Items(
        one_per_item(named["y_true"], table, "y_true"),
        {name: Runs([one[rows] for rows in table]) for name, one in named.items() if name != "y_true"},
        None if clusters is None else one_per_item(rows_of(clusters, "clusters"), table, "clusters"),
        None if strata is None else one_per_item(rows_of(strata, "strata"), table, "strata"),
    )


def _refuse_repeats(ids: Column) -> None:
    distinct, first, counts = np.unique(ids.astype(str), return_index=True, return_counts=True)
    if (counts > 1).any():
        k = int(np.argmax(counts > 1))
        raise InputError(
            f"ids must differ; {str(distinct[k])!r} occurs {counts[k]} times (first in row {first[k]}). "
            "Several runs of the same items? Say which row is of which: runs=..."
        )


def _item_order(run_codes: Integers, names: tuple[str, ...], targets: Column, ids: object, n: int) -> Integers:
    """Row numbers, run by run and within a run item by item."""
    counts = np.bincount(run_codes, minlength=len(names))
    if (counts != counts[0]).any():
        odd = int(np.flatnonzero(counts != counts[0])[0])
        raise InputError(
            f"every run must hold every item once; run {names[0]!r} has {counts[0]:,} rows, "
            f"run {names[odd]!r} has {counts[odd]:,}."
        )
    if ids is None:
        order = np.argsort(run_codes, kind="stable")
        held = targets[order].reshape(len(names), -1, *targets.shape[1:])
        if (held != held[0]).any():
            raise InputError(
                "the runs do not list the same targets in the same order; identify the item of each row: ids=..."
            )
        return order
    codes, item_names = check_codes(ids, n=n, name="ids")
    order = np.lexsort((codes, run_codes))
    table = codes[order].reshape(len(names), -1)
    expected = np.arange(len(item_names))
    for run, held in enumerate(table):
        if len(held) != len(expected) or (held != expected).any():
            absent = sorted(set(expected.tolist()) - set(held.tolist()))
            what = f"lacks {item_names[absent[0]]!r}" if absent else "has one twice"
            raise InputError(f"every run must hold every item once; run {names[run]!r} {what}.")
    return order


def one_per_item(values: Column, table: Integers, name: str, *, of: str = "every run") -> Column:
    """The value of each item from a column of rows, `table` being the rows of the items (runs, items).

    Raises InputError naming a row whose value differs from that of the item's first row.
    """
    held = values[table]
    differs = held != held[0]
    if differs.any():
        row = int(table[tuple(int(place[0]) for place in np.nonzero(differs)[:2])])
        raise InputError(f"{name} must be the same in {of} of an item; row {row} differs. Are the ids right?")
    one: Column = values[table[0]]
    return one
