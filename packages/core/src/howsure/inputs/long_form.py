"""Long-form tables, with one row per model, item and run: match rows by item, and read columns of scores."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.errors import InputError, Parameter, parameter, quote, renumbered_rows
from howsure.inputs.checks import (
    Coded,
    Column,
    as_column,
    check_codes,
    check_finite,
    factorised,
    first_missing,
    is_missing,
    missing,
    not_a_number,
    unequal_signs,
)
from howsure.inputs.label_spelling import check_positive, is_same_label, spellings
from howsure.inputs.numbers_and_names import (
    PERCENT,
    comma_advice,
    counted,
    number_or_text,
    proportions,
    shortened,
    unknown_name,
)
from howsure.inputs.pairs import Floats, Integers
from howsure.notes import WARNING, Note

CELLS_PER_ROW, SPARE_CELLS = 64, 1_000_000  # the table may have 64 cells per row plus a million
TOGETHER = " / "  # between the parts of a key


def alike_ids_advice(ids: Coded) -> str:
    """Return the advice to spell ids the same way, if some differ only in spelling, such as 1 and 1.0; otherwise "".

    >>> alike_ids_advice(Coded(np.array([0, 1, 1]), ("7", "7.0")))
    " '7' (1) and '7.0' (2) differ only in case, spaces or the format of numbers: spell ids the same way."
    """
    alike = spellings(ids.rows_by_name)
    return "" if alike is None else f" {alike}: spell ids the same way."


@dataclass(frozen=True, slots=True)
class LongForm:
    """The row numbers of each model (runs, items) on the common items.

    notes: sentences on items left out and on folds, if any. Folds that together contain every item once count as one
    run.
    """

    rows: Mapping[str, Integers]
    notes: tuple[str, ...] = ()

    def per_item(self, values: Any, name: str) -> Any:
        """Return the value of each item from a column of rows; it must be equal in all rows of the item.

        Raises InputError, which names a row whose value differs.
        """
        return one_per_item(values, np.concatenate(list(self.rows.values())), name, of="every row")


def long_form(model: object, id: object, run: object = None, *, n: int, skip_missing: bool = False) -> LongForm:
    """Arrange rows of a long-form table as a matrix of row numbers (runs, items) for each model.

    Without `run`, each model has one run. Models may have different numbers of runs, but each run must include every
    item, unless the runs are folds of the items. With `skip_missing`, an item that is missing from any run is left out
    for all models, and a note counts such items.

    Raises InputError for fewer than two models, for two rows of one model, run and item, and for missing items.
    """
    models, names = check_codes(model, n=n, name="model")
    items, item_names = check_codes(id, n=n, name="id")
    runs, run_names = (np.zeros(n, dtype=np.int64), ("",)) if run is None else check_codes(run, n=n, name="run")
    if len(names) < 2:
        raise InputError(f"model must name two or more models; every row is of {names[0]!r}.")
    spelled = Coded(models, names).spellings_note("models")
    of_cell, cell = np.unique(models.astype(np.int64) * len(run_names) + runs, return_inverse=True)
    folds = None
    if run is not None and (np.bincount(cell) != len(item_names)).any():
        folds = _folds(models, items, runs, names)
    kind, notes = ("run", (*spelled,)) if folds is None else ("repetition", (*spelled, folds.note))
    if folds is not None:
        runs, run_names = folds.repetitions, tuple(map(str, range(1, int(folds.repetitions.max()) + 2)))
        of_cell, cell = np.unique(models.astype(np.int64) * len(run_names) + runs, return_inverse=True)
    of_models, of_runs = np.divmod(of_cell, len(run_names))

    def cell_name(place: int) -> str:
        of_run = "" if run is None else f" in {kind} {run_names[of_runs[place]]!r}"
        return f"model {names[of_models[place]]!r}{of_run}"

    if len(of_cell) * len(item_names) > CELLS_PER_ROW * n + SPARE_CELLS:
        raise InputError(
            f"every model must have every item in each of its runs; {n:,} rows are too few for {len(of_cell):,} runs "
            f"of {counted(len(names), 'model')} on {counted(len(item_names), 'item')}. Are model, run and id the "
            "right columns?"
        )
    keys = cell * len(item_names) + items
    first = np.full(len(of_cell) * len(item_names), -1, dtype=np.int64)
    first[keys[::-1]] = np.arange(n)[::-1]
    again = np.flatnonzero(first[keys] != np.arange(n))
    if len(again):
        row = int(again[0])
        others = f"; so are {len(again) - 1:,} further rows" if len(again) > 1 else ""
        name = f"{item_names[items[row]]!r} of {cell_name(int(cell[row]))}{others}"
        each = f"model{'' if run is None else ' and run'}"
        raise item_twice(int(first[keys[row]]), row, name, each=each, has_runs=run is None)
    table = first.reshape(len(of_cell), len(item_names))
    lacking = table < 0
    if not lacking.any():
        return LongForm({name: table[of_models == code] for code, name in enumerate(names)}, notes)
    complete = ~lacking.any(axis=0)
    by_model = ", ".join(f"{name} {int(lacking[of_models == k].any(axis=0).sum()):,}" for k, name in enumerate(names))
    if not skip_missing or not complete.any():
        place, item = (int(places[0]) for places in np.nonzero(lacking))
        advice = (
            f"No item has rows of all models.{alike_ids_advice(Coded(items, item_names))}"
            if not complete.any()
            else "Leave such items out for all models with `skip_missing=True`."
        )
        where = "" if run is None else " in each of its runs"
        raise InputError(
            f"every model must have every item{where}; {cell_name(place)} has no row of item {item_names[item]!r}. "
            f"Missing of {counted(len(item_names), 'item')}: {by_model}. {advice}"
        )
    rows_of_models = {name: table[of_models == code][:, complete] for code, name in enumerate(names)}
    rows = int((table[:, ~complete] >= 0).sum())
    lost = f"{counted(int((~complete).sum()), 'item')} ({counted(rows, 'row')}) left out for all models"
    note = Note(f"{lost}, because some have no answer there: {by_model}.", WARNING)
    return LongForm(rows_of_models, (note, *notes))


def rows_by_repetition(items: Integers, runs: Integers) -> Integers | None:
    """Return row numbers (repetitions, items) if all items are in equally many runs, once in each; otherwise None.

    Runs may be repetitions, each of which has all items, or folds, which together have all items. The first repetition
    consists of each item's row in the item's first run.

    >>> rows_by_repetition(np.array([1, 0, 2, 3]), np.array([0, 0, 1, 1])).tolist()
    [[1, 0, 2, 3]]
    >>> rows_by_repetition(np.array([1, 0, 1, 0]), np.array([0, 0, 1, 1])).tolist()
    [[1, 0], [3, 2]]
    """
    order = np.lexsort((runs, items))
    counts = np.bincount(items)
    repeated = (np.diff(items[order]) == 0) & (np.diff(runs[order]) == 0)
    if (counts != counts[0]).any() or repeated.any():
        return None
    table: Integers = order.reshape(len(counts), -1).T
    return table


def folds_note(n_repetitions: int, n_runs: int, model: str = "") -> str:
    """Return the note that the runs of a model, or of all models, are folds."""
    of_model = f" of {model}" if model else ""
    return f"The {n_runs} runs{of_model} are folds: each item is in {n_repetitions} of them."


@dataclass(frozen=True, slots=True)
class _Folds:
    """The repetition of each row (n,), counted from 0, and the note on folds."""

    repetitions: Integers
    note: str


def _folds(models: Integers, items: Integers, runs: Integers, names: Sequence[str]) -> _Folds | None:
    """Return the repetitions if all models' runs are repetitions or folds, and some are folds; otherwise None."""
    repetitions, note = np.empty(len(runs), dtype=np.int64), ""
    for model, name in enumerate(names):
        rows = np.flatnonzero(models == model)
        table = rows_by_repetition(np.unique(items[rows], return_inverse=True)[1], runs[rows])
        if table is None:
            return None
        repetitions[rows[table]] = np.arange(len(table))[:, None]
        n_runs = len(np.unique(runs[rows]))
        if len(table) < n_runs:
            note = note or folds_note(len(table), n_runs, name)
    return _Folds(repetitions, note) if note else None


