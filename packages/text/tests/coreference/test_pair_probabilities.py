"""Exact answers against the enumeration of all antecedent vectors, and against the recursion on larger documents."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.coreference.by_definition import Enumeration, random_matrix, recursion, vectors
from threadpoolctl import threadpool_limits

from howsure.errors import InputError
from howsure_text.coreference import CorefPosterior
from howsure_text.coreference.antecedents import from_matrix
from howsure_text.coreference.pair_probabilities import MAX_DENSE_MENTIONS, SLAB
from howsure_text.coreference.scored_posteriors import without_mentions

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
            log_p = posterior.log_prob(np.array(labels, dtype=int))
            assert np.exp(log_p) == pytest.approx(p, abs=1e-12)
            assert p > 0.0 or log_p == -np.inf


@pytest.mark.parametrize("m", [1, SLAB - 1, SLAB, SLAB + 1, 2 * SLAB + 100])
def test_documents_of_several_slabs_follow_the_recursion(m: int) -> None:
    matrix = random_matrix(m, np.random.default_rng(m), zeros=0.9)
    posterior, slow = CorefPosterior(matrix), recursion(matrix)
    np.testing.assert_allclose(posterior.pair_probability(), slow, **RIGHT)
    np.testing.assert_allclose(posterior.expected_cluster_size(), slow.sum(axis=1), rtol=1e-12)
    pairs = np.random.default_rng(0).integers(m, size=(200, 2))
    np.testing.assert_allclose(posterior.pair_probability(pairs), slow[pairs[:, 0], pairs[:, 1]], **RIGHT)


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
        single = answers()
    with threadpool_limits(2):
        double = answers()
    assert all(np.array_equal(a, b) for a, b in zip(single, double, strict=True))


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
    message = (
        f"10,000 mentions are too many for a matrix of all pairs (0.8 GB; at most {MAX_DENSE_MENTIONS:,}); "
        "pair_probability("
    )
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


@pytest.mark.long
def test_pairs_of_all_of_many_mentions_are_answered() -> None:
    """A chain: each mention is joined to the one before it or new, so neighbours are together as their link says."""
    m = MAX_DENSE_MENTIONS + 1
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
    expected = posterior.pair_probability()
    np.testing.assert_allclose(posterior.pair_probability(pairs), expected[pairs[:, 0], pairs[:, 1]], **RIGHT)
    np.testing.assert_allclose(posterior.expected_cluster_size(), expected.sum(axis=1), rtol=1e-12)


# Leaving mentions out: the posterior given that nothing refers to them, by enumeration.


M = 6


@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_conditional_of_all_choices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = random_matrix(M, rng, zeros=0.2)
    kept = rng.random(M) < 0.7
    matrix[kept, np.flatnonzero(kept)] += 0.05  # each that stays may be new
    matrix /= matrix.sum(axis=1, keepdims=True)
    choices, labels = vectors(M)
    p = Enumeration(matrix).p
    refers = (~kept[choices] & kept[None, :]).any(axis=1)  # one that stays to one that does not
    share = np.where(refers, 0.0, p)
    places = np.flatnonzero(kept)
    same = labels[:, places, None] == labels[:, None, places]
    expected = np.tensordot(share / share.sum(), same.astype(float), axes=1)
    rest, lost = without_mentions(from_matrix(matrix), kept)
    np.testing.assert_allclose(CorefPosterior(rest).pair_probability(), expected, atol=1e-12)
    np.testing.assert_allclose(lost, matrix[np.ix_(kept, ~kept)].sum(axis=1).max(initial=0.0), atol=1e-12)


def test_without_any_left_out_nothing_changes() -> None:
    antecedents = from_matrix(random_matrix(M, np.random.default_rng(1)))
    rest, lost = without_mentions(antecedents, np.ones(M, dtype=bool))
    assert lost == 0.0
    np.testing.assert_allclose(rest.probabilities, antecedents.probabilities, rtol=1e-15)


# Entropies of a coreference posterior: against all clusterings there are.


def entropy_of(p: np.ndarray) -> float:
    return -sum(x * math.log(x) for x in np.asarray(p).ravel().tolist() if x > 0)


@given(st.integers(0, 6), st.integers(0, 2**32 - 1))
def test_the_entropy_of_the_choices_is_that_of_all_vectors(m: int, seed: int) -> None:
    matrix = random_matrix(m, np.random.default_rng(seed))
    entropy = CorefPosterior(matrix).antecedent_entropy()
    assert entropy == pytest.approx(entropy_of(Enumeration(matrix).p), abs=1e-9)


@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_the_entropy_of_the_clusterings_is_not_greater(m: int, seed: int) -> None:
    posterior = CorefPosterior(random_matrix(m, np.random.default_rng(seed)))
    entropy = posterior.clustering_entropy(50, rng=0)
    assert 0.0 <= entropy.low <= entropy.value <= entropy.high <= posterior.antecedent_entropy() + 1e-12


def test_the_interval_holds_the_entropy_of_all_clusterings_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    covered, errors = [], []
    for _ in range(200):
        matrix = random_matrix(6, rng, zeros=0.0)
        exact = entropy_of(np.array(list(Enumeration(matrix).clusterings().values())))
        entropy = CorefPosterior(matrix).clustering_entropy(300, level=0.9, rng=rng)
        covered.append(entropy.low <= exact <= entropy.high)
        errors.append(entropy.value - exact)
    assert np.mean(covered) == pytest.approx(0.9, abs=3 * math.sqrt(0.09 / 200))
    assert abs(np.mean(errors)) < 4 * np.std(errors) / math.sqrt(200)


def test_it_is_the_mean_surprise_of_samples_with_less_noise() -> None:
    posterior = CorefPosterior(random_matrix(40, np.random.default_rng(2), zeros=0.0))
    surprise = np.array([-posterior.log_prob(labels) for labels in posterior.sample(2_000, rng=3)])
    entropy = posterior.clustering_entropy(2_000, rng=4)
    error = surprise.std() / math.sqrt(2_000)
    assert entropy.value == pytest.approx(surprise.mean(), abs=4 * error)
    assert (entropy.high - entropy.low) / (2 * 1.96) < 0.9 * error


def test_two_mentions_need_no_luck() -> None:
    entropy = CorefPosterior([[1, 0], [0.3, 0.7]]).clustering_entropy(10, rng=0)
    assert entropy.value == entropy.high == pytest.approx(entropy_of(np.array([0.3, 0.7])))


def test_samples_that_agree_are_no_certainty() -> None:
    """One clustering in a million makes the third mention doubtful; 100 samples do not see it."""
    posterior = CorefPosterior([[1, 0, 0], [1 - 1e-6, 1e-6, 0], [0.5, 0.5, 0]])
    entropy = posterior.clustering_entropy(100, rng=0)
    exact = entropy_of(np.array([1 - 1e-6, 5e-7, 5e-7]))
    assert entropy.value < exact <= entropy.high
    assert entropy.high > entropy.value


def test_many_samples_are_drawn_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior = CorefPosterior(random_matrix(10, np.random.default_rng(5), zeros=0.0))
    whole = posterior.clustering_entropy(1_000, rng=6)
    monkeypatch.setattr("howsure_text.coreference.clusterings.MAX_NUMBERS_AT_ONCE", 500)
    parts = posterior.clustering_entropy(1_000, rng=7)
    assert parts.value == pytest.approx(whole.value, abs=3 * (whole.high - whole.low))
    assert parts.n == 1_000


def test_nothing_has_no_entropy_and_bad_numbers_are_refused() -> None:
    nothing = CorefPosterior(np.empty((0, 0)))
    assert nothing.antecedent_entropy() == nothing.clustering_entropy(5, rng=0).value == 0.0


def test_the_error_is_that_of_sampling() -> None:
    """The interval of the estimate holds the exact probability as often as it says."""
    rng = np.random.default_rng(6)
    covered = []
    for _ in range(200):
        matrix = random_matrix(5, rng, zeros=0.0)
        slow = Enumeration(matrix)
        exact = float(slow.mean((slow.labels[:, 0] == slow.labels[:, 3]) & (slow.labels[:, 3] == slow.labels[:, 4])))
        answer = CorefPosterior(matrix).query(lambda clusters: {0, 3, 4} <= set(clusters[0]), 400, rng=rng)
        estimate = answer.estimate(0.9)
        covered.append(estimate.low <= exact <= estimate.high)
    assert np.mean(covered) == pytest.approx(0.9, abs=3 * np.sqrt(0.09 / 200))


def test_numbers_have_mean_spread_and_quantiles() -> None:
    posterior = CorefPosterior(random_matrix(12, np.random.default_rng(0)))
    answer = posterior.query(len, 4_000, rng=1)
    law = posterior.number_of_entities()
    assert answer.n == 4_000
    assert answer.mean == pytest.approx(law.mean, abs=4 * answer.standard_error)
    assert answer.sd**2 == pytest.approx(law.variance, rel=0.1)
    assert answer.standard_error == pytest.approx(answer.sd / np.sqrt(4_000))
    assert answer.interval() == law.interval()
    assert "from 4,000 sampled clusterings" in repr(answer)


def test_mentions_come_by_their_names() -> None:
    posterior = CorefPosterior([[1, 0], [0.5, 0.5]], mentions=["Ann", "she"])
    answer = posterior.query(lambda clusters: clusters, 10, rng=0)
    assert set(map(str, answer.values)) == {"[['Ann', 'she']]", "[['Ann'], ['she']]"}


def test_anything_else_is_counted() -> None:
    posterior = CorefPosterior([[1, 0], [0.25, 0.75]])
    answer = posterior.query(lambda clusters: "one" if len(clusters) == 1 else "two", 1_000, rng=0)
    shares = answer.probabilities()
    assert list(shares) == ["two", "one"]
    share, error = shares["one"]
    assert error == pytest.approx(np.sqrt(share * (1 - share) / 1_000))
    assert share == pytest.approx(0.25, abs=4 * error)
    assert repr(answer) == "2 different answers from 1,000 sampled clusterings"


def test_samples_that_agree_are_no_certainty_for_queries() -> None:
    answer = CorefPosterior([[1, 0], [1e-6, 1 - 1e-6]]).query(lambda clusters: len(clusters) == 2, 100, rng=0)
    assert answer.mean == 1.0
    assert answer.standard_error == 0.0
    assert answer.estimate().low == pytest.approx(0.963, abs=1e-3)


def test_many_samples_are_drawn_in_parts_for_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior = CorefPosterior(random_matrix(6, np.random.default_rng(9)))
    assert posterior.query(len, 25, rng=2).values == posterior.query(len, 25, rng=2).values
    monkeypatch.setattr("howsure_text.coreference.coref_posterior.MAX_SAMPLED_LABELS", 60)
    rng = np.random.default_rng(2)
    parts = np.concatenate([posterior.sample(n, rng=rng) for n in (10, 10, 5)])
    assert posterior.query(len, 25, rng=2).values == tuple(len(set(labels)) for labels in parts.tolist())


@pytest.mark.parametrize("answer", [None, 10**400])
def test_answers_that_are_not_numbers_have_no_mean(answer) -> None:
    result_of_query = CorefPosterior([[1]]).query(lambda clusters: answer, 3, rng=0)
    with pytest.raises(InputError, match="only numbers and truth values have a mean; the function returned"):
        _ = result_of_query.mean
    assert result_of_query.probabilities() == {answer: (1.0, 0.0)}


def test_answers_without_bound_have_no_spread() -> None:
    answers = CorefPosterior([[1]]).query(lambda clusters: np.inf, 3, rng=0)
    assert answers.mean == np.inf
    assert np.isnan(answers.sd)
