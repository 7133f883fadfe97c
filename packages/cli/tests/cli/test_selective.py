"""`howsure selective`: what it prints is what the functions give."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import howsure as run

from benchmarks.selective import clustered_answers


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """300 clusters of answers of two models; no two confidences of which differ in the tenth digit."""
    pairs = clustered_answers("ties", "sharp", 300, np.random.default_rng(1))
    rows = zip(pairs.labels, pairs.probabilities, pairs.clusters, strict=True)
    lines = [f"{y},{float(q)!r},{c},{'AB'[i % 2]}" for i, (y, q, c) in enumerate(rows)]
    path = tmp_path_factory.mktemp("selective") / "answers.csv"
    path.write_text("\n".join(["right,q,doc,model", *lines, ""]), encoding="utf-8")
    return path


def test_group_without_a_threshold_shows_how_many_are_needed(file: Path) -> None:
    output = run("selective", str(file), "--target", "right", "--prob", "q", "--group", "model", "--risk", "0.0001").out
    assert output.count("no threshold can be guaranteed") == 2
    assert "answers like these are needed" in output or "no threshold has an observed risk below the target" in output


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
