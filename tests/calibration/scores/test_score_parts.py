"""Proper scores in parts: each part by its own definition, and their sum."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.calibration.bins import bin_pairs
from howsure.calibration.scores import BRIER, LOG, ProperLoss, brier_parts, log_parts, score_parts
from howsure.errors import InputError
from howsure.inputs.pairs import Pairs
from tests.calibration import reference
from tests.calibration.samples import Small, language_pairs, pairs_of, small_pairs
from tests.calibration.scores import score_loops

NAMES = ("score", "calibration", "refinement", "within_bin")
SPHERICAL = ProperLoss("spherical", lambda q: -q / np.hypot(q, 1 - q), lambda q: -(1 - q) / np.hypot(q, 1 - q))


def spherical(prediction: float, label: int) -> float:
    return -(prediction if label else 1 - prediction) / math.hypot(prediction, 1 - prediction)


def moderate(small: Small) -> Small:
    """Without predictions so near 0 or 1, but not there, that the logarithm of a bin's mean has no digits left."""
    q = [value if value in (0.0, 1.0) else min(max(value, 1e-300), 0.999) for value in small.q]
    return Small(small.y, q, small.w, small.clusters, small.bin_size)


def bins_of(small: Small) -> reference.Bins:
    return reference.adaptive_bins(reference.rows_of(small.y, small.q, small.w), small.bin_size)


@settings(max_examples=25)
@given(small_pairs())
def test_brier_parts_are_the_loops_and_add_up(small: Small) -> None:
    found = brier_parts(bin_pairs(pairs_of(small), bin_size=small.bin_size))
    expected = score_loops.parts(bins_of(small), score_loops.brier)
    assert [getattr(found, name) for name in NAMES] == pytest.approx(expected, abs=1e-12)
    assert found.calibration + found.refinement + found.within_bin == pytest.approx(found.score, abs=1e-12)
    assert found.infinite_rows == 0


@given(small_pairs().map(moderate))
@settings(max_examples=25)
def test_log_parts_are_the_loops(small: Small) -> None:
    found = log_parts(bin_pairs(pairs_of(small), bin_size=small.bin_size))
    infinite = sum(score_loops.log(q, y) == math.inf for q, y in zip(small.q, small.y, strict=True))
    assert found.infinite_rows == infinite
    if infinite:
        assert found.score == math.inf
        return
    expected = score_loops.parts(bins_of(small), score_loops.log)
    assert [getattr(found, name) for name in NAMES] == pytest.approx(expected, abs=1e-12, rel=1e-10)
    assert found.calibration + found.refinement + found.within_bin == pytest.approx(found.score, rel=1e-12)


@given(small_pairs())
@settings(max_examples=50)
def test_any_proper_score_is_split(small: Small) -> None:
    found = score_parts(small.y, small.q, score=SPHERICAL, bin_size=small.bin_size, sample_weight=small.w)
    assert [getattr(found, name) for name in NAMES] == pytest.approx(
        score_loops.parts(bins_of(small), spherical), abs=1e-12
    )


@settings(max_examples=25)
@given(small_pairs())
def test_calibration_is_never_negative(small: Small) -> None:
    for score in (BRIER, LOG, SPHERICAL):
        calibration = score_parts(small.y, small.q, score=score, bin_size=small.bin_size).calibration
        assert calibration >= -1e-12


@given(st.floats(0.001, 0.999), st.floats(0.0, 1.0))
def test_a_proper_score_is_least_at_the_frequency(frequency: float, prediction: float) -> None:
    at = np.array([frequency])
    for loss in (BRIER, LOG, SPHERICAL):
        assert loss.expected(at, at)[0] <= loss.expected(np.array([prediction]), at)[0] + 1e-12


def test_by_name_by_object_and_in_the_curve_it_is_the_same() -> None:
    rng = np.random.default_rng(16)
    q = rng.random(200)
    y, w = (rng.random(200) < q).astype(int), rng.exponential(size=200)
    for name, loss in (("brier", BRIER), ("log", LOG)):
        by_name, by_object = (score_parts(y, q, score=score, sample_weight=w) for score in (name, loss))
        assert by_name == by_object
    custom = score_parts(y, q, score=ProperLoss("mine", BRIER.if_true, BRIER.if_false), sample_weight=w)
    named = score_parts(y, q, sample_weight=w)
    assert [getattr(custom, part) for part in NAMES] == pytest.approx(
        [getattr(named, part) for part in NAMES], abs=1e-12
    )


def test_brier_parts_add_up_of_whole_cells() -> None:
    y, q = language_pairs(200_000, np.random.default_rng(17))
    for size in (20, 200, 5_000):
        parts = brier_parts(bin_pairs(Pairs(y, q), bin_size=size))
        assert parts.score == pytest.approx(float(np.mean((q - y) ** 2)), abs=1e-12)
        assert parts.calibration + parts.refinement + parts.within_bin == pytest.approx(parts.score, abs=1e-12)


def test_what_is_infinite_is_none_in_json() -> None:
    parts = score_parts([1, 0, 1], [0.0, 0.5, 0.5], score="log", bin_size=1)
    assert parts.infinite_rows == 1
    held = parts.to_dict()
    assert (held["score"], held["calibration"], held["within_bin"]) == (None, None, None)
    assert held["refinement"] == pytest.approx(2 / 3 * math.log(2))


@pytest.mark.parametrize("score", ["brierr", None, 3])
def test_an_unknown_score_is_refused(score: object) -> None:
    with pytest.raises(InputError, match="score must be 'brier', 'log' or a ProperLoss"):
        score_parts([0, 1], [0.2, 0.8], score=score)  # type: ignore[arg-type]
