"""Comparison of two actors by their corrected counts, in each period and over all periods."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from howsure.counts.count_law import CountLaw
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import counted, unknown_name
from howsure.result import Rows
from howsure.show.table import FRAME, NUMBER, TABLE, WORDS, Column, Kind, digits, interval, number, probability_is
from howsure.stats.proportions import normal_quantile
from howsure_events.series.corrected_series import ALL, WITHIN, CorrectedCount, CorrectedSeries

UNDECIDED_TOTAL = "In all, the labels do not show which actor has more. Label more documents."
ALONE = "labels"  # the method by which each period is estimated only from its own labels


@dataclass(frozen=True, slots=True)
class CorrectedDifference:
    """The comparison of two actors' corrected counts, T_A and T_B, in a period or over all periods ("all").

    greater, equal, less: P(T_A > T_B), P(T_A = T_B) and P(T_A < T_B). mean, low, high: T_A - T_B and its interval. If
    the distributions of the counts are unknown, as for "all", T_A - T_B is treated as normal, and a difference of less
    than half a document counts as equal. All values are NaN in a period without documents. If neither actor has a
    positive label, only the probabilities are NaN.
    """

    period: str
    greater: float
    equal: float
    less: float
    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CorrectedComparison(Rows[CorrectedDifference]):
    """Two actors compared by their corrected counts, in each period (`rows`) and over all periods (`total`)."""

    first: str
    second: str
    rows: tuple[CorrectedDifference, ...]
    total: CorrectedDifference
    label_notes: tuple[str, ...]
    checks: tuple[str, ...]
    recipe: Mapping[str, Any]

    named = "period"

    def columns_beside(self) -> list[Column]:
        """Columns for the frame of a raw comparison, one row per period."""
        return [
            Column(f"corrected_{spec.name}", NUMBER, values=[getattr(row, spec.name) for row in self.rows], only=FRAME)
            for spec in fields(CorrectedDifference)[1:]
        ]

    def table_rows(self) -> Sequence[object]:
        """One row per period, then a row for all periods."""
        return (*self.rows, self.total)

    def columns(self) -> Sequence[Column]:
        """P(T_A > T_B), P(T_A = T_B), P(T_A < T_B) and T_A - T_B."""
        return [
            Column("period", WORDS),
            Column("greater", digits(3), f"P({self.first} > {self.second})"),
            Column("equal", digits(3), "P(equal)"),
            Column("less", digits(3), f"P({self.first} < {self.second})"),
            Column("difference", Kind(str), get=_difference, only=TABLE),
            *(Column(name, NUMBER, only=FRAME) for name in ("mean", "low", "high")),
        ]

    def footnotes(self) -> Sequence[str]:
        """The verdict, and notes on it."""
        return [self.verdict(), *self.label_notes, *self.checks]

    def verdict(self) -> str:
        """The numbers of periods in which each actor has more documents, and the conclusion over all periods."""
        a, b = self.first, self.second
        rows = [row for row in self.rows if not math.isnan(row.mean)]
        total = self.total
        if math.isnan(total.greater):
            verdict = comparison_verdict(rows, a, b, self.recipe)
            return f"Corrected counts. {verdict} {UNDECIDED_TOTAL if rows else ''}".rstrip()
        in_all = {"greater": f"{a} has more", "less": f"{b} has more"}.get(conclusion(total), "")
        return (
            f"Corrected counts. {comparison_verdict(rows, a, b, self.recipe)} In all, "
            f"{in_all or 'there is no conclusion'}: P({a} > {b}) {probability_is(total.greater)}."
        )


def conclusion(row: Any) -> str:
    """Return "greater" or "less" if the interval of a difference excludes 0, "equal" if it is [0, 0], else ""."""
    if row.low > 0:
        return "greater"
    if row.high < 0:
        return "less"
    return "equal" if row.low == row.high == 0 else ""


def comparison_verdict(rows: Sequence[Any], first: str, second: str, recipe: Mapping[str, Any]) -> str:
    """Return a sentence with the number of periods in which each actor has more documents, and of undecided periods.

    rows: the periods with documents. An actor has more documents if the interval of the difference excludes 0.
    """
    conclusions = [conclusion(row) for row in rows]
    more, fewer, equal = (conclusions.count(side) for side in ("greater", "less", "equal"))
    shown = f"the {100 * recipe['level']:g}% interval of the difference excludes 0"
    same = f" and the same number in {equal}" if equal else ""
    return (
        f"Of {counted(len(rows), recipe['period'])} with documents, {first} has more in {more} and {second} in "
        f"{fewer} ({shown}){same}; {len(rows) - more - fewer - equal} remain undecided."
    )


def corrected_comparison(series: CorrectedSeries, first: str, second: str) -> CorrectedComparison:
    """Compare two actors of a corrected series of documents.

    In a period, P(T_A > T_B) = Σ_t P(T_A = t) P(T_B < t), with the distributions of the two counts, which are assumed
    to be independent given the labels. Over all periods, and in periods that are estimated only from their own labels,
    T_A - T_B has the interval of Zou & Donner (2008) for the difference of two estimates with intervals. This interval
    is wider if the actors tend to exclude each other in labelled documents. P(T_A > T_B) is then computed from the
    normal distribution with this interval.

    Raises InputError for the same actor twice, one without labels, or a series of shares.
    """
    if first == second:
        raise InputError(f"first and second must be different actors; both are {first}.")
    if series.unit != "documents":
        raise unknown_name("unit", series.unit, ["documents"], place="corrected comparisons")
    first_rows, second_rows = series.rows_of(first), series.rows_of(second)
    laws = {} if series.counts is None or not series.counts.laws else _laws(series)  # withdrawn counts have no laws
    rows = tuple(
        _compare_laws(
            laws.get((first, first_row.period)), laws.get((second, second_row.period)), first_row, series.level
        )
        if ALONE not in (first_row.method, second_row.method)
        else _normal_difference(
            series, (first, WITHIN, first_row.period), (second, WITHIN, second_row.period), first_row.period
        )
        for first_row, second_row in zip(first_rows, second_rows, strict=True)
    )
    total = _total_difference(series, first, second)
    silent = sum(math.isnan(row.greater) and not math.isnan(row.mean) for row in rows)
    undecided = [_undecided_note(silent, series.recipe["period"])] if silent else []
    return CorrectedComparison(
        first=first,
        second=second,
        rows=rows,
        total=total,
        label_notes=(*undecided, *series.label_notes),
        checks=series.checks,
        recipe=series.recipe,
    )


def _difference(row: CorrectedDifference) -> str | None:
    """Format the difference with its interval; None if it is undefined."""
    return None if math.isnan(row.mean) else f"{number(row.mean, 1)} {interval(row.low, row.high, 0)}"


def _undecided_note(silent: int, period: str) -> str:
    return (
        f"In {counted(silent, period)} neither actor has a positive label, so the labels do not show which has more; "
        "label more documents."
    )


def _laws(series: CorrectedSeries) -> dict[tuple[str, str], CountLaw]:
    assert series.counts is not None
    rows_and_laws = zip(series.counts.rows, series.counts.laws, strict=True)
    return {(row.group[0], row.group[2]): law for row, law in rows_and_laws if row.group[1] == WITHIN}


def _compare_laws(a: CountLaw | None, b: CountLaw | None, row: CorrectedCount, level: float) -> CorrectedDifference:
    if math.isnan(row.estimate):
        return CorrectedDifference(row.period, *[math.nan] * 6)
    if a is None or b is None:  # no stored document in the period
        return CorrectedDifference(row.period, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
    greater, equal, low, high = a.against(b, level)
    less = max(0.0, 1.0 - greater - equal)
    return CorrectedDifference(row.period, greater, equal, less, a.expected - b.expected, float(low), float(high))


def _total_difference(series: CorrectedSeries, first: str, second: str) -> CorrectedDifference:
    """Compare the totals over the requested days."""
    total = series.total_of(first)
    if math.isnan(total.estimate):
        return CorrectedDifference(ALL, *[math.nan] * 6)
    if series.counts is None or total.n == 0:  # no stored document
        return CorrectedDifference(ALL, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)
    return _normal_difference(series, (first, WITHIN), (second, WITHIN), ALL)


def _normal_difference(
    series: CorrectedSeries, first: tuple[str, ...], second: tuple[str, ...], period: str
) -> CorrectedDifference:
    """Compare two counts whose distributions are unknown, with a normal distribution; NaN without an interval."""
    assert series.counts is not None
    names = {row.group for row in (*series.counts.rows, *series.counts.domains)}
    if not {first, second} <= names:  # one of them has no stored document, so it has no count
        return CorrectedDifference(period, *[math.nan] * 6)
    difference, greater = series.counts.difference(first, second)
    if difference.low is None or difference.high is None:
        return CorrectedDifference(period, *[math.nan] * 6)
    reach = difference.value - difference.low if difference.value > 0 else difference.high - difference.value
    if reach == 0:
        more, less = float(difference.value > 0), float(difference.value < 0)
    elif math.isnan(greater):
        more = less = math.nan
    else:  # P(D ≥ ½), P(D ≤ -½) of the normal distribution with this interval
        scale = math.sqrt(2.0) * reach / normal_quantile(series.level)
        more, less = (0.5 * math.erfc((0.5 - sign * difference.value) / scale) for sign in (1.0, -1.0))
    return CorrectedDifference(period, more, 1.0 - more - less, less, difference.value, difference.low, difference.high)
