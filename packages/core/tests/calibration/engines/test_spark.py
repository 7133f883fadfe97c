"""Spark adds up as memory does, to the last bit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from tests.calibration.engines.pairs import FEW, MANY, OPTIONS, agrees, sample, slots_of_rows, stored_parquet
from tests.calibration.engines.test_refusals import FAULTS, broken

from howsure import calibration_curve
from howsure.calibration.curve import binned_curve
from howsure.calibration.engines.pairs_or_sums import sums_of_frame
from howsure.errors import InputError
from tests.lacking import require
from tests.test_documents import ROOT, run_page

pytestmark = pytest.mark.cluster
REFUSED = (
    "missing",
    "not a number",
    "outside",
    "infinite weight",
    "three labels, one named",
    "a label of another type",
)


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    require("java")
    from pyspark.sql import SparkSession

    options = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }
    session = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return sample(FEW)


@pytest.mark.parametrize("options_name", ["text", "weights", "groups"])
def test_spark_adds_up_as_memory_does(
    options_name: str, spark: Any, frame: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert agrees(frame, spark.read.parquet(stored_parquet(frame, tmp_path_factory)), OPTIONS[options_name])


def test_every_figure_of_millions_of_rows(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    frame = sample(MANY)
    lazy = spark.read.parquet(stored_parquet(frame, tmp_path_factory))
    assert (
        calibration_curve("label", "single", data=lazy).to_dict()
        == binned_curve(slots_of_rows(frame, "single")).to_dict()
    )


def test_few_rows_are_binned_as_arrays_are(spark: Any, frame: pd.DataFrame, tmp_path: Path) -> None:
    few = frame.head(3_000)
    few.to_parquet(tmp_path / "few.parquet")
    lazy = spark.read.parquet(str(tmp_path / "few.parquet"))
    columns = calibration_curve(few["label"], few["prob"])
    assert calibration_curve("label", "prob", data=lazy).to_dict() == columns.to_dict()


@pytest.mark.parametrize("fault", REFUSED)
def test_a_fault_is_refused(fault: str, spark: Any, tmp_path: Path) -> None:
    options, message = FAULTS[fault]
    broken().write_parquet(tmp_path / "broken.parquet")
    with pytest.raises(InputError, match=message):
        sums_of_frame(
            spark.read.parquet(str(tmp_path / "broken.parquet")), **{"y_true": "label", "y_prob": "prob"} | options
        ).checked()


def test_the_page_does_what_it_says(spark: Any, tmp_path: Path) -> None:
    """With its blocks for Spark; the session is the one that runs."""
    run_page((ROOT / "docs" / "engines.md").read_text(encoding="utf-8"), tmp_path, heavy={"spark"})
