"""Errors as values: the rule, its parameter, the value, its row and the remedy; each surface (Python, command line)
renders them.

    raise InputError("outside", "level", value=95, low=0, high=1, remedy="Write 0.95 for 95%.")
    InputError: level must be between 0 and 1; it is 95. Write 0.95 for 95%.

A rule is a key of `RULES`, or the sentence of a rule that is checked in one place only. Rules and remedies are
templates: `{low:,}` is a value, `{value!r}` a value as Python writes it (shortened), `{row}` where it is, and a word in
backticks is a parameter: `` `n_bins` ``, `` `interval='bootstrap'` ``. An error without values, and a note, is a text
with parameters and rows (`` `row 3` ``) in backticks. Python counts rows from 0; the command line counts them from 1
and writes options. `tests/test_errors.py` checks that each call passes the values of its rule.
"""

from __future__ import annotations

import ast
import difflib
import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

RULES: Final = {  # "; row 3 is 1.7" follows if `value` is given and the rule does not contain it
    "outside": "{parameter} must be between {low:,} and {high:,}",
    "not_between": "{parameter} must be greater than {low:,} and less than {high:,}",
    "not_whole": "{parameter} must be a whole number of at least {low}, not {value!r}",
    "not_whole_between": "{parameter} must be a whole number from {low:,} to {high:,}, not {value!r}",
    "not_above": "{parameter} must be a number greater than {low:,}",
    "not_at_least": "{parameter} must be a number of at least {low:,}",
    "not_above_to": "{parameter} must be greater than {low:,} and at most {high:,}",
    "not_below": "{parameter} must be at least {low:,} and less than {high:,}",
    "not_one_of": "{parameter} must be one of {options}",
    "too_many": "{parameter} must be at most the number of {what}, {most:,}",
    "too_wide": "{parameter} must be between -{largest:.2g} and {largest:.2g} (64-bit numbers)",
    "not_finite": "{parameter} must be finite",
    "not_a_weight": "{parameter} must be finite and not negative",
    "sum_overflows": "{parameter} must have a finite sum",
    "too_small": "the largest {parameter} is too small to compute with",
    "all_zero": "{parameter} is 0 in every row",
    "missing": "{parameter} must not be missing",
    "counts_as_missing": "{parameter} must not be missing; {row} is {value!r}, which counts as missing",
    "empty": "{parameter} is empty",
    "not_a_number": "{parameter} must be a number",
    "not_a_list_of_numbers": "{parameter} must be a list of numbers",
    "no_confidence": "{parameter} must state one confidence in every row",
    "not_a_logit": "{parameter} must be finite logits",
    "not_a_log_probability": "{parameter} must be log-probabilities, at most 0",
    "not_a_column": "{parameter} must be a list, an array or a series; it is {type}",
    "not_one_dimension": "{parameter} must have one dimension; its shape is {shape!r}",
    "not_one_value": "{parameter} must have one value per row; some rows contain lists or other containers",
    "not_labels": "{parameter} must be 0 or 1; it contains {labels}",
    "not_two_values": "{parameter} must have two different values; it contains {labels}",
    "unknown_name": "no {kind} {value!r} in {where}; it has {names}",
    "wrong_length": "{parameter} must have as many rows as the other columns; it has {n:,}, they have {expected:,}",
}
REMEDIES: Final = {
    "leave_out_rows": "Leave such rows out first.",
    "look": "\n`howsure.look(files)`",  # lists the columns
    "convert_texts": "It is a text: convert all values to numbers first, such as with astype(float).",
    "divide": "Divide all by the same number.",
    "not_labels": "Are these labels? Labels come before probabilities.",
    "keep_two_values": "Leave out rows with other values, or give a column that is true where {parameter} is "
    "{first!r}.",
    "skip_rows": "Leave such rows out with `skip_missing=True` ({rows:,} in all).",
    "skip": "Leave such rows out with `skip_missing=True`.",
    "name_positive": "Name the positive value: {first}.",
    "name_one_of_two": "Name the positive value: {first} or {last}.",
    "one_of_several": "If the probability is the confidence in a prediction, name the predictions: "
    "`Probabilities.prediction='COL'`. If it is the probability of one label, give a column that is 1 for this label "
    "and 0 for every other. If there is a column with the probability of each label, name them all: {probs}.",
    "one_of_many": "If the probability is the confidence in a prediction, name the predictions: "
    "`Probabilities.prediction='COL'`.",
    "missing_value": "Treat non-answers as missing, for example {example} with `skip_missing=True`.",
    "missing_label": "Treat non-answers as missing, for example {example} with `skip_missing=True`. If two are left, "
    "say which is positive: `pos_label='VALUE'`.",
    "missing_score": "Leave such rows out with `skip_missing=True`, or count them as wrong with `missing_score=0`.",
    "use_logits": "Are these logits? Give `Probabilities.logits=...` instead.",
    "use_logprobs": "If a class is impossible, give log-probabilities: `Probabilities.logprobs` accepts -inf.",
    "name_correct": "If one value means correct, name it: {right}. If not, leave such rows out first.",
    "suggest": "Did you mean {suggestion}?",
    "filled_sheet": "Give a sheet that howsure counts sample wrote, with all of its columns. If the labels are in "
    "the scored file, name their column: `y_true='label'`.",
    "name_stated": "Percentages, and texts that state a confidence, are read by `Probabilities.verbalised`.",
}
MIN_SIMILARITY = 0.7  # similarity of a name that was probably meant to be another one
LONGEST = 80  # characters of a value that a message repeats
ORIGIN = "(Rows are counted from 0.)"