def one_per_item(values: Column, table: Integers, name: str, *, of: str = "every run") -> Column:
    """Return the value of each item (items,) from a column of rows. table (runs, items): the row numbers of each item.
    of: what must agree, for the message.

    Raises InputError, which names a row whose value differs from the item's first row.
    """
    by_run = values[table]
    differs = by_run != by_run[0]
    if differs.any():
        row = int(table[tuple(int(place[0]) for place in np.nonzero(differs)[:2])])
        raise InputError(
            "{parameter} must be the same in {of} of an item, but {row} differs. Are the ids right?",
            name,
            of=of,
            row=row,
        )
    first: Column = by_run[0]
    return first


def item_twice(
    a: int, b: int, item: str, *, each: str, has_runs: bool = True, is_identical: bool = False
) -> InputError:
    """Build the error for two rows, `a` and `b`, of the same item within a model or run (named by `each`).

    has_runs: whether a column of runs can be named. is_identical: whether the two rows have the same values.
    """
    equal = f"are identical, with item {item}. Remove one of them." if is_identical else f"are both item {item}."
    runs = " If these are several runs, name their column (`run=...`)." if has_runs and not is_identical else ""
    return InputError(
        f"an item must have one row for each {each}; `row {a}` and `row {b}` {equal}{runs} If ids are unique only "
        "within a set of items, name several columns that identify the item together (`id=...`)."
    )


