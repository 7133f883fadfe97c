"""A limit in percent of scores between 0 and 1 is refused: no data could decide it."""

from __future__ import annotations

import pytest

import howsure
from howsure.errors import InputError

RIGHT = [0, 1, 1, 1] * 20


@pytest.mark.parametrize("limits", [{"min_score": 50}, {"max_score": 50.0}])
def test_a_limit_in_percent_is_refused(limits: dict[str, float]) -> None:
    with pytest.raises(InputError, match=r"is 50, and every score is between 0 and 1: write 0\.5 for 50%"):
        howsure.check_score(RIGHT, **limits)


def test_limits_of_other_scales_are_kept() -> None:
    assert howsure.check_score(RIGHT, min_score=50, bounds=(0, 100)).outcome == "fail"
    assert howsure.check_score([100 * score for score in RIGHT], min_score=50, bounds=(0, 100)).outcome == "pass"
    assert howsure.check_score(RIGHT, min_score=1.0, bounds=(0, 1)).outcome == "fail"
