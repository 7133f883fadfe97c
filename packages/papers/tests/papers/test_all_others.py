"""Variants of the sentiment experiment: which texts are against which, how they are split, and what is found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.papers.whole import check_whole, rows_of

from howsure.result import Estimate
from howsure_papers import all_others
from howsure_papers.all_others import ONE_CLASS, difference, draw_parts, text_pool
from howsure_papers.intervals import verdict
from howsure_papers.reproduction import Reproduction
from howsure_papers.sentiment import GRIDS

TEXTS = [
    ("2010-01-01", ["a", "bomb", "killed", "two"]),
    ("2018-01-01", ["the", "president", "was", "killed"]),
    ("2021-01-01", ["presidents", "meet"]),
    ("2021-01-02", ["skilled", "hands"]),
]


def test_words_that_tell_the_classes_apart_are_deleted() -> None:
    negative, positive = text_pool(TEXTS, None)
    assert positive == (["2010-01-01", "2018-01-01"], [["a", "bomb", "two"], ["the", "president", "was"]])
    assert negative[1] == [["presidents", "meet"], ["skilled", "hands"]]
    assert text_pool(TEXTS, ONE_CLASS) == ((["2021-01-01"], [["meet"]]), (["2010-01-01"], [["a", "bomb", "two"]]))


@pytest.mark.parametrize("by_time", [True, False])
def test_parts_are_balanced_apart_and_in_their_periods(by_time: bool) -> None:
    dates = [f"{year}-01-01" for year in range(2010, 2022) for _ in range(10)]
    pool = tuple((dates, [[f"{label}", f"{label}-{i}-{date}"] for i, date in enumerate(dates)]) for label in (0, 1))
    parts = draw_parts(pool, np.array([20, 10, 15]), by_time=by_time, rng=np.random.default_rng(0))
    assert [labels.tolist().count(1) for _, labels in parts] == [20, 10, 15]
    assert all(words[0] == str(label) for part, labels in parts for words, label in zip(part, labels, strict=True))
    names = [words[1] for part, _ in parts for words in part]
    assert len(set(names)) == len(names) == 90
    years = [{int(words[1].split("-")[2]) for words in part} for part, _ in parts]
    assert (max(years[0]) < 2017 <= min(years[1]) <= max(years[1]) < 2020 <= min(years[2])) is by_time


def test_a_difference_of_errors_ignores_that_one_is_cut_at_zero() -> None:
    a, b = Estimate(0.05, 0.02, 0.08, 0.95, "", 9), Estimate(0.01, 0.0, 0.05, 0.95, "", 9)
    more = difference(a, b)
    assert (more.value, more.high) == (pytest.approx(0.04), pytest.approx(0.09))
    assert verdict(more) is None


@pytest.fixture(scope="module")
def made(real_data: Path) -> Reproduction:
    steps: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        for kind in GRIDS:
            patch.setitem(GRIDS, kind, (1.0,))
        patch.setattr(all_others, "OF_NEWS", 100)
        result = all_others.reproduce_all_others(data=str(real_data), limit=200, seed=1, advance=steps.append)
        assert sum(steps) == all_others.reproduce_all_others.steps()
    return result


@pytest.mark.slow
def test_every_setting_has_its_findings_and_its_row(made: Reproduction) -> None:
    check_whole(made)
    settings, cuts = map(rows_of, made.tables)
    names = ["All others, at random", "All others, by time", "One class, at random", "One class, by time"]
    assert [row[0] for row in settings] == names
    assert [finding.setting for finding in made.findings[::5]][:4] == names
    assert len(made.findings) == 4 * 5 + 8 + 4
    assert [row[:2] for row in cuts[:2]] == [["naive Bayes", "by TweetTokenizer"], ["naive Bayes", "at blanks"]]
    assert made.recipe["items"] == [400, 400, 400]
