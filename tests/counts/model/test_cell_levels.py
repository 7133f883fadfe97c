"""The posterior of levels on the grid: against integration over finer grids."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, rayleigh, t

from howsure.counts.cell_levels import LEVELS, cell_levels
from howsure.inputs.pairs import Floats

LOGITS = np.array([-1.0, 0.5, 0.2, -2.0, 1.0, 0.0])
LABELS = np.array([1.0, 1.0, 1.0, 0.0, 1.0, 0.0])
CELL = np.array([0, 0, 0, 1, 1, 1])


def integrated() -> Floats:
    """E θ of cells 0, 1 and a cell 2 without labels, over fine grids of μ, τ and θ."""
    theta = np.linspace(-12, 12, 241)
    likelihood = np.ones((3, len(theta)))
    for logit, label, cell in zip(LOGITS, LABELS, CELL, strict=True):
        p = 1 / (1 + np.exp(-(logit + theta)))
        likelihood[cell] *= p if label else 1 - p
    total, weight_sum = np.zeros(3), 0.0
    spreads = (np.arange(30) + 0.5) / 30 * 2.6
    for mu in np.linspace(-5, 5, 31):
        of_labels = 1 / (1 + np.exp(-(LOGITS + mu)))
        jeffreys = np.sqrt((of_labels * (1 - of_labels)).sum())
        for tau in spreads:
            density = t.pdf((theta - mu) / tau, 3) / tau
            evidence = likelihood @ density
            weight = jeffreys * norm.pdf(mu, 0, 1.5) * rayleigh.pdf(tau, 0, 0.5) * evidence.prod()
            total += weight * (likelihood * theta) @ density / evidence
            weight_sum += weight
    return total / weight_sum


def test_the_grid_agrees_with_integration() -> None:
    found = cell_levels(LOGITS, LABELS, CELL, 3, np.zeros(3, dtype=np.int64))
    np.testing.assert_allclose(found.posterior.sum(axis=1), 1.0)
    np.testing.assert_allclose(found.posterior @ LEVELS, integrated(), atol=0.08)


def test_domains_know_nothing_of_each_other() -> None:
    apart = cell_levels(LOGITS, LABELS, CELL, 2, np.array([0, 1]))
    alone = cell_levels(LOGITS[:3], LABELS[:3], CELL[:3], 1, np.zeros(1, dtype=np.int64))
    np.testing.assert_allclose(apart.posterior[0], alone.posterior[0], atol=1e-12)


def test_a_cell_without_labels_leans_on_the_others() -> None:
    sure = cell_levels(np.zeros(200), np.ones(200), np.repeat([0, 1], 100), 3, np.zeros(3, dtype=np.int64))
    assert float(sure.posterior[2] @ LEVELS) > 1.5
    nothing = cell_levels(np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64), 1, np.zeros(1, dtype=np.int64))
    assert float(nothing.posterior[0] @ LEVELS) == pytest.approx(0.0, abs=1e-9)


def test_a_weight_of_two_is_the_unit_twice() -> None:
    weight = np.array([2.0, 1.0, 1.0, 3.0, 1.0, 1.0])
    twice = np.repeat(np.arange(6), weight.astype(int))
    domain = np.zeros(2, dtype=np.int64)
    weighted = cell_levels(LOGITS, LABELS, CELL, 2, domain, weight)
    repeated = cell_levels(LOGITS[twice], LABELS[twice], CELL[twice], 2, domain)
    np.testing.assert_allclose(weighted.posterior, repeated.posterior, atol=1e-12)
