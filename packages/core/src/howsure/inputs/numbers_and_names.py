"""Check numbers set by parameters, read numbers in strings, and order, count and suggest names."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, TypeGuard, TypeVar

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError, Parameter, quote
from howsure.errors import nearest as nearest
from howsure.errors import shortened as shortened

Name = TypeVar("Name")

# Check numbers set by parameters.

LARGEST_FLOAT = int(sys.float_info.max)
LARGEST_SCORE = 1e70  # sums of fourth powers of such scores do not overflow
MAX_PROCESSES = 256
MAX_CLUSTERINGS = 10_000  # samples of a document
MAX_SIMULATIONS = 1_000_000  # random draws of a whole data set or of a clustering


def check_integer(value: object, *, name: str, least: int = 1, most: int | None = None) -> int:
    """Check that a value is a whole number from `least` to `most` (None: no limit) and return it as int.

    >>> check_integer(20.0, name="n_bins")
    20
    >>> check_integer("many", name="n_bins")
    Traceback (most recent call last):
    howsure.errors.InputError: n_bins must be a whole number of at least 1, not 'many'.
    >>> check_integer(10**6, name="workers", most=256)
    Traceback (most recent call last):
    howsure.errors.InputError: workers must be a whole number from 1 to 256, not 1000000.
    """
    if is_number(value) and math.isfinite(value) and int(value) == value and value >= least:
        whole: int = int(value)
        if most is None or whole <= most:
            return whole
    rule = "not_whole" if most is None else "not_whole_between"
    raise InputError(rule, name, value=value, low=least, high=most)


def check_number(
    value: object, *, name: str, low: float, high: float = math.inf, open: str = "", remedy: str = ""
) -> float:
    """Check that a value is a finite number from `low` to `high` and return it as float.

    open: the ends that are excluded, "low", "high" or "both".

    >>> check_number(0.5, name="margin", low=0, high=1, open="high")
    0.5
    >>> check_number(0, name="width", low=0, open="low")
    Traceback (most recent call last):
    howsure.errors.InputError: width must be a number greater than 0; it is 0.
    """
    excluded = {"low": (low,), "high": (high,), "both": (low, high)}.get(open, ())
    if is_number(value) and math.isfinite(value) and low <= value <= high and value not in excluded:
        return float(value)
    if high == math.inf and isinstance(value, float) and not math.isfinite(value):
        rule = "not_finite"
    elif high == math.inf:
        rule = "not_above" if open == "low" else "not_at_least"
    else:
        rule = {"low": "not_above_to", "high": "not_below", "both": "not_between"}.get(open, "outside")
    raise InputError(rule, name, value=value, low=low, high=high, remedy=remedy)


def check_choice(value: object, options: Iterable[object], *, name: str) -> None:
    """Raise InputError if a value is not one of the options.

    >>> check_choice("zip", ["csv", "tsv"], name="format")
    Traceback (most recent call last):
    howsure.errors.InputError: format must be one of 'csv', 'tsv'; it is 'zip'.
    """
    if value not in (choices := list(options)):
        raise InputError("not_one_of", name, options=list(map(repr, choices)), value=value)


def check_bounds(bounds: Any) -> tuple[float, float]:
    """Check that `bounds` is (low, high) with low < high, and return the two as floats.

    >>> check_bounds((5, 1))
    Traceback (most recent call last):
    howsure.errors.InputError: bounds must be the lowest and the highest possible score; they are (5, 1). Write
    the lower one first, such as bounds=[0, 1].
    """
    ends = tuple(bounds) if isinstance(bounds, (tuple, list)) or getattr(bounds, "ndim", 0) == 1 else ()
    if len(ends) == 2 and all(is_number(end) and abs(end) <= LARGEST_SCORE for end in ends) and ends[0] < ends[1]:
        return float(ends[0]), float(ends[1])
    if len(ends) == 2 and any(isinstance(end, int | float) and abs(end) > LARGEST_SCORE for end in ends):
        raise InputError(
            f"`bounds` must be between {-LARGEST_SCORE:g} and {LARGEST_SCORE:g}; they are {quote(bounds)}."
        )
    raise InputError(
        "bounds must be the lowest and the highest possible score; they are {bounds!r}. Write the lower one first, "
        "such as `bounds=[0, 1]`.",
        bounds=bounds,
    )


def check_scales(
    columns: Mapping[str, npt.NDArray[np.float64]], percentages: Collection[str], bounds: object = None
) -> None:
    """Raise InputError if some of the columns of scores had percent signs, and others or the bounds are from 0 to 100.

    columns: the scores by the name of the column. percentages: the names of the columns with percent signs.

    >>> check_scales({"judge": np.array([80.0]), "person": np.array([0.75])}, ["person"])
    Traceback (most recent call last):
    howsure.errors.InputError: person has percent signs, so 75% is read as 0.75, but judge goes up to 80. Write both in
    percent, or both without the sign.
    """
    signed = [name for name in columns if name in percentages]
    if not signed:
        return
    if bounds is not None and check_bounds(bounds)[1] > PLAUSIBLE_SHARE:
        raise InputError(
            "`bounds` must be those of proportions, because {column} has percent signs, so 75% is read as 0.75. "
            "Give `bounds=[0, 1]`.",
            column=signed[0],
        )
    for name, values in columns.items():
        highest = float(values[~np.isnan(values)].max(initial=0.0))
        if name not in percentages and highest > PLAUSIBLE_SHARE:
            raise InputError(
                f"{signed[0]} has percent signs, so 75% is read as 0.75, but {name} goes up to {highest:g}. Write both "
                "in percent, or both without the sign."
            )


def check_within(values: npt.NDArray[np.float64], bounds: tuple[float, float], *, name: str) -> None:
    """Raise InputError for the first row whose value is outside the bounds."""
    outside = np.flatnonzero((values < bounds[0]) | (values > bounds[1]))
    if len(outside):
        row = int(outside[0])
        raise InputError(
            "{parameter} must be between the bounds, {low:g} and {high:g}; {row} is {value:g}. Give bounds that "
            "include every score, or, if {value:g} marks a missing one, leave such rows out: {missing_values} and "
            "`skip_missing=True`.",
            name,
            low=bounds[0],
            high=bounds[1],
            row=row,
            value=values[row],
            missing_values=Parameter("missing_values", [f"{values[row]:g}"]),
        )


def check_level(level: float, *, name: str = "level") -> float:
    """Check that the level of an interval is strictly between 0 and 1, and return it as float.

    >>> check_level(95)
    Traceback (most recent call last):
    howsure.errors.InputError: level must be greater than 0 and less than 1; it is 95. Write 0.95 for
    95%.
    """
    if isinstance(level, (int, float, np.number)) and not isinstance(level, bool) and 0.0 < level < 1.0:
        return float(level)
    raise InputError("not_between", name, value=level, low=0, high=1, remedy="Write 0.95 for 95%.")


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a real number that a float can hold, and not a bool.

    >>> is_number(1), is_number(10**400), is_number(True)
    (True, False, False)
    """
    if isinstance(value, int) and not -LARGEST_FLOAT <= value <= LARGEST_FLOAT:
        return False
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


