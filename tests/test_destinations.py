"""No command writes over what it reads, or over its own other output: every pair of names, in every command."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click
import pytest

from howsure.errors import InputError
from howsure_cli.terminal.commands import Command, OutputFile, OutputFolder, check_destinations, is_read
from tests.cli.running import howsure
from tests.cli.walking import commands, spelled
from tests.drills.writings import AS_OTHERS, TYPED, writing, writing_options

COMMANDS = commands()
REFUSED = re.compile(r"would be overwritten; name another file|must name different files")
# In the help of options that name neither a file to read nor one to write.
WORDS = {
    "COL",
    "COL,COL,…",
    "NAME",
    "NAME,NAME,…",
    "NAME,NAME",
    "NAME,…",
    "NAME...",
    "NAME[,NAME]…",
    "VALUE",
    "VALUE,VALUE,…",
    "FORMAT",
    "ITEM,RATER,GRADE",
    "HOW",
}
WORDS |= {
    "COMMAND|input|output",
    "FIELD",
    "FIELD=HOW",
    "FIELD=A|B|…",
    "HOST",
    "permutation|mcnemar",
    "N|auto",
    "LABEL",
    "METHOD",
    "SIDE",
    "TAG",
    "POLICY",
    "REGEX",
    "ACTOR[,ACTOR]…",
    "ACTOR",
    "TEXT",
    "ADDRESS",
}
WORDS |= {"NAME,NAME", "A,B,…", "S,S,…", "A,A,…", "COL[,COL,…]", "EXPRESSION", "DATE", "K/N", "LOW,HIGH", "N,N,…"}


def texts(command: click.Command) -> list[click.Parameter]:
    return [parameter for parameter in command.params if isinstance(parameter.type, click.types.StringParamType)]


Pair = tuple[click.Parameter, click.Parameter]


def pairs_of(command: click.Command) -> list[Pair]:
    """What a command writes, and what it reads or writes besides."""
    return [
        (target, other)
        for target in command.params
        for other in command.params
        if isinstance(target.type, OutputFile)
        and target is not other
        and (isinstance(other.type, OutputFile) or is_read(other))
    ]


PAIRS = {name: pairs for name, command in COMMANDS.items() if (pairs := pairs_of(command))}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_goes_through_the_door(name: str) -> None:
    assert isinstance(COMMANDS[name], Command)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_text_is_known_to_be_read_or_written_or_neither(name: str) -> None:
    """A new option that takes a text says what it names: a file to write by its type, others by their help."""
    unknown = [
        text.opts[0]
        for text in texts(COMMANDS[name])
        if not isinstance(text.type, OutputFile | OutputFolder)
        and not is_read(text)
        and (getattr(text, "metavar", None) not in WORDS and text.opts[0] != "--host")
    ]
    assert unknown == []


def test_every_command_that_writes_is_drilled() -> None:
    assert set(TYPED) | AS_OTHERS == writing()


@pytest.mark.parametrize("name", TYPED)
def test_every_option_that_writes_is_drilled(name: str) -> None:
    assert writing_options(name) - set(TYPED[name][0].split()) == set()


def test_there_are_pairs_of_many_commands() -> None:
    assert sum(map(len, PAIRS.values())) > 80
    assert len(PAIRS) > 20


def words(command: click.Command, values: dict[click.Parameter, str]) -> list[str]:
    """The words of a command: these values, and what else it needs."""
    typed: list[str] = []
    for parameter in command.params:
        if parameter in values:
            typed += spelled(parameter, values[parameter])
        elif parameter.required and parameter.nargs == 1 and isinstance(parameter.type, OutputFile):
            typed += spelled(parameter, f"new{parameter.type.suffixes[0] if parameter.type.suffixes else '.csv'}")
        elif parameter.required:
            typed += spelled(parameter, "0.5" if isinstance(parameter.type, click.types.FloatParamType) else "1")
    return typed


@pytest.mark.parametrize("name", PAIRS)
def test_nothing_is_written_over_what_is_named_besides(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where both could be read and written: the door stands before all else, whatever the file holds."""
    let_through = []
    for at, (target, other) in enumerate(PAIRS[name]):
        for how in ("itself", "dots", "symbolic link", "hard link"):
            folder = tmp_path / f"{at} {how}"
            folder.mkdir()
            monkeypatch.chdir(folder)
            if not is_refused(COMMANDS[name], target, other, how):
                let_through.append(f"{target.opts[0]} over {other.opts[0]}, by {how}")
    assert let_through == []


