"""`howsure calibration`: the numbers of the library, to the last digit, in every format."""

from __future__ import annotations

import csv
import io
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
from howsure.data.predictions.open_predictions import open_predictions
from tests.cli.running import howsure as run
from tests.cli.running import printed

FORMATS = ("table", "json", "csv", "markdown", "latex")


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


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ((), {}),
        (("--bin-size", "100"), {"bin_size": 100}),
        (("--bins", "7", "--level", "0.9"), {"n_bins": 7, "level": 0.9}),
        (("--binning", "uniform", "--bins", "12"), {"binning": "uniform", "n_bins": 12}),
        (("--interval", "nguyen-oconnor", "--seed", "5"), {"interval": "nguyen-oconnor", "rng": 5}),
        pytest.param(
            ("--interval", "bootstrap", "--seed", "5"), {"interval": "bootstrap", "rng": 5}, marks=pytest.mark.long
        ),
        (("--weight", "w"), {"sample_weight": "w"}),
        (("--cluster", "doc"), {"clusters": "doc"}),
    ],
)
def test_json_equals_the_library(predictions: Path, options: tuple[str, ...], arguments: dict[str, Any]) -> None:
    held = columns_of(predictions)
    given = {key: held.get(value, value) if isinstance(value, str) else value for key, value in arguments.items()}
    curve = howsure.calibration_curve(held["gold"], held["prob"], **given)
    told = judged(predictions, *options)
    assert told["recipe"]["target"] == "gold"  # by its option's name
    assert "label" not in told["recipe"]
    (found,) = told["curves"]
    p_adjusted, recipe = found.pop("p_adjusted"), found.pop("recipe")
    wanted = json.loads(json.dumps(curve.to_dict()))
    assert found == {name: held for name, held in wanted.items() if name != "recipe"}
    assert recipe == {**curve.recipe, **{key: recipe[key] for key in ("seed",) if key in recipe}}
    assert p_adjusted == curve.p_value


def test_the_documented_schema(predictions: Path) -> None:
    found = judged(predictions, "--group", "tag", "--adjust", "bh")
    assert set(found) == {"recipe", "curves", "skipped"}
    estimate = {"value", "low", "high", "level", "method", "n"}
    parts = {"score", "calibration", "refinement", "within_bin", "infinite_rows"}
    for curve in found["curves"]:
        assert set(curve) == {
            "group", "n", "base_rate", "error", "algorithm1_error", "mse", "ece", "max_error", "p_value", "p_adjusted",
            "brier", "log_loss", "notes", "bins", "recipe",
        }  # fmt: skip
        assert set(curve["error"]) == set(curve["algorithm1_error"]) == set(curve["mse"]) == estimate
        assert set(curve["brier"]) == set(curve["log_loss"]) == parts
        assert set(curve["bins"][0]) == {"n", "mean_prob", "frequency", "low", "high"}
        assert sum(row["n"] for row in curve["bins"]) == curve["n"]
        assert curve["algorithm1_error"]["low"] is curve["mse"]["low"] is None
    assert found["skipped"] == 0
    assert found["recipe"]["rows"] == 3000


def test_groups_equal_the_library_and_each_by_itself(predictions: Path) -> None:
    held = columns_of(predictions)
    table = howsure.calibration_table(held["gold"], held["prob"], groups=held["tag"])
    found = judged(predictions, "--group", "tag")["curves"]
    assert [curve["group"] for curve in found] == [row.name for row in table]
    for curve, row in zip(found, table, strict=True):
        rows = np.array([tag == row.name for tag in held["tag"]])
        alone = howsure.calibration_curve(held["gold"][rows], held["prob"][rows])
        assert curve["error"] == row.error.to_dict() == alone.error.to_dict()
        assert curve["algorithm1_error"]["value"] == row.algorithm1_error
        assert (curve["p_value"], curve["p_adjusted"]) == (row.p_value, row.p_adjusted)


