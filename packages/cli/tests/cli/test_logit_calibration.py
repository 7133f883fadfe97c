"""`howsure calibration logits`: what the library says, from files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from tests.calibration.test_logit_calibration import model
from tests.cli.running import howsure as run

from howsure import CalibrationSummary

LOGITS, TOKENS = model(900, 40, seed=3)
TOKENS[::10] = -100


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for at, rows in enumerate(np.split(np.arange(900), [300, 700])):
        tensors = {"logits": LOGITS[rows], "labels": TOKENS[rows]}
        save_file(tensors, f"shard-{at}.safetensors")
        np.save(f"shard-{at}.npy", LOGITS[rows])
    np.save("tokens.npy", TOKENS)
    return tmp_path


@pytest.mark.parametrize(
    "typed", [("shard-*.safetensors",), ("shard-*.npy", "--targets", "tokens.npy")], ids=["together", "beside"]
)
def test_command_and_library_agree(typed: tuple[str, ...], folder: Path) -> None:
    summary = CalibrationSummary()
    summary.add_logits(LOGITS, TOKENS)
    for options, expected in (
        ((), summary.by_probability().curve(binning="weight")),
        (("--bins", "7"), summary.by_probability().curve(binning="weight", n_bins=7)),
        (("--weight", "equal", "--bin-size", "2000"), summary.curve(bin_size=2000)),
        (("--binning", "uniform"), summary.by_probability().curve(binning="uniform")),
    ):
        content = json.loads(run("calibration", "logits", *typed, *options, "--format", "json").out)
        assert content["recipe"]["rows"] == 810
        assert content["recipe"]["skipped"] == {"target -100": 90}
        assert content["curves"][0]["n"] == 810 * 40
        assert content["curves"][0]["error"] == expected.error.to_dict()
        assert len(content["curves"][0]["bins"]) == len(expected.bins)


def test_figure_and_report(folder: Path) -> None:
    typed = ("calibration", "logits", "shard-*.safetensors")
    done = run(*typed, "--figure", "curve.svg", "--report", "report.html", "--output", "said.txt")
    assert (done.code, done.out) == (0, "")
    assert "log-odds scale" in Path("curve.svg").read_text(encoding="utf-8")
    assert "shard-0.safetensors" in Path("report.html").read_text(encoding="utf-8")
    assert "intervals treat the pairs of a row, one per class, as independent" in Path("said.txt").read_text(
        encoding="utf-8"
    )
    assert "is weighted by its probability" in Path("report.html").read_text(encoding="utf-8")
    assert "counts by" not in run(*typed, "--weight", "equal").out
    done = run(*typed, "--output", "shard-0.safetensors")
    assert "is an input of this command and would be overwritten" in done.err


def test_saved_sums_are_judged_alike_and_added_up(folder: Path) -> None:
    whole = json.loads(run("calibration", "logits", "shard-*.safetensors", "--format", "json").out)
    for at in range(3):
        done = run("calibration", "logits", f"shard-{at}.safetensors", "--save", f"{at}.summary")
        assert done.code == 0
    added = json.loads(run("calibration", "logits", "*.summary", "--save", "all.summary", "--format", "json").out)
    assert added["curves"] == whole["curves"]
    assert added["recipe"]["files"] == ["0.summary", "1.summary", "2.summary"]
    summary = CalibrationSummary()
    summary.add_logits(LOGITS, TOKENS)
    assert CalibrationSummary.load("all.summary") == summary


def test_other_commands_say_that_all_classes_count_alike(folder: Path) -> None:
    assert run("calibration", "logits", "shard-0.safetensors", "--save", "0.summary").code == 0
    assert "each pair of a row and a class has the same weight" in run("calibration", "0.summary").out
    run("calibration", "logits", "shard-0.safetensors", "--reduce", "top-label", "--save", "first.summary")
    assert "has the same weight" not in run("calibration", "first.summary").out
    first = run("calibration", "logits", "first.summary")
    assert (first.code, "is weighted by its probability" in first.out) == (0, False)
