"""The parameters of the antecedent model, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np

from howsure.coreference.mentions.selection import Source
from howsure.coreference.model.loss import Loss
from howsure.errors import InputError
from howsure.inputs.checks import listed
from howsure.inputs.naming import unknown_name
from howsure.inputs.numbers import is_number
from howsure.stats.randomness import Randomness, generator_from

SHARPEST = 100


def check_parameters(
    *,
    mentions: object,
    loss: object,
    l1: object,
    passes: object,
    sharpness: object,
    two_steps: object,
    features: object,
    rng: Randomness,
    families: Sequence[str],
) -> None:
    """Raise InputError for what `AntecedentModel` cannot take; families: the names that `features` may hold."""
    _one_of("mentions", mentions, get_args(Source))
    _one_of("loss", loss, get_args(Loss))
    if not (is_number(l1) and np.isfinite(l1) and l1 >= 0):
        raise InputError(f"l1 must be a number, 0 or more; it is {l1!r}.")
    if not (is_number(sharpness) and 0 < sharpness <= SHARPEST):
        raise InputError(
            f"sharpness must be a number above 0, at most {SHARPEST} (1: as learned); it is {sharpness!r}."
        )
    if not isinstance(two_steps, bool):
        raise InputError(f"two_steps must be True or False; it is {two_steps!r}.")
    if isinstance(passes, bool) or not isinstance(passes, int | np.integer) or passes < 1:
        raise InputError(f"passes must be a whole number, 1 or more; it is {passes!r}.")
    for name in () if features is None else listed(features, name="features", of="names of families"):
        _one_of("features", name, families)
    generator_from(rng)  # refuses what is none


def _one_of(parameter: str, value: object, names: Sequence[str]) -> None:
    if not isinstance(value, str) or value not in names:
        raise unknown_name("value", str(value), list(names), place=parameter)
