"""`howsure calibration`: the numbers of the library, to the last digit, in every format."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import howsure
from howsure.calibration.curve import curve_of
from howsure.calibration.slots import EXACT_UP_TO
from howsure.data.predictions.predictions import open_predictions
from tests.cli.running import howsure as run
from tests.cli.running import printed


@pytest.fixture(scope="module")
def predictions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """3,000 made-up predictions with ties, three groups, documents and weights."""
    rng = np.random.default_rng(7)
    n = 3000
    q = np.where(rng.random(n) < 0.2, 1.0, rng.beta(0.4, 0.6, n)).round(3)
    columns = {
        "gold": (rng.random(n) < 0.1 + 0.8 * q).astype(int),
        "prob": q,
        "other": (q * 0.7 + 0.1).round(4),
        "tag": np.array(["NN", "VB", "Ünï & <b>_%"])[rng.integers(3, size=n)],
        "doc": np.arange(n) // 10,
        "w": rng.integers(1, 5, n),
    }
    path = tmp_path_factory.mktemp("calibration") / "dev.csv"
    rows = zip(*columns.values(), strict=True)
    path.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows), ""]), encoding="utf-8")
    return path


@cache
def columns_of(path: Path) -> dict[str, Any]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    numbers = {name: np.array([float(row[name]) for row in rows]) for name in ("gold", "prob", "other", "w")}
    return numbers | {name: [row[name] for row in rows] for name in ("tag", "doc")}


def judged(path: Any, *options: Any) -> dict[str, Any]:
    found = json.loads(printed("calibration", path, "--target", "gold", "--prob", "prob", "--format", "json", *options))
    assert isinstance(found, dict)
    return found


BINS = [{}, {"bin_size": 3700}, {"binning": "uniform", "n_bins": 9}]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """More pairs than are sorted: a file, and the arrays in it; masses at 1, rounded predictions."""
    random, n = np.random.default_rng(4), EXACT_UP_TO + 1000
    q = random.beta(0.3, 0.7, n)
    q[::3], q[1::5] = 1.0, q[1::5].round(3)
    columns = {"gold": random.random(n) < q, "prob": q, "w": random.random(n), "tag": random.integers(0, 3, n)}
    path = tmp_path_factory.mktemp("many") / "many.npz"
    np.savez(path, **columns)
    return path, columns


@pytest.mark.parametrize("bins", BINS)
def test_a_file_of_many_pairs_is_judged_as_arrays_are_to_the_last_bit(
    many: tuple[Path, dict[str, Any]], bins: dict[str, Any]
) -> None:
    path, columns = many
    wanted = howsure.calibration_curve(columns["gold"], columns["prob"], **bins)
    assert judged_by_rows([path], EXACT_UP_TO, **bins) == [wanted.to_dict()]


def test_of_many_pairs_with_groups_each_group_has_cells_too(many: tuple[Path, dict[str, Any]]) -> None:
    path, columns = many
    for found, tag in zip(judged_by_rows([path], EXACT_UP_TO, group="tag"), range(3), strict=True):
        summary, rows = howsure.CalibrationSummary(), columns["tag"] == tag
        summary.add(columns["gold"][rows], columns["prob"][rows])
        assert found == summary.curve().to_dict()


def test_weights_of_many_pairs(many: tuple[Path, dict[str, Any]]) -> None:
    path, columns = many
    (found,) = judged(path, "--weight", "w")["curves"]
    wanted = howsure.calibration_curve(columns["gold"], columns["prob"], sample_weight=columns["w"]).to_dict()
    assert list(flat(found["bins"])) == pytest.approx(list(flat(wanted["bins"])), rel=1e-12)
    assert list(flat(found["error"])) == pytest.approx(list(flat(wanted["error"])), rel=1e-9)


@pytest.mark.long
def test_curves_without_bins_of_many_pairs(many: tuple[Path, dict[str, Any]]) -> None:
    path, columns = many
    (found,) = judged(path, "--method", "corp")["curves"]
    assert found == howsure.calibration_curve(columns["gold"], columns["prob"], method="corp", rng=0).to_dict()
    (weighted,) = judged(path, "--method", "corp", "--weight", "w")["curves"]
    assert weighted["n"] == len(columns["gold"])


def test_the_bootstrap_and_other_tests_take_the_pairs_themselves(
    predictions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(open_predictions.__kwdefaults__, "exact_up_to", 0)
    columns = columns_of(predictions)
    options: dict[str, Any] = {"data": howsure.read(predictions), "rng": 1}
    (found,) = howsure.calibration_curves("gold", "prob", interval="bootstrap", **options)
    (tested,) = howsure.calibration_curves("gold", "prob", test="spiegelhalter", **options)
    wanted = howsure.calibration_curve(columns["gold"], columns["prob"], interval="bootstrap", rng=1)
    assert found.algorithm1_error == wanted.algorithm1_error
    assert tested.p_value == howsure.calibration_test(columns["gold"], columns["prob"], method="spiegelhalter").p_value


def test_a_check_of_many_pairs_is_that_of_arrays(many: tuple[Path, dict[str, Any]]) -> None:
    path, columns = many
    told = run(
        "check", "calibration", path, "--target", "gold", "--prob", "prob", "--max-error", "0.05", "--format", "json"
    )
    wanted = howsure.check_calibration(columns["gold"], columns["prob"], max_error=0.05)
    assert list(flat(json.loads(told.out)["verdicts"])) == list(flat(wanted.to_dict()["verdicts"])) != []


@pytest.mark.parametrize("group", [pytest.param(None, marks=pytest.mark.long), "tag"])
@pytest.mark.parametrize("bins", [BINS[0], pytest.param(BINS[1], marks=pytest.mark.long), BINS[2]])
def test_streamed_few_equal_sorted_ones(predictions: Path, group: str | None, bins: dict[str, Any]) -> None:
    streamed, held = (judged_by_rows([predictions], rows, group=group, **bins) for rows in (10, 10_000))
    for some, others in zip(streamed, held, strict=True):
        assert some["notes"] == others["notes"]
        assert list(flat(some)) == pytest.approx(list(flat(others)), rel=1e-9, abs=1e-12)


def judged_by_rows(paths: list[Path], rows: int, *, group: str | None = None, **bins: Any) -> list[dict[str, Any]]:
    """The curves of files whose pairs are streamed if there are more of them than `rows`."""
    with howsure.read(paths).predictions("gold", "prob", groups=group, exact_up_to=rows) as opened:
        assert (opened.stream is None) == (opened.n <= rows)
        return [curve_of(opened.source(name), **bins).to_dict() for name in opened.group_names or (None,)]


def flat(held: Any) -> Iterator[float]:
    """The numbers in nested dicts and lists."""
    for value in held.values() if isinstance(held, dict) else held:
        if isinstance(value, dict | list):
            yield from flat(value)
        elif isinstance(value, int | float):
            yield value
