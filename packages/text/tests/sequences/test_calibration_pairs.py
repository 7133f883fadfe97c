"""Tag posteriors as calibration pairs: against loops over tokens, and what must be refused."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure import calibration_curve, calibration_table
from howsure.errors import InputError
from howsure_text.sequences import TagPosterior
from howsure_text.sequences.calibration_pairs import frequent_transitions, tag_pairs, transition_pairs
from howsure_text.sequences.sentences import count_unknown

LABELS = ("D", "N", "V")
LENGTHS = (3, 0, 1, 5, 2)


def made(seed: int) -> tuple[list[Any], list[list[str]]]:
    """Marginals and gold tags of sentences, one of them empty, one of a single token."""
    rng = np.random.default_rng(seed)
    return [rng.dirichlet(np.ones(3), n) for n in LENGTHS], [rng.choice(LABELS, n).tolist() for n in LENGTHS]


def rows_of(pairs: Any) -> Counter[tuple[Any, ...]]:
    groups = [None] * len(pairs) if pairs.groups is None else [pairs.group_names[code] for code in pairs.groups]
    return Counter(zip(groups, pairs.probabilities, pairs.labels, pairs.clusters, strict=True))


def test_every_token_and_tag_is_a_pair() -> None:
    marginals, tags = made(0)
    expected = Counter(
        (name, marginals[i][t, k], int(tag == name), i)
        for i, sentence in enumerate(tags)
        for t, tag in enumerate(sentence)
        for k, name in enumerate(LABELS)
    )
    assert rows_of(tag_pairs(marginals, tags, labels=LABELS)) == expected


def test_rounded_marginals_are_divided_by_their_sum() -> None:
    pairs = tag_pairs([[[0.33, 0.33, 0.33], [0.5, 0.25, 0.25]]], [["D", "N"]], labels=list(LABELS), tag="D")
    assert pairs.probabilities.tolist() == pytest.approx([1 / 3, 0.5])


def test_the_pairs_of_one_tag_are_those_of_its_group() -> None:
    marginals, tags = made(1)
    every = rows_of(tag_pairs(marginals, tags, labels=LABELS))
    for name in LABELS:
        of_tag = rows_of(tag_pairs(marginals, tags, labels=LABELS, tag=name))
        assert of_tag == Counter({(None, *row[1:]): n for row, n in every.items() if row[0] == name})
    of_two_tags = rows_of(tag_pairs(marginals, tags, labels=LABELS, tag=["V", "D"]))
    assert of_two_tags == Counter({row: n for row, n in every.items() if row[0] != "N"})


def test_tag_pairs_of_consecutive_tokens() -> None:
    _, tags = made(2)
    wanted_pairs = [("N", "V"), ("D", "N"), ("V", "V")]
    rng = np.random.default_rng(5)
    given_marginals = [rng.random((max(n - 1, 0), 3)) / 3 for n in LENGTHS]
    expected = Counter(
        (" ".join(pair), given_marginals[i][t, k], int(step == pair), i)
        for i, sentence in enumerate(tags)
        for t, step in enumerate(pairwise(sentence))
        for k, pair in enumerate(wanted_pairs)
    )
    assert rows_of(transition_pairs(given_marginals, tags, pairs=wanted_pairs)) == expected


def test_a_calibrated_tagger_is_found_calibrated() -> None:
    """Gold tags drawn from the marginals themselves: every group, and all together."""
    rng = np.random.default_rng(3)
    marginals = [rng.dirichlet(np.full(3, 0.4), 20) for _ in range(300)]
    tags = [[LABELS[rng.choice(3, p=row)] for row in sentence_marginals] for sentence_marginals in marginals]
    pairs = tag_pairs(marginals, tags, labels=LABELS)
    assert pairs.groups is not None
    names = [pairs.group_names[code] for code in pairs.groups]
    table = calibration_table(pairs.labels, pairs.probabilities, groups=names, clusters=pairs.clusters)
    assert [row.name for row in table] == list(LABELS)
    assert all(row.p_adjusted > 0.05 for row in table)
    assert calibration_curve(pairs.labels, pairs.probabilities, clusters=pairs.clusters).error.value < 0.03


def test_tokens_with_unknown_gold_tags_are_refused_or_kept() -> None:
    marginals, tags = made(4)
    tags[3][0] = tags[3][2] = "FW"
    with pytest.raises(InputError, match=r"gold tags of 2 tokens: FW \(2\).*unknown_tags='keep'"):
        tag_pairs(marginals, tags, labels=LABELS)
    kept = tag_pairs(marginals, tags, labels=LABELS, unknown_tags="keep")
    assert len(kept) == 3 * sum(LENGTHS)
    assert kept.labels.sum() == sum(LENGTHS) - 2  # these two tokens have none of the tags
    assert count_unknown(tags, LABELS) == {"FW": 2}


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=6), max_size=8), st.integers(1, 9))
def test_frequent_transitions_are_the_most_frequent(tags: list[list[str]], n: int) -> None:
    counts = Counter(step for sentence in tags for step in pairwise(sentence))
    chosen = frequent_transitions(tags, n)
    assert [counts[step] for step in chosen] == sorted(counts.values(), reverse=True)[:n]
    assert len(set(chosen)) == len(chosen)


def test_rounding_is_taken_back() -> None:
    pairs = tag_pairs([[[1 + 1e-12, -1e-12]]], [["N"]], labels=["N", "V"])
    assert pairs.probabilities.tolist() == [1.0, 0.0]


def test_a_tag_posterior_is_its_marginals() -> None:
    rng = np.random.default_rng(8)
    posterior = TagPosterior([rng.normal(size=(n, 3)) for n in LENGTHS], rng.normal(size=(3, 3)), labels=LABELS)
    _, tags = made(8)
    assert rows_of(tag_pairs(posterior, tags)) == rows_of(tag_pairs(posterior.marginals(), tags, labels=LABELS))
    transitions = [("V", "D"), ("N", "N")]
    steps = posterior.pair_marginals(transitions)
    assert rows_of(transition_pairs(posterior, tags, pairs=transitions)) == rows_of(
        transition_pairs(steps, tags, pairs=transitions)
    )
    with pytest.raises(InputError, match="no tag 'X'"):
        transition_pairs(posterior, tags, pairs=[("N", "X")])
    tags[0][0] = "FW"
    with pytest.raises(InputError, match="the model does not have the gold tags of 1 token: "):
        transition_pairs(posterior, tags, pairs=transitions)
    assert len(transition_pairs(posterior, tags, pairs=transitions, unknown_tags="keep")) == 2 * (2 + 4 + 1)


def test_columns_of_data_frames_and_generators() -> None:
    import pandas
    import polars

    marginals, tags = made(9)
    expected = rows_of(tag_pairs(marginals, tags, labels=LABELS))
    as_lists = [np.asarray(sentence_marginals).tolist() for sentence_marginals in marginals]
    rows = pandas.Series(
        [
            np.array([*map(np.array, sentence_marginals)] or [0], dtype=object)[: len(sentence_marginals)]
            for sentence_marginals in as_lists
        ]
    )
    for columns, gold in [
        (polars.Series(as_lists), polars.Series(tags)),
        (rows, pandas.Series(tags, index=range(5, 10))),
        (iter(marginals), iter(tags)),
    ]:
        assert rows_of(tag_pairs(columns, gold, labels=LABELS)) == expected
