"""Guess from a column's first values what it contains: a probability, a label, a score, a model, an item or text."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from howsure.files.input_files import parsed_json
from howsure.inputs.checks import is_missing
from howsure.inputs.classes import SHOWN, SUM_TOLERANCE, sum_tolerance
from howsure.inputs.date_formats import count_date_formats
from howsure.inputs.label_spelling import is_non_answer
from howsure.inputs.numbers_and_names import parse_number
from howsure.inputs.repeated_items import SOURCE_ROW
from howsure.inputs.stated_confidence import states_confidence
from howsure.result import as_json

__all__ = ["SeenColumn"]

WITHIN, TWO, FEW, UNIQUE, REPEATED, ONE = (
    "within [0, 1]",
    "two values",
    "few values",
    "unique",
    "repeated values",
    "one value",
)
NUMBERS, TEXTS, DATES, NOTHING = "numbers", "texts", "dates", "nothing"
SHARES, LISTS, OBJECTS = "lists that add to 1", "lists", "objects"
STATED = "stated confidence"
COULD_BE = {
    WITHIN: "probability, score",
    TWO: "label, score, group",
    FEW: "label, group, model",
    UNIQUE: "item",
    REPEATED: "item, cluster",
    NUMBERS: "score, logit",
    DATES: "date",
    SHARES: "probabilities of classes",
    STATED: "probability",
}
DATE = re.compile(r"\d{4}-\d\d(-\d\d([T ].*)?)?|\d{1,2}[./]\d{1,2}[./]\d{4}")
MAX_GROUP_VALUES = 60  # most distinct values of a column of groups
LONGEST_NAME = 60  # most characters of a name, on average; longer values are texts
LONGEST_STATEMENT = 100  # most characters of a stated confidence, on average
NO_VALUE = ("na", "n/a", "nan", "null", "missing", "empty", "-")  # which cannot be a label
EXAMPLES, SHORT = 3, 24  # number of examples of a column, and most characters of each
MAX_VALUES, FIRST_VALUES = 1_000, 10  # most values of a column that are examined, and those examined first


@dataclass(frozen=True)
class SeenColumn:
    """A description of a column, from its first rows.

    kind: what the column contains. could_be: its possible roles. missing: number of rows without a value. values:
    number of distinct values. examples: some of the values. held: all values in natural order, if there are few.
    length: the length of its lists, if all rows have the same. non_answers: strings such as "None" among values that
    are otherwise numbers. characters: the mean length of the distinct values.
    """

    name: str
    kind: str
    could_be: str
    missing: int
    values: int
    examples: tuple[str, ...]
    held: frozenset[str] = as_json(None, default=frozenset())
    length: int | None = as_json(None, default=None)
    non_answers: tuple[str, ...] = as_json(None, default=())
    characters: float = as_json(None, default=0.0)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the column's name in lower case; `isCorrect` and `is_correct` have the same words."""
        parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", self.name)
        return frozenset((*re.split(r"[^a-z]+", parted.lower()), self.name.lower()))


def seen_column(name: str, values: Sequence[str | None]) -> SeenColumn:
    """Describe a column by its values, which are strings.

    >>> seen_column("right", ["1", "0", "1", None]).kind
    'two values'
    >>> seen_column("when", ["2026-11-01", "2026-11-02", "2026-11-03"]).kind
    'dates'
    """
    counts = Counter({value: n for value, n in Counter(values).items() if value is not None and not is_missing(value)})
    non_answers = _non_answers(counts)
    kind, length = _kind({value: count for value, count in counts.items() if value not in non_answers})
    if kind in (FEW, TWO, UNIQUE, REPEATED, TEXTS):
        kind = _kind_of_confidence(counts) or kind
    kind = REPEATED if name == SOURCE_ROW else kind
    shown = tuple(
        example if len(example) <= SHORT else f"{example[: SHORT - 1]}…" for example in list(counts)[:EXAMPLES]
    )
    few = frozenset(counts) - {*non_answers} if len(counts) <= MAX_GROUP_VALUES else frozenset[str]()
    missing = len(values) - counts.total()
    characters = sum(map(len, counts)) / max(len(counts), 1)
    could_be = COULD_BE.get(kind, "")
    return SeenColumn(name, kind, could_be, missing, len(counts), shown, few, length, non_answers, characters)


