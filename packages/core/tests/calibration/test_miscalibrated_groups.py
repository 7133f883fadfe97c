"""Predictions with features, in some of which a group may be planted that is worse calibrated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.special import expit, logit, ndtr

from howsure import calibration_error, find_miscalibrated_groups, read
from howsure.calibration.miscalibrated_groups import MiscalibratedGroups, find_groups
from howsure.errors import InputError
from howsure.inputs.pairs import Pairs

REGIMES = ("plain", "rare", "miscalibrated", "clusters", "few clusters", "weights")
PLANTS = ("a category", "a tail", "a category and a tail", "two tails")


def simulated(
    regime: str, n: int, rng: np.random.Generator, *, plant: str | None = None, features: int = 10, error: float = 0.1
) -> tuple[Pairs, dict[str, Any]]:
    """Pairs and features by name; a planted group has 5 % of the rows, and label 1 less often by `error`."""
    q = rng.beta(0.3, 30, n) if regime == "rare" else rng.beta(2, 1, n)
    p = expit(0.5 * logit(np.clip(q, 1e-12, 1 - 1e-12)) - 0.5) if regime == "miscalibrated" else q
    columns: dict[str, Any] = {"near": q + 0.05 * rng.standard_normal(n), "sure": (q > 0.6) + rng.integers(0, 2, n)}
    for j in range(2, features):
        columns[f"f{j}"] = rng.exponential(size=n) if j % 2 else rng.integers(0, 2 + j % 7, n)
    u, clusters = rng.random(n), None
    if "clusters" in regime:
        count, share = (60, 0.1) if regime == "few clusters" else (n // 10, 0.5)
        clusters = rng.integers(0, count, n)
        common = rng.standard_normal(count)[clusters]
        u = ndtr(np.sqrt(share) * common + np.sqrt(1 - share) * rng.standard_normal(n))
        columns |= {"f2": rng.integers(0, 4, count)[clusters], "f3": rng.standard_normal(count)[clusters]}
    a, b, c = rng.standard_normal(n), rng.standard_normal(n), rng.integers(0, 5, n)
    inside = {
        None: np.zeros(n, np.bool_),
        "a category": rng.random(n) < 0.05,
        "a tail": a > np.quantile(a, 0.95),
        "a category and a tail": (c == 2) & (b > np.quantile(b, 0.75)),
        "two tails": (a > np.quantile(a, 0.8)) & (b < np.quantile(b, 0.25)),
    }[plant]
    if plant is not None:
        kind = np.where(inside, 9, rng.integers(0, 5, n)) if plant == "a category" else c
        columns |= {"a": a, "b": b, "c": kind}
    labels = (u < np.where(inside, np.clip(p - error, 0, 1), p)).astype(np.uint8)
    weights = rng.exponential(size=n) if regime == "weights" else None
    return Pairs(labels, q, weights, clusters=clusters), columns


N = 6000
RNG = np.random.default_rng(21)
Q = RNG.random(N)
PROMPT, LENGTH = RNG.choice(["first", "second"], N), RNG.integers(1, 200, N)
BAD = (PROMPT == "second") & (LENGTH > 150)
Y = (RNG.random(N) < np.where(BAD, Q**2, Q)).astype(int)
FEATURES = {"prompt": PROMPT, "length": LENGTH}


@pytest.fixture(scope="module")
def groups_found() -> MiscalibratedGroups:
    return find_miscalibrated_groups(Y, Q, features=FEATURES)


def test_figures_of_a_group_match_its_rows(groups_found: MiscalibratedGroups) -> None:
    (row,) = groups_found
    assert row.conditions[0] == "prompt = second"
    cut = int(row.conditions[1].removeprefix("length > "))
    inside = (PROMPT == "second") & (cut < LENGTH)
    assert (row.n, row.share) == (inside.sum(), pytest.approx(inside.mean()))
    assert row.mean_prob == pytest.approx(Q[inside].mean())
    assert row.base_rate == pytest.approx(Y[inside].mean())
    assert row.gap == pytest.approx(row.mean_prob - row.base_rate)
    assert row.excess.value == pytest.approx(row.gap - row.whole_gap)
    assert 0 < row.excess.low < row.excess.value
    assert row.error == calibration_error(Y[inside], Q[inside])
    assert groups_found[row.name] is row
    assert groups_found.whole.gap == pytest.approx(Q.mean() - Y.mean())


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_are_features(groups_found: MiscalibratedGroups, frame: Any) -> None:
    assert find_miscalibrated_groups(Y, Q, features=frame(FEATURES)) == groups_found
    table = frame({"y": Y, "q": Q, **FEATURES})
    assert find_miscalibrated_groups("y", "q", features=["prompt", "length"], data=table) == groups_found
    assert find_miscalibrated_groups(Pairs(Y.astype(np.uint8), Q), features=frame(FEATURES)) == groups_found


def test_the_order_of_features_and_their_type_do_not_matter(groups_found: MiscalibratedGroups) -> None:
    turned = find_miscalibrated_groups(
        Y, Q, features={"length": LENGTH.astype(str).astype(object).astype(float), "prompt": PROMPT}
    )
    assert {row.n for row in turned} == {row.n for row in groups_found}


def test_against_the_diagonal_a_gap_of_all_rows_is_everywhere() -> None:
    low = (np.random.default_rng(1).random(N) < Q**2).astype(int)
    assert not len(find_miscalibrated_groups(low, Q, features=FEATURES))
    against = find_miscalibrated_groups(low, Q, features=FEATURES, against="diagonal")
    assert len(against) >= 1
    assert all(row.whole_gap == 0.0 and row.excess.value == pytest.approx(row.gap) for row in against)
    assert "miscalibrated" in against.verdict()


def test_clusters_that_share_their_labels_show_less() -> None:
    double = np.repeat(np.arange(N), 4)
    features = {name: column[double] for name, column in FEATURES.items()}
    rows = find_miscalibrated_groups(Y[double], Q[double], features=features)
    clusters = find_miscalibrated_groups(Y[double], Q[double], features=features, clusters=double)
    widths = [next(iter(groups)).excess for groups in (rows, clusters)]
    low, high = ([excess.low, excess.high] for excess in widths)
    assert high[1] - high[0] > 1.5 * (low[1] - low[0])
    assert clusters.recipe["clustered"]


def test_rows_without_weight_are_left_out(groups_found: MiscalibratedGroups) -> None:
    more = np.random.default_rng(2).integers(0, 2, 500)
    weights = np.append(np.ones(N), np.zeros(500))
    features = {"prompt": np.append(PROMPT, ["third"] * 500), "length": np.append(LENGTH, more)}
    left = find_miscalibrated_groups(
        np.append(Y, more), np.append(Q, np.full(500, 0.5)), features=features, sample_weight=weights
    )
    assert left.whole.n == N
    assert "500 rows of weight 0 are left out" in left.notes
    assert not any("third" in row.name for row in left)


def test_a_feature_that_makes_no_groups_is_reported() -> None:
    groups_found = find_miscalibrated_groups(
        Y, Q, features=FEATURES | {"same": np.zeros(N), "id": [f"i{k}" for k in range(N)]}
    )
    assert "same makes no groups (one value in all rows)" in groups_found.notes
    assert "id makes no groups (all values are rare)" in groups_found.notes


def test_numbers_with_a_word_among_them_are_refused_as_a_feature() -> None:
    ages = np.resize([*map(str, range(20, 31)), "n/a"], N)  # 11 numbers, more than are treated as categories
    with pytest.raises(InputError, match=r"age must be a number, .* row 11 is 'n/a'.*missing_values=\['n/a'\]"):
        find_miscalibrated_groups(Y, Q, features={"age": ages})


def test_a_word_that_is_named_as_missing_leaves_a_numeric_feature(tmp_path: Path) -> None:
    path = tmp_path / "ages.csv"
    ages = [str(20 + i % 11) if i % 12 else "n/a" for i in range(600)]
    path.write_text("y,p,age\n" + "".join(f"{i % 2},0.5,{age}\n" for i, age in enumerate(ages)))
    data = read(path, missing_values=["n/a"])
    groups_found = find_miscalibrated_groups("y", "p", features=["age"], data=data)
    assert groups_found.recipe["rows"] == 600
    with pytest.raises(InputError, match="row 0 is 'n/a'"):
        find_miscalibrated_groups("y", "p", features=["age"], data=read(path))


def test_numbers_and_another_name_are_categories() -> None:
    rooms = np.resize([*map(str, range(100, 120)), "lobby"], N)
    groups_found = find_miscalibrated_groups(Y, Q, features={"room": rooms})
    assert "room makes no groups" not in " ".join(groups_found.notes)


def test_a_group_whose_gaps_cancel_is_found_by_its_predictions() -> None:
    rng = np.random.default_rng(7)
    q, kind = rng.random(20_000), rng.choice(["a", "b", "c", "d", "e"], 20_000)
    p = np.where(kind == "c", 0.5 + 0.6 * (q - 0.5), q)
    groups_found = find_miscalibrated_groups(rng.random(20_000) < p, q, features={"kind": kind})
    assert [row.conditions[0] for row in groups_found] == ["kind = c"] * len(groups_found)
    strongest = {row.gap > 0: row.conditions[1][:12] for row in groups_found.rows[1::-1]}
    assert strongest == {True: "prediction >", False: "prediction ≤"}


def test_a_feature_called_prediction_is_not_taken_for_it() -> None:
    groups_found = find_miscalibrated_groups(Y, Q, features={"prediction": PROMPT, "length": LENGTH})
    assert groups_found.recipe["features"] == ["prediction", "length"]
    assert any("prediction = second" in row.name for row in groups_found)


@pytest.mark.parametrize("n", [2000, 20_000])
def test_rows_selected_by_the_prediction_alone_are_not_a_group(n: int) -> None:
    rng = np.random.default_rng(9)
    q = rng.choice([0.1, 0.4, 0.9], n)
    labels = rng.random(n) < 0.3 + 0.2 * q
    features = {"sure": q > 0.5, "kind": rng.integers(0, 3, n)}
    assert not len(find_miscalibrated_groups(labels, q, features=features))
    with pytest.raises(InputError, match="as many outside it at the same predictions"):
        find_miscalibrated_groups(labels, q, features={"sure": q > 0.5})
    assert find_miscalibrated_groups(labels, q, features=features, against="diagonal")["sure = True"].gap > 0.3


def finds(regime: str, n: int, seed: int, *, plant: str | None = None, features: int = 10) -> bool:
    """Whether any group differs significantly; where one is planted, whether one that it is part of is found."""
    pairs, columns = simulated(regime, n, np.random.default_rng([seed, n]), plant=plant, features=features)
    groups_found = find_groups(pairs, columns, rng=seed)
    if plant is None:
        return bool(len(groups_found) or groups_found.better)
    return any({part.split()[0] for part in row.conditions} <= {"a", "b", "c", "prediction"} for row in groups_found)


def test_chance_alone_finds_nothing_and_a_planted_group_is_found() -> None:
    assert sum(finds("plain", 2000, seed, features=4) for seed in range(10)) <= 3
    assert all(finds("plain", 10_000, seed, plant="a category", features=4) for seed in range(2))


@pytest.mark.slow
@pytest.mark.parametrize("regime", REGIMES)
def test_chance_alone_finds_nothing_in_every_regime(regime: str) -> None:
    n = 20_000 if regime == "rare" else 3000
    assert sum(finds(regime, n, seed) for seed in range(400)) <= 31  # 5 %, and 2.5 standard deviations


@pytest.mark.slow
@pytest.mark.parametrize("plant", PLANTS)
def test_planted_groups_of_one_row_in_twenty_are_found(plant: str) -> None:
    assert sum(finds("plain", 20_000, seed, plant=plant, features=17) for seed in range(60)) >= 54
