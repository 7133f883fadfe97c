"""Models corrected in one call: as each by itself, with p-values found from the intervals of every level."""

from __future__ import annotations

import numpy as np
import pytest

from howsure.judges import correct_judge_scores
from howsure.judges.correction import Graded
from howsure.stats.p_values import smallest_size

MODELS, ITEMS = ("b", "c", "a"), 200


def test_rows_of_interleaved_models_match_each_model_alone() -> None:
    rng = np.random.default_rng(0)
    order = rng.permutation(len(MODELS) * ITEMS)
    model = np.repeat(MODELS, ITEMS)[order]
    item = np.tile(np.arange(ITEMS), len(MODELS))[order]
    truth = (rng.random(len(order)) < 0.6).astype(float)
    judge = np.where(rng.random(len(order)) < 0.8, truth, 1.0)
    people = np.where(np.isin(item, rng.choice(ITEMS, 50, replace=False)), truth, np.nan)
    together = correct_judge_scores(people, judge, model=model, id=item)
    assert {row.model for row in together} == set(MODELS)
    for row in together:
        alone = correct_judge_scores(people[model == row.model], judge[model == row.model]).rows[0]
        assert (row.corrected, row.judge, row.bias) == (alone.corrected, alone.judge, alone.bias)
    for difference in together.differences:
        places = [np.flatnonzero(model == name) for name in (difference.model, difference.against)]
        first, second = (rows[np.argsort(item[rows])] for rows in places)
        assert difference.judge == pytest.approx(float((judge[first] - judge[second]).mean()))


@pytest.mark.parametrize("bounds", [(-1.0, 1.0), None])
@pytest.mark.parametrize("shift", [0.0, 0.2])
def test_a_p_value_is_found_from_the_intervals_of_all_levels(bounds: tuple[float, float] | None, shift: float) -> None:
    rng = np.random.default_rng(1)
    judged, labelled = rng.uniform(-0.6, 0.6, 400), np.arange(0, 400, 4)
    grades = np.clip(0.8 * judged[labelled] + shift + rng.normal(0, 0.2, len(labelled)), -1, 1)
    graded = Graded(
        judged, labelled, grades, np.full(len(labelled), 4.0), np.zeros(len(labelled), dtype=np.int64), None, bounds
    )
    slope = graded.slope()

    def leaves_out(size: float) -> bool:
        mean = graded.mean(1 - 2 * size, slope=slope)
        return mean.low is not None and mean.high is not None and not mean.low <= 0.0 <= mean.high

    assert graded.p_value(slope) == pytest.approx(min(2 * smallest_size(leaves_out), 1.0), rel=1e-7)
    assert (graded.p_value(slope) < 0.05) == (shift > 0)


def test_a_p_value_of_few_units_is_found_although_small_sizes_have_no_interval() -> None:
    rng = np.random.default_rng(0)
    n = 30
    judged = 0.1 * rng.normal(size=n)
    grades = judged + rng.choice([-0.2, 0.4], n) + rng.normal(0, 0.01, n)
    graded = Graded(judged, np.arange(n), grades, np.ones(n), np.zeros(n, dtype=np.int64))
    assert graded.mean(0.99, slope=1.0).low is not None
    assert graded.mean(1 - 1e-10, slope=1.0).low is None

    def leaves_out(size: float) -> bool:
        mean = graded.mean(1 - 2 * size, slope=1.0)
        return mean.low is not None and mean.high is not None and not mean.low <= 0.0 <= mean.high

    assert 0.001 < graded.p_value(1.0) < 0.5
    assert graded.p_value(1.0) == pytest.approx(2 * smallest_size(leaves_out), rel=1e-5)
