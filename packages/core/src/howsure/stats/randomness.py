"""Convert the parameter `rng` to a generator."""

from __future__ import annotations

import numpy as np

from howsure.errors import InputError

Randomness = int | np.random.Generator | np.random.SeedSequence | None


def generator_from(rng: Randomness) -> np.random.Generator:
    """A generator from a seed, a SeedSequence, a Generator (returned unchanged) or None (random entropy).

    >>> generator_from(0).integers(10).item() == generator_from(0).integers(10).item()
    True
    """
    if isinstance(rng, bool) or not isinstance(
        rng, (int, np.integer, np.random.Generator, np.random.SeedSequence, type(None))
    ):
        raise InputError(f"rng must be a seed, a numpy Generator, a SeedSequence or None; it is {rng!r}")
    if isinstance(rng, (int, np.integer)) and rng < 0:
        raise InputError(f"rng as a seed must not be negative; it is {rng}")
    return np.random.default_rng(rng)


def with_seed(rng: Randomness) -> Randomness:
    """Return `rng` unchanged or, instead of None, a new seed, so that the recipe of a result can name the seed."""
    return int(np.random.SeedSequence().generate_state(1)[0]) if rng is None else rng


def seed_in_recipe(rng: Randomness) -> int | str | None:
    """The entry `rng` of a recipe: the seed, None, or the type's name if the randomness cannot be repeated."""
    return int(rng) if isinstance(rng, (int, np.integer)) else None if rng is None else type(rng).__name__
