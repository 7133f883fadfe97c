"""What is wrong in a lazy frame: one more, small query finds the value to show."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from howsure.calibration.engines.frame_sums import labels_refused
from howsure.calibration.engines.lazy_pairs import Fault, LazyPairs, is_nan
from howsure.errors import InputError
from howsure.inputs.checks import MANY_LABELS, Column, is_missing, missing, no_probability, no_weight
from howsure.inputs.frames import fetched
from howsure.inputs.naming import counted


def refusal(pairs: LazyPairs, fault: Fault, *, rows: int, n: int) -> InputError:
    """The error for a fault that `rows` of n rows have; an engine numbers no rows."""
    if fault is Fault.LABEL_OTHER:
        return _labels(pairs)
    place = f"one of {counted(n, 'row')}" + (f" ({rows:,} are wrong)" if rows > 1 else "")
    if fault is Fault.PROBABILITY_OUTSIDE:
        value = repr(_value(pairs, fault, "q"))
        return no_probability(pairs.column("y_prob"), value, highest=_highest(pairs), place=place)
    if fault is Fault.WEIGHT_OUTSIDE:
        return no_weight(pairs.column("sample_weight"), repr(_value(pairs, fault, "weight")), place=place)
    roles = {Fault.LABEL_MISSING: "y_true", Fault.GROUP_MISSING: "groups", Fault.WEIGHT_MISSING: "sample_weight"}
    return missing(pairs.column(roles.get(fault, "y_prob")), place=place)


def _value(pairs: LazyPairs, fault: Fault, column: str) -> float:
    """A value with a fault."""
    import narwhals as nw

    found = fetched(pairs.rows().filter(nw.col("fault") == int(fault)).select(column).head(1))
    values = found[column]
    return math.nan if len(values) and isinstance(values[0], float) and math.isnan(values[0]) else _first(values)


def _highest(pairs: LazyPairs) -> float:
    """The greatest prediction that is a number."""
    import narwhals as nw

    q = nw.col("q")
    found = fetched(pairs.rows().filter(~(q.is_null() | is_nan(q))).select(highest=q.max()))
    return _first(found["highest"])


def _first(values: Column) -> float:
    """The first of some values. Raises InputError if there is none, though an earlier query of the engine found one."""
    if not len(values) or is_missing(values[0]):
        raise InputError("data changed while it was read: two queries of its engine disagree. Read from a copy.")
    return float(values[0])


def _labels(pairs: LazyPairs) -> InputError:
    """The error for labels that are not two values, or of which none is said to be positive."""
    import narwhals as nw

    labels = pairs.table.select(label=nw.col(pairs.y_true)).filter(~nw.col("label").is_null())
    counts = labels.group_by("label").agg(n=nw.len().cast(nw.Int64)).sort("n", "label", descending=[True, False])
    found = fetched(counts.head(MANY_LABELS + 1))
    _first(found["n"])
    held = Counter(dict(zip(map(_plain, found["label"]), found["n"].tolist(), strict=True)))
    return labels_refused(held, pairs.pos_label, name=pairs.column("y_true"))


def _plain(value: Any) -> Any:
    """A value of numpy as one of Python's."""
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and math.isnan(value) else value
