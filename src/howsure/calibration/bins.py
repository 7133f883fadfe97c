"""From pairs to bins, and the sums that a bin keeps of its pairs."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np

from howsure.calibration.slots import CELLS, EXACT_UP_TO, Slots, cells_of, last_of_cells, slots_of
from howsure.errors import InputError, parameter
from howsure.inputs.numbers import check_whole
from howsure.inputs.pairs import Floats, Integers, Labels, Pairs

# The boundaries of bins: Algorithm 1 of Nguyen & O'Connor (2015), with a rule for ties.
#
# A bin takes groups of equal predictions in ascending order until it contains at least `bin_size` pairs; then the next
# one starts. A remainder that is too small is added to the last bin. A boundary is the largest prediction of its bin.

Sorted = TypeVar("Sorted", Floats, Integers)


def boundaries_of_sorted(q: Sorted, *, bin_size: int) -> Sorted:
    """The boundaries between bins of sorted predictions, or of their cells, without the last bin's end."""
    n = len(q)
    last_of_group = np.append(np.flatnonzero(q[1:] != q[:-1]), n - 1)
    ends = last_of_group + 1
    if len(ends) == n:  # no ties: every bin but the last has exactly bin_size pairs
        return q[np.arange(1, n // bin_size) * bin_size - 1]
    boundaries = []
    start, tie_ends = 0, np.repeat(ends, np.diff(ends, prepend=0)).tolist()
    while n - start >= 2 * bin_size:
        end = tie_ends[start + bin_size - 1]
        if n - end < bin_size:
            break
        boundaries.append(end - 1)
        start = end
    return q[np.array(boundaries, dtype=np.int64)]


# The sums of a bin over its pairs, from which every calibration figure follows. Sums of bins are additive.


@dataclass(frozen=True, slots=True)
class Sums:
    """Arrays, one entry per bin, cell or row; u = q - y is the gap of a pair and w its weight (1 if
    unweighted).

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
        """Add the entries up by bin; `bins` gives the bin of each entry. Columns that share an array continue to do
        so."""
        added: dict[int, Any] = {}
        for name in _COLUMNS:
            column = getattr(self, name)
            if id(column) not in added:
                added[id(column)] = np.bincount(bins, weights=column, minlength=n_bins)
        columns = [added[id(getattr(self, name))] for name in _COLUMNS]
        return Sums(columns[0].astype(np.int64), *columns[1:])

    def __add__(self, other: Sums) -> Sums:
        return Sums(*(getattr(self, name) + getattr(other, name) for name in _COLUMNS))

    def only(self, keep: Integers) -> Sums:
        """Some of the entries."""
        return Sums(*(getattr(self, name)[keep] for name in _COLUMNS))


_COLUMNS = tuple(f.name for f in fields(Sums))


def sums_of_rows(q: Floats, y: Labels, weights: Floats | None = None) -> Sums:
    """One entry per pair."""
    count = np.ones(len(q), dtype=np.int64)
    label = y.astype(np.float64)
    u = q - label
    if weights is None:
        one = count.astype(np.float64)
        uu = u * u
        return Sums(count, one, one, one, one, label, q, q * q, q * label, u, uu, u, uu, uu * u, uu * uu)
    w, wu = weights, weights * u
    ww, wuwu = w * w, wu * wu
    return Sums(
        count,
        w,
        ww,
        ww * w,
        ww * ww,
        w * label,
        w * q,
        w * q * q,
        w * q * label,
        wu,
        wu * u,
        wu * w,
        wuwu,
        wuwu * wu,
        wuwu * wuwu,
    )


# Bins made of whole cells: of more pairs than are sorted, the predictions of a cell count as ties.

ROUNDING = 2.0**-40  # a mean prediction that lies on an edge may end so far beyond it


def sums_of_slots(slots: Slots) -> Sums:
    """One entry per slot, from its mean gap and the variance within it.

    Third and fourth powers, which only variances need, are expanded to second order within the cell. With weights,
    Σw²u and so on are taken at the mean prediction of the slot.
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
    """The adaptive bin of each slot (Algorithm 1, cells being ties), and the largest prediction of each bin but the
    last."""
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
    """The bin of equal width of each slot, a cell that an edge divides being where its mean prediction lies, and the
    largest prediction of each bin but the last."""
    cells, of_slot = np.unique(slots.cell, return_inverse=True)
    w1 = slots.powers()[0]
    mean = np.bincount(of_slot, w1 * slots.means()[0]) / np.bincount(of_slot, w1)
    bins = edges.searchsorted(mean - ROUNDING)
    lasts = np.append(-1, cells)[bins.searchsorted(np.arange(len(edges)), side="right")]
    return bins[of_slot], last_of_cells(lasts)


def bars_of(slots: Slots, bars: int) -> Floats:
    """The weight of each label (2, bars) in bars of equal width; a slot that an edge divides is where its mean lies."""
    r = slots.nearest[0] + ROUNDING
    bar = np.minimum((r * bars).astype(np.int64), bars // 2 - 1)
    bar = np.where(slots.cell < CELLS, bar, bars - 1 - bar)
    found = np.bincount(2 * bar + slots.label, slots.powers()[0], 2 * bars)
    return found.reshape(-1, 2).T.astype(np.float64)


def bins_of_weight(slots: Slots, n_bins: int | None) -> tuple[Integers, Floats]:
    """The bin of each slot, bins being of equal weight but for cells that are not divided, and the largest prediction
    of each bin but the last.

    Without `n_bins` there are 2 n^(1/3) of them, n pairs of equal weight whose sum varies as much.
    """
    starts = np.flatnonzero(np.append(True, np.diff(slots.cell) > 0)[: len(slots.slot)])
    w1, w2 = slots.powers()[:2]
    ends = np.cumsum(np.add.reduceat(w1, starts))
    effective = ends[-1] ** 2 / w2.sum()
    n = max(1, round(2 * effective ** (1 / 3))) if n_bins is None else check_whole(n_bins, name="n_bins")
    last = np.unique(ends[:-1].searchsorted(ends[-1] * (np.arange(1, n) / n)))
    lasts = slots.cell[starts][last[last < len(starts) - 1]]
    return lasts.searchsorted(slots.cell), last_of_cells(lasts)


def label_variance_of(slots: Slots) -> Floats:
    """Σ w² q (1 - q) of each slot, without cancellation near 1."""
    r, variance = slots.nearest
    found: Floats = slots.powers()[1] * (r * (1.0 - r) - variance)
    return found


# From pairs to bins: adaptive (Algorithm 1) or of equal width, of rows or of whole cells.

HISTOGRAM_BARS = 64
SORT_UP_TO = 1 << 15  # pairs of a part; of more, adding up by slot is quicker


@dataclass(frozen=True, slots=True)
class Binned:
    """Bins in ascending order of q with their sums, and what cannot be computed from them.

    upper: the largest prediction of each bin (for equal widths: its right edge); inner: that of each bin but the last.
    histogram (2, 64): the weight of the predictions of each label in 64 bars of equal width. log_sum: Σ -w log P(label)
    over the finite rows. label_variance: Σ w² q (1 - q) of each bin.
    """

    sums: Sums
    upper: Floats
    inner: Floats
    bin_size: int | None
    histogram: Floats
    log_sum: float
    infinite_rows: int
    label_variance: Floats

    def bins_of(self, q: Floats) -> Integers:
        """The bin of each prediction."""
        bins: Integers = np.searchsorted(self.inner, q, side="left")
        return bins


def automatic_bin_size(n: int) -> int:
    """The bin size of `bin_size="auto"`: half of n^(2/3), at least 2.

    About 2 n^(1/3) bins, the rate at which a regressogram's bias and variance balance: 6 pairs per bin at n = 50, 50 at
    a thousand, 1,077 at 10⁵, the paper's 5,000 at a million, 500,000 at 10⁹.
    """
    return max(2, int(n ** (2 / 3) / 2 + 1e-9))


def choose_bin_size(n: int, *, bin_size: int | str, n_bins: int | None) -> int:
    """The minimum number of pairs in an adaptive bin; `n_bins` requests floor(n / n_bins)."""
    if n_bins is not None:
        if bin_size != "auto":
            raise InputError(
                f"give {parameter('n_bins')} or {parameter('bin_size')}, not both; they are {n_bins!r} and {bin_size!r}"
            )
        return max(1, n // check_whole(n_bins, name="n_bins"))
    if isinstance(bin_size, str):
        if bin_size != "auto":
            raise InputError(
                f"{parameter('bin_size')} must be 'auto' or a whole number of at least 1, not {bin_size!r}"
            )
        return automatic_bin_size(n)
    return min(check_whole(bin_size, name="bin_size"), max(n, 1))


def bin_pairs(
    pairs: Pairs | Slots,
    *,
    binning: str = "adaptive",
    bin_size: int | str = "auto",
    n_bins: int | None = None,
    whole: int = 0,
) -> Binned:
    """Bin checked pairs, or the sums of pairs. The result does not depend on the order of the rows.

    Of sums, and of more than `EXACT_UP_TO` pairs in the whole input (`whole`, where these are a part of it), bins are
    made of whole cells; not so of pairs in clusters, which no engine adds up.
    """
    if binning == "weight" and not isinstance(pairs, Slots):
        raise InputError(
            f"{parameter('binning', 'weight')} is for sums: add the pairs to a CalibrationSummary, whose curve takes "
            "it."
        )
    if binning not in ("adaptive", "uniform", "weight"):
        known = "'adaptive', 'uniform' or 'weight'" if isinstance(pairs, Slots) else "'adaptive' or 'uniform'"
        raise InputError(f"binning must be {known}, not {binning!r}")
    if binning != "adaptive" and bin_size != "auto":
        equal = "width" if binning == "uniform" else "weight"
        raise InputError(
            f"bins of equal {equal} have no {parameter('bin_size')}; it is {bin_size!r}. Give {parameter('n_bins')} "
            "instead."
        )
    size = choose_bin_size(len(pairs), bin_size=bin_size, n_bins=n_bins)
    if isinstance(pairs, Pairs):
        exact = not by_cells(pairs, whole)
        if exact or (len(pairs) <= SORT_UP_TO and binning == "adaptive"):
            return _bin_sorted(pairs, binning, size, n_bins, exact=exact)
        pairs = slots_of(pairs)
    return _bin_slots(pairs, binning, size, n_bins)


def by_cells(pairs: Pairs | Slots, whole: int) -> bool:
    """Whether bins are made of whole cells."""
    if isinstance(pairs, Slots):
        return True
    return pairs.clusters is None and max(whole, len(pairs)) > EXACT_UP_TO


def width_edges(n_bins: int | None) -> Floats:
    """The inner edges of bins of equal width (15 by default); a prediction on an edge belongs to the bin below."""
    return np.linspace(0.0, 1.0, (n_bins or 15) + 1)[1:-1]


def _bin_sorted(pairs: Pairs, binning: str, size: int, n_bins: int | None, *, exact: bool) -> Binned:
    q, y, w = sorted_rows(pairs)
    if binning == "uniform":
        edges = width_edges(n_bins)
    elif exact:
        edges = boundaries_of_sorted(q, bin_size=size)
    else:
        edges = last_of_cells(boundaries_of_sorted(cells_of(q), bin_size=size))
    bins = np.searchsorted(edges, q, side="left")
    sums = sums_of_rows(q, y, w).into(bins, len(edges) + 1)
    log_sum, infinite = log_loss_of_rows(q, y, w)
    weight = np.ones(len(q)) if w is None else w
    bars = bars_of_rows(q) * 2 + y
    histogram = np.bincount(bars, weights=weight, minlength=2 * HISTOGRAM_BARS).astype(np.float64)
    spread = q * (1 - q) if w is None else w**2 * q * (1 - q)
    variance = np.bincount(bins, spread, len(edges) + 1).astype(np.float64)
    return _finish(
        sums,
        edges,
        edges,
        float(q[-1]) if exact else 1.0,
        binning,
        size,
        histogram.reshape(-1, 2).T,
        log_sum,
        infinite,
        variance,
    )


def _bin_slots(slots: Slots, binning: str, size: int, n_bins: int | None) -> Binned:
    if binning == "uniform":
        edges = width_edges(n_bins)
        bins, inner = bins_of_width(slots, edges)
    else:
        bins, inner = bins_of_weight(slots, n_bins) if binning == "weight" else bins_of_cells(slots, size)
        edges = inner
    sums = sums_of_slots(slots).into(bins, len(edges) + 1)
    variance = np.bincount(bins, label_variance_of(slots), len(edges) + 1).astype(np.float64)
    histogram = bars_of(slots, HISTOGRAM_BARS)
    return _finish(sums, edges, inner, 1.0, binning, size, histogram, slots.log_sum(), slots.infinite_rows, variance)


def sorted_rows(pairs: Pairs) -> tuple[Floats, Labels, Floats | None]:
    """Predictions, labels and weights in a canonical order, independent of the given order."""
    if pairs.weights is None:  # the bits of a number in [0, 1] leave room for the label: one sort of whole numbers
        packed = np.sort((pairs.probabilities.view(np.int64) << 1) | pairs.labels)
        return (packed >> 1).view(np.float64), (packed & 1).astype(np.uint8), None
    order = np.lexsort((pairs.weights, pairs.labels, pairs.probabilities))
    return pairs.probabilities[order], pairs.labels[order], pairs.weights[order]


def log_loss_of_rows(q: Floats, y: Labels, w: Floats | None) -> tuple[float, int]:
    """The weighted sum of -log P(label) over the finite rows, and the number of the infinite ones."""
    likely = np.where(y == 1, q, 1.0 - q)
    finite = likely > 0.0
    loss = -np.log(np.where(finite, likely, 1.0))
    loss *= finite if w is None else finite * w
    return float(loss.sum()), int(len(q) - np.count_nonzero(finite))


def bars_of_rows(q: Floats) -> Integers:
    """The histogram bar of each prediction: symmetric, so that q = ½ belongs to the upper half."""
    bar = np.minimum((np.minimum(q, 1.0 - q) * HISTOGRAM_BARS).astype(np.int64), HISTOGRAM_BARS // 2 - 1)
    return np.where(q < 0.5, bar, HISTOGRAM_BARS - 1 - bar)


def _finish(
    sums: Sums,
    edges: Floats,
    inner: Floats,
    last: float,
    binning: str,
    size: int,
    histogram: Floats,
    log_sum: float,
    infinite: int,
    variance: Floats,
) -> Binned:
    filled = np.flatnonzero(sums.count)
    upper = np.append(edges, 1.0 if binning == "uniform" else last)[filled]
    chosen = size if binning == "adaptive" else None
    return Binned(sums.only(filled), upper, inner[filled[:-1]], chosen, histogram, log_sum, infinite, variance[filled])
