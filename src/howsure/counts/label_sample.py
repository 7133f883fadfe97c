"""Which units to read: a sample whose chances are known, so that what a model misses can be counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from howsure import __version__
from howsure.counts.columns import Columns
from howsure.counts.draw import Elements, partial_labels
from howsure.counts.units import combined, read_cells, rows_by_code
from howsure.errors import InputError, parameter
from howsure.files.saved import damaged_model, read_model, write_model
from howsure.files.whole import Place
from howsure.inputs.checks import Codes, check_clusters, check_codes, check_probabilities
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_whole, natural_order, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.result import Result, as_json
from howsure.show.table import COUNT, FRAME, NUMBER, TABLE, WORDS, Column
from howsure.stats.randomness import Randomness, generator_from, seed_in_recipe

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
DESIGNS = ("stratified", "simple", "importance")
LEAST_CHANCE = 0.5  # of the average one: by importance, units of low score are drawn too
PER_STRATUM = 5  # labels on average that strata by period as well must get


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LabelSample(Result):
    """The units to read: `indices` (n,), their chance `inclusion` (n,), and `strata` (N,), a name for every unit.

    Pass `strata` to `estimate_counts`; by design "importance", which has no strata, `chances` (N,).
    """

    strata: tuple[str, ...]
    indices: Integers
    inclusion: Floats
    codes: Codes = as_json(None)
    recipe: Mapping[str, Any]

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
        return [
            Column("index", COUNT, values=self.indices, only=FRAME),
            Column("stratum", WORDS, values=self.stratum[self.indices], only=FRAME),
            Column("inclusion", NUMBER, values=self.inclusion, only=FRAME),
            Column("stratum", WORDS, values=self.strata, only=TABLE),
            Column("units", COUNT, values=size, only=TABLE),
            Column("to read", COUNT, values=drawn, only=TABLE),
            Column("share", NUMBER, values=drawn / size, only=TABLE),
        ]

    @property
    def words(self) -> str:
        """How many units are to be read, of each stratum."""
        return f"{len(self):,} of {len(self.codes):,} units to read\n{self.table().shortened()}"


def sample_for_labels(
    y_prob: ArrayLike | str,
    n: int,
    *,
    groups: ArrayLike | Mapping[str, ArrayLike] | IntoFrame | str | None = None,
    date: ArrayLike | str | None = None,
    date_format: str | None = None,
    period: str | None = None,
    bands: ArrayLike | str | None = None,
    clusters: ArrayLike | str | None = None,
    design: str = "stratified",
    batch: tuple[LabelSample, ArrayLike | Mapping[int, object]] | None = None,
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> LabelSample:
    """Draw units to read by hand, so that `estimate_counts` can say what the scores miss.

    y_prob (N,): scores, from 0 to 1.
    n: number of units to read; with clusters, of clusters.
    groups: columns of groups, the period last, by which strata are divided.
    date (N,): dates, whose periods are the last of the groups.
    date_format: date format, such as %d/%m/%Y (default: ISO 8601).
    period: length of the periods of dates: week, month, quarter or year.
    bands (N,): strata, instead of bands of the score.
    clusters (N,): what is drawn and read together, such as the document.
    design: sampling method: stratified, simple or importance.
    batch: an earlier sample and the labels (N,) known by now.
    rng: seed of the draw.

    Design "stratified": strata are `bands`, by default bands of the score with 0 as one of its own, each divided by the
    last of the groups where that leaves 5 labels per stratum on average. Labels are allotted as N_h s_h (Neyman),
    s_h = √(p̄(1 - p̄)) but at least 0.25, and at least 2 each, since a model's misses lie in its low bands. "simple":
    at random from all. "importance": with chances in proportion to √(p (1 - p)), but at least half of the average, by
    systematic sampling of a random order. A cluster has the band of its highest score.

    With a batch the result holds n further units of the same strata, with s_h from the labels; its `inclusion` is that
    of both samples together, which `estimate_counts` gets from `strata`.

    >>> import numpy as np
    >>> sample = sample_for_labels(np.linspace(0, 0.5, 1000), 50, rng=0)
    >>> len(sample), sample.strata[1]
    (50, 'score (0, 0.17]')

    Raises InputError if n is below twice the number of strata or above the number of units.
    """
    if design not in DESIGNS:
        raise unknown_name("design", design, DESIGNS, place="samples for labels")
    columns = Columns.read(
        data,
        date=date,
        date_format=date_format,
        period=period,
        y_prob=y_prob,
        groups=groups,
        bands=bands,
        clusters=clusters,
    )
    with columns.rows.placed():
        sample = _drawn(n, design=design, batch=batch, rng=rng, **columns.held)
    return replace(sample, recipe={**sample.recipe, **columns.rows.read})


def _drawn(
    n: int, *, y_prob: Any, groups: Any, bands: Any, clusters: Any, design: str, batch: Any, rng: Randomness
) -> LabelSample:
    score = check_probabilities(y_prob)
    elements = Elements(len(score), None if clusters is None else check_clusters(clusters, n=len(score)))
    highest = highest_scores(score, elements)
    n = check_whole(n, name="n", least=LEAST)
    generator = generator_from(rng)
    recipe = {"design": design, "n": n, "seed": seed_in_recipe(rng), "howsure": __version__}
    if batch is not None:
        return _next_batch(batch, n, elements, generator, recipe, strata=[groups, bands])
    if n > len(elements):
        raise InputError(
            f"{parameter('n')} must be at most the number of {elements.what}, {len(elements):,}; it is {n:,}."
        )
    if design == "importance":
        chances = _chances(highest, n)
        drawn = _systematic(chances, generator)
        return _sample(drawn, chances[drawn], elements, np.zeros(len(elements), dtype=np.int8), ("all",), recipe)
    if design == "simple":
        codes: Codes = np.zeros(len(elements), dtype=np.int8)
        names: tuple[str, ...] = ("all",)
    else:
        codes, names = strata_of(highest, elements, n, cells=groups, bands=bands)
    size = np.bincount(codes, minlength=len(names))
    if n < (needed := int(np.minimum(size, LEAST).sum())):
        what = f"{needed} for {len(names)} strata"
        raise InputError(
            f"{parameter('n')} must be at least 2 per stratum, {what}; it is {n}. Draw more, in fewer bands, or by "
            f"another {parameter('design')}."
        )
    given = allocation(size, planned_spread(highest, codes, len(names)), n)
    drawn = _within(codes, given, np.empty(0, dtype=np.int64), generator)
    return _sample(drawn, (given / size)[codes[drawn]], elements, codes, names, recipe)


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


def _within(codes: Codes, given: Integers, taken: Integers, rng: np.random.Generator) -> Integers:
    """So many elements of each stratum at random, of those not taken, in ascending order."""
    size = np.bincount(codes, minlength=len(given))
    order = rows_by_code(codes, size)
    pools = np.split(order, np.cumsum(size)[:-1])
    drawn = [
        rng.choice(pool[~np.isin(pool, taken)] if len(taken) else pool, size=number, replace=False)
        for pool, number in zip(pools, given.tolist(), strict=True)
    ]
    return np.sort(np.concatenate(drawn)).astype(np.int64)


def _chances(score: Floats, n: int) -> Floats:
    """Chances of inclusion that sum to n, in proportion to √(p (1 - p)) with a floor; those above 1 become 1."""
    size = np.sqrt(score * (1.0 - score))
    size = np.maximum(size, LEAST_CHANCE * (size.mean() or 1.0))
    chances = np.minimum(n * size / size.sum(), 1.0)
    for _ in range(len(size)):
        certain = chances >= 1.0
        rest = n - certain.sum()
        others = size[~certain].sum() or 1.0
        chances = np.where(certain, 1.0, np.minimum(rest * size / others, 1.0))
        if (chances >= 1.0).sum() == certain.sum():
            break
    return np.asarray(chances)


def _systematic(chances: Floats, rng: np.random.Generator) -> Integers:
    """Elements whose stretch of the line of cumulated chances holds 0, 1, 2 … + u, in random order."""
    order = rng.permutation(len(chances))
    ends = np.cumsum(chances[order])
    marks = np.arange(round(float(ends[-1]))) + rng.random()
    held: Integers = np.sort(order[np.minimum(np.searchsorted(ends, marks, side="left"), len(order) - 1)])
    return np.unique(held)


def _next_batch(
    batch: tuple[LabelSample, Any],
    n: int,
    elements: Elements,
    rng: np.random.Generator,
    recipe: dict[str, Any],
    *,
    strata: list[Any],
) -> LabelSample:
    if not (isinstance(batch, tuple) and len(batch) == 2 and isinstance(batch[0], LabelSample)):
        raise InputError("batch must be a pair: an earlier sample, and the labels (N,) known by now.")
    before, labels = batch
    design = before.recipe.get("design", DESIGNS[0])
    if any(one is not None for one in strata) or recipe["design"] not in (DESIGNS[0], design):
        raise InputError(
            f"batch: further units are drawn as those before, by design {design!r} and within the same strata; leave "
            "out cells, bands and design."
        )
    if design == "importance":
        raise InputError("batch: further units can be drawn within strata only, not by design 'importance'.")
    if len(before.codes) != elements.units:
        raise InputError(
            f"batch: its sample is of {len(before.codes):,} units, {parameter('y_prob')} has {elements.units:,}."
        )
    known, values = partial_labels(labels, n=elements.units)
    lack = np.setdiff1d(before.indices, known)
    if len(lack):
        raise InputError(f"batch: unit {lack[0]} was drawn and has no label ({len(lack):,} such); label them first.")
    first = elements.first()
    codes = before.codes if first is None else before.codes[first]
    taken = np.unique(elements.of(known))
    drawn_before = len(np.unique(elements.of(before.indices))) + int(before.recipe.get("after", 0))
    if len(taken) != drawn_before:
        raise InputError(
            f"batch: labels must be those of what the samples before drew, {drawn_before:,}; they are of "
            f"{len(taken):,}. What was read for another reason was not drawn at random."
        )
    names = before.strata
    size = np.bincount(codes, minlength=len(names))
    had = np.bincount(codes[taken], minlength=len(names))
    if n > (left := int((size - had).sum())):
        raise InputError(f"{parameter('n')} must be at most the number of units left, {left:,}; it is {n:,}.")
    wanted = allocation(size, spread_so_far(values, before.codes[known], len(names)), n + int(had.sum()))
    given = further_allocation(wanted, had, size, n)
    drawn = _within(codes, given, taken, rng)
    return _sample(
        drawn,
        ((had + given) / size)[codes[drawn]],
        elements,
        codes,
        names,
        recipe | {"design": design, "after": int(had.sum())},
    )


def _sample(
    drawn: Integers, chances: Floats, elements: Elements, codes: Codes, names: tuple[str, ...], recipe: dict[str, Any]
) -> LabelSample:
    """The units of the drawn elements."""
    if elements.of_unit is None:
        return LabelSample(strata=names, indices=drawn, inclusion=chances, codes=codes, recipe=recipe)
    chance = np.zeros(len(codes))
    chance[drawn] = chances
    of_unit = elements.of_unit
    drawn = np.flatnonzero(chance[of_unit] > 0)
    return LabelSample(
        strata=names, indices=drawn, inclusion=chance[of_unit[drawn]], codes=codes[of_unit], recipe=recipe
    )
