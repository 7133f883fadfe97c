"""A sample that goes on, and what was drawn, read or not; counts that hold whatever the labels are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.counts.draw import Elements, partial_labels
from howsure.counts.label_sample import LabelSample, highest_scores, strata_of
from howsure.counts.notes import Note
from howsure.counts.results import CountEstimate, CountEstimates, Diagnostics
from howsure.counts.units import check_enough
from howsure.errors import InputError, at_row, parameter
from howsure.inputs.checks import Codes, check_clusters, check_probabilities
from howsure.inputs.pairs import Floats, Integers

# A sample that goes on: what was drawn is found again from its strata, and further units are put beside it.

ANY_NUMBER = 1 << 60  # of labels: strata by period are possible


def recovered_sample(
    y_prob: Any, strata: Mapping[int, str], *, groups: Any = None, clusters: Any = None
) -> LabelSample:
    """The sample that drew some units (rows from 0) from these strata, given the same scores, groups and clusters.

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
    ways = (None,) if groups is None else (None, groups)
    tried += [strata_of(highest, elements, ANY_NUMBER, cells=one, bands=None) for one in ways]
    for codes, names in tried:
        if [names[code] for code in codes[elements.of(indices)].tolist()] == wanted:
            design = "simple" if names == ("all",) else "stratified"
            return _with_chances(indices, elements, codes, names, design)
    raise InputError(
        f"the strata of the sample before are not those of these scores. Give the same {parameter('y_prob')}, "
        f"{parameter('groups')} and {parameter('clusters')}."
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
    return LabelSample(strata=names, indices=indices, inclusion=chances[of_unit[indices]], codes=of_unit, recipe=recipe)


# What was drawn for labelling, read or not; and counts that hold whatever the labels of the unread are.


@dataclass(frozen=True, slots=True)
class Drawn:
    """The drawn units by their rows from 0: the chance of each, and its stratum (None: drawn with unequal chances)."""

    inclusion: Mapping[int, float]
    strata: Mapping[int, Any] | None

    @property
    def rows(self) -> Integers:
        """The rows of the drawn units, ascending."""
        return np.array(sorted(self.inclusion), dtype=np.int64)

    @classmethod
    def of(cls, sample: Any, *, n: int, clusters: Any) -> Drawn:
        """Of a sample, or of several that were drawn one after the other; as it is if it is one already.

        Raises InputError for anything else, a sample of other units, or a further batch without the one before it.
        """
        if isinstance(sample, Drawn):
            return sample
        several = [sample] if isinstance(sample, LabelSample) else sample
        if not isinstance(several, Sequence) or not several or not all(isinstance(s, LabelSample) for s in several):
            raise InputError(
                "sample must be what sample_for_labels gave, or a list of such samples; it is a "
                f"{type(sample).__name__}."
            )
        odd = next((one for one in several if len(one.codes) != n), None)
        if odd is not None:
            raise InputError(
                f"sample is one of {len(odd.codes):,} units, {parameter('y_prob')} has {n:,}. Pass the scores of then."
            )
        whole = several[0]
        for further in several[1:]:
            whole = joined(whole, further, clusters=clusters)
        if len(several) == 1 and "after" in whole.recipe:
            raise InputError("sample was drawn after another; pass both: sample=[first, second].")
        rows = whole.indices.tolist()
        by_chance = whole.recipe.get("design") == "importance"
        strata = None if by_chance else dict(zip(rows, whole.stratum[whole.indices].tolist(), strict=True))
        return cls(dict(zip(rows, whole.inclusion.tolist(), strict=True)), strata)

    def read(self, labels: Any, *, n: int, pos_label: Any) -> tuple[Integers, Floats, Integers]:
        """The rows that were read with their labels, and the rows that were drawn and not read.

        Raises InputError for a label of a unit that was not drawn, or fewer than 10 labels.
        """
        known, values = partial_labels(labels, n=n, pos_label=pos_label)
        check_enough(len(known), n)
        rows = self.rows
        others = np.setdiff1d(known, rows)
        if len(others):
            raise InputError(
                f"labels must be those of the sample; {at_row(others[0])} was not drawn ({len(others):,} such). What "
                "was "
                "read for another reason was not drawn at random: leave these labels out, or draw further units with "
                "batch=(sample, labels)."
            )
        return known, values, np.setdiff1d(rows, known)


def within_extremes(none: CountEstimates, every: CountEstimates, *, unread: Integers, drawn: int) -> CountEstimates:
    """Counts from those with no unread unit positive and those with all of them: intervals hold whatever they are.

    The estimates take the unread units to be positive as often as the read ones.
    """
    read, k = drawn - len(unread), none.total.positives
    share = k / read if read else 0.0

    def of(low: CountEstimate, high: CountEstimate) -> CountEstimate:
        lost = high.positives - low.positives
        return replace(
            low,
            labelled=low.labelled - lost,
            estimate=low.estimate + share * (high.estimate - low.estimate),
            low=min(low.low, high.low),
            high=max(low.high, high.high),
            method=low.method if low.method == high.method else f"{low.method}, {high.method}",
        )

    raw = none.recipe["method"] == "raw"
    note = Note("unread", {"unread": len(unread), "drawn": drawn, "raw": raw}, needs_estimates=False)
    return CountEstimates(
        keys=none.keys,
        rows=tuple(map(of, none.rows, every.rows)),
        domains=tuple(map(of, none.domains, every.domains)),
        total=of(none.total, every.total),
        diagnostics=Diagnostics(),
        caveats=(note, *(one for one in none.caveats if one in every.caveats)),
        told=False,
        in_shares=none.in_shares,
        recipe={**none.recipe, "labelled": read, "drawn": drawn},
    )
