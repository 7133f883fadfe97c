"""`howsure calibration structures`: what it prints is that of the pairs, which it can write."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import howsure

from howsure import calibration_curves, structure_pairs
from howsure.errors import InputError
from howsure_cli.structure_files import read_structures

ITEMS = [
    {"id": "a", "samples": [[["N", 0], ["V", 1]], [["N", 0]]], "weights": [3, 1], "gold": [["N", 0]]},
    {"id": "b", "samples": [[["V", 0]], [["N", 0]]], "weights": [1, 1], "gold": [["V", 0], ["V", 7]]},
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(map(json.dumps, ITEMS)), encoding="utf-8")
    return path


def test_it_prints_the_curves_of_the_pairs_and_writes_them(file: Path, tmp_path: Path) -> None:
    done = howsure(
        "calibration", "structures", file, "--by-label", "--format", "json", "--pairs", tmp_path / "pairs.csv"
    )
    assert done.code == 0, done.err
    samples, gold, weights = ([item[key] for item in ITEMS] for key in ("samples", "gold", "weights"))
    curves = calibration_curves(structure_pairs(samples, gold, sample_weight=weights, by_label=True))
    printed = json.loads(done.out)
    assert [curve["n"] for curve in printed["curves"]] == [curve.n for curve in curves] == [2, 2]
    assert [curve["brier"] for curve in printed["curves"]] == [curve.to_dict()["brier"] for curve in curves]
    assert printed["recipe"]["files"] == [str(file)]
    assert "1 of 3 gold parts has no pair" in done.out
    with (tmp_path / "pairs.csv").open(encoding="utf-8") as rows:
        written = list(csv.DictReader(rows))
    assert [row["part"] for row in written] == ["N", "V", "V", "N"]
    np.testing.assert_allclose([float(row["probability"]) for row in written], [1.0, 0.75, 0.5, 0.5])
    assert [row["item"] for row in written] == ["0", "0", "1", "1"]


def test_a_line_that_repeats_an_item_is_an_error(file: Path) -> None:
    file.write_text("\n".join(map(json.dumps, [ITEMS[0], ITEMS[0]])), encoding="utf-8")
    done = howsure("calibration", "structures", file)
    assert done.code == 2
    assert f"line 2 of {file}: it repeats the item a of line 1" in done.err


LINE = {"id": "a", "samples": [["a"], ["b"]], "gold": ["a"]}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([LINE, LINE], "line 2 of FILE: it repeats the item a of line 1; write all structures of an item in one line."),
        (
            [{**LINE, "weights": [1, 1]}, {**LINE, "id": "b"}],
            "line 2 of FILE: weights are missing, and other lines have",
        ),
        ([{"id": "a", "sample": [["a"]], "gold": []}], "samples must be a list; it is None. Did you mean sample?"),
        ([[1]], "line 1 of FILE: it contains list, not an object; write one item per line."),
    ],
)
def test_bad_lines(tmp_path: Path, lines: Any, message: str) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(message.replace("FILE", str(path)))):
        read_structures(path)
    path.write_text("{", encoding="utf-8")
    with pytest.raises(InputError, match=r"line 1 of .*: it is not JSON"):
        read_structures(path)
