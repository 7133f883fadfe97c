"""From pairs to bins: adaptive (Algorithm 1) or of equal width, of rows or of whole cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from howsure.calibration.bins.boundaries import boundaries_of_sorted
from howsure.calibration.bins.of_slots import (
    bars_of,
    bins_of_cells,
    bins_of_weight,
    bins_of_width,
    label_variance_of,
    sums_of_slots,
)
from howsure.calibration.bins.sums import Sums, sums_of_rows
from howsure.calibration.summary.cells import EXACT_UP_TO, cells_of, last_of_cells
from howsure.calibration.summary.slot_adder import slots_of
from howsure.calibration.summary.slots import Slots
from howsure.errors import InputError, parameter
from howsure.inputs.numbers import check_whole
from howsure.inputs.pairs import Floats, Integers, Labels, Pairs

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
        sums, edges, edges, float(q[-1]) if exact else 1.0, binning, size, histogram.reshape(-1, 2).T, log_sum,
        infinite, variance,
    )  # fmt: skip


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
    sums: Sums, edges: Floats, inner: Floats, last: float, binning: str, size: int, histogram: Floats, log_sum: float,
    infinite: int, variance: Floats,
) -> Binned:  # fmt: skip
    filled = np.flatnonzero(sums.count)
    upper = np.append(edges, 1.0 if binning == "uniform" else last)[filled]
    chosen = size if binning == "adaptive" else None
    return Binned(sums.only(filled), upper, inner[filled[:-1]], chosen, histogram, log_sum, infinite, variance[filled])
