"""Options shared by several commands, their parsers, and the source and roles that they name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import click
from click.core import ParameterSource

from howsure.data.sources import Files
from howsure.data.sources import read as files_of
from howsure.errors import MIN_SIMILARITY, InputError, nearest, quote
from howsure.inputs.numbers_and_names import MAX_CLUSTERINGS, MAX_PROCESSES, check_bounds
from howsure.inputs.pairs import UNNAMED, Probabilities
from howsure_cli.terminal.commands import FIGURES, PAGES, Group, OutputFile, missing_step, names_file
from howsure_cli.terminal.output import COLUMNS, FORMATS, RAW, VERBOSE, VERBOSE_OPTION, WORDS, progress, tell

PROCESSES = click.IntRange(1, MAX_PROCESSES)
CLUSTERINGS = click.IntRange(1, MAX_CLUSTERINGS)
ACROSS_FILES = ("error", "same", "separate")
PROBABILITIES = ("prob", "probs", "probs_column", "logits", "logprobs", "verbalised")
FORM_OPTIONS = ("reduce", "classes", "prediction")
ONE_FORM_ADVICE = (
    "name the probabilities with exactly one of --prob, --probs, --probs-column, --logits, --logprobs and --verbalised."
)
Decorated = Callable[..., Any]
Decorator = Callable[[Decorated], Decorated]


Context = click.Context
Parameter = click.Parameter


def choice_option(*names: str, of: Iterable[str], default: str | None = None, **declared: Any) -> Decorator:
    """An option that takes one of several words; its help shows the default, the first unless another is named."""
    words = list(of)
    return click.option(*names, type=click.Choice(words), default=default or words[0], show_default=True, **declared)


def seed_option(*, to: str = "seed", metavar: str | None = None) -> Decorator:
    """`--seed`, 0 unless another is typed; `to`: the parameter that takes it."""
    declared: dict[str, Any] = {"type": click.IntRange(min=0), "default": 0, "show_default": True}
    return click.option("--seed", to, metavar=metavar, **declared)


def as_bin_size(ctx: Context, param: Parameter, value: str) -> int | str:
    """A whole number of pairs, or `auto`."""
    if value == "auto":
        return value
    try:
        size = int(value.replace(",", "").replace("_", ""))
    except ValueError:
        size = 0
    if size < 1:
        raise click.BadParameter(f"{value!r} is neither 'auto' nor a whole number of at least 1")
    return size


def as_names(ctx: Context, param: Parameter, value: str | None) -> list[str] | None:
    """Names separated by commas."""
    names = None if value is None else [name.strip() for name in value.split(",")]
    if names is not None and not all(names):
        raise click.BadParameter(f"{value!r} contains an empty name")
    return names


def as_each_names(ctx: Context, param: Parameter, value: tuple[str, ...]) -> tuple[list[str], ...]:
    """Names separated by commas, of each time that an option is given."""
    return tuple(as_names(ctx, param, names_text) or [] for names_text in value)


def as_level(ctx: Context, param: Parameter, value: float) -> float:
    """The level of an interval."""
    if not 0.0 < value < 1.0:
        raise click.BadParameter(f"{value:g} is not between 0 and 1; write 0.95 for 95%")
    return value


level_option = click.option("--level", type=float, callback=as_level, default=0.95, show_default=True)


def binning_options(function: Decorated) -> Decorated:
    """`--bin-size`, `--bins`, `--binning`, `--level`."""
    options: list[Decorator] = [
        click.option("--bin-size", metavar="N|auto", callback=as_bin_size, default="auto", show_default=True),
        click.option("--bins", "n_bins", type=click.IntRange(min=1), metavar="N"),
        choice_option("--binning", of=["adaptive", "uniform"]),
        level_option,
    ]
    return in_order(options)(function)


def keep_raw(ctx: Context, param: Parameter, value: bool) -> None:
    """Store the value of `--raw` for `is_raw`, also if it was typed for a command of which this is a part."""
    ctx.meta[RAW] = value or ctx.meta.get(RAW, False)


def keep_columns(ctx: Context, param: Parameter, value: str | None) -> None:
    """Store the value of `--columns` for `chosen`."""
    ctx.meta[COLUMNS] = as_names(ctx, param, value)
    check_columns(ctx)


def check_columns(ctx: Context) -> None:
    """Raise InputError for `--columns` with a format that has no columns."""
    form = ctx.params.get("form")
    if ctx.meta[COLUMNS] is not None and form in ("json", "signature"):
        why = "JSON contains everything" if form == "json" else "a signature has no columns"
        raise InputError(f"--columns is for tables; {why}. Leave one of the two out.")


columns_option = click.option("--columns", metavar="NAME,NAME,…", expose_value=False, callback=keep_columns)

raw_option = click.option("--raw", is_flag=True, expose_value=False, callback=keep_raw)


def keep_verbose(ctx: Context, param: Parameter, value: bool) -> None:
    """Store the value of `--verbose` for `is_verbose`, also if it was typed for a command of which this is a part."""
    ctx.meta[VERBOSE] = value or ctx.meta.get(VERBOSE, False)


verbose_option = click.option(
    VERBOSE_OPTION,
    is_flag=True,
    expose_value=False,
    callback=keep_verbose,
    help="Print all rows and notes (default: 12 rows and the three most serious notes).",
)


def output_options(function: Decorated) -> Decorated:
    """`--format`, `--columns`, `--verbose`, `--output` and `--raw`."""
    form = choice_option("--format", "form", of=FORMATS, is_eager=True)
    return form(columns_option(verbose_option(formatted_output_option(raw_option(function)))))


FORMATS_BY_SUFFIX = {".csv": "csv", ".json": "json", ".md": "markdown", ".tex": "latex"}


def format_by_suffix(ctx: Context, param: Parameter, path: str | None) -> str | None:
    """Choose the format by the suffix of the output file if no format is typed."""
    if path is not None and ctx.get_parameter_source("form") is ParameterSource.DEFAULT:
        suffix = os.path.splitext(path)[1].lower()
        ctx.params["form"] = FORMATS_BY_SUFFIX.get(suffix, ctx.params["form"])
        if COLUMNS in ctx.meta:
            check_columns(ctx)
    return path


output_option = click.option("--output", type=OutputFile(), metavar="FILE")
formatted_output_option = click.option("--output", type=OutputFile(), metavar="FILE", callback=format_by_suffix)


def figure_option(*, advice: str = "") -> Callable[[Decorated], Decorated]:
    """`--figure` and `--width`. advice: what to do for another kind of file."""
    figure = click.option("--figure", type=OutputFile(*FIGURES, advice=advice), metavar="FILE", is_eager=True)
    return lambda function: figure(width_option(function))


def keep_width(ctx: Context, param: Parameter, value: float | None) -> None:
    """Draw figures of this width until the command ends."""
    if as_figure_option(ctx, param, value) is None:
        return
    from howsure.figures.width import figure_width

    try:
        ctx.with_resource(figure_width(value))
    except InputError as error:
        raise InputError(f"--{error}") from None


def as_figure_option(ctx: Context, param: Parameter, value: Any) -> Any:
    """Raise an error for options of a figure if none is drawn."""
    if value not in (None, param.default) and ctx.params.get("figure") is None:
        raise InputError(
            f"{param.opts[0]} is for a figure, but none is drawn; name the file of the figure with --figure."
        )
    return value


width_option = click.option("--width", type=float, metavar="INCHES", expose_value=False, callback=keep_width)
axis_option = choice_option("--axis", of=["auto", "linear", "zoom", "logit"], callback=as_figure_option)
report_option = click.option("--report", type=OutputFile(*PAGES), metavar="FILE.html")


def in_order(options: Sequence[Callable[[Decorated], Decorated]]) -> Callable[[Decorated], Decorated]:
    """Several options as one decorator; help lists them in this order."""

    def decorated(function: Decorated) -> Decorated:
        for option in reversed(options):
            function = option(function)
        return function

    return decorated


def probability_options(*, of_two: bool = False, labelled: bool = True) -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds the options for the columns of a model's probabilities. of_two: each option may be
    given twice, for two models. labelled: whether there are labels, with which predictions can be compared."""
    column_settings: dict[str, Any] = {"multiple": of_two}
    names: dict[str, Any] = {"multiple": of_two, "callback": as_each_names if of_two else as_names}
    options: list[Callable[[Decorated], Decorated]] = [
        click.option("--prob", metavar="COL", **column_settings),
        click.option("--probs", metavar="COL,COL,…", **names),
        click.option("--probs-column", metavar="COL", **column_settings),
        click.option("--logits", metavar="COL[,COL,…]", **names),
        click.option("--logprobs", metavar="COL[,COL,…]", **names),
        click.option("--verbalised", metavar="COL", **column_settings),
        *([click.option("--prediction", metavar="COL", **column_settings)] if labelled else []),
    ]
    return in_order(options)


