"""`howsure recalibrate evaluate`: what it prints is what the functions give."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from howsure import RecalibrationMap, evaluate_recalibration, recalibrate, recalibration_table
from tests.cli.running import howsure as run

RNG = np.random.default_rng(4)
N = 240
LOGITS = RNG.normal(0, 2, (N, 3))
CODES = np.array([RNG.choice(3, p=p / p.sum()) for p in np.exp(LOGITS / 2)])
Q = 1 / (1 + np.exp(-LOGITS[:, 0]))
Y = (RNG.random(N) < 1 / (1 + np.exp(-LOGITS[:, 0] / 2))).astype(int)
DOC, LANG = np.array([f"{row // 2:03}" for row in range(N)]), np.where(np.arange(N) % 4 < 2, "de", "en")
BINARY = ("--target", "y", "--prob", "q")
CLASSES = ("--target", "gold", "--logits", "a,b,c")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("evaluate") / "rows.csv"
    logits = {name: LOGITS[:, place] for place, name in enumerate("abc")}
    pd.DataFrame({"y": Y, "q": Q, "doc": DOC, "lang": LANG, "gold": np.array(list("abc"))[CODES], **logits}).to_csv(
        path, index=False
    )
    return path


def evaluated(file: Path, *typed: str) -> str:
    done = run("recalibrate", "evaluate", str(file), *typed)
    assert (done.code, done.err) == (0, "")
    return done.out


def figures(found: dict[str, Any]) -> dict[str, Any]:
    """What does not say how it was read."""
    return {name: held for name, held in found.items() if name != "recipe"}


def test_the_evaluation_of_a_file_is_that_of_its_columns(file: Path) -> None:
    typed = (*BINARY, "--cluster", "doc", "--method", "platt", "--folds", "4", "--seed", "3")
    expected = evaluate_recalibration(Y, Q, clusters=DOC, method="platt", folds=4, rng=3)
    said = evaluated(file, *typed)
    assert said.startswith(f"{file}: {N} rows\n")
    assert repr(expected) in said
    found = json.loads(evaluated(file, *typed, "--format", "json"))
    (one,) = found["evaluations"]
    wanted = json.loads(json.dumps(expected.to_dict() | {"p_adjusted": expected.p_value}))
    assert figures(one) == figures(wanted)
    assert (found["recipe"]["cluster"], found["recipe"]["target"], found["skipped"]) == ("doc", "y", 0)


def test_groups_and_methods_have_a_row_each(file: Path) -> None:
    typed = (*BINARY, "--group", "lang", "--method", "temperature,platt", "--repeats", "1")
    expected = recalibration_table(Y, Q, groups=LANG, methods=["temperature", "platt"], repeats=1)
    assert expected.table().text() in evaluated(file, *typed)
    rows = list(csv.DictReader(io.StringIO(evaluated(file, *typed, "--format", "csv"))))
    assert [(row["group"], row["method"]) for row in rows] == [(one.name, one.method) for one in expected]
    for row, one in zip(rows, expected, strict=True):
        assert float(row["brier improvement low"]) == pytest.approx(one.brier.improvement.low)
        assert row["verdict"] == one.kind
    assert "temperature" in evaluated(file, *typed, "--format", "latex")


def test_a_map_is_judged_as_it_is_whatever_the_order_of_the_classes(file: Path) -> None:
    fitted = recalibrate(CODES[:120], logits=LOGITS[:120], method="vector", classes=["a", "b", "c"])
    turned = recalibrate((2 - CODES)[:120], logits=LOGITS[:120, ::-1], method="vector", classes=["c", "b", "a"])
    expected = fitted.evaluate(CODES, logits=LOGITS)
    for one in (fitted, turned):
        path = file.parent / "map.json"
        path.write_text(one.to_json())
        found = json.loads(evaluated(file, *CLASSES, "--map", str(path), "--format", "json"))["evaluations"][0]
        assert found["recipe"]["folds"] is None
        assert found["error_after"]["value"] == pytest.approx(expected.error_after.value, abs=1e-6)
        assert found["multiclass_brier"]["after"] == pytest.approx(expected.multiclass_brier.after, abs=1e-9)  # type: ignore[union-attr]
    assert "240 rows that the map was not fitted to" in evaluated(file, *CLASSES, "--map", str(path))


def test_a_map_of_groups_is_judged_in_each(file: Path) -> None:
    fitted = recalibrate(Y, Q, groups=LANG, method="platt")
    path = file.parent / "groups.json"
    path.write_text(fitted.to_json())
    found = json.loads(evaluated(file, *BINARY, "--group", "lang", "--map", str(path), "--format", "json"))
    mine = LANG == "en"
    after = RecalibrationMap.from_json(path.read_text()).apply(Q[mine], groups=LANG[mine])
    en = found["evaluations"][1]
    assert (en["group"], en["n"]) == ("en", int(mine.sum()))
    assert en["brier"]["after"] == pytest.approx(np.mean((after - Y[mine]) ** 2))


@pytest.mark.parametrize("methods", ["platt", pytest.param("platt,temperature", marks=pytest.mark.long)])
def test_figures_and_reports(file: Path, tmp_path: Path, methods: str) -> None:
    figure, page = tmp_path / "made.svg", tmp_path / "made.html"
    typed = (*BINARY, "--repeats", "1", "--method", methods)
    evaluated(file, *typed, "--figure", str(figure), "--report", str(page))
    assert "<svg" in figure.read_text()
    html = page.read_text()
    assert f"Does recalibration help? {file}" in html
    assert "<svg" in html
    assert "howsure recalibrate evaluate" in html
    assert methods != "platt" or "recalibration (platt)" in html.lower()
