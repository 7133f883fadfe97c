"""Tests of the tests of thresholds: p-values, the thresholds to test, and their order."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from howsure.fields.filing_tests import RankedDocuments, counts_for_errors, lowest_count, lowest_counts
from howsure.stats.clusters import _log_unseen


def documents(wrong: object, n: object = None) -> RankedDocuments:
    """Documents of these numbers of wrong values and of values (default: 1), the most confident first."""
    errors = np.asarray(wrong)
    return RankedDocuments.of(np.linspace(1, 0.5, len(errors)), np.ones(len(errors)) if n is None else n, errors)


def test_single_values_are_tested_by_the_binomial_test() -> None:
    ranks = documents(np.arange(60) % 20 == 19)
    for count in (19, 20, 60):
        assert ranks.p_value(count, 0.1) == pytest.approx(binom.cdf(count // 20, count, 0.1), rel=1e-12)


@pytest.mark.parametrize("is_binomial", [True, False])
def test_thresholds_are_tested_where_one_more_document_may_be_wrong(is_binomial: bool) -> None:
    counts = counts_for_errors(0.1, 0.05, 120, is_binomial=is_binomial)
    for errors, count in enumerate(counts.tolist()):
        assert binom.cdf(errors, count, 0.1) <= 0.05
        if is_binomial:
            assert binom.cdf(errors, count - 1, 0.1) > 0.05


def test_worse_documents_are_unseen_with_the_largest_probability() -> None:
    """Compared with a grid of the probabilities of two sizes."""
    sizes, often, errors = np.array([5.0, 2.0]), np.array([3.0, 7.0]), np.array([0.5, 4.0, 20.0, 30.0])
    grid = np.linspace(0, 1, 300_001)[:-1]
    for total, result in zip(errors, _log_unseen(sizes, often, errors), strict=True):
        small = (total - often[0] * sizes[0] * grid) / (often[1] * sizes[1])
        possible = (small >= 0) & (small < 1)
        logs = often[0] * np.log1p(-grid[possible]) + often[1] * np.log1p(-small[possible])
        assert result == pytest.approx(logs.max(initial=-np.inf), abs=1e-4)


@pytest.mark.long
@pytest.mark.parametrize(("count", "rate"), list(product([100, 600], ["long documents", "all documents", "mixed"])))
def test_the_test_is_valid_if_documents_differ_in_length(count: int, rate: str) -> None:
    """A tenth of the documents has ten values, the others one; the proportion of wrong values is 0.05 at the limit."""
    rng, rejected = np.random.default_rng(5), 0
    for _ in range(300):
        n = np.where(rng.random(count) < 0.1, 10, 1)
        whole = {"long documents": 0.95, "all documents": 0.0, "mixed": 0.475}[rate] * 0.1
        wrong = np.where((n == 10) & (rng.random(count) < whole), 10, 0)
        if rate == "all documents":
            wrong = np.where(rng.random(count) < 0.05, n, 0)
        if rate == "mixed":
            wrong = np.maximum(wrong, rng.binomial(n, 0.0256))
        rejected += documents(wrong, n).p_value(count, 0.05) <= 0.1
    assert rejected / 300 <= 0.1 + 3 * np.sqrt(0.09 / 300)


def test_thresholds_are_lowered_until_one_fails() -> None:
    wrong = np.zeros(400)
    assert lowest_count(documents(wrong), risk=0.05, delta=0.1) == 400
    wrong[200:] = np.arange(200) % 5 == 0  # a proportion of 0.05 is passed at about 267
    assert 200 < lowest_count(documents(wrong), risk=0.05, delta=0.1) < 260
    assert lowest_count(documents(np.ones(400)), risk=0.05, delta=0.1) == 0
    assert lowest_count(documents(np.zeros(20)), risk=0.05, delta=0.1) == 0


def test_documents_of_equal_score_are_filed_together() -> None:
    tied = RankedDocuments.of(np.repeat([0.9, 0.5], [30, 300]), np.ones(330), np.zeros(330))
    assert lowest_count(tied, risk=0.05, delta=0.1) == 330
    assert tied.with_ties(np.array([1, 31])).tolist() == [30, 330]


def test_a_field_with_errors_does_not_prevent_others() -> None:
    fields = {"good": documents(np.zeros(300)), "bad": documents(np.ones(300)), "rare": documents(np.zeros(10))}
    fields["unknown"] = RankedDocuments.of(np.array([np.nan]), np.ones(1), np.ones(1))
    assert lowest_counts(fields, risk=0.05, delta=0.1) == {"good": 300, "bad": 0, "rare": 0, "unknown": 0}
    assert lowest_count(fields["unknown"], risk=0.05, delta=0.1) == 0
    assert fields["unknown"].times_needed(0.05, 0.1) is None


def test_a_sequence_of_all_fields_needs_no_division_of_delta() -> None:
    """With 60 documents, a field without errors passes at 0.09 but not at 0.1 / 6."""
    assert binom.cdf(0, 60, 0.05) > 0.1 / 6
    fields = {name: documents(np.zeros(60)) for name in "abcdef"}
    assert set(lowest_counts(fields, risk=0.05, delta=0.1).values()) == {60}
