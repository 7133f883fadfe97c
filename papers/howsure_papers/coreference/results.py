"""What the coreference experiment found: findings and tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from howsure.calibration.comparison import compare_calibration
from howsure.calibration.results import CalibrationComparison
from howsure.coreference.detection import Source
from howsure.coreference.training import Loss
from howsure.inputs.pairs import Pairs
from howsure.show.numbers import UNDEFINED
from howsure.show.table import Table
from howsure.stats.estimate import Estimate
from howsure_papers.coreference.corpora import GUM, LITBANK, ONTOGUM
from howsure_papers.coreference.judging import (
    DOUBTFUL,
    FAR,
    HALF,
    NEAR,
    NEAR_ZERO,
    SAMPLES,
    Judged,
    bin_size_of,
    brier_skill,
    conll_f1,
    nats_a_mention,
    over_documents,
    overconfidence,
    overconfidence_far,
    overconfidence_near,
)
from howsure_papers.replicates import interval_text, verdict
from howsure_papers.reproduction import Finding

SMALL = 0.01  # the calibration error that the paper stays below
CAPTIONS = {
    "figure-5": "Calibration of pair probabilities on OntoGUM's test part, detected mentions: exact, by 1,000 samples, "
    "and of the model trained by softmax-margin.",
    "corpora": "Models trained by likelihood, exact pair probabilities, each with its error.",
}


@dataclass(frozen=True, slots=True)
class Setting:
    """A corpus, whose mentions ("gold" or "detected"), whose trees ("gold" or "parser"), and the loss of training."""

    corpus: str
    mentions: Source
    trees: str
    loss: Loss

    def __str__(self) -> str:
        trees = ", parser" if self.trees == "parser" else ""
        return f"{self.corpus}, {self.mentions}{trees}"


Results = Mapping[Setting, Judged]
PAPER = Setting(ONTOGUM, "detected", "gold", "likelihood")  # the setting that is nearest to the paper's


def findings(judged: Results) -> tuple[Finding, ...]:
    """What the paper says of its Figure 5, decided from intervals over documents, for each loss of training."""
    rows = [one for loss in get_args(Loss) for one in _of_the_paper(judged[replace(PAPER, loss=loss)], loss)]
    other = Setting(LITBANK, "gold", "parser", "likelihood")
    if other in judged:
        there = judged[other]
        ours = f"novels: {there.curve.error} on {len(there.pairs):,} pairs"
        error = there.curve.error
        rows.append(Finding("", "CalibErr < 0.01, in another domain", ours, _below(error), "trained by likelihood"))
    return tuple(rows)


def _of_the_paper(mine: Judged, loss: Loss) -> list[Finding]:
    error, near = mine.curve.error, mine.away_from_zero
    gap = over_documents(overconfidence, mine)
    setting = f"trained by {'softmax-margin' if loss == 'margin' else loss}"
    return [
        Finding(
            "5", "the pair predictions are very well calibrated: CalibErr < 0.01",
            f"CalibErr {error} on {len(mine.pairs):,} pairs (by the paper's Algorithm 1, which counts noise as error, "
            f"{mine.curve.algorithm1_error.value:.4f})", _below(error), setting,
        ),
        Finding(
            "5", "slightly overconfident on middle to high-valued predictions",
            f"mean prediction minus frequency, above {HALF:g}, is {gap}", verdict(gap), setting,
        ),
        Finding(
            "5", "so one can trust its level of uncertainty",
            "most pairs are near 0, which makes the error look small; over the "
            f"{_percent(mine.pairs.probabilities > NEAR_ZERO)} "
            f"with P(i ~ j) > {NEAR_ZERO:g} it is {near}", _below(near), setting,
        ),
    ]  # fmt: skip


def corrections(judged: Results) -> tuple[str, ...]:
    """The two points in which the paper's experiment can be done better, with what they amount to here."""
    mine, margin = judged[PAPER], judged[replace(PAPER, loss="margin")]
    more, of_new = over_documents(overconfidence, margin, mine), compared(margin.new, mine.new)
    costs = {
        True: "costs calibration",
        False: "helps calibration",
        None: "does the same, as far as these data can tell",
    }
    distance = mine.sampled - mine.pairs.probabilities
    return (
        f"Sampling is not needed for pairs. The paper averages P(i ~ j) over {SAMPLES:,} samples (the thesis: "
        "complicated to derive exactly), but a recursion gives it exactly, P(i ~ j) = Σ P(a_j = k) P(k ~ i). Sample "
        f"averages differ from it by {math.sqrt(float((distance**2).mean())):.4f} (root mean square), at most "
        f"{np.abs(distance).max():.3f}, and are exactly 0 for {_percent(mine.sampled == 0.0)} of the pairs.",
        f"The training loss, which the paper does not mention, matters: the softmax-margin {costs[verdict(more)]}. "
        f"The mean prediction minus the frequency, above {HALF:g}, is {more} more than with the likelihood; CalibErr "
        "of P(new), by "
        f"mention, is {of_new.error_a} against {of_new.error_b}, squared difference "
        f"{_fine(of_new.squared_error_difference)}.",
    )


