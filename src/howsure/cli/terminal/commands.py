"""A command that takes each option once, and whose errors name options instead of parameters of Python."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping
from functools import partial

import click

from howsure.cli.terminal.destinations import check_destinations
from howsure.cli.terminal.output import say
from howsure.cli.terminal.streams import as_printed
from howsure.errors import InputError, InPython, spelled

VOCABULARY = {  # the option of a parameter, where it is called otherwise
    "y_true": "--target",
    "y_prob": "--prob",
    "groups": "--group",
    "clusters": "--cluster",
    "sample_weight": "--weight",
    "pos_label": "--positive",
    "missing_values": "--missing",
    "format": "--from",
    "n_bins": "--bins",
    "n_simulations": "--simulations",
    "rng": "--seed",
}
OTHER_NAMES = VOCABULARY | {"labels": "--classes", "label": "--target", "ids": "--id", "cluster": "--cluster"}
OTHER_NAMES |= {"probs_column": "--probs-column", "prob": "--prob", "runs": "--run"}
OTHER_NAMES |= {"howsure.compare_calibration": "howsure calibration compare"}
OTHER_NAMES |= {"howsure.calibration_error": "howsure calibration"}

FORMER_NAMES = {
    "--label": "--target",
    "--truth": "--target",
    "--input-format": "--from",
}  # of options, which users may still type

QUOTES = "'\""
TYPED = '"'  # around a value of several words, which a shell would part
VALUE = r"""True|\.\.\.|'[^']*'|"[^"]*"|\[[^\]]*\]|\d[\d.]*(?:e-?\d+)?"""  # of a parameter in a message of the library

TRACEBACK = "--traceback"
WORDS = {"a valid integer range": "a whole number", "a valid integer": "a whole number"}
WORDS |= {"a valid float range": "a number", "a valid float": "a number"}


class InOptions:
    """A message as a command says it: `--bins 20` for n_bins=20, and rows counted from 1."""

    origin = "(Rows are counted from 1 here, among those used.)"

    def __init__(self, command: click.Command) -> None:
        self.options = VOCABULARY | {
            str(one.name): one.opts[0] for one in command.params if isinstance(one, click.Option)
        }

    def parameter(self, name: str, python: str | None, typed: str | None) -> str:
        """The option of a parameter, with its value; a parameter without one as Python writes it."""
        option = self.options.get(name.removeprefix("Given."))
        if option is None:
            return InPython().parameter(name, python, typed)
        if not typed:
            return option
        return f"{option} {_in_a_shell(typed)}"

    def row(self, row: int) -> str:
        """`row 4` for the row of number 3."""
        return f"row {row + 1}"


def _in_a_shell(typed: str) -> str:
    """A value as one argument of a shell; one word stands as it is.

    >>> print(_in_a_shell("model = 'bass'"), _in_a_shell("a b"))
    "model = 'bass'" 'a b'
    """
    if " " not in typed:
        return typed
    return f'"{typed}"' if "'" in typed and not set(typed) & set('"$`\\') else shlex.quote(typed)


class Helpful(click.Command):
    """What explains itself, by -h too, however it is called, in the characters that standard output has."""

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        return ["-h", "--help"]

    def get_help(self, ctx: click.Context) -> str:
        return as_printed(super().get_help(ctx))


class Command(Helpful):
    """A command of click's that is stricter, and speaks of its options."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own, those of all commands, and --help."""
        return [*super().get_params(ctx), click.Option([TRACEBACK], is_flag=True, expose_value=False, hidden=True)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read options and arguments; a second value is refused where it would replace the first in silence."""
        try:
            _, _, order = self.make_parser(ctx).parse_args(list(args))
        except click.NoSuchOption as error:
            now = FORMER_NAMES.get(error.option_name, "")
            if not any(now in param.opts for param in self.params):
                raise
            said = f"{error.message} It is now called '{now}'."
            raise click.NoSuchOption(error.option_name, said, ctx=error.ctx) from error
        for param in dict.fromkeys(order):
            single = isinstance(param, click.Option) and not (param.multiple or param.is_flag)
            if single and order.count(param) > 1:
                raise click.UsageError(f"{param.opts[0]} is given twice; it takes one value.", ctx)
        try:
            return super().parse_args(ctx, args)
        except click.BadParameter as error:
            found = [theirs for theirs in WORDS if theirs in error.message]
            if not found:
                raise
            said = error.message.replace(found[0], WORDS[found[0]])
            raise click.BadParameter(said, error.ctx, error.param, error.param_hint) from error

    def invoke(self, ctx: click.Context) -> object:
        """Run the command, if it can write where it is asked to."""
        check_destinations(ctx)
        try:
            return super().invoke(ctx)
        except InputError as error:
            if type(error) is not InputError:  # one that others know by its type
                raise
            raise InputError(as_options(error.told(InOptions(self)), options_of(self))) from error


class Group(Helpful, click.Group):
    """A group of such commands."""

    command_class = Command
    group_class = type


def options_of(command: click.Command) -> dict[str, str]:
    """The options of a command by the parameters of the library."""
    return OTHER_NAMES | {str(one.name): one.opts[0] for one in command.params if isinstance(one, click.Option)}


def as_options(message: str, options: Mapping[str, str]) -> str:
    """A message with options for the parameters that it sets, or whose name is no English word.

    >>> as_options("two_way=True needs method='bootstrap'.", {"two_way": "--two-way", "method": "--method"})
    '--two-way needs --method bootstrap.'
    >>> as_options("Name them: probs=['A', 'B'].", {"probs": "--probs"})
    'Name them: --probs A,B.'
    """
    for name, option in options.items():
        message = re.sub(rf"\b{name}=({VALUE})?(?!\w)", partial(_as_option, option), message)
        if "_" in name:
            message = re.sub(rf"\b{name}\b", option, message)
    return message


def refuse_given(names: Collection[str], why: str) -> None:
    """Raise InputError for an option that was given and cannot be followed."""
    context = click.get_current_context()
    for option in context.command.params:
        given = context.get_parameter_source(str(option.name)) is not click.core.ParameterSource.DEFAULT
        if option.name in names and given:
            raise InputError(f"{option.opts[0]} {why}. Leave it out.")


def tell(said: str) -> None:
    """Tell the user what a file was taken for, in the words of the running command; nothing where that is plain."""
    if said:
        command = click.get_current_context().command
        say(as_options(spelled(said, InOptions(command)), options_of(command)))


def _as_option(option: str, found: re.Match[str]) -> str:
    """An option with the value that a parameter has in a message; alone, where it says only that it is set."""
    value = found[1]
    if value in (None, "True", "...", "[...]"):
        return option
    if value.startswith("["):
        return f"{option} {','.join(one.strip().strip(QUOTES) for one in value[1:-1].split(','))}"
    if value[0] not in QUOTES:
        return f"{option} {value}"
    return f"{option} {value if value[0] == TYPED and ' ' in value else value[1:-1]}"
