"""What can go wrong, as data: the parameter, the rule, the value, its row and what to do; a surface spells it.

A message marks the parameters and rows that it names (`parameter`, `at_row`). Python spells them `bins=20` and `row 3`,
the command line as options and `row 4 of b.csv`: both tell the same fault, and neither reads the other's sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Final, Protocol

ORIGIN = "(Rows are counted from 0.)"
QUOTED = re.compile(r"""(?<!\w)(b?(['"]))((?:\\.|(?!\2)[^\\])*)\2(?!\w)""", re.DOTALL)
LONGEST = 80  # characters of a value that a message repeats
BEGIN, SPLIT, END = "\x91", "\x1f", "\x92"  # control characters without a use, around what a surface spells
ROW = ""  # the name of a row among parameters


class _Nothing:
    """The type of NOTHING."""

    def __repr__(self) -> str:
        return "NOTHING"


NOTHING: Final = _Nothing()  # where None is a value
GIVEN: Final = ...  # a parameter that is set, to whatever


class ColumnName(str):
    """What a frame or a file calls the column of a parameter, its `role`; messages repeat it as it is."""

    role: str

    def __new__(cls, name: str, role: str) -> ColumnName:
        """The name of a column for a role."""
        made = super().__new__(cls, name)
        made.role = role
        return made

    def __reduce__(self) -> tuple[type[ColumnName], tuple[str, str]]:
        return ColumnName, (str(self), self.role)


def parameter(name: str, value: object = NOTHING, *, quoted: bool = True) -> str:
    """A parameter in a message, perhaps with the value that it has or should have (GIVEN: any). A `ColumnName` stays.

    quoted: a text is shown in quotes; else it spells a number.

    >>> print(InputError(f"{parameter('two_way', True)} needs {parameter('method', 'bootstrap')}."))
    two_way=True needs method='bootstrap'.
    """
    if isinstance(name, ColumnName):
        return str(name)
    if value is NOTHING:
        return f"{BEGIN}{name}{END}"
    listed = value if isinstance(value, (list, tuple)) else [value]
    typed = (
        ""
        if value is True or value is GIVEN
        else ",".join("…" if listed_value is GIVEN else str(listed_value) for listed_value in listed)
    )
    python = "..." if value is GIVEN else repr(value).replace("Ellipsis", "…") if quoted else str(value)
    return f"{BEGIN}{name}{SPLIT}{python}{SPLIT}{typed}{END}"


def way(name: str, value: object = GIVEN) -> str:
    """A way of giving probabilities in a message: Given('logits', 'COL'), or an option."""
    return parameter(f"Given.{name}", value)


LOOK: Final = (
    f"\n{parameter('howsure.look(files)')}"  # ends what refuses for want of a column: it shows which there are
)


def at_row(row: int) -> str:
    """A row in a message, counted from 0 as in `y_prob[12]`."""
    return f"{BEGIN}{ROW}{SPLIT}{int(row)}{END}"


def in_matrix(row: int) -> str:
    """A row of a matrix in a message: on every surface counted from 0, as its columns and sentences are."""
    return f"{BEGIN}{ROW}{SPLIT}{int(row)}{SPLIT}{END}"


class Spelling(Protocol):
    """How a surface writes what a message marks."""

    def parameter(self, name: str, python: str | None, typed: str | None) -> str:
        """A parameter, and its value, if one is told: as Python writes it, and as a shell does."""

    def row(self, row: int) -> str:
        """A row, counted from 0 by whoever found it."""

    origin: str  # said at the end of a message that names rows


class InPython:
    """A message as Python says it."""

    origin = ORIGIN

    def parameter(self, name: str, python: str | None, typed: str | None) -> str:
        """`bins` or `bins=20`; of a way to give probabilities, `Given('logits', 'COL')`."""
        if name.startswith("Given."):
            return f"Given({name.removeprefix('Given.')!r}, {python or '...'})"
        return name if python is None else f"{name}={python}"

    def row(self, row: int) -> str:
        """`row 3`."""
        return f"row {row}"


SURFACE: ContextVar[Spelling] = ContextVar("surface")  # which speaks to the user; Python, unless another one does


@contextmanager
def spoken_by(surface: Spelling) -> Iterator[None]:
    """Errors and sentences of this block are in the words of a surface."""
    before = SURFACE.set(surface)
    try:
        yield
    finally:
        SURFACE.reset(before)


def told(message: str) -> str:
    """A marked message in the words of the surface that speaks: what notes say, and errors.

    >>> told(f"{parameter('bins', 20)} of {at_row(3)}")
    'bins=20 of row 3 (Rows are counted from 0.)'
    """
    return spelled(message, SURFACE.get(InPython()))


class _AtPlaces:
    """Rows where they are, parameters left as they are marked."""

    origin = ""

    def __init__(self, place: Callable[[int], str]) -> None:
        self.row = place

    def parameter(self, name: str, python: str | None, typed: str | None) -> str:
        return f"{BEGIN}{SPLIT.join(part for part in (name, python, typed) if part is not None)}{END}"


def spelled(message: str, spelling: Spelling) -> str:
    """A marked message in the words of a surface."""
    parts = list(_parts(message, spelling))
    sentence = "".join(text for text, _ in parts)
    origins = {origin for _, origin in parts if origin}
    return " ".join([sentence, *sorted(origins)]) if origins and "counted from" not in sentence else sentence


def _parts(message: str, spelling: Spelling) -> Iterator[tuple[str, str]]:
    """The parts of a message, and what is to be said of how their rows are counted."""
    plain, *marked = message.split(BEGIN)
    yield plain, ""
    for marked_part in marked:
        inside, _, after = marked_part.partition(END)
        name, *values = inside.split(SPLIT)
        if name == ROW and len(values) > 1:
            yield InPython().row(int(values[0])), ORIGIN
        elif name == ROW and values:
            yield spelling.row(int(values[0])), spelling.origin
        else:
            yield spelling.parameter(name, *(values or (None, None))), ""
        yield after, ""


@dataclass(frozen=True, slots=True)
class Fault:
    """A value that breaks the rule of a parameter.

    name: the parameter, or what a frame or a file calls its column (`ColumnName`, which knows its role). rule: what it
    must be. value: what stands there instead, as a message shows it. row: where, from 0; or `place`, in words, where a
    source has no numbered rows, or knows better. advice: what to do.
    """

    name: str
    rule: str
    value: str | None = None
    row: int | None = None
    place: str | None = None
    advice: str = ""

    @property
    def role(self) -> str:
        """The parameter."""
        return self.name.role if isinstance(self.name, ColumnName) else self.name

    @property
    def message(self) -> str:
        """The sentence, marked."""
        where = self.place if self.row is None else at_row(self.row)
        value_text = (
            ""
            if self.value is None
            else f"; it holds {self.value}"
            if where is None
            else f"; {where} holds {self.value}"
        )
        return f"{parameter(self.name)} {self.rule}{value_text}. {self.advice}".rstrip()


class HowsureError(Exception):
    """The parent of every error that howsure raises on purpose."""


class InputError(HowsureError, ValueError):
    """A value that breaks a rule. The message names the parameter, the rule, the value, the row and what to do.

    Rows of arrays are counted from 0, as in `y_prob[12]`, those of files from 1; the message says which. `fault` holds
    the parts of the message where it is about a column. `untold`: the data may be right, but are too few to tell.
    """

    def __init__(self, content: str | Fault = "", *, untold: bool = False) -> None:
        super().__init__(content)
        self.untold = untold
        self.fault = content if isinstance(content, Fault) else None

    @property
    def message(self) -> str:
        """What is wrong, parameters and rows marked."""
        content = self.args[0]
        return content.message if isinstance(content, Fault) else str(content)

    def told(self, spelling: Spelling) -> str:
        """What is wrong, in the words of a surface."""
        return with_short_values(spelled(self.message, spelling))

    def at(self, place: Callable[[int], str]) -> InputError:
        """The same error, its row where it is."""
        fault = self.fault
        if fault is not None and fault.row is not None:
            return InputError(replace(fault, row=None, place=place(fault.row)), untold=self.untold)
        return InputError(spelled(self.message, _AtPlaces(place)), untold=self.untold)

    def __str__(self) -> str:
        return with_short_values(told(self.message))


class MissingExtraError(HowsureError, ImportError, NotImplementedError):
    """An optional part is not installed. The message says what to install.

    It is NotImplementedError too, so that a notebook without matplotlib shows a result as text.
    """

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f'{what} needs an optional part: pip install "howsure[{extra}]"')


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
    try:
        text = repr(value)
    except ValueError:  # of an integer of thousands of digits
        text = f"a {type(value).__name__} of too many digits to show"
    return with_short_values(text) if isinstance(value, str | bytes) else short(text)


def _short(match: re.Match[str]) -> str:
    begin, quote, value = match.groups()
    return f"{begin}{short(value)}{quote}"
