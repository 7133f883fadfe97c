"""Samples from a posterior, and the numbers that a function computes from each sample.

A posterior has `sample(n, rng=...)`, which returns n independent samples, as a list or as an array whose first axis is
n; or `iter_samples(n, rng=...)`, which yields them. A function takes one sample and returns a number, or a list or
mapping of numbers. Its value at a sample from the posterior is a sample from the posterior of the function's value.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Protocol, TypeAlias, TypeGuard

import numpy as np

from howsure import __version__
from howsure.errors import InputError, quote
from howsure.inputs.arguments import Randomness, generator_from, is_listlike, seed_in_recipe
from howsure.inputs.numbers_and_names import MAX_SIMULATIONS, check_integer, counted, is_number, shortened
from howsure.inputs.pairs import Floats
from howsure.inputs.parameter_types import ArrayLike

SAMPLES = 1_000
VALUE = "value"  # the name of the quantity if the function returns a single number


class Sampler(Protocol):
    """A posterior: anything that draws independent samples."""

    def sample(self, n: int, *, rng: Randomness = None) -> Iterable[object]:
        """Draw n samples."""


Posteriors: TypeAlias = Sampler | Iterable[object] | Mapping[Any, object]
Quantities: TypeAlias = float | Sequence[float] | Mapping[Any, float]


class WeightedSamples:
    """A posterior over listed structures, such as the k best parses of a sentence.

    samples (k,): the structures. sample_weight (k,): their weights, such as probabilities; divided by their sum.

    >>> WeightedSamples(["eats with a fork", "pizza with a fork"], [3, 1]).sample(2, rng=0)
    ['eats with a fork', 'eats with a fork']

    Raises InputError for weights that are negative or sum to 0, or that are not one per structure.
    """

    def __init__(self, samples: Sequence[object], sample_weight: ArrayLike) -> None:
        if not is_listlike(samples):
            raise InputError(f"samples must be a list of structures; it is {quote(samples)}.")
        try:
            self.samples, weights = list(samples), np.asarray(sample_weight, dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"sample_weight must be numbers; it is {quote(sample_weight)}.") from error
        number = counted(len(self.samples), "structure")
        if not self.samples:
            raise InputError("samples must contain at least 1 structure; it is empty.")
        if weights.shape != (len(self.samples),):
            raise InputError(f"sample_weight must be a number for each of {number}; its shape is {weights.shape}.")
        if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
            raise InputError(
                f"sample_weight must be finite, not negative and not all 0; it is {quote(weights.tolist())}. "
                "Give probabilities, not their logarithms."
            )
        weights = weights / weights.max()
        self.sample_weight: Floats = weights / weights.sum()

    def sample(self, n: int, *, rng: Randomness = None) -> list[object]:
        """Draw n structures with replacement, with probabilities proportional to their weights."""
        drawn = generator_from(rng).choice(len(self.samples), size=check_integer(n, name="n"), p=self.sample_weight)
        return [self.samples[i] for i in drawn.tolist()]


def is_posterior(value: object) -> TypeGuard[Sampler]:
    """Return whether a value has a method that draws samples with `rng`; the `sample` of a data frame has no `rng`."""
    method = getattr(value, "iter_samples", None) or getattr(value, "sample", None)
    return not inspect.isclass(value) and callable(method) and "rng" in inspect.signature(method).parameters


def posteriors_of_documents(posterior: Posteriors, samples: int | None) -> tuple[list[Any], int | None]:
    """Return a list of posteriors, or of a single iterable of samples, and the number of samples to draw.

    posterior: one posterior, a list or mapping of posteriors of independent documents, or an iterable of samples.
    samples: the requested number of samples; None for the default, which is all samples of an iterable.
    """
    n = None if samples is None else check_integer(samples, name="samples", least=2, most=MAX_SIMULATIONS)
    if is_posterior(posterior):
        return [posterior], n or SAMPLES
    if hasattr(posterior, "__next__"):  # an iterator, which can be read only once
        return [posterior], n
    listed: Any = posterior.values() if isinstance(posterior, Mapping) else posterior
    if not isinstance(posterior, Mapping) and not is_listlike(posterior):
        raise InputError(
            "posterior must have a method sample(n, rng=...), or be a list of such posteriors or of samples; it is "
            f"{quote(posterior)}."
        )
    can_sample = [is_posterior(document) for document in listed]
    if isinstance(posterior, Mapping) and not all(can_sample):
        key, value = list(posterior.items())[can_sample.index(False)]
        raise InputError(
            f"posterior must map each document to a posterior with a method sample(n, rng=...); {key!r} is mapped to "
            f"{quote(value)}. If these are samples, put them into WeightedSamples."
        )
    if not any(can_sample):
        return [listed], n
    if not all(can_sample):
        raise InputError(f"posterior {can_sample.index(False)} of {len(listed):,} has no method sample(n, rng=...).")
    return list(listed), n or SAMPLES


def streams(rng: Randomness, n: int) -> list[np.random.Generator]:
    """Return a random generator for each of n documents; for a single document, the generator of `rng` itself."""
    generator = generator_from(rng)
    if n == 1:
        return [generator]
    entropy = generator.integers(2**63, size=4).tolist()
    return [np.random.default_rng(child) for child in np.random.SeedSequence(entropy).spawn(n)]


def draws(posterior: Any, n: int | None, rng: np.random.Generator, *, name: str = "posterior") -> Iterator[Any]:
    """Yield n samples of a posterior, or of an iterable of samples; name: the parameter, for messages."""
    if not is_posterior(posterior):
        drawn: Iterable[Any] = islice(posterior, n)
    elif hasattr(posterior, "iter_samples"):
        drawn = posterior.iter_samples(n, rng=rng)
    else:
        drawn = posterior.sample(n, rng=rng)  # type: ignore[arg-type]
    if not isinstance(drawn, Iterable):
        raise InputError(f"the samples of {name} must be a list or an array; they are {quote(drawn)}.")
    number = 0
    for sample in drawn:
        number += 1
        yield sample
    if number != (max(number, 2) if n is None else n):
        required = "2 samples or more" if n is None else f"{n:,} samples"
        raise InputError(f"{name} must return {required}; it returned {number:,}.")


def values_by_name(samples: Iterable[Any], function: Callable[..., Any]) -> dict[str, Floats]:
    """Return, by name, the values (n,) of each quantity that a function returns for n samples.

    >>> values_by_name(["ab", "c"], lambda text: {"length": len(text)})
    {'length': array([2., 1.])}
    """
    if not callable(function):
        raise InputError(f"function must be a function of a sample, such as len; it is {quote(function)}.")
    rows: list[list[float]] = []
    names: list[str] | None = None
    for number, sample in enumerate(samples):
        quantities = _quantities(function(sample), number)
        names = list(quantities) if names is None else names
        if quantities.keys() != set(names):
            keys = [shortened(named, limit=4) or "none" for named in (names, quantities)]
            raise InputError(
                "function must return the same quantities for every sample; it returned keys "
                f"{keys[0]} for sample 0, and keys {keys[1]} for sample {number}."
            )
        rows.append([quantities[name] for name in names])
    return dict(zip(names or (), np.array(rows, dtype=np.float64).T, strict=True))


def _quantities(value: Any, number: int) -> dict[str, float]:
    """Check the numbers that a function returned for a sample, and return them by name."""
    value = value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value
    by_name = value if isinstance(value, Mapping) else dict(enumerate(value)) if is_listlike(value) else {VALUE: value}
    numbers = [
        isinstance(item, bool | np.bool_) or (is_number(item) and math.isfinite(item)) for item in by_name.values()
    ]
    if not all(numbers):
        raise InputError(
            "function must return a finite number, or a list or mapping of finite numbers; for sample "
            f"{number} it returned {quote(value)}."
        )
    quantities = {str(name): float(item) for name, item in by_name.items()}
    if len(quantities) < len(by_name):
        raise InputError(
            f"function must name its quantities differently; for sample {number}, two of {shortened(by_name)} are "
            "spelled alike."
        )
    return quantities


def check_any(totals: Mapping[str, object]) -> None:
    """Raise InputError if the function returned no number for any document."""
    if not totals:
        raise InputError("function must return at least one number; it returned an empty list or mapping.")


def recipe(function: Callable[..., Any], rng: Randomness, **how: int | None) -> dict[str, Any]:
    """Return the recipe: the function, the seed, and how samples were drawn."""
    name = getattr(function, "__qualname__", type(function).__name__)
    return {"howsure": __version__, "function": name, **how, "seed": seed_in_recipe(rng)}
