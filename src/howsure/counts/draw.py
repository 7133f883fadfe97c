"""How the units with labels were drawn: alone or in clusters, within strata or with given chances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from howsure.counts.notes import Note, SamplingDesign
from howsure.errors import InputError, at_row, parameter
from howsure.inputs.checks import Codes, Column, as_column, check_codes, check_labels, is_missing
from howsure.inputs.numbers_and_names import spelled_number
from howsure.inputs.pairs import Floats, Integers

# Columns that hold something for some units only: labels, and how the units with labels were drawn.


def partial_column(values: object, *, n: int, name: str, beside: str = "y_prob") -> tuple[Integers, Column]:
    """The rows that hold something, in ascending order, and what they hold.

    A column (N,), in which None, NaN and "" stand for nothing, or a mapping of rows (from 0) to values.

    >>> partial_column({7: 1, 2: 0}, n=10, name="y_true")
    (array([2, 7]), array([0, 1], dtype=object))
    """
    if isinstance(values, Mapping):
        return _of_mapping(values, n, name)
    column = as_column(values, name=name)
    if len(column) != n:
        raise InputError(
            f"{parameter(name)} must have as many rows as {parameter(beside)}; it has {len(column):,}, "
            f"{parameter(beside)} has {n:,}."
        )
    if column.dtype.kind == "f":
        known = np.flatnonzero(~np.isnan(column))
    elif column.dtype.kind in "OUT":
        known = np.array([k for k, one in enumerate(column.tolist()) if not is_missing(one)], dtype=np.int64)
    else:
        known = np.arange(n)
    return known, column[known]


def partial_labels(
    labels: object, *, n: int, pos_label: object = None, name: str = "y_true", among: object = None
) -> tuple[Integers, Floats]:
    """The rows that have a label, and their labels as 0.0 or 1.0, or 1.0 where they are `pos_label`.

    among: labels of others, with which these have two values. See `partial_column`.

    Raises InputError for other labels than 0 and 1, or, with pos_label, for three values.
    """
    known, held = partial_column(labels, n=n, name=name)
    if len(known) == 0:
        return known, np.empty(0)
    others = held[:0] if among is None or pos_label is None else partial_column(among, n=n, name=name)[1]
    plain = _spelled_plainly(np.concatenate([one.astype(object) for one in (held, others)]) if len(others) else held)
    try:
        return known, check_labels(plain, pos_label=pos_label, name=name).astype(np.float64)[: len(held)]
    except (InputError, TypeError):
        odd = next((k for k, one in enumerate(plain.tolist()) if one not in (0, 1, "0", "1")), None)
        if odd is None or pos_label is not None:
            raise
        texts = Counter(map(str, held.tolist()))
        advice = (
            f" Say which value is positive: {parameter('pos_label', texts.most_common(1)[0][0])}."
            if len(texts) == 2
            else ""
        )
        said = f"{parameter(name)} must be 0, 1 or missing; {at_row(known[odd])} holds {held.tolist()[odd]!r}.{advice}"
        raise InputError(said) from None


def _of_mapping(values: Mapping[object, object], n: int, name: str) -> tuple[Integers, Column]:
    for row in values:
        if isinstance(row, (bool, np.bool_)) or not isinstance(row, (int, np.integer)) or not 0 <= row < n:
            raise InputError(f"{name} must map rows, 0 to {n - 1:,}, to values; one of its rows is {row!r}.")
    rows = sorted(int(row) for row, one in values.items() if not is_missing(one))  # type: ignore[call-overload]
    held = np.empty(len(rows), dtype=object)
    held[:] = [values[row] for row in rows]
    return np.array(rows, dtype=np.int64), held


def _spelled_plainly(labels: Column) -> Column:
    """Texts such as "1.0", which a column with gaps becomes in many programs, as "1" or "0"; the others as they are."""
    if labels.dtype.kind not in "OUT":
        return labels
    numbers = [spelled_number(one) if isinstance(one, str) else None for one in labels.tolist()]
    plain = np.empty(len(labels), dtype=object)
    plain[:] = [f"{n:g}" if n in (0.0, 1.0) else one for n, one in zip(numbers, labels.tolist(), strict=True)]
    return plain


SPREADS = 5.0  # standard deviations of Σ 1/π, as of units drawn independently, scaled up to the size there is
WHOLE = 1e-6  # relative distance of n_h / π_h from a whole number, beyond which π_h was rounded
PSEUDO = 0.5  # positives and negatives added where labels are all alike, for their variance only


@dataclass(frozen=True, slots=True)
class Draw:
    """What was drawn for labels: units or whole clusters ("elements"), without replacement within strata, or by chance.

    element: of each labelled unit, the place of its element among the drawn ones. stratum: of each drawn element;
    size: how many elements each stratum has. inclusion: of each drawn element, where chances were given instead of
    strata. note: on these sizes, if there is one. stratum_of_all: of each element, where it is known.
    """

    element: Integers
    stratum: Integers
    size: Integers
    inclusion: Floats | None
    is_clustered: bool = False
    note: Note | None = None
    stratum_of_all: Codes | None = None

    @property
    def is_simple(self) -> bool:
        """Whether single units were drawn at random from all."""
        return self.inclusion is None and len(self.size) == 1 and not self.is_clustered

    @property
    def weight(self) -> Floats:
        """How many elements each drawn one stands for."""
        if self.inclusion is not None:
            return np.asarray(1.0 / self.inclusion)
        labelled = np.bincount(self.stratum, minlength=len(self.size))
        return np.asarray((self.size / np.maximum(labelled, 1))[self.stratum])

    def per_drawn(self, values: Floats) -> Floats:
        """Sums of values of labelled units by drawn element."""
        found = np.bincount(self.element, weights=values, minlength=len(self.stratum))
        return found.astype(np.float64, copy=False)

    def variance(self, values: Floats) -> float:
        """The variance of Σ weight · value over drawn elements.

        Strata: Σ N_h² (1 - n_h/N_h) s²_h / n_h. Chances: n/(n - 1) Σ (1 - π_i) (v_i/π_i - c)², with c the mean of
        v/π weighted by 1 - π (Hájek 1964).
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

    def variance_of_alike(self, positives: Floats, seen: Floats) -> float:
        """What `variance` leaves out: the variance of strata whose labels in a domain are all 0, or all 1.

        positives, seen: of each drawn element, its positive and its labelled units in the domain. Where n elements are
        all 0 in such strata together, Σ N_h² (1 - f_h) p (1 - p) / n_h with p = (1/2) / (n + 1); the same of all 1.
        """
        if self.inclusion is not None:
            return 0.0
        columns = (np.ones(len(self.stratum)), seen > 0, seen, positives)
        drawn, n, labelled, found = (
            np.bincount(self.stratum, weights=one, minlength=len(self.size)) for one in columns
        )
        size = np.bincount(self.stratum, weights=self.weight * seen, minlength=len(self.size))
        total = 0.0
        for alike in ((n > 0) & (found == 0), (n > 0) & (found == labelled)):
            p = PSEUDO / (n[alike].sum() + 2 * PSEUDO)
            unread = 1.0 - drawn[alike] / self.size[alike]
            total += float((size[alike] ** 2 * unread / n[alike]).sum() * p * (1.0 - p))
        return total


