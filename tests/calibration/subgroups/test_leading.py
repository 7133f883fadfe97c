"""Of groups that overlap, those lead that the others owe their departure to."""

from __future__ import annotations

import numpy as np
import pytest

from howsure import find_groups
from howsure.calibration.features import feature_of
from howsure.calibration.scan import DIAGONAL, WHOLE, Group, residuals_of, scan, sums_of, without
from howsure.inputs.pairs import Pairs

N = 20_000
RNG = np.random.default_rng(11)
Q = RNG.beta(2, 2, N)
FEATURES = {"a": RNG.choice(["u", "v", "w"], N), "b": RNG.choice(["k", "l"], N), "c": RNG.standard_normal(N)}


def found(low: np.ndarray, **arguments: object) -> list[str]:
    labels = np.random.default_rng(12).random(N) < np.clip(Q - 0.15 * low, 0, 1)
    return [row.name for row in find_groups(labels, Q, features=FEATURES, **arguments)]  # type: ignore[arg-type]


def test_a_condition_leads_before_its_parts() -> None:
    assert found(FEATURES["a"] == "v") == ["a = v"]


def test_a_pair_leads_before_its_conditions() -> None:
    assert found((FEATURES["a"] == "v") & (FEATURES["b"] == "k")) == ["a = v and b = k"]


def test_two_groups_both_lead() -> None:
    both = found((FEATURES["a"] == "v") | (FEATURES["c"] > 1.5))
    assert both[0] == "a = v"
    assert any("c >" in name for name in both[1:])


def test_better_halves_do_not_stand_for_worse_ones() -> None:
    assert found(FEATURES["b"] == "k") == ["b = k"]  # b = l departs from the whole as far, towards calibration


@pytest.mark.parametrize("against", [WHOLE, DIAGONAL])
@pytest.mark.parametrize("weighted", [False, True])
def test_what_is_taken_out_is_a_mean(against: str, weighted: bool) -> None:
    n = 600
    rng = np.random.default_rng(3)
    weights = rng.exponential(size=n) if weighted else None
    pairs = Pairs((rng.random(n) < Q[:n]).astype(np.uint8), Q[:n], weights)
    residuals = residuals_of(pairs, against=against, rng=rng)
    features = [feature_of(column[:n], name=name, n=n, min_rows=20) for name, column in FEATURES.items()]
    inside = FEATURES["a"][:n] == "v"
    rest = without(residuals, inside)
    assert float(rest.values @ inside) == pytest.approx(0.0, abs=1e-9)
    if against == WHOLE:  # the whole stays where it is, at every prediction
        assert np.bincount(rest.strata, weights=rest.values) == pytest.approx(0.0, abs=1e-9)
    families = scan(residuals, features, conditions=2, min_rows=20, rng=rng)
    for k, family in enumerate(families):
        groups = [
            Group(k, row, tuple(family.features[row].tolist()), tuple(family.conditions[row].tolist()))
            for row in range(len(family))
        ]
        assert sums_of(groups, residuals.values, features) == pytest.approx(family.sums, abs=1e-9)
