"""Engines that hold the rows add them up as numpy does; few rows give what arrays give, bit by bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.calibration.engines.pairs import (
    ENGINES,
    FEW,
    MANY,
    OPTIONS,
    agrees,
    relation,
    sample,
    slots_of_rows,
    stored_parquet,
)

from howsure import (
    CalibrationSummaries,
    CalibrationSummary,
    calibration_curve,
    calibration_error,
    calibration_table,
    calibration_test,
)
from howsure.calibration.calibration_tests import check_sums
from howsure.calibration.corp import fit_corp
from howsure.calibration.curve import binned_curve
from howsure.calibration.engines.pairs_or_sums import sums_of_frame
from howsure.calibration.slots import EXACT_UP_TO, SlotAdder

EVERY_ENGINE = ("groups", "weights")  # options tested on every engine; the others on two


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return sample(FEW)


@pytest.fixture(scope="module")
def path(frame: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> str:
    return stored_parquet(frame, tmp_path_factory)


@pytest.mark.parametrize(
    ("engine", "options_name"),
    [
        (engine, options_name)
        for engine in ENGINES
        for options_name in OPTIONS
        if options_name in EVERY_ENGINE or engine in ("polars", "duckdb")
    ],
)
def test_an_engine_adds_up_as_memory_does(engine: str, options_name: str, frame: pd.DataFrame, path: str) -> None:
    assert agrees(frame, ENGINES[engine](path), OPTIONS[options_name])


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_of_millions_of_rows(engine: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    frame = sample(MANY)
    lazy = ENGINES[engine](stored_parquet(frame, tmp_path_factory))
    assert [name for name, options in OPTIONS.items() if not agrees(frame, lazy, options)] == []


PROBABILITIES = st.floats(0, 1) | st.floats(0, 1e-5) | st.sampled_from([0.0, 1.0, 0.5, -0.0])


@settings(max_examples=10, deadline=None)
@given(st.lists(st.tuples(PROBABILITIES, st.integers(0, 1)), min_size=1, max_size=50))
def test_any_probabilities_fall_into_the_same_cells(rows: list[tuple[float, int]]) -> None:
    q, y = np.array([q for q, _ in rows]), np.array([y for _, y in rows], dtype=np.uint8)
    adder = SlotAdder()
    adder.add(q + 0.0, y)
    assert sums_of_frame(pl.LazyFrame({"q": q, "y": y}), y_true="y", y_prob="q").checked() == {"": adder.slots()}


def test_every_figure_comes_from_the_sums(frame: pd.DataFrame, path: str) -> None:
    """The engine is asked once for each, and no row comes back."""
    slots, lazy = slots_of_rows(frame), relation(path)
    curve = calibration_curve("label", "prob", data=lazy)
    assert curve.to_dict() == binned_curve(slots).to_dict()
    assert calibration_error("label", "prob", data=lazy) == curve.error
    assert calibration_test("label", "prob", data=lazy, method="binned").p_value == curve.p_value
    assert calibration_test("label", "prob", data=lazy, rng=0) == check_sums(slots, method="simulation", rng=0)
    weighted = calibration_curve("label", "prob", data=lazy, sample_weight="weight")
    expected = binned_curve(slots_of_rows(frame, weight="weight"))
    assert weighted.notes == expected.notes
    assert weighted.error.value == pytest.approx(expected.error.value, rel=1e-11)
    assert weighted.brier.score == pytest.approx(expected.brier.score, rel=1e-12)
    steps = calibration_curve("label", "prob", data=lazy, method="corp", rng=0)
    assert steps.to_dict() == fit_corp(slots, rng=0).to_dict()
    table = calibration_table("label", "prob", groups="tag", data=lazy)
    tagged = binned_curve(slots_of_rows(frame[frame["tag"] == "t7"]))
    assert [row.name for row in table] == [f"t{i}" for i in range(20)]
    assert (table["t7"].n, table["t7"].error, table["t7"].p_value) == (tagged.n, tagged.error, tagged.p_value)
    assert table.recipe["n"] == FEW


@pytest.mark.parametrize("engine", ENGINES)
def test_few_rows_are_binned_as_arrays_are(engine: str, frame: pd.DataFrame, tmp_path: Path) -> None:
    few = frame.head(5_000)
    few.to_parquet(tmp_path / "few.parquet")
    lazy = ENGINES[engine](str(tmp_path / "few.parquet"))
    columns = {"y_true": few["said"], "y_prob": few["prob"], "pos_label": "yes"}
    named = {"y_true": "said", "y_prob": "prob", "pos_label": "yes", "data": lazy}
    assert calibration_curve(**named).to_dict() == calibration_curve(**columns).to_dict()
    by_tag = calibration_table(**named, groups="tag").to_dict()
    assert by_tag == calibration_table(**columns, groups=few["tag"]).to_dict()
    assert FEW > EXACT_UP_TO > len(few)


def test_what_needs_rows_fetches_them(frame: pd.DataFrame, path: str) -> None:
    """Clusters, the bootstrap and tests of single pairs: as of the columns in memory."""
    lazy = pl.scan_parquet(path)
    assert calibration_curve("label", "prob", data=lazy, clusters="tag").recipe["clustered"]
    test = calibration_test("label", "prob", data=lazy, method="spiegelhalter")
    assert test.statistic == calibration_test(frame["label"], frame["prob"], method="spiegelhalter").statistic


@pytest.mark.long
def test_pairs_of_weight_0_belong_to_the_whole() -> None:
    """Whether bins are made of cells depends on the rows given, in memory as in an engine."""
    rng = np.random.default_rng(5)
    q = rng.random(EXACT_UP_TO + 1000)
    columns = {"y": (rng.random(len(q)) < q).astype(int), "q": q, "w": rng.integers(0, 3, len(q))}
    lazy = pl.LazyFrame(columns)
    options = {"sample_weight": "w", "data": lazy}
    weights = {"sample_weight": columns["w"]}
    assert np.count_nonzero(columns["w"]) < EXACT_UP_TO
    curve, memory = calibration_curve("y", "q", **options), calibration_curve(columns["y"], q, **weights)
    assert curve.bins.count.tolist() == memory.bins.count.tolist()
    assert curve.recipe == memory.recipe
    error, memory_error = calibration_error("y", "q", **options), calibration_error(columns["y"], q, **weights)
    assert error.high == pytest.approx(memory_error.high, rel=1e-9)
    tests = [
        calibration_test(*pairs, method="binned", **arguments).statistic
        for pairs, arguments in ((("y", "q"), options), ((columns["y"], q), weights))
    ]
    assert tests[0] == pytest.approx(tests[1], rel=1e-9)
    steps = calibration_curve("y", "q", method="corp", rng=0, **options)
    assert steps.to_dict() == calibration_curve(columns["y"], q, method="corp", rng=0, **weights).to_dict()


@pytest.mark.long
@pytest.mark.parametrize("engine", ["dask", "pandas"])
def test_summaries_of_a_frame(engine: str, frame: pd.DataFrame, path: str) -> None:
    """A lazy frame of any number of rows is summed up, an eager one added as its columns are."""
    lazy = frame if engine == "pandas" else ENGINES[engine](path)
    summary = CalibrationSummary.from_frame(lazy, y_true="said", y_prob="prob", pos_label="yes")
    assert summary.slots == slots_of_rows(frame, positive="yes")
    summaries = CalibrationSummaries.from_frame(lazy, y_true="label", y_prob="prob", groups="tag")
    assert list(summaries) == [f"t{i}" for i in range(20)]
    assert summaries["t3"].slots == slots_of_rows(frame[frame["tag"] == "t3"])
    table = calibration_table("label", "prob", groups="tag", data=lazy)
    for row, other in zip(summaries.table(), table, strict=True):  # few pairs in memory are not rounded to cells' sums
        assert (row.name, row.n, row.notes) == (other.name, other.n, other.notes)
        figures = (other.base_rate, other.mean_prob, other.error.value, other.error.high, other.p_value)
        whole = (row.base_rate, row.mean_prob, row.error.value, row.error.high, row.p_value)
        assert whole == pytest.approx(figures, rel=1e-8)
