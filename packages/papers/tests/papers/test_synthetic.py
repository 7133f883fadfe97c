"""The experiments of the thesis: scores against the public call, findings decided from the numbers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.papers.whole import check_whole, rows_of

from howsure import calibration_curve, simulate_pairs
from howsure.inputs.pairs import Pairs
from howsure_papers import curve_distances, quantiles
from howsure_papers import synthetic as synthetic_experiment
from howsure_papers.binning import reproduce_binning
from howsure_papers.quantiles import (
    BIASED,
    MEAN,
    NARROW,
    NORMAL,
    RIGHT,
    date_ranks,
    interval_coverage,
    read_dated,
    simulate_ranks,
)
from howsure_papers.reproduction import Reproduction
from howsure_papers.synthetic import _score, reproduce_synthetic


@pytest.fixture(scope="module")
def synthetic() -> Iterator[Reproduction]:
    steps: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(curve_distances, "PAIRS", 2_000)
        patch.setattr(synthetic_experiment, "BETAS", ((0.3, 0.7), (2.0, 5.0)))
        result = reproduce_synthetic(n_simulations=1, seed=3, advance=steps.append)
        assert sum(steps) == reproduce_synthetic.steps(1)
        yield result


@pytest.mark.parametrize("decimals", [17, 2])
def test_the_scores_are_those_of_the_public_call(decimals: int) -> None:
    pairs = simulate_pairs(3_000, 0.5, 0.5, transform=0.1, rng=5)
    y, q = pairs.labels, np.round(pairs.probabilities, decimals)
    sizes = [7, 50, 999, 5_000]
    expected = [calibration_curve(y, q, bin_size=size).mse.value for size in sizes]
    assert _score(Pairs(y, q), sizes) == pytest.approx(expected, abs=1e-15)


@pytest.mark.slow
def test_every_figure_has_its_finding_table_and_drawing(synthetic: Reproduction) -> None:
    assert [finding.figure for finding in synthetic.findings] == [
        *(f"4.{i}" for i in range(7, 12)),
        *("footnote 7", "footnote 7", "chapter 2"),
    ]
    captions = [table.caption.split(":")[0] for table in synthetic.tables]
    assert captions == [
        *(f"Figure 4.{i}" for i in range(7, 12)),
        "Footnote 7",
        "Distances of curves of 2,000 pairs from the true curve (root mean square), means of 2 samples",
    ]
    assert [drawing.name for drawing in synthetic.drawings] == [f"figure-4-{i}" for i in range(7, 12)]
    check_whole(synthetic)


@pytest.mark.long
def test_doubling_never_raises_the_score(synthetic: Reproduction) -> None:
    assert synthetic.findings[0].holds
    scores = np.array([[float(cell) for cell in row[1:]] for row in rows_of(synthetic.tables[0])])
    assert (np.diff(scores, axis=0) <= 0).all()


@pytest.mark.long
def test_large_bins_hide_errors_also_without_bias(synthetic: Reproduction) -> None:
    assert synthetic.findings[5].holds
    true, *by_size = (np.array([float(cell) for cell in row[1:]]) for row in rows_of(synthetic.tables[5]))
    algorithm_1, debiased = np.array(by_size).T[::2], np.array(by_size).T[1::2]
    np.testing.assert_allclose(debiased[:, 1], true[1::2], rtol=0.05)  # in bins of 100
    assert (algorithm_1[:, 0] > 1.2 * true[::2]).all()
    assert (debiased[:, -1] < 0.9 * true[1::2]).all()


@pytest.mark.long
def test_noise_alone_falls_with_the_root_of_the_size(synthetic: Reproduction) -> None:
    assert synthetic.findings[3].holds
    assert synthetic.findings[4].holds


def test_the_seed_repeats_everything() -> None:
    assert reproduce_binning(seed=1).to_dict() == reproduce_binning(seed=1).to_dict()
    assert reproduce_binning(seed=1).to_dict() != reproduce_binning(seed=2).to_dict()


def test_adaptive_bins_have_the_narrower_intervals() -> None:
    result = reproduce_binning()
    assert all(finding.holds for finding in result.findings)
    widest = {row[0]: float(row[4]) for row in rows_of(result.tables[0])}
    assert widest["d"] < widest["c"] < widest["b"]
    assert [drawing.name for drawing in result.drawings] == ["figure-1-a", "figure-1-bcd"]
    check_whole(result)


# Posteriors of continuous quantities: what is simulated, the regression on dates, and what is said of them.


def test_the_posteriors_are_what_they_are_called() -> None:
    ranks = {name: [] for name in (RIGHT, NARROW, BIASED)}
    rng = np.random.default_rng(1)
    for _ in range(40):
        for name, posterior in simulate_ranks(rng).items():
            ranks[name].extend(posterior.ranks)
    means = {name: np.mean(ranks_of_model) for name, ranks_of_model in ranks.items()}
    assert means[RIGHT] == pytest.approx(49.5, abs=2)
    assert means[NARROW] == pytest.approx(49.5, abs=2)
    assert means[BIASED] < 42
    assert np.std(ranks[NARROW]) > np.std(ranks[RIGHT]) + 3


def test_a_regression_on_made_up_texts_is_calibrated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where its model is right, with noise it holds 90 % of the truths, and its mean alone does not."""
    rng = np.random.default_rng(2)
    x = (rng.random((3_000, 20)) < 0.3).astype(float)
    y = 2010 + x @ rng.normal(size=20) + rng.normal(size=3_000)
    parts = [(x[rows], y[rows]) for rows in np.split(np.arange(3_000), [1_500, 2_000])]
    monkeypatch.setattr(quantiles, "read_dated", lambda *_: parts)
    posteriors, sizes = date_ranks(None, None, rng)
    assert sizes == [1_500, 500, 1_000]
    assert posteriors[NORMAL].p_value > 0.01
    assert interval_coverage(posteriors[NORMAL]).value == pytest.approx(0.9, abs=0.03)
    assert interval_coverage(posteriors[MEAN]).value < 0.3


