"""How a command ends: its exit code, and one sentence for what went wrong."""

from __future__ import annotations

import io
from collections.abc import Callable

import click

WRONG_INPUT, UNFORESEEN, STOPPED, UNREAD = 2, 70, 130, 141
TOLD = {
    MemoryError: "there is not enough memory. Process less at a time, or use a machine with more memory",
    RecursionError: "the input is nested too deeply",
}
REPORT = "This is a bug: please report it to the authors of howsure, with the command"
TRACEBACK = "--traceback"
SHOW = f"{TRACEBACK} shows where it occurred"


def end_of(run: Callable[[], object], *, with_traceback: bool) -> int:
    """Run a command; the code to exit with. Whatever happens is told in one sentence.

    What `run` returns as a number is a verdict's code; 2: what is wrong with the input or the machine is said; 70: an
    error that was not foreseen; 130: stopped.
    """
    try:
        ended = run()
    except (Exception, KeyboardInterrupt) as error:
        return _told(error, with_traceback)
    return ended if isinstance(ended, int) else 0


def _told(error: BaseException, with_traceback: bool) -> int:
    from howsure.cli.terminal.output import say  # loaded where there is something to tell: --help is quick
    from howsure.errors import HowsureError, with_short_values

    match error:
        case click.exceptions.Abort() | KeyboardInterrupt():
            if isinstance(error.__cause__, EOFError):  # click takes it for Ctrl-D
                return _unforeseen(error.__cause__, with_traceback)
            say("howsure: stopped")
            return STOPPED
        case click.ClickException():
            said = io.StringIO()
            error.show(said)
            say(with_short_values(said.getvalue().removesuffix("\n")))
            return WRONG_INPUT
        case HowsureError():
            say(f"howsure: {error}")
            return WRONG_INPUT
        case BrokenPipeError():
            return UNREAD
        case OSError():  # no permission, a full disk
            where = "" if error.filename is None else f"{error.filename}: "
            say(f"howsure: {where}{error.strerror or error}")
            return WRONG_INPUT
        case _:
            return _unforeseen(error, with_traceback)


def _unforeseen(error: BaseException, with_traceback: bool) -> int:
    import traceback

    from howsure.cli.terminal.output import say

    if with_traceback:
        say("".join(traceback.format_exception(error)).removesuffix("\n"))
    what = next((said for kind, said in TOLD.items() if isinstance(error, kind)), None)
    if what is None:
        first = next(iter(str(error).splitlines()), "")[:300]
        what = f"{type(error).__name__}{f': {first}' if first else ''}. {REPORT}"
    say(f"howsure: {what.rstrip('.')}{'.' if with_traceback else f'; {SHOW}.'}")
    return UNFORESEEN
