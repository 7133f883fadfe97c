"""Running the command line: signals, exit codes, and help without loading the commands."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

import click

from howsure_cli.terminal.process import HELP_OPTIONS, TRACEBACK, any_encoding, run_to_exit_code


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """SIGTERM and a closed terminal end a command like Ctrl-C: its scratch files are removed."""
    names = ("SIGTERM", "SIGHUP") if threading.current_thread() is threading.main_thread() else ()
    signals = [getattr(signal, name) for name in names if hasattr(signal, name)]
    # nohup's is ignored, and stays so
    heard = [signal_number for signal_number in signals if signal.getsignal(signal_number) is signal.SIG_DFL]
    for signal_number in heard:
        signal.signal(signal_number, signal.default_int_handler)
    try:
        yield
    finally:
        for signal_number in heard:
            signal.signal(signal_number, signal.SIG_DFL)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line; invalid input gives one sentence and exit code 2."""
    command_line = sys.argv[1:] if arguments is None else list(arguments)

    def run() -> object:
        with terminated_as_interrupted():
            if command_line and command_line[-1] in HELP_OPTIONS:
                from howsure_cli.terminal.recorded_help import recorded_help

                if (page := recorded_help(command_line)) is not None:
                    click.echo(page)
                    return 0
            from howsure_cli.chapters import howsure  # which `--help` does not need

            return howsure(command_line, standalone_mode=False, prog_name="howsure")

    with any_encoding():
        code = run_to_exit_code(run, with_traceback=TRACEBACK in command_line)
    sys.exit(code)
