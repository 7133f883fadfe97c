"""Choosing one clustering: the best antecedents, and the clusters with the fewest expected pair errors."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from howsure.coreference.posterior.antecedents import Antecedents
from howsure.inputs.pairs import Floats, Integers

SMALLEST_GAIN = 1e-12


def best_antecedents(antecedents: Antecedents) -> Integers:
    """Labels (M,) where every mention takes its most probable antecedent; ties go to "new", then to the nearest."""
    labels = np.arange(len(antecedents))
    for j in range(len(antecedents)):
        earlier, p = antecedents.row(j)
        if len(p):
            best = len(p) - 1 - int(p[::-1].argmax())
            if p[best] > antecedents.new[j]:
                labels[j] = labels[earlier[best]]
    return labels


def expected_loss(together: Floats, labels: Integers, *, threshold: float = 0.5) -> float:
    """Σ_{i<j} threshold (1 - P(i ~ j)) for linked pairs, (1 - threshold) P(i ~ j) for separate pairs."""
    same = labels[:, None] == labels
    loss = np.where(same, threshold * (1.0 - together), (1.0 - threshold) * together)
    return float(loss.sum() - np.trace(loss)) / 2


def least_loss(together: Floats, starts: Iterable[Integers], *, threshold: float = 0.5) -> Integers:
    """The clustering of least expected loss that local search finds from any of the `starts`; labels (M,)."""
    worth = together - threshold  # what a pair gains by being together
    np.fill_diagonal(worth, 0.0)
    found = [_searched(worth, start) for start in starts]
    return max(found, key=lambda labels: float(worth[labels[:, None] == labels].sum()))


def _searched(worth: Floats, start: Integers) -> Integers:
    """Move mentions and merge clusters as long as the loss decreases. Slots of clusters: one per mention."""
    labels = start.copy()
    columns = np.zeros(worth.shape)
    for label, gains in zip(labels.tolist(), worth, strict=True):
        columns[label] += gains
    pull = np.ascontiguousarray(columns.T)  # what each mention would gain in each cluster
    while _mentions_move(worth, pull, labels) or _clusters_merge(pull, labels):
        pass
    return labels


def _mentions_move(worth: Floats, pull: Floats, labels: Integers) -> bool:
    """Move every mention in turn to the best cluster or an empty slot; return whether any moved."""
    moved = False
    for i in range(len(labels)):
        best = int(pull[i].argmax())
        if pull[i, best] > pull[i, labels[i]] + SMALLEST_GAIN:
            pull[:, labels[i]] -= worth[i]
            pull[:, best] += worth[i]
            labels[i], moved = best, True
    return moved


def _clusters_merge(pull: Floats, labels: Integers) -> bool:
    """Merge the two clusters with the largest gain; return whether there are any."""
    slots, members = np.unique(labels, return_inverse=True)
    if len(slots) < 2:
        return False
    between = np.zeros((len(slots), len(slots)))
    np.add.at(between, members, pull[:, slots])
    np.fill_diagonal(between, -np.inf)
    one, other = np.unravel_index(int(between.argmax()), between.shape)
    if between[one, other] <= SMALLEST_GAIN:
        return False
    pull[:, slots[one]] += pull[:, slots[other]]
    pull[:, slots[other]] = 0.0
    labels[labels == slots[other]] = slots[one]
    return True
