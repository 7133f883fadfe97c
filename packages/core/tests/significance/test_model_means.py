"""The paired difference of means: by formula, mirrored, in other units, and compared with other tests."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.significance.made_systems import labels
from tests.stats.test_clusters import inspect_stderr

from howsure.errors import InputError
from howsure.result import plain
from howsure.significance import Runs
from howsure.significance.comparison import compare


def two(n: int = 80, seed: int = 0):
    rng = np.random.default_rng(seed)
    ease = rng.normal(size=n)
    return {name: np.clip(np.round(3 + ease + rng.normal(size=n) + gain), 1, 5) for name, gain in (("a", 0), ("b", 1))}


@pytest.mark.parametrize("clustered", [False, True])
def test_every_figure_against_its_definition(clustered: bool) -> None:
    scores = two()
    clusters = np.arange(80) // 4
    row = compare(score=scores, against="a", clusters=clusters if clustered else None)[0]
    d = scores["b"] - scores["a"]
    assert row.difference == pytest.approx(d.mean(), abs=1e-12)
    assert (row.against_value, row.model_value) == pytest.approx((scores["a"].mean(), scores["b"].mean()))
    assert row.standard_error == pytest.approx(inspect_stderr(d, clusters if clustered else np.arange(80)), rel=1e-12)
    assert row.correlation == pytest.approx(stats.pearsonr(scores["a"], scores["b"])[0], rel=1e-12)
    assert row.degrees_of_freedom == pytest.approx(19 if clustered else 79)
    assert (row.share_better, row.share_worse) == ((d > 0).mean(), (d < 0).mean())


def test_it_is_mirrored_and_takes_any_unit() -> None:
    scores = two()
    there = compare(score=scores, against="a")[0]
    back = compare(score=scores, against="b")[0]
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))
    assert there.p_value == pytest.approx(back.p_value)
    hundred = compare(score={name: 100 * values + 7 for name, values in scores.items()}, against="a")[0]
    assert hundred.p_value == pytest.approx(there.p_value, rel=1e-9)
    assert (hundred.low, hundred.high) == pytest.approx((100 * there.low, 100 * there.high))


def test_lower_is_better_turns_the_sides_only() -> None:
    scores = two()
    up = compare(score=scores, against="a", alternative="better")[0]
    down = compare(score=scores, against="a", alternative="better", lower_is_better=True)[0]
    assert (up.difference, up.low, up.high) == (down.difference, down.low, down.high)
    assert up.p_value + down.p_value == pytest.approx(1.0)
    assert not down.higher_is_better
    assert compare(score=scores, lower_is_better=True).best == "a"


def test_runs_are_averaged_within_items() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.random((3, 40)), rng.random((2, 40))
    row = compare(score={"a": Runs(list(a)), "b": Runs(list(b))}, against="a")[0]
    mean = compare(score={"a": a.mean(axis=0), "b": b.mean(axis=0)}, against="a")[0]
    assert row.difference == pytest.approx(mean.difference)
    assert row.p_value == pytest.approx(mean.p_value)
    assert row.n == 40


@pytest.mark.parametrize("method", ["permutation", "bootstrap"])
def test_the_other_tests_of_scores_agree(method: str) -> None:
    scores = two(200, 3)
    student = compare(score=scores, against="a")[0]
    other = compare(score=scores, against="a", method=method, rng=0, n_resamples=4000)[0]
    assert other.difference == pytest.approx(student.difference)
    assert (other.low, other.high) == pytest.approx((student.low, student.high), abs=0.04)
    assert other.standard_error == student.standard_error
    small = two(12, 4)
    p = [compare(score=small, against="a", method=test_name, rng=0)[0].p_value for test_name in ("student", method)]
    assert p[0] == pytest.approx(p[1], abs=0.05)


def test_student_takes_any_metric_that_is_a_mean_and_no_other() -> None:
    y, a, b = labels(300, 3, 1)
    for method in ("student", "gaffke"):
        row = compare(y, a, b, metrics="accuracy", method=method)[0]
        same = compare(score={"baseline": a == y, "model": b == y}, against="baseline", method=method)[0]
        assert (row.p_value, row.low, row.high) == pytest.approx((same.p_value, same.low, same.high))


def test_scores_of_0_and_1_have_the_p_of_the_same_labels() -> None:
    """McNemar's exact test, whether the right answers come as labels or as scores."""
    y, a, b = labels(300, 3, 1)
    of_labels = compare(y, a, b, metrics="accuracy")[0]
    of_scores = compare(score={"a": a == y, "b": b == y}, against="a")
    assert of_scores.recipe["method"] == "gaffke"
    assert of_scores[0].p_value == pytest.approx(of_labels.p_value, rel=1e-9)


