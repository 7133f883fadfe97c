"""A sample that goes on: what was drawn is found again from its strata, and further units are put beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from howsure.counts.label_sample import LabelSample, highest_scores, strata_of
from howsure.counts.population.draw import Elements
from howsure.errors import InputError
from howsure.inputs.checks import Codes, check_clusters, check_probabilities
from howsure.inputs.pairs import Integers

ANY_NUMBER = 1 << 60  # of labels: strata by period are possible


def recovered_sample(y_prob: Any, strata: Mapping[int, str], *, cells: Any = None, clusters: Any = None) -> LabelSample:
    """The sample that drew some units (rows from 0) from these strata, given the same scores, cells and clusters.

    >>> import numpy as np
    >>> from howsure.counts import sample_for_labels
    >>> score = np.linspace(0, 0.5, 1000)
    >>> sample = sample_for_labels(score, 50, rng=0)
    >>> drawn = {row: sample.stratum[row] for row in sample.indices.tolist()}
    >>> bool((recovered_sample(score, drawn).inclusion == sample.inclusion).all())
    True

    Raises InputError if no strata of these scores have these names where the units lie.
    """
    score = check_probabilities(y_prob)
    elements = Elements(len(score), None if clusters is None else check_clusters(clusters, n=len(score)))
    indices = np.array(sorted(strata), dtype=np.int64)
    wanted = [strata[row] for row in indices.tolist()]
    highest = highest_scores(score, elements)
    tried: list[tuple[Codes, tuple[str, ...]]] = [(np.zeros(len(elements), dtype=np.int8), ("all",))]
    ways = (None,) if cells is None else (None, cells)
    tried += [strata_of(highest, elements, ANY_NUMBER, cells=one, bands=None) for one in ways]
    for codes, names in tried:
        if [names[code] for code in codes[elements.of(indices)].tolist()] == wanted:
            design = "simple" if names == ("all",) else "stratified"
            return _with_chances(indices, elements, codes, names, design)
    raise InputError(
        "the strata of the sample before are not those of these scores. Pass the scores, cells and clusters of then."
    )


def joined(before: LabelSample, further: LabelSample, *, clusters: Any = None) -> LabelSample:
    """Two samples of the same strata as one, with the chances that both together give."""
    n = len(before.codes)
    elements = Elements(n, None if clusters is None else check_clusters(clusters, n=n))
    first = elements.first()
    codes = before.codes if first is None else before.codes[first]
    indices = np.union1d(before.indices, further.indices)
    return _with_chances(indices, elements, codes, before.strata, str(before.recipe["design"]))


def _with_chances(
    indices: Integers, elements: Elements, codes: Codes, names: tuple[str, ...], design: str
) -> LabelSample:
    drawn = np.unique(elements.of(indices))
    size = np.bincount(codes, minlength=len(names))
    chances = np.bincount(codes[drawn], minlength=len(names)) / size
    of_unit = codes if elements.of_unit is None else codes[elements.of_unit]
    recipe = {"design": design, "n": len(drawn)}
    return LabelSample(indices, chances[of_unit[indices]], names, of_unit, recipe)
