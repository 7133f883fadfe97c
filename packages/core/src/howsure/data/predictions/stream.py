"""Stream pairs in bounded memory, and add them up over all pairs and by group, in one pass with several threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import cycle
from operator import add
from typing import IO, Any, TypeVar

import numpy as np

from howsure.calibration.slots import SlotAdder, Slots, sum_by_slot
from howsure.data.predictions.classes import label_counts
from howsure.data.predictions.selection import Selection, class_matrix, enum_sql, not_a_number_in
from howsure.data.tables.connections import THREADS
from howsure.data.tables.database import Column, NullFound, chunks
from howsure.errors import InputError, renumbered_rows
from howsure.inputs.checks import is_weight, not_a_weight, not_two_values, weighs_nothing
from howsure.inputs.pairs import Floats, Integers, Labels, Pairs
from howsure.inputs.pairs_from import check_one_probability

# A stream of chunks of pairs in bounded memory; each chunk is checked by the same rules as arrays.

LABEL = 1  # the column of labels in a stream, after that of probabilities
CHUNK = 1 << 18  # rows: enough that the cost per chunk is negligible
Chunk = list[Any]  # probabilities, labels, weights if there are any, codes of groups if requested


@dataclass(frozen=True, slots=True)
class PairStream:
    """The pairs of the used rows, which are read again for each use: columns by role, and the column of probabilities.

    scale: "logits" or "logprobs" if the column contains these; None for probabilities. label_sql: the label in SQL.
    reduction: as in `Pairs`.
    """

    selection: Selection
    columns: Mapping[str, Column]
    y_prob: Column
    scale: str | None = None
    label_sql: str = "NULL"
    reduction: str | None = None

    @property
    def sample_weight(self) -> Column | None:
        """The column of weights, if there is one."""
        return self.columns.get("sample_weight")

    def chunks(self, codes: str | None = None, *, weighted: bool = True) -> Iterator[Chunk]:
        """Yield the checked pairs in chunks of `CHUNK` rows, in the order of the files. codes: SQL for group codes."""
        query, dtypes = [self.y_prob.number, self.label_sql], [np.float64, np.uint8]
        if self.sample_weight is not None and weighted:
            query, dtypes = [*query, self.sample_weight.number], [*dtypes, np.float64]
        if codes is not None:
            query, dtypes = [*query, codes], [*dtypes, np.uint32]
        start = 0
        try:
            for chunk in chunks(self.selection.table.connection, self.selection.query(query), dtypes, rows=CHUNK):
                yield self._checked(chunk, start, weighted=weighted)
                start += len(chunk[0])
        except NullFound as null:
            raise self._invalid(null.column, null.row) from None

    def _checked(self, chunk: Chunk, start: int, *, weighted: bool) -> Chunk:
        with renumbered_rows(lambda row: self.selection.place_of(start + row)):
            probabilities = check_one_probability(chunk[0], self.scale, name=self.y_prob.called)
            if self.sample_weight is not None and weighted and not is_weight(chunk[2]).all():
                row = int(is_weight(chunk[2]).argmin())
                raise not_a_weight(self.sample_weight.called, float(chunk[2][row]), row=row)
        if chunk[1].max() > 1:
            raise self._invalid(LABEL, start)
        return [probabilities, *chunk[1:]]

    def _invalid(self, place: int, row: int) -> InputError:
        """Return the error for a label other than 0 and 1, or for a row without a number. place: the column's index in
        the stream."""
        label = self.columns["y_true"]
        if place == LABEL:
            return not_two_values(label_counts(self.selection, label), pos_label=None, name=label.called, in_file=True)
        column = self.y_prob if self.sample_weight is None or place == 0 else self.sample_weight
        return not_a_number_in(self.selection, column, row, lists=False)

    def pairs(self) -> tuple[Labels, Floats]:
        """The labels and probabilities of all pairs."""
        labels, probabilities = np.empty(self.selection.n, np.uint8), np.empty(self.selection.n)
        start = 0
        for block in self.blocks():
            stop = start + len(block)
            labels[start:stop], probabilities[start:stop] = block.labels, block.probabilities
            start = stop
        return labels, probabilities

    def blocks(self) -> Iterator[Pairs]:
        """Labels and probabilities, in blocks of `CHUNK` rows."""
        for probabilities, labels in self.chunks(weighted=False):
            yield Pairs(labels, probabilities)

    def probabilities(self) -> Floats:
        """All probabilities, without labels."""
        values = class_matrix(self.selection, [self.y_prob], lists=False)[:, 0]
        with renumbered_rows(self.selection.place_of):
            return check_one_probability(values, self.scale, name=self.y_prob.called)


# Process a stream with several threads; the results do not depend on their speed.

Item = TypeVar("Item")
Result = TypeVar("Result")
AHEAD = 2  # items that wait for each worker


def process_in_turns(items: Iterable[Item], workers: Sequence[Callable[[Item], Result]]) -> Iterator[Result]:
    """Yield the results of the items, in order; each of k workers has its own thread and processes every k-th item.

    An error of a worker is raised instead of its result, and ends the work.
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


# Add up all pairs of a stream by slot in one pass, with two threads.


