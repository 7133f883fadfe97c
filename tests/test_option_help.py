"""`--help` fits on a screen, each option has one text in all commands, and synonyms of options are understood."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from howsure_cli.terminal.option_help import OPTION_HELP, SYNONYMS, TOPICS, names
from tests.cli.running import howsure
from tests.cli.walking import commands

LINES = 50


def options() -> list[click.Option]:
    """Every option of our commands that is shown."""
    params = [param for name, command in commands().items() if "reproduce" not in name for param in command.params]
    return [param for param in params if isinstance(param, click.Option) and not param.hidden]


@pytest.mark.parametrize("name", commands())
def test_the_help_of_a_command_fits_on_a_screen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert len(howsure(*name.split(), "--help").out.splitlines()) <= LINES


def test_an_option_has_one_text() -> None:
    """An option that takes different things in different commands has a text for each."""
    texts: dict[str, set[str]] = {}
    for option in options():
        texts.setdefault(names(option)[0], set()).add(option.help or "")
    assert {name: several for name, several in texts.items() if len(several) > 1 or "" in several} == {}


def test_few_options_have_several_texts() -> None:
    """Whatever they take: 89 did before the texts were written once."""
    texts: dict[str, set[str]] = {}
    for option in options():
        texts.setdefault(option.opts[0], set()).add(option.help or "")
    assert len([name for name, several in texts.items() if len(several) > 1]) <= 27


def test_every_shared_text_is_used() -> None:
    used = {name for option in options() for name in names(option)}
    assert set(OPTION_HELP) - used == set()
    assert {name for topic in TOPICS.values() for name in topic} - used == set()


@pytest.mark.parametrize("topic", ["input", "output"])
def test_a_topic_explains_its_options(topic: str) -> None:
    shown = howsure("help", topic)
    assert shown.code == 0
    assert [name for name in TOPICS[topic] if f"{name.split()[0]} " not in shown.out] == []


@pytest.mark.parametrize("words", ["score table", "judge bias", "calibration curve", "events labels import"])
def test_help_of_a_command_lists_every_option(words: str) -> None:
    shown = howsure("help", *words.split())
    visible_options = [
        option for option in commands()[words].params if isinstance(option, click.Option) and not option.hidden
    ]
    assert [option.opts[0] for option in visible_options if f" {option.opts[0]}" not in shown.out] == []


def test_help_of_no_command_is_refused() -> None:
    refused = howsure("help", "score", "battels")
    assert (refused.code, "No command 'score battels'" in refused.err) == (2, True)


def test_synonyms_are_understood(tmp_path: Path) -> None:
    path, result = tmp_path / "p.csv", tmp_path / "result.txt"
    path.write_text("\n".join(["gold,p,part", *(f"{i % 2},0.{i % 10},{i % 4 // 2}" for i in range(80))]) + "\n")
    expected = howsure("calibration", path, "--target", "gold", "--prob", "p", "--group", "part", "--format", "csv")
    for label in ("--label", "--truth"):
        typed = [label, "gold", "--prob", "p", "--by=part", "--format", "csv", "--out", result]
        assert howsure("calibration", path, *typed, "--input-format", "csv").code == 0
        assert (expected.code, result.read_text()) == (0, expected.out)


def test_an_option_and_its_synonym_are_given_twice() -> None:
    refused = howsure("calibration", "p.csv", "--target", "gold", "--label", "gold", "--prob", "p")
    assert "--target is given twice" in refused.err


def test_no_synonym_is_an_option() -> None:
    assert {option.opts[0] for option in options()} & set(SYNONYMS) == set()
