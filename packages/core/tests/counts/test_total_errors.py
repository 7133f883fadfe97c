"""Differences of two totals: by the design of the draw, also where units of both were drawn together."""

import numpy as np
import pytest

from howsure import estimate_counts
from howsure.counts.results import difference_of_totals

DOCUMENTS = 400


def of_pairs(labels: np.ndarray, sampled: np.ndarray, method: str = "difference"):
    """Counts of two actors in documents of which some are read: labels (documents, 2)."""
    observed = np.where(np.isin(np.arange(DOCUMENTS), sampled)[:, None], labels, np.nan)
    document = np.repeat(np.arange(DOCUMENTS), 2)
    actor = np.tile(["A", "B"], DOCUMENTS)
    cells = {"actor": actor, "period": np.full(2 * DOCUMENTS, "all")}
    return estimate_counts(
        observed.ravel(), np.full(2 * DOCUMENTS, 0.5), groups=cells, clusters=document, method=method, rng=0
    )


@pytest.mark.long
@pytest.mark.parametrize("method", [pytest.param("difference", marks=pytest.mark.long), "labels"])
def test_actors_that_exclude_each_other(method: str) -> None:
    """Of 40 draws of 60 from 400 documents, each by one of two actors: independent totals would hold .83."""
    rng = np.random.default_rng(0)
    first = rng.random(DOCUMENTS) < 0.5
    truth, covered, narrow = 2 * int(first.sum()) - DOCUMENTS, [], []
    for _ in range(40):
        counts = of_pairs(np.column_stack([first, ~first]), rng.choice(DOCUMENTS, 60, replace=False), method)
        difference, more = counts.difference("A", "B")
        covered.append(difference.low <= truth <= difference.high)
        alone, _, high, _ = difference_of_totals(
            *[(row.estimate, row.low, row.high) for row in counts.domains], correlation=0.0, level=0.95
        )
        assert alone == pytest.approx(difference.value)
        narrow.append(high - alone < 0.75 * (difference.high - difference.value))
        assert (more > 0.975) == (difference.low > 0)
    assert np.mean(covered) >= 0.92
    assert np.mean(narrow) > 0.95


@pytest.mark.long
def test_the_correlation_matches_repeated_draws() -> None:
    """Of 120 draws: actors that act together in half of the documents, apart in the others."""
    rng = np.random.default_rng(1)
    kind = rng.integers(0, 4, DOCUMENTS)
    for labels in (np.column_stack([kind < 2, kind == 2]), np.column_stack([kind < 2, kind > 0])):
        draws = [of_pairs(labels, rng.choice(DOCUMENTS, 80, replace=False), "labels") for _ in range(120)]
        totals = np.array([[row.estimate for row in draw.domains] for draw in draws])
        correlation = np.mean([draw.errors.correlation(0, 1) for draw in draws])
        assert correlation == pytest.approx(np.corrcoef(totals.T)[0, 1], abs=0.15)


def test_what_is_reported_of_two_totals() -> None:
    rng = np.random.default_rng(2)
    labels = rng.random((DOCUMENTS, 2)) < [0.6, 0.2]
    counts = of_pairs(labels, rng.choice(DOCUMENTS, 60, replace=False))
    difference, more = counts.difference("A", "B")
    turned, less = counts.difference(("B",), ("A",))
    assert (difference.value, difference.low, difference.high) == pytest.approx(
        (-turned.value, -turned.high, -turned.low)
    )
    assert more + less == pytest.approx(1.0)
    assert counts.difference("A", "A")[0].value == 0.0


def test_a_census_leaves_no_doubt() -> None:
    labels = np.column_stack([np.arange(DOCUMENTS) % 2, np.arange(DOCUMENTS) % 4 == 0])
    difference, more = of_pairs(labels, np.arange(DOCUMENTS)).difference("A", "B")
    assert (difference.value, difference.low, difference.high, more) == (100.0, 100.0, 100.0, 1.0)
