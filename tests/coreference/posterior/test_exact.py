"""Exact answers against the enumeration of all antecedent vectors, and against the recursion on larger documents."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from howsure.coreference import CorefPosterior
from howsure.coreference.exact import LARGEST, SLAB
from howsure.errors import InputError
from tests.coreference.enumeration import Enumeration, random_matrix, recursion

RIGHT = {"atol": 1e-12, "rtol": 0.0}


def cases(number: int) -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    return [random_matrix(int(m), rng) for m in rng.integers(0, 8, size=number)]


def sparse(matrix: np.ndarray) -> CorefPosterior:
    links = [np.flatnonzero(matrix[j, :j]) for j in range(len(matrix))]
    return CorefPosterior.from_rows(links, [matrix[j, k] for j, k in enumerate(links)], matrix.diagonal())


@pytest.mark.parametrize("make", [CorefPosterior, sparse])
def test_every_exact_answer_is_that_of_enumeration(make) -> None:
    for matrix in cases(50):
        posterior, slow = make(matrix), Enumeration(matrix)
        np.testing.assert_allclose(posterior.pair_probability(), slow.together(), **RIGHT)
        np.testing.assert_allclose(posterior.number_of_entities().pmf, slow.numbers(), **RIGHT)
        np.testing.assert_allclose(posterior.singleton_probability(), slow.alone(), **RIGHT)
        np.testing.assert_allclose(posterior.first_mention_probability(), slow.first_mentions(), **RIGHT)
        np.testing.assert_allclose(posterior.expected_cluster_size(), slow.sizes(), **RIGHT)


def test_chosen_pairs_are_those_of_enumeration() -> None:
    for matrix in cases(100):
        pairs = np.argwhere(np.ones(matrix.shape))
        chosen = CorefPosterior(matrix).pair_probability(pairs)
        np.testing.assert_allclose(chosen, Enumeration(matrix).together().ravel(), **RIGHT)


def test_the_probability_of_every_clustering_is_that_of_enumeration() -> None:
    for matrix in cases(25):
        posterior = CorefPosterior(matrix)
        for labels, p in Enumeration(matrix).clusterings().items():
            found = posterior.log_prob(np.array(labels, dtype=int))
            assert np.exp(found) == pytest.approx(p, abs=1e-12)
            assert p > 0.0 or found == -np.inf


@pytest.mark.parametrize("m", [1, SLAB - 1, SLAB, SLAB + 1, 2 * SLAB + 100])
def test_documents_of_several_slabs_follow_the_recursion(m: int) -> None:
    matrix = random_matrix(m, np.random.default_rng(m), zeros=0.9)
    posterior, slow = CorefPosterior(matrix), recursion(matrix)
    np.testing.assert_allclose(posterior.pair_probability(), slow, **RIGHT)
    np.testing.assert_allclose(posterior.expected_cluster_size(), slow.sum(axis=1), rtol=1e-12)
    pairs = np.random.default_rng(0).integers(m, size=(200, 2))
    np.testing.assert_allclose(posterior.pair_probability(pairs), slow[pairs[:, 0], pairs[:, 1]], **RIGHT)


@settings(max_examples=50)
@given(st.integers(1, 40), st.integers(0, 2**32))
def test_laws_of_the_pair_matrix(m: int, seed: int) -> None:
    posterior = CorefPosterior(random_matrix(m, np.random.default_rng(seed)))
    together = posterior.pair_probability()
    assert np.array_equal(together, together.T)
    assert (together.diagonal() == 1.0).all()
    assert together.min() >= 0.0
    assert together.max() <= 1.0
    assert np.linalg.eigvalsh(together).min() > -1e-12  # a mixture of equivalences
    first = posterior.first_mention_probability()
    np.testing.assert_allclose(first.sum(axis=1), 1.0, **RIGHT)
    assert (together >= first @ first.T - 1e-12).all()  # the paths of two mentions help each other to end together
    assert posterior.number_of_entities().mean == pytest.approx(first.diagonal().sum())


def test_the_number_of_threads_changes_no_bit() -> None:
    posterior = CorefPosterior(random_matrix(400, np.random.default_rng(1)))
    pairs = np.random.default_rng(2).integers(400, size=(50, 2))

    def answers() -> list[np.ndarray]:
        exact = [posterior.pair_probability(), posterior.pair_probability(pairs), posterior.expected_cluster_size()]
        return [*exact, posterior.first_mention_probability(), posterior.sample(20, rng=0)]

    with threadpool_limits(1):
        one = answers()
    with threadpool_limits(2):
        two = answers()
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_a_long_chain_of_certain_links_stays_exact() -> None:
    m = 1000
    posterior = CorefPosterior.from_rows(
        [[]] + [[j - 1] for j in range(1, m)], [[]] + [[1.0]] * (m - 1), [1.0] + [0.0] * (m - 1)
    )
    assert (posterior.pair_probability() == 1.0).all()
    assert posterior.number_of_entities().interval() == (1, 1)


def test_ten_thousand_mentions_are_refused_as_a_matrix_and_answered_as_pairs() -> None:
    m = 10_000
    links = [[]] + [[j // 2] for j in range(1, m)]
    posterior = CorefPosterior.from_rows(links, [[]] + [[0.5]] * (m - 1), [1.0] + [0.5] * (m - 1))
    message = f"10,000 mentions are too many for a matrix of all pairs (0.8 GB; at most {LARGEST:,}); pair_probability("
    with pytest.raises(InputError, match=re.escape(message)):
        posterior.pair_probability()
    with pytest.raises(InputError, match="too many for a matrix"):
        posterior.first_mention_probability()
    with pytest.raises(InputError, match="too many for a matrix"):
        posterior.minimum_risk_clusters()
    # 1023 → 511 → … → 1: two halves of a chain of ten links; 1022 joins it at 511
    assert posterior.pair_probability([(1023, 511), (1023, 1), (1022, 1023), (1022, 1021)]).tolist() == [
        0.5,
        0.5**9,
        0.25,
        pytest.approx(0.5**4),
    ]


def test_pairs_of_all_of_many_mentions_are_answered() -> None:
    """A chain: each mention is joined to the one before it or new, so neighbours are together as their link says."""
    m = LARGEST + 1
    p = np.where(np.arange(m) % 3 == 1, 0.7, 0.2)
    links = [[]] + [[j - 1] for j in range(1, m)]
    posterior = CorefPosterior.from_rows(links, [[]] + [[q] for q in p[1:]], [1.0, *(1.0 - p[1:])])
    assert posterior.pair_probability([(j - 1, j) for j in range(1, m)]) == pytest.approx(p[1:], abs=1e-12)


@pytest.mark.parametrize("share", [0.02, 0.5])
def test_sparse_and_full_blocks_give_one_answer(share: float) -> None:
    rng = np.random.default_rng(8)
    m = 3 * SLAB + 7
    matrix = np.tril(rng.random((m, m)) * (rng.random((m, m)) < share), -1) + np.eye(m)
    matrix /= matrix.sum(axis=1, keepdims=True)
    posterior = CorefPosterior(matrix)
    pairs = np.concatenate([rng.integers(m, size=(3000, 2)), [(0, 0), (m - 1, m - 1), (0, m - 1)]])
    wanted = posterior.pair_probability()
    np.testing.assert_allclose(posterior.pair_probability(pairs), wanted[pairs[:, 0], pairs[:, 1]], **RIGHT)
    np.testing.assert_allclose(posterior.expected_cluster_size(), wanted.sum(axis=1), rtol=1e-12)
