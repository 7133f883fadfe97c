"""`plan_comparison`: the number of items until one of two models is shown to be better, simulated from a pilot."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from howsure import __version__
from howsure.errors import InputError, Parameter
from howsure.inputs.arguments import Randomness, check_arguments, generator_from, seed_in_recipe, with_seed
from howsure.inputs.checks import check_clusters
from howsure.inputs.frames import AS_READ, Source
from howsure.inputs.numbers_and_names import (
    MAX_SIMULATIONS,
    check_bounds,
    check_integer,
    check_level,
    check_scales,
    counted,
)
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.result import Estimate, Result, provenance_line
from howsure.sequential.evaluation_order import columns_by_role
from howsure.sequential.sequence import BETTING, checked_scores
from howsure.show.table import COUNT, ESTIMATE, NUMBER, Column, figures_text
from howsure.stats.betting import BettingMean, Units
from howsure.stats.clusters import ItemGroups
from howsure.stats.mean_score import mean_difference, share_bounds
from howsure.stats.proportions import normal_quantile


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ComparisonPlan(Result):
    """The result of `plan_comparison`.

    n: the number of items of the pilot. items_total: the number of items of the benchmark. difference: the difference
    of the means in the pilot. items, median, most: the mean, the median and the 90% quantile of the number of items
    until there is a verdict, or until all items are evaluated. first, second, undecided: the probability of each
    verdict. fixed: the number of items of a test with a fixed sample size that detects the pilot's difference with a
    power of 0.8; None if the difference is too small. recipe: everything needed to repeat it.
    """

    n: int
    items_total: int
    difference: Estimate
    items: float
    median: float
    most: float
    first: float
    second: float
    undecided: float
    fixed: int | None
    recipe: Mapping[str, Any]

    title = "Items until two models can be distinguished"

    def columns(self) -> Sequence[Column]:
        """One row."""
        counts = [Column("n", COUNT), Column("items_total", COUNT), Column("difference", ESTIMATE)]
        expected = [Column(name, COUNT, get=partial(_rounded, name)) for name in ITEMS]
        return [*counts, *expected, *(Column(name, NUMBER) for name in VERDICTS), Column("fixed", COUNT)]

    @property
    def answer(self) -> str:
        """The number of items that the comparison will need."""
        return (
            f"On average, the comparison ends after about {self.items:,.0f} of {self.items_total:,} items, because it "
            "is decided or no items are left."
        )

    @property
    def description(self) -> str:
        """The number of needed items, with one figure per line."""
        fixed = "too small a difference" if self.fixed is None else f"about {self.fixed:,} items (power .8)"
        return figures_text(
            [
                ("half of the time", f"{self.median:,.0f} items or fewer"),
                ("9 times in 10", f"{self.most:,.0f} items or fewer"),
                ("verdicts", f"first {self.first:.0%}, second {self.second:.0%}, undecided {self.undecided:.0%}"),
                ("pilot", f"{counted(self.n, 'item')}, difference of means {self.difference}"),
                ("fixed test", fixed),
            ]
        )

    @property
    def key_figures(self) -> str:
        """The number of needed items, with one figure per line."""
        return self.description

    @property
    def provenance(self) -> str:
        """The input, and the level of the interval."""
        return provenance_line({**self.recipe, "level": self.difference.level})


MAX_ITEMS, MAX_DRAWS = 10_000_000, 1_000_000_000  # items of a benchmark, and in all simulations
POWER, MAX_NAMED_ITEMS = 0.8, 10**9  # power of the fixed test; number of items above which none is reported


def _rounded(name: str, plan: ComparisonPlan) -> int:
    return round(float(getattr(plan, name)))


ITEMS, VERDICTS = ("items", "median", "most"), ("first", "second", "undecided")


def plan_comparison(
    score: ArrayLike | str,
    against: ArrayLike | str,
    *,
    items_total: int,
    clusters: ArrayLike | str | None = None,
    bounds: tuple[float, float] | None = None,
    level: float = 0.95,
    n_simulations: int = 400,
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> ComparisonPlan:
    """The number of items needed until one of two models is shown to be better, simulated from a small pilot.

    Each simulation weights the items (or clusters) of the pilot at random, as in the Bayesian bootstrap, draws a
    benchmark from them, and evaluates it in random order until `SequentialComparison` reaches a verdict.

    score (n,): the scores of the first model in the pilot.
    against (n,): the scores of the second model on the same items.
    items_total: the number of items of the benchmark, at most 10,000,000.
    clusters (n,): the cluster of each item, such as its document; items of a cluster may be correlated.
    bounds: the lowest and the highest possible score; not needed if all scores are 0 or 1.
    level: 1 minus the probability of a wrong verdict.
    n_simulations: number of simulated benchmarks; together they may have at most 1,000,000,000 items.
    rng: seed of the simulations.

    >>> plan = plan_comparison([1, 1, 1, 0] * 25, [1, 0, 1, 0] * 25, items_total=2000, rng=1)
    >>> round(plan.items), plan.fixed
    (33, 26)

    Raises InputError naming the parameter, row and value that violated a rule.
    """
    check_arguments(plan_comparison, locals())
    level = check_level(level)
    items_total = check_integer(items_total, name="items_total", most=MAX_ITEMS)
    n_simulations = check_integer(n_simulations, name="n_simulations", most=MAX_SIMULATIONS)
    if items_total * n_simulations > MAX_DRAWS:
        raise InputError(
            "{parameter} would draw {items_drawn:,} items, with {items_total} each; at most {most_draws:,} can be "
            "drawn, which takes about half an hour. Use {n_simulations} or fewer.",
            "n_simulations",
            items_total=Parameter("items_total", items_total),
            items_drawn=items_total * n_simulations,
            most_draws=MAX_DRAWS,
            n_simulations=Parameter("n_simulations", MAX_DRAWS // items_total),
        )
    roles = {"score": score, "against": against} | ({} if clusters is None else {"clusters": clusters})
    columns, named, rows = columns_by_role(roles, data, scores=("score", "against"))
    with rows.locating_errors():
        first = checked_scores(columns["score"], named["score"])
        second = checked_scores(columns["against"], named["against"], n=len(first))
        ends = check_bounds(bounds) if bounds is not None else share_bounds(first, second)
        if ends is None:
            raise InputError(
                "{parameter} must be given, the lowest and the highest possible score, because scores are not all 0 or "
                "1.",
                "bounds",
            )
        both = {named["score"]: first, named["against"]: second}
        check_scales(both, rows.provenance.get("percentages", ()), ends)
        for role, values in (("score", first), ("against", second)):
            checked_scores(values, named[role], bounds=ends)
        n = len(first)
        codes = None if clusters is None else check_clusters(columns["clusters"], n=n, name=named["clusters"])
    groups = ItemGroups.of(n, clusters=codes)
    mean = mean_difference(first, second, groups, bounds=ends)
    width = ends[1] - ends[0]
    sums, sizes = groups.totals(((first - second) / width + 1) / 2), groups.sizes
    total = max(1, round(items_total * len(sizes) / n))
    rng = with_seed(rng)
    rng_, stops, verdicts = generator_from(rng), list[float](), list[str]()
    for _ in range(n_simulations):
        weights = rng_.dirichlet(np.ones(len(sizes)))
        drawn = rng_.choice(len(sizes), size=total, p=weights)
        units = Units(sums[drawn], sizes[drawn].astype(np.float64), float(sizes.max()), total)
        stop, verdict = BettingMean(units, (-1.0, 1.0)).verdict(0.0, (1 - level) / 2, VERDICTS)
        stops.append(float(units.sizes[:stop].sum()))
        verdicts.append(verdict)
    low, high = mean.interval(level)
    recipe: dict[str, Any] = {"howsure": __version__, "method": BETTING, **(dict(rows.provenance) or {"n": n})}
    recipe |= {AS_READ.get(role, role): column for role, column in roles.items()} if data is not None else {}
    recipe |= {"items_total": items_total, "bounds": ends, "level": level, "simulations": n_simulations}
    return ComparisonPlan(
        n=n,
        items_total=items_total,
        difference=Estimate(mean.value, low, high, level=level, method=mean.method, n=n),
        items=float(np.mean(stops)),
        median=float(np.median(stops)),
        most=float(np.quantile(stops, 0.9)),
        **{name: verdicts.count(name) / n_simulations for name in VERDICTS},
        fixed=fixed_items(mean.value, math.sqrt(n) * mean.error, level=level),
        recipe=recipe | {"seed": seed_in_recipe(rng)},
    )


def fixed_items(difference: float, spread: float, *, level: float) -> int | None:
    """The sample size with which a test detects a mean difference with power 0.8, if the standard deviation of the
    differences is `spread`; None if the difference is too small.

    >>> fixed_items(0.05, 0.5, level=0.95)
    785
    """
    reach = (normal_quantile(level) + normal_quantile(2 * POWER - 1)) * spread
    return math.ceil((reach / difference) ** 2) if abs(difference) * math.sqrt(MAX_NAMED_ITEMS) > reach else None
