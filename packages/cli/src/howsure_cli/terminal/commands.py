"""Commands and groups: each option is accepted once, and errors name options; the files that they write are checked."""

from __future__ import annotations

import codecs
import csv
import glob
import importlib
import io
import os
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from howsure.errors import LIST_COLUMNS, MIN_SIMILARITY, InputError, nearest, render_text
from howsure.files.atomic_write import HEAD, check_place
from howsure.files.input_files import STANDARD_INPUT, Identity, identity, opened
from howsure.inputs.numbers_and_names import counted
from howsure_cli import TRACEBACK
from howsure_cli.terminal.option_help import SYNONYMS, TOPICS, help_text, topic, value_placeholder
from howsure_cli.terminal.output import ROLES, InOptions, option_name

ALL_OPTIONS = "howsure.all_options"  # whether help explains the shared options, too
OTHER_COMMANDS_OPTIONS = {  # (last word of a command, an option that it lacks) -> what to use instead
    ("calibration", "--sequential"): "howsure monitor is for calibration that is checked repeatedly.",
    ("judge", "--judge"): "howsure judge takes the judge's grades by --score and those of people by --target.",
    ("score", "--model"): "To check each model, name the column as groups: --group COL.",  # of howsure check score
}
COMMAND_WORD = re.compile(r"[a-z]+(-[a-z]+)*")
USUAL_STEPS = {  # group -> its usual subcommand, proposed if a file follows the group directly
    "howsure": "look",
    "howsure check": "score",
    "howsure events": "extract",
    "howsure recalibrate": "fit",
}
PHRASES_OF_CLICK = {  # a phrase in click's messages -> our phrase
    "a valid integer range": "a whole number",
    "a valid integer": "a whole number",
    "a valid float range": "a number",
    "a valid float": "a number",
}


class Context(click.Context):
    """A context whose path of commands leaves out the name of a group's default command."""

    @property
    def command_path(self) -> str:
        return super().command_path.rstrip()


class Helpful(click.Command):
    """A command with help, also by -h."""

    context_class = Context

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        return ["-h", "--help"]


class Command(Helpful):
    """A stricter click command, whose errors name its options."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for param in self.params:
            if isinstance(param, click.Option):
                param.help = help_text(param) or param.help

    def make_parser(self, ctx: click.Context) -> Any:
        """The parser of click, extended by synonyms of options."""
        parser = super().make_parser(ctx)
        params = {param.opts[0]: param for param in self.params if isinstance(param, click.Option)}
        for synonym, name in SYNONYMS.items():
            if name in params and synonym not in params:
                action = "append" if params[name].multiple else "store"
                parser.add_option(params[name], [synonym], params[name].name, action=action)
        return parser

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of the command, then a line per topic with the options that commands share."""
        listed: list[tuple[str, str]] = []
        shared: dict[str, list[str]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None or not isinstance(param, click.Option):
                continue
            name = None if ctx.meta.get(ALL_OPTIONS) else topic(param)
            if name is None:
                listed.append(record)
            else:
                shared.setdefault(name, []).append(param.opts[0])
        with formatter.section("Options"):
            formatter.write_dl(listed)
        if shared:
            path = ctx.command_path.removeprefix("howsure").strip()
            with formatter.section(f"More options: howsure help {path} (or: help input, help output)"):
                formatter.write_dl([(name, ", ".join(shared[name])) for name in TOPICS if name in shared])

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own parameters, those of all commands, and --help."""
        return [*super().get_params(ctx), click.Option([TRACEBACK], is_flag=True, expose_value=False, hidden=True)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read options and arguments. A repeated option is an error, because its first value would be lost."""
        try:
            _, _, order = self.make_parser(ctx).parse_args(list(args))
        except click.NoSuchOption as error:
            elsewhere = OTHER_COMMANDS_OPTIONS.get((str(self.name), error.option_name))
            if ctx.parent is not None and isinstance(ctx.parent.command, Group) and not ctx.info_name:
                group, takes_all = ctx.parent.command, elsewhere is not None
                raise_for_misplaced(group, ctx.parent, args, error.option_name, takes_all=takes_all)
            if elsewhere is None:
                similar = [name for name in error.possibilities or () if name not in SYNONYMS]
                raise click.NoSuchOption(error.option_name, possibilities=similar, ctx=error.ctx) from error
            raise click.NoSuchOption(error.option_name, f"{error.message} {elsewhere}", ctx=error.ctx) from error
        for param in dict.fromkeys(order):
            single = isinstance(param, click.Option) and not (param.multiple or param.is_flag)
            if single and order.count(param) > 1:
                several = "," in (param.metavar or "")
                takes = "takes its values at once, with commas between them" if several else "takes one value"
                raise click.UsageError(f"{param.opts[0]} is given twice; it {takes}.", ctx)
        try:
            return super().parse_args(ctx, args)
        except click.MissingParameter as error:
            if error.param is None or error.param.opts[0] not in map(option_name, ROLES):
                raise
            message = f"Missing option '{error.param.opts[0]}'.{render_text(LIST_COLUMNS, InOptions.of(ctx))}"
            raise click.UsageError(message, error.ctx) from error
        except click.BadParameter as error:
            matching_phrases = [phrase for phrase in PHRASES_OF_CLICK if phrase in error.message]
            if not matching_phrases:
                raise
            message = error.message.replace(matching_phrases[0], PHRASES_OF_CLICK[matching_phrases[0]])
            raise click.BadParameter(message, error.ctx, error.param, error.param_hint) from error

    def invoke(self, ctx: click.Context) -> object:
        """Run the command, after a check that it can write its output files."""
        check_destinations(ctx)
        try:
            return super().invoke(ctx)
        except InputError as error:
            error.reword(InOptions.of(ctx))
            raise


Elsewhere = Mapping[str, str | Callable[[], click.Command]]


class Group(Helpful, click.Group):
    """A group of commands. elsewhere: the module, or the function, that makes a command when it is first used."""

    command_class = Command
    group_class = type

    def __init__(self, *args: Any, elsewhere: Elsewhere = MappingProxyType({}), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.elsewhere = elsewhere

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *self.elsewhere})

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        typed_args = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            raise_for_misplaced(self, ctx, typed_args, error.option_name)
            raise

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None:
            near = nearest(name, self.list_commands(ctx), cutoff=MIN_SIMILARITY)
            if near is not None:
                raise click.UsageError(f"No command {name!r}. Did you mean {ctx.command_path} {near}?", ctx)
            if names_file(name):
                raise missing_step(self, ctx, args)
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.elsewhere:
            return super().get_command(ctx, cmd_name)
        subcommand: object = self.elsewhere[cmd_name]
        if isinstance(subcommand, str):
            module, _, name = subcommand.partition(":")
            subcommand = getattr(importlib.import_module(module), name or "command")
        subcommand = subcommand if isinstance(subcommand, click.Command) or not callable(subcommand) else subcommand()
        assert isinstance(subcommand, click.Command)
        return subcommand


