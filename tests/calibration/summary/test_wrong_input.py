"""What a summary does not take, and what it says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from howsure import CalibrationSummaries, CalibrationSummary, InputError, Pairs


def weighted() -> CalibrationSummary:
    found = CalibrationSummary()
    found.add([0, 1], [0.1, 0.9], sample_weight=[1, 2])
    return found


def plain(**options: Any) -> CalibrationSummary:
    found = CalibrationSummary()
    found.add([0, 1], [0.1, 0.9])
    return found


def named(label: str) -> CalibrationSummary:
    found = CalibrationSummary()
    found.add(["yes", "no"], [0.1, 0.9], pos_label=label)
    return found


def groups(first: CalibrationSummary, second: CalibrationSummary) -> CalibrationSummaries:
    return CalibrationSummaries({"a": first}) + CalibrationSummaries({"b": second})


def weightless() -> CalibrationSummaries:
    found = CalibrationSummaries()
    found.add([0, 1, 1], [0.1, 0.9, 0.5], groups=["a", "a", "b"], sample_weight=[0, 0, 1])
    return found


GROUPED = Pairs(np.array([0, 1], dtype=np.uint8), np.array([0.1, 0.9]), groups=np.array([0, 1]), group_names=("a", "b"))
WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "out of range": (lambda: plain().add([0, 1], [0.1, 1.9]), r"y_prob must lie in \[0, 1\]; row 1 holds 1.9"),
    "missing": (lambda: plain().add([0, 1], [0.1, float("nan")]), "y_prob must not be missing; row 1"),
    "lengths": (lambda: plain().add([0, 1, 1], [0.1, 0.9]), "must have as many rows"),
    "three labels": (lambda: plain().add(["a", "b", "c"], [0.1, 0.2, 0.3]), "y_true must have two values"),
    "empty": (lambda: plain().add([], []), "empty"),
    "clusters": (
        lambda: plain().add([0, 1], [0.1, 0.9], clusters=[1, 1]),
        "clusters must not be given to a summary: sums do not say which pairs belong together",
    ),
    "groups": (lambda: plain().add(GROUPED), "CalibrationSummaries keeps a summary of each group"),
    "no groups": (lambda: CalibrationSummaries().add([0, 1], [0.1, 0.9]), "groups must say what each pair belongs to"),
    "weights of some": (lambda: plain().add([1], [0.5], sample_weight=[2]), "one of the summaries is weighted"),
    "weights beside none": (lambda: plain() + weighted(), "one of the summaries is weighted"),
    "huge weights": (
        lambda: CalibrationSummary().add([1], [0.5], sample_weight=[1e200]),
        "sample_weight of a summary must be 0 or between 1e-60 and 1e60; row 0 holds 1e[+]200",
    ),
    "other labels": (lambda: named("yes") + named("no"), "the summaries differ in pos_label: 'yes' and 'no'"),
    "bootstrap": (lambda: plain().curve(interval="bootstrap"), "interval='bootstrap' draws pairs anew"),
    "cox": (lambda: plain().test(method="cox"), "of a summary, method='cox' needs the pairs themselves"),
    "no test": (lambda: plain().test(method="t"), "of a summary, method must be 'binned' or 'simulation', not 't'"),
    "bins": (lambda: plain().curve(bin_size=0), "bin_size must be"),
    "no summaries": (lambda: CalibrationSummaries().table(), "there are no summaries: add pairs first"),
    "weights of some groups": (
        lambda: groups(plain(), weighted()),
        "the group 'b' have weights, and those of 'a' have none: give each of the latter the weight 1",
    ),
    "two of one name": (lambda: CalibrationSummaries({"1": plain(), 1: plain()}), "two are called '1'"),  # type: ignore[dict-item]
    "a group without weight": (lambda: weightless().table(), "every weight of the group 'a' is 0"),
    "an empty group": (lambda: groups(CalibrationSummary(), plain()).table(), "the group 'a' is empty"),
    "binning": (lambda: plain().curve(binning="deep"), "binning must be 'adaptive', 'uniform' or 'weight', not 'deep'"),
    "no summary": (lambda: CalibrationSummaries({"a": 3}), "must hold a CalibrationSummary for each group; 'a' has 3"),
}


@pytest.mark.parametrize(("wrong", "says"), WRONG.values(), ids=WRONG)
def test_it_says_what_is_wrong(wrong: Callable[[], object], says: str) -> None:
    with pytest.raises(InputError, match=says):
        wrong()


def test_nothing_is_added_where_something_is_wrong() -> None:
    found = plain()
    with pytest.raises(InputError):
        found.add([0, 1, 1], [0.2, 0.3, 1.5])
    assert found == plain()


def test_other_things_do_not_add() -> None:
    with pytest.raises(TypeError):
        plain() + CalibrationSummaries()  # type: ignore[operator]
    with pytest.raises(KeyError):
        CalibrationSummaries()["NN"]
