"""The other commands, and the help of all of them."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import click
import numpy as np
import pytest
from tests.cli.running import howsure as run
from tests.cli.running import printed

import howsure
from howsure_cli.command_line import SpecialFunctions, load_special_functions_on_use
from howsure_cli.terminal.commands import Command

HOWSURE = Path(sys.executable).parent / "howsure"


def test_a_command_called_by_itself_is_explained_by_both_options() -> None:
    """Its help is remembered, and must be the same wherever it was requested first."""
    command = Command("alone")
    for context in (click.Context(command), click.Context(command, help_option_names=["-h"])):
        assert "-h, --help" in command.get_help(context)


def test_the_installed_command() -> None:
    done = subprocess.run([HOWSURE, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"howsure, version {howsure.__version__}\n"
    module = subprocess.run([sys.executable, "-m", "howsure_cli", "--help"], capture_output=True, text=True, check=True)
    assert module.stdout == printed("--help")


@pytest.mark.long
def test_a_reader_that_stops_is_no_error() -> None:
    piped = f"{HOWSURE} simulate 20000 | head -n 1"
    done = subprocess.run(["bash", "-c", piped], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("label,probability\n", "")


def test_quantiles_from_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    draws, truth = rng.normal(size=(60, 3)), rng.normal(size=60)
    rows = [",".join(map(repr, [t, *d])) for t, d in zip(truth.tolist(), draws.tolist(), strict=True)]
    (tmp_path / "draws.csv").write_text("\n".join(["truth,a,b,c", *rows, ""]))
    np.savez(tmp_path / "draws.npz", draws=draws, truth=truth)
    common = ("--target", "truth", "--format", "json")
    by_columns = json.loads(printed("quantiles", tmp_path / "draws.csv", "--draws", "a,b,c", *common))
    by_list = json.loads(printed("quantiles", tmp_path / "draws.npz", "--draws-column", "draws", *common))
    for content in (by_columns, by_list):
        del content["recipe"]
    assert by_columns == by_list


@pytest.mark.parametrize("form", ["json", "markdown", "table"])
def test_quantities_that_miss_a_value_are_left_out_and_counted(tmp_path: Path, form: str) -> None:
    rows = [f"{i},{i + 1},{i + 2}" for i in range(20)]
    (tmp_path / "draws.csv").write_text("\n".join(["truth,a,b", *rows, "nan,1,2", "3,,4", ""]))
    text = printed(
        "quantiles", tmp_path / "draws.csv", "--target", "truth", "--draws", "a,b", "--skip-missing", "--format", form
    )
    if form == "json":
        assert json.loads(text)["recipe"]["skipped"] == {"truth": 1, "a": 1}
        assert json.loads(text)["n"] == 20
    else:
        assert ("2 skipped (truth: 1, a: 1)" if form == "table" else "skipped truth: 1, a: 1") in text


@pytest.mark.parametrize("test", ["chi-square", "band"])
def test_quantiles_in_clusters_by_the_test_named(tmp_path: Path, test: str) -> None:
    rng = np.random.default_rng(2)
    days = [f"day {i // 6}" for i in range(120)]
    draws, truth = rng.normal(size=(120, 3)), rng.normal(size=120)
    rows = zip(days, truth.tolist(), *draws.T.tolist(), strict=True)
    (tmp_path / "draws.csv").write_text("day,truth,a,b,c\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    calibration = howsure.quantile_calibration(truth, draws, clusters=days, method=test, rng=4)
    common = ("--target", "truth", "--draws", "a,b,c", "--cluster", "day", "--test", test, "--seed", 4)
    content = json.loads(printed("quantiles", tmp_path / "draws.csv", *common, "--format", "json"))
    assert calibration.recipe.items() <= content["recipe"].items()
    assert {**content, "recipe": calibration.recipe} == calibration.to_dict()
    assert content["clusters"] == 20
    text = printed("quantiles", tmp_path / "draws.csv", *common)
    assert "120 true values in 20 clusters, 3 draws each." in text
    assert f"({test}" in text.splitlines()[0]
    twice = run("quantiles", tmp_path / "draws.csv", "--target", "truth", "--draws", "a,b", "--cluster", "truth")
    assert (twice.code, "must name each column once" in twice.err) == (2, True)


def test_special_functions_load_the_rest_of_scipy_special_only_if_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = importlib.import_module("scipy.special")
    monkeypatch.delitem(sys.modules, "scipy.special")
    load_special_functions_on_use()
    quick = importlib.import_module("scipy.special")
    assert isinstance(quick, SpecialFunctions)
    names = ("bdtr", "betainc", "betaincinv", "gammaincc", "gammaln", "ndtr", "ndtri", "stdtr", "stdtrit", "xlogy")
    assert all(getattr(quick, name) is getattr(loaded, name) for name in names)
    assert sys.modules["scipy.special"] is quick
    assert quick.logsumexp([0.0, 0.0]) == loaded.logsumexp([0.0, 0.0])
    assert sys.modules["scipy.special"] is not quick
    with pytest.raises(AttributeError, match=r"'scipy\.special' has no attribute 'no_such_function'"):
        _ = quick.no_such_function
