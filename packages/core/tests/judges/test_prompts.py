"""`prompt_sensitivity`: against sums row after row, simulated prompts, and refusals."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import howsure
from howsure.inputs.pairs import Floats
from howsure.stats.proportions import t_quantile


def grades(seed: int, n: int, m: int, r: int, *, prompts: float = 0.4, both: float = 0.5) -> Floats:
    """Of n items under m prompts in r runs."""
    draw = np.random.default_rng(seed)
    base = draw.normal(3, 1, n)[:, None, None] + draw.normal(0, prompts, m)[None, :, None]
    return np.asarray(base + draw.normal(0, both, (n, m))[..., None] + draw.normal(0, 0.7, (n, m, r)))


def columns(x: Floats) -> tuple[Floats, dict[str, list[int]]]:
    """The same as rows, and what each is of."""
    n, m, r = x.shape
    item, prompt, run = zip(*itertools.product(range(n), range(m), range(r)), strict=True)
    return x.ravel(), {"id": list(item), "prompt": list(prompt), "run": list(run)}


def test_parts_match_the_analysis_of_variance() -> None:
    n, m, r = 30, 4, 3
    x = grades(0, n, m, r)
    score, roles = columns(x)
    sensitivity = howsure.prompt_sensitivity(score, **roles)
    mean = x.mean()
    of_item = sum(m * r * (x[i].mean() - mean) ** 2 for i in range(n)) / (n - 1)
    of_prompt = sum(n * r * (x[:, p].mean() - mean) ** 2 for p in range(m)) / (m - 1)
    rest = [
        r * (x[i, p].mean() - x[i].mean() - x[:, p].mean() + mean) ** 2
        for i, p in itertools.product(range(n), range(m))
    ]
    of_both = sum(rest) / ((n - 1) * (m - 1))
    within = sum((x[i, p, k] - x[i, p].mean()) ** 2 for i, p, k in itertools.product(*map(range, x.shape)))
    within /= n * m * (r - 1)
    expected = [(of_item - of_both) / (m * r), (of_prompt - of_both) / (n * r), (of_both - within) / r, within]
    assert [row.part for row in sensitivity] == ["items", "prompts", "items × prompts", "runs"]
    assert [row.variance for row in sensitivity] == pytest.approx(expected, rel=1e-12)
    parts = [expected[0] / n, expected[1] / m, expected[2] / (n * m), expected[3] / (n * m * r)]
    assert [row.of_estimate for row in sensitivity] == pytest.approx([part / sum(parts) for part in parts], rel=1e-12)
    assert sum(parts) == pytest.approx((of_item + of_prompt - of_both) / (n * m * r))
    square = t_quantile(0.95, n - 1) ** 2 * of_item + t_quantile(0.95, m - 1) ** 2 * (of_prompt - of_both)
    assert sensitivity.mean.value == pytest.approx(mean)
    assert sensitivity.mean.high == pytest.approx(mean + math.sqrt(square / (n * m * r)))
    assert sensitivity.given.high == pytest.approx(mean + t_quantile(0.95, n - 1) * math.sqrt(of_item / (n * m * r)))
    assert [sensitivity.prompts[str(prompt)].value for prompt in range(x.shape[1])] == pytest.approx(
        x.mean(axis=(0, 2))
    )


def test_without_runs_both_together_are_the_rest() -> None:
    score, roles = columns(grades(1, 40, 3, 1))
    sensitivity = howsure.prompt_sensitivity(score, id=roles["id"], prompt=roles["prompt"])
    assert [row.part for row in sensitivity] == ["items", "prompts", "items × prompts, rest"]
    assert sum(row.of_estimate for row in sensitivity) == pytest.approx(1.0)


def test_clusters_of_one_item_are_items_and_large_ones_are_wider() -> None:
    score, roles = columns(grades(2, 60, 4, 1))
    alone, same, wide = (
        howsure.prompt_sensitivity(score, **roles, clusters=clusters)
        for clusters in (None, roles["id"], [item // 5 for item in roles["id"]])
    )
    assert same.mean == alone.mean
    assert wide.given.n == alone.given.n
    sums = np.array(score).reshape(12, 5, 4).mean(axis=(1, 2))
    reach = t_quantile(0.95, 11) * sums.std(ddof=1) / math.sqrt(12)
    assert wide.given.high == pytest.approx(np.mean(score) + reach)


def test_items_that_lack_a_prompt_are_left_out() -> None:
    score, roles = columns(grades(3, 40, 3, 2))
    lacking = np.array([item == 7 and prompt == 1 for item, prompt in zip(roles["id"], roles["prompt"], strict=True)])
    item = np.array(roles["id"])
    part, whole = (
        howsure.prompt_sensitivity(score[kept], **{role: np.array(values)[kept] for role, values in roles.items()})
        for kept in (~lacking, item != 7)
    )
    assert part.rows == whole.rows
    assert part.mean == whole.mean
    assert part.notes == ("items that lack a prompt are left out: 1",)


def test_two_prompts_do_not_generalise_to_others() -> None:
    score, roles = columns(grades(4, 40, 2, 1))
    sensitivity = howsure.prompt_sensitivity(score, **roles)
    assert sensitivity.mean.low is None
    assert sensitivity.given.low is not None
    assert "(no interval from two prompts)" in str(sensitivity)


def test_grades_that_are_alike_have_the_interval_of_their_mean() -> None:
    """20 right answers of 20 do not show that all are right, with any prompt."""
    item, prompt = np.divmod(np.arange(60), 3)
    sensitivity = howsure.prompt_sensitivity(np.ones(60), prompt=prompt, id=item)
    (constant,) = howsure.mean_scores(np.ones(20))
    for mean in (sensitivity.mean, sensitivity.given, *sensitivity.prompts.values()):
        assert (mean.low, mean.high) == pytest.approx((constant.mean.low, constant.mean.high))
    unbounded = howsure.prompt_sensitivity(np.full(60, 3.0), prompt=prompt, id=item)
    assert unbounded.mean.low is unbounded.given.low is None
    assert "bounds" in unbounded.notes[0]


@pytest.mark.slow
@pytest.mark.parametrize("hard", [0.02, 0.3])
def test_intervals_of_shares_hold_where_few_items_are_hard(hard: float) -> None:
    rng, covered, files = np.random.default_rng(0), 0, 300
    item, prompt = np.divmod(np.arange(160), 4)
    for _ in range(files):
        right = rng.random((40, 4)) < np.where(rng.random((40, 1)) < hard, 0.02, 0.98)
        mean = howsure.prompt_sensitivity(right.ravel().astype(float), prompt=prompt, id=item).mean
        assert mean.low is not None
        assert mean.high is not None
        covered += mean.low <= 0.98 - 0.96 * hard <= mean.high
    assert covered > 0.92 * files


@pytest.mark.slow
@pytest.mark.parametrize(("m", "prompts"), [(3, 0.0), (3, 0.3), (5, 0.1), (10, 0.3)])
def test_intervals_over_prompts_hold(m: int, prompts: float) -> None:
    covered, files = 0, 400
    for seed in range(files):
        score, roles = columns(grades(seed, 60, m, 1, prompts=prompts))
        sensitivity = howsure.prompt_sensitivity(score, **roles)
        covered += sensitivity.mean.low <= 3.0 <= sensitivity.mean.high
    assert covered > 0.92 * files