def names_file(argument: str) -> bool:
    """Whether an argument is the name of a file or of a folder."""
    return not argument.startswith("-") and (os.path.exists(argument) or bool(os.path.splitext(argument)[1]))


def _takes_files(command: click.Command) -> bool:
    """Whether a command has an argument FILE."""
    arguments = (param for param in command.params if isinstance(param, click.Argument))
    return not command.hidden and any((argument.metavar or "").startswith("FILE") for argument in arguments)


def _option_names(command: click.Command) -> set[str]:
    return {name for param in command.params for name in param.opts}


def missing_step(group: Group, ctx: click.Context, args: Sequence[str]) -> click.UsageError:
    """The error for a file instead of a group's command, with the commands that take files and the typed options."""
    path, options = ctx.command_path, {argument.partition("=")[0] for argument in args if argument.startswith("--")}
    if ctx.parent is None:
        return click.UsageError(f"{path} needs a command: {path} {USUAL_STEPS[path]} {shlex.join(args)}", ctx)
    commands = {name: group.get_command(ctx, name) for name in group.list_commands(ctx)}
    takers = {name: command for name, command in commands.items() if command is not None and _takes_files(command)}
    if not takers:
        return click.UsageError(f"No such command {args[0]!r}.", ctx)
    steps = [name for name, command in takers.items() if options <= {*SYNONYMS, *_option_names(command)}] or [*takers]
    steps.sort(key=lambda name: name != USUAL_STEPS.get(path))
    others = f" (or {', '.join(steps[1:])})" if steps[1:] else ""
    names = [param.metavar or "" for param in takers[steps[0]].params if isinstance(param, click.Argument)]
    lacking = "".join(f"{name} " for name in names[: len(names) - sum(not word.startswith("-") for word in args)])
    required = lacking_options(takers[steps[0]], options)
    proposed = f"{path} {steps[0]} {lacking}{shlex.join(args)}{required}"
    return click.UsageError(f"{path} needs a subcommand: {proposed}{others}", ctx)


def lacking_options(command: click.Command, typed: Collection[str]) -> str:
    """The required options of a command that were not typed, with placeholders, such as " --output FILE"."""
    typed = {SYNONYMS.get(name, name) for name in typed}
    required = [param for param in command.params if isinstance(param, click.Option) and param.required]
    return "".join(
        f" {option.opts[0]} {value_placeholder(option)}" for option in required if not typed & {*option.opts}
    )


