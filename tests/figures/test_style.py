"""Nothing of the style leaks out, and names are shown as they are."""

from __future__ import annotations

import warnings
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from howsure_papers import drawings

from howsure import Estimate, compare
from howsure.figures import calibration
from howsure.figures.coreference import pair_figure
from howsure.figures.files import figure_bytes
from howsure.figures.significance import difference_figure
from howsure.figures.style import LOOKS, estimate_text, look, shortened_name
from tests.figures.made_up import ANY_CURVE, many_curves


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
        assert len({str(getattr(one, attribute)) for one in LOOKS}) == len(LOOKS)
    assert look(len(LOOKS)) == look(0)


def test_neighbours_differ_in_grey() -> None:
    grey = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (mpl.colors.to_rgb(one.colour) for one in LOOKS)]
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


@pytest.mark.parametrize(("kind", "some"), [(".svg", 5), (".pdf", 1), pytest.param(".pdf", 5, marks=pytest.mark.long)])
def test_names_that_no_font_has(kind: str, some: int) -> None:
    """Written out, in every place where a name can stand; an SVG stays XML. A mark at the start breaks PDF alone."""
    name = "\ufeffb\x00\x1b[31m\u202ea\ufffe\t\ud800\x85"
    y, curves = [0, 1] * 20, [replace(one, name=f"{name}{number}") for number, one in enumerate(many_curves(3))]
    compared = compare(y, {f"{name}?": [0, 0] * 20}, {name: y}, metrics="accuracy", rng=0)
    figures = [
        calibration.curve_figure(curves), calibration.error_figure(curves), difference_figure(compared),
        pair_figure(np.eye(2), [name, name], entities=[0, 0]),
        drawings.series_figure([(name, [drawings.Series(name, [1, 2], [1, 2])])], x_label=name, y_label=name),
    ]  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for figure in figures[:some]:
            drawn = figure_bytes(figure, kind)
            if kind == ".svg":
                ElementTree.fromstring(drawn)
