"""Variants of the taggers on a slice: which sentences an HMM by maximum likelihood allows, and what is found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from howsure_papers import tag_variants
from howsure_papers.corpora.tagged import Tagged
from howsure_papers.reproduction import Reproduction
from howsure_papers.tag_variants import possible_sentences
from howsure_papers.taggers import fit_hmm, judge

from tests.papers.whole import check_whole, rows_of

TRAIN = Tagged([["dogs", "bark"], ["dogs", "sleep"], ["they", "bark"]], [("N", "V"), ("N", "V"), ("O", "V")])
TEST = Tagged([["dogs", "bark"], ["bark", "dogs"], ["cats", "bark"], ["they", "cats"]], [("N", "V")] * 4)


def test_what_never_followed_is_impossible_by_maximum_likelihood() -> None:
    assert possible_sentences(fit_hmm(TRAIN, 0.0), TEST).tolist() == [0, 2, 3]  # no tag was ever after V
    assert possible_sentences(fit_hmm(TRAIN, 1e-6), TEST).tolist() == [0, 1, 2, 3]


def test_some_sentences_are_judged_as_by_themselves() -> None:
    tagger, labels = fit_hmm(TRAIN, 0.1), ("N", "O", "V")
    some = judge(tagger, TEST, labels).only(np.array([1, 3]))
    alone = judge(tagger, TEST.only(np.array([1, 3])), labels)
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