@dataclass(frozen=True, slots=True)
class Elements:
    """What can be drawn: the units themselves (`of_unit` is None), or clusters of them, numbered from 0. called: what
    messages call the units."""

    units: int
    of_unit: Integers | None
    called: str = "units"

    @property
    def what(self) -> str:
        """What an element is called."""
        return self.called if self.of_unit is None else "clusters"

    def __len__(self) -> int:
        return self.units if self.of_unit is None else int(self.of_unit.max()) + 1

    def first(self) -> Integers | None:
        """The first unit of each cluster; None where units are drawn."""
        if self.of_unit is None:
            return None
        first = np.full(len(self), self.units)
        np.minimum.at(first, self.of_unit, np.arange(self.units))
        return first

    def of(self, rows: Integers) -> Integers:
        """The element of each of some units."""
        return rows if self.of_unit is None else np.asarray(self.of_unit[rows])


def read_draw(
    elements: Elements, labelled: Integers, *, strata: object, inclusion: object
) -> tuple[Draw, SamplingDesign]:
    """The draw of the labelled units, and how it was made.

    Raises InputError where clusters are labelled in part, chances or strata are missing or contradict each other, or a
    stratum has fewer than 2 labels.
    """
    _check_whole_clusters(elements, labelled)
    drawn, first, element = np.unique(elements.of(labelled), return_index=True, return_inverse=True)
    what, clustered = elements.what, elements.of_unit is not None
    chances = None if inclusion is None else _chances(inclusion, elements, labelled, element, first)
    if strata is None:
        stratum, size = np.zeros(len(drawn), dtype=np.int64), np.array([len(elements)])
        how = SamplingDesign(clustered, by_chance=chances is not None)
        if chances is None:
            _check_strata(("all",), size, np.array([len(drawn)]), what)
        else:
            said, variance = float((1.0 / chances).sum()), float(((1.0 - chances) / chances**2).sum())
            room = SPREADS * (variance * len(elements) / said) ** 0.5
            _check_size(said, len(elements), f"{parameter('inclusion')} says", what, room)
        of_all: Codes | None = np.zeros(len(elements), dtype=np.int8) if chances is None else None
        return Draw(element, stratum, size, chances, clustered, stratum_of_all=of_all), how
    note, of_all = None, None
    if chances is None:
        codes, names = check_codes(strata, n=elements.units, name="strata")
        of_all = stratum_of = _of_elements(codes, elements)
        stratum, size = stratum_of[drawn], np.bincount(stratum_of, minlength=len(names))
    else:
        stratum, names = _strata_of_drawn(strata, elements, labelled, element, len(drawn))
        size = _sizes(names, stratum, chances, len(elements), what)
        stated = int(size.sum())
        if stated != len(elements):
            note = Note("rounded_chances", {"stated": stated, "actual": len(elements), "clustered": clustered})
    _check_strata(names, size, np.bincount(stratum, minlength=len(names)), what)
    return Draw(element, stratum, size, None, clustered, note, of_all), SamplingDesign(clustered, len(names))


