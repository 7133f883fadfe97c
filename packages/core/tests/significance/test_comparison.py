"""What must hold of every comparison, whatever the metric and method."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from sklearn.metrics import f1_score, matthews_corrcoef
from tests.significance.made_systems import distributions, labels

from howsure.result import plain
from howsure.significance import Runs, compare_models, metric_names
from howsure.significance.comparison import compare
from howsure.significance.results import how, verdicts
from howsure.stats.p_values import adjust_p_values

METHODS = ["permutation", "bootstrap"]
HARD = list(metric_names("hard"))
SOFT = list(metric_names("soft"))
PROBABILISTIC = [name for name in metric_names("probabilistic") if name != "brier"]
SETTING = {"n_resamples": 200, "rng": 3}


def probabilities(n: int, seed: int):
    targets, a, b = distributions(n, 3, seed)
    return targets.argmax(axis=1), a, b


PROBLEMS = {
    "hard": (lambda: labels(120, 3, 1), HARD),
    "soft": (lambda: distributions(120, 3, 1), SOFT),
    "probabilistic": (lambda: probabilities(120, 1), PROBABILISTIC),
}


def figures(result):
    """All that a comparison says in numbers."""
    return np.array([[r.difference, r.low, r.high, r.p_value, r.p_adjusted, r.p_error] for r in result])


@pytest.mark.parametrize("task", PROBLEMS)
@pytest.mark.parametrize("interval", ["basic", "percentile", "bca"])
@pytest.mark.parametrize("alternative", ["two-sided", "better"])
@pytest.mark.parametrize("method", METHODS)
def test_identical_predictions(task: str, method: str, interval: str, alternative: str) -> None:
    make, names = PROBLEMS[task]
    targets, a, _ = make()
    result = compare(
        targets, a, a.copy(), metrics=names, method=method, interval=interval, alternative=alternative, **SETTING
    )
    for row in result:
        assert (row.difference, row.p_value, row.p_adjusted, row.stars) == (0, 1, 1, ""), row.metric
        assert row.low == -row.high, row.metric
        assert 0 <= row.high < 0.2, row.metric


@pytest.mark.parametrize("method", ["mcnemar", "boostsa"])
def test_identical_predictions_in_the_other_tests(method: str) -> None:
    targets, a, _ = labels(120, 3, 1)
    for row in compare(targets, a, a, method=method, **SETTING):
        assert (row.difference, row.p_value) == (0, 1)
        assert row.low == -row.high
        assert 0 < row.high < 0.2


@pytest.mark.parametrize("task", PROBLEMS)
@pytest.mark.parametrize("interval", ["basic", "percentile", "bca"])
@pytest.mark.parametrize("method", METHODS)
def test_swapping_the_systems_mirrors_everything(task: str, method: str, interval: str) -> None:
    make, names = PROBLEMS[task]
    targets, a, b = (column[:40] for column in make())
    options = {"metrics": names, "method": method, "interval": interval, **SETTING}
    for there_side, back_side in (("two-sided", "two-sided"), ("better", "worse")):
        there = compare(targets, a, b, alternative=there_side, **options)
        back = compare(targets, b, a, alternative=back_side, **options)
        for row, other in zip(there, back, strict=True):
            assert row.difference == -other.difference
            assert (row.low, row.high) == pytest.approx((-other.high, -other.low), abs=1e-12)
            assert row.p_value == other.p_value
            assert (row.share_better, row.share_worse) == pytest.approx(
                (other.share_worse, other.share_better), nan_ok=True
            )


@pytest.mark.parametrize("task", PROBLEMS)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("clustered", [False, True])
def test_the_order_of_rows_changes_nothing(task: str, method: str, clustered: bool) -> None:
    make, names = PROBLEMS[task]
    targets, a, b = (column[:60] for column in make())
    clusters = np.arange(60) // 5 if clustered else None
    strata = np.arange(60) // 35
    order = np.random.default_rng(0).permutation(60)
    options = {"metrics": names, "method": method, **SETTING}
    plain = compare(targets, a, b, clusters=clusters, strata=strata, **options)
    mixed = compare(
        targets[order],
        a[order],
        b[order],
        clusters=None if clusters is None else [f"document {c}" for c in clusters[order]],
        strata=["xy"[s] for s in strata[order]],
        **options,
    )
    assert figures(mixed) == pytest.approx(figures(plain), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("names", [["zebra", "ant", "cow"], [7, -1, 100]])
def test_the_names_of_labels_change_nothing(method: str, names: list[object]) -> None:
    targets, a, b = labels(200, 3, 4)
    other = ([names[value] for value in column] for column in (targets, a, b))
    options = {"metrics": HARD, "method": method, **SETTING}
    assert figures(compare(*other, **options)) == pytest.approx(figures(compare(targets, a, b, **options)), abs=1e-12)


@pytest.mark.parametrize("task", ["soft", "probabilistic"])
def test_the_order_of_columns_changes_nothing(task: str) -> None:
    make, names = PROBLEMS[task]
    names = [name for name in names if name != "rps"]  # which is of ordered classes
    targets, a, b = make()
    plain = compare(targets, a, b, metrics=names, **SETTING)
    order = np.array([2, 0, 1])
    turned = targets[:, order] if task == "soft" else np.argsort(order)[targets]
    mixed = compare(turned, a[:, order], b[:, order], metrics=names, **SETTING)
    assert figures(mixed) == pytest.approx(figures(plain), abs=1e-12)


def test_other_models_and_metrics_change_nothing_but_the_adjusted_p() -> None:
    targets, a, b = labels(200, 3, 4)
    c = labels(200, 3, 5)[1]
    alone = compare(targets, a, b, metrics="macro_f1", **SETTING)[0]
    among = compare(targets, a, {"c": c, "b": b}, metrics=["mcc", "macro_f1", "accuracy"], **SETTING)["b", "macro_f1"]
    assert (alone.difference, alone.low, alone.p_value) == (among.difference, among.low, among.p_value)
    assert among.p_adjusted >= alone.p_adjusted


def test_a_seed_gives_the_same_result_and_is_in_the_recipe() -> None:
    targets, a, b = labels(200, 5, 4)
    first = compare(targets, a, b, n_resamples=500)
    again = compare(targets, a, b, n_resamples=500, rng=first.recipe["seed"])
    assert (repr(first.rows), first.recipe) == (repr(again.rows), again.recipe)  # NaN among them, which equals nothing
    assert figures(first).tolist() != figures(compare(targets, a, b, n_resamples=500, rng=1)).tolist()


def test_clusters_are_resampled_whole() -> None:
    """Rows repeated ten times add no information: with their clusters, the answer is that of the single rows."""
    targets, a, b = labels(100, 2, 8)
    once = compare(targets, a, b, metrics="accuracy", **SETTING)[0]
    repeated = [np.repeat(column, 10) for column in (targets, a, b)]
    clustered = compare(*repeated, metrics="accuracy", clusters=np.repeat(np.arange(100), 10), **SETTING)[0]
    naive = compare(*repeated, metrics="accuracy", **SETTING)[0]
    assert clustered.p_value == pytest.approx(once.p_value, abs=1e-12)
    assert clustered.exact
    assert clustered.high - clustered.low == pytest.approx(once.high - once.low, rel=0.25)
    assert naive.high - naive.low < 0.5 * (once.high - once.low)


def test_runs_are_not_more_items() -> None:
    """The same run five times over is one run."""
    targets, a, b = labels(100, 2, 8)
    once = compare(targets, a, b, metrics="accuracy", **SETTING)[0]
    five = compare(targets, Runs([a] * 5), Runs([b] * 3), metrics="accuracy", **SETTING)[0]
    assert five.n == 100
    assert (five.p_value, five.difference) == pytest.approx((once.p_value, once.difference), abs=1e-12)


def test_effect_sizes() -> None:
    row = compare([0, 0, 1, 1, 1], [0, 1, 0, 1, 1], [0, 0, 1, 0, 1], metrics="accuracy", rng=0)[0]
    assert (row.share_better, row.share_worse) == pytest.approx((0.4, 0.2))
    assert row.relative_error_reduction == pytest.approx(0.5)  # wrong in 2 of 5 before, in 1 of 5 now


def test_better_worse_and_no_difference() -> None:
    targets, a, b = labels(300, 2, 1, accuracy=(0.6, 0.9))
    up = verdicts(compare(targets, a, {"up": b}, metrics="accuracy", rng=0))[0]
    down = verdicts(compare(targets, b, {"down": a}, metrics="accuracy", rng=0))[0]
    same = verdicts(compare(targets, a, {"same": a}, metrics=["accuracy", "mcc"], rng=0, n_resamples=10))[0]
    assert up.startswith("up is better than baseline: accuracy higher by 0.")
    assert down.startswith("down is worse than baseline: accuracy lower by 0.")
    assert same == "same: no difference is detected in accuracy, mcc."


def test_lower_is_better_for_a_loss() -> None:
    targets, a, b = distributions(200, 3, 1, weights=(0.5, 0.9))
    verdict = verdicts(compare(targets, a, b, metrics="cross_entropy", rng=0, n_resamples=500))[0]
    assert verdict.startswith("model is better than baseline: cross_entropy lower by 0.")


def test_what_is_undefined_is_reported() -> None:
    targets, a, _ = distributions(30, 3, 1)
    verdict = verdicts(compare(targets, a, np.full((30, 3), 1 / 3), metrics="entropy_correlation", rng=0))[0]
    assert (
        verdict
        == "model: cannot be compared in entropy_correlation, undefined or possibly infinite for one of the two."
    )


def test_how_it_was_done() -> None:
    targets, a, b = labels(60, 2, 1)
    exact = how(compare(targets, a, b, metrics="accuracy", rng=0))
    assert exact == ["Items were swapped between the models at random (permutation test). p is exact."]
    drawn = how(compare(targets, Runs([a, b]), Runs([b, b]), method="bootstrap", rng=0, n_resamples=50))
    assert drawn == [
        "Items with all their runs were drawn with replacement (bootstrap).",
        "p is adjusted for 4 comparisons (Holm).",
    ]


def test_amount_and_side_agree_with_the_row() -> None:
    """No one is better by a negative amount: the side is a word, and the interval that of the amount."""
    rng = np.random.default_rng(0)
    y, base = rng.integers(0, 2, 400), np.full(400, 0.5)
    good, bad = np.where(y == 1, 0.6, 0.4), np.where(y == 1, 0.4, 0.6)
    result = compare(y, base, {"good": good, "bad": bad}, metrics="brier", rng=0)
    for model, wording in (("good", "better than baseline: brier lower"), ("bad", "worse than baseline: brier higher")):
        row, (verdict,) = result[model, "brier"], [line for line in verdicts(result) if line.startswith(model)]
        ends = sorted((abs(row.low), abs(row.high)))
        assert verdict.startswith(
            f"{model} is {wording} by {abs(row.difference):.4f} [{ends[0]:.4f}, {ends[1]:.4f}] (p < 0.0001)"
        )


def test_an_error_of_zero_is_explained() -> None:
    rng = np.random.default_rng(3)
    q = rng.random(300)
    y = (rng.random(300) < q).astype(int)
    a, b = np.clip(q, 0.01, 0.99), np.clip(q + 0.001, 0.01, 0.99)
    result = compare(y, a, {"other": b}, metrics="calibration_error", rng=0)
    assert 0.0 in (result[0].against_value, result[0].model_value)
    assert any("does not mean that the model has no error" in line for line in how(result))
    assert not any(
        "does not mean that the model has no error" in line for line in how(compare(y, q > 0.5, {"b": q > 0.4}, rng=0))
    )


def test_notes_are_reported_with_the_rest() -> None:
    """In the result, in the sentences of the command and the report, in JSON."""
    result = compare(["a", "b"] * 10, ["a", "b"] * 10, ["a", "z"] * 10, metrics="accuracy", rng=0, n_resamples=50)
    note = "model predicts 'z' in 10 rows, never a true label: counted as wrong."
    assert note in result.notes
    assert f"Note: {note}" in str(result)
    assert f"Note: {note}" in how(result)
    assert note in result.to_dict()["notes"]
    assert "predicts &#x27;z&#x27;" in result._repr_html_()


def test_calibration_errors_say_their_bins_and_what_is_below_nought() -> None:
    """Two errors of 0.0000 were shown with an interval of ±.05."""
    rng = np.random.default_rng(1)
    q = rng.random(40)
    y = (rng.random(40) < q).astype(int)
    other = np.clip(q + 0.01 * rng.normal(size=40), 0, 1)
    result = compare(y, q, other, metrics="calibration_error", rng=0, n_resamples=200)
    assert (result[0].against_value, result[0].model_value) == (0, 0)
    alone = sum(np.bincount((q * 20).astype(int)) == 1)
    assert result.notes[0].startswith(f"calibration errors here are over 20 bins of equal width; baseline has {alone} ")
    assert result.notes[1].startswith("calibration_error of baseline and model is 0 because the bins deviate no")


def test_an_interval_without_width_is_reported_to_be_about_these_items() -> None:
    targets, _, _ = labels(60, 2, 1)
    probabilities = np.where(targets == 1, 0.8, 0.2)
    result = compare(targets, probabilities, probabilities, metrics=["log_loss"], rng=0, n_resamples=50)
    assert result.notes == (
        "model, log_loss: all 60 items agree, so the interval has no width. It holds only for these; up to 4.9% "
        "of others may differ (level 0.95).",
    )


def test_intervals_of_items_that_all_agree_allow_for_others() -> None:
    right = np.ones(6, dtype=int)
    for metric in ("accuracy", "macro_f1"):
        row = compare(right, 0 * right, right, metrics=metric, rng=0)[0]
        assert row.difference == row.high == 1
        assert row.low == pytest.approx(1 - 2 * (1 - 0.025 ** (1 / 6)) if metric == "accuracy" else 0, abs=1e-9)
        assert (row.low <= 0) == (row.p_value > 0.05)


def test_an_interval_contains_0_if_p_shows_no_difference() -> None:
    right = np.ones(12, dtype=int)
    row = compare(right, right, np.repeat([0, 1], [4, 8]), metrics="accuracy", rng=0)[0]
    assert row.p_value == 0.125
    assert row.low < 0 <= row.high


RNG = np.random.default_rng(0)
EASE = RNG.normal(size=300)
SCORES = {
    name: (EASE + RNG.normal(size=300) < cut).astype(float)
    for name, cut in {"poor": -0.5, "good": 1.0, "fine": 0.95, "fair": 0.3}.items()
}


def test_the_best_against_each_with_p_of_all_pairs() -> None:
    every = compare(score=SCORES, all_pairs=True)
    shown = compare(score=SCORES)
    assert len(every) == 6
    assert [row.p_adjusted for row in every] == pytest.approx(adjust_p_values([row.p_value for row in every]).tolist())
    assert plain(shown.rows) == plain([row for row in every if row.against == shown.best])
    values = {name: scores.mean() for name, scores in SCORES.items()}
    assert shown.best == max(values, key=values.__getitem__)
    assert [mean.model for mean in shown.means] == sorted(values, key=values.__getitem__, reverse=True)
    assert shown.recipe["family"] == "6 comparisons of all pairs"


def test_a_baseline_named_beforehand_is_tested_alone() -> None:
    named = compare(score=SCORES, against="poor")
    assert [row.model for row in named] == ["good", "fine", "fair"]
    assert [row.p_adjusted for row in named] == adjust_p_values([row.p_value for row in named]).tolist()
    assert named.tied == ()
    assert named.best is None


def test_the_tied_models_are_those_not_found_worse() -> None:
    comparison = compare(score=SCORES)
    assert set(comparison.tied) == {"good", "fine"}
    assert comparison.to_dict()["tied"] == list(comparison.tied)
    (verdict,) = verdicts(comparison)
    assert verdict.startswith(f"{comparison.tied[0]} is best in score, ")
    assert verdict.endswith(f"not significantly worse: {comparison.tied[1]}; 2 others are significantly worse.")
    assert "tied" in comparison.means.table().text()
    assert "p is adjusted for 6 comparisons of all pairs (Holm)." in how(comparison)


def test_where_all_others_are_worse_the_next_one_says_by_how_much() -> None:
    (verdict,) = verdicts(compare(score={name: SCORES[name] for name in ("good", "fair", "poor")}))
    assert "significantly better than every other model. The second, fair, has score lower by 0." in verdict


@pytest.mark.slow
def test_the_set_of_tied_models_holds_the_best() -> None:
    """Five models, four of them equally good: the set lacks one of these in few sets, and equals are seldom found
    different. A family of the four shown pairs alone would find some in a sixth of the sets."""
    wrong = lacking = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        ease = rng.normal(size=100)
        scores = {f"m{k}": (ease + rng.normal(size=100) < (1.0 if k else 0.2)).astype(float) for k in range(5)}
        comparison = compare(score=scores)
        equal = {"m1", "m2", "m3", "m4"}
        lacking += not equal <= set(comparison.tied) if comparison.best != "m0" else 1
        wrong += any(row.p_adjusted <= 0.05 for row in comparison if {row.model, row.against} <= equal)
    assert wrong <= 10
    assert lacking <= 10


def test_too_few_draws_for_many_comparisons_are_reported() -> None:
    """With 99 resamples p is at least .01, and adjusted for six pairs never at most .05."""
    scores = {name: values + RNG.normal(0, 0.1, 300) for name, values in SCORES.items()}
    comparison = compare(score=scores, method="permutation", n_resamples=99, rng=0, interval=None)
    assert any("the smallest value that 99 resamples allow" in note for note in comparison.notes)
    assert not any("resamples allow" in note for note in compare(score=SCORES).notes)


def test_an_interval_allows_for_items_that_differ_and_were_not_seen() -> None:
    """A single difference in 40 items: by Clopper and Pearson, up to .1316 of all items may differ in this way."""
    targets = np.arange(40) % 2
    second = np.where(np.arange(40) == 0, 1, targets)
    (row,) = compare(targets, targets, second, metrics="accuracy", rng=0)
    assert row.difference == pytest.approx(-0.025)
    assert row.low == pytest.approx(-0.1316, abs=1e-4)
    assert row.high >= 0.0


@pytest.mark.slow
@pytest.mark.parametrize("dependence", [0.0, 0.8])
@pytest.mark.parametrize("accuracies", [(0.99, 0.9), (0.95, 0.7), (0.6, 0.8)])
@pytest.mark.parametrize("n", [20, 40, 100])
def test_intervals_of_accuracy_cover(n: int, accuracies: tuple[float, float], dependence: float) -> None:
    rng, covered, runs = np.random.default_rng(4), 0, 300
    truth = accuracies[1] - accuracies[0]
    for _ in range(runs):
        targets, first = rng.integers(2, size=n), rng.random(n)
        second = np.where(rng.random(n) < dependence, first, rng.random(n))
        answers = [np.where(u < p, targets, 1 - targets) for u, p in zip((first, second), accuracies, strict=True)]
        (row,) = compare(targets, *answers, metrics="accuracy", rng=rng)
        covered += row.low <= truth <= row.high
    assert covered / runs >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / runs)


def test_few_items_that_differ_widen_intervals_of_macro_averages_to_those_of_the_jackknife() -> None:
    """Of 40 items, 12 are of one class, and the models differ on 3; with 20 such items, resampling is enough."""
    targets = (np.arange(40) < 12) * 1
    baseline = np.where(np.arange(40) % 10 == 0, 1 - targets, targets)
    for number, is_wider in ((3, True), (20, False)):
        model = np.where(np.arange(40) < number, 1 - baseline, baseline)
        (row,) = compare(targets, baseline, model, metrics="macro_f1", rng=0, n_resamples=1_000)
        (jackknife,) = compare(targets, baseline, model, metrics="macro_f1", method="jackknife")
        assert (row.low <= jackknife.low and row.high >= jackknife.high) == is_wider


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "share", "metric", "accuracies"),
    [(40, 0.3, "macro_f1", (0.95, 0.8)), (40, 0.3, "macro_f1", (0.95, 0.75)), (30, 0.4, "mcc", (0.9, 0.8))],
)
def test_intervals_of_metrics_of_labels_cover(
    n: int, share: float, metric: str, accuracies: tuple[float, float]
) -> None:
    """The models are right on the same items in at least 8 of 10 cases."""

    def draw(n: int) -> list[np.ndarray]:
        targets, first = (rng.random(n) < share) * 1, rng.random(n)
        second = np.where(rng.random(n) < 0.8, first, rng.random(n))
        answers = zip((first, second), accuracies, strict=True)
        return [targets, *(np.where(u < p, targets, 1 - targets) for u, p in answers)]

    rng, covered, runs = np.random.default_rng(4), 0, 500
    targets, *answers = draw(100_000)
    value = {"macro_f1": partial(f1_score, average="macro"), "mcc": matthews_corrcoef}[metric]
    truth = value(targets, answers[1]) - value(targets, answers[0])
    for _ in range(runs):
        (row,) = compare(*draw(n), metrics=metric, rng=rng, n_resamples=1_000)
        covered += row.low <= truth <= row.high or np.isnan(row.low)
    assert covered / runs >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / runs)


def test_an_item_unlike_nearly_all_others_widens_the_interval() -> None:
    """7 of 8 items differ alike; the interval, by enumeration, covers in at least .955 of samples of 5 to 8 items."""
    difference = compare_models([1] * 8, {"a": [1] * 8}, {"b": [0] * 7 + [1]}, metrics="accuracy", rng=0)[0]
    assert (difference.low, difference.p_value) == (-1.0, pytest.approx(1 / 64))
    assert -0.25 < difference.high < 0.0
