"""The same pairs in every engine: masses, ties, the ends of the scale, twenty groups, two precisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import dask.dataframe
import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pytest

from howsure.calibration.engines.pairs_or_sums import sums_of_frame
from howsure.calibration.slots import SlotAdder, Slots

FEW, MANY = 150_000, 3_000_000
ENDS = [0.0, 1.0, 0.5, 5e-324, 2.0**-60, 1e-300, 1 - 2.0**-53, np.nextafter(0.5, 0), np.nextafter(0.5, 1), -0.0]


OPTIONS: dict[str, dict[str, Any]] = {
    "numbers": {"y_true": "label", "y_prob": "prob"},
    "single precision": {"y_true": "label", "y_prob": "single"},
    "booleans": {"y_true": "right", "y_prob": "prob"},
    "text": {"y_true": "said", "y_prob": "prob", "pos_label": "yes"},
    "weights": {"y_true": "label", "y_prob": "prob", "sample_weight": "weight"},
    "groups": {"y_true": "said", "y_prob": "single", "pos_label": "yes", "groups": "tag"},
}


@cache
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


def slots_of_rows(
    frame: pd.DataFrame, prob: str = "prob", weight: str | None = None, positive: str | None = None
) -> Slots:
    """The sums of all rows, added up in memory."""
    q, y = frame[prob].to_numpy(np.float64), frame["label"].to_numpy(np.uint8)
    w = np.ones(len(q)) if weight is None else frame[weight].to_numpy()
    adder = SlotAdder()
    adder.add(q[w > 0] + 0.0, y[w > 0], None if weight is None else w[w > 0])
    return replace(adder.slots(), weightless=int((w == 0).sum()), positive=positive)


def same(slots: Slots, other: Slots) -> bool:
    """Whether two sums agree: whole numbers to the last bit, weighted ones, whose order counts, to 1e-12."""
    if slots.weights is None or other.weights is None:
        return slots == other
    exact = slots == replace(other, weights=slots.weights)
    return exact and bool(np.allclose(slots.weights, other.weights, rtol=1e-12, atol=0.0))


def stored_parquet(frame: pd.DataFrame, folders: pytest.TempPathFactory) -> str:
    path = folders.mktemp("pairs") / "pairs.parquet"
    pl.from_pandas(frame).write_parquet(path, row_group_size=len(frame) // 4)
    return str(path)


@cache
def in_memory(n: int, prob: str, weight: str | None, positive: str | None, *roles: str) -> dict[str, Slots]:
    """The sums of the sample of n pairs, or of each of its groups: for all engines, added up once."""
    frame = sample(n)
    if "groups" in roles:
        return {f"t{i}": slots_of_rows(frame[frame["tag"] == f"t{i}"], prob, weight, positive) for i in range(20)}
    return {"": slots_of_rows(frame, prob, weight, positive)}


def agrees(frame: pd.DataFrame, lazy: Any, options: dict[str, Any]) -> bool:
    """Whether an engine's sums are those of the rows in memory."""
    sums = sums_of_frame(lazy, **options)
    expected = in_memory(
        len(frame), options["y_prob"], options.get("sample_weight"), options.get("pos_label"), *options
    )
    by_group = sums.checked()
    return (
        sums.n == len(frame)
        and list(by_group) == list(expected)
        and all(same(by_group[name], slots) for name, slots in expected.items())
    )
