"""What must hold of every comparison, whatever the metric and method."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.errors import InputError
from howsure.significance import Runs, compare, metric_names
from tests.significance.made_systems import distributions, labels

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
        assert (row.difference, row.low, row.high, row.p_value, row.p_adjusted) == (0, 0, 0, 1, 1), row.metric
        assert row.stars == ""


@pytest.mark.parametrize("method", ["mcnemar", "boostsa"])
def test_identical_predictions_in_the_other_tests(method: str) -> None:
    targets, a, _ = labels(120, 3, 1)
    for row in compare(targets, a, a, method=method, **SETTING):
        assert (row.difference, row.low, row.high, row.p_value) == (0, 0, 0, 1)


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
        for one, other in zip(there, back, strict=True):
            assert one.difference == -other.difference
            assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=1e-12)
            assert one.p_value == other.p_value
            assert (one.share_better, one.share_worse) == pytest.approx(
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


def test_a_seed_gives_the_same_result_and_stands_in_the_recipe() -> None:
    targets, a, b = labels(200, 5, 4)
    first = compare(targets, a, b, n_resamples=500)
    again = compare(targets, a, b, n_resamples=500, rng=first.recipe["seed"])
    assert (repr(first.rows), first.recipe) == (repr(again.rows), again.recipe)  # NaN among them, which equals nothing
    assert figures(first).tolist() != figures(compare(targets, a, b, n_resamples=500, rng=1)).tolist()


def test_clusters_are_wholes() -> None:
    """Rows repeated ten times tell no more than once: with their clusters, the answer is that of the single rows."""
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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "bootsrap"}, "no method 'bootsrap' .* Did you mean bootstrap?"),
        ({"alternative": "greater"}, "'better' or 'worse'"),
        ({"interval": "bc"}, "no interval 'bc'"),
        ({"adjust": "bonferroni"}, "adjust must be"),
        ({"level": 95}, "strictly between 0 and 1"),
        ({"n_resamples": 0}, "n_resamples must be a whole number from 1; it is 0"),
        ({"rng": -1}, "rng as a seed must not be negative"),
        ({"metrics": "macro_f2"}, "no metric 'macro_f2' .* Did you mean macro_f1?"),
        ({"metrics": "brier"}, "must be labels|0 or 1|lie in|two values"),
        ({"metrics": "cross_entropy"}, "cross_entropy is a metric of soft predictions, but these are hard"),
        ({"metrics": []}, "metrics must name one metric or more"),
        ({"metrics": "f1"}, "target_class"),
        ({"metrics": "f1", "target_class": "x"}, "no class 'x' among"),
        ({"metrics": ["accuracy", "accuracy"]}, "named twice"),
        ({"method": "mcnemar", "metrics": "macro_f1"}, "tests accuracy"),
        ({"method": "mcnemar", "clusters": [0, 0, 1, 1, 2, 2]}, "independent"),
        ({"method": "boostsa", "sample_size": 0.6}, r"\[0.05, 0.5\]; it is 0.6"),
        ({"method": "boostsa", "sample_size": 0.1}, "leaves none"),
        ({"method": "boostsa", "sample_size": 0.5, "alternative": "better"}, "is one-sided"),
        ({"bug_compatible": True}, "goes with method='boostsa'"),
        ({"sample_size": 0.2}, r"sample_size goes with method='boostsa'"),
        ({"target_class": 1, "metrics": "accuracy"}, "the metrics are accuracy"),
        ({"target_class": 1, "method": "mcnemar"}, "target_class is for precision, recall, f1 of labels"),
        ({"two_way": True}, "several runs"),
        ({"clusters": [0, 0, 1]}, "clusters must have as many rows"),
        ({"clusters": [0, 0, 1, 1, 2, None]}, "clusters must not be missing; row 5"),
        ({"clusters": [0, 0, 1, 1, 2, 2], "strata": [0, 1, 1, 1, 1, 1]}, "a cluster must lie in one stratum"),
    ],
)
def test_what_does_not_go_together_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare([0, 1, 2, 1, 0, 1], [0, 1, 1, 1, 0, 0], [0, 1, 2, 1, 0, 0], **options)


def test_no_model_has_the_name_of_the_other_one() -> None:
    with pytest.raises(InputError, match="none 'base'"):
        compare([0, 1], {"base": [0, 1]}, {"base": [1, 1]})
    with pytest.raises(InputError, match="against must be one model"):
        compare([0, 1], {"a": [0, 1], "b": [0, 1]}, [1, 1])
