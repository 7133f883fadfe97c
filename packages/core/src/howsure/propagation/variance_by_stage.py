"""`decompose_variance`: how much of a quantity's variance is due to the first of two stages of a pipeline."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from howsure.errors import InputError, quote
from howsure.inputs.arguments import Randomness, check_arguments, with_seed
from howsure.inputs.numbers_and_names import MAX_SIMULATIONS, check_integer, check_level, counted
from howsure.inputs.pairs import Floats
from howsure.propagation.posterior_draws import (
    VALUE,
    Posteriors,
    Quantities,
    Sampler,
    check_any,
    draws,
    is_posterior,
    posteriors_of_documents,
    recipe,
    streams,
    values_by_name,
)
from howsure.propagation.posterior_values import mean_estimate
from howsure.result import Estimate, Rows, as_json
from howsure.show.table import ESTIMATE, FRAME, TABLE, WORDS, Column, digits, span
from howsure.stats.proportions import normal_quantile

MIN_REACH = 1e-9  # a smaller share is 0; an interval of a smaller half-width is not shown: one stage hardly varies


@dataclass(frozen=True, slots=True)
class VarianceShare:
    """The posterior of one quantity after two stages, and its variance by stage.

    mean: the posterior mean with the interval of its Monte Carlo error. low, high: the central posterior interval.
    variance: the sum of `first` and `second`, the variances due to the two stages. share: the proportion of the
    variance due to the first stage, with the interval of its Monte Carlo error; None if the variance is 0. The interval
    is None if one stage varies in too few samples.
    """

    name: str
    mean: Estimate
    low: float
    high: float
    variance: float
    first: float
    second: float
    share: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class VarianceShares(Rows[VarianceShare]):
    """The result of `decompose_variance`: iterate over quantities, or take one by its name."""

    rows: tuple[VarianceShare, ...] = as_json("quantities")
    samples: int
    repeats: int
    level: float
    stages: tuple[str, str]
    recipe: Mapping[str, Any] = field(default_factory=dict, compare=False)

    title = "Variance of a function of samples by stage"

    def columns(self) -> Sequence[Column]:
        """One row per quantity."""
        return [
            Column("name", WORDS, heading="quantity"),
            Column("mean", digits(3), only=TABLE, get=lambda row: row.mean.value, legend="posterior mean"),
            Column("mean", ESTIMATE, only=FRAME),
            Column("interval", span(3), only=TABLE, get=lambda row: (row.low, row.high)),
            *(Column(name, digits(3), only=FRAME) for name in ("low", "high", "first", "second")),
            Column("variance", digits(3)),
            Column("share", ESTIMATE, heading=f"share of {self.stages[0]}", legend="with its Monte Carlo error"),
        ]

    @property
    def answer(self) -> str:
        """Return the proportion of the variance due to the first stage, where the variance is largest."""
        row = max(self.rows, key=lambda row: row.variance)
        if row.share is None:
            return "Nothing varies between samples."
        of = "" if row.name == VALUE else f" of {row.name}"
        low, high = row.share.low, row.share.high
        share = f"{row.share.value:.0%}" + ("" if low is None or high is None else f" [{low:.0%}, {high:.0%}]")
        return f"Of the variance{of}, {share} is due to {self.stages[0]}, the rest to {self.stages[1]}."

    def footnotes(self) -> Sequence[str]:
        """The number of samples."""
        first, second = self.stages
        return [f"{counted(self.samples, 'sample')} of {first}, and for each {self.repeats:,} of {second}."]


def decompose_variance(
    posterior: Posteriors,
    following: Callable[..., Sampler],
    function: Callable[..., Quantities],
    *,
    samples: int = 200,
    repeats: int = 4,
    stages: tuple[str, str] = ("the first stage", "the second stage"),
    level: float = 0.95,
    rng: Randomness = None,
) -> VarianceShares:
    """Estimate how much of a quantity's variance is due to the first of two stages, such as parsing and coreference.

    posterior: the posterior of the first stage, such as parses; or a list or mapping of posteriors of independent
    documents, over which values are added up.
    following: a function of a sample of the first stage that returns the posterior of the second stage.
    function: a function of a sample of the second stage, as in `propagate_samples`.
    samples: number of samples of the first stage.
    repeats: number of samples of the second stage for each sample of the first stage.
    stages: the names of the stages in the output.

    By the law of total variance, Var(f) = Var(E(f | first)) + E(Var(f | first)); the terms are due to the first and the
    second stage. Let s² be the mean variance of the r repeats, and b² the variance of their means. For each document,
    the terms are estimated without bias by b² - s²/r and s². Shares are limited to 0 to 1. Their Monte Carlo error is
    estimated by a jackknife over samples of the first stage.

    Source: Searle, Casella & McCulloch (1992); Efron & Stein (1981).

    >>> class Normal:
    ...     def __init__(self, mean, sd):
    ...         self.mean, self.sd = mean, sd
    ...     def sample(self, n, *, rng=None):
    ...         return np.random.default_rng(rng).normal(self.mean, self.sd, n)
    >>> print(decompose_variance(Normal(0, 2), lambda mean: Normal(mean, 1), float, samples=2_000, rng=0)[0].share)
    0.8021 [0.7898, 0.8145]

    Raises InputError as `propagate_samples` does, and for fewer than 3 samples or 2 repeats.
    """
    check_arguments(decompose_variance, locals())
    level, rng = check_level(level), with_seed(rng)
    repeats = check_integer(repeats, name="repeats", least=2, most=MAX_SIMULATIONS)
    if not (isinstance(stages, tuple) and len(stages) == 2 and all(isinstance(stage, str) for stage in stages)):
        raise InputError(f"stages must be two names, such as ('parses', 'coreference'); it is {quote(stages)}.")
    if not callable(following):
        raise InputError(f"following must be a function that returns a posterior; it is {quote(following)}.")
    documents, n = posteriors_of_documents(posterior, check_integer(samples, name="samples", least=3))
    totals: dict[str, list[Floats]] = {}  # values (n, repeats), parts (2,) of their variance, covariance of the parts
    for document, stream in zip(documents, streams(rng, len(documents)), strict=True):
        nested = _nested_draws(document, following, n, repeats, stream)
        for name, values in values_by_name(nested, function).items():
            table = values.reshape(-1, repeats)
            summands = [table, *_variance_parts(table)]
            totals[name] = [a + b for a, b in zip(totals[name], summands, strict=True)] if name in totals else summands
    check_any(totals)
    rows = tuple(_variance_share(name, *sums, level=level) for name, sums in totals.items())
    how = recipe(function, rng, documents=len(documents), samples=n, repeats=repeats)
    return VarianceShares(rows=rows, samples=samples, repeats=repeats, level=level, stages=stages, recipe=how)


def _nested_draws(
    posterior: Any, following: Callable[..., Sampler], n: int | None, repeats: int, rng: np.random.Generator
) -> Iterator[Any]:
    """Yield, for each sample of the first stage, samples of the second stage."""
    first_rng, second_rng = streams(rng, 2)
    for sample in draws(posterior, n, first_rng):
        second = following(sample)
        if not is_posterior(second):
            raise InputError(
                f"following must return a posterior with a method sample(n, rng=...), not {quote(second)}."
            )
        yield from draws(second, repeats, second_rng, name="the posterior that following returns")


def _variance_parts(table: Floats) -> tuple[Floats, Floats]:
    """Return the variances between and within rows of a table (n, r), and their covariance by a jackknife over rows.

    >>> _variance_parts(np.array([[0.0, 2.0], [4.0, 6.0], [8.0, 10.0]]))[0]
    array([15.,  2.])
    """
    n, repeats = table.shape
    deviation, within = table.mean(axis=1) - table.mean(), table.var(axis=1, ddof=1)
    squares = float((deviation**2).sum())
    between_others = (squares - n / (n - 1) * deviation**2) / (n - 2)  # without each row in turn
    within_others = (within.sum() - within) / (n - 1)
    others = np.stack([between_others - within_others / repeats, within_others])
    others -= others.mean(axis=1, keepdims=True)
    parts = np.array([squares / (n - 1) - within.mean() / repeats, within.mean()])
    return parts, (n - 1) / n * others @ others.T


def _variance_share(name: str, table: Floats, parts: Floats, covariance: Floats, *, level: float) -> VarianceShare:
    first, second = np.where(parts > MIN_REACH * parts.sum(), parts, 0.0).tolist()  # 0, not a rounding error
    total, share = first + second, None
    if total > 0.0:
        gradient = np.array([second, -first]) / total**2
        half_width = normal_quantile(level) * math.sqrt(max(float(gradient @ covariance @ gradient), 0.0))
        value, method = first / total, f"{len(table)} samples, {table.shape[1]} repeats"
        share_low, share_high = (
            (max(value - half_width, 0.0), min(value + half_width, 1.0)) if half_width > MIN_REACH else (None, None)
        )
        share = Estimate(value, share_low, share_high, level, method, len(table))
    low, high = np.quantile(table, [(1 - level) / 2, (1 + level) / 2], method="inverted_cdf").tolist()
    return VarianceShare(name, mean_estimate(table.mean(axis=1), level), low, high, total, first, second, share)
