"""CR2 errors and Satterthwaite's degrees of freedom: against dense matrices by the definition, and as laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import howsure
from howsure.regression import cluster_robust
from howsure.regression.cluster_robust import Leverage, _inverse_root
from howsure.stats.logistic import sigmoid

N = 90
ROWS = np.arange(N)
CLUSTERS = np.repeat([0, 1, 2, 3, 4, 5, 6], [30, 20, 12, 10, 8, 6, 4])
PERIOD = ROWS % 5
WEIGHT = 1.0 + ROWS % 4 * 0.5


def dummies(codes: np.ndarray) -> np.ndarray:
    return (codes[:, None] == np.unique(codes)) * 1.0


def by_definition(
    design: np.ndarray, weight: np.ndarray, error: np.ndarray, clusters: np.ndarray, places: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Standard errors and degrees of freedom of coefficients, from dense (n, n) matrices.

    error: residuals of rows scaled by the square roots of their weights. V = Σ_g (c_g' A_g e_g)² with
    A_g = (I - H_gg)^(-1/2), its inverse in the directions that are not 0; ν = (tr Ω)² / tr Ω², Ω = P' P with columns
    (I - H)[:, g] A_g c_g (Pustejovsky & Tipton 2018, with the inverse weights as working variances).
    """
    x = design * np.sqrt(weight)[:, None]
    inverse = np.linalg.pinv(x.T @ x)
    rest = np.eye(len(x)) - x @ inverse @ x.T
    errors, degrees = [], []
    for place in places:
        contrast = x @ inverse[:, place]
        terms = []
        for cluster in np.unique(clusters):
            rows = clusters == cluster
            values, vectors = np.linalg.eigh(rest[np.ix_(rows, rows)])
            power = np.where(values > 1e-9, np.maximum(values, 1e-9) ** -0.5, 0.0)
            terms.append(rest[:, rows] @ (vectors * power) @ vectors.T @ contrast[rows])
        products = np.array(terms) @ np.array(terms).T
        # rest is a projection, and error = rest @ error: each term of V is what P says of the errors
        errors.append(np.sqrt(sum((term @ error) ** 2 for term in terms)))
        degrees.append(np.trace(products) ** 2 / (products**2).sum())
    return np.array(errors), np.array(degrees)


def rows() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    draw = np.random.default_rng(3)
    x, of_cluster = draw.standard_normal(N), draw.lognormal(0, 1, 7)[CLUSTERS]
    y = (draw.random(N) < 0.3 + 0.1 * (x > 0) + 0.1 * (of_cluster > 1)) * 1.0
    return x, of_cluster, y


