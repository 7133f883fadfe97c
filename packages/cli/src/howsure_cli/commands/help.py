"""`howsure help`: all options of a command, or the shared options for input and output."""

from __future__ import annotations

import click

from howsure_cli.terminal.commands import ALL_OPTIONS, Command
from howsure_cli.terminal.option_help import FORMATS_READ, SYNONYMS
from howsure_cli.terminal.options import (
    UNNAMED_COMMAND,
    DefaultGroup,
    axis_option,
    classes_options,
    figure_option,
    in_order,
    output_options,
    probability_options,
    report_option,
    source_options,
)
from howsure_cli.terminal.output import emit

INPUT = f"""
Options for the files that a command reads: which columns contain probabilities, which rows count, and how files
are read. Files may be compressed (.gz, .zst); globs such as 'results/**/*.jsonl' and several files are read as one
table; - is standard input.

{FORMATS_READ}
"""
OUTPUT = """
A command prints the answer in a sentence, a table of at most 12 rows, at most three notes, what was read, and the next
command. These options print more, other formats, and files. A file that exists is replaced.
"""


class Topic(Command):
    """A group of options, explained like those of a command."""

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """None: a topic is not a command to run."""


def topics() -> dict[str, Topic]:
    """The topics by their names."""
    spellings = ", ".join(f"{synonym} for {name}" for synonym, name in SYNONYMS.items())
    pages = {
        "input": (
            INPUT,
            f"Other spellings: {spellings}.",
            in_order([probability_options(), classes_options, source_options]),
        ),
        "output": (OUTPUT, None, in_order([output_options, figure_option(), axis_option, report_option])),
    }
    return {
        name: click.command(name, cls=Topic, help=text, epilog=epilog, add_help_option=False)(options(lambda: None))
        for name, (text, epilog, options) in pages.items()
    }


@click.command("help", cls=Command)
@click.argument("words", nargs=-1, metavar="COMMAND|input|output")
@click.pass_context
def command(context: click.Context, words: tuple[str, ...]) -> None:
    """Explain a command with all of its options, or the options for input or output.

    \b
    howsure help score
    howsure help judge bias
    howsure help input
    howsure help output
    """
    from howsure_cli.chapters import howsure

    explained: click.Command = howsure
    current = click.Context(explained, info_name="howsure")
    if len(words) == 1 and words[0] in topics():
        explained, words = topics()[words[0]], ()
        current = click.Context(explained, info_name=explained.name, max_content_width=110)
    for word in words:
        subcommand = explained.get_command(current, word) if isinstance(explained, click.Group) else None
        if subcommand is None:
            raise click.UsageError(f"No command '{' '.join(words)}'. howsure --help lists the commands.", context)
        explained, current = subcommand, subcommand.make_context(word, [], parent=current, resilient_parsing=True)
    if isinstance(explained, DefaultGroup):
        default = explained.get_command(current, UNNAMED_COMMAND)
        assert default is not None
        explained, current = default, default.make_context("", [], parent=current, resilient_parsing=True)
    current.meta[ALL_OPTIONS] = True
    emit(f"{explained.get_help(current)}\n", None)
