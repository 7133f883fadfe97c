"""Laws of a posterior over tag sequences, whatever the potentials and however sentences share a batch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sequences.enumeration import draw

from howsure_text.sequences import messages as batching
from howsure_text.sequences.messages import batches, first_rows
from howsure_text.sequences.tag_posterior import TagPosterior

CLOSE = {"rtol": 0, "atol": 1e-12}


@st.composite
def posteriors(draw_from):
    """Some sentences of 0 to 30 tokens; potentials from tame to as wide as 1e4, some of them forbidden."""
    arguments = draw(
        draw_from(st.lists(st.integers(0, 30), min_size=1, max_size=8)),
        draw_from(st.integers(2, 6)),
        seed=draw_from(st.integers(0, 10**6)),
        scale=draw_from(st.sampled_from([0.1, 3.0, 30.0])),
        per_sentence=draw_from(st.booleans()),
        ends=draw_from(st.booleans()),
    )
    return TagPosterior(*arguments), arguments


@given(posteriors())
def test_rows_sum_to_one_and_pairs_to_singles(drawn) -> None:
    posterior, _ = drawn
    for marginals, pairs in zip(posterior.marginals(), posterior.pair_marginals(), strict=True):
        assert marginals.min(initial=0) >= 0
        assert marginals.max(initial=0) <= 1
        np.testing.assert_allclose(marginals.sum(axis=1), 1, **CLOSE)
        np.testing.assert_allclose(pairs.sum(axis=2), marginals[:-1], **CLOSE)
        np.testing.assert_allclose(pairs.sum(axis=1), marginals[1:], **CLOSE)


@settings(max_examples=20)
@given(posteriors(), st.floats(-50, 50))
def test_a_constant_moves_only_log_z(drawn, constant: float) -> None:
    posterior, (emissions, *others) = drawn
    moved = TagPosterior([array + constant for array in emissions], *others)
    np.testing.assert_allclose(moved.log_z, posterior.log_z + constant * posterior.lengths, rtol=1e-12, atol=1e-9)
    for shifted, original in zip(moved.marginals(), posterior.marginals(), strict=True):
        np.testing.assert_allclose(shifted, original, rtol=0, atol=1e-10)


@settings(max_examples=20)
@given(posteriors(), st.randoms())
def test_sentences_do_not_know_each_other(drawn, random) -> None:
    """Alone, in another order, in other batches: the same to rounding; samples the same as long as the number is."""
    posterior, _ = drawn
    order = list(range(len(posterior)))
    random.shuffle(order)
    shuffled = posterior[order]
    np.testing.assert_allclose(shuffled.log_z, posterior.log_z[order], rtol=1e-13)
    np.testing.assert_allclose(shuffled.entropy(), posterior.entropy()[order], rtol=0, atol=1e-11)
    marginals = posterior.marginals()
    for sentence_marginals, i in zip(shuffled.marginals(), order, strict=True):
        np.testing.assert_allclose(sentence_marginals, marginals[i], **CLOSE)
    begin = posterior[: len(posterior) // 2 + 1]
    for begin_draws, all_draws in zip(begin.sample(3, rng=1), posterior.sample(7, rng=1), strict=False):
        assert begin_draws.tolist() == all_draws[:3].tolist()


@settings(max_examples=20)
@given(posteriors())
def test_the_first_of_the_best_is_viterbi(drawn) -> None:
    posterior, _ = drawn
    for tags, best in zip(posterior.viterbi(), posterior.k_best(4), strict=True):
        assert tags.tolist() == best.tags[0].tolist()
        assert (np.diff(best.log_probs) <= 1e-9).all()
    for k, tags in enumerate(zip(*(best.tags for best in posterior.k_best(1)), strict=True)):
        expected = [best.log_probs[k] for best in posterior.k_best(1)]
        np.testing.assert_allclose(posterior.log_prob(tags), expected, rtol=0, atol=1e-8)


@given(posteriors(), st.data())
def test_a_span_of_one_or_two_is_a_marginal(drawn, data) -> None:
    posterior, _ = drawn
    sentence = data.draw(st.integers(0, len(posterior) - 1))
    length = int(posterior.lengths[sentence])
    if length < 2:
        return
    start = data.draw(st.integers(0, length - 2))
    pair = data.draw(st.tuples(*[st.integers(0, posterior.n_tags - 1)] * 2))
    alone = posterior.span_probability(sentence, start, pair[:1])
    assert alone == pytest.approx(posterior.marginals()[sentence][start, pair[0]], abs=1e-12)
    both = posterior.span_probability(sentence, start, pair)
    assert both == pytest.approx(posterior.pair_marginals([pair])[sentence][start, 0], abs=1e-12)


def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence a batch, or all in one: the same answers, and the very same samples."""
    posterior = TagPosterior(*draw((5, 1, 9, 0, 3, 3, 12, 2), 4, seed=2))

    def answers():
        few = [posterior.marginals(), posterior.pair_marginals([(0, 1)]), [b.log_probs for b in posterior.k_best(3)]]
        return [np.concatenate(arrays) for arrays in few], posterior.sample(5, rng=3)

    together, drawn = answers()
    for cells, fewest, most in ((1, 1, 1), (30, 1, 1 << 22), (1, 3, 40)):
        for name, value in (("CELLS", cells), ("MIN_BATCH_SENTENCES", fewest), ("MAX_BATCH_CELLS", most)):
            monkeypatch.setattr(batching, name, value)
        apart, again = answers()
        for from_batches, from_all in zip(apart, together, strict=True):
            np.testing.assert_allclose(from_batches, from_all, **CLOSE)
        assert [draws.tolist() for draws in again] == [draws.tolist() for draws in drawn]


