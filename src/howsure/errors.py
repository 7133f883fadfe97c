"""What can go wrong, as a few exceptions that say what to do about it."""


class HowsureError(Exception):
    """The parent of every error that howsure raises on purpose."""


class InputError(HowsureError, ValueError):
    """A value that breaks a rule. The message names the parameter, the rule, the value, the row and what to do."""


class MissingExtraError(HowsureError, ImportError):
    """An optional part is not installed. The message says what to install."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f'{what} needs an optional part: pip install "howsure[{extra}]"')
