"""The checked input of a regression: labels, predictions and columns, as numbers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from howsure.counts.notes import note_text
from howsure.counts.sampling_design import Elements, partial_column, read_draw
from howsure.errors import ColumnName, InputError, Parameter
from howsure.inputs.checks import (
    NUMERIC,
    Coded,
    Column,
    as_column,
    check_clusters,
    check_codes,
    check_labels,
    check_numbers,
    check_same_length,
    check_weights,
    first_missing,
    missing,
    not_a_number,
)
from howsure.inputs.label_spelling import is_non_answer, spellings_note
from howsure.inputs.long_form import partial_scores
from howsure.inputs.numbers_and_names import (
    KEY,
    check_scales,
    is_spelled_number,
    natural_order,
    notes_on_numbers,
    parse_number,
    parse_number_column,
    percentages,
    proportions,
    shortened,
    word_among_numbers,
    words_among_numbers,
)
from howsure.inputs.pairs import Floats, Integers
from howsure.regression.moments import Labelled, Regression, dependent
from howsure.stats.clusters import few_clusters

ROUNDING = 1e-9
MAX_CLASSES = 50
MIN_NUMBERS_PER_NAME = 9  # of a covariate that was probably meant to be numeric
MAX_CELLS = 50_000_000  # of rows and columns
LARGEST = 1e100
INTERCEPT = "(intercept)"


def _column_label(name: str, role: str) -> str:
    """Return the name in messages of one of several columns of a role."""
    return name if isinstance(name, ColumnName) else f"{role}[{name!r}]"


@dataclass(frozen=True, slots=True)
class RegressionInput:
    """A regression of outcomes (N, c), with labels of some rows (n, c) and predictions for all rows (N, c).

    names: the names of the coefficients. classes: the names of the outcomes, None for a single outcome. how: the design
    by which the labelled rows were drawn.
    """

    regression: Regression
    labelled: Labelled
    labels: Floats
    predicted: Floats
    names: list[str]
    classes: tuple[str | None, ...]
    how: str
    simple: bool
    notes: list[str]

    @property
    def n(self) -> int:
        return len(self.predicted)


def parse_requested(
    column_by_role: dict[str, Any], name_by_role: Mapping[str, str], *, method: str, pos_label: object
) -> RegressionInput:
    notes: list[str] = []
    predicted, labels, rows, classes = _outcomes(column_by_role, name_by_role, pos_label, notes)
    n = len(predicted)
    if method == "logit":
        _check_shares(labels, name_by_role["y_true"], rows)
        _check_shares(predicted, name_by_role["prediction"], np.arange(n))
    for role in ("strata", "inclusion"):
        if (column := column_by_role.get(role)) is not None and not isinstance(column, Coded):
            partial_column(column, n=n, name=name_by_role[role], reference=name_by_role["prediction"])
    draw, how = read_draw(
        Elements(n, None), rows, strata=column_by_role.get("strata"), inclusion=column_by_role.get("inclusion")
    )
    notes += [] if draw.note is None else [note_text(draw.note)]
    units = column_by_role.get("clusters")
    if units is not None:
        units = units.codes.astype(np.int64) if isinstance(units, Coded) else check_clusters(units, n=n)
        notes += [few] if (few := few_clusters(np.bincount(units))) else []
    of_all = None if draw.stratum_of_all is None else draw.stratum_of_all.astype(np.int64)
    element = rows if units is None else units[rows]
    labelled = Labelled(rows, draw.weight * (n / draw.weight.sum()), of_all, element)
    weight = np.ones(n)
    if "sample_weight" in column_by_role:
        name = name_by_role["sample_weight"]
        column = parse_number_column(as_column(column_by_role["sample_weight"], name=name))
        weight = check_weights(column, n=n, name=name)
        weight = weight / weight.mean()
    simple = units is None and not {"strata", "inclusion"} & set(column_by_role)
    names, regression = _regression(column_by_role, name_by_role, weight, units, method == "logit", notes)
    return RegressionInput(regression, labelled, labels, predicted, names, classes, str(how), simple, notes)


def _outcomes(
    column_by_role: dict[str, Any], name_by_role: Mapping[str, str], pos_label: object, notes: list[str]
) -> tuple[Floats, Floats, Integers, tuple[str | None, ...]]:
    """Predictions (N, c), labels (n, c), their rows, and the names of the c classes; None for numeric outcomes."""
    column = parse_number_column(as_column(column_by_role["prediction"], name=name_by_role["prediction"]))
    outcomes = {name_by_role[role]: column_by_role[role] for role in ("y_true", "prediction")}
    percent = percentages(outcomes if pos_label is None else {})
    notes += notes_on_numbers([], percent)
    if pos_label is None and (shares := proportions(column)) is not None:
        column = shares
    n = len(column)
    rows, labels = partial_column(
        column_by_role["y_true"], n=n, name=name_by_role["y_true"], reference=name_by_role["prediction"]
    )
    if not len(rows):
        raise InputError(f"{name_by_role['y_true']} is empty in every row. Have some rows labelled by humans.")
    partial = dict(zip(rows.tolist(), labels.tolist(), strict=True))
    if (row := first_missing(column)) is not None:
        raise missing(name_by_role["prediction"], row)
    in_words = column.dtype.kind not in NUMERIC
    if in_words and pos_label is None:
        words = [str(label) for label in column.tolist()], [str(label) for label in labels.tolist()]
        classes = tuple(sorted({*words[0], *words[1]}, key=natural_order))
        if len(classes) > MAX_CLASSES:
            raise InputError(
                f"{name_by_role['prediction']} and {name_by_role['y_true']} must have at most {MAX_CLASSES} classes; "
                f"they have {len(classes)}: {shortened(classes)}. If the outcome is a number, remove the values that "
                "are not numbers."
            )
        if not {*words[0]} & {*words[1]}:
            raise InputError(
                f"{name_by_role['prediction']} and {name_by_role['y_true']} have no class in common; they have "
                f"{shortened(dict.fromkeys(words[0]))} and {shortened(dict.fromkeys(words[1]))}. Spell both the same "
                "way."
            )
        spelled = spellings_note(Counter(words[0] + words[1]), "classes")
        notes += [] if spelled is None else [f"{spelled}."]
        predicted, true_labels = (
            np.array([[label == name for name in classes] for label in of], dtype=np.float64) for of in words
        )
        return predicted, true_labels, rows, classes
    with _advising_positive_label(labels):
        y = partial_scores(partial, n, pos_label=pos_label, name=name_by_role["y_true"], notes=notes)[rows]
    if in_words:
        f = partial_scores(column, n, pos_label=pos_label, name=name_by_role["prediction"], notes=notes)
    else:
        f = check_numbers(column, name=name_by_role["prediction"])
    check_scales({name_by_role["y_true"]: y, name_by_role["prediction"]: f}, percent)
    for name, values, of in ((name_by_role["y_true"], y, rows), (name_by_role["prediction"], f, np.arange(n))):
        _check_finite(values, name, of)
    return f[:, None], y[:, None], rows, (None,)


@contextmanager
def _advising_positive_label(labels: Column) -> Iterator[None]:
    """Advise in errors about labels that are not numbers to say which of two labels is positive."""
    try:
        yield
    except InputError as error:
        two = list(dict.fromkeys(map(str, labels.tolist())))
        if error.fault is None or error.fault.rule != "not_a_number" or len(two) != 2:
            raise
        first, last = (Parameter("pos_label", label) for label in two)
        values = {**error.fault.values, "first": first, "last": last}
        raise InputError(replace(error.fault, values=values, remedy="name_one_of_two")) from None


def _check_finite(values: Floats, name: str, rows: Integers) -> None:
    odd = np.flatnonzero(~(np.abs(values) <= LARGEST))
    if len(odd):
        row, value = int(rows[odd[0]]), float(values[odd[0]])
        if math.isnan(value):
            raise missing(name, row)
        raise InputError(
            "{parameter} must be finite numbers, at most {largest:g} in size; {row} is {value!r}.",
            name,
            largest=LARGEST,
            row=row,
            value=value,
        )


def _check_shares(values: Floats, name: str, rows: Integers) -> None:
    odd = np.flatnonzero(((values < 0.0) | (values > 1.0)).any(axis=1))
    if len(odd):
        raise InputError(
            "{parameter} must be in [0, 1] with `method='logit'`; {row} is {value:g}. Use `method='linear'`.",
            name,
            row=int(rows[odd[0]]),
            value=values[odd[0], 0],
        )


def _regression(
    column_by_role: dict[str, Any],
    name_by_role: Mapping[str, str],
    weight: Floats,
    units: Integers | None,
    logit: bool,
    notes: list[str],
) -> tuple[list[str], Regression]:
    """Return the names of the coefficients, and the regressors."""
    n = len(weight)
    columns: dict[str, Floats] = {}
    effects: dict[str, Integers] = {}
    for name, column in column_by_role.get("fixed_effects", {}).items():
        effects[name], levels = check_codes(column, n=n, name=_column_label(name, "fixed_effects"))
        notes += Coded(effects[name], levels).spellings_note(f"values of {name}")
    if not effects:
        columns[INTERCEPT] = np.ones(n)
    main = [role for role in ("treated", "after") if role in column_by_role]
    for role in main:
        name = name_by_role[role]
        columns[str(name)] = check_labels(column_by_role[role], name=name).astype(np.float64)
        check_same_length(**{name_by_role["prediction"]: weight, name: columns[str(name)]})
    if len(main) == 2:
        treated, after = (columns[str(name_by_role[role])] for role in main)
        columns[f"{name_by_role['treated']} × {name_by_role['after']}"] = treated * after
    for name, column in column_by_role.get("covariates", {}).items():
        columns |= _covariate(column, name, n, notes)
    if not columns:
        raise InputError(
            "`fixed_effects=...` alone leave no coefficient to estimate. Name `covariates=...` or `after=...`.",
            "fixed_effects",
        )
    absorbed, nuisance = _effects(effects, n, logit)
    weighted = np.sqrt(weight)[:, None]
    while True:
        held_now = np.hstack([nuisance, np.column_stack([*columns.values(), np.empty((n, 0))])])
        regression = Regression(held_now[:, nuisance.shape[1] :], nuisance, weight, absorbed, units, logit)
        within = np.hstack([regression.within(nuisance), regression.within(regression.columns)])
        place = dependent(within * weighted, np.linalg.norm(held_now * weighted, axis=0))
        if place is None:
            return list(columns), regression
        names = list(columns)
        name = names[place - nuisance.shape[1]]
        if not effects or name not in [name_by_role[role] for role in main]:
            raise _no_variation(name, columns, effects)
        del columns[name]
        notes.append(f"{name} does not vary within the fixed effects, so it has no coefficient")


def _effects(effects: dict[str, Integers], n: int, logit: bool) -> tuple[Integers | None, Floats]:
    """Return the codes of the absorbed effect, which is the effect with the most levels, and indicators of the other
    effects.

    A logistic regression absorbs no effect, and uses indicator columns for all effects.
    """
    levels = {name: int(codes.max()) + 1 for name, codes in effects.items()}
    largest = None if logit or not levels else max(levels, key=lambda name: levels[name])
    others = [name for name in effects if name != largest]
    if (cells := n * sum(levels[name] for name in others)) > MAX_CELLS:
        raise InputError(
            "{parameter} have too many levels: a column for each level, except those of the largest effect in a linear "
            "regression, gives {cells:,} numbers, more than {most_cells:,}. Merge levels, or use `method='linear'`.",
            "fixed_effects",
            cells=cells,
            most_cells=MAX_CELLS,
        )
    absorbed = None if largest is None else effects[largest]
    columns = np.zeros((n, 0))
    for place, name in enumerate(others):
        first = int(largest is not None or place > 0)
        dummies = (effects[name][:, None] == np.arange(first, levels[name])).astype(np.float64)
        columns = np.hstack([columns, dummies])
    if len(effects) > 1:  # some levels may determine others, such as a period with a single unit
        from scipy.linalg import qr

        within = Regression(columns, columns[:, :0], np.ones(n), absorbed, None, logit).design()
        rest, order = qr(within, mode="r", pivoting=True, check_finite=False)
        kept = np.sort(order[: int((np.abs(np.diag(rest)) > ROUNDING * np.sqrt(n)).sum())])
        columns = columns[:, kept]
    return absorbed, columns


def _covariate(values: Any, name: str, n: int, notes: list[str]) -> dict[str, Floats]:
    """Return a numeric column, or for a column of names, an indicator of each name except the first."""
    column_name = _column_label(name, "covariates")
    column = values if isinstance(values, Coded) else parse_number_column(as_column(values, name=column_name))
    if not isinstance(column, Coded) and (row := first_missing(column)) is not None:
        raise missing(column_name, row)
    if not isinstance(column, Coded) and column.dtype.kind in NUMERIC:
        numbers = check_numbers(column, name=column_name, n=n)
        _check_finite(numbers, column_name, np.arange(n))
        return {str(name): numbers}
    codes, names = check_codes(column, n=n, name=column_name)
    if odd := _names_among_numbers(names, np.bincount(codes, minlength=len(names)).tolist()):
        row = int(np.isin(codes, [names.index(value) for value in odd]).argmax())
        raise _not_a_number_among_numbers(column_name, names[codes[row]], row=row)
    if len(names) > MAX_CLASSES:
        raise InputError(
            "{parameter} has {n_names:,} different names, and each except the first would get a coefficient; at most "
            "{most_classes} names are allowed. Use `fixed_effects=...` for this column, or merge some names.",
            column_name,
            n_names=len(names),
            most_classes=MAX_CLASSES,
        )
    notes += Coded(codes, names).spellings_note(f"values of {name}")
    if len(names) > 1:
        notes.append(f"{name} is compared with {names[0]}")
    return {f"{name}: {level}": (codes == code) * 1.0 for code, level in enumerate(names) if code or len(names) == 1}


def check_covariate(values: Any, name: str) -> None:
    """Raise InputError for a column of names that are nearly all numbers."""
    _covariate(values, name, len(values), [])


def _names_among_numbers(names: Sequence[str], counts: Sequence[int]) -> list[str]:
    """Return the names that are not numbers, if nearly all names are, or if most rows are numbers and the others, such
    as n/a, mean no answer. If all are numbers, return those with commas and the like.

    Names with leading zeros, such as postal codes, are not numbers. counts: the number of rows with each name.
    """
    if any(KEY.match(name) and not name.strip().startswith(("0.", "0,")) for name in names):
        return []
    if words := [*filter(is_non_answer, words_among_numbers(dict(zip(names, counts, strict=True))))]:
        return words
    odd = [name for name in names if parse_number(name) is None]
    others = [name for name in odd if not is_spelled_number(name)]
    return [] if len(others) * MIN_NUMBERS_PER_NAME > len(names) - len(others) else others or odd


def _not_a_number_among_numbers(name: str, value: str, *, row: int) -> InputError:
    if is_spelled_number(value):
        return not_a_number(name, value, row=row)
    advice = " and `skip_missing=True`. If the numbers are names of categories, write them as names, such as level 1."
    return word_among_numbers(name, value, row=row, advice=advice)


def _no_variation(name: str, columns: dict[str, Floats], effects: Mapping[str, Any]) -> InputError:
    values = columns[name]
    if np.ptp(values) == 0.0:
        return InputError(f"{name} is constant: every row is {values[0]:g}. Leave it out.")
    before = list(columns)[: list(columns).index(name)]
    earlier_columns = np.column_stack(
        [columns[term] / (np.abs(columns[term]).max() or 1.0) for term in before] or [values]
    )
    is_needed = np.abs(np.linalg.lstsq(earlier_columns, values, rcond=None)[0]) > ROUNDING * np.abs(values).max()
    determining = [
        term for term, needed in zip(before, is_needed, strict=False) if term != INTERCEPT and (effects or needed)
    ]
    levels = f"the levels of {' and '.join(effects)}" if effects else ""
    determined_by = " and ".join(filter(None, [levels, shortened(determining)]))
    return InputError(
        f"{name} is determined by {determined_by}, so its coefficient could be any number. Leave one of them out."
    )