def classes_options(function: Decorated) -> Decorated:
    """`--reduce` and `--classes`."""
    reduce_option = click.option("--reduce", metavar="HOW")
    return reduce_option(click.option("--classes", callback=as_names, metavar="NAME,NAME,…")(function))


def as_bounds(ctx: Context, param: Parameter, value: str | None) -> tuple[float, float] | None:
    """The lowest and the highest possible score."""
    if value is None:
        return None
    try:
        low, high = (float(text) for text in value.split(","))
        return check_bounds((low, high))
    except (ValueError, InputError):
        raise click.BadParameter(f"{quote(value)} must be two numbers, the lower first; write 0,1") from None


bounds_option = click.option("--bounds", callback=as_bounds, metavar="LOW,HIGH")
from_option = click.option("--from", "input_format", metavar="FORMAT")
encoding_option = click.option("--encoding", metavar="NAME")
missing_option = click.option("--missing", multiple=True, metavar="VALUE", is_eager=True)  # also of sheets, read later
explode_option = click.option("--explode", metavar="FIELD")
pivot_option = click.option("--pivot", metavar="ITEM,RATER,GRADE")
where_option = click.option("--where", metavar="EXPRESSION")
by_file_option = click.option("--by-file", is_flag=True)


UNNAMED_COMMAND = ""  # what help and messages call the default command of a group: by the group's name alone


