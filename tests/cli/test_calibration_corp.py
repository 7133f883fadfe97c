"""`howsure calibration --method corp`: the numbers of the library in every format, and both curves in a report."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

import howsure
from tests.cli.running import printed

JUDGE = ("--target", "gold", "--prob", "prob", "--method", "corp")


@pytest.fixture(scope="module")
def predictions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """600 overconfident predictions with ties, two groups and documents."""
    rng = np.random.default_rng(3)
    q = rng.random(600).round(2)
    rows = zip((rng.random(600) < q**2).astype(int), q, np.arange(600) // 6, ["NN", "<b>VB"] * 300, strict=True)
    path = tmp_path_factory.mktemp("corp") / "dev.csv"
    path.write_text("gold,prob,doc,tag\n" + "".join(",".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("options", [(), ("--cluster", "doc", "--simulations", "60", "--seed", "4", "--level", "0.9")])
def test_json_equals_the_library(predictions: Path, options: tuple[str, ...]) -> None:
    gold, prob, doc = np.genfromtxt(predictions, delimiter=",", skip_header=1, usecols=(0, 1, 2)).T
    given = {"clusters": doc.astype(int), "n_simulations": 60, "rng": 4, "level": 0.9} if options else {"rng": 0}
    wanted = howsure.calibration_curve(gold.astype(int), prob, method="corp", **given).to_dict()
    told = json.loads(printed("calibration", predictions, *JUDGE, *options, "--format", "json"))
    (found,) = told["curves"]
    if not options:  # without clusters a file is read as a stream: the same curve, labels drawn by cell
        drawn = (
            "band",
            "below_band",
            "above_band",
            "miscalibration_by_chance",
            "smooth_ece",
            "verdict",
            "notes",
            "recipe",
            "p_value",
        )
        for name in drawn:
            found.pop(name)
            wanted.pop(name)
        for score in ("brier", "log_loss"):
            flat = {f"{part} {end}": x for part, one in _parts(wanted.pop(score)) for end, x in one.items()}
            held = {f"{part} {end}": x for part, one in _parts(found.pop(score)) for end, x in one.items()}
            assert held == pytest.approx(flat, abs=1e-9)
        for step, other in zip(found.pop("steps"), wanted.pop("steps"), strict=True):
            assert step == pytest.approx(other, abs=1e-9)
        assert found.pop("base_rate") == pytest.approx(wanted.pop("base_rate"))
    assert found == json.loads(json.dumps(wanted))


def _parts(score: dict[str, dict[str, float]]) -> list[tuple[str, dict[str, float]]]:
    return [(part, one) for part, one in score.items() if part != "infinite_rows"]


def test_every_format_shows_the_groups(predictions: Path) -> None:
    shown = {
        form: printed("calibration", predictions, *JUDGE, "--group", "tag", "--cluster", "doc", "--format", form)
        for form in ("table", "json", "csv", "latex")
    }
    curves = json.loads(shown["json"])["curves"]
    assert [curve["group"] for curve in curves] == ["<b>VB", "NN"]
    rows = list(csv.DictReader(io.StringIO(shown["csv"])))
    for row, curve in zip(rows, curves, strict=True):
        part = curve["brier"]["miscalibration"]
        assert [float(row[name]) for name in ("miscalibration", "low", "high", "p")] == [
            part["value"], part["low"], part["high"], curve["p_value"],
        ]  # fmt: skip
        assert all(f"{part['value']:.5f}" in shown[form] for form in ("table", "latex"))
        assert f"{curve['group']}: {curve['verdict']}" in shown["table"]
    for form in ("table", "latex"):
        assert "interval of the miscalibration, corrected for fitting" in shown[form]


def test_one_curve_is_told_with_its_steps(predictions: Path) -> None:
    told = printed("calibration", predictions, *JUDGE, "--cluster", "doc")
    assert re.search(r"  miscalibration  0\.0\d+, corrected for fitting \[0\.", told)
    assert "step " in told
    assert "overconfident for " in told


@pytest.mark.long
@pytest.mark.parametrize("options", [("--method", "corp", "--group", "tag"), ()])
def test_a_report_holds_both_curves(predictions: Path, tmp_path: Path, options: tuple[str, ...]) -> None:
    page = tmp_path / "r.html"
    given = ("--target", "gold", "--prob", "prob", "--cluster", "doc", *options)
    printed("calibration", predictions, *given, "--report", page, "--figure", tmp_path / "f.svg")
    text = page.read_text(encoding="utf-8")
    curves = 2 if options else 1
    assert text.count("<h3>Without bins</h3>") == curves
    assert text.count("Isotonic regression; in grey") == 2 * curves  # below each picture, and said of it
    assert "The 2 bins" in text or "bins</summary>" in text
    assert "<b>VB" not in text
    picture = (tmp_path / "f.svg").read_text(encoding="utf-8")
    assert ("miscalibration (Brier score)" in picture) == bool(options)
