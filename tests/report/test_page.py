"""One page: valid, self-contained, and nothing in it that a name could break out of."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from howsure import CalibrationCurve, calibration_curve
from howsure.calibration.curves import CalibrationCurves
from howsure.calibration.words import verdict
from howsure.errors import InputError
from howsure.report import calibration_report
from howsure.report.calibration import cell, table_of_bins, table_of_curves
from tests.figures.made_up import ANY_CURVE, curve_with, many_curves

VOID = {"meta", "br", "hr", "img", "link", "input"}
EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7 * 7 }}"


class Page(HTMLParser):
    """The elements of a page, checked for balance as they come."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(html)
        self.close()
        assert self.open == [], f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        assert len({name for name, _ in attrs}) == len(attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.text += data

    def ids(self) -> list[str]:
        return [value for name, value in self.attributes if name == "id" and value is not None]


def together(curves: Sequence[CalibrationCurve], adjust: str | None = "holm", **recipe: Any) -> CalibrationCurves:
    return CalibrationCurves(rows=tuple(curves), adjust=adjust, recipe=recipe)


@pytest.fixture(scope="module")
def several() -> str:
    return calibration_report(together(many_curves(2), skipped={"p": 3}), title="Two")


def test_the_page_is_whole_and_its_names_are_unique(several: str) -> None:
    page = Page(several)
    assert several.startswith("<!DOCTYPE html>")
    assert len(page.ids()) == len(set(page.ids()))
    assert page.tags.count("svg") == 2 + 2 * 2
    assert page.tags.count("title") == 1


def test_the_page_needs_no_network_and_runs_no_script(several: str) -> None:
    page = Page(several)
    assert not re.search(r"https?:|//[a-z]|@import|javascript:", several)
    assert not {"script", "link", "iframe", "img", "object", "embed", "form", "base"} & set(page.tags)
    assert not any(name.startswith("on") or name == "src" for name, _ in page.attributes)
    assert all(value is not None and value.startswith("#") for name, value in page.attributes if name.endswith("href"))
    assert "Content-Security-Policy" in several
    assert "default-src 'none'" in several


def test_names_and_notes_are_escaped_everywhere() -> None:
    curves = [replace(curve, name=EVIL) for curve in many_curves(2)]
    for some in (curves, curves[:1]):
        read: dict[str, Any] = {"files": [EVIL], "where": EVIL, "left_out": 2, "skipped": {EVIL: 1}}
        html = calibration_report(together(some, **read))
        page = Page(html)
        assert "script" not in page.tags
        assert "img" not in page.tags
        assert EVIL in page.text
        assert not any(name.startswith("on") for name, _ in page.attributes)
        assert "49" not in re.findall(r"\{\{.{5,9}\}\}|\b49\b", page.text)


def test_words_come_first(several: str) -> None:
    text = Page(several).text
    assert "largest for g2, 0.1100 [0.0900, 0.1300], and smallest for g1, 0.1000 [0.0800, 0.1200]" in text
    places = [text.index(part) for part in ("Of 2 curves: 2 overconfident.", "3 rows were skipped", "Table", "Figures")]
    assert places == sorted(places)
    for curve in many_curves(2):
        assert f"{curve.name}: {verdict(curve)}" in text


def test_one_curve_opens_with_its_verdict() -> None:
    curve = curve_with([0.2, 0.8], [0.1, 0.6])
    text = Page(calibration_report(together([curve]), title="One")).text
    sentence = verdict(curve)
    assert sentence[0].upper() + sentence[1:] + "." in text
    assert "One by one" not in text


def test_the_table_has_a_row_a_curve_with_the_largest_error_first(several: str) -> None:
    body = re.search(r"<tbody>(.*?)</tbody>", several, re.DOTALL)
    assert body is not None
    rows = [re.findall(r"<td.*?>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", body[1])]
    assert [row[0] for row in rows] == [f"g{i}" for i in (2, 1)]
    assert rows[0][1] == "2000"
    assert rows[0][3:6] == ["0.1100", "0.0900", "0.1300"]
    assert rows[0][-1] == "overconfident"


def test_bins_and_recipe_are_there() -> None:
    curve = calibration_curve([0, 1, 1, 1, 0, 1] * 10, [0.1, 0.4, 0.8, 0.9, 0.2, 0.7] * 10, bin_size=20)
    html = calibration_report(together([curve]), title="Small")
    text = Page(html).text
    for low, high in zip(curve.bins.low, curve.bins.high, strict=True):
        assert f"[{low:.4f}, {high:.4f}]" in text
    assert f"The {len(curve.bins)} bins" in text
    for key in curve.recipe:
        assert key in text


def test_of_very_many_curves_those_with_most_pairs_are_drawn_and_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("howsure.calibration.curves.MOST_PICTURED", 2)
    curves = [replace(curve, n=curve.n + 10 * i) for i, curve in enumerate(many_curves(3))]
    html = calibration_report(together(curves), title="Three")
    text = Page(html).text
    assert "The 2 curves with most pairs, of 3." in text
    assert html.count('<details class="curve">') == 2
    assert "g1:" not in text
    assert "g3:" in text
    assert len(re.findall("<tr><td[^>]*>g", html)) == 3


def test_the_same_curves_give_the_same_page() -> None:
    assert calibration_report(together([ANY_CURVE]), title="T") == calibration_report(together([ANY_CURVE]), title="T")


def test_wrong_input_is_refused() -> None:
    with pytest.raises(InputError, match="at least one calibration curve"):
        calibration_report(together([]), title="T")


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "yes"), (7, "7"), (math.nan, "–"), (math.inf, "inf"), (0.12345, "0.1235"), ("x", "x")],
)
def test_a_cell_says_its_value(value: object, text: str) -> None:
    assert cell(value) == text


@pytest.mark.parametrize(
    ("adjust", "p", "said"),
    [
        ("holm", ["0.5000", "0.0800", "0.0300"], "adjusted for 3 groups (Holm)"),
        ("bh", ["0.5000", "0.0600", "0.0300"], "adjusted for 3 groups (Benjamini–Hochberg)"),
        (None, ["0.5000", "0.0400", "0.0100"], "nothing is adjusted for 3 groups"),
    ],
)
def test_p_values_are_adjusted_for_the_number_of_curves(adjust: str | None, p: list[str], said: str) -> None:
    curves = [replace(curve, p_value=p) for curve, p in zip(many_curves(3), (0.01, 0.04, 0.5), strict=True)]
    result = together(curves, adjust)
    table = table_of_curves(result, ["a", "b", "c"])
    assert [row[-2] for row in table.rows] == p
    assert said in Page(calibration_report(result)).text


def test_undefined_errors_come_last() -> None:
    undefined = curve_with([0.5], [0.5], error=(math.nan, None, None))
    table = table_of_curves(together([undefined, *many_curves(2)], None), ["none", "a", "b"])
    assert [row[0] for row in table.rows] == ["b", "a", "none"]


def test_bins_say_on_which_side_they_lie() -> None:
    table = table_of_bins(curve_with([0.2, 0.5, 0.8], [0.4, 0.5, 0.6]).bins, level=0.95)
    assert [row[-1] for row in table.rows] == ["above: underconfident", "on it", "below: overconfident"]
    assert table.rows[0][:3] == ["400", "0.2000", "0.4000"]