@pytest.mark.parametrize("name", [pytest.param("curve", marks=pytest.mark.long), "groups"])
def test_all_formats_show_the_same(predictions: Path, name: str) -> None:
    groups = ("--group", "tag") if name == "groups" else ()
    arguments = ("calibration", predictions, "--target", "gold", "--prob", "prob", *groups)
    shown = {form: printed(*arguments, "--format", form) for form in FORMATS}
    curves = json.loads(shown["json"])["curves"]
    for curve in curves:
        value = f"{curve['error']['value']:.4f}"
        assert all(value in shown[form] for form in ("table", "markdown", "latex"))
    rows = list(csv.DictReader(io.StringIO(shown["csv"])))
    assert [row["group"] for row in rows] == [curve["group"] or "all" for curve in curves]
    for row, curve in zip(rows, curves, strict=True):
        error, wanted = (
            curve["error"],
            ("error", "low", "high", "Algorithm 1", "ECE", "ECE low", "ECE high", "Brier", "p"),
        )
        assert int(row["n"]) == curve["n"]
        assert [float(row[name]) for name in wanted] == [
            error["value"], error["low"], error["high"], curve["algorithm1_error"]["value"], curve["ece"]["value"],
            curve["ece"]["low"], curve["ece"]["high"],
            curve["brier"]["score"], curve["p_adjusted"],
        ]  # fmt: skip
    assert shown["markdown"].startswith("<!-- howsure ")
    assert shown["latex"].startswith("% howsure ")
    for form in ("markdown", "latex"):
        assert "bin_size" in shown[form]
    if groups:
        assert r"Ünï \& \textless{}b\textgreater{}\_\%" in shown["latex"]


def test_a_p_value_below_every_decimal_is_not_called_zero(predictions: Path) -> None:
    common = ("calibration", predictions, "--target", "gold", "--prob", "prob", "--format")
    assert "| < 0.0001 |" in printed(*common, "markdown")
    (row,) = csv.DictReader(io.StringIO(printed(*common, "csv")))
    assert 0 < float(row["p"]) < 1e-4


@pytest.mark.parametrize("interval", ["nguyen-oconnor", pytest.param("bootstrap", marks=pytest.mark.long)])
def test_a_seed_makes_random_intervals_repeatable(predictions: Path, interval: str) -> None:
    first, again, other = (judged(predictions, "--interval", interval, "--seed", seed) for seed in (1, 1, 2))
    assert first == again
    assert first["curves"][0]["algorithm1_error"]["low"] != other["curves"][0]["algorithm1_error"]["low"]
    assert first["curves"][0]["algorithm1_error"]["value"] == other["curves"][0]["algorithm1_error"]["value"]
    assert first["curves"][0]["recipe"]["seed"] == 1


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
    told = run("check", "calibration", path, "--target", "gold", "--prob", "prob", "--max-error", "0.05",
               "--format", "json")  # fmt: skip
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


def test_skipped_rows_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "graded.tsv"
    rows = [("correct", 0.9), ("wrong", 0.2), ("unparseable", 0.5), ("", 0.5), ("wrong", "")] * 20
    path.write_text("gold\tprob\n" + "".join(f"{gold}\t{prob}\n" for gold, prob in rows))
    found = judged(path, "--positive", "correct", "--missing", "unparseable", "--skip-missing")
    assert found["skipped"] == 60
    assert found["recipe"]["skipped"] == {"gold": 40, "prob": 20}
    assert (found["curves"][0]["n"], found["curves"][0]["base_rate"]) == (40, 0.5)
    text = printed(
        "calibration", path, "--target", "gold", "--prob", "prob", "--positive", "correct", "--missing", "unparseable",
        "--skip-missing",
    )  # fmt: skip
    assert "40 rows, 60 skipped (gold: 40, prob: 20)" in text


