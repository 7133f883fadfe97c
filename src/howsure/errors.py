"""What can go wrong, as a few exceptions that say what to do about it."""

import re

ROW = re.compile(r"\brow \d")
ORIGIN = "(Rows are counted from 0.)"
QUOTED = re.compile(r"""(?<!\w)(b?(['"]))((?:\\.|(?!\2)[^\\])*)\2(?!\w)""", re.DOTALL)
LONGEST = 80  # characters of a value that a message repeats


def with_short_values(message: str) -> str:
    """A message whose values in quotes are shortened where they are long: a cell may hold a whole text.

    >>> with_short_values(f"label must be 0 or 1; row 3 holds {'x' * 300!r}.").replace("x" * 79, "x*79")
    "label must be 0 or 1; row 3 holds 'x*79…'."
    """
    return QUOTED.sub(_short, message)


def short(value: str) -> str:
    """A value as a message repeats it."""
    return value if len(value) <= LONGEST else f"{value[: LONGEST - 1]}…"


def shown(value: object) -> str:
    """Any value as a message repeats it.

    >>> shown(list(range(100)))
    '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, …'
    """
    text = repr(value)
    return with_short_values(text) if isinstance(value, str | bytes) else short(text)


def _short(found: re.Match[str]) -> str:
    begin, quote, value = found.groups()
    return f"{begin}{short(value)}{quote}"


class HowsureError(Exception):
    """The parent of every error that howsure raises on purpose."""


class InputError(HowsureError, ValueError):
    """A value that breaks a rule. The message names the parameter, the rule, the value, the row and what to do.

    Rows of arrays are counted from 0, as in `y_prob[12]`, those of files from 1; the message says which.
    """

    def __str__(self) -> str:
        said = with_short_values(super().__str__())
        return f"{said} {ORIGIN}" if ROW.search(said) and "counted from" not in said else said


class MissingExtraError(HowsureError, ImportError):
    """An optional part is not installed. The message says what to install."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f'{what} needs an optional part: pip install "howsure[{extra}]"')
