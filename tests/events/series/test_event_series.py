"""Series of a store: every number computed again from its raw clusterings."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from howsure.errors import InputError
from howsure.events.periods import PERIODS
from howsure.events.series.counts import INTERVALS
from howsure.events.series.event_series import UNITS, EventSeries, event_series
from howsure.events.store.event_store import EventStore
from tests.events.made_up_store import TITLES, MadeUpDocument, MadeUpMention, hussein_document, make_store, write_store
from tests.events.slow_store import Counts, law_of, law_of_sum, raw_counts, slow_interval, slow_periods

S = 37
Z = 1.959963984540054


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    with make_store(tmp_path_factory.mktemp("series") / "made_up.duckdb", documents=90, samples=S) as held:
        yield held


@pytest.fixture(scope="module")
def counts(store: EventStore) -> dict[int, Counts]:
    return raw_counts(store)


def samples_of(counts: dict[int, Counts], actor: str, documents: list[int], unit: str) -> list[list[int]]:
    """What each document adds to the count in each sample."""
    held = [[sample[actor] for sample in counts[document]] for document in documents if document in counts]
    return held if unit == "entities" else [[min(n, 1) for n in samples] for samples in held]


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
            means = [sum(one) / S for one in samples]
            mean = math.fsum(means) / per
            variance = math.fsum(
                sum((n - m) ** 2 for n in one) / (S - 1) for one, m in zip(samples, means, strict=True)
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
            low, high = slow_interval(law_of_sum([law_of(one) for one in samples]), level)
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
        held = [best[document][0][row.actor] for document in documents if document in best]
        count = sum(held) if unit == "entities" else sum(n > 0 for n in held)
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


def test_what_is_undefined_is_none(store: EventStore) -> None:
    rows = event_series(store, period="month").to_dict()["rows"]
    empty = next(row for row in rows if row["n_documents"] == 0)
    assert [empty[name] for name in ("mean", "low", "high", "variance", "best")] == [None] * 5
    assert (rows[0]["start"], rows[0]["end"]) == ("1998-11-01", "1998-11-30")


def test_the_recipe_says_how(store: EventStore) -> None:
    recipe = event_series(store, level=0.9, unit="share").recipe
    asked = {name: recipe[name] for name in ("period", "level", "interval", "unit", "documents")}
    (kept,) = store.ask("SELECT count(*) FROM documents")[0]
    assert asked == {"period": "quarter", "level": 0.9, "interval": "exact", "unit": "share", "documents": kept}
    assert recipe["store"]["samples"] == S
    assert recipe["store"]["rule"] == {"name": "attack"}
    assert "actors" not in recipe["store"]
    assert recipe["uncertainty"].startswith("coreference only")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"actors": ["IRK"]}, "no actor 'IRK' in the store; .* Did you mean IRQ"),
        ({"actors": "IRQ"}, "actors must be a list of codes"),
        ({"actors": []}, "actors must be a list of codes"),
        ({"period": "decade"}, "no length of period 'decade'"),
        ({"period": "quater"}, "Did you mean quarter"),
        ({"unit": "articles"}, "no unit 'articles'"),
        ({"interval": "exactly"}, "no interval 'exactly' .* Did you mean exact"),
        ({"level": 95}, "level"),
    ],
)
def test_what_is_refused(store: EventStore, options: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        event_series(store, **options)  # type: ignore[arg-type]


def series_of(path: Path, made: list[MadeUpDocument], **options: int) -> EventSeries:
    with write_store(path, made, **options) as store:
        return event_series(store)


def test_stores_without_anything_to_count(tmp_path: Path) -> None:
    nobody = MadeUpDocument(0, hussein_document(0).date, None, (MadeUpMention(("they",)),), np.ones((1, 1)))
    with pytest.raises(InputError, match="the store contains no event: no actor acts"):
        series_of(tmp_path / "no_event.duckdb", [nobody])
    with pytest.raises(InputError, match="the store holds no document"):
        series_of(tmp_path / "empty.duckdb", [])
    with pytest.raises(InputError, match="2 samples or more"):
        series_of(tmp_path / "one.duckdb", [hussein_document(0)], samples=1)


def test_an_actor_that_was_not_asked_for(store: EventStore) -> None:
    with pytest.raises(InputError, match="no actor 'IRQ' in the series"):
        event_series(store, actors=["USA"]).rows_of("IRQ")
