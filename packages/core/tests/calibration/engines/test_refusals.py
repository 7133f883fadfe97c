"""What is wrong in a lazy frame is refused in the words used for arrays, by every engine, and never added up."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import dask.dataframe
import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.calibration.engines.pairs import ENGINES, FEW

from howsure import calibration_curve, calibration_table
from howsure.calibration.engines.lazy_frames import labels_unclear
from howsure.calibration.engines.pairs_or_sums import sums_of_frame
from howsure.errors import InputError

OUT = "Leave such rows out first."
NOT_A_NUMBER = "said must be (numbers; its type is String|a number; row 0 is 'no')"
FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "no such column": ({"y_prob": "prop"}, r"no column 'prop' in the data frame; it has .*Did you mean prob\?"),
    "not a name": ({"y_prob": 3}, "with data=..., y_prob must be the name of a column; its type is int"),
    "text for numbers": ({"y_prob": "said"}, NOT_A_NUMBER),
    "text for weights": ({"sample_weight": "said"}, NOT_A_NUMBER),
    "missing": ({"y_prob": "hole"}, rf"hole must not be missing; .*{OUT}"),
    "not a number": ({"y_prob": "nan"}, rf"nan must not be missing; .*{OUT}"),
    "outside": ({"y_prob": "logit"}, r"logit must be between 0 and 1; .* is 3\.5.* Are these logits\?"),
    "per cent": ({"y_prob": "percent"}, r"percent must be between 0 and 1; .*Are these percentages\? Divide by 100"),
    "missing group": ({"groups": "void"}, rf"void must not be missing; .*{OUT}"),
    "no number for a weight": ({"sample_weight": "nan"}, rf"nan must not be missing; .*{OUT}"),
    "infinite weight": ({"sample_weight": "endless"}, "endless must be finite and not negative; .*inf"),
    "no weight": ({"sample_weight": "zero"}, "zero is 0 in every row"),
    "unnamed labels": ({"y_true": "said"}, r"said must be 0 or 1; it contains 'no' \(3\), 'yes' \(3\)\. Name the pos"),
    "three labels": (
        {"y_true": "three"},
        r"three must have two different values; it contains 'no' \(3\), 'yes' \(2\), 'maybe' \(1\)",
    ),
    "three labels, one named": (
        {"y_true": "three", "pos_label": "yes"},
        r"two different values; it contains 'no' \(3\)",
    ),
    "a label misspelt": (
        {"y_true": "said", "pos_label": "Yes"},
        r"pos_label='Yes' is not a value of said, which contains",
    ),
    "a label of another type": (
        {"pos_label": "1"},
        r"pos_label='1' is not a value of label, which contains 0 \(3\), 1 \(3\)",
    ),
    "a label that is not a date": (
        {"y_true": "day", "pos_label": "2020"},
        r"pos_label='2020' is not a value of day, which contains datetime",
    ),
    "lists for labels": (
        {"y_true": "lists"},
        "lists must contain one value per row; (its type is List|some rows hold lists)",
    ),
    "lists for groups": (
        {"groups": "lists"},
        "lists must contain one value per row; (its type is List|some rows hold lists)",
    ),
    "numbers for labels": ({"y_true": "third"}, r"third must be 0 or 1; it contains 0\.5 \(6\)"),
}


def broken() -> pl.DataFrame:
    return pl.DataFrame(
        {
            "label": [0, 1, 0, 1, 0, 1],
            "prob": [0.1, 0.9, 0.2, 0.8, 0.3, 0.7],
            "said": ["no", "yes"] * 3,
            "three": ["no", "yes", "no", "yes", "no", "maybe"],
            "void": ["a", "b", "a", None, "b", "a"],
            "hole": [0.5, None, 0.5, 0.25, 1.0, 0.0],
            "nan": [0.5, np.nan, 0.5, 0.25, 1.0, 0.0],
            "logit": [0.1, 3.5, 0.2, 0.8, 0.3, 0.7],
            "percent": [10.0, 99.0, 0.2, 0.8, 0.3, 0.7],
            "endless": [1.0, np.inf, 1.0, 1.0, 1.0, 1.0],
            "zero": [0.0] * 6,
            "third": [0.5] * 6,
            "day": [date(2020, 1, 1)] * 6,
            "lists": [[1, 2]] * 6,
        }
    )


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("broken") / "broken.parquet"
    broken().write_parquet(path)
    return str(path)


@pytest.fixture(scope="module")
def frames(path: str) -> Callable[[str], Any]:
    """The broken frame in an engine, opened once."""
    return cache(lambda engine: ENGINES[engine](path))


SAMPLED = ("missing", "not a number", "outside", "three labels, one named", "missing group")


@pytest.mark.parametrize(
    ("engine", "fault"),
    [(engine, fault) for engine in ENGINES for fault in (FAULTS if engine == "duckdb" else SAMPLED)],
)
def test_a_fault_is_refused(engine: str, fault: str, frames: Callable[[str], Any]) -> None:
    """By DuckDB also where a Parquet file says that its column has no NaN, as that of Polars does."""
    options, message = FAULTS[fault]
    with pytest.raises(InputError, match=message):
        sums_of_frame(frames(engine), **{"y_true": "label", "y_prob": "prob"} | options).checked()


def test_few_rows_are_refused_with_the_row(path: str) -> None:
    with pytest.raises(InputError, match=r"logit must be between 0 and 1; row 1 is 3\.5\. Are these logits\?"):
        calibration_curve("label", "logit", data=pl.scan_parquet(path))


@pytest.mark.parametrize("engine", ENGINES)
def test_one_row_among_many_is_counted(engine: str, tmp_path: Path) -> None:
    q = np.linspace(0, 1, FEW)
    q[77_777] = np.nan
    pl.DataFrame({"q": q, "y": np.arange(FEW) % 2}).write_parquet(tmp_path / "one.parquet")
    with pytest.raises(InputError) as caught:
        calibration_curve("y", "q", data=ENGINES[engine](str(tmp_path / "one.parquet")))
    where = "row 77777 (counted from 0 in partition 0)" if engine == "dask" else f"one of {FEW:,} rows"
    assert str(caught.value) == f"q must not be missing; {where} is empty. {OUT}"


def test_a_group_without_weight_is_named(tmp_path: Path) -> None:
    tag = np.where(np.arange(FEW) % 2, "a", "b")
    lazy = pl.LazyFrame({"q": np.linspace(0, 1, FEW), "y": np.arange(FEW) % 2, "tag": tag, "w": (tag == "a") * 1.0})
    with pytest.raises(InputError, match=r"every weight of the group 'b' is 0\. Leave this group out"):
        calibration_table("y", "q", groups="tag", sample_weight="w", data=lazy)


def test_a_partition_without_weight_is_allowed() -> None:
    frame = pd.DataFrame({"q": [0.5, 0.25, 0.75, 1.0], "y": [0, 1, 1, 1], "w": [0.0, 0.0, 1.0, 2.0]})
    parted = dask.dataframe.from_pandas(frame, npartitions=2)
    (slots,) = sums_of_frame(parted, y_true="y", y_prob="q", sample_weight="w").checked().values()
    assert (len(slots), slots.weightless) == (2, 2)


@pytest.mark.parametrize(("q", "y"), [(1.5, 0), (0.5, 2)])
def test_a_frame_that_changes_between_two_queries(q: float, y: int) -> None:
    """As where another process writes to it: the value to show is gone."""
    first = pl.DataFrame({"q": [q], "y": [y]})
    answers = iter([first, first.clear(), first.clear()])
    lazy = first.lazy().map_batches(lambda _: next(answers), schema=first.schema)
    with pytest.raises(InputError, match="data changed while it was read, since two queries of its engine disagree"):
        sums_of_frame(lazy, y_true="y", y_prob="q").checked()


@pytest.mark.parametrize(
    ("labels", "pos_label", "unclear"),
    [
        ({0, 1}, None, False),
        ({"0", "1"}, None, False),
        ({0, "1"}, None, True),
        ({"a", "b"}, "a", False),
        ({"b"}, "a", True),
        ({0}, 1, False),
        ({1, 2, 3}, 1, True),
        ({"a"}, "a", False),
    ],
)
def test_which_labels_are_clear(labels: set[Any], pos_label: Any, unclear: bool) -> None:
    assert labels_unclear(labels, pos_label) is unclear