# Numbers in strings have only ASCII digits and no underscores, although Python's `float` accepts more.

NUMERAL = re.compile(
    r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?\s*|\s*[+-]?(?:nan|inf|infinity)\s*",
    re.ASCII | re.IGNORECASE,
)
COMMA = re.compile(r"\s*[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?\s*")
POINT = re.compile(r"\s*[+-]?[0-9,]*\.[0-9]*([eE][+-]?[0-9]+)?\s*")
WHOLE_OR_NAN = re.compile(r"\s*([+-]?[0-9]+|[nN][aA][nN])?\s*")
THOUSANDS = re.compile(r"\s*[+-]?[1-9][0-9]{0,2},[0-9]{3}\s*", re.ASCII)
POINTED_THOUSANDS = re.compile(r"\s*[+-]?[1-9][0-9]{0,2}(?:\.[0-9]{3})+\s*", re.ASCII)
GROUPED = re.compile(r"\s*[+-]?[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+(?:\.[0-9]+)?|(?:\.[0-9]{3})+(?:,[0-9]+)?)\s*", re.ASCII)
BLANK = "[\\s\u00a0\u202f]*"  # with the blanks that spreadsheets write before a percent sign
PLAUSIBLE_SHARE = 2.0  # the scores of a scale from 0 to 1, or differences of such scores, are lower
PERCENT = re.compile(rf"{BLANK}[+-]?(?:[0-9]{{1,18}}(?:[.,][0-9]{{0,18}})?|[.,][0-9]{{1,18}}){BLANK}%{BLANK}", re.ASCII)
PERCENT_THOUSANDS = re.compile(rf"{BLANK}[+-]?[1-9][0-9]{{0,2}}[.,][0-9]{{3}}{BLANK}%{BLANK}", re.ASCII)
PERCENT_IN_TEXT = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:\.[0-9]{1,18}|,[0-9]{1,2})?(?=\s*%)", re.ASCII)
WITH_UNIT = re.compile(r"\s*([-+]?\d+[.,]\d+)\s*([^\d\s.,%]{1,4})\s*")  # such as 0,5 s or 0.0077 €
MULTIPLIERS = {"k", "m", "g", "t", "b", "bn", "mn", "mio", "mrd", "tsd", "mil", "mill"}
KEY = re.compile(r"\s*[+-]?0[0-9]")  # leading zero: an identifier, not a number
WHOLE = re.compile(r"\s*[+-]?[0-9]{1,18}\s*", re.ASCII)
MISSING_TEXT = re.compile(r"\s*(?:[+-]?nan\s*)?", re.IGNORECASE)


