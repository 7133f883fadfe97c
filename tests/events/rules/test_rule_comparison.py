"""Two rules side by side: every count again from the tables, by loops."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from howsure.errors import InputError
from howsure.events.examples import example_store
from howsure.events.extraction.recount import recount_events
from howsure.events.periods import period_of
from howsure.events.rule import Rule
from howsure.events.rule_comparison import WHOLE, compare_rules
from howsure.events.store.event_store import EventStore
from tests.events.made_up_store import make_store

MET = Rule(name="met", forms=("met", "attacked", "protested"))


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[EventStore, EventStore]]:
    folder = tmp_path_factory.mktemp("rules")
    with example_store(folder / "first.duckdb") as first:
        recount_events(first, folder / "second.duckdb", rule=MET)
        with EventStore.open(folder / "second.duckdb") as second:
            yield first, second


@pytest.mark.parametrize("period", [None, "month"])
def test_counts_are_those_of_the_stores(stores: tuple[EventStore, EventStore], period: str | None) -> None:
    held = compare_rules(*stores, period=period)
    query = "SELECT actor, document, date, probability, best FROM events JOIN documents USING (document)"
    tables = [store.ask(query) for store in stores]
    wanted = {}
    for side, table in enumerate(tables):
        for actor, document, date, probability, best in table:
            cell = wanted.setdefault((actor, period_of(date, period=period) if period else WHOLE), ({}, {}))
            cell[side][document] = probability, best
    assert {(row.actor, row.period) for row in held.rows} == set(wanted)
    for row in held.rows:
        first, second = wanted[row.actor, row.period]
        assert row.first == pytest.approx(sum(p for p, _ in first.values()))
        assert row.second == pytest.approx(sum(p for p, _ in second.values()))
        assert (row.best_first, row.best_second) == tuple(sum(b for _, b in one.values()) for one in (first, second))
        assert row.both == len(first.keys() & second.keys())
        assert (row.only_first, row.only_second) == (len(first.keys() - second), len(second.keys() - first))
    assert sum(row.only_second for row in held.rows) > 5


def test_other_documents_are_refused(stores: tuple[EventStore, EventStore], tmp_path: Path) -> None:
    with make_store(tmp_path / "a.duckdb") as other, pytest.raises(InputError, match="differ in input"):
        compare_rules(stores[0], other)
    with pytest.raises(InputError, match="no length of period 'years'"):
        compare_rules(*stores, period="years")