def test_draws_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many draws are made at a time, they are the same."""
    from howsure_text.sequences import paths

    posterior = TagPosterior(*draw((5, 1, 9, 0, 3), 4, seed=2))
    expected = [draws.tolist() for draws in posterior.sample(23, rng=0)]
    monkeypatch.setattr(paths, "DRAWS_AT_ONCE", 16)
    assert [draws.tolist() for draws in posterior.sample(23, rng=0)] == expected


@given(st.lists(st.integers(0, 9), max_size=30), st.integers(1, 5), st.integers(1, 60), st.integers(1, 8))
def test_batches_hold_every_sentence_once(lengths, width: int, cells: int, fewest: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("CELLS", cells), ("MIN_BATCH_SENTENCES", fewest), ("MAX_BATCH_CELLS", 2 * cells)):
            patch.setattr(batching, name, value)
        every_batch = list(batches(lengths, width=width))
    sentences = [i for batch in every_batch for i in batch.sentences.tolist()]
    assert sorted(sentences) == [i for i, length in enumerate(lengths) if length]
    arrays = [np.arange(2.0 * length).reshape(-1, 2) + 100 * i for i, length in enumerate(lengths)]
    corpus = np.concatenate([np.empty((0, 2)), *arrays])
    for batch in every_batch:
        assert len(batch) == 1 or batch.steps[-1] * width <= 2 * cells
        assert (np.diff(batch.active) <= 0).all()
        packed = batch.pack(arrays)
        assert (packed == corpus[batch.corpus_rows(first_rows(lengths))]).all()
        assert all((packed[t] == arrays[batch.sentences[t]][0]).all() for t in range(len(batch)))
        assert [packed[row].tolist() for row in batch.last_rows] == [arrays[i][-1].tolist() for i in batch.sentences]
        back = batch.unpack(packed)
        assert all((sentence == arrays[i]).all() for sentence, i in zip(back, batch.sentences, strict=True))
        later = batch.unpack(batch.pack([array[1:] for array in arrays], later=True), later=True)
        assert all((sentence == arrays[i][1:]).all() for sentence, i in zip(later, batch.sentences, strict=True))


def test_parts_are_the_whole() -> None:
    posterior = TagPosterior(*draw((5, 1, 9, 0, 3), 4, per_sentence=True))
    parts = [array for part in posterior.parts(2) for array in part.marginals()]
    for of_parts, of_whole in zip(parts, posterior.marginals(), strict=True):
        np.testing.assert_allclose(of_parts, of_whole, **CLOSE)
