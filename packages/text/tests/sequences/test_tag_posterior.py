"""Everything a posterior answers, against all K^T sequences written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.sequences.enumeration import both, draw, enumerated

from howsure_text.sequences.tag_posterior import TagPosterior

LENGTHS = (3, 1, 5, 0, 2, 4, 4, 1)
CASES = [
    {"size": size, "per_sentence": per_sentence, "forbidden": forbidden, "scale": scale, "ends": ends}
    for size, ends in ((1, True), (2, False), (4, True))
    for per_sentence in (False, True)
    for forbidden, scale in ((0.0, 2.0), (0.1, 2.0), (0.0, 1e4), (0.1, 1e4))
    if not (size == 1 and forbidden)
]


def name(case):
    return " ".join(f"{key}={value}" for key, value in case.items())


@pytest.fixture(scope="module", params=CASES, ids=name)
def pair(request):
    """A posterior, its twins, and what rounding may do to the scores."""
    size = request.param["size"]
    posterior, twins = both(LENGTHS, size, seed=size, **{k: v for k, v in request.param.items() if k != "size"})
    return posterior, twins, 1e-12 if request.param["scale"] < 10 else 2e-10


def test_log_z(pair) -> None:
    posterior, twins, tolerance = pair
    np.testing.assert_allclose(posterior.log_z, [twin.log_z for twin in twins], rtol=1e-12, atol=tolerance)


def test_marginals(pair) -> None:
    posterior, twins, tolerance = pair
    for marginals, twin in zip(posterior.marginals(), twins, strict=True):
        assert marginals.shape == twin.emissions.shape
        np.testing.assert_allclose(marginals, twin.marginals(), rtol=0, atol=tolerance)


def test_pair_marginals(pair) -> None:
    posterior, twins, tolerance = pair
    chosen = [(posterior.n_tags - 1, 0), (0, 0)]
    some = posterior.pair_marginals(chosen)
    for every, few, twin in zip(posterior.pair_marginals(), some, twins, strict=True):
        expected = twin.pair_marginals()
        assert every.shape == expected.shape
        np.testing.assert_allclose(every, expected, rtol=0, atol=tolerance)
        np.testing.assert_allclose(few, expected[:, *zip(*chosen, strict=True)], rtol=0, atol=tolerance)


def test_entropy(pair) -> None:
    posterior, twins, tolerance = pair
    np.testing.assert_allclose(posterior.entropy(), [twin.entropy() for twin in twins], rtol=0, atol=10 * tolerance)


def test_log_prob(pair) -> None:
    posterior, twins, tolerance = pair
    for turn in range(5):
        tags = [twin.sequences[(7 * turn) % len(twin.sequences)] for twin in twins]
        expected = [twin.score(sequence) - twin.log_z for twin, sequence in zip(twins, tags, strict=True)]
        np.testing.assert_allclose(posterior.log_prob(tags), expected, rtol=1e-12, atol=tolerance)


def test_span_probability(pair) -> None:
    posterior, twins, tolerance = pair
    spans = [
        (i, start, twin.sequences[len(twin.sequences) // 2][start:stop])
        for i, twin in enumerate(twins)
        for start in range(len(twin.emissions) + 1)
        for stop in range(start, len(twin.emissions) + 1)
    ]
    expected = [twins[i].span(start, tags) for i, start, tags in spans]
    np.testing.assert_allclose(posterior.span_probabilities(spans), expected, rtol=0, atol=tolerance)
    assert posterior.span_probability(*spans[3]) == pytest.approx(expected[3], rel=0, abs=tolerance)


def test_more_than_all_sequences_are_all_of_them() -> None:
    """An earlier version allocated memory for the k requested, however few sequences exist."""
    posterior = TagPosterior([np.zeros((3, 2)), np.zeros((0, 2)), np.zeros((1, 2))], np.zeros((2, 2)))
    assert [len(best.tags) for best in posterior.k_best(100_000)] == [8, 1, 2]


@pytest.mark.parametrize("k", [1, 2, 3, 10, 300])
def test_k_best(pair, k: int) -> None:
    posterior, twins, tolerance = pair
    for best, twin in zip(posterior.k_best(k), twins, strict=True):
        expected = np.array(twin.best_scores(k)) - twin.log_z
        np.testing.assert_allclose(best.log_probs, expected, rtol=1e-12, atol=tolerance)
        sequences = best.tags.tolist()
        assert len({tuple(tags) for tags in sequences}) == len(sequences) == len(expected)
        scores = [twin.score(tags) - twin.log_z for tags in sequences]
        np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=tolerance)


def test_the_best_sequence(pair) -> None:
    posterior, twins, tolerance = pair
    for tags, twin in zip(posterior.viterbi(), twins, strict=True):
        assert twin.score(tags.tolist()) == pytest.approx(twin.best_scores(1)[0], rel=1e-12, abs=tolerance)


def test_the_best_tags(pair) -> None:
    posterior, twins, tolerance = pair
    for tags, twin in zip(posterior.posterior_decode(), twins, strict=True):
        marginals = twin.marginals()
        assert tags.shape == (len(marginals),)
        assert (marginals[np.arange(len(tags)), tags] >= marginals.max(axis=1, initial=0) - tolerance).all()


@pytest.mark.parametrize("per_sentence", [False, True])
def test_samples_have_the_distribution(per_sentence: bool) -> None:
    """A chi-square test over all sequences of each sentence."""
    from scipy import stats

    posterior, twins = both((3, 1, 4, 0, 2), 3, seed=5, scale=1.0, per_sentence=per_sentence, forbidden=0.05)
    n, p_values = 40_000, []
    for draws, twin in zip(posterior.sample(n, rng=1), twins, strict=True):
        length = len(twin.emissions)
        assert draws.shape == (n, length)
        numbers = draws @ (twin.size ** np.arange(length)[::-1]) if length else np.zeros(n, dtype=int)
        counts, expected = np.bincount(numbers, minlength=len(twin.sequences)), n * np.array(twin.probabilities)
        assert not counts[expected == 0].any()
        likely = expected >= 5
        if not likely.all():
            counts = np.append(counts[likely], counts[~likely].sum())
            expected = np.append(expected[likely], expected[~likely].sum())
        if length:
            p_values.append(stats.chisquare(counts, expected + 1e-9).pvalue)
    assert len(p_values) == 4
    assert min(p_values) > 0.001


def test_no_probability_exceeds_one() -> None:
    """Of one tag every sequence is certain; sums in another order than log Z's may end above log 1."""
    posterior = TagPosterior(*draw((50, 400, 7, 1, 90) * 4, 1, scale=10.0))
    assert (posterior.log_prob(posterior.viterbi()) <= 0).all()
    assert all((best.log_probs <= 0).all() for best in posterior.k_best(2))
    assert all((rows <= 1).all() for rows in posterior.marginals())
    assert (posterior.span_probabilities([(i, 0, [0] * n) for i, n in enumerate(posterior.lengths)]) <= 1).all()


