"""What the experiments on counts share: settings, the numbers of samples, and what one of them finds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from howsure.errors import InputError
from howsure.show.table import Table
from howsure_papers.coreference.corpora import parser_beside
from howsure_papers.counts.trials import Population, Tried, one_sample
from howsure_papers.reproduction import Advance, Finding

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(slots=True)
class Part:
    """What one experiment found."""

    findings: list[Finding] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    drawings: dict[str, Callable[[], Figure]] = field(default_factory=dict)
    captions: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What all experiments share. `folder` keeps the stores; `advance` is told of samples."""

    data: str | None
    parser: str | None
    limit: int | None
    samples: int
    seed: int
    workers: int
    folder: Path
    advance: Advance

    def trial(
        self, population: Population, n: int, methods: Sequence[str], *, samples: int, design: str = "stratified"
    ) -> dict[str, Tried]:
        """So many samples of n units of a population."""
        found = {method: Tried() for method in methods}
        for sample in range(samples):
            one_sample(population, n, found, design=design, sample=sample, seed=self.seed)
            self.advance(1)
        return found

    def pipeline(self) -> str:
        """The parser of texts; InputError where there is none."""
        found = self.parser or parser_beside(self.data)
        if found is None:
            raise InputError("texts must be parsed: name a spaCy pipeline, for English parser='en_core_web_sm'.")
        return found


def shares_of(samples: int) -> dict[str, int]:
    """How many samples each kind of setting gets, of those asked for.

    >>> shares_of(50)
    {'decisive': 50, 'half': 25, 'some': 20, 'few': 10, 'least': 5}
    """
    return {
        "decisive": samples,
        "half": max(2, samples // 2),
        "some": max(2, 2 * samples // 5),
        "few": max(2, samples // 5),
        "least": max(2, samples // 10),
    }


def as_many(labels: Sequence[int], available: int) -> list[int]:
    """The numbers of labels for which there are more documents; of few documents half."""
    return [n for n in labels if n < available] or [available // 2]
