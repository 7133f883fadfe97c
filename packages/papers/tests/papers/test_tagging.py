"""The tagging experiments on a slice of their data: every part is there, and the parts agree."""

from __future__ import annotations

from functools import partialmethod
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tests.papers.whole import check_whole, rows_of

from howsure.calibration.calibration_errors import calibration_error
from howsure.errors import InputError
from howsure_papers import contests, tag_variants, taggers, tagging
from howsure_papers.contests import estimates, model_values, values
from howsure_papers.corpora.tagged import Corpus, Tagged, read_ewt, read_wsj
from howsure_papers.label_errors import Contest, label_errors, squared_errors
from howsure_papers.reproduction import Reproduction, ignore_progress
from howsure_papers.tag_variants import possible_sentences
from howsure_papers.taggers import (
    choose,
    crf_kind,
    fit_hmm,
    fit_tagger,
    hmm_kind,
    judge,
    match_crf,
    tag_marginals,
    transition_marginals,
)
from howsure_papers.tagging import pair_question, reproduce_tag_pairs, reproduce_tagging, tag_question
from howsure_text.sequences.crf import CRFTagger

LIMIT = 6


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer subsamples, penalties and pairs of tags."""
    monkeypatch.setattr(taggers, "BASIC", crf_kind("CRF-Basic", "basic", (0.1, 0.01)))
    monkeypatch.setattr(tagging, "MANY_PAIRS", 8)
    monkeypatch.setattr(contests, "SUBSAMPLES", 2)
    monkeypatch.setattr(taggers, "HMM_SUBSAMPLES", 3)
    monkeypatch.setattr(tagging, "MORE_PSEUDOCOUNTS", (1.0, 0.01))
    monkeypatch.setattr(tagging, "SUBSAMPLES", 2)
    monkeypatch.setattr(tagging, "ADVANCED_PENALTIES", (0.3,))


def test_wsj_is_split_by_article(real_data: Path) -> None:
    corpus = read_wsj(str(real_data))
    assert sum(corpus.sizes) == 3914
    assert corpus.train.tokens + corpus.dev.tokens + corpus.test.tokens == 94_084
    assert 0.75 < corpus.sizes[0] / 3914 < 0.85
    assert len(corpus.labels) >= 44


@pytest.mark.long
def test_ewt_is_read_as_it_is_split(real_data: Path) -> None:
    corpus = read_ewt(str(real_data), 30)
    assert corpus.sizes == (30, 30, 30)
    assert len({*corpus.train.sentences, *corpus.dev.sentences, *corpus.test.sentences}) == 90


@pytest.mark.slow
def test_the_tagging_experiment(real_data: Path, quick: None) -> None:
    result = reproduce_tagging(data=str(real_data), limit=LIMIT, seed=1)
    assert [finding.figure for finding in result.findings].count("3") == 8
    assert len(result.findings) == 2 * 2 * 7 + 5 + 3
    names = {"figure-1-nn-bcd", "figure-3-wsj", "figure-4a-ewt-one", "figure-4-1", "figure-4-2", "figure-4-3"}
    assert names <= {drawing.name for drawing in result.drawings}
    check_whole(result)


@pytest.mark.slow
def test_the_experiment_on_tag_pairs(real_data: Path, quick: None) -> None:
    result = reproduce_tag_pairs(data=str(real_data), limit=LIMIT, seed=1)
    assert len(result.findings) == 2 * 2 * 4
    assert len(result.tables[-1].rows) == 8
    check_whole(result)


def test_without_their_data_they_say_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="wsj_sample was not found"):
        reproduce_tagging(data=str(tmp_path))


@pytest.fixture
def corpus() -> Corpus:
    """A made-up corpus with a tag, X, that comes in few training sentences."""
    rng = np.random.default_rng(0)
    words = {"N": "abcdef", "V": "defghi", "X": "x"}

    def part(n: int, rare: int) -> Tagged:
        tags = [tuple("NNV"[i] for i in rng.integers(3, size=6)) for _ in range(n)]
        tags = [(*row, "X") if i < rare else row for i, row in enumerate(tags)]
        return Tagged([tuple(words[t][rng.integers(len(words[t]))] for t in row) for row in tags], tags)

    return Corpus("made-up", "made up", part(300, 2), part(100, 0), part(150, 2))


def crf(train: Tagged, c2: float) -> CRFTagger:
    return CRFTagger(c2=c2).fit(train.sentences, train.tags)


def test_a_tag_that_a_model_has_not_seen_has_probability_0(corpus: Corpus) -> None:
    tagger = crf(corpus.train.select(np.arange(100, 200)), 0.1)
    assert tagger.labels_ == ("N", "V")
    for full, known_tags in zip(
        tag_marginals(tagger, corpus.test.sentences, corpus.labels),
        tagger.posterior(corpus.test.sentences).marginals(),
        strict=True,
    ):
        np.testing.assert_array_equal(full, np.column_stack([known_tags, np.zeros(len(known_tags))]))
    transitions = transition_marginals(tagger, corpus.test.sentences, [("N", "X"), ("N", "V")])
    assert all((probabilities[:, 0] == 0).all() for probabilities in transitions)
    own_pairs = tagger.posterior(corpus.test.sentences).pair_marginals([("N", "V")])
    np.testing.assert_array_equal(transitions[0][:, 1], own_pairs[0][:, 0])


@pytest.mark.long
def test_the_crf_is_matched_to_the_hmm(corpus: Corpus) -> None:
    hmm = choose(hmm_kind("HMM", "uniform", (1.0, 0.1)), corpus.train, corpus.dev)
    assert hmm.accuracy == max(fit_hmm(corpus.train, a).score(corpus.dev.sentences, corpus.dev.tags) for a in (1, 0.1))
    matched, tried = match_crf(corpus, hmm.accuracy, np.arange(300), ignore_progress)
    assert tried[-1] is matched
    assert [crf_fit.sentences for crf_fit in tried[:-1]] == [125, 250, 300][: len(tried) - 1]
    assert all(crf_fit.accuracy < hmm.accuracy for crf_fit in tried[:-2])
    assert matched.sentences <= tried[-2].sentences


def test_a_penalty_is_chosen_as_if_each_were_fitted_alone(corpus: Corpus) -> None:
    chosen = choose(crf_kind("CRF", "basic", (1.0, 0.1)), corpus.train, corpus.dev)
    alone = crf(corpus.train, chosen.setting)
    for a, b in zip(
        chosen.tagger.posterior(corpus.test.sentences).marginals(),
        alone.posterior(corpus.test.sentences).marginals(),
        strict=True,
    ):
        np.testing.assert_allclose(a, b, atol=0.02)


def test_estimates_and_values_are_the_same_numbers(corpus: Corpus) -> None:
    question = tag_question(corpus)
    first, second = (question.judge(tagger) for tagger in (fit_hmm(corpus.train, 1.0), crf(corpus.train, 0.1)))
    tags = Contest(*(label_errors(judged_tagger.pairs, bin_size="auto") for judged_tagger in (first, second)))
    by_name = estimates(first, second, tags, question)
    again = values(*(model_values(judged, tags.names, question) for judged in (first, second)))
    assert list(by_name) == list(again)
    for name, interval in by_name.items():
        np.testing.assert_allclose(interval.value, again[name], rtol=1e-9, err_msg=name)


def test_what_a_tagger_is_judged_by(corpus: Corpus) -> None:
    tagger = fit_hmm(corpus.train, 1.0)
    judged = judge(tagger, corpus.test, corpus.labels)
    assert judged.right.mean() == tagger.score(corpus.test.sentences, corpus.test.tags)
    assert judged.hits.mean() == tagger.score(corpus.test.sentences, corpus.test.tags, decoding="posterior")
    marginals = np.concatenate(tagger.posterior(corpus.test.sentences).marginals())
    np.testing.assert_array_equal(judged.surest, marginals.max(axis=1))
    rows = judged.pairs.groups == 0
    expected = calibration_error(
        judged.pairs.labels[rows], judged.pairs.probabilities[rows], clusters=judged.pairs.clusters[rows]
    )
    assert expected.value**2 == pytest.approx(max(squared_errors(judged.pairs, bin_size="auto")[0], 0.0), abs=1e-12)


def test_who_interrupts_a_training_ends_the_experiment(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def interrupt(iterations: int) -> None:
        calls.append(iterations)
        if len(calls) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(CRFTagger, "fit", partialmethod(CRFTagger.fit, advance=interrupt))
    with pytest.raises(KeyboardInterrupt), pytest.warns(UserWarning, match="interrupted"):
        fit_tagger(CRFTagger(c2=0.1), corpus.train)


def test_tag_pairs_are_asked_by_their_frequency(corpus: Corpus) -> None:
    question = pair_question(corpus)
    tagger = fit_hmm(corpus.train, 1.0)
    names = question.judge(tagger).pairs.group_names
    assert names[0] == "N N"
    assert question.counts["N N"] == sum(a == b == "N" for row in corpus.test.tags for a, b in pairwise(row))


# Variants of the taggers on a slice: which sentences an HMM by maximum likelihood allows, and what is found.


TRAIN = Tagged([["dogs", "bark"], ["dogs", "sleep"], ["they", "bark"]], [("N", "V"), ("N", "V"), ("O", "V")])
TEST = Tagged([["dogs", "bark"], ["bark", "dogs"], ["cats", "bark"], ["they", "cats"]], [("N", "V")] * 4)


def test_what_never_followed_is_impossible_by_maximum_likelihood() -> None:
    assert possible_sentences(fit_hmm(TRAIN, 0.0), TEST).tolist() == [0, 2, 3]  # no tag was ever after V
    assert possible_sentences(fit_hmm(TRAIN, 1e-6), TEST).tolist() == [0, 1, 2, 3]


def test_some_sentences_are_judged_as_by_themselves() -> None:
    tagger, labels = fit_hmm(TRAIN, 0.1), ("N", "O", "V")
    some = judge(tagger, TEST, labels).select(np.array([1, 3]))
    alone = judge(tagger, TEST.select(np.array([1, 3])), labels)
    assert some.accuracy == alone.accuracy
    assert some.of("N").probabilities == pytest.approx(alone.of("N").probabilities)
    assert some.sentences.tolist() == alone.sentences.tolist() == [0, 0, 1, 1]


@pytest.fixture(scope="module")
def made(real_data: Path) -> Reproduction:
    steps: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tag_variants, "PENALTIES", (0.3, 0.1))
        patch.setattr(tag_variants, "added_families", lambda: {"+ shape": ("word", "shape")})
        result = tag_variants.reproduce_tag_variants(data=str(real_data), limit=25, seed=1, advance=steps.append)
        assert sum(steps) == tag_variants.reproduce_tag_variants.steps()
    return result


@pytest.mark.long
def test_the_tables_and_findings(made: Reproduction) -> None:
    check_whole(made)
    features, trainers, *likelihood = map(rows_of, made.tables)
    assert [row[0] for row in features] == ["CRF-Basic", "+ shape", "CRF-Advanced"]
    assert [row[2] for row in trainers] == ["L-BFGS", "AdaGrad"] * 4
    places = [finding.place for finding in made.findings]
    assert places.count("section 4.1.2") == 2
    assert places.count("section 4.1.1") == 8
    assert {"beyond the papers", "Figures 4.1, 4.2", "Figures 4.4, 4.5"} < set(places)
    for table in likelihood:
        assert [row[2] for row in table[:3]] == ["HMM, pseudocount 1e-06", "HMM, pseudocount chosen", "CRF-Basic"]
        assert len({row[1] for row in table if row[0] == "all"}) == 1
