"""The door of the posterior: what is no antecedent distribution is refused, and the message says why."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from howsure.calibration import calibration_error, calibration_test
from howsure.coreference import CorefPosterior, pairs_from_posteriors, posterior_from_scores
from howsure.coreference.scored import scored_document
from howsure.data import AntecedentScores, Document, Mention, Sentence
from howsure.errors import InputError
from tests.coreference.by_definition import Enumeration, random_matrix

NAN = float("nan")


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1, 0], [0.5, 0.4]], "'new' must sum to 1 (within 0.001); row 1 sums to 0.9. Normalise the rows, or pass lo"),
        ([[1, 0], [NAN, 0.4]], "must lie in [0, 1]; row 1 holds nan for antecedent 0. A model that gives NaN has no"),
        ([[1, 0], [-0.5, 1.5]], "row 1 holds -0.5 for antecedent 0. For logits: CorefPosterior.from_scores."),
        ([[1, 0], [7.1, -2.0]], "row 1 holds 7.1 for antecedent 0. For logits: CorefPosterior.from_scores."),
        ([[1, 0], [-1e-9, 1 + 1e-9]], "row 1 holds -1e-09 for antecedent 0. For logits"),
        (
            [[0.5, 0.5], [0, 1]],
            "must be 0 above the diagonal: row 0 gives 0.5 to mention 1, which comes later. Are the",
        ),
        ([[0, 1], [0, 1]], "0 above the diagonal: row 0 gives 1.0 to mention 1"),
        ([[0.0]], "row 0 sums to 0."),
        (
            [[1, 0, 0], [0.5, 0.5, 0]],
            "must have the shape (M, M), antecedents below the diagonal and 'new' on it; it is",
        ),
        ([1.0, 0.0], "probabilities must have two dimensions; its shape is (2,)."),
        (np.ones((1, 1, 1)), "its shape is (1, 1, 1). Take one document: probabilities[0]."),
        ([[1], [0.5, 0.5]], "probabilities cannot be read as numbers"),
        ([["one"]], "probabilities cannot be read as numbers"),
    ],
)
def test_a_bad_matrix_is_refused(matrix, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        CorefPosterior(matrix)


@pytest.mark.parametrize(
    ("links", "probabilities", "new", "message"),
    [
        ([[], [0]], [[], [0.5]], [1.0, 0.4], "row 1 sums to 0.9."),
        ([[], [0]], [[], [NAN]], [1.0, 0.4], "row 1 holds nan for antecedent 0."),
        ([[], [0]], [[], [0.4]], [1.0, NAN], "row 1 holds nan for antecedent new."),
        ([[], [0]], [[], [-0.4]], [1.0, 1.4], "row 1 holds -0.4 for antecedent 0."),
        ([[], [1]], [[], [0.5]], [1.0, 0.5], "antecedents must be earlier mentions; row 1 holds 1, and has 0 to 0."),
        (
            [[], [-1]],
            [[], [0.5]],
            [1.0, 0.5],
            "row 1 holds -1, and has 0 to 0. Are the mentions in text order? Leave pad",
        ),
        ([[], [0, 0]], [[], [0.2, 0.3]], [1.0, 0.5], "row 1 names antecedent 0 twice; add up its probabilities."),
        ([[], [0]], [[], [0.2, 0.3]], [1.0, 0.5], "row 1 has 1 antecedents and 2 probabilities; give one for each."),
        (
            [[], [0.0]],
            [[], [0.5]],
            [1.0, 0.5],
            "antecedents must be whole numbers, positions of mentions from 0; row 1",
        ),
        ({0: [], 1: [0]}, [[], [0.5]], [1.0, 0.5], "antecedents must be a list with one row per mention; it is dict."),
        ([[]], [[], [0.5]], [1.0, 0.5], "antecedents must have a row for each of the 2 mentions of new; it has 1."),
        ([[], [0]], [[]], [1.0, 0.5], "probabilities must have a row for each of the 2 mentions of new; it has 1."),
        ([[], [0]], [[], [0.5]], [[1.0, 0.5]], "new must have one dimension; its shape is (1, 2)."),
    ],
)
def test_bad_rows_are_refused(links, probabilities, new, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        CorefPosterior.from_rows(links, probabilities, new)


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


def test_bad_pairs_are_refused() -> None:
    posterior = CorefPosterior([[1, 0], [0.5, 0.5]])
    with pytest.raises(InputError, match=re.escape("pairs must be positions from 0 to 1; row 1 holds [0, 2].")):
        posterior.pair_probability([(0, 1), (0, 2)])
    with pytest.raises(InputError, match=re.escape("row 0 holds [-1, 0]")):
        posterior.pair_probability([(-1, 0)])
    for pairs in ([0, 1], [(0.0, 1.0)], [(0, 1, 2)]):
        with pytest.raises(InputError, match=re.escape("pairs must be positions of mentions of the shape (N, 2)")):
            posterior.pair_probability(pairs)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.array([[1 + 1j]]), "probabilities cannot be read as numbers (they are complex)"),
        (np.ma.array([[1.0, 0.0], [0.3, 0.7]], mask=[[0, 0], [1, 0]]), "probabilities must have no mask; fill it"),
        (csr_array(np.eye(2)), "probabilities must be a full matrix; a sparse one: .toarray()"),
    ],
)
def test_what_would_lose_something_is_refused(matrix, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        CorefPosterior(matrix)


def test_rows_must_be_lists() -> None:
    with pytest.raises(InputError, match="antecedents must be a list with one row per mention; it is list_iterator"):
        CorefPosterior.from_rows(iter([[], [0]]), [[], [0.5]], [1.0, 0.5])
    with pytest.raises(InputError, match="row 0 holds 0, and has none"):
        CorefPosterior.from_rows([[0]], [[0.0]], [1.0])


def test_pairs_of_different_length_are_refused() -> None:
    with pytest.raises(InputError, match=re.escape("it is [(0, 1), (1,)]")):
        CorefPosterior([[1, 0], [0.5, 0.5]]).pair_probability([(0, 1), (1,)])


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
    assert pairs.clusters is not None
    assert pairs.clusters.tolist() == [row[2] for row in expected]


def test_gold_by_mentions() -> None:
    posterior = CorefPosterior([[1, 0, 0], [0.4, 0.6, 0], [0.5, 0.3, 0.2]], mentions=list("abc"))
    assert pairs_from_posteriors([posterior], [[["a", "c"]]]).labels.tolist() == [0, 1, 0]
    with pytest.raises(InputError, match="document 1: clusters must be made of the mentions of the posterior; 'd'"):
        pairs_from_posteriors([posterior, posterior], [[], [["d"]]])


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


def test_nothing_to_judge_is_an_error() -> None:
    one = CorefPosterior([[1.0]])
    with pytest.raises(InputError, match="no document has two mentions"):
        pairs_from_posteriors([one, one], [[], []])
    with pytest.raises(InputError, match="must be of the same documents; they have 2, 1"):
        pairs_from_posteriors([one, one], [[]])
    with pytest.raises(InputError, match="samples must be a whole number of at least 1, not 0"):
        pairs_from_posteriors([one], [[]], samples=0)


def test_one_posterior_is_no_list_of_them() -> None:
    posterior = CorefPosterior([[1, 0], [0.5, 0.5]])
    with pytest.raises(InputError, match=r"of one: \[posterior\], and \[clusters\] for gold"):
        pairs_from_posteriors(posterior, [[0, 1]])
    with pytest.raises(InputError, match="posteriors must hold CorefPosterior; document 1 is ndarray"):
        pairs_from_posteriors([posterior, np.eye(2)], [[[0, 1]], [[0, 1]]])
    with pytest.raises(InputError, match="posteriors must be a list of posteriors; it is None"):
        pairs_from_posteriors(None, None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="gold must be a list of clusterings; it is 3"):
        pairs_from_posteriors([posterior], 3)  # type: ignore[arg-type]


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
    wanted = Enumeration(dense).together()
    for given, where in (
        (masked, null),
        (np.column_stack([null, masked]), "first"),
        (np.column_stack([masked, null]), "last"),
    ):
        found = CorefPosterior.from_scores(given, null=where, antecedents=places)
        np.testing.assert_allclose(found.pair_probability(), wanted, atol=1e-12)


def test_rows_may_differ_in_length_and_order() -> None:
    found = CorefPosterior.from_scores([[], [1.0], [0.5, 2.0]], null=0, antecedents=[[], [0], [1, 0]])
    dense = CorefPosterior.from_scores([[-np.inf] * 3, [1.0, -np.inf, -np.inf], [2.0, 0.5, -np.inf]], null=0)
    np.testing.assert_allclose(found.pair_probability(), dense.pair_probability(), rtol=1e-12)


def test_no_mentions_are_no_error() -> None:
    assert len(CorefPosterior.from_scores([], null=0, antecedents=[])) == 0


@pytest.mark.parametrize(
    ("scores", "antecedents", "null", "message"),
    [
        ([[], [float("nan")]], [[], [0]], 0, "scores must be finite, or -inf where there is no link; row 1 holds nan."),
        ([[], [1.0]], [[], [0]], [0, float("inf")], "null must be finite, or -inf where there is no link; row 1 holds"),
        ([[], [1.0]], [[], [1]], 0, "antecedents must be earlier mentions; row 1 holds 1, whose score is not masked."),
        ([[], [1.0, 1.0]], [[], [0, 0]], 0, "row 1 names antecedent 0 twice."),
        ([[], [1.0]], [[], [0, 0]], 0, "row 1 has 2 antecedents and 1 scores; give one for each."),
        ([[], [-np.inf]], [[], [0]], -np.inf, "a mention needs one finite score, of an antecedent or of 'new'; row 0"),
        ([[], [1.0]], [[], [0.5]], 0, "antecedents must be positions of mentions from 0; row 1 holds [0.5]."),
        ([[], [1.0]], [[]], 0, "antecedents must have a row for each of 2 mentions; they have 1."),
        ([[], [1.0]], [[], [0]], "first", "scores must have null as their first column; row 0 is empty."),
        ([[], [1.0]], [[], [0]], "diagonal", "null must be 'first', 'last', a number or one per mention beside"),
        ([[], [1.0]], [[], [0]], [0, 0, 0], "null must be one number or one per mention; there are 3 for 2 mentions."),
        (3, [[], [0]], 0, "scores must have one row per mention; it is int."),
    ],
)
def test_bad_listed_rows_are_refused(scores: Any, antecedents: Any, null: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        CorefPosterior.from_scores(scores, null=null, antecedents=antecedents)


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


@pytest.mark.parametrize(
    ("scores", "null", "message"),
    [
        ([[-INF, 0], [float("nan"), 0]], "diagonal", "or -inf where there is no link; row 1, column 0 holds nan."),
        ([[-INF, -INF], [INF, -INF]], 0.0, "row 1, column 0 holds inf."),
        (
            [[-INF, -INF], [0.0, -INF]],
            [0.0, float("nan")],
            "null must be finite, or -inf where there is no link; row 1",
        ),
        (
            [[0.0, -INF], [-INF, -INF]],
            "diagonal",
            "a mention needs one finite score, of an antecedent or of 'new'; row 1",
        ),
        (
            [[0.0, 0.0], [1.0, 0.0]],
            "diagonal",
            "masked with -inf where k ≥ j; row 0 holds 0.0 for mention 1, which comes",
        ),
        ([[-INF, -INF], [1.0, 2.0]], 0.0, "row 1 holds 2.0 for itself. Are the mentions in text order? Mask: scores["),
        ([[0.0, 0.0], [1.0, 0.0]], "last", "scores with null='last' must have the shape (2, 3); it is (2, 2)."),
        ([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], "diagonal", "must have the shape (2, 2); it is (2, 3)."),
        ([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], 0.0, "they have (2, 3), (2,). Where 'new' is a column of scores: null='f"),
        ([[0.0]], "end", "null must be 'first', 'last', 'diagonal', a number or one per mention; it is 'end'."),
        (
            [[[0.0]]],
            "diagonal",
            "scores must have two dimensions; its shape is (1, 1, 1). Take one document: scores[0].",
        ),
    ],
)
def test_bad_scores_are_refused(scores, null, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        CorefPosterior.from_scores(scores, null=null)


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
    given = scored((0, 1), (2, 3), (3, 5), (4, 5))
    with pytest.raises(InputError, match=re.escape("mention 2 of the scores, '.She' crosses sentences. Leave such")):
        posterior_from_scores(given, DOCUMENT)
    with pytest.warns(UserWarning, match=r"left out 1 mention of the 4 scored in d \('.She' crosses sentences\); oth"):
        posterior = posterior_from_scores(given, DOCUMENT, misplaced="leave-out")
    assert posterior.mentions == (Mention(0, 0, 1), Mention(0, 2, 3), Mention(1, 0, 1))
    found = scored_document(given, DOCUMENT, misplaced="leave-out")
    row = np.exp([2.0, 0.3, 0.1, 0.0])
    assert found.lost == pytest.approx(row[2] / row.sum(), rel=1e-12)
    assert posterior.antecedents.row(2)[1] == pytest.approx(row[:2] / (row.sum() - row[2]), rel=1e-12)


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(InputError, match="scores must be AntecedentScores of one document; it is list"):
        posterior_from_scores([1.0])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no way 'drop' in misplaced; it has error, leave-out"):
        posterior_from_scores(scored((0, 1)), misplaced="drop")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="the scores of d belong to another text than document e"):
        posterior_from_scores(scored((0, 1)), Document("e", (Sentence(("Bob",)),)))
