"""What was drawn for labelling, read or not; and counts that hold whatever the labels of the unread are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.counts.further_labels import joined
from howsure.counts.label_sample import LabelSample
from howsure.counts.population.partial_columns import partial_labels
from howsure.counts.population.units import check_enough
from howsure.counts.results import CountEstimate, CountEstimates, Diagnostics
from howsure.errors import InputError
from howsure.inputs.naming import counted
from howsure.inputs.pairs import Floats, Integers


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
            raise InputError(f"sample is one of {len(odd.codes):,} units, y_prob has {n:,}. Pass the scores of then.")
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
                f"labels must be those of the sample; row {others[0]} was not drawn ({len(others):,} such). What was "
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
            low, labelled=low.labelled - lost, estimate=low.estimate + share * (high.estimate - low.estimate),
            low=min(low.low, high.low), high=max(low.high, high.high),
            method=low.method if low.method == high.method else f"{low.method}, {high.method}",
        )  # fmt: skip

    said = (
        f"{counted(len(unread), 'drawn unit')} of {drawn:,} {'has' if len(unread) == 1 else 'have'} no label: the "
        "intervals hold whatever these labels are, and the estimates take them to be positive as often as the others; "
        "label them to narrow the intervals"
    )
    if none.recipe["method"] == "raw":
        said = f"{counted(len(unread), 'drawn unit')} of {drawn:,} {'has' if len(unread) == 1 else 'have'} no label"
    total = of(none.total, every.total)
    return CountEstimates(
        none.columns,
        tuple(map(of, none.rows, every.rows)),
        tuple(map(of, none.domains, every.domains)),
        total,
        Diagnostics(math.nan, 0, (), (), None, None),
        {**none.recipe, "labelled": read, "drawn": drawn},
        (said, *(note for note in none.notes if note in every.notes)),
        told=False,
    )
