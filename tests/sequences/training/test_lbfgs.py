"""L-BFGS: where it ends, when, and what Ctrl-C leaves."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.sequences.training import minimise


def bowl(weights: np.ndarray) -> tuple[float, np.ndarray]:
    """A quadratic with its minimum 1 at (1, 2, …), ill-conditioned."""
    scale, centre = 10.0 ** np.arange(len(weights)), np.arange(1.0, len(weights) + 1)
    return 1 + float(scale @ (weights - centre) ** 2), 2 * scale * (weights - centre)


def test_it_finds_the_minimum() -> None:
    found = minimise(bowl, np.zeros(4), max_iterations=1000, tolerance=1e-12)
    np.testing.assert_allclose(found.weights, [1, 2, 3, 4], atol=1e-4)
    assert found.stopped == "converged"
    assert list(found.values) == sorted(found.values, reverse=True)
    assert bowl(found.weights)[0] == found.values[-1]


def test_the_number_of_iterations_is_a_limit() -> None:
    ticks: list[int] = []
    found = minimise(bowl, np.zeros(4), max_iterations=3, tolerance=0.0, advance=ticks.append)
    assert found.stopped == "max_iterations"
    assert ticks == [1, 1, 1]
    assert len(found.values) == 3


def test_a_start_at_the_minimum_is_the_end() -> None:
    found = minimise(bowl, np.arange(1.0, 4.0), max_iterations=10, tolerance=1e-9)
    assert found.weights.tolist() == [1, 2, 3]
    assert found.values == (1.0,)
    assert found.stopped == "converged"


@pytest.mark.parametrize("calls", [1, 2, 5])
def test_an_interruption_leaves_the_best_so_far(calls: int) -> None:
    seen: list[float] = []

    def interrupted(weights: np.ndarray) -> tuple[float, np.ndarray]:
        if len(seen) == calls:
            raise KeyboardInterrupt
        seen.append(bowl(weights)[0])
        return bowl(weights)

    found = minimise(interrupted, np.zeros(4), max_iterations=1000, tolerance=0.0)
    assert found.stopped == "interrupted"
    assert bowl(found.weights)[0] == min([*found.values, bowl(np.zeros(4))[0]])


def test_an_interruption_during_progress_counts_too() -> None:
    def stop(_: int) -> None:
        raise KeyboardInterrupt

    found = minimise(bowl, np.zeros(4), max_iterations=1000, tolerance=0.0, advance=stop)
    assert found.stopped == "interrupted"
    assert bowl(found.weights)[0] == found.values[0] < bowl(np.zeros(4))[0]