def test_equal_scores() -> None:
    """With all potentials equal every sequence is as good: the k best ones are k different ones, by fixed order."""
    posterior = TagPosterior([np.zeros((3, 2))], np.zeros((2, 2)))
    best = posterior.k_best(8)[0]
    assert sorted(best.tags.tolist()) == enumerated([np.zeros((3, 2))], np.zeros((2, 2)))[0].sequences
    np.testing.assert_allclose(best.log_probs, -3 * math.log(2))
    for k in range(1, 8):
        assert posterior.k_best(k)[0].tags.tolist() == best.tags[:k].tolist()
    assert posterior.viterbi()[0].tolist() == [0, 0, 0]
    assert posterior.posterior_decode()[0].tolist() == [0, 0, 0]


def test_whole_numbers_tie_alike() -> None:
    """Small whole numbers tie often and add up without rounding: the first of the k best is Viterbi's."""
    rng = np.random.default_rng(3)
    emissions = [rng.integers(-1, 2, (length, 3)) for length in (4, 1, 6, 2, 5)]
    posterior = TagPosterior(emissions, rng.integers(-1, 2, (3, 3)))
    twins = enumerated([array.astype(float) for array in emissions], posterior._potentials.transitions)
    for tags, best, twin in zip(posterior.viterbi(), posterior.k_best(7), twins, strict=True):
        assert tags.tolist() == best.tags[0].tolist()
        np.testing.assert_allclose(best.log_probs, np.array(twin.best_scores(7)) - twin.log_z, atol=1e-12)


def test_float32() -> None:
    """Potentials in float32 are taken as they are, and all is computed in float64."""
    emissions, transitions, start, end = draw((4, 2, 5), 3)
    single = [array.astype(np.float32) for array in emissions]
    matrix = transitions.astype(np.float32)
    double = TagPosterior([array.astype(np.float64) for array in single], matrix.astype(np.float64), start, end)
    for from_single, from_double in zip(
        TagPosterior(single, matrix, start, end).marginals(), double.marginals(), strict=True
    ):
        assert from_single.dtype == np.float64
        assert (from_single == from_double).all()


