"""Predictions read from files: how many, in which groups, and their pairs in memory, as a stream or as sums."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from howsure.data.predictions.selection import (
    SEPARATE,
    Selection,
    apart_by_file,
    codes_sql,
    enumerated_sql,
    group_sizes,
    label_counts,
    label_sql,
    labels_refused,
    missing_in,
)
from howsure.data.tables.columns import Column
from howsure.data.tables.database import BadValue, NullFound, chunks, reading
from howsure.errors import Fault, InputError
from howsure.inputs.checks import check_clusters, check_weights, no_number, no_probability, no_weight, weighs_nothing
from howsure.inputs.classes import LOG_PROBABILITIES, LOGITS, exp_sql, sigmoid_sql
from howsure.inputs.naming import unknown_name
from howsure.inputs.numbers import spelled_number
from howsure.inputs.pairs import Floats, Integers, Labels, Pairs

if TYPE_CHECKING:
    from howsure.calibration.slots import Slots
    from howsure.data.predictions.stream import StoredGroups

# Pairs as a stream of chunks in bounded memory, each to be checked by whoever works on it.

CHUNK = 1 << 18  # rows: so many that what is done per chunk does not count
Chunk = list[Any]  # probabilities, labels, weights if there are any, codes of groups if asked for


@dataclass(frozen=True, slots=True)
class PairStream:
    """The pairs of the used rows, read anew each time.

    `scale` says that the column `prob` holds logits or log-probabilities.
    """

    selection: Selection
    label: Column
    prob: Column
    label_sql: str
    group: Column | None = None
    weight: Column | None = None
    scale: str | None = None

    @property
    def probability(self) -> str:
        """The probability in SQL; null if the column holds none."""
        ways = {LOGITS: sigmoid_sql, LOG_PROBABILITIES: exp_sql}
        return self.prob.number if self.scale is None else ways[self.scale](self.prob.number)

    def chunks(self, codes: str | None = None, *, weighted: bool = True) -> Iterator[Chunk]:
        """The pairs, `CHUNK` at a time, in the order of the files, unchecked but for nulls; `codes` is in SQL."""
        query, dtypes = [self.probability, self.label_sql], [np.float64, np.uint8]
        if self.weight is not None and weighted:
            query, dtypes = [*query, self.weight.number], [*dtypes, np.float64]
        if codes is not None:
            query, dtypes = [*query, codes], [*dtypes, np.uint32]
        try:
            yield from chunks(self.selection.table.connection, self.selection.query(query), dtypes, rows=CHUNK)
        except NullFound:
            raise self.fault() from None

    def check(self, chunk: Chunk) -> None:
        """Raise BadValue if a chunk holds a value that must not be there."""
        low, high = chunk[0].min(), chunk[0].max()  # NaN goes through both
        if not (low >= 0.0 and high <= 1.0 and chunk[1].max() <= 1):
            raise BadValue
        if chunk[2:] and self.weight is not None and not (chunk[2].min() >= 0.0 and chunk[2].max() < np.inf):
            raise BadValue

    def weighed(self, slots: Slots, group: str | None = None) -> Slots:
        """The slots of the pairs, or of a group.

        Raises InputError if their weights are all 0, or their fourth powers, which intervals need, no numbers.
        """
        if self.weight is not None and not len(slots.slot):
            from howsure.calibration.table import group_weighs_nothing

            if group is None:
                raise weighs_nothing(self.weight.called)
            raise group_weighs_nothing(group)
        if self.weight is not None and not 0.0 < slots.powers()[3].sum() < np.inf:
            raise InputError(f"{self.weight.name} must have fourth powers with a finite sum. Divide by the largest.")
        return slots

    def probabilities(self) -> Floats:
        """The probabilities alone, all of them."""
        try:
            query = self.selection.query([self.probability])
            parts = [part for (part,) in chunks(self.selection.table.connection, query, [np.float64])]
        except NullFound:
            raise self.fault() from None
        found: Floats = np.concatenate(parts)
        if not (found.min() >= 0.0 and found.max() <= 1.0):
            raise self.fault()
        return found

    def fault(self) -> InputError:
        """The error in the first invalid row: a missing value, an invalid probability, a weight, or a label."""
        columns = [(self.label, "text"), (self.prob, "number")]
        columns += [] if self.weight is None else [(self.weight, "number")]
        for column, role in columns:
            missing = missing_in(self.selection, column, role)
            if missing is not None:
                return missing
        number = self.probability
        bad = f"({number} IS NULL OR NOT ({number} >= 0 AND {number} <= 1))"
        if self.selection.has(bad):
            return self._no_probability(bad)
        if self.weight is not None and self.selection.has(no_weight_sql(self.weight)):
            return bad_weight(self.selection, self.weight)
        return labels_refused(self.label, label_counts(self.selection, self.label))

    def _no_probability(self, bad: str) -> InputError:
        place, held = self.selection.place(bad, self.prob.text)
        name, value = self.prob.called, spelled_number(str(held))
        if value is None:
            return no_number(name, repr(held), place=place)
        if self.scale is not None:
            what = {LOGITS: "must be a finite logit", LOG_PROBABILITIES: "must be a log-probability, at most 0"}
            return InputError(Fault(name, what[self.scale], str(held), place=place))
        highest = self.selection.ask(f"max({self.prob.number})")[0][0]
        return no_probability(name, repr(value), highest=float(str(highest)), place=place)


def no_weight_sql(column: Column) -> str:
    """Whether the value is not a finite weight of at least 0, in SQL."""
    return f"({column.number} IS NULL OR NOT ({column.number} >= 0 AND {column.number} < CAST('inf' AS DOUBLE)))"


def bad_weight(selection: Selection, column: Column) -> InputError:
    """The error in the first row whose weight is none."""
    missing = missing_in(selection, column, "number")
    if missing is not None:
        return missing
    place, held = selection.place(no_weight_sql(column), column.text)
    name, value = column.called, spelled_number(str(held))
    return no_number(name, repr(held), place=place) if value is None else no_weight(name, repr(value), place=place)


def _nobody(rows: int) -> None:
    """What is told of progress where nobody listens."""


@dataclass(frozen=True, slots=True)
class ClassRows:
    """The classes of each row, before they are reduced to pairs: `matrix` (n, K) of probabilities, or, as `scale` says,
    of logits or log-probabilities; `codes` (n,), the column of the label; the `names` of the columns."""

    matrix: Floats
    scale: str | None
    codes: Integers
    names: tuple[str, ...]


@dataclass(frozen=True)
class Predictions:
    """The checked prediction–label pairs of files: `n` of them, held in memory if they are few, added up if many.

    Made by `open_predictions`. `columns` are the names of the columns by their role; `group_sizes` the pairs of every
    group, in natural order. A context manager: the scratch files are removed at its end, or when it is no longer
    referenced.
    """

    n: int
    columns: dict[str, Any]
    group_sizes: dict[str, int]
    selection: Selection = field(repr=False)
    load: Callable[[], Pairs] = field(repr=False)
    stream: PairStream | None = field(repr=False)  # None: from memory
    notes: dict[str, Any] = field(default_factory=dict)
    said: str = field(default="", repr=False)  # what a log was taken for
    class_rows: ClassRows | None = field(default=None, repr=False)  # where they are kept

    @property
    def skipped(self) -> dict[str, int]:
        """The number of rows left out, by the first column with a missing value."""
        return self.selection.skipped

    @property
    def group_names(self) -> tuple[str, ...]:
        """The groups in natural order; () if there are none."""
        return tuple(self.group_sizes)

    def describe(self) -> dict[str, Any]:
        """What was read, for the recipe of a result: files, rows used and left out, columns by their role, notes."""
        files = [file.name for file in self.selection.table.files]
        rows = {"files": files, "rows": self.selection.n, "skipped": self.skipped}
        columns = {"target" if role == "label" else role: name for role, name in self.columns.items()}
        return {**rows, **columns, **self.notes}

    def source(self, group: str | None = None, *, advance: Callable[[int], None] = _nobody) -> Pairs | Slots:
        """The pairs, or those of one group: themselves if all together are few, else their sums, in one reading.

        `advance` is told how many rows were read. Of a stream, the first group costs a reading of the files, the others
        none.
        """
        if group is not None and group not in self.group_sizes:
            raise unknown_name("group", group, self.group_names, place=self.selection.table.name)
        if self.stream is None:
            pairs = self.pairs() if group is None else self.pairs().only(self._rows_by_group[group])
            advance(len(pairs))
            return pairs
        if group is not None:
            return self._stored_groups.slots(group, advance)
        from howsure.data.predictions.stream import added_up

        return added_up(self.stream, advance)

    def pairs(self) -> Pairs:
        """All pairs in memory, in the order of the files, with weights, groups and clusters."""
        return self._pairs

    def features(self, names: Sequence[str]) -> dict[str, Any]:
        """Further columns of the same rows, as `feature_columns` makes them."""
        from howsure.data.predictions.features import feature_columns

        return feature_columns(self.selection, names)

    def close(self) -> None:
        """Remove the scratch files; data in memory remain."""
        self.selection.table.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @cached_property
    def _pairs(self) -> Pairs:
        return self.load()

    @cached_property
    def _rows_by_group(self) -> dict[str, Integers]:
        groups = self.pairs().groups
        codes = np.zeros(0, np.int64) if groups is None else groups
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(1, len(self.group_names)))
        return dict(zip(self.group_names, np.split(order, starts), strict=True))

    @cached_property
    def _stored_groups(self) -> StoredGroups:
        from howsure.data.predictions.stream import StoredGroups

        assert self.stream is not None
        return StoredGroups(self.stream, self.group_sizes)


# The pairs of the used rows, with weights, group codes and cluster codes, all in the order of the files.

MOST_CODED = 1_000_000  # names that become a type of the database


def one_probability(
    selection: Selection,
    columns: dict[str, Column],
    prob: Column,
    scale: str | None,
    names: dict[str, Any],
    notes: dict[str, Any],
    positive: str | None,
    exact_up_to: int,
) -> Predictions:
    """The predictions of one probability per row, added up where they are more than `exact_up_to`."""
    label, group = columns["label"], columns.get("group")
    targets = label_sql(selection, label, positive)
    stream = PairStream(selection, label, prob, targets, group, columns.get("weight"), scale)
    sizes = {} if group is None else group_sizes(selection, group)

    def load() -> Pairs:
        probabilities, labels = load_pairs(stream)
        return Pairs(labels, probabilities, *extras(selection, columns, tuple(sizes), notes))

    streamed = stream if selection.n > exact_up_to else None
    return Predictions(selection.n, names, sizes, selection, load, streamed, notes)


def extras(
    selection: Selection, columns: dict[str, Column], group_names: tuple[str, ...], notes: dict[str, Any]
) -> tuple[Floats | None, Integers | None, tuple[str, ...], Integers | None]:
    """The weights, the groups with their names, and the clusters of the used rows; None for what there is not."""
    weight, group, cluster = (columns.get(role) for role in ("weight", "group", "cluster"))
    separate = notes.get("across_files") == SEPARATE
    return (
        None if weight is None else load_weights(selection, weight),
        None if group is None else load_groups(selection, group, group_names),
        group_names,
        None if cluster is None else load_clusters(selection, cluster, separate=separate),
    )


def load_pairs(stream: PairStream) -> tuple[Floats, Labels]:
    """The probabilities and labels of all pairs of a stream."""
    probabilities, labels = np.empty(stream.selection.n), np.empty(stream.selection.n, np.uint8)
    start = 0
    try:
        for chunk in stream.chunks(weighted=False):
            stream.check(chunk)
            stop = start + len(chunk[0])
            probabilities[start:stop], labels[start:stop] = chunk
            start = stop
    except BadValue:
        raise stream.fault() from None
    return probabilities, labels


def load_weights(selection: Selection, column: Column) -> Floats:
    """The weights; InputError naming file and row if one is no number, negative or infinite."""
    query = selection.query([column.number])
    try:
        weights: Floats = np.concatenate([part for (part,) in chunks(selection.table.connection, query, [np.float64])])
    except NullFound:
        weights = np.array([math.nan])
    if weights.min() >= 0 and weights.max() < math.inf:
        return check_weights(weights, n=selection.n, name=column.name)
    raise bad_weight(selection, column)


def load_groups(selection: Selection, column: Column, names: tuple[str, ...]) -> Integers:
    """The position of each row's group among `names`."""
    connection = selection.table.connection
    query = selection.query([codes_sql(connection, column.text, names)])
    return np.concatenate([codes for (codes,) in chunks(connection, query, [np.int64])])