class DefaultGroup(Group):
    """A group that runs its default command unless the first argument names another one."""

    def __init__(self, *args: Any, default: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.default = default

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        commands = self.list_commands(ctx)
        if not args or args[0] not in commands:
            near = nearest(args[0], commands, cutoff=MIN_SIMILARITY) if args and args[0].isalpha() else None
            if near is not None and not os.path.exists(args[0]):
                raise click.UsageError(f"No file or command {args[0]!r}. Did you mean {ctx.command_path} {near}?", ctx)
            usual = self.get_command(ctx, self.default)
            takes_arguments = usual is None or any(isinstance(param, click.Argument) for param in usual.params)
            if args and names_file(args[0]) and not takes_arguments:
                raise missing_step(self, ctx, args)
            args = [UNNAMED_COMMAND, *args]
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name or self.default)


def role_option(role: str, **how: Any) -> Callable[[Decorated], Decorated]:
    """The option for a column with a role; `how`: differences from the vocabulary."""
    word = WORDS[role]
    return click.option(word.option, role, **{"metavar": word.metavar} | how)


def reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a decorator that adds the options for columns of a file, except those of labels and probabilities, and the
    options of a source."""
    options: list[Callable[[Callable[..., Any]], Callable[..., Any]]] = [
        role_option(name) for name in ("pos_label", "clusters", "sample_weight", "id")
    ]
    return in_order([*options, source_options])(function)


def source_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The options of a source: the files, the selection of rows, and how they are read."""
    options: list[Callable[[Callable[..., Any]], Callable[..., Any]]] = [
        where_option,
        by_file_option,
        choice_option("--across-files", of=ACROSS_FILES),
        click.option("--skip-missing", is_flag=True),
        missing_option,
        from_option,
        encoding_option,
        click.option("--normalise", metavar="HOW"),
        click.option("--labels-from", metavar="FILE"),
        explode_option,
        pivot_option,
        click.option("--model-version", metavar="NAME"),
        click.option("--independent-rows", is_flag=True),
    ]
    return in_order(options)(function)


SOURCE_OPTIONS = (
    *("where", "by_file", "across_files", "skip_missing", "encoding", "normalise"),
    *("table", "labels_from", "explode", "pivot", "model_version", "independent_rows"),
)
ROLES = ("y_true", "groups", "clusters", "sample_weight", "pos_label", "id")


def build_source(files: Sequence[str], options: Mapping[str, Any]) -> Files:
    """The source that a command's options name; it reports the recognised format of files, and shows its progress."""
    how = {name: options[name] for name in SOURCE_OPTIONS if name in options}
    source = files_of(files, missing_values=options.get("missing", ()), format=options["input_format"], **how)
    return replace(source, tell=tell, bar=lambda n, unit: progress(unit, total=n))


def column_roles(options: Mapping[str, Any]) -> dict[str, Any]:
    """The columns named by the options of a command, by role.

    Raises InputError if the probabilities are named in several ways.
    """
    return {role: options[role] for role in ROLES if role in options} | {"y_prob": probability_form(options)}


def probability_form(options: Mapping[str, Any]) -> Probabilities | None:
    """The form of probabilities according to the options of a command; None if a log determines it."""
    ways = [way for way in PROBABILITIES if options.get(way)]
    if len(ways) > 1:
        raise InputError(ONE_FORM_ADVICE)
    class_options = {name: options[name] for name in FORM_OPTIONS if options.get(name) is not None}
    if "prediction" in class_options and not ways:
        raise InputError("--prediction needs the confidence in each prediction; name its column with --prob.")
    if not ways:
        return Probabilities(UNNAMED, None, **class_options) if class_options else None
    return Probabilities(ways[0], options[ways[0]], **class_options)
