"""One page: valid, self-contained, and nothing in it that a name could break out of."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.counts.populations import labelled, population
from tests.figures.made_up import ANY_CURVE, curve_with, many_curves
from tests.significance.made_systems import labels

from howsure import CalibrationCurve
from howsure.calibration.curves import CalibrationCurves
from howsure.counts import estimate_counts
from howsure.significance.comparison import compare
from howsure_cli.report import calibration_report, write_report
from howsure_cli.report.calibration import bins_table, curves_table
from howsure_cli.report.results import counts_report, significance_report, terms

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
    assert page.tags.count("svg") == 4 + 2 * 2
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
        provenance: dict[str, Any] = {"files": [EVIL], "where": EVIL, "left_out": 2, "skipped": {EVIL: 1}}
        html = calibration_report(together(some, **provenance))
        page = Page(html)
        assert "script" not in page.tags
        assert "img" not in page.tags
        assert EVIL in page.text
        assert not any(name.startswith("on") for name, _ in page.attributes)
        assert "49" not in re.findall(r"\{\{.{5,9}\}\}|\b49\b", page.text)


@pytest.mark.long
def test_figure_of_many_curves_draws_the_largest_and_notes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("howsure.calibration.curves.MAX_PICTURED", 2)
    curves = [replace(curve, n=curve.n + 10 * i) for i, curve in enumerate(many_curves(3))]
    html = calibration_report(together(curves), title="Three")
    text = Page(html).text
    assert "The 2 curves with the most pairs, of 3." in text
    assert html.count('<details class="curve">') == 2
    assert "g1:" not in text
    assert "g3:" in text
    assert len(re.findall("<tr><td[^>]*>g", html)) == 3


@pytest.mark.long
def test_the_same_curves_give_the_same_page() -> None:
    assert calibration_report(together([ANY_CURVE]), title="T") == calibration_report(together([ANY_CURVE]), title="T")


@pytest.mark.long
@pytest.mark.parametrize(
    ("adjust", "p", "explanation"),
    [
        ("holm", ["0.5000", "0.0800", "0.0300"], "adjusted for 3 groups (Holm)"),
        ("bh", ["0.5000", "0.0600", "0.0300"], "adjusted for 3 groups (Benjamini–Hochberg)"),
        (None, ["0.5000", "0.0400", "0.0100"], "Neither verdicts nor p are adjusted for the number of groups, 3"),
    ],
)
def test_p_values_are_adjusted_for_the_number_of_curves(adjust: str | None, p: list[str], explanation: str) -> None:
    curves = [replace(curve, p_value=p) for curve, p in zip(many_curves(3), (0.01, 0.04, 0.5), strict=True)]
    result = together(curves, adjust)
    table = curves_table(result, ["a", "b", "c"])
    assert [row[-2] for row in table.rows] == p
    assert explanation in Page(calibration_report(result)).text


def test_undefined_errors_come_last() -> None:
    undefined = curve_with([0.5], [0.5], error=(math.nan, None, None))
    table = curves_table(together([undefined, *many_curves(2)], None), ["none", "a", "b"])
    assert [row[0] for row in table.rows] == ["b", "a", "none"]


def test_bins_say_on_which_side_they_lie() -> None:
    table = bins_table(curve_with([0.2, 0.5, 0.8], [0.4, 0.5, 0.6]))
    assert [row[-1] for row in table.rows] == ["above: underconfident", "on it", "below: overconfident"]
    assert table.rows[0][:3] == ["400", "0.2000", "0.4000"]


# Reports as files.


def test_a_report_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    target.write_text("old")
    write_report("<p>né</p>", target)
    assert target.read_bytes() == "<p>né</p>".encode()
    assert list(tmp_path.iterdir()) == [target]


# The report of estimated counts.


def test_many_cells_have_a_table_and_no_figure() -> None:
    score, truth, _ = population("misses", np.random.default_rng(0), n=600)
    sample, labels = labelled(score, truth, 120, 0)
    cells = {"actor": np.arange(600) % 10, "month": np.arange(600) % 3}
    page = counts_report(estimate_counts(labels, score, groups=cells, strata=sample.stratum, method="difference"))
    assert "too many groups for a figure" in page
    assert "<svg" not in page


def test_a_long_table_is_opened_by_the_reader() -> None:
    score, truth, _ = population("misses", np.random.default_rng(0), n=600)
    sample, labels = labelled(score, truth, 120, 0)
    cells = {"month": np.arange(600) % 50}
    page = counts_report(estimate_counts(labels, score, groups=cells, strata=sample.stratum, method="difference"))
    more = re.findall(r"Show all rows \(… (\d+) more\)", page)
    assert more == ["21", "21"]  # 50 months and the total, in the tables for a desk and for a phone
    assert Page(page).tags.count("input") == 2


# The report of a comparison.


SAID = {
    "gaffke": (["The interval is Gaffke", "It is Gaffke"], ["resampled", "coin", "Student"]),
    "student": (["Student"], ["resampled", "coin", "replacement"]),
    "permutation": (["coin flip", "resampled, with replacement"], ["Student"]),
    "bootstrap": (["proportion of test sets, resampled"], ["coin", "Student"]),
    "mcnemar": (["McNemar", "resampled, with replacement"], ["coin", "Student"]),
    "boostsa": (["proportion of sub-samples"], ["coin", "Student", "probability that two"]),
}


@pytest.mark.parametrize("method", SAID)
def test_glossary_explains_only_the_terms_used(method: str) -> None:
    targets, a, b = labels(60, 3, 1, accuracy=(0.5, 0.9))
    result = compare(targets, a, b, metrics="accuracy", method=method, rng=5, n_resamples=50)
    page = significance_report(result)
    glossary = page[page.index("How to read it") : page.index("</dl>")]
    there, absent = SAID[method]
    assert [term for term in there if term not in glossary] == []
    assert [term for term in absent if term in glossary] == []


def test_glossary_omits_missing_interval_and_adjustment() -> None:
    targets, a, b = labels(60, 3, 1, accuracy=(0.5, 0.9))
    result = compare(
        targets, a, b, metrics="accuracy", interval=None, adjust=None, alternative="better", rng=5, n_resamples=50
    )
    (difference, definition), (_, p) = terms(result.recipe)
    assert (difference, definition) == ("Difference", "The model's value minus the baseline's.")
    assert "in favour of the model" in p
