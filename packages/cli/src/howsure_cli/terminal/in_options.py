"""Errors and notes in terms of a command's options: they name parameters, which each surface writes in its own way."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TypeVar

import click

from howsure.errors import InPython
from howsure.notes import with_spelled_notes
from howsure_cli.terminal.vocabulary import WORDS
from howsure_cli.typed_commands import shell_word

Noted = TypeVar("Noted")
COMMANDS = {
    "howsure.compare_calibration": "howsure calibration compare",
    "howsure.calibration_error": "howsure calibration",
    "howsure.draw_label_sample": "howsure counts sample",
}
VOCABULARY = {name: word.option for name, word in WORDS.items()} | COMMANDS | {"labels": "--classes"}
VOCABULARY |= {"y_true_against": "--target", "y_prob_against": "--prob", "ids": "--id"}
IN_BRACKETS = "'\"]"


class InOptions:
    """Messages in terms of options: `--bins 20` for n_bins=20, and rows counted from 1."""

    origin = "(Rows are counted from 1 here, among those used.)"

    def __init__(self, command: click.Command, files: Sequence[str] = ()) -> None:
        options = [param for param in command.params if isinstance(param, click.Option)]
        self.options = {option.opts[0].strip("-").replace("-", "_"): option.opts[0] for option in options} | VOCABULARY
        self.options |= {str(option.name): option.opts[0] for option in options}
        self.options["howsure.look(files)"] = f"howsure look {shlex.join(files) or 'FILE'}"

    @classmethod
    def of(cls, ctx: click.Context) -> InOptions:
        """The options of a running command, with the files that it reads."""
        files = ctx.params.get("files") or ctx.params.get("file") or ()
        return cls(ctx.command, (files,) if isinstance(files, str) else files)

    def parameter(self, name: str, python: str | None, typed: str | None) -> str:
        """The option of a parameter, with its value; parameters without an option as in Python."""
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
        """`row 4` for row number 3 counted from 0."""
        return f"row {row + 1}"


def _in_a_shell(typed: str) -> str:
    """A value as one argument of a shell; one word stays as it is.

    >>> print(_in_a_shell("model = 'bass'"), _in_a_shell("a b"))
    "model = 'bass'" 'a b'
    """
    return shell_word(typed) if " " in typed else typed


def in_options(noted: Noted) -> Noted:
    """A result, a note or several, whose notes name the options of the running command instead of parameters."""
    context = click.get_current_context(silent=True)
    if context is None:
        return noted
    spelled: Noted = with_spelled_notes(noted, InOptions.of(context))
    return spelled