class _Nothing:
    """The type of NO_VALUE."""

    def __repr__(self) -> str:
        return "NO_VALUE"


NO_VALUE: Final = _Nothing()  # where None is a value
ANY_VALUE: Final = ...  # a parameter that is set to any value


class ColumnName(str):
    """The name of a column in a frame or a file, and the parameter that names it, its `role`."""

    role: str

    def __new__(cls, name: str, role: str) -> ColumnName:
        """The name of a column for a role."""
        column = super().__new__(cls, name)
        column.role = role
        return column

    def __reduce__(self) -> tuple[type[ColumnName], tuple[str, str]]:
        return ColumnName, (str(self), self.role)


class Verbatim(str):
    """A text that a message shows without quotes: a number as spelled in a file, or `empty` for a missing value."""

    def __repr__(self) -> str:
        return str(self)


EMPTY: Final = Verbatim("empty")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter in an error, alone or with its value (ANY_VALUE: any value).

    quoted: whether a string value is shown in quotes; otherwise it spells a number.
    """

    name: str
    value: object = NO_VALUE
    quoted: bool = True

    @property
    def python(self) -> str | None:
        """The value as Python writes it."""
        if self.value is NO_VALUE or self.value is ANY_VALUE:
            return None if self.value is NO_VALUE else "..."
        return repr(self.value).replace("Ellipsis", "…") if self.quoted else str(self.value)

    @property
    def typed(self) -> str | None:
        """The value as a user types it in a shell."""
        if self.value is NO_VALUE:
            return None
        if self.value is True or self.value is ANY_VALUE:
            return ""
        items = self.value if isinstance(self.value, (list, tuple)) else [self.value]
        return ",".join("…" if item is ANY_VALUE else str(item) for item in items)


class Surface(Protocol):
    """How a surface writes parameters and rows."""

    origin: str  # how rows are counted; follows a message that names a row

    def parameter(self, name: str, python: str | None, typed: str | None) -> str:
        """A parameter, with its value (as Python writes it, and as a shell expects it) if it has one."""

    def row(self, row: int) -> str:
        """A row; the code that found it counts from 0."""


class InPython:
    """Messages for Python."""

    origin = ORIGIN

    def parameter(self, name: str, python: str | None, typed: str | None) -> str:
        """`bins`, `bins=20`, `Probabilities('logits', 'COL')` or, for a metric's class, `metrics={'f1': 'CLASS'}`."""
        if name == "target_class":
            return "metrics={'f1': 'CLASS'}"
        if name == "Probabilities.prediction":
            return f"Probabilities('prob', 'COL', prediction={python or '...'})"
        if name.startswith("Probabilities."):
            return f"Probabilities({name.removeprefix('Probabilities.')!r}, {python or '...'})"
        return name if python is None else f"{name}={python}"

    def row(self, row: int) -> str:
        """`row 3`."""
        return f"row {row}"


