"""What a comparison says of itself."""

from __future__ import annotations

import numpy as np

from howsure.significance import Runs, compare
from howsure.significance.words import how, verdicts
from tests.significance.systems import distributions, labels


def test_better_worse_and_no_difference() -> None:
    targets, a, b = labels(300, 2, 1, accuracy=(0.6, 0.9))
    up = verdicts(compare(targets, a, {"up": b}, metrics="accuracy", rng=0))[0]
    down = verdicts(compare(targets, b, {"down": a}, metrics="accuracy", rng=0))[0]
    same = verdicts(compare(targets, a, {"same": a}, metrics=["accuracy", "mcc"], rng=0, n_resamples=10))[0]
    assert up.startswith("up is better than baseline in accuracy by +0.")
    assert down.startswith("down is worse than baseline in accuracy by -0.")
    assert same == "same: no difference is to be seen in accuracy, mcc."


def test_lower_is_better_for_a_loss() -> None:
    targets, a, b = distributions(200, 3, 1, weights=(0.5, 0.9))
    said = verdicts(compare(targets, a, b, metrics="cross_entropy", rng=0, n_resamples=500))[0]
    assert said.startswith("model is better than baseline in cross_entropy by -0.")


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