def is_missing(value: object) -> bool:
    """Whether a value is missing: None, NaN, NaT, pandas' NA, or a string that is blank or spells NaN.

    `Column.missing` expresses the same definition in SQL. The parameter `missing_values` adds further values.

    >>> [is_missing(value) for value in (None, float("nan"), " ", "NaN", "nan", "NA", "none", 0)]
    [True, True, True, True, True, False, False, False]
    """
    if isinstance(value, str):
        return MISSING_TEXT.fullmatch(value) is not None
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def parse_number(text: str) -> float | None:
    """Return the number that a string spells, which may be NaN or infinite; None if it does not spell a number.

    >>> parse_number("0.5"), parse_number("1_000"), parse_number("٣")
    (0.5, None, None)
    """
    if text.isascii() and text.isprintable() and "_" not in text:  # then `float` accepts the same numbers
        try:
            return float(text)
        except ValueError:
            return None
    return float(text) if NUMERAL.fullmatch(text) else None


def parse_integer(text: str) -> int | None:
    """Return the integer that a string of at most 18 digits, with or without a sign, spells; otherwise None."""
    return int(text) if WHOLE.fullmatch(text) else None


TRUTHS = {"true": 1.0, "false": 0.0}


def number_or_text(value: Any) -> Any:
    """Convert a string that spells a number, "true" (1) or "false" (0) to a float; return other values unchanged."""
    if not isinstance(value, str):
        return value
    number = parse_number(value)
    return TRUTHS.get(value.lower(), value) if number is None else number


