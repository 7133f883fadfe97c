"""A command that takes each option once, whose errors speak of options, and that writes only where it may."""

from __future__ import annotations

import codecs
import glob
import importlib
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from howsure.errors import ALIKE, LOOK, InputError, InPython, nearest, spelled, spoken_by, told
from howsure.files.opened import STANDARD_INPUT, Identity, identity, opened
from howsure.files.whole import HEAD, check_place
from howsure_cli.terminal.option_help import SYNONYMS, TOPICS, help_text, topic
from howsure_cli.terminal.output import say, shell_word
from howsure_cli.terminal.process import TRACEBACK
from howsure_cli.terminal.vocabulary import ROLES, WORDS, option_of

# Where a command writes: checked before the work, and never over what it reads or writes besides.

FIGURES = (".svg", ".png", ".pdf")
PAGES = (".html", ".htm")
LOG_OF_STORE = ".wal"
BEGINNING = 1 << 16  # bytes of a file that show whether it is a text
READ = ("FILE", "STORE", "MODEL", "FOLDER", "PATH", "PIPELINE", ".json")  # in the help of what names files to read


class Written(click.types.StringParamType):
    """The type of an option or argument that names a file to write.

    `suffixes`: the name ends in one of these, "" for a name without one. `advice`: what to do for another suffix.
    `also_written`: function from its path to further files that are written. `appended`: lines are added to a text file
    whose content stays.
    """

    def __init__(
        self,
        *suffixes: str,
        advice: str = "",
        also_written: Callable[[str], Sequence[str]] = lambda path: (),
        appended: bool = False,
    ) -> None:
        self.suffixes, self.advice, self.also_written, self.appended = suffixes, advice, also_written, appended


class WrittenFolder(click.types.StringParamType):
    """The type of an option that names a folder to write into; it is made where there is none."""


def check_destinations(context: click.Context, *, also_read: Iterable[str | int] = ()) -> None:
    """Raise InputError where a file cannot be written, or is read, or is written twice; before anything is done.

    also_read: what the command reads besides what its parameters name.
    """
    written: list[tuple[str, str]] = []
    for parameter, path in _values(context):
        if isinstance(parameter.type, Written):
            _check_file(_called(parameter), path, parameter.type)
            written += [(_called(parameter), destination) for destination in (path, *parameter.type.also_written(path))]
        elif isinstance(parameter.type, WrittenFolder) and os.path.exists(path) and not os.path.isdir(path):
            raise InputError(f"{_called(parameter)} must name a folder; {path} is a file.")
    _check_different(written)
    identities_read = {
        file_identity
        for file_identity in map(identity, chain(sources_of(context), also_read))
        if file_identity is not None
    }
    for _, path in written:
        _check_unread(path, identities_read)


def is_read(parameter: click.Parameter) -> bool:
    """Whether a parameter may name what a command reads, as its help says."""
    shown = getattr(parameter, "metavar", None)
    if not isinstance(parameter.type, click.types.StringParamType) or isinstance(
        parameter.type, Written | WrittenFolder
    ):
        return False
    return isinstance(parameter, click.Argument) if shown is None else any(word in shown for word in READ)


def _values(context: click.Context) -> Iterator[tuple[click.Parameter, str]]:
    """Every text that a parameter was given; of a source, its paths."""
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        for text in value if isinstance(value, tuple | list) else getattr(value, "paths", (value,)):
            if isinstance(text, str):
                yield parameter, text


def sources_of(context: click.Context) -> Iterator[str | int]:
    """What may be read, by its path; standard input by its number."""
    if "data" in context.params and context.params["data"] is None:
        from howsure_cli.datasets import VARIABLE, downloads_folder  # loaded for the commands that need it

        yield from (os.environ.get(VARIABLE, ""), str(downloads_folder()))
    for parameter, text in _values(context):
        if is_read(parameter):
            if text == STANDARD_INPUT:
                yield 0
            elif glob.has_magic(text) and not os.path.exists(text):
                for path in glob.iglob(text, recursive=True):
                    yield from (path, *_beside(path))
            else:
                yield from (text, *_beside(text))


