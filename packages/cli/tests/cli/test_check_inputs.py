"""`howsure check all` writes over nothing that any of its checks reads, nor over its configuration."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import howsure

ROWS = "y,p\n" + "1,0.9\n0,0.1\n" * 200
CHECKS = """[check]
{shared}
[check.calibration]
files = ["one.csv"]
target = "y"
prob = "p"
max-error = 0.5
[[check.score]]
name = "second"
files = ["{files}"]
score = "p"
min-score = 0.1
"""
PRECIOUS = ("one.csv", "two.csv", "howsure.toml", "data/two.csv")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    for name in ("one.csv", "two.csv", "data/two.csv"):
        (tmp_path / name).write_text(ROWS)
    (tmp_path / "link.md").symlink_to("two.csv")
    (tmp_path / "hard.md").hardlink_to("two.csv")
    (tmp_path / "link.toml").symlink_to("howsure.toml")
    return tmp_path


def configured(shared: str = "", files: str = "two.csv") -> None:
    Path("howsure.toml").write_text(CHECKS.format(shared=shared, files=files))


@pytest.mark.parametrize(
    ("shared", "files", "typed"),
    [
        ("", "two.csv", ("--config", "howsure.toml", "--output", "two.csv")),
        ("", "two.csv", ("--output", "one.csv")),
        ("", "two.csv", ("--output", "data/../two.csv")),
        ("", "two.csv", ("--output", "link.md")),
        ("", "two.csv", ("--output", "hard.md")),
        ("", "two.csv", ("--summary", "link.md")),
        ("", "two.csv", ("--summary", "hard.md")),
        ("", "two.csv", ("--output", "howsure.toml")),
        ("", "two.csv", ("--output", "link.toml")),
        ("", "two.csv", ("--config", "link.toml", "--output", "howsure.toml")),
        ("", "two.csv", ("--experiments", "two.csv")),
        ("", "data/*.csv", ("--output", "data/two.csv")),
        ("", "data/**/two.csv", ("--output", "data/two.csv")),
        ('output = "two.csv"', "two.csv", ()),
        ('output = "howsure.toml"', "two.csv", ()),
        ('summary = "hard.md"', "two.csv", ()),
        ('baseline = "night.json"\nwrite-baseline = "night.json"', "two.csv", ()),
    ],
)
def test_nothing_that_is_read_is_written_over(shared: str, files: str, typed: tuple[str, ...]) -> None:
    configured(shared, files)
    Path("night.json").write_text("precious")
    before = {path: Path(path).read_bytes() for path in (*PRECIOUS, "night.json")}
    done = howsure("check", *typed)
    assert (done.code, done.out) == (2, "")
    assert "is an input of this command and would be overwritten" in done.err
    assert {path: Path(path).read_bytes() for path in before} == before


@pytest.mark.parametrize("earlier", [None, b"", "# Übersicht\n".encode(), b"|" * 65_535 + "é\n".encode()])
def test_the_summary_of_a_job_grows(earlier: bytes | None) -> None:
    """A file without a suffix, as GitHub names one; also where a letter lies across the bytes looked at."""
    configured()
    if earlier is not None:
        Path("step_summary_0a").write_bytes(earlier)
    for _ in range(2):
        assert howsure("check", "--summary", "step_summary_0a", "--output", "o.txt").code == 0
    summary = Path("step_summary_0a").read_bytes()
    assert summary.startswith(earlier or b"")
    assert summary.count(b"### howsure check: pass") == 2


def test_an_option_of_howsure_score_names_what_checks_each_model() -> None:
    done = howsure("check", "score", "answers.csv", "--model", "model", "--min-score", "0.4")
    assert done.code == 2
    assert "No such option '--model'. To check each model, name the column as groups: --group COL." in done.err


def test_a_metric_of_predictions_is_checked(tmp_path: Path) -> None:
    gold, answers = tmp_path / "gold.csv", tmp_path / "pred.csv"
    gold.write_text("id,gold\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(60)))
    answers.write_text("id,answer\n" + "".join(f"{i},{'ab'[i % 2] if i % 10 else 'b'}\n" for i in range(60)))
    names = ["--target", "gold", "--prediction", "answer", "--metric", "macro_f1", "--id", "id"]
    checked = howsure("check", "score", str(answers), "--targets", str(gold), *names, "--at-least", "0.7")
    assert (checked.code, checked.out.partition(":")[0]) == (0, "pass")
    assert "macro_f1 > 0.7" in checked.out
    refused = howsure("check", "score", str(answers), *names[2:], "--min-score", "0.7").err
    assert "name --target" in refused
