"""Input of the posterior: an invalid antecedent distribution is refused, and the message gives the reason."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.coreference.by_definition import Enumeration, random_matrix

from howsure.calibration import calibration_error, calibration_test
from howsure.data import Document, Mention, Sentence
from howsure.errors import InputError
from howsure_text.coreference import AntecedentScores, CorefPosterior, pairs_from_posteriors, posterior_from_scores
from howsure_text.coreference.scored_posteriors import scored_document

NAN = float("nan")


def test_rows_and_matrix_are_one_distribution() -> None:
    rng = np.random.default_rng(0)
    for m in (0, 1, 2, 9):
        matrix = random_matrix(m, rng)
        links = [rng.permutation(np.flatnonzero(matrix[j, :j])) for j in range(m)]
        sparse = CorefPosterior.from_rows(links, [matrix[j, k] for j, k in enumerate(links)], matrix.diagonal())
        dense = CorefPosterior(matrix)
        for name in ("new", "starts", "antecedents", "probabilities"):
            np.testing.assert_allclose(getattr(sparse.antecedents, name), getattr(dense.antecedents, name), rtol=1e-15)


def test_rounding_is_divided_away() -> None:
    matrix = random_matrix(30, np.random.default_rng(3))
    half = CorefPosterior(matrix.astype(np.float16)).pair_probability()
    np.testing.assert_allclose(half, CorefPosterior(matrix).pair_probability(), atol=2e-3)
    off = CorefPosterior([[1, 0], [0.5004, 0.5]])
    assert off.antecedents.new[1] + off.antecedents.probabilities[0] == pytest.approx(1.0, abs=1e-15)


@pytest.mark.parametrize("empty", [[], np.empty((0, 0))])
def test_a_document_without_mentions_is_one(empty) -> None:
    posterior = CorefPosterior(empty)
    assert len(posterior) == 0
    assert posterior.pair_probability().shape == posterior.first_mention_probability().shape == (0, 0)
    assert posterior.pair_probability([]).shape == posterior.singleton_probability().shape == (0,)
    assert posterior.expected_cluster_size().shape == (0,)
    assert posterior.best_antecedent_clusters() == posterior.minimum_risk_clusters() == []
    assert posterior.log_prob([]) == 0.0
    assert posterior.number_of_entities().pmf.tolist() == [1.0]
    assert posterior.query(len, 3).values == (0, 0, 0)


def test_one_mention_is_alone() -> None:
    posterior = CorefPosterior([[1.0]])
    assert posterior.pair_probability().tolist() == posterior.first_mention_probability().tolist() == [[1.0]]
    assert posterior.pair_probability([(0, 0)]).tolist() == [1.0]
    assert posterior.singleton_probability().tolist() == posterior.expected_cluster_size().tolist() == [1.0]
    assert posterior.best_antecedent_clusters() == posterior.minimum_risk_clusters() == [[0]]
    assert posterior.log_prob([[0]]) == posterior.log_prob([]) == 0.0


# From posteriors to calibration pairs.


def documents(n: int, seed: int) -> tuple[list[CorefPosterior], list[np.ndarray]]:
    """Posteriors, and gold clusterings drawn from them: the posteriors are right by construction."""
    rng = np.random.default_rng(seed)
    posteriors = [CorefPosterior(random_matrix(int(m), rng)) for m in rng.integers(0, 12, size=n)]
    return posteriors, [posterior.sample(1, rng=rng)[0] for posterior in posteriors]


def test_all_pairs_of_every_document_in_order() -> None:
    posteriors, gold = documents(20, 0)
    pairs = pairs_from_posteriors(posteriors, gold)
    expected = [
        (int(labels[j] == labels[i]), posterior.pair_probability()[j, i], number)
        for number, (posterior, labels) in enumerate(zip(posteriors, gold, strict=True))
        for j in range(len(posterior))
        for i in range(j)
    ]
    assert pairs.labels.tolist() == [row[0] for row in expected]
    assert pairs.probabilities.tolist() == [row[1] for row in expected]
    assert pairs.clusters.tolist() == [row[2] for row in expected]


def test_gold_by_mentions() -> None:
    posterior = CorefPosterior([[1, 0, 0], [0.4, 0.6, 0], [0.5, 0.3, 0.2]], mentions=list("abc"))
    assert pairs_from_posteriors([posterior], [[["a", "c"]]]).labels.tolist() == [0, 1, 0]


def test_pairs_of_right_posteriors_are_calibrated() -> None:
    pairs = pairs_from_posteriors(*documents(600, 1))
    result = calibration_error(pairs.labels, pairs.probabilities, clusters=pairs.clusters, bin_size=500)
    assert result.low == 0.0
    sharper = np.clip(1.6 * (pairs.probabilities - 0.5) + 0.5, 0.0, 1.0)
    assert calibration_error(pairs.labels, sharper, clusters=pairs.clusters, bin_size=500).low > 0.05
    rng = np.random.default_rng(0)
    one_a_document = [rng.choice(np.flatnonzero(pairs.clusters == number)) for number in np.unique(pairs.clusters)]
    assert calibration_test(pairs.labels[one_a_document], pairs.probabilities[one_a_document], rng=0).p_value > 0.01


def test_sampled_pairs_are_near_and_do_not_depend_on_the_other_documents() -> None:
    posteriors, gold = documents(30, 2)
    exact = pairs_from_posteriors(posteriors, gold)
    sampled = pairs_from_posteriors(posteriors, gold, samples=1_000, rng=5)
    assert np.array_equal(sampled.labels, exact.labels)
    q = exact.probabilities
    assert (np.abs(sampled.probabilities - q) <= 5 * np.sqrt(q * (1 - q) / 1_000) + 1e-9).all()
    assert (sampled.probabilities * 1_000 == np.round(sampled.probabilities * 1_000)).all()
    first = pairs_from_posteriors(posteriors[:10], gold[:10], samples=1_000, rng=5)
    assert np.array_equal(first.probabilities, sampled.probabilities[: len(first)])


M, KEPT = 6, 3


def pruned(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Antecedents (M, 3), as e2e-coref keeps them, nearest first, padded where fewer exist; scores; null; dense."""
    rng = np.random.default_rng(seed)
    places = np.maximum(np.arange(M)[:, None] - 1 - np.arange(KEPT), 0)
    valid = np.arange(M)[:, None] - 1 - np.arange(KEPT) >= 0
    scores = np.where(valid, rng.normal(scale=3.0, size=(M, KEPT)), -np.inf)
    null = rng.normal(size=M)
    dense = np.zeros((M, M))
    for j in range(M):
        dense[j, j] = np.exp(null[j])
        for k, score in zip(places[j][valid[j]], scores[j][valid[j]], strict=True):
            dense[j, k] = np.exp(score)
    return places, scores, null, dense / dense.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("mask", [-np.inf, float(np.finfo(np.float32).min), -1e4])
