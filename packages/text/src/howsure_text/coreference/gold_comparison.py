"""Posteriors compared with gold: the confidence in chosen clusters, and calibration pairs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, generator_from
from howsure.inputs.checks import listed
from howsure.inputs.numbers_and_names import MAX_SIMULATIONS, check_integer
from howsure.inputs.pairs import Floats, Pairs
from howsure_text.coreference.clusterings import Clustering, pair_frequency
from howsure_text.coreference.coref_posterior import CorefPosterior

# The posterior confidence in chosen clusters: of each mention in its cluster, and of each cluster.


def mention_confidence(posterior: CorefPosterior, clusters: object) -> Floats:
    """Return for each mention i the mean of P(i ~ j) over the other members j of its cluster, (M,).

        For a singleton, it is P(i is a singleton). clusters: lists of mentions, or labels (M,). The result is exact.
        For a
    calibrated posterior, it equals on average the proportion of the other members with which a mention truly corefers.

    >>> posterior = CorefPosterior([[1, 0, 0], [0.4, 0.6, 0], [0.5, 0.3, 0.2]])
    >>> mention_confidence(posterior, [[0, 2], [1]]).round(2).tolist()
    [0.62, 0.42, 0.62]
    """
    labels = posterior.labels(clusters)
    same = labels[:, None] == labels
    others = same.sum(axis=1) - 1
    total = np.where(same, posterior.pair_probability(), 0.0).sum(axis=1) - 1.0
    confidence: Floats = np.where(others > 0, total / np.maximum(others, 1), posterior.singleton_probability())
    return np.clip(confidence, 0.0, 1.0)


def cluster_confidence(posterior: CorefPosterior, clusters: object) -> dict[int, float]:
    """Return by label of a cluster the mean of P(i ~ j) over its pairs; for a singleton i, P(i is a singleton).

    >>> posterior = CorefPosterior([[1, 0, 0], [0.4, 0.6, 0], [0.5, 0.3, 0.2]])
    >>> {label: round(p, 2) for label, p in cluster_confidence(posterior, [[0, 2], [1]]).items()}
    {0: 0.62, 1: 0.42}
    """
    labels = posterior.labels(clusters)
    each = mention_confidence(posterior, labels)
    return {label: float(each[labels == label].mean()) for label in np.unique(labels).tolist()}


def pairs_from_posteriors(
    posteriors: Iterable[CorefPosterior],
    gold: Iterable[Clustering],
    *,
    samples: int | None = None,
    rng: Randomness = None,
) -> Pairs:
    """Return calibration pairs for all pairs of mentions i < j of every document: P(i ~ j), and whether they corefer.

    gold: for every document, the clusters of the posterior's mentions (omitted mentions are singletons), or labels
    (M,). samples: the number of sampled clusterings whose frequencies replace the exact P(i ~ j), as in Nguyen &
    O'Connor (2015); every document then has its own random numbers from `rng`. The cluster of a calibration pair is its
    document.

    >>> pairs = pairs_from_posteriors([CorefPosterior([[1, 0], [0.7, 0.3]])], [[[0, 1]]])
    >>> pairs.labels, pairs.probabilities, pairs.clusters
    (array([1], dtype=uint8), array([0.7]), array([0]))
    """
    if isinstance(posteriors, CorefPosterior):
        raise InputError(
            "posteriors must be a list with one posterior per document. For one document, pass [posterior], and "
            "[clusters] for gold."
        )
    checked = listed(posteriors, name="posteriors", of="posteriors")
    golden = listed(gold, name="gold", of="clusterings")
    if len(checked) != len(golden):
        raise InputError(f"posteriors and gold must be of the same documents; they have {len(checked)}, {len(golden)}.")
    times = None if samples is None else check_integer(samples, name="samples", most=MAX_SIMULATIONS)
    labels, probabilities, sizes = [], [], []
    for number, (posterior, generator) in enumerate(zip(checked, generator_from(rng).spawn(len(checked)), strict=True)):
        if not isinstance(posterior, CorefPosterior):
            raise InputError(
                f"posteriors must contain CorefPosterior; document {number} is {type(posterior).__name__}. For a "
                "matrix, give CorefPosterior(matrix)."
            )
        try:
            codes = posterior.labels(golden[number])
        except InputError as error:
            raise error.inside(f"document {number}") from None
        together = (
            posterior.pair_probability() if times is None else pair_frequency(posterior.sample(times, rng=generator))
        )
        below = np.tri(len(posterior), k=-1, dtype=np.bool_)
        probabilities.append(together[below])
        labels.append((codes[:, None] == codes)[below])
        sizes.append(len(labels[-1]))
    if not sum(sizes):
        raise InputError("no document has two mentions, so there is no pair to evaluate.")
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    return Pairs(np.concatenate(labels).view(np.uint8), np.concatenate(probabilities), clusters=clusters)
