"""The posterior of a function of a clustering."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.coreference import CorefPosterior
from howsure.errors import InputError
from tests.coreference.enumeration import Enumeration, random_matrix


def test_the_error_is_that_of_sampling() -> None:
    """The interval of the estimate holds the exact probability as often as it says."""
    rng = np.random.default_rng(6)
    held = []
    for _ in range(200):
        matrix = random_matrix(5, rng, zeros=0.0)
        slow = Enumeration(matrix)
        exact = float(slow.mean((slow.labels[:, 0] == slow.labels[:, 3]) & (slow.labels[:, 3] == slow.labels[:, 4])))
        answer = CorefPosterior(matrix).query(lambda clusters: {0, 3, 4} <= set(clusters[0]), 400, rng=rng)
        estimate = answer.estimate(0.9)
        held.append(estimate.low <= exact <= estimate.high)
    assert np.mean(held) == pytest.approx(0.9, abs=3 * np.sqrt(0.09 / 200))


def test_numbers_have_mean_spread_and_quantiles() -> None:
    posterior = CorefPosterior(random_matrix(12, np.random.default_rng(0)))
    answer = posterior.query(len, 4_000, rng=1)
    law = posterior.number_of_entities()
    assert answer.n == 4_000
    assert answer.mean == pytest.approx(law.mean, abs=4 * answer.standard_error)
    assert answer.sd**2 == pytest.approx(law.variance, rel=0.1)
    assert answer.standard_error == pytest.approx(answer.sd / np.sqrt(4_000))
    assert answer.interval() == law.interval()
    assert "from 4,000 sampled clusterings" in repr(answer)


def test_mentions_come_by_their_names() -> None:
    posterior = CorefPosterior([[1, 0], [0.5, 0.5]], mentions=["Ann", "she"])
    answer = posterior.query(lambda clusters: clusters, 10, rng=0)
    assert set(map(str, answer.values)) == {"[['Ann', 'she']]", "[['Ann'], ['she']]"}
    with pytest.raises(InputError, match="a tuple can"):
        answer.probabilities()


def test_anything_else_is_counted() -> None:
    posterior = CorefPosterior([[1, 0], [0.25, 0.75]])
    answer = posterior.query(lambda clusters: "one" if len(clusters) == 1 else "two", 1_000, rng=0)
    found = answer.probabilities()
    assert list(found) == ["two", "one"]
    share, error = found["one"]
    assert error == pytest.approx(np.sqrt(share * (1 - share) / 1_000))
    assert share == pytest.approx(0.25, abs=4 * error)
    assert repr(answer) == "2 different answers from 1,000 sampled clusterings"
    with pytest.raises(InputError, match=r"only numbers and truth values have a mean; it gives '\w+'"):
        _ = answer.mean


def test_samples_that_agree_are_no_certainty() -> None:
    answer = CorefPosterior([[1, 0], [1e-6, 1 - 1e-6]]).query(lambda clusters: len(clusters) == 2, 100, rng=0)
    assert answer.mean == 1.0
    assert answer.standard_error == 0.0
    assert answer.estimate().low == pytest.approx(0.963, abs=1e-3)


def test_many_samples_are_drawn_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    posterior = CorefPosterior(random_matrix(6, np.random.default_rng(9)))
    assert posterior.query(len, 25, rng=2).values == posterior.query(len, 25, rng=2).values
    monkeypatch.setattr("howsure.coreference.coref_posterior.SAMPLED_AT_ONCE", 60)
    rng = np.random.default_rng(2)
    parts = np.concatenate([posterior.sample(n, rng=rng) for n in (10, 10, 5)])
    assert posterior.query(len, 25, rng=2).values == tuple(len(set(labels)) for labels in parts.tolist())


@pytest.mark.parametrize("answer", [None, 10**400])
def test_what_is_no_number_has_no_mean(answer) -> None:
    found = CorefPosterior([[1]]).query(lambda clusters: answer, 3, rng=0)
    with pytest.raises(InputError, match="only numbers and truth values have a mean; it gives"):
        _ = found.mean
    assert found.probabilities() == {answer: (1.0, 0.0)}


def test_answers_without_bound_have_no_spread() -> None:
    found = CorefPosterior([[1]]).query(lambda clusters: np.inf, 3, rng=0)
    assert found.mean == np.inf
    assert np.isnan(found.sd)


def test_a_query_needs_a_function() -> None:
    with pytest.raises(InputError, match="function must be one of a clustering, such as len; it is 3"):
        CorefPosterior([[1]]).query(3)
