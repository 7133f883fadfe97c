"""Series of a store: every number computed again from its raw clusterings."""

from __future__ import annotations

import csv
import datetime
import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.events.made_up_store import TITLES, MadeUpDocument, hussein_document, make_store, write_store
from tests.events.slow_store import Counts, enumerated, law_of, law_of_sum, raw_counts, slow_interval, slow_periods

from howsure.errors import InputError
from howsure.inputs.periods import (
    PERIODS,
    check_span,
    find_period,
    find_periods,
    n_periods,
    period_end,
    period_start,
    periods_between,
)
from howsure_events.series.actor_comparison import compare_actors
from howsure_events.series.counts import INTERVALS
from howsure_events.series.event_series import UNITS, EventSeries, event_series
from howsure_events.store.event_store import EventStore

S = 37
Z = 1.959963984540054


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    with make_store(tmp_path_factory.mktemp("series") / "made_up.duckdb", documents=90, samples=S) as store:
        yield store


@pytest.fixture(scope="module")
def counts(store: EventStore) -> dict[int, Counts]:
    return raw_counts(store)


def samples_of(counts: dict[int, Counts], actor: str, documents: list[int], unit: str) -> list[list[int]]:
    """What each document adds to the count in each sample."""
    frequencies = [[sample[actor] for sample in counts[document]] for document in documents if document in counts]
    return frequencies if unit == "entities" else [[min(n, 1) for n in samples] for samples in frequencies]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("period", PERIODS)
def test_mean_and_variance_are_the_closed_form(
    store: EventStore, counts: dict[int, Counts], period: str, unit: str
) -> None:
    series, periods = event_series(store, period=period, unit=unit), slow_periods(store, period)
    for actor in series.actors:
        rows = series.rows_of(actor)
        assert [row.period for row in rows] == list(periods)
        for row in rows:
            documents = periods[row.period]
            assert row.n_documents == len(documents)
            if not documents:
                assert math.isnan(row.mean)
                assert math.isnan(row.low)
                assert row.best is None
                continue
            samples = samples_of(counts, actor, documents, unit)
            per = len(documents) if unit == "share" else 1
            means = [sum(sample) / S for sample in samples]
            mean = math.fsum(means) / per
            variance = math.fsum(
                sum((n - m) ** 2 for n in counts_of_document) / (S - 1)
                for counts_of_document, m in zip(samples, means, strict=True)
            )
            assert abs(row.mean - mean) < 1e-12
            assert abs(row.variance - variance / per**2) < 1e-12
            assert abs(row.monte_carlo_error - math.sqrt(variance / S) / per) < 1e-12


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("interval", INTERVALS)
def test_intervals(store: EventStore, counts: dict[int, Counts], interval: str, unit: str, level: float) -> None:
    series, periods = event_series(store, unit=unit, interval=interval, level=level), slow_periods(store, "quarter")
    for row in series.rows:
        documents = periods[row.period]
        if not documents:
            continue
        samples = samples_of(counts, row.actor, documents, unit)
        totals = np.sum(samples, axis=0) if samples else np.zeros(S, dtype=int)
        per = len(documents) if unit == "share" else 1
        if interval == "exact":
            low, high = slow_interval(law_of_sum([law_of(sample) for sample in samples]), level)
        elif interval == "normal":
            reach = {0.5: 0.6744897501960817, 0.95: Z}[level] * np.std(totals, ddof=1)
            low, high = totals.mean() - reach, totals.mean() + reach
        else:
            ranked = sorted(totals.tolist())
            low, high = (ranked[max(math.ceil(q * S - 1e-9), 1) - 1] for q in ((1 - level) / 2, (1 + level) / 2))
        assert (row.low, row.high) == pytest.approx((low / per, high / per), abs=1e-12)


