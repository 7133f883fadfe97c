"""Checks in TOML: `[tool.howsure.check]` of pyproject.toml, or `[check]` of howsure.toml.

Each key is an option of the command without its dashes, and its value is checked like the option's value.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click

from howsure.errors import InputError
from howsure.files.input_files import read_text
from howsure.inputs.numbers_and_names import parse_number, shortened, unknown_name
from howsure_cli.terminal.commands import check_destinations, possible_inputs
from howsure_cli.terminal.output import InOptions

OWN, SHARED = "howsure.toml", "pyproject.toml"
FILES = "files"
Section = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Configuration:
    """The checks in a file: shared options, and sections by kind of check; `place` returns the name of a section."""

    path: str
    table: str
    shared: Section
    checks: tuple[tuple[str, Section], ...]

    def place(self, kind: str) -> str:
        """Return the name of the section of a kind of check, for messages."""
        return f"[{self.table}.{kind}] of {self.path}"


def read_configuration(path: str | None, *, kinds: Sequence[str]) -> Configuration:
    """Read the checks in the named file or, by default, in howsure.toml or pyproject.toml in the current folder."""
    configuration_path = _find_file() if path is None else path
    text = read_text(configuration_path)
    try:
        table: Any = tomllib.loads(text.content)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{configuration_path} is not TOML: {error}.") from error
    except RecursionError as error:
        raise InputError(f"{configuration_path} is nested too deeply.") from error
    name = "tool.howsure.check" if os.path.basename(configuration_path) == SHARED else "check"
    for part in name.split("."):
        table = table.get(part) if isinstance(table, dict) else None
    if not isinstance(table, dict) or not table:
        raise InputError(f"{configuration_path} has no checks; write them below [{name}.calibration].")
    shared = {key: value for key, value in table.items() if not _is_section(value)}
    checks = []
    for kind, value in table.items():
        if kind in shared and kind not in kinds:
            continue
        if kind not in kinds:
            raise unknown_name("kind of check", kind, kinds, place=f"[{name}] of {configuration_path}")
        if kind in shared:
            raise InputError(f"{kind} in [{name}] of {configuration_path} must be a table: [{name}.{kind}].")
        checks += [(kind, section) for section in (value if isinstance(value, list) else [value])]
    if not checks:
        raise InputError(f"{configuration_path} has no checks; write them below [{name}.{kinds[0]}].")
    return Configuration(configuration_path, name, shared, tuple(checks))


def contexts(
    configuration: Configuration, commands: Mapping[str, click.Command], parent: click.Context, *, shared: Sequence[str]
) -> list[tuple[str, click.Context]]:
    """Return the context of each check, as if its command had been typed. The options in `shared` are left out."""
    made: list[tuple[str, click.Context]] = []
    sources: list[str | int] = [configuration.path]
    for kind, section in configuration.checks:
        command, place = commands[kind], configuration.place(kind)
        params = [param for param in command.params if param.name not in shared]
        words = _words(section, params, place=place, above=f"[{configuration.table}]", command=command)
        try:
            context = command.make_context(kind, words, parent=parent)
        except click.ClickException as error:
            raise InputError(f"{place}: {_message(error)}") from error
        made.append((kind, context))
        sources += possible_inputs(context)
    check_destinations(parent, also_read=sources)
    return made


class InToml(InOptions):
    """Messages in terms of keys: `min-score = 0.8` for min_score=0.8, and rows counted from 1."""

    def __init__(self, command: click.Command) -> None:
        super().__init__(command)
        self.keys = {param.opts[0]: param for param in command.params if isinstance(param, click.Option)}

    def parameter(self, name: str, python: str | None, typed: str | None) -> str:
        """Return the key of a parameter with its value, or the option if the parameter is not a key of a section."""
        param = self.keys.get(self.options.get(name.removeprefix("Probabilities."), ""))
        if param is None:
            return super().parameter(name, python, typed)
        if param.is_flag:
            return f"{_key(param)} = true"
        is_number = typed is not None and parse_number(typed) is not None
        return _key(param) if not typed else f"{_key(param)} = {typed if is_number else json.dumps(typed)}"


@contextmanager
def section_named_in_errors(configuration: Configuration, kind: str, command: click.Command) -> Iterator[None]:
    """A context in which errors name the section of a check and its options."""
    try:
        yield
    except InputError as error:
        raise InputError(error.inside(configuration.place(kind)).render(InToml(command))) from error


def take_shared(configuration: Configuration, context: click.Context, names: Sequence[str]) -> dict[str, Any]:
    """Return the options of a command, completed by the options in the file."""
    place = f"[{configuration.table}] of {configuration.path}"
    options = {_key(param): param for param in context.command.params if param.name in names}
    option_values = dict(context.params)
    for key, value in configuration.shared.items():
        if key not in options:
            raise unknown_name("option", key, list(options), place=place)
        param = options[key]
        assert param.name is not None
        if context.get_parameter_source(param.name) is click.core.ParameterSource.DEFAULT:
            try:
                option_values[param.name] = param.process_value(context, _plain(value, key, place))
            except click.ClickException as error:
                raise InputError(f"{place}: {key}: {error.message}") from error
    context.params.update(option_values)
    return option_values


def _find_file() -> str:
    for path in (OWN, SHARED):
        if os.path.isfile(path):
            return path
    raise InputError(f"the current folder has neither {OWN} nor {SHARED}. Name a check; see howsure check --help.")


def _is_section(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and bool(value) and isinstance(value[0], dict))


def _words(
    section: Section, params: Sequence[click.Parameter], *, place: str, above: str, command: click.Command
) -> list[str]:
    """A section as command-line arguments."""
    if not isinstance(section, dict):
        raise InputError(f"{place} must be a table of options.")
    options = {_key(param): param for param in params if isinstance(param, click.Option)}
    known_keys = [FILES, *options]
    words: list[str] = []
    for key in section:
        if key in known_keys:
            continue
        if key in {_key(param) for param in command.params}:
            raise InputError(f"{key} is shared by all checks; write it below {above}, not in {place}.")
        raise unknown_name("option", key, known_keys, place=place)
    for key, param in options.items():
        if key not in section:
            continue
        value = section[key]
        if getattr(param, "is_flag", False):
            if not isinstance(value, bool):
                raise InputError(f"{key} in {place} must be true or false, not {value!r}.")
            words += [f"--{key}"] if value else []
        elif isinstance(value, list) and param.multiple:
            words += [word for entry in value for word in (f"--{key}", _plain(entry, key, place))]
        elif isinstance(value, list):
            words += [f"--{key}", ",".join(_plain(entry, key, place) for entry in value)]
        else:
            words += [f"--{key}", _plain(value, key, place)]
    files = section.get(FILES, [])
    files = [files] if isinstance(files, str) else files
    if not isinstance(files, list) or not files or not all(isinstance(file, str) for file in files):
        raise InputError(f'{place} must name the files to check: files = ["dev.jsonl"].')
    return [*words, "--", *files]


def _message(error: click.ClickException) -> str:
    """The message of an error, with the key instead of the option."""
    if isinstance(error, click.BadParameter) and error.param is not None:
        return f"{_key(error.param)}: {error.message}"
    return error.format_message()


def _key(param: click.Parameter) -> str:
    return param.opts[0].removeprefix("--")


def _plain(value: Any, key: str, place: str) -> str:
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        return str(value)
    raise InputError(f"{key} in {place} must be a string or a number, not {shortened([repr(value)])}.")