def paper_table(judged: Results) -> Table:
    """The paper's numbers beside ours, models trained by likelihood."""
    shown = [
        setting
        for setting in (PAPER, replace(PAPER, corpus=GUM), Setting(LITBANK, "gold", "parser", "likelihood"))
        if setting in judged
    ]
    low, high = DOUBTFUL
    rows = [
        ("documents", "404", [f"{len(judged[one].nats):,}" for one in shown]),
        ("pairs", "4,300,000", [f"{len(judged[one].pairs):,}" for one in shown]),
        (f"CalibErr, {SAMPLES:,} samples", "< 0.01", [str(judged[one].sampled_curve.error) for one in shown]),
        ("CalibErr, exact, by Algorithm 1", "", [f"{judged[one].curve.algorithm1_error.value:.4f}" for one in shown]),
        ("CalibErr, exact", "", [str(judged[one].curve.error) for one in shown]),
        (f"prediction minus frequency above {HALF:g}", "slightly",
         [str(over_documents(overconfidence, judged[one])) for one in shown]),
        (f"the same, {low:g} to {high:g}, less than {NEAR} mentions apart", "",
         [str(over_documents(overconfidence_near, judged[one])) for one in shown]),
        (f"the same, {low:g} to {high:g}, {FAR} mentions apart or more", "",
         [str(over_documents(overconfidence_far, judged[one])) for one in shown]),
        (f"CalibErr, P(i ~ j) > {NEAR_ZERO:g}", "", [str(judged[one].away_from_zero) for one in shown]),
        ("Brier skill of pairs", "", [str(over_documents(brier_skill, judged[one])) for one in shown]),
        ("log-probability of gold, nats per mention", "",
         [str(over_documents(nats_a_mention, judged[one])) for one in shown]),
    ]  # fmt: skip
    headers = ("quantity", "paper", *map(str, shown))
    return Table(headers, [[name, paper, *ours] for name, paper, ours in rows], headers[:1], caption="Paper and ours")


def settings_table(judged: Results, title: str) -> Table:
    """Every model on every document set."""
    headers = (
        "corpus", "mentions", "trees", "loss", "CoNLL F1", "MUC", "B³", "CEAF-e", "LEA", "CalibErr", "Algorithm 1",
        "P > .05", "P(new)", "Brier skill", "nats per mention", "entities in 95 %",
    )  # fmt: skip
    rows = []
    for setting, one in judged.items():
        total, f1 = one.total, over_documents(conll_f1, one)
        skill, nats = (over_documents(value, one).value for value in (brier_skill, nats_a_mention))
        parts = (total.muc, total.b_cubed, total.ceaf_e, total.lea)
        rows.append([
            setting.corpus, setting.mentions, setting.trees, setting.loss, _percents(f1),
            *(f"{100 * part.f1:.1f}" for part in parts), str(one.curve.error),
            f"{one.curve.algorithm1_error.value:.4f}", str(one.away_from_zero), str(one.error_of_new), f"{skill:.3f}",
            f"{nats:.3f}", f"{one.inside} of {len(one.nats)}",
        ])  # fmt: skip
    return Table(headers, rows, headers[:4], caption=title)


def sampling_table(judged: Results) -> Table:
    """Exact probabilities beside the frequencies among samples, models trained by likelihood."""
    headers = (
        "setting", "pairs", "CalibErr, exact", f"CalibErr, {SAMPLES:,} samples", "distance", "largest", "never sampled",
        "of these coreferent", "log loss, exact", "log loss, samples",
    )  # fmt: skip
    rows = []
    for setting, one in judged.items():
        if setting.loss == "likelihood":
            distance, never = one.sampled - one.pairs.probabilities, one.sampled == 0.0
            rows.append([
                str(setting), f"{len(one.pairs):,}", str(one.curve.error),
                str(one.sampled_curve.error), f"{math.sqrt(float((distance**2).mean())):.4f}",
                f"{np.abs(distance).max():.3f}", _percent(never), f"{int(one.pairs.labels[never].sum()):,}",
                _loss(one.curve.log_loss.score), _loss(one.sampled_curve.log_loss.score),
            ])  # fmt: skip
    title = f"Exact against {SAMPLES:,} samples; distance: root mean square over the pairs"
    return Table(headers, rows, headers[:1], caption=title)