def sum_stream(stream: PairStream, advance: Callable[[int], None]) -> Slots:
    """Add up all pairs by slot. advance: a function that is called with the number of rows read.

    Raises InputError for the first row with an invalid value.
    """
    adders = [SlotAdder() for _ in range(THREADS)]
    weightless = 0
    for rows, without in process_in_turns(stream.chunks(), [partial(_add, stream, adder) for adder in adders]):
        weightless += without
        advance(rows)
    return _check_weights(stream, replace(reduce(add, (adder.slots() for adder in adders)), weightless=weightless))


def _add(stream: PairStream, adder: SlotAdder, chunk: Chunk) -> tuple[int, int]:
    """Add the pairs of a chunk, and return how many have weight 0."""
    rows = len(chunk[0])
    if stream.sample_weight is not None and not chunk[2].all():
        weigh = np.flatnonzero(chunk[2])
        chunk = [column[weigh] for column in chunk]
    with np.errstate(over="ignore"):  # of fourth powers of weights, which are refused then
        adder.add(*chunk)
    return rows, rows - len(chunk[0])


def _check_weights(stream: PairStream, slots: Slots, group: str | None = None) -> Slots:
    """The slots of the pairs or of a group, after a check of their weights."""
    weights = stream.sample_weight
    if weights is not None and not len(slots.slot):
        from howsure.calibration.table import group_weighs_nothing

        raise weighs_nothing(weights.called) if group is None else group_weighs_nothing(group)
    if weights is not None and not 0.0 < slots.powers()[3].sum() < np.inf:
        raise InputError(
            f"{weights.name} must be smaller, because the sum of their fourth powers is infinite. Divide all weights "
            "by the largest."
        )
    return replace(slots, reduction=stream.reduction)


# Sort streamed pairs by group into temporary files in one pass, so that each group can be added up separately.

FILES = ("pairs", "weights")  # temporary files with 8 bytes per pair; the sign of a probability is its label
CHUNKS_HELD = 16  # sorted chunks that are written together: longer runs of each group


class StoredGroups:
    """The pairs of every group of a stream, one group after another; `sizes` are the numbers of pairs per group.

    The temporary folder is removed with this object.
    """

    def __init__(self, stream: PairStream, sizes: dict[str, int]) -> None:
        self._stream, self._sizes = stream, sizes
        self._starts = dict(zip(sizes, np.cumsum([0, *sizes.values()]).tolist(), strict=False))
        self._folder = stream.selection.table.database.folder
        self._names = FILES[: 1 if stream.sample_weight is None else 2]
        self._stored = False

    def slots(self, group: str, advance: Callable[[int], None]) -> Slots:
        """Add up the pairs of a group by slot. The first call reads the files, and calls `advance` with row counts.

        Raises InputError for the first row with an invalid value.
        """
        if not self._stored:
            self._store(advance)
            self._stored = True
        start, rows = self._starts[group], self._sizes[group]
        signed, weights = (self._read(name, start, rows) for name in FILES)
        assert signed is not None
        group_slots = sum_by_slot(Pairs(np.signbit(signed).view(np.uint8), np.abs(signed), weights))
        return _check_weights(self._stream, group_slots, group)

    def _read(self, name: str, start: int, rows: int) -> Floats | None:
        return np.fromfile(self._folder / name, np.float64, rows, offset=8 * start) if name in self._names else None

    def _store(self, advance: Callable[[int], None]) -> None:
        stream, runs_held = self._stream, list[list[Any]]()
        groups = stream.columns["groups"]
        codes = enum_sql(stream.selection.table.connection, groups.text, tuple(self._sizes))
        free = np.array(list(self._starts.values()))  # where the next pair of each group goes
        files = [open(self._folder / name, "wb") for name in self._names]  # noqa: SIM115
        try:
            for runs in process_in_turns(stream.chunks(codes), [partial(_sorted, len(self._sizes))] * THREADS):
                runs_held.append(runs)
                advance(len(runs[1]))
                if len(runs_held) == CHUNKS_HELD:
                    _write(files, runs_held, free)
                    runs_held.clear()
            _write(files, runs_held, free)
        finally:
            for file in files:
                file.close()


def _sorted(groups: int, chunk: Chunk) -> list[Any]:
    """A chunk sorted by group: the start of each group, the pairs, and weights if there are any."""
    probabilities, labels, *weights, codes = chunk
    order = np.argsort(codes.astype(np.min_scalar_type(groups)), kind="stable")
    bounds = np.cumsum(np.bincount(codes + np.uint32(1), minlength=groups + 1))
    signed = np.copysign(probabilities, 0.5 - labels)
    return [bounds, *(column[order] for column in (signed, *weights))]


def _write(files: Sequence[IO[bytes]], all_runs: list[list[Any]], free: Integers) -> None:
    """Write the rows of sorted chunks to the next free positions of their groups."""
    if not all_runs:
        return
    bounds = np.array([runs[0] for runs in all_runs])
    rows = np.diff(bounds).sum(axis=0)
    for group in np.flatnonzero(rows).tolist():
        cuts = [slice(start, stop) for start, stop in bounds[:, group : group + 2].tolist()]
        for column, file in enumerate(files, 1):
            file.seek(8 * int(free[group]))
            file.write(np.concatenate([runs[column][cut] for runs, cut in zip(all_runs, cuts, strict=True)]).data)
    free += rows