def _beside(path: str) -> Iterator[str]:
    """What the reader of a log may look up in the same folder: labels, names of classes, settings."""
    folder, name = os.path.split(path)
    if name.endswith((".npy", ".npz")):
        from howsure.data.logs.arrays import NAMES  # loaded where there is such a log

        for file_name in (*(f"{label}.npy" for label in NAMES["label_ids"]), "config.json"):
            yield os.path.join(folder, file_name)
    elif name.startswith("samples_"):
        yield from glob.iglob(os.path.join(glob.escape(folder), "results_*.json"))


def _called(parameter: click.Parameter) -> str:
    return parameter.opts[0] if isinstance(parameter, click.Option) else (parameter.name or "").upper()


def _check_file(by: str, path: str, kind: Written) -> None:
    if not path:
        raise InputError(f"{by} must name a file; the name is empty.")
    if path == STANDARD_INPUT:
        raise InputError(f"{by} must name a file, not {path}; a command without --output writes to standard output.")
    if Path(path).suffix.lower() == LOG_OF_STORE:
        store = path[: -len(LOG_OF_STORE)]
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
    """Raise InputError if a file is not a text for people, because adding lines would damage it."""
    with opened(path) as file:
        beginning = file.read(BEGINNING)
    text = codecs.getincrementaldecoder("utf-8")()
    try:
        is_text = not beginning or "\0" not in text.decode(beginning)
    except UnicodeDecodeError:
        is_text = False
    if not is_text or beginning.lstrip().startswith((b"{", b"[")) or HEAD.match(beginning):
        raise InputError(f"{by} adds Markdown to a text, and {path} is not such a text. Name another file.")


def _check_different(written: Sequence[tuple[str, str]]) -> None:
    """Raise InputError where two options name one file: the second would replace the first."""
    first: dict[object, str] = {}
    for by, path in written:
        target = identity(path) or os.path.realpath(path).casefold()  # some file systems take A for a
        if target in first and (os.path.isfile(path) or not os.path.exists(path)):  # a device takes both
            raise InputError(f"{first[target]} and {by} must name different files; both name {path}.")
        first[target] = by


def _check_unread(path: str, identities_read: set[Identity]) -> None:
    """Raise InputError where a file that there is would be replaced, though it, or a folder around it, is read."""
    if not os.path.isfile(path):  # a device or a pipe takes all
        return
    if identity(path) in identities_read:
        raise InputError(f"{path} is an input of this command and would be overwritten; name another file.")
    for folder in Path(os.path.realpath(path)).parents:
        if identity(folder) in identities_read:
            raise InputError(
                f"{path} is in {folder}, which is an input of this command and would be overwritten; name another."
            )


# A command that takes each option once, and whose errors name options instead of parameters of Python.

COMMANDS = {
    "howsure.compare_calibration": "howsure calibration compare",
    "howsure.calibration_error": "howsure calibration",
    "howsure.draw_label_sample": "howsure counts sample",
}
VOCABULARY = {name: word.option for name, word in WORDS.items()} | COMMANDS | {"labels": "--classes"}
VOCABULARY |= {"y_true_against": "--target", "y_prob_against": "--prob", "ids": "--id"}
ALL_OPTIONS = "howsure.all_options"  # whether help explains the shared options, too
OF_OTHERS = {  # options that a command has not, and what does what they would
    ("calibration", "--sequential"): "howsure monitor is for calibration that is looked at again and again.",
    ("score", "--model"): "To check each model, name the column as groups: --group COL.",  # of howsure check score
}
IN_BRACKETS = "'\"]"
IN_WORDS = {  # what click says of a type
    "a valid integer range": "a whole number",
    "a valid integer": "a whole number",
    "a valid float range": "a number",
    "a valid float": "a number",
}


class InOptions:
    """A message as a command says it: `--bins 20` for n_bins=20, and rows counted from 1."""

    origin = "(Rows are counted from 1 here, among those used.)"

    def __init__(self, command: click.Command, files: Sequence[str] = ()) -> None:
        options = [param for param in command.params if isinstance(param, click.Option)]
        self.options = {option.opts[0].strip("-").replace("-", "_"): option.opts[0] for option in options} | VOCABULARY
        self.options |= {str(option.name): option.opts[0] for option in options}
        self.options["howsure.look(files)"] = f"howsure look {shlex.join(files) or 'FILE'}"

    def parameter(self, name: str, python: str | None, typed: str | None) -> str:
        """The option of a parameter, with its value; a parameter without one as Python writes it."""
        parameter_name, _, key = name.removeprefix("Probabilities.").partition("[")
        option = self.options.get(parameter_name)
        if option is None:
            return InPython().parameter(name, python, typed)
        if key:  # one of several columns
            return f"{option} {key.strip(IN_BRACKETS)}"
        if not typed:
            return option
        return f"{option} {_in_a_shell(typed)}"

    def row(self, row: int) -> str:
        """`row 4` for the row of number 3."""
        return f"row {row + 1}"


