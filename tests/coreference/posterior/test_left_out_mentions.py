"""Leaving mentions out: the posterior given that nothing refers to them, by enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.coreference.antecedents import from_matrix
from howsure.coreference.coref_posterior import CorefPosterior
from howsure.coreference.scored import without_mentions
from howsure.errors import InputError
from tests.coreference.enumeration import Enumeration, random_matrix, vectors

M = 6


@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_conditional_of_all_choices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = random_matrix(M, rng, zeros=0.2)
    kept = rng.random(M) < 0.7
    matrix[kept, np.flatnonzero(kept)] += 0.05  # each that stays may be new
    matrix /= matrix.sum(axis=1, keepdims=True)
    choices, labels = vectors(M)
    p = Enumeration(matrix).p
    refers = (~kept[choices] & kept[None, :]).any(axis=1)  # one that stays to one that does not
    share = np.where(refers, 0.0, p)
    places = np.flatnonzero(kept)
    same = labels[:, places, None] == labels[:, None, places]
    wanted = np.tensordot(share / share.sum(), same.astype(float), axes=1)
    found, lost = without_mentions(from_matrix(matrix), kept)
    np.testing.assert_allclose(CorefPosterior(found).pair_probability(), wanted, atol=1e-12)
    np.testing.assert_allclose(lost, matrix[np.ix_(kept, ~kept)].sum(axis=1).max(initial=0.0), atol=1e-12)


def test_without_any_left_out_nothing_changes() -> None:
    antecedents = from_matrix(random_matrix(M, np.random.default_rng(1)))
    found, lost = without_mentions(antecedents, np.ones(M, dtype=bool))
    assert lost == 0.0
    np.testing.assert_allclose(found.probabilities, antecedents.probabilities, rtol=1e-15)


def test_a_mention_that_must_refer_to_one_left_out_is_refused() -> None:
    antecedents = from_matrix([[1.0, 0.0], [1.0, 0.0]])
    with pytest.raises(InputError, match="mention 1 refers with probability 1 to mentions that are left out"):
        without_mentions(antecedents, np.array([False, True]))
