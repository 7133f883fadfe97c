"""Figures of a wanted width: exactly so wide, nothing cut off, no tick on another, text as large as ever."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image
from tests.figures.made_up import ANY_CURVE, curve_with, many_curves

import howsure
from howsure import Estimate, compare_models
from howsure.errors import InputError
from howsure.figures import calibration
from howsure.figures.calibration import comparison_figure, curve_figure, error_figure, histogram_figure
from howsure.figures.distributions import quantile_figure
from howsure.figures.files import DOTS_PER_INCH, figure_bytes, inline_svg, save_figure
from howsure.figures.significance import difference_figure
from howsure.figures.style import LOOKS, estimate_text, look, shortened_name
from howsure.figures.width import figure_width, wanted_width
from howsure.files.atomic_write import write_atomically
from howsure_papers import drawings
from howsure_text.figures import pair_figure

LONG = "a model with quite a long name, version 3.5-instruct"
RARE = curve_with([0.0004, 0.001, 0.003], [0.0002, 0.0012, 0.005])
SPREAD = curve_with([0.001, 0.02, 0.3, 0.9, 0.999], [0.002, 0.01, 0.4, 0.8, 0.995])


def draws() -> np.random.Generator:
    return np.random.default_rng(0)


@cache
def differences() -> Any:
    rng, y = draws(), draws().integers(0, 3, 200)
    worse, better = (np.where(rng.random(200) < right, y, 1) for right in (0.7, 0.8))
    return howsure.resample_models(y, worse, {LONG: better}, method="permutation", n_resamples=50, rng=0)


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
    return howsure.quantile_calibration(rng.normal(size=60), rng.normal(size=(60, 19)), rng=0)


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
    with figure_width(inches), warnings.catch_warnings():
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
    with figure_width(inches):
        written = figure_bytes(curve_figure(many_curves(2), labels=[LONG, "b"]), ".png")
    assert Image.open(io.BytesIO(written)).width == round(inches * DOTS_PER_INCH)


def test_the_width_matches_the_block_alone() -> None:
    assert wanted_width() is None
    with figure_width(3.3):
        assert curve_figure([SPREAD]).get_size_inches()[0] == 3.3
        with figure_width(None):
            assert curve_figure([SPREAD]).get_size_inches()[0] == 4.8
        assert wanted_width() == 3.3
    assert wanted_width() is None


@pytest.mark.parametrize("inches", [0, -1, 1.9, 21, float("nan"), float("inf")])
def test_a_width_at_which_nothing_can_be_read_is_refused(inches: float) -> None:
    with pytest.raises(InputError, match="width must be 2 to 20 inches, not"), figure_width(inches):
        pass


# Nothing of the style leaks out, and names are shown as they are.


@pytest.mark.long
def test_global_settings_stay_as_they_are() -> None:
    before = dict(mpl.rcParams)
    for figure, kind in (
        (calibration.curve_figure(many_curves(2)), ".png"),
        (calibration.histogram_figure(ANY_CURVE), ".svg"),
        (calibration.error_figure(many_curves(2)), ".svg"),
    ):
        figure_bytes(figure, kind)
    drawings.series_figure([("", [drawings.Series("a", [1, 2], [1, 2])])], x_label="x", y_label="y")
    calibration.curve_html(ANY_CURVE)
    assert dict(mpl.rcParams) == before


def test_global_settings_do_not_change_a_figure() -> None:
    expected = figure_bytes(calibration.curve_figure(many_curves(2)), ".svg")
    with mpl.rc_context({"font.size": 30, "axes.facecolor": "black", "xtick.labelsize": 40, "lines.linewidth": 9}):
        assert figure_bytes(calibration.curve_figure(many_curves(2)), ".svg") == expected


def test_pyplot_knows_nothing_of_our_figures() -> None:
    import matplotlib.pyplot as plt

    calibration.curve_figure(many_curves(2))
    ANY_CURVE.plot()
    assert plt.get_fignums() == []


def test_lines_differ_in_colour_marker_and_dashes() -> None:
    for attribute in ("colour", "marker", "dashes"):
        assert len({str(getattr(style, attribute)) for style in LOOKS}) == len(LOOKS)
    assert look(len(LOOKS)) == look(0)


def test_neighbours_differ_in_grey() -> None:
    grey = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (mpl.colors.to_rgb(style.colour) for style in LOOKS)]
    assert all(abs(a - b) > 0.02 for a, b in pairwise(grey))
    assert max(grey) < 0.75


@pytest.mark.parametrize(
    ("name", "limit", "expected"),
    [("short", 10, "short"), ("two\nlines", 20, "two lines"), ("abcdefghij", 5, "ab…ij"), ("", 5, "")],
)
def test_long_names_lose_their_middle(name: str, limit: int, expected: str) -> None:
    assert shortened_name(name, limit) == expected
    assert len(expected) <= limit


def test_estimates_are_short() -> None:
    nan = float("nan")
    assert estimate_text(Estimate(0.21234, 0.2, 0.23, 0.95, "debiased", 9)) == "0.212 [0.200, 0.230]"
    assert estimate_text(Estimate(0.0012, 0.0, 0.0034, 0.95, "debiased", 9)) == "0.0012 [0.0000, 0.0034]"
    assert estimate_text(Estimate(0.5, None, None, 0.95, "debiased", 9)) == "0.500"
    assert estimate_text(Estimate(nan, None, None, 0.95, "debiased", 9)) == "undefined"


@pytest.mark.long
@pytest.mark.parametrize(("kind", "some"), [(".svg", 5), (".pdf", 1), pytest.param(".pdf", 5, marks=pytest.mark.slow)])
def test_names_that_no_font_has(kind: str, some: int) -> None:
    """Written out, in every place where a name can stand; an SVG stays XML. A mark at the start breaks PDF alone."""
    name = "\ufeffb\x00\x1b[31m\u202ea\ufffe\t\ud800\x85"
    y, curves = [0, 1] * 20, [replace(curve, name=f"{name}{number}") for number, curve in enumerate(many_curves(3))]
    compared = compare_models(y, {f"{name}?": [0, 0] * 20}, {name: y}, metrics="accuracy", rng=0)
    figures = [
        calibration.curve_figure(curves),
        calibration.error_figure(curves),
        difference_figure(compared),
        pair_figure(np.eye(2), [name, name], entities=[0, 0]),
        drawings.series_figure([(name, [drawings.Series(name, [1, 2], [1, 2])])], x_label=name, y_label=name),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for figure in figures[:some]:
            drawn = figure_bytes(figure, kind)
            if kind == ".svg":
                ElementTree.fromstring(drawn)


# Files of figures: whole, the same every time, and with their text as text.


MAGIC = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF"}


@pytest.mark.parametrize(
    "suffix", [".svg", *(pytest.param(file_suffix, marks=pytest.mark.long) for file_suffix in (".png", ".pdf"))]
)
def test_the_same_figure_gives_the_same_bytes(tmp_path: Path, suffix: str) -> None:
    first, second = tmp_path / f"first{suffix}", tmp_path / f"second{suffix.upper()}"
    save_figure(curve_figure(many_curves(2)), first)
    save_figure(curve_figure(many_curves(2)), second)
    assert first.read_bytes().startswith(MAGIC[suffix])
    assert first.read_bytes() == second.read_bytes()
    assert sorted(tmp_path.iterdir()) == sorted([first, second])
    assert not re.search(rb"CreationDate|<dc:date>|[0-9]{4}-[0-9]{2}-[0-9]{2}T", first.read_bytes())


def test_a_file_that_cannot_be_replaced_stays_without_leftovers(tmp_path: Path) -> None:
    target = tmp_path / "taken.svg"
    target.mkdir()
    with pytest.raises(InputError, match=r"taken\.svg: it is a folder"):
        write_atomically(b"new", target)
    assert list(tmp_path.iterdir()) == [target]


def test_text_in_a_drawing_is_text() -> None:
    tree = ElementTree.fromstring(figure_bytes(curve_figure(many_curves(2)), ".svg"))
    texts = [" ".join("".join(node.itertext()).split()) for node in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert {"underconfident", "overconfident", "predicted probability", "frequency of label 1", "g1", "g2"} <= set(
        texts
    )


@pytest.mark.parametrize("count", [6, pytest.param(10, marks=pytest.mark.long)])
def test_names_are_shown_as_they_are(count: int) -> None:
    names = ["_hidden", "$x^2$", "<b>&amp;</b>", "back\\slash", "100 %", '" id="x'] + ["more"] * 4
    svg = figure_bytes(curve_figure(many_curves(count), labels=names[:count]), ".svg").decode()
    tree = ElementTree.fromstring(svg)
    texts = {"".join(node.itertext()).strip() for node in tree.iter("{http://www.w3.org/2000/svg}text")}
    assert set(names[:count]) <= texts


def test_an_inline_drawing_refers_to_nothing_outside_and_to_its_own_names_inside() -> None:
    curve = curve_with([0.2, 0.8], [0.1, 0.9], name='a "quoted" <name> id="kept"')
    svg = inline_svg(curve_figure([curve]), prefix="p1", description='says "this" & that')
    tree = ElementTree.fromstring(svg)
    assert tree.tag == "svg"
    assert tree.attrib["role"] == "img"
    assert tree.attrib["aria-label"] == 'says "this" & that'
    assert "http" not in svg
    assert "xlink" not in svg
    assert "metadata" not in svg
    ids = [node.attrib["id"] for node in tree.iter() if "id" in node.attrib]
    used = set(re.findall(r'url\(#([^)]+)\)|href="#([^"]+)"', svg))
    assert len(ids) == len(set(ids))
    assert {a or b for a, b in used} == set(ids)
    assert all(name.startswith("p1-") for name in ids)
    assert 'id="kept"' in "".join("".join(node.itertext()) for node in tree.iter("text"))


@pytest.mark.parametrize("inches", [(2.0, 1.8), (3.2, 2.4)])
def test_the_error_of_a_curve_is_inside_small_axes(inches: tuple[float, float]) -> None:
    figure = Figure(figsize=inches)
    axes = figure.add_subplot()
    SPREAD.plot(axes)
    FigureCanvasAgg(figure).draw()
    (text,) = (text for text in axes.texts if text.get_text().startswith("error"))
    inner, outer = text.get_window_extent(), axes.get_window_extent()
    assert outer.x0 <= inner.x0 < inner.x1 <= outer.x1
