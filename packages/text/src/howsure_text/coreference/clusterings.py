"""Clusterings of mentions: lists and labels, samples of a posterior, the choice of a clustering, and entropy."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from howsure.data.documents.document import Mention
from howsure.errors import InputError, quote
from howsure.inputs.numbers_and_names import shortened
from howsure.inputs.pairs import Floats, Integers
from howsure.inputs.parameter_types import SupportsArray
from howsure.result import Estimate
from howsure.stats.proportions import normal_quantile
from howsure_text.coreference.antecedents import Antecedents

# A clustering is a list of clusters (lists of mentions), or an array of labels: the label of a mention is the index of
# the first mention of its cluster.

Clusters = list[list[Any]]  # lists of mentions, or of positions if mentions have no names
Clustering = Iterable[Iterable[Hashable]] | SupportsArray  # as users pass it: clusters of mentions, or labels (M,)


def labels_from(clusters: object, names: Sequence[Hashable], *, parameter: str = "clusters") -> Integers:
    """Convert a clustering to labels (M,).

    clusters: lists of mentions, which are named in `names`; or an integer array of labels. A mention that is in no
    cluster is a singleton.

    >>> labels_from([["Ann", "she"]], ["Ann", "Bo", "she"])
    array([0, 1, 0])
    """
    if isinstance(clusters, np.ndarray) and clusters.ndim == 1 and clusters.dtype.kind in "iu":
        if len(clusters) != len(names):
            raise InputError(
                f"{parameter} must contain a label for each of {len(names)} mentions, not {len(clusters)}."
            )
        return first_labels(clusters)
    place_of = {name: place for place, name in enumerate(names)}
    labels = np.full(len(names), -1)
    for members in _members(clusters, parameter):
        places = []
        for mention in members:
            if not isinstance(mention, Hashable) or mention not in place_of:
                raise InputError(
                    f"{parameter} must consist of the mentions of the posterior ({shortened(names, limit=4)}); "
                    f"{mention!r} is not one of them. Leave it out, or name the posterior's mentions: mentions=[...]."
                )
            places.append(place_of[mention])
            if labels[places[-1]] >= 0:
                raise InputError(f"{parameter} must contain each mention once; {mention!r} occurs twice.")
            labels[places[-1]] = places[0]
        labels[places] = min(places, default=0)
    alone = labels < 0
    labels[alone] = np.flatnonzero(alone)
    return labels


def clusters_from(labels: Integers, names: Sequence[Hashable]) -> Clusters:
    """Convert labels (M,) to clusters, in the order of their first mentions.

    >>> clusters_from(np.array([0, 1, 0]), range(3))
    [[0, 2], [1]]
    """
    clusters: dict[int, list[Any]] = {}
    for name, label in zip(names, labels.tolist(), strict=True):
        clusters.setdefault(label, []).append(name)
    return list(clusters.values())


def first_labels(codes: Integers) -> Integers:
    """Convert codes of clusters to labels, the indices of first mentions.

    >>> first_labels(np.array([7, 3, 7]))
    array([0, 1, 0])
    """
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    return np.asarray(first[inverse], dtype=np.int64)


def checked_mentions(mentions: Iterable[Hashable] | None, m: int) -> Sequence[Hashable]:
    """Check and return the names of the M mentions; by default, the names are the indices of the mentions."""
    if mentions is None:
        return range(m)
    if isinstance(mentions, (str, bytes)) or not isinstance(mentions, Iterable):
        raise InputError(f"mentions must be a list of names, one per mention; it is {quote(mentions)}.")
    names = tuple(mentions)
    if len(names) != m:
        raise InputError(f"mentions must name the {m} mentions of the posterior; there are {len(names)}.")
    unhashable = [name for name in names if not isinstance(name, Hashable)]
    if unhashable:
        raise InputError(f"mentions must have a hash, such as strings or tuples; {unhashable[0]!r} has none.")
    if len(set(names)) < m:
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise InputError(f"mentions must be distinct; {twice!r} occurs twice.")
    for place, (first, other) in enumerate(pairwise(names), 1):
        both = isinstance(first, Mention) and isinstance(other, Mention)
        if both and (other.sentence, other.start) < (first.sentence, first.start):  # type: ignore[attr-defined]
            raise InputError(
                f"mentions must be in text order; mention {place}, {other!r}, begins before {first!r}. Sort them "
                "first: antecedents are earlier mentions."
            )
    return names


def _members(clusters: object, parameter: str) -> list[list[Hashable]]:
    try:
        return [list(members) for members in clusters]  # type: ignore[attr-defined]
    except TypeError:
        raise InputError(
            f"{parameter} must be a list of clusters, each a list of mentions, or an integer array of labels; "
            f"it is {shortened([clusters])!s:.80}."
        ) from None


# Independent samples from the exact posterior over clusterings; all samples are drawn together.

CHUNK = 1 << 22
MAX_COUNT = 65_535  # labels fit in 16 bits


def draw_labels(antecedents: Antecedents, n: int, rng: np.random.Generator) -> Integers:
    """Draw n clusterings, as labels (M, n).

    For one mention after the other, the antecedent is drawn in all samples, and the label of the antecedent is copied.
    A mention with antecedents uses one uniform number per sample, so that results do not depend on the machine.
    """
    m = len(antecedents)
    labels = np.empty((m, n), dtype=np.int64)
    flat, samples = labels.reshape(-1), np.arange(n)
    for j in range(m):
        labels[j] = j
        earlier, p = antecedents.row(j)
        if len(earlier):
            place = np.searchsorted(_cumulative_distribution(p, antecedents.new[j]), rng.random(n), side="right")
            labels[j] = flat.take(np.append(earlier, j)[place] * n + samples)
    return labels


def pair_frequency(labels: Integers) -> Floats:
    """Return the frequency (M, M) of pairs of mentions in one cluster, in sampled labels (n, M).

    Nguyen & O'Connor (2015) use it as the estimate of P(i ~ j).
    """
    n, m = labels.shape
    by_mention = np.ascontiguousarray(labels.T.astype(np.int16 if m < 1 << 15 else np.int32))
    counts = np.zeros((m, m))
    step = max(1, min(CHUNK // max(m, 1), MAX_COUNT))
    for start in range(0, n, step):
        part = by_mention[:, start : start + step]
        for j in range(1, m):
            counts[j, :j] += (part[:j] == part[j]).sum(axis=1, dtype=np.uint16)
    frequency: Floats = (counts + counts.T) / n
    np.fill_diagonal(frequency, 1.0)
    return frequency


def _cumulative_distribution(p: Floats, new: float) -> Floats:
    """Return the cumulative probabilities of the antecedents; the remainder up to 1 is P(new).

    If P(new) is 0, the last value is infinity, because the rounded sum may be below 1.
    """
    cumulated = np.cumsum(p)
    if new == 0.0:
        cumulated[cumulated == cumulated[-1]] = np.inf
    return cumulated


# The choice of a clustering: by the best antecedents, or by the smallest expected number of wrong pairs.

MIN_GAIN = 1e-12


def best_antecedents(antecedents: Antecedents) -> Integers:
    """Return the labels (M,) if every mention has its most probable antecedent; ties: "new", then the nearest."""
    labels = np.arange(len(antecedents))
    for j in range(len(antecedents)):
        earlier, p = antecedents.row(j)
        if len(p):
            best = len(p) - 1 - int(p[::-1].argmax())
            if p[best] > antecedents.new[j]:
                labels[j] = labels[earlier[best]]
    return labels


def expected_loss(together: Floats, labels: Integers, *, threshold: float = 0.5) -> float:
    """Return the sum over pairs of threshold (1 - P(i ~ j)) if they are linked, (1 - threshold) P(i ~ j) if not."""
    same = labels[:, None] == labels
    loss = np.where(same, threshold * (1.0 - together), (1.0 - threshold) * together)
    return float(loss.sum() - np.trace(loss)) / 2


def minimise_loss(together: Floats, starts: Iterable[Integers], *, threshold: float = 0.5) -> Integers:
    """Return the labels (M,) with the smallest expected loss that local search finds from the clusterings `starts`."""
    worth = together - threshold  # the decrease of the loss if a pair is linked
    np.fill_diagonal(worth, 0.0)
    solutions = [_local_search(worth, start) for start in starts]
    return max(solutions, key=lambda labels: float(worth[labels[:, None] == labels].sum()))


def _local_search(worth: Floats, start: Integers) -> Integers:
    """Move mentions and merge clusters as long as the loss decreases; of M possible clusters, some are empty."""
    labels = start.copy()
    columns = np.zeros(worth.shape)
    for label, gains in zip(labels.tolist(), worth, strict=True):
        columns[label] += gains
    pull = np.ascontiguousarray(columns.T)  # decrease of the loss by each mention (row) in each cluster (column)
    while _move_mentions(worth, pull, labels) or _merge_clusters(pull, labels):
        pass
    return labels


def _move_mentions(worth: Floats, pull: Floats, labels: Integers) -> bool:
    """Move each mention to the cluster with the smallest loss, which may be empty. Return whether any was moved."""
    moved = False
    for i in range(len(labels)):
        best = int(pull[i].argmax())
        if pull[i, best] > pull[i, labels[i]] + MIN_GAIN:
            pull[:, labels[i]] -= worth[i]
            pull[:, best] += worth[i]
            labels[i], moved = best, True
    return moved


def _merge_clusters(pull: Floats, labels: Integers) -> bool:
    """Merge the two clusters whose merger decreases the loss most; return False if no merger decreases it."""
    slots, members = np.unique(labels, return_inverse=True)
    if len(slots) < 2:
        return False
    between = np.zeros((len(slots), len(slots)))
    np.add.at(between, members, pull[:, slots])
    np.fill_diagonal(between, -np.inf)
    first, other = np.unravel_index(int(between.argmax()), between.shape)
    if between[first, other] <= MIN_GAIN:
        return False
    pull[:, slots[first]] += pull[:, slots[other]]
    pull[:, slots[other]] = 0.0
    labels[labels == slots[other]] = slots[first]
    return True


# The entropy of the antecedent choices, which is exact, and of the clusterings, which is estimated from samples.
# Several choices of antecedents give the same clustering, so the entropy of the clusterings is smaller. By the chain
# rule, it is the sum over mentions j of H(entity of j | clustering of the mentions before j). Only the expectation over
# clusterings of the mentions before j requires samples; given a clustering, the distribution of j's entity is known.

MAX_NUMBERS_AT_ONCE = 1 << 22


def antecedent_entropy(antecedents: Antecedents) -> float:
    """Return −Σ_j Σ_k P(a_j = k) log P(a_j = k) over the antecedents of each mention and "new", in nats."""
    return float(_entropy_terms(antecedents.new).sum() + _entropy_terms(antecedents.probabilities).sum())


def clustering_entropy(antecedents: Antecedents, n: int, rng: np.random.Generator, *, level: float) -> Estimate:
    """Estimate the entropy of the clusterings from n samples, with a normal interval of the mean.

    If all samples agree, clusterings that were not drawn may still have a total probability of up to
    1 - ((1 - level) / 2)^(1/n). The interval then extends by this fraction of the maximum entropy.
    """
    step = max(1, MAX_NUMBERS_AT_ONCE // max(len(antecedents), 1))
    values = np.concatenate([_conditional_entropies(antecedents, min(step, n - at), rng) for at in range(0, n, step)])
    value, most = float(values.mean()), antecedent_entropy(antecedents)
    if bool((values == values[0]).all()):
        unseen = 1 - ((1 - level) / 2) ** (1 / n)
        reach = unseen * float(np.log(np.diff(antecedents.starts) + 1).sum())
    else:
        reach = normal_quantile(level) * float(values.std(ddof=1)) / math.sqrt(n)
    value = min(value, most)
    return Estimate(value, max(value - reach, 0.0), min(value + reach, most), level, f"{n} samples", n)


def _conditional_entropies(antecedents: Antecedents, n: int, rng: np.random.Generator) -> Floats:
    """Return Σ_j H(entity of j | clustering of the mentions before j) for n sampled clusterings, (n,)."""
    labels, samples = draw_labels(antecedents, n, rng), np.arange(n)
    total = np.full(n, float(_entropy_terms(antecedents.new).sum()))
    for j in range(1, len(antecedents)):
        earlier, p = antecedents.row(j)
        if len(earlier):
            cells = labels[earlier] * n + samples
            joined = np.bincount(cells.ravel(), np.repeat(p, n), minlength=j * n).astype(np.float64).reshape(j, n)
            total += _entropy_terms(joined).sum(axis=0)
    return total


def _entropy_terms(p: Floats) -> Floats:
    from scipy.special import entr

    terms: Floats = entr(p)
    return np.maximum(terms, 0.0)  # rounding may give values above 1
