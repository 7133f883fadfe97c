"""Pairs as a stream of chunks in bounded memory, each to be checked by whoever works on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.calibration.summary.slots import Slots
from howsure.data.predictions.labels import label_counts, labels_refused
from howsure.data.predictions.missing import Selection, missing_in
from howsure.data.tables.columns import Column
from howsure.data.tables.database import NullFound, chunks
from howsure.errors import Fault, InputError
from howsure.inputs.checks import no_number, no_probability, no_weight, weighs_nothing
from howsure.inputs.log_scale import LOG_PROBABILITIES, LOGITS, exp_sql, sigmoid_sql
from howsure.inputs.numerals import spelled_number
from howsure.inputs.pairs import Floats

CHUNK = 1 << 18  # rows: so many that what is done per chunk does not count
Chunk = list[Any]  # probabilities, labels, weights if there are any, codes of groups if asked for


class BadValue(Exception):
    """A chunk holds something that is no probability, label or weight."""


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
