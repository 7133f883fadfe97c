"""Temperatures on potentials: the law of whole sequences by enumeration, and what keeps together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.sequences import TagPosterior, within_grammar
from tests.sequences.enumeration import Enumeration
from tests.sequences.random_chains import draw

CLOSE = {"rtol": 0, "atol": 1e-12}
TEMPERATURE = st.floats(0.2, 5.0)


def at(arguments, local, between):
    """Every sequence written out, its potentials divided one by one."""
    emissions, transitions, start, end = arguments
    own = transitions if isinstance(transitions, list) else [transitions] * len(emissions)
    ends = (None if one is None else one / between for one in (start, end))
    first, last = ends
    return [Enumeration(e / local, t / between, first, last) for e, t in zip(emissions, own, strict=True)]


@pytest.mark.parametrize("options", [{}, {"own": True}, {"forbidden": 0.15, "seed": 5}, {"ends": False}])
@pytest.mark.parametrize(("local", "between"), [(0.5, 0.5), (0.7, 1.9), (3.0, 0.4)])
def test_every_question_follows_the_tempered_law(options, local: float, between: float) -> None:
    arguments = draw((4, 1, 3), 3, **options)
    posterior = TagPosterior(*arguments).tempered(local, transitions=between)
    truth = at(arguments, local, between)
    np.testing.assert_allclose(posterior.log_z, [one.log_z for one in truth], rtol=1e-12)
    np.testing.assert_allclose(posterior.entropy(), [one.entropy() for one in truth], **CLOSE)
    for i, one in enumerate(truth):
        np.testing.assert_allclose(posterior.marginals()[i], one.marginals(), **CLOSE)
        np.testing.assert_allclose(posterior.pair_marginals()[i], one.pair_marginals(), **CLOSE)
        best = posterior.k_best(5)[i]
        np.testing.assert_allclose(best.log_probs + one.log_z, one.best_scores(5)[: len(best.log_probs)], atol=1e-9)
    assert posterior.span_probability(0, 1, [2, 0]) == pytest.approx(truth[0].span(1, [2, 0]), abs=1e-12)


def test_samples_follow_the_tempered_law() -> None:
    arguments = draw((3,), 2, seed=2, scale=1.0)
    drawn = TagPosterior(*arguments).tempered(0.6, transitions=1.7).sample(20_000, rng=0)[0]
    (truth,) = at(arguments, 0.6, 1.7)
    shares = [(drawn == np.array(tags)).all(axis=1).mean() for tags in truth.sequences]
    np.testing.assert_allclose(shares, truth.probabilities, rtol=0, atol=4 * 0.5 / np.sqrt(20_000))


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.booleans(), TEMPERATURE, TEMPERATURE)
def test_sums_stay_together(seed: int, own: bool, local: float, between: float) -> None:
    posterior = TagPosterior(*draw((7, 2, 0, 1), 4, seed=seed, own=own)).tempered(local, transitions=between)
    for marginals, pairs in zip(posterior.marginals(), posterior.pair_marginals(), strict=True):
        np.testing.assert_allclose(marginals.sum(axis=1), 1, **CLOSE)
        np.testing.assert_allclose(pairs.sum(axis=2), marginals[:-1], **CLOSE)
        np.testing.assert_allclose(pairs.sum(axis=1), marginals[1:], **CLOSE)


@settings(max_examples=30)
@given(st.integers(0, 10**6), TEMPERATURE, TEMPERATURE)
def test_one_temperature_keeps_the_answers_and_two_of_them_multiply(seed: int, one: float, other: float) -> None:
    posterior = TagPosterior(*draw((6, 3), 4, seed=seed))
    for before, after in zip(posterior.k_best(4), posterior.tempered(one).k_best(4), strict=True):
        assert before.tags.tolist() == after.tags.tolist()
    twice, once = posterior.tempered(one).tempered(other), posterior.tempered(one * other)
    np.testing.assert_allclose(twice.log_z, once.log_z, rtol=1e-12, atol=1e-10)
    same = posterior.tempered(1.0)
    assert same.log_z.tolist() == posterior.log_z.tolist()


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.booleans(), st.booleans())
def test_each_sentence_may_have_its_own(seed: int, own: bool, ends: bool) -> None:
    """As if each were alone; the emissions also token by token."""
    arguments = draw((5, 0, 1, 4), 3, seed=seed, own=own, ends=ends)
    posterior, rng = TagPosterior(*arguments), np.random.default_rng(seed)
    local, between = rng.uniform(0.3, 3, 4), rng.uniform(0.3, 3, 4)
    together = posterior.tempered(local.tolist(), transitions=between)
    by_token = posterior.tempered(
        [np.full(n, t) for n, t in zip((5, 0, 1, 4), local, strict=True)], transitions=between
    )
    for i in range(4):
        alone = posterior[[i]].tempered(local[i], transitions=between[i])
        for many in (together, by_token):
            np.testing.assert_allclose(many.log_z[i], alone.log_z[0], rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(many.marginals()[i], alone.marginals()[0], **CLOSE)
            np.testing.assert_allclose(many.pair_marginals()[i], alone.pair_marginals()[0], **CLOSE)
    assert together[[3]].sample(5, rng=1)[0].shape == (5, 4)


def test_what_is_forbidden_stays_forbidden() -> None:
    """A grammar before the temperature or after it: the same posterior."""
    rng = np.random.default_rng(0)
    free = TagPosterior([rng.normal(size=(6, 3))], rng.normal(size=(3, 3)), labels=["O", "B-PER", "I-PER"])
    before, after = within_grammar(free, "BIO").tempered(2.5), within_grammar(free.tempered(2.5), "BIO")
    np.testing.assert_allclose(before.marginals()[0], after.marginals()[0], **CLOSE)
    assert before.pair_marginals([("O", "I-PER")])[0].max() == 0


def test_half_precision_is_computed_in_double() -> None:
    rng = np.random.default_rng(0)
    emissions = rng.normal(size=(5, 3)).astype(np.float16)
    found = TagPosterior([emissions], np.zeros((3, 3))).tempered(0.3).log_z
    exact = TagPosterior([emissions.astype(np.float64) / 0.3], np.zeros((3, 3))).log_z
    np.testing.assert_allclose(found, exact, rtol=1e-13)
