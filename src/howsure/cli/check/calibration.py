"""What `howsure check calibration` asks `check_calibration` for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from howsure.check.baseline import Baseline
from howsure.check.calibration import Bins, calibration_found
from howsure.check.found import Found
from howsure.cli.calibration.reading import source_and_roles
from howsure.cli.check.other_model import other_model
from howsure.errors import InputError


def found_by_options(
    *, files: Sequence[str], labels: Sequence[str], name: str, max_error: float | None, better_than: str | None,
    not_worse_than: float | None, against: str | None, bin_size: int | str, bins: int | None, binning: str,
    baseline: Baseline | None, **reading: Any,
) -> Found:  # fmt: skip
    """The evidence for all rules that are named."""
    if len(labels) > 2 or (len(labels) == 2 and better_than is None and against is None):
        raise InputError("--target is named once, or twice with another model: the labels of this one and of that one.")
    source, roles = source_and_roles(files, reading)
    return calibration_found(
        **roles, y_true=labels[0] if labels else None, y_true_other=labels[1] if len(labels) == 2 else None,
        better_than=other_model(better_than, source), against=other_model(against, source),
        max_error=max_error, not_worse_than=not_worse_than, bins=Bins(bin_size, bins, binning), name=name, data=source,
        baseline=baseline or True,
    )  # fmt: skip
