"""The report of a comparison."""

from __future__ import annotations

from howsure.report.significance import significance_report
from howsure.significance import compare
from tests.significance.made_systems import labels


def test_it_says_everything_and_escapes_names() -> None:
    targets, a, b = labels(200, 3, 1, accuracy=(0.5, 0.9))
    result = compare(targets, a, {"<b>": b}, metrics="accuracy", rng=5, n_resamples=50)
    page = significance_report(result, read={"files": ["a.jsonl", "dev.jsonl"], "rows": 200, "skipped": {}})
    assert "&lt;b&gt; is better than baseline in accuracy by" in page
    assert "<b>" not in page
    assert '<th scope="row">files</th><td>a.jsonl, dev.jsonl</td>' in page
    assert '<th scope="row">skipped</th><td>0</td>' in page
    assert "<svg" in page
    assert f"{result[0].difference:+.4f}" in page
    assert page.count('<th scope="row">seed</th><td>5</td>') == 1


def test_a_notebook_shows_table_and_figure() -> None:
    targets, a, b = labels(50, 2, 1)
    shown = compare(targets, a, {"<b>": b}, metrics="accuracy", rng=5, n_resamples=50)._repr_html_()
    assert "&lt;b&gt;" in shown
    assert "<svg" in shown