def load_clusters(selection: Selection, column: Column, *, separate: bool = False) -> Integers:
    """The cluster of each row as a code from 0; if `separate`, equal values of different files are two clusters."""
    codes = _text_codes(selection, column) if column.parts or column.is_text else None
    if codes is None:
        values = load_values(selection, f"{column.sql if column.is_integer else column.text}")
        codes = check_clusters(values, n=selection.n, name=column.name)
    return apart_by_file(selection, codes) if separate else codes


def _text_codes(selection: Selection, column: Column) -> Integers | None:
    """The position of each row's text among all of them, in order; None where they are too many for a type of names.

    The database codes them: as objects of Python, long keys of many rows take seconds.
    """
    (count,) = selection.ask(f"approx_count_distinct({column.text})")[0]
    if int(str(count)) > MOST_CODED:
        return None
    connection = selection.table.connection
    query = selection.query([enumerated_sql(selection, column)])
    return np.concatenate([codes for (codes,) in chunks(connection, query, [np.int64])])


def load_values(selection: Selection, sql: str) -> npt.NDArray[Any]:
    """An expression of each used row, in the order of the files."""
    with reading(selection.table.name):
        return np.asarray(selection.table.connection.sql(selection.query([f"{sql} AS value"])).fetchnumpy()["value"])