def _check_whole_clusters(elements: Elements, labelled: Integers) -> None:
    """InputError where a cluster has units with and without labels."""
    if elements.of_unit is None:
        return
    known = np.bincount(elements.of_unit[labelled], minlength=len(elements))
    size = np.bincount(elements.of_unit)
    partly = np.flatnonzero((known > 0) & (known < size))
    if len(partly):
        members = np.flatnonzero(elements.of_unit == partly[0])
        row = int(members[~np.isin(members, labelled)][0])
        raise InputError(
            f"a cluster is labelled as a whole or not at all; that of {at_row(row)} has labels for "
            f"{known[partly[0]]:,} of "
            f"its {size[partly[0]]:,} units ({len(partly):,} clusters in all). Label the others, or empty its labels."
        )


def _of_elements(codes: Integers, elements: Elements) -> Integers:
    """The stratum of each element from that of each unit; InputError where units of a cluster differ."""
    first = elements.first()
    if first is None or elements.of_unit is None:
        return codes
    held: Integers = codes[first]
    odd = np.flatnonzero(codes != held[elements.of_unit])
    if len(odd):
        raise _unequal(int(odd[0]), int(first[elements.of_unit[odd[0]]]))
    return held


def _unequal(row: int, other: int) -> InputError:
    return InputError(
        f"{parameter('strata')} must be the same for all units of a cluster; {at_row(row)} and {at_row(other)} differ."
    )


