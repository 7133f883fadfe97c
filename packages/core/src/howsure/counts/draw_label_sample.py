"""Drawing units to label with known inclusion probabilities, so that errors of the model can be estimated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from howsure import __version__
from howsure.counts.columns import Columns
from howsure.counts.further_labels import join_samples, recovered_sample
from howsure.counts.label_sample import (
    CHANCE,
    CHECK,
    LABEL,
    MIN_LABELS_PER_STRATUM,
    ROW,
    STRATUM,
    LabelSample,
    allocation,
    assign_strata,
    further_allocation,
    highest_scores,
    planned_spread,
    spread_so_far,
)
from howsure.counts.label_sheets import Sheet, read_sheet, row_check, two_values
from howsure.counts.population import rows_by_code
from howsure.counts.sampling_design import Elements, partial_labels
from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, check_arguments, generator_from, seed_in_recipe, with_seed
from howsure.inputs.checks import Codes, check_clusters, check_probabilities
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_integer, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame

DESIGNS = ("stratified", "simple", "importance")
MIN_RELATIVE_CHANCE = 0.5  # importance sampling: smallest inclusion probability, relative to the average


def draw_label_sample(
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
    """Draw units to label by hand; counts that are based on model scores can then be corrected with these labels.

    y_prob (N,): scores, from 0 to 1.
    n: number of units to label or, with clusters, number of clusters.
    groups: columns of groups, the period last, by which strata are divided.
    date (N,): dates, whose periods are the last of the groups.
    date_format: date format, such as %d/%m/%Y (default: ISO 8601, or what else fits if only one does).
    period: length of the periods of dates: week, month, quarter or year.
    bands (N,): strata, instead of bands of the score.
    clusters (N,): units that are drawn and labelled together, such as those of a document.
    design: sampling method: stratified, simple or importance.
    show: columns to copy into the sheet, such as id,text.
    more: labelled sheet of an earlier sample: draw further units, and return the units of both samples.
    batch: an earlier sample and the labels (N,) known by now.
    rng: seed of the draw.

    Design "stratified": the strata are `bands`, by default bands of the score with 0 as a separate band, each divided
    by the last group column if that leaves 5 labels per stratum on average. Labels are allocated in proportion to
    N_h s_h (Neyman), where N_h is the number of units of stratum h, and s_h is √(p̄(1 - p̄)) for its mean score p̄, but
    at least 0.25, because a model gives low scores to some positives. A stratum gets at least 2 labels. "simple": at
    random from all. "importance": with probabilities in proportion to √(p (1 - p)), but at least half of the average,
    by systematic sampling in random order. A cluster has the band of its highest score.

    With a batch the result has n further units of the same strata, with s_h from the labels; its `inclusion` is that
    of both samples together, which `estimate_counts` computes from `strata`.

    >>> import numpy as np
    >>> sample = draw_label_sample(np.linspace(0, 0.5, 1000), 50, rng=0)
    >>> len(sample), sample.strata[1]
    (50, 'score (0, 0.17]')

    Raises InputError if n is less than twice the number of strata or more than the number of units.
    """
    check_arguments(draw_label_sample, locals())
    if design not in DESIGNS:
        raise unknown_name("design", design, DESIGNS, place="samples for labels")
    show = list(show)
    if show and data is None:
        raise InputError("`show=...` names columns of `data=...`, which is missing.")
    if reserved := {ROW, STRATUM, CHANCE, CHECK, LABEL} & set(show):
        raise InputError(f"`show` names {min(reserved)!r}, which is a column of the sheet itself; rename it.")
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
    with columns.rows.locating_errors():
        score = check_probabilities(columns["y_prob"])
        roles = {role: columns[role] for role in ("groups", "clusters")}
        if more is None:
            sample = _draw_sample(score, n, design=design, batch=batch, rng=rng, bands=columns["bands"], **roles)
        else:
            earlier = read_sheet(more, score, place=columns.rows.place, words=True, whole=True)
            sample, labels = _extend_sample(score, n, earlier, more.name, rng=rng, **roles), earlier.labels
    rows = sample.indices.tolist()
    shown_columns = columns.rows.at(rows)
    shown_columns |= {name: np.asarray(columns.rows[name])[rows] for name in {*show} - {*shown_columns}}
    return replace(
        sample,
        shown={name: shown_columns[name] for name in show},
        checks=[row_check(float(score[row]), len(score)) for row in rows],
        labels=labels,
        recipe={**sample.recipe, **columns.rows.provenance},
    )


def _extend_sample(score: Floats, n: int, earlier: Sheet, file: str, *, rng: Randomness, **roles: Any) -> LabelSample:
    """Return the sample of a filled sheet plus further units, as one sample."""
    if all(name is None for name in earlier.strata.values()):
        raise InputError(
            f"`more`: {file} was drawn with `design='importance'`; further units can only be drawn within strata."
        )
    before = recovered_sample(score, earlier.strata, **roles)
    if not np.allclose(before.inclusion, [earlier.chances[unit] for unit in before.indices.tolist()], rtol=1e-3):
        raise InputError(
            f"`more`: {file} must have all rows of its sample with their inclusion probabilities; some are missing or "
            "changed. Restore them: drawn units are not drawn again."
        )
    batch, clusters = (before, two_values(earlier.labels, file)), roles["clusters"]
    further = _draw_sample(
        score, n, groups=None, bands=None, clusters=clusters, design=DESIGNS[0], batch=batch, rng=rng
    )
    return join_samples(before, further, clusters=clusters)


def _draw_sample(
    score: Floats, n: int, *, groups: Any, bands: Any, clusters: Any, design: str, batch: Any, rng: Randomness
) -> LabelSample:
    elements = Elements(len(score), None if clusters is None else check_clusters(clusters, n=len(score)))
    highest = highest_scores(score, elements)
    n = check_integer(n, name="n", least=MIN_LABELS_PER_STRATUM)
    rng = with_seed(rng)
    generator = generator_from(rng)
    recipe = {"design": design, "n": n, "seed": seed_in_recipe(rng), "howsure": __version__}
    if batch is not None:
        return _next_batch(batch, n, elements, generator, recipe, strata=[groups, bands])
    if n > len(elements):
        raise InputError("too_many", "n", what=elements.what, most=len(elements), value=n)
    if design == "importance":
        chances = _inclusion_probabilities(highest, n)
        drawn = _systematic(chances, generator)
        return _sample(drawn, chances[drawn], elements, np.zeros(len(elements), dtype=np.int8), ("all",), recipe)
    if design == "simple":
        codes: Codes = np.zeros(len(elements), dtype=np.int8)
        names: tuple[str, ...] = ("all",)
    else:
        codes, names = assign_strata(highest, elements, n, cells=groups, bands=bands)
    size = np.bincount(codes, minlength=len(names))
    if n < (needed := int(np.minimum(size, MIN_LABELS_PER_STRATUM).sum())):
        what = f"{needed} for {len(names)} strata"
        raise InputError(
            f"`n` must be at least 2 per stratum, {what}; it is {n}. Draw more, in fewer bands, or by another `design`."
        )
    allocated = allocation(size, planned_spread(highest, codes, len(names)), n)
    drawn = _draw_within_strata(codes, allocated, np.empty(0, dtype=np.int64), generator)
    return _sample(drawn, (allocated / size)[codes[drawn]], elements, codes, names, recipe)


def _draw_within_strata(
    codes: Codes, number_of_stratum: Integers, excluded: Integers, rng: np.random.Generator
) -> Integers:
    """Draw elements at random from each stratum, except the excluded ones; return their indices, ascending."""
    size = np.bincount(codes, minlength=len(number_of_stratum))
    order = rows_by_code(codes, size)
    pools = np.split(order, np.cumsum(size)[:-1])
    drawn = [
        rng.choice(pool[~np.isin(pool, excluded)] if len(excluded) else pool, size=number, replace=False)
        for pool, number in zip(pools, number_of_stratum.tolist(), strict=True)
    ]
    return np.sort(np.concatenate(drawn)).astype(np.int64)


def _inclusion_probabilities(score: Floats, n: int) -> Floats:
    """Return inclusion probabilities that sum to n: proportional to √(p (1 - p)), with a minimum, and at most 1."""
    size = np.sqrt(score * (1.0 - score))
    size = np.maximum(size, MIN_RELATIVE_CHANCE * (size.mean() or 1.0))
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
    """Draw elements by systematic sampling.

    In random order, an element is drawn if its interval of cumulative probability contains one of u, 1 + u, 2 + u, ….
    """
    order = rng.permutation(len(chances))
    ends = np.cumsum(chances[order])
    marks = np.arange(round(float(ends[-1]))) + rng.random()
    drawn: Integers = np.sort(order[np.minimum(np.searchsorted(ends, marks, side="left"), len(order) - 1)])
    return np.unique(drawn)


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
    if any(parameter_value is not None for parameter_value in strata) or recipe["design"] not in (DESIGNS[0], design):
        raise InputError(
            f"batch: further units are drawn by the earlier design, {design!r}, and within the same strata; leave "
            "out groups, bands and design."
        )
    if design == "importance":
        raise InputError("batch: further units can be drawn within strata only, not by design 'importance'.")
    if len(before.codes) != elements.units:
        raise InputError(f"batch: its sample is of {len(before.codes):,} units, `y_prob` has {elements.units:,}.")
    labelled, values = partial_labels(labels, n=elements.units)
    lack = np.setdiff1d(before.indices, labelled)
    if len(lack):
        raise InputError(
            f"batch: every drawn unit must have a label; unit {lack[0]} has none (units without one: "
            f"{len(lack):,}). Label them first."
        )
    first = elements.first()
    codes = before.codes if first is None else before.codes[first]
    labelled_elements = np.unique(elements.of(labelled))
    drawn_before = len(np.unique(elements.of(before.indices))) + int(before.recipe.get("after", 0))
    if len(labelled_elements) != drawn_before:
        raise InputError(
            f"batch: labels must be given for exactly the {drawn_before:,} units drawn so far; they are given for "
            f"{len(labelled_elements):,}. Labels of other units are not a random sample; leave them out."
        )
    names = before.strata
    size = np.bincount(codes, minlength=len(names))
    n_labelled = np.bincount(codes[labelled_elements], minlength=len(names))
    if n > (remaining := int((size - n_labelled).sum())):
        raise InputError("too_many", "n", what="units left", most=remaining, value=n)
    target = allocation(size, spread_so_far(values, before.codes[labelled], len(names)), n + int(n_labelled.sum()))
    added = further_allocation(target, n_labelled, size, n)
    drawn = _draw_within_strata(codes, added, labelled_elements, rng)
    return _sample(
        drawn,
        ((n_labelled + added) / size)[codes[drawn]],
        elements,
        codes,
        names,
        recipe | {"design": design, "after": int(n_labelled.sum())},
    )


def _sample(
    drawn: Integers, chances: Floats, elements: Elements, codes: Codes, names: tuple[str, ...], recipe: dict[str, Any]
) -> LabelSample:
    if elements.of_unit is None:
        return LabelSample(strata=names, indices=drawn, inclusion=chances, codes=codes, recipe=recipe)
    chance = np.zeros(len(codes))
    chance[drawn] = chances
    of_unit = elements.of_unit
    drawn = np.flatnonzero(chance[of_unit] > 0)
    return LabelSample(
        strata=names, indices=drawn, inclusion=chance[of_unit[drawn]], codes=codes[of_unit], recipe=recipe
    )
