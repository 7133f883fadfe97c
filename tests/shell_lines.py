"""Run a shell line of a page. Its `howsure` commands run in this process, where howsure is already imported."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from howsure_cli.command_line import main
from tests.source import FOLDERS

SECONDS = 600
READER = {"COLUMNS": "120", "NO_COLOR": "1", "MPLBACKEND": "Agg"}
SHELL = set("();<>|&")
NOT_ONE_COMMAND = set("`~#\n")
FILLED_IN = set("$*?[]{}")
PIECE = re.compile(r"""(?:[^'"\\|&;]|\\.|'[^']*'|"[^"]*")+|[|&;]+""", re.DOTALL)
CHAINED = ("|", "&&", ";")
OF_THE_SHELL = {"cd", "do", "else", "eval", "exec", "export", "for", "if", "read", "set", "source", "then", "while"}


def run_line(command: str, folder: Path) -> tuple[int, str]:
    """Return the exit code of a line and its output to both streams. A command that fails ends the line, also within a
    pipe."""
    pieces = list(pieces_of(command))
    if not any(is_here(piece, before) for piece, before, _ in pieces):
        return run_in_a_shell(command, folder)[:2]
    printed, piped, failed = "", "", 0
    for piece, before, after in pieces:
        words = filled_in(piece, folder) if is_here(piece, before) else None
        piped_text = piped if before == "|" else None
        code, shown, errors = (
            run_in_a_shell(piece, folder, piped_text=piped_text, apart=after == "|")
            if words is None
            else run_here(words, folder, apart=after == "|")
        )
        piped = shown if after == "|" else ""
        printed += errors if after == "|" else shown
        failed = code or failed
        if failed and after != "|":
            break
    return failed, printed


def pieces_of(command: str) -> Iterator[tuple[str, str, str]]:
    """Return the commands of a line, each with the operators before and after it. A line that only a shell can split is
    one piece."""
    joined = re.sub(r"\\\n\s*", " ", command)
    parts = PIECE.findall(joined)
    texts, between = [text.strip() for text in parts[::2]], parts[1::2]
    simple = "".join(parts) == joined and len(texts) == len(between) + 1 and set(between) <= set(CHAINED)
    if not simple or any(not re.match(r"[a-z]+\s", f"{text} ") or text.split()[0] in OF_THE_SHELL for text in texts):
        texts, between = [command], []
    yield from zip(texts, ["", *between], [*between, ""], strict=True)


def is_here(piece: str, before: str) -> bool:
    """Return whether a piece of a line runs in this process. A piece that reads from a pipe is a separate program."""
    return before != "|" and words_of(piece) is not None


def filled_in(command: str, folder: Path) -> list[str] | None:
    """Return the arguments of one `howsure` command, with patterns and variables expanded by a shell; None if it
    cannot."""
    if not FILLED_IN & set(command):
        return words_of(command)
    code, printed, _ = run_in_a_shell(f"printf '%s\\0' {command.removeprefix('howsure ')}", folder)
    return printed.split("\0")[:-1] if code == 0 else None


def words_of(command: str) -> list[str] | None:
    """Return the arguments of a line that is one `howsure` command; None for a line that needs a shell."""
    joined = re.sub(r"\\\n\s*", " ", command)
    lexer = shlex.shlex(joined, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    if not joined.startswith("howsure ") or NOT_ONE_COMMAND & set(joined):
        return None
    words = list(lexer)
    return None if any(set(word) <= SHELL for word in words) else words[1:]


def run_here(words: list[str], folder: Path, *, apart: bool = False) -> tuple[int, str, str]:
    """Run `howsure` in this process. Return its exit code and output; errors are in the output, or `apart`. Warnings
    are errors."""
    printed = io.StringIO()
    errors = io.StringIO() if apart else printed
    with (
        contextlib.chdir(folder),
        patch.dict(os.environ, READER),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(errors),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("error", RuntimeWarning)
        try:
            main(words)
        except SystemExit as end:
            return int(end.code or 0), printed.getvalue(), errors.getvalue()


def run_in_a_shell(
    command: str, folder: Path, *, piped_text: str | None = None, apart: bool = False
) -> tuple[int, str, str]:
    """Return the same for a shell command, to which text may be piped. Its `howsure` is the program of this
    environment."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", f"set -euo pipefail\n{command}"],
        cwd=folder,
        env=os.environ | READER | {"PATH": programs, "PYTHONPATH": os.pathsep.join(map(str, FOLDERS))},
        input="" if piped_text is None else piped_text,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if apart else subprocess.STDOUT,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr or ""
