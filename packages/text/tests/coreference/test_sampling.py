"""Sampled clusterings: they are clusterings, and as frequent as the exact posterior says."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.coreference.by_definition import Enumeration, random_matrix, vectors

from howsure.data.documents.document import Mention
from howsure_text.coreference import CorefPosterior
from howsure_text.coreference.clusterings import (
    clusters_from,
    draw_labels,
    first_labels,
    labels_from,
    minimise_loss,
    pair_frequency,
)
from howsure_text.coreference.gold_comparison import cluster_confidence, mention_confidence


def test_a_sample_is_an_equivalence_named_after_first_mentions() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        m = int(rng.integers(1, 30))
        labels = CorefPosterior(random_matrix(m, rng)).sample(20, rng=rng)
        assert labels.shape == (20, m)
        labels_of_labels = np.take_along_axis(labels, labels, axis=1)
        # the label of a label is itself: mentions of one label are one class
        assert np.array_equal(labels_of_labels, labels)
        assert (labels <= np.arange(m)).all()  # and it is the first of its class


def test_frequencies_are_distributed_as_the_exact_pairs_say() -> None:
    """One pair of each of 400 documents: its count is binomial with the exact probability."""
    rng, n = np.random.default_rng(11), 200
    z, uniform = [], []
    while len(z) < 400:
        m = int(rng.integers(2, 15))
        posterior = CorefPosterior(random_matrix(m, rng))
        i, j = sorted(rng.choice(m, size=2, replace=False).tolist())
        p = posterior.pair_probability()[i, j]
        labels = posterior.sample(n, rng=rng)
        count = int((labels[:, i] == labels[:, j]).sum())
        if not 0.02 < p < 0.98:
            assert n * p - 20 < count < n * p + 20
            continue
        z.append((count - n * p) / np.sqrt(n * p * (1 - p)))
        below = stats.binom.cdf(count - 1, n, p)
        uniform.append(below + rng.random() * (stats.binom.cdf(count, n, p) - below))
    assert stats.kstest(uniform, "uniform").pvalue > 0.01
    assert np.mean(z) == pytest.approx(0.0, abs=3 / np.sqrt(400))
    assert np.std(z) == pytest.approx(1.0, abs=3 / np.sqrt(800))


def test_whole_clusterings_are_as_frequent_as_their_probability() -> None:
    matrix = random_matrix(5, np.random.default_rng(2), zeros=0.0)
    n = 20_000
    expected = Enumeration(matrix).clusterings()
    labels = CorefPosterior(matrix).sample(n, rng=3)
    clusterings, counts = np.unique(labels, axis=0, return_counts=True)
    observed = dict(zip(map(tuple, clusterings.tolist()), counts.tolist(), strict=True))
    assert set(observed) <= {labels for labels, p in expected.items() if p > 0.0}
    often = {labels: p for labels, p in expected.items() if n * p >= 5}
    rest = 1.0 - sum(often.values())
    f_observed = [*(observed.get(labels, 0) for labels in often)]
    assert (
        stats.chisquare([*f_observed, n - sum(f_observed)], [*(n * p for p in often.values()), n * rest]).pvalue > 0.01
    )


class Always(np.random.Generator):
    """A generator whose uniform numbers are all one."""

    def __init__(self, value: float) -> None:
        super().__init__(np.random.PCG64())
        self.value = value

    def random(self, size: int) -> np.ndarray:  # type: ignore[override]
        return np.full(size, self.value)


def test_the_end_of_a_share_belongs_to_the_next() -> None:
    """A uniform number u < 0.5 draws the link, u = 0.5 is the first that does not."""
    antecedents = CorefPosterior([[1, 0], [0.5, 0.5]]).antecedents
    assert draw_labels(antecedents, 1, Always(0.5)).ravel().tolist() == [0, 1]
    assert draw_labels(antecedents, 1, Always(np.nextafter(0.5, 0.0))).ravel().tolist() == [0, 0]
    assert draw_labels(antecedents, 1, Always(0.0)).ravel().tolist() == [0, 0]


def test_impossible_clusterings_are_never_drawn() -> None:
    """Ten links of 0.1 sum to a little less than 1 in floating point; "new" must not get what is missing."""
    matrix = np.diag([1.0] * 10 + [0.0])
    matrix[10, :10] = 0.1
    labels = draw_labels(CorefPosterior(matrix).antecedents, 3, Always(np.nextafter(1.0, 0.0)))
    assert labels[10].tolist() == [9, 9, 9]


def test_the_seed_decides_and_nothing_else() -> None:
    posterior = CorefPosterior(random_matrix(20, np.random.default_rng(1)))
    labels = posterior.sample(50, rng=7)
    assert np.array_equal(labels, posterior.sample(50, rng=np.random.default_rng(7)))
    assert not np.array_equal(labels, posterior.sample(50, rng=8))
    assert posterior.sample(1, rng=0).shape == (1, 20)
    assert CorefPosterior([]).sample(3).shape == (3, 0)


def test_pair_frequencies_are_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = CorefPosterior(random_matrix(9, np.random.default_rng(4))).sample(40, rng=1)
    slow = (labels[:, :, None] == labels[:, None, :]).mean(axis=0)
    np.testing.assert_allclose(pair_frequency(labels), slow, rtol=1e-15)
    assert pair_frequency(np.zeros((70_000, 2), dtype=int)).tolist() == [[1.0, 1.0], [1.0, 1.0]]
    monkeypatch.setattr("howsure_text.coreference.clusterings.CHUNK", 30)
    np.testing.assert_allclose(pair_frequency(labels), slow, rtol=1e-15)


# Clusterings decided on: best antecedents, and least expected pair loss against all clusterings.


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
        reached = loss(together, posterior.labels(clusters), threshold)
        assert posterior.expected_pair_loss(clusters, threshold=threshold) == pytest.approx(reached, abs=1e-12)
        gaps.append(reached - best)
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
        labels = minimise_loss(together, [rng.integers(m, size=m)])
        least = loss(together, labels, 0.5) - 1e-9
        moves = [np.where(np.arange(m) == i, slot, labels) for i in range(m) for slot in range(m)]
        merges = [np.where(labels == label, other, labels) for label in labels for other in labels]
        assert min(loss(together, other, 0.5) for other in moves + merges) >= least


def test_a_higher_threshold_links_less() -> None:
    posterior = CorefPosterior([[1, 0, 0], [0.4, 0.6, 0], [0.0, 0.7, 0.3]])
    assert posterior.minimum_risk_clusters(threshold=0.2) == [[0, 1, 2]]
    assert posterior.minimum_risk_clusters() == [[0], [1, 2]]
    assert posterior.minimum_risk_clusters(threshold=0.9) == [[0], [1], [2]]


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


# How sure a posterior is of clusters, against enumeration of all antecedent vectors.


def random_posterior(m: int, seed: int) -> CorefPosterior:
    rng = np.random.default_rng(seed)
    rows = np.tril(rng.random((m, m)) ** 3)
    return CorefPosterior(rows / rows.sum(axis=1, keepdims=True))


def enumerated(posterior: CorefPosterior) -> list[tuple[float, list[int]]]:
    """Every antecedent vector with its probability and its labels."""
    rows = np.zeros((len(posterior), len(posterior)))
    for j in range(len(posterior)):
        earlier, p = posterior.antecedents.row(j)
        rows[j, earlier] = p
        rows[j, j] = posterior.antecedents.new[j]
    outcomes = []
    for vector in product(*(range(j + 1) for j in range(len(rows)))):
        labels = list(range(len(rows)))
        for j, k in enumerate(vector):
            labels[j] = labels[k] if k < j else j
        outcomes.append((float(np.prod([rows[j, k] for j, k in enumerate(vector)])), labels))
    return outcomes


@pytest.mark.parametrize("seed", range(12))
def test_against_enumeration(seed: int) -> None:
    posterior = random_posterior(5, seed)
    chosen = np.array([0, 1, 0, 0, 1]) if seed % 2 else np.array([0, 1, 1, 3, 4])
    confidence = mention_confidence(posterior, chosen)
    worlds = enumerated(posterior)
    for i in range(5):
        others = [j for j in range(5) if j != i and chosen[j] == chosen[i]]
        expected = 0.0
        for p, labels in worlds:
            together = [labels[j] == labels[i] for j in (others or [j for j in range(5) if j != i])]
            expected += p * (np.mean(together) if others else not any(together))
        assert confidence[i] == pytest.approx(expected, abs=1e-12)
    of_clusters = cluster_confidence(posterior, chosen)
    assert set(of_clusters) == set(chosen.tolist())
    for label, value in of_clusters.items():
        assert value == pytest.approx(confidence[chosen == label].mean())


def test_a_cluster_is_as_sure_as_its_pairs() -> None:
    posterior = random_posterior(6, 1)
    together = posterior.pair_probability()
    confidence = cluster_confidence(posterior, [[0, 2, 5], [1], [3, 4]])
    assert confidence[0] == pytest.approx((together[0, 2] + together[0, 5] + together[2, 5]) / 3)
    assert confidence[3] == pytest.approx(together[3, 4])


# Clusterings as lists and as labels, and mentions by their names.


MATRIX = [[1, 0, 0], [0.4, 0.6, 0], [0.5, 0.3, 0.2]]
ANN, EVE, SHE = Mention(0, 0, 1), Mention(0, 3, 4), Mention(1, 0, 1)


@given(st.lists(st.integers(0, 5), max_size=12))
def test_lists_and_labels_are_one(codes: list[int]) -> None:
    labels = first_labels(np.array(codes, dtype=int))
    assert labels.tolist() == [codes.index(code) for code in codes]
    clusters = clusters_from(labels, range(len(codes)))
    assert np.array_equal(labels_from(clusters, range(len(codes))), labels)
    assert np.array_equal(labels_from(np.array(codes, dtype=int), range(len(codes))), labels)
    assert np.array_equal(labels_from([set(c) for c in clusters if len(c) > 1], range(len(codes))), labels)


def test_clusters_speak_of_mentions() -> None:
    posterior = CorefPosterior(MATRIX, mentions=[ANN, EVE, SHE])
    assert posterior.best_antecedent_clusters() == [[ANN, SHE], [EVE]]
    assert posterior.log_prob([[SHE, ANN], [EVE]]) == pytest.approx(np.log(0.6 * 0.5))
    assert (
        posterior.log_prob([[SHE, ANN]]) == posterior.log_prob(np.array([4, 1, 4])) == posterior.log_prob([{SHE, ANN}])
    )
    assert posterior.log_prob([[ANN, EVE, SHE]]) == pytest.approx(np.log(0.4 * 0.8))
