"""The posterior confidence in chosen clusters: of each mention in its cluster, and of each cluster."""

from __future__ import annotations

import numpy as np

from howsure.coreference.posterior.coref_posterior import CorefPosterior
from howsure.inputs.pairs import Floats


def mention_confidence(posterior: CorefPosterior, clusters: object) -> Floats:
    """The mean of P(i ~ j) over the other members j of each mention's cluster, (M,); of a singleton, P(alone).

    `clusters`: lists of mentions, or labels (M,). Exact. In a calibrated posterior, it is on average the share of the
    other members with which a mention truly corefers.

    >>> posterior = CorefPosterior([[1, 0, 0], [0.4, 0.6, 0], [0.5, 0.3, 0.2]])
    >>> mention_confidence(posterior, [[0, 2], [1]]).round(2).tolist()
    [0.62, 0.42, 0.62]

    Raises InputError if the clusters do not consist of the mentions, or for more than 5,000 mentions.
    """
    labels = posterior.labels(clusters)
    same = labels[:, None] == labels
    others = same.sum(axis=1) - 1
    total = np.where(same, posterior.pair_probability(), 0.0).sum(axis=1) - 1.0
    found: Floats = np.where(others > 0, total / np.maximum(others, 1), posterior.singleton_probability())
    return np.clip(found, 0.0, 1.0)


def cluster_confidence(posterior: CorefPosterior, clusters: object) -> dict[int, float]:
    """The mean of P(i ~ j) over the pairs within each cluster, by its label; of a singleton, P(alone).

    >>> posterior = CorefPosterior([[1, 0, 0], [0.4, 0.6, 0], [0.5, 0.3, 0.2]])
    >>> {label: round(p, 2) for label, p in cluster_confidence(posterior, [[0, 2], [1]]).items()}
    {0: 0.62, 1: 0.42}
    """
    labels = posterior.labels(clusters)
    each = mention_confidence(posterior, labels)
    return {label: float(each[labels == label].mean()) for label in np.unique(labels).tolist()}
