"""What a comparison says of itself."""

from __future__ import annotations

import numpy as np

from howsure.significance import Runs, compare
from howsure.significance.results import how, verdicts
from tests.significance.made_systems import distributions, labels


def test_better_worse_and_no_difference() -> None:
    targets, a, b = labels(300, 2, 1, accuracy=(0.6, 0.9))
    up = verdicts(compare(targets, a, {"up": b}, metrics="accuracy", rng=0))[0]
    down = verdicts(compare(targets, b, {"down": a}, metrics="accuracy", rng=0))[0]
    same = verdicts(compare(targets, a, {"same": a}, metrics=["accuracy", "mcc"], rng=0, n_resamples=10))[0]
    assert up.startswith("up is better than baseline in accuracy by +0.")
    assert down.startswith("down is worse than baseline in accuracy, lower by 0.")
    assert same == "same: no difference is detected in accuracy, mcc."


def test_lower_is_better_for_a_loss() -> None:
    targets, a, b = distributions(200, 3, 1, weights=(0.5, 0.9))
    said = verdicts(compare(targets, a, b, metrics="cross_entropy", rng=0, n_resamples=500))[0]
    assert said.startswith("model is better than baseline in cross_entropy, lower by 0.")


def test_what_is_undefined_is_said() -> None:
    targets, a, _ = distributions(30, 3, 1)
    said = verdicts(compare(targets, a, np.full((30, 3), 1 / 3), metrics="entropy_correlation", rng=0))[0]
    assert said == "model: cannot be compared in entropy_correlation, undefined or infinite for one of the two."


def test_how_it_was_done() -> None:
    targets, a, b = labels(60, 2, 1)
    exact = how(compare(targets, a, b, metrics="accuracy", rng=0))
    assert exact == ["Items were swapped by coin flips. p is exact."]
    drawn = how(compare(targets, Runs([a, b]), Runs([b, b]), method="bootstrap", rng=0, n_resamples=50))
    assert drawn == [
        "Items with all their runs were drawn with replacement.",
        "p is adjusted for 4 comparisons (Holm).",
    ]


def test_amount_and_side_agree_with_the_row() -> None:
    """No one is better by a negative amount: the side is a word, and the interval that of the amount."""
    rng = np.random.default_rng(0)
    y, base = rng.integers(0, 2, 400), np.full(400, 0.5)
    good, bad = np.where(y == 1, 0.6, 0.4), np.where(y == 1, 0.4, 0.6)
    result = compare(y, base, {"good": good, "bad": bad}, metrics="brier", rng=0)
    for model, told in (
        ("good", "better than baseline in brier, lower"),
        ("bad", "worse than baseline in brier, higher"),
    ):
        row, (said,) = result[model, "brier"], [one for one in verdicts(result) if one.startswith(model)]
        ends = sorted((abs(row.low), abs(row.high)))
        assert said.startswith(
            f"{model} is {told} by {abs(row.difference):.4f} [{ends[0]:.4f}, {ends[1]:.4f}] (p < 0.0001)"
        )


def test_an_error_of_zero_is_explained() -> None:
    rng = np.random.default_rng(3)
    q = rng.random(300)
    y = (rng.random(300) < q).astype(int)
    a, b = np.clip(q, 0.01, 0.99), np.clip(q + 0.001, 0.01, 0.99)
    result = compare(y, a, {"other": b}, metrics="calibration_error", rng=0)
    assert 0.0 in (result[0].against_value, result[0].model_value)
    assert any("does not mean a model without error" in line for line in how(result))
    assert not any(
        "does not mean a model without error" in line for line in how(compare(y, q > 0.5, {"b": q > 0.4}, rng=0))
    )


def test_notes_are_said_with_the_rest() -> None:
    """In the result, in the sentences of the command and the report, in JSON."""
    result = compare(["a", "b"] * 10, ["a", "b"] * 10, ["a", "z"] * 10, metrics="accuracy", rng=0, n_resamples=50)
    said = "model predicts 'z' in 10 rows, which the true labels never hold: wrong there."
    assert said in result.notes
    assert f"Note: {said}" in str(result)
    assert f"Note: {said}" in how(result)
    assert said in result.to_dict()["notes"]
    assert "predicts &#x27;z&#x27;" in result._repr_html_()


def test_calibration_errors_say_their_bins_and_what_is_below_nought() -> None:
    """Two errors of 0.0000 stood beside an interval of ±.05."""
    rng = np.random.default_rng(1)
    q = rng.random(40)
    y = (rng.random(40) < q).astype(int)
    other = np.clip(q + 0.01 * rng.normal(size=40), 0, 1)
    result = compare(y, q, other, metrics="calibration_error", rng=0, n_resamples=200)
    assert (result[0].against_value, result[0].model_value) == (0, 0)
    alone = sum(np.bincount((q * 20).astype(int)) == 1)
    assert result.notes[0].startswith(f"calibration errors here are over 20 bins of equal width; baseline has {alone} ")
    assert result.notes[1].startswith("calibration_error of baseline and model is 0 because the bins differ no more")


def test_an_interval_without_width_is_said_to_be_about_these_items() -> None:
    targets, a, _ = labels(60, 2, 1)
    result = compare(targets, a, a, metrics=["accuracy", "mcc"], rng=0, n_resamples=50)
    assert result.notes == (
        "model, accuracy, mcc: all 60 items agree, so the interval has no width. It holds only for these; up to 4.9% "
        "of others may differ (level .95).",
    )