@pytest.mark.parametrize("unit", UNITS)
def test_the_best_count_is_that_of_the_best_clusterings(store: EventStore, unit: str) -> None:
    best, periods = raw_counts(store, "best"), slow_periods(store, "year")
    for row in event_series(store, period="year", unit=unit).rows:
        documents = periods[row.period]
        numbers = [best[document][0][row.actor] for document in documents if document in best]
        count = sum(numbers) if unit == "entities" else sum(n > 0 for n in numbers)
        assert row.best == pytest.approx(count / (len(documents) if unit == "share" else 1))


def test_actors_come_by_falling_expected_count(store: EventStore, counts: dict[int, Counts]) -> None:
    expected = {
        actor: sum(sample[actor] > 0 for samples in counts.values() for sample in samples) / S for actor in TITLES
    }
    assert event_series(store).actors == tuple(sorted(TITLES, key=lambda actor: -expected[actor]))
    assert event_series(store, actors=["USA", "IRQ", "USA"]).actors == ("USA", "IRQ")


def test_an_actor_of_the_lexicon_that_never_acts_has_counts_of_zero(tmp_path: Path) -> None:
    with write_store(tmp_path / "a.duckdb", [hussein_document(0)]) as store:
        (row,) = event_series(store, actors=["USA"]).rows
    assert (row.mean, row.low, row.high, row.best, row.n_documents) == (0.0, 0.0, 0.0, 0.0, 1)


def test_undefined_numbers_are_none(store: EventStore) -> None:
    rows = event_series(store, period="month").to_dict()["rows"]
    empty = next(row for row in rows if row["n_documents"] == 0)
    assert [empty[name] for name in ("mean", "low", "high", "variance", "best")] == [None] * 5
    assert (rows[0]["start"], rows[0]["end"]) == ("1998-11-01", "1998-11-30")


def test_the_recipe_says_how(store: EventStore) -> None:
    recipe = event_series(store, level=0.9, unit="share").recipe
    settings = {name: recipe[name] for name in ("period", "level", "interval", "unit", "documents")}
    (kept,) = store.ask("SELECT count(*) FROM documents")[0]
    assert settings == {"period": "quarter", "level": 0.9, "interval": "exact", "unit": "share", "documents": kept}
    assert recipe["store"]["samples"] == S
    assert recipe["store"]["rule"] == {"name": "attack"}
    assert "actors" not in recipe["store"]
    assert recipe["uncertainty"].startswith("coreference only")


def series_of(path: Path, made: list[MadeUpDocument], **options: int) -> EventSeries:
    with write_store(path, made, **options) as store:
        return event_series(store)


# The tidy table: all digits, and dates.


COLUMNS = [
    "actor",
    "title",
    "period",
    "start",
    "end",
    "n_documents",
    "mean",
    "low",
    "high",
    "variance",
    "monte_carlo_error",
    "best",
]


@pytest.fixture(scope="module")
def series(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventSeries]:
    with make_store(tmp_path_factory.mktemp("export") / "a.duckdb", seed=3, note="it's “quoted” {x}") as store:
        yield event_series(store)


def test_csv_holds_every_digit(series: EventSeries) -> None:
    rows = list(csv.DictReader(series.to_csv().splitlines()))
    assert list(rows[0]) == COLUMNS
    assert len(rows) == len(series.rows)
    for row, point in zip(rows, series.rows, strict=True):
        assert (row["actor"], row["period"], int(row["n_documents"])) == (point.actor, point.period, point.n_documents)
        for name in ("mean", "low", "high", "variance", "monte_carlo_error"):
            assert row[name] == "" if math.isnan(getattr(point, name)) else float(row[name]) == getattr(point, name)
        assert row["best"] == "" if point.best is None else float(row["best"]) == point.best
    first = next(row for row in rows if row["actor"] == "IRQ")
    assert (first["title"], first["period"], first["start"], first["end"]) == (
        "Iraq",
        "1998-Q4",
        "1998-10-01",
        "1998-12-31",
    )


# Dates and periods: labels, their order, gaps and errors.


DATES = st.dates(datetime.date(1950, 1, 1), datetime.date(2049, 12, 31))


