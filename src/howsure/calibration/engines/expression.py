"""The sums of each cell and label as one expression, which any engine that narwhals knows evaluates.

Comparisons, subtractions, square roots, products with powers of two and one product: each is exactly rounded, so that
every engine on every processor finds the same whole numbers as `summary/cells.py` does.
"""

from __future__ import annotations

from typing import Any

from howsure.calibration.engines.lazy_pairs import LazyPairs
from howsure.calibration.summary.cells import FRACTION, LAST, LOG_UNIT, SCALE, STEEP
from howsure.calibration.summary.slots import WEIGHTS


def sums_by_cell(pairs: LazyPairs) -> Any:
    """A lazy frame with one row per group, cell and label y: `n` pairs and their sums, named as in `Slots`.

    Rows with a fault are in no cell; they are counted in the row of `cell` = -fault. `low` and `high`, with
    `pos_label`: the least and the greatest label that is not positive.
    """
    import narwhals as nw

    q, y, fault, cell, f = nw.col("q"), nw.col("y"), nw.col("fault"), nw.col("c"), nw.col("f")
    sound, lower = fault == 0, q < 0.5
    rows = pairs.rows()
    rows = rows.with_columns(q=nw.when(sound).then(q).otherwise(nw.lit(0.5)))  # whatever r would be for no probability
    rows = rows.with_columns(r=nw.when(lower).then(q).otherwise(1.0 - q))
    rows = rows.with_columns(t=nw.col("r").sqrt().sqrt() * SCALE)
    rows = rows.with_columns(c=nw.col("t").floor())
    rows = rows.with_columns(f=nw.col("t") - nw.col("c"))
    places = nw.when(lower).then(cell).otherwise(LAST - cell)
    rows = rows.with_columns(
        cell=_whole(nw.when(sound).then(places).otherwise(0 - fault)),
        y=nw.when(sound).then(y).otherwise(nw.lit(0)),
        **_terms(pairs, f, (cell < STEEP) & ((lower & (y == 1)) | (~lower & (y == 0)))),
    )
    if pairs.compares_labels:
        rows = rows.with_columns(other=nw.when(sound & (y == 0)).then(nw.col("label")))
    keys = ["cell", "y", *(["group"] if pairs.groups is not None else [])]
    return rows.group_by(*keys).agg(*_sums(pairs))


def _terms(pairs: LazyPairs, f: Any, steep: Any) -> dict[str, Any]:
    """What a row adds to its slot; `steep` where its label is the unlikely one and its prediction near 0 or 1."""
    import narwhals as nw

    r, w = nw.col("r"), nw.col("weight")
    logs = nw.when(steep & (r > 0.0)).then(r).otherwise(nw.lit(1.0)).log()
    found = {"infinite": _whole(nw.when(steep & (r == 0.0)).then(nw.lit(1)).otherwise(nw.lit(0)))}
    if not pairs.is_weighted:
        return found | {
            "offsets": _whole((f * FRACTION).floor()),
            "squares": _whole((f * f * FRACTION).floor()),
            "logs": _whole((logs * -LOG_UNIT + 0.5).floor()),
        }
    w = nw.when(nw.col("fault") == 0).then(w).otherwise(nw.lit(0.0))
    powers = {"w1": w, "w2": w * w, "w3": w * w * w, "w4": w * w * w * w}
    return found | powers | {"fractions": w * f, "fraction_squares": w * f * f, "weighted_logs": w * logs * -1.0}


def _sums(pairs: LazyPairs) -> list[Any]:
    import narwhals as nw

    whole = ("infinite",) if pairs.is_weighted else ("offsets", "squares", "logs", "infinite")
    found = [_whole(nw.len()).alias("n"), *(_whole(nw.col(one).sum()) for one in whole)]
    if pairs.is_weighted:
        found += [nw.col(one).sum() for one in WEIGHTS]
    if pairs.compares_labels:
        found += [nw.col("other").min().alias("low"), nw.col("other").max().alias("high")]
    return found


def _whole(expression: Any) -> Any:
    import narwhals as nw

    return expression.cast(nw.Int64)
