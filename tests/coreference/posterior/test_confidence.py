"""How sure a posterior is of clusters, against enumeration of all antecedent vectors."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from howsure.coreference import CorefPosterior
from howsure.coreference.judged import cluster_confidence, mention_confidence
from howsure.errors import InputError


def random_posterior(m: int, seed: int) -> CorefPosterior:
    rng = np.random.default_rng(seed)
    rows = np.tril(rng.random((m, m)) ** 3)
    return CorefPosterior(rows / rows.sum(axis=1, keepdims=True))


def enumerated(posterior: CorefPosterior) -> list[tuple[float, list[int]]]:
    """Every antecedent vector with its probability and its labels."""
    rows = np.zeros((len(posterior), len(posterior)))
    for j in range(len(posterior)):
        earlier, p = posterior.antecedents.row(j)
        rows[j, earlier] = p
        rows[j, j] = posterior.antecedents.new[j]
    found = []
    for vector in product(*(range(j + 1) for j in range(len(rows)))):
        labels = list(range(len(rows)))
        for j, k in enumerate(vector):
            labels[j] = labels[k] if k < j else j
        found.append((float(np.prod([rows[j, k] for j, k in enumerate(vector)])), labels))
    return found


@pytest.mark.parametrize("seed", range(12))
def test_against_enumeration(seed: int) -> None:
    posterior = random_posterior(5, seed)
    chosen = np.array([0, 1, 0, 0, 1]) if seed % 2 else np.array([0, 1, 1, 3, 4])
    found = mention_confidence(posterior, chosen)
    worlds = enumerated(posterior)
    for i in range(5):
        others = [j for j in range(5) if j != i and chosen[j] == chosen[i]]
        expected = 0.0
        for p, labels in worlds:
            together = [labels[j] == labels[i] for j in (others or [j for j in range(5) if j != i])]
            expected += p * (np.mean(together) if others else not any(together))
        assert found[i] == pytest.approx(expected, abs=1e-12)
    of_clusters = cluster_confidence(posterior, chosen)
    assert set(of_clusters) == set(chosen.tolist())
    for label, value in of_clusters.items():
        assert value == pytest.approx(found[chosen == label].mean())


def test_a_cluster_is_as_sure_as_its_pairs() -> None:
    posterior = random_posterior(6, 1)
    together = posterior.pair_probability()
    found = cluster_confidence(posterior, [[0, 2, 5], [1], [3, 4]])
    assert found[0] == pytest.approx((together[0, 2] + together[0, 5] + together[2, 5]) / 3)
    assert found[3] == pytest.approx(together[3, 4])


def test_clusters_of_unknown_mentions_are_refused() -> None:
    with pytest.raises(InputError, match="must be made of the mentions"):
        mention_confidence(CorefPosterior([[1.0]]), [["Ann"]])
