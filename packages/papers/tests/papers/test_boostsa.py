"""BooStSa's figures, run again."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tests.papers.whole import check_whole, rows_of

from howsure.errors import InputError
from howsure.significance.comparison import compare
from howsure_papers import boostsa
from howsure_papers.boostsa import EXACT, METRICS, SHARES, TESTS, SizeResult, TaggedWords, p_values, share_name


def test_the_simulated_sets_are_as_the_paper_says() -> None:
    """Balanced classes and predictions, and a difference of one point in every metric."""
    targets, a, b = boostsa.simulate_balanced(1000, np.random.default_rng(0))
    assert targets.mean() == a.mean() == b.mean() == 0.5
    assert ((a == targets).mean(), (b == targets).mean()) == (0.80, 0.81)


def test_p_values_are_those_of_compare() -> None:
    columns = boostsa.simulate_balanced(200, np.random.default_rng(1))
    p = p_values(columns, ["accuracy", "macro_f1"], loops=200, seed=3)
    options = {"n_resamples": 200, "rng": 3, "interval": None}
    rule = compare(*columns, metrics="macro_f1", method="boostsa", sample_size=0.2, **options)
    exact = compare(*columns, metrics="accuracy", alternative="better", **options)
    assert p.shape == (len(TESTS), 2)
    assert p[TESTS.index(share_name(0.2)), 1] == rule[0].p_value
    assert p[TESTS.index(EXACT), 0] == exact[0].p_value


def test_findings_of_figure_1_are_decided_from_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boostsa, "SIZES", (1000, 2000))
    rng = np.random.default_rng(0)
    level = np.array([0.4, 0.2])[:, None, None] - 0.01 * np.arange(len(TESTS))[:, None]
    clear, vague = (level + rng.normal(0, spread, (2, len(TESTS), 10)) for spread in (0.001, 1.0))
    assert [finding.holds for finding in boostsa.figure_1_findings(clear)] == [True, True, False, True]
    assert [finding.holds for finding in boostsa.figure_1_findings(vague)] == [None, None, None, False]


def test_drawn_words_are_those_of_whole_tweets() -> None:
    lengths = np.array([1, 4, 2, 3])
    tweets = np.repeat(np.arange(4), lengths)
    words = np.arange(10)
    tagged = TaggedWords((words, words + 100, words + 200), tweets, {})
    counts = np.zeros(10)
    for seed in range(500):
        gold, baseline, model = tagged.drawn(200, np.random.default_rng(seed))
        assert len(gold) == 200
        assert np.array_equal(gold + 100, baseline)
        assert np.array_equal(gold + 200, model)
        starts = np.flatnonzero(np.diff(gold, prepend=-2) != 1)
        starts = np.union1d(starts, np.flatnonzero(np.isin(gold, [0, 1, 5, 7])))
        for start, stop in pairwise(starts.tolist()):  # the last tweet may be cut off
            assert stop - start == lengths[tweets[gold[start]]]
        counts += np.bincount(gold, minlength=10)
    assert counts / counts.sum() == pytest.approx(np.full(10, 0.1), abs=0.01)


@pytest.mark.parametrize(
    ("at", "widest", "holds"),
    [
        ((0.06, 0.2), (0.0, 0.04), True),  # p ≤ .05 above a share of .3 alone, whichever the test set
        ((0.0, 0.04), (0.0, 0.01), False),  # at .3 already
        ((0.2, 0.4), (0.1, 0.2), False),  # at no share
        ((0.0, 0.2), (0.0, 0.04), None),
        ((0.06, 0.2), (0.0, 0.1), None),
    ],
)
def test_the_finding_of_figure_2_is_decided_over_test_sets(
    at: tuple[float, float], widest: tuple[float, float], holds: bool | None
) -> None:
    drawn = np.full((100, len(TESTS), len(METRICS)), 0.5)
    drawn[:, TESTS.index(share_name(0.3))] = np.linspace(*at, 100)[:, None]
    drawn[:, TESTS.index(share_name(0.5))] = np.linspace(*widest, 100)[:, None]
    drawn[:, TESTS.index(EXACT)] = 0.01
    size = SizeResult(3064, np.zeros((2, 2)), drawn[0], drawn)
    *by_metric, default = boostsa.figure_2_findings([size])
    assert [finding.holds for finding in by_metric] == [holds, holds]
    assert default.holds is True  # never at the default share, always by permutation


@pytest.mark.long
def test_a_slice(real_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boostsa, "SIZES", (1000, 4000))
    monkeypatch.setattr(boostsa, "SIMULATED_LOOPS", 400)
    monkeypatch.setattr(boostsa, "DRAWS", 3)
    monkeypatch.setattr(boostsa, "LOOPS", 200)
    monkeypatch.setattr(boostsa, "LOOPS_OF_A_DRAW", 200)
    steps: list[int] = []
    result = boostsa.reproduce_boostsa(data=str(real_data), limit=60, seed=1, advance=steps.append)
    assert sum(steps) == boostsa.reproduce_boostsa.steps()
    assert [finding.holds for finding in result.findings if finding.figure == "1"] == [True, True, False, True]
    check_whole(result)
    words = [row[0] for row in rows_of(result.tables[1])]
    assert words[:2] == ["500", "500"]
    assert 500 < int(words[-1].replace(",", "")) < 3064  # all that 60 tweets have, instead of the paper's
    assert len(result.tables[1].shown) == 4 + len(SHARES) + 2


def test_without_its_data_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOWSURE_DATA", raising=False)
    with pytest.raises(InputError, match=r"data=\.\.\. or HOWSURE_DATA"):
        boostsa.reproduce_boostsa()
