"""Columns of graded answers by what they are for: arrays, a frame, or files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure import __version__
from howsure.errors import GIVEN, LOOK, InputError, parameter
from howsure.inputs.checks import Coded, as_column, check_clusters, check_codes, missing
from howsure.inputs.frames import AS_READ, Kind, Rows, Source, no_column_name, rows_of
from howsure.inputs.numbers_and_names import check_bounds, check_within
from howsure.inputs.pairs import Floats, Integers
from howsure.scores.rows import partial_scores
from howsure.significance.rows_by_model import item_twice
from howsure.stats.mean_score import Bounds, share_bounds

NUMERIC, PARTIAL = ("score", "length"), ("y_true",)


@dataclass(frozen=True, slots=True)
class Columns:
    """n answers, by their roles: grades and lengths as numbers, NaN where one may be missing; all else as codes."""

    n: int
    numbers: Mapping[str, Floats]
    coded: Mapping[str, Coded]
    units: Integers | None
    rows: Rows
    recipe: dict[str, Any]
    notes: list[str]

    @classmethod
    def read(
        cls, roles: Mapping[str, Any], data: Any, *, pos_label: object = None, show: Sequence[str] = ()
    ) -> Columns:
        """The columns that are given. show: further columns of `data`, read later.

        Raises InputError for what is no number, or missing where it must not be.
        """
        given = {role: one for role, one in roles.items() if one is not None}
        rows = Rows(given) if data is None else _rows(given, data, pos_label, show)
        called = {role: str(one) if data is not None else role for role, one in given.items()}
        held = given if data is None else {role: rows[column] for role, column in given.items()}
        notes: list[str] = []
        with rows.placed():
            first = held["score"]
            n = len(first if isinstance(first, Coded) else as_column(first, name=called["score"]))
            numbers = {}
            for role in (one for one in (*NUMERIC, *PARTIAL) if one in held):
                wanted = None if role == "length" else pos_label
                found = partial_scores(held[role], n, pos_label=wanted, name=called[role], notes=notes)
                if role in NUMERIC and np.isnan(found).any():
                    raise missing(called[role], int(np.isnan(found).argmax()))
                numbers[role] = found
            coded = {
                role: one if isinstance(one, Coded) else Coded(*check_codes(one, n=n, name=called[role]))
                for role, one in held.items()
                if role not in (*NUMERIC, *PARTIAL, "clusters")
            }
            units = held.get("clusters")
            if units is not None:
                units = units.codes.astype(np.int64) if isinstance(units, Coded) else check_clusters(units, n=n)
        recipe: dict[str, Any] = {"howsure": __version__, **(rows.read or {"n": n})}
        if data is not None:
            recipe |= {AS_READ.get(role, role): one for role, one in given.items()}
        return cls(n, numbers, coded, units, rows, recipe, notes)

    def codes(self, role: str) -> Integers:
        """The codes of a role; 0 of each answer where it has no column."""
        return self.coded[role].codes.astype(np.int64) if role in self.coded else np.zeros(self.n, dtype=np.int64)

    def names(self, role: str) -> tuple[str, ...]:
        """The names of its codes."""
        return self.coded[role].names if role in self.coded else ("all",)

    def bounds(self, given: tuple[float, float] | None, called: str) -> Bounds | None:
        """Those of grades of people: given, or those of grades that are all 0 or 1."""
        y = self.numbers.get("y_true", self.numbers["score"])
        known = y[~np.isnan(y)]
        if given is None:
            f = self.numbers["score"]
            return share_bounds(known) if ((f >= 0.0) & (f <= 1.0)).all() else None
        ends = check_bounds(given)
        check_within(y, ends, name=called)
        return ends

    def check_once(self, roles: Iterable[str], each: str) -> None:
        """Raise InputError where two rows have the same item and the same of each other role."""
        key = self.codes("id")
        for role in roles:
            key = key * len(self.names(role)) + self.codes(role)
        seen, times = np.unique(key, return_counts=True)
        if len(seen) < self.n:
            a, b = np.flatnonzero(key == seen[times.argmax()])[:2]
            raise item_twice(int(a), int(b), repr(self.names("id")[self.codes("id")[a]]), each=each)


def _rows(given: dict[str, Any], data: Any, pos_label: object, show: Sequence[str]) -> Rows:
    for role, column in given.items():
        if not isinstance(column, str):
            raise no_column_name(role, column)
    kinds = dict.fromkeys(show, Kind.LATER)
    for role, column in given.items():
        number = role == "length" or (role == "score" and pos_label is None)
        kinds[column] = Kind.PARTIAL if role in PARTIAL else Kind.SCORE if number else Kind.NAMES
    how = {"clusters": given.get("clusters")} if isinstance(data, Source) else {}
    return rows_of(data, kinds, **how)


def needed(role: str, of: str) -> InputError:
    """The error for a role without a column."""
    return InputError(f"{parameter(role, GIVEN)} must be given, {of}.{LOOK}")
