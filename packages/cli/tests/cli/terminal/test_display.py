"""The display of a result: answer, first rows, notes, what was read, next command; and words that lead to commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import howsure

import howsure as library
from howsure.result import Result
from howsure_cli.chapters import FIELD_TERMS
from howsure_cli.terminal import output


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


@pytest.mark.parametrize("width", [None, 100, 60, 40, 20])
def test_no_line_of_a_table_is_wider_than_the_terminal(
    answers: Path, monkeypatch: pytest.MonkeyPatch, width: int | None
) -> None:
    monkeypatch.setattr(output, "terminal_width", lambda: width)
    command = ("score", answers, "--score", "right", "--model", "model", "--id", "item")
    lines = howsure(*command).out.splitlines()
    table = lines[2 : lines.index("… 8 more rows: --verbose")]
    hidden = [line for line in lines if " more column" in line]
    assert bool(hidden) == (width in (40, 20))
    assert all(line.endswith(": --verbose") for line in hidden)
    assert max(len(line) for line in table if line not in hidden) <= (width or 100)
    assert "n" in howsure(*command, "--columns", "model,n,mean,tier").out.splitlines()[2].split()
    assert howsure(*command, "--verbose").out.splitlines()[2].split()[:2] == ["model", "n"]


def test_next_commands_run_until_there_is_none(answers: Path) -> None:
    typed, commands = f"score '{answers}' --score right --model model --id item --where \"item >= 0\"", []
    while typed:
        commands.append(typed)
        outcome = howsure(typed)
        assert outcome.code == 0
        typed = outcome.out.partition("Next: howsure ")[2].strip()
    assert [command.split()[-2:] for command in commands[1:]] == [["--worst", "10"], ["--report", "scores.html"]]


def test_twelve_rows_always_include_the_totals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{i % 4},{i % 8},{(i % 7) / 10},{int(i % 7 > 4) if i % 3 else ''}" for i in range(2400)]
    Path("units.csv").write_text("\n".join(["part,month,score,label", *rows]) + "\n")
    command = "counts estimate units.csv --prob score --target label --group part,month"
    lines = howsure(command).out.splitlines()
    table = lines[4 : lines.index("… 1 more row: --verbose")]
    assert ["all" in line.split()[:2] for line in table].count(True) == 5  # of the parts, and of everything
    assert table[-1].split()[:2] == ["all", "all"] or table[-1].startswith("all")
    assert len(table) == 13  # and the gap


def test_the_worst_items_say_how_many_more_tie(answers: Path) -> None:
    shown = howsure("score", answers, "--score", "right", "--model", "model", "--id", "item", "--worst", "1").out
    assert "1 more item ties with the last one." in shown  # items 0 and 20: item % 20 == 0


def test_a_report_that_exists_is_named_when_it_is_replaced(answers: Path) -> None:
    typed = ["score", answers, "--score", "right", "--model", "model", "--id", "item"]
    first = howsure(*typed, "--worst", "3", "--report", "scores.html")
    assert (first.err, "--report scores-2.html" in first.out) == ("", False)
    assert "--report scores-2.html" in howsure(*typed, "--worst", "3").out
    assert howsure(*typed, "--report", "scores.html").err == "scores.html existed and was replaced.\n"


def test_errors_with_overlapping_intervals_are_called_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    models = {"a": 0.7, "b": 0.64, "c": 0.2}
    rows = [f"{model},{q},{int(i % 10 < 7)}" for model, q in models.items() for i in range(400)]
    Path("p.csv").write_text("\n".join(["model,q,y", *rows]) + "\n")
    command = ["calibration", "p.csv", "--target", "y", "--prob", "q", "--group", "model"]
    answer = howsure(*command).out.splitlines()[0]
    assert answer.startswith("a has the smallest calibration error, 0.0000 [")
    assert ", but its interval overlaps with that of b; " in answer
    answer = howsure(*command, "--where", "model != 'c'").out.splitlines()[0]
    assert answer.startswith("Calibration errors range from 0.0000 [")
    assert "(b), and the intervals overlap; " in answer


def test_interval_with_an_adjusted_p_value_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """13 of 400 items are right only in b, 3 only in a: p = .021 for one metric, adjusted for three above .05."""
    monkeypatch.chdir(tmp_path)
    b = [int(i >= 3) for i in range(400)]
    a = [int(i < 3 or i >= 16) for i in range(400)]
    rows = [f"1,{x},{y}" if i % 2 else f"0,{1 - x},{1 - y}" for i, (x, y) in enumerate(zip(a, b, strict=True))]
    Path("p.csv").write_text("\n".join(["y,a,b", *rows]) + "\n")
    command = (
        "significance p.csv --target y --against a --model b --metric accuracy --metric macro_f1 --metric mcc --seed 1"
    )
    shown = howsure(command).out
    assert "no difference is detected" in shown.splitlines()[0]
    note = "Not significant after adjustment, but the unadjusted interval excludes 0: b in accuracy"
    assert note in shown


# Parts of other results, estimates (which are answers), look (which begins with what a file is), and results that print
# no answer yet.
WITHOUT_ANSWER = """
CalibrationCurve CalibrationTable CalibrationTest CorpCurve Estimate GroupStatus Look MonitorUpdate
MulticalibrationError ScoreDecomposition ScoreParts SelectiveCurve SelectiveThreshold SequentialStatus Signature
"""


def test_public_results_print_an_answer() -> None:
    public = {name: getattr(library, name) for name in library.__all__}
    results = {name for name, thing in public.items() if isinstance(thing, type) and issubclass(thing, Result)}
    without = {name for name in results if public[name].answer is Result.answer}
    assert without - set(WITHOUT_ANSWER.split()) == set()
    assert set(WITHOUT_ANSWER.split()) - without == set()


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
