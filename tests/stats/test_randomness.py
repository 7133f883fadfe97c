"""One way from what a user passes to a generator."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.errors import InputError
from howsure.stats.randomness import generator_from, seed_in_recipe


def test_seeds_sequences_and_generators() -> None:
    assert generator_from(3).random() == generator_from(np.int64(3)).random()  # type: ignore[arg-type]
    assert generator_from(np.random.SeedSequence(3)).random() == np.random.default_rng(3).random()
    generator = np.random.default_rng(0)
    assert generator_from(generator) is generator
    assert generator_from(None).random() != generator_from(None).random()


@pytest.mark.parametrize("bad", [-1, 0.5, "seed", True, [1, 2]])
def test_anything_else_is_refused(bad: object) -> None:
    with pytest.raises(InputError, match="rng"):
        generator_from(bad)  # type: ignore[arg-type]


def test_what_the_recipe_says() -> None:
    assert seed_in_recipe(7) == 7
    assert type(seed_in_recipe(np.int64(7))) is int  # type: ignore[arg-type]
    assert seed_in_recipe(None) is None
    assert seed_in_recipe(np.random.default_rng(0)) == "Generator"
