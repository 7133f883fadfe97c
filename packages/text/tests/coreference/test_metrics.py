"""Scores: a table worked by hand, the definitions in fractions, and laws."""

from __future__ import annotations

from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.coreference import by_definition

from howsure_text.coreference import CoreferenceScores, Score, coreference_scores, score_documents

METRICS = ("muc", "b_cubed", "ceaf_e", "lea", "pairwise")


# Clusters as words, a mention a letter; precision and recall of each metric. Worked by hand; "twelve" is the example of
# Luo (2005), whose Table 1 gives CEAF-e F1 .733.
EXAMPLES = [
    ("one mention moved", "abc de", "ab cde", "2/3 2/3, 11/15 11/15, 4/5 4/5, 3/5 3/5, 1/2 1/2"),
    ("split in halves", "abcd", "ab cd", "1 2/3, 1 1/2, 1/3 2/3, 1 1/3, 1 1/3"),
    ("other mentions", "ab cde", "abx cy", "1/3 1/3, 11/30 7/15, 3/5 3/5, 1/5 2/5, 1/4 1/4"),
    ("nothing linked", "a bc", "a b c", "0 0, 1 2/3, 5/9 5/6, 1/3 1/3, 0 0"),
    ("all linked", "a b c d", "abcd", "0 0, 1/4 1, 2/5 1/10, 0 0, 0 0"),
    ("twelve", "abcde fg hijkl", "abcde fghijkl", "9/10 1, 16/21 1, 11/12 11/18, 13/18 1, 21/31 1"),
    ("nothing in common", "ab", "cd", "0 0, 0 0, 0 0, 0 0, 0 0"),
    ("nothing predicted", "ab c", "", "0 0, 0 0, 0 0, 0 0, 0 0"),
    ("nothing at all", "", "", "0 0, 0 0, 0 0, 0 0, 0 0"),
]


@pytest.mark.parametrize(("what", "gold", "predicted", "by_hand"), EXAMPLES)
def test_the_table_worked_by_hand(what: str, gold: str, predicted: str, by_hand: str) -> None:
    scores = coreference_scores([set(word) for word in gold.split()], [set(word) for word in predicted.split()])
    for name, cells in zip(METRICS, by_hand.split(", "), strict=True):
        score: Score = getattr(scores, name)
        p, r = map(F, cells.split())
        assert (score.precision, score.recall) == pytest.approx((p, r)), name
        assert score.f1 == pytest.approx(2 * p * r / (p + r) if p + r else 0)


def test_luo_2005() -> None:
    scores = coreference_scores([set("abcde"), set("fg"), set("hijkl")], [set("abcde"), set("fghijkl")])
    assert round(scores.ceaf_e.f1, 3) == 0.733
    assert round(scores.muc.f1, 3) == 0.947
    assert round(scores.b_cubed.f1, 3) == 0.865


def clusterings() -> st.SearchStrategy[list[set[int]]]:
    """At most five clusters of some of nine mentions."""

    def grouped(codes: list[int]) -> list[set[int]]:
        groups = [{m for m, code in enumerate(codes) if code == number} for number in range(5)]
        return [group for group in groups if group]

    return st.lists(st.integers(-1, 4), min_size=9, max_size=9).map(grouped)


def fractions(clusters: list[set[int]]) -> by_definition.Clusters:
    return [frozenset(cluster) for cluster in clusters]


@given(clusterings(), clusterings())
def test_scores_are_the_definitions(gold: list[set[int]], predicted: list[set[int]]) -> None:
    expected = by_definition.sums(fractions(gold), fractions(predicted))
    scores = coreference_scores(gold, predicted)
    for name in METRICS:
        score: Score = getattr(scores, name)
        assert (score.precision, score.recall, score.f1) == pytest.approx(
            by_definition.precision_recall_f1(*expected[name]), abs=1e-12
        )
    f1 = [by_definition.precision_recall_f1(*expected[name])[2] for name in METRICS[:3]]
    assert scores.conll_f1 == pytest.approx(sum(f1) / 3)


@given(st.lists(st.tuples(clusterings(), clusterings()), max_size=4))
def test_documents_add_up(documents: list[tuple[list[set[int]], list[set[int]]]]) -> None:
    table = score_documents([gold for gold, _ in documents], [predicted for _, predicted in documents])
    each = [by_definition.sums(fractions(gold), fractions(predicted)) for gold, predicted in documents]
    for name in METRICS:
        total = [sum((sums[name][part] for sums in each), F(0)) for part in range(4)]
        score: Score = getattr(table, name)
        assert (score.precision, score.recall) == pytest.approx(
            by_definition.precision_recall_f1(*total)[:2], abs=1e-12
        )


@given(clusterings(), clusterings())
def test_precision_is_recall_the_other_way_round(gold: list[set[int]], predicted: list[set[int]]) -> None:
    scores, swapped = coreference_scores(gold, predicted), coreference_scores(predicted, gold)
    for name in METRICS:
        assert getattr(scores, name).precision == pytest.approx(getattr(swapped, name).recall, abs=1e-12)
        assert getattr(scores, name).f1 == pytest.approx(getattr(swapped, name).f1, abs=1e-12)
        assert 0.0 <= getattr(scores, name).f1 <= 1.0


@given(clusterings())
def test_identity_is_one(clusters: list[set[int]]) -> None:
    scores = coreference_scores(clusters, [list(cluster) for cluster in reversed(clusters)])
    linked = any(len(cluster) > 1 for cluster in clusters)
    for name in METRICS:
        there_is_any = linked if name in ("muc", "pairwise") else bool(clusters)
        assert getattr(scores, name).f1 == pytest.approx(float(there_is_any))


@given(clusterings(), clusterings())
def test_without_singletons_they_are_dropped_first(gold: list[set[int]], predicted: list[set[int]]) -> None:
    dropped = [[cluster for cluster in clusters if len(cluster) > 1] for clusters in (gold, predicted)]
    assert coreference_scores(gold, predicted, singletons=False) == coreference_scores(*dropped)


def test_results_print_and_convert() -> None:
    scores = coreference_scores([["a", "b"]], [["a", "b", "c"]])
    assert scores.to_dict()["muc"] == {"precision": 0.5, "recall": 1.0, "f1": pytest.approx(2 / 3)}
    assert str(scores).splitlines()[2] == "MUC         50.00  100.00  66.67"
    assert scores + CoreferenceScores() == scores