def joined_key(parts: Sequence[object], names: Sequence[str], *, n: int) -> Coded:
    """Combine several columns into one key (n,); its names join the columns' values by " / ".

    >>> joined_key([["a", "a"], [1, 2]], ["file", "id"], n=2).names
    ('a / 1', 'a / 2')
    """
    key, spelled = np.zeros(n, dtype=np.int64), [""]
    for part, name in zip(parts, names, strict=True):
        codes, of_part = check_codes(part, n=n, name=name)
        distinct, key = np.unique(key * len(of_part) + codes, return_inverse=True)
        heads, tails = np.divmod(distinct, len(of_part))
        pairs = zip(heads.tolist(), tails.tolist(), strict=True)
        spelled = [(f"{spelled[a]}{TOGETHER}" if spelled[a] else "") + of_part[b] for a, b in pairs]
    return Coded(key, tuple(spelled))


# Columns of scores contain numbers; with a positive value, it counts as 1 and every other value as 0.

NUMERIC = "biuf"


def _is_number(value: object) -> bool:
    return hasattr(value, "__float__") and not hasattr(value, "__len__")  # an array of numbers has both


def as_scores(values: object, name: str) -> Floats:
    """Convert scores to float64 (n,), all finite and none missing.

    >>> as_scores([True, 0.5, 3], "score").tolist()
    [1.0, 0.5, 3.0]

    Raises InputError, which names the row and the value.
    """
    column = as_column(values, name=name)
    row = first_missing(column)
    if row is not None:
        raise missing(name, row)
    if (numbers := proportions(column)) is not None:
        column = numbers
    if column.dtype.kind not in NUMERIC:
        for row, value in enumerate(column.tolist()):
            if not _is_number(value):
                advice = comma_advice(value, is_score=True) if isinstance(value, str) else ""
                if not advice and isinstance(value, str):
                    advice = f"Say which value counts as 1: {parameter('pos_label', value)}."
                raise InputError(f"{name} must be numbers; `row {row}` is {quote(value)}. {advice}".rstrip())
    scores: Floats = column.astype(np.float64, copy=False)
    check_finite(scores, name=name)
    return scores


def positive_scores(column: Any, pos_label: object, name: str, notes: list[str]) -> Floats:
    """Return the scores of a column (n,): its numbers or, with `pos_label`, 1 for that value and 0 for all others.

    With `pos_label`, a note that counts the other values is appended to `notes`.
    """
    if pos_label is None:
        return as_scores(
            np.array(column.names, dtype=object)[column.codes] if isinstance(column, Coded) else column, name
        )
    if not isinstance(column, Coded):
        row = first_missing(column)
        if row is not None:
            raise missing(name, row)
        texts, codes = np.unique(column.astype(str), return_inverse=True)
        column = Coded(codes, tuple(texts.tolist()))
    counts = np.bincount(column.codes, minlength=len(column.names)).tolist()
    is_positive = _positive_values(dict(zip(column.names, counts, strict=True)), pos_label, name, notes)
    scores: Floats = np.array(list(is_positive.values()), dtype=np.float64)[column.codes]
    return scores


def _positive_values(
    counts: Mapping[str, int], pos_label: object, name: str, notes: list[str], *, must_occur: bool = True
) -> dict[str, bool]:
    """Return whether each value is the positive value; append a note that counts the other values to `notes`.

    counts: the number of rows by value. Raises InputError if the positive value does not occur, or if another value
    differs from it only in spelling.
    """
    is_positive = {value: is_same_label(value, pos_label) for value in counts}
    if must_occur and not any(is_positive.values()):
        raise unknown_name("value", str(pos_label), [repr(value) for value in sorted(counts)], place=name)
    check_positive(counts, pos_label, name=name)
    others = [f"{value} ({count:,})" for value, count in sorted(counts.items()) if not is_positive[value]]
    notes.append(f"{name} is 1 for {pos_label} and 0 for every other value: {shortened(others)}.")
    return is_positive