@pytest.mark.parametrize("reduce", ["top-label", "class-wise", pytest.param("dog", marks=pytest.mark.long)])
def test_classes_equal_the_library(tmp_path: Path, reduce: str) -> None:
    rng = np.random.default_rng(3)
    probs = rng.dirichlet([0.5, 0.5, 0.5], size=500)
    gold = np.array([rng.choice(["cat", "dog", "cow"], p=row) for row in probs])
    lists, columns = tmp_path / "lists.jsonl", tmp_path / "columns.csv"
    lists.write_text(
        "".join(json.dumps({"gold": g, "probs": p.tolist()}) + "\n" for g, p in zip(gold, probs, strict=True))
    )
    rows = [f"{g},{','.join(map(repr, p.tolist()))}" for g, p in zip(gold, probs, strict=True)]
    columns.write_text("\n".join(["gold,cat,dog,cow", *rows, ""]))
    found = [
        json.loads(printed("calibration", *arguments, "--target", "gold", "--reduce", reduce, "--format", "json"))
        for arguments in (
            (lists, "--probs-column", "probs", "--classes", "cat,dog,cow"),
            (columns, "--probs", "cat,dog,cow"),
        )
    ]
    assert found[0]["curves"] == found[1]["curves"]
    pairs = howsure.pairs_from_classes(gold, probs, classes=["cat", "dog", "cow"], reduce=reduce)
    if reduce == "class-wise":
        assert [curve["group"] for curve in found[0]["curves"]] == ["cat", "dog", "cow"]
        assert sum(curve["n"] for curve in found[0]["curves"]) == len(pairs) == 1500
    else:
        curve = howsure.calibration_curve(pairs.labels, pairs.probabilities)
        assert found[0]["curves"][0]["error"] == curve.error.to_dict()


def test_an_unknown_group_column_is_refused(predictions: Path) -> None:
    done = run("calibration", predictions, "--target", "gold", "--prob", "prob", "--group", "tags")
    assert done.code == 2
    assert done.err.endswith("Did you mean tag?\n")


@pytest.mark.parametrize(
    "method",
    [
        "simulation",
        "cox",
        *(pytest.param(one, marks=pytest.mark.long) for one in ("spiegelhalter", "binned", "cumulative")),
    ],
)
def test_the_p_value_is_that_of_the_test_named(predictions: Path, method: str) -> None:
    held = columns_of(predictions)
    options = ("--test", method, "--seed", 3, "--cluster", "doc", "--weight", "w")
    wanted = howsure.calibration_test(
        held["gold"], held["prob"], method=method, clusters=held["doc"], sample_weight=held["w"], rng=3
    )
    (curve,) = judged(predictions, *options)["curves"]
    assert curve["p_value"] == wanted.p_value
    assert curve["recipe"]["test"] == method
    assert curve["recipe"]["n_simulations"] == 999
    text = printed("calibration", predictions, "--target", "gold", "--prob", "prob", *options)
    assert f"({method} test)" in text
    assert ("use another test" in text) == (method == "cox")  # some predictions of exactly 1 are wrong


def test_groups_are_tested_by_name_and_cox_says_what_it_fits(predictions: Path, tmp_path: Path) -> None:
    held = columns_of(predictions)
    path = tmp_path / "other.csv"
    path.write_text(
        "gold,prob,tag\n"
        + "".join(f"{y:g},{q},{t}\n" for y, q, t in zip(held["gold"], held["other"], held["tag"], strict=True))
    )
    found = judged(path, "--test", "cox", "--group", "tag")
    for curve in found["curves"]:
        rows = [tag == curve["group"] for tag in held["tag"]]
        wanted = howsure.calibration_test(held["gold"][rows], held["other"][rows], method="cox")
        assert curve["p_value"] == wanted.p_value
        slope = wanted.estimates["slope"]
        assert any(f"+ {slope:.3f} · log-odds of the predictions" in note for note in curve["notes"])
