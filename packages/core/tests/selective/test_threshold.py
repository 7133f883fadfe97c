"""`selective_threshold`: the procedure on small cases, and how often its promise is broken."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from benchmarks.regimes.calibration import REGIMES
from benchmarks.regimes.regime import rates_of
from benchmarks.selective import DELTA, LAWS, MODELS, RISK, answers, broken, clustered_answers
from howsure import Pairs, selective_threshold
from howsure.selective.ranked_answers import ranked
from howsure.selective.threshold import choose_threshold, fallback, min_answers, threshold_tests


@pytest.mark.parametrize(("law", "model"), [("ties", "sharp"), ("ties", "level")])
def test_the_promise_is_kept_in_a_small_simulation(law: str, model: str) -> None:
    assert broken(law, model, 400, runs=150)[0] <= DELTA + 0.05


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("n", [150, 600, 3000])
def test_the_promise_is_kept(law: str, model: str, n: int) -> None:
    """In 2,000 data sets each; the tolerance is two standard errors of a share of one in ten."""
    assert broken(law, model, n, runs=2000)[0] <= DELTA + 2 * np.sqrt(DELTA * (1 - DELTA) / 2000)


@pytest.mark.slow
@pytest.mark.parametrize("law", ["different", "ties"])
@pytest.mark.parametrize("model", ["overconfident", "sharp", "level"])
@pytest.mark.parametrize("clusters", [60, 400])
@pytest.mark.parametrize("dependence", ["estimated", "any"])
def test_the_promise_is_kept_for_clusters(law: str, model: str, clusters: int, dependence: str) -> None:
    runs = 2000 if dependence == "estimated" else 500
    assert broken(law, model, clusters, runs=runs, clustered=True, dependence=dependence)[0] <= DELTA


def rare_clusters(kind: str, clusters: int, rng: np.random.Generator) -> Pairs:
    """Confidences that say nothing, and a risk just above the target: clusters of 30, or of lognormal size, are wrong
    as a whole; or only the large ones are."""
    sizes = np.full(clusters, 30) if kind == "large" else np.ceil(rng.lognormal(1.5, 1, clusters)).astype(int)
    wrong = rng.random(clusters) < 0.0501
    if kind == "only large ones":
        sizes = np.where(rng.random(clusters) < 0.1, 30, 3)
        wrong = (rng.random(clusters) < 0.0501 * 5.7 / 3) & (sizes == 30)
    if kind == "a tenth ten times as large":
        sizes = np.where(rng.random(clusters) < 0.1, 10, 1)
        wrong = (rng.random(clusters) < 0.0501 * 1.9) & (sizes == 10)
    codes = np.repeat(np.arange(clusters), sizes)
    right = (~np.repeat(wrong, sizes)).astype(np.uint8)
    confidence = np.full(len(codes), 0.9) if kind == "a tenth ten times as large" else rng.random(len(codes))
    return Pairs(right, confidence, clusters=codes)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["large", "lognormal", "only large ones", "a tenth ten times as large"])
@pytest.mark.parametrize("clusters", [30, 60, 150, 400])
def test_the_promise_is_kept_where_whole_clusters_are_wrong(kind: str, clusters: int) -> None:
    rng = np.random.default_rng(1)
    thresholds = [choose_threshold(rare_clusters(kind, clusters, rng), risk=RISK).threshold for _ in range(2000)]
    assert np.mean([t is not None for t in thresholds]) <= DELTA + 0.01


def test_few_clusters_that_were_never_wrong_count_once_each() -> None:
    """58 clusters of 10 right answers promise no more than 58 answers; at any dependence less."""
    q, codes = np.linspace(0.5, 1, 1000), np.repeat(np.arange(100), 10)
    few = codes < 58
    assert selective_threshold(np.ones(580), q[few], clusters=codes[few], risk=RISK).threshold is None
    assert selective_threshold(np.ones(1000), q, clusters=codes, risk=RISK).threshold is not None


@pytest.mark.slow
def test_the_promise_would_be_broken_without_the_clusters() -> None:
    rng, thresholds = np.random.default_rng(1), []
    for _ in range(400):
        pairs = clustered_answers("different", "level", 400, rng)
        thresholds.append(choose_threshold(Pairs(pairs.labels, pairs.probabilities), risk=RISK, delta=DELTA).threshold)
    assert np.mean([t is not None for t in thresholds]) > 2 * DELTA


def test_the_test_matches_clopper_and_pearson() -> None:
    pairs = answers("ties", "sharp", 500, np.random.default_rng(3))
    tests = threshold_tests(ranked(pairs), risk=RISK, delta=DELTA)
    for n, errors, p, level in zip(tests.kept.n, tests.kept.errors, tests.p_value, tests.level, strict=True):
        assert p == pytest.approx(stats.binom.cdf(errors, n, RISK))
        assert (p <= 0.1) == (stats.beta.ppf(0.9, errors + 1, n - errors) <= RISK)
        assert level <= DELTA


def test_levels_are_handed_on_and_never_exceed_delta() -> None:
    levels, passed = fallback(np.array([0.04, 0.9, 0.005, 0.05, 0.2]), np.array([0.05, 0.01, 0.01, 0.01, 0.02]))
    assert levels.tolist() == pytest.approx([0.05, 0.06, 0.01, 0.02, 0.02])
    assert passed.tolist() == [True, False, True, False, False]


def test_a_tie_is_never_split_and_the_threshold_occurs() -> None:
    pairs = answers("ties", "sharp", 3000, np.random.default_rng(4))
    threshold = choose_threshold(pairs, risk=RISK)
    assert threshold.threshold in pairs.probabilities
    kept = pairs.probabilities >= threshold.threshold
    assert (threshold.n_kept, threshold.errors) == (kept.sum(), (1 - pairs.labels[kept].astype(int)).sum())
    assert np.isin(threshold.candidates.n, np.cumsum(np.unique(-pairs.probabilities, return_counts=True)[1])).all()


def test_few_answers_promise_nothing_and_say_how_many_would() -> None:
    right = np.ones(58, dtype=np.uint8)
    threshold = selective_threshold(right, np.linspace(0.5, 1, 58), risk=RISK)
    assert threshold.threshold is None
    assert threshold.needed >= min_answers(RISK, DELTA / 2) == 59
    assert "58 answers cannot show a risk of at most 0.05" in str(threshold)
    assert selective_threshold(np.ones(59), np.linspace(0.5, 1, 59), risk=RISK).threshold == 0.5
    hopeless = selective_threshold(np.zeros(500), np.linspace(0, 1, 500), risk=RISK)
    assert hopeless.needed is None
    assert "which more answers alone would not change" in str(hopeless)


def test_the_number_needed_is_about_right() -> None:
    rng = np.random.default_rng(5)
    few = choose_threshold(answers("ties", "sharp", 120, rng), risk=RISK)
    assert few.threshold is None
    assert few.needed is not None
    thresholds = [choose_threshold(answers("ties", "sharp", few.needed, rng), risk=RISK).threshold for _ in range(60)]
    assert 0.3 < np.mean([t is not None for t in thresholds]) <= 1.0


def test_a_model_that_is_worst_at_the_top_still_gets_a_threshold() -> None:
    threshold = choose_threshold(answers("different", "worst at the top", 3000, np.random.default_rng(6)), risk=RISK)
    assert threshold.threshold is not None
    assert threshold.coverage.value > 0.5
    assert not threshold.candidates.passed[0]


def test_clusters_promise_less_than_as_many_independent_answers() -> None:
    pairs = clustered_answers("ties", "sharp", 500, np.random.default_rng(7))
    clustered = choose_threshold(pairs, risk=RISK)
    alone = choose_threshold(Pairs(pairs.labels, pairs.probabilities), risk=RISK)
    assert alone.coverage.value >= clustered.coverage.value > 0.0
    assert any("independent clusters" in note for note in clustered.notes)
    assert choose_threshold(pairs, risk=RISK, dependence="any").coverage.value <= clustered.coverage.value


def test_a_stricter_promise_keeps_no_more() -> None:
    pairs = answers("different", "sharp", 2000, np.random.default_rng(8))
    shares = [choose_threshold(pairs, risk=risk).coverage.value for risk in (0.02, 0.05, 0.1, 0.3)]
    assert all(a <= b for a, b in pairwise(shares))
    assert shares[-1] == 1.0


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [200, 400])
def test_the_promise_is_kept_where_larger_clusters_are_riskier(clusters: int) -> None:
    (regime,) = (
        candidate for candidate in REGIMES if candidate.name == f"threshold: {clusters} lognormal, larger ones riskier"
    )
    assert all(rate.wanted for rate in rates_of(regime, runs=400, seed=1))


def test_clusters_without_a_wrong_answer_promise_like_as_many_answers() -> None:
    """0.95 ** 59 = 0.0485, below half of delta."""
    q = np.linspace(0, 1, 600)
    thresholds = [
        selective_threshold(np.ones(10 * n), q[: 10 * n], clusters=np.arange(10 * n) % n, risk=RISK) for n in (58, 59)
    ]
    assert [threshold.threshold is not None for threshold in thresholds] == [False, True]
    assert thresholds[0].needed in (590, 600)  # a step of the grid of numbers
