"""Whether a map from the judge's grade to that of people holds for a model: sums by hand, simulations, refusals."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import howsure

NAMES = ("a", "b", "c", "d")


def answers(
    draw: np.random.Generator, *, right: float = 0.9, off: float = 0.25, labelled: int = 100, n: int = 600
) -> dict[str, np.ndarray]:
    """Four models, half of whose answers are good; the judge is too kind to the last, so that its map is off."""
    model = np.repeat(NAMES, n)
    truth = (draw.random(4 * n) < 0.5) * 1.0
    judge = np.where(draw.random(4 * n) < right, truth, 1 - truth)
    kind = (model == "d") & (truth == 0) & (draw.random(4 * n) < off / (0.5 * right * (2 * right - 1)))
    people = np.full(4 * n, np.nan)
    for name in NAMES:
        rows = draw.choice(np.flatnonzero(model == name), labelled, replace=False)
        people[rows] = truth[rows]
    return {"y_true": people, "score": np.where(kind, 1.0, judge), "model": model}


def test_the_residual_is_people_minus_the_means_of_others_by_hand() -> None:
    columns = answers(np.random.default_rng(3))
    y, f, model = columns["y_true"], columns["score"], columns["model"]
    transport = howsure.judge_transport(**columns, margin=0.05)
    assert transport.learned_from == ("a", "b", "c")
    for name in NAMES:
        others = np.isin(model, [other_model for other_model in "abc" if other_model != name]) & ~np.isnan(y)
        mine = (model == name) & ~np.isnan(y)
        mapped = {grade: y[others & (f == grade)].mean() for grade in (0.0, 1.0)}
        by_hand = np.mean([human_grade - mapped[grade] for human_grade, grade in zip(y[mine], f[mine], strict=True)])
        assert transport[name].residual.value == pytest.approx(by_hand, abs=1e-12)
    assert transport["d"].verdict == "does not"
    assert np.isnan(transport["d"].mapped.value)


def test_a_map_learned_from_one_model_is_the_increasing_one() -> None:
    y = np.array([1.0, 0.0, 0.0, 1.0] * 10 + [0.0, 1.0, 1.0, 1.0] * 10)
    f = np.array([1.0, 1.0, 2.0, 3.0] * 10 + [1.0, 2.0, 3.0, 3.0] * 10)
    transport = howsure.judge_transport(y, f, model=["x"] * 40 + ["z"] * 40, margin=0.3, against="x")
    # grades 1 (mean .5) and 2 (mean 0) of x are one step of the map, 1/3; 3 is 1
    assert transport["z"].residual.value == pytest.approx((-1 / 3 + 2 / 3) / 4, abs=1e-12)
    assert transport["x"].verdict == "not audited"
    assert "learned only from it" in transport["x"].why


def test_a_mean_by_the_map_is_reported_where_it_transports_and_covers() -> None:
    columns = answers(np.random.default_rng(8), right=0.97, off=0.0, labelled=300)
    transport = howsure.judge_transport(**columns, margin=0.1)
    assert [row.verdict for row in transport] == ["transports"] * 4
    for row in transport:
        assert row.mapped.low < 0.5 < row.mapped.high
        assert row.mapped.high - row.mapped.low > 0.2


def test_models_without_grades_and_grades_beyond_the_map_are_refused() -> None:
    columns = answers(np.random.default_rng(1), off=0.0)
    columns["y_true"][columns["model"] == "a"] = np.nan
    columns["score"][np.flatnonzero(columns["model"] == "b")[:60]] = 4.0
    columns["y_true"][columns["score"] == 4.0] = np.nan
    transport = howsure.judge_transport(**columns, margin=0.3, bounds=(0, 1))
    assert transport["a"].verdict == "not audited"
    assert "humans graded 0 answers of it, fewer than 10" in transport["a"].why
    assert (transport["b"].verdict, transport["b"].outside) == ("does not", 0.1)
    assert "10% of its answers have judge grades outside" in repr(transport)
    assert transport["c"].verdict == "transports"


@pytest.mark.slow
@pytest.mark.parametrize("labelled", [50, 100, 300])
def test_a_judge_that_is_off_for_one_model_is_refused_for_it_alone(labelled: int) -> None:
    draw, verdict_counts = np.random.default_rng(labelled), Counter[tuple[bool, str]]()
    covered = []
    for _ in range(100):
        transport = howsure.judge_transport(**answers(draw, labelled=labelled), margin=0.05)
        verdict_counts.update((row.model == "d", row.verdict) for row in transport)
        good = [row.residual for row in transport if row.model != "d"]
        covered += [
            residual.low <= 0 <= residual.high
            for residual in good
            if residual.low is not None and residual.high is not None
        ]
    assert verdict_counts[True, "transports"] <= 1
    assert verdict_counts[False, "does not"] <= 30  # of 300
    assert verdict_counts[True, "does not"] >= {50: 40, 100: 86, 300: 98}[labelled]
    assert np.mean(covered) > 0.93
