"""AUROC: by counting pairs, against scikit-learn, DeLong's variance by hand, and what its interval covers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.selective import separated
from howsure import Pairs
from howsure.selective.ranked import auroc_of, furthest, placements, ranked, variance_of_area

SMALL = st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]), st.booleans()), min_size=2, max_size=12)


def pairs_of(rows: list[tuple[float, bool]]) -> Pairs:
    return Pairs(np.array([y for _, y in rows], dtype=np.uint8), np.array([q for q, _ in rows]))


@given(SMALL)
def test_it_is_the_share_of_pairs_in_order(rows: list[tuple[float, bool]]) -> None:
    right, wrong = [q for q, y in rows if y], [q for q, y in rows if not y]
    found = auroc_of(ranked(pairs_of(rows)), level=0.95)
    if not right or not wrong:
        assert math.isnan(found.value)
        assert found.low is None
        return
    wins = [1.0 if a > b else 0.5 if a == b else 0.0 for a in right for b in wrong]
    assert found.value == pytest.approx(np.mean(wins), rel=1e-12)
    assert found.low is not None
    assert found.high is not None
    assert 0.0 <= found.low <= found.value <= found.high <= 1.0


def test_it_agrees_with_scikit_learn() -> None:
    from sklearn.metrics import roc_auc_score

    for ties in (False, True):
        pairs = separated(700, 0.8, 1.0, np.random.default_rng(1), ties=ties, clusters=False)
        assert auroc_of(ranked(pairs), level=0.95).value == pytest.approx(
            roc_auc_score(pairs.labels, pairs.probabilities), rel=1e-12
        )


def test_its_variance_is_delongs() -> None:
    """From the matrix of all comparisons; the interval is at least as wide as by this variance."""
    pairs = separated(400, 0.6, 1.0, np.random.default_rng(2), ties=True, clusters=False)
    right, wrong = pairs.probabilities[pairs.labels == 1], pairs.probabilities[pairs.labels == 0]
    wins = (right[:, None] > wrong) + 0.5 * (right[:, None] == wrong)
    parts = wins.mean(axis=1).var(ddof=1) / len(right), wins.mean(axis=0).var(ddof=1) / len(wrong)
    area, ranks = float(wins.mean()), ranked(pairs)
    variance, degrees, factor = variance_of_area(ranks, area, *placements(ranks))
    assert variance == pytest.approx(sum(parts), rel=1e-12)
    assert degrees == pytest.approx(
        sum(parts) ** 2 / (parts[0] ** 2 / (len(right) - 1) + parts[1] ** 2 / (len(wrong) - 1)), rel=1e-12
    )
    assert factor == 1.0
    found = auroc_of(ranks, level=0.95)
    assert found.low is not None
    reach = math.log(area / (1 - area)) - math.log(found.low / (1 - found.low))
    assert reach >= 1.96 * math.sqrt(variance) / (area * (1 - area))


def test_the_least_reach_is_newcombes() -> None:
    """Method 5 solved for by a fine grid; with few wrong answers it is the wider one."""
    area = np.linspace(0.2, 0.98, 200_001)[:-1]
    spread = area * (1 - area) + 30 * (area / (2 - area) + 2 * area**2 / (1 + area) - 2 * area**2)
    inside = (0.98 - area) ** 2 <= 1.959964**2 * spread / 120
    assert furthest(0.98, 60, 2, 1.0, 0.95) == pytest.approx(area[inside].min(), abs=1e-4)
    ranks = ranked(separated(200, 0.95, 2.5, np.random.default_rng(6), ties=False, clusters=False))
    found = auroc_of(ranks, level=0.95)
    assert found.low == furthest(found.value, 200 - ranks.wrong, ranks.wrong, 1.0, 0.95)


def test_clusters_of_one_are_no_clusters_and_copies_say_nothing_new() -> None:
    pairs = separated(150, 0.7, 1.0, np.random.default_rng(3), ties=False, clusters=False)
    alone = auroc_of(ranked(pairs), level=0.95)
    assert auroc_of(ranked(Pairs(pairs.labels, pairs.probabilities, clusters=np.arange(150))), level=0.95) == alone
    copied = Pairs(np.repeat(pairs.labels, 4), np.repeat(pairs.probabilities, 4), clusters=np.repeat(np.arange(150), 4))
    found = auroc_of(ranked(copied), level=0.95)
    assert found.value == pytest.approx(alone.value)
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high), abs=0.004)


def test_a_perfect_order_of_few_is_no_certainty() -> None:
    found = auroc_of(ranked(pairs_of([(0.9, True)] * 30 + [(0.1, False)] * 5)), level=0.95)
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(0.025 ** (1 / 5))
    turned = auroc_of(ranked(pairs_of([(0.1, True)] * 30 + [(0.9, False)] * 5)), level=0.95)
    assert (turned.low, turned.value) == (0.0, 0.0)
    assert turned.high == pytest.approx(1 - 0.025 ** (1 / 5))


def test_the_order_of_rows_is_nothing() -> None:
    pairs = separated(300, 0.8, 1.0, np.random.default_rng(4), ties=True, clusters=True)
    order = np.random.default_rng(5).permutation(300)
    assert pairs.clusters is not None
    moved = Pairs(pairs.labels[order], pairs.probabilities[order], clusters=pairs.clusters[order])
    assert auroc_of(ranked(moved), level=0.95) == auroc_of(ranked(pairs), level=0.95)
