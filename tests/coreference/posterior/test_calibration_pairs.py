"""From posteriors to calibration pairs."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.calibration import calibration_error, calibration_test
from howsure.coreference import CorefPosterior, pairs_from_posteriors
from howsure.errors import InputError
from tests.coreference.enumeration import random_matrix


def documents(n: int, seed: int) -> tuple[list[CorefPosterior], list[np.ndarray]]:
    """Posteriors, and gold clusterings drawn from them: the posteriors are right by construction."""
    rng = np.random.default_rng(seed)
    posteriors = [CorefPosterior(random_matrix(int(m), rng)) for m in rng.integers(0, 12, size=n)]
    return posteriors, [posterior.sample(1, rng=rng)[0] for posterior in posteriors]


def test_all_pairs_of_every_document_in_order() -> None:
    posteriors, gold = documents(20, 0)
    pairs = pairs_from_posteriors(posteriors, gold)
    expected = [
        (int(labels[j] == labels[i]), posterior.pair_probability()[j, i], number)
        for number, (posterior, labels) in enumerate(zip(posteriors, gold, strict=True))
        for j in range(len(posterior))
        for i in range(j)
    ]
    assert pairs.labels.tolist() == [row[0] for row in expected]
    assert pairs.probabilities.tolist() == [row[1] for row in expected]
    assert pairs.clusters is not None
    assert pairs.clusters.tolist() == [row[2] for row in expected]


def test_gold_by_mentions() -> None:
    posterior = CorefPosterior([[1, 0, 0], [0.4, 0.6, 0], [0.5, 0.3, 0.2]], mentions=list("abc"))
    assert pairs_from_posteriors([posterior], [[["a", "c"]]]).labels.tolist() == [0, 1, 0]
    with pytest.raises(InputError, match="document 1: clusters must be made of the mentions of the posterior; 'd'"):
        pairs_from_posteriors([posterior, posterior], [[], [["d"]]])


def test_pairs_of_right_posteriors_are_calibrated() -> None:
    pairs = pairs_from_posteriors(*documents(600, 1))
    result = calibration_error(pairs.labels, pairs.probabilities, clusters=pairs.clusters, bin_size=500)
    assert result.low == 0.0
    sharper = np.clip(1.6 * (pairs.probabilities - 0.5) + 0.5, 0.0, 1.0)
    assert calibration_error(pairs.labels, sharper, clusters=pairs.clusters, bin_size=500).low > 0.05
    rng = np.random.default_rng(0)
    one_a_document = [rng.choice(np.flatnonzero(pairs.clusters == number)) for number in np.unique(pairs.clusters)]
    assert calibration_test(pairs.labels[one_a_document], pairs.probabilities[one_a_document], rng=0).p_value > 0.01


def test_sampled_pairs_are_near_and_do_not_depend_on_the_other_documents() -> None:
    posteriors, gold = documents(30, 2)
    exact = pairs_from_posteriors(posteriors, gold)
    sampled = pairs_from_posteriors(posteriors, gold, samples=1_000, rng=5)
    assert np.array_equal(sampled.labels, exact.labels)
    q = exact.probabilities
    assert (np.abs(sampled.probabilities - q) <= 5 * np.sqrt(q * (1 - q) / 1_000) + 1e-9).all()
    assert (sampled.probabilities * 1_000 == np.round(sampled.probabilities * 1_000)).all()
    first = pairs_from_posteriors(posteriors[:10], gold[:10], samples=1_000, rng=5)
    assert np.array_equal(first.probabilities, sampled.probabilities[: len(first)])


def test_nothing_to_judge_is_an_error() -> None:
    one = CorefPosterior([[1.0]])
    with pytest.raises(InputError, match="no document has two mentions"):
        pairs_from_posteriors([one, one], [[], []])
    with pytest.raises(InputError, match="must be of the same documents; they have 2, 1"):
        pairs_from_posteriors([one, one], [[]])
    with pytest.raises(InputError, match="samples must be a whole number of at least 1, not 0"):
        pairs_from_posteriors([one], [[]], samples=0)


def test_one_posterior_is_no_list_of_them() -> None:
    posterior = CorefPosterior([[1, 0], [0.5, 0.5]])
    with pytest.raises(InputError, match=r"of one: \[posterior\], and \[clusters\] for gold"):
        pairs_from_posteriors(posterior, [[0, 1]])
    with pytest.raises(InputError, match="posteriors must hold CorefPosterior; document 1 is ndarray"):
        pairs_from_posteriors([posterior, np.eye(2)], [[[0, 1]], [[0, 1]]])
    with pytest.raises(InputError, match="posteriors must be a list of posteriors; it is None"):
        pairs_from_posteriors(None, None)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="gold must be a list of clusterings; it is 3"):
        pairs_from_posteriors([posterior], 3)  # type: ignore[arg-type]
