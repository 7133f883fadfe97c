"""`compare_models`, `compare_scores` and `resample_models` are the comparison, with fewer parameters each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas
import pytest
from scipy.stats import binomtest, chi2

from howsure.errors import InputError
from howsure.significance import Runs, compare_models, compare_scores, resample_models
from howsure.significance.comparison import compare

RNG = np.random.default_rng(0)
GOLD = RNG.choice(["spam", "ham"], 60)
BASE, LARGE, HUGE = (np.where(RNG.random(60) < right, GOLD, "ham") for right in (0.5, 0.7, 0.9))
SCORES = {"base": RNG.random(60), "large": RNG.random(60) + 0.1, "huge": RNG.random(60) + 0.3}


def test_all_pairs_replace_a_baseline() -> None:
    assert compare_scores(SCORES, against="all pairs").to_dict() == compare(score=SCORES, all_pairs=True).to_dict()
    assert len(compare_scores(SCORES, against="all pairs")) == 3
    assert len(compare_scores(SCORES)) == 2


def test_metrics_may_name_their_class() -> None:
    expected = compare(GOLD, BASE, LARGE, metrics=["f1", "recall"], target_class="spam", rng=0)
    of_class = compare_models(GOLD, BASE, LARGE, metrics={"f1": "spam", "recall": "spam"}, rng=0)
    assert of_class.to_dict() == expected.to_dict()
    with pytest.raises(InputError, match="metrics must name one class; they name 'spam', 'ham'"):
        compare_models(GOLD, BASE, LARGE, metrics={"f1": "spam", "recall": "ham"})


def test_true_labels_may_be_a_file(tmp_path: Path) -> None:
    for name, labels in {"gold": GOLD, "base": BASE, "large": LARGE}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(labels))
    gold, base, large = (str(tmp_path / f"{name}.txt") for name in ("gold", "base", "large"))
    (row,) = compare_models(gold, base, large, metrics="accuracy", rng=0)
    assert row.difference == pytest.approx(np.mean(LARGE == GOLD) - np.mean(BASE == GOLD))


def test_scores_may_be_a_column_for_each_model() -> None:
    by_column = compare_scores(against="base", model=["large", "huge"], data=SCORES)
    assert [row.p_value for row in by_column] == [row.p_value for row in compare_scores(SCORES, against="base")]


def test_the_bootstrap_may_draw_runs_too() -> None:
    runs = Runs([BASE, HUGE]), Runs([LARGE, HUGE])
    expected = compare(GOLD, *runs, metrics="accuracy", method="bootstrap", two_way=True, n_resamples=200, rng=0)
    drawn = resample_models(GOLD, *runs, metrics="accuracy", method="two-way bootstrap", n_resamples=200, rng=0)
    assert drawn.to_dict() == expected.to_dict()


def test_a_series_in_another_order_is_refused() -> None:
    """Rows are compared by position, so a series in another order would be compared with the wrong items."""
    y, a = pandas.Series([0, 1, 1, 1]), pandas.Series([0, 1, 0, 1])
    message = "have the same index labels in different orders"
    with pytest.raises(InputError, match=f"y_true and model {message}"):
        compare_models(y, a, y[::-1], metrics="accuracy", rng=1)
    with pytest.raises(InputError, match=rf"score\['a'\] and score\['b'\] {message}"):
        compare_scores({"a": a, "b": y[::-1]})
    assert compare_models(y, a, y[::-1].to_numpy(), metrics="accuracy", rng=1)[0].model_value == 0.5
    assert compare_models(y, a, y.set_axis([7, 9, 8, 5]), metrics="accuracy", rng=1)[0].model_value == 1.0
    assert compare_models(y, a, y.copy(), metrics="accuracy", rng=1)[0].model_value == 1.0


@pytest.mark.parametrize(
    ("solved", "published", "discordant"),
    [
        (396, 0.868, 36),
        (394, 0.901, 64),
        (388, 0.243, 36),
        (387, 0.253, 49),
        (384, 0.156, 60),
        (384, 0.134, 54),
        (382, 0.115, 68),
        (378, 0.026, 58),
    ],
)
def test_published_comparisons_on_swe_bench_are_reproduced(solved: int, published: float, discordant: int) -> None:
    """Issue 621 of SWE-bench compares ranks 2 to 9 with the best agent, which solves 396 of 500 tasks.

    Its p-values of McNemar's approximate test determine the number of discordant tasks. The exact test gives nearly the
    same p-values; only for equally good agents, the approximation gives less than 1.
    """
    only_best, only_other = (discordant + 396 - solved) // 2, (discordant - 396 + solved) // 2
    statistic = (abs(only_best - only_other) - 1) ** 2 / discordant
    assert chi2.sf(statistic, 1) == pytest.approx(published, abs=0.0005)
    both = 396 - only_best
    best, other = np.zeros(500), np.zeros(500)
    best[:396], other[:both], other[396 : 396 + only_other] = 1, 1, 1
    (difference,) = compare_scores({"best": best, "other": other})
    exact = binomtest(only_other, discordant).pvalue
    assert (difference.against_value, difference.model_value) == (0.792, solved / 500)
    assert difference.p_value == pytest.approx(exact, abs=1e-9)
    assert exact == pytest.approx(published, abs=0.002) or solved == 396
    assert (difference.p_value < 0.05) == (solved == 378)
