"""Estimated counts with their checks, and differences of two counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from howsure.counts.count_law import CountLaw
from howsure.counts.notes import GENERAL, CountNote, Terms, as_sentence, by_severity, note_text
from howsure.counts.population import Units
from howsure.counts.sampling_design import Draw
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import Axes
from howsure.notes import DETAIL, Note, footnote
from howsure.result import AMONG, Estimate, Rows, as_json, plain_dict
from howsure.show.axes import checks_axes
from howsure.show.table import COUNT, FRAME, NUMBER, TABLE, WORDS, Column, digits, interval, number, span
from howsure.stats.proportions import normal_quantile

Ends = tuple[float, float, float]  # an estimate and its interval


@dataclass(frozen=True, slots=True)
class TotalErrors:
    """The residual of each labelled unit in the total of its domain, with the sampling design (draw).

    The residual is y - m for a total by difference, and y minus the domain's proportion for a total without scores.
    """

    draw: Draw
    domain: Integers
    residual: Floats

    def correlation(self, a: int, b: int) -> float:
        """Return the correlation of the errors of two totals, which is not 0 if units of both were drawn together."""
        first, second = (self.draw.sum_by_element(np.where(self.domain == k, self.residual, 0.0)) for k in (a, b))
        scale = math.sqrt(self.draw.variance(first) * self.draw.variance(second))
        if scale == 0:
            return 0.0
        sum_variance, difference_variance = self.draw.variance(first + second), self.draw.variance(first - second)
        return min(max((sum_variance - difference_variance) / (4.0 * scale), -1.0), 1.0)


def total_errors(units: Units, fitted: Floats, by_labels: Sequence[bool], shares: Sequence[float]) -> TotalErrors:
    """Compute how far the label of each labelled unit is from its expectation, for the error of each domain's total.

    The expectation is the unit's fitted probability or, in domains whose total is estimated from labels alone, the
    domain's proportion of positives.

    fitted: the fitted probability of each labelled unit. by_labels: for each domain, whether its total is estimated
    from labels alone. shares: the proportion of positives of each domain.
    """
    domain = units.cells.domain[units.cell_of_labelled]
    expected = np.where(np.array(by_labels)[domain], np.array(shares)[domain], fitted)
    return TotalErrors(units.draw, domain, units.labels - expected)


def difference_of_totals(a: Ends, b: Ends, *, correlation: float, level: float) -> tuple[float, float, float, float]:
    """a - b, its interval, and P(a > b) under the normal distribution with this interval (ties counted half).

    The distance to the lower end is √((a - a_low)² + (b_high - b)² - 2 r (a - a_low)(b_high - b)); the upper end is
    analogous. A correlation r above 0 counts as 0, since a few labels may exaggerate it. Sources: Zou (2007), Zou &
    Donner (2008).

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


# Estimated counts: a row per group, totals per domain and over all.

ALL = "all"
INTERVAL_ONLY = "An interval without an estimate: no labelled {} is positive, so the estimate would be 0."


def is_interval_only(positives: int, estimate: float, high: float) -> bool:
    """Whether tables and figures show only the interval of a count: no label is positive, so the estimate is 0, and the
    upper end of the interval, `high`, is greater.

    >>> is_interval_only(0, 0.0, 23.0), is_interval_only(0, 0.1, 23.0), is_interval_only(0, 0.0, 0.0)
    (True, False, False)
    """
    return positives == 0 and estimate == 0 < high


