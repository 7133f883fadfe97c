"""The settings of a comparison, checked, and as the recipe of the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure import __version__
from howsure.errors import InputError
from howsure.inputs.checks import check_level
from howsure.inputs.naming import unknown_name
from howsure.significance.metrics.metric import Metric
from howsure.significance.resampling.subsampling import check_sample_size
from howsure.significance.systems.reading import Systems
from howsure.stats.randomness import Randomness, generator_from

METHODS = ("permutation", "bootstrap", "gaffke", "student", "mcnemar", "boostsa")
OF_MEANS = ("gaffke", "student")  # tests of a mean, with intervals of their own
ALTERNATIVES = ("two-sided", "better", "worse")
INTERVALS = ("basic", "percentile", "bca", *OF_MEANS)
USUAL = {one: one for one in OF_MEANS}  # intervals by method; of all others: basic
BY_ORDER = "matched by their order"


@dataclass(frozen=True, slots=True)
class Choices:
    """The arguments of `compare`."""

    method: str
    n_resamples: int
    alternative: str
    interval: str | None
    level: float
    adjust: str | None
    two_way: bool
    sample_size: float | None
    bug_compatible: bool

    @property
    def draws(self) -> bool:
        """Whether anything is drawn at random."""
        return self.method not in OF_MEANS

    def recipe(self, views: Sequence[Systems], seed: int) -> dict[str, Any]:
        """Everything needed to obtain the same table again."""
        systems = views[0]
        runs = {name: len(one) for name, one in systems.predictions.items()}
        several = max(runs.values()) > 1
        return {
            "method": self.method,
            "alternative": self.alternative,
            "n_resamples": self.n_resamples if self.draws else None,
            "sample_size": self.sample_size,
            "bug_compatible": self.bug_compatible,
            "interval": self.interval,
            "level": self.level,
            "adjust": self.adjust,
            "task": ", ".join(dict.fromkeys(one.task for one in views)),
            "n": systems.n,
            "clusters": None if systems.clusters is None else int(systems.clusters.max()) + 1,
            "strata": None if systems.strata is None else int(systems.strata.max()) + 1,
            "runs": runs if several else None,
            "resampled": _resampled(systems, several, self.two_way),
            "seed": seed if self.draws else None,
            "howsure": __version__,
        }


def check_choices(choices: Choices, systems: Systems, metrics: Sequence[Metric]) -> None:
    """Refuse incompatible settings.

    Raises InputError that says what to choose instead.
    """
    _one_of("method", choices.method, METHODS)
    if choices.alternative in ("greater", "less"):
        raise InputError("alternative is 'two-sided', 'better' or 'worse': of the model, whichever direction that is.")
    _one_of("alternative", choices.alternative, ALTERNATIVES)
    if choices.interval is not None:
        _one_of("interval", choices.interval, INTERVALS)
    check_level(choices.level)
    count = choices.n_resamples
    if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 1:
        raise InputError(f"n_resamples must be a whole number from 1; it is {choices.n_resamples!r}.")
    several = any(len(one) > 1 for one in systems.predictions.values())
    if choices.two_way and (choices.method != "bootstrap" or not several):
        raise InputError("two_way=True draws runs as well as items: it needs method='bootstrap' and several runs.")
    if choices.two_way and choices.interval == "bca":
        raise InputError("with two_way=True interval must be 'basic' or 'percentile'; 'bca' leaves out items alone.")
    if several:
        for metric in metrics:
            if not metric.scale_free:
                raise InputError(f"{metric.name} cannot be added up over runs; compare one run at a time.")
    if choices.method in OF_MEANS:
        other = next((metric.name for metric in metrics if not metric.is_mean), None)
        if other is not None:
            raise InputError(
                f"method={choices.method!r} tests a mean over items (accuracy, log_loss, scores), which {other} is "
                "not; choose method='permutation'."
            )
    wrong = {choices.interval, choices.method} & set(OF_MEANS)
    if choices.interval is not None and wrong and choices.interval != choices.method:
        name = choices.interval if choices.interval in OF_MEANS else choices.method
        raise InputError(
            f"interval={name!r} goes with method={name!r}, and no other; leave interval out for the usual one."
        )
    if choices.method == "mcnemar":
        if [metric.name for metric in metrics] != ["accuracy"]:
            raise InputError("method='mcnemar' tests accuracy; choose metrics='accuracy', or method='permutation'.")
        if systems.clusters is not None or several:
            raise InputError("method='mcnemar' takes rows as independent; with clusters or runs choose 'permutation'.")
    if choices.method == "boostsa":
        check_sample_size(choices.sample_size, systems.n)
        if choices.alternative != "two-sided" or systems.strata is not None:
            raise InputError(
                "method='boostsa' is one-sided and does not support strata; "
                "leave alternative and strata out, or choose method='bootstrap'."
            )
    elif choices.bug_compatible or choices.sample_size is not None:
        name = "bug_compatible" if choices.bug_compatible else "sample_size"
        raise InputError(f"{name} goes with method='boostsa' alone; leave it out, or choose that method.")


def seed_of(rng: Randomness) -> int:
    """One integer for all draws, recorded in the recipe: the given seed, or one drawn from the given generator.

    >>> seed_of(7)
    7

    Raises InputError for anything other than a seed, Generator, SeedSequence or None.
    """
    generator = generator_from(rng)
    return int(rng) if isinstance(rng, (int, np.integer)) else int(generator.integers(2**63))


def usual_interval(method: str) -> str:
    """The interval where none is chosen: that of a test of means, or `basic`.

    >>> usual_interval("permutation")
    'basic'
    """
    return USUAL.get(method, "basic")


def _resampled(systems: Systems, several: bool, two_way: bool) -> str:
    unit = "clusters" if systems.clusters is not None else "items"
    if not several:
        return unit
    return f"{unit} × runs" if two_way else f"{unit} with all their runs"


def _one_of(name: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise unknown_name(name, str(value), known, place="compare")
