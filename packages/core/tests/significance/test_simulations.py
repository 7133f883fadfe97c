"""How often `compare` is wrong, and how often it finds what is there: populations whose truth is known.

Bounds are those of the design, with two standard errors of the simulation on top.
"""

from __future__ import annotations

import math

import pytest
from tests.significance.populations import (
    concatenated,
    disagreeing_labels,
    paired_strata,
    probabilities,
    rare_class,
    seed_effects,
    several_runs,
    three_classes,
    unequal_clusters,
    votes,
)
from tests.significance.simulations import (
    HARD,
    KINDS,
    LEVEL,
    NUMBERS,
    PROBABILISTIC,
    SOFT,
    UNLIKE,
    coverage,
    misses,
    rejection_rates,
    true_difference,
)

pytestmark = pytest.mark.slow

SETS, MANY = 4_000, 10_000
BAND = (0.04, 0.055)
UNBIASED = tuple(name for name in PROBABILISTIC if "calibration" not in name)


def slack(rate: float, sets: int) -> float:
    """Two standard errors of a simulated rate."""
    return 2 * math.sqrt(rate * (1 - rate) / sets)


@pytest.mark.parametrize(
    ("make", "names"),
    [(disagreeing_labels, HARD), (three_classes, HARD), (votes, SOFT), (probabilities, PROBABILISTIC)],
    ids=["two classes", "three classes", "votes", "probabilities"],
)
def test_permutation_is_seldom_wrong(make, names: tuple[str, ...]) -> None:
    rates = rejection_rates(make, SETS, metrics=names, adjust=None)
    assert max(rates.values()) <= BAND[1] + slack(LEVEL, SETS), rates


@pytest.mark.parametrize(
    ("make", "names"),
    [(disagreeing_labels, HARD), (three_classes, HARD), (votes, SOFT), (probabilities, UNBIASED)],
    ids=["two classes", "three classes", "votes", "probabilities"],
)
def test_the_bootstrap_uses_its_level_up(make, names: tuple[str, ...]) -> None:
    rates = rejection_rates(make, SETS, method="bootstrap", metrics=names, adjust=None)
    assert max(rates.values()) <= BAND[1] + slack(LEVEL, SETS), rates
    assert min(rates.values()) >= BAND[0] - slack(LEVEL, SETS), rates


def test_mid_p_uses_its_level_up() -> None:
    rate = rejection_rates(disagreeing_labels, MANY, method="mcnemar")["accuracy"]
    assert BAND[0] - slack(LEVEL, MANY) <= rate <= BAND[1] + slack(LEVEL, MANY)


@pytest.mark.parametrize(
    ("options", "least"),
    [({"alternative": "better"}, 0.59), ({}, 0.46), ({"method": "mcnemar"}, 0.50)],
    ids=["exact, one-sided", "exact, two-sided", "mid-p, two-sided"],
)
def test_two_points_are_found(options: dict[str, object], least: float) -> None:
    """n = 1,000, one system alone right in a tenth of the items."""
    rate = rejection_rates(disagreeing_labels, MANY, metrics="accuracy", data={"gain": 0.02}, **options)["accuracy"]
    assert rate >= least - slack(least, MANY)


def test_the_rule_of_boostsa_hardly_finds_them() -> None:
    """The default share of .1 finds two points in 0.15 % of the sets (PEERS D2)."""
    options = {"method": "boostsa", "sample_size": 0.1, "metrics": "accuracy", "data": {"gain": 0.02}}
    assert rejection_rates(disagreeing_labels, SETS, **options)["accuracy"] < 0.005


@pytest.mark.parametrize("method", ["permutation", "bootstrap"])
def test_five_runs_are_not_five_thousand_items(method: str) -> None:
    rate = rejection_rates(several_runs, SETS, method=method, metrics="accuracy")["accuracy"]
    assert rate <= BAND[1] + slack(LEVEL, SETS)


def test_concatenated_runs_are_found_different_far_too_often() -> None:
    assert rejection_rates(concatenated(several_runs), 1000, metrics="accuracy")["accuracy"] > 0.15


def test_items_and_runs_allow_for_training_again() -> None:
    options = {"method": "bootstrap", "two_way": True, "metrics": "accuracy"}
    assert rejection_rates(seed_effects, SETS, **options)["accuracy"] <= BAND[1] + slack(LEVEL, SETS)


@pytest.mark.parametrize("gain", [0.0, 0.5])
def test_intervals_cover_the_difference_with_a_rare_class(gain: float) -> None:
    """n = 200, classes of 80, 15 and 5 %, macro-F1: the default interval."""
    truth = true_difference(rare_class, gain=gain)["macro_f1"] if gain else 0.0
    rate = coverage(rare_class, MANY, truth=truth, data={"gain": gain}, interval="basic", metrics="macro_f1")[
        "macro_f1"
    ]
    assert rate >= 0.94 - slack(0.94, MANY)


@pytest.mark.parametrize("n", [500, 1000, 2000])
@pytest.mark.parametrize("what", UNLIKE)
def test_equal_values_of_unlike_systems_are_seldom_found_different(what: str, n: int) -> None:
    """A test of exchangeability rejects up to .69 of these."""
    make, options = UNLIKE[what]
    rates = rejection_rates(make, 2000, adjust=None, data={"n": n}, **options)
    assert max(rates.values()) <= 0.06 + slack(0.06, 2000), rates


@pytest.mark.parametrize("method", ["permutation", "bootstrap"])
@pytest.mark.parametrize("size", [2, 3, 4, 10])
def test_strata_keep_the_level(size: int, method: str) -> None:
    data = {"size": size, "n": 20 * size}
    rate = rejection_rates(paired_strata, SETS, method=method, metrics="accuracy", data=data)["accuracy"]
    assert rate <= 0.06 + slack(0.06, SETS)


@pytest.mark.parametrize("clusters", NUMBERS)
@pytest.mark.parametrize("kind", KINDS)
def test_intervals_of_few_clusters_hold_the_truth(kind: str, clusters: int) -> None:
    data = {"clusters": clusters, "kind": kind}
    rates = misses(unequal_clusters, 2000, metrics=["accuracy", "macro_f1"], data=data)
    assert max(rates.values()) <= 0.06 + slack(0.06, 2000), rates