def comma_advice(text: str, *, is_score: bool = False) -> str:
    """Return a remedy for a string that is not a number because of a comma, point or percent sign; otherwise "".

    is_score: also suggest the number without its percent sign, since a score may be on a scale from 0 to 100.

    >>> comma_advice("1,234"), comma_advice("80.92%")
    ('Its comma may separate thousands or decimals: write 1234 or 1.234.', 'It is a percentage: write 0.8092.')
    >>> comma_advice("85 % sure"), comma_advice("90,5 %")
    ('Write only the number: 0.85.', 'It is a percentage: write 0.905.')
    >>> comma_advice("1.035")  # in a table with decimal commas
    'Its point may separate thousands or decimals: write 1035, or 1,0350 if it is a decimal.'
    >>> comma_advice("1.035,5")
    'Leave out the separator of thousands: write 1035.5, or 1035,5 in a column with decimal commas.'
    >>> comma_advice("0,0077 €"), comma_advice("love,remorse")
    ('Write only the number, without its unit: 0.0077.', '')
    >>> comma_advice("1,035 €"), comma_advice("1.5k")  # doctest: +NORMALIZE_WHITESPACE
    ('Its comma may separate thousands or decimals: write 1035 or 1.035.',
    'Write the whole number, without a word or letter for thousands or millions.')
    >>> comma_advice("1,250%")
    'Its comma may separate thousands or decimals: write 1250%, or 1.2500% if it is a decimal.'
    """
    if PERCENT_THOUSANDS.fullmatch(text):
        digits = text.strip().removesuffix("%").strip()
        mark, name, decimal_mark = (",", "comma", ".") if "," in digits else (".", "point", ",")
        whole, decimal = digits.replace(mark, ""), digits.replace(mark, decimal_mark)
        return f"Its {name} may separate thousands or decimals: write {whole}%, or {decimal}0% if it is a decimal."
    if PERCENT.fullmatch(text):
        percentage = text.strip().removesuffix("%").strip()
        or_number = f", or {percentage} on a scale from 0 to 100" if is_score else ""
        return f"It is a percentage: write {proportion(text)}{or_number}."
    percentages = PERCENT_IN_TEXT.findall(text)
    if len(percentages) == 1:
        return f"Write only the number: {proportion(percentages[0])}."
    digits = text.strip()
    if THOUSANDS.fullmatch(text):
        thousand, point = (digits.replace(",", mark) for mark in ("", "."))
        return f"Its comma may separate thousands or decimals: write {thousand} or {point}."
    if POINTED_THOUSANDS.fullmatch(text) and digits.count(".") == 1:
        thousand, comma = digits.replace(".", ""), digits.replace(".", ",")
        return f"Its point may separate thousands or decimals: write {thousand}, or {comma}0 if it is a decimal."
    if GROUPED.fullmatch(text):
        separator = min(",.", key=lambda mark: digits.find(mark) % len(digits))  # -1, if absent, comes last
        number = digits.replace(separator, "").replace(",", ".")
        is_comma = separator == "." and "," in digits
        or_comma = f", or {number.replace('.', ',')} in a column with decimal commas" if is_comma else ""
        return f"Leave out the separator of thousands: write {number}{or_comma}."
    if (amount := WITH_UNIT.fullmatch(text)) is not None:
        if amount.group(2).casefold() in MULTIPLIERS:
            return "Write the whole number, without a word or letter for thousands or millions."
        if any(form.fullmatch(amount.group(1)) for form in (THOUSANDS, POINTED_THOUSANDS)):
            return comma_advice(amount.group(1))
        return f"Write only the number, without its unit: {amount.group(1).replace(',', '.')}."
    return "Write a decimal point." if "," in text and any(map(str.isdigit, text)) else ""


def is_spelled_number(text: str) -> bool:
    """Whether a string is a number, perhaps with a decimal comma, separators of thousands or a percent sign.

    >>> [is_spelled_number(text) for text in ("0.5", "0,5", "1.035,5", "39,2 %", "Berlin, 5")]
    [True, True, True, True, False]
    """
    if PERCENT.fullmatch(text) or GROUPED.fullmatch(text):
        return True
    return parse_number(text.replace(",", ".")) is not None


def words_among_numbers(rows: Mapping[str, int], is_number: Callable[[str], object] = is_spelled_number) -> list[str]:
    """Return the values without digits in a column of which most rows are numbers; [] for any other column.

    Such a value is probably a missing value, or a typing error. rows: the number of rows with each value.

    >>> words_among_numbers({"20": 5, "31": 3, "n/a": 2}), words_among_numbers({"90": 3, "red": 9, "green": 5})
    (['n/a'], [])
    """
    numbers = {value for value in rows if is_number(value)}
    words = [value for value in rows if value not in numbers and not any(map(str.isdigit, value))]
    n_rows = sum(rows[value] for value in numbers)
    is_mixed = len(numbers) > 1 and len(numbers) + len(words) == len(rows) and 2 * n_rows > sum(rows.values())
    return words if is_mixed else []


def word_among_numbers(name: str, value: str, *, row: int, advice: str) -> InputError:
    """Build the error for a value of `words_among_numbers`."""
    return InputError(
        "{parameter} must be a number, as most of its values are; {row} is {value!r}. If this is a missing value, "
        "leave such rows out first, or, in a file, name it: {missing_values}" + advice,
        name,
        row=row,
        value=value,
        missing_values=Parameter("missing_values", [value]),
    )


