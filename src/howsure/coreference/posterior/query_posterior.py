"""The posterior of any function of a clustering, from samples, with its Monte Carlo error."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from howsure.errors import InputError, shown
from howsure.inputs.checks import check_level
from howsure.inputs.pairs import Floats
from howsure.result import Result
from howsure.show.preformatted import preformatted
from howsure.stats.estimate import Estimate
from howsure.stats.proportions import normal_quantile, wilson_interval


@dataclass(frozen=True, slots=True)
class QueryPosterior(Result):
    """The values of a function for n sampled clusterings: its posterior.

    values (n,): the values in the order of the samples. Numbers and booleans have a mean, a standard deviation and
    quantiles; other values have a probability each. recipe: the function, and how it was sampled.
    """

    values: tuple[Any, ...] = field(repr=False)
    recipe: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def n(self) -> int:
        """The number of samples."""
        return len(self.values)

    @property
    def mean(self) -> float:
        """The posterior mean; for booleans, the probability."""
        return float(self._numbers().mean())

    @property
    def sd(self) -> float:
        """The posterior standard deviation, from n - 1; undefined for one sample."""
        with np.errstate(invalid="ignore"):  # answers without bound have no spread
            return float(self._numbers().std(ddof=1)) if self.n > 1 else math.nan

    @property
    def standard_error(self) -> float:
        """The Monte Carlo standard error of the mean, sd / √n. It is 0 if all samples agree: see `estimate`."""
        return self.sd / math.sqrt(self.n)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """The central interval of the value itself, from the quantiles of the samples."""
        tail = (1.0 - check_level(level)) / 2
        low, high = np.quantile(self._numbers(), [tail, 1.0 - tail], method="inverted_cdf")
        return float(low), float(high)

    def estimate(self, level: float = 0.95) -> Estimate:
        """The mean with an interval for the exact posterior mean: Wilson's for booleans, otherwise normal."""
        level, numbers = check_level(level), self._numbers()
        if bool(((numbers == 0.0) | (numbers == 1.0)).all()):
            low, high = (
                float(end[0]) for end in wilson_interval(np.array([self.mean]), np.array([self.n]), level=level)
            )
        else:
            reach = normal_quantile(level) * self.standard_error
            low, high = self.mean - reach, self.mean + reach
        return Estimate(self.mean, low, high, level=level, method=f"{self.n} samples", n=self.n)

    def probabilities(self) -> dict[Hashable, tuple[float, float]]:
        """Each distinct value, the most frequent first, with its probability and its Monte Carlo standard error.

        Raises InputError if a value is not hashable.
        """
        try:
            counts = Counter(self.values)
        except TypeError as error:
            raise InputError(f"the function must give answers that can be counted ({error}); a tuple can.") from None
        shares = {value: count / self.n for value, count in counts.most_common()}
        return {value: (p, math.sqrt(p * (1.0 - p) / self.n)) for value, p in shares.items()}

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: the recipe, the estimate (None for values that are not numbers), and each distinct value.

        A value that JSON cannot represent is given as text.
        """
        found = [{"answer": plain_answer(a), "probability": p, "standard_error": e} for a, p, e in self._shares()]
        estimate = self._estimate_or_none()
        shown = None if estimate is None else estimate.to_dict()
        return {"recipe": dict(self.recipe), "n": self.n, "estimate": shown, "answers": found}

    def _columns(self) -> dict[str, Any]:
        """A row per distinct answer, as text,."""
        answers, p, errors = zip(*self._shares(), strict=True)
        return {"answer": [str(plain_answer(a)) for a in answers], "probability": p, "standard_error": errors}

    def _shares(self) -> list[tuple[Any, float, float]]:
        return [(answer, p, error) for answer, (p, error) in self.probabilities().items()]

    def _estimate_or_none(self) -> Estimate | None:
        try:
            return self.estimate()
        except InputError:
            return None

    def _numbers(self) -> Floats:
        try:
            numbers = np.asarray(self.values, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            numbers = np.empty((0, 0))
        none = [value for value in self.values if value is None or isinstance(value, str)]
        if numbers.ndim != 1 or none:
            raise InputError(
                f"only numbers and truth values have a mean; it gives {shown((none or self.values)[0])}. "
                "See probabilities()."
            )
        return numbers

    def __repr__(self) -> str:
        estimate = self._estimate_or_none()
        found = estimate or f"{len(set(map(repr, self.values))):,} different answers"
        return f"{found} from {self.n:,} sampled clusterings"

    def _repr_html_(self) -> str:
        return preformatted(str(self))


def plain_answer(answer: object) -> object:
    """A value in JSON form: a number, a boolean, a string or None; anything else as text.

    >>> plain_answer(np.int64(3)), plain_answer((1, 2)), plain_answer(math.inf)
    (3, '(1, 2)', 'inf')
    """
    plain = answer.item() if isinstance(answer, np.generic) else answer
    if isinstance(plain, float) and not math.isfinite(plain):
        return str(plain)
    return plain if plain is None or isinstance(plain, (bool, int, float, str)) else str(plain)
