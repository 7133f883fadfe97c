"""Counts from sampled tags and clusterings, against the enumeration of all of them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.coreference.by_definition import Enumeration as EveryClustering
from tests.coreference.by_definition import random_matrix
from tests.sequences.enumeration import draw, enumerated

import howsure
from howsure_text.coreference import CorefPosterior
from howsure_text.sequences import TagPosterior


def entities(labels: np.ndarray) -> int:
    return len(set(labels.tolist()))


def quantiles(values: np.ndarray, p: np.ndarray) -> tuple[float, float]:
    """The central 95% interval of a distribution, which has no mass of exactly 0.025 or 0.975 below a value."""
    order = np.argsort(values, kind="stable")
    low, high = np.searchsorted(np.cumsum(p[order]), [0.025, 0.975])
    return values[order][low], values[order][high]


def covers(estimate: howsure.Estimate, exact: float) -> bool:
    above = estimate.low is None or estimate.low <= exact + 1e-12
    return above and (estimate.high is None or estimate.high >= exact - 1e-12)


@pytest.mark.long
def test_intervals_of_a_count_of_tags_cover_the_enumerated_one() -> None:
    """The number of tokens with tag 1 in three sentences of a hidden Markov chain."""
    model = draw([4, 3, 2], 2, seed=1, scale=1.0)
    twins = enumerated(*model)
    posterior = TagPosterior(*model)
    law = np.ones(1)
    for twin in twins:
        of_sentence = np.bincount([sum(tags) for tags in twin.sequences], twin.probabilities)
        law = np.convolve(law, of_sentence)
    counts = np.arange(len(law))
    exact = (float(counts @ law), *quantiles(counts, law))
    hits = []
    for seed in range(300):
        row = howsure.propagate_samples(posterior, lambda tags: sum(map(sum, tags)), samples=200, rng=seed)[0]
        hits.append([covers(e, value) for e, value in zip((row.mean, row.low, row.high), exact, strict=True)])
    assert (np.mean(hits, axis=0) >= 0.93).all(), np.mean(hits, axis=0)


@pytest.mark.slow
def test_intervals_of_a_number_of_entities_cover_the_enumerated_one() -> None:
    """The number of entities in two documents."""
    rng, hits = np.random.default_rng(0), []
    for seed in range(300):
        matrices = [random_matrix(m, rng, zeros=0.0) for m in (4, 5)]
        law = np.convolve(*[EveryClustering(matrix).numbers() for matrix in matrices])
        exact = (float(np.arange(len(law)) @ law), *quantiles(np.arange(len(law)), law))
        documents = [CorefPosterior(matrix) for matrix in matrices]
        row = howsure.propagate_samples(documents, entities, samples=200, rng=seed)[0]
        hits.append([covers(e, value) for e, value in zip((row.mean, row.low, row.high), exact, strict=True)])
    assert (np.mean(hits, axis=0) >= 0.93).all(), np.mean(hits, axis=0)


@pytest.mark.slow
def test_shares_of_tags_and_coreference_are_the_enumerated_ones() -> None:
    """Tag 1 is a mention; the antecedents of mentions are drawn from a matrix of their number."""
    model = draw([4], 2, seed=4, scale=1.0)
    (twin,) = enumerated(*model)
    matrices = [random_matrix(m, np.random.default_rng(m), zeros=0.0) for m in range(5)]
    laws = [EveryClustering(matrix).numbers() for matrix in matrices]
    p, numbers = np.array(twin.probabilities), [sum(tags) for tags in twin.sequences]
    means = np.array([np.arange(len(laws[m])) @ laws[m] for m in numbers])
    variances = np.array([np.arange(len(laws[m])) ** 2 @ laws[m] for m in numbers]) - means**2
    first, second = p @ means**2 - (p @ means) ** 2, p @ variances

    def coreference(tags: list[np.ndarray]) -> CorefPosterior:
        return CorefPosterior(matrices[int(tags[0].sum())])

    rows = [
        howsure.decompose_variance(TagPosterior(*model), coreference, entities, samples=100, rng=seed)[0]
        for seed in range(200)
    ]
    exact = first / (first + second)
    assert np.mean([row.variance for row in rows]) == pytest.approx(first + second, rel=0.03)
    assert np.mean([row.share.value for row in rows]) == pytest.approx(exact, abs=0.02)
    assert np.mean([covers(row.share, exact) for row in rows]) >= 0.93


def test_drawing_one_by_one_gives_the_same_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    tagged, clustered = (
        TagPosterior(*draw([4, 0, 3], 2, seed=2)),
        CorefPosterior(random_matrix(5, np.random.default_rng(1))),
    )
    one_by_one = list(tagged.iter_samples(6, rng=3))
    for at, together in enumerate(tagged.sample(6, rng=3)):
        assert [tags[at].tolist() for tags in one_by_one] == together.tolist()
    assert [labels.tolist() for labels in clustered.iter_samples(6, rng=3)] == clustered.sample(6, rng=3).tolist()
    monkeypatch.setattr("howsure_text.sequences.tag_posterior.MAX_SAMPLED_TAGS", 14)
    rng = np.random.default_rng(3)
    parts = [tagged.sample(2, rng=rng)[0].tolist() for _ in range(3)]
    assert [tags[0].tolist() for tags in tagged.iter_samples(6, rng=3)] == [tags for part in parts for tags in part]
