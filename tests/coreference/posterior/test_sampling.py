"""Sampled clusterings: they are clusterings, and as frequent as the exact posterior says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from howsure.coreference import CorefPosterior
from howsure.coreference.clusterings import draw_labels, pair_frequency
from howsure.errors import InputError
from tests.coreference.enumeration import Enumeration, random_matrix


def test_a_sample_is_an_equivalence_named_after_first_mentions() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        m = int(rng.integers(1, 30))
        labels = CorefPosterior(random_matrix(m, rng)).sample(20, rng=rng)
        assert labels.shape == (20, m)
        own = np.take_along_axis(labels, labels, axis=1)
        assert np.array_equal(own, labels)  # the label of a label is itself: mentions of one label are one class
        assert (labels <= np.arange(m)).all()  # and it is the first of its class


def test_frequencies_are_distributed_as_the_exact_pairs_say() -> None:
    """One pair of each of 400 documents: its count is binomial with the exact probability."""
    rng, n = np.random.default_rng(11), 200
    z, uniform = [], []
    while len(z) < 400:
        m = int(rng.integers(2, 15))
        posterior = CorefPosterior(random_matrix(m, rng))
        i, j = sorted(rng.choice(m, size=2, replace=False).tolist())
        p = posterior.pair_probability()[i, j]
        labels = posterior.sample(n, rng=rng)
        count = int((labels[:, i] == labels[:, j]).sum())
        if not 0.02 < p < 0.98:
            assert n * p - 20 < count < n * p + 20
            continue
        z.append((count - n * p) / np.sqrt(n * p * (1 - p)))
        below = stats.binom.cdf(count - 1, n, p)
        uniform.append(below + rng.random() * (stats.binom.cdf(count, n, p) - below))
    assert stats.kstest(uniform, "uniform").pvalue > 0.01
    assert np.mean(z) == pytest.approx(0.0, abs=3 / np.sqrt(400))
    assert np.std(z) == pytest.approx(1.0, abs=3 / np.sqrt(800))


def test_whole_clusterings_are_as_frequent_as_their_probability() -> None:
    matrix = random_matrix(5, np.random.default_rng(2), zeros=0.0)
    n = 20_000
    expected = Enumeration(matrix).clusterings()
    labels = CorefPosterior(matrix).sample(n, rng=3)
    found, counts = np.unique(labels, axis=0, return_counts=True)
    observed = dict(zip(map(tuple, found.tolist()), counts.tolist(), strict=True))
    assert set(observed) <= {labels for labels, p in expected.items() if p > 0.0}
    often = {labels: p for labels, p in expected.items() if n * p >= 5}
    rest = 1.0 - sum(often.values())
    f_observed = [*(observed.get(labels, 0) for labels in often)]
    assert (
        stats.chisquare([*f_observed, n - sum(f_observed)], [*(n * p for p in often.values()), n * rest]).pvalue > 0.01
    )


class Always(np.random.Generator):
    """A generator whose uniform numbers are all one."""

    def __init__(self, value: float) -> None:
        super().__init__(np.random.PCG64())
        self.value = value

    def random(self, size: int) -> np.ndarray:  # type: ignore[override]
        return np.full(size, self.value)


def test_the_end_of_a_share_belongs_to_the_next() -> None:
    """A uniform number u < 0.5 draws the link, u = 0.5 is the first that does not."""
    antecedents = CorefPosterior([[1, 0], [0.5, 0.5]]).antecedents
    assert draw_labels(antecedents, 1, Always(0.5)).ravel().tolist() == [0, 1]
    assert draw_labels(antecedents, 1, Always(np.nextafter(0.5, 0.0))).ravel().tolist() == [0, 0]
    assert draw_labels(antecedents, 1, Always(0.0)).ravel().tolist() == [0, 0]


def test_what_is_impossible_is_never_drawn() -> None:
    """Ten links of 0.1 sum to a little less than 1 in floating point; "new" must not get what is missing."""
    matrix = np.diag([1.0] * 10 + [0.0])
    matrix[10, :10] = 0.1
    labels = draw_labels(CorefPosterior(matrix).antecedents, 3, Always(np.nextafter(1.0, 0.0)))
    assert labels[10].tolist() == [9, 9, 9]


def test_the_seed_decides_and_nothing_else() -> None:
    posterior = CorefPosterior(random_matrix(20, np.random.default_rng(1)))
    one = posterior.sample(50, rng=7)
    assert np.array_equal(one, posterior.sample(50, rng=np.random.default_rng(7)))
    assert not np.array_equal(one, posterior.sample(50, rng=8))
    assert posterior.sample(1, rng=0).shape == (1, 20)
    assert CorefPosterior([]).sample(3).shape == (3, 0)
    with pytest.raises(InputError, match="n must be a whole number of at least 1, not 0"):
        posterior.sample(0)


def test_pair_frequencies_are_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = CorefPosterior(random_matrix(9, np.random.default_rng(4))).sample(40, rng=1)
    slow = (labels[:, :, None] == labels[:, None, :]).mean(axis=0)
    np.testing.assert_allclose(pair_frequency(labels), slow, rtol=1e-15)
    assert pair_frequency(np.zeros((70_000, 2), dtype=int)).tolist() == [[1.0, 1.0], [1.0, 1.0]]
    monkeypatch.setattr("howsure.coreference.clusterings.CHUNK", 30)
    np.testing.assert_allclose(pair_frequency(labels), slow, rtol=1e-15)
