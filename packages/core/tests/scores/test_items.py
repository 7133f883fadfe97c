"""Items of a benchmark: discrimination, dead items, contradictions, and the gaps that can be shown."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binomtest

import howsure
from howsure.errors import InputError
from howsure.scores.items import _p_contradicts, _smallest_significant


def items_of(right: np.ndarray, **options: object) -> howsure.BenchmarkItems:
    m, n = right.shape
    model, item = np.repeat(np.arange(m), n), np.tile(np.arange(n), m)
    return howsure.score_items(right.ravel(), model=model, id=item, **options)  # type: ignore[arg-type]


def simulated(m: int, n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.random((m, n)) < expit(rng.normal(0, 1.2, (m, 1)) + rng.normal(0, 1.5, (1, n)))).astype(float)


def test_discrimination_is_the_correlation_with_the_mean_of_the_other_items() -> None:
    right = simulated(9, 30, 1)
    for row in items_of(right):
        k = int(row.item)
        rest = np.delete(right, k, axis=1).mean(axis=1)
        assert row.mean == pytest.approx(right[:, k].mean())
        assert row.is_dead == (np.ptp(right[:, k]) == 0)
        if not row.is_dead:
            assert row.discrimination == pytest.approx(np.corrcoef(right[:, k], rest)[0, 1], abs=1e-12)


@pytest.mark.parametrize("ties", [False, True])
def test_p_values_match_all_assignments(ties: bool) -> None:
    """Of all ways to choose the better models, at most a share p has a p-value of p or less; without ties, exactly."""
    rng = np.random.default_rng(5)
    rest = rng.integers(0, 3, 8).astype(float) if ties else rng.normal(size=8)
    for k in range(1, 8):
        p_values = np.array(
            [_p_contradicts(np.isin(np.arange(8), better), rest) for better in itertools.combinations(range(8), k)]
        )
        shares = np.array([(p_values <= p + 1e-12).mean() for p in p_values])
        assert (shares <= p_values + 1e-12).all()
        assert ties or shares == pytest.approx(p_values)


def test_a_wrong_key_among_many_models_is_found() -> None:
    right = simulated(40, 100, 2)
    right[:, 17] = 1 - (right.mean(axis=1) > np.median(right.mean(axis=1)))
    first, *others = items_of(right)
    assert (first.item, first.contradicts) == ("17", True)
    assert not any(row.contradicts for row in others)


@pytest.mark.slow
def test_uninformative_items_are_rarely_reported_as_contradicting() -> None:
    """At most 1 of 20 benchmarks with 20 random items in 100 has one that is called contradictory."""
    false = 0
    for seed in range(300):
        right = simulated(15, 100, seed)
        right[:, :20] = np.random.default_rng(seed).random((15, 20)) < 0.5
        false += any(row.contradicts for row in items_of(right))
    assert false / 300 <= 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5


def test_the_smallest_significant_gap_matches_mcnemars_test() -> None:
    for discordant in (4, 5, 6, 20, 41):
        gaps = [
            (discordant - 2 * fewer) / 100
            for fewer in range(discordant // 2 + 1)
            if binomtest(fewer, discordant).pvalue <= 0.05
        ]
        assert _smallest_significant(discordant, 100, 0.95) == pytest.approx(min(gaps, default=np.inf))


def test_neighbours_that_differ_clearly_are_told_apart() -> None:
    ease = np.linspace(0, 1, 200)
    right = np.array([(ease < share).astype(float) for share in (0.9, 0.6, 0.59, 0.3)])
    items = items_of(right)
    assert (items.models, items.neighbours, items.told_apart, items.n) == (4, 3, 2, 200)
    assert all(row.discrimination is None for row in items)
    assert any("it needs 5 models, and there are 4" in note for note in items.notes)


def test_items_that_a_model_lacks_are_left_out_and_counted() -> None:
    right = simulated(6, 20, 3)
    model, item = np.repeat(np.arange(6), 20), np.tile(np.arange(20), 6)
    kept = ~((model == 2) & (item < 3))
    items = howsure.score_items(right.ravel()[kept], model=model[kept], id=item[kept])
    assert items.n == 17
    assert "Left out: 3 items that some model lacks." in items.notes


def test_runs_of_an_item_count_with_their_mean() -> None:
    right = simulated(6, 20, 4)
    model, item = np.repeat(np.arange(6), 20), np.tile(np.arange(20), 6)
    twice = howsure.score_items(
        np.tile(right.ravel(), 2), model=np.tile(model, 2), id=np.tile(item, 2), run=np.repeat([0, 1], 120)
    )
    assert [row.discrimination for row in twice] == [row.discrimination for row in items_of(right)]


def test_dead_items_are_counted_and_last() -> None:
    right = simulated(6, 30, 5)
    right[:, 4], right[:, 9] = 1, 0
    items = items_of(right, show={"question": [f"q{k}" for k in range(30)] * 6})
    assert items.dead >= 2
    assert items[-1].is_dead
    assert items["4"].shown == {"question": "q4"}
    assert f"{items.dead} of 30 items are dead" in str(items)


def test_one_dead_item_is_singular() -> None:
    right = np.array([[1, 1, 0], [1, 0, 1], [1, 0, 0]])
    assert "1 of 3 items is dead: all models have the same score on it (1 with score 1)." in str(items_of(right))


def test_no_gap_beyond_the_range_of_scores_is_detectable() -> None:
    right = np.array([[1, 0], [0, 1]])
    items = items_of(right)
    assert items.detectable is None
    assert "A gap of" not in items.answer
    unbounded = items_of(right * 10)
    assert unbounded.detectable > 10
    assert f"A gap of {unbounded.detectable:.4f} would be detected with probability 0.8." in unbounded.answer


def test_tiny_gaps_are_not_shown_as_zero() -> None:
    items = items_of(simulated(3, 30, 1) * 1e-7)
    assert f"A gap of {items.detectable:.3g} would be detected" in items.answer
    assert "e-08" in items.answer


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"score": [1, 0], "id": [0, 1]}, "Give the model of each row"),
        ({"score": [1, 0], "model": ["a", "b"]}, "Give the item of each row"),
        ({"score": [1, 0], "model": ["a", "a"], "id": [0, 1]}, "there is 1 model"),
        (
            {"score": [1, 0], "model": ["a", "b"], "id": [0, 1]},
            "no item has, and '0' lacks a score. Keep only models with the same",
        ),
        (
            {"score": [1, 0, 1], "model": ["a", "b", "b"], "id": [0, 0, 1]},
            "1 item has, and '1' lacks a score. Keep only models",
        ),
        ({"score": [1, 0], "model": ["a", "b"], "id": [0, 0]}, "there is 1 item; two items or more are needed."),
        ({"score": [1, 0, 1], "model": ["a", "a", "b"], "id": [0, 0, 0]}, "must have one row"),
    ],
)
def test_what_is_wrong_is_reported(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as refusal:
        howsure.score_items(**arguments)  # type: ignore[arg-type]
    assert message in str(refusal.value)