@dataclass(frozen=True, slots=True)
class CountEstimate:
    """The number of units of a group whose label is 1, with its interval and method.

    group: a value of each group column; a domain has all but the last. n: units; labelled: units with a label;
    positives: units with label 1. The estimate is NaN if the method has none, such as in a group without labels.
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
    derived: ClassVar = {"share": "high"}

    @property
    def value(self) -> float:
        """The estimate."""
        return self.estimate

    @property
    def share(self) -> float:
        """The estimate divided by the number of units; NaN without units."""
        return self.estimate / self.n if self.n else math.nan

    @property
    def is_interval_only(self) -> bool:
        """Whether tables and figures show no estimate; see the function of this name."""
        return is_interval_only(self.positives, self.estimate, self.high)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return plain_dict(self)

    def __str__(self) -> str:
        return f"{number(self.estimate, 1)} {interval(self.low, self.high, 0)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostics:
    """Checks of the estimates.

    hidden_coverage: the proportion of `hidden_groups` intervals (one per group and fold) that cover the number of
    positives among held-out labels. drift: per domain, the expected standard deviation of its groups' levels, in
    logits: 0 if a score means the same in all groups, NaN for a single group. disagreement: per domain, the sum of its
    groups minus the total by design, in standard errors of this total. worth: the number of labels of a random sample
    with which the total would have an interval of the same width without scores; None for raw scores. raw_error: the
    calibration error of the scores on the labelled units.
    """

    hidden_coverage: float = math.nan
    hidden_groups: int = 0
    drift: tuple[float, ...] = ()
    disagreement: tuple[float, ...] = ()
    worth: int | None = as_json("worth_in_labels", default=None)
    raw_error: Estimate | None = as_json("raw_calibration_error", default=None)

    def sentences(self, terms: Terms = GENERAL) -> list[str]:
        """One sentence for each check."""
        sentences = []
        if self.worth is not None:
            sentences.append(f"without a model, a random sample of {self.worth:,} labels would be as precise")
        if self.hidden_groups:
            covered = round(self.hidden_coverage * self.hidden_groups)
            sentences.append(f"check on held-out labels: {covered:,} of {self.hidden_groups:,} intervals cover")
        drift = [spread for spread in self.drift if not math.isnan(spread)]
        if drift:
            sentences.append(
                f"at the same score, the log-odds of label 1 differ between {terms.groups} by about {max(drift):.1f}"
            )
        far = [z for z in self.disagreement if abs(z) > 2]
        if far:
            sentences.append(
                f"the sum of the {terms.groups} differs from the total by {max(far, key=abs):+.1f} standard errors: "
                "prefer the total"
            )
        if self.raw_error is not None:
            sentences.append(f"calibration error of the scores on the labelled units: {self.raw_error}")
        return sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingErrors:
    """Rates of annotation error, estimated from units that two annotators labelled.

    errors_by: "flips alike" (the same rate for both labels), "settled readings", or "bounds" (no estimates).
    false_positives: the proportion of units of label 0 that annotators label 1. false_negatives: the proportion of
    units of label 1 that annotators label 0. wider: the width of the interval (of counts: of the total) divided by its
    width without annotation errors.
    """

    read_twice: int
    read_differently: int
    errors_by: str
    false_positives: Estimate
    false_negatives: Estimate
    wider: float

    def sentences(self, of: str = "the total") -> list[str]:
        """Return the error rates as sentences. of: the quantity whose interval is wider because of these errors."""
        sentences = [f"two annotators disagree on {self.read_differently:,} of {self.read_twice:,} units"]
        false_positives, false_negatives = self.false_positives, self.false_negatives
        if self.errors_by == "flips alike":
            sentences.append(f"assuming symmetric errors, annotators mislabel {false_positives} of the units")
        elif self.errors_by == "bounds":
            sentences.append(
                f"annotators mislabel up to {false_positives.high:.4f} of the units of label 0, or up to "
                f"{false_negatives.high:.4f} of those of label 1; the intervals allow for either. Settle the "
                "disagreements for an estimate and narrower intervals"
            )
        else:
            sentences.append(
                f"annotators mislabel {false_positives} of the units of label 0, and {false_negatives} of those of "
                "label 1"
            )
        wider = f"annotation errors make the interval of {of} {self.wider:.1f} times as wide"
        return [*sentences, wider] if math.isfinite(self.wider) else sentences


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CountEstimates(Rows[CountEstimate]):
    """Counts of all groups (`rows`), of the domains (`domains`) and of everything (`total`), with intervals.

    Iterating, indexing and `len` use the rows; a row can also be indexed by the name of its group. `notes` are the
    sentences of the `caveats`. `diagnostics` check the estimates. has_differences: whether differences of groups have
    estimates. in_shares: whether tables and figures show shares of the units instead of counts.
    """

    keys: tuple[str, ...] = as_json("columns")
    rows: tuple[CountEstimate, ...] = as_json("groups")
    domains: tuple[CountEstimate, ...]
    total: CountEstimate
    diagnostics: Diagnostics
    caveats: tuple[CountNote, ...] = as_json(None, default=())
    laws: tuple[CountLaw, ...] = as_json(None, default=())
    errors: TotalErrors | None = as_json(None, default=None)
    has_differences: bool = as_json(None, default=True)
    in_shares: bool = as_json(None, default=False)
    readings: ReadingErrors | None = as_json(AMONG, default=None)
    recipe: Mapping[str, Any]
    derived: ClassVar = {"notes": "diagnostics"}
    suggested: ClassVar = {"report": "counts.html"}

    @property
    def notes(self) -> tuple[str, ...]:
        """The caveats as sentences, the most severe first."""
        return tuple(note_text(note, self.rows) for note in by_severity(self.caveats))

    def as_shares(self) -> CountEstimates:
        """The same estimates, shown as shares of the units."""
        return replace(self, in_shares=True)

    def _row_called(self, name: str | tuple[str, ...]) -> CountEstimate:
        return self.rows[self._place(name)]

    def difference(self, a: str | tuple[str, ...], b: str | tuple[str, ...]) -> tuple[Estimate, float]:
        """The count of group (or domain) a minus that of b with its interval, and P(a > b), ties counted half.

        Counts of groups are independent given the labels; a group does not differ from itself. If a group is not pooled
        with others, the interval follows from the two intervals (Zou & Donner 2008). The totals of two
        domains, such as two actors in all periods, are compared by the sampling design, with the correlation of units
        that were drawn together. The difference is NaN, without an interval, for a group without labels that is not
        pooled, a sample that is not fully labelled, or labels that were not drawn as stated; `notes` say which.
        P(a > b) alone is NaN if both counts use labels only and these are all negative (or all positive).

        Raises InputError for an unknown group, or if the counts are not by the hierarchical method.
        """
        domains = {row.group: place for place, row in enumerate(self.domains)}
        pair = [domains.get((name,) if isinstance(name, str) else tuple(map(str, name))) for name in (a, b)]
        if not self.has_differences:
            n = sum(
                self.rows[self._place(name)].n if place is None else self.domains[place].n
                for name, place in zip((a, b), pair, strict=True)
            )
            return Estimate(math.nan, None, None, level=self.total.level, method="cannot tell", n=n), math.nan
        if self.errors is not None and pair[0] is not None and pair[1] is not None:
            return self._domain_difference(pair[0], pair[1], self.errors)
        if not self.laws:
            raise InputError(
                f"difference needs `method='hierarchical'` or 'auto'; these counts are by {self.recipe['method']!r}."
            )
        places = [self._place(name) for name in (a, b)]
        a_row, b_row = (self.rows[place] for place in places)
        a_law, b_law = (self.laws[place] for place in places)
        if a_row is b_row:
            return Estimate(0.0, 0.0, 0.0, level=a_row.level, method=a_row.method, n=a_row.n), 0.5
        if not a_row.method == b_row.method == "hierarchical":
            return self._interval_difference(a_row, b_row, correlation=0.0)
        low, high = a_law.minus(b_law, a_row.level)
        value = a_law.expected - b_law.expected
        return Estimate(value, low, high, level=a_row.level, method=a_row.method, n=a_row.n + b_row.n), a_law.more_than(
            b_law
        )

    def bounds_only(self) -> CountEstimates:
        """Return bounds without estimates: from the number of positive labels to all units without a negative label."""

        def bounds(row: CountEstimate) -> CountEstimate:
            high = float(row.n - (row.labelled - row.positives))
            return replace(row, estimate=math.nan, low=float(row.positives), high=high, method="cannot tell")

        checks = replace(self.diagnostics, worth=None)
        return replace(
            self,
            rows=tuple(map(bounds, self.rows)),
            domains=tuple(map(bounds, self.domains)),
            total=bounds(self.total),
            diagnostics=checks,
            caveats=tuple(note for note in self.caveats if not note.needs_estimates),
            laws=(),
            errors=None,
            has_differences=False,
        )

    def _domain_difference(self, a: int, b: int, errors: TotalErrors) -> tuple[Estimate, float]:
        a_row, b_row = self.domains[a], self.domains[b]
        if a == b:
            return Estimate(0.0, 0.0, 0.0, level=a_row.level, method=a_row.method, n=a_row.n), 0.5
        return self._interval_difference(a_row, b_row, correlation=errors.correlation(a, b))

    def _interval_difference(self, a: CountEstimate, b: CountEstimate, *, correlation: float) -> tuple[Estimate, float]:
        n, method = a.n + b.n, " and ".join(dict.fromkeys((a.method, b.method)))
        if math.isnan(a.estimate) or math.isnan(b.estimate):
            return Estimate(math.nan, None, None, level=a.level, method=method, n=n), math.nan
        ends = [(row.estimate, float(row.low), float(row.high)) for row in (a, b)]
        value, low, high, greater = difference_of_totals(ends[0], ends[1], correlation=correlation, level=a.level)
        uniform = method == "labels" and all(row.positives in (0, row.labelled) for row in (a, b))
        if uniform and value == 0.0 and low < high:
            greater = math.nan
        return Estimate(value, low, high, level=a.level, method=method, n=n), greater

    def table_rows(self) -> Sequence[object]:
        """The counts of the groups, then of the domains, then of everything."""
        domains = self.domains if len(self.keys) > 1 else ()
        return (*(self.rows if self.keys else ()), *domains, self.total)

    def frame_rows(self) -> Sequence[object]:
        """The counts of the groups, which add up."""
        return self.rows

    def columns(self) -> Sequence[Column]:
        """The columns of groups, then numbers and the method."""
        ends: Callable[[Any], Any] = _shares if self.in_shares else attrgetter("low", "high")
        estimate, share = (
            [Column(name, NUMBER, only=FRAME), Column(name, kind, get=partial(_shown, name), only=TABLE, answer=True)]
            for name, kind in (("estimate", digits(1)), ("share", NUMBER))
        )
        return [
            *(Column(name, WORDS, name, get=partial(_key, k)) for k, name in enumerate(self.keys or ("group",))),
            Column("n", COUNT, "units"),
            Column("labelled", COUNT),
            Column("positives", COUNT, "positive"),
            *(share if self.in_shares else estimate),
            Column("low", NUMBER, get=lambda row: ends(row)[0], only=FRAME),
            Column("high", NUMBER, get=lambda row: ends(row)[1], only=FRAME),
            Column("interval", span(4 if self.in_shares else 0), get=ends, only=TABLE),
            *([] if self.in_shares else share),
            Column("method", WORDS, detail=True),
        ]

    @property
    def checks(self) -> list[str]:
        """Annotation errors, if some units were labelled twice, and the diagnostics, as sentences."""
        errors = [] if self.readings is None else self.readings.sentences()
        return [*errors, *self.diagnostics.sentences()]

    @property
    def answer(self) -> str:
        """Return the number or proportion of positive units with its interval; without one, its bounds."""
        total, percent = self.total, f"{100 * self.total.level:g}% interval"
        if math.isnan(total.estimate) and self.readings is not None:
            low, high = (number(bound, 0) for bound in (total.low, total.high))
            return f"Between {low} and {high} of {total.n:,} units are positive ({percent})."
        if math.isnan(total.estimate):
            return f"The labels do not show how many of the {total.n:,} units are positive."
        per, decimals = (total.n, 3) if self.in_shares else (1, 0)
        count = f"{number(total.share, 3)}" if self.in_shares else f"About {number(total.estimate, 0)}"
        ends = interval(total.low / per, total.high / per, decimals)
        if total.is_interval_only and self.in_shares:
            high = number(total.high / per, decimals)
            return (
                f"The share of positive units is at most {high} ({percent}; {total.n:,} units); no label is positive."
            )
        if total.is_interval_only:
            high = number(total.high, decimals)
            return f"At most {high} of {total.n:,} units are positive ({percent}); no label is positive."
        if self.in_shares:
            return f"The share of positive units is {count} {ends} ({percent}; {total.n:,} units)."
        if total.labelled == total.n and total.low == total.high:
            return f"{number(total.estimate, 0)} of {total.n:,} units are positive (all are labelled)."
        return f"{count} {ends} of {total.n:,} units are positive ({percent})."

    def footnotes(self) -> Sequence[str]:
        """The checks, and the notes."""
        caveats = [
            footnote(as_sentence(note_text(note, self.rows)), note.severity) for note in by_severity(self.caveats)
        ]
        has_interval_only = any(row.is_interval_only for row in (*self.rows, *self.domains))
        explained = [INTERVAL_ONLY.format("unit")] if has_interval_only else []
        checks = [Note(as_sentence(check), DETAIL) for check in self.checks]
        return [*checks, *caveats, *explained, *self.recipe_notes]

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the groups' counts or shares with their intervals on matplotlib axes (new ones if None)."""
        from howsure.figures.counts import draw_counts

        return draw_counts(self, ax=ax)

    def _place(self, group: str | tuple[str, ...]) -> int:
        name = (group,) if isinstance(group, str) else tuple(map(str, group))
        for position, row in enumerate(self.rows):
            if row.group == name:
                return position
        raise unknown_name("group", ", ".join(name), [", ".join(row.group) for row in self.rows], place="the counts")


def _shown(name: str, row: CountEstimate) -> float | None:
    return None if row.is_interval_only else getattr(row, name)


def _key(place: int, row: CountEstimate) -> str:
    return row.group[place] if place < len(row.group) else ALL


def _shares(row: CountEstimate) -> tuple[float, float]:
    n = row.n or math.nan
    return row.low / n, row.high / n
