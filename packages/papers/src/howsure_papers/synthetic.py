"""Effect of bin size and sample size on the score of synthetic pairs (Nguyen's thesis, 4.3, Figures 4.7–4.11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from howsure.calibration.bins import bin_pairs, boundaries_of_sorted, sorted_rows, sums_of_rows
from howsure.calibration.calibration_errors import squared_error
from howsure.calibration.simulation import simulate_pairs
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.inputs.parameter_types import Figure
from howsure.show.table import COUNT, Column, digits
from howsure_papers import curve_distances
from howsure_papers.curve_distances import distances_by_truth, steps_of_distances
from howsure_papers.drawings import Series, series_figure
from howsure_papers.reproduction import (
    TEXT,
    Advance,
    Drawing,
    ExperimentResult,
    Finding,
    Numbers,
    experiment,
    ignore_progress,
    numbers,
)

BETAS = ((0.3, 0.7), (0.5, 0.5), (1.0, 1.0), (2.0, 5.0))
PAIRS = 100_000
DOUBLING: Integers = 2 ** np.arange(1, 17)
STEPS: Integers = np.arange(1_000, 50_001, 1_000)
SIZES: Integers = np.arange(10_000, 50_001, 2_000)
SHIFT = 0.1  # the thesis's k
TRANSFORMS: tuple[str | float, ...] = ("identity", SHIFT)
BIN_SIZES: Integers = np.array([10, 100, 1_000, 5_000, 10_000, 33_000])
TITLE = "Bin size, sample size and the calibration score (Nguyen's thesis, section 4.3)"


@dataclass(frozen=True, slots=True)
class Scores:
    """The squared error (the thesis's MSE score): (runs, x) for each pair of Beta parameters."""

    x: Integers
    by_beta: tuple[Floats, ...]

    def series(self) -> list[Series]:
        """The mean over the runs, with the range that contains 95 % of the runs."""
        lines = []
        for beta, scores in zip(BETAS, self.by_beta, strict=True):
            low, high = np.quantile(scores, [0.025, 0.975], axis=0)
            lines.append(Series(_name(beta), self.x, scores.mean(axis=0), low, high))
        return lines


def steps_of_synthetic(n_simulations: int = 20) -> int:
    """The number of samples that `reproduce_synthetic` draws."""
    samples = n_simulations * len(BETAS) * (len(TRANSFORMS) * (1 + len(SIZES)) + 1)
    return samples + steps_of_distances(_runs_of_distances(n_simulations))


def _runs_of_distances(n_simulations: int) -> int:
    return max(n_simulations // 5, 2)


@experiment(TITLE, steps=steps_of_synthetic)
def reproduce_synthetic(
    *, n_simulations: int = 20, seed: int = 0, advance: Advance = ignore_progress
) -> ExperimentResult:
    """Reproduce Figures 4.7–4.11 of the thesis, with several Beta parameters and `n_simulations` samples of each.

    `advance` is called after every sample done. Source: Nguyen's thesis, section 4.3.
    """
    rng = np.random.default_rng(seed)
    (doubled, stepped), (_, shifted) = (_by_bin_size(t, n_simulations, rng, advance) for t in TRANSFORMS)
    calibrated, uncalibrated = (_by_sample_size(t, n_simulations, rng, advance) for t in TRANSFORMS)
    errors = _errors_by_bin_size(n_simulations, np.random.default_rng([seed, 7]), advance)
    distances = distances_by_truth(_runs_of_distances(n_simulations), seed, advance)
    every = {
        "4.7": ("calibrated, bin size doubled", doubled, "bin size", True),
        "4.8": ("calibrated, n = 100,000", stepped, "bin size", False),
        "4.9": ("uncalibrated (k = 0.1), n = 100,000", shifted, "bin size", False),
        "4.10": ("calibrated, bin size √n", calibrated, "number of pairs", False),
        "4.11": ("uncalibrated (k = 0.1), bin size √n", uncalibrated, "number of pairs", False),
    }
    sampled = f"mean and 95 % range of {n_simulations} samples."
    return ExperimentResult(
        findings=(
            _doubling_finding(doubled),
            _falling_finding(stepped),
            _erratic_finding(shifted, stepped),
            _to_zero_finding(calibrated),
            _to_constant_finding(uncalibrated),
            _footnote_7(errors),
            *curve_distances.findings(distances),
        ),
        tables=[
            *(_table(f"Figure {figure}: {what}", scores, x) for figure, (what, scores, x, _) in every.items()),
            _errors_table(errors, n_simulations),
            curve_distances.table(distances, _runs_of_distances(n_simulations)),
        ],
        drawings=[
            Drawing(
                f"figure-{figure.replace('.', '-')}",
                f"Figure {figure}: {panel[0]}; {sampled}",
                partial(_figure, *panel),
            )
            for figure, panel in every.items()
        ],
        notes=[
            "Predictions come from Beta distributions. Calibrated labels are 1 with the predicted probability, "
            "uncalibrated labels with the probability given by the thesis's transform (0.1 in "
            "`howsure.simulate_pairs`).",
            "Footnote 7 of the paper of 2015: the debiased error removes the noise that small bins add, not what large "
            "bins hide by averaging over predictions of different calibration. So its bins may be small, but must not "
            "be large.",
            "Distances from the true curve: predictions have a Beta(0.5, 0.5) distribution, labels are calibrated, "
            "moved by k, or 1 with probability q^1.5. The paper's 5,000 pairs a bin are meant for more pairs than "
            "these.",
        ],
        recipe={"runs": n_simulations, "seed": seed, "pairs": PAIRS, "beta": [list(beta) for beta in BETAS]},
    )


def _sample(n: int, beta: tuple[float, float], transform: str | float, rng: np.random.Generator) -> Pairs:
    return simulate_pairs(n, *beta, transform=transform, rng=rng)


def _score(pairs: Pairs, bin_sizes: Sequence[int]) -> list[float]:
    """The squared error at several bin sizes, from one sort."""
    q, y, _ = sorted_rows(pairs)
    rows = sums_of_rows(q, y)
    scores_ = []
    for size in bin_sizes:
        boundaries = boundaries_of_sorted(q, bin_size=size)
        bins = np.searchsorted(boundaries, q, side="left")
        gap, weight = np.bincount(bins, weights=rows.u), np.bincount(bins)
        scores_.append(float((gap**2 / weight).sum() / len(q)))
    return scores_


def _by_bin_size(
    transform: str | float, runs: int, rng: np.random.Generator, advance: Advance
) -> tuple[Scores, Scores]:
    """The scores of samples of 100,000 pairs, by doubled bin sizes and by bin sizes in equal steps."""
    doubled, stepped = [], []
    for beta in BETAS:
        of_beta = []
        for _ in range(runs):
            pairs = _sample(PAIRS, beta, transform, rng)
            of_beta.append(_score(pairs, [*DOUBLING.tolist(), *STEPS.tolist()]))
            advance(1)
        scores = np.array(of_beta)
        doubled.append(scores[:, : len(DOUBLING)])
        stepped.append(scores[:, len(DOUBLING) :])
    return Scores(DOUBLING, tuple(doubled)), Scores(STEPS, tuple(stepped))


def _by_sample_size(transform: str | float, runs: int, rng: np.random.Generator, advance: Advance) -> Scores:
    by_size = []
    for beta in BETAS:
        scores = np.empty((runs, len(SIZES)))
        for run in range(runs):
            for i, n in enumerate(SIZES.tolist()):
                (scores[run, i],) = _score(_sample(n, beta, transform, rng), [round(n**0.5)])
                advance(1)
        by_size.append(scores)
    return Scores(SIZES, tuple(by_size))


@dataclass(frozen=True, slots=True)
class Errors:
    """The errors of uncalibrated pairs with some Beta parameters: the true one, and the means by bin size (x,)."""

    beta: tuple[float, float]
    true: float
    algorithm_1: Floats
    debiased: Floats


def _errors_by_bin_size(runs: int, rng: np.random.Generator, advance: Advance) -> list[Errors]:
    by_beta = []
    for beta in BETAS:
        squares = np.empty((runs, 2, len(BIN_SIZES)))
        for run in range(runs):
            pairs = _sample(PAIRS, beta, SHIFT, rng)
            squares[run, 0] = _score(pairs, BIN_SIZES.tolist())
            for i, size in enumerate(BIN_SIZES.tolist()):
                bins = bin_pairs(pairs, binning="adaptive", bin_size=size, n_bins=None)
                squares[run, 1, i] = squared_error(pairs, bins).value
            advance(1)
        by_beta.append(Errors(beta, true_error(beta), *np.sqrt(np.maximum(squares, 0.0)).mean(axis=0)))
    return by_beta


def true_error(beta: tuple[float, float], shift: float = SHIFT) -> float:
    """The calibration error of pairs moved by the thesis's k: the root of E min(q, 1 - q, k)².

    >>> print(f"{true_error((1.0, 1.0)):.4f}")
    0.0931
    """
    from scipy.stats import beta as beta_distribution

    q = beta_distribution.ppf((np.arange(1_000_000) + 0.5) / 1_000_000, *beta)
    return float(np.sqrt((np.minimum(np.minimum(q, 1 - q), shift) ** 2).mean()))


def _footnote_7(errors: Sequence[Errors]) -> Finding:
    holds = all(of_beta.algorithm_1[0] > of_beta.true > of_beta.algorithm_1[-1] for of_beta in errors)
    first, middle = errors[0], BIN_SIZES.tolist().index(1_000)
    sizes = [f"{BIN_SIZES[i]:,}" for i in (0, middle, -1)]
    debiased, algorithm_1 = (
        [f"{values[i]:.4f}" for i in (0, middle, -1)] for values in (first.debiased, first.algorithm_1)
    )
    ours = (
        f"true {first.true:.4f} ({_name(first.beta)}, k = {SHIFT}); Algorithm 1 in bins of {', '.join(sizes)}: "
        f"{', '.join(algorithm_1)}; debiased: {', '.join(debiased)}"
    )
    paper = "in large bins a model looks better calibrated than it is, in small ones worse"
    return Finding("footnote 7", paper, ours, holds)


def _errors_table(errors: Sequence[Errors], runs: int) -> Numbers:
    columns = [
        Column(f"{name}, {_name(of_beta.beta)}", digits(4), values=[of_beta.true, *values])
        for of_beta in errors
        for name, values in (("Algorithm 1", of_beta.algorithm_1), ("debiased", of_beta.debiased))
    ]
    sizes = ["true error", *(f"{size:,}" for size in BIN_SIZES)]
    caption = f"Footnote 7: errors of {PAIRS:,} uncalibrated pairs (k = {SHIFT}) by bin size, means of {runs} samples"
    return numbers(caption, sizes, Column("bin size", TEXT, get=str), *columns)


def _doubling_finding(scores: Scores) -> Finding:
    rises = sum(int((np.diff(runs, axis=1) > 1e-12 * runs[:, :-1]).sum()) for runs in scores.by_beta)
    steps = sum(np.diff(runs, axis=1).size for runs in scores.by_beta)
    ours = f"it rose in {rises} of {steps:,} doublings"
    return Finding("4.7", "doubling the bin size never increases the score", ours, rises == 0)


def _falling_finding(scores: Scores) -> Finding:
    rank = float(np.median(_rank_correlations(scores)))
    rising = float(np.mean([np.diff(runs, axis=1) > 0 for runs in scores.by_beta]))
    ours = f"median rank correlation of bin size and score {rank:+.2f}, though {rising:.0%} of the steps rise"
    paper = "not monotone, but decreasing in trend (calibrated)"
    return Finding("4.8", paper, ours, rank < -0.5 and rising > 0)


def _erratic_finding(shifted: Scores, calibrated: Scores) -> Finding:
    here, there = _relative_rises(shifted), _relative_rises(calibrated)
    rank = float(np.median(_rank_correlations(shifted)))
    ours = (
        f"mean curves rise by a total of {here:.1f} times their own range (calibrated: {there:.1f} times); "
        f"a falling trend remains, median rank correlation {rank:+.2f}"
    )
    return Finding("4.9", "much more unpredictable than for calibrated pairs (k = 0.1)", ours, here > 2 * there)


def _rank_correlations(scores: Scores) -> Floats:
    from scipy.stats import spearmanr

    return np.array([spearmanr(scores.x, run).statistic for runs in scores.by_beta for run in runs])


def _relative_rises(scores: Scores) -> float:
    """The sum of the increases of the mean curve divided by its range; the median over the Beta parameters."""
    means = [runs.mean(axis=0) for runs in scores.by_beta]
    return float(np.median([np.maximum(np.diff(mean), 0.0).sum() / np.ptp(mean) for mean in means]))


def _to_zero_finding(scores: Scores) -> Finding:
    slopes = [float(np.polyfit(np.log(scores.x), np.log(runs.mean(axis=0)), 1)[0]) for runs in scores.by_beta]
    ours = f"score ~ n^c with c from {min(slopes):.2f} to {max(slopes):.2f} (-0.50 is the effect of noise alone)"
    return Finding("4.10", "the score of calibrated pairs goes to 0", ours, max(slopes) < -0.3)


def _to_constant_finding(scores: Scores) -> Finding:
    changes = [float(runs[:, -5:].mean() / runs[:, :5].mean()) - 1 for runs in scores.by_beta]
    ours = f"from the first to the last fifth of sizes it changes by {min(changes):+.0%} to {max(changes):+.0%}"
    return Finding("4.11", "the score of uncalibrated pairs goes to a constant", ours, max(map(abs, changes)) < 0.2)


def _figure(title: str, scores: Scores, x: str, log: bool) -> Figure:
    figure = series_figure(
        [(title, scores.series())], x_label=x, y_label="squared calibration error", log_x=log, log_y=log
    )
    if not log:
        figure.axes[0].set_ylim(bottom=0.0)
    return figure


def _table(title: str, scores: Scores, x: str) -> Numbers:
    shown = np.unique(np.linspace(0, len(scores.x) - 1, 8).round().astype(int))
    of_betas = [
        Column(_name(beta), digits(6), values=scores_of_beta[:, shown].mean(axis=0))
        for beta, scores_of_beta in zip(BETAS, scores.by_beta, strict=True)
    ]
    return numbers(title, shown, Column(x, COUNT, values=scores.x[shown]), *of_betas)


def _name(beta: tuple[float, float]) -> str:
    return "Beta({:g}, {:g})".format(*beta)
