"""`howsure selective`: what it prints is what the functions give."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.selective import clustered_answers
from howsure import selective_curve, threshold_for
from tests.cli.running import howsure as run


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """300 clusters of answers of two models; no two confidences of which differ in the tenth digit."""
    pairs = clustered_answers("ties", "sharp", 300, np.random.default_rng(1))
    assert pairs.clusters is not None
    rows = zip(pairs.labels, pairs.probabilities, pairs.clusters, strict=True)
    lines = [f"{y},{float(q)!r},{c},{'AB'[i % 2]}" for i, (y, q, c) in enumerate(rows)]
    path = tmp_path_factory.mktemp("selective") / "answers.csv"
    path.write_text("\n".join(["right,q,doc,model", *lines, ""]), encoding="utf-8")
    return path


def columns(file: Path) -> tuple[np.ndarray, ...]:
    rows = list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8"))))
    return tuple(np.array([row[name] for row in rows]) for name in ("right", "q", "doc", "model"))


def test_json_is_that_of_python(file: Path) -> None:
    done = run("selective", str(file), "--target", "right", "--prob", "q", "--cluster", "doc", "--coverage", "0.5,1",
               "--accuracy", "0.97", "--risk", "0.1", "--delta", "0.2", "--format", "json")  # fmt: skip
    found = json.loads(done.out)
    y, q, doc, _ = columns(file)
    curve = selective_curve(y, q.astype(float), clusters=doc, coverage=[0.5, 1], accuracy=[0.97])
    assert found["curves"] == [json.loads(json.dumps(curve.to_dict()))]
    threshold = threshold_for(y, q.astype(float), clusters=doc, risk=0.1, delta=0.2)
    assert found["thresholds"] == [json.loads(json.dumps(threshold.to_dict()))]
    assert found["recipe"]["target"] == "right"
    assert found["skipped"] == 0


def test_groups_are_rows(file: Path) -> None:
    typed = ("selective", str(file), "--target", "right", "--prob", "q", "--group", "model", "--risk", "0.04")
    rows = list(csv.DictReader(io.StringIO(run(*typed, "--format", "csv").out)))
    y, q, _, model = columns(file)
    for row in rows:
        mine = model == row["group"]
        curve = selective_curve(y[mine], q[mine].astype(float))
        found = threshold_for(y[mine], q[mine].astype(float), risk=0.04)
        assert float(row["AUROC"]) == curve.auroc.value
        assert float(row["E-AURC high"]) == curve.excess_aurc.high
        assert float(row["accuracy at 0.8"]) == curve.at_coverage[1].accuracy.value
        assert row["threshold"] == ("" if found.threshold is None else repr(found.threshold))
    said = run(*typed).out
    assert "threshold: each group's threshold by itself: at most 0.04 of the answers" in said


def test_a_group_without_a_threshold_is_told_how_many_would_do(file: Path) -> None:
    said = run("selective", str(file), "--target", "right", "--prob", "q", "--group", "model", "--risk", "0.0001").out
    assert said.count("none can be promised") == 2
    assert "answers like these would be needed" in said or "none has an observed risk below the target" in said


def test_a_probability_of_one_of_two_labels_becomes_confidence(tmp_path: Path) -> None:
    (tmp_path / "two.csv").write_text("y,p\n1,0.9\n0,0.1\n1,0.2\n0,0.5\n", encoding="utf-8")
    typed = ("selective", str(tmp_path / "two.csv"), "--target", "y", "--prob", "p", "--format", "json")
    (curve,) = json.loads(run(*typed, "--reduce", "top-label").out)["curves"]
    assert [(point["threshold"], point["n"], point["errors"]) for point in curve["points"]] == [
        (0.9, 2, 0),
        (0.8, 3, 1),
        (0.5, 4, 1),
    ]
    plain = run(*typed)
    assert json.loads(plain.out)["curves"][0]["points"][0]["n"] == 1


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("one.svg", ("--risk", "0.1")),
        pytest.param("two.png", ("--group", "model"), marks=pytest.mark.long),
        pytest.param("plain.pdf", (), marks=pytest.mark.long),
    ],
)
def test_a_figure_is_written(file: Path, tmp_path: Path, name: str, more: tuple[str, ...]) -> None:
    base = ("selective", str(file), "--target", "right", "--prob", "q")
    assert run(*base, *more, "--figure", str(tmp_path / name)).code == 0
    assert (tmp_path / name).stat().st_size > 5_000