def _strata_of_drawn(
    strata: object, elements: Elements, labelled: Integers, element: Integers, n_drawn: int
) -> tuple[Integers, tuple[str, ...]]:
    """The stratum of each drawn element, where chances are known and strata may be missing for what was not drawn."""
    rows, values = partial_column(strata, n=elements.units, name="strata")
    lacking = np.setdiff1d(labelled, rows)
    if len(lacking):
        raise InputError(
            f"{parameter('strata')} must not be missing for a unit with a label; {at_row(lacking[0])} has none."
        )
    places = np.searchsorted(rows, labelled)
    codes, names = check_codes(values[places], n=len(labelled), name="strata")
    stratum = np.zeros(n_drawn, dtype=np.int64)
    stratum[element] = codes
    odd = np.flatnonzero(codes != stratum[element])
    if len(odd):
        other = labelled[(element == element[odd[0]]) & (codes == stratum[element[odd[0]]])]
        raise _unequal(int(labelled[odd[0]]), int(other[0]))
    return stratum, names


def _sizes(names: tuple[str, ...], stratum: Integers, chances: Floats, elements: int, what: str) -> Integers:
    """N_h = n_h / π_h of each stratum, rounded.

    Raises InputError where chances differ within a stratum, or the sizes do not add up: exact chances must.
    """
    size = np.zeros(len(names), dtype=np.int64)
    exact = True
    for code, name in enumerate(names):
        mine = np.unique(chances[stratum == code])
        if len(mine) > 1 and mine.max() - mine.min() > 1e-6:
            raise InputError(
                f"{parameter('inclusion')} must be one number within a stratum; {name!r} has {mine[0]:g} and "
                f"{mine[-1]:g}."
            )
        said = float((stratum == code).sum() / mine[0])
        size[code] = round(said)
        exact = exact and abs(said - size[code]) <= WHOLE * said
    total = int(size.sum())
    who = "the strata and inclusion probabilities of the labelled units say"
    _check_size(float(total), elements, who, what, 0.0 if exact else 2.0 * len(names))
    return size


def _check_size(said: float, elements: int, who: str, what: str, room: float) -> None:
    """InputError where Σ 1/π, which estimates how many there are, is off by more than the room and 1 %; none for 0."""
    if abs(said - elements) > (max(room, elements // 100) if room else 0.0):
        raise InputError(
            f"{who} that there are {said:,.0f} {what}; there are {elements:,}. Give labels for all drawn {what}, and "
            "the inclusion probabilities that the sample gave.",
            untold=True,
        )


def _check_strata(names: tuple[str, ...], size: Integers, count: Integers, what: str) -> None:
    for code in np.flatnonzero((count < np.minimum(2, size)) & (size > 0)):
        raise InputError(
            f"{parameter('strata')}: {names[code]!r} has {size[code]:,} {what} and {count[code]} with labels; each "
            "needs 2, since nothing else shows what the model misses there. Label more of it, or merge it with "
            "another.",
            untold=True,
        )


def _chances(inclusion: object, elements: Elements, labelled: Integers, element: Integers, first: Integers) -> Floats:
    """The chance of each drawn element."""
    rows, held = partial_column(inclusion, n=elements.units, name="inclusion")
    values = np.empty(len(labelled))
    places = np.searchsorted(rows, labelled)
    for k, (row, place) in enumerate(zip(labelled.tolist(), places.tolist(), strict=True)):
        one = held[place] if place < len(rows) and rows[place] == row else None
        number = None if one is None else spelled_number(str(one))
        if number is None or not 0.0 < number <= 1.0:
            said = "none" if one is None else repr(one.item() if isinstance(one, np.generic) else one)
            raise InputError(
                f"{parameter('inclusion')}, the probability that a unit was drawn for labelling, must lie in (0, 1] "
                f"where there is a label; {at_row(row)} has {said}. {parameter('howsure.sample_for_labels')} gives it."
            )
        values[k] = number
    odd = np.flatnonzero(values != values[first][element])
    if len(odd):
        raise InputError(
            f"{parameter('inclusion')} must be the same for all units of a cluster; {at_row(labelled[odd[0]])} differs."
        )
    return np.asarray(values[first])
