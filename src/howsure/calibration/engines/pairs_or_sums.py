"""What a calibration function is given: pairs in memory, or sums that an engine returns of a lazy frame."""

from __future__ import annotations

from typing import Any

from howsure.calibration.engines.frame_sums import FrameSums
from howsure.calibration.engines.lazy_frames import sums_of_lazy
from howsure.calibration.engines.lazy_pairs import lazy_pairs
from howsure.calibration.summary.cells import EXACT_UP_TO
from howsure.calibration.summary.slots import Slots
from howsure.inputs.frames import is_dask, is_lazy
from howsure.inputs.pairs import Pairs
from howsure.inputs.pairs_from import pairs_from


def sums_of_frame(
    data: Any, *, y_true: Any, y_prob: Any, sample_weight: Any = None, groups: Any = None, pos_label: Any = None
) -> FrameSums:
    """The sums of a lazy frame's pairs, by group if `groups` names a column; its engine adds them up.

    Raises InputError for an argument that names no column of the frame.
    """
    pairs = lazy_pairs(
        data, y_true=y_true, y_prob=y_prob, sample_weight=sample_weight, groups=groups, pos_label=pos_label
    )
    if is_dask(data):
        from howsure.calibration.engines.dask_frames import sums_of_dask

        return sums_of_dask(data, pairs)
    return sums_of_lazy(pairs)


def pairs_or_sums(
    y_true: Any,
    y_prob: Any,
    *,
    data: Any,
    sample_weight: Any = None,
    groups: Any = None,
    clusters: Any = None,
    pos_label: Any = None,
    rows_needed: bool = False,
) -> Pairs | dict[str, Slots]:
    """Checked pairs, as of `pairs_from`; of a lazy frame of more than `EXACT_UP_TO` rows their sums by group.

    Its rows are only fetched where they are few, so that the result is that of arrays, or where sums are not enough:
    for clusters and with `rows_needed`.

    Raises InputError naming the parameter, and of rows the value, that violated a rule.
    """
    given = {"sample_weight": sample_weight, "groups": groups, "pos_label": pos_label}
    if not isinstance(y_true, Pairs) and clusters is None and not rows_needed and is_lazy(data):
        found = sums_of_frame(data, y_true=y_true, y_prob=y_prob, **given)
        if found.n > EXACT_UP_TO:
            return found.checked()
    return pairs_from(y_true, y_prob, data=data, clusters=clusters, **given)
