"""`howsure calibration find-groups`: what it prints is what the function gives."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import duckdb
import numpy as np
import pytest
from tests.cli.running import howsure as run

from howsure import find_miscalibrated_groups, multicalibration_error

N = 4000
RNG = np.random.default_rng(31)
PROB = RNG.random(N).round(6)
PROMPT, TEXT = RNG.choice(["first", "second"], N), np.array(["x" * k for k in RNG.integers(0, 60, N)])
DAY = np.datetime64("2026-01-01") + RNG.integers(0, 300, N)
GOLD = (RNG.random(N) < np.where(PROMPT == "second", PROB**2, PROB)).astype(int)
TYPED = ("--target", "gold", "--prob", "prob", "--features", "prompt,length(text),day", "--conditions", "1")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("groups") / "dev.csv"
    rows = zip(GOLD, PROB, PROMPT, TEXT, DAY, strict=True)
    path.write_text("\n".join(["gold,prob,prompt,text,day", *(",".join(map(str, row)) for row in rows), ""]))
    return path


def lengths() -> np.ndarray:
    """The lengths of the texts; an empty text is missing."""
    return np.array([len(text) or np.nan for text in TEXT])


def test_json_is_that_of_python(file: Path) -> None:
    printed_json = json.loads(run("calibration", "find-groups", str(file), *TYPED, "--format", "json").out)
    features = {"prompt": PROMPT, "length(text)": lengths(), "day": DAY}
    groups = find_miscalibrated_groups(GOLD, PROB, features=features, conditions=1, multicalibration=True)
    assert groups.multicalibration == multicalibration_error(GOLD, PROB, features=features)
    content = json.loads(json.dumps(groups.to_dict()))
    assert printed_json["recipe"]["target"] == "gold"
    assert {**printed_json, "recipe": None} == {**content, "recipe": None}
    assert [group["group"] for group in printed_json["groups"]] == ["prompt = second"]


@pytest.mark.long
def test_parquet_types_make_the_same_groups(file: Path, tmp_path: Path) -> None:
    duckdb.execute(f"COPY (SELECT * FROM read_csv('{file}')) TO '{tmp_path}/dev.parquet'")
    typed = [
        run("calibration", "find-groups", str(table_file), *TYPED, "--format", "csv").out
        for table_file in (file, tmp_path / "dev.parquet")
    ]
    assert typed[0] == typed[1]
    (row,) = csv.DictReader(io.StringIO(typed[0]))
    assert float(row["beyond the whole low"]) < float(row["beyond the whole"]) < float(row["beyond the whole high"])


def test_a_page_without_findings_says_what_was_looked_at(tmp_path: Path) -> None:
    rows = "SELECT i % 2 AS gold, 0.5 AS prob, i // 2 % 3 AS part FROM range(900) t(i)"
    duckdb.execute(f"COPY ({rows}) TO '{tmp_path}/x.csv'")
    done = run(
        f"calibration find-groups {tmp_path}/x.csv --target gold --prob prob --features part --report {tmp_path}/x.html"
    )
    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    for report_text in (done.out, page):
        assert "No group is found to be worse calibrated than the whole" in report_text
        assert "on part, each with 50 rows or more." in report_text
    assert "<h2>Table" not in page


def test_a_list_is_no_feature(tmp_path: Path) -> None:
    duckdb.execute(f"COPY (SELECT 1 AS gold, 0.5 AS prob, [1, 2] AS two) TO '{tmp_path}/dev.parquet'")
