"""The report of estimated counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from howsure.counts import estimate_counts
from howsure.report.results import answer, counts_report
from tests.counts.populations import labelled, population


def test_it_says_everything_and_escapes_names() -> None:
    score, truth, cell = population("misses", np.random.default_rng(0), n=600)
    sample, labels = labelled(score, truth, 120, 0)
    names = np.where(cell % 2 == 0, "<b>", "other")
    counts = estimate_counts(labels, score, groups={"<i>": names, "month": cell // 4}, strata=sample.stratum, rng=0)
    page = counts_report(replace(counts, recipe={"files": ["news.csv"], **counts.recipe}))
    assert f"About {counts.total.estimate:,.0f} of 600 units are positive" in page
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "<i>" not in page
    assert "<svg" in page
    assert '<th scope="row">files</th><td>news.csv</td>' in page
    for said in (*counts.notes, *counts.diagnostics.sentences()):
        assert page.count(said) == 1
    assert "A share of" in answer(counts.total, share=True)


def test_many_cells_have_a_table_and_no_figure() -> None:
    score, truth, _ = population("misses", np.random.default_rng(0), n=600)
    sample, labels = labelled(score, truth, 120, 0)
    cells = {"actor": np.arange(600) % 10, "month": np.arange(600) % 3}
    page = counts_report(estimate_counts(labels, score, groups=cells, strata=sample.stratum, method="difference"))
    assert "too many cells for a figure" in page
    assert "<svg" not in page
