"""Cells and tables of a report."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from howsure.report.calibration import cell, table_of_bins, table_of_curves, table_of_rows
from tests.figures.made_up import ANY_CURVE, curve_with, many_curves


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "yes"), (7, "7"), (math.nan, "–"), (math.inf, "inf"), (0.12345, "0.1235"), ("x", "x")],
)
def test_a_cell_says_its_value(value: object, text: str) -> None:
    assert cell(value) == text


def test_p_values_are_adjusted_for_the_number_of_curves() -> None:
    curves = [replace(curve, p_value=p) for curve, p in zip(many_curves(3), (0.01, 0.04, 0.5), strict=True)]
    names = ["a", "b", "c"]
    held = {adjust: table_of_curves(curves, names, adjust=adjust) for adjust in ("holm", "bh", None)}
    column = {adjust: [row[4] for row in table.rows] for adjust, table in held.items()}
    assert column["holm"] == ["0.5000", "0.0800", "0.0300"]
    assert column["bh"] == ["0.5000", "0.0600", "0.0300"]
    assert column[None] == ["0.5000", "0.0400", "0.0100"]
    assert [held[adjust].headings[4] for adjust in held] == ["p (Holm)", "p (Benjamini–Hochberg)", "p"]
    assert all(len(row) == len(table.headings) for table in held.values() for row in table.rows)


def test_undefined_errors_come_last() -> None:
    undefined = curve_with([0.5], [0.5], error=(math.nan, None, None))
    table = table_of_curves([undefined, *many_curves(2)], ["none", "a", "b"], adjust=None)
    assert [row[0] for row in table.rows] == ["b", "a", "none"]


def test_bins_say_on_which_side_they_lie() -> None:
    table = table_of_bins(curve_with([0.2, 0.5, 0.8], [0.4, 0.5, 0.6]).bins, level=0.95)
    assert [row[-1] for row in table.rows] == ["above: underconfident", "on it", "below: overconfident"]
    assert table.rows[0][:3] == ["400", "0.2000", "0.4000"]


def test_rows_made_elsewhere_are_shown_as_they_are() -> None:
    table = table_of_rows([{"tag": "NN", "n": np.int64(5).item(), "error": ANY_CURVE.error, "p": None}])
    assert table.headings == ["tag", "n", "error", "p"]
    assert table.rows == [["NN", "5", str(ANY_CURVE.error), "–"]]
