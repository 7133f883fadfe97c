"""Figures 4.1–4.3 of Nguyen's thesis: is a word a noun (NN)? HMM, CRF-Basic and CRF-Advanced."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from howsure.calibration.curve import curve_of
from howsure.calibration.results import CalibrationCurve
from howsure.calibration.table import by_group
from howsure.figures.calibration import curve_figure
from howsure.inputs.pairs import Integers, Pairs
from howsure.show.table import Table
from howsure.stats.estimate import Estimate
from howsure_papers.label_errors import LabelErrors, clustered_mean, jackknifed, label_errors, over_halves
from howsure_papers.replicates import SUBSAMPLES, over_training, random_subsamples, verdict
from howsure_papers.reproduction import Advance, Finding
from howsure_papers.tagging.contest import NOUN, OF_LABEL, Judged, judge
from howsure_papers.tagging.corpora import Corpus
from howsure_papers.tagging.models import PENALTIES, choose_crf, fit_hmm, refit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEARLY_ZERO = 1e-6  # a pseudocount: maximum likelihood, but no test sentence is impossible
HMM, BASIC, ADVANCED = KINDS = ("HMM", "CRF-Basic", "CRF-Advanced")
FIGURES = dict(zip(KINDS, ("4.1", "4.2", "4.3"), strict=True))
PAPER = {HMM: ("?", "0.035"), BASIC: ("?", "0.019"), ADVANCED: ("about 0.96", "?")}
ADVANCED_PENALTIES = (0.3, 0.1)
ACCURATE, ABOUT = 0.96, 0.01
WHERE = f"WSJ sample, query {NOUN}"
SLIGHTLY = 0.019  # off the diagonal: less than the thesis's CRF-Basic


@dataclass(frozen=True, slots=True)
class Thesis:
    """What came of the experiment, as parts of a reproduction."""

    findings: tuple[Finding, ...]
    table: Table
    captions: Mapping[str, str]
    notes: tuple[str, ...]
    draw: Callable[[], dict[str, Figure]]


@dataclass(frozen=True, slots=True)
class Noun:
    """One model's answers to the query: its curve, its error with and without each sentence, its accuracy."""

    curve: CalibrationCurve
    errors: LabelErrors
    accuracy: Estimate
    pairs: Pairs


