"""Both ways through a chain, scaled and in logarithms, and where one must take over from the other."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sequences.enumeration import Enumeration, draw, enumerated

from howsure_text.sequences import messages as scaling
from howsure_text.sequences import within_grammar
from howsure_text.sequences.messages import (
    Chain,
    Workspace,
    add_ends,
    batches,
    borrowed_workspace,
    compute_expectations,
)
from howsure_text.sequences.paths import BELOW_ONE, Streams, _inverse
from howsure_text.sequences.tag_posterior import TagPosterior

LENGTHS = (3, 1, 4, 2)


@pytest.mark.parametrize("scale", [1.0, 50.0])
@pytest.mark.parametrize("ends", [False, True])
def test_expectations(scale: float, ends: bool) -> None:
    """log Z, marginals and expected transitions of a batch against all sequences."""
    emissions, transitions, start, end = draw(LENGTHS, 3, scale=scale, ends=ends)
    twins = enumerated(emissions, transitions, start, end)
    batch = next(batches(LENGTHS, width=3))
    packed = batch.pack(emissions)
    before = packed.copy()
    chain = Chain(batch, add_ends(batch, packed.copy(), start, end), transitions)
    expectations = compute_expectations(chain, Workspace(), pairs=True)
    np.testing.assert_allclose(expectations.log_z, [twins[i].log_z for i in batch.sentences], rtol=1e-12)
    for marginals, i in zip(batch.unpack(expectations.marginals), batch.sentences.tolist(), strict=True):
        np.testing.assert_allclose(marginals, twins[i].marginals(), atol=1e-12)
    expected = sum(twin.pair_marginals().sum(axis=0) for twin in twins)
    np.testing.assert_allclose(expectations.pair_sums, expected, atol=1e-12)
    assert (packed == before).all()
    assert compute_expectations(chain, Workspace(), pairs=False).pair_sums is None


@pytest.mark.parametrize("low", [1.0, 30.0, 70.0, 100.0, 149.0])
def test_what_shrinks_at_every_step(low: float) -> None:
    """One potential sets the range; all other steps are as far below it as they can be."""
    emissions = np.full((300, 2), -low)
    emissions[0, 0] = 0.0
    posterior = TagPosterior([emissions], np.zeros((2, 2)))
    expected = np.logaddexp(0.0, -low) + 299 * (np.log(2) - low)
    np.testing.assert_allclose(posterior.log_z, expected, rtol=1e-13)
    np.testing.assert_allclose(posterior.marginals()[0][1:], 0.5, rtol=1e-12)


@pytest.mark.parametrize("own_workspace", [False, True])
def test_both_ways_agree(monkeypatch: pytest.MonkeyPatch, own_workspace: bool) -> None:
    lengths = (40, 700, 3, 1, 90, 90)
    emissions, transitions, start, end = draw(lengths, 5, scale=3.0)
    batch = next(batches(lengths, width=5))

    def answer():
        if not own_workspace:
            packed = add_ends(batch, batch.pack(emissions), start, end)
            return compute_expectations(Chain(batch, packed, transitions), Workspace(), pairs=True)
        with borrowed_workspace() as workspace:
            packed = add_ends(batch, batch.pack(emissions, workspace=workspace), start, end)
            expectations = compute_expectations(Chain(batch, packed, transitions), workspace, pairs=True)
            return expectations._replace(marginals=expectations.marginals.copy())

    fast = answer()
    monkeypatch.setattr(scaling, "MAX_STEP_RANGE", -1.0)
    for fast_answer, safe_answer in zip(fast, answer(), strict=True):
        np.testing.assert_allclose(fast_answer, safe_answer, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("width", [100.0, 148.0, 151.0, 400.0, 800.0])
def test_ranges_around_the_change_of_ways(width: float) -> None:
    """Tokens that in turn favour one tag or another by the whole range, over many steps."""
    rng = np.random.default_rng(int(width))
    emissions = (width - 2) * rng.integers(0, 2, (300, 2)) / 1.0
    transitions = np.array([[0.0, -1.0], [-0.5, 0.0]])
    posterior = TagPosterior([emissions], transitions)
    total = emissions[0]
    for row in emissions[1:]:
        total = np.logaddexp.reduce(total[:, None] + transitions, axis=0) + row
    assert posterior.log_z[0] == pytest.approx(np.logaddexp.reduce(total), rel=1e-13)
    marginals, pairs = posterior.marginals()[0], posterior.pair_marginals()[0]
    np.testing.assert_allclose(marginals.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(pairs.sum(axis=2), marginals[:-1], atol=1e-12)


def extreme_chains() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Emissions and transitions whose right answer a product of probabilities would lose."""
    never = -np.inf
    chain = np.full((3, 3), -1000.0)
    late = np.zeros((6, 2))
    late[0, 1], late[3:, 1] = -900.0, 400.0
    return {
        "the only transition allowed is very bad": (np.zeros((4, 2)), np.array([[never, -1000.0], [-1000.0, never]])),
        "all transitions are very bad": (np.zeros((4, 3)), chain),
        "what is lost at first wins in the end": (late, np.array([[0.0, never], [never, 0.0]])),
        "a long shot that alone survives": (
            np.array([[0.0, -800.0], [0.0, -800.0], [0.0, -800.0], [never, 0.0]]),
            np.array([[0.0, never], [never, 0.0]]),
        ),
        "two long shots survive": (
            np.array([[0.0, -800.0, -801.0], [0.0, -9.0, -9.0], [never, 0.0, 0.0]]),
            np.array([[0.0, never, never], [never, 0.0, never], [never, never, 0.0]]),
        ),
        "a bonus in the middle": (
            np.array([[0.0, -700.0], [0, 700], [0, 700], [0, 700], [0.0, -700.0]], dtype=float),
            np.array([[0.0, -600.0], [-600.0, 0.0]]),
        ),
        "large and equal": (np.full((4, 2), 1e4), np.full((2, 2), -1e4)),
    }