def partial_scores(
    values: Any, n: int, *, pos_label: object, name: str, notes: list[str], must_occur: bool = True
) -> Floats:
    """Return scores (n,) of a column or of a mapping from row numbers to values; NaN for missing values.

    With `pos_label`, a score is 1 if the value equals it (numbers are compared by value, so "5.0" equals "5"),
    otherwise 0, and a note that counts the other values is appended to `notes`. must_occur: whether `pos_label` must
    occur.

    >>> partial_scores({1: "2.5"}, 3, pos_label=None, name="y_true", notes=[]).tolist()
    [nan, 2.5, nan]
    >>> partial_scores(["5.0", "", 4], 3, pos_label="5", name="y_true", notes=[]).tolist()
    [1.0, nan, 0.0]
    """
    if isinstance(values, Mapping):
        scores, row_numbers = np.full(n, np.nan), sorted(values)
        rows = np.empty(len(row_numbers), dtype=object)
        rows[:] = [values[row] for row in row_numbers]
        with renumbered_rows(row_numbers.__getitem__):
            scores[row_numbers] = _scores_of_objects(rows, pos_label, name, notes, must_occur=must_occur)
        return scores
    if isinstance(values, Coded):
        rows = np.array(values.names, dtype=object)[values.codes]
    else:
        column = as_column(values, name=name)
        if pos_label is None and column.dtype.kind in "biuf" and len(column) == n:
            numbers = column.astype(np.float64)
            check_finite(np.where(np.isnan(numbers), 0.0, numbers), name=name)
            return numbers
        rows = column if column.dtype.kind == "U" else np.asarray(column.astype(object))
    if len(rows) != n:
        raise InputError("wrong_length", name, n=len(rows), expected=n)
    return _scores_of_objects(rows, pos_label, name, notes, must_occur=must_occur)


def _odd_cell_error(
    codes: Integers, cells: Sequence[Any], values: Sequence[Any], odd: Sequence[int], name: str
) -> InputError:
    """Build the error for the cells that are not numbers (`odd`): the first, or the rarer of those with and without a
    percent sign."""
    signed = [code for code in odd if isinstance(cells[code], str) and PERCENT.fullmatch(cells[code])]
    words = [code for code in odd if code not in signed]
    numbers = [code for code, cell in enumerate(cells) if cell is not None and code not in odd]
    if signed and numbers and not words:
        rows = np.bincount(codes)
        rare, common = sorted((signed, numbers), key=lambda part: int(rows[part].sum()))
        row = int(np.isin(codes, rare).argmax())
        return unequal_signs(name, values[codes[row]], values[common[0]], row=row)
    bad = odd[0] if numbers or not words else words[0]
    return not_a_number(name, cells[bad], row=int((codes == bad).argmax()))


def _scores_of_objects(rows: Column, pos_label: object, name: str, notes: list[str], *, must_occur: bool) -> Floats:
    try:
        codes, values = factorised(rows)
    except TypeError:  # lists and other values that are not numbers
        codes, values = np.arange(len(rows)), rows.tolist()
    cells = [None if is_missing(value) else number_or_text(value) for value in values]
    if pos_label is None:
        if (numbers := proportions(np.array(values, dtype=object))) is not None:
            return numbers[codes]
        odd = [code for code, cell in enumerate(cells) if not (cell is None or _is_number(cell))]
        if odd:
            raise _odd_cell_error(codes, cells, values, odd, name)
        return np.array([math.nan if cell is None else float(cell) for cell in cells])[codes]
    texts = Counter[str]()
    for value, cell, count in zip(values, cells, np.bincount(codes).tolist(), strict=True):
        texts[str(value)] += count if cell is not None else 0
    is_positive = _positive_values(+texts, pos_label, name, notes, must_occur=must_occur)
    return np.array([float(is_positive.get(str(value), math.nan)) for value in values])[codes]


POSITIVES = {  # values that mean correct, by their opposites
    "no": "yes",
    "nein": "ja",
    "non": "oui",
    "false": "true",
    "incorrect": "correct",
    "fail": "pass",
    "failed": "passed",
    "failure": "success",
    "negative": "positive",
    "faux": "vrai",
    "falso": "verdadero",
}
MEAN_CORRECT = {*POSITIVES.values(), "right", "richtig", "wahr", "c"}


def _value_meaning_correct(text: str) -> str:
    """Return the value that means correct in a column that contains `text`, in its letter case, or "VALUE".

    >>> [_value_meaning_correct(text) for text in ("ja", "No", "INCORRECT", "Wrong")]
    ['ja', 'Yes', 'CORRECT', 'VALUE']
    """
    positive = POSITIVES.get(text.casefold())
    if positive is None:
        return text if text.casefold() in MEAN_CORRECT else "VALUE"
    return positive.title() if text.istitle() else positive.upper() if text.isupper() else positive


@contextmanager
def advising_pos_label(scores: Sequence[str]) -> Iterator[None]:
    """Add advice on `pos_label` to errors about a score that is not a number, since it may be a label."""
    try:
        yield
    except InputError as error:
        fault = error.fault
        if fault is None or fault.name not in scores or fault.rule != "not_a_number" or fault.remedy == "missing_value":
            raise
        value = fault.value if isinstance(fault.value, str) else ""
        advice = comma_advice(value, is_score=True)
        if advice:
            raise InputError(replace(fault, remedy=advice)) from error
        right = Parameter("pos_label", _value_meaning_correct(value))
        raise InputError(replace(fault, remedy="name_correct", values={**fault.values, "right": right})) from error
