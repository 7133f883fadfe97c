"""The command line: one file or folder per command, loaded on use."""

from __future__ import annotations

import importlib
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

import click

from howsure import __version__
from howsure.cli.plugins import OF_THE_PAPERS, load, plugin_commands, summary_of
from howsure.cli.terminal.commands import TRACEBACK, Group
from howsure.cli.terminal.ending import end_of
from howsure.cli.terminal.output import TYPED, any_encoding
from howsure.cli.terminal.recorded_help import recorded_help
from howsure.files.utf8 import checked_text

COMMANDS = {  # name -> (module, what `howsure --help` says of it)
    "calibration": ("howsure.cli.calibration.main", "Do predicted probabilities match frequencies?"),
    "significance": ("howsure.cli.significance.main", "Is a model really better than the baseline?"),
    "check": ("howsure.cli.check.main", "Is a limit kept? Pass, fail or cannot tell, for continuous integration."),
    "monitor": ("howsure.cli.monitor.main", "Is a model still calibrated, night after night? Alarms, and since when."),
    "selective": ("howsure.cli.selective.main", "What if a model answers only where it is confident?"),
    "recalibrate": ("howsure.cli.recalibrate.main", "Mend a model's probabilities: learn a map, judge it, apply it."),
    "counts": ("howsure.cli.counts.main", "How many? Counts from a model's scores and a few hundred labels."),
    "sequences": ("howsure.cli.sequences.main", "Train taggers, and get the probability of every tag."),
    "coreference": (
        "howsure.cli.coreference.main",
        "Which mentions refer to the same entity, and how certain is that?",
    ),
    "events": ("howsure.cli.events.main", "Who does what, how often, and how certain is that? With a page to explore."),
    "quantiles": ("howsure.cli.calibration.quantiles", "Are posterior draws of continuous quantities calibrated?"),
    "simulate": ("howsure.cli.calibration.simulate", "Simulate predictions with known calibration."),
    "data": ("howsure.cli.data", "List, download and cite the data sets of the experiments."),
    "demo": ("howsure.cli.demo", "See the main commands at work on bundled data."),
}


class Chapters(Group):
    """A group whose commands are imported only when they are run, so that `howsure --help` is quick."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        for one in args:
            checked_text(one, "each argument")
        ctx.meta[TYPED] = list(args)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS, *(name for name in plugin_commands() if name not in COMMANDS)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            plugin = plugin_commands().get(cmd_name)
            if plugin is None and cmd_name == OF_THE_PAPERS:
                raise click.UsageError(
                    "the papers' experiments are a distribution of their own, howsure-papers: in a checkout of "
                    "howsure, `make demo` installs it (or: pip install -e papers).",
                    ctx,
                )
            return None if plugin is None else load(plugin)
        command = importlib.import_module(COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])
        others = {name: summary_of(one) for name, one in plugin_commands().items() if name not in COMMANDS}
        if others:
            with formatter.section("Commands of other distributions"):
                formatter.write_dl(list(others.items()))


@click.command(cls=Chapters, context_settings={"max_content_width": 100})
@click.version_option(__version__, prog_name="howsure")
@click.option(TRACEBACK, is_flag=True, expose_value=False, help="Show where an unexpected error occurred.")
def howsure() -> None:
    """How confident is your NLP model, is that confidence justified, and what does it mean for your results?"""


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """SIGTERM and a closed terminal end a command like Ctrl-C: its scratch files are removed."""
    names = ("SIGTERM", "SIGHUP") if threading.current_thread() is threading.main_thread() else ()
    known = [getattr(signal, name) for name in names if hasattr(signal, name)]
    heard = [one for one in known if signal.getsignal(one) is signal.SIG_DFL]  # nohup's is ignored, and stays so
    for one in heard:
        signal.signal(one, signal.default_int_handler)
    try:
        yield
    finally:
        for one in heard:
            signal.signal(one, signal.SIG_DFL)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line; invalid input gives one sentence and exit code 2."""
    given = sys.argv[1:] if arguments is None else list(arguments)

    def run() -> object:
        with terminated_as_interrupted():
            if (page := recorded_help(given)) is not None:
                click.echo(page)
                return 0
            return howsure(given, standalone_mode=False, prog_name="howsure")

    with any_encoding():
        code = end_of(run, with_traceback=TRACEBACK in given)
    sys.exit(code)
