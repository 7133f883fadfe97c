"""The names of options, and the output of commands: messages that name them, results in a format, and progress."""

from __future__ import annotations

import itertools
import json
import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from howsure.errors import InputError, InPython, render_text
from howsure.files.atomic_write import write_atomically
from howsure.notes import Note, with_spelled_notes
from howsure.show.table import Table, in_a_line, on_a_terminal

if TYPE_CHECKING:
    from howsure.result import Result

# One vocabulary: each meaning has one word in Python and one option.


@dataclass(frozen=True, slots=True)
class Word:
    """The option of a parameter. metavar: COL for what names a column."""

    option: str
    metavar: str | None = None


COLUMN = "COL"
# What a column is, by the name of its parameter; the option has the same name, except those in RENAMED.
ROLES = (
    *("y_true", "second", "settled", "y_prob", "prediction", "score", "a", "b", "winner", "length", "prompt"),
    *("prompt_length", "swapped", "document", "field", "value", "confidence", "earlier", "family", "model", "rater"),
    *("start", "end", "category", "date", "groups", "period", "clusters", "id", "run", "error", "cost", "treated"),
    *("after", "sample_weight", "strata", "inclusion"),
)
RENAMED = {
    "y_true": "--target",
    "y_prob": "--prob",
    "groups": "--group",
    "clusters": "--cluster",
    "sample_weight": "--weight",
    "strata": "--stratum",
}
WORDS = {role: Word(RENAMED.get(role, f"--{role.replace('_', '-')}"), COLUMN) for role in ROLES} | {
    "own": Word("--own", "NAME"),
    "categories": Word("--categories", "VALUE,VALUE,…"),
    "judge": Word("--judge", "NAME"),
    "date_format": Word("--date-format", "FORMAT"),
    "pos_label": Word("--positive", "VALUE"),
    # the other model, an earlier result
    "against": Word("--against", "FILE|COL"),
    "name": Word("--name", "NAME"),
    "better_than": Word("--better-than", "FILE|COL"),
    "baseline": Word("--baseline", "FILE"),
    "gold": Word("--gold", "FILE|COL"),
    "compare": Word("--compare", "FIELD=HOW"),
    "choices": Word("--choices", "FIELD=A|B|…"),
    # the source
    "missing_values": Word("--missing", "VALUE"),
    "format": Word("--from", "FORMAT"),
    # the question
    "metrics": Word("--metric", "NAME"),
    "method": Word("--method", "METHOD"),
    "interval": Word("--interval", "METHOD"),
    "alternative": Word("--alternative", "SIDE"),
    "level": Word("--level"),
    "tolerance": Word("--tolerance", "T"),
    "wait": Word("--wait", "DAYS"),
    "reference": Word("--reference", "DATE"),
    "n_bins": Word("--bins", "N"),
    "bin_size": Word("--bin-size", "N|auto"),
    "n_simulations": Word("--simulations", "N"),
    "n_resamples": Word("--resamples", "N"),
    "rng": Word("--seed", "N"),
    "form": Word("--format"),
    "target_class": Word("--class", "NAME"),
}


def option_name(parameter: str) -> str:
    """The option of a parameter.

    >>> option_name("groups"), option_name("skip_missing")
    ('--group', '--skip-missing')
    """
    word = WORDS.get(parameter)
    return f"--{parameter.replace('_', '-')}" if word is None else word.option


# Errors and notes name parameters; here they name the options of the running command.

Noted = TypeVar("Noted")
COMMAND_BY_FUNCTION = {
    "howsure.compare_calibration": "howsure calibration compare",
    "howsure.calibration_error": "howsure calibration",
    "howsure.draw_label_sample": "howsure counts sample",
}
VOCABULARY = {name: word.option for name, word in WORDS.items()} | COMMAND_BY_FUNCTION | {"labels": "--classes"}
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
    """Return a value as one argument of a shell; a plain word is not quoted.

    >>> print(_in_a_shell("model = 'bass'"), _in_a_shell("a b"), _in_a_shell("#N/A"), _in_a_shell("a,…"))
    "model = 'bass'" 'a b' '#N/A' a,…
    """
    return shell_word(typed) if set(typed) & set(" #!&;<>()|*?$`'\"\\") else typed


