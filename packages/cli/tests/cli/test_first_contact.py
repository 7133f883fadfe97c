"""What a first command says of files that are not as they should be, and how it goes on."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import click
import numpy as np
import pytest
from tests.cli.running import howsure as run
from tests.cli.walking import commands
from tests.data.logs.writers import alpaca_eval, lm_eval_sample, write_lm_eval

import howsure

RNG = np.random.default_rng(11)
ROWS = 120


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("spelling", "option"), [("{}%", "--prob"), ("{} % sure", "--verbalised")])
def test_percentages_in_texts_are_read_as_stated_confidence(spelling: str, option: str) -> None:
    percent, right = RNG.integers(1, 100, ROWS), RNG.integers(0, 2, ROWS)
    rows = [f"{gold},{spelling.format(value)}" for gold, value in zip(right, percent, strict=True)]
    Path("stated.csv").write_text("\n".join(["gold,confidence", *rows]))
    commands = howsure.look("stated.csv").commands
    assert commands[0] == f"howsure calibration stated.csv --target gold {option} confidence"
    printed = json.loads(run(*shlex.split(commands[0])[1:], "--format", "json").out)
    assert printed["curves"][0]["brier"]["score"] == pytest.approx(((percent / 100 - right) ** 2).mean(), abs=1e-9)


def test_numbers_in_percent_are_named() -> None:
    Path("percent.csv").write_text("\n".join(["gold,prob", *(f"{i % 2},{i % 97}.5" for i in range(ROWS))]))
    assert howsure.look("percent.csv").notes == (
        "prob goes up to 96.5, but probabilities are between 0 and 1. If these are percentages, divide them by 100.",
    )


def test_a_probability_is_not_proposed_as_a_score() -> None:
    Path("dev.csv").write_text("\n".join(["gold,score", *(f"{i % 2},0.{i % 9 + 1}" for i in range(ROWS))]))
    assert not any("howsure score" in command for command in howsure.look("dev.csv").commands)


def test_counts_are_proposed_where_few_rows_are_labelled() -> None:
    chances = RNG.uniform(size=600).round(3)
    rows = [
        f"{i},{chance},{int(RNG.uniform() < chance) if i % 10 == 0 else ''},{'hl'[int(chance < 0.5)]}"
        for i, chance in enumerate(chances)
    ]
    Path("posts.csv").write_text("\n".join(["id,score,label,stratum", *rows]))
    command = howsure.look("posts.csv").commands[0]
    assert command == "howsure counts estimate posts.csv --prob score --target label --stratum stratum"
    assert run(*shlex.split(command)[1:]).code == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"gold,prob\r" + b"1,0.5\n0,0.4\n" * 9, "some of its lines end in CR, others in LF"),
        (b"# my answers\ngold\tprob\n" + b"1\t0.5\n" * 9, "its first line is a comment (#)"),
    ],
)
def test_why_lines_are_uneven(content: bytes, message: str) -> None:
    Path("dev.tsv" if b"\t" in content else "dev.csv").write_bytes(content)
    (path,) = Path().iterdir()
    for command in ("look", "calibration"):
        options = () if command == "look" else ("--target", "gold", "--prob", "prob")
        assert message in run(command, str(path), *options).err


def test_a_comment_that_looks_like_a_header_is_named() -> None:
    Path("dev.csv").write_text("# mine, today\ngold,prob\n" + "1,0.5\n" * 9)
    assert "The first line of dev.csv begins with #. If it is a comment, remove it." in howsure.look("dev.csv").notes


@pytest.mark.parametrize(("missing", "near"), [("answer.csv", "answers.csv"), ("sure.csv", None), ("pred.csv", None)])
def test_only_files_of_similar_names_are_suggested(missing: str, near: str | None) -> None:
    Path("answers.csv").write_text("a,b\n")
    message = run("look", missing).err.strip()
    assert message == f"howsure: no file {missing}." + (f" Did you mean {near}?" if near else "")


@pytest.mark.parametrize(
    ("typed", "advice"),
    [
        ("answers.csv", "howsure needs a command: howsure look answers.csv"),
        (
            "counts answers.csv",
            "howsure counts needs a subcommand: howsure counts estimate answers.csv --prob COL "
            "(or plan, regress, sample)",
        ),
        (
            "recalibrate answers.csv",
            "howsure recalibrate needs a subcommand: howsure recalibrate fit answers.csv --output MAP.json "
            "(or apply, evaluate)",
        ),
        (
            "check answers.csv --min-score 0.7",
            "howsure check needs a subcommand: howsure check score answers.csv --min-score 0.7",
        ),
        (
            "check new.csv --max-error 0.1",
            "howsure check needs a subcommand: howsure check calibration new.csv --max-error 0.1",
        ),
        ("data answers.csv", "No such command 'answers.csv'."),
        (
            "monitor answers.csv",
            "howsure monitor needs a subcommand: howsure monitor update STATE.json answers.csv --date COL",
        ),
    ],
)
def test_a_file_in_place_of_a_step_names_the_step(typed: str, advice: str) -> None:
    Path("answers.csv").write_text("a,b\n")
    outcome = run(*typed.split())
    assert (outcome.code, outcome.err.strip().splitlines()[-1]) == (2, f"Error: {advice}")


@pytest.mark.parametrize(
    ("typed", "advice"),
    [
        (
            "check --min-score 0.7 answers.csv",
            "--min-score is an option of howsure check score: howsure check score --min-score 0.7 answers.csv",
        ),
        (
            "check --label y",
            "--label is an option of howsure check score: howsure check score --label y (or calibration, selective)",
        ),
        (
            "recalibrate --target y fit answers.csv",
            "--target is an option of howsure recalibrate fit: howsure recalibrate fit --target y answers.csv "
            "--output MAP.json",
        ),
        (
            "judge --rater ann agreement answers.csv",
            "--rater is an option of howsure judge agreement: howsure judge agreement --rater ann answers.csv",
        ),
        (
            "judge drift answers.csv --earlier old.csv",
            "No such command 'drift'. --earlier is an option of howsure judge bias: howsure judge bias answers.csv "
            "--earlier old.csv --score COL",
        ),
        (
            "judge answers.csv --judge verdict --human ann",
            "No such option '--judge'. howsure judge takes the judge's grades by --score and those of people by "
            "--target.",
        ),
        ("check --foo answers.csv", "No such option '--foo'. Did you mean '--format'?"),
        ("recalibrate --foo fit answers.csv", "No such option '--foo'."),
    ],
)
def test_an_option_before_its_step_names_what_works(typed: str, advice: str) -> None:
    outcome = run(*typed.split())
    assert (outcome.code, outcome.err.strip().splitlines()[-1]) == (2, f"Error: {advice}")


def test_a_folder_without_logs_names_a_command() -> None:
    Path("run/inner").mkdir(parents=True)
    Path("run/inner/grades.txt").write_text("item,score\n" + "".join(f"{i},{i % 2}\n" for i in range(30)))
    message = run("look", "run").err
    assert "run contains no log and no table" in message
    assert "If run/inner/grades.txt is a table, name this file and its format, --from csv." in message
    assert run("look", "run/inner/grades.txt", "--from", "csv").code == 0
    Path("nothing").mkdir()
    assert run("score", "nothing").err == "howsure: nothing is an empty folder.\n"


def test_a_folder_of_several_kinds_names_patterns_that_work() -> None:
    for model in ("small", "large"):
        samples = [lm_eval_sample(i, [-1.0, -2.0], i % 2) for i in range(20)]
        write_lm_eval(Path("logs/harness"), model, "quiz", samples)
    Path("logs/judged.json").write_text(json.dumps([alpaca_eval(1.0 + i % 2, item=i) for i in range(20)]))
    message = run("score", "logs").err
    patterns = [part.rpartition(" (")[0] for part in message.partition("at a time: ")[2].split("), ")]
    assert {shlex.split(pattern)[0] for pattern in patterns} == {"logs/**/*.jsonl", "logs/judged.json"}
    for pattern in patterns:
        assert run("score", *shlex.split(pattern)).code == 0


def test_the_sheet_of_a_selection_says_what_its_rows_count() -> None:
    rows = [f"{i},{'' if i == 7 else RNG.uniform() ** 2:},{2001 + i % 2}" for i in range(300)]
    Path("news.csv").write_text("\n".join(["id,score,year", *rows]))
    drawn = run(
        "counts", "sample", "news.csv", "--prob", "score", "--labels", "40", "--skip-missing", "--output", "s.csv"
    )
    assert "Its column row counts only the rows that are used" in drawn.err
    sheet = Path("s.csv").read_text().splitlines()
    Path("s.csv").write_text("\n".join([sheet[0], *(f"{line}{at % 2}" for at, line in enumerate(sheet[1:]))]))
    command = drawn.err.partition(" then: ")[2].splitlines()[0]
    assert run(*shlex.split(command)[1:]).code == 0
    Path("s.csv").write_text("\n".join(line.partition(",")[2] for line in Path("s.csv").read_text().splitlines()))
    message = run(*shlex.split(command)[1:]).err
    assert "no column 'row' in s.csv" in message
    assert "Give a sheet that howsure counts sample wrote" in message
    assert message.endswith("--target label.\n")


@pytest.mark.parametrize("path", [*dict.fromkeys(name.rpartition(" ")[0] for name in commands() if " " in name)])
def test_a_proposed_command_has_all_required_options(path: str) -> None:
    Path("answers.csv").write_text("a,b\n")
    message = run(*path.split(), "answers.csv").err
    proposed = re.search(r"needs a subcommand: howsure (.*?)( \(or .*)?$", message, re.MULTILINE)
    if proposed is None:
        return
    words = proposed.group(1).split()
    command = next(command for name, command in commands().items() if name.split() == words[: len(name.split())])
    needed = {param.opts[0] for param in command.params if isinstance(param, click.Option) and param.required}
    assert needed <= {*words}
