"""Results as text and HTML: what is printed is what is held."""

from __future__ import annotations

from pathlib import Path

from howsure.events.series.actor_comparison import compare_actors
from howsure.events.series.event_series import event_series
from howsure.show.result_table import MOST_ROWS, html_table, interval, number, printable, text_table
from tests.events.made_up_store import make_store


def test_columns_are_aligned_and_the_first_rows_shown() -> None:
    rows = [[str(n), "x" * n] for n in range(MOST_ROWS + 3)]
    lines = text_table(["n", "x"], rows).splitlines()
    assert len(lines) == MOST_ROWS + 2
    assert len({len(line) for line in lines[:-1]}) == 1
    assert lines[-1] == "… 3 more rows: to_frame() has them all"
    page = html_table(["n", "<x>"], rows, caption="a & b")
    assert page.count("<tr>") == MOST_ROWS + 1
    assert "<th>&lt;x&gt;</th>" in page
    assert "<caption>a &amp; b</caption>" in page


def test_what_is_undefined_is_a_dash() -> None:
    nan = float("nan")
    assert (number(nan, 1), number(None, 1), interval(nan, nan, 0)) == ("–", "–", "–")
    assert (number(1234.56, 1), interval(0.0, 12.0, 0)) == ("1,234.6", "[0, 12]")
    assert printable("a\x1b[2J\n\tb\u202e") == "a�[2J b�"


def test_a_series_and_a_comparison_print_their_numbers(tmp_path: Path) -> None:
    with make_store(tmp_path / "a.duckdb", documents=60) as store:
        series = event_series(store, by="year", actors=["IRQ"])
        compared = compare_actors(store, "IRQ", "YUG", by="year")
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
