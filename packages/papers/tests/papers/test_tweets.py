"""The tweet experiment on a slice: what it judges, its contests, and its findings."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.papers.whole import check_whole, rows_of

from howsure import calibration_error
from howsure.inputs.pairs import Pairs
from howsure_papers import tweets
from howsure_papers.corpora.tagged import read_ark
from howsure_papers.intervals import random_subsamples
from howsure_papers.reproduction import Reproduction
from howsure_papers.taggers import Judged, crf_kind, hmm_kind
from howsure_papers.tweets import Fit, choose_best, every_fit, near_extremes, quantities, reproduce_tweets
from howsure_text.sequences import CRFTagger

SLICE = 6
SMALL = (
    hmm_kind("HMM, one pseudocount", "uniform", (1.0,)),
    hmm_kind("HMM", "uniform", (1.0, 0.1)),
    hmm_kind("HMM with word shapes", "shape", (0.1,)),
    crf_kind("CRF-Basic", "basic", (1.0, 0.1)),
    crf_kind("CRF-Advanced", "advanced", (1.0, 0.3)),
)


@pytest.fixture(scope="module")
def made(real_data: Path) -> Reproduction:
    steps: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tweets, "KINDS", SMALL)
        patch.setattr(tweets, "NEAR_PENALTIES", (0.3,))
        patch.setattr(tweets, "SUBSAMPLES", 2)
        patch.setattr(tweets, "random_subsamples", partial(random_subsamples, times=2))
        result = reproduce_tweets(data=str(real_data), limit=SLICE, seed=1, advance=steps.append)
        assert sum(steps) == reproduce_tweets.steps()
    return result


def fit(value: float, accuracy: float, shift: float) -> Fit:
    """A made-up fit whose predictions are `shift` too high, and so its calibration error."""
    rng = np.random.default_rng(0)
    q = rng.random(6_000) * 0.5
    y = (rng.random(6_000) < q).astype(np.uint8)
    tweets_of = np.arange(6_000) // 10
    pairs = Pairs(y, q + shift, groups=np.zeros(6_000, dtype=np.int64), group_names=("V",), clusters=tweets_of)
    right = (np.arange(6_000) % 1000 < 1000 * accuracy).astype(float)
    judged = Judged(pairs, right, q, right, tweets_of)
    return Fit(SMALL[0], value, judged, judged)


def test_of_settings_of_equal_accuracy_the_worst_and_the_best_calibrated() -> None:
    fits = [fit(3.0, 0.5, 0.3), fit(1.0, 0.795, 0.2), fit(0.3, 0.8, 0.1), fit(0.1, 0.792, 0.0), fit(0.03, 0.7, 0.4)]
    assert near_extremes(fits) == (1.0, 0.1)
    assert choose_best(fits).value == 0.3


@pytest.mark.long
def test_contests_are_differences_of_public_numbers() -> None:
    names = ["HMM, one pseudocount", "HMM", "HMM with word shapes", "CRF-Basic", "CRF-Advanced"]
    fits = {name: [fit(1.0, 0.5 + 0.1 * i, 0.1 * i)] for i, name in enumerate(names)}
    estimates = quantities(fits, dict.fromkeys(names, (1.0, 1.0)))
    errors = []
    for name in ("HMM", "CRF-Basic"):
        pairs = fits[name][0].test.of("V")
        errors.append(calibration_error(pairs.labels, pairs.probabilities, bin_size=200, clusters=pairs.clusters))
    difference = estimates["V, squared error: HMM - CRF-Basic"]
    assert difference.value == pytest.approx(errors[0].value ** 2 - errors[1].value ** 2)
    assert difference.high < 0
    assert estimates["accuracy, CRF-Basic"].value == pytest.approx(0.8)
    assert estimates["V, Brier score: HMM - CRF-Basic"].value == pytest.approx(0.1**2 - 0.3**2, abs=0.01)


def test_a_judged_tagger_is_the_tagger(real_data: Path) -> None:
    corpus = read_ark(str(real_data), 60)
    kind = crf_kind("CRF", "basic", (1.0, 0.3))
    _, last = every_fit(kind, corpus, corpus.labels, lambda steps: None)
    again = CRFTagger(c2=0.3).fit(corpus.train.sentences, corpus.train.tags)
    assert last.test.accuracy.value == pytest.approx(again.score(corpus.test.sentences, corpus.test.tags), abs=0.01)
    marginals = np.concatenate(again.posterior(corpus.test.sentences).marginals())
    assert last.test.of("V").probabilities == pytest.approx(marginals[:, again.labels_.index("V")], abs=0.02)
    assert last.test.pairs.labels.sum() <= corpus.test.tokens
    assert int(last.test.of("V").labels.sum()) == sum(tags.count("V") for tags in corpus.test.tags)
    assert not hasattr(kind.tagger, "labels_")  # the next corpus starts afresh


@pytest.mark.slow
def test_the_tables_and_figures(made: Reproduction) -> None:
    assert [len(table.rows) for table in made.tables[:2]] == [5, 5]
    ablation = [row[0] for row in rows_of(made.tables[4])]
    assert ablation[0] == "CRF-Basic"
    assert ablation[-1] == "CRF-Advanced"
    assert "all but suffixes" in ablation
    assert len(made.tables[5].rows) == sum(len(kind.grid) for kind in SMALL)
    check_whole(made)


@pytest.mark.long
def test_the_findings_follow_from_the_intervals_of_the_table(made: Reproduction) -> None:
    intervals = {row[0]: row[-1] for row in rows_of(made.tables[2])}
    contests = ("HMM", "HMM, one pseudocount", "HMM with word shapes")
    for finding, worse in zip(made.findings[:3], contests, strict=True):
        low, high = json.loads(intervals[f"V, squared error: {worse} - CRF-Basic"])
        assert finding.holds is (True if low > 0 else False if high < 0 else None)
    low, high = json.loads(made.findings[4].ours.partition(" ")[2])
    assert made.findings[4].holds is (low <= 0.87 <= high)
