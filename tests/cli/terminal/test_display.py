"""The display of a result: answer, first rows, notes, what was read, next command; and words that lead to commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from howsure.cli.chapters import FIELD_TERMS
from tests.cli.running import howsure


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Twenty models on thirty items each."""
    path = tmp_path / "answers.csv"
    rows = [f"m{model},{item},{int(item % 20 >= model)}" for model in range(20) for item in range(30)]
    path.write_text("\n".join(["model,item,right", *rows]) + "\n")
    monkeypatch.chdir(tmp_path)
    return path


def test_a_result_is_displayed_on_one_screen(answers: Path) -> None:
    lines = howsure("score", answers, "--score", "right", "--model", "model", "--id", "item").out.splitlines()
    assert lines[0].startswith("m0 scores best, 1.0000 [")
    assert lines[2].split()[:2] == ["model", "n"]
    assert "… 8 more rows: --verbose" in lines
    assert lines[-2] == f"{answers}: 600 rows. 95% intervals."
    assert len(lines) <= 24


def test_verbose_prints_every_row(answers: Path) -> None:
    shown = howsure("score", answers, "--score", "right", "--model", "model", "--id", "item", "--verbose").out
    assert all(f"\nm{model} " in shown for model in range(20))
    assert "--verbose" not in shown
    assert "Next: " not in shown


def test_next_commands_run_until_there_is_none(answers: Path) -> None:
    typed, commands = f"score '{answers}' --score right --model model --id item --where \"item >= 0\"", []
    while typed:
        commands.append(typed)
        outcome = howsure(typed)
        assert outcome.code == 0
        typed = outcome.out.partition("Next: howsure ")[2].strip()
    assert [command.split()[-2:] for command in commands[1:]] == [["--worst", "10"], ["--report", "scores.html"]]


@pytest.mark.parametrize("term", sorted(FIELD_TERMS))
def test_a_word_of_the_field_leads_to_a_command(term: str) -> None:
    outcome = howsure(term, "answers.csv")
    assert outcome.code == 2
    subject, command = FIELD_TERMS[term]
    assert f"No command '{term}'. {subject}: {command}" in outcome.err
    words, _, option = command.removeprefix("howsure ").partition(" --")
    help_page = howsure(*words.split(), "--help")
    assert help_page.code == 0
    assert f"--{option}" in help_page.out
