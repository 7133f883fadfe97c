"""A sample of units to read, the strata of a population by score, and how many labels each of them gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from howsure.counts.draw import Elements
from howsure.counts.units import combined, read_cells
from howsure.files.saved import damaged_model, read_model, write_model
from howsure.files.whole import Place
from howsure.inputs.checks import Codes, check_codes
from howsure.inputs.numbers_and_names import natural_order
from howsure.inputs.pairs import Floats, Integers
from howsure.result import Result, as_json
from howsure.show.table import COUNT, FRAME, NUMBER, TABLE, WORDS, Column

# Strata of a population by score, and how many labels each gets.

PIECES = 200  # of [0, 1], whose counts decide where bands end
BANDS = 3  # of scores above 0
LEAST_SPREAD = 0.25  # of labels within a stratum: a low band is where the misses are
LEAST = 2  # labels per stratum
BLOCK = 1 << 20  # scores at a time


def bands_of(score: Floats) -> tuple[Codes, tuple[str, ...]]:
    """The band of each score, by the rule of cumulated √frequency (Dalenius & Hodges 1959); scores of 0 are a band.

    >>> codes, names = bands_of(np.array([0.0, 0.0, 0.1, 0.1, 0.5, 0.5, 0.9, 0.9]))
    >>> names
    ('score 0', 'score (0, 0.1]', 'score (0.1, 0.5]', 'score (0.5, 1]')
    >>> codes.tolist()
    [0, 0, 1, 1, 2, 2, 3, 3]
    """
    pieces = np.zeros(PIECES + 1, dtype=np.int64)
    least, most = np.inf, 0.0
    for start in range(0, len(score), BLOCK):
        above = score[start : start + BLOCK]
        above = above[above > 0]
        if len(above):
            place = np.minimum(np.ceil(above * PIECES).astype(np.int64), PIECES)
            pieces += np.bincount(place, minlength=PIECES + 1)
            least, most = min(least, float(above.min())), max(most, float(above.max()))
    root = np.cumsum(np.sqrt(pieces))
    cuts = np.searchsorted(root, root[-1] * np.arange(1, BANDS) / BANDS, side="left") / PIECES
    ends = [float(end) for end in np.unique(cuts) if least <= end < most]
    codes = np.empty(len(score), dtype=np.int16)
    for start in range(0, len(score), BLOCK):
        part = score[start : start + BLOCK]
        codes[start : start + BLOCK] = np.where(part > 0, 1 + np.searchsorted(np.array(ends), part, side="left"), 0)
    edges = [0.0, *ends, 1.0]
    names = ["score 0", *(f"score ({low:.3g}, {high:.3g}]" for low, high in pairwise(edges))]
    codes, used = combined([(codes, tuple(names))], len(score))
    return codes, tuple(names[code] for code in used)


def allocation(size: Integers, spread: Floats, n: int) -> Integers:
    """How many of n labels each stratum gets: n_h ∝ N_h s_h (Neyman 1934), at least 2, at most N_h.

    >>> allocation(np.array([1000, 100]), np.array([0.2, 0.5]), 50).tolist()
    [42, 8]
    """
    wanted = size * np.maximum(spread, LEAST_SPREAD)
    least = np.minimum(size, LEAST)
    ideal = n * wanted / wanted.sum()
    given: Integers = np.clip(np.floor(ideal).astype(np.int64), least, size)
    while given.sum() > n:  # small strata have their 2
        given[int(np.argmax(np.where(given > least, given - ideal, -np.inf)))] -= 1
    while given.sum() < n and (given < size).any():
        given[int(np.argmax(np.where(given < size, ideal - given, -np.inf)))] += 1
    return given


def further_allocation(wanted: Integers, had: Integers, size: Integers, n: int) -> Integers:
    """How many more each stratum gets, n in all: each time one to the stratum that lacks most of what is wanted.

    >>> further_allocation(np.array([42, 8]), np.array([20, 10]), np.array([1000, 100]), 20).tolist()
    [20, 0]
    """
    given = np.zeros_like(had)
    for _ in range(n):
        lack = np.where(had + given < size, wanted - had - given, -np.iinfo(np.int64).max)
        given[int(np.argmax(lack))] += 1
    return given


def planned_spread(score: Floats, stratum: Codes, n_strata: int) -> Floats:
    """√(p̄ (1 - p̄)) of each stratum with p̄ its mean score: what the standard deviation of its labels may be."""
    mean = np.bincount(stratum, weights=score, minlength=n_strata) / np.bincount(stratum, minlength=n_strata)
    return np.asarray(np.sqrt(mean * (1.0 - mean)))


def spread_so_far(labels: Floats, stratum: Codes, n_strata: int) -> Floats:
    """The same from labels: p̄ = (positives + 1/2) / (labels + 1)."""
    n = np.bincount(stratum, minlength=n_strata)
    mean = (np.bincount(stratum, weights=labels, minlength=n_strata) + 0.5) / (n + 1.0)
    return np.asarray(np.sqrt(mean * (1.0 - mean)))


KIND, SCHEMA = "sample for labels", 1
ROW, STRATUM, CHANCE, CHECK, LABEL = "row", "stratum", "inclusion", "check", "label"  # columns of the sheet
PER_STRATUM = 5  # labels on average that strata by period as well must get


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LabelSample(Result):
    """The units to read: `indices` (n,), their chance `inclusion` (n,), and `strata` (N,), a name for every unit.

    Pass `strata` to `estimate_counts`; by design "importance", which has no strata, `chances` (N,). Frames and CSV are
    the sheet to fill: the row of each unit (from 1), columns that were asked for (`shown`), how it was drawn, `checks`
    of its score, and its label where there is one.
    """

    strata: tuple[str, ...]
    indices: Integers
    inclusion: Floats
    codes: Codes = as_json(None)
    shown: Mapping[str, Sequence[Any]] = as_json(None, default_factory=dict)
    checks: Sequence[str] = as_json(None, default=())
    labels: Mapping[int, Any] = as_json(None, default_factory=dict)
    recipe: Mapping[str, Any]

    words_hold_table = True

    def __len__(self) -> int:
        return len(self.indices)

    @property
    def stratum(self) -> np.ndarray[Any, Any]:
        """The name of the stratum of each of the N units."""
        return np.array(self.strata)[self.codes]

    @property
    def chances(self) -> Floats:
        """The chance of each drawn unit in a column of all N units, NaN for the others."""
        held = np.full(len(self.codes), np.nan)
        held[self.indices] = self.inclusion
        return held

    def save(self, path: Place) -> None:
        """Write the sample to a file that `load` reads; what is there is replaced."""
        content = {"recipe": dict(self.recipe), "strata": list(self.strata)}
        arrays = {"indices": self.indices, "inclusion": self.inclusion, "codes": self.codes}
        write_model(path, kind=KIND, schema=SCHEMA, content=content, arrays=arrays)

    @classmethod
    def load(cls, path: Place) -> LabelSample:
        """Read a sample that `save` wrote.

        Raises InputError if there is no such file, or it is truncated, changed or something else.
        """
        content, arrays = read_model(path, kind=KIND, schema=SCHEMA)
        try:
            indices, inclusion, codes = (arrays[name] for name in ("indices", "inclusion", "codes"))
            strata, recipe = tuple(content["strata"]), content["recipe"]
            sample = cls(strata=strata, indices=indices, inclusion=inclusion, codes=codes, recipe=recipe)
            if not (isinstance(recipe, dict) and all(isinstance(one, str) for one in sample.strata)):
                raise ValueError("its recipe must be an object, and its strata must have names")
            whole = all(one.ndim == 1 and one.dtype.kind == "i" and one.min() >= 0 for one in (indices, codes))
            fit = whole and indices.max() < len(codes) and codes.max() < len(sample.strata)
            if not fit or indices.shape != inclusion.shape or not ((inclusion > 0) & (inclusion <= 1)).all():
                raise ValueError("its parts do not fit together")
        except (KeyError, TypeError, ValueError) as error:
            raise damaged_model(path, error) from error
        return sample

    def columns(self) -> Sequence[Column]:
        """Of tables, the strata: their units, and how many are to be read; of frames and CSV, the units to read."""
        drawn, size = (np.bincount(one, minlength=len(self.strata)) for one in (self.codes[self.indices], self.codes))
        named = self.stratum[self.indices] if self.recipe.get("design") != "importance" else [""] * len(self)
        return [
            Column(ROW, COUNT, values=self.indices + 1, only=FRAME),
            *(Column(name, WORDS, values=held, only=FRAME) for name, held in self.shown.items()),
            Column(STRATUM, WORDS, values=named, only=FRAME),
            Column(CHANCE, NUMBER, values=self.inclusion, only=FRAME),
            *([Column(CHECK, WORDS, values=self.checks, only=FRAME)] if self.checks else []),
            Column(LABEL, WORDS, values=[self.labels.get(unit, "") for unit in self.indices.tolist()], only=FRAME),
            Column("stratum", WORDS, values=self.strata, only=TABLE),
            Column("units", COUNT, values=size, only=TABLE),
            Column("to read", COUNT, values=drawn, only=TABLE),
            Column("share", NUMBER, values=drawn / size, only=TABLE),
        ]

    @property
    def words(self) -> str:
        """How many units are to be read, of each stratum."""
        return f"{len(self):,} of {len(self.codes):,} units to read\n{self.table().shortened()}"


def highest_scores(score: Floats, elements: Elements) -> Floats:
    """The score of each element: of a cluster, the highest."""
    if elements.of_unit is None:
        return score
    highest = np.zeros(len(elements))
    np.maximum.at(highest, elements.of_unit, score)
    return highest


def strata_of(highest: Floats, elements: Elements, n: int, *, cells: Any, bands: Any) -> tuple[Codes, tuple[str, ...]]:
    """The stratum of each element: its band, and its period where there are labels enough."""
    first = elements.first()
    if bands is None:
        codes, names = bands_of(highest)
    else:
        of_unit, names = check_codes(bands, n=elements.units, name="bands")
        codes = of_unit if first is None else of_unit[first]
    if cells is None:
        return codes, names
    held = read_cells(cells, n=elements.units)
    periods = [name[-1] for name in held.names]
    known = {period: place for place, period in enumerate(sorted(set(periods), key=natural_order))}
    narrow = np.min_scalar_type(-len(known))
    period = np.array([known[one] for one in periods], dtype=narrow)[held.code if first is None else held.code[first]]
    both, used = combined([(codes, names), (period, tuple(known))], len(elements))
    if len(used) * PER_STRATUM > n:
        return codes, names
    return both, tuple(f"{names[one // len(known)]}, {list(known)[one % len(known)]}" for one in used.tolist())