def test_bounds_are_given_known_or_requested() -> None:
    scores = two(60, 5)
    bounded = compare(score={name: np.clip(values, -4, 4) for name, values in scores.items()}, bounds=(-4, 4))
    assert (bounded.recipe["method"], bounded.notes) == ("gaffke", ())
    open_ones = compare(score=scores)
    assert open_ones.recipe["method"] == "student"
    assert open_ones.notes[0].startswith("score has no known bounds")
    for changes, message in [
        ({"bounds": (0.0, 0.1)}, "must be between the bounds, 0 and 0.1; row"),
        ({"bounds": (1, 0)}, "bounds must be the lowest and the highest"),
        ({"method": "gaffke"}, "needs the lowest and the highest possible value of score"),
    ]:
        with pytest.raises(InputError, match=message):
            compare(score=scores, **changes)


def test_infinite_losses_stay_undefined() -> None:
    sure, unsure = [[1.0, 0.0], [1.0, 0.0], [0.2, 0.8]], [[0.6, 0.4], [0.5, 0.5], [0.3, 0.7]]
    row = compare([0, 1, 1], sure, unsure, metrics="log_loss", method="student")[0]
    assert np.isnan(row.p_value)
    assert np.isnan(row.standard_error)
    assert plain(row)["p_value"] is None


@pytest.mark.parametrize("method", ["student", "permutation", "bootstrap"])
def test_a_right_probability_of_1_leaves_the_difference_of_log_losses_open(method: str) -> None:
    """Another such row may be wrong, and then the loss is infinite: neither p nor interval can be given."""
    truth = np.tile([0, 1], 60)
    model = np.where(np.arange(120) % 7 == 0, truth, 0.1 + 0.8 * truth)  # certain and right in every seventh row
    comparison = compare(truth, np.full(120, 0.5), model, metrics=["log_loss", "brier"], method=method, rng=0)
    log, brier = comparison
    assert np.isfinite(log.difference)
    assert all(np.isnan(value) for value in (log.low, log.high, log.p_value, log.p_adjusted))
    assert brier.p_value < 0.01
    assert "exactly 0 or 1 for model in 18 rows" in " ".join(comparison.notes)
    inside = compare(truth, np.full(120, 0.5), np.clip(model, 1e-6, 1 - 1e-6), metrics="log_loss", method=method, rng=0)
    assert inside[0].p_value < 0.01


def test_runs_in_another_order_do_not_differ() -> None:
    """Their means differ in the last digit alone, which once was p = 1e-43."""
    runs = [[0.1] * 50, [0.2] * 50, [0.3] * 50]
    row = compare(score={"a": Runs(runs), "b": Runs(runs[::-1])})[0]
    assert (row.difference, row.p_value) == (0.0, 1.0)
    assert row.low < 0 < row.high


def drawn(n: int, runs: int, seed: int, *, items: float = 1.0, noise: float = 0.5, n_models: int = 2):
    """Scores (runs, n) of each model: an item's own level, and noise of each run."""
    rng = np.random.default_rng(seed)
    return {f"m{k}": rng.normal(0, items, n) + rng.normal(0, noise, (runs, n)) + 0.1 * k for k in range(n_models)}


def test_the_split_is_the_one_way_analysis_of_variance() -> None:
    scores = drawn(50, 4, 0)
    result = compare(score={name: Runs(list(values)) for name, values in scores.items()})
    for mean in result.means:
        values = scores[mean.model]
        within = sum(values[:, item].var(ddof=1) for item in range(50)) / 50
        total = values.mean(axis=0).var(ddof=1)
        assert mean.value == pytest.approx(values.mean())
        assert mean.standard_error == pytest.approx(np.sqrt(total / 50))
        assert mean.run_variance == pytest.approx(within)
        assert mean.item_variance == pytest.approx(total - within / 4)
        assert mean.run_share == pytest.approx(within / 4 / total)
        assert (mean.n, mean.runs) == (50, 4)


def test_the_split_finds_the_variances_of_the_population() -> None:
    scores = drawn(20_000, 3, 1, items=1.0, noise=0.5)
    result = compare(score={name: Runs(list(values)) for name, values in scores.items()})
    for mean in result.means:
        assert mean.item_variance == pytest.approx(1.0, rel=0.05)
        assert mean.run_variance == pytest.approx(0.25, rel=0.05)
    row = result[0]
    assert row.run_share == pytest.approx(2 * 0.25 / 3 / (2 + 2 * 0.25 / 3), rel=0.05)


def test_prompts_that_both_models_share_are_paired() -> None:
    """A prompt that makes an item harder for both models adds nothing to the variance of their difference."""
    rng = np.random.default_rng(2)
    shared = rng.normal(0, 2.0, (2, 4000))
    a, b = (rng.normal(size=4000) + shared + rng.normal(0, 0.1, (2, 4000)) for _ in range(2))
    result = compare(score={"a": Runs(list(a)), "b": Runs(list(b))})
    assert result[0].run_share < 0.01
    assert min(mean.run_share for mean in result.means) > 0.5


def test_one_run_has_no_split() -> None:
    result = compare(score={"a": [0, 1, 1, 0], "b": [1, 1, 1, 0]})
    assert all(np.isnan(mean.run_variance) and np.isnan(mean.run_share) for mean in result.means)
    assert np.isnan(result[0].run_share)
    assert result.to_dict()["means"][0]["run_variance"] is None
