"""What can go wrong, as a few exceptions that say what to do about it."""

import re

ROW = re.compile(r"\brow \d")
ORIGIN = "(Rows are counted from 0.)"


class HowsureError(Exception):
    """The parent of every error that howsure raises on purpose."""


class InputError(HowsureError, ValueError):
    """A value that breaks a rule. The message names the parameter, the rule, the value, the row and what to do.

    Rows of arrays are counted from 0, as in `y_prob[12]`, those of files from 1; the message says which.
    """

    def __str__(self) -> str:
        said = super().__str__()
        return f"{said} {ORIGIN}" if ROW.search(said) and "counted from" not in said else said


class MissingExtraError(HowsureError, ImportError):
    """An optional part is not installed. The message says what to install."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f'{what} needs an optional part: pip install "howsure[{extra}]"')
