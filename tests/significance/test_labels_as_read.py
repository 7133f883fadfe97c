"""Labels as files hold them: 1 and 1.0, byte-order marks, headers, and what is no text or no label at all."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from howsure import InputError, Runs, compare
from howsure.cli.significance.main import command
from howsure.significance.boostsa.storage import read_labels


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "mixed.jsonl",
            '{"gold":1,"base":1.0,"big":1}\n{"gold":0,"base":0.0,"big":0}\n{"gold":1,"base":0.0,"big":1}\n',
        ),
        ("mixed.csv", "gold,base,big\n1,1.0,1\n0,0.0,0\n1,0.0,1\n"),
    ],
)
def test_one_and_one_point_nought_are_one_class(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    arguments = [str(tmp_path / name), "--target", "gold", "--against", "base", "--model", "big"]
    done = CliRunner().invoke(command, [*arguments, "--metric", "accuracy", "--format", "json"], catch_exceptions=False)
    assert done.exit_code == 0
    assert json.loads(done.stdout)["comparisons"][0]["against_value"] == pytest.approx(2 / 3)


def test_a_byte_order_mark_is_no_part_of_a_label(tmp_path: Path) -> None:
    (tmp_path / "labels.txt").write_bytes(b"\xef\xbb\xbfa\nb\na\n")
    assert list(read_labels(tmp_path / "labels.txt")) == ["a", "b", "a"]


@pytest.mark.parametrize(
    ("content", "said"), [(b"\xe9\n", "is not UTF-8 text"), (b"label\n1\n0\n", "Does the file have a header?")]
)
def test_what_is_no_file_of_labels_is_said(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "labels.csv").write_bytes(content)
    with pytest.raises(InputError, match=said):
        read_labels(tmp_path / "labels.csv")


def test_labels_beyond_what_floats_can_tell_apart_are_refused() -> None:
    with pytest.raises(InputError, match="row 0 holds 1e\\+20"):
        compare([1e20, 2e20], [1e20, 1e20], [2e20, 2e20], metrics="accuracy")


def test_one_item_has_no_interval_by_any_method() -> None:
    """It was [+1, +1], and the bootstrap's p .0001."""
    for interval in ("basic", "percentile", "bca"):
        (row,) = compare([1], [0], [1], metrics="accuracy", method="bootstrap", interval=interval, rng=0)
        assert math.isnan(row.low)
        assert math.isnan(row.high)
        assert row.p_value == 1.0


@pytest.mark.parametrize("metric", ["entropy_similarity", "entropy_correlation"])
def test_identical_soft_systems_differ_by_nothing(metric: str) -> None:
    rows = np.random.default_rng(0).dirichlet([1, 1, 1], size=40)
    truth = np.random.default_rng(1).dirichlet([1, 1, 1], size=40)
    (row,) = compare(truth, rows, rows, metrics=metric, rng=0, n_resamples=500)
    assert (row.p_value, row.low, row.high) == (1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"method": "boostsa", "sample_size": "a"}, "sample_size must lie in"),
        ({"metrics": 3}, "metrics must be the name of a metric"),
        ({"metrics": [3]}, "metrics must be the name of a metric"),
    ],
)
def test_arguments_of_the_wrong_type_are_named(arguments: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        compare([0, 1] * 20, [0, 1] * 20, [1, 1] * 20, **arguments)  # type: ignore[arg-type]


def test_runs_that_are_none_are_refused() -> None:
    with pytest.raises(InputError, match="Runs must hold the predictions of each run"):
        Runs(3)  # type: ignore[arg-type]


def test_ids_of_another_length_are_refused() -> None:
    with pytest.raises(InputError, match="id must name every row of y_true, of which there are 4"):
        compare([0, 1, 1, 0], [0, 1, 0, 0], [0, 1, 1, 0], id=[1, 2])
