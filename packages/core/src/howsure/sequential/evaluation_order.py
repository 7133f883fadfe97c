"""`draw_order`: a random order in which to evaluate the items of a benchmark, with clusters kept together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from howsure import __version__
from howsure.errors import InputError
from howsure.inputs.arguments import (
    Randomness,
    check_arguments,
    check_row_order,
    generator_from,
    seed_in_recipe,
    with_seed,
)
from howsure.inputs.checks import check_codes, check_same_length
from howsure.inputs.frames import AS_READ, Kind, Source, not_a_column_name, read_columns
from howsure.inputs.frames import Rows as Columns
from howsure.inputs.numbers_and_names import counted, notes_on_numbers, percentages, shortened
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.result import Rows, as_json
from howsure.show.table import COUNT, WORDS, Column


@dataclass(frozen=True, slots=True)
class OrderedItem:
    """An item, its position in the order (from 1), and its cluster."""

    position: int
    id: str
    cluster: str | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ItemOrder(Rows[OrderedItem]):
    """The result of `draw_order`: the items in the order drawn. recipe: everything needed to repeat it."""

    rows: tuple[OrderedItem, ...] = as_json("items")
    recipe: Mapping[str, Any]

    named = "id"
    title = "Order of items"
    suggested: ClassVar = {"form": "csv", "output": "order.csv"}

    def columns(self) -> Sequence[Column]:
        """Positions, items, and their clusters."""
        clusters = [] if self.rows[0].cluster is None else [Column("cluster", WORDS)]
        return [Column("position", COUNT), Column("id", WORDS), *clusters]

    @property
    def answer(self) -> str:
        """The number of items in the order, and the first of them."""
        first_items = shortened([row.id for row in self], limit=3)
        return f"Evaluate the {counted(len(self), 'item')} in this order: {first_items}."


def draw_order(
    id: ArrayLike | str,
    *,
    clusters: ArrayLike | str | None = None,
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> ItemOrder:
    """Draw the order in which to evaluate the items of a benchmark, so that you may stop once there is a verdict.

    Every order of the items, or of whole clusters of items, is equally likely. Early verdicts are valid only for such
    an order: in a sorted file, the first items differ from the others, and a comparison may get a wrong verdict.

    id (n,): the items, each once.
    clusters (n,): the cluster of each item, such as its document; the items of a cluster stay together in the order.
    rng: seed of the order.

    >>> [item.id for item in draw_order(["q1", "q2", "q3", "q4"], rng=2)]
    ['q3', 'q4', 'q2', 'q1']

    Raises InputError naming an item that occurs twice.
    """
    check_arguments(draw_order, locals())
    roles = {"id": id} | ({} if clusters is None else {"clusters": clusters})
    columns, named, rows = columns_by_role(roles, data, clusters=clusters)
    with rows.locating_errors():
        n = check_same_length(**{named[role]: column for role, column in columns.items()})
        items = texts(columns["id"], n, named["id"])
        refuse_repeated(items, named["id"])
        units = texts(columns["clusters"], n, named["clusters"]) if clusters is not None else items
    distinct = list(dict.fromkeys(units))
    rng = with_seed(rng)
    place = dict(zip(distinct, generator_from(rng).permutation(len(distinct)).tolist(), strict=True))
    order = np.argsort([place[unit] for unit in units], kind="stable")
    made = (OrderedItem(i, items[row], None if clusters is None else units[row]) for i, row in enumerate(order, 1))
    recipe: dict[str, Any] = {"howsure": __version__, **(dict(rows.provenance) or {"n": n})}
    recipe |= {AS_READ.get(role, role): column for role, column in roles.items()} if data is not None else {}
    return ItemOrder(rows=tuple(made), recipe=recipe | {"seed": seed_in_recipe(rng)})


def columns_by_role(
    roles: Mapping[str, Any], data: Any, *, scores: Sequence[str] = (), **how: Any
) -> tuple[dict[str, Any], dict[str, str], Columns]:
    """Return the values of each role, their names in messages, and the rows with which messages locate values."""
    if data is None:
        check_row_order(roles)
        rows = _as_read(Columns({}), {role: roles[role] for role in scores})
        return dict(roles), {role: role for role in roles}, rows
    for role, column in roles.items():
        if not isinstance(column, str):
            raise not_a_column_name(role, column)
    kinds = {column: Kind.SCORE if role in scores else Kind.VALUES for role, column in roles.items()}
    rows = read_columns(data, kinds, **how)
    rows = rows if rows.provenance else _as_read(rows, {roles[role]: rows[roles[role]] for role in scores})
    return {role: rows[column] for role, column in roles.items()}, dict(roles), rows


def _as_read(rows: Columns, scores: Mapping[str, Any]) -> Columns:
    """Describe scores in percent that arrays or a frame contain."""
    if not (percent := percentages(scores)):
        return rows
    n = len(next(iter(scores.values())))
    return replace(rows, provenance={"n": n, "percentages": percent, "notes": notes_on_numbers([], percent)})


def texts(values: Any, n: int, name: str) -> list[str]:
    """Return n names as strings. Raises InputError for a missing name."""
    codes, names = check_codes(values, n=n, name=name)
    return [names[code] for code in codes.tolist()]


def refuse_repeated(items: Sequence[str], name: str, items_before: Mapping[str, Any] | None = None) -> None:
    """Raise InputError for an item that occurs twice or is in `items_before`."""
    items_seen = set(items_before or ())
    for row, item in enumerate(items):
        if item in items_seen:
            raise InputError(
                "{parameter} must name each item once; {row} repeats {item!r}. Give an item with several "
                "runs the mean of its scores.",
                name,
                row=row,
                item=item,
            )
        items_seen.add(item)
