"""Scores of mention-ranking models become probabilities by a softmax, wherever they keep "new"."""

from __future__ import annotations

import re

import numpy as np
import pytest

from howsure.coreference import CorefPosterior, posterior_from_scores
from howsure.coreference.scored import scored_document
from howsure.data import AntecedentScores, Document, Mention, Sentence
from howsure.errors import InputError
from tests.coreference.enumeration import Enumeration

M = 12


def drawn(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores of links (M, M) masked with -inf, null scores (M,), and the softmax by the definition."""
    rng = np.random.default_rng(seed)
    links = np.where(np.tri(M, k=-1, dtype=bool), rng.normal(scale=4.0, size=(M, M)), -np.inf)
    links[5, 2] = -np.inf  # pruned
    null = rng.normal(size=M)
    expected = np.zeros((M, M))
    for j in range(M):
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
    zeros = CorefPosterior.from_scores(links, null=np.zeros(M))
    assert np.array_equal(dense(CorefPosterior.from_scores(links, null=0)), dense(zeros))


def test_great_scores_do_not_overflow_and_low_masks_are_masks() -> None:
    masked = np.array([[-1e4, -1e4], [1e3, -1e4]])  # as s2e masks
    posterior = CorefPosterior.from_scores(masked, null=0.0)
    assert posterior.pair_probability([(0, 1)]).tolist() == [1.0]
    shifted = drawn(2)[0] + 1e5
    np.testing.assert_allclose(
        dense(CorefPosterior.from_scores(shifted, null=np.full(M, 1e5))),
        dense(CorefPosterior.from_scores(drawn(2)[0], null=0.0)),
        rtol=1e-9,
        atol=1e-12,
    )


def test_no_mentions_are_no_error() -> None:
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
