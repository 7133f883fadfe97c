"""`howsure score items`: what a benchmark tells apart, on the bundled logs, and its figure."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from tests.cli.running import howsure as run
from tests.cli.running import printed

from tests.source import DEMO

ANSWERS = str(DEMO / "answers/*/samples_*.jsonl")


def test_it_answers_first_and_shows_columns_of_a_log() -> None:
    lines = printed("score", "items", ANSWERS, "--show", "doc.question").splitlines()
    assert lines[0].startswith(
        "On these 240 items, a significant gap separates 2 of 2 pairs of neighbouring models. A gap of 0.1"
    )
    assert lines[2].split() == ["item", "mean", "dead", "doc.question"]
    assert (
        "82 of 240 items are dead: all models have the same score on them (45 with score 1, 37 with score 0)." in lines
    )


def test_a_figure_needs_five_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    refused = run("score", "items", ANSWERS, "--figure", "f.svg")
    assert refused.code == 2
    assert "no item has a discrimination" in refused.err
    with open("right.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["model", "item", "right"])
        writer.writerows([[f"m{m}", k, int((7 * k) % 11 < m + 3)] for m in range(6) for k in range(30)])
    columns = ["--score", "right", "--model", "model", "--id", "item", "--figure", "f.svg", "--report", "r.html"]
    assert "discrimination" in printed("score", "items", "right.csv", *columns)
    assert "discrimination" in Path("f.svg").read_text()
    assert "On these 30 items" in Path("r.html").read_text()