def raise_for_misplaced(
    group: Group, ctx: click.Context, args: Sequence[str], option: str, *, takes_all: bool = False
) -> None:
    """Raise the error for an option that precedes its command, or whose command is missing. The message names a correct
    command.

    takes_all: name only commands that accept all typed options.
    """
    typed_options = {argument.partition("=")[0] for argument in args if argument.startswith("--")}
    needed = typed_options if takes_all else {option}
    commands = {name: group.get_command(ctx, name) for name in group.list_commands(ctx)}
    takers = {
        name: command
        for name, command in commands.items()
        if command is not None and {SYNONYMS.get(name, name) for name in needed} <= _option_names(command)
    }
    named = next((argument for argument in args if argument in commands), None)
    steps = [name for name, command in takers.items() if named == name or (named is None and _takes_files(command))]
    if steps:
        steps.sort(key=lambda name: name != USUAL_STEPS.get(ctx.command_path))
        unknown = args[0] if named is None and COMMAND_WORD.fullmatch(args[0]) and not os.path.exists(args[0]) else None
        rest = shlex.join([argument for argument in args if argument and argument not in (named, unknown)])
        others = f" (or {', '.join(steps[1:])})" if steps[1:] else ""
        typed = f"{ctx.command_path} {steps[0]}"
        rest += lacking_options(takers[steps[0]], typed_options)
        no_command = "" if unknown is None else f"No such command {unknown!r}. "
        raise click.UsageError(f"{no_command}{option} is an option of {typed}: {typed} {rest}{others}", ctx)


# Options that name files to write: checked before a command runs, and never a file that it reads or writes twice.


FIGURES = (".svg", ".png", ".pdf")
PAGES = (".html", ".htm")
STORE_LOG_SUFFIX = ".wal"
SNIFFED_BYTES = 1 << 16  # bytes of a file that show whether it is a text
# in the help of what names files to read
INPUT_WORDS = ("FILE", "STORE", "MODEL", "FOLDER", "PATH", "PIPELINE", ".json")


class OutputFile(click.types.StringParamType):
    """The type of an option or argument that names a file to write.

    suffixes: allowed endings of the name, "" for a name without an ending. advice: an instruction for other endings.
    also_written: a function from the path to further files that are written. appended: lines are added to a text file,
    and its content stays.
    """

    def __init__(
        self,
        *suffixes: str,
        advice: str = "",
        also_written: Callable[[str], Sequence[str]] = lambda path: (),
        appended: bool = False,
    ) -> None:
        self.suffixes, self.advice, self.also_written, self.appended = suffixes, advice, also_written, appended


class OutputFolder(click.types.StringParamType):
    """The type of an option that names a folder to write into; it is created if it does not exist."""


def check_destinations(context: click.Context, *, also_read: Iterable[str | int] = ()) -> None:
    """Raise InputError if a file cannot be written, is also read, or is written twice. This runs before the command.

    also_read: files that the command reads in addition to those in its parameters.
    """
    written: list[tuple[str, str]] = []
    for parameter, path in _values(context):
        if isinstance(parameter.type, OutputFile):
            _check_file(_parameter_name(parameter), path, parameter.type)
            written += [
                (_parameter_name(parameter), destination) for destination in (path, *parameter.type.also_written(path))
            ]
        elif isinstance(parameter.type, OutputFolder) and os.path.exists(path) and not os.path.isdir(path):
            raise InputError(f"{_parameter_name(parameter)} must name a folder; {path} is a file.")
    _check_different(written)
    identities_read = {
        file_identity
        for file_identity in map(identity, chain(possible_inputs(context), also_read))
        if file_identity is not None
    }
    for _, path in written:
        _check_unread(path, identities_read)


def check_labels_kept(path: str | None, sheet: str, *, column: str) -> None:
    """Raise InputError if a sheet to fill in would replace one whose column of labels has more entries."""
    if path is None or not os.path.isfile(path):
        return
    existing = _n_filled(Path(path).read_text("utf-8-sig", "replace"), column)
    if existing > _n_filled(sheet, column):
        raise InputError(
            f"{path} has {counted(existing, 'entry', 'entries')} in its column {column}, which the new sheet would "
            f"delete. Name another file, or delete {path} if you do not need its labels."
        )


def _n_filled(sheet: str, column: str) -> int:
    """The number of rows of a CSV file in which a column is not empty; 0 if it has no such column."""
    separator = max(",;\t", key=sheet.partition("\n")[0].count)
    rows = csv.reader(io.StringIO(sheet, newline=""), delimiter=separator)
    header = next(rows, [])
    at = header.index(column) if column in header else len(header)
    return sum(bool(row[at].strip()) for row in rows if at < len(row))


