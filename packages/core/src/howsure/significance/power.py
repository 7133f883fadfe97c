"""The number of items that a comparison needs: the power of tests of accuracy, summed over all outcomes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure import __version__
from howsure.errors import InputError
from howsure.inputs.arguments import check_arguments
from howsure.inputs.numbers_and_names import check_choice, check_integer, check_level, check_number, counted, is_number
from howsure.result import Result
from howsure.show.table import COUNT, WORDS, Column, digits
from howsure.significance.metrics.metric import Floats

REACH = 10.0  # standard deviations of the number of disagreements that are summed over
POINTS = 1001  # maximum number of summands; with more, the power is smooth in the number of disagreements
LARGEST = 10**9
SIDES = {"two-sided": 2, "better": 1}
TESTS = ("permutation", "mcnemar")
POWER = 0.8  # usual power


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ComparisonPower(Result):
    """The result of `comparison_power`: of n items, a true `difference` in accuracy is found with probability `power`.

    disagreement: the proportion of items on which only one system is right. The difference is NaN if n items detect no
    difference with this power.
    """

    n: int
    disagreement: float
    difference: float
    power: float
    recipe: Mapping[str, Any]

    title = "Power of a test of accuracy"
    description = ""
    provenance = ""

    @property
    def answer(self) -> str:
        """The difference that the items can detect, and the power."""
        difference = "no difference" if math.isnan(self.difference) else f"a true difference of {self.difference:.4f}"
        return (
            f"A test of {counted(self.n, 'item')} detects {difference} in accuracy with probability {self.power:.2g}."
        )

    def columns(self) -> Sequence[Column]:
        """The numbers, and the test."""
        numbers = {"disagreement": digits(4), "difference": digits(4), "power": digits(3)}
        return [
            Column("n", COUNT),
            *(Column(name, kind) for name, kind in numbers.items()),
            Column("level", digits(2), get=lambda result: result.recipe["level"]),
            *(Column(name, WORDS, values=[self.recipe[name]]) for name in ("alternative", "method")),
        ]


def comparison_power(
    disagreement: float,
    *,
    n: int | None = None,
    difference: float | None = None,
    power: float | None = None,
    level: float = 0.95,
    alternative: str = "two-sided",
    method: str = "permutation",
) -> ComparisonPower:
    """Power of a comparison: the difference in accuracy that n items detect, or the number of items that a difference
    needs.

    disagreement: share of the items on which only one system is right; of two versions of a model often .05 to .2.
    n: number of items.
    difference: true difference in accuracy.
    power: desired probability of detecting it (default: 0.8).
    level: level of the test: it finds a difference if p is at most 1 - level.
    alternative: two-sided or better.
    method: the test of `howsure.compare_models`: permutation, exact for independent items, or mcnemar (mid-p, with
    slightly more power).

    A disagreement is an item on which only one system is right. The number of disagreements is Binomial(n,
    disagreement). Given this number, the number of items on which only the model is right is binomial with probability
    (1 + difference / disagreement) / 2. The detectable difference is inversely proportional to the square root of n, so
    that half the items do not double it.

    >>> round(comparison_power(0.1, n=1000).difference, 4), comparison_power(0.1, difference=0.02).n
    (0.0287, 2043)
    >>> round(comparison_power(0.1, n=1000, difference=0.02).power, 3)
    0.479

    Raises InputError for a proportion outside [0, 1], a difference larger than the disagreement, or if neither n nor a
    difference is given.
    """
    check_arguments(comparison_power, locals())
    test: dict[str, Any] = {"level": level, "alternative": alternative, "method": method}
    test_power = POWER if power is None else power
    if n is None:
        if difference is None:
            raise InputError("give `n=...`, `difference=...`, or both.")
        n = required_sample_size(difference, disagreement, power=test_power, **test)
    elif difference is None:
        difference = minimum_detectable_difference(n, disagreement, power=test_power, **test)
    elif power is None:
        test_power = detection_power(n, disagreement, difference, **test)
    else:
        raise InputError(
            "`n` and `difference` determine the power, so `power` cannot be given too. Leave one of the three out."
        )
    quantities: dict[str, Any] = {
        "n": n,
        "disagreement": disagreement,
        "difference": float(difference),
        "power": test_power,
    }
    return ComparisonPower(**quantities, recipe={**test, "howsure": __version__})


def detection_power(
    n: int, disagreement: float, difference: float, *, level: float, alternative: str, method: str
) -> float:
    """The probability that a test detects a true difference."""
    from scipy.special import bdtr, gammaln, xlogy

    check_number(disagreement, name="disagreement", low=0, high=1, open="both")
    check_choice(alternative, SIDES, name="alternative")
    if method not in TESTS:
        raise InputError(f"`method` must be 'permutation' or 'mcnemar', tests of accuracy; it is {method!r}.")
    alpha = round(1.0 - check_level(level), 12)
    if not (is_number(difference) and 0 <= difference <= disagreement):
        raise InputError(f"`difference` must be in [0, disagreement = {disagreement}]; it is {difference!r}.")
    check_integer(n, name="n", most=LARGEST)
    mean, spread = n * disagreement, math.sqrt(n * disagreement * (1 - disagreement))
    low, high = max(0, math.floor(mean - REACH * spread)), min(n, math.ceil(mean + REACH * spread))
    disagreements = np.unique(np.round(np.linspace(low, high, min(high - low + 1, POINTS))))
    law = np.exp(
        gammaln(n + 1)
        - gammaln(disagreements + 1)
        - gammaln(n - disagreements + 1)
        + xlogy(disagreements, disagreement)
        + xlogy(n - disagreements, 1 - disagreement)
    )
    allowed = _max_losses(disagreements, alpha / SIDES[alternative], mid=method == "mcnemar")
    lost = (1 - difference / disagreement) / 2
    detection_rates = np.where(allowed >= 0, bdtr(np.maximum(allowed, 0), disagreements.astype(int), lost), 0.0)
    if alternative == "two-sided":
        detection_rates = detection_rates + np.where(
            allowed >= 0, bdtr(np.maximum(allowed, 0), disagreements.astype(int), 1 - lost), 0.0
        )
    return float((law * detection_rates).sum() / law.sum())


def minimum_detectable_difference(n: int, disagreement: float, *, power: float, **test: Any) -> float:
    """Return the smallest difference that n items detect with a given power; NaN if no difference can be detected."""
    check_number(power, name="power", low=0, high=1, open="both")
    if detection_power(n, disagreement, disagreement, **test) < power:
        return math.nan
    low, high = 0.0, disagreement
    for _ in range(40):
        middle = (low + high) / 2
        enough = detection_power(n, disagreement, middle, **test) >= power
        low, high = (low, middle) if enough else (middle, high)
    return high


def required_sample_size(difference: float, disagreement: float, *, power: float, **test: Any) -> int:
    """The number of items that detect a difference with a given power."""
    check_number(power, name="power", low=0, high=1, open="both")
    if difference <= 0:
        raise InputError(f"`difference` must be more than 0; it is {difference!r}.")

    def enough(n: int) -> bool:
        return detection_power(n, disagreement, difference, **test) >= power

    low, high = 0, 16
    while not enough(high):
        low, high = high, 2 * high
        if high > LARGEST:
            raise InputError(
                f"a difference of {difference} needs more than {LARGEST:,} items. Give a larger difference."
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _max_losses(disagreements: Floats, tail: float, *, mid: bool) -> Floats:
    """For each number of disagreements, return the largest number on which a system may be wrong and still be
    significantly better; -1 if it is never significantly better."""
    from scipy.special import bdtr, ndtri

    guess = np.floor(disagreements / 2 + ndtri(tail) * np.sqrt(disagreements) / 2)
    best = np.full(len(disagreements), -1.0)
    for step in range(-4, 5):
        k = guess + step
        possible = (k >= 0) & (k <= disagreements)
        k = np.where(possible, k, 0.0)
        whole = disagreements.astype(int)
        p = bdtr(k, whole, 0.5)
        if mid:
            p = (p + np.where(k > 0, bdtr(np.maximum(k - 1, 0), whole, 0.5), 0.0)) / 2
        best = np.where(possible & (p <= tail) & (disagreements > 0), np.maximum(best, k), best)
    return best
