"""A regime: how to draw a data set whose true values are known, and which results are correct."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

Generator = np.random.Generator
FALSE_PASS, COVERAGE = 0.06, 0.93  # wanted of rates whose nominal values are .05 and .95
WANTED = {"broken at delta 0.1": 0.11}  # of rates with another nominal value

# By name of a figure whether it happened: "false pass", "mean covers". None: nothing was promised ("cannot tell").
Trial = Callable[[Generator], Mapping[str, bool | None]]


@dataclass(frozen=True)
class Regime:
    """A row of the table.

    item: the chapter of the table.
    name: the distribution of the data, in words.
    trial: draws data, calls howsure, and returns for each figure whether it happened. A figure whose name ends in
        "covers" should be at least 0.93 of the data sets with an interval; any other figure at most 0.06 of all data
        sets, or as `WANTED` says. The proportion of data sets without an interval is shown next to it.
    runs: how many data sets.
    """

    item: str
    name: str
    trial: Trial
    runs: int = 1_000


@dataclass(frozen=True)
class Rate:
    """How often something happened among `runs` data sets, of which `answered` had a result."""

    figure: str
    happened: int
    answered: int
    runs: int

    @property
    def covers(self) -> bool:
        """Whether this is the coverage of an interval."""
        return self.figure.endswith("covers")

    @property
    def value(self) -> float:
        """The rate: for a coverage, among data sets with an interval; for an error, among all."""
        among = self.answered if self.covers else self.runs
        return self.happened / among if among else float("nan")

    @property
    def wanted(self) -> bool:
        """Whether the rate is within its limit; a figure without any result is."""
        if not self.answered:
            return True
        return self.value >= COVERAGE if self.covers else self.value <= WANTED.get(self.figure, FALSE_PASS)

    def __str__(self) -> str:
        if not self.answered:
            return "not told"
        unanswered = self.runs - self.answered
        aside = f" ({unanswered / self.runs:.2f} not told)" if unanswered else ""
        return f"{self.value:.3f}{aside}"


def rates_of(regime: Regime, *, runs: int, seed: int) -> list[Rate]:
    """Return the rates of a regime. Each data set has its own generator, so that two versions get the same data."""
    answers: dict[str, list[bool | None]] = {}
    for run in range(runs):
        for figure, answer in regime.trial(np.random.default_rng([seed, run])).items():
            answers.setdefault(figure, []).append(None if answer is None else bool(answer))
    return [
        Rate(
            figure,
            sum(result is True for result in results),
            sum(result is not None for result in results),
            len(results),
        )
        for figure, results in answers.items()
    ]
