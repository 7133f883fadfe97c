"""Algorithm 1: where the bins end, against a loop over the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.calibration.bins.bins import bin_pairs
from howsure.calibration.bins.boundaries import Walk, boundaries_of_sorted
from howsure.calibration.bins.streamed import counts_below, second_reading
from howsure.calibration.bins.streamed.grid import Grid
from howsure.calibration.bins.streamed.sample import EVERY, Sample
from howsure.calibration.bins.streamed.second_reading import SecondReading
from howsure.inputs.pairs import Chunk, Floats, Pairs, PairSource
from tests.calibration import reference
from tests.calibration.samples import TIED, Small, Source, language_pairs, pairs_of, small_pairs


def ends_of(bins: reference.Bins) -> list[float]:
    return [float(held[-1].q) for held in bins]


def walked(source: PairSource, bin_size: int, *, every: int = EVERY) -> Floats:
    grid, sample = Grid.empty(), Sample(every)
    for probabilities, labels in source.chunks():
        grid.add(probabilities, labels)
        sample.add(probabilities)
    sample.finish()
    return Walk(grid.ascending(grid.count).sum(axis=1), sample, SecondReading(source), bin_size=bin_size).boundaries()


@given(small_pairs())
def test_bins_are_those_of_the_loop(small: Small) -> None:
    bins = reference.adaptive_bins(reference.rows_of(small.y, small.q), small.bin_size)
    assert boundaries_of_sorted(np.sort(small.q), bin_size=small.bin_size).tolist() == ends_of(bins)[:-1]
    found = bin_pairs(pairs_of(small), bin_size=small.bin_size)
    assert found.sums.count.tolist() == [len(held) for held in bins]
    assert found.upper.tolist() == ends_of(bins)


@given(small_pairs(ties=False))
def test_without_ties_it_is_the_algorithm_as_printed(small: Small) -> None:
    rows = reference.rows_of(small.y, small.q)
    assert reference.adaptive_bins(rows, small.bin_size) == reference.paper_bins(rows, small.bin_size)


@settings(max_examples=50)
@given(st.lists(st.sampled_from(TIED), min_size=1, max_size=60), st.integers(1, 70))
def test_a_bin_never_splits_a_tie_and_holds_enough(q: list[float], bin_size: int) -> None:
    bins = bin_pairs(Source(np.zeros(len(q), dtype=np.uint8), np.array(q), [len(q)]), bin_size=bin_size)
    upper = bins.upper
    assert (np.diff(upper[:-1]) > 0).all()
    assert set(upper[:-1].tolist()) <= set(q)
    assert bins.sums.count.sum() == len(q)
    assert bins.sums.count.min() >= min(bin_size, len(q))


@pytest.mark.parametrize("bin_size", [1, 2, 3, 20, 999, 7_000, 35_000, 35_001, 70_000, 70_001])
@pytest.mark.parametrize("sizes", [[1 << 19], [1_000, 7, 30_011]], ids=["one chunk", "chunks"])
def test_the_walk_over_the_grid_ends_bins_where_the_sort_does(bin_size: int, sizes: Sequence[int]) -> None:
    y, q = language_pairs(70_000, np.random.default_rng(3))
    q[::5] = np.round(q[::5], 2)
    source = Source(y, q, sizes)
    np.testing.assert_array_equal(walked(source, bin_size), boundaries_of_sorted(np.sort(q), bin_size=bin_size))


@pytest.mark.parametrize(
    "values", [[0.5], [0.0, 1.0], [0.3, np.nextafter(0.3, 1)], TIED], ids=["one", "ends", "near", "all"]
)
def test_the_walk_over_few_values(values: list[float]) -> None:
    rng = np.random.default_rng(4)
    q = rng.choice(values, 5_000)
    source = Source((rng.random(5_000) < q).astype(np.uint8), q, [777])
    for bin_size in (1, 2, 500, 1_700, 2_500, 4_999, 5_000, 6_000):
        np.testing.assert_array_equal(walked(source, bin_size), boundaries_of_sorted(np.sort(q), bin_size=bin_size))


TIES: dict[str, Callable[[Floats], Floats]] = {
    "none": lambda q: q,
    "zero": lambda q: np.where(np.arange(len(q)) % 10 < 3, 0.0, q),
    "ends": lambda q: np.choose(np.arange(len(q)) % 10 // 2, [0.0, 1.0, q, q, q]),
    "quarter": lambda q: np.where(np.arange(len(q)) % 10 < 3, 0.25, q),
    "2 digits": lambda q: np.round(q, 2),
    "4 digits": lambda q: np.round(q, 4),
    "6 digits": lambda q: np.round(q, 6),
    "some of 3 digits": lambda q: np.where(np.arange(len(q)) % 10 < 3, np.round(q, 3), q),
    "float32": lambda q: q.astype(np.float32).astype(np.float64),
    "equal": lambda q: np.full(len(q), 0.3),
    "one cell": lambda q: 0.3 + q * 1e-7,
}


@settings(max_examples=50)
@given(
    st.sampled_from([*TIES]), st.integers(1, 2_000), st.floats(0, 1), st.sampled_from([1, 4, 64]),
    st.sampled_from([40, 1_000, 10**6]), st.integers(0, 2**32),
)  # fmt: skip
def test_ties_end_bins_where_the_sort_does(
    ties: str, n: int, part: float, every: int, values_at_once: int, seed: int
) -> None:
    """Whatever the sample sees and however little memory there is."""
    rng = np.random.default_rng(seed)
    q = rng.permutation(TIES[ties](rng.beta(0.3, 0.7, n)))
    source = Source((rng.random(n) < q).astype(np.uint8), q, [1 + seed % 2_000, 311])
    bin_size = 1 + int(part**3 * n)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts_below, "VALUES_AT_ONCE", values_at_once)
        patch.setattr(second_reading, "ROWS_KEPT", values_at_once)
        found = walked(source, bin_size, every=every)
        binned = bin_pairs(source, bin_size=bin_size)
    np.testing.assert_array_equal(found, boundaries_of_sorted(np.sort(q), bin_size=bin_size))
    in_memory = bin_pairs(Pairs(source.labels, q), bin_size=bin_size)
    assert binned.sums.count.tolist() == in_memory.sums.count.tolist()
    assert binned.sums.y.tolist() == in_memory.sums.y.tolist()
    np.testing.assert_allclose(binned.sums.u, in_memory.sums.u, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("ties", TIES)
def test_ties_take_few_passes(ties: str) -> None:
    class Counted(Source):
        def chunks(self) -> Iterator[Chunk]:
            passes.append(1)
            return super().chunks()

    passes: list[int] = []
    q = TIES[ties](np.random.default_rng(6).beta(0.3, 0.7, 400_000))
    walked(Counted((q > 0.5).astype(np.uint8), q, [50_000]), 2_700)
    assert len(passes) <= 10


def test_the_walk_reads_again_what_does_not_fit_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("howsure.calibration.bins.streamed.counts_below.VALUES_AT_ONCE", 500)
    y, q = language_pairs(70_000, np.random.default_rng(5))
    for bin_size in (50, 1_000):
        expected = boundaries_of_sorted(np.sort(q), bin_size=bin_size)
        np.testing.assert_array_equal(walked(Source(y, q, [9_999]), bin_size), expected)