class InTemplates:
    """Texts with parameters and rows in backticks, from which each surface makes its own."""

    origin = ""

    def parameter(self, name: str, python: str | None, typed: str | None) -> str:
        """`bins` or `bins=20`, in backticks."""
        return f"`{name}`" if python is None else f"`{name}={python}`"

    def row(self, row: int) -> str:
        """`row 3`, in backticks."""
        return row_reference(row)


@dataclass(frozen=True, slots=True)
class Fault:
    """A violated rule.

    rule: a key of RULES, or a sentence. name: the parameter, or the name of its column (`ColumnName`). values: the
    values to fill into the sentence; `value` violates the rule. row: the row of this value, from 0; or place: its
    location, in words. remedy: a key of REMEDIES, or a sentence.

    >>> Fault("outside", "level", {"value": 95, "low": 0, "high": 1}).render()
    'level must be between 0 and 1; it is 95.'
    """

    rule: str
    name: str = ""
    values: Mapping[str, object] = field(default_factory=dict)
    row: int | None = None
    place: str | None = None
    remedy: str = ""

    @property
    def role(self) -> str:
        """The parameter that is at fault; the column's name if the role of a column is unknown."""
        return self.name.role if isinstance(self.name, ColumnName) else self.name

    @property
    def value(self) -> object:
        """The value that violates the rule; None if the rule is not about a value."""
        return self.values.get("value")

    def render(self, surface: Surface | None = None) -> str:
        """The sentences for a surface (default: Python)."""
        renderer = _Renderer(surface or InPython())
        return " ".join([renderer.sentences(self), *renderer.origins])

    def at(self, place: Callable[[int], int | str]) -> Fault:
        """Return the same fault with another row number, or with its location in words, as `place` returns it."""
        if self.row is None:
            return self
        row = place(self.row)
        return replace(self, row=None, place=row) if isinstance(row, str) else replace(self, row=row)


class _Renderer(string.Formatter):
    """Fills templates for a surface. origins: how the named rows are counted."""

    def __init__(self, surface: Surface) -> None:
        self.surface = surface
        self.origins: list[str] = []

    def sentences(self, fault: Fault) -> str:
        """Return what is wrong and what to do, as text."""
        where = fault.place or "it"
        if fault.row is not None:
            where = self.surface.row(fault.row)
            self.origins = [self.surface.origin]
        values = {"parameter": Parameter(fault.name), "row": where, **fault.values}
        rule = RULES.get(fault.rule, fault.rule)
        if "value" in values and "{value" not in rule:
            rule += "; class {class_name!r} of {row} is {value!r}" if "class_name" in values else "; {row} is {value!r}"
        if not rule.endswith((".", "?", "{error}")):
            rule += "."
        remedy = REMEDIES.get(fault.remedy, fault.remedy)
        return self.fill(rule + (f" {remedy}" if remedy and not remedy.startswith("\n") else remedy), values)

    def fill(self, template: str, values: Mapping[str, object]) -> str:
        """The template with its parameters and values."""
        return "".join(
            self.format_field(part, "") if isinstance(part, Parameter) else self.vformat(part, (), values)
            for part in parts_of_template(template)
        )

    def convert_field(self, value: Any, conversion: str | None) -> Any:
        return quote(value) if conversion == "r" else value

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Parameter):
            if isinstance(value.name, ColumnName):
                return str(value.name)
            return self.surface.parameter(value.name, value.python, value.typed)
        if isinstance(value, InputError):
            return value.render(self.surface) if value.fault is None else self.sentences(value.fault)
        if isinstance(value, (list, tuple)):
            return shortened(self.format_field(item, format_spec) for item in value)
        return str(value) if isinstance(value, str) else format(value, format_spec)


NAME = r"[A-Za-z_][\w.]*(?:\(files\)|\[[^\]`]*\])?"
PARAMETER = re.compile(rf"`(?P<name>{NAME})(?:=(?P<given>[^`]*))?`")  # in a template
CONTENT = r"(?P<content>(?:\\.|(?!(?P=mark))[^\\])*)"
QUOTED = re.compile(rf"(?<!\w)(?P<open>b?(?P<mark>['\"])){CONTENT}(?P=mark)(?!\w)", re.DOTALL)
ROW = r"`(?P<matrix>matrix )?row (?P<row>[0-9]+)`"
MARKED = re.compile(rf"{QUOTED.pattern}|{PARAMETER.pattern}|{ROW}", re.DOTALL)  # in a text