# Decimal commas (0,87), as spreadsheets write them in many languages, are read only if nothing else can be meant.
#
# A comma may also separate thousands: 1,234. A column's numbers are read with decimal commas if some value can mean
# nothing else (0,87 or 12,5), or if so in another column, which holds only numbers; and if neither it nor a column of
# numbers has a decimal point.


class NumberKinds(NamedTuple):
    """Whether a column of texts has numbers with a comma or point, separating decimals or not; or other texts."""

    comma: bool
    decimal_comma: bool
    point: bool
    decimal_point: bool
    other: bool

    @classmethod
    def of(cls, texts: Iterable[str]) -> NumberKinds:
        """The kinds of these texts, which are only numbers or other."""
        different = dict.fromkeys(texts)
        kinds = (WHOLE_OR_NAN, POINT, COMMA, POINTED_THOUSANDS)
        if not all(any(kind.fullmatch(text) for kind in kinds) for text in different):
            return cls(False, False, False, False, other=True)
        commas, points = ([text for text in different if mark.fullmatch(text)] for mark in (COMMA, POINT))
        return cls(
            bool(commas),
            not all(map(THOUSANDS.fullmatch, commas)),
            bool(points),
            not all(map(POINTED_THOUSANDS.fullmatch, points)),
            other=False,
        )


def with_decimal_commas(columns: Mapping[Name, NumberKinds]) -> list[Name]:
    """Return the columns of a table whose numbers have decimal commas.

    >>> with_decimal_commas({"p": NumberKinds.of(["0,5", "1"]), "n": NumberKinds.of(["1,234"])})
    ['p', 'n']
    """
    numbers = [kinds for kinds in columns.values() if not kinds.other]
    if any(kinds.decimal_point for kinds in numbers):
        return []
    is_clear = any(kinds.decimal_comma for kinds in numbers)
    return [
        name for name, kinds in columns.items() if kinds.comma and not kinds.point and (kinds.decimal_comma or is_clear)
    ]


class Marks(NamedTuple):
    """What a mark (a comma or a point) can mean in a column of percentages.

    unclear: some percentages, such as 1,250%, leave open whether it separates thousands. decimal: in some, it can only
        be a
    decimal mark.
    """

    unclear: bool
    decimal: bool

    @classmethod
    def of(cls, percentages: Sequence[str]) -> Marks:
        """The marks of percentages that all contain the same one."""
        unclear = [PERCENT_THOUSANDS.fullmatch(text) is not None for text in percentages]
        return cls(any(unclear), not all(unclear))


def may_separate_thousands(commas: Marks, points: Marks, points_may: Callable[[], bool]) -> bool:
    """Whether the commas or points in a column of percentages may separate thousands, as in 1,250%.

    points_may: returns whether points may separate thousands in other columns.
    """
    unclear_commas = commas.unclear and (points.decimal or not commas.decimal)
    return unclear_commas or (points.unclear and (commas.decimal or (not points.decimal and points_may())))


def proportion(percentage: str) -> str:
    """Return the proportion that a percentage, with or without its sign, is.

    >>> proportion("65 %"), proportion("35,5")
    ('0.65', '0.355')
    """
    return f"{(Decimal(percentage.strip().removesuffix('%').strip().replace(',', '.')) / 100).normalize():f}"


def proportions(column: npt.NDArray[Any]) -> npt.NDArray[np.float64] | None:
    """Return the numbers of a column of percentages, NaN where one is missing; None for any other column.

    It is also None if a comma or point in some percentages may separate thousands.

    >>> proportions(np.array(["65%", "35,5 %"])), proportions(np.array(["65%", "1,250%"])), proportions(np.array([1]))
    (array([0.65 , 0.355]), None, None)
    """
    texts = _percentage_texts(column)
    return (
        None if texts is None else np.array([math.nan if text is None else float(proportion(text)) for text in texts])
    )


def _percentage_texts(column: npt.NDArray[Any]) -> list[str | None] | None:
    """Return the percentages of a column, None where one is missing; None for any other column."""
    if column.dtype.kind not in "OUT":
        return None
    texts = column.tolist()
    first = next((text for text in texts if not is_missing(text)), None)
    if not isinstance(first, str) or not PERCENT.fullmatch(first):
        return None
    texts = [None if is_missing(text) else text for text in texts]
    present = [text for text in texts if text is not None]
    if not all(isinstance(text, str) and PERCENT.fullmatch(text) for text in present):
        return None
    commas, points = (Marks.of([text for text in present if mark in text]) for mark in ",.")
    return None if may_separate_thousands(commas, points, lambda: False) else texts


