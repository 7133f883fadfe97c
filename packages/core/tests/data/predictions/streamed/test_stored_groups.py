"""Streamed groups: each one's sums are those of its rows, in one reading of the files for all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.data.files import opened as files_opened
from tests.data.files import write
from tests.data.predictions.streamed.summing import slots_of_arrays

from howsure.calibration.slots import Slots
from howsure.data import Predictions
from howsure.data.predictions import stream
from howsure.errors import InputError


def columns_of(rows: int, groups: list[Any] | None = None, seed: int = 5) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    names = random.choice(["m2", "m10", "m1", "it's", "ü b"] if groups is None else groups, rows)
    q = random.random(rows) * (random.random(rows) < 0.9)
    return {"q": q, "y": random.integers(0, 2, rows).astype(np.uint8), "g": names, "w": random.random(rows)}


def opened(path: Path, **options: Any) -> Predictions:
    return files_opened(path, y_true="y", prob="q", groups="g", exact_up_to=0, **options)


def in_file(path: Path, columns: dict[str, Any]) -> Path:
    return write(path, {name: column.tolist() for name, column in columns.items()})


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize("suffix", [".parquet", ".csv"])
def test_each_group_has_the_sums_of_its_rows(suffix: str, weight: str | None, tmp_path: Path) -> None:
    columns, advances = columns_of(2000), list[int]()
    with opened(in_file(tmp_path / f"x{suffix}", columns), sample_weight=weight) as predictions:
        for name in reversed(predictions.group_names):
            rows = columns["g"] == name
            slots = predictions.source(name, advance=advances.append)
            w = None if weight is None else columns["w"][rows]
            assert slots == slots_of_arrays(columns["q"][rows], columns["y"][rows], w)
    assert advances == [2000]


@pytest.mark.long
def test_groups_of_many_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "CHUNKS_HELD", 2)
    rows = 700_000
    columns = columns_of(rows, seed=8) | {"g": np.random.default_rng(1).integers(0, 300, rows)}
    columns["g"][: rows // 2] = 7
    columns["g"][0] = 1_000_000
    np.savez(tmp_path / "x.npz", **columns)
    with opened(tmp_path / "x.npz") as predictions:
        assert len(predictions.group_names) == 301
        for name in ("1000000", "7", "299", "0", "7"):
            of_group = columns["g"] == int(name)
            assert predictions.source(name) == slots_of_arrays(columns["q"][of_group], columns["y"][of_group])


def test_the_scratch_files_live_until_the_predictions_are_gone(tmp_path: Path) -> None:
    path, spool = in_file(tmp_path / "x.parquet", columns_of(1000)), tmp_path / "spool"
    spool.mkdir()
    predictions = opened(path, spool=spool)
    assert isinstance(predictions.source("m1"), Slots)
    assert any(file.name == "pairs" for file in spool.rglob("*"))
    del predictions
    assert list(spool.iterdir()) == []


def test_a_bad_row_is_named_for_any_requested_group(tmp_path: Path) -> None:
    columns = columns_of(1000)
    columns["q"][700] = float("inf")
    with opened(in_file(tmp_path / "x.parquet", columns)) as predictions:
        for name in predictions.group_names[:2]:
            with pytest.raises(InputError, match=r"row 701 of .*x\.parquet"):
                predictions.source(name)


@pytest.mark.parametrize(("name", "shown"), [("", "empty"), (None, "empty"), ("NaN", "'NaN'")])
def test_a_group_without_a_name_is_missing(name: str | None, shown: str, tmp_path: Path) -> None:
    columns = {key: column.tolist() for key, column in columns_of(50).items()}
    columns["g"][30] = name
    path = write(tmp_path / "x.parquet", columns)
    with pytest.raises(InputError, match=rf"g must not be missing; row 31 of .* is {shown}\. .*\(1 in all\)"):
        opened(path)
    with opened(path, skip_missing=True) as predictions:
        assert predictions.skipped == {"g": 1}
