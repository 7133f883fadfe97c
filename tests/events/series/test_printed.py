"""A series and a comparison as text and HTML: what is printed is what is held."""

from __future__ import annotations

from pathlib import Path

from howsure.events.series.actor_comparison import compare_actors
from howsure.events.series.event_series import event_series
from tests.events.made_up_store import make_store


def test_a_series_and_a_comparison_print_their_numbers(tmp_path: Path) -> None:
    with make_store(tmp_path / "a.duckdb", documents=60) as store:
        series = event_series(store, period="year", actors=["IRQ"])
        compared = compare_actors(store, "IRQ", "YUG", period="year")
    row = series.rows_of("IRQ")[1]
    shown = [f"{row.mean:.1f}", f"[{row.low:.0f}, {row.high:.0f}]", f"{row.best:.0f}"]
    assert "1 actor by year" in str(series)
    for text in (str(series), repr(series), series._repr_html_()):
        assert all(cell in text for cell in shown)
    line = next(line for line in str(series).splitlines() if " 1999 " in line)
    assert line.split()[-4:] == [shown[0], *shown[1].split(), shown[2]]
    for text in (str(compared), repr(compared), compared._repr_html_()):
        assert f"{compared.rows[1].greater:.3f}" in text
        assert "there is no conclusion" in text
