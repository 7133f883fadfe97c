"""The same pairs in every engine: masses, ties, the ends of the scale, twenty groups, two precisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import dask.dataframe
import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl

from howsure.calibration.summary.slot_adder import SlotAdder
from howsure.calibration.summary.slots import Slots

FEW, MANY = 150_000, 3_000_000
ENDS = [0.0, 1.0, 0.5, 5e-324, 2.0**-60, 1e-300, 1 - 2.0**-53, np.nextafter(0.5, 0), np.nextafter(0.5, 1), -0.0]


def sample(n: int) -> pd.DataFrame:
    """n pairs as a data frame: a third of the predictions are masses, a third have ties, a third have none."""
    rng = np.random.default_rng(n)
    q = rng.beta(0.3, 0.6, n)
    kind = rng.integers(0, 3, n)
    q = np.where(kind == 0, rng.choice([0.0, 1.0, 0.5, 0.99, 1e-9], n), np.where(kind == 1, np.round(q, 3), q))
    q[: len(ENDS) * 100] = np.tile(ENDS, 100)
    label = (rng.random(n) < 0.9 * q + 0.05).astype(np.int64)
    return pd.DataFrame(
        {
            "prob": q,
            "single": q.astype(np.float32),
            "label": label,
            "said": np.where(label, "yes", "no"),
            "right": label.astype(bool),
            "tag": [f"t{tag}" for tag in rng.integers(0, 20, n)],
            "weight": rng.integers(0, 5, n) / 4,
        }
    )


def relation(path: str) -> Any:
    """A DuckDB relation of a Parquet file, on a connection of its own."""
    return duckdb.connect().sql(f"SELECT * FROM '{path}'")


ENGINES: dict[str, Callable[[str], Any]] = {
    "polars": pl.scan_parquet,
    "duckdb": relation,
    "ibis": lambda path: ibis.duckdb.connect().read_parquet(path),
    "dask": lambda path: dask.dataframe.read_parquet(path, split_row_groups=True),
}


def added(frame: pd.DataFrame, prob: str = "prob", weight: str | None = None, positive: str | None = None) -> Slots:
    """The sums of all rows, added up in memory."""
    q, y = frame[prob].to_numpy(np.float64), frame["label"].to_numpy(np.uint8)
    w = np.ones(len(q)) if weight is None else frame[weight].to_numpy()
    adder = SlotAdder()
    adder.add(q[w > 0] + 0.0, y[w > 0], None if weight is None else w[w > 0])
    return replace(adder.slots(), weightless=int((w == 0).sum()), positive=positive)


def same(one: Slots, other: Slots) -> bool:
    """Whether two sums agree: whole numbers to the last bit, weighted ones, whose order counts, to 1e-12."""
    if one.weights is None or other.weights is None:
        return one == other
    exact = one == replace(other, weights=one.weights)
    return exact and bool(np.allclose(one.weights, other.weights, rtol=1e-12, atol=0.0))
