"""What the page asks: plain values, ready for JSON, with the numbers of the chapter's results."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from howsure.errors import InputError
from howsure.events.series.actor_comparison import compare_actors
from howsure.events.series.event_series import event_series
from howsure.events.store.event_store import EventStore
from howsure.explorer import queries
from tests.events.made_up_store import TITLES, make_store, write_store
from tests.events.slow_store import dates, raw_counts


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    with make_store(tmp_path_factory.mktemp("queries") / "a.duckdb", samples=21) as held:
        yield held


def test_a_store_in_which_nothing_happens(tmp_path: Path) -> None:
    with write_store(tmp_path / "empty.duckdb", []) as empty:
        found = queries.overview(empty)
    assert (found["documents"], found["actors"]) == (0, [])


def test_the_overview(store: EventStore) -> None:
    found, counts = queries.overview(store), raw_counts(store)
    assert json.loads(json.dumps(found)) == found
    for one in found["actors"]:
        acting = [sum(sample[one["code"]] > 0 for sample in samples) / 21 for samples in counts.values()]
        best = [samples[0][one["code"]] for samples in raw_counts(store, "best").values()]
        assert one["expected"] == pytest.approx(sum(acting))
        assert one["documents"] == sum(p > 0 or b > 0 for p, b in zip(acting, best, strict=True))
        assert one["title"] == TITLES[one["code"]]
    assert [one["expected"] for one in found["actors"]] == sorted(one["expected"] for one in found["actors"])[::-1]
    held = dates(store)
    assert (found["documents"], found["first"], found["last"]) == (
        len(held), str(min(held.values())), str(max(held.values()))
    )  # fmt: skip
    numbers = [number for number in range(1, 60) if number % 7 == 0]
    assert found["left_out"] == {
        "category": sum(number % 2 == 0 for number in numbers), "no actor": sum(number % 2 for number in numbers)
    }  # fmt: skip
    assert found["settings"]["samples"] == 21
    assert "actors" not in found["settings"]


@pytest.mark.parametrize("unit", ["documents", "share", "entities"])
def test_the_series(store: EventStore, unit: str) -> None:
    found = queries.series(store, ["YUG", "IRQ"], period="month", level=0.8, interval="normal", unit=unit)
    held = event_series(store, actors=["YUG", "IRQ"], period="month", level=0.8, interval="normal", unit=unit)
    assert list(found) == ["YUG", "IRQ"]
    for actor, rows in found.items():
        assert [row["mean"] for row in rows] == [
            None if row.mean != row.mean else row.mean for row in held.rows_of(actor)
        ]
        assert [row["documents"] for row in rows] == [row.n_documents for row in held.rows_of(actor)]
        assert all(row["low"] is None or row["low"] <= row["mean"] <= row["high"] for row in rows)
    json.dumps(found, allow_nan=False)


def test_the_others(store: EventStore) -> None:
    compared = queries.compare(store, "YUG", "NATO", period="year")
    expected = compare_actors(store, "YUG", "NATO", period="year").rows
    assert [(row["greater"], row["equal"], row["less"]) for row in compared] == [
        (row.greater, row.equal, row.less) for row in expected
    ]
    assert [row["documents"] for row in compared] == [row.n_documents for row in expected]
    assert queries.document_view(store, 0, sample=2)["sample"] == 2
    with pytest.raises(InputError, match="no actor 'XXX'"):
        queries.series(store, ["XXX"])
