"""How many labels a count needs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from howsure.counts.columns import Columns
from howsure.counts.draw import partial_labels
from howsure.counts.label_sample import bands_of
from howsure.errors import InputError, parameter
from howsure.inputs.checks import check_probabilities
from howsure.inputs.frames import Source
from howsure.inputs.numbers_and_names import check_level, is_number, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import ArrayLike, IntoFrame
from howsure.stats.proportions import normal_quantile

DESIGNS = ("stratified", "simple")
LEAST_LABELS = 20  # to plan from; of fewer, the spread of labels is taken as unknown
PSEUDO = 1.0  # labels of the kind that makes a band vary more, added to those of each band
UNKNOWN = 0.25  # the variance of labels whose share is a half: no share has a larger one


def labels_needed(
    y_prob: ArrayLike | str,
    *,
    width: float,
    y_true: ArrayLike | Mapping[int, object] | str | None = None,
    pos_label: Hashable = None,
    design: str = "stratified",
    level: float = 0.95,
    data: Source | IntoFrame | None = None,
) -> int:
    """How many labels does an interval of this width need, those at hand included?

    y_prob (N,): scores, from 0 to 1.
    width: width of the total's interval, in units.
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
    >>> labels_needed(np.full(10_000, 0.1), width=1_000)
    370
    >>> labels_needed(np.full(10_000, 0.1), width=1_000, y_true={row: int(row % 10 == 0) for row in range(50)})
    158

    Raises InputError unless the width is positive and the design one of these.
    """
    columns = Columns.read(data, y_prob=y_prob, y_true=y_true)
    with columns.rows.placed():
        return _needed(columns["y_prob"], columns["y_true"], width, pos_label, design, level)


def _needed(y_prob: Any, y_true: Any, width: float, pos_label: Any, design: str, level: float) -> int:
    score = check_probabilities(y_prob)
    if not is_number(width) or not 0 < width < np.inf:
        raise InputError(f"{parameter('width')} must be a positive number of units; it is {width!r}.")
    if design not in DESIGNS:
        raise unknown_name("design", design, DESIGNS, place="plans for labels")
    codes = bands_of(score)[0] if design == "stratified" else np.zeros(len(score), dtype=np.int64)
    bands = int(codes.max()) + 1
    size = np.bincount(codes, minlength=bands)
    variance = np.full(bands, UNKNOWN)
    if worth_is_known(y_true, len(score), pos_label):
        known, values = partial_labels(y_true, n=len(score), pos_label=pos_label)
        variance = _variances(codes[known], values, bands)
    wanted = (width / (2.0 * normal_quantile(check_level(level)))) ** 2
    needed = float((size @ np.sqrt(variance)) ** 2 / (wanted + size @ variance))
    return min(max(int(np.ceil(needed)), 2 * bands), len(score))


def worth_is_known(labels: Any, n: int, pos_label: Any = None) -> bool:
    """Whether there are labels enough for a plan to know what the scores are worth: 20."""
    return labels is not None and len(partial_labels(labels, n=n, pos_label=pos_label)[0]) >= LEAST_LABELS


def _variances(band: Integers, labels: Floats, bands: int) -> Floats:
    """p (1 - p) of each band with p the share among its labels and one more of the rarer kind."""
    n = np.bincount(band, minlength=bands)
    rarer = np.minimum(k := np.bincount(band, weights=labels, minlength=bands), n - k)
    share = np.minimum((rarer + PSEUDO) / (n + PSEUDO), 0.5)
    return np.asarray(share * (1.0 - share))
