"""Which units to read: a sample whose chances are known, so that what a model misses can be counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure import __version__
from howsure.counts.columns import Columns
from howsure.counts.draw import Elements, partial_labels
from howsure.counts.further_labels import joined, recovered_sample
from howsure.counts.label_sample import (
    CHANCE,
    CHECK,
    LABEL,
    LEAST,
    ROW,
    STRATUM,
    LabelSample,
    allocation,
    further_allocation,
    highest_scores,
    planned_spread,
    spread_so_far,
    strata_of,
)
from howsure.counts.sheets import Sheet, check_of, read_sheet, two_values
from howsure.counts.units import rows_by_code
from howsure.errors import GIVEN, InputError, parameter
from howsure.inputs.checks import Codes, check_clusters, check_probabilities
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_whole, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.stats.randomness import Randomness, generator_from, seed_in_recipe

DESIGNS = ("stratified", "simple", "importance")
LEAST_CHANCE = 0.5  # of the average one: by importance, units of low score are drawn too


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
    show: Sequence[str] = (),
    more: Source | None = None,
    batch: tuple[LabelSample, ArrayLike | Mapping[int, object]] | None = None,
    rng: Randomness = None,
    data: Source | IntoFrame | None = None,
) -> LabelSample:
    """Draw units to read by hand, so that `estimate_counts` can say what the scores miss.

    y_prob (N,): scores, from 0 to 1.
    n: number of units to read; with clusters, of clusters.
    groups: columns of groups, the period last, by which strata are divided.
    date (N,): dates, whose periods are the last of the groups.
    date_format: date format, such as %d/%m/%Y (default: ISO 8601, or what else fits if only one does).
    period: length of the periods of dates: week, month, quarter or year.
    bands (N,): strata, instead of bands of the score.
    clusters (N,): what is drawn and read together, such as the document.
    design: sampling method: stratified, simple or importance.
    show: columns to copy into the sheet, such as id,text.
    more: filled sheet of an earlier sample: draw further units, and give all of both.
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
    if show and data is None:
        raise InputError(f"{parameter('show', GIVEN)} names columns of {parameter('data', GIVEN)}, which is missing.")
    if taken := {ROW, STRATUM, CHANCE, CHECK, LABEL} & set(show):
        raise InputError(
            f"{parameter('show')} names {min(taken)!r}, which is the name of a column that is written; rename it."
        )
    columns = Columns.read(
        data,
        show=show,
        date=date,
        date_format=date_format,
        period=period,
        y_prob=y_prob,
        groups=groups,
        bands=bands,
        clusters=clusters,
    )
    labels: Mapping[int, Any] = {}
    with columns.rows.placed():
        score = check_probabilities(columns["y_prob"])
        roles = {role: columns[role] for role in ("groups", "clusters")}
        if more is None:
            sample = _drawn(score, n, design=design, batch=batch, rng=rng, bands=columns["bands"], **roles)
        else:
            earlier = read_sheet(more, score, place=columns.rows.place, words=True, whole=True)
            sample, labels = _further(score, n, earlier, more.name, rng=rng, **roles), earlier.labels
    rows, held = sample.indices.tolist(), columns.rows.at(sample.indices.tolist())
    return replace(
        sample,
        shown={name: held[name] for name in show},
        checks=[check_of(float(score[row]), len(score)) for row in rows],
        labels=labels,
        recipe={**sample.recipe, **columns.rows.read},
    )


def _further(score: Floats, n: int, earlier: Sheet, file: str, *, rng: Randomness, **roles: Any) -> LabelSample:
    """The sample of a filled sheet and further units as one."""
    if all(name is None for name in earlier.strata.values()):
        raise InputError(
            f"{parameter('more')}: {file} was drawn by {parameter('design', 'importance')}; further units can be drawn "
            "in strata only."
        )
    before = recovered_sample(score, earlier.strata, **roles)
    if not np.allclose(before.inclusion, [earlier.chances[unit] for unit in before.indices.tolist()], rtol=1e-3):
        raise InputError(
            f"{parameter('more')}: {file} must hold all rows of its sample, with the inclusion probabilities that this "
            "gave; some are missing or changed. What was drawn and is not labelled cannot be drawn again."
        )
    batch, clusters = (before, two_values(earlier.labels, file)), roles["clusters"]
    further = _drawn(score, n, groups=None, bands=None, clusters=clusters, design=DESIGNS[0], batch=batch, rng=rng)
    return joined(before, further, clusters=clusters)


def _drawn(
    score: Floats, n: int, *, groups: Any, bands: Any, clusters: Any, design: str, batch: Any, rng: Randomness
) -> LabelSample:
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
