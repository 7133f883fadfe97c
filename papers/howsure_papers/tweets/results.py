"""What the tweet experiment found: findings, tables, and the figure of the settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from howsure.calibration.comparison import compare_pairs
from howsure.calibration.curve import curve_of
from howsure.calibration.results import CalibrationCurve
from howsure.show.table import Table
from howsure.stats.estimate import Estimate
from howsure_papers.figures.paths import Setting, path_figure
from howsure_papers.replicates import SUBSAMPLES, interval_text, verdict
from howsure_papers.reproduction import Finding
from howsure_papers.tweets.models import POOLED_BIN_SIZE, QUERY, Fit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HMM, SHAPES, ONE = "HMM", "HMM with word shapes", "HMM, one pseudocount"
BASIC, ADVANCED = "CRF-Basic", "CRF-Advanced"
BIN_SIZES = (50, 100, 200, 500, 1_000, 5_000)
PAPERS_ACCURACY = 0.87

Fits = Mapping[str, Sequence[Fit]]
Chosen = Mapping[str, Fit]


def findings(
    found: Mapping[str, Estimate],
    chosen: Chosen,
    curves: Sequence[CalibrationCurve],
    extremes: Mapping[str, tuple[float, float]],
) -> tuple[Finding, ...]:
    """What the thesis says of tweets, decided from intervals over training and test data."""
    scores = {curve.name or "": curve.mse.value for curve in curves}
    refinement = {curve.name or "": curve.brier.refinement for curve in curves}

    def contest(figure: str, paper: str, worse: str, better: str) -> Finding:
        difference = found[f"{QUERY}, squared error: {worse} - {better}"]
        ours = (
            f"MSE score {scores[worse]:.5f} ({worse}) against {scores[better]:.5f} ({better}), a factor of "
            f"{scores[better] / scores[worse]:.2f}; difference without bias {fine(difference)}"
        )
        return Finding(figure, paper, ours, verdict(difference))

    accuracy = found[f"accuracy, {ADVANCED}"]
    brier = found[f"{QUERY}, Brier score: {BASIC} - {ADVANCED}"]
    half_again = "CRF-Advanced is better calibrated than CRF-Basic: reducing miscalibration further by one half"
    half = "CRF-Basic is better calibrated than the HMM: about half its miscalibration"
    return (
        contest("4.4, 4.5", half, HMM, BASIC),
        contest("4.4, 4.5", f"{half} (here: one pseudocount, as in the paper of 2015)", ONE, BASIC),
        contest("4.4, 4.5", f"{half} (here an HMM that uses the shapes of unseen words)", SHAPES, BASIC),
        contest("4.5, 4.6", half_again, BASIC, ADVANCED),
        Finding("4.6", "CRF-Advanced has an accuracy of 87 %", f"{accuracy}", _includes(accuracy, PAPERS_ACCURACY)),
        Finding(
            "section 4.1.2", "with better templates predictions are more refined",
            f"refinement {refinement[BASIC]:.4f} (CRF-Basic) against {refinement[ADVANCED]:.4f} (CRF-Advanced); the "
            f"Brier score, of which it is the greater part, differs by {fine(brier)}", verdict(brier),
        ),
        *(_of_settings(name, ends, found, chosen[name]) for name, ends in extremes.items() if ends[0] != ends[1]),
    )  # fmt: skip


def _of_settings(name: str, ends: tuple[float, float], found: Mapping[str, Estimate], fit: Fit) -> Finding:
    contest = f"{name}, {ends[0]:g} - {ends[1]:g}"
    difference, accuracy = found[f"all tags, squared error: {contest}"], found[f"accuracy: {contest}"]
    paper = f"at equal accuracy, the {fit.kind.setting} decides the calibration: {name}"
    ours = (
        f"{fit.kind.setting} {ends[0]:g} against {ends[1]:g}: accuracy differs by {accuracy}, the squared error over "
        f"all tags by {fine(difference)}"
    )
    return Finding("", paper, ours, verdict(difference))


def models_table(chosen: Chosen, curves: Sequence[CalibrationCurve]) -> Table:
    """The captions of Figures 4.4 to 4.6: accuracy and calibration of the query."""
    headers = (
        "model", "setting", "accuracy", "CalibErr", "MSE score, Algorithm 2", "refinement", "Brier score", "log loss"
    )  # fmt: skip
    rows = [
        [
            name, _setting(fit), str(fit.test.accuracy), str(curve.error), fine(curve.mse),
            f"{curve.brier.refinement:.4f}", f"{curve.brier.score:.4f}", f"{curve.log_loss.score:.4f}",
        ]
        for (name, fit), curve in zip(chosen.items(), curves, strict=True)
    ]  # fmt: skip
    return Table(headers, rows, headers[:2], caption=f'The query "{QUERY}" on the test tweets')


def pooled_table(chosen: Chosen) -> Table:
    """All tags pooled."""
    headers = ("model", "CalibErr", "Algorithm 1", "refinement", "Brier score", "log loss", "-log P(gold tag)")
    rows = []
    for name, fit in chosen.items():
        curve = curve_of(fit.test.pooled, bin_size=POOLED_BIN_SIZE)
        rows.append([
            name, str(curve.error), f"{curve.algorithm1_error.value:.4f}", f"{curve.brier.refinement:.5f}",
            f"{curve.brier.score:.5f}", f"{curve.log_loss.score:.5f}", f"{fit.test.gold_loss:.4f}",
        ])  # fmt: skip
    return Table(headers, rows, headers[:1], caption="All tags pooled on the test tweets")


def differences_table(in_test: Mapping[str, Estimate], in_all: Mapping[str, Estimate]) -> Table:
    """Every quantity that a finding rests on, and some more."""
    headers = ("quantity", "value", "95 %, test tweets", "95 %, training and test tweets")
    rows = [
        [name, f"{one.value:+.6f}", interval_text(one, 6), interval_text(in_all[name], 6)]
        for name, one in in_test.items()
    ]
    title = (
        "Evidence for the findings; differences are first minus second (loss or error above 0: the second is better)"
    )
    return Table(headers, rows, headers[:1], caption=title)


def bin_size_table(chosen: Chosen) -> Table:
    """How much the bin size matters."""
    headers = ("bin size", *(f"{name}{what}" for name in chosen for what in ("", ", Algorithm 1")))
    rows = []
    for bin_size in BIN_SIZES:
        curves = [curve_of(fit.test.verb, bin_size=bin_size) for fit in chosen.values()]
        cells = [cell for one in curves for cell in (str(one.error), f"{one.algorithm1_error.value:.4f}")]
        rows.append([f"{bin_size:,}", *cells])
    return Table(headers, rows, caption=f'CalibErr of the query "{QUERY}" by bin size')


def ablation_table(templates: Chosen, whole: Fit) -> Table:
    """CRFs with fewer families of features than CRF-Advanced."""
    headers = (
        "features", "c₂", "accuracy", f"{QUERY}: CalibErr", f"{QUERY}: refinement", "all: CalibErr", "all: Brier score",
        "all: log loss", "all: Brier score, more than CRF-Advanced",
    )  # fmt: skip
    rows = []
    for name, fit in templates.items():
        verb = curve_of(fit.test.verb, bin_size=200)
        pooled = curve_of(fit.test.pooled, bin_size=POOLED_BIN_SIZE)
        rows.append([
            name, f"{fit.value:g}", str(fit.test.accuracy), str(verb.error), f"{verb.brier.refinement:.4f}",
            str(pooled.error), f"{pooled.brier.score:.5f}", f"{pooled.log_loss.score:.5f}", _more(fit, whole),
        ])  # fmt: skip
    title = "Families of features (section 4.1.2): adding one at a time, leaving one out; intervals over test tweets"
    return Table(headers, rows, headers[:1], caption=title)


def settings_table(fits: Fits) -> Table:
    """Every setting of every model."""
    headers = (
        "model", "setting", "accuracy (dev)", "accuracy", f"{QUERY}: CalibErr", "all: CalibErr", "all: Brier score",
        "all: log loss",
    )  # fmt: skip
    rows = []
    for name, of_kind in fits.items():
        for fit in of_kind:
            pooled = curve_of(fit.test.pooled, bin_size=POOLED_BIN_SIZE)
            rows.append([
                name, _setting(fit), f"{fit.dev.accuracy.value:.4f}", f"{fit.test.accuracy.value:.4f}",
                str(curve_of(fit.test.verb, bin_size=200).error), str(pooled.error),
                f"{pooled.brier.score:.5f}", f"{pooled.log_loss.score:.5f}",
            ])  # fmt: skip
    return Table(headers, rows, headers[:2], caption="Every setting on the test tweets")


def path_of_settings(fits: Sequence[Sequence[Fit]], chosen: Chosen) -> Figure:
    """The calibration error over all tags against accuracy, as the setting changes."""
    paths = []
    for of_kind in fits:
        name = of_kind[0].kind.name
        settings = [
            Setting(f"{fit.value:g}", fit.test.accuracy.value, fit.test.pooled_error, chosen=fit is chosen[name])
            for fit in of_kind
        ]
        paths.append((name, settings))
    what = "pseudocount, c₂ (ring: chosen)"
    return path_figure(paths, x_label="accuracy", y_label="calibration error, all tags", setting=what, root_y=True)


CAPTIONS = {
    "figures-4-4-to-4-6": f'Calibration curves of the query "{QUERY}" on the test tweets, bins of 200.',
    "settings": "Calibration error over all tags against accuracy on the test tweets, one point per setting.",
}


def notes() -> tuple[str, ...]:
    """How our methods differ from the thesis's."""
    return (
        "The data are the thesis's own. Its HMM is fitted by maximum likelihood, which makes some test tweets "
        "impossible and says nothing of unseen words; ours has a pseudocount for every transition and word, and one "
        'unseen word of every tag. "HMM with word shapes" tells unseen words apart by their shapes and suffixes.',
        "Settings are chosen by accuracy on the development tweets, also for the random halves.",
        f"Intervals over training data come from {SUBSAMPLES} random halves of it. All other intervals resample "
        "tweets.",
        "A verdict on two models states which of them is better calibrated; the factor between them is given "
        "alongside.",
        "The settings of equal accuracy are the worst and the best calibrated, on the development tweets, of those "
        "within one point of the best accuracy there.",
        "A log loss has no interval over training data if one of the halves contains no word with some tag.",
    )


def fine(estimate: Estimate) -> str:
    """An estimate of small numbers."""
    return f"{estimate.value:.6f} {interval_text(estimate, 6)}".rstrip()


def _setting(fit: Fit) -> str:
    return f"{fit.kind.setting} {fit.value:g}"


def _includes(estimate: Estimate, value: float) -> bool | None:
    """Whether the interval includes a value."""
    return None if estimate.low is None or estimate.high is None else estimate.low <= value <= estimate.high


def _more(fit: Fit, whole: Fit) -> str:
    if fit is whole:
        return ""
    both = compare_pairs(
        fit.test.pooled, whole.test.pooled, bin_size=POOLED_BIN_SIZE, n_bins=None, binning="adaptive", level=0.95
    )
    return fine(both.brier_difference)
