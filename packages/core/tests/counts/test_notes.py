"""Notes are built from the final counts: corrected, named by their group, and gone where an estimate is withdrawn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from howsure import CountEstimates, InputError, read
from howsure.counts.estimation import count_units
from howsure.counts.notes import GENERAL, SamplingDesign, Terms, note_text
from howsure.counts.notes import CountNote as Note

RATES = {"1": 0.02, "11": 0.6, "2": 0.02, "3": 0.02}
UNLIKE = "differ too much to share information"


def read_by_two(seed: int = 0, **more: Any) -> CountEstimates:
    """4,000 units in four groups, one with nearly all positives; 400 are read, 200 of them twice, with 5 %
    of errors."""
    rng = np.random.default_rng(seed)
    group = rng.choice(list(RATES), 4000)
    truth = rng.random(4000) < np.array([RATES[name] for name in group])
    score = np.clip(0.1 + rng.normal(0, 0.03, 4000), 0.01, 0.9)
    drawn = rng.choice(4000, 400, replace=False)
    first, second = np.full(4000, np.nan), np.full(4000, np.nan)
    first[drawn] = truth[drawn] ^ (rng.random(400) < 0.05)
    second[drawn[:200]] = truth[drawn[:200]] ^ (rng.random(200) < 0.05)
    return count_units(first, score, groups=group, second=second, rng=0, **more)


def test_a_note_repeats_the_corrected_counts_and_their_share() -> None:
    """Once the finished note was edited: the share stayed that of uncorrected readings, and "1 …" matched in "11 …"."""
    counts = read_by_two(flips="alike")
    (note,) = [note for note in counts.notes if UNLIKE in note]
    row = counts["11"]
    share = row.estimate / sum(row.estimate for row in counts.rows)
    assert share > 0.9  # .79 before the correction
    assert f"1 of 4 contributes {share:.0%} of the count: 11 {row}" in note
    assert counts.to_dict()["notes"] == list(counts.notes)


def test_without_estimates_no_note_names_one() -> None:
    """It is unknown which of two labels is wrong: there are bounds, and no estimate that a note could repeat."""
    counts = read_by_two()
    assert all(np.isnan(row.estimate) for row in counts.rows)
    assert not any("of the count" in note for note in counts.notes)
    assert any(UNLIKE in note for note in counts.notes)


@pytest.mark.parametrize("second", [False, True])
def test_withdrawn_estimates_take_their_notes_along(second: bool) -> None:
    """Labels of the highest scores were not drawn as stated: only what is certain is left, and nothing based on
    estimates."""
    rng = np.random.default_rng(0)
    group, score = rng.choice(["1", "11"], 2000), rng.random(2000)
    truth = rng.random(2000) < np.where(group == "11", score, 0.01)
    labels = np.full(2000, np.nan)
    highest = np.argsort(-score)[:100]
    labels[highest] = truth[highest]
    again = np.where(np.isnan(labels), np.nan, truth) if second else None
    counts = count_units(labels, score, groups=group, second=again, flips="alike" if second else None, rng=0)
    assert all(row.method == "cannot tell" for row in counts.rows)
    assert any(note.startswith("no estimates, only certain bounds: the scores") for note in counts.notes)
    for phrase in ("of the count", "stated coverage", "assume that the labelled", "use the labels alone"):
        assert not any(phrase in note for note in counts.notes)


def test_rows_with_the_same_id_are_noted() -> None:
    # 30 rows of 20 ids; with other ids, with the column as clusters, or without a column of ids, there is no note
    frame = pd.DataFrame({"id": [*range(20), *range(10)], "score": [0.2, 0.8] * 15, "label": [0, 1, 1] * 10})
    frame = frame.assign(row=range(30), id=[f"d{i}" for i in frame.id])
    expected = "the column id repeats (30 rows of 20 items), and each row counts as one of the units"
    counts = count_units("label", "score", data=frame, method="labels", rng=0)
    assert sum(note.startswith(expected) for note in counts.notes) == 1
    for others, clusters in ((frame.assign(id=frame.row), None), (frame, "id"), (frame.drop(columns="id"), None)):
        counts = count_units("label", "score", clusters=clusters, data=others, method="labels", rng=0)
        assert not any("repeats" in note for note in counts.notes)


CODES: list[tuple[Note, str]] = [
    (Note("raw"), "the scores are used as if they were calibrated"),
    (Note("design", {"design": SamplingDesign(True, 3)}), "design: clusters drawn at random within 3 strata"),
    (Note("design", {"design": SamplingDesign(False, by_chance=True)}), "units drawn with given probabilities"),
    (Note("assumed_design", {"clustered": True}), "assume that the labelled clusters were drawn at random from all"),
    (
        Note("rounded_chances", {"stated": 1001, "actual": 1000, "clustered": False}),
        "they imply 1,001 units, not 1,000",
    ),
    (Note("average_coverage"), "stated coverage on average over all groups, not in each group"),
    (
        Note("few_labels", {"n": 3, "label": "positive", "chosen": True, "few": 20}),
        "only 3 positive labels; label more",
    ),
    (Note("few_labels", {"n": 3, "label": "negative", "chosen": False, "few": 20}), "with fewer than 20 positive"),
    (
        Note("repeated_items", {"column": "id", "rows": 13, "items": 12}),
        "repeats (13 rows of 12 items), and each row counts as one of the units. If 1 row is a copy, leave it out",
    ),
    (Note("independent_members"), "treat units of one cluster as independent"),
    (Note("large_clusters", {"largest": 1200}), "the largest has 1,200 units"),
    (Note("not_as_drawn"), "only certain bounds: the scores of labelled units differ"),
    (Note("low_scores_unlabelled", {"n": 12, "score": 0.25}), "none of the 12 units with a score of at most 0.25"),
    (
        Note("unlike_groups", {"domain": ("A", "asked"), "unlike": ["2001"]}),
        "the groups of A, asked differ too much to share information (most: 2001)",
    ),
    (Note("unlabelled_groups", {"n": 2, "domain": ()}), "2 groups have no label, so no estimate"),
    (Note("unread", {"unread": 1, "drawn": 40, "raw": False}), "1 of 40 drawn units has no label: the intervals allow"),
    (Note("identical_readings", {"question": "is it a copy?"}), "never differ; is it a copy?"),
    (Note("uneven_readings", {"first": 30, "second": 2, "p": 1e-7}), "is 1 in 30 units and the second in 2 (p 1e-07)"),
]


@pytest.mark.parametrize(("note", "words"), CODES, ids=[f"{note.code} {i}" for i, (note, _) in enumerate(CODES)])
def test_each_note_has_a_sentence(note: Note, words: str) -> None:
    assert words in note_text(note)


def test_a_surface_says_it_in_its_own_terms() -> None:
    named = {"units": "pairs", "group": "period", "groups": "periods", "clusters": "documents"}
    terms = Terms(**named, members="actors in one document", hidden=frozenset({"asked"}))
    for note, _ in CODES:
        text = note_text(note, (), terms)
        assert not {"groups", "clusters"} & set(text.replace(",", "").split())
    assert "the periods of A differ too much" in note_text(
        Note("unlike_groups", {"domain": ("A", "asked"), "unlike": ["2001"]}), (), terms
    )
    assert GENERAL.of(()) == ""


def test_the_models_own_decisions_as_labels_are_noted() -> None:
    score = np.random.default_rng(0).random(300)
    counts = count_units(score >= 0.5, score, rng=0)
    assert any("model's own decision" in note for note in counts.notes)
    assert not any("drawn at random" in note for note in counts.notes)
    assert counts.answer.endswith("of 300 units are positive (all are labelled).")
    assert not any("own decision" in note for note in read_by_two().notes)


def test_advice_on_labels_that_are_not_0_and_1(tmp_path: Path) -> None:
    path = tmp_path / "units.csv"
    path.write_text("p,y,label\n" + "0.2,0,no\n0.7,1,yes\n0.4,99,no\n" * 20)
    with pytest.raises(InputError, match="If '99' is not a label, make it missing"):
        count_units("y", "p", data=read(path))
    with pytest.raises(InputError, match="write 1 for the positive label and 0 for the other"):
        count_units("y", "label", data=read(path))
