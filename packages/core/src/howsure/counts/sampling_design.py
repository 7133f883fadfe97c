"""Sampling designs: units or clusters, drawn within strata or with given inclusion probabilities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.counts.notes import CountNote, SamplingDesign
from howsure.errors import InputError, Parameter, Verbatim, parameter
from howsure.inputs.checks import Codes, Column, as_column, check_codes, check_labels, is_missing
from howsure.inputs.label_spelling import spellings
from howsure.inputs.numbers_and_names import counted, parse_number, shortened
from howsure.inputs.pairs import Floats, Integers

# Columns with values for some units only: labels, and how labelled units were drawn.


def partial_column(values: object, *, n: int, name: str, reference: str = "y_prob") -> tuple[Integers, Column]:
    """Return the rows with a value, ascending, and these values.

    values: a column (N,), in which None, NaN and "" are missing, or a mapping of rows (from 0) to values.

    >>> partial_column({7: 1, 2: 0}, n=10, name="y_true")
    (array([2, 7]), array([0, 1], dtype=object))
    """
    if isinstance(values, Mapping):
        return _read_mapping(values, n, name)
    column = as_column(values, name=name)
    if len(column) != n:
        raise InputError(
            f"{parameter(name)} must have as many rows as {parameter(reference)}; it has {len(column):,}, "
            f"{parameter(reference)} has {n:,}."
        )
    if column.dtype.kind == "f":
        rows = np.flatnonzero(~np.isnan(column))
    elif column.dtype.kind in "OUT":
        rows = np.array([k for k, value in enumerate(column.tolist()) if not is_missing(value)], dtype=np.int64)
    else:
        rows = np.arange(n)
    return rows, column[rows]


def partial_labels(
    labels: object, *, n: int, pos_label: object = None, name: str = "y_true", among: object = None
) -> tuple[Integers, Floats]:
    """Return the rows with a label, and their labels as 0.0 or 1.0 (1.0 for `pos_label`); see `partial_column`.

    among: further labels, which must have the same two values.
    """
    rows, values = partial_column(labels, n=n, name=name)
    if len(rows) == 0:
        return rows, np.empty(0)
    others = values[:0] if among is None or pos_label is None else partial_column(among, n=n, name=name)[1]
    plain = _plain_numbers(np.concatenate([values.astype(object), others.astype(object)]) if len(others) else values)
    try:
        return rows, check_labels(plain, pos_label=pos_label, name=name).astype(np.float64)[: len(values)]
    except (InputError, TypeError):
        odd = next((k for k, label in enumerate(plain.tolist()[: len(values)]) if label not in (0, 1, "0", "1")), None)
        counts = Counter(map(str, plain.tolist()))
        if odd is None or (pos_label is not None and not _has_third_label(counts, pos_label)):
            raise
        if pos_label is not None:
            raise _third_label(counts, pos_label, name) from None
        if {"0", "1"} <= counts.keys() and len(counts) <= MAX_LABELS_NAMED:
            raise InputError(
                "{parameter} must be 0, 1 or missing; {row} is {value!r}. If {those_are}, make {pronoun} missing (in "
                "files: {missing_values}).",
                name,
                row=int(rows[odd]),
                value=values.tolist()[odd],
                **_as_missing([label for label in counts if label not in ("0", "1")]),
            ) from None
        positives = [Parameter("pos_label", label) for label, _ in counts.most_common()]
        raise InputError(
            "{parameter} must be 0, 1 or missing; {row} is {value!r}",
            name,
            row=int(rows[odd]),
            value=values.tolist()[odd],
            first=positives[0],
            last=positives[-1],
            remedy="name_one_of_two" if len(counts) == 2 else "",
        ) from None


def _has_third_label(counts: Mapping[str, int], pos_label: object) -> bool:
    return 2 < len(counts) <= MAX_LABELS_NAMED and str(pos_label) in counts and not spellings(counts)


def _third_label(counts: Counter[str], pos_label: object, name: str) -> InputError:
    """Build the error for labels with further values than the positive one and the most frequent other one."""
    others = [label for label, _ in counts.most_common() if label != str(pos_label)][1:]
    return InputError(
        "{parameter} must have two different values; it contains {labels}. If {those_are}, make {pronoun} missing (in "
        "files: {missing_values}). Otherwise give a column that is 1 where {parameter} is {positive!r}, and 0 "
        "elsewhere.",
        name,
        labels=Verbatim(shortened(f"{label!r} ({count:,})" for label, count in counts.most_common())),
        positive=str(pos_label),
        **_as_missing(others),
    )


def _as_missing(others: list[str]) -> dict[str, Any]:
    """Return the values in the advice to make these labels missing."""
    is_one = len(others) == 1
    return {
        "those_are": Verbatim(f"{' and '.join(map(repr, others))} {'is not a label' if is_one else 'are not labels'}"),
        "pronoun": Verbatim("it" if is_one else "them"),
        "missing_values": Parameter("missing_values", others),
    }


def _read_mapping(values: Mapping[object, object], n: int, name: str) -> tuple[Integers, Column]:
    is_plain = {int}.issuperset(map(type, values)) and 0 <= min(values, default=0) <= max(values, default=0) < n  # type: ignore[type-var, operator]
    for row in () if is_plain else values:
        if isinstance(row, (bool, np.bool_)) or not isinstance(row, (int, np.integer)) or not 0 <= row < n:
            raise InputError(f"{name} must map rows, 0 to {n - 1:,}, to values; one of its rows is {row!r}.")
    texts = {text for text in values.values() if isinstance(text, str)}
    missing = set(filter(is_missing, texts))
    rows = sorted(
        int(row)  # type: ignore[call-overload]
        for row, value in values.items()
        if not (value in missing if isinstance(value, str) else is_missing(value))
    )
    column = np.empty(len(rows), dtype=object)
    column[:] = [values[row] for row in rows]
    return np.array(rows, dtype=np.int64), column


def _plain_numbers(labels: Column) -> Column:
    """Convert strings such as "1.0", which many programs write in columns with gaps, to "1" or "0"."""
    if labels.dtype.kind not in "OUT":
        return labels
    rows = labels.tolist()
    numbers = {label: parse_number(label) for label in {label for label in rows if isinstance(label, str)}}
    spelled = {label: f"{number:g}" for label, number in numbers.items() if number in (0.0, 1.0)}
    plain = np.empty(len(labels), dtype=object)
    plain[:] = [spelled.get(label, label) if isinstance(label, str) else label for label in rows]
    return plain


SIZE_TOLERANCE = 5.0  # tolerance of Σ 1/π, in standard deviations for units that are drawn independently
MIN_CHANCE = 1e-70  # smallest inclusion probability; a unit with a smaller one would represent too many units
ROUNDING_TOLERANCE = 1e-6  # relative distance of n_h / π_h from a whole number; beyond it π_h was rounded
MAX_LABELS_NAMED = 4  # different labels of which an error lists all
PSEUDO_COUNT = 0.5  # positives and negatives added if all labels are equal, for their variance only


@dataclass(frozen=True, slots=True)
class Draw:
    """A sample of elements (units or whole clusters), drawn without replacement within strata or with probabilities.

    element: for each labelled unit, the index of its element among the drawn elements. stratum: the stratum of each
    drawn element. size: the number of elements of each stratum in the population. inclusion: the inclusion probability
    of each drawn element; None if elements were drawn within strata. note: a note on the sizes. stratum_of_all: the
    stratum of each element of the population, if known.
    """

    element: Integers
    stratum: Integers
    size: Integers
    inclusion: Floats | None
    is_clustered: bool = False
    note: CountNote | None = None
    stratum_of_all: Codes | None = None

    @property
    def is_simple(self) -> bool:
        """Whether single units were drawn at random from all."""
        return self.inclusion is None and len(self.size) == 1 and not self.is_clustered

    @property
    def weight(self) -> Floats:
        """The number of elements that each drawn element represents."""
        if self.inclusion is not None:
            return np.asarray(1.0 / self.inclusion)
        labelled = np.bincount(self.stratum, minlength=len(self.size))
        return np.asarray((self.size / np.maximum(labelled, 1))[self.stratum])

    def sum_by_element(self, values: Floats) -> Floats:
        """Return sums of values of labelled units by drawn element."""
        sums = np.bincount(self.element, weights=values, minlength=len(self.stratum))
        return sums.astype(np.float64, copy=False)

    def variance(self, values: Floats) -> float:
        """Estimate the variance of Σ weight · value over drawn elements.

        Within strata, it is Σ N_h² (1 - n_h/N_h) s²_h / n_h. With inclusion probabilities π, it is n/(n - 1) Σ (1 -
        π_i) (v_i/π_i - c)², where c is the mean of v/π weighted by 1 - π (Hájek 1964).
        """
        if self.inclusion is not None:
            kept = 1.0 - self.inclusion
            if kept.sum() <= 0 or len(values) < 2:
                return 0.0
            expanded = values / self.inclusion
            centre = float((kept * expanded).sum() / kept.sum())
            return float(len(values) / (len(values) - 1) * (kept * (expanded - centre) ** 2).sum())
        n = np.bincount(self.stratum, minlength=len(self.size)).astype(np.float64)
        mean = np.bincount(self.stratum, weights=values, minlength=len(self.size)) / np.maximum(n, 1)
        squares = np.bincount(self.stratum, weights=(values - mean[self.stratum]) ** 2, minlength=len(self.size))
        spread = squares / np.maximum(n - 1, 1)
        return float((self.size**2 * (1.0 - n / self.size) * spread / np.maximum(n, 1))[n > 0].sum())

    def uniform_strata_variance(self, positives: Floats, in_domain: Floats) -> float:
        """Estimate the variance due to strata whose labels in a domain are all equal; `variance` is 0 for these.

        positives, in_domain: for each drawn element, the numbers of its positive and of its labelled units in the
        domain. For strata whose labels are all 0, with n elements in total, it is Σ N_h² (1 - f_h) p (1 - p) / n_h with
        p = (1/2) / (n + 1), where f_h = n_h / N_h. For strata whose labels are all 1, it is computed likewise.
        """
        if self.inclusion is not None:
            return 0.0
        columns = (np.ones(len(self.stratum)), in_domain > 0, in_domain, positives)
        drawn, n, n_labelled, n_positive = (
            np.bincount(self.stratum, weights=column, minlength=len(self.size)) for column in columns
        )
        size = np.bincount(self.stratum, weights=self.weight * in_domain, minlength=len(self.size))
        total = 0.0
        for uniform in ((n > 0) & (n_positive == 0), (n > 0) & (n_positive == n_labelled)):
            p = PSEUDO_COUNT / (n[uniform].sum() + 2 * PSEUDO_COUNT)
            unread = 1.0 - drawn[uniform] / self.size[uniform]
            total += float((size[uniform] ** 2 * unread / n[uniform]).sum() * p * (1.0 - p))
        return total


@dataclass(frozen=True, slots=True)
class Elements:
    """The elements that can be drawn: units (`of_unit` is None), or clusters of units, numbered from 0.

    of_unit: the cluster of each unit. noun: the word for elements in messages.
    """

    units: int
    of_unit: Integers | None
    noun: str = "units"

    @property
    def what(self) -> str:
        """The word for elements in messages."""
        return self.noun if self.of_unit is None else "clusters"

    def __len__(self) -> int:
        return self.units if self.of_unit is None else int(self.of_unit.max()) + 1

    def first(self) -> Integers | None:
        """Return the first unit of each cluster; None if units are drawn."""
        if self.of_unit is None:
            return None
        first = np.full(len(self), self.units)
        np.minimum.at(first, self.of_unit, np.arange(self.units))
        return first

    def of(self, rows: Integers) -> Integers:
        return rows if self.of_unit is None else np.asarray(self.of_unit[rows])


def read_draw(
    elements: Elements, labelled: Integers, *, strata: object, inclusion: object
) -> tuple[Draw, SamplingDesign]:
    """Check and return how labelled units were drawn, and the sampling design in words."""
    _check_whole_clusters(elements, labelled)
    drawn, first, element = np.unique(elements.of(labelled), return_index=True, return_inverse=True)
    noun, clustered = elements.what, elements.of_unit is not None
    chances = None if inclusion is None else _read_inclusion(inclusion, elements, labelled, element, first)
    if strata is None:
        stratum, size = np.zeros(len(drawn), dtype=np.int64), np.array([len(elements)])
        design = SamplingDesign(clustered, by_chance=chances is not None, is_assumed=chances is None)
        if chances is None:
            _check_strata(("all",), size, np.array([len(drawn)]), noun)
        else:
            with np.errstate(all="ignore"):  # a unit with a probability near 0 represents a huge number of units
                stated_size, variance = float((1.0 / chances).sum()), float(((1.0 - chances) / chances**2).sum())
            tolerance = SIZE_TOLERANCE * (variance * len(elements) / stated_size) ** 0.5
            _check_size(stated_size, len(elements), "`inclusion` says", noun, tolerance)
        stratum_of_all: Codes | None = np.zeros(len(elements), dtype=np.int8) if chances is None else None
        return Draw(element, stratum, size, chances, clustered, stratum_of_all=stratum_of_all), design
    note, stratum_of_all = None, None
    if chances is None:
        codes, names = check_codes(strata, n=elements.units, name="strata")
        stratum_of_all = stratum_of = _element_strata(codes, elements)
        stratum, size = stratum_of[drawn], np.bincount(stratum_of, minlength=len(names))
    else:
        stratum, names = _drawn_strata(strata, elements, labelled, element, len(drawn))
        size = _stratum_sizes(names, stratum, chances, len(elements), noun)
        stated = int(size.sum())
        if stated != len(elements):
            note = CountNote("rounded_chances", {"stated": stated, "actual": len(elements), "clustered": clustered})
    _check_strata(names, size, np.bincount(stratum, minlength=len(names)), noun)
    return Draw(element, stratum, size, None, clustered, note, stratum_of_all), SamplingDesign(clustered, len(names))


def _check_whole_clusters(elements: Elements, labelled: Integers) -> None:
    """Raise InputError if a cluster has units with and without labels."""
    if elements.of_unit is None:
        return
    n_labelled = np.bincount(elements.of_unit[labelled], minlength=len(elements))
    size = np.bincount(elements.of_unit)
    partly = np.flatnonzero((n_labelled > 0) & (n_labelled < size))
    if len(partly):
        members = np.flatnonzero(elements.of_unit == partly[0])
        row = int(members[~np.isin(members, labelled)][0])
        raise InputError(
            f"a cluster must be labelled completely or not at all; the cluster of `row {row}` has labels for "
            f"{n_labelled[partly[0]]:,} of its {size[partly[0]]:,} units ({counted(len(partly), 'such cluster')} "
            "in all). Label its other units, or remove its labels."
        )


def _element_strata(codes: Integers, elements: Elements) -> Integers:
    """Return the stratum of each element, given that of each unit; raise InputError if units of a cluster differ."""
    first = elements.first()
    if first is None or elements.of_unit is None:
        return codes
    element_codes: Integers = codes[first]
    odd = np.flatnonzero(codes != element_codes[elements.of_unit])
    if len(odd):
        raise _unequal(int(odd[0]), int(first[elements.of_unit[odd[0]]]))
    return element_codes


def _unequal(row: int, other: int) -> InputError:
    return InputError(f"`strata` must be the same for all units of a cluster; `row {row}` and `row {other}` differ.")


def _drawn_strata(
    strata: object, elements: Elements, labelled: Integers, element: Integers, n_drawn: int
) -> tuple[Integers, tuple[str, ...]]:
    """Return the stratum of each drawn element. With inclusion probabilities, only labelled units need a stratum."""
    rows, values = partial_column(strata, n=elements.units, name="strata")
    lacking = np.setdiff1d(labelled, rows)
    if len(lacking):
        raise InputError(f"`strata` must not be missing for a unit with a label; `row {lacking[0]}` has none.")
    places = np.searchsorted(rows, labelled)
    codes, names = check_codes(values[places], n=len(labelled), name="strata")
    stratum = np.zeros(n_drawn, dtype=np.int64)
    stratum[element] = codes
    odd = np.flatnonzero(codes != stratum[element])
    if len(odd):
        other = labelled[(element == element[odd[0]]) & (codes == stratum[element[odd[0]]])]
        raise _unequal(int(labelled[odd[0]]), int(other[0]))
    return stratum, names


def _stratum_sizes(names: tuple[str, ...], stratum: Integers, chances: Floats, elements: int, noun: str) -> Integers:
    """Return the size of each stratum, N_h = n_h / π_h, rounded."""
    size = np.zeros(len(names), dtype=np.int64)
    exact = True
    for code, name in enumerate(names):
        stratum_chances = np.unique(chances[stratum == code])
        if len(stratum_chances) > 1 and stratum_chances.max() - stratum_chances.min() > 1e-6:
            raise InputError(
                f"`inclusion` must be the same for all units of a stratum; stratum {name!r} has {stratum_chances[0]:g} "
                f"and {stratum_chances[-1]:g}."
            )
        stated_size = float((stratum == code).sum() / stratum_chances[0])
        size[code] = round(stated_size)
        exact = exact and abs(stated_size - size[code]) <= ROUNDING_TOLERANCE * stated_size
    total = int(size.sum())
    source = "the strata and inclusion probabilities of the labelled units say"
    _check_size(float(total), elements, source, noun, 0.0 if exact else 2.0 * len(names))
    return size


def _check_size(stated_size: float, elements: int, source: str, noun: str, tolerance: float) -> None:
    """Raise InputError if Σ 1/π over the drawn units, an estimate of the number of all units, differs from `elements`,
    their true number, by more than the tolerance and by more than 1%."""
    if abs(stated_size - elements) > (max(tolerance, elements // 100) if tolerance else 0.0):
        raise InputError(
            f"{source} that there are {stated_size:,.0f} {noun}; there are {elements:,}. Pass the labels of all drawn "
            f"{noun}, and their inclusion probabilities from the sample.",
            untold=True,
        )


def _check_strata(names: tuple[str, ...], size: Integers, count: Integers, noun: str) -> None:
    for code in np.flatnonzero((count < np.minimum(2, size)) & (size > 0)):
        raise InputError(
            f"`strata`: {names[code]!r} has {size[code]:,} {noun} and {count[code]} with labels; each stratum needs 2, "
            "because only labels show what the model misses there. Label more units of it, or merge it with another.",
            untold=True,
        )


def _read_inclusion(
    inclusion: object, elements: Elements, labelled: Integers, element: Integers, first: Integers
) -> Floats:
    """Return the inclusion probability of each drawn element."""
    rows, column = partial_column(inclusion, n=elements.units, name="inclusion")
    values = np.empty(len(labelled))
    places = np.searchsorted(rows, labelled)
    for k, (row, place) in enumerate(zip(labelled.tolist(), places.tolist(), strict=True)):
        value = column[place] if place < len(rows) and rows[place] == row else None
        number = None if value is None else parse_number(str(value))
        if number is None or not MIN_CHANCE < number <= 1.0:
            shown = "empty" if value is None else repr(value.item() if isinstance(value, np.generic) else value)
            raise InputError(
                "`inclusion`, the probability that a unit was drawn for labelling, must be greater than 0 and at most "
                f"1 for a unit with a label; `row {row}` is {shown}. `howsure.draw_label_sample` gives it."
            )
        values[k] = number
    odd = np.flatnonzero(values != values[first][element])
    if len(odd):
        raise InputError(f"`inclusion` must be the same for all units of a cluster; `row {labelled[odd[0]]}` differs.")
    return np.asarray(values[first])
