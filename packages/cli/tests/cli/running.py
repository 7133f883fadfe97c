"""The command line, run in this process: what it prints, and the code it ends with."""

from __future__ import annotations

import contextlib
import io
import shlex
from dataclasses import dataclass
from typing import Any

from howsure_cli.command_line import main


@dataclass(frozen=True)
class Outcome:
    """Exit code, standard output and standard error of a command."""

    code: int
    out: str
    err: str


def howsure(*arguments: Any) -> Outcome:
    """Run `howsure` with arguments, or with all that is typed; whatever it raises but its own exit goes through."""
    out, err = io.StringIO(), io.StringIO()
    code: Any = None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main(shlex.split(arguments[0]) if len(arguments) == 1 else [str(argument) for argument in arguments])
        except SystemExit as end:
            code = end.code
    return Outcome(code, out.getvalue(), err.getvalue())


def printed(*arguments: Any) -> str:
    """What a command prints that must succeed in silence otherwise."""
    done = howsure(*arguments)
    assert (done.code, done.err) == (0, "")
    return done.out