def test_nothing() -> None:
    """No sentences at all, and sentences without tokens."""
    none = TagPosterior([], np.zeros((2, 2)), labels=["N", "V"])
    assert (len(none), none.log_z.shape, none.marginals(), none.viterbi(), none.sample(3)) == (0, (0,), [], [], [])
    assert none.log_prob([]).shape == none.entropy().shape == (0,)
    assert none.pair_marginals() == none.k_best(2) == none.posterior_decode() == []
    assert len(TagPosterior([], [])) == 0
    empty = TagPosterior([np.empty((0, 2)), []], np.zeros((2, 2)), [9, 9])
    assert empty.log_z.tolist() == empty.entropy().tolist() == empty.log_prob([[], []]).tolist() == [0, 0]
    assert [array.shape for array in empty.marginals()] == [(0, 2)] * 2
    assert [array.shape for array in empty.pair_marginals()] == [(0, 2, 2)] * 2
    assert [array.shape for array in empty.pair_marginals([(0, 1)])] == [(0, 1)] * 2
    assert [array.shape for array in empty.sample(3)] == [(3, 0)] * 2
    assert [tags.shape for tags in empty.viterbi() + empty.posterior_decode()] == [(0,)] * 4
    assert [(best.tags.shape, best.log_probs.tolist()) for best in empty.k_best(3)] == [((1, 0), [0])] * 2
    assert empty.span_probability(1, 0, []) == 1
    assert TagPosterior([], [], [], []).n_tags == 0
    single = TagPosterior([[[1.0, 2.0]], []], [np.empty((0, 2, 2)), []])
    assert single.pair_marginals()[0].shape == (0, 2, 2)
    assert np.exp(single.log_z[0]) == pytest.approx(math.exp(1) + math.exp(2))


@pytest.mark.long
@pytest.mark.parametrize("per_sentence", [False, pytest.param(True, marks=pytest.mark.long)])
def test_long_sentences(per_sentence: bool) -> None:
    """A sentence of 1,500 tokens: log Z, marginals and entropy against a plain recursion in logarithms."""
    emissions, transitions, start, end = draw((2, 1500, 3), 3, per_sentence=per_sentence, scale=20.0)
    posterior = TagPosterior(emissions, transitions, start, end)
    long = emissions[1]
    matrices = transitions[1] if per_sentence else np.broadcast_to(transitions, (1499, 3, 3))
    forward, total = np.logaddexp.reduce, long[0] + start
    for matrix, row in zip(matrices, long[1:], strict=True):
        total = forward(total[:, None] + matrix, axis=0) + row
    assert posterior.log_z[1] == pytest.approx(forward(total + end), rel=1e-13)
    np.testing.assert_allclose(posterior.marginals()[1].sum(axis=1), 1, atol=1e-10)
    assert posterior.sample(2, rng=0)[1].shape == (2, 1500)
    best = posterior.k_best(2)[1]
    assert best.log_probs[0] == pytest.approx(posterior.log_prob([[0, 0], best.tags[0], [0, 0, 0]])[1], abs=1e-6)
    surprise = -posterior.log_prob([[0, 0], posterior.sample(1, rng=0)[1][0], [0, 0, 0]])[1]
    assert surprise == pytest.approx(posterior.entropy()[1], rel=0.5)


GOOD, SQUARE = [np.zeros((2, 2)), np.zeros((3, 2))], np.zeros((2, 2))


def with_value(value: float) -> list[np.ndarray]:
    emissions = [np.zeros((2, 2)), np.zeros((3, 2))]
    emissions[1][2, 1] = value
    return emissions


POSTERIOR = TagPosterior(GOOD, SQUARE, labels=["N", "V"])
NAMELESS = TagPosterior(GOOD, SQUARE)


def test_how_it_shows_itself() -> None:
    assert repr(POSTERIOR) == "TagPosterior(2 sentences, 5 tokens, 2 tags: N, V)"
    assert repr(NAMELESS[:1]) == "TagPosterior(1 sentence, 2 tokens, 2 tags)"
    assert POSTERIOR.labels == ("N", "V")
    assert POSTERIOR.names(POSTERIOR.sample(1, rng=0)[0])[0][0] in ("N", "V")


def test_sequences_and_spans_from_generators() -> None:
    sequences = [["N", "V"], [0, 1, 1]]
    np.testing.assert_array_equal(POSTERIOR.log_prob(iter(sequences)), POSTERIOR.log_prob(sequences))
    spans = [(0, 0, ["N"]), (1, 1, ["V", "V"])]
    np.testing.assert_array_equal(POSTERIOR.span_probabilities(iter(spans)), POSTERIOR.span_probabilities(spans))


def test_transitions_in_lists_of_lists() -> None:
    """The first sentence has one token and so no transition, which leaves an empty list."""
    emissions = [np.zeros((1, 2)), np.zeros((2, 2))]
    matrix = [[0.0, 1.0], [2.0, 3.0]]
    log_z = TagPosterior(emissions, [[], [matrix]]).log_z
    np.testing.assert_array_equal(log_z, TagPosterior(emissions, matrix).log_z)