def changes_table(judged: Results) -> Table:
    """What the margin, detected mentions and a parser change: paired by document, or by pair."""
    headers = ("change", "setting", "CoNLL F1", "squared CalibErr", "squared CalibErr of P(new)", "nats per mention")
    rows = []
    for setting, one in judged.items():
        for name, other in (
            ("margin instead of likelihood", replace(setting, loss="margin")),
            ("detected instead of gold mentions", replace(setting, mentions="detected")),
            ("parser's trees instead of gold ones", replace(setting, trees="parser")),
        ):
            if other == setting or other not in judged:
                continue
            f1 = over_documents(conll_f1, judged[other], one)
            squared = of_new = nats = ""
            if other.loss != setting.loss:  # the same mentions, and so the same pairs
                squared = _fine(compared(judged[other].pairs, one.pairs).squared_error_difference)
                of_new = _fine(compared(judged[other].new, one.new).squared_error_difference)
                nats = str(over_documents(nats_a_mention, judged[other], one))
            label = f"{setting}, {setting.loss}" if setting.loss == other.loss else str(setting)
            rows.append([name, label, _percents(f1), squared, of_new, nats])
    return Table(headers, sorted(rows), headers[:2], caption="What changes, with intervals paired by document")


def notes(left_out: Sequence[int], parsed: bool) -> tuple[str, ...]:
    """How our data and methods differ from the paper's."""
    said = [
        "The paper's CoNLL-2011 (OntoNotes) is not public. OntoGUM uses the same annotation scheme, without "
        "singletons; GUM annotates the same documents with singletons. The model is an antecedent model after Durrett "
        "& Klein (2013), not their system; settings and the best pass were chosen on the development parts; LitBank "
        "has none.",
        "The paper does not say which mentions it uses. Its 4.3 million pairs in 404 documents suggest detected "
        "mentions, so detected mentions in gold trees on OntoGUM represent its experiment. Nor does it say with which "
        "loss its system was trained; that system's default is the softmax-margin (0.1, 3, 1), ours the likelihood.",
        "Intervals are over test documents, with one training run each: the jackknife leaves out one document at a "
        "time. Bins contain 5,000 pairs; over pairs above .05 and over mentions, P(new), half of n^(2/3).",
        "nats per mention: log-probability of the gold clustering of the mentions that the model uses. Entities in 95 "
        "%: documents whose gold number of entities lies in the posterior interval.",
        "The model's probabilities are raised to the power 1.2, first P(new) and then the share of each antecedent "
        "(OntoGUM's gold mentions: 1.1, all choices at once), chosen by two-fold cross-validation on the "
        "training parts: scripts/choose_sharpness.py prints the tables.",
        "This counteracts the spread of pair probabilities along chains of links, which the model treats as "
        "independent although, for example, either all or none of the many pronouns he in a biography refer to its "
        "hero. A difference between near and distant uncertain pairs remains, as far as so few documents can show.",
        f"{sum(left_out)} mentions of OntoGUM have the same span as another and are left out.",
    ]
    if parsed:
        said.append(
            "LitBank has no trees, so a spaCy pipeline parsed its words. Its rows, and those of GUM with the parser's "
            "trees, depend on the parser; sentences and words are those of the corpora."
        )
    else:
        said.append(
            "No parser was found, so LitBank, which has no trees, is left out; naming a spaCy pipeline adds it."
        )
    return tuple(said)


def compared(one: Pairs, other: Pairs) -> CalibrationComparison:
    """The calibration of two models on the same rows; differences are `one` - `other`."""
    return compare_calibration(
        one.labels, one.probabilities, against=other.probabilities, bin_size=bin_size_of(one), clusters=one.clusters
    )


def _below(error: Estimate) -> bool | None:
    """Whether an error is below the paper's bound; None where the interval includes it."""
    if error.low is None or error.high is None:
        return None
    return True if error.high < SMALL else False if error.low > SMALL else None


def _percent(chosen: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> str:
    return f"{100 * float(chosen.mean()):.1f} %"


def _percents(estimate: Estimate) -> str:
    return f"{estimate.value:.1f} {interval_text(estimate, 1)}".rstrip()


def _fine(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return UNDEFINED
    return f"{estimate.value:+.5f} {interval_text(estimate, 5, sign='+')}"


def _loss(value: float) -> str:
    return f"{value:.4f}" if math.isfinite(value) else "infinite"