LITERALS, CONSTANTS = ("'", '"', "[", "("), ("...", "True", "False", "None")


def _parse_parameter(match: re.Match[str]) -> Parameter:
    """The parameter that a text names in backticks: with a value as Python writes it, or as `NUMBER` or `FILE`."""
    name, value_text = match["name"], match["given"]
    if value_text is None:
        return Parameter(name)
    if value_text[:1] in LITERALS or value_text in CONSTANTS:
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            return Parameter(name, ast.literal_eval(value_text))
    return Parameter(name, value_text, quoted=False)


def parts_of_template(template: str) -> Iterator[str | Parameter]:
    """The text of a template, and the parameters that it names in backticks.

    >>> list(parts_of_template("give `n_bins` or `interval='bootstrap'`"))
    ['give ', Parameter(name='n_bins', value=NO_VALUE, quoted=True), ' or ',
     Parameter(name='interval', value='bootstrap', quoted=True)]
    """
    end = 0
    for match in PARAMETER.finditer(template):
        yield template[end : match.start()]
        yield _parse_parameter(match)
        end = match.end()
    if end < len(template):
        yield template[end:]


class HowsureError(Exception):
    """The base class of all errors that howsure raises intentionally."""


class InputError(HowsureError, ValueError):
    """A value that violates a rule. The message contains the parameter, the rule, the value, its row and what to do.

    Rows of arrays are counted from 0, as in `y_prob[12]`, rows of files from 1; the message says which. `fault` has the
    parts of the message (None if the message is a finished text). `untold` is True if the data may be valid, but are
    too few for a result.

    >>> raise InputError("outside", "level", value=95, low=0, high=1, remedy="Write 0.95 for 95%.")
    Traceback (most recent call last):
    howsure.errors.InputError: level must be between 0 and 1; it is 95. Write 0.95 for 95%.
    """

    def __init__(
        self,
        rule: str | Fault = "",
        parameter: str = "",
        *,
        remedy: str = "",
        row: int | None = None,
        place: str | None = None,
        untold: bool = False,
        **values: object,
    ) -> None:
        if not isinstance(rule, Fault) and (parameter or values or remedy or row is not None):
            rule = Fault(rule, parameter, values, None if row is None else int(row), place, remedy)
        super().__init__(rule)
        self.untold = untold
        self.fault = rule if isinstance(rule, Fault) else None
        self.is_final = False  # whether the message is in the words of its surface, where backticks are part of names

    def render(self, surface: Surface) -> str:
        """The message for a surface."""
        if self.fault is not None:
            return self.fault.render(surface)
        return str(self.args[0]) if self.is_final else shorten_values(render_text(str(self.args[0]), surface))

    def reword(self, surface: Surface) -> None:
        """Replace the message by the one for a surface; the type of the error remains."""
        self.args, self.fault, self.is_final = (self.render(surface),), None, True

    def at(self, place: Callable[[int], int | str]) -> InputError:
        """The same error with another row number, or with its place in words, such as a row of a file."""
        if self.fault is None:
            return InputError(relocate_rows(str(self.args[0]), place), untold=self.untold)
        return InputError(self.fault.at(place), untold=self.untold)

    @property
    def template(self) -> str:
        """The message as a text with parameters and rows in backticks, for a note."""
        return str(self.args[0]) if self.fault is None else self.fault.render(InTemplates()).rstrip()

    def inside(self, where: object) -> InputError:
        """Return the same error with the location that it is about, such as a document or a line of a file, in front.

        >>> raise InputError("`size` must be positive.").inside("document 3")
        Traceback (most recent call last):
        howsure.errors.InputError: document 3: size must be positive.
        """
        return InputError("{where}: {error}", where=where, error=self, untold=self.untold)

    def __str__(self) -> str:
        return self.render(InPython())


@contextmanager
def renumbered_rows(place: Callable[[int], int | str]) -> Iterator[None]:
    """Context in which the rows in messages of InputError are replaced by other row numbers or by locations in words.

    >>> with renumbered_rows(lambda row: f"line {row + 2} of a.csv"):
    ...     raise InputError("missing", "label", value=EMPTY, row=3)
    Traceback (most recent call last):
    howsure.errors.InputError: label must not be missing; line 5 of a.csv is empty.
    """
    try:
        yield
    except InputError as error:
        if type(error) is not InputError:
            raise
        raise error.at(place) from error


