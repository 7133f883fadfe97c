"""Figures of a wanted width: exactly so wide, nothing cut off, no tick on another, text as large as ever."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

import howsure
from howsure.errors import InputError
from howsure.figures.calibration import comparison_figure, curve_figure, error_figure, histogram_figure
from howsure.figures.distributions import quantile_figure
from howsure.figures.files import DOTS_PER_INCH, figure_bytes
from howsure.figures.significance import difference_figure
from howsure.figures.width import of_width, wanted_width
from tests.figures.made_up import curve_with, many_curves

LONG = "a model with quite a long name, version 3.5-instruct"
RARE = curve_with([0.0004, 0.001, 0.003], [0.0002, 0.0012, 0.005])
SPREAD = curve_with([0.001, 0.02, 0.3, 0.9, 0.999], [0.002, 0.01, 0.4, 0.8, 0.995])


def draws() -> np.random.Generator:
    return np.random.default_rng(0)


@cache
def differences() -> Any:
    rng, y = draws(), draws().integers(0, 3, 200)
    worse, better = (np.where(rng.random(200) < right, y, 1) for right in (0.7, 0.8))
    return howsure.compare(y, worse, {LONG: better}, n_resamples=50, rng=0)


@cache
def top_label() -> Any:
    return howsure.calibration_curve(howsure.pairs_from_classes([0, 1] * 20, [[0.9, 0.1]] * 40))


@cache
def two() -> Any:
    rng = draws()
    return howsure.compare_calibration(
        rng.random(200) < 0.4, rng.random(200), against=rng.random(200), names=(LONG, "other")
    )


@cache
def quantiles() -> Any:
    rng = draws()
    return howsure.posterior_quantiles(rng.normal(size=60), rng.normal(size=(60, 19)), rng=0)


@cache
def counts(cells: tuple[Any, ...]) -> Any:
    rng = draws()
    labels = np.where(np.arange(200) < 90, rng.integers(0, 2, 200), np.nan)
    return howsure.estimate_counts(labels, rng.random(200), groups=np.resize(cells, 200), rng=0)


FIGURES: dict[str, Callable[[], Figure]] = {
    "curve": lambda: curve_figure([SPREAD]),
    "top-label": lambda: curve_figure([top_label()]),
    "zoomed": lambda: curve_figure([RARE]),
    "log-odds": lambda: curve_figure([SPREAD], axis="logit"),
    "several": lambda: curve_figure(many_curves(4), labels=[LONG, "b", "c", "d"]),
    "panels": lambda: curve_figure(many_curves(4), labels=[LONG, *"bcd"], panels=True),
    "errors": lambda: error_figure(many_curves(4), labels=[LONG, *"bcd"]),
    "histogram": lambda: histogram_figure(SPREAD),
    "comparison": lambda: comparison_figure(two()),
    "quantiles": lambda: quantile_figure(quantiles()),
    "counts": lambda: counts(("a longer name", "north", "south")).plot().figure,
    "counts of many": lambda: counts(tuple(range(1990, 2014))).plot().figure,
    "differences": lambda: difference_figure(differences()),
}


def labels_seen(ax: Axes, which: str) -> list[Text]:
    """The labels of the ticks that lie on the axis."""
    axis, ends = (ax.xaxis, ax.get_xlim()) if which == "x" else (ax.yaxis, ax.get_ylim())
    ticks = [tick for tick in axis.get_major_ticks() if min(ends) <= tick.get_loc() <= max(ends)]
    return [tick.label1 for tick in ticks if tick.label1.get_visible() and tick.label1.get_text()]


def tick_boxes(ax: Axes, which: str) -> list[tuple[float, float]]:
    """Where the labels begin and end, in their order."""
    boxes = [label.get_window_extent() for label in labels_seen(ax, which)]
    return sorted((box.x0, box.x1) if which == "x" else (box.y0, box.y1) for box in boxes)


def texts_of(figure: Figure) -> Iterator[Text]:
    for ax in figure.axes:
        if ax.axison:
            yield from (ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts)
            yield from (*labels_seen(ax, "x"), *labels_seen(ax, "y"))
            if ax.get_legend() is not None:
                yield from ax.get_legend().get_texts()


OTHERWISE = {"curve", "counts of many"}  # at other widths these everyday, all with the long tests


@pytest.mark.parametrize(
    ("name", "inches"),
    [(name, 3.3) for name in FIGURES]
    + [
        pytest.param(name, inches, marks=[] if name in OTHERWISE else pytest.mark.long)
        for name in FIGURES
        for inches in (None, 7.0)
    ],
)
def test_no_tick_lies_on_another_and_nothing_is_cut_off(name: str, inches: float | None) -> None:
    with of_width(inches), warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = FIGURES[name]()
        if inches is not None:  # as a file is written
            figure.draw_without_rendering()
            figure.set_dpi(DOTS_PER_INCH)
        figure.draw_without_rendering()
    for ax in figure.axes:
        for which in "xy" if ax.axison else "":
            boxes = [] if any(label.get_rotation() for label in labels_seen(ax, which)) else tick_boxes(ax, which)
            for (_, end), (start, _) in pairwise(boxes):
                assert end < start, (which, end, start)
    assert all(text.get_fontsize() >= 6.5 for text in texts_of(figure))
    if inches is not None:
        assert figure.get_size_inches()[0] == inches
        width, height = figure.get_size_inches() * figure.dpi
        for text in texts_of(figure):
            if text.get_text() and text.get_visible():
                box = text.get_window_extent()
                assert box.x0 >= -1, (text.get_text(), box.x0)
                assert box.x1 <= width + 1, (text.get_text(), box.x1, width)
                assert -1 <= box.y0 <= box.y1 <= height + 1, (text.get_text(), box.y0, box.y1, height)


@pytest.mark.parametrize("inches", [3.3, 7.0])
def test_a_file_is_as_wide_as_its_figure(inches: float) -> None:
    with of_width(inches):
        written = figure_bytes(curve_figure(many_curves(2), labels=[LONG, "b"]), ".png")
    assert Image.open(io.BytesIO(written)).width == round(inches * DOTS_PER_INCH)


def test_the_width_is_that_of_the_block_alone() -> None:
    assert wanted_width() is None
    with of_width(3.3):
        assert curve_figure([SPREAD]).get_size_inches()[0] == 3.3
        with of_width(None):
            assert curve_figure([SPREAD]).get_size_inches()[0] == 4.8
        assert wanted_width() == 3.3
    assert wanted_width() is None


@pytest.mark.parametrize("inches", [0, -1, 1.9, 21, float("nan"), float("inf")])
def test_a_width_at_which_nothing_can_be_read_is_refused(inches: float) -> None:
    with pytest.raises(InputError, match="width must be 2 to 20 inches, not"), of_width(inches):
        pass
