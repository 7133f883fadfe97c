"""Assign pairs to bins, and add up the sums from which all calibration figures are computed.

A pair is a label and its predicted probability. A cell is one of 55,110 narrow intervals of the probability scale, and
a slot is a cell together with a label (`calibration/slots.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from howsure.calibration.slots import CELLS, EXACT_UP_TO, LAST, Slots, assign_cells, last_of_cells, sum_by_slot
from howsure.errors import InputError
from howsure.inputs.numbers_and_names import check_integer
from howsure.inputs.pairs import Bools, Floats, Integers, Labels, Pairs

MAX_BINS = 100_000

# The boundaries of bins: Algorithm 1 of Nguyen & O'Connor (2015), with a rule for ties.
#
# Groups of equal predictions, in ascending order, are added to a bin until it has at least `bin_size` pairs; then the
# next bin begins. A remainder that is too small joins the last bin. The boundary of a bin is its largest prediction.


def boundaries_of_sorted(q: Floats, *, bin_size: int) -> Floats:
    """The boundaries between bins of sorted predictions, without the last bin's end."""
    return q[lasts_of_bins(q, bin_size=bin_size)]


def boundaries(q: Floats, *, bin_size: int) -> Floats:
    """`boundaries_of_sorted` for predictions in any order.

    With many predictions, only those in a cell that contains a boundary are sorted, unless a boundary is tied.
    """
    ranks = np.arange(1, len(q) // bin_size) * bin_size - 1  # ranks of the boundaries if no predictions are tied
    if len(q) > SORT_UP_TO and len(ranks) < MAX_SEARCHED_BOUNDARIES:
        parts = (assign_cells(q[start : start + SORT_UP_TO]) for start in range(0, len(q), SORT_UP_TO))
        cells = np.concatenate([part.astype(np.uint16) for part in parts])
        counts = np.bincount(cells)
        cell_of_rank = np.cumsum(counts).searchsorted(ranks, side="right")
        is_sorted = np.zeros(len(counts), dtype=np.bool_)
        is_sorted[cell_of_rank] = True
        some = np.sort(q[is_sorted[cells]])
        rows = ranks - np.cumsum(np.where(is_sorted, 0, counts))[cell_of_rank]
        if not np.append(some[1:] == some[:-1], False)[rows].any():
            return np.asarray(some[rows])
    return boundaries_of_sorted(np.sort(q), bin_size=bin_size)


def lasts_of_bins(q: Floats | Integers, *, bin_size: int) -> Integers:
    """Return the index of the last row of each bin except the last bin.

    q: sorted predictions, or the sorted numbers of their cells. A bin ends at the first change of q
    after `bin_size` rows.
    """
    n = len(q)
    is_last = np.append(q[1:] != q[:-1], True)  # the last of a group of equal predictions
    if is_last.all():  # no ties: every bin but the last has exactly bin_size pairs
        return np.arange(1, n // bin_size) * bin_size - 1
    last_rows, lasts, start = is_last.tobytes(), [], 0
    while n - start >= 2 * bin_size:
        start = last_rows.index(1, start + bin_size - 1) + 1
        if n - start < bin_size:
            break
        lasts.append(start - 1)
    return np.array(lasts, dtype=np.int64)


# The sums over the pairs of a bin, from which every calibration figure is computed. Sums of parts add up to the whole.


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over pairs: arrays with one entry per bin, cell or row; u = q - y is a pair's gap, w its weight (default 1).

    count Σ1 · w1 Σw · w2 Σw² · w3 Σw³ · w4 Σw⁴ · y Σwy · q Σwq · qq Σwq² · qy Σwqy · u Σwu · uu Σwu² · wwu Σw²u ·
    u2 Σ(wu)² · u3 Σ(wu)³ · u4 Σ(wu)⁴.
    """

    count: Integers
    w1: Floats
    w2: Floats
    w3: Floats
    w4: Floats
    y: Floats
    q: Floats
    qq: Floats
    qy: Floats
    u: Floats
    uu: Floats
    wwu: Floats
    u2: Floats
    u3: Floats
    u4: Floats

    def __len__(self) -> int:
        return len(self.count)

    def into(self, bins: Integers, n_bins: int) -> Sums:
        """Add up the entries by bin; `bins` has the bin of each entry."""
        count, *others = self._each(lambda column: np.bincount(bins, weights=column, minlength=n_bins))
        return Sums(count.astype(np.int64), *others)

    def runs(self, starts: Integers) -> Sums:
        """Add up consecutive entries, from each start up to the next."""
        return Sums(*self._each(lambda column: np.add.reduceat(column, starts)))

    def _each(self, added: Callable[[Any], Any]) -> list[Any]:
        """Apply a function to each column. Columns that are the same array are computed once."""
        columns = [getattr(self, name) for name in _COLUMNS]
        by_array = {id(column): column for column in columns}
        results = {key: added(column) for key, column in by_array.items()}
        return [results[id(column)] for column in columns]

    def __add__(self, other: Sums) -> Sums:
        return Sums(*(getattr(self, name) + getattr(other, name) for name in _COLUMNS))

    def select(self, keep: Integers | slice) -> Sums:
        """Select entries by their indices or a slice."""
        return Sums(*(getattr(self, name)[keep] for name in _COLUMNS))


_COLUMNS = tuple(f.name for f in fields(Sums))


def sums_of_rows(q: Floats, y: Labels, weights: Floats | None = None) -> Sums:
    """Return `Sums` with one entry per pair, which `into` or `runs` can add up: q the prediction, y the label."""
    count = np.ones(len(q), dtype=np.int64)
    label = y.astype(np.float64)
    gap = q - label
    if weights is None:
        ones = count.astype(np.float64)
        gap_2 = gap * gap
        gap_3, gap_4 = gap_2 * gap, gap_2 * gap_2
        return Sums(count, ones, ones, ones, ones, label, q, q * q, q * label, gap, gap_2, gap, gap_2, gap_3, gap_4)
    w, w_gap = weights, weights * gap
    w_squared, w_gap_squared = w * w, w_gap * w_gap
    return Sums(
        count,
        w,
        w_squared,
        w_squared * w,
        w_squared * w_squared,
        w * label,
        w * q,
        w * q * q,
        w * q * label,
        w_gap,
        w_gap * gap,
        w_gap * w,
        w_gap_squared,
        w_gap_squared * w_gap,
        w_gap_squared * w_gap_squared,
    )


# Bins made of whole cells. With too many pairs to sort, predictions in the same narrow cell count as equal.

ROUNDING = 2.0**-40  # tolerance for the rounding error of a mean prediction on an edge


def sums_of_slots(slots: Slots) -> Sums:
    """Return `Sums` with one entry per slot, from the mean gap u and the variance of the predictions within the slot.

    Sums of u³ and u⁴, which are used only in variances, are approximate, because higher central moments are left out.
    With weights, sums such as Σw²u assume that weights and predictions are uncorrelated within a slot.
    """
    q, u, variance = slots.means()
    w1, w2, w3, w4 = slots.powers()
    label, uu = slots.label, u * u
    first, second = w1 * u, w1 * (uu + variance)
    weighted = slots.weights is not None
    return Sums(
        slots.count,
        w1,
        w2,
        w3,
        w4,
        w1 * label,
        w1 * q,
        w1 * (q * q + variance),
        w1 * q * label,
        first,
        second,
        w2 * u if weighted else first,
        w2 * (uu + variance) if weighted else second,
        w3 * u * (uu + 3 * variance),
        w4 * uu * (uu + 6 * variance),
    )


def bins_of_cells(slots: Slots, size: int) -> tuple[Integers, Floats]:
    """Return the adaptive bin of each slot, and the largest prediction of each bin except the last.

    The bins are those of Algorithm 1 if predictions in the same cell are ties.
    """
    starts = np.flatnonzero(np.append(True, np.diff(slots.cell) > 0)[: len(slots.slot)])
    ends = np.cumsum(np.add.reduceat(slots.count, starts))
    n, start = int(ends[-1]), 0
    last = []
    while n - start >= 2 * size:
        cell = int(ends.searchsorted(start + size))
        start = int(ends[cell])
        if n - start < size:
            break
        last.append(cell)
    lasts = slots.cell[starts][last]
    return lasts.searchsorted(slots.cell), last_of_cells(lasts)


def bins_of_width(slots: Slots, edges: Floats) -> tuple[Integers, Floats]:
    """Return the equal-width bin of each slot, and the largest prediction of each bin except the last.

    A cell that crosses an edge belongs to the bin that contains its mean prediction.
    """
    cells, of_slot = np.unique(slots.cell, return_inverse=True)
    w1 = slots.powers()[0]
    mean = np.bincount(of_slot, w1 * slots.means()[0]) / np.bincount(of_slot, w1)
    bins = edges.searchsorted(mean - ROUNDING)
    lasts = np.append(-1, cells)[bins.searchsorted(np.arange(len(edges)), side="right")]
    return bins[of_slot], last_of_cells(lasts)


def bar_weights(slots: Slots, bars: int) -> Floats:
    """Return the weight of each label in histogram bars of equal width, (2, bars); a slot is in the bar of its mean."""
    r = slots.nearest[0] + ROUNDING
    bar = np.minimum((r * bars).astype(np.int64), bars // 2 - 1)
    bar = np.where(slots.cell < CELLS, bar, bars - 1 - bar)
    counts = np.bincount(2 * bar + slots.label, slots.powers()[0], 2 * bars)
    return counts.reshape(-1, 2).T.astype(np.float64)


def bins_of_weight(slots: Slots, n_bins: int | None) -> tuple[Integers, Floats]:
    """Return the bin of each slot, for bins of about equal weight, and the largest prediction of each bin except the
    last.

    Cells are not divided, so weights differ slightly. Without `n_bins`, there are 2 n^(1/3) bins, where n is Kish's
    effective number of pairs, (Σw)² / Σw².
    """
    starts = np.flatnonzero(np.append(True, np.diff(slots.cell) > 0)[: len(slots.slot)])
    w1, w2 = slots.powers()[:2]
    ends = np.cumsum(np.add.reduceat(w1, starts))
    effective = ends[-1] ** 2 / w2.sum()
    n = (
        max(1, round(2 * effective ** (1 / 3)))
        if n_bins is None
        else check_integer(n_bins, name="n_bins", most=MAX_BINS)
    )
    last = np.unique(ends[:-1].searchsorted(ends[-1] * (np.arange(1, n) / n)))
    lasts = slots.cell[starts][last[last < len(starts) - 1]]
    return lasts.searchsorted(slots.cell), last_of_cells(lasts)


def label_variances(slots: Slots) -> Floats:
    """Σ w² q (1 - q) of each slot, without cancellation near 1."""
    r, variance = slots.nearest
    return np.asarray(slots.powers()[1] * (r * (1.0 - r) - variance))


# Assign pairs to bins: adaptive (Algorithm 1) or of equal width or weight, by row or by whole cells.

HISTOGRAM_BARS = 64
MAX_SEARCHED_BOUNDARIES = 1 << 12
SORT_UP_TO = 1 << 15  # largest number of pairs that are sorted at once; beyond it, adding up by slot is faster


@dataclass(frozen=True, slots=True)
class Binned:
    """Bins in ascending order of q with their sums, and values that cannot be computed from the sums.

    upper: the largest prediction of each bin (for equal widths: its right edge). inner: `upper` without the last bin.
    histogram (2, 64): the weight of the predictions of each label in 64 bars of equal width. log_sum: Σ -w log P(label)
    over the rows with a finite log loss. infinite_rows: the number of the other rows. label_variance: Σ w² q (1 - q) of
    each bin.
    """

    sums: Sums
    upper: Floats
    inner: Floats
    bin_size: int | None
    histogram: Floats
    log_sum: float
    infinite_rows: int
    label_variance: Floats

    def assign_bins(self, q: Floats) -> Integers:
        return bins_between(self.inner, q)


def bins_between(edges: Floats, q: Floats) -> Integers:
    """Count the edges below each prediction; of many predictions, most are in a cell without an edge, which is fast."""
    if len(q) <= SORT_UP_TO:
        return edges.searchsorted(q)
    edges_of_cells = np.bincount(assign_cells(edges), minlength=LAST + 1)
    below, bins = np.cumsum(edges_of_cells) - edges_of_cells, np.empty(len(q), dtype=np.int64)
    for start in range(0, len(q), SORT_UP_TO):
        part, bins_of_part = q[start : start + SORT_UP_TO], bins[start : start + SORT_UP_TO]
        cells = assign_cells(part)
        bins_of_part[:] = below[cells]
        rows = np.flatnonzero(edges_of_cells[cells])
        bins_of_part[rows] = edges.searchsorted(part[rows])
    return bins


def bins_of_rows(
    pairs: Pairs, *, binning: str = "adaptive", bin_size: int | str = "auto", n_bins: int | None = None
) -> tuple[Integers, int]:
    """Return the bin of each pair and the number of bins: `bin_pairs` without its sums, for pairs with clusters."""
    size, q = _checked_size(pairs, binning, bin_size, n_bins), pairs.probabilities
    if binning == "adaptive":
        edges = boundaries(q, bin_size=size)
        return bins_between(edges, q), len(edges) + 1
    bins = bins_between(width_edges(n_bins), q)
    is_filled = np.bincount(bins) > 0
    return (np.cumsum(is_filled) - 1)[bins], int(np.count_nonzero(is_filled))


def automatic_bin_size(n: int) -> int:
    """Return the bin size that `bin_size="auto"` chooses: half of n^(2/3), at least 2.

    This gives about 2 n^(1/3) bins, the rate that balances the bias and variance of a regressogram. A bin has 6 pairs
    for n = 50, 50 for 1,000, 1,077 for 100,000, 5,000 for a million (as in Nguyen & O'Connor 2015), and 500,000 for
    10⁹.
    """
    return max(2, int(n ** (2 / 3) / 2 + 1e-9))


def choose_bin_size(n: int, *, bin_size: int | str, n_bins: int | None) -> int:
    """Return the minimum number of pairs in an adaptive bin; with `n_bins`, it is floor(n / n_bins)."""
    if n_bins is not None:
        if bin_size != "auto":
            raise InputError(
                "give `n_bins` or `bin_size`, not both; they are {n_bins!r} and {bin_size!r}",
                n_bins=n_bins,
                bin_size=bin_size,
            )
        return max(1, n // check_integer(n_bins, name="n_bins"))
    if isinstance(bin_size, str):
        if bin_size != "auto":
            raise InputError(
                "{parameter} must be 'auto' or a whole number of at least 1, not {bin_size!r}",
                "bin_size",
                bin_size=bin_size,
            )
        return automatic_bin_size(n)
    return min(check_integer(bin_size, name="bin_size"), max(n, 1))


def bin_pairs(
    pairs: Pairs | Slots,
    *,
    binning: str = "adaptive",
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    whole: int = 0,
) -> Binned:
    """Divide checked pairs, or sums of pairs, into bins. The result does not depend on the order of the rows.

    A cell is not divided between bins for `Slots`, nor for pairs without clusters if the whole input has more than
    `EXACT_UP_TO` pairs. whole: the number of pairs in the whole input, if these pairs are a part of it.
    """
    return bin_parts([pairs], binning=binning, bin_size=bin_size, n_bins=n_bins, whole=whole)[0]


def bin_parts(
    parts: Sequence[Pairs | Slots],
    *,
    binning: str = "adaptive",
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    whole: int = 0,
) -> list[Binned]:
    """Apply `bin_pairs` to several groups; small groups are added up together, which is faster."""
    sizes = [_checked_size(part, binning, bin_size, n_bins) for part in parts]
    bins_by_part: dict[int, Binned] = {}
    few: dict[bool, list[int]] = {True: [], False: []}
    for i, part in enumerate(parts):
        exact = not by_cells(part, whole)
        if isinstance(part, Pairs) and (exact or (len(part) <= SORT_UP_TO and binning == "adaptive")):
            few[exact].append(i)
        else:
            bins_by_part[i] = _bin_slots(
                part if isinstance(part, Slots) else sum_by_slot(part), binning, sizes[i], n_bins
            )
    for exact, which in few.items():
        for some in _batches(which, parts):
            rows = [sorted_rows(parts[i]) for i in some]  # type: ignore[arg-type]
            bins = _bin_sorted(rows, binning, [sizes[i] for i in some], n_bins, exact=exact)
            bins_by_part |= dict(zip(some, bins, strict=True))
    return [bins_by_part[i] for i in range(len(parts))]


def _batches(which: Sequence[int], parts: Sequence[Pairs | Slots]) -> Iterator[list[int]]:
    """Yield batches of parts that are added up together, with about `SORT_UP_TO` pairs each."""
    batch, pairs = [], 0
    for i in which:
        batch.append(i)
        pairs += len(parts[i])
        if pairs >= SORT_UP_TO:
            yield batch
            batch, pairs = [], 0
    if batch:
        yield batch


def _checked_size(part: Pairs | Slots, binning: str, bin_size: int | str, n_bins: int | None) -> int:
    """Return the minimum number of pairs in a bin. Raises InputError for invalid or inconsistent options of bins."""
    if binning == "weight" and not isinstance(part, Slots):
        raise InputError(
            "`binning='weight'` needs sums of pairs. Add the pairs to a CalibrationSummary and use its `curve`.",
            "binning",
        )
    if binning not in ("adaptive", "uniform", "weight"):
        allowed = "'adaptive', 'uniform' or 'weight'" if isinstance(part, Slots) else "'adaptive' or 'uniform'"
        raise InputError(f"binning must be {allowed}, not {binning!r}")
    if binning != "adaptive" and bin_size != "auto":
        equal = "width" if binning == "uniform" else "weight"
        raise InputError(
            "bins of equal {equal} have no `bin_size`; it is {bin_size!r}. Give `n_bins` instead.",
            equal=equal,
            bin_size=bin_size,
        )
    if binning != "adaptive" and n_bins is not None:  # many of these bins may be empty
        check_integer(n_bins, name="n_bins", most=MAX_BINS)
    return choose_bin_size(len(part), bin_size=bin_size, n_bins=n_bins)


def by_cells(pairs: Pairs | Slots, whole: int) -> bool:
    """Whether bins are made of whole cells."""
    if isinstance(pairs, Slots):
        return True
    return pairs.clusters is None and max(whole, len(pairs)) > EXACT_UP_TO


def width_edges(n_bins: int | None) -> Floats:
    """The inner edges of bins of equal width (15 by default); a prediction on an edge belongs to the bin below."""
    return np.linspace(0.0, 1.0, (n_bins or 15) + 1)[1:-1]


Rows = tuple[Floats, Labels, Floats | None]  # sorted predictions with their labels and weights


def _bin_sorted(
    parts: Sequence[Rows], binning: str, sizes: Sequence[int], n_bins: int | None, *, exact: bool
) -> list[Binned]:
    """Return the bins of each group, from sorted rows; the rows of all groups are added up at once."""
    ends = np.cumsum([len(part[0]) for part in parts])
    firsts = np.append(0, ends[:-1])
    q, y, w = parts[0] if len(parts) == 1 else map(_joined, zip(*parts, strict=True))
    keys = q if exact or binning == "uniform" else assign_cells(q)
    edges, bounds = [], []
    for start, end, size in zip(firsts.tolist(), ends.tolist(), sizes, strict=True):
        if binning == "uniform":
            edge = width_edges(n_bins)
            inside = q[start:end].searchsorted(edge, side="right")
        else:
            lasts = lasts_of_bins(keys[start:end], bin_size=size)
            edge = q[start + lasts] if exact else last_of_cells(keys[start + lasts])
            inside = lasts + 1
        edges.append(edge)
        bounds.append(np.concatenate([[start], start + inside, [end]]))
    filled = [np.flatnonzero(bound[1:] > bound[:-1]) for bound in bounds]
    starts = np.concatenate([bound[some] for bound, some in zip(bounds, filled, strict=True)])
    sums = sums_of_rows(q, y, w).runs(starts)
    variance = np.add.reduceat(q * (1 - q) if w is None else w**2 * q * (1 - q), starts)
    loss, finite = losses_of_rows(q, y, w)
    infinite = ends - firsts - np.add.reduceat(finite.astype(np.int64), firsts)
    bars = bars_of_rows(q) * 2 + y + 2 * HISTOGRAM_BARS * np.repeat(np.arange(len(parts)), ends - firsts)
    weight = np.bincount(bars, w, 2 * HISTOGRAM_BARS * len(parts)).astype(np.float64)
    histograms = weight.reshape(len(parts), HISTOGRAM_BARS, 2).transpose(0, 2, 1)
    bins_of_parts, of_part = [], 0
    for i, (edge, some) in enumerate(zip(edges, filled, strict=True)):
        run = slice(of_part, of_part := of_part + len(some))
        last = float(q[ends[i] - 1]) if exact else 1.0
        of_rows = histograms[i], float(loss[firsts[i] : ends[i]].sum()), int(infinite[i]), variance[run]
        bins_of_parts.append(_binned(sums.select(run), edge, edge, last, some, binning, sizes[i], *of_rows))
    return bins_of_parts


def _joined(columns: Sequence[Any]) -> Any:
    return None if columns[0] is None else np.concatenate(columns)


def _bin_slots(slots: Slots, binning: str, size: int, n_bins: int | None) -> Binned:
    if binning == "uniform":
        edges = width_edges(n_bins)
        bins, inner = bins_of_width(slots, edges)
    else:
        bins, inner = bins_of_weight(slots, n_bins) if binning == "weight" else bins_of_cells(slots, size)
        edges = inner
    starts = np.flatnonzero(np.append(True, bins[1:] != bins[:-1]))
    sums, variance = sums_of_slots(slots).runs(starts), np.add.reduceat(label_variances(slots), starts)
    of_slots = bar_weights(slots, HISTOGRAM_BARS), slots.log_sum(), slots.infinite_rows, variance
    return _binned(sums, edges, inner, 1.0, bins[starts], binning, size, *of_slots)


def _binned(
    sums: Sums, edges: Floats, inner: Floats, last: float, filled: Integers, binning: str, size: int, *others: Any
) -> Binned:
    """Build `Binned` from the nonempty bins.

    edges: the upper edges of all bins but the last. inner: the largest prediction of each bin but the last. last: the
    largest of all predictions. filled: the indices of the nonempty bins. others: the further fields of `Binned`."""
    upper = np.append(edges, 1.0 if binning == "uniform" else last)[filled]
    return Binned(sums, upper, inner[filled[:-1]], size if binning == "adaptive" else None, *others)


def sorted_rows(pairs: Pairs) -> tuple[Floats, Labels, Floats | None]:
    """Predictions, labels and weights, sorted by prediction, label and weight."""
    if pairs.weights is None:  # the label replaces the sign bit of its prediction, so that one integer sort suffices
        packed = np.sort((pairs.probabilities.view(np.int64) << 1) | pairs.labels)
        return (packed >> 1).view(np.float64), (packed & 1).astype(np.uint8), None
    order = np.lexsort((pairs.weights, pairs.labels, pairs.probabilities))
    return pairs.probabilities[order], pairs.labels[order], pairs.weights[order]


def log_loss_of_rows(q: Floats, y: Labels, w: Floats | None) -> tuple[float, int]:
    """Return the weighted sum of -log P(label) over the rows where it is finite, and the number of the other rows."""
    loss, finite = losses_of_rows(q, y, w)
    return float(loss.sum()), int(len(q) - np.count_nonzero(finite))


def losses_of_rows(q: Floats, y: Labels, w: Floats | None) -> tuple[Floats, Bools]:
    """The weighted log loss of each row (n,), 0 if it is infinite, and a mask of the rows with a finite log loss."""
    likely = np.where(y == 1, q, 1.0 - q)
    finite = likely > 0.0
    loss = -np.log(np.where(finite, likely, 1.0))
    loss *= finite if w is None else finite * w
    return loss, finite


def bars_of_rows(q: Floats) -> Integers:
    """The histogram bar of each prediction; bars are symmetric around ½, and q = ½ belongs to the upper half."""
    bar = np.minimum((np.minimum(q, 1.0 - q) * HISTOGRAM_BARS).astype(np.int64), HISTOGRAM_BARS // 2 - 1)
    return np.where(q < 0.5, bar, HISTOGRAM_BARS - 1 - bar)