def test_the_days_are_split(real_data: Path) -> None:
    parts = read_dated(str(real_data), 2_000, np.random.default_rng(0))
    days = [set(years.tolist()) for _, years in parts]
    assert [len(distinct) for distinct in days] == [len(years) for _, years in parts]
    assert len(set.union(*days)) == sum(map(len, days))


@pytest.fixture(scope="module")
def made(real_data: Path) -> Reproduction:
    steps: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quantiles, "SETS", 20)
        result = quantiles.reproduce_quantiles(data=str(real_data), limit=3_000, advance=steps.append)
        assert sum(steps) == quantiles.reproduce_quantiles.steps()
    return result


@pytest.mark.long
def test_the_findings_follow_from_the_tables(made: Reproduction) -> None:
    check_whole(made)
    shares, _ = map(rows_of, made.tables)
    assert made.findings[2].ours == f"on {shares[1][3]}"
    assert made.findings[2].holds
    assert made.findings[6].holds is False


def test_distances_from_the_true_curve_of_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    """The curve of one bin is the base rate, and that of the chosen size is nearer to the truth."""
    monkeypatch.setattr(curve_distances, "PAIRS", 500)
    (distances,) = curve_distances.distances_by_truth(1, 0, lambda steps: None)["q^1.5"].distances.tolist()
    by_method = dict(zip(curve_distances.METHODS, distances, strict=True))
    rng = np.random.default_rng([0, 11, 0])
    q = np.sort(rng.beta(0.5, 0.5, 500))
    base_rate = np.mean(rng.random(500) < q**1.5)
    assert by_method[curve_distances.PAPERS] == pytest.approx(np.sqrt(np.mean((base_rate - q**1.5) ** 2)))
    assert by_method[curve_distances.CHOSEN] < by_method[curve_distances.PAPERS] / 2