def in_options(noted: Noted) -> Noted:
    """A result, a note or several, whose notes name the options of the running command instead of parameters."""
    context = click.get_current_context(silent=True)
    if context is None:
        return noted
    spelled: Noted = with_spelled_notes(noted, InOptions.of(context))
    return spelled


def shell_word(word: str) -> str:
    """A word, quoted for a shell if necessary.

    >>> print(shell_word("*.csv"), shell_word("model = 'bass'"))
    '*.csv' "model = 'bass'"
    """
    return f'"{word}"' if "'" in word and not set(word) & set('"$`\\!') else shlex.quote(word)


# Where results go: standard output, or a file that appears whole or not at all.

RAW, COLUMNS, TYPED, VERBOSE = "howsure.raw", "howsure.columns", "howsure.typed", "howsure.verbose"
VERBOSE_OPTION, REPORT = "--verbose", "--report"
# options that a next command does not repeat
UNREPEATED_OPTIONS = ("--figure", "--width", "--axis", REPORT, "--columns")
FORMATS = ("table", "json", "csv", "markdown", "latex", "signature")
SHEET_ENCODING = "utf-8-sig"  # of tables to fill in: without the mark, Excel reads them as Windows-1252


def emit(text: str, output: str | None, *, encoding: str = "utf-8") -> None:
    """Print text, or write it to a file named by the user."""
    shown = text if is_raw() else on_a_terminal(text)
    if output is not None:
        write_atomically(shown.encode(encoding, "backslashreplace"), output)
        return
    if sys.stdout is None:
        raise InputError("standard output is closed, so nothing can be printed; open it, or name an --output.")
    sys.stdout.write(shown)
    sys.stdout.flush()


def result_text(result: Result, form: str, output: str | None = None) -> str:
    """A result in a format, with the requested columns of its table; in a file, with all rows and notes."""
    shown: dict[str, Any] = {"columns": requested_columns(), "raw": is_raw()}
    result = in_options(result)
    if form == "json":
        return json_text(result.to_dict())
    if form == "signature":
        return f"{result.signature}\n"
    if form == "table":
        if output is not None or is_verbose():
            return f"{result.text(**shown)}\n"
        width = terminal_width()
        ends_in_examples = getattr(result, "ends_in_examples", False)  # long texts, which are cut
        text = result.text(**shown, rest=VERBOSE_OPTION, width=None if ends_in_examples else width)
        text = cut_table(text, width)
        next_line = next_command_line(result)
        return "\n".join(filter(None, [text, next_line])) + "\n"
    write = {"csv": result.to_csv, "markdown": result.to_markdown, "latex": result.to_latex}
    return f"{write[form](**shown)}\n"


