"""The scan of all groups: against loops over rows, against permuted labels, and where chance alone is at work."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from howsure.calibration.features import Feature, feature_of
from howsure.calibration.scan import DIAGONAL, WHOLE, residuals_of, scan
from howsure.inputs.pairs import Pairs


def made(n: int, seed: int, *, weighted: bool = False, clustered: bool = False) -> tuple[Pairs, list[Feature]]:
    rng = np.random.default_rng(seed)
    q = rng.choice(np.linspace(0.1, 0.9, 25), n)
    columns = {"a": rng.integers(0, 3, n), "b": rng.standard_normal(n), "c": rng.choice(["x", "y"], n)}
    pairs = Pairs(
        (rng.random(n) < q).astype(np.uint8),
        q,
        rng.exponential(size=n) if weighted else None,
        clusters=rng.integers(0, n // 4, n) if clustered else None,
    )
    return pairs, [feature_of(values, name=name, n=n, min_rows=20) for name, values in columns.items()]


@pytest.mark.parametrize("against", [WHOLE, DIAGONAL])
@pytest.mark.parametrize("weighted", [False, True])
def test_figures_are_those_of_loops_over_rows(against: str, weighted: bool) -> None:
    pairs, features = made(400, 1, weighted=weighted)
    w = np.ones(400) if pairs.weights is None else pairs.weights
    residuals = residuals_of(pairs, against=against, rng=np.random.default_rng(0))
    gaps = pairs.labels - pairs.probabilities
    families = scan(residuals, features, conditions=2, min_rows=20, rng=np.random.default_rng(0))
    assert all(len(family) > 10 for family in families)
    for family in families:
        for row in range(0, len(family), 7):
            inside = np.ones(400, np.bool_)
            for f, c in zip(family.features[row], family.conditions[row], strict=True):
                inside &= True if f < 0 else features[f].members[c][features[f].codes] > 0
            total = variance = expected = 0.0
            for stratum in range(residuals.n_strata):
                mine = residuals.strata == stratum
                shift = np.average(gaps[mine], weights=w[mine]) if against == WHOLE else 0.0
                share = w[mine & inside].sum() / w[mine].sum() if against == WHOLE else 0.0
                r = np.clip(pairs.probabilities[mine] + shift, 0, 1)
                v = (r * (1 - r)).mean() * (mine.sum() / (mine.sum() - 1) if against == WHOLE else 1.0)
                total += (w * (inside - share) * (gaps - shift))[mine].sum()
                variance += (w**2 * (inside - share) ** 2)[mine].sum() * v
                expected += w[mine & inside].sum() * shift
            assert family.n[row] == inside.sum()
            assert family.weight[row] == pytest.approx(w[inside].sum())
            assert family.sums[row] == pytest.approx(total, abs=1e-9)
            assert family.expected[row] == pytest.approx(expected, abs=1e-9)
            assert family.deviation[row] == pytest.approx(np.sqrt(variance))


def test_the_law_of_the_largest_is_that_of_labels_permuted_among_equal_predictions() -> None:
    pairs, features = made(1200, 2)
    residuals = residuals_of(pairs, against=WHOLE, rng=np.random.default_rng(0))
    (family,) = scan(residuals, features, conditions=1, min_rows=20, rng=np.random.default_rng(0))
    inside = np.array(
        [
            features[f].members[c][features[f].codes]
            for (f, _), (c, _) in zip(family.features, family.conditions, strict=True)
        ]
    )
    rng, order = np.random.default_rng(3), np.argsort(residuals.strata, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(residuals.strata)))
    largest = np.empty(1000)
    for draw in range(1000):
        values = residuals.values[order].copy()
        for start, end in itertools.pairwise(starts):
            rng.shuffle(values[start:end])
        shuffled = np.empty_like(values)
        shuffled[order] = values
        largest[draw] = np.abs(inside @ shuffled / family.deviation).max()
    for level in (0.5, 0.9, 0.95):
        assert np.quantile(family.largest, level) == pytest.approx(np.quantile(largest, level), abs=0.2)


def test_groups_that_are_too_small_are_no_candidates() -> None:
    pairs, features = made(400, 4)
    residuals = residuals_of(pairs, against=WHOLE, rng=np.random.default_rng(0))
    for family in scan(residuals, features, conditions=2, min_rows=80, rng=np.random.default_rng(0)):
        assert family.n.min() >= 80
    rare = Pairs((np.arange(400) % 100 == 0).astype(np.uint8), np.full(400, 0.01))
    residuals = residuals_of(rare, against=WHOLE, rng=np.random.default_rng(0))
    assert not sum(map(len, scan(residuals, features, conditions=2, min_rows=20, rng=np.random.default_rng(0))))


@pytest.mark.parametrize("against", [WHOLE, DIAGONAL])
def test_a_group_of_a_few_clusters_is_no_candidate(against: str) -> None:
    rng = np.random.default_rng(5)
    clusters = np.repeat(np.arange(100), 10)
    q = rng.random(1000)
    pairs = Pairs((rng.random(1000) < q).astype(np.uint8), q, clusters=clusters)
    kinds = np.where(clusters < 6, "few", np.where(clusters % 2, "odd", "even"))
    features = [feature_of(kinds, name="x", n=1000, min_rows=20)]
    residuals = residuals_of(pairs, against=against, rng=np.random.default_rng(0))
    (family,) = scan(residuals, features, conditions=1, min_rows=20, rng=np.random.default_rng(0))
    assert [features[0].conditions[c] for c, _ in family.conditions] == ["x = even", "x = odd"]
