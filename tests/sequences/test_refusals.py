"""What a posterior refuses, and how it says so."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.errors import InputError
from howsure.sequences.tag_posterior import TagPosterior

GOOD, SQUARE = [np.zeros((2, 2)), np.zeros((3, 2))], np.zeros((2, 2))


def with_value(value: float) -> list[np.ndarray]:
    emissions = [np.zeros((2, 2)), np.zeros((3, 2))]
    emissions[1][2, 1] = value
    return emissions


CONSTRUCTIONS = {
    r"emissions must be log-potentials, finite or -inf \(forbidden\); sentence 1, row 2 holds nan": (
        with_value(np.nan),
        SQUARE,
    ),
    r"sentence 1, row 2 holds inf at \[2, 1\]": (with_value(np.inf), SQUARE),
    "emissions must have a column for each of the 3 tags; sentence 0 has 2": (GOOD, np.zeros((3, 3))),
    "for each of the 2 tags; sentence 1 has 5": ([np.zeros((2, 2)), np.zeros((2, 5))], SQUARE),
    r"must be arrays \(T, K\); that of sentence 1 has shape \(3,\)": ([np.zeros((2, 2)), np.zeros(3)], SQUARE),
    r"that of sentence 0 has shape \(1, 2, 2\)": ([np.zeros((1, 2, 2))], SQUARE),
    r"that of sentence 0 has shape \(\)": ([7.0], SQUARE),
    "emissions of sentence 0 must be an array of numbers; it holds <U1": ([[["a", "b"]]], SQUARE),
    r"emissions of sentence 0 must be an array of numbers \(": ([[[1, 2], [3]]], SQUARE),
    "emissions must be a list of arrays .* it is None": (None, SQUARE),
    "it is of type str": ("abc", SQUARE),
    r"transitions must be one array \(K, K\).* its shape is \(2, 3\)": ([np.zeros((2, 3))], np.zeros((2, 3))),
    "transitions must be log-potentials.*row 1 holds nan": (GOOD, [[0.0, 0.0], [0.0, np.nan]]),
    "transitions must hold an array for each of the 2 sentences; it holds 1": (GOOD, [np.zeros((1, 2, 2))]),
    r"transitions of sentence 1 must have shape \(2, 2, 2\).* their shape is \(3, 2, 2\)": (
        GOOD,
        [np.zeros((1, 2, 2)), np.zeros((3, 2, 2))],
    ),
    "transitions must be log-potentials.*; sentence 0, row 0 holds inf": (
        GOOD,
        [np.full((1, 2, 2), np.inf), np.zeros((2, 2, 2))],
    ),
    r"start must hold a value for each of the 2 tags; its shape is \(3,\)": (GOOD, SQUARE, np.zeros(3)),
    "end must be log-potentials.*row 0 holds nan": (GOOD, SQUARE, None, [np.nan, 0]),
    "labels must name each of the 2 tags once; they are N, N": (GOOD, SQUARE, None, None, ["N", "N"]),
    "labels must name each of the 2 tags once; they are N": (GOOD, SQUARE, None, None, ["N"]),
    "labels must be the tags as text; they hold 3": (GOOD, SQUARE, None, None, ["N", 3]),
    "labels must name each of the 2 tags once; they are NV": (GOOD, SQUARE, None, None, "NV"),
    r"there is no tag \(K = 0\)": ([np.zeros((2, 0))], np.zeros((0, 0))),
}


@pytest.mark.parametrize("message", CONSTRUCTIONS)
def test_construction(message: str) -> None:
    with pytest.raises(InputError, match=message):
        TagPosterior(*CONSTRUCTIONS[message])


POSTERIOR = TagPosterior(GOOD, SQUARE, labels=["N", "V"])
NAMELESS = TagPosterior(GOOD, SQUARE)
QUESTIONS = {
    "n must be an integer of 1 or more; it is 0": lambda: POSTERIOR.sample(0),
    "n must be an integer of 1 or more; it is 2.5": lambda: POSTERIOR.sample(2.5),
    "k must be an integer from 1 to 100,000; it is -1": lambda: POSTERIOR.k_best(-1),
    "k must be an integer from 1 to 100,000; it is 1000000000": lambda: POSTERIOR.k_best(10**9),
    "sentences must be an integer of 1 or more; it is 0": lambda: list(POSTERIOR.parts(0)),
    r"write posterior\[\[1\]\]": lambda: POSTERIOR[1],
    "tags must be those of the 2 sentences; they are of 1": lambda: POSTERIOR.log_prob([["N", "V"]]),
    r"tags\[1\] must be the 3 of the sentence; they are 2": lambda: POSTERIOR.log_prob([["N", "V"], ["N", "V"]]),
    r"no tag 'n' in the tag set \(asked for in tags\[0\]\); it has N, V. Did you mean N": lambda: POSTERIOR.log_prob(
        [["n", "V"], ["N"] * 3]
    ),
    r"tags\[0\] holds the tag 2; tags are numbered from 0 to 1": lambda: POSTERIOR.log_prob([[2, 0], [0] * 3]),
    r"tags\[0\] holds the tag -1": lambda: POSTERIOR.log_prob([np.array([-1, 0]), [0] * 3]),
    r"tags\[0\] must hold tags as names or integers; it holds 0.5": lambda: POSTERIOR.log_prob([[0.5, 0], [0] * 3]),
    r"tags\[0\] must be a list of tags; it is the text 'NV'": lambda: POSTERIOR.log_prob(["NV", "NVN"]),
    r"tags must be a list of sentences, each a list of tags; it is None": lambda: POSTERIOR.log_prob(None),
    r"spans\[0\] must be a list of tags; it is 'NV'": lambda: POSTERIOR.span_probability(0, 0, "NV"),
    r"spans\[0\] must be the number of a sentence.*; it is \(0.5, 0, \['N'\]\)": lambda: POSTERIOR.span_probability(
        0.5, 0, ["N"]
    ),
    r"spans\[1\] must be the number of a sentence.*; it is \(0, 1\)": lambda: POSTERIOR.span_probabilities(
        [(0, 0, ["N"]), (0, 1)]
    ),
    "sentences must be chosen by numbers up to 1; index 9 is out of bounds": lambda: POSTERIOR[[9]],
    "sentences must be chosen by numbers up to 1; boolean index did not match": lambda: POSTERIOR[[True]],
    "tags to name must be numbers from 0 to 1, or lists of them, not -1": lambda: POSTERIOR.names([[0, -1]]),
    "or lists of them, not 2": lambda: POSTERIOR.names(np.array([2])),
    "or lists of them, not 'N'": lambda: POSTERIOR.names(["N"]),
    "or lists of them, not None": lambda: POSTERIOR.names(None),
    r"tags\[0\] names the tag 'N', but the tags have no names": lambda: NAMELESS.log_prob([["N", "V"], [0] * 3]),
    "the tags have no names; give TagPosterior labels": lambda: NAMELESS.names([0]),
    r"pairs must hold two tags each; pairs\[1\] is \('N',\)": lambda: POSTERIOR.pair_marginals([("N", "V"), ("N",)]),
    r"spans\[0\]: there is no sentence 2; they are 0 to 1": lambda: POSTERIOR.span_probability(2, 0, ["N"]),
    r"spans\[0\]: tokens 2 to 3 do not lie in sentence 1, which has 3": lambda: POSTERIOR.span_probability(1, 2, "N V"),
}
QUESTIONS[r"spans\[0\]: tokens 2 to 3 do not lie in sentence 1, which has 3"] = lambda: POSTERIOR.span_probability(
    1, 2, ["N", "V"]
)


@pytest.mark.parametrize("message", QUESTIONS)
def test_questions(message: str) -> None:
    with pytest.raises(InputError, match=message):
        QUESTIONS[message]()


ASK = {
    "log_z": lambda posterior: posterior.log_z,
    "marginals": lambda posterior: posterior.marginals(),
    "pair_marginals": lambda posterior: posterior.pair_marginals(),
    "sample": lambda posterior: posterior.sample(1),
    "viterbi": lambda posterior: posterior.viterbi(),
    "posterior_decode": lambda posterior: posterior.posterior_decode(),
    "entropy": lambda posterior: posterior.entropy(),
    "log_prob": lambda posterior: posterior.log_prob([[0], [0, 1], [0]]),
    "span_probability": lambda posterior: posterior.span_probability(1, 0, [0]),
}


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("question", ASK)
def test_nothing_is_possible(question: str, own: bool) -> None:
    """Every tag allows only itself next, and the second sentence forbids one at each end."""
    transitions = np.where(np.eye(2) > 0, 0.0, -np.inf)
    closed = np.array([[0.0, -np.inf], [-np.inf, 0.0]])
    matrices = [transitions[None][: len(array) - 1] for array in (np.zeros((1, 2)), closed, np.zeros((1, 2)))]
    posterior = TagPosterior([np.zeros((1, 2)), closed, np.zeros((1, 2))], matrices if own else transitions)
    with pytest.raises(InputError, match=r"no tag sequence is possible for sentence \d.*Z = 0"):
        ASK[question](posterior)


def test_overflow() -> None:
    with pytest.raises(InputError, match="the scores of sentence 0 overflow"):
        TagPosterior([np.full((2, 2), 1.5e308)], SQUARE).marginals()


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
    found = TagPosterior(emissions, [[], [matrix]]).log_z
    np.testing.assert_array_equal(found, TagPosterior(emissions, matrix).log_z)