def percentages(columns: Mapping[str, Any]) -> list[str]:
    """Return the names of the columns of percentages among arrays and lists; of a matrix, each column may be one.

    >>> percentages({"score": ["65%", "5%"], "other": [0.65, 0.05]})
    ['score']
    """
    names = list[str]()
    for name, column in columns.items():
        try:
            array = np.asarray(list(column.values()) if isinstance(column, Mapping) else column)
        except ValueError:  # a ragged list, which is refused where it is read
            continue
        if (
            array.ndim
            and array.dtype.kind in "OUT"
            and any(_percentage_texts(part) is not None for part in np.atleast_2d(array.T))
        ):
            names.append(name)
    return names


def notes_on_percentages(columns: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the note on the columns of percentages among arrays and lists; () if there are none."""
    return tuple(notes_on_numbers([], percentages(columns)))


def notes_on_numbers(commas: Sequence[str], percent: Sequence[str] = ()) -> list[str]:
    """Return the notes on columns with decimal commas, and on columns of percentages."""
    notes = {"Read with decimal commas (0,5 is a half)": commas, "Read as proportions (65% is 0.65)": percent}
    return [f"{note}: {', '.join(names)}." for note, names in notes.items() if names]


def parse_number_column(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Convert a column of strings to numbers if every string spells a number and none has a leading zero, such as 007.

    Any other column is returned unchanged. The result is int64 if all numbers are whole, otherwise float64; None
    becomes NaN.

    >>> parse_number_column(np.array(["1", "0.5"])), parse_number_column(np.array(["007", "1"])).tolist()
    (array([1. , 0.5]), ['007', '1'])
    """
    if column.dtype.kind not in "UOT" or not len(column):
        return column
    texts = [value for value in column.tolist() if value is not None]
    spelled = [parse_number(text) if isinstance(text, str) and not KEY.match(text) else None for text in texts]
    if not texts or any(number is None for number in spelled):
        return column
    if len(texts) == len(column):
        whole = [parse_integer(text) for text in texts]
        return np.array(spelled, dtype=np.float64) if None in whole else np.array(whole, dtype=np.int64)
    numbers = np.full(len(column), np.nan)
    numbers[[value is not None for value in column.tolist()]] = spelled
    return numbers


def unknown_name(kind: str, name: str, names_available: Sequence[str], *, place: str, limit: int = 12) -> InputError:
    """Return the error for an unknown name, with the first `limit` available names and the most similar one.

    >>> print(unknown_name("column", "gold_label", ["gold", "probs", "uid"], place="dev.jsonl"))
    no column 'gold_label' in dev.jsonl; it has gold, probs, uid. Did you mean gold?
    """
    names = shortened(map(quoted_if_needed, names_available), limit=limit)
    near = nearest(name, names_available)
    suggestion, remedy = (None, "") if near is None else (quoted_if_needed(near), "suggest")
    return InputError(
        "unknown_name", kind=kind, value=name, where=place, names=names, suggestion=suggestion, remedy=remedy
    )


def quoted_if_needed(name: str) -> str:
    """Return the name, in quotes if it is empty or begins or ends with a blank, which would be invisible.

    >>> quoted_if_needed("score"), quoted_if_needed("score ")
    ('score', "'score '")
    """
    return name if name and name == name.strip() else repr(name)


def counted(count: int, singular: str, many: str | None = None) -> str:
    """Return a count with its noun: `singular` for 1, otherwise `many`, which defaults to `singular` with an s.

    >>> counted(1, "row"), counted(2_000, "row"), counted(2, "entity", "entities")
    ('1 row', '2,000 rows', '2 entities')
    """
    return f"{count:,} {singular if count == 1 else many or singular + 's'}"


def part_of(count: int, total: int, noun: str, singular: str, plural: str) -> str:
    """Return a part of a total with its verb: `singular` for 1, otherwise `plural`.

    >>> part_of(1, 6, "instance", "was", "were"), part_of(2, 6, "instance", "was", "were")
    ('1 of 6 instances was', '2 of 6 instances were')
    """
    return f"{count:,} of {counted(total, noun)} {singular if count == 1 else plural}"


def share_text(count: int, total: int) -> str:
    """Format a count as a percentage of a total; only exactly none or all are shown as 0% or 100%.

    >>> share_text(258, 300), share_text(498, 500), share_text(49_999, 50_000), share_text(0, 3)
    ('86%', '99.6%', '> 99.9%', '0%')
    """
    percentage = 100 * count / total
    if count in (0, total) or 0.5 < percentage < 99.5:
        return f"{percentage:.0f}%"
    return "< 0.1%" if percentage < 0.1 else "> 99.9%" if percentage > 99.9 else f"{percentage:.1f}%"


def natural_order(name: str) -> tuple[int, float, str, str]:
    """Return a sort key for names: numbers first, by value; then strings, whose embedded numbers are compared by value.

    Digits after a point are decimals, except in versions with several points, such as 1.10.2.

    >>> sorted(["Llama-70b", "10", "Llama-7b", "2.5", "p 0.57", "p 0.325", "v1.10.2", "v1.9.0"], key=natural_order)
    ['2.5', '10', 'Llama-7b', 'Llama-70b', 'p 0.325', 'p 0.57', 'v1.9.0', 'v1.10.2']
    """
    if not name[:1].isalpha():  # otherwise no number, or NaN or infinity
        try:
            number = float(name)
        except ValueError:
            number = math.nan
        if math.isfinite(number):
            return 0, number, "", name
    parts = (NUMBERS if "." in name else WHOLE_NUMBERS).split(name)
    for place in range(1, len(parts), 2):  # the numbers
        digits = parts[place].lstrip("0")
        length = min(1 + len(digits.partition(".")[0]), sys.maxunicode)
        parts[place] = chr(length) + digits  # the longer number is the larger one
    return 1, 0.0, "\0".join(parts), name


NUMBERS = re.compile(r"((?<![0-9.])[0-9]+\.[0-9]+(?!\.?[0-9])|[0-9]+)")
WHOLE_NUMBERS = re.compile(r"([0-9]+)")


# Names whose values are equal up to rounding: their order, and the sentence on those that share the best value.


MAX_NAMED = 3  # number of names in a sentence


def highest_first(value: float, name: object) -> tuple[float, tuple[int, float, str, str]]:
    """Return a sort key: the highest value first, equal values by name in natural order, NaN last.

    >>> sorted([("b", 0.3), ("c", 0.4), ("a", 0.1 + 0.2)], key=lambda pair: highest_first(pair[1], pair[0]))
    [('c', 0.4), ('a', 0.30000000000000004), ('b', 0.3)]
    """
    return (math.inf if math.isnan(value) else -float(f"{value:.12g}"), natural_order(str(name)))


def count_equal_first(values: Sequence[float]) -> int:
    """Return how many of the first values are equal, up to rounding.

    >>> count_equal_first([0.1 + 0.2, 0.3, 0.2])
    2
    """
    equal = (math.isclose(value, values[0], rel_tol=1e-12, abs_tol=1e-15) for value in values[1:])
    return next((i for i, is_equal in enumerate(equal, 1) if not is_equal), len(values))


def listed_names(names: Sequence[str]) -> str:
    """Return names for a sentence: "a and b", or a list that is shortened.

    >>> listed_names(["a", "b"]), listed_names(["a", "b", "c"])
    ('a and b', 'a, b, c')
    """
    return " and ".join(names) if len(names) == 2 else shortened(names, limit=MAX_NAMED)


def equal_values_text(names: Sequence[str], value: str, *, extreme: str, of_all: int, what: str = "equal means") -> str:
    """Return a sentence, without a full stop, on the names that share the best value. of_all: the number of all names.

    >>> equal_values_text(["a", "b"], "0.6000", extreme="highest", of_all=3)
    'a and b have equal means, the highest, 0.6000'
    """
    return f"{listed_names(names)} have {what}, {f'the {extreme}, ' if len(names) < of_all else ''}{value}"