def _non_answers(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the strings that mean "no value" if all others (three or more) are numbers or dates, or two are labels."""
    texts = tuple(value for value in islice(counts, MAX_VALUES) if is_non_answer(value))
    others = [value for value in islice(counts, MAX_VALUES) if value not in texts]
    is_clear = len(others) > 2 and bool(texts) and (None not in map(parse_number, others) or _are_dates(others))
    are_labels = len(others) == 2 and all(value.casefold() in NO_VALUE for value in texts)
    return texts if is_clear or are_labels else ()


def _kind(counts: Mapping[str, int]) -> tuple[str, int | None]:
    """Return the kind of the values and, for lists, their common length."""
    rows, different = sum(counts.values()), len(counts)
    if different < 2:
        return (ONE if different else NOTHING), None
    if all(count.startswith(("[", "{")) for count in counts):
        return _nested(counts)
    if different == 2:
        return TWO, None
    numbers = [parse_number(count) for count in counts]
    if None not in numbers:
        return _numeric_kind([number for number in numbers if number is not None], rows), None
    if all(DATE.fullmatch(count) for count in counts) or _are_dates(counts):
        return DATES, None
    if sum(map(len, counts)) > LONGEST_NAME * different:
        return TEXTS, None
    return (UNIQUE if different == rows else FEW if _are_few(different, rows) else REPEATED), None


def _are_dates(counts: Iterable[str]) -> bool:
    """Whether a single date format reads all of the first values."""
    values = [*islice(counts, MAX_VALUES)]
    if not all(any(letter.isdecimal() for letter in value) and len(value) < LONGEST_NAME for value in values):
        return False
    parts = (values[:FIRST_VALUES], values)  # most other columns are already clear from a few
    return all(max(count_date_formats(part).values(), default=0) == len(part) for part in parts)


def _kind_of_confidence(counts: Mapping[str, int]) -> str | None:
    """Return the kind of values that state a confidence in words; None for other values."""
    values = [*counts][:MAX_GROUP_VALUES]
    if sum(map(len, values)) > LONGEST_STATEMENT * len(values):
        return None
    return STATED if sum(map(states_confidence, values)) > 0.9 * len(values) else None


def _numeric_kind(numbers: Sequence[float], rows: int) -> str:
    """Return the kind of distinct numbers; integers are counts or names."""
    different, whole = len(numbers), all(math.isfinite(number) and number.is_integer() for number in numbers)
    if not whole:
        return WITHIN if all(0.0 <= number <= 1.0 for number in numbers) else NUMBERS
    if different == rows:
        return UNIQUE
    if _are_few(different, rows):
        return FEW
    return REPEATED if min(numbers) >= 0 else NUMBERS


def _are_few(different: int, rows: int) -> bool:
    return different <= MAX_GROUP_VALUES and different * 5 <= rows


def _nested(counts: Mapping[str, int]) -> tuple[str, int | None]:
    try:
        parsed = [parsed_json(count) for count in counts]
    except ValueError:
        return TEXTS, None
    if all(isinstance(item, dict) for item in parsed):
        return OBJECTS, None
    lists = [item for item in parsed if isinstance(item, list)]
    lengths = {len(list_) for list_ in lists}
    length = lengths.pop() if len(lengths) == 1 and len(lists) == len(parsed) else None
    numeric = all(isinstance(part, int | float) and not isinstance(part, bool) for list_ in lists for part in list_)
    if length is None or length < 2 or not numeric:
        return LISTS, None
    return (SHARES if sum_to_one(lists) else LISTS), length


def sum_to_one(rows: Sequence[Sequence[float]]) -> bool:
    """Whether the numbers of each row are probabilities that sum to 1, as far as their digits allow."""
    if not rows or not all(0 <= number <= 1 + SUM_TOLERANCE for row in rows for number in row):
        return False  # before sums, because adding an integer above the largest float fails
    matrix = np.array(rows, dtype=np.float64)
    return bool((np.abs(matrix.sum(axis=1) - 1.0) <= sum_tolerance(matrix) + SHOWN).all())