@pytest.mark.parametrize(
    ("date", "labels"),
    [
        ("2005-01-01", ("2004-W53", "2005-01", "2005-Q1", "2005")),
        ("1987-12-31", ("1987-W53", "1987-12", "1987-Q4", "1987")),
        ("2018-12-31T23:59:59Z", ("2019-W01", "2018-12", "2018-Q4", "2018")),
        ("20030320", ("2003-W12", "2003-03", "2003-Q1", "2003")),
        (" 2003-03-20 05:34 ", ("2003-W12", "2003-03", "2003-Q1", "2003")),
    ],
)
def test_labels(date: str, labels: tuple[str, ...]) -> None:
    assert tuple(find_period(date, period=by) for by in PERIODS) == labels


def test_dates_of_python() -> None:
    assert find_periods([datetime.date(1999, 3, 24), datetime.datetime(1999, 6, 10, 23)], period="quarter") == (
        "1999-Q1",
        "1999-Q2",
    )


@given(DATES, DATES, st.sampled_from(PERIODS))
def test_periods_sort_as_time_does_and_leave_no_gap(day: datetime.date, another_day: datetime.date, by: str) -> None:
    first, last = min(day, another_day), max(day, another_day)
    periods = periods_between(first.isoformat(), last.isoformat(), period=by)
    assert (periods[0], periods[-1]) == (find_period(first, period=by), find_period(last, period=by))
    assert list(periods) == sorted(set(periods))
    starts = [period_start(period) for period in periods]
    assert all(find_period(start, period=by) == period for start, period in zip(starts, periods, strict=True))
    days = {(b - a).days for a, b in pairwise(starts)}
    longest = {"week": 7, "month": 31, "quarter": 92, "year": 366}[by]
    assert all(0 < gap <= longest for gap in days)


@pytest.mark.parametrize("period", PERIODS)
def test_the_last_days_that_there_are(period: str) -> None:
    periods = periods_between("9998-12-30", "9999-12-31", period=period)
    assert periods[-1] == find_period("9999-12-31", period=period)
    assert period_end(periods[-1]) == datetime.date.max
    assert periods_between("0001-01-01", "0001-01-02", period=period) == (find_period("0001-01-01", period=period),)


def test_more_periods_than_anybody_looks_at() -> None:
    first, last = datetime.date(1, 1, 1), datetime.date(2003, 5, 1)
    with pytest.raises(InputError, match=r"0001-01-01 to 2003-05-01: 24,0\d\d periods of a month, more than 10,000"):
        check_span(first, last, period="month", advice="Look at it.")
    check_span(first, last, period="year", advice="Look at it.")
    assert n_periods(datetime.date(1999, 1, 1), datetime.date(2003, 5, 1), period="month") in (52, 53)


@pytest.fixture(scope="module")
def store_to_compare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    with make_store(tmp_path_factory.mktemp("comparison") / "a.duckdb", documents=80) as event_store:
        yield event_store


@pytest.mark.parametrize("unit", ["documents", "entities"])
def test_against_enumeration(tmp_path: Path, unit: str) -> None:
    with make_store(tmp_path / "a.duckdb", documents=60, samples=3) as store_to_compare:
        counts, periods = raw_counts(store_to_compare), slow_periods(store_to_compare, "month")
        compared = compare_actors(store_to_compare, "NATO", "YUG", period="month", unit=unit)
    n_uncertain = 0
    for row in compared.rows:
        documents = periods[row.period]
        assert row.n_documents == len(documents)
        if not documents:
            assert math.isnan(row.greater)
            continue
        most = 1 if unit == "documents" else 255
        law = enumerated(
            [[min(s["NATO"], most) - min(s["YUG"], most) for s in counts[d]] for d in documents if d in counts]
        )
        assert row.greater == pytest.approx(sum(p for k, p in law.items() if k > 0), abs=1e-12)
        assert row.equal == pytest.approx(law.get(0, 0.0), abs=1e-12)
        assert row.less == pytest.approx(sum(p for k, p in law.items() if k < 0), abs=1e-12)
        assert row.mean == pytest.approx(sum(k * p for k, p in law.items()), abs=1e-12)
        n_uncertain += len(law) > 1
    assert n_uncertain >= 8


