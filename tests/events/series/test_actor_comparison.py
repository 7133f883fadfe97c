"""P(n_A > n_B) by period: against every choice of one sample of each document."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from howsure.errors import InputError
from howsure.events.series.actor_comparison import compare_actors
from howsure.events.series.event_series import event_series
from howsure.events.store.event_store import EventStore
from tests.events.made_up_store import TITLES, make_store
from tests.events.slow_store import enumerated, law_of, law_of_sum, raw_counts, slow_interval, slow_periods


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    with make_store(tmp_path_factory.mktemp("comparison") / "a.duckdb", documents=80) as held:
        yield held


@pytest.mark.parametrize("unit", ["documents", "entities"])
def test_against_enumeration(tmp_path: Path, unit: str) -> None:
    with make_store(tmp_path / "a.duckdb", documents=60, samples=3) as store:
        counts, periods = raw_counts(store), slow_periods(store, "month")
        compared = compare_actors(store, "NATO", "YUG", period="month", unit=unit)
    asked = 0
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
        asked += len(law) > 1
    assert asked >= 8


@pytest.mark.parametrize("period", ["quarter", "year"])
def test_against_the_convolved_laws_of_more_documents(tmp_path: Path, period: str) -> None:
    with make_store(tmp_path / "a.duckdb", documents=60, samples=17) as store:
        counts, periods = raw_counts(store), slow_periods(store, period)
        compared = compare_actors(store, "USA", "NATO", period=period, level=0.9)
        series = event_series(store, period=period, actors=["USA", "NATO"])
    for row in compared.rows:
        if not row.n_documents:
            continue
        held = [counts[d] for d in periods[row.period] if d in counts]
        law = law_of_sum([law_of([min(s["USA"], 1) - min(s["NATO"], 1) for s in samples]) for samples in held])
        assert row.greater == pytest.approx(sum(p for k, p in law.items() if k > 0), abs=1e-12)
        assert (row.low, row.high) == slow_interval(law, 0.9)
    means = [{row.period: row.mean for row in series.rows_of(actor)} for actor in ("USA", "NATO")]
    for row in compared.rows:
        assert row.mean == pytest.approx(means[0][row.period] - means[1][row.period], nan_ok=True)


def test_turned_round_it_says_the_same(store: EventStore) -> None:
    one, other = compare_actors(store, "IRQ", "KWT"), compare_actors(store, "KWT", "IRQ")
    for a, b in zip(one.rows, other.rows, strict=True):
        assert (a.greater, a.equal, a.less) == pytest.approx((b.less, b.equal, b.greater), nan_ok=True)
        assert (a.low, a.high) == pytest.approx((-b.high, -b.low), nan_ok=True)


def test_what_is_refused(store: EventStore) -> None:
    for (first, second, options), told in {
        ("NATO", "NATO", ()): "must be different actors; both are NATO",
        ("NATO", "JUG", ()): "no actor 'JUG' .* Did you mean YUG",
        ("NATO", "YUG", (("period", "day"),)): "no length of period 'day'",
        ("NATO", "YUG", (("unit", "share"),)): "no unit 'share'",
    }.items():
        with pytest.raises(InputError, match=told):
            compare_actors(store, first, second, **dict(options))


def test_the_verdict_counts_the_periods(store: EventStore) -> None:
    for level in (0.3, 0.6, 0.95):
        held = compare_actors(store, "YUG", "KWT", period="quarter", level=level)
        told = [row for row in held.rows if row.n_documents]
        more, fewer, equal = (
            len([row for row in told if getattr(row, side) >= level]) for side in ("greater", "less", "equal")
        )
        assert f"Of {len(told)} quarters with documents, YUG acts in more in {more} and KWT in {fewer}, " in str(held)
        assert f"probability {level:g} or more; {equal} " in held.verdict()
        assert held.silent == ()


def test_actors_that_never_act_are_named(tmp_path: Path) -> None:
    titles = {**TITLES, "A": "Atlantis", "B": "Brobdingnag"}
    with make_store(tmp_path / "a.duckdb", documents=30, actors=titles) as store:
        assert compare_actors(store, "A", "B").verdict() == "Neither A nor B acts in any document of the store."
        assert compare_actors(store, "YUG", "B").verdict().startswith("B acts in no document of the store. Of ")
        assert compare_actors(store, "A", "YUG").silent == ("A",)