CASES: dict[str, tuple[dict[str, Any], list[np.ndarray]]] = {
    "rows": ({}, []),
    "weights": ({"sample_weight": WEIGHT}, []),
    "clusters": ({"clusters": CLUSTERS}, []),
    "clusters and weights": ({"clusters": CLUSTERS, "sample_weight": WEIGHT}, []),
    "effects of rows": ({"fixed_effects": {"period": PERIOD}}, [dummies(PERIOD)]),
    "effects of the clusters": (
        {"fixed_effects": {"unit": CLUSTERS, "period": PERIOD}, "clusters": CLUSTERS},
        [dummies(CLUSTERS), dummies(PERIOD)],
    ),
    "effects within clusters, weights": (
        {"fixed_effects": {"part": CLUSTERS * 2 + ROWS % 2}, "clusters": CLUSTERS, "sample_weight": WEIGHT},
        [dummies(CLUSTERS * 2 + ROWS % 2)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_least_squares_match_dense_matrices(name: str) -> None:
    x, of_cluster, y = rows()
    options, effects = CASES[name]
    columns = {"x": x} if "clusters" in options and effects else {"x": x, "of cluster": of_cluster}
    result = howsure.regress_predicted(y, y, covariates=columns, **options)
    design = np.column_stack([*([] if effects else [np.ones(N)]), *columns.values(), *effects])
    weight = np.asarray(options.get("sample_weight", np.ones(N)))
    weight = weight / weight.mean()
    scale = np.sqrt(weight)
    beta = np.linalg.lstsq(design * scale[:, None], y * scale, rcond=None)[0]
    clusters = options.get("clusters", ROWS)
    errors, degrees = by_definition(
        design, weight, scale * (y - design @ beta), clusters, list(range(len(result.rows)))
    )
    assert [row.naive_error for row in result] == pytest.approx(errors, rel=1e-9)
    assert [row.naive_degrees for row in result] == pytest.approx(degrees, rel=1e-9)


def test_logistic_regression_matches_its_weighted_rows() -> None:
    x, of_cluster, y = rows()
    result = howsure.regress_predicted(
        y, y, covariates={"x": x, "of cluster": of_cluster}, clusters=CLUSTERS, method="logit"
    )
    design = np.column_stack([np.ones(N), x, of_cluster])
    p = sigmoid(design @ [row.naive.value for row in result])
    curvature = p * (1 - p)
    errors, degrees = by_definition(design, curvature, (y - p) / np.sqrt(curvature), CLUSTERS, [0, 1, 2])
    assert [row.naive_error for row in result] == pytest.approx(errors, rel=1e-6)
    assert [row.naive_degrees for row in result] == pytest.approx(degrees, rel=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_the_variance_is_unbiased_for_equal_errors_also_with_effects_across_clusters(seed: int) -> None:
    """The expected Σ_g (c_g' A_g e_g)² is |c|², the variance of c' e, whatever effects are absorbed."""
    draw = np.random.default_rng(seed)
    effects = draw.integers(0, 12, N)
    scale = np.sqrt(draw.uniform(0.5, 2.0, N))
    of_effects = dummies(effects) * scale[:, None]
    of_effects /= np.linalg.norm(of_effects, axis=0)
    columns = draw.standard_normal((N, 3))
    columns -= of_effects @ (of_effects.T @ columns)
    basis = np.linalg.qr(columns)[0]
    contrast = basis @ draw.standard_normal((3, 1))
    leverage = Leverage(basis, CLUSTERS, scale, effects)
    adjusted, unseen = leverage.adjusted(contrast)
    every = np.hstack([basis, of_effects])
    terms = dummies(CLUSTERS) * adjusted
    terms -= every @ (every.T @ terms)
    assert (terms**2).sum() == pytest.approx((contrast**2).sum(), rel=1e-9)
    assert unseen == pytest.approx([0.0], abs=1e-12)
    variances = draw.uniform(0.1, 3.0, N)
    covariance = terms.T @ (variances[:, None] * terms)
    degrees = np.trace(covariance) ** 2 / (covariance**2).sum()
    assert leverage.degrees_of_freedom(adjusted, variances)[0] == pytest.approx(degrees, rel=1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.floats(-6, -1e-3))
def test_clusters_of_any_leverage_are_adjusted_by_the_inverse_root(seed: int, size: int, log_leverage: float) -> None:
    """A_g = (I - B B')^(-1/2) by its eigenvectors, for clusters of little leverage and of much."""
    draw = np.random.default_rng(seed)
    basis = draw.standard_normal((5, size, 3))
    norms = np.linalg.norm(basis, ord=2, axis=(1, 2))
    basis *= (10 ** (log_leverage * draw.random(5) / 2) / norms)[:, None, None]
    values = draw.standard_normal((5, size, 2))
    roots, unseen = _inverse_root(basis, values)
    for b, v, root in zip(basis, values, roots, strict=True):
        squares, directions = np.linalg.eigh(np.eye(size) - b @ b.T)
        if squares[0] > 1e-6:
            assert root == pytest.approx(directions / np.sqrt(squares) @ directions.T @ v, rel=1e-9, abs=1e-11)
            assert unseen == pytest.approx([0.0, 0.0])


def test_coefficients_do_not_depend_on_the_units_of_other_columns() -> None:
    draw = np.random.default_rng(0)
    x, z, y = draw.standard_normal(300), draw.standard_normal(300), draw.standard_normal(300)
    plain = howsure.regress_predicted(y, y + x, covariates={"x": x, "z": z})["x"]
    scaled = howsure.regress_predicted(y, y + x, covariates={"x": x, "z": 1e14 * z})["x"]
    for estimate, other in ((plain.naive, scaled.naive), (plain.corrected, scaled.corrected)):
        assert [other.value, other.low, other.high] == pytest.approx([estimate.value, estimate.low, estimate.high])


def test_clusters_beyond_those_counted_exactly_hardly_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(0)
    basis = np.linalg.qr(np.column_stack([np.ones(400), draw.standard_normal((400, 2))]))[0]
    leverage = Leverage(basis, np.arange(400), np.ones(400))
    adjusted, _ = leverage.adjusted(basis[:, 1:2])
    rough = leverage.degrees_of_freedom(adjusted, np.ones(400))[0]
    monkeypatch.setattr(cluster_robust, "MAX_EXACT_CLUSTERS", 400)
    assert rough == pytest.approx(leverage.degrees_of_freedom(adjusted, np.ones(400))[0], rel=0.02)


def test_equal_clusters_of_a_mean_have_one_degree_of_freedom_less_than_there_are() -> None:
    clusters = np.repeat(np.arange(12), 5)
    y = np.random.default_rng(1).normal(np.arange(12)[clusters] / 5, 1.0)
    (row,) = howsure.regress_predicted(y, y, covariates={"half": clusters < 6}, clusters=clusters).rows[:1]
    halves = [y[clusters == k].mean() for k in range(6, 12)]
    assert row.naive_degrees == pytest.approx(5.0)  # the intercept is the mean of six clusters
    assert row.naive_error == pytest.approx(np.std(halves, ddof=1) / np.sqrt(6), rel=1e-9)


def test_a_single_treated_cluster_has_no_error() -> None:
    draw = np.random.default_rng(2)
    unit, period = np.repeat(np.arange(20), 20), np.tile(np.arange(10), 40)
    y = (draw.random(400) < 0.4) * 1.0
    f = np.where(draw.random(400) < 0.1, 1 - y, y)
    for effects in ({"unit": unit, "period": period}, None):
        result = howsure.regress_predicted(
            y, f, treated=unit < 1, after=period >= 5, fixed_effects=effects, clusters=unit
        )
        row = result["treated × after"]
        assert (row.naive.low, row.corrected.method) == (None, "cannot tell")
        assert np.isnan([row.naive_error, row.corrected_error, row.p_value, row.corrected_degrees]).all()
        assert any("treated × after" in note and "a single cluster" in note for note in result.notes)
        assert not any("fewer than 4 degrees" in note and "treated × after" in note for note in result.notes)
    single = howsure.regress_predicted(y, f, covariates={"first row": np.arange(400) == 0})
    assert single["first row"].corrected.method == "cannot tell"


def test_few_treated_clusters_have_few_degrees_of_freedom_and_a_note() -> None:
    draw = np.random.default_rng(2)
    unit, period = np.repeat(np.arange(20), 20), np.tile(np.arange(10), 40)
    y = (draw.random(400) < 0.4) * 1.0
    f = np.where(draw.random(400) < 0.1, 1 - y, y)
    result = howsure.regress_predicted(
        y, f, treated=unit < 3, after=period >= 5, fixed_effects={"unit": unit, "period": period}, clusters=unit
    )
    (row,) = result
    welch = (1 / 3 + 1 / 17) ** 2 / ((1 / 3) ** 2 / 2 + (1 / 17) ** 2 / 16)  # of differences of 3 and 17 clusters
    assert row.naive_degrees == pytest.approx(welch, rel=1e-9)
    assert row.corrected_degrees <= row.naive_degrees * (1 + 1e-9)
    assert result.to_dict()["coefficients"][0]["corrected_degrees"] == row.corrected_degrees
    assert any("fewer than 4 degrees of freedom: treated × after" in note for note in result.notes)
    assert "df" in str(result).splitlines()[2].split()


@pytest.mark.long
def test_intervals_of_three_treated_clusters_cover() -> None:
    """Three of 20 clusters are treated, whose rows have shocks in common: .87 of old intervals covered (500 sets)."""
    covered, files = 0, 120
    unit, period = np.repeat(np.arange(20), 20), np.tile(np.arange(10), 40)
    after = period >= 5
    for seed in range(files):
        draw = np.random.default_rng(seed)
        y = draw.normal(0, 1, 400) + draw.normal(0, 0.7, (20, 2))[unit, after * 1]
        result = howsure.regress_predicted(
            y, y + draw.normal(0, 0.3, 400), treated=unit < 3, after=after, fixed_effects={"unit": unit}, clusters=unit
        )
        interval = result["treated × after"].corrected
        covered += interval.low <= 0.0 <= interval.high
    assert covered >= 0.93 * files


def test_rows_of_weight_0_do_not_count() -> None:
    draw = np.random.default_rng(3)
    data = {"y": draw.integers(0, 2, N) * 1.0, "p": draw.random(N), "x": draw.normal(size=N)}
    data |= {"cluster": ROWS // 4, "period": PERIOD, "w": np.where((PERIOD == 3) | (CLUSTERS == 2), 0.0, WEIGHT)}
    frame = pd.DataFrame(data)
    how = {"covariates": ["x"], "fixed_effects": ["period"], "clusters": "cluster", "sample_weight": "w"}
    (row,) = howsure.regress_predicted("y", "p", data=frame, **how)
    (alone,) = howsure.regress_predicted("y", "p", data=frame[frame.w > 0], **how)
    assert row.naive_error == pytest.approx(alone.naive_error)
    assert row.naive_degrees == pytest.approx(alone.naive_degrees)
    assert np.isfinite(row.corrected_error)
