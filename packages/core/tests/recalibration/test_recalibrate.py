"""Laws and oracles of `recalibrate`: parity with scikit-learn, brute force, order, weights, refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

import howsure
from howsure import InputError, Probabilities, RecalibrationMap, recalibrate
from howsure.recalibration.map_input import assign_folds, check_choice_in_folds, labelled_from
from howsure.recalibration.methods import candidates, fit, out_of_fold

BINARY = ("temperature", "platt", "beta", "isotonic", "histogram", "venn-abers")
OF_CLASSES = ("temperature", "vector", "dirichlet", "ordered")


def binary(n: int = 2000, seed: int = 1, slope: float = 0.6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    q = rng.uniform(0.001, 0.999, n)
    return (rng.random(n) < 1 / (1 + np.exp(-slope * np.log(q / (1 - q)) - 0.2))).astype(int), q


def classes(n: int = 1500, k: int = 3, seed: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    logits = rng.normal(size=(n, k)) * 2
    true = np.exp(logits / 1.7 + np.linspace(-0.3, 0.3, k))
    true /= true.sum(axis=1, keepdims=True)
    return (true.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1), logits


def softmax(logits: np.ndarray) -> np.ndarray:
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def fitted(method: str, seed: int = 1, weighted: bool = False) -> tuple[RecalibrationMap, np.ndarray, np.ndarray]:
    y, q = binary(400, seed)
    weight = np.random.default_rng(seed).integers(0, 4, 400) if weighted else None
    return recalibrate(y, q, method=method, sample_weight=weight), y, q


def odds(q: np.ndarray) -> np.ndarray:
    return np.log(q / (1 - q))


def test_temperature_is_the_logistic_regression_without_intercept():
    y, q = binary()
    oracle = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-12, max_iter=1000)
    oracle.fit(odds(q)[:, None], y)
    assert 1 / recalibrate(y, q, method="temperature").parameters["T"] == pytest.approx(oracle.coef_[0, 0], abs=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_temperature_of_classes_is_scikit_learns(weighted):
    from sklearn.calibration import _TemperatureScaling  # of version 1.8 or later

    y, logits = classes(700, 4)
    weight = np.random.default_rng(3).uniform(0, 3, 700) if weighted else None
    oracle = _TemperatureScaling().fit(logits, y, sample_weight=weight)
    recalibration = recalibrate(y, Probabilities("logits", logits), method="temperature", sample_weight=weight)
    assert 1 / recalibration.parameters["T"] == pytest.approx(float(oracle.beta_), abs=1e-6)
    assert recalibration.apply(logits=logits) == pytest.approx(oracle.predict(logits), abs=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
def test_platt_is_scikit_learns_sigmoid(weighted):
    y, q = binary(800)
    weight = np.random.default_rng(3).integers(1, 4, 800).astype(float) if weighted else None
    oracle = _SigmoidCalibration().fit(odds(q), y, weight)
    recalibration = recalibrate(y, q, method="platt", sample_weight=weight)
    assert recalibration.parameters["a"] == pytest.approx(
        -oracle.b_, abs=1e-5
    )  # as near as scikit-learn's optimiser comes
    assert recalibration.parameters["b"] == pytest.approx(-oracle.a_, abs=1e-5)
    weight = np.ones(800) if weight is None else weight
    ones, zeros = weight @ y, weight @ (1 - y)
    target = np.where(y == 1, (ones + 1) / (ones + 2), 1 / (zeros + 2))
    p = recalibration.apply(q)
    assert np.abs([weight @ (p - target), (weight * (p - target)) @ odds(q)]).max() < 1e-6 * len(y)


@pytest.mark.parametrize("weighted", [False, True])
def test_isotonic_is_scikit_learns_with_ties(weighted):
    y, q = binary(800)
    q = q.round(2)
    weight = np.random.default_rng(3).uniform(0, 3, 800) if weighted else None
    oracle = IsotonicRegression(out_of_bounds="clip").fit(q, y, sample_weight=weight)
    grid = np.linspace(0, 1, 501)
    recalibration = recalibrate(y, q, method="isotonic", sample_weight=weight)
    assert recalibration.apply(grid) == pytest.approx(oracle.predict(grid), abs=1e-9)


def test_beta_is_the_best_of_all_slopes_of_at_least_zero():
    for seed, slope in ((1, 0.6), (2, 3.0), (3, -0.5), (4, 0.0)):
        y, q = binary(300, seed, slope)
        parameters = recalibrate(y, q, method="beta").parameters

        def loss(at, y=y, q=q):
            eta = at[2] + at[0] * np.log(q) - at[1] * np.log(1 - q)
            return float((np.logaddexp(0, eta) - y * eta).sum())

        oracle = minimize(loss, [1.0, 1.0, 0.0], bounds=[(0, None), (0, None), (None, None)], method="L-BFGS-B")
        mine = loss([parameters["a"], parameters["b"], parameters["c"]])
        assert parameters["a"] >= 0
        assert parameters["b"] >= 0
        assert mine <= oracle.fun + 1e-6
        assert mine == pytest.approx(oracle.fun, abs=1e-3)


def test_venn_abers_is_two_isotonic_regressions_by_brute_force():
    rng = np.random.default_rng(1)
    for _ in range(12):
        n = int(rng.integers(3, 15))
        q, y = rng.integers(0, 9, n) / 8, rng.integers(0, 2, n)
        y[:2] = 0, 1
        grid = np.arange(17) / 16
        low, high = (recalibration := recalibrate(y, q, method="venn-abers")).interval(grid)
        for label, bound in enumerate((low, high)):
            brute = [IsotonicRegression().fit(np.append(q, x), np.append(y, label)).predict([x])[0] for x in grid]
            assert bound == pytest.approx(brute, abs=1e-12)
        assert recalibration.apply(grid) == pytest.approx(high / (1 - low + high))


def test_histogram_bins_are_frequencies_of_equal_parts():
    y, q = binary(1000)
    recalibration = recalibrate(y, q, method="histogram", n_bins=10)
    rows = np.argsort(q).reshape(10, 100)
    assert recalibration.parameters["values"] == pytest.approx(y[rows].mean(axis=1))
    assert recalibration.apply(q)[rows] == pytest.approx(np.repeat(y[rows].mean(axis=1)[:, None], 100, axis=1))


def test_histogram_of_ties_has_fewer_bins_and_none_empty():
    recalibration = recalibrate([0, 1] * 50, [0.2] * 60 + [0.9] * 40, method="histogram")
    assert recalibration.parameters == {"edges": [0.9], "values": [0.5, 0.5]}


@pytest.mark.parametrize("method", OF_CLASSES[:3])
def test_maps_of_classes_are_the_minimum_of_a_brute_optimiser(method):
    y, logits = classes(600)
    logs = np.log(softmax(logits))
    k, penalty = 3, 0.01
    extra = {"penalty": penalty} if method == "dirichlet" else {}
    recalibration = recalibrate(y, Probabilities("logits", logits), method=method, **extra)

    def loss(at):
        scores = {
            "temperature": lambda: logs * at[0],
            "vector": lambda: logs * at[:k] + at[k:],
            "dirichlet": lambda: logs @ at[: k * k].reshape(k, k).T + at[k * k :],
        }[method]()
        mean = float(np.mean(np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(len(y)), y]))
        if method != "dirichlet":
            return mean
        w = at[: k * k].reshape(k, k)
        off = w - np.diag(np.diag(w))
        return mean + penalty * ((off**2).sum() / (k * (k - 1)) + (at[k * k :] ** 2).sum() / k)

    start = {"temperature": [1.0], "vector": [1.0] * k + [0.0] * k, "dirichlet": [*np.eye(k).ravel(), *[0.0] * k]}
    oracle = minimize(loss, start[method], method="BFGS", options={"gtol": 1e-7})
    parameters = recalibration.parameters
    mine = {
        "temperature": lambda: [1 / parameters["T"]],
        "vector": lambda: [*parameters["a"], *parameters["b"]],
        "dirichlet": lambda: [*np.ravel(parameters["W"]), *parameters["b"]],
    }[method]()
    assert loss(np.array(mine)) <= oracle.fun + 1e-10
    assert loss(np.array(mine)) == pytest.approx(oracle.fun, abs=1e-8)


def test_two_classes_are_one_probability():
    y, q = binary(500)
    recalibration = recalibrate(y, q, method="temperature")
    two = recalibrate(y, np.column_stack([1 - q, q]), method="temperature")
    assert recalibration.parameters["T"] == pytest.approx(two.parameters["T"], rel=1e-6)  # each search stops by itself
    assert recalibration.apply(q) == pytest.approx(two.apply(np.column_stack([1 - q, q]))[:, 1], rel=1e-6)


def test_logits_are_the_probabilities_they_mean():
    y, q = binary(500)
    for method in BINARY:
        by_logits = recalibrate(y, Probabilities("logits", odds(q)), method=method)
        assert by_logits.apply(logits=odds(q)) == pytest.approx(recalibrate(y, q, method=method).apply(q), abs=1e-9)
    codes, logits = classes()
    for method in OF_CLASSES:
        by_logits = recalibrate(codes, Probabilities("logits", logits + 5), method=method)
        of_softmax = recalibrate(codes, softmax(logits), method=method)
        assert by_logits.apply(logits=logits) == pytest.approx(of_softmax.apply(softmax(logits)), abs=1e-6)


@pytest.mark.parametrize("method", BINARY)
def test_the_order_of_rows_changes_nothing_and_weights_repeat_rows(method):
    recalibration, y, q = fitted(method, weighted=True)
    weight = np.random.default_rng(1).integers(0, 4, 400)
    grid = np.linspace(0.01, 0.99, 99)
    mixed = np.random.default_rng(9).permutation(400)
    for rows, weights in ((mixed, weight[mixed]), (np.repeat(np.arange(400), weight), None)):
        again = recalibrate(y[rows], q[rows], method=method, sample_weight=weights)
        assert again.apply(grid) == pytest.approx(recalibration.apply(grid), abs=1e-8)


@pytest.mark.parametrize("method", OF_CLASSES)
def test_the_order_of_rows_of_classes_changes_nothing_and_weights_repeat_rows(method):
    y, logits = classes(500)
    weight = np.random.default_rng(1).integers(0, 4, 500)
    extra = {"penalty": 0.01} if method == "dirichlet" else {}
    recalibrated = recalibrate(y, Probabilities("logits", logits), method=method, sample_weight=weight, **extra).apply(
        logits=logits
    )
    mixed = np.random.default_rng(9).permutation(500)
    for rows, weights in ((mixed, weight[mixed]), (np.repeat(np.arange(500), weight), None)):
        again = recalibrate(
            y[rows], Probabilities("logits", logits[rows]), method=method, sample_weight=weights, **extra
        )
        assert again.apply(logits=logits) == pytest.approx(recalibrated, abs=1e-7)


@given(st.integers(0, 10_000), st.sampled_from(["temperature", "isotonic", "venn-abers", "beta"]))
def test_maps_that_keep_the_order_rise(seed, method):
    y, q = binary(60, seed)
    try:
        recalibration = recalibrate(y, q.round(2), method=method)
    except InputError:
        return
    after = recalibration.apply(np.linspace(0, 1, 101))
    assert (np.diff(after) >= 0).all()
    assert after.min() >= 0
    assert after.max() <= 1


@given(st.integers(0, 10_000))
def test_a_temperature_never_changes_the_most_probable_class(seed):
    y, logits = classes(60, 4, seed)
    try:
        recalibration = recalibrate(y, Probabilities("logits", logits), method="temperature")
    except InputError:
        return
    after = recalibration.apply(logits=logits)
    assert (after.argmax(axis=1) == logits.argmax(axis=1)).all()
    assert after.sum(axis=1) == pytest.approx(1)


def test_zero_and_one_stay_where_they_are_right():
    y, q = binary(400)
    y, q = np.append(y, [0, 1]), np.append(q, [0.0, 1.0])
    for method in ("temperature", "platt", "beta"):
        recalibration = recalibrate(y, q, method=method)
        assert recalibration.parameters == pytest.approx(recalibrate(y[:-2], q[:-2], method=method).parameters)
        assert recalibration.apply([0.0, 1.0]).tolist() == [0.0, 1.0]
        assert "2 rows have a probability of exactly 0 or 1, which the map keeps" in recalibration.notes


def test_a_wrong_certainty_is_refused_or_floored_by_name():
    y, q = binary(400)
    y, q = np.append(y, [1, 1]), np.append(q, [0.0, 1.0])
    for method in ("temperature", "platt", "beta"):
        with pytest.raises(InputError, match=r"wrong in 1 row, the first of them row 400.*floor=1e-6"):
            recalibrate(y, q, method=method)
        recalibration = recalibrate(y, q, method=method, floor=1e-6)
        assert 0 < recalibration.apply([0.0])[0] == pytest.approx(recalibration.apply([1e-6])[0])
    chosen = recalibrate(y, q)
    assert chosen.method == "venn-abers"  # the only one without an infinite loss
    assert [note.split(":")[0] for note in chosen.notes if "possible" in note] == [
        "temperature, platt and beta were not possible"
    ]


def test_auto_takes_the_simplest_of_the_best_and_may_take_none():
    y, q = binary(4000)
    assert recalibrate(y, q).method == "platt"
    rng = np.random.default_rng(5)
    q = rng.uniform(0.01, 0.99, 3000)
    recalibration = recalibrate(rng.random(3000) < q, q)
    assert recalibration.method == "none"
    assert recalibration.apply(q) == pytest.approx(q)
    assert "no map is used" in recalibration.notes[0]
    assert recalibration.choice.candidates[0].method == "none"
    assert recalibration.choice.seconds > 0


def test_groups_have_maps_of_their_own():
    (y1, q1), (y2, q2) = binary(500, 1, 0.5), binary(500, 2, 2.0)
    y, q, group = np.append(y1, y2), np.append(q1, q2), np.repeat(["a", "b"], 500)
    recalibration = recalibrate(y, q, groups=group, method="temperature")
    alone = recalibrate(y1, q1, method="temperature")
    assert recalibration.parameters["a"]["T"] == alone.parameters["T"]
    assert (recalibration.apply(q, groups=group)[:500] == alone.apply(q1)).all()


def test_small_groups_are_refused_or_take_the_map_of_all_by_name():
    y, q = binary(500)
    group = np.where(np.arange(500) < 10, "few", "many")
    with pytest.raises(InputError, match=r"'few' have fewer .*small_groups='pooled'"):
        recalibrate(y, q, groups=group)
    recalibration = recalibrate(y, q, groups=group, small_groups="pooled", method="platt")
    assert recalibration.parameters["few"] == recalibrate(y, q, method="platt").parameters
    assert recalibration.recipe["pooled_groups"] == ["few"]
    assert any("few" in note for note in recalibration.notes)


def test_shrunk_maps_minimise_the_penalised_loss_and_small_groups_take_nearly_that_of_all():
    y, q = binary(900)
    group = np.array(["few"] * 5 + ["some"] * 200 + ["many"] * 695)
    recalibration = recalibrate(y, q, groups=group, small_groups="shrunk", method="platt")
    penalty = recalibration.recipe["penalty"]
    whole = recalibrate(y, q, method="platt").parameters
    for name in recalibration.groups:
        odds, labels = np.log(q / (1 - q))[group == name], y[group == name]

        def loss(at, odds=odds, labels=labels):
            eta = at[0] + at[1] * odds
            shrinkage = penalty / 2 * ((at[0] - whole["a"]) ** 2 + (at[1] - whole["b"]) ** 2)
            return (np.logaddexp(0.0, eta) - labels * eta).sum() + shrinkage

        best = minimize(loss, [0.0, 1.0], tol=1e-12).x
        assert recalibration.parameters[name] == pytest.approx({"a": best[0], "b": best[1]}, abs=1e-4)
    apart = {name: abs(recalibration.parameters[name]["b"] - whole["b"]) for name in recalibration.groups}
    assert apart["few"] < 0.05
    with pytest.raises(InputError, match="small_groups='shrunk' is for"):
        recalibrate(y, q, groups=group, small_groups="shrunk", method="isotonic")
    codes, logits = classes()
    with pytest.raises(InputError, match="small_groups='shrunk' is for one probability per row"):
        recalibrate(codes, softmax(logits), groups=codes % 2, small_groups="shrunk")


def test_columns_are_matched_by_name():
    codes, logits = classes()
    names = np.array(["x", "y", "z"])
    frame = pd.DataFrame(softmax(logits), columns=names)
    recalibration = recalibrate(names[codes], frame, method="vector")
    assert recalibration.apply(frame[["z", "x", "y"]]) == pytest.approx(recalibration.apply(frame), abs=0)
    assert recalibration.apply(softmax(logits)[:, ::-1], classes=["z", "y", "x"]) == pytest.approx(
        recalibration.apply(frame), abs=0
    )


def test_public_names():
    assert {"recalibrate", "RecalibrationMap"} <= set(dir(howsure))


def test_platts_map_that_reverses_the_order_says_so():
    y, q = binary()
    assert any("reverses the order" in note for note in recalibrate(1 - y, q, method="platt").notes)


def test_labels_in_an_interval_separate_no_rising_slope():
    q = np.linspace(0.01, 0.99, 60)
    parameters = recalibrate(
        (q > 0.3) & (q < 0.6), q, method="beta"
    ).parameters  # a log q - b log(1 - q) with a > 0 > b would
    assert parameters["a"] >= 0
    assert parameters["b"] >= 0


def test_float32_is_taken():
    y, q = binary()
    assert recalibrate(y, q.astype(np.float32), method="platt").parameters == pytest.approx(
        recalibrate(y, q, method="platt").parameters, rel=1e-4
    )


@pytest.mark.parametrize("kind", ["frame", "files"])
def test_rows_of_frames_and_files_match_arrays(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"p": rng.uniform(0.05, 0.95, 400), "lang": rng.choice(["de", "en"], 400)})
    frame["gold"] = (rng.random(400) < frame["p"] ** 2).astype(int)
    frame.to_csv(tmp_path / "dev.csv", index=False)
    data = frame if kind == "frame" else howsure.read(tmp_path / "dev.csv")
    arrays = frame["gold"].to_numpy(), frame["p"].to_numpy()
    recalibration = howsure.recalibrate("gold", "p", groups="lang", method="platt", data=data)
    expected = howsure.recalibrate(*arrays, groups=frame["lang"].to_numpy(), method="platt")
    assert recalibration.fitted == expected.fitted
    table = howsure.recalibration_table("gold", "p", methods=["platt"], repeats=1, data=data)
    alone = howsure.evaluate_recalibration(*arrays, method="platt", repeats=1)
    assert table.rows[0].error_before.value == pytest.approx(alone.error_before.value, rel=1e-12)
    assert table.recipe.get("rows") == (400 if kind == "files" else None)


# Folds: no row by a map that has seen it or its cluster.


@pytest.mark.parametrize("name", ["platt", "isotonic"])
def test_each_fold_has_the_map_of_the_others(name):
    y, q = binary(500)
    cluster = np.arange(500) // 3
    data = labelled_from(y, q, clusters=cluster)
    (method,) = candidates(name, binary=True)
    fold = assign_folds(data, 5, np.random.default_rng(4))
    recalibrated = out_of_fold(data, fold, lambda others: fit(others, method))
    assert all(len(np.unique(fold[cluster == cluster_id])) == 1 for cluster_id in np.unique(cluster))
    for number in range(5):
        in_fold = fold == number
        alone = recalibrate(y[~in_fold], q[~in_fold], method=name)
        assert (recalibrated[in_fold] == alone.apply(q[in_fold])).all()


def test_folds_are_dealt_evenly_over_labels_and_groups():
    y, q = binary(600)
    group = np.repeat(["a", "b", "b"], 200)
    fold = assign_folds(labelled_from(y, q, groups=group), 5, np.random.default_rng(0))
    for group_name in ("a", "b"):
        for label in (0, 1):
            sizes = np.bincount(fold[(group == group_name) & (y == label)], minlength=5)
            assert sizes.max() - sizes.min() <= 1


def test_folds_know_nothing_of_data_from_the_same_seed():
    rng = np.random.default_rng(0)
    q = rng.random(1000)
    y = rng.random(1000) < q
    fold = assign_folds(labelled_from(y, q), 5, np.random.default_rng(0))
    neighbours = fold[np.flatnonzero(y)[np.argsort(q[y])]]
    assert np.mean(np.diff(neighbours) % 5 == 1) < 0.5  # 1, if the folds were dealt in the order of q


@pytest.mark.parametrize("folds", [3, 5, 9])
def test_two_more_rows_than_folds_are_enough(folds):
    y, q = np.append(np.arange(folds + 1) % 2, 1), np.append(np.linspace(0.1, 0.9, folds + 1), 0.5)
    check_choice_in_folds(labelled_from(y, q), folds)


def test_rounded_probabilities_are_divided_by_their_sum() -> None:
    """As in calibration: 0.33 three times are thirds, so a map without effect returns thirds."""
    rounded = np.full((30, 3), 0.33)
    unchanged = recalibrate(np.resize([0, 1, 2], 30), rounded, method="none")
    assert unchanged.apply(rounded) == pytest.approx(np.full((30, 3), 1 / 3))
