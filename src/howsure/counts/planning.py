"""How many labels a count needs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure import __version__
from howsure.counts.columns import Columns
from howsure.counts.draw import partial_labels
from howsure.counts.label_sample import bands_of
from howsure.counts.sheets import labels_of_sheet
from howsure.errors import GIVEN, InputError, parameter, told
from howsure.inputs.checks import check_probabilities
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_level, counted, is_number, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.result import Result
from howsure.show.table import COUNT, FLAG, NUMBER, Column
from howsure.stats.proportions import normal_quantile

DESIGNS = ("stratified", "simple")
LEAST_LABELS = 20  # to plan from; of fewer, the spread of labels is taken as unknown
PSEUDO = 1.0  # labels of the kind that makes a band vary more, added to those of each band
UNKNOWN = 0.25  # the variance of labels whose share is a half: no share has a larger one


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LabelsNeeded(Result):
    """How many `labels` of `units` an interval of a `width` needs, those at hand included.

    share: whether the width is a share of the units. from_labels: whether labels at hand were enough to plan from.
    """

    labels: int
    units: int
    width: float
    share: bool
    from_labels: bool
    recipe: Mapping[str, Any]

    def columns(self) -> Sequence[Column]:
        """One row."""
        kinds = {"labels": COUNT, "units": COUNT, "width": NUMBER, "share": FLAG, "from_labels": FLAG}
        return [Column(name, kind, name.replace("_", " ")) for name, kind in kinds.items()]

    @property
    def words(self) -> str:
        """The number in a sentence, and how it was planned."""
        wide = f"{self.width:g} of the units" if self.share else counted(round(self.width), "unit")
        said = f"{counted(self.labels, 'label')} of {counted(self.units, 'unit')} for an interval about {wide} wide"
        if self.from_labels:
            return f"{said}, those at hand included, planned from what these show of the scores."
        at_hand = told(f"{parameter('labelled')}, {parameter('y_true')}")
        return (
            f"{said}, planned as if the scores were worth nothing and half of the units positive; with {LEAST_LABELS} "
            f"labels or more at hand ({at_hand}), perhaps fewer."
        )


def labels_needed(
    y_prob: ArrayLike | str,
    *,
    width: float,
    share: bool = False,
    labelled: Source | None = None,
    y_true: ArrayLike | Mapping[int, object] | str | None = None,
    pos_label: Hashable = None,
    design: str = "stratified",
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> LabelsNeeded:
    """How many labels does an interval of this width need, those at hand included?

    y_prob (N,): scores, from 0 to 1.
    width: width of the total's interval, in units.
    share: the width is a share of the units, such as 0.05.
    labelled: file written by `howsure counts sample`, with labels filled in: labels at hand.
    y_true (N,): labels at hand, missing elsewhere, or a mapping of rows to them.
    pos_label: label value treated as positive (default: 1).
    design: sampling method: stratified or simple.
    level: level of the interval.

    Labels at hand were drawn at random, from all or within bands of the score. Then n = (Σ N_h s_h)² / ((width / 2z)² +
    Σ N_h s_h²) with s_h the standard deviation of the labels of band h, to which one more label is added, of the kind
    that makes them vary more: what scores are worth is what the labels show. Without labels, or with fewer than 20,
    nothing is known of what scores miss, and s_h = 1/2: the plan then suffices whatever the share of positives is, for
    labels alone. Where positives are rare it is for more than needed; plan again with the first labels. "simple" has
    one band. Source: Cochran (1977), section 5.9.

    >>> import numpy as np
    >>> labels_needed(np.full(10_000, 0.1), width=1_000).labels
    370
    >>> labels_needed(np.full(10_000, 0.1), width=0.1, share=True, y_true={row: row % 10 // 9 for row in range(50)})
    158 labels of 10,000 units for an interval about 0.1 of the units wide, those at hand included, planned from ...

    Raises InputError unless the width is at least 1 unit, or a share above 0 and at most 1, and the design one of
    these; for labels in two places.
    """
    if labelled is not None and y_true is not None:
        raise InputError(
            f"labels are either in {parameter('labelled', GIVEN)} or in {parameter('y_true', GIVEN)}, not in both."
        )
    columns = Columns.read(data, y_prob=y_prob, y_true=y_true)
    with columns.rows.placed():
        score, labels = check_probabilities(columns["y_prob"]), columns["y_true"]
        if labelled is not None:
            positive = None if pos_label is None else str(pos_label)
            (labels,), _ = labels_of_sheet(labelled, score, place=columns.rows.place, pos_label=positive)
            pos_label = None
        n = len(score)
        known, values = partial_labels({} if labels is None else labels, n=n, pos_label=pos_label)
        codes, size = _bands(score, design)
        variance = np.full(len(size), UNKNOWN)
        if from_labels := len(known) >= LEAST_LABELS:
            variance = _variances(codes[known], values, len(size))
        wanted = (_units(width, share, n) / (2.0 * normal_quantile(check_level(level)))) ** 2
    needed = float((size @ np.sqrt(variance)) ** 2 / (wanted + size @ variance))
    return LabelsNeeded(
        labels=min(max(int(np.ceil(needed)), 2 * len(size)), n),
        units=n,
        width=float(width),
        share=share,
        from_labels=from_labels,
        recipe={"design": design, "level": level, "howsure": __version__, **columns.rows.read},
    )


def _units(width: float, share: bool, n: int) -> float:
    """The width in units."""
    if not is_number(width) or not 0 < width < np.inf:
        raise InputError(f"{parameter('width')} must be a positive number of units; it is {width!r}.")
    if share and width > 1:
        raise InputError(
            f"{parameter('width')} must be at most 1 with {parameter('share', True)}, all of the units; it is "
            f"{width:g}."
        )
    if not share and width < 1:
        raise InputError(
            f"{parameter('width')} must be at least 1 unit; it is {width:g}. If it is a share of the units: "
            f"{parameter('share', True)}."
        )
    return width * n if share else width


def _bands(score: Floats, design: str) -> tuple[Integers, Integers]:
    """The band of each score, and the size of each band."""
    if design not in DESIGNS:
        raise unknown_name("design", design, DESIGNS, place="plans for labels")
    codes = bands_of(score)[0] if design == "stratified" else np.zeros(len(score), dtype=np.int64)
    return codes, np.bincount(codes)


def _variances(band: Integers, labels: Floats, bands: int) -> Floats:
    """p (1 - p) of each band with p the share among its labels and one more of the rarer kind."""
    n = np.bincount(band, minlength=bands)
    rarer = np.minimum(k := np.bincount(band, weights=labels, minlength=bands), n - k)
    share = np.minimum((rarer + PSEUDO) / (n + PSEUDO), 0.5)
    return np.asarray(share * (1.0 - share))
