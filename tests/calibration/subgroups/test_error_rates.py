"""How often `find_groups` finds something where chance alone is at work, and groups that were planted."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.calibration.found_groups import groups_of
from tests.calibration.subgroups.planted import PLANTS, REGIMES, simulated


def finds(regime: str, n: int, seed: int, *, plant: str | None = None, features: int = 10) -> bool:
    """Whether any group differs significantly; where one is planted, whether one that it is part of is found."""
    pairs, columns = simulated(regime, n, np.random.default_rng([seed, n]), plant=plant, features=features)
    found = groups_of(pairs, columns, rng=seed)
    if plant is None:
        return bool(len(found) or found.better)
    return any({part.split()[0] for part in row.conditions} <= {"a", "b", "c", "prediction"} for row in found)


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
