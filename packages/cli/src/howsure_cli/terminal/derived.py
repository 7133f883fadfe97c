"""Commands derived from public functions: options from the signature, help from the docstring.

    command = derived("selective", selective_table, examples="howsure selective answers.csv …", figure=True)

calls `selective_table(…, data=howsure.read(FILE...))` and prints the result in the requested format. The name of an
option comes from the vocabulary (`output.py`), its help from the line of the parameter in the docstring, and its
type from the signature. `data` becomes the options of a source. `options` gives decorators for parameters that differ.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import click

from howsure.result import Result
from howsure_cli.terminal.commands import Command, check_labels_kept
from howsure_cli.terminal.options import (
    FORM_OPTIONS,
    PROBABILITIES,
    Decorator,
    as_bin_size,
    as_level,
    as_names,
    build_source,
    classes_options,
    figure_option,
    in_order,
    output_options,
    probability_form,
    probability_options,
    report_option,
    source_options,
)
from howsure_cli.terminal.output import ROLES, SHEET_ENCODING, WORDS, emit, option_name, result_text, write_pictures

FILES = "FILE...: CSV, TSV, JSON lines, Parquet, .npz; plain, .gz or .zst; globs; - is stdin; or logs, see --from."
OPTIONAL = " | None"
NONE_VALUE = "none"  # the option value that means None, for parameters whose default is not None
PROBABILITY_PARAMETERS = (*PROBABILITIES, *FORM_OPTIONS)

Answer = TypeVar("Answer")


def derived(
    name: str,
    function: Callable[..., Result],
    *,
    examples: str,
    figure: bool = False,
    report: bool = False,
    options: Mapping[str, Decorator | None] | None = None,
    documented_by: Sequence[Callable[..., object]] = (),
    epilog: str | None = None,
) -> click.Command:
    """Make a command that calls a function with its files as the source, and prints the result.

    documented_by: the public functions whose docstrings describe the parameters, if `function` implements several.

    examples: command lines, one per line. figure, report: whether the command has `--figure` and `--report`. options:
    decorators for parameters that need more than their type. If the result has an `exit_code`, the command ends with
    it.
    """

    def run(form: str, output: str | None, **typed: Any) -> None:
        path, page = typed.pop("figure", None), typed.pop("report", None)
        finish(call_function(function, typed), name=name, form=form, output=output, figure=path, report=page)

    output_decorators: list[Decorator] = [
        output_options,
        *([figure_option()] if figure else []),
        *([report_option] if report else []),
    ]
    return build_command(
        name,
        function,
        run,
        examples=examples,
        more_options=output_decorators,
        options=options,
        documented_by=documented_by,
        epilog=epilog,
    )


def build_command(
    name: str,
    function: Callable[..., object],
    run: Callable[..., None],
    *,
    examples: str,
    files: str = FILES,
    required: bool = True,
    more_options: Sequence[Decorator] = (),
    options: Mapping[str, Decorator | None] | None = None,
    documented_by: Sequence[Callable[..., object]] = (),
    **settings: Any,
) -> click.Command:
    """Return a command that calls `run` with the options of a public function and `more_options`.

    files: which files the command reads. required: whether a file must be named.
    """
    shown = "FILE..." if required else "[FILE]..."
    argument: Decorator = click.argument("files", nargs=-1, required=required, metavar=shown)
    decorators = [argument, *function_options(function, *documented_by, options=options), *more_options]
    settings = {
        "help": command_help(function, examples, files),
        "context_settings": {"max_content_width": 110},
    } | settings
    return click.command(name, cls=Command, **settings)(in_order(decorators)(run))


def command_help(function: Callable[..., object], examples: str, files: str = FILES) -> str:
    """The first sentences of the docstring, the possible files, and examples."""
    shown = "\n".join(["\b", *examples.strip().splitlines()])
    text = f"{inspect.getdoc(function) or ''}".split("\n\n")[0]
    return "\n\n".join(filter(None, [text, files, shown]))


def function_options(
    function: Callable[..., object],
    *documented_by: Callable[..., object],
    options: Mapping[str, Decorator | None] | None = None,
) -> list[Decorator]:
    """Make an option for each parameter of a function, in order.

    options: the decorators that differ, None to leave a parameter out. Help texts come from the function, or from the
    functions in `documented_by`.
    """
    decorators: list[Decorator] = []
    help_by_parameter, differ = parameter_help(function, *documented_by), options or {}
    for parameter, declared in inspect.signature(function).parameters.items():
        if parameter in differ:
            given_one = differ[parameter]
            decorators += [] if given_one is None else [given_one]
        elif parameter == "y_prob":
            decorators += [probability_options(), classes_options]
        elif parameter == "data":
            decorators.append(source_options)
        else:
            decorators.append(option(parameter, declared, help_by_parameter.get(parameter)))
    return decorators


def call_function(function: Callable[..., Answer], typed: Mapping[str, Any], **extra_arguments: Any) -> Answer:
    """The result of a function for the files and options of the command line, and `extra_arguments`."""
    parameters = inspect.signature(function).parameters
    needed = {name for name, declared in parameters.items() if declared.default is declared.empty and name in typed}
    arguments = {name: typed[name] for name in parameters if name in needed or typed.get(name) is not None}
    if "y_prob" in parameters and "y_prob" not in typed:
        arguments = {name: value for name, value in arguments.items() if name not in PROBABILITY_PARAMETERS}
        arguments["y_prob"] = probability_form(typed)
    if typed.get("adjust") == NONE_VALUE:
        arguments["adjust"] = None
    return function(**({"data": build_source(typed["files"], typed)} | arguments | extra_arguments))


def option(parameter: str, declared: inspect.Parameter, help_text: str | None) -> Decorator:
    """The option of a parameter, of the type in the signature."""
    word = WORDS.get(parameter)
    how: dict[str, Any] = {"help": help_text, "metavar": word.metavar if word else None}
    default = declared.default
    kind = "Show" if parameter == "show" else str(declared.annotation).removesuffix(OPTIONAL)
    if (parameter in ROLES and not kind.startswith("Literal[")) or parameter == "pos_label":
        kind, how["required"] = "str", default is inspect.Parameter.empty
    elif default is inspect.Parameter.empty:
        how["required"] = kind != "bool"
    elif default is not None:
        how |= {"default": default, "show_default": True}
    if kind == "bool":
        return click.option(option_name(parameter), parameter, is_flag=True, help=how["help"])
    if kind in SEQUENCE_TYPES:
        shown = ",".join(map(str, default)) if default else False
        how |= {"default": None, "show_default": shown} | SEQUENCE_TYPES[kind]
    elif kind.startswith("Literal["):
        choices = [*ast.literal_eval(kind.removeprefix("Literal"))]
        accepts_none = default is not None and str(declared.annotation).endswith(OPTIONAL)
        how |= {"type": click.Choice([*choices, *([NONE_VALUE] if accepts_none else [])]), "metavar": None}
    elif kind in TYPES:
        how |= TYPES[kind]
    if parameter in CALLBACKS:
        how |= {"callback": CALLBACKS[parameter], "type": None if parameter == "bin_size" else how.get("type")}
    return click.option(option_name(parameter), parameter, **how)


def choice(function: Callable[..., object], parameter: str, names: Sequence[str]) -> Decorator:
    """Return a decorator that adds the option of a parameter with a choice of names."""
    default = inspect.signature(function).parameters[parameter].default
    how: dict[str, Any] = {} if default is None else {"default": default, "show_default": True}
    return click.option(
        option_name(parameter),
        parameter,
        type=click.Choice(names),
        help=parameter_help(function).get(parameter, ""),
        **how,
    )


def as_numbers(context: click.Context, parameter: click.Parameter, value: str | None) -> list[float] | None:
    """Numbers separated by commas."""
    numbers = []
    for text in [] if value is None else value.split(","):
        try:
            numbers.append(float(text))
        except ValueError:
            raise click.BadParameter(f"{text!r} is not a number; write several as 0.5,0.8") from None
    return numbers or None


TYPES: dict[str, dict[str, Any]] = {
    "float": {"type": float},
    "int": {"type": int},
    "str": {"type": str},
    "int | str": {"type": str},
    "Randomness": {"type": click.IntRange(min=0)},
}
SEQUENCE_TYPES: dict[str, dict[str, Any]] = {
    "Sequence[float]": {"callback": as_numbers, "metavar": "N,N,…"},
    "Sequence[int] | int": {"callback": as_numbers, "metavar": "N,N,…"},
    "Sequence[str]": {"callback": as_names, "metavar": "NAME,NAME,…"},
    "Sequence[str | float]": {"callback": as_names, "metavar": "VALUE,VALUE,…"},
    "Columns": {"callback": as_names, "metavar": "COL,COL,…"},
    "Show": {"callback": as_names, "metavar": "COL,COL,…"},
}
CALLBACKS: dict[str, Callable[..., Any]] = {"level": as_level, "bin_size": as_bin_size}


def parameter_help(*functions: Callable[..., object]) -> dict[str, str]:
    """The help of each parameter: its entry `name (shape): text` in the docstring of the first function that has one.

    >>> parameter_help(lambda: None)
    {}
    """
    help_by_parameter: dict[str, str] = {}
    for function in reversed(functions):
        names = set(inspect.signature(function).parameters)
        for paragraph in (inspect.getdoc(function) or "").split("\n\n"):
            for name, text in _entries(paragraph.splitlines()):
                if name in names:
                    help_by_parameter[name] = _as_help(text)
    return help_by_parameter


def _entries(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The entries of a paragraph; other lines continue the entry before them."""
    entry: list[str] = []
    for line in lines:
        begins = re.match(r"(\w+)(?: \([^)]*\))?: (.*)", line)
        if begins:
            if entry:
                yield entry[0], " ".join(entry[1:])
            entry = [begins[1], begins[2]]
        elif entry:
            entry.append(line.strip())
    if entry:
        yield entry[0], " ".join(entry[1:])


def _as_help(text: str) -> str:
    """The text as help: quoted parameters become options, and the first letter is capitalised."""
    shown = re.sub(r"`(\w+)`", lambda name: option_name(name[1]), text)
    return shown[:1].upper() + shown[1:]


def finish(result: Any, *, name: str, form: str, output: str | None, **pictures: Any) -> None:
    """Draw, write and print a result, with its command in the recipe, and end with its exit code.

    pictures: the other arguments of `write_pictures`.
    """
    named = replace(result, recipe={"command": f"howsure {name}", **result.recipe})
    text = result_text(named, form, output)  # which may refuse a column, before anything is written
    if (column := getattr(named, "filled_in", None)) is not None:
        check_labels_kept(output, text, column=column)
    write_pictures(named, **pictures)
    emit(text, output, encoding=SHEET_ENCODING if column and form == "csv" else "utf-8")
    if code := getattr(named, "exit_code", 0):
        click.get_current_context().exit(code)
