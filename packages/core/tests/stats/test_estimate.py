"""A number with its interval, as text and as JSON."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control
from threadpoolctl import threadpool_info, threadpool_limits

from howsure.inputs.arguments import generator_from, seed_in_recipe
from howsure.result import Estimate
from howsure.stats.p_values import adjust_p_values
from howsure.stats.threads import one_thread


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [(0.25, 0.2, 0.3, "0.2500 [0.2000, 0.3000]"), (0.25, None, None, "0.2500"), (math.nan, None, None, "–")],
)
def test_as_text(value: float, low: float | None, high: float | None, text: str) -> None:
    assert str(Estimate(value, low, high, 0.95, "debiased", 10)) == text


def test_as_json() -> None:
    assert Estimate(0.25, 0.2, 0.3, 0.9, "plugin", 10).to_dict() == {
        "value": 0.25,
        "low": 0.2,
        "high": 0.3,
        "level": 0.9,
        "method": "plugin",
        "n": 10,
    }
    assert Estimate(math.nan, None, None, 0.9, "plugin", 10).to_dict()["value"] is None


# Adjusted p-values: against the definition as a loop, and against scipy.


P_VALUES = st.lists(st.one_of(st.sampled_from([0.0, 0.01, 0.05, 1.0]), st.floats(0, 1)), min_size=1, max_size=30)


@given(P_VALUES)
def test_holm_is_its_definition(p: list[float]) -> None:
    """The adjusted value of p_i: the largest (number of values not below p_j) · p_j over all p_j ≤ p_i."""
    m = len(p)
    ordered = sorted(p)
    steps = [(m - rank) * value for rank, value in enumerate(ordered)]
    expected = [min(1.0, max(steps[: max(i for i, v in enumerate(ordered) if v == value) + 1])) for value in p]
    assert adjust_p_values(p, method="holm").tolist() == pytest.approx(expected, abs=1e-15)


@given(P_VALUES)
def test_benjamini_hochberg_matches_scipy(p: list[float]) -> None:
    expected = false_discovery_control(p, method="bh")
    assert adjust_p_values(p, method="bh").tolist() == pytest.approx(expected.tolist(), abs=1e-15)


@given(P_VALUES, st.sampled_from(["holm", "bh"]))
def test_adjusting_raises_keeps_the_order_and_knows_no_order(p: list[float], method: str) -> None:
    adjusted = adjust_p_values(p, method=method)
    assert (adjusted >= np.array(p)).all()
    assert (adjusted <= 1).all()
    order = np.argsort(p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()
    assert adjust_p_values(p[::-1], method=method).tolist() == adjusted[::-1].tolist()


def test_what_is_undefined_stays_so_and_does_not_count() -> None:
    for method in ("holm", "bh"):
        adjusted = adjust_p_values([0.01, math.nan, 0.02], method=method)
        assert math.isnan(adjusted[1])
        assert adjusted[[0, 2]].tolist() == adjust_p_values([0.01, 0.02], method=method).tolist()
    assert adjust_p_values([0.3, math.nan], method=None)[0] == 0.3
    assert adjust_p_values([], method="holm").tolist() == []


# One way from what a user passes to a generator.


def test_seeds_sequences_and_generators() -> None:
    assert generator_from(3).random() == generator_from(np.int64(3)).random()  # type: ignore[arg-type]
    assert generator_from(np.random.SeedSequence(3)).random() == np.random.default_rng(3).random()
    generator = np.random.default_rng(0)
    assert generator_from(generator) is generator
    assert generator_from(None).random() != generator_from(None).random()


def test_what_the_recipe_says() -> None:
    assert seed_in_recipe(7) == 7
    assert type(seed_in_recipe(np.int64(7))) is int  # type: ignore[arg-type]
    assert seed_in_recipe(None) is None
    assert seed_in_recipe(np.random.default_rng(0)) == "Generator"


# One thread of linear algebra, and what was before afterwards.


def threads() -> set[int]:
    assert scipy.linalg is not None  # its library is among those that are asked
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def test_every_library_runs_on_one_thread_within_and_as_before_after() -> None:
    with threadpool_limits(2, user_api="blas"):
        with one_thread():
            assert threads() == {1}
        assert threads() == {2}
