"""Corrected counts next to raw ones: in tables, exports and figures; without labels, nothing changes."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.events.corrected.known_truth import labelled_store
from tests.events.made_up_store import make_store, store_file

from howsure.errors import InputError
from howsure.figures.style import new_figure
from howsure.result import plain
from howsure_events.figures import draw_events, event_figure
from howsure_events.labels.draw_documents import draw_documents
from howsure_events.series.actor_comparison import compare_actors
from howsure_events.series.corrected_comparison import corrected_comparison
from howsure_events.series.corrected_series import corrected_series
from howsure_events.series.event_series import event_series
from howsure_events.series.files import comparison_with_corrections, series_with_corrections
from howsure_events.store.event_store import EventStore


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventStore]:
    with EventStore.open(labelled_store(tmp_path_factory.mktemp("corrected") / "labelled.duckdb")) as store:
        yield store


@pytest.mark.long
def test_each_row_has_the_corrected_count_of_its_actor_and_period(store: EventStore) -> None:
    series = series_with_corrections(store, event_series(store, actors=["BBB", "AAA"]))
    corrected = corrected_series(store)
    columns = series.frame_columns()
    for at, key in enumerate(zip(columns["actor"], columns["period"], strict=True)):
        row = next(row for row in corrected.rows if (row.actor, row.period) == key)
        cells_of_row = [columns[name][at] for name in ("corrected", "corrected_low", "corrected_high", "labelled")]
        assert cells_of_row == [row.estimate, row.low, row.high, row.labelled]
    document = series.to_dict()
    assert document["corrected"]["totals"] == [plain(corrected.total_of(actor)) for actor in ("BBB", "AAA")]
    cells = series.table().rows[-2]
    assert list(cells[:3]) == ["BBB", "Borland", "all"]
    assert cells[4] == f"{sum(row.mean for row in series.rows_of('BBB')):.1f}"
    assert cells[-2] == f"{corrected.total_of('BBB').estimate:.1f}"
    assert "Anna" in str(series.corrected)


def test_shares_and_days_are_those_of_the_raw_series(store: EventStore) -> None:
    raw = event_series(store, unit="share", since="2001-04-01", period="month", level=0.9)
    series = series_with_corrections(store, raw)
    assert [row.period for row in series.corrected.rows_of("AAA")] == [row.period for row in raw.rows_of("AAA")]
    assert series.corrected.level == 0.9
    assert max(row.high for row in series.corrected.rows) <= 1.0
    counted = event_series(store, unit="documents", since="2001-04-01", period="month")
    documents = sum(row.n_documents for row in raw.rows_of("AAA"))
    assert raw.raw_total("AAA") == pytest.approx(counted.raw_total("AAA") / documents)


def test_files_hold_both_and_the_recipe_of_both(store: EventStore) -> None:
    series = series_with_corrections(store, event_series(store, actors=["AAA", "CCC"]))
    rows = list(csv.DictReader(series.to_csv().splitlines()))
    assert float(rows[0]["corrected"]) == series.corrected.rows[0].estimate
    assert rows[-1]["corrected"] == rows[-1]["corrected_method"] == ""
    assert series.to_dict()["corrected"]["recipe"]["question"] == series.corrected.recipe["question"]


@pytest.mark.long
def test_figures_draw_corrected_points_and_the_raw_counts_as_dashes(store: EventStore) -> None:
    series = series_with_corrections(store, event_series(store, actors=["AAA", "CCC"]))
    ax = draw_events(series, ax=new_figure(4, 3).add_subplot(), actors=["AAA"])
    dashes, *points = ax.lines
    assert np.array_equal(dashes.get_ydata(), [row.mean for row in series.rows_of("AAA")])
    rows = series.corrected.rows_of("AAA")
    drawn = [y for line in points for y in line.get_ydata()]
    assert sorted(drawn) == sorted(row.estimate for row in rows)
    ends = [tuple(segment[:, 1].tolist()) for segment in ax.collections[0].get_segments()]
    assert ends == [(row.low, row.high) for row in rows]
    figure = event_figure(series)
    *panels, below = figure.axes
    assert [ax.get_title(loc="left") for ax in panels] == ["Arland (AAA)", "Corland (CCC), no labels"]
    assert [bar.get_height() for bar in below.patches[len(rows) :]] == [row.labelled for row in rows]
    assert "raw: what the model finds" in [text.get_text() for text in figure.legends[0].get_texts()]
    assert len(panels[1].lines) == 1
    alone = series.corrected.plot()
    assert [y for line in alone.lines for y in line.get_ydata()] == drawn
    with pytest.raises(InputError, match="1 to 4 actors; there are 0"):
        series.corrected.plot(actors=[])


@pytest.mark.long
def test_a_comparison_has_that_of_the_corrected_counts(store: EventStore) -> None:
    compared = comparison_with_corrections(store, compare_actors(store, "BBB", "AAA"))
    expected = corrected_comparison(corrected_series(store), "BBB", "AAA")
    assert compared.corrected.rows == expected.rows
    assert compared.to_dict()["corrected"]["total"] == expected.to_dict()["total"]
    assert [row["corrected_greater"] for row in compared.records()] == [row.greater for row in expected.rows]
    assert len(compared.to_frame()) == len(compared.rows)
    assert "Corrected counts. Of 4 quarters" in str(compared)
    assert compared.tables_above()[0].headings[0] == "corrected"
    same = comparison_with_corrections(store, compare_actors(store, "AAA", "CCC"))
    assert same.corrected is None
    assert "No corrected count for CCC" in same.to_dict()["not_corrected"]
    assert same.not_corrected in same.footnotes()


def test_where_there_are_no_labels_nothing_changes(tmp_path: Path) -> None:
    with make_store(tmp_path / "a.duckdb") as plain:
        series, compared = event_series(plain), compare_actors(plain, "IRQ", "USA")
        assert series_with_corrections(plain, series) == series
        assert comparison_with_corrections(plain, compared) == compared
        assert list(series.frame_columns())[-1] == "best"
        assert "corrected" not in series.to_dict()
        assert "corrected" not in compared.to_dict()
        assert compared.records() == compared.to_dict()["rows"]


def test_reasons_why_there_is_no_corrected_series(store: EventStore, tmp_path: Path) -> None:
    entities = event_series(store, unit="entities")
    why = "No corrected counts of entities: coders answered only which actors act in a document."
    assert series_with_corrections(store, entities) == replace(entities, not_corrected=why)
    nobody = event_series(store, actors=["CCC"])
    assert "No corrected counts for CCC" in series_with_corrections(store, nobody).not_corrected
    path = tmp_path / "begun.duckdb"
    store_file(path)
    with EventStore.open(path, read_only=False) as begun:
        draw_documents(begun, 20)
        same = series_with_corrections(begun, event_series(begun))
    assert same.corrected is None
    assert same.not_corrected.startswith(
        "No corrected counts yet: a correction needs labels of at least 10 documents; 0 have them."
    )
