"""One page: valid, self-contained, and nothing in it that a name could break out of."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
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
from howsure.data import Document, Mention, Sentence
from howsure.significance.comparison import compare
from howsure_cli.report import calibration_report, write_report
from howsure_cli.report.calibration import table_of_bins, table_of_curves
from howsure_cli.report.results import counts_report, significance_report, terms
from howsure_text.coreference import CorefPosterior, ResolvedDocument
from howsure_text.report import coreference_page

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
        provenance: dict[str, Any] = {"files": [EVIL], "where": EVIL, "left_out": 2, "skipped": {EVIL: 1}}
        html = calibration_report(together(some, **provenance))
        page = Page(html)
        assert "script" not in page.tags
        assert "img" not in page.tags
        assert EVIL in page.text
        assert not any(name.startswith("on") for name, _ in page.attributes)
        assert "49" not in re.findall(r"\{\{.{5,9}\}\}|\b49\b", page.text)


@pytest.mark.long
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


@pytest.mark.long
def test_the_same_curves_give_the_same_page() -> None:
    assert calibration_report(together([ANY_CURVE]), title="T") == calibration_report(together([ANY_CURVE]), title="T")


@pytest.mark.long
@pytest.mark.parametrize(
    ("adjust", "p", "explanation"),
    [
        ("holm", ["0.5000", "0.0800", "0.0300"], "adjusted for 3 groups (Holm)"),
        ("bh", ["0.5000", "0.0600", "0.0300"], "adjusted for 3 groups (Benjamini–Hochberg)"),
        (None, ["0.5000", "0.0400", "0.0100"], "nothing is adjusted for 3 groups"),
    ],
)
def test_p_values_are_adjusted_for_the_number_of_curves(adjust: str | None, p: list[str], explanation: str) -> None:
    curves = [replace(curve, p_value=p) for curve, p in zip(many_curves(3), (0.01, 0.04, 0.5), strict=True)]
    result = together(curves, adjust)
    table = table_of_curves(result, ["a", "b", "c"])
    assert [row[-2] for row in table.rows] == p
    assert explanation in Page(calibration_report(result)).text


def test_undefined_errors_come_last() -> None:
    undefined = curve_with([0.5], [0.5], error=(math.nan, None, None))
    table = table_of_curves(together([undefined, *many_curves(2)], None), ["none", "a", "b"])
    assert [row[0] for row in table.rows] == ["b", "a", "none"]


def test_bins_say_on_which_side_they_lie() -> None:
    table = table_of_bins(curve_with([0.2, 0.5, 0.8], [0.4, 0.5, 0.6]))
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


# The text with its entities: brackets, doubts, crossing mentions, and nothing that is not escaped.


def page(rows: list[list[float]], spans: list[tuple[int, int]], words: str, *, spaces: list[bool] | None = None) -> str:
    sentence = Sentence(tuple(words.split()), spaces=None if spaces is None else tuple(spaces))
    mentions = tuple(Mention(0, start, end) for start, end in spans)
    posterior = CorefPosterior(np.array(rows), mentions=mentions)
    labels = posterior.labels(posterior.best_antecedent_clusters())
    options = {"decision": "best", "threshold": 0.0, "recalibration": None, "recipe": {}}
    return coreference_page([ResolvedDocument(Document("d", (sentence,)), mentions, posterior, labels, **options)])


def text_of(html: str) -> str:
    body = re.search(r'<p class="text">(.*?)</p>', html, re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", "", body[1])).strip()


def test_entities_stand_in_numbered_brackets() -> None:
    html = page([[1, 0], [0.9, 0.1]], [(0, 2), (3, 4)], "Ann Bell saw herself .")
    assert text_of(html) == "[Ann Bell]1 saw [herself]1 ."
    assert "2 mentions; entities here: 1, expected 1.1, between 1 and 2" in html
    assert "entity 1, confidence 0.90" in html
    assert 'class="c0 doubt"' not in html


def test_a_doubtful_mention_is_marked_and_its_rival_named() -> None:
    html = page([[1, 0, 0], [0, 1, 0], [0.5, 0.4, 0.1]], [(0, 1), (2, 3), (4, 5)], "Ann saw Eve when she left")
    assert text_of(html) == "[Ann]1? saw [Eve]2? when [she]1? left"
    assert "entity 1, confidence 0.50; or the same as “Eve”: 0.40" in html
    assert "entity 2: alone, probability 0.60; or the same as “she”: 0.40" in html
    assert 'class="c0 doubt"' in html


def test_a_lone_mention_without_rival_is_plain_text() -> None:
    assert text_of(page([[1, 0], [0.1, 0.9]], [(0, 1), (2, 3)], "Ann saw Eve")) == "Ann saw Eve"


def test_nested_and_crossing_mentions() -> None:
    rows = [[1.0, 0, 0, 0], [0, 1, 0, 0], [0.9, 0, 0.1, 0], [0, 0.9, 0, 0.1]]
    html = page(rows, [(0, 3), (1, 2), (2, 4), (3, 4)], "a b c d e")
    assert text_of(html) == "[a [b]2 [c]1 [d]2]1 e"


def test_spaces_are_those_of_the_text() -> None:
    html = page([[1, 0], [0.9, 0.1]], [(0, 1), (2, 3)], "Ann 's she !", spaces=[False, True, False, False])
    assert text_of(html) == "[Ann]1's [she]1!"


def test_everything_is_escaped() -> None:
    html = page([[1, 0], [0.3, 0.7]], [(0, 1), (1, 2)], "<b>\"x'&amp; <i>")
    assert "<b>" not in html
    assert "<i>" not in html
    assert "&lt;b&gt;&#34;x&#39;&amp;amp;" in html


def test_an_answer_outside_the_interval_is_explained() -> None:
    n, why = 40, "The entities here are those of one clustering, which rounds"
    rows = [[1.0 if j == i == 0 else 0.6 if j == i else 0.4 if j == i - 1 else 0.0 for j in range(n)] for i in range(n)]
    html = page(rows, [(i, i + 1) for i in range(n)], "he " * n)
    assert "40 mentions; entities here: 40, expected 24.4" in html
    assert why in html
    assert why not in page([[1, 0], [0.9, 0.1]], [(0, 2), (3, 4)], "Ann Bell saw herself .")


# The report of a comparison.


SAID = {
    "gaffke": (["The interval is Gaffke", "It is Gaffke"], ["resampled", "coin", "Student"]),
    "student": (["Student"], ["resampled", "coin", "replacement"]),
    "permutation": (["coin flip", "resampled, with replacement"], ["Student"]),
    "bootstrap": (["share of test sets, resampled"], ["coin", "Student"]),
    "mcnemar": (["McNemar", "resampled, with replacement"], ["coin", "Student"]),
    "boostsa": (["share of sub-samples"], ["coin", "Student", "probability that two"]),
}


@pytest.mark.parametrize("method", SAID)
def test_it_explains_what_was_done_and_nothing_else(method: str) -> None:
    targets, a, b = labels(60, 3, 1, accuracy=(0.5, 0.9))
    result = compare(targets, a, b, metrics="accuracy", method=method, rng=5, n_resamples=50)
    page = significance_report(result)
    glossary = page[page.index("How to read it") : page.index("</dl>")]
    there, absent = SAID[method]
    assert [term for term in there if term not in glossary] == []
    assert [term for term in absent if term in glossary] == []


def test_it_explains_no_interval_and_no_adjustment_where_there_is_none() -> None:
    targets, a, b = labels(60, 3, 1, accuracy=(0.5, 0.9))
    result = compare(
        targets, a, b, metrics="accuracy", interval=None, adjust=None, alternative="better", rng=5, n_resamples=50
    )
    (difference, definition), (_, p) = terms(result.recipe)
    assert (difference, definition) == ("Difference", "The model's value minus the baseline's.")
    assert "in favour of the model" in p