def _in_a_shell(typed: str) -> str:
    """A value as one argument of a shell; one word stays as it is.

    >>> print(_in_a_shell("model = 'bass'"), _in_a_shell("a b"))
    "model = 'bass'" 'a b'
    """
    return shell_word(typed) if " " in typed else typed


class Context(click.Context):
    """A context whose path of commands leaves out the name of a group's default command."""

    @property
    def command_path(self) -> str:
        return super().command_path.rstrip()


class Helpful(click.Command):
    """What explains itself, by -h too, however it is called."""

    context_class = Context

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        return ["-h", "--help"]


class Command(Helpful):
    """A command of click's that is stricter, and speaks of its options."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for param in self.params:
            if isinstance(param, click.Option):
                param.help = help_text(param) or param.help

    def make_parser(self, ctx: click.Context) -> Any:
        """The parser of click, which takes synonyms of options, too."""
        parser = super().make_parser(ctx)
        params = {param.opts[0]: param for param in self.params if isinstance(param, click.Option)}
        for synonym, name in SYNONYMS.items():
            if name in params and synonym not in params:
                action = "append" if params[name].multiple else "store"
                parser.add_option(params[name], [synonym], params[name].name, action=action)
        return parser

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options of the task, and in a line each those that many commands share."""
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
        """The command's own, those of all commands, and --help."""
        return [*super().get_params(ctx), click.Option([TRACEBACK], is_flag=True, expose_value=False, hidden=True)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read options and arguments; a second value is refused where it would replace the first in silence."""
        try:
            _, _, order = self.make_parser(ctx).parse_args(list(args))
        except click.NoSuchOption as error:
            elsewhere = OF_OTHERS.get((str(self.name), error.option_name))
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
            if error.param is None or error.param.opts[0] not in map(option_of, ROLES):
                raise
            message = f"Missing option '{error.param.opts[0]}'.{spelled(LOOK, InOptions(self, _files(ctx)))}"
            raise click.UsageError(message, error.ctx) from error
        except click.BadParameter as error:
            matching_phrases = [theirs for theirs in IN_WORDS if theirs in error.message]
            if not matching_phrases:
                raise
            message = error.message.replace(matching_phrases[0], IN_WORDS[matching_phrases[0]])
            raise click.BadParameter(message, error.ctx, error.param, error.param_hint) from error

    def invoke(self, ctx: click.Context) -> object:
        """Run the command, if it can write where it is asked to."""
        check_destinations(ctx)
        with spoken_by(InOptions(self, _files(ctx))):
            try:
                return super().invoke(ctx)
            except InputError as error:
                if type(error) is not InputError:  # one that others know by its type
                    raise
                raise InputError(str(error)) from error


def _files(ctx: click.Context) -> Sequence[str]:
    """The files that a command reads."""
    files = ctx.params.get("files") or ctx.params.get("file") or ()
    return (files,) if isinstance(files, str) else files


Elsewhere = Mapping[str, str | Callable[[], click.Command]]


class Group(Helpful, click.Group):
    """A group of such commands. `elsewhere` are more of them, loaded on use, by their module or by what makes them."""

    command_class = Command
    group_class = type

    def __init__(self, *args: Any, elsewhere: Elsewhere = MappingProxyType({}), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.elsewhere = elsewhere

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *self.elsewhere})

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        near = nearest(name, self.list_commands(ctx), cutoff=ALIKE)
        if near is not None and not name.startswith("-") and self.get_command(ctx, name) is None:
            raise click.UsageError(f"No command {name!r}. Did you mean {ctx.command_path} {near}?", ctx)
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


def tell(message: str) -> None:
    """Tell the user what a file was taken for, in the words of the running command; nothing where that is plain."""
    if message:
        say(told(message))
