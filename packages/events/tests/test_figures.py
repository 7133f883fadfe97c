"""Series of events drawn: the numbers given, gaps where nothing was read, a page of many."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from tests.events.made_up_store import make_store

from howsure.errors import InputError
from howsure.figures.files import figure_bytes
from howsure.figures.style import new_figure
from howsure.figures.width import figure_width
from howsure_events.figures import draw_events, event_figure, event_page
from howsure_events.series.corrected_series import CorrectedCount, CorrectedSeries
from howsure_events.series.event_series import EventSeries, event_series

DRAWN = ["expected (posterior mean)", "95% interval", "1-best", "period may be incomplete", "documents"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, EventSeries]]:
    with make_store(tmp_path_factory.mktemp("figures") / "a.duckdb", documents=90) as store:
        yield {
            "month": event_series(store, period="month"),
            "year": event_series(store, period="year", unit="share"),
            "entities": event_series(store, unit="entities"),
        }


def values(series: EventSeries, actor: str, name: str) -> list[float]:
    return [getattr(row, name) for row in series.rows_of(actor)]


@pytest.mark.long
def test_periods_are_points_with_intervals_and_nothing_between_them(made: dict[str, EventSeries]) -> None:
    series = made["month"]
    rows = tuple(
        replace(row, mean=np.nan, low=np.nan, high=np.nan, best=None) if int(row.period[-2:]) % 2 else row
        for row in series.rows
    )
    alone = replace(series, rows=rows)
    ax = draw_events(alone, ax=new_figure(4, 3).add_subplot(), actors=["YUG"])
    best, whole, partial = ax.lines
    assert {line.get_linestyle() for line in ax.lines} == {"None"}
    assert series.incomplete == (series.rows[0].period, series.rows_of("YUG")[-1].period)
    assert (whole.get_markerfacecolor(), partial.get_markerfacecolor()) == (whole.get_color(), "white")
    by_period = {row.period: row for row in alone.rows_of("YUG")}
    drawn = [row.mean for period, row in by_period.items() if period not in series.incomplete]
    np.testing.assert_array_equal(whole.get_ydata(), drawn)
    np.testing.assert_array_equal(partial.get_ydata(), [by_period[period].mean for period in series.incomplete])
    ends = [tuple(segment[:, 1].tolist()) for segment in ax.collections[0].get_segments() if len(segment)]
    assert ends == [(row.low, row.high) for row in by_period.values() if row.low == row.low]
    np.testing.assert_array_equal(
        best.get_ydata(), [np.nan if row.best is None else row.best for row in by_period.values()]
    )


def test_documents_stand_below(made: dict[str, EventSeries]) -> None:
    *_, below = event_figure(made["month"], panels=[["IRQ"]]).axes
    rows = made["month"].rows_of("IRQ")
    assert [bar.get_height() for bar in below.patches[: len(rows)]] == [row.n_documents for row in rows]
    assert below.get_title(loc="left") == f"documents, at most {max(row.n_documents for row in rows)}"
    shares = event_page(made["year"])
    shares.canvas.draw()
    assert {text.get_text()[-1:] for text in shares.axes[0].get_yticklabels()} == {"%"}


def texts(figure: Figure) -> set[str]:
    """All that is written in a figure."""
    return {text.get_text() for text in figure.findobj(Text)}


def test_panels_of_actors(made: dict[str, EventSeries]) -> None:
    figure = event_figure(made["month"], panels=[["IRQ"], ["YUG", "NATO"]], title="Attacks $1")
    assert [ax.get_title(loc="left") for ax in figure.axes] == [
        "Iraq (IRQ)",
        "Yugoslavia and NATO",
        "documents, at most 9",
    ]
    assert [text.get_text() for text in figure.axes[1].get_legend().get_texts()] == ["Yugoslavia (YUG)", "NATO"]
    assert figure.axes[0].get_legend() is None
    assert [text.get_text() for text in figure.legends[0].get_texts()] == DRAWN
    assert {"Attacks $1", "documents a month (one scale)"} <= texts(figure)
    assert len(event_figure(made["month"]).axes) == 5 + 1


@pytest.mark.long
def test_a_page_of_actors(made: dict[str, EventSeries]) -> None:
    figure = event_page(made["entities"])
    titled = [ax.get_title(loc="left") for ax in figure.axes]
    assert titled[:2] == [
        f"{made['entities'].titles[code]} ({code})" if code != "NATO" else code for code in made["entities"].actors[:2]
    ]
    assert [ax.axison for ax in figure.axes] == [True] * 5 + [False] + [True] * 3
    assert [text.get_text() for text in figure.legends[0].get_texts()] == DRAWN
    assert b">entities a quarter (own scales)<" in figure_bytes(figure, ".svg")
    assert "share of the documents of a year (own scales)" in texts(event_page(made["year"]))


def test_what_is_refused(made: dict[str, EventSeries]) -> None:
    for panels, message in [
        ([], "1 to 12 panels; there are 0"),
        ([["IRQ"]] * 13, "1 to 12 panels; there are 13"),
        ([["IRQ"], []], "1 to 4 actors; one has 0"),
        ([["IRQ", "USA", "YUG", "NATO", "KWT"]], "1 to 4 actors; one has 5"),
        ([["IRK"]], "no actor 'IRK' in the series"),
    ]:
        with pytest.raises(InputError, match=message):
            event_figure(made["month"], panels=panels)


LONG = "United Kingdom of Great Britain and Northern Ireland"


def six_actors(series: EventSeries) -> EventSeries:
    """The series with a sixth actor, long names, and an event of many words."""
    first = series.actors[0]
    rows = (*series.rows, *(replace(row, actor="GBR") for row in series.rows_of(first)))
    titles = {**series.titles, first: f"{LONG} 1", "GBR": LONG}
    rule = {
        "name": "attack",
        "verbs": ["attack", "bombard", "invade", "shell", "storm", "raid", "assault", "strike"] * 3,
    }
    store = {**series.recipe["store"], "rule": rule}
    return replace(
        series, rows=rows, titles=titles, recipe={**series.recipe, "store": store, "event": f"attack ({LONG * 3})"}
    )


def clashes(figure: Figure) -> list[str]:
    """Texts that are cut off at the border of a figure, or that overlap."""
    for _ in range(2):  # room for a legend is found by the second layout
        figure.draw_without_rendering()
    renderer = FigureCanvasAgg(figure).get_renderer()
    outside = _outside(figure)
    boxes = [
        (text.get_text(), text.get_window_extent(renderer))
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text not in outside
    ]
    inside = figure.bbox.padded(1)
    cut = [
        f"cut: {name}"
        for name, box in boxes
        if not (inside.contains(box.x0, box.y0) and inside.contains(box.x1, box.y1))
    ]
    pairs = itertools.combinations(boxes, 2)
    return cut + [
        f"{a!r} on {b!r}" for (a, first), (b, second) in pairs if first.padded(-1).overlaps(second.padded(-1))
    ]


def _outside(figure: Figure) -> set[Text]:
    """The names of ticks that are not drawn: beyond the limits of an axis, or of axes that are off."""
    outside = set()
    for ax in figure.axes:
        for axis, (low, high) in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
            for tick in axis.get_major_ticks():
                if not (ax.axison and low <= tick.get_loc() <= high):
                    outside |= {tick.label1, tick.label2}
    return outside


@pytest.mark.parametrize(
    "width", [pytest.param(3.3, marks=pytest.mark.long), *(pytest.param(w, marks=pytest.mark.slow) for w in (5.0, 6.7))]
)
def test_no_text_is_cut_or_overlaps(made: dict[str, EventSeries], width: float) -> None:
    series = six_actors(made["month"])
    with figure_width(width):
        for n in range(1, 7):
            actors = series.actors[-n:]
            shown = replace(
                series,
                rows=tuple(row for row in series.rows if row.actor in actors),
                titles={a: series.titles[a] for a in actors},
            )
            assert clashes(event_figure(shown)) == [], f"{n} actors"
            assert clashes(event_page(shown)) == [], f"{n} actors on a page"


@pytest.mark.parametrize(
    ("positives", "estimate", "high", "shown"),
    [
        (0, 0.0, 7.0, False),
        (0, 0.0, 0.2, False),
        (0, 0.001, 7.0, True),
        (0, 0.49, 2.0, True),
        (1, 0.0, 7.0, True),
        (0, 0.0, 0.0, True),
    ],
)
def test_a_zero_is_no_point_where_its_interval_is_not_zero(
    positives: int, estimate: float, high: float, shown: bool
) -> None:
    count = CorrectedCount("A", "2001", 9, 3, positives, estimate, 0.0, high, "labels")
    assert count.is_interval_only is not shown
    assert count.shown == (estimate if shown else None)


def test_the_legend_explains_what_is_drawn(made: dict[str, EventSeries]) -> None:
    series = made["year"]
    counts = [CorrectedCount("IRQ", row.period, 9, 3, 0, 0.0, 0.0, 0.2, "labels") for row in series.rows_of("IRQ")]
    recipe = {**series.recipe, "question": "Which?", "asked": ["IRQ"]}

    def legend(first: CorrectedCount, *others: CorrectedCount) -> list[str]:
        corrected = CorrectedSeries(
            titles={"IRQ": "Iraq"},
            rows=(first, *others),
            totals=(),
            not_asked=(),
            label_notes=(),
            checks=(),
            recipe=recipe,
            counts=None,
        )
        assert corrected.to_frame()["estimate"].iloc[0] == first.estimate
        both = series.with_corrected(corrected)
        for result in (corrected, both):  # a table shows no estimate where the figure has no point
            assert ("no labelled document is positive" in result.text()) == first.is_interval_only
            table = str(result.table())
            estimate = "–" if first.is_interval_only else "0.0010"
            assert re.search(rf"{estimate} +\[0\.0000, 0\.2000\]", table)
        if first.is_interval_only:
            with figure_width(3.3):
                assert clashes(event_figure(both, panels=[["IRQ"]])) == []
        figure = event_figure(both, panels=[["IRQ"]])
        return [text.get_text() for text in figure.legends[0].get_texts()]

    explained = "no point: no positive label"
    assert explained in legend(*counts)
    assert explained not in legend(*(replace(count, estimate=0.001) for count in counts))
    first, *_, last = sorted(count.period for count in counts)
    assert {first, last} == set(series.incomplete)  # a hollow point is explained only if it is drawn
    assert "period may be incomplete" not in legend(*counts)
    assert "period may be incomplete" in legend(*(replace(count, estimate=0.001) for count in counts))
