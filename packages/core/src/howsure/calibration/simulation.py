"""Synthetic pairs with known true calibration (Nguyen's thesis, section 4.3)."""

from __future__ import annotations

import numpy as np

from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, check_arguments, generator_from
from howsure.inputs.numbers_and_names import check_integer, is_number
from howsure.inputs.pairs import Floats, Pairs

MAX_PAIRS = 1_000_000_000


def label_probability(q: Floats, *, transform: str | float = "identity") -> Floats:
    """Return the true probability of y = 1 for each predicted probability q.

    With transform="identity", it is q itself. With a number k from 0 to 0.5, it is t(q) of Nguyen's thesis:
    max(0, q - k) for q ≤ 0.5, and min(1, q + k) otherwise (the thesis prints min(0, …) by mistake).

    >>> label_probability(np.array([0.05, 0.5, 0.6, 0.95]), transform=0.1).tolist()
    [0.0, 0.4, 0.7, 1.0]
    """
    if transform == "identity":
        return q
    if not is_number(transform) or not 0.0 <= transform <= 0.5:
        raise InputError(f"transform must be 'identity' or a number from 0 to 0.5, not {transform!r}")
    k = float(transform)
    return np.where(q <= 0.5, np.maximum(0.0, q - k), np.minimum(1.0, q + k))


def simulate_pairs(n: int, a: float, b: float, *, transform: str | float = "identity", rng: Randomness = None) -> Pairs:
    """Simulate n pairs of a predicted probability q and a label y: q ~ Beta(a, b), and y ~ Bernoulli(q).

    With the default transform, the predictions q are calibrated. transform=k, a number from 0 to 0.5, makes them
    underconfident: the probability of y = 1 is then max(0, q - k) if q ≤ 0.5, and min(1, q + k) otherwise.
    Returns `Pairs`, which every calibration function accepts. Source: Nguyen's thesis, section 4.3.1.

    >>> pairs = simulate_pairs(5, 0.3, 0.7, rng=0)
    >>> pairs.labels.tolist(), pairs.probabilities.round(2).tolist()
    ([0, 0, 0, 1, 1], [0.59, 0.01, 0.23, 1.0, 0.99])

    Raises InputError if n is negative, a or b is not positive, or transform is neither "identity" nor in [0, 0.5].
    """
    check_arguments(simulate_pairs, locals())
    size = check_integer(n, name="n", least=0, most=MAX_PAIRS)
    for name, value in (("a", a), ("b", b)):
        if not (is_number(value) and 0.0 < value < np.inf):
            raise InputError(f"{name}, a parameter of the Beta distribution, must be positive; it is {value!r}")
    generator = generator_from(rng)
    q = generator.beta(a, b, size=size)
    y = generator.random(size) < label_probability(q, transform=transform)
    return Pairs(y.astype(np.uint8), q)
