"""The results of checks: one verdict per rule and group, and what follows from all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from howsure.check.evidence import BELOW
from howsure.result import Result
from howsure.show.harmless import in_a_line
from howsure.show.numbers import number, p_in_words
from howsure.show.table import Table
from howsure.significance.trend import TrendPoint, check_date
from howsure.stats.estimate import Estimate, finite_or_none

PASS, FAIL, CANNOT_TELL = "pass", "fail", "cannot tell"
EXIT_CODES = {PASS: 0, FAIL: 1, CANNOT_TELL: 3}
HEADINGS = ("check", "rule", "group", "n", "estimate", "interval", "bound", "verdict")
WORDS = ("check", "rule", "group", "verdict")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on one rule in one group (None: all rows).

    estimate: the quantity with its interval at the level asked. bound: the one-sided bound at that level, on the side
    of the limit, from which the verdict follows where nothing is adjusted. wanted: the side of the limit on which it
    must lie. p_pass: of the hypothesis that the rule is broken, p_fail: that it is kept; both one-sided, and 1 where
    the estimate lies on the other side. The adjusted ones decide: `outcome` is "pass", "fail" or "cannot tell".
    more_rows: how many more would probably tell, if the quantity is as estimated; None where none are needed or none
    would do.
    """

    check: str
    rule: str
    group: str | None
    n: int
    quantity: str
    estimate: Estimate
    bound: float | None
    wanted: str
    limit: float
    p_pass: float
    p_fail: float
    p_pass_adjusted: float
    p_fail_adjusted: float
    outcome: str
    more_rows: int | None
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The verdict in one sentence, the estimate before the p-value."""
        seen = f"{self.quantity} {self.estimate}"
        if self.bound is None:
            return f"{seen}: too little data to tell"
        above = "above" if (self.outcome == PASS) == (self.wanted != BELOW) else "below"
        if self.outcome == CANNOT_TELL:
            return f"{seen}: not shown to lie above or below {self.limit:g}{self._advice()}"
        p, adjusted = (
            (self.p_pass, self.p_pass_adjusted) if self.outcome == PASS else (self.p_fail, self.p_fail_adjusted)
        )
        how = "" if adjusted == p else ", adjusted"
        within = self.bound_text.replace("≥", "at least").replace("≤", "at most")
        return f"{seen} lies {above} {self.limit:g} ({within}, {p_in_words(adjusted)}{how})"

    @property
    def bound_text(self) -> str:
        """The one-sided bound, as an inequality."""
        if self.bound is None:
            return "–"
        return f"{'≥' if self.estimate.value > self.limit else '≤'} {number(self.bound)}"

    def _advice(self) -> str:
        if self.more_rows is None:
            return "; the estimate lies too near to the limit for any number of rows to tell"
        return f"; about {rounded_up(self.more_rows):,} more rows would tell, if it is as estimated"

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        held = {one.name: getattr(self, one.name) for one in fields(self)}
        told = {"estimate": self.estimate.to_dict(), "notes": list(self.notes), "sentence": self.sentence}
        return {name: finite_or_none(value) for name, value in held.items()} | told


def rounded_up(rows: int) -> int:
    """A number of rows to two digits, upwards.

    >>> rounded_up(3_412), rounded_up(7)
    (3500, 7)
    """
    step: int = 10 ** max(len(str(rows)) - 2, 0)
    return -(-rows // step) * step


@dataclass(frozen=True, slots=True)
class Check(Result):
    """The verdicts of a check, the level of its tests, and notes; iterate over it, or take one by its position.

    `outcome` is "fail" if any verdict is, else "cannot tell" if any is, else "pass". A verdict errs with probability at
    most 1 - level: docs/check.md says of which set of verdicts this holds.
    """

    verdicts: tuple[Verdict, ...]
    level: float
    recipe: Mapping[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    def __len__(self) -> int:
        return len(self.verdicts)

    def __getitem__(self, place: int) -> Verdict:
        return self.verdicts[place]

    @property
    def outcome(self) -> str:
        """The worst of the verdicts: "fail", "cannot tell" or "pass"."""
        found = {one.outcome for one in self.verdicts}
        return next(one for one in (FAIL, CANNOT_TELL, PASS) if one in found)

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0 pass, 1 fail, 3 cannot tell."""
        return EXIT_CODES[self.outcome]

    def points(self, date: object) -> tuple[TrendPoint, ...]:
        """The verdicts as points of a trend, for `Experiments.add_points`; `date` is a day like 2026-11-22.

        Raises InputError if it is none.
        """
        day = check_date(date)
        return tuple(
            TrendPoint(
                day, one.check, one.rule, one.group, one.n, one.estimate.value, _or_nan(one.estimate.low),
                _or_nan(one.estimate.high), one.limit, one.outcome,
            )
            for one in self.verdicts
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: the outcome, the verdicts, the recipe."""
        shown = [one.to_dict() for one in self.verdicts]
        return {
            "recipe": dict(self.recipe), "outcome": self.outcome, "exit_code": self.exit_code, "level": self.level,
            "verdicts": shown, "notes": list(self.notes),
        }  # fmt: skip

    def _columns(self) -> dict[str, list[Any]]:
        names = [
            one.name for one in fields(Verdict) if one.name not in ("estimate", "bound", "notes", "more_rows", "group")
        ]
        rows = self.verdicts
        ends = {name: [_or_nan(getattr(one.estimate, name)) for one in rows] for name in ("value", "low", "high")}
        ends["bound"] = [_or_nan(one.bound) for one in rows]
        more = [math.nan if one.more_rows is None else float(one.more_rows) for one in rows]
        groups = ["" if one.group is None else one.group for one in rows]
        return {"group": groups, **{name: [getattr(one, name) for one in rows] for name in names}, **ends} | {
            "more_rows": more, "sentence": [one.sentence for one in rows], "notes": ["; ".join(n.notes) for n in rows],
        }  # fmt: skip

    def table(self) -> Table:
        """One row per verdict; the columns of checks and groups only where there are several, or some."""
        told = {"check": _several(self.verdicts), "group": any(one.group is not None for one in self.verdicts)}
        shown = [name for name in HEADINGS if told.get(name, True)]
        rows = [[_cells(one)[name] for name in shown] for one in self.verdicts]
        return Table(shown, rows, words=WORDS)

    def lines(self) -> list[str]:
        """A sentence per verdict, failures first, then what holds of all, then the notes."""
        order = (FAIL, CANNOT_TELL, PASS)
        ranked = sorted(self.verdicts, key=lambda one: order.index(one.outcome))
        said = [f"{one.outcome}: {_prefix(one, self.verdicts)}{one.sentence}" for one in ranked]
        return [*said, *self.notes, *_notes(self.verdicts)]

    def __str__(self) -> str:
        return "\n".join([f"check: {self.outcome}", "", str(self.table()), *map(in_a_line, self.lines())])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from dataclasses import replace

        return replace(self.table(), notes=[f"check: {self.outcome}", *self.lines()]).html()


def _or_nan(value: float | None) -> float:
    return math.nan if value is None else value


def _cells(one: Verdict) -> dict[str, str]:
    e = one.estimate
    ends = "–" if e.low is None else f"[{number(e.low)}, {number(e.high)}]"
    return {
        "check": one.check, "rule": one.rule, "group": one.group or "all", "n": f"{one.n:,}",
        "estimate": number(e.value), "interval": ends, "bound": one.bound_text, "verdict": one.outcome,
    }  # fmt: skip


def _prefix(one: Verdict, others: Sequence[Verdict]) -> str:
    """The group, and the check where there are several."""
    names = ([one.check] if _several(others) else []) + ([] if one.group is None else [one.group])
    return f"{', '.join(names)}: " if names else ""


def _several(verdicts: Sequence[Verdict]) -> bool:
    return len({one.check for one in verdicts}) > 1


def _notes(verdicts: Sequence[Verdict]) -> list[str]:
    about: dict[str, list[str]] = {}
    for one in verdicts:
        for note in one.notes:
            about.setdefault(note, []).append(_prefix(one, verdicts))
    return [f"note: {'; '.join(dict.fromkeys(name[:-2] for name in names if name))}: {note}" if any(names)
            else f"note: {note}" for note, names in about.items()]  # fmt: skip
