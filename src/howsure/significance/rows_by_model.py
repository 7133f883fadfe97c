"""Rows of one model, item and run each, put side by side by item; and scores that each item already has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.errors import GIVEN, InputError, at_row, parameter, shown
from howsure.inputs.checks import Coded, as_column, check_codes, check_finite, first_missing
from howsure.inputs.numbers_and_names import counted
from howsure.inputs.pairs import Floats, Integers
from howsure.significance.reading import Systems, grouping_codes
from howsure.significance.systems import one_per_item

# A table with one row per model, item and run, turned into the runs of each model on the same items.

MOST_CELLS, SPARE_CELLS = 64, 1_000_000  # per row, and in any case: more are mostly empty
TOGETHER = " / "  # between the parts of a key


@dataclass(frozen=True, slots=True)
class LongForm:
    """For each model, the rows of its runs on the common items (runs, items), and what was left out, in a sentence."""

    rows: Mapping[str, Integers]
    left_out: str = ""

    def per_item(self, values: Any, name: str) -> Any:
        """One value for each item, equal in all of its rows.

        Raises InputError naming a row that differs.
        """
        return one_per_item(values, np.concatenate(list(self.rows.values())), name, of="every row")


def long_form(model: object, id: object, run: object = None, *, n: int, skip_missing: bool = False) -> LongForm:
    """The rows of each model, run by run and item by item.

    An item that a model lacks, in any of the runs that this model has, is an error; with `skip_missing`, it is left out
    for all models, and counted.

    Raises InputError for fewer than two models, for two rows of one model, run and item, and for missing items.
    """
    models, names = check_codes(model, n=n, name="model")
    items, item_names = check_codes(id, n=n, name="id")
    runs, run_names = (np.zeros(n, dtype=np.int64), ("",)) if run is None else check_codes(run, n=n, name="run")
    if len(names) < 2:
        raise InputError(f"model must name two models or more; every row is of {names[0]!r}.")
    of_cell, cell = np.unique(models.astype(np.int64) * len(run_names) + runs, return_inverse=True)
    of_models, of_runs = np.divmod(of_cell, len(run_names))

    def said(place: int) -> str:
        of_run = "" if run is None else f" in run {run_names[of_runs[place]]!r}"
        return f"model {names[of_models[place]]!r}{of_run}"

    if len(of_cell) * len(item_names) > MOST_CELLS * n + SPARE_CELLS:
        raise InputError(
            f"every model must have every item in each of its runs; {n:,} rows are few for {len(of_cell):,} runs of "
            f"{counted(len(names), 'model')} on {counted(len(item_names), 'item')}. Are model, run and id the right "
            "columns?"
        )
    keys = cell * len(item_names) + items
    first = np.full(len(of_cell) * len(item_names), -1, dtype=np.int64)
    first[keys[::-1]] = np.arange(n)[::-1]
    again = np.flatnonzero(first[keys] != np.arange(n))
    if len(again):
        row = int(again[0])
        others = f"; so are {len(again) - 1:,} further rows" if len(again) > 1 else ""
        name = f"{item_names[items[row]]!r} of {said(int(cell[row]))}{others}"
        raise item_twice(int(first[keys[row]]), row, name, each=f"model{'' if run is None else ' and run'}")
    table = first.reshape(len(of_cell), len(item_names))
    lacking = table < 0
    if not lacking.any():
        return LongForm({name: table[of_models == code] for code, name in enumerate(names)})
    held = ~lacking.any(axis=0)
    by_model = ", ".join(f"{name} {int(lacking[of_models == k].any(axis=0).sum()):,}" for k, name in enumerate(names))
    if not skip_missing or not held.any():
        place, item = (int(found[0]) for found in np.nonzero(lacking))
        advice = (
            "No item is left that all of them have."
            if not held.any()
            else f"Leave such items out for all models with {parameter('skip_missing', True)}."
        )
        where = "" if run is None else " in each of its runs"
        raise InputError(
            f"every model must have every item{where}; {said(place)} has no row of item {item_names[item]!r}. Of "
            f"{counted(len(item_names), 'item')} are missing: {by_model}. {advice}"
        )
    kept = {name: table[of_models == code][:, held] for code, name in enumerate(names)}
    rows = int((table[:, ~held] >= 0).sum())
    lost = f"{counted(int((~held).sum()), 'item')} ({counted(rows, 'row')}) left out for all models"
    return LongForm(kept, f"{lost}, because some have no answer there: {by_model}.")


def item_twice(a: int, b: int, item: str, *, each: str) -> InputError:
    """The error for two rows of one item."""
    return InputError(
        f"an item must have one row for each {each}; {at_row(a)} and {at_row(b)} are both item {item}. If these are "
        f"several runs, name their column ({parameter('run', GIVEN)}); if they are of several sets of items, let "
        f"several columns identify the item together ({parameter('id', GIVEN)})."
    )


def joined_key(parts: Sequence[object], names: Sequence[str], *, n: int) -> Coded:
    """Several columns as one key, whose names are joined by " / ".

    >>> joined_key([["a", "a"], [1, 2]], ["file", "id"], n=2).names
    ('a / 1', 'a / 2')
    """
    key, spelled = np.zeros(n, dtype=np.int64), [""]
    for part, name in zip(parts, names, strict=True):
        codes, of_part = check_codes(part, n=n, name=name)
        distinct, key = np.unique(key * len(of_part) + codes, return_inverse=True)
        heads, tails = np.divmod(distinct, len(of_part))
        pairs = zip(heads.tolist(), tails.tolist(), strict=True)
        spelled = [(f"{spelled[a]}{TOGETHER}" if spelled[a] else "") + of_part[b] for a, b in pairs]
    return Coded(key, tuple(spelled))


# Scores that each item already has, by model, as systems to compare.

SCORE = "score"  # the task of systems whose predictions are scores
NUMERIC = "biuf"


def as_scores(values: object, name: str) -> Floats:
    """Scores as float64: finite, none missing.

    >>> as_scores([True, 0.5, 3], "score").tolist()
    [1.0, 0.5, 3.0]

    Raises InputError naming the row and the value.
    """
    column = as_column(values, name=name)
    row = first_missing(column)
    if row is not None:
        raise InputError(f"{name} must not be missing; {at_row(row)} holds {column[row]!s}. Leave such rows out first.")
    if column.dtype.kind not in NUMERIC:
        for row, value in enumerate(column.tolist()):
            if isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
                advice = (
                    f"Say which value counts as 1: {parameter('pos_label', value)}." if isinstance(value, str) else ""
                )
                raise InputError(f"{name} must be numbers; {at_row(row)} holds {shown(value)}. {advice}".rstrip())
    scores: Floats = column.astype(np.float64)
    check_finite(scores, name=name)
    return scores


def score_systems(scores: Mapping[str, Floats], **grouping: Any) -> Systems:
    """Systems whose predictions are scores (runs, n)."""
    n = next(iter(scores.values())).shape[1]
    predictions = {name: array[..., None] for name, array in scores.items()}
    return Systems(SCORE, np.zeros((n, 1)), predictions, (), **grouping_codes(grouping, n))
