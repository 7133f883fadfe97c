"""Standard output and standard error in any encoding: what it lacks is written in ASCII, and nothing breaks off."""

from __future__ import annotations

import codecs
import io
import os
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

ERRORS = "howsure"  # the name of the way in which characters are replaced
SPELLED = dict(zip("─━–—−‖·×∗’‘“”�", "-----|.x*''\"\"?", strict=True))
SPELLED |= {"…": "...", "≤": "<=", "≥": ">=", "→": "->", "←": "<-", "±": "+-"}


@contextmanager
def any_encoding() -> Iterator[None]:
    """Let both streams write every character; a standard error that is closed is a place where all is lost."""
    with ExitStack() as after:
        if sys.stderr is None:
            sys.stderr = after.enter_context(open(os.devnull, "w"))
            after.callback(setattr, sys, "stderr", None)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                after.callback(stream.reconfigure, errors=stream.errors)
                after.callback(_drop_unwritten, stream)
                stream.reconfigure(errors=ERRORS)
        yield


def _drop_unwritten(stream: io.TextIOWrapper) -> None:
    """What a stream could not write, and still holds, goes nowhere: it would fail again when the process ends."""
    try:
        stream.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def as_printed(text: str) -> str:
    """Text with the characters that standard output has.

    Of use where another library prints, which would take an encoding of ASCII for a mistake, and write UTF-8.
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    return text.encode(encoding, ERRORS).decode(encoding)


def _spelled(error: UnicodeError) -> tuple[str, int]:
    """The characters that an encoding lacks, spelled by others: a dash by a dash, a letter by its number."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_one, error.object[error.start : error.end])), error.end


def _one(character: str) -> str:
    same = "".join(SPELLED.get(one, one) for one in unicodedata.normalize("NFKC", character))  # ² is 2
    return same if same.isascii() else character.encode("ascii", "backslashreplace").decode()


codecs.register_error(ERRORS, _spelled)
