"""`howsure calibration summary`: sums in files, added up and judged as the predictions are; and sums from a cluster."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import howsure
from tests.cli.running import howsure as run
from tests.cli.running import printed
from tests.data.writers import write

COLUMNS = ("--target", "gold", "--prob", "prob")


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A folder with rows in two files, and all of them."""
    folder, random = tmp_path_factory.mktemp("halves"), np.random.default_rng(2)
    prob = random.random(3000).round(4)
    columns = {
        "gold": random.random(3000) < prob**1.3,
        "prob": prob,
        "tag": random.choice(["m2", "m10"], 3000),
        "w": random.random(3000),
    }
    for name, rows in (("a", slice(0, 1200)), ("b", slice(1200, None)), ("all", slice(None))):
        held = {key: column[rows].tolist() for key, column in columns.items()}
        write(folder / f"{name}.parquet", held | {"gold": [int(one) for one in held["gold"]]})
    return folder, columns


def summarised(folder: Path, name: str, *options: str, out: str | None = None) -> Path:
    path = folder / (out or f"{name}.summary")
    printed("calibration", "summary", folder / f"{name}.parquet", *COLUMNS, *options, "--output", path)
    return path


def judged(*arguments: Any) -> list[dict[str, Any]]:
    found = json.loads(printed("calibration", *arguments, "--format", "json"))["curves"]
    return [{key: value for key, value in curve.items() if key != "p_adjusted"} for curve in found]


def test_two_halves_are_judged_as_the_whole(halves: tuple[Path, dict[str, Any]]) -> None:
    folder, columns = halves
    a, b, whole = (summarised(folder, name) for name in ("a", "b", "all"))
    summary = howsure.CalibrationSummary()
    summary.add(columns["gold"], columns["prob"])
    assert howsure.CalibrationSummary.load(whole) == summary
    wanted = summary.curve().to_dict()
    assert judged(a, b) == judged(whole) == [wanted]
    told = printed("calibration", "summary", a, b, "--output", folder / "both.summary")
    assert told.endswith(f"both.summary: the sums of 3,000 pairs\nnext: howsure calibration {folder}/both.summary\n")
    assert (folder / "both.summary").read_bytes() == whole.read_bytes()
    assert "2 files pooled" in printed("calibration", a, b)
    assert judged(folder / "[ab].summary") == [wanted]
    assert "note: rows of all files count as independent\n" in printed("calibration", a, b)


@pytest.mark.long
def test_a_report_of_many_files_has_a_short_title(halves: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    saved = summarised(halves[0], "a").read_bytes()
    for number in range(4):
        (tmp_path / f"{number}.summary").write_bytes(saved)
    printed("calibration", tmp_path / "?.summary", "--report", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<h1>How far can these predictions be trusted? 4 files</h1>" in page
    assert "4 files pooled (" in page


def test_groups_are_added_up_by_name(halves: tuple[Path, dict[str, Any]]) -> None:
    folder, columns = halves
    a, b = (summarised(folder, name, "--group", "tag", out=f"{name}-tags.summary") for name in ("a", "b"))
    for found, name in zip(judged(a, b), ("m2", "m10"), strict=True):
        rows, summary = columns["tag"] == name, howsure.CalibrationSummary()
        summary.add(columns["gold"][rows], columns["prob"][rows])
        assert found == summary.curve().to_dict() | {"group": name}
    assert howsure.CalibrationSummaries.load(a).keys() == {"m2", "m10"}


def test_weights_classes_and_the_positive_label(halves: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    folder, columns = halves
    weighted = howsure.CalibrationSummary.load(summarised(folder, "all", "--weight", "w", out="weighted.summary"))
    summary = howsure.CalibrationSummary()
    summary.add(columns["gold"], columns["prob"], sample_weight=columns["w"])
    assert weighted.error().value == pytest.approx(summary.error().value, rel=1e-9)
    write(tmp_path / "x.csv", {"gold": ["yes", "no"] * 20, "probs": ["[0.2, 0.8]", "[0.7, 0.3]"] * 20})
    options = ("--target", "gold", "--probs-column", "probs", "--classes", "no,yes", "--reduce", "class-wise")
    printed("calibration", "summary", tmp_path / "x.csv", *options, "--output", tmp_path / "x.summary")
    assert list(howsure.CalibrationSummaries.load(tmp_path / "x.summary")) == ["no", "yes"]
    write(tmp_path / "y.csv", {"gold": ["yes", "no"] * 20, "prob": [0.8, 0.3] * 20})
    printed(
        "calibration", "summary", tmp_path / "y.csv", *COLUMNS, "--positive", "yes", "--output", tmp_path / "y.summary"
    )
    assert howsure.CalibrationSummary.load(tmp_path / "y.summary").slots.positive == "yes"


def test_a_check_of_summaries_is_that_of_their_rows(halves: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    folder, _ = halves
    for name in ("a", "b"):
        summarised(folder, name, "--group", "tag", out=f"{name}-check.summary")
    asked = ("--max-error", "0.05", "--format", "json")
    whole = run("check", "calibration", folder / "all.parquet", *COLUMNS, "--group", "tag", *asked)
    added = run("check", "calibration", folder / "?-check.summary", *asked, "--write-baseline", tmp_path / "b.json")
    assert added.code == whole.code
    kept, wanted = (json.loads(done.out)["verdicts"] for done in (added, whole))
    assert [one["group"] for one in kept] == ["m2", "m10"]
    for one, other in zip(kept, wanted, strict=True):
        assert one["outcome"] == other["outcome"]
        assert one["estimate"]["value"] == pytest.approx(other["estimate"]["value"], rel=1e-3)
        assert one["estimate"]["high"] == pytest.approx(other["estimate"]["high"], rel=1e-3)
    again = ("--not-worse-than", "0.05", "--baseline", tmp_path / "b.json", "--format", "json")
    (tmp_path / "howsure.toml").write_text(
        f'[check.calibration]\nfiles = "{folder}/?-check.summary"\nmax-error = 0.2\n'
    )
    assert "pass" in printed("check", "--config", tmp_path / "howsure.toml")
    assert run("check", "calibration", folder / "?-check.summary", *again).code == 0


@pytest.mark.long
def test_a_cluster_of_dask_gives_the_same_summary(
    halves: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed import LocalCluster

    folder, _ = halves
    monkeypatch.chdir(folder)
    local = summarised(folder, "all", "--group", "tag", out="local.summary")
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address=None) as it:
        asked = ("--engine", "dask", "--scheduler", it.scheduler_address)
        printed(
            "calibration",
            "summary",
            folder / "[ab].parquet",
            *COLUMNS,
            "--group",
            "tag",
            *asked,
            "--output",
            "dask.summary",
        )
        (found,) = judged(folder / "a.parquet", folder / "b.parquet", *COLUMNS, *asked)
        done = run("calibration", folder / "none-*.parquet", *COLUMNS, *asked)
    assert howsure.CalibrationSummaries.load("dask.summary") == howsure.CalibrationSummaries.load(local)
    assert found == judged(summarised(folder, "all"))[0]
    assert done.code == 2
    assert "cannot be read as Parquet" in done.err