def terminal_width() -> int | None:
    """The columns of the terminal on which output is printed; None for a file or a pipe."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return shutil.get_terminal_size().columns if is_terminal else None


def cut_table(text: str, width: int | None) -> str:
    """The text, with the lines of its first table cut where the terminal ends.

    >>> print(cut_table("What it is\\n\\nid  for example\\n───────────────\\n 1  a, b, c, d, e\\n\\nA note.", 12))
    What it is
    <BLANKLINE>
    id  for exa…
    ────────────
     1  a, b, c…
    <BLANKLINE>
    A note.
    """
    if width is None:
        return text
    lines = text.split("\n")
    rule = next((place for place, line in enumerate(lines) if line.startswith("──")), 0)
    for place in range(max(rule - 1, 0), len(lines)):
        if not lines[place] or lines[place].startswith("… "):
            break
        end = "─" if place == rule else "…"
        lines[place] = lines[place] if len(lines[place]) <= width else lines[place][: width - 1] + end
    return "\n".join(lines)


def next_command_line(result: Result) -> str:
    """Return the next command to suggest; "" if there is none, or if the result does not come from a typed command."""
    typed, further = _typed_words(), {option_name(name): value for name, value in result.next_parameters().items()}
    if result.answer is None or not typed or not further or further.keys() & set(_typed_arguments()):
        return ""
    further |= {REPORT: _unused_name(str(further[REPORT]))} if REPORT in further else {}
    options = [word for option, value in further.items() for word in (option, str(value))]
    return f"Next: {' '.join(['howsure', *map(shell_word, [*typed, *options])])}"


def _unused_name(name: str) -> str:
    """A file name like this one that no file has: scores.html, scores-2.html, …"""
    stem, suffix = os.path.splitext(name)
    names = itertools.chain([name], (f"{stem}-{number}{suffix}" for number in itertools.count(2)))
    return next(name for name in names if not os.path.exists(name))


def _typed_words() -> list[str]:
    """The arguments that the user typed after `howsure`, without figures, reports and columns."""
    words, repeated = iter(_typed_arguments()), list[str]()
    for word in words:
        if word in UNREPEATED_OPTIONS:
            next(words, None)
        elif not word.startswith(tuple(f"{option}=" for option in UNREPEATED_OPTIONS)):
            repeated.append(word)
    return repeated


def _typed_arguments() -> Sequence[str]:
    context = click.get_current_context(silent=True)
    return () if context is None else context.meta.get(TYPED, ())


def emit_result(result: Result, form: str, output: str | None) -> None:
    """Print a result in a format, or write it to a file."""
    emit(result_text(result, form, output), output)


def write_pictures(
    result: Any, *, figure: str | None = None, report: str | None = None, title: str | None = None, **how: Any
) -> None:
    """Write the figure and the report of a result to the requested files."""
    result = in_options(result)
    if figure is not None:
        from howsure.figures.files import save_figure

        save_figure(result.figure(**how) if hasattr(result, "figure") else result.plot(**how).figure, figure)
    if report is not None:
        from howsure.figures.width import figure_width
        from howsure_cli.report.pages import write_report
        from howsure_cli.report.results import result_report

        is_replaced = os.path.exists(report)
        with figure_width(None):  # that of the figure in a file is not that of a page
            write_report(result_report(result, title=title, command=command_line()), report)
        if is_replaced:
            say(f"{report} existed and was replaced.")


def say(text: str) -> None:
    """Print a message that is not a result, as a line of standard error."""
    sys.stderr.write(f"{on_a_terminal(text)}\n")
    sys.stderr.flush()


def tell(message: str) -> None:
    """Tell the user how a file was interpreted, in terms of the running command, if the message is not empty."""
    if message:
        surface = InOptions.of(click.get_current_context())
        say(message.spelled(surface) if isinstance(message, Note) else render_text(message, surface))


def is_raw() -> bool:
    """Whether the user requested unescaped names: `--raw`."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(RAW))


def is_verbose() -> bool:
    """Whether the user requested all rows and notes: `--verbose`."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(VERBOSE))


def command_line() -> str | None:
    """The typed command line, quoted for a shell."""
    context = click.get_current_context(silent=True)
    typed = None if context is None else context.meta.get(TYPED)
    return None if typed is None else shlex.join(["howsure", *typed])


def requested_columns() -> list[str] | None:
    """The requested columns: `--columns`."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(COLUMNS)


def table_text(table: Table, form: str = "table") -> str:
    """A table in one of the formats, with the requested columns, ending in a newline."""
    from howsure.result import chosen_columns  # which loads numpy: a command that asks for no table needs none

    if form == "signature":
        raise InputError("--format signature is only for results; this command prints a list, which has no signature.")
    table = chosen_columns(table, requested_columns())
    write = {"table": table.text, "csv": table.csv, "markdown": table.markdown, "latex": table.latex}[form]
    return f"{write(raw=is_raw())}\n"


def name_text(name: str) -> str:
    """A name from the data, escaped for a line of text."""
    return name if is_raw() else in_a_line(name)


def json_text(document: Any) -> str:
    """A JSON document as text; NaN or infinity in it raises an error."""
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


PATIENCE, REFRESH = 2.0, 0.1  # seconds before a bar appears, and between its changes


@contextmanager
def progress(what: str, *, total: int, rate: bool = False) -> Iterator[Callable[[int], None]]:
    """Yield a function to call with each number of steps done; with `rate` the bar shows the steps per second."""
    if not sys.stderr.isatty():
        yield lambda steps: None
        return
    started, due, done = time.monotonic(), PATIENCE, 0
    with ExitStack() as ending:
        bar = click.progressbar(length=total, label=what, show_pos=True, item_show_func=str, file=sys.stderr)

        def advance(steps: int) -> None:
            nonlocal due, done
            done += steps
            if (passed := time.monotonic() - started) > due:
                if not bar.entered:
                    ending.enter_context(bar)
                show(passed)
                due = passed + REFRESH

        def show(passed: float) -> None:
            bar.current_item = f"{done / passed:,.1f}/s" if rate else ""
            bar.update(done - bar.pos)

        yield advance
        if bar.entered:
            show(time.monotonic() - started)
