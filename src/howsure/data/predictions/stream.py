"""Pairs as a stream of chunks in bounded memory, and their sums: of all, and of each group."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import cycle
from operator import add
from typing import IO, Any, TypeVar

import numpy as np

from howsure.calibration.slots import SlotAdder, Slots, slots_of
from howsure.data.predictions.selection import Selection, enum_sql, label_counts, labels_refused, missing_in
from howsure.data.tables.columns import Column
from howsure.data.tables.database import THREADS, NullFound, chunks
from howsure.errors import Fault, InputError
from howsure.inputs.checks import no_number, no_probability, no_weight, weighs_nothing
from howsure.inputs.classes import LOG_PROBABILITIES, LOGITS, exp_sql, sigmoid_sql
from howsure.inputs.numbers import spelled_number
from howsure.inputs.pairs import Floats, Integers, Pairs

# Pairs as a stream of chunks in bounded memory, each to be checked by whoever works on it.

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


# Work on a stream by several threads, with results that do not depend on which of them was quicker.

Item = TypeVar("Item")
Result = TypeVar("Result")
AHEAD = 2  # items that wait for each worker


def in_turns(items: Iterable[Item], workers: Sequence[Callable[[Item], Result]]) -> Iterator[Result]:
    """The results of the items, in order; each worker has a thread of its own and gets every k-th item.

    An error of a worker is raised in the place of its result, and ends the work.
    """
    pools = [ThreadPoolExecutor(1) for _ in workers]
    waiting: deque[Future[Result]] = deque()
    try:
        for item, (pool, work) in zip(items, cycle(list(zip(pools, workers, strict=True))), strict=False):
            waiting.append(pool.submit(work, item))
            if len(waiting) > AHEAD * len(workers):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for pool in pools:
            pool.shutdown(cancel_futures=True)


# All pairs of a stream, added up by slot in one reading, by two threads.


def added_up(stream: PairStream, advance: Callable[[int], None]) -> Slots:
    """The slots of all pairs; `advance` is told how many were read.

    Raises InputError at the first row that holds a value that must not be there.
    """
    adders = [SlotAdder() for _ in range(THREADS)]
    weightless = 0
    try:
        for rows, without in in_turns(stream.chunks(), [partial(_add, stream, adder) for adder in adders]):
            weightless += without
            advance(rows)
    except BadValue:
        raise stream.fault() from None
    return stream.weighed(replace(reduce(add, (adder.slots() for adder in adders)), weightless=weightless))


def _add(stream: PairStream, adder: SlotAdder, chunk: Chunk) -> tuple[int, int]:
    """The pairs of a chunk, and how many of them have weight 0."""
    stream.check(chunk)
    rows = len(chunk[0])
    if stream.weight is not None and not chunk[2].all():
        weigh = np.flatnonzero(chunk[2])
        chunk = [column[weigh] for column in chunk]
    with np.errstate(over="ignore"):  # of fourth powers of weights, which are refused then
        adder.add(*chunk)
    return rows, rows - len(chunk[0])


# Streamed pairs sorted by group into scratch files, in one reading, so that each group is then added up alone.

FILES = ("pairs", "weights")  # in the scratch folder, 8 bytes a pair each; the sign of a probability is its label
CHUNKS_HELD = 16  # sorted chunks that are written together: longer runs of each group


class StoredGroups:
    """The pairs of every group of a stream, one group after the other; `sizes` are the pairs of all groups.

    The scratch folder lives as long as this does.
    """

    def __init__(self, stream: PairStream, sizes: dict[str, int]) -> None:
        self._stream, self._sizes = stream, sizes
        self._starts = dict(zip(sizes, np.cumsum([0, *sizes.values()]).tolist(), strict=False))
        self._folder = stream.selection.table.database.folder
        self._names = FILES[: 1 if stream.weight is None else 2]
        self._stored = False

    def slots(self, group: str, advance: Callable[[int], None]) -> Slots:
        """The slots of a group. The first one costs a reading of the files; `advance` is told how many rows were read.

        Raises InputError at the first row that holds a value that must not be there.
        """
        if not self._stored:
            self._store(advance)
            self._stored = True
        start, rows = self._starts[group], self._sizes[group]
        signed, weights = (self._read(name, start, rows) for name in FILES)
        assert signed is not None
        found = slots_of(Pairs(np.signbit(signed).view(np.uint8), np.abs(signed), weights))
        return self._stream.weighed(found, group)

    def _read(self, name: str, start: int, rows: int) -> Floats | None:
        return np.fromfile(self._folder / name, np.float64, rows, offset=8 * start) if name in self._names else None

    def _store(self, advance: Callable[[int], None]) -> None:
        stream, held = self._stream, list[list[Any]]()
        assert stream.group is not None
        codes = enum_sql(stream.selection.table.connection, stream.group.text, tuple(self._sizes))
        free = np.array(list(self._starts.values()))  # where the next pair of each group goes
        files = [open(self._folder / name, "wb") for name in self._names]  # noqa: SIM115
        try:
            for runs in in_turns(stream.chunks(codes), [partial(_sorted, stream, len(self._sizes))] * THREADS):
                held.append(runs)
                advance(len(runs[1]))
                if len(held) == CHUNKS_HELD:
                    _write(files, held, free)
                    held.clear()
            _write(files, held, free)
        except BadValue:
            raise stream.fault() from None
        finally:
            for file in files:
                file.close()


def _sorted(stream: PairStream, groups: int, chunk: Chunk) -> list[Any]:
    """Where each group begins in a chunk sorted by them, its pairs, and weights if there are any."""
    stream.check(chunk)
    probabilities, labels, *weights, codes = chunk
    order = np.argsort(codes.astype(np.min_scalar_type(groups)), kind="stable")
    bounds = np.cumsum(np.bincount(codes + np.uint32(1), minlength=groups + 1))
    signed = np.copysign(probabilities, 0.5 - labels)
    return [bounds, *(column[order] for column in (signed, *weights))]


def _write(files: Sequence[IO[bytes]], held: list[list[Any]], free: Integers) -> None:
    """Write what sorted chunks hold of each group where the next pair of the group goes."""
    if not held:
        return
    bounds = np.array([runs[0] for runs in held])
    rows = np.diff(bounds).sum(axis=0)
    for group in np.flatnonzero(rows).tolist():
        cuts = [slice(start, stop) for start, stop in bounds[:, group : group + 2].tolist()]
        for column, file in enumerate(files, 1):
            file.seek(8 * int(free[group]))
            file.write(np.concatenate([runs[column][cut] for runs, cut in zip(held, cuts, strict=True)]).data)
    free += rows