@pytest.mark.parametrize("period", ["quarter", "year"])
def test_against_the_convolved_laws_of_more_documents(tmp_path: Path, period: str) -> None:
    with make_store(tmp_path / "a.duckdb", documents=60, samples=17) as store_to_compare:
        counts, periods = raw_counts(store_to_compare), slow_periods(store_to_compare, period)
        compared = compare_actors(store_to_compare, "USA", "NATO", period=period, level=0.9)
        series = event_series(store_to_compare, period=period, actors=["USA", "NATO"])
    for row in compared.rows:
        if not row.n_documents:
            continue
        samples_of_documents = [counts[d] for d in periods[row.period] if d in counts]
        law = law_of_sum(
            [law_of([min(s["USA"], 1) - min(s["NATO"], 1) for s in samples]) for samples in samples_of_documents]
        )
        assert row.greater == pytest.approx(sum(p for k, p in law.items() if k > 0), abs=1e-12)
        assert (row.low, row.high) == slow_interval(law, 0.9)
    means = [{row.period: row.mean for row in series.rows_of(actor)} for actor in ("USA", "NATO")]
    for row in compared.rows:
        assert row.mean == pytest.approx(means[0][row.period] - means[1][row.period], nan_ok=True)


def test_turned_round_it_says_the_same(store_to_compare: EventStore) -> None:
    comparison, turned = (
        compare_actors(store_to_compare, "IRQ", "KWT"),
        compare_actors(store_to_compare, "KWT", "IRQ"),
    )
    for a, b in zip(comparison.rows, turned.rows, strict=True):
        assert (a.greater, a.equal, a.less) == pytest.approx((b.less, b.equal, b.greater), nan_ok=True)
        assert (a.low, a.high) == pytest.approx((-b.high, -b.low), nan_ok=True)


def test_invalid_comparisons_are_refused(store_to_compare: EventStore) -> None:
    for (first, second, options), message in {
        ("NATO", "NATO", ()): "must be different actors; both are NATO",
        ("NATO", "JUG", ()): "no actor 'JUG' .* Did you mean YUG",
        ("NATO", "YUG", (("period", "day"),)): "no length of period 'day'",
        ("NATO", "YUG", (("unit", "share"),)): "no unit 'share'",
    }.items():
        with pytest.raises(InputError, match=message):
            compare_actors(store_to_compare, first, second, **dict(options))


def test_the_verdict_counts_the_periods(store_to_compare: EventStore) -> None:
    for level in (0.3, 0.6, 0.95):
        comparison = compare_actors(store_to_compare, "YUG", "KWT", period="quarter", level=level)
        rows = [row for row in comparison.rows if row.n_documents]
        more, fewer = sum(row.low > 0 for row in rows), sum(row.high < 0 for row in rows)
        equal = sum(row.low == row.high == 0 for row in rows)
        assert f"Of {len(rows)} quarters with documents, YUG has more in {more} and KWT in {fewer} " in str(comparison)
        same = f" and the same number in {equal}" if equal else ""
        assert f"{100 * level:g}% interval of the difference excludes 0){same}" in comparison.verdict()
        assert comparison.silent == ()


@pytest.mark.long
def test_actors_that_never_act_are_named(tmp_path: Path) -> None:
    titles = {**TITLES, "A": "Atlantis", "B": "Brobdingnag"}
    with make_store(tmp_path / "a.duckdb", documents=30, actors=titles) as store_to_compare:
        assert (
            compare_actors(store_to_compare, "A", "B").verdict() == "Neither A nor B acts in any document of the store."
        )
        assert (
            compare_actors(store_to_compare, "YUG", "B").verdict().startswith("B acts in no document of the store. Of ")
        )
        assert compare_actors(store_to_compare, "A", "YUG").silent == ("A",)
