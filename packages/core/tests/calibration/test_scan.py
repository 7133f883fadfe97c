"""The scan of all groups: against loops over rows, against permuted labels, and where chance alone is at work."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from howsure import find_miscalibrated_groups
from howsure.calibration.features import MAX_CATEGORIES, MAX_VALUES, Feature, divide_column
from howsure.calibration.scan import (
    DIAGONAL,
    WHOLE,
    Group,
    compute_residuals,
    group_sums,
    scan,
    skewed_scores,
    student_scores,
    without,
)
from howsure.inputs.checks import Coded
from howsure.inputs.pairs import Pairs


def simulated_pairs(
    n: int, seed: int, *, weighted: bool = False, clustered: bool = False
) -> tuple[Pairs, list[Feature]]:
    rng = np.random.default_rng(seed)
    q = rng.choice(np.linspace(0.1, 0.9, 25), n)
    columns = {"a": rng.integers(0, 3, n), "b": rng.standard_normal(n), "c": rng.choice(["x", "y"], n)}
    pairs = Pairs(
        (rng.random(n) < q).astype(np.uint8),
        q,
        rng.exponential(size=n) if weighted else None,
        clusters=rng.integers(0, n // 4, n) if clustered else None,
    )
    return pairs, [divide_column(values, name=name, n=n, min_rows=20) for name, values in columns.items()]


@pytest.mark.parametrize("against", [WHOLE, DIAGONAL])
@pytest.mark.parametrize("weighted", [False, True])
def test_figures_match_loops_over_rows(against: str, weighted: bool) -> None:
    pairs, features = simulated_pairs(400, 1, weighted=weighted)
    w = np.ones(400) if pairs.weights is None else pairs.weights
    residuals = compute_residuals(pairs, against=against, rng=np.random.default_rng(0))
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


def test_the_law_of_the_largest_matches_labels_permuted_among_equal_predictions() -> None:
    pairs, features = simulated_pairs(1200, 2)
    residuals = compute_residuals(pairs, against=WHOLE, rng=np.random.default_rng(0))
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


def test_groups_that_are_too_small_are_not_candidates() -> None:
    pairs, features = simulated_pairs(400, 4)
    residuals = compute_residuals(pairs, against=WHOLE, rng=np.random.default_rng(0))
    for family in scan(residuals, features, conditions=2, min_rows=80, rng=np.random.default_rng(0)):
        assert family.n.min() >= 80
    rare = Pairs((np.arange(400) % 100 == 0).astype(np.uint8), np.full(400, 0.01))
    residuals = compute_residuals(rare, against=WHOLE, rng=np.random.default_rng(0))
    assert not sum(map(len, scan(residuals, features, conditions=2, min_rows=20, rng=np.random.default_rng(0))))


@pytest.mark.parametrize("against", [WHOLE, DIAGONAL])
def test_a_group_of_few_clusters_is_not_a_candidate(against: str) -> None:
    rng = np.random.default_rng(5)
    clusters = np.repeat(np.arange(100), 10)
    q = rng.random(1000)
    pairs = Pairs((rng.random(1000) < q).astype(np.uint8), q, clusters=clusters)
    kinds = np.where(clusters < 6, "few", np.where(clusters % 2, "odd", "even"))
    features = [divide_column(kinds, name="x", n=1000, min_rows=20)]
    residuals = compute_residuals(pairs, against=against, rng=np.random.default_rng(0))
    (family,) = scan(residuals, features, conditions=1, min_rows=20, rng=np.random.default_rng(0))
    assert [features[0].conditions[c] for c, _ in family.conditions] == ["x = even", "x = odd"]


N = 20_000
RNG = np.random.default_rng(11)
Q = RNG.beta(2, 2, N)
FEATURES = {"a": RNG.choice(["u", "v", "w"], N), "b": RNG.choice(["k", "l"], N), "c": RNG.standard_normal(N)}


def names_of_groups(low: np.ndarray, **arguments: object) -> list[str]:
    labels = np.random.default_rng(12).random(N) < np.clip(Q - 0.15 * low, 0, 1)
    return [row.name for row in find_miscalibrated_groups(labels, Q, features=FEATURES, **arguments)]  # type: ignore[arg-type]


def test_a_condition_leads_before_its_parts() -> None:
    assert names_of_groups(FEATURES["a"] == "v") == ["a = v"]


def test_a_pair_leads_before_its_conditions() -> None:
    assert names_of_groups((FEATURES["a"] == "v") & (FEATURES["b"] == "k")) == ["a = v and b = k"]


def test_two_groups_both_lead() -> None:
    both = names_of_groups((FEATURES["a"] == "v") | (FEATURES["c"] > 1.5))
    assert both[0] == "a = v"
    assert any("c >" in name for name in both[1:])


def test_better_halves_do_not_represent_worse_ones() -> None:
    """b = l departs from the whole as far, towards calibration."""
    assert names_of_groups(FEATURES["b"] == "k") == ["b = k"]


@pytest.mark.parametrize("against", [WHOLE, DIAGONAL])
@pytest.mark.parametrize("weighted", [False, True])
def test_what_is_taken_out_is_a_mean(against: str, weighted: bool) -> None:
    n = 600
    rng = np.random.default_rng(3)
    weights = rng.exponential(size=n) if weighted else None
    pairs = Pairs((rng.random(n) < Q[:n]).astype(np.uint8), Q[:n], weights)
    residuals = compute_residuals(pairs, against=against, rng=rng)
    features = [divide_column(column[:n], name=name, n=n, min_rows=20) for name, column in FEATURES.items()]
    inside = FEATURES["a"][:n] == "v"
    rest = without(residuals, inside)
    assert float(rest.values @ inside) == pytest.approx(0.0, abs=1e-9)
    if against == WHOLE:  # the whole stays where it is, at every prediction
        assert np.bincount(rest.strata, weights=rest.values) == pytest.approx(0.0, abs=1e-9)
    families = scan(residuals, features, conditions=2, min_rows=20, rng=rng)
    for k, family in enumerate(families):
        groups = [
            Group(k, row, tuple(family.features[row].tolist()), tuple(family.conditions[row].tolist()))
            for row in range(len(family))
        ]
        assert group_sums(groups, residuals.values, features) == pytest.approx(family.sums, abs=1e-9)


STRETCH = re.compile(r"(?:(?P<low>\S+) < )?x(?: ≤ (?P<high>\S+))?(?: > (?P<above>\S+))?")


def rows(values: object, *, min_rows: int = 1) -> dict[str, list[bool]]:
    feature = divide_column(values, name="x", n=len(values), min_rows=min_rows)  # type: ignore[arg-type]
    return {
        words: (member[feature.codes] > 0).tolist()
        for words, member in zip(feature.conditions, feature.members, strict=True)
    }


def holds(words: str, value: float) -> bool:
    if words == "x is missing" or np.isnan(value):
        return words == "x is missing" and bool(np.isnan(value))
    match = STRETCH.fullmatch(words)
    low, high, above = (None if end is None else float(end) for end in match.group("low", "high", "above"))
    return (low is None or value > low) and (high is None or value <= high) and (above is None or value > above)


@given(st.lists(st.floats(-1e6, 1e6) | st.just(float("nan")), min_size=MAX_CATEGORIES + 1, max_size=60))
def test_a_row_is_in_a_condition_where_its_words_are_true(numbers: list[float]) -> None:
    if len({x for x in numbers if x == x}) <= MAX_CATEGORIES:
        return
    for words, inside in rows(np.array(numbers)).items():
        assert inside == [holds(words, value) for value in numbers]
        assert not all(inside)


def test_numbers_are_cut_at_their_quantiles() -> None:
    feature = divide_column(np.arange(1000), name="x", n=1000, min_rows=50)
    one_sided = [words for words, pair in zip(feature.conditions, feature.in_pairs, strict=True) if pair]
    cuts = [49, 99, 249, 499, 749, 899, 949]
    assert set(one_sided) == {f"x ≤ {cut}" for cut in cuts} | {f"x > {cut}" for cut in cuts}
    assert len(feature.conditions) == 35


def test_cuts_are_rounded_as_far_as_the_spread_allows() -> None:
    rng = np.random.default_rng(0)
    for scale, digits in ((1.0, 2), (1000.0, -1), (1e-6, 8)):
        feature = divide_column(rng.standard_normal(5000) * scale, name="x", n=5000, min_rows=50)
        cuts = [float(words.removeprefix("x > ")) for words in feature.conditions if words.startswith("x > ")]
        assert len(cuts) == 7
        assert all(abs(cut / 10.0**-digits - round(cut / 10.0**-digits)) < 1e-6 for cut in cuts)


def test_few_numbers_booleans_and_names_are_categories() -> None:
    assert list(rows([3, 1, 1, 2.5])) == ["x = 1", "x = 2.5", "x = 3"]
    assert list(rows(np.array([True, False]))) == ["x = False", "x = True"]
    assert list(rows(["b10", "b2", None, "b2"])) == ["x = b2", "x = b10", "x is missing"]
    assert rows(["b", "a", None]) == {
        "x = a": [False, True, False],
        "x = b": [True, False, False],
        "x is missing": [False, False, True],
    }


def test_missing_values_of_every_kind_are_one_value() -> None:
    expected = {"x = 1": [True, False, True], "x is missing": [False, True, False]}
    for values in (
        np.array([1.0, np.nan, 1.0]),
        [1, None, 1],
        pd.Series([1, pd.NA, 1], dtype="Int64").to_numpy(),
        np.ma.MaskedArray([1, 5, 1], mask=[False, True, False]),
        Coded(np.array([0, -1, 0]), ("1",)),
    ):
        assert rows(values) == expected


def test_dates_are_cut_as_dates() -> None:
    days = np.datetime64("2026-01-01") + np.arange(100)
    groups = rows(np.append(days, np.datetime64("NaT")))
    assert groups["x > 2026-02-19"] == [False] * 50 + [True] * 50 + [False]
    assert groups["x is missing"] == [False] * 100 + [True]


def test_rare_values_share_a_condition_and_are_counted() -> None:
    values = ["a"] * 10 + ["b"] * 5 + [f"rare {i}" for i in range(7)]
    feature = divide_column(values, name="x", n=22, min_rows=5)
    assert feature.conditions == ("x = a", "x = b", "x = another value (7 rare ones)")
    assert feature.pooled == (7, 7)
    many = np.repeat([f"v{i}" for i in range(MAX_VALUES + 5)], 20)
    feature = divide_column(many, name="x", n=len(many), min_rows=5)
    assert len(feature.conditions) == MAX_VALUES + 1
    assert feature.pooled == (5, 100)


@pytest.mark.parametrize("expected", [5.0, 20.0, 100.0])
def test_scores_match_poisson_tails(expected: float) -> None:
    for score in (2.0, 3.0, 4.5):
        high = float(stats.poisson.isf(stats.norm.sf(score), expected)) + 1
        exact = stats.norm.isf(stats.poisson.sf(high - 1, expected))
        computed = skewed_scores(np.array([high - expected]), np.array([expected]), np.array([expected]), 0.5)[0]
        assert exact - 0.2 < computed < exact + 0.1


def test_light_tails_are_taken_for_normal_ones() -> None:
    low = skewed_scores(np.array([-4.0]), np.array([5.0]), np.array([5.0]), 0.5)[0]
    assert low == pytest.approx(-3.5 / np.sqrt(5))
    assert abs(low) < stats.norm.isf(stats.poisson.cdf(1, 5.0)) + 0.01


def test_scores_of_huge_sums_are_finite_and_signed() -> None:
    sums = np.array([1e6, -1e6, 0.0])
    assert np.isfinite(skewed_scores(sums, np.ones(3), np.ones(3), 0.5)).all()
    assert np.sign(student_scores(sums, np.ones(3), np.full(3, 300.0))).tolist() == [1.0, -1.0, 0.0]
