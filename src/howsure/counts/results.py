"""How the totals of two domains are off together, and the interval of their difference."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from howsure.counts.count_law import CountLaw
from howsure.counts.draw import Draw
from howsure.counts.units import Units
from howsure.errors import InputError, parameter
from howsure.inputs.naming import unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.result import Result
from howsure.show.numbers import interval, number
from howsure.show.table import Table
from howsure.stats.estimate import Estimate
from howsure.stats.proportions import normal_quantile

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Ends = tuple[float, float, float]  # an estimate and its interval


@dataclass(frozen=True, slots=True)
class TotalErrors:
    """Of each labelled unit its domain and what the estimate of this domain's total leaves over, with the draw.

    That is y - m for a total by difference, and y minus the share of the domain for one by the labels alone.
    """

    draw: Draw
    domain: Integers
    residual: Floats

    def correlation(self, a: int, b: int) -> float:
        """The correlation of the two totals under the draw: not 0 where units of both were drawn together."""
        one, other = (self.draw.per_drawn(np.where(self.domain == k, self.residual, 0.0)) for k in (a, b))
        scale = math.sqrt(self.draw.variance(one) * self.draw.variance(other))
        if scale == 0:
            return 0.0
        both, apart = self.draw.variance(one + other), self.draw.variance(one - other)
        return min(max((both - apart) / (4.0 * scale), -1.0), 1.0)


def total_errors(units: Units, fitted: Floats, by_labels: Sequence[bool], shares: Sequence[float]) -> TotalErrors:
    """fitted: m of the labelled units. by_labels, shares: of each domain, whether labels alone gave it; its share."""
    domain = units.cells.domain[units.cell_of_labelled]
    expected = np.where(np.array(by_labels)[domain], np.array(shares)[domain], fitted)
    return TotalErrors(units.draw, domain, units.labels - expected)


def difference_of_totals(a: Ends, b: Ends, *, correlation: float, level: float) -> tuple[float, float, float, float]:
    """a - b, its interval, and P(a > b) by the normal law that has it (ties counted half).

    The distance to the lower end is √((a - a_low)² + (b_high - b)² - 2 r (a - a_low)(b_high - b)), and likewise to the
    upper one. A correlation r above 0 counts as 0: few labels would exaggerate it. Sources: Zou (2007), Zou & Donner
    (2008).

    >>> difference_of_totals((50.0, 40.0, 60.0), (30.0, 20.0, 40.0), correlation=-1.0, level=0.95)[:3]
    (20.0, 0.0, 40.0)
    """
    r = min(correlation, 0.0)
    down, up = (
        math.sqrt(x * x + y * y - 2.0 * r * x * y) for x, y in ((a[0] - a[1], b[2] - b[0]), (a[2] - a[0], b[0] - b[1]))
    )
    difference = a[0] - b[0]
    reach = down if difference > 0 else up
    if reach == 0:
        return difference, difference - down, difference + up, float(np.sign(difference)) / 2 + 0.5
    greater = 0.5 * math.erfc(-normal_quantile(level) * difference / reach / math.sqrt(2.0))
    return difference, difference - down, difference + up, greater


# Estimated counts: a row per group, totals per domain and over all, and how they were made.

ALL = "all"
HEADINGS = ("units", "labelled", "positive", "estimate", "interval", "share", "method")
OF_SHARES = ("units", "labelled", "positive", "share", "interval", "method")


@dataclass(frozen=True, slots=True)
class CountEstimate:
    """The number of units of a group whose label is 1, with its interval, and the method that gave it.

    group: a value of each column of groups; of a domain all but the last. n: units; labelled: of these with a label;
    positives: of these with label 1. The estimate is NaN where the method has none, as labels alone in a group without.
    """

    group: tuple[str, ...]
    n: int
    labelled: int
    positives: int
    estimate: float
    low: float
    high: float
    level: float
    method: str

    @property
    def value(self) -> float:
        """The estimate."""
        return self.estimate

    @property
    def share(self) -> float:
        """The estimate divided by the number of units; NaN where there is none."""
        return self.estimate / self.n if self.n else math.nan

    def to_dict(self) -> dict[str, Any]:
        """Plain values; what is undefined is None."""
        held = {
            name: getattr(self, name) for name in ("n", "labelled", "positives", "estimate", "low", "high", "share")
        }
        plain = {name: None if isinstance(one, float) and math.isnan(one) else one for name, one in held.items()}
        return {"group": list(self.group), **plain, "level": self.level, "method": self.method}

    def cells_of_table(self, *, share: bool = False) -> list[str]:
        """The row of a table as text, without the names of the group; with `share`, shares instead of counts."""
        numbers = [f"{one:,}" for one in (self.n, self.labelled, self.positives)]
        if share:
            low, high = (one / self.n if self.n else math.nan for one in (self.low, self.high))
            return [*numbers, number(self.share, 4), interval(low, high, 4), self.method]
        ends = interval(self.low, self.high, 0)
        return [*numbers, number(self.estimate, 1), ends, number(self.share, 4), self.method]

    def __str__(self) -> str:
        return f"{number(self.estimate, 1)} {interval(self.low, self.high, 0)}"


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """What checks the estimates themselves.

    hidden_coverage: labels were hidden fold by fold and their positives per group predicted; the share of these
    `hidden_groups` whose interval held them. drift: of each domain, the expected standard deviation of its groups'
    levels, in logits: 0 means that a score means the same in all groups, NaN that there is one. disagreement: of each
    domain, the model's total minus the design's, in standard errors of the latter. worth: how many labels alone, drawn
    at random, would give the total an interval of this width, None for raw scores. raw_error: the calibration error of
    the scores on the labelled units.
    """

    hidden_coverage: float
    hidden_groups: int
    drift: tuple[float, ...]
    disagreement: tuple[float, ...]
    worth: int | None
    raw_error: Estimate | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values; what is undefined is None."""
        return {
            "hidden_coverage": None if math.isnan(self.hidden_coverage) else self.hidden_coverage,
            "hidden_groups": self.hidden_groups,
            "drift": [None if math.isnan(one) else one for one in self.drift],
            "disagreement": [None if math.isnan(z) else z for z in self.disagreement],
            "worth_in_labels": self.worth,
            "raw_calibration_error": None if self.raw_error is None else self.raw_error.to_dict(),
        }

    def sentences(self) -> list[str]:
        """The checks in words."""
        said = []
        if self.worth is not None:
            said.append(f"as precise as {self.worth:,} labels alone, drawn at random")
        if self.hidden_groups:
            said.append(
                f"held-out labels: {self.hidden_coverage:.0%} of {self.hidden_groups:,} intervals contained them"
            )
        drift = [one for one in self.drift if not math.isnan(one)]
        if drift:
            said.append(f"the relation between score and label varies between groups by about {max(drift):.1f} logits")
        far = [z for z in self.disagreement if abs(z) > 2]
        if far:
            said.append(
                f"model and design differ by {max(far, key=abs):+.1f} standard errors: prefer the total's method"
            )
        if self.raw_error is not None:
            said.append(f"calibration error of the scores on the labelled units: {self.raw_error}")
        return said