@pytest.mark.parametrize("name", extreme_chains())
def test_extremes(name: str) -> None:
    emissions, transitions = extreme_chains()[name]
    twin, posterior = Enumeration(emissions, transitions), TagPosterior([emissions], transitions)
    assert posterior.log_z[0] == pytest.approx(twin.log_z, rel=1e-13)
    np.testing.assert_allclose(posterior.marginals()[0], twin.marginals(), atol=1e-11)
    np.testing.assert_allclose(posterior.pair_marginals()[0], twin.pair_marginals(), atol=1e-11)
    assert posterior.entropy()[0] == pytest.approx(twin.entropy(), abs=1e-10)
    best = posterior.k_best(2)[0]
    np.testing.assert_allclose(best.log_probs, np.array(twin.best_scores(2)) - twin.log_z, atol=1e-11)
    possible = [tags for tags, p in zip(twin.sequences, twin.probabilities, strict=True) if p > 1e-12]
    assert all(tags in possible for tags in posterior.sample(200, rng=0)[0].tolist())


def test_forbidden_tags_are_never_drawn_nor_probable() -> None:
    """BIO: no I after O; a sentence may not begin with I."""
    transitions = np.zeros((3, 3))
    transitions[2, 1] = -np.inf
    posterior = TagPosterior([np.random.default_rng(0).normal(size=(6, 3))], transitions, [0, -np.inf, 0])
    draws = posterior.sample(2000, rng=0)[0]
    assert not (draws[:, 0] == 1).any()
    assert not ((draws[:, :-1] == 2) & (draws[:, 1:] == 1)).any()
    assert posterior.marginals()[0][0, 1] == 0
    assert (posterior.pair_marginals([(2, 1)])[0] == 0).all()
    assert posterior.log_prob([[1, 1, 0, 0, 0, 0]]).tolist() == [-np.inf]
    assert posterior.span_probability(0, 2, [2, 1]) == 0


def test_threads_do_not_share_what_they_work_in() -> None:
    posterior = TagPosterior(*draw(tuple(range(60)), 7))
    expected = np.concatenate(posterior.marginals())
    wrong: list[float] = []

    def ask() -> None:
        for _ in range(10):
            marginals = np.concatenate(posterior.marginals())
            if np.abs(marginals - expected).max() > 0:
                wrong.append(float(np.abs(marginals - expected).max()))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_answers_outlive_the_next_question() -> None:
    posterior = TagPosterior(*draw((4, 5), 3))
    first = posterior.marginals()
    kept = [array.copy() for array in first]
    TagPosterior(*draw((4, 5), 3, seed=1)).marginals()
    assert all((marginals == copied).all() for marginals, copied in zip(first, kept, strict=True))


# Draws from cumulative distributions, at their very ends.


def test_forbidden_transitions_are_never_drawn() -> None:
    """Not even by the smallest and the largest uniform number, in whatever row."""
    logs = np.tile([-np.inf, 0.0, -1.0, -np.inf], (1000, 1))
    rows = np.arange(1000)[:, None].repeat(2, axis=1)
    uniform = np.tile([0.0, np.nextafter(1.0, 0.0) * BELOW_ONE], (1000, 1))
    assert _inverse(logs, rows, uniform).tolist() == [[1, 2]] * 1000


def test_the_numbers_of_a_sentence_are_its_own() -> None:
    streams = Streams(3)
    whole = streams.uniform(5, 0, (4, 6))
    np.testing.assert_array_equal(streams.uniform(5, 12, (2, 6)), whole[2:])
    assert not np.isin(streams.uniform(6, 0, (4, 6)), whole).any()


# Temperatures on potentials: the law of whole sequences by enumeration, and what keeps together.


CLOSE = {"rtol": 0, "atol": 1e-12}
TEMPERATURE = st.floats(0.2, 5.0)


def at(arguments, local, between):
    """Every sequence written out, its potentials divided one by one."""
    emissions, transitions, start, end = arguments
    matrices = transitions if isinstance(transitions, list) else [transitions] * len(emissions)
    ends = (None if potentials is None else potentials / between for potentials in (start, end))
    first, last = ends
    return [Enumeration(e / local, t / between, first, last) for e, t in zip(emissions, matrices, strict=True)]


