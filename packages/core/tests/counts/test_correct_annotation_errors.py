"""`correct_annotation_errors` gives what counting with a second coder's labels gives."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.counts.test_annotation_errors import N, changed

import howsure
from howsure.counts.estimation import count_units

SCORE = np.full(N, 0.3)


def test_counts_are_corrected_as_if_estimated_with_both_labels() -> None:
    columns = changed(3)
    expected = count_units(y_prob=SCORE, **columns, method="labels", rng=0)
    counts = howsure.estimate_counts(columns["y_true"], SCORE, method="labels", rng=0)
    assert howsure.correct_annotation_errors(counts, **columns, rng=0).to_dict() == expected.to_dict()


def test_a_sheet_takes_the_place_of_labels(tmp_path: Path) -> None:
    sample = howsure.draw_label_sample(np.linspace(0, 1, 200), 40, rng=0)
    lines = sample.to_csv().splitlines()
    labelled = [lines[0], *(f"{line.rstrip(',')},{k % 2}" for k, line in enumerate(lines[1:]))]
    (tmp_path / "sheet.csv").write_text("\n".join(labelled) + "\n")
    counts = howsure.estimate_counts(howsure.read(tmp_path / "sheet.csv"), np.linspace(0, 1, 200), rng=0)
    assert counts.recipe["labelled"] == 40
    assert str(counts.as_shares()) != str(counts)
    assert counts.as_shares().to_dict() == counts.to_dict()


def test_raw_counts_use_no_label() -> None:
    columns = changed(3)
    counts = howsure.estimate_counts(columns["y_true"], SCORE, method="raw")
    with pytest.raises(howsure.InputError, match="method='raw' uses no label"):
        howsure.correct_annotation_errors(counts, **columns)


def test_counts_are_corrected_once_from_their_own_labels() -> None:
    rng = np.random.default_rng(4)
    first = (rng.random(400) < 0.3).astype(float)
    second = first.copy()
    counts = howsure.estimate_counts(first, np.full(400, 0.3), rng=0)
    with pytest.raises(howsure.InputError, match="second must be the labels of a second coder; it is None"):
        howsure.correct_annotation_errors(counts, first, None)
    with pytest.raises(howsure.InputError, match=r"y_true must be the labels that .*; it has 400 of 400"):
        howsure.correct_annotation_errors(counts, np.ones(400), np.ones(400))
    corrected = howsure.correct_annotation_errors(counts, first, second, rng=0)
    with pytest.raises(howsure.InputError, match="already corrected for annotation errors"):
        howsure.correct_annotation_errors(corrected, first, second, rng=0)