class MissingExtraError(HowsureError, ImportError, NotImplementedError):
    """An optional dependency is not installed. The message says what to install.

    It is NotImplementedError too, so that a notebook without matplotlib shows a result as text.
    """

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f'{what} needs an optional part: pip install "howsure[{extra}]"')


# How messages show values.


def shorten(value: str) -> str:
    """A value as shown in a message."""
    return value if len(value) <= LONGEST else f"{value[: LONGEST - 1]}…"


def quote(value: object) -> str:
    """Any value as shown in a message.

    >>> quote(list(range(100)))
    '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, …'
    """
    if isinstance(value, str) and not isinstance(value, Verbatim):
        return repr(shorten(str(value)))
    if type(value).__module__ == "numpy" and not getattr(value, "shape", True):
        value = value.item()  # type: ignore[attr-defined]
    try:
        return shorten(repr(value))
    except ValueError:  # of an integer of thousands of digits
        return f"a {type(value).__name__} of too many digits to show"


def shortened(values: Iterable[object], *, limit: int = 12) -> str:
    """Values on one line, only the first `limit` of them.

    >>> shortened(range(5), limit=3)
    '0, 1, 2 and 2 more'
    """
    listed = list(values)
    rest = len(listed) - limit
    return ", ".join(shorten(str(value)) for value in listed[:limit]) + (f" and {rest:,} more" if rest > 0 else "")


def nearest(name: str, names_available: Sequence[str], *, cutoff: float = 0.5) -> str | None:
    """The known name most similar to `name`, ignoring case; None if no similarity (0 to 1) reaches the cutoff."""
    lower = {name.lower(): name for name in names_available}
    near = difflib.get_close_matches(name.lower(), list(lower), n=1, cutoff=cutoff)
    return lower[near[0]] if near else None


# Texts with parameters and rows in backticks, as f-strings make them; what they quote is a value.

LIST_COLUMNS: Final = REMEDIES["look"]  # ends what refuses for want of a column: it shows which there are


def parameter(name: str, value: object = NO_VALUE) -> str:
    """A parameter in a text, by a name that is only known there; a column by its own name.

    >>> print(InputError(f"{parameter('two_way', True)} needs `method='bootstrap'`."))
    two_way=True needs method='bootstrap'.
    """
    if isinstance(name, ColumnName):
        return str(name)
    value_text = "..." if value is ANY_VALUE else repr(value).replace("`", r"\x60")
    return f"`{name}`" if value is NO_VALUE else f"`{name}={value_text}`"


def row_reference(row: int) -> str:
    """A row in a text, counted from 0 as in `y_prob[12]`."""
    return f"`row {row}`"


def relocate_rows(message: str, place: Callable[[int], int | str]) -> str:
    """Return a message in which `place` replaces row numbers by other row numbers or by locations in words."""

    def words(match: re.Match[str]) -> str:
        if match["row"] is None or match["matrix"]:
            return match[0]
        new_place = place(int(match["row"]))
        return new_place if isinstance(new_place, str) else row_reference(new_place)

    return MARKED.sub(words, message)


def render_text(message: str, surface: Surface) -> str:
    """A text in the words of a surface: its parameters and its rows, those of a matrix always counted from 0.

    >>> render_text("`bins=20` of `row 3`", InPython())
    'bins=20 of row 3 (Rows are counted from 0.)'
    """
    origins = set[str]()

    def words(match: re.Match[str]) -> str:
        if match["name"] is not None:
            named = _parse_parameter(match)
            return surface.parameter(named.name, named.python, named.typed)
        if match["row"] is None:
            return match[0]
        of_row = InPython() if match["matrix"] else surface
        origins.add(of_row.origin)
        return of_row.row(int(match["row"]))

    sentence = MARKED.sub(words, message)
    return sentence if not origins or "counted from" in sentence else " ".join([sentence, *sorted(origins)])


def shorten_values(message: str) -> str:
    """A message in which long quoted values are shortened, since a cell may contain a whole text.

    >>> shorten_values(f"label must be 0 or 1; row 3 is {'x' * 300!r}.").replace("x" * 79, "x*79")
    "label must be 0 or 1; row 3 is 'x*79…'."
    """
    return QUOTED.sub(lambda match: f"{match['open']}{shorten(match['content'])}{match['mark']}", message)
