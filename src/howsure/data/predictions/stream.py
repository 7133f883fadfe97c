"""Pairs as a repeatable stream in bounded memory, with every chunk checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.data.predictions.groups import codes_sql
from howsure.data.predictions.labels import label_counts, not_two_values
from howsure.data.predictions.missing import Selection, missing_value
from howsure.data.tables.columns import Column
from howsure.data.tables.database import NullFound, chunks
from howsure.data.tables.decimal_commas import comma_advice
from howsure.errors import InputError
from howsure.inputs.checks import probability_advice
from howsure.inputs.log_scale import LOG_PROBABILITIES, LOGITS, exp_sql, sigmoid_sql
from howsure.inputs.numerals import spelled_number
from howsure.inputs.pairs import Chunk, Floats, Integers, Labels

CodedChunk = tuple[Integers, Floats, Labels]


@dataclass(frozen=True, slots=True)
class PairStream:
    """The pairs of the used rows: a `PairSource` that rereads the files each time.

    `scale` says that the column `prob` holds logits or log-probabilities.
    """

    selection: Selection
    label: Column
    prob: Column
    label_sql: str
    group: Column | None = None
    scale: str | None = None

    @property
    def probability(self) -> str:
        """The probability in SQL; null if the column holds none."""
        ways = {LOGITS: sigmoid_sql, LOG_PROBABILITIES: exp_sql}
        return self.prob.number if self.scale is None else ways[self.scale](self.prob.number)

    def chunks(self) -> Iterator[Chunk]:
        """The pairs, one chunk at a time."""
        return ((probabilities, labels) for probabilities, labels in self._read())

    def probabilities(self) -> Floats:
        """The probabilities alone, all of them."""
        try:
            query = self.selection.query([self.probability])
            parts = [part for (part,) in chunks(self.selection.table.connection, query, [np.float64])]
        except NullFound:
            raise self._fault() from None
        found: Floats = np.concatenate(parts)
        if not (found.min() >= 0.0 and found.max() <= 1.0):
            raise self._fault()
        return found

    def coded_chunks(self, names: Sequence[str]) -> Iterator[CodedChunk]:
        """The pairs, one chunk at a time, each after the position of its group among the `names` of all groups."""
        assert self.group is not None
        codes = codes_sql(self.selection.table.connection, self.group.text, names)
        for probabilities, labels, coded in self._read(codes):
            yield coded, probabilities, labels

    def _read(self, *codes: str) -> Iterator[list[Any]]:
        query = self.selection.query([self.probability, self.label_sql, *codes])
        dtypes = [np.float64, np.uint8, *(np.int64 for _ in codes)]
        try:
            for chunk in chunks(self.selection.table.connection, query, dtypes):
                low, high = chunk[0].min(), chunk[0].max()  # NaN goes through both
                if not (low >= 0.0 and high <= 1.0 and chunk[1].max() <= 1):
                    raise self._fault()
                yield chunk
        except NullFound:
            raise self._fault() from None

    def _fault(self) -> InputError:
        """The error in the first invalid row: a missing value, an invalid probability, or a label."""
        for column, role in ((self.label, "text"), (self.prob, "number")):
            test = column.missing(role=role)
            if self.selection.has(test):
                return missing_value(self.selection.table, column, f"{self.selection.where} AND {test}")
        number = self.probability
        bad = f"({number} IS NULL OR NOT ({number} >= 0 AND {number} <= 1))"
        if self.selection.has(bad):
            return self._no_probability(bad)
        return not_two_values(self.label, label_counts(self.selection, self.label))

    def _no_probability(self, bad: str) -> InputError:
        place, held = self.selection.place(bad, self.prob.text)
        value = spelled_number(str(held))
        if value is None:
            advice = comma_advice(str(held)) or "Leave such rows out first."
            what = "in [0, 1]" if self.scale is None else f"({self.scale})"
            return InputError(f"{self.prob.name} must be a number {what}; {place} holds {held!r}. {advice}")
        highest = self.selection.ask(f"max({self.prob.number})")[0][0]
        if self.scale is not None:
            what = {LOGITS: "a finite logit", LOG_PROBABILITIES: "a log-probability, at most 0"}[self.scale]
            return InputError(f"{self.prob.name} must be {what}; {place} holds {held}.")
        advice = probability_advice(value, float(str(highest)), in_file=True)
        return InputError(f"{self.prob.name} must lie in [0, 1]; {place} holds {held}. {advice}")
