"""`propagate_samples`: the posterior of a function of a structure, with the Monte Carlo error of its estimates."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, check_arguments, with_seed
from howsure.inputs.numbers_and_names import check_level, check_number, counted, shortened
from howsure.inputs.pairs import Floats
from howsure.inputs.parameter_types import Axes
from howsure.notes import WARNING, Note
from howsure.propagation.posterior_draws import (
    VALUE,
    Posteriors,
    Quantities,
    check_any,
    draws,
    posteriors_of_documents,
    recipe,
    streams,
    values_by_name,
)
from howsure.result import Estimate, Rows, as_json
from howsure.show.axes import checks_axes
from howsure.show.table import ESTIMATE, FRAME, NUMBER, TABLE, WORDS, Column, span
from howsure.stats.mean_score import mean_score
from howsure.stats.proportions import wilson_interval


def mean_estimate(values: Floats, level: float) -> Estimate:
    """Return the mean of samples with the interval of its Monte Carlo error.

    The interval is Wilson's if all values are 0 or 1, otherwise that of `mean_score`.


    >>> print(mean_estimate(np.array([0.0, 1.0, 1.0, 1.0]), 0.95))
    0.7500 [0.3006, 0.9544]
    """
    mean, n = float(values.mean()), len(values)
    if bool(((values == 0.0) | (values == 1.0)).all()):
        low, high = (float(end[0]) for end in wilson_interval(np.array([mean]), np.array([n]), level=level))
    elif bool((values == values[0]).all()) or not np.isfinite(values).all():
        low, high = mean, mean
    else:
        low, high = mean_score(values).interval(level)
    return Estimate(mean, low, high, level=level, method=f"{n} samples", n=n)


def quantile_estimates(values: Floats, level: float) -> tuple[Estimate, Estimate]:
    """Return the lower and the upper end of the central interval of samples, each with its Monte Carlo interval.

    A Monte Carlo interval is computed from ranks with the binomial distribution. Its end is None if it lies beyond all
    samples.
    """
    from scipy.stats import binom

    n, ordered, estimates = len(values), np.sort(values), []
    for probability in ((1 - level) / 2, (1 + level) / 2):
        low, high = binom.ppf([(1 - level) / 2, (1 + level) / 2], n, probability).astype(int).tolist()
        ends = (float(ordered[low - 1]) if low > 0 else None, float(ordered[high]) if high < n else None)
        value = float(np.quantile(ordered, probability, method="inverted_cdf"))
        estimates.append(Estimate(value, *ends, level=level, method=f"{n} samples", n=n))
    return estimates[0], estimates[1]


@dataclass(frozen=True, slots=True)
class SampledQuantity:
    """The posterior of one quantity.

    mean: the posterior mean, with the interval of its Monte Carlo error. standard_error: the Monte Carlo standard error
    of the mean. sd: the posterior standard deviation. low, high: the lower and the upper end of the central posterior
    interval, each with the interval of its Monte Carlo error. The end of such an interval is None if it lies beyond all
    samples.
    """

    name: str
    mean: Estimate
    low: Estimate
    high: Estimate
    sd: float
    standard_error: float

    @property
    def interval(self) -> tuple[float, float]:
        """The central posterior interval."""
        return self.low.value, self.high.value

    def samples_needed(self, error: float) -> int:
        """Return the number of samples with which the Monte Carlo standard error of the mean is `error`.

        This is (sd / error)², and at least 2. If all samples are equal, their variance is unknown, and the present
        number of samples is returned.

        Raises InputError unless the error is a number above 0.
        """
        error = check_number(error, name="error", low=0, open="low")
        return max(math.ceil((self.sd / error) ** 2), 2) if self.sd > 0.0 else self.mean.n


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PropagatedSamples(Rows[SampledQuantity]):
    """The result of `propagate_samples`: iterate over quantities, or take one by its name.

    n: number of samples. level: the level of all intervals. values (n, k): the quantities of each sample. The sum of
    two results is the result for the samples of both, which can be drawn in parallel with different seeds.
    """

    rows: tuple[SampledQuantity, ...] = as_json("quantities")
    n: int
    level: float
    values: Floats = as_json(None, compare=False)
    recipe: Mapping[str, Any] = field(default_factory=dict, compare=False)

    title = "Posterior of a function of samples"

    def columns(self) -> Sequence[Column]:
        """One row per quantity."""
        return [
            Column("name", WORDS, heading="quantity"),
            Column("mean", NUMBER, only=TABLE, get=lambda row: row.mean.value, legend="posterior mean"),
            Column("interval", span(), only=TABLE, legend="central posterior interval"),
            Column("standard_error", NUMBER, heading="Monte Carlo error", legend="standard error of the mean"),
            *(Column(name, ESTIMATE, only=FRAME) for name in ("mean", "low", "high")),
            Column("sd", NUMBER, only=FRAME),
        ]

    @property
    def answer(self) -> str:
        """The posterior mean and interval of a single quantity, or the largest error of several."""
        worst = max(self.rows, key=lambda row: row.standard_error)
        if len(self.rows) > 1:
            error = f"Monte Carlo errors are at most {worst.standard_error:.2g} ({worst.name})"
            return f"{len(self.rows):,} quantities from {counted(self.n, 'sample')}: {error}."
        of, (low, high) = "" if worst.name == VALUE else f" of {worst.name}", worst.interval
        interval = f"[{low:.4g}, {high:.4g}] (from {counted(self.n, 'sample')})"
        return f"The posterior mean{of} is {worst.mean.value:.4g}, the posterior interval {interval}."

    @property
    def notes(self) -> tuple[str, ...]:
        """Return notes on quantities of unknown Monte Carlo error, and on intervals that need more samples."""
        alike = [row.name for row in self.rows if not row.sd > 0.0]
        wide = [row.name for row in self.rows if row.sd > 0.0 and None in (row.low.low, row.high.high)]
        notes = {
            f"All samples agree on {shortened(alike, limit=3)}; rarer values may exist.": alike,
            f"Too few samples to know the error of the ends of the interval: {shortened(wide, limit=3)}.": wide,
        }
        return tuple(Note(text, WARNING) for text, names in notes.items() if names)

    def samples_needed(self, error: float) -> int:
        """Return the number of samples with which no mean has a Monte Carlo standard error above `error`.

        Raises InputError unless the error is a number above 0.
        """
        return max(row.samples_needed(error) for row in self.rows)

    def __add__(self, other: PropagatedSamples) -> PropagatedSamples:
        """Return the result for the samples of both results.

        Raises InputError for different quantities or levels, and for equal seeds, which give equal samples.
        """
        names, others = ([row.name for row in result.rows] for result in (self, other))
        if names != others or self.level != other.level:
            raise InputError(
                "results can be added if they have the same quantities and level; they have "
                f"{shortened(names, limit=4)} at {self.level:g} and {shortened(others, limit=4)} at {other.level:g}."
            )
        seeds, other_seeds = (
            seed if isinstance(seed, list) else [seed] for seed in (self.recipe["seed"], other.recipe["seed"])
        )
        if shared := [seed for seed in seeds if isinstance(seed, int) and seed in other_seeds]:
            raise InputError(
                f"both results contain samples with the seed {shared[0]}. Draw the samples of one of them with another "
                "`rng`."
            )
        values = np.concatenate([self.values, other.values])
        how = {**self.recipe, "samples": len(values), "seed": [*seeds, *other_seeds]}
        return _summarised(names, values, self.level, how)

    @checks_axes
    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the posterior mean and interval of each quantity, on matplotlib axes (new ones if None)."""
        from howsure.figures.sampled_quantities import draw_quantities

        return draw_quantities(self, ax=ax)


