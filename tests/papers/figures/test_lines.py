"""Lines with bands, on plain or logarithmic axes."""

from __future__ import annotations

import numpy as np
import pytest
from howsure_papers.figures.lines import Series, draw_series, power_of_ten, series_figure
from matplotlib.figure import Figure

from howsure.errors import InputError
from howsure.figures.files import figure_bytes

X = [1, 10, 100, 1000]


def test_lines_and_bands_are_the_numbers_given() -> None:
    series = [Series("a", X, [4, 3, 2, 1], [3, 2, 1, 0], [5, 4, 3, 2]), Series("_b$", X, [1, 1, 1, 1])]
    ax = draw_series(series, x_label="bin size β", y_label="error $", title="T", log_x=True)
    assert [line.get_ydata().tolist() for line in ax.lines] == [[4, 3, 2, 1], [1, 1, 1, 1]]
    (band,) = ax.collections
    assert {tuple(vertex) for vertex in band.get_paths()[0].vertices} == {
        *zip(X, [3, 2, 1, 0], strict=True),
        *zip(X, [5, 4, 3, 2], strict=True),
    }
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["a", "_b$"]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("bin size β", "error $", "T")
    assert ax.get_xscale() == "log"
    assert ax.get_yscale() == "linear"


def test_ticks_of_logarithmic_axes_are_text() -> None:
    ax = draw_series([Series("a", X, X)], x_label="x", y_label="y", log_x=True, log_y=True)
    svg = figure_bytes(ax.figure, ".svg").decode()
    assert ">1,000<" in svg
    assert "mathdefault" not in svg
    assert ax.get_legend() is None


@pytest.mark.parametrize("value", [10.0**k for k in range(-12, 13)] + [5e-7, 2e9])
def test_every_tick_reads_as_its_value(value: float) -> None:
    plain = power_of_ten(value).translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")).replace(",", "")
    factor, times, power = plain.partition("·")
    if abs(np.log10(value)) < 3.5 or 1e3 <= value < 1e5:
        assert float(plain) == pytest.approx(value)
    elif times:
        assert float(factor) * 10.0 ** float(power[2:]) == pytest.approx(value)
    else:
        assert 10.0 ** float(factor[2:]) == pytest.approx(value)


def test_panels_share_their_axis() -> None:
    panels = [("one", [Series("a", X, [1, 2, 3, 4])]), ("two", [Series("a", X, [5, 6, 7, 8])])]
    first, second = series_figure(panels, x_label="x", y_label="y", title="Both").axes
    assert first.get_ylim() == second.get_ylim()
    assert [ax.get_title() for ax in (first, second)] == ["one", "two"]


def test_it_draws_on_given_axes() -> None:
    ax = Figure().add_subplot()
    assert draw_series([Series("a", X, X)], x_label="x", y_label="y", ax=ax) is ax


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(InputError, match="at least one line"):
        draw_series([], x_label="x", y_label="y")
    with pytest.raises(InputError, match="at least one"):
        series_figure([], x_label="x", y_label="y")


def test_large_numbers_have_commas() -> None:
    ax = draw_series([Series("a", [10_000, 50_000], [0.1, 0.2])], x_label="n", y_label="y")
    svg = figure_bytes(ax.figure, ".svg").decode()
    assert ">50,000<" in svg
    assert len(ax.get_xticks()) <= 8