def thesis(corpus: Corpus, *, seed: int, advance: Advance) -> Thesis:
    """Train the three on all training sentences, and on random halves of them, and judge them on the test sentences."""
    basic = choose_crf(corpus.train, corpus.dev, advance)
    advanced = choose_crf(corpus.train, corpus.dev, advance, features="advanced", grid=ADVANCED_PENALTIES)
    taggers = {HMM: fit_hmm(corpus.train, NEARLY_ZERO), BASIC: basic.tagger, ADVANCED: advanced.tagger}
    settings = {BASIC: basic.setting, ADVANCED: advanced.setting}
    full = {kind: noun(judge(tagger, corpus.test, corpus.labels), kind) for kind, tagger in taggers.items()}
    rng = np.random.default_rng([seed, 3])
    halves, refinements, accuracies = [], [], []
    for rows in random_subsamples(len(corpus.train), rng=rng):
        of_half = {
            kind: noun(judge(refit(tagger, corpus.train.only(rows)), corpus.test, corpus.labels), kind)
            for kind, tagger in taggers.items()
        }
        some = rng.permutation(len(corpus.test))[: len(corpus.test) // 2]
        halves.append({name: value for name, (value, _) in _quantities(of_half).items()})
        refinements.append({kind: _refinement(one.pairs, some) for kind, one in of_half.items()})
        accuracies.append(of_half[ADVANCED].accuracy.value)
        advance(len(KINDS))
    in_test = {name: jackknifed(*one, n=len(corpus.test)) for name, one in _quantities(full).items()}
    found = {
        name: over_training(one, [half[name] for half in halves], least=0.0 if name in KINDS else -math.inf)
        for name, one in in_test.items()
    }
    accuracy = over_training(full[ADVANCED].accuracy, accuracies)
    refined = {
        (a, b): over_halves(
            full[a].curve.brier.refinement - full[b].curve.brier.refinement, [half[a] - half[b] for half in refinements]
        )
        for a, b in ((HMM, BASIC), (BASIC, ADVANCED))
    }

    def draw() -> dict[str, Figure]:
        return {_name(kind): curve_figure([one.curve]) for kind, one in full.items()}

    return Thesis(
        _findings(full, found, refined, accuracy), _table(full, found, settings),
        {_name(kind): _caption(kind, one) for kind, one in full.items()}, _notes(corpus), draw,
    )  # fmt: skip


def steps_of_thesis() -> int:
    """How often `advance` is called."""
    return len(PENALTIES) + len(ADVANCED_PENALTIES) + len(KINDS) * SUBSAMPLES


def noun(judged: Judged, kind: str) -> Noun:
    """What a tagger says of nouns."""
    names = judged.pairs.group_names
    pairs = dict(by_group(judged.pairs))[NOUN]
    alone = Pairs(
        pairs.labels, pairs.probabilities, groups=np.zeros(len(pairs), dtype=np.int64), group_names=(NOUN,),
        clusters=pairs.clusters,
    )  # fmt: skip
    assert NOUN in names
    curve = curve_of(pairs, bin_size=OF_LABEL, name=kind)
    return Noun(curve, label_errors(alone, bin_size=OF_LABEL), clustered_mean(judged.right, judged.sentences), pairs)


def _quantities(nouns: Mapping[str, Noun]) -> dict[str, tuple[float, np.typing.NDArray[np.float64]]]:
    """Errors and their differences, each with its values without each sentence."""
    one = np.zeros(1, dtype=np.int64)
    roots = {kind: noun.errors.roots(one) for kind, noun in nouns.items()}
    found = dict(roots)
    for a, b in ((HMM, BASIC), (BASIC, ADVANCED)):
        found[f"{a} - {b}"] = (roots[a][0] - roots[b][0], roots[a][1] - roots[b][1])
    return found


def _refinement(pairs: Pairs, sentences: Integers) -> float:
    assert pairs.clusters is not None
    return curve_of(pairs.only(np.isin(pairs.clusters, sentences)), bin_size=OF_LABEL).brier.refinement


def _findings(
    nouns: Mapping[str, Noun], found: Mapping[str, Estimate], refined: Mapping[tuple[str, str], Estimate],
    accuracy: Estimate,
) -> tuple[Finding, ...]:  # fmt: skip
    first, second = found[f"{HMM} - {BASIC}"], found[f"{BASIC} - {ADVANCED}"]
    inside = accuracy.low is not None and accuracy.low > ACCURATE - ABOUT
    outside = accuracy.high is not None and accuracy.high < ACCURATE - ABOUT
    off = verdict(found[ADVANCED], above=SLIGHTLY)
    return (
        Finding(
            "4.1, 4.2", "CRF-Basic has a lower MSE score than the HMM (0.019 against 0.035)",
            f"{nouns[BASIC].curve.mse.value:.5f} against {nouns[HMM].curve.mse.value:.5f}; their roots, debiased, "
            f"differ by {first}", verdict(first), WHERE,
        ),
        Finding(
            "4.1, 4.2", "CRF-Basic's predictions are more refined",
            f"refinement of the HMM minus that of CRF-Basic (smaller is better): {refined[HMM, BASIC]}",
            verdict(refined[HMM, BASIC]), WHERE,
        ),
        Finding(
            "4.3", "better features give more refined and better calibrated predictions",
            f"CRF-Basic minus CRF-Advanced: error {second}, refinement {refined[BASIC, ADVANCED]}",
            _all(verdict(second), verdict(refined[BASIC, ADVANCED])), WHERE,
        ),
        Finding(
            "4.3", "CRF-Advanced achieves 96 % accuracy",
            f"{accuracy}; at least {ACCURATE - ABOUT:.2f} counts", True if inside else False if outside else None,
            WHERE,
        ),
        Finding(
            "4.3", "its curve is just slightly off the diagonal",
            f"error {found[ADVANCED]}; slightly: below {SLIGHTLY}, the thesis's CRF-Basic",
            None if off is None else not off, WHERE,
        ),
    )  # fmt: skip


def _table(nouns: Mapping[str, Noun], found: Mapping[str, Estimate], settings: Mapping[str, float]) -> Table:
    headers = ("figure", "model", "c₂", "accuracy, thesis", "accuracy", "MSE score, thesis", "MSE score",
               "error, debiased", "95 %, training and test data", "refinement", "Brier", "log loss")  # fmt: skip
    rows = []
    for kind, one in nouns.items():
        interval = found[kind]
        shown = "" if interval.low is None else f"[{interval.low:.4f}, {interval.high:.4f}]"
        rows.append(
            [
                FIGURES[kind], kind, f"{settings[kind]:g}" if kind in settings else "", PAPER[kind][0],
                f"{one.accuracy.value:.4f}", PAPER[kind][1], f"{one.curve.mse.value:.5f}",
                str(one.curve.error), shown, f"{one.curve.brier.refinement:.4f}",
                f"{one.curve.brier.score:.4f}", f"{one.curve.log_loss.score:.4f}",
            ]
        )  # fmt: skip
    return Table(headers, rows, ("figure", "model"), caption=f"Figures 4.1–4.3: {WHERE}")


def _caption(kind: str, one: Noun) -> str:
    return (
        f"Figure {FIGURES[kind]}: {kind}, query {NOUN}. Accuracy {one.accuracy.value:.3f}, MSE calibration score "
        f"{one.curve.mse.value:.5f} (error {one.curve.error}), refinement {one.curve.brier.refinement:.4f}."
    )


def _notes(corpus: Corpus) -> tuple[str, ...]:
    return (
        f"Figures 4.1–4.3: all three are trained on all {len(corpus.train):,} training sentences of the {corpus.name}. "
        f"The HMM's maximum likelihood is a pseudocount of {NEARLY_ZERO:g}, so that no test sentence is impossible "
        "and an unseen word carries hardly any information about its tag, as in CRF-Basic. The CRFs have the thesis's "
        "objective, but "
        "are trained to its minimum with L-BFGS, not with AdaGrad. The thesis's scores may be square roots of mean "
        "squares.",
    )


def _name(kind: str) -> str:
    return f"figure-{FIGURES[kind].replace('.', '-')}"


def _all(*verdicts: bool | None) -> bool | None:
    return False if False in verdicts else None if None in verdicts else True
