"""A sample of streamed predictions: which values are shared by many pairs, and how large are the other ties?"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from howsure.inputs.pairs import Floats

MOST_HELD = 1 << 19
EVERY = 16  # one of so many rows is drawn, fewer from long streams
BLOCK_DRAWS = 1 << 10
HEAVY = 8  # a value drawn so often is counted by itself


@dataclass(slots=True)
class Sample:
    """Predictions sampled evenly from the rows. They determine which rows are read again, but enter no result."""

    every: int = EVERY
    held: Floats = field(default_factory=lambda: np.empty(0))
    values: Floats = field(default_factory=lambda: np.empty(0))  # the distinct ones, ascending; after `finish`
    heavy: Floats = field(default_factory=lambda: np.empty(0))  # those drawn at least `HEAVY` times
    blocks: Floats = field(default_factory=lambda: np.zeros(1))  # where ranges of predictions begin, and in each
    ties: Floats = field(default_factory=lambda: np.zeros(1))  # with how many others a pair is tied, on average
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(0))

    def add(self, probabilities: Floats) -> None:
        """Draw one random row from every `every` consecutive ones."""
        blocks = len(probabilities) // self.every
        rows = np.arange(blocks) * self.every + self.rng.integers(self.every, size=blocks)
        self.held = np.concatenate([self.held, probabilities[rows]])
        while len(self.held) > MOST_HELD:
            self.held = self.held[self.rng.random(len(self.held)) < 0.5]
            self.every *= 2

    def finish(self) -> None:
        """Learn from what was drawn."""
        self.values, times = np.unique(self.held, return_counts=True)
        self.held = np.empty(0)
        light = times < HEAVY
        self.heavy, values, times = self.values[~light], self.values[light], times[light]
        block = (np.cumsum(times) - times) // BLOCK_DRAWS
        others = np.bincount(block, weights=times * (times - 1.0)) / np.bincount(block, weights=times)
        self.blocks = np.append(0.0, values[np.flatnonzero(np.diff(block, prepend=-1))])
        self.ties = self.every * np.append(0.0, others)

    def tied_with(self, values: Floats) -> Floats:
        """The average number of other pairs tied with the pairs near some values, excluding the heavy values."""
        tied: Floats = self.ties[self.blocks.searchsorted(values, side="right") - 1]
        return tied
