"""Samples of units to label, strata of a population by score, and the allocation of labels to strata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from howsure.counts.population import combined, read_cells
from howsure.counts.sampling_design import Elements
from howsure.files.atomic_write import Place
from howsure.files.serialization import damaged_model, read_model, write_model
from howsure.inputs.checks import Codes, check_codes
from howsure.inputs.numbers_and_names import natural_order
from howsure.inputs.pairs import Floats, Integers
from howsure.result import Result, as_json
from howsure.show.table import COUNT, FRAME, NUMBER, TABLE, WORDS, Column

HISTOGRAM_BINS = 200  # bins of [0, 1] whose counts determine where bands of scores end
BANDS = 3  # number of bands of scores above 0
MIN_SPREAD = 0.25  # minimum standard deviation assumed for labels, because a model's misses have low scores
MIN_LABELS_PER_STRATUM = 2  # labels per stratum
BLOCK = 1 << 20  # scores processed at a time


def score_bands(score: Floats) -> tuple[Codes, tuple[str, ...]]:
    """Divide scores into bands by the cumulative √frequency rule (Dalenius & Hodges 1959); scores of 0 are a band.

    Returns the index of each score's band, and the names of the bands.

    >>> codes, names = score_bands(np.array([0.0, 0.0, 0.1, 0.1, 0.5, 0.5, 0.9, 0.9]))
    >>> names
    ('score 0', 'score (0, 0.1]', 'score (0.1, 0.5]', 'score (0.5, 1]')
    >>> codes.tolist()
    [0, 0, 1, 1, 2, 2, 3, 3]
    """
    pieces = np.zeros(HISTOGRAM_BINS + 1, dtype=np.int64)
    least, most = np.inf, 0.0
    for start in range(0, len(score), BLOCK):
        above = score[start : start + BLOCK]
        above = above[above > 0]
        if len(above):
            place = np.minimum(np.ceil(above * HISTOGRAM_BINS).astype(np.int64), HISTOGRAM_BINS)
            pieces += np.bincount(place, minlength=HISTOGRAM_BINS + 1)
            least, most = min(least, float(above.min())), max(most, float(above.max()))
    root = np.cumsum(np.sqrt(pieces))
    cuts = np.searchsorted(root, root[-1] * np.arange(1, BANDS) / BANDS, side="left") / HISTOGRAM_BINS
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
    """Allocate n labels to strata: n_h ∝ N_h s_h (Neyman 1934), at least 2, at most N_h.

    size: the numbers N_h of units. spread: the standard deviations s_h of labels; values below 0.25 count as 0.25.

    >>> allocation(np.array([1000, 100]), np.array([0.2, 0.5]), 50).tolist()
    [42, 8]
    """
    weights = size * np.maximum(spread, MIN_SPREAD)
    minimum = np.minimum(size, MIN_LABELS_PER_STRATUM)
    ideal = n * weights / weights.sum()
    allocated: Integers = np.clip(np.floor(ideal).astype(np.int64), minimum, size)
    while allocated.sum() > n:  # small strata have their 2
        allocated[int(np.argmax(np.where(allocated > minimum, allocated - ideal, -np.inf)))] -= 1
    while allocated.sum() < n and (allocated < size).any():
        allocated[int(np.argmax(np.where(allocated < size, ideal - allocated, -np.inf)))] += 1
    return allocated


def further_allocation(target: Integers, n_labelled: Integers, size: Integers, n: int) -> Integers:
    """Allocate n further labels, one by one, to the stratum whose number of labels is farthest below its target.

    >>> further_allocation(np.array([42, 8]), np.array([20, 10]), np.array([1000, 100]), 20).tolist()
    [20, 0]
    """
    added = np.zeros_like(n_labelled)
    for _ in range(n):
        lack = np.where(n_labelled + added < size, target - n_labelled - added, -np.iinfo(np.int64).max)
        added[int(np.argmax(lack))] += 1
    return added


def planned_spread(score: Floats, stratum: Codes, n_strata: int) -> Floats:
    """Return the expected standard deviation of the labels in each stratum, √(p̄ (1 - p̄)) with p̄ its mean score."""
    mean = np.bincount(stratum, weights=score, minlength=n_strata) / np.bincount(stratum, minlength=n_strata)
    return np.asarray(np.sqrt(mean * (1.0 - mean)))


def spread_so_far(labels: Floats, stratum: Codes, n_strata: int) -> Floats:
    """Estimate the standard deviation of the labels in each stratum from labels: √(p̄ (1 - p̄)).

    p̄ = (positive labels + 1/2) / (labels + 1) is their smoothed proportion of positives.
    """
    n = np.bincount(stratum, minlength=n_strata)
    mean = (np.bincount(stratum, weights=labels, minlength=n_strata) + 0.5) / (n + 1.0)
    return np.asarray(np.sqrt(mean * (1.0 - mean)))


KIND, SCHEMA = "sample for labels", 1
ROW, STRATUM, CHANCE, CHECK, LABEL = "row", "stratum", "inclusion", "check", "label"  # columns of the sheet
MIN_MEAN_LABELS = 5  # strata are divided by period only if they get this many labels on average


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LabelSample(Result):
    """A sample of n of N units to label.

    indices (n,): the units. inclusion (n,): their inclusion probabilities. strata: names of the strata; codes (N,): the
    index in `strata` of each unit's stratum. For `estimate_counts`, use `stratum` (N,) or, for the design "importance",
    which has no strata, `chances` (N,). Frames and CSV are the sheet to fill in: the row of each unit (from 1), the
    requested columns (`shown`), its stratum and inclusion probability, a check code of its score (`checks`), and its
    label if it has one.
    """

    strata: tuple[str, ...]
    indices: Integers
    inclusion: Floats
    codes: Codes = as_json(None)
    shown: Mapping[str, Sequence[Any]] = as_json(None, default_factory=dict)
    checks: Sequence[str] = as_json(None, default=())
    labels: Mapping[int, Any] = as_json(None, default_factory=dict)
    recipe: Mapping[str, Any]

    description = ""

    def __len__(self) -> int:
        return len(self.indices)

    @property
    def stratum(self) -> np.ndarray[Any, Any]:
        """The name of the stratum of each of the N units."""
        return np.array(self.strata)[self.codes]

    @property
    def chances(self) -> Floats:
        """The inclusion probability of each drawn unit as a column of all N units, NaN for the others."""
        column = np.full(len(self.codes), np.nan)
        column[self.indices] = self.inclusion
        return column

    def save(self, path: Place) -> None:
        """Write the sample to a file that `load` reads; an existing file is replaced."""
        content = {"recipe": dict(self.recipe), "strata": list(self.strata)}
        arrays = {"indices": self.indices, "inclusion": self.inclusion, "codes": self.codes}
        write_model(path, kind=KIND, schema=SCHEMA, content=content, arrays=arrays)

    @classmethod
    def load(cls, path: Place) -> LabelSample:
        """Read a sample that `save` wrote.

        Raises InputError if the file does not exist, is truncated or changed, or is not a sample.
        """
        content, arrays = read_model(path, kind=KIND, schema=SCHEMA)
        try:
            indices, inclusion, codes = (arrays[name] for name in ("indices", "inclusion", "codes"))
            strata, recipe = tuple(content["strata"]), content["recipe"]
            sample = cls(strata=strata, indices=indices, inclusion=inclusion, codes=codes, recipe=recipe)
            if not (isinstance(recipe, dict) and all(isinstance(name, str) for name in sample.strata)):
                raise ValueError("its recipe must be an object, and its strata must have names")
            whole = all(array.ndim == 1 and array.dtype.kind == "i" and array.min() >= 0 for array in (indices, codes))
            fit = whole and indices.max() < len(codes) and codes.max() < len(sample.strata)
            if not fit or indices.shape != inclusion.shape or not ((inclusion > 0) & (inclusion <= 1)).all():
                raise ValueError("its parts do not fit together")
        except (KeyError, TypeError, ValueError) as error:
            raise damaged_model(path, error) from error
        return sample

    def columns(self) -> Sequence[Column]:
        """In tables, a row per stratum: units, labels, proportion. In frames and CSV, a row per unit to label."""
        drawn, size = (
            np.bincount(codes, minlength=len(self.strata)) for codes in (self.codes[self.indices], self.codes)
        )
        named = self.stratum[self.indices] if self.recipe.get("design") != "importance" else [""] * len(self)
        return [
            Column(ROW, COUNT, values=self.indices + 1, only=FRAME),
            *(Column(name, WORDS, values=column, only=FRAME) for name, column in self.shown.items()),
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
    def answer(self) -> str:
        """The number of units to label."""
        return f"{len(self):,} of {len(self.codes):,} units to label."


def highest_scores(score: Floats, elements: Elements) -> Floats:
    """Return the score of each element; for a cluster, the highest score of its units."""
    if elements.of_unit is None:
        return score
    highest = np.zeros(len(elements))
    np.maximum.at(highest, elements.of_unit, score)
    return highest


def assign_strata(
    highest: Floats, elements: Elements, n: int, *, cells: Any, bands: Any
) -> tuple[Codes, tuple[str, ...]]:
    """Return the stratum of each element: its band, divided by period if n labels suffice for this."""
    first = elements.first()
    if bands is None:
        codes, names = score_bands(highest)
    else:
        of_unit, names = check_codes(bands, n=elements.units, name="bands")
        codes = of_unit if first is None else of_unit[first]
    if cells is None:
        return codes, names
    table = read_cells(cells, n=elements.units)
    periods = [name[-1] for name in table.names]
    place_of_period = {period: place for place, period in enumerate(sorted(set(periods), key=natural_order))}
    narrow = np.min_scalar_type(-len(place_of_period))
    period = np.array([place_of_period[period] for period in periods], dtype=narrow)[
        table.code if first is None else table.code[first]
    ]
    both, used = combined([(codes, names), (period, tuple(place_of_period))], len(elements))
    if len(used) * MIN_MEAN_LABELS > n:
        return codes, names
    return both, tuple(
        f"{names[code // len(place_of_period)]}, {list(place_of_period)[code % len(place_of_period)]}"
        for code in used.tolist()
    )
