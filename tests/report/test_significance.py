"""The report of a comparison."""

from __future__ import annotations

import pytest

from howsure.report.results import significance_report, terms
from howsure.significance import compare
from tests.significance.made_systems import labels

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
    read = page[page.index("How to read it") : page.index("</dl>")]
    there, absent = SAID[method]
    assert [one for one in there if one not in read] == []
    assert [one for one in absent if one in read] == []


def test_it_explains_no_interval_and_no_adjustment_where_there_is_none() -> None:
    targets, a, b = labels(60, 3, 1, accuracy=(0.5, 0.9))
    result = compare(
        targets, a, b, metrics="accuracy", interval=None, adjust=None, alternative="better", rng=5, n_resamples=50
    )
    (difference, told), (_, p) = terms(result.recipe)
    assert (difference, told) == ("Difference", "The model's value minus the baseline's.")
    assert "in favour of the model" in p