def test_every_layout_equals_enumeration(mask: float) -> None:
    places, scores, null, dense = pruned(0)
    masked = np.where(scores == -np.inf, mask, scores)
    expected = Enumeration(dense).together()
    for matrix, where in (
        (masked, null),
        (np.column_stack([null, masked]), "first"),
        (np.column_stack([masked, null]), "last"),
    ):
        posterior = CorefPosterior.from_scores(matrix, null=where, antecedents=places)
        np.testing.assert_allclose(posterior.pair_probability(), expected, atol=1e-12)


def test_rows_may_differ_in_length_and_order() -> None:
    ragged = CorefPosterior.from_scores([[], [1.0], [0.5, 2.0]], null=0, antecedents=[[], [0], [1, 0]])
    dense = CorefPosterior.from_scores([[-np.inf] * 3, [1.0, -np.inf, -np.inf], [2.0, 0.5, -np.inf]], null=0)
    np.testing.assert_allclose(ragged.pair_probability(), dense.pair_probability(), rtol=1e-12)


def test_no_mentions_are_no_error() -> None:
    assert len(CorefPosterior.from_scores([], null=0, antecedents=[])) == 0


N_SCORED = 12


def drawn(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores of links (M, M) masked with -inf, null scores (M,), and the softmax by the definition."""
    rng = np.random.default_rng(seed)
    links = np.where(np.tri(N_SCORED, k=-1, dtype=bool), rng.normal(scale=4.0, size=(N_SCORED, N_SCORED)), -np.inf)
    links[5, 2] = -np.inf  # pruned
    null = rng.normal(size=N_SCORED)
    expected = np.zeros((N_SCORED, N_SCORED))
    for j in range(N_SCORED):
        weights = np.exp(np.append(links[j, :j], null[j]))
        expected[j, : j + 1] = weights / weights.sum()
    return links, null, expected


def dense(posterior: CorefPosterior) -> np.ndarray:
    matrix = np.diag(posterior.antecedents.new)
    matrix[posterior.antecedents.sources(), posterior.antecedents.antecedents] = posterior.antecedents.probabilities
    return matrix


def test_every_place_of_null_gives_the_softmax() -> None:
    links, null, expected = drawn(0)
    diagonal = links.copy()
    np.fill_diagonal(diagonal, null)
    for scores, place in (
        (np.column_stack([null, links]), "first"),
        (np.column_stack([links, null]), "last"),
        (diagonal, "diagonal"),
        (links, null),
    ):
        np.testing.assert_allclose(dense(CorefPosterior.from_scores(scores, null=place)), expected, atol=1e-15)


def test_a_number_is_the_null_score_of_all() -> None:
    links, _, _ = drawn(1)
    zeros = CorefPosterior.from_scores(links, null=np.zeros(N_SCORED))
    assert np.array_equal(dense(CorefPosterior.from_scores(links, null=0)), dense(zeros))


def test_great_scores_do_not_overflow_and_low_masks_are_masks() -> None:
    masked = np.array([[-1e4, -1e4], [1e3, -1e4]])  # as s2e masks
    posterior = CorefPosterior.from_scores(masked, null=0.0)
    assert posterior.pair_probability([(0, 1)]).tolist() == [1.0]
    shifted = drawn(2)[0] + 1e5
    np.testing.assert_allclose(
        dense(CorefPosterior.from_scores(shifted, null=np.full(N_SCORED, 1e5))),
        dense(CorefPosterior.from_scores(drawn(2)[0], null=0.0)),
        rtol=1e-9,
        atol=1e-12,
    )


def test_no_scored_mentions_are_no_error() -> None:
    for place in ("first", "last", "diagonal", 0.0, []):
        assert len(CorefPosterior.from_scores([], null=place)) == 0
    assert len(CorefPosterior.from_scores(np.empty((0, 1)), null="last")) == 0


INF = float("inf")


def test_scores_at_the_ends_of_the_range_overflow_nowhere() -> None:
    scores = [[-1e308, -np.inf], [1e308, -1e308]]
    assert CorefPosterior.from_scores(scores, null="diagonal").pair_probability([(0, 1)]).tolist() == [1.0]


# From scores to the posterior of a document: exact by enumeration, and mentions that it cannot hold are counted.


WORDS = ("Ann", "saw", "Eve", ".", "She", "ran", ".")
DOCUMENT = Document("d", (Sentence(WORDS[:4]), Sentence(WORDS[4:])))
LOGITS = [[], [0.4], [1.0, -0.5], [2.0, 0.3, 0.1]]


def scored(*mentions: tuple[int, int]) -> AntecedentScores:
    return AntecedentScores(id="d", words=WORDS, mentions=mentions, scores=LOGITS[: len(mentions)], null=0.0)


def test_it_equals_enumeration() -> None:
    matrix = np.zeros((4, 4))
    for j, row in enumerate(LOGITS):
        matrix[j, : j + 1] = np.exp([*row, 0.0])
    matrix /= matrix.sum(axis=1, keepdims=True)
    posterior = posterior_from_scores(scored((0, 1), (1, 2), (2, 3), (4, 5)), DOCUMENT)
    np.testing.assert_allclose(posterior.pair_probability(), Enumeration(matrix).together(), atol=1e-12)
    assert posterior.mentions == (Mention(0, 0, 1), Mention(0, 1, 2), Mention(0, 2, 3), Mention(1, 0, 1))


def test_misplaced_mentions_are_refused_or_counted() -> None:
    antecedent_scores = scored((0, 1), (2, 3), (3, 5), (4, 5))
    with pytest.raises(InputError, match=re.escape("mention 2 of the scores, '.She' crosses sentences. Leave such")):
        posterior_from_scores(antecedent_scores, DOCUMENT)
    with pytest.warns(UserWarning, match=r"left out 1 mention of the 4 scored in d \('.She' crosses sentences\); oth"):
        posterior = posterior_from_scores(antecedent_scores, DOCUMENT, misplaced="leave-out")
    assert posterior.mentions == (Mention(0, 0, 1), Mention(0, 2, 3), Mention(1, 0, 1))
    aligned = scored_document(antecedent_scores, DOCUMENT, misplaced="leave-out")
    row = np.exp([2.0, 0.3, 0.1, 0.0])
    assert aligned.lost == pytest.approx(row[2] / row.sum(), rel=1e-12)
    assert posterior.antecedents.row(2)[1] == pytest.approx(row[:2] / (row.sum() - row[2]), rel=1e-12)
