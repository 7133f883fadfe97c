"""What a calibration function is given: pairs in memory, or sums that an engine returns of a lazy frame."""

from __future__ import annotations

from typing import Any, cast

from howsure.calibration.engines.frame_sums import FrameSums
from howsure.calibration.engines.lazy_frames import sums_of_lazy
from howsure.calibration.engines.lazy_pairs import lazy_pairs
from howsure.calibration.summary.cells import EXACT_UP_TO
from howsure.calibration.summary.slots import Slots
from howsure.inputs.frames import is_dask, is_lazy
from howsure.inputs.given import Given
from howsure.inputs.pairs import Pairs
from howsure.inputs.pairs_from import pairs_from
from howsure.inputs.sources import Source


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
    y_true: Any, y_prob: Any, *, data: Any, sample_weight: Any = None, clusters: Any = None, pos_label: Any = None,
    needs_rows: bool = False,
) -> Pairs | Slots:  # fmt: skip
    """Checked pairs, as of `pairs_from`; of a lazy frame with more than `EXACT_UP_TO` rows their sums.

    Its rows are fetched where they are few, so that the result is that of arrays, and where sums are not enough: for
    clusters, and if the caller `needs_rows`.

    Raises InputError naming the parameter, and of rows the value, that violated a rule.
    """
    if isinstance(data, Source):
        with data.predictions(y_true, y_prob, clusters=clusters, sample_weight=sample_weight, pos_label=pos_label,
                              soft_labels=True) as read:  # fmt: skip
            return read.pairs() if needs_rows or clusters is not None else read.source()
    if not needs_rows and clusters is None:
        found = _sums_of_many(
            y_true, data, y_prob=y_prob, sample_weight=sample_weight, groups=None, pos_label=pos_label
        )
        if found is not None:
            return found[""]
    return pairs_from(y_true, y_prob, data=data, sample_weight=sample_weight, clusters=clusters, pos_label=pos_label)


def pairs_or_group_sums(
    y_true: Any, y_prob: Any, *, data: Any, groups: Any, sample_weight: Any = None, clusters: Any = None,
    pos_label: Any = None,
) -> Pairs | dict[str, Slots]:  # fmt: skip
    """The same for pairs with groups: sums by the names of the groups, in their order."""
    if isinstance(data, Source):
        with data.predictions(y_true, y_prob, groups=groups, clusters=clusters, sample_weight=sample_weight,
                              pos_label=pos_label, soft_labels=True) as read:  # fmt: skip
            parts = {name: read.source(name) for name in read.group_names} if clusters is None else {}
            if parts and all(isinstance(part, Slots) for part in parts.values()):
                return cast("dict[str, Slots]", parts)
            return read.pairs()
    if groups is not None and clusters is None:
        found = _sums_of_many(
            y_true, data, y_prob=y_prob, sample_weight=sample_weight, groups=groups, pos_label=pos_label
        )
        if found is not None:
            return found
    return pairs_from(
        y_true, y_prob, data=data, sample_weight=sample_weight, groups=groups, clusters=clusters, pos_label=pos_label
    )


def _sums_of_many(y_true: Any, data: Any, **columns: Any) -> dict[str, Slots] | None:
    """The sums of a lazy frame by group; None of anything else, or of few rows."""
    if data is None or isinstance(y_true, Pairs) or isinstance(columns["y_prob"], Given) or not is_lazy(data):
        return None
    found = sums_of_frame(data, y_true=y_true, **columns)
    return found.checked() if found.n > EXACT_UP_TO else None