def is_read(parameter: click.Parameter) -> bool:
    """Whether a parameter may name files that a command reads, according to its help."""
    shown = getattr(parameter, "metavar", None)
    if not isinstance(parameter.type, click.types.StringParamType) or isinstance(
        parameter.type, OutputFile | OutputFolder
    ):
        return False
    return isinstance(parameter, click.Argument) if shown is None else any(word in shown for word in INPUT_WORDS)


def _values(context: click.Context) -> Iterator[tuple[click.Parameter, str]]:
    """The values of each parameter as texts; for a source, its paths."""
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        for text in value if isinstance(value, tuple | list) else getattr(value, "paths", (value,)):
            if isinstance(text, str):
                yield parameter, text


def possible_inputs(context: click.Context) -> Iterator[str | int]:
    """Possible input files by path; standard input by its number."""
    if "data" in context.params and context.params["data"] is None:
        from howsure_cli.datasets import VARIABLE, downloads_folder  # loaded for the commands that need it

        yield from (os.environ.get(VARIABLE, ""), str(downloads_folder()))
    for parameter, text in _values(context):
        if is_read(parameter):
            if text == STANDARD_INPUT:
                yield 0
            elif glob.has_magic(text) and not os.path.exists(text):
                for path in glob.iglob(text, recursive=True):
                    yield from (path, *_companion_files(path))
            else:
                yield from (text, *_companion_files(text))


def _companion_files(path: str) -> Iterator[str]:
    """Files in the folder of a log that its reader may use: labels, names of classes, settings."""
    folder, name = os.path.split(path)
    if name.endswith((".npy", ".npz")):
        from howsure.data.logs.arrays import NAMES  # loaded where there is such a log

        for file_name in (*(f"{label}.npy" for label in NAMES["label_ids"]), "config.json"):
            yield os.path.join(folder, file_name)
    elif name.startswith("samples_"):
        yield from glob.iglob(os.path.join(glob.escape(folder), "results_*.json"))


def _parameter_name(parameter: click.Parameter) -> str:
    return parameter.opts[0] if isinstance(parameter, click.Option) else (parameter.name or "").upper()


def _check_file(by: str, path: str, kind: OutputFile) -> None:
    if not path:
        raise InputError(f"{by} must name a file; the name is empty.")
    if path == STANDARD_INPUT:
        raise InputError(f"{by} must name a file, not {path}; a command without --output writes to standard output.")
    if Path(path).suffix.lower() == STORE_LOG_SUFFIX:
        store = path[: -len(STORE_LOG_SUFFIX)]
        raise InputError(
            f"{by} must not name {path}: DuckDB keeps the last changes of {store} there. Name another file."
        )
    if kind.suffixes and Path(path).suffix.lower() not in kind.suffixes:
        suffixes = ", ".join(filter(None, kind.suffixes))
        raise InputError(f"{by} writes {suffixes}; name a file that ends in one of these, not {path}.{kind.advice}")
    check_place(path)
    if kind.appended and os.path.isfile(path):
        _check_text(by, path)


def _check_text(by: str, path: str) -> None:
    """Raise InputError if a file is not plain text, because appending lines would damage it."""
    with opened(path) as file:
        beginning = file.read(SNIFFED_BYTES)
    text = codecs.getincrementaldecoder("utf-8")()
    try:
        is_text = not beginning or "\0" not in text.decode(beginning)
    except UnicodeDecodeError:
        is_text = False
    if not is_text or beginning.lstrip().startswith((b"{", b"[")) or HEAD.match(beginning):
        raise InputError(f"{by} appends Markdown to a text file, and {path} is not one. Name another file.")


def _check_different(written: Sequence[tuple[str, str]]) -> None:
    """Raise InputError if two options name one file: the second would replace the first."""
    first: dict[object, str] = {}
    for by, path in written:
        target = identity(path) or os.path.realpath(path).casefold()  # some file systems take A for a
        if target in first and (os.path.isfile(path) or not os.path.exists(path)):  # a device takes both
            raise InputError(f"{first[target]} and {by} must name different files; both name {path}.")
        first[target] = by


def _check_unread(path: str, identities_read: set[Identity]) -> None:
    """Raise InputError if an existing file would be replaced although it, or a folder that contains it, is read."""
    if not os.path.isfile(path):  # a device or a pipe takes all
        return
    if identity(path) in identities_read:
        raise InputError(f"{path} is an input of this command and would be overwritten; name another file.")
    for folder in Path(os.path.realpath(path)).parents:
        if identity(folder) in identities_read:
            raise InputError(
                f"{path} is in {folder}, which is an input of this command and would be overwritten; name another."
            )