@pytest.mark.parametrize("options", [{}, {"per_sentence": True}, {"forbidden": 0.15, "seed": 5}, {"ends": False}])
@pytest.mark.parametrize(("local", "between"), [(0.5, 0.5), (0.7, 1.9), (3.0, 0.4)])
def test_every_question_follows_the_tempered_law(options, local: float, between: float) -> None:
    arguments = draw((4, 1, 3), 3, **options)
    posterior = TagPosterior(*arguments).tempered(local, transitions=between)
    truth = at(arguments, local, between)
    np.testing.assert_allclose(posterior.log_z, [enumeration.log_z for enumeration in truth], rtol=1e-12)
    np.testing.assert_allclose(posterior.entropy(), [enumeration.entropy() for enumeration in truth], **CLOSE)
    for i, enumeration in enumerate(truth):
        np.testing.assert_allclose(posterior.marginals()[i], enumeration.marginals(), **CLOSE)
        np.testing.assert_allclose(posterior.pair_marginals()[i], enumeration.pair_marginals(), **CLOSE)
        best = posterior.k_best(5)[i]
        np.testing.assert_allclose(
            best.log_probs + enumeration.log_z, enumeration.best_scores(5)[: len(best.log_probs)], atol=1e-9
        )
    assert posterior.span_probability(0, 1, [2, 0]) == pytest.approx(truth[0].span(1, [2, 0]), abs=1e-12)


def test_samples_follow_the_tempered_law() -> None:
    arguments = draw((3,), 2, seed=2, scale=1.0)
    drawn = TagPosterior(*arguments).tempered(0.6, transitions=1.7).sample(20_000, rng=0)[0]
    (truth,) = at(arguments, 0.6, 1.7)
    shares = [(drawn == np.array(tags)).all(axis=1).mean() for tags in truth.sequences]
    np.testing.assert_allclose(shares, truth.probabilities, rtol=0, atol=4 * 0.5 / np.sqrt(20_000))


@given(st.integers(0, 10**6), st.booleans(), TEMPERATURE, TEMPERATURE)
def test_sums_stay_together(seed: int, per_sentence: bool, local: float, between: float) -> None:
    posterior = TagPosterior(*draw((7, 2, 0, 1), 4, seed=seed, per_sentence=per_sentence)).tempered(
        local, transitions=between
    )
    for marginals, pairs in zip(posterior.marginals(), posterior.pair_marginals(), strict=True):
        np.testing.assert_allclose(marginals.sum(axis=1), 1, **CLOSE)
        np.testing.assert_allclose(pairs.sum(axis=2), marginals[:-1], **CLOSE)
        np.testing.assert_allclose(pairs.sum(axis=1), marginals[1:], **CLOSE)


@given(st.integers(0, 10**6), TEMPERATURE, TEMPERATURE)
def test_one_temperature_keeps_the_answers_and_two_of_them_multiply(seed: int, first: float, second: float) -> None:
    posterior = TagPosterior(*draw((6, 3), 4, seed=seed))
    for before, after in zip(posterior.k_best(4), posterior.tempered(first).k_best(4), strict=True):
        assert before.tags.tolist() == after.tags.tolist()
    twice, once = posterior.tempered(first).tempered(second), posterior.tempered(first * second)
    np.testing.assert_allclose(twice.log_z, once.log_z, rtol=1e-12, atol=1e-10)
    same = posterior.tempered(1.0)
    assert same.log_z.tolist() == posterior.log_z.tolist()


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.booleans(), st.booleans())
def test_each_sentence_may_have_its_own(seed: int, per_sentence: bool, ends: bool) -> None:
    """As if each were alone; the emissions also token by token."""
    arguments = draw((5, 0, 1, 4), 3, seed=seed, per_sentence=per_sentence, ends=ends)
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


def test_forbidden_transitions_stay_forbidden_when_tempered() -> None:
    """A grammar before the temperature or after it: the same posterior."""
    rng = np.random.default_rng(0)
    free = TagPosterior([rng.normal(size=(6, 3))], rng.normal(size=(3, 3)), labels=["O", "B-PER", "I-PER"])
    before, after = within_grammar(free, "BIO").tempered(2.5), within_grammar(free.tempered(2.5), "BIO")
    np.testing.assert_allclose(before.marginals()[0], after.marginals()[0], **CLOSE)
    assert before.pair_marginals([("O", "I-PER")])[0].max() == 0


def test_half_precision_is_computed_in_double() -> None:
    rng = np.random.default_rng(0)
    emissions = rng.normal(size=(5, 3)).astype(np.float16)
    log_z = TagPosterior([emissions], np.zeros((3, 3))).tempered(0.3).log_z
    exact = TagPosterior([emissions.astype(np.float64) / 0.3], np.zeros((3, 3))).log_z
    np.testing.assert_allclose(log_z, exact, rtol=1e-13)