def propagate_samples(
    posterior: Posteriors,
    function: Callable[..., Quantities],
    *,
    samples: int | None = None,
    level: float = 0.95,
    rng: Randomness = None,
) -> PropagatedSamples:
    """Estimate the posterior of a function of a structure, such as a count, from samples of the structure.

    posterior: anything with a method `sample(n, rng=...)` that returns n independent samples, such as a CorefPosterior
    (labels of mentions), a TagPosterior (the tags of each sentence) or WeightedSamples; or a list of samples. Several
    posteriors, in a list or mapping, are those of independent documents: values are added up over documents.
    function: takes one sample and returns a number, or a list or mapping of numbers, always of the same length or keys.
    samples: number of samples (default: 1,000, or all of a list).

    The posterior mean is estimated by the mean of the values, with the Monte Carlo standard error sd / √n. The ends of
    the posterior interval are estimated by quantiles of the values. Samples must be independent. With samples from a
    Markov chain, Monte Carlo errors would be too small.

    Source: Nguyen & O'Connor (2015), Appendix 1; Finkel, Manning & Ng (2006).

    >>> class Dice:
    ...     def sample(self, n, *, rng=None):
    ...         return np.random.default_rng(rng).integers(1, 7, n)
    >>> result = propagate_samples([Dice(), Dice()], float, samples=10_000, rng=0)["value"]
    >>> result.interval, round(result.mean.value, 1), round(result.standard_error, 3)
    ((2.0, 12.0), 7.0, 0.024)

    Raises InputError for a posterior that cannot be sampled, fewer than 2 samples, or values that are not finite
    numbers or differ in length or keys between samples.
    """
    check_arguments(propagate_samples, locals())
    level, rng = check_level(level), with_seed(rng)
    documents, n = posteriors_of_documents(posterior, samples)
    totals: dict[str, Floats] = {}
    for document, stream in zip(documents, streams(rng, len(documents)), strict=True):
        for name, values in values_by_name(draws(document, n, stream), function).items():
            totals[name] = totals[name] + values if name in totals else values
    check_any(totals)
    table = np.column_stack(list(totals.values()))
    how = recipe(function, rng, documents=len(documents), samples=len(table))
    return _summarised(list(totals), table, level, how)


def _summarised(names: Sequence[str], table: Floats, level: float, how: Mapping[str, Any]) -> PropagatedSamples:
    rows = []
    for name, values in zip(names, table.T, strict=True):
        sd = float(values.std(ddof=1)) if np.ptp(values) > 0 else 0.0
        ends = quantile_estimates(values, level)
        rows.append(SampledQuantity(name, mean_estimate(values, level), *ends, sd, sd / math.sqrt(len(values))))
    return PropagatedSamples(rows=tuple(rows), n=len(table), level=level, values=table, recipe=how)
