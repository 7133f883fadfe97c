"""Columns of units by what they are for: arrays, or columns of a frame or of files; dates become groups of periods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from howsure.counts.units import named_groups
from howsure.errors import GIVEN, InputError, parameter
from howsure.inputs.frames import Kind, Rows, Source, is_frame, rows_of
from howsure.inputs.numbers_and_names import shortened
from howsure.inputs.periods import coded_periods

LABELS = ("y_true", "second", "settled")  # of the units that were read
SEVERAL = ("groups", "features")
KINDS = {"y_prob": Kind.NUMBER, "features": Kind.NUMBER, "date": Kind.DAYS, "clusters": Kind.VALUES}


@dataclass(frozen=True, slots=True)
class Columns:
    """What plays each role: a column, several by their names, or a mapping of rows to values; and the rows."""

    held: Mapping[str, Any]
    rows: Rows

    def __getitem__(self, role: str) -> Any:
        return self.held.get(role)

    @classmethod
    def read(
        cls,
        data: object,
        *,
        show: Sequence[str] = (),
        date: Any = None,
        period: str | None = None,
        date_format: str | None = None,
        **roles: Any,
    ) -> Columns:
        """What the roles hold: columns of `data` where they name some. The periods of dates are the last of the groups.
        show: further columns of `data`, read later.

        Raises InputError for a column that is named for two meanings, and dates without a period.
        """
        if (date is None) != (period is None):
            both = f"{parameter('date', GIVEN)} and {parameter('period', 'month')} (or week, quarter, year)"
            raise InputError(f"{both} belong together; one of them is missing.")
        if date_format is not None and date is None:
            raise InputError(f"{parameter('date_format')} says how dates are written; name their column, too.")
        asked = roles | {"date": date}
        if data is None:
            rows, held = Rows({}), asked
        else:
            names = {role: _names(role, one, data) for role, one in asked.items()}
            clusters = names.get("clusters")
            kinds = dict.fromkeys(show, Kind.LATER) | _kinds(names)
            rows = rows_of(data, kinds, clusters=clusters and clusters[0])
            held = {
                role: asked[role]
                if found is None
                else {name: rows[name] for name in found}
                if role in SEVERAL
                else rows[found[0]]
                for role, found in names.items()
            }
        with rows.placed():
            days, called = held.pop("date"), date if isinstance(date, str) else "date"
            if days is not None:
                periods = coded_periods(days, period=str(period), date_format=date_format, name=called)
                held["groups"] = {**named_groups(held.get("groups")), str(period): periods}
        return cls(held, rows)


def _names(role: str, one: Any, data: Any) -> list[str] | None:
    """The columns that a role names; None where it holds values, or nothing."""
    if isinstance(one, str):
        return [one]
    several = role in SEVERAL and isinstance(one, Iterable) and not isinstance(one, Mapping) and not is_frame(one)
    if not several or (hasattr(one, "__array__") and not isinstance(data, Source) and len(one) == len(data)):
        return None
    names = list(one)
    return names if all(isinstance(name, str) for name in names) else None


def _kinds(names: Mapping[str, list[str] | None]) -> dict[str, Kind]:
    """As what each named column is read: labels, and how they were drawn, may be missing where nobody read."""
    drawn = ("strata", "inclusion") if names.get("inclusion") else ()
    kinds: dict[str, Kind] = {}
    for role, found in names.items():
        kind = Kind.PARTIAL if role in (*LABELS, *drawn) else KINDS.get(role, Kind.NAMES)
        for name in found or ():
            alike = {kind, kinds.get(name, kind)}
            if len(alike) > 1 and alike <= {Kind.VALUES, Kind.NAMES, Kind.DAYS}:
                kind = Kind.NAMES
            elif len(alike) > 1 or (kind == Kind.PARTIAL and name in kinds):
                raise InputError(f"a column has one meaning; {shortened([repr(name)])} is named for two.")
            kinds[name] = kind
    return kinds
