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


@pytest.mark.parametrize(
    ("metric", "limits", "advice"),
    [
        ("bleu", {"min_score": 0.5}, "min_score is 0.5, and bleu is between 0 and 100: write 50."),
        ("wer", {"max_score": 5}, r"a rate per word or character\. Write 0.05 for 5%"),
    ],
)
def test_a_limit_on_the_scale_of_another_metric_is_refused(metric: str, limits: dict[str, float], advice: str) -> None:
    texts = ["a b c d e", "a b c d f"] * 5
    table = howsure.score_models(texts, texts[:1] * 10, metrics=metric)
    with pytest.raises(InputError, match=advice):
        howsure.check_score(table, **limits)


def test_a_limit_outside_the_bounds_is_refused() -> None:
    with pytest.raises(InputError, match="max_score must be between 0 and 1, the bounds of the scores; it is 10"):
        howsure.check_score(RIGHT, max_score=10, bounds=(0, 1))
