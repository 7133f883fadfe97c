"""Paths of a setting through two qualities."""

from __future__ import annotations

import pytest
from howsure_papers.figures.paths import Setting, path_figure

from howsure.errors import InputError
from howsure.figures.files import figure_bytes
from howsure.stats.estimate import Estimate


def setting(name: str, x: float, y: float, *, half: float | None = None, chosen: bool = False) -> Setting:
    low, high = (None, None) if half is None else (y - half, y + half)
    return Setting(name, x, Estimate(y, low, high, 0.95, "debiased", 9), chosen)


def test_a_path_is_the_numbers_given() -> None:
    paths = [
        ("HMM", [setting("0.1", 0.7, 0.05, half=0.01), setting("1", 0.75, 0.02, half=0.01, chosen=True)]),
        ("$CRF_", [setting("2", 0.8, 0.01)]),
    ]
    figure = path_figure(paths, x_label="accuracy", y_label="error", setting="strength", root_y=True)
    (ax,) = figure.axes
    lines = [
        (line.get_xdata().tolist(), line.get_ydata().tolist()) for line in ax.lines if line.get_linestyle() != "None"
    ]
    assert lines == [([0.7, 0.75], [0.05, 0.02]), ([0.8], [0.01])]
    assert [text.get_text() for text in ax.texts] == ["0.1", "1", "2"]
    rings = [line for line in ax.lines if line.get_linestyle() == "None"]
    assert [(ring.get_xdata()[0], ring.get_ydata()[0]) for ring in rings] == [(0.75, 0.02)]
    assert [[tuple(end) for end in one] for one in ax.collections[0].get_segments()] == [
        [(0.7, pytest.approx(0.04)), (0.7, pytest.approx(0.06))],
        [(0.75, pytest.approx(0.01)), (0.75, pytest.approx(0.03))],
    ]
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["HMM", "$CRF_"]
    assert ax.transScale.transform([(0.0, 0.04)])[0][1] == pytest.approx(0.2)
    assert b"<svg" in figure_bytes(figure, ".svg")


@pytest.mark.parametrize("paths", [[], [("HMM", [])]])
def test_nothing_to_draw_is_refused(paths: list[tuple[str, list[Setting]]]) -> None:
    with pytest.raises(InputError, match="at least one"):
        path_figure(paths, x_label="x", y_label="y", setting="s")