def is_refused(command: click.Command, target: click.Parameter, other: click.Parameter, how: str) -> bool:
    """Whether the door refuses a file that is `other` too, under whatever name, and leaves it as it was."""
    assert isinstance(target.type, OutputFile)
    suffix = target.type.suffixes[0] if target.type.suffixes else ".csv"
    if isinstance(other.type, OutputFile) and other.type.suffixes:
        if target.type.suffixes and not set(target.type.suffixes) & set(other.type.suffixes):
            return True  # no name is good for both
        suffix = other.type.suffixes[0]
    existing, named = Path(f"held{suffix}"), Path(f"named{suffix}")
    existing.write_text("precious")
    if how == "itself":
        named = existing
    elif how == "dots":
        Path("folder").mkdir()
        named = Path("folder", "..", existing)
    elif how == "symbolic link":
        named.symlink_to(existing)
    else:
        named.hardlink_to(existing)
    try:
        run_door(command, words(command, {target: str(named), other: str(existing)}))
    except InputError as error:
        return REFUSED.search(str(error)) is not None and existing.read_text() == "precious"
    return False


def run_door(command: click.Command, typed: list[str]) -> None:
    """The words as the command line reads them, and what stands before the work."""
    with command.make_context(command.name, typed) as context:
        check_destinations(context)


def test_a_file_in_a_folder_that_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data", "tweets").mkdir(parents=True)
    Path("data", "tweets", "README.md").write_text("precious")
    done = howsure("reproduce", "tweets", "--data", "data", "--page", "data/tweets/README.md")
    assert done.code == 2
    assert "data, which is an input of this command and would be overwritten" in done.err
    run_door(COMMANDS["reproduce tweets"], ["--data", "data", "--page", "data/new.md"])


def test_what_a_glob_or_standard_input_names_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "b.csv"):
        Path(name).write_text("precious")
    curve = COMMANDS["calibration curve"]
    with pytest.raises(InputError, match=r"b\.csv is an input of this command"):
        run_door(curve, ["*.csv", "--target", "y", "--prob", "p", "--output", "b.csv"])
    descriptor, kept = os.open("a.csv", os.O_RDONLY), os.dup(0)
    try:
        os.dup2(descriptor, 0)
        with pytest.raises(InputError, match=r"a\.csv is an input of this command"):
            run_door(curve, ["-", "--target", "y", "--prob", "p", "--output", "a.csv"])
    finally:
        os.dup2(kept, 0)
        os.close(descriptor)
        os.close(kept)


def test_columns_are_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("y").write_text("of yesterday")
    run_door(COMMANDS["calibration curve"], ["a.csv", "--target", "y", "--prob", "p", "--output", "y"])
    run_door(COMMANDS["calibration curve"], ["a.csv", "--target", "y", "--prob", "p", "--output", os.devnull])


def test_files_read_with_a_log_are_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels and names of classes next to logits, settings next to samples; not the same names elsewhere."""
    monkeypatch.chdir(tmp_path)
    Path("run", "other").mkdir(parents=True)
    names = {"logits.npy": ("label_ids.npy", "config.json"), "samples_x.jsonl": ("results_x.json",)}
    for log, siblings in names.items():
        for sibling in siblings:
            for folder in ("run", "run/other"):
                Path(folder, sibling).write_text("precious")
            typed = [f"run/{log}", "--target", "target", "--prob", "p", "--output"]
            with pytest.raises(InputError, match="is an input of this command"):
                run_door(COMMANDS["calibration curve"], [*typed, f"run/{sibling}"])
            run_door(COMMANDS["calibration curve"], [*typed, f"run/other/{sibling}"])


def test_data_that_a_variable_names_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(tmp_path, "tweets").mkdir()
    page = tmp_path / "tweets" / "README.md"
    page.write_text("precious")
    monkeypatch.setenv("HOWSURE_DATA", str(tmp_path))
    done = howsure("reproduce", "tweets", "--page", page)
    assert done.code == 2
    assert "which is an input of this command and would be overwritten" in done.err
    assert page.read_text() == "precious"
