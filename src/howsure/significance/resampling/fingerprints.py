"""Fingerprints that identify rows independently of their order and of the names of the labels.

Random draws are assigned to rows in the order of these fingerprints, and the system with the smaller fingerprint comes
first. Results therefore do not depend on the order of rows, runs or columns, on names, or on which system is the
baseline. All sums are of integers modulo 2^64 and hence the same in any order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.significance.systems.problem import Problem

Bits = npt.NDArray[np.uint64]
ROUNDS = 2
TARGET, MODEL, COUNT, ROW, COLUMN = (np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 3, 5, 7, 11))


def mixed(bits: npt.NDArray[Any]) -> Bits:
    """Every number replaced by a pseudo-random one: the finaliser of splitmix64 (Steele, Lea & Flood 2014)."""
    z = np.asarray(bits).astype(np.uint64) + TARGET
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def row_fingerprints(problem: Problem) -> tuple[Bits, Bits]:
    """One number per row, and the same with the two systems exchanged."""
    targets, baseline, model = _as_bits(problem)
    first, second = (mixed(mixed(system).sum(axis=0)) for system in (baseline, model))
    truth = mixed(targets) * TARGET
    ways = (mixed(truth + a + b * MODEL).sum(axis=-1) for a, b in ((first, second), (second, first)))
    plain, swapped = ways
    if problem.counts is None:
        return mixed(plain), mixed(swapped)
    copies = problem.counts.astype(np.uint64) * COUNT
    return mixed(plain + copies), mixed(swapped + copies)


def run_order(targets: npt.NDArray[Any], runs: npt.NDArray[Any], problem: Problem) -> npt.NDArray[np.int64]:
    """The runs of one system, in an order that depends only on their predictions."""
    truth, system = _as_bits(problem)[0], _bits(runs, label_colours(problem) if problem.task == "hard" else None)
    prints = mixed(mixed(truth * TARGET + mixed(system)).sum(axis=-1)).sum(axis=-1)
    return np.argsort(prints, kind="stable")


def label_colours(problem: Problem) -> Bits:
    """One number per label, derived from how often it is true, is predicted, and is confused with which others.

    Two labels have the same number only if (as far as two rounds of refinement can tell) they are interchangeable.
    """
    pairs, counts = _confusions(problem)
    true, predicted = pairs
    copies = counts.astype(np.uint64)
    colours = mixed(_sums(true, copies, problem) + ROW * mixed(_sums(predicted, copies, problem)))
    for _ in range(ROUNDS):
        rows = mixed(colours[predicted] + COUNT * copies + (true == predicted).astype(np.uint64))
        columns = mixed(colours[true] + COUNT * copies)
        colours = mixed(colours + ROW * _sums(true, rows, problem) + COLUMN * _sums(predicted, columns, problem))
    return colours


def _sums(places: npt.NDArray[np.int64], values: Bits, problem: Problem) -> Bits:
    totals = np.zeros(len(problem.labels), dtype=np.uint64)
    np.add.at(totals, places, values)
    return totals


def _confusions(problem: Problem) -> tuple[tuple[npt.NDArray[np.int64], ...], npt.NDArray[np.int64]]:
    """The pairs (true, predicted) that occur in any run of either system, and how often."""
    classes = len(problem.labels)
    systems = (problem.baseline, problem.model)
    codes = np.concatenate([(problem.targets * classes + system).ravel() for system in systems])
    runs = len(codes) // len(problem.targets)
    weights = np.ones(len(codes), dtype=np.int64) if problem.counts is None else np.tile(problem.counts, runs)
    if classes**2 <= 4 * len(codes) + 1000:
        table = np.bincount(codes, weights=weights, minlength=classes**2).astype(np.int64)
        held = np.flatnonzero(table)
        counts = table[held]
    else:
        held, places = np.unique(codes, return_inverse=True)
        counts = np.bincount(places, weights=weights).astype(np.int64)
    return (held // classes, held % classes), counts


def _as_bits(problem: Problem) -> tuple[Bits, Bits, Bits]:
    """Targets (rows, elements) and systems (runs, rows, elements) as integers that do not depend on names."""
    if problem.task == "hard":
        colours = label_colours(problem)
        return tuple(_bits(held, colours) for held in (problem.targets, problem.baseline, problem.model))  # type: ignore[return-value]
    targets = problem.targets
    if problem.task == "probabilistic":
        width = problem.baseline.shape[-1]
        targets = targets[:, None] if width == 1 else (targets[:, None] == np.arange(width))
    return _bits(targets.astype(np.float64), None), _bits(problem.baseline, None), _bits(problem.model, None)


def _bits(values: npt.NDArray[Any], colours: Bits | None) -> Bits:
    return values.astype(np.float64).view(np.uint64) if colours is None else colours[values][..., None]
