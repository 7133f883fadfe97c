"""Clusterings as lists and as labels, and mentions by their names."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.coreference import CorefPosterior
from howsure.coreference.clusterings import clusters_from, first_labels, labels_from
from howsure.data.documents.document import Mention
from howsure.errors import InputError

MATRIX = [[1, 0, 0], [0.4, 0.6, 0], [0.5, 0.3, 0.2]]
ANN, EVE, SHE = Mention(0, 0, 1), Mention(0, 3, 4), Mention(1, 0, 1)


@given(st.lists(st.integers(0, 5), max_size=12))
def test_lists_and_labels_are_one(codes: list[int]) -> None:
    labels = first_labels(np.array(codes, dtype=int))
    assert labels.tolist() == [codes.index(code) for code in codes]
    clusters = clusters_from(labels, range(len(codes)))
    assert np.array_equal(labels_from(clusters, range(len(codes))), labels)
    assert np.array_equal(labels_from(np.array(codes, dtype=int), range(len(codes))), labels)
    assert np.array_equal(labels_from([set(c) for c in clusters if len(c) > 1], range(len(codes))), labels)


def test_clusters_speak_of_mentions() -> None:
    posterior = CorefPosterior(MATRIX, mentions=[ANN, EVE, SHE])
    assert posterior.best_antecedent_clusters() == [[ANN, SHE], [EVE]]
    assert posterior.log_prob([[SHE, ANN], [EVE]]) == pytest.approx(np.log(0.6 * 0.5))
    assert (
        posterior.log_prob([[SHE, ANN]]) == posterior.log_prob(np.array([4, 1, 4])) == posterior.log_prob([{SHE, ANN}])
    )
    assert posterior.log_prob([[ANN, EVE, SHE]]) == pytest.approx(np.log(0.4 * 0.8))


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        (
            [["Ann", "Bo"]],
            "clusters must be made of the mentions of the posterior; 'Bo' is none of them (Ann, Eve, she).",
        ),
        ([[["Ann"]], ["she"]], "made of the mentions of the posterior; ['Ann'] is none of them"),
        ([["Ann", "she"], ["she"]], "clusters must hold a mention once; 'she' is in them twice."),
        ([["Ann", "Ann"]], "clusters must hold a mention once; 'Ann' is in them twice."),
        (np.array([0, 1]), "clusters must hold a label for each of 3 mentions, not 2."),
        (3, "clusters must be a list of clusters, each a list of mentions, or an integer array of labels"),
        ([3], "clusters must be a list of clusters"),
    ],
)
def test_what_is_no_clustering_is_refused(clusters, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        CorefPosterior(MATRIX, mentions=["Ann", "Eve", "she"]).log_prob(clusters)


@pytest.mark.parametrize(
    ("mentions", "message"),
    [
        ([ANN, SHE, EVE], "mentions must be in text order; mention 2, Mention(sentence=0, start=3, end=4"),
        ([ANN, EVE], "mentions must name the 3 mentions of the posterior; there are 2."),
        ([[0, 1], [2, 3], [4, 5]], "mentions must have a hash, such as strings or tuples; [0, 1] has none."),
        (["Ann", "Eve", "Ann"], "mentions must be distinct; 'Ann' comes twice."),
    ],
)
def test_mentions_out_of_place_are_refused(mentions, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        CorefPosterior(MATRIX, mentions=mentions)


@pytest.mark.parametrize("mentions", ["ab", 3])
def test_names_must_be_a_list(mentions) -> None:
    with pytest.raises(InputError, match="mentions must be a list of names, one per mention"):
        CorefPosterior([[1, 0], [0.5, 0.5]], mentions=mentions)