@dataclass(frozen=True, slots=True, repr=False)
class CountEstimates(Result):
    """Counts of all groups (`rows`), of the domains (`domains`) and of everything (`total`), with intervals.

    Iterating, indexing and `len` go by rows; a row is also found by the name of its group. `notes` say what a reader
    must know beside the numbers, `diagnostics` check them. told: whether more is promised of differences than what the
    intervals say.
    """

    keys: tuple[str, ...]
    rows: tuple[CountEstimate, ...]
    domains: tuple[CountEstimate, ...]
    total: CountEstimate
    diagnostics: Diagnostics
    recipe: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    laws: tuple[CountLaw, ...] = field(default=(), repr=False)
    errors: TotalErrors | None = field(default=None, repr=False)
    told: bool = field(default=True, repr=False)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[CountEstimate]:
        return iter(self.rows)

    def __getitem__(self, place: SupportsIndex | str | tuple[str, ...]) -> CountEstimate:
        """The row at a place, or that of a group by its name or names."""
        return self.rows[self._place(place) if isinstance(place, (str, tuple)) else place]

    def difference(self, a: str | tuple[str, ...], b: str | tuple[str, ...]) -> tuple[Estimate, float]:
        """The count of group a minus that of group b with its interval, and P(a > b), ties counted half; or of domains.

        Counts of groups are taken as independent given the labels; a group does not differ from itself. Where one
        of them borrows nothing from others, their own intervals decide (Zou & Donner 2008). The totals of two domains,
        such as two actors in all periods, are compared by the design of the draw, which knows how far they exclude each
        other in what was drawn together. What cannot be promised is NaN without an interval: a group that has no label
        and borrows nothing, a sample that is not read in full, labels that were not drawn as stated. `notes` say which.

        Raises InputError for a group that is not there, or if the counts were not made by the hierarchical method.
        """
        domains = {row.group: place for place, row in enumerate(self.domains)}
        pair = [domains.get((one,) if isinstance(one, str) else tuple(map(str, one))) for one in (a, b)]
        if not self.told:
            n = sum(
                self.rows[self._place(one)].n if place is None else self.domains[place].n
                for one, place in zip((a, b), pair, strict=True)
            )
            return Estimate(math.nan, None, None, level=self.total.level, method="cannot tell", n=n), math.nan
        if self.errors is not None and pair[0] is not None and pair[1] is not None:
            return self._difference_of_domains(pair[0], pair[1], self.errors)
        if not self.laws:
            raise InputError(
                f"difference needs {parameter('method', 'hierarchical')} or 'auto'; these counts are by "
                f"{self.recipe['method']!r}."
            )
        places = [self._place(one) for one in (a, b)]
        one, other = (self.rows[place] for place in places)
        first, second = (self.laws[place] for place in places)
        if one is other:
            return Estimate(0.0, 0.0, 0.0, level=one.level, method=one.method, n=one.n), 0.5
        if not one.method == other.method == "hierarchical":
            return self._difference_of(one, other, correlation=0.0)
        low, high = first.minus(second, one.level)
        value = first.expected - second.expected
        return Estimate(value, low, high, level=one.level, method=one.method, n=one.n + other.n), first.more_than(
            second
        )

    def certain_only(self) -> CountEstimates:
        """The same without a promise: intervals from the positives read to all but the negatives read, no estimates."""

        def of(row: CountEstimate) -> CountEstimate:
            high = float(row.n - (row.labelled - row.positives))
            return replace(row, estimate=math.nan, low=float(row.positives), high=high, method="cannot tell")

        checks = replace(self.diagnostics, worth=None)
        return replace(
            self,
            rows=tuple(map(of, self.rows)),
            domains=tuple(map(of, self.domains)),
            total=of(self.total),
            diagnostics=checks,
            laws=(),
            errors=None,
            told=False,
        )

    def _difference_of_domains(self, a: int, b: int, errors: TotalErrors) -> tuple[Estimate, float]:
        one, other = self.domains[a], self.domains[b]
        if a == b:
            return Estimate(0.0, 0.0, 0.0, level=one.level, method=one.method, n=one.n), 0.5
        return self._difference_of(one, other, correlation=errors.correlation(a, b))

    def _difference_of(self, one: CountEstimate, other: CountEstimate, *, correlation: float) -> tuple[Estimate, float]:
        n, method = one.n + other.n, " and ".join(dict.fromkeys((one.method, other.method)))
        if math.isnan(one.estimate) or math.isnan(other.estimate):
            return Estimate(math.nan, None, None, level=one.level, method=method, n=n), math.nan
        ends = [(row.estimate, float(row.low), float(row.high)) for row in (one, other)]
        value, low, high, greater = difference_of_totals(ends[0], ends[1], correlation=correlation, level=one.level)
        return Estimate(value, low, high, level=one.level, method=method, n=n), greater

    def table(self, *, share: bool = False) -> Table:
        """The counts of the groups, then of the domains, then of everything; with `share`, shares of the units."""
        width = max(len(self.keys), 1)
        rows = [[*row.group, *row.cells_of_table(share=share)] for row in self.rows] if self.keys else []
        if len(self.keys) > 1:
            rows += [
                [*row.group, *[ALL] * (width - len(row.group)), *row.cells_of_table(share=share)]
                for row in self.domains
            ]
        rows.append([*[ALL] * width, *self.total.cells_of_table(share=share)])
        names = self.keys or ("group",)
        said = [*self.diagnostics.sentences(), *(f"note: {note}" for note in self.notes)]
        return Table([*names, *(OF_SHARES if share else HEADINGS)], rows, words=[*names, "method"], notes=said)

    def to_dict(self) -> dict[str, Any]:
        """The recipe, rows, totals, checks and notes as plain values."""
        return {
            "recipe": dict(self.recipe),
            "columns": list(self.keys),
            "groups": [row.to_dict() for row in self.rows],
            "domains": [row.to_dict() for row in self.domains],
            "total": self.total.to_dict(),
            "diagnostics": self.diagnostics.to_dict(),
            "notes": list(self.notes),
        }

    def _columns(self) -> dict[str, Any]:
        """The groups: their columns first, then numbers and the method."""
        held: dict[str, Any] = {name: [row.group[k] for row in self.rows] for k, name in enumerate(self.keys)}
        for name in ("n", "labelled", "positives", "estimate", "low", "high", "share", "method"):
            held[name] = [getattr(row, name) for row in self.rows]
        return held

    def plot(self, ax: Axes | None = None) -> Axes:
        """The counts of the groups with their intervals, on the axes given or on new ones."""
        from howsure.figures.counts import draw_counts

        return draw_counts(self, ax=ax)

    def __str__(self) -> str:
        return str(self.table().shortened())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<div>{self.table().shortened().html()}</div>"

    def _place(self, group: str | tuple[str, ...]) -> int:
        wanted = (group,) if isinstance(group, str) else tuple(map(str, group))
        for position, row in enumerate(self.rows):
            if row.group == wanted:
                return position
        raise unknown_name("group", ", ".join(wanted), [", ".join(row.group) for row in self.rows], place="the counts")
