"""The verdict says what was put into the curve, and says nothing where there is nothing."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.figures.made_up import ANY_CURVE, curve_with

from howsure import calibration_curve
from howsure.calibration.curve_text import (
    calibration_answer,
    figures_in_words,
    kind,
    recipe_rows,
    regions,
    rounded,
    verdict,
)

GRID = [0.05, 0.25, 0.45, 0.65, 0.85]


@pytest.mark.parametrize(
    ("frequency", "expected", "sentence"),
    [
        (
            [0.05, 0.25, 0.45, 0.55, 0.70],
            "overconfident",
            "overconfident above 0.55: mean prediction 0.75, observed frequency 0.62 (n = 800)",
        ),
        (
            [0.15, 0.40, 0.45, 0.65, 0.85],
            "underconfident",
            "underconfident below 0.35: mean prediction 0.15, observed frequency 0.28 (n = 800)",
        ),
        (
            [0.01, 0.10, 0.30, 0.50, 0.70],
            "overconfident",
            "overconfident everywhere: mean prediction 0.45, observed frequency 0.32 (n = 2,000)",
        ),
        (
            [0.05, 0.25, 0.60, 0.65, 0.85],
            "underconfident",
            "underconfident between 0.35 and 0.55: mean prediction 0.45, observed frequency 0.60 (n = 400)",
        ),
        (
            [0.20, 0.40, 0.45, 0.50, 0.70],
            "over- and underconfident",
            "underconfident below 0.35: mean prediction 0.15, observed frequency 0.30 (n = 800); "
            "overconfident above 0.55: mean prediction 0.75, observed frequency 0.60 (n = 800)",
        ),
    ],
)
def test_the_verdict_names_the_region(frequency: list[float], expected: str, sentence: str) -> None:
    curve = curve_with(GRID, frequency)
    assert verdict(curve) == sentence
    assert kind(curve) == expected


def test_a_bin_that_only_leans_does_not_split_a_region() -> None:
    curve = curve_with(GRID, [0.05, 0.25, 0.35, 0.63, 0.75])
    assert str(regions(curve)[0]).startswith("overconfident above 0.35: mean prediction 0.65")
    split = curve_with(GRID, [0.05, 0.25, 0.35, 0.66, 0.75])
    assert [region.n for region in regions(split)] == [400, 400]


def test_a_second_region_is_left_out_if_it_is_small() -> None:
    curve = curve_with(GRID, [0.08, 0.25, 0.45, 0.35, 0.55])
    assert len(regions(curve)) == 2
    assert verdict(curve) == "overconfident above 0.55: mean prediction 0.75, observed frequency 0.45 (n = 800)"


def test_numbers_are_weighted_means_over_the_run() -> None:
    y = np.concatenate([np.repeat([1.0, 0.0], [60, 40]), np.repeat([1.0, 0.0], [180, 120])])
    curve = calibration_curve(y, np.repeat([0.8, 0.9], [100, 300]), bin_size=100)
    (region,) = regions(curve)
    assert region.says == pytest.approx(0.875)
    assert region.happens == pytest.approx(0.6)
    assert region.n == 400
    assert (region.start, region.end) == (0.0, 1.0)
    assert region.size == pytest.approx(curve.ece.value)


def test_agreement_is_reported_with_its_count() -> None:
    curve = curve_with(GRID, [0.05, 0.25, 0.53, 0.65, 0.85], error=(0.0, 0.0, 0.03), p=0.4)
    assert verdict(curve) == (
        "no miscalibration detected: the error's interval reaches 0 and 4 of 5 bins agree with the diagonal"
    )
    assert kind(curve) == "none detected"


def test_many_bins_off_the_diagonal_outweigh_an_interval_that_reaches_zero() -> None:
    curve = curve_with(GRID, [0.01, 0.10, 0.30, 0.50, 0.70], error=(0.02, 0.0, 0.05))
    assert verdict(curve).startswith("overconfident everywhere")
    assert verdict(curve).endswith("the error may be close to 0, which its interval reaches")


def test_no_verdict_contradicts_its_adjusted_p() -> None:
    curve = curve_with(GRID, [0.20, 0.40, 0.65, 0.85, 0.95], error=(0.10, 0.03, 0.17), p=0.03)
    assert kind(curve) == "underconfident"
    assert kind(curve, 0.06) == "none detected"
    assert verdict(curve, 0.06) == (
        "no miscalibration detected after adjustment (p = 0.0600), although the unadjusted interval of the error "
        "excludes 0"
    )


def test_too_little_data_is_reported() -> None:
    wide = curve_with(GRID, GRID, error=(0.1, 0.0, 0.3), p=0.4)
    assert verdict(wide) == "too little data: the error may be anything from 0 to 0.30 (n = 2,000)"
    undefined = curve_with(GRID, GRID, error=(math.nan, None, None))
    assert verdict(undefined).startswith("too little data: no bin has two pairs")
    assert kind(wide) == kind(undefined) == "too little data"


def test_the_smallest_error_matches_all_groups_of_the_table() -> None:
    """Also of groups whose data are too little for a verdict; a group without an error is not ranked."""
    large = [0.20, 0.40, 0.65, 0.85, 0.95]
    a, b, c = (
        curve_with(GRID, frequency, error=error, name=name, p=0.4)
        for name, frequency, error in (
            ("A", GRID, (0.10, 0.0, 0.25)),
            ("B", large, (0.19, 0.08, 0.31)),
            ("C", large, (0.40, 0.35, 0.45)),
        )
    )
    b, c = (replace(curve, p_value=0.01) for curve in (b, c))
    undefined = curve_with(GRID, GRID, error=(math.nan, None, None), name="D")
    assert calibration_answer([b, a], [0.01, 0.4]) == (
        "Calibration errors range from 0.1000 [0.0000, 0.2500] (A) to 0.1900 [0.0800, 0.3100] (B), and the intervals "
        "overlap; underconfident: B; too little data: A."
    )
    assert calibration_answer([c, a, undefined], [0.01, 0.4, 0.4]) == (
        "Of the 2 groups with enough data, A has the smallest calibration error, 0.1000 [0.0000, 0.2500]; "
        "underconfident: C; too little data: A, D."
    )
    assert calibration_answer([c, undefined], [0.01, 0.4]) == (
        "Only C has enough data for a calibration error, 0.4000 [0.3500, 0.4500]; underconfident: C; "
        "too little data: D."
    )
    assert calibration_answer([a, undefined], [0.4] * 2) == "Too little data for a verdict in any of 2 groups."


def test_a_rejection_never_comes_with_a_verdict_of_no_error() -> None:
    """The error is squared, and the squares of small gaps are lost in noise where a test still sees their sum."""
    verdict_text = (
        "a test rejects calibration (p = 0.0007), but the data do not show how large the error is: anything from 0 to "
    )
    for high, most in ((0.3, "0.30"), (0.03, "0.03"), (0.0004, "0.0004")):
        curve = curve_with(GRID, GRID, error=(0.0, 0.0, high), p=0.0007)
        assert verdict(curve) == f"{verdict_text}{most} (n = 2,000)"
        assert kind(curve) == "of unknown size"
        assert kind(curve, 0.06) == kind(curve, math.nan) != "of unknown size"  # with another p
    clear = curve_with(GRID, [0.01, 0.10, 0.30, 0.50, 0.70], p=0.0007)
    assert kind(clear) == "overconfident"


def test_an_error_that_no_bin_shows_is_a_statement_about_the_whole() -> None:
    low = curve_with(GRID, [0.04, 0.22, 0.42, 0.62, 0.82], count=200, error=(0.03, 0.01, 0.05))
    assert regions(low) == []
    assert verdict(low).startswith("overconfident on the whole: mean prediction 0.45, observed frequency 0.42")
    scattered = curve_with(GRID, [0.06, 0.22, 0.48, 0.62, 0.88], count=200, error=(0.03, 0.01, 0.05))
    assert kind(scattered) == "not located"


def test_one_bin_and_one_class() -> None:
    one_bin = calibration_curve([1, 0] * 50, [0.9] * 100)
    assert verdict(one_bin) == "overconfident everywhere: mean prediction 0.90, observed frequency 0.50 (n = 100)"
    all_true = calibration_curve([1] * 300, np.linspace(0.3, 0.9, 300))
    assert kind(all_true) == "underconfident"
    agrees = curve_with([0.5], [0.5], error=(0.0, 0.0, 0.05), p=0.4)
    assert "its one bin agrees with the diagonal" in verdict(agrees)


def test_a_normal_interval_without_width_shows_nothing() -> None:
    y, q = [1] * 200 + [0] * 200, [0.99] * 200 + [0.01] * 200
    assert regions(calibration_curve(y, q, interval="nguyen-oconnor", rng=0)) == []


@pytest.mark.long
def test_calibrated_predictions_are_rarely_accused() -> None:
    rng = np.random.default_rng(5)
    kinds: Counter[str] = Counter()
    for n in [50, 300, 2000]:
        for _ in range(60):
            q = rng.beta(0.5, 0.7, n)
            kinds[kind(calibration_curve(rng.random(n) < q, q))] += 1
    assert kinds["none detected"] + kinds["too little data"] >= 0.93 * 180  # 0.975 expected
    assert kinds["none detected"] >= 54


def test_rounding_keeps_values_apart_from_each_other_and_from_certainty() -> None:
    assert rounded(0.7, 0.93) == ["0.70", "0.93"]
    assert rounded(0.9991, 0.9994) == ["0.9991", "0.9994"]
    assert rounded(0.001) == ["0.001"]
    assert rounded(0.0, 1.0) == ["0.00", "1.00"]
    assert rounded(1e-12) == ["0.000000"]


PAIR = st.tuples(st.floats(0, 1).map(lambda q: round(q, 6)), st.booleans())


@given(st.lists(PAIR, min_size=1, max_size=60), st.sampled_from([1, 5, "auto"]))
def test_any_curve_can_be_put_into_words(pairs: list[tuple[float, bool]], bin_size: int | str) -> None:
    q, y = zip(*pairs, strict=True)
    curve = calibration_curve(y, q, bin_size=bin_size)
    text = repr(curve)
    assert verdict(curve) in text
    assert all(line == line.rstrip() for line in text.splitlines())


def test_score_parts_add_up_as_they_are_written() -> None:
    rng = np.random.default_rng(1)
    q = rng.random(500)
    curve = calibration_curve(rng.random(500) < q**2, q)
    text = dict(figures_in_words(curve))["Brier score"]
    score, rest = text.split(" = ")
    total = sum(float(word) for word in rest.replace("- within bins ", "within bins -").split() if word[-1].isdigit())
    assert float(score) == pytest.approx(total, abs=2e-4)


def test_recipes_that_differ_are_given_as_ranges() -> None:
    second = replace(ANY_CURVE, recipe=ANY_CURVE.recipe | {"n": 1234, "interval": "none"})
    recipe = dict(recipe_rows([ANY_CURVE, second]))
    assert recipe["weighted"] == "no"
    assert recipe["n"] == "40 to 1,234"
    assert recipe["interval"] == "differs: debiased, none"
    assert recipe["level"] == "0.95"
    assert dict(recipe_rows([ANY_CURVE])).keys() == ANY_CURVE.recipe.keys()
