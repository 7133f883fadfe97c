"""What the papers did not ask: how far do the regulariser and the pseudocount move calibration at equal accuracy?"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from howsure import __version__
from howsure.calibration.comparison import compare_pairs
from howsure.calibration.curve import curve_of
from howsure.calibration.results import CalibrationComparison, CalibrationCurve
from howsure.inputs.pairs import Pairs
from howsure.sequences.crf import CRFTagger
from howsure.sequences.hmm import HMMTagger
from howsure.sequences.tagger import Tagger
from howsure.show.table import Table
from howsure.stats.estimate import Estimate
from howsure_papers.figures.paths import Setting, path_figure
from howsure_papers.label_errors import LEVEL
from howsure_papers.replicates import SUBSAMPLES, over_training, random_subsamples, verdict
from howsure_papers.reproduction import Advance, Finding, Reproduction, nobody
from howsure_papers.tagging.contest import BIN_SIZE, judge
from howsure_papers.tagging.corpora import Corpus, Tagged, read_ewt, read_wsj
from howsure_papers.tagging.models import fitted, untrained_crf

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SENTENCES = 1_000  # for training, the same for all
NEAR = 0.01  # accuracy that is as good as the best
HMM, SHAPES, CRF = KINDS = ("HMM", "HMM with word shapes", "CRF-Basic")
GRIDS = {
    HMM: (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001),  # the pseudocount of transitions and words
    SHAPES: (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001),
    CRF: (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001),  # c₂
}
SETTING = {HMM: "pseudocount", SHAPES: "pseudocount", CRF: "c₂"}


@dataclass(frozen=True, slots=True)
class Fit:
    """A tagger with one value of its setting: its accuracy and its calibration over all tags on both parts."""

    kind: str
    value: float
    dev_accuracy: float
    dev_error: float
    accuracy: float
    curve: CalibrationCurve
    pairs: Pairs


@dataclass(frozen=True, slots=True)
class Range:
    """Of the settings as accurate as the best on the development data, those with the largest and the smallest error;
    the difference of their errors on the test data, over test and training data."""

    worst: Fit
    least: Fit
    difference: Estimate


def reproduce_regulariser(
    *, data: str | None = None, limit: int | None = None, seed: int = 0, advance: Advance = nobody
) -> Reproduction:
    """Fit HMMs with many pseudocounts and CRFs with many penalties, and judge the calibration of all tags together.

    On the Wall Street Journal sample and on EWT, 1,000 training sentences each. `limit`: use only the first sentences
    of each part. `advance` is told of every model; there are about `steps_of_regulariser()`.

    Raises InputError if the data sets `wsj_sample` and `ud_english_ewt` are not found.
    """
    corpora = [_smaller(read(data, limit), seed) for read in (read_wsj, read_ewt)]
    fits = {corpus.key: {kind: every_fit(corpus, kind, advance) for kind in KINDS} for corpus in corpora}
    ranges = {
        corpus.key: {kind: _range(corpus, found, seed, advance) for kind, found in fits[corpus.key].items()}
        for corpus in corpora
    }

    def draw() -> dict[str, Figure]:
        return {f"settings-{corpus.key}": _figure(fits[corpus.key]) for corpus in corpora}

    findings = [finding for corpus in corpora for finding in _findings(corpus, ranges[corpus.key])]
    tables = tuple(_table(corpus, fits[corpus.key]) for corpus in corpora)
    recipe = {
        "howsure": __version__, "data": "wsj_sample, ud_english_ewt",
        "sentences": [list(corpus.sizes) for corpus in corpora], "bin_size": BIN_SIZE, "near": NEAR,
        "subsamples": SUBSAMPLES, "seed": seed,
    }  # fmt: skip
    captions = {
        f"settings-{corpus.key}": f"{corpus.name}: calibration error over all tags against accuracy on the test "
        "sentences as the setting changes; rings: most accurate on the development sentences."
        for corpus in corpora
    }
    title = "Calibration as a function of the regulariser and of the pseudocount (beyond the papers)"
    return Reproduction("regulariser", title, tuple(findings), tables, recipe, draw, NOTES, captions)


def steps_of_regulariser() -> int:
    """About how many models `reproduce_regulariser` fits."""
    return 2 * (sum(map(len, GRIDS.values())) + 2 * len(KINDS) * SUBSAMPLES)


def every_fit(corpus: Corpus, kind: str, advance: Advance) -> list[Fit]:
    """A tagger for every value of the grid; a CRF starts from the weights of the one before."""
    tagger, found = _untrained(kind), []
    for value in GRIDS[kind]:
        _fit(tagger, corpus.train, value)
        dev, test = (judge(tagger, part, corpus.labels) for part in (corpus.dev, corpus.test))
        error = curve_of(dev.pairs, bin_size=BIN_SIZE).error.value
        curve = curve_of(test.pairs, bin_size=BIN_SIZE, name=kind)
        accuracy = float(test.right.mean())
        found.append(Fit(kind, value, float(dev.right.mean()), error, accuracy, curve, test.pairs))
        advance(1)
    return found


def near_extremes(fits: Sequence[Fit]) -> tuple[Fit, Fit]:
    """Of the settings nearly as accurate as the best on the development data, the worst and the best calibrated."""
    most = max(fit.dev_accuracy for fit in fits)
    ordered = sorted((fit for fit in fits if fit.dev_accuracy >= most - NEAR), key=lambda fit: fit.dev_error)
    return ordered[-1], ordered[0]


def _range(corpus: Corpus, fits: Sequence[Fit], seed: int, advance: Advance) -> Range:
    worst, least = near_extremes(fits)
    in_test = _difference(_compared(worst, least))
    replicates = []
    for rows in random_subsamples(len(corpus.train), rng=seed):
        train = corpus.train.only(rows)
        errors = []
        for fit in (worst, least):
            tagger = _fit(_untrained(fit.kind), train, fit.value)
            pairs = judge(tagger, corpus.test, corpus.labels).pairs
            errors.append(curve_of(pairs, bin_size=BIN_SIZE).error.value)
            advance(1)
        replicates.append(errors[0] - errors[1])
    return Range(worst, least, over_training(in_test, replicates))


def _compared(a: Fit, b: Fit) -> CalibrationComparison:
    return compare_pairs(a.pairs, b.pairs, bin_size=BIN_SIZE, n_bins=None, binning="adaptive", level=LEVEL)


def _difference(found: CalibrationComparison) -> Estimate:
    """The difference of two errors; where one may be 0, with the widest interval that theirs allow."""
    a, b = found.error_a, found.error_b
    if found.error_difference is not None or a.low is None or a.high is None or b.low is None or b.high is None:
        return found.error_difference or Estimate(a.value - b.value, None, None, LEVEL, "widest", found.n)
    return Estimate(a.value - b.value, a.low - b.high, a.high - b.low, LEVEL, "widest", found.n)


def _smaller(corpus: Corpus, seed: int) -> Corpus:
    rows = np.random.default_rng([seed, 4]).permutation(len(corpus.train))[:SENTENCES]
    return Corpus(corpus.key, corpus.name, corpus.train.only(np.sort(rows)), corpus.dev, corpus.test)


def _untrained(kind: str) -> Tagger:
    if kind == CRF:
        return untrained_crf()
    return HMMTagger(unknown="uniform" if kind == HMM else "shape")


def _fit(tagger: Tagger, train: Tagged, value: float) -> Tagger:
    """Fit with one value of the setting; a copy, since the next fit changes the tagger."""
    names = ("c2",) if isinstance(tagger, CRFTagger) else ("pseudocount_transition", "pseudocount_emission")
    return copy.copy(fitted(tagger.set_params(**dict.fromkeys(names, value)), train))


def _findings(corpus: Corpus, ranges: Mapping[str, Range]) -> list[Finding]:
    found = []
    for kind, one in ranges.items():
        worst, least = one.worst, one.least
        errors = [fit.curve.error.value for fit in (worst, least)]
        found.append(
            Finding(
                "",
                f"{kind}: choosing the {SETTING[kind]} by accuracy leaves calibration open",
                f"within {NEAR} of the best accuracy, the error is {errors[0]:.4f} at {SETTING[kind]} {worst.value:g} "
                f"(accuracy {worst.accuracy:.3f}) and {errors[1]:.4f} at {least.value:g} ({least.accuracy:.3f}): "
                f"difference {one.difference}",
                None if worst is least else verdict(one.difference),
                corpus.name,
            )
        )
    hmm, crf = ranges[HMM], ranges[CRF]
    sides = ((hmm.worst, crf.least), (hmm.least, crf.worst))
    ends = [_difference(_compared(a, b)) for a, b in sides]
    first, second = verdict(ends[0]), verdict(ends[1])
    depends = None if None in (first, second) else first is True and second is False
    found.append(
        Finding(
            "", f"which of {HMM} and {CRF} is better calibrated depends on these choices",
            f"HMM minus CRF: {ends[0]} with the HMM's worst and the CRF's best of these settings, {ends[1]} with the "
            "HMM's best and the CRF's worst (test data)", depends, corpus.name,
        )
    )  # fmt: skip
    return found


def _table(corpus: Corpus, fits: Mapping[str, Sequence[Fit]]) -> Table:
    headers = ("model", "setting", "dev accuracy", "accuracy", "CalibErr", "Algorithm 1", "Brier", "log loss")
    rows = [
        [
            kind, f"{SETTING[kind]} {fit.value:g}", f"{fit.dev_accuracy:.4f}", f"{fit.accuracy:.4f}",
            str(fit.curve.error), f"{fit.curve.algorithm1_error.value:.4f}", f"{fit.curve.brier.score:.5f}",
            f"{fit.curve.log_loss.score:.5f}",
        ]
        for kind, found in fits.items()
        for fit in found
    ]  # fmt: skip
    return Table(headers, rows, ("model", "setting"), caption=f"{corpus.name}: every setting, evaluated over all tags")


def _figure(fits: Mapping[str, Sequence[Fit]]) -> Figure:
    paths = []
    for kind, found in fits.items():
        best = max(found, key=lambda fit: fit.dev_accuracy)
        settings = [Setting(f"{fit.value:g}", fit.accuracy, fit.curve.error, chosen=fit is best) for fit in found]
        paths.append((kind, settings))
    return path_figure(paths, x_label="accuracy", y_label="calibration error", setting="pseudocount, c₂ (ring: chosen)")


NOTES = (
    "The papers choose the CRF's regulariser and the HMM's pseudocount by accuracy on development data. Here every "
    f"setting is evaluated, with the same {SENTENCES:,} random training sentences; `howsure reproduce tweets` "
    "evaluates the thesis's tweets in the same way.",
    f"All tags together, in bins of {BIN_SIZE:,}. Settings within {NEAR} of the best development accuracy count as "
    "equally accurate; the worst and the best calibrated of them are found on the development data and evaluated on "
    f"the test data. Intervals are over test and training data (sentences; {SUBSAMPLES} random halves of the "
    "training).",
    '"HMM": an unseen word carries hardly any information; "with word shapes": it is treated like '
    "rare words with the same shape and suffix.",
)
