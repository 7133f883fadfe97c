"""`howsure judge validate` on files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.running import howsure, printed


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """200 answers, 120 of them labelled by people; the judge is wrong in 6."""
    monkeypatch.chdir(tmp_path)
    lines = [f"q{k},{k % 2},{(k % 2) ^ (k % 20 == 7)},{'' if k >= 120 else k % 2}" for k in range(200)]
    Path("answers.csv").write_text("\n".join(["question,gold,judge,person", *lines]), encoding="utf-8")
    return "answers.csv"


def test_it_answers_first_and_lists_disagreements(answers: str) -> None:
    text = printed("judge", "validate", answers, "--score", "judge", "--target", "person", "--show", "question")
    assert text.startswith(
        "The judge is valid: it agrees with people in at least 0.8 of answers of each label (TPR 0.9"
    )
    assert "Judge and people disagree on" in text
    assert "q7" in text


def test_json_has_rates_and_all_disagreements(answers: str) -> None:
    command = ("judge", "validate", answers, "--score", "judge", "--target", "person", "--format", "json")
    validation = json.loads(printed(*command))
    assert (validation["outcome"], validation["n"], validation["labelled"]) == ("valid", 200, 120)
    assert [(row["label"], row["n"], row["right"]) for row in validation["labels"]] == [("0", 60, 60), ("1", 60, 54)]
    assert [row["row"] for row in validation["disagreements"]] == [8, 28, 48, 68, 88, 108]


def test_terms_of_the_field_lead_to_it() -> None:
    assert "howsure judge validate" in howsure("tpr").err
