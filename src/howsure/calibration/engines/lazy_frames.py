"""The sums of a lazy frame, added up by the engine that holds it: one pass, of which some ten thousand rows return."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from howsure.calibration.engines.expression import sums_by_cell
from howsure.calibration.engines.frame_sums import FrameSums, labels_unclear, weights_refused
from howsure.calibration.engines.lazy_pairs import Fault, LazyPairs
from howsure.calibration.engines.refusals import refusal
from howsure.calibration.summary.slots import COLUMNS, WEIGHTS, Slots, added
from howsure.inputs.checks import Column, check_codes, is_missing
from howsure.inputs.frames import fetched
from howsure.inputs.pairs import Integers


def sums_of_lazy(pairs: LazyPairs) -> FrameSums:
    """The sums of the pairs of a lazy frame, by group if they have groups."""
    rows = fetched(sums_by_cell(pairs))
    cell, number = rows["cell"].astype(np.int64), rows["n"].astype(np.int64)
    n = int(number.sum())
    faults = {one: int(number[cell == -one].sum()) for one in Fault if one not in (Fault.NONE, Fault.WEIGHTLESS)}
    for fault, count in faults.items():
        if count:
            return FrameSums(n, {}, partial(refusal, pairs, fault, rows=count, n=n))
    if pairs.compares_labels and _labels_unclear(pairs, rows):
        return FrameSums(n, {}, partial(refusal, pairs, Fault.LABEL_OTHER, rows=n, n=n))
    return _by_group(pairs, rows, n)


def _labels_unclear(pairs: LazyPairs, rows: dict[str, Column]) -> bool:
    found = {value for name in ("low", "high") for value in rows[name].tolist() if not is_missing(value)}
    return labels_unclear(found | ({pairs.pos_label} if bool((rows["y"] == 1).any()) else set()), pairs.pos_label)


def _by_group(pairs: LazyPairs, rows: dict[str, Column], n: int) -> FrameSums:
    names: tuple[str, ...] = ("",)
    codes = np.zeros(len(rows["n"]), dtype=np.int64)
    if pairs.groups is not None and n:
        codes, names = check_codes(
            np.ma.getdata(rows["group"]), n=len(rows["n"]), name=pairs.column("groups"), groups=True
        )
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(names) + 1))
    by_group = {
        name: _slots(pairs, rows, order[start:end]) for name, start, end in zip(names, ends[:-1], ends[1:], strict=True)
    }
    return FrameSums(
        n, by_group, weights_refused(by_group, pairs.column("sample_weight")) if n and pairs.is_weighted else None
    )


def _slots(pairs: LazyPairs, rows: dict[str, Column], chosen: Integers) -> Slots:
    """The slots of some of the rows that an engine returned."""
    cell, number = rows["cell"][chosen], rows["n"][chosen]
    counts = cell >= 0
    weightless, kept = int(number[~counts].sum()), chosen[counts]
    zero = np.zeros(len(kept), dtype=np.int64)
    sums = np.stack([rows[name][kept].astype(np.int64) if name in rows else zero for name in COLUMNS])
    weights = np.stack([rows[name][kept].astype(np.float64) for name in WEIGHTS]) if pairs.is_weighted else None
    slots = Slots(2 * rows["cell"][kept].astype(np.int64) + rows["y"][kept].astype(np.int64), sums, weights, weightless)
    positive = None if pairs.pos_label is None else str(pairs.pos_label)
    return replace(added(slots), positive=positive)
