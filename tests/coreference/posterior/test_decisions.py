"""Clusterings decided on: best antecedents, and least expected pair loss against all clusterings."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.coreference import CorefPosterior
from howsure.coreference.clusterings import least_loss
from howsure.errors import InputError
from tests.coreference.enumeration import Enumeration, random_matrix, vectors


def loss(together: np.ndarray, labels: np.ndarray, threshold: float) -> float:
    m = len(labels)
    pairs = [(i, j) for i in range(m) for j in range(i)]
    return sum(
        threshold * (1 - together[i, j]) if labels[i] == labels[j] else (1 - threshold) * together[i, j]
        for i, j in pairs
    )


@pytest.mark.parametrize("threshold", [0.3, pytest.param(0.5, marks=pytest.mark.long), 0.8])
def test_local_search_reaches_the_least_loss_of_all_clusterings(threshold: float) -> None:
    """The gap to enumeration for M ≤ 7, where every clustering can be tried: none in 49 of 50 cases, and small."""
    rng = np.random.default_rng(3)
    gaps = []
    for m in rng.integers(1, 8, size=50):
        matrix = random_matrix(int(m), rng, zeros=0.1)
        posterior, together = CorefPosterior(matrix), Enumeration(matrix).together()
        best = min(loss(together, labels, threshold) for labels in np.unique(vectors(int(m))[1], axis=0))
        clusters = posterior.minimum_risk_clusters(threshold=threshold)
        found = loss(together, posterior.labels(clusters), threshold)
        assert posterior.expected_pair_loss(clusters, threshold=threshold) == pytest.approx(found, abs=1e-12)
        gaps.append(found - best)
    assert min(gaps) > -1e-12
    assert np.mean(np.array(gaps) > 1e-9) <= 0.02
    assert max(gaps) < 0.05


def test_expected_loss_is_the_mean_over_the_posterior() -> None:
    rng = np.random.default_rng(8)
    matrix = random_matrix(6, rng, zeros=0.0)
    posterior, slow = CorefPosterior(matrix), Enumeration(matrix)
    same = slow.labels[:, :, None] == slow.labels[:, None, :]
    for labels in posterior.sample(5, rng=rng):
        wrong = (same != (labels[:, None] == labels)).sum(axis=(1, 2)) / 2  # pairs i < j
        assert 2 * posterior.expected_pair_loss(labels) == pytest.approx(float(slow.mean(wrong)), abs=1e-12)


def test_minimum_risk_is_never_worse_than_best_antecedents() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        posterior = CorefPosterior(random_matrix(40, rng))
        ours, theirs = posterior.minimum_risk_clusters(), posterior.best_antecedent_clusters()
        assert posterior.expected_pair_loss(ours) <= posterior.expected_pair_loss(theirs) + 1e-9
        assert sorted(mention for cluster in ours for mention in cluster) == list(range(40))


def test_search_ends_where_no_move_and_no_merge_gains() -> None:
    rng = np.random.default_rng(4)
    for _ in range(80):
        m = 9
        together = np.clip(rng.normal(0.45, 0.3, size=(m, m)), 0.0, 1.0)
        together = np.tril(together, -1) + np.tril(together, -1).T + np.eye(m)
        labels = least_loss(together, [rng.integers(m, size=m)])
        least = loss(together, labels, 0.5) - 1e-9
        moves = [np.where(np.arange(m) == i, slot, labels) for i in range(m) for slot in range(m)]
        merges = [np.where(labels == one, other, labels) for one in labels for other in labels]
        assert min(loss(together, other, 0.5) for other in moves + merges) >= least


def test_a_higher_threshold_links_less() -> None:
    posterior = CorefPosterior([[1, 0, 0], [0.4, 0.6, 0], [0.0, 0.7, 0.3]])
    assert posterior.minimum_risk_clusters(threshold=0.2) == [[0, 1, 2]]
    assert posterior.minimum_risk_clusters() == [[0], [1, 2]]
    assert posterior.minimum_risk_clusters(threshold=0.9) == [[0], [1], [2]]
    with pytest.raises(InputError, match="threshold must lie strictly between 0 and 1; it is 1"):
        posterior.minimum_risk_clusters(threshold=1)


def test_merging_whole_clusters_finds_what_no_single_move_does() -> None:
    """Two certain pairs that are together with probability 0.6: no single mention gains by moving, both pairs do."""
    posterior = CorefPosterior([[1, 0, 0, 0], [1, 0, 0, 0], [0.6, 0, 0.4, 0], [0, 0, 1, 0]])
    assert posterior.best_antecedent_clusters() == [[0, 1, 2, 3]]
    assert posterior.minimum_risk_clusters() == [[0, 1, 2, 3]]
    assert posterior.minimum_risk_clusters(threshold=0.61) == [[0, 1], [2, 3]]


def test_the_best_antecedent_is_not_the_most_probable_clustering() -> None:
    matrix = [[1, 0, 0, 0], [0.9, 0.1, 0, 0], [0, 0, 1, 0], [0.3, 0.3, 0.4, 0.0]]
    posterior = CorefPosterior(matrix)
    assert posterior.best_antecedent_clusters() == [[0, 1], [2, 3]]
    assert posterior.log_prob([[0, 1, 3], [2]]) > posterior.log_prob([[0, 1], [2, 3]])
    assert posterior.minimum_risk_clusters() == [[0, 1, 3], [2]]


def test_ties_go_to_new_and_then_to_the_nearest() -> None:
    assert CorefPosterior([[1, 0], [0.5, 0.5]]).best_antecedent_clusters() == [[0], [1]]
    assert CorefPosterior([[1, 0, 0], [0, 1, 0], [0.4, 0.4, 0.2]]).best_antecedent_clusters() == [[0], [1, 2]]
