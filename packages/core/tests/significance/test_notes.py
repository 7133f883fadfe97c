"""Notes of a comparison on results that depend on few items."""

from __future__ import annotations

import numpy as np
import pytest

import howsure

RARE = "fewer than 5 items, which makes the interval wider and p larger"


@pytest.mark.parametrize(("rare", "expected"), [(4, ["macro_f1: 1 of 3 classes has " + RARE + "."]), (5, [])])
def test_an_average_over_classes_notes_rare_classes(rare: int, expected: list[str]) -> None:
    true = ["a"] * 20 + ["b"] * 20 + ["c"] * rare
    shifted = true[1:] + true[:1]
    result = howsure.compare_models(true, true, {"b": shifted}, metrics=["macro_f1", "accuracy"], rng=0)
    assert [note for note in map(str, result.notes) if RARE in note] == expected


@pytest.mark.parametrize(("rare", "expected"), [(4, ["multilabel_macro_f1: 1 of 2 labels has " + RARE + "."]), (5, [])])
def test_an_average_over_labels_notes_rare_labels(rare: int, expected: list[str]) -> None:
    true = [["a"]] * 20 + [["a", "b"]] * rare
    result = howsure.compare_models(true, true, {"b": true[1:] + true[:1]}, metrics="multilabel_macro_f1")
    assert [note for note in map(str, result.notes) if RARE in note] == expected


@pytest.mark.parametrize("differing", [1, 9, 10])
def test_scores_that_differ_in_few_items_are_noted(differing: int) -> None:
    base = np.arange(60) % 7.0
    scores = {"a": base, "b": base + (np.arange(60) < differing)}
    notes = list(map(str, howsure.compare_scores(scores, against="a", rng=0).notes))
    item = "item" if differing == 1 else "items"
    assert (f"b: only {differing} {item} of 60 differ, so the interval may be too narrow." in notes) == (differing < 10)
    assert not any("differ," in note for note in howsure.compare_scores(scores, against="a", bounds=(0, 8)).notes)


def test_a_note_of_a_group_is_shown_once() -> None:
    true, groups = [0, 1] * 20, ["g"] * 39 + ["h"]
    text = howsure.compare_models(true, true, {"b": [1 - y for y in true]}, groups=groups, rng=0).text()
    assert "b compared with baseline in accuracy, by group: worse in g; not compared in h." in text
    assert "h: 1 item: fewer than 6 are too few to show a difference." in text
    assert "h, h" not in text


def test_gaffkes_intervals_of_few_clusters_are_called_wide() -> None:
    right, clusters = [1, 0, 1, 1] * 10, [i // 4 for i in range(40)]
    judged = howsure.correct_judge_scores(right, right[::-1], clusters=clusters)
    scores = howsure.compare_scores({"a": right, "b": right[::-1]}, against="a", clusters=clusters)
    for notes in (judged.rows[0].notes, scores.notes):
        assert sum("there are 10 clusters: with fewer than 40, intervals are wide" in str(note) for note in notes) == 1
    student = howsure.compare_scores({"a": right, "b": right[::-1]}, against="a", clusters=clusters, method="student")
    assert any("intervals and p-values are approximate" in str(note) for note in student.notes)
