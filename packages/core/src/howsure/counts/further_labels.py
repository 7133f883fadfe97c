"""Samples drawn in batches, and bounds of counts for drawn units that have no label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.counts.label_sample import LabelSample, assign_strata, highest_scores
from howsure.counts.notes import CountNote
from howsure.counts.population import check_enough
from howsure.counts.results import CountEstimate, CountEstimates, Diagnostics
from howsure.counts.sampling_design import Elements, partial_labels
from howsure.errors import InputError
from howsure.inputs.checks import Codes, check_clusters, check_probabilities
from howsure.inputs.pairs import Floats, Integers

# Samples drawn in batches: the earlier sample is recovered from its strata, and further units are added.

UNLIMITED = 1 << 60  # of labels: strata by period are possible


def recovered_sample(
    y_prob: Any, strata: Mapping[int, str], *, groups: Any = None, clusters: Any = None
) -> LabelSample:
    """The sample that drew these units (rows from 0) from these strata, with the same scores, groups and clusters.

    >>> import numpy as np
    >>> from howsure.counts import draw_label_sample
    >>> score = np.linspace(0, 0.5, 1000)
    >>> sample = draw_label_sample(score, 50, rng=0)
    >>> drawn = {row: sample.stratum[row] for row in sample.indices.tolist()}
    >>> bool((recovered_sample(score, drawn).inclusion == sample.inclusion).all())
    True
    """
    score = check_probabilities(y_prob)
    elements = Elements(len(score), None if clusters is None else check_clusters(clusters, n=len(score)))
    indices = np.array(sorted(strata), dtype=np.int64)
    stratum_of_drawn = [strata[row] for row in indices.tolist()]
    highest = highest_scores(score, elements)
    tried: list[tuple[Codes, tuple[str, ...]]] = [(np.zeros(len(elements), dtype=np.int8), ("all",))]
    ways = (None,) if groups is None else (None, groups)
    tried += [assign_strata(highest, elements, UNLIMITED, cells=cells, bands=None) for cells in ways]
    for codes, names in tried:
        if [names[code] for code in codes[elements.of(indices)].tolist()] == stratum_of_drawn:
            design = "simple" if names == ("all",) else "stratified"
            return _sample_with_inclusion(indices, elements, codes, names, design)
    raise InputError(
        "the strata of the earlier sample do not match these scores. Pass the same `y_prob`, `groups` and `clusters`."
    )


def join_samples(before: LabelSample, further: LabelSample, *, clusters: Any = None) -> LabelSample:
    """Two samples from the same strata as one sample, with its inclusion probabilities."""
    n = len(before.codes)
    elements = Elements(n, None if clusters is None else check_clusters(clusters, n=n))
    first = elements.first()
    codes = before.codes if first is None else before.codes[first]
    indices = np.union1d(before.indices, further.indices)
    return _sample_with_inclusion(indices, elements, codes, before.strata, str(before.recipe["design"]))


def _sample_with_inclusion(
    indices: Integers, elements: Elements, codes: Codes, names: tuple[str, ...], design: str
) -> LabelSample:
    drawn = np.unique(elements.of(indices))
    size = np.bincount(codes, minlength=len(names))
    chances = np.bincount(codes[drawn], minlength=len(names)) / size
    of_unit = codes if elements.of_unit is None else codes[elements.of_unit]
    recipe = {"design": design, "n": len(drawn)}
    return LabelSample(strata=names, indices=indices, inclusion=chances[of_unit[indices]], codes=of_unit, recipe=recipe)


# Drawn units with and without a label, and bounds of counts for any labels of the latter.


@dataclass(frozen=True, slots=True)
class Drawn:
    """The inclusion probability of each drawn unit by row (from 0), and its stratum (None: unequal probabilities)."""

    inclusion: Mapping[int, float]
    strata: Mapping[int, Any] | None

    @property
    def rows(self) -> Integers:
        """The rows of the drawn units, ascending."""
        return np.array(sorted(self.inclusion), dtype=np.int64)

    @classmethod
    def of(cls, sample: Any, *, n: int, clusters: Any) -> Drawn:
        """Build it from a sample, or from several batches; a `Drawn` is returned unchanged."""
        if isinstance(sample, Drawn):
            return sample
        several = [sample] if isinstance(sample, LabelSample) else sample
        if not isinstance(several, Sequence) or not several or not all(isinstance(s, LabelSample) for s in several):
            raise InputError(
                "sample must be the result of draw_label_sample, or a list of such samples; it is a "
                f"{type(sample).__name__}."
            )
        mismatch = next((other for other in several if len(other.codes) != n), None)
        if mismatch is not None:
            raise InputError(
                f"sample was drawn from {len(mismatch.codes):,} units, `y_prob` has {n:,}. Pass the scores that it was "
                "drawn from."
            )
        sample_so_far = several[0]
        for further in several[1:]:
            sample_so_far = join_samples(sample_so_far, further, clusters=clusters)
        if len(several) == 1 and "after" in sample_so_far.recipe:
            raise InputError("sample was drawn after another; pass both: sample=[first, second].")
        rows = sample_so_far.indices.tolist()
        by_chance = sample_so_far.recipe.get("design") == "importance"
        strata = (
            None if by_chance else dict(zip(rows, sample_so_far.stratum[sample_so_far.indices].tolist(), strict=True))
        )
        return cls(dict(zip(rows, sample_so_far.inclusion.tolist(), strict=True)), strata)

    def read(self, labels: Any, *, n: int, pos_label: Any) -> tuple[Integers, Floats, Integers]:
        """The labelled rows with their labels, and the drawn rows without a label."""
        labelled, values = partial_labels(labels, n=n, pos_label=pos_label)
        check_enough(len(labelled), n)
        rows = self.rows
        others = np.setdiff1d(labelled, rows)
        if len(others):
            raise InputError(
                f"labels must be those of the sample; `row {others[0]}` was not drawn ({len(others):,} such rows). "
                "Labels of other units are not a random sample: leave them out, or draw further units with "
                "batch=(sample, labels)."
            )
        return labelled, values, np.setdiff1d(rows, labelled)


def bounds_for_unlabelled(
    if_negative: CountEstimates, if_positive: CountEstimates, *, unread: Integers, drawn: int
) -> CountEstimates:
    """Return counts with intervals that allow for any labels of the drawn units without a label.

    if_negative, if_positive: the counts if all these units are negative, or all are positive. The estimates assume that
    these units are positive as often as the labelled units. unread: the units without a label. drawn: the number of
    drawn units.
    """
    n_labelled, positives = drawn - len(unread), if_negative.total.positives
    positive_share = positives / n_labelled if n_labelled else 0.0

    def combined(negative: CountEstimate, positive: CountEstimate) -> CountEstimate:
        n_unlabelled = positive.positives - negative.positives
        return replace(
            negative,
            labelled=negative.labelled - n_unlabelled,
            estimate=negative.estimate + positive_share * (positive.estimate - negative.estimate),
            low=min(negative.low, positive.low),
            high=max(negative.high, positive.high),
            method=negative.method if negative.method == positive.method else f"{negative.method}, {positive.method}",
        )

    raw = if_negative.recipe["method"] == "raw"
    note = CountNote("unread", {"unread": len(unread), "drawn": drawn, "raw": raw}, needs_estimates=False)
    return CountEstimates(
        keys=if_negative.keys,
        rows=tuple(map(combined, if_negative.rows, if_positive.rows)),
        domains=tuple(map(combined, if_negative.domains, if_positive.domains)),
        total=combined(if_negative.total, if_positive.total),
        diagnostics=Diagnostics(),
        caveats=(note, *(caveat for caveat in if_negative.caveats if caveat in if_positive.caveats)),
        has_differences=False,
        in_shares=if_negative.in_shares,
        recipe={**if_negative.recipe, "labelled": n_labelled, "drawn": drawn},
    )
