"""What the contests of HMM and CRF found: findings, tables and figures, for tags and for tag pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from howsure.figures.calibration import curve_figure
from howsure.show.table import Table
from howsure.stats.estimate import Estimate
from howsure.stats.multiplicity import adjust_p_values
from howsure_papers.figures.side_by_side import side_by_side_figure
from howsure_papers.label_errors import Contest, p_value
from howsure_papers.replicates import SUBSAMPLES, all_hold, all_verdicts, interval_text, value_text, verdict
from howsure_papers.reproduction import Finding
from howsure_papers.tagging.contest import BIN_SIZE, CRF, FEW, HMM, MANY, NOUN, Outcome
from howsure_papers.tagging.corpora import Corpus
from howsure_papers.tagging.models import MOST_FOR_CHOSEN, PAPERS_HMM

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEVEL = 0.05
ABOUT_EQUAL = 0.01  # errors that differ by less are about equal
MOST_COLUMNS = 50
WORDS = ("data", "model", "setting", "HMM", "taken")
PAPER = {f"accuracy, {HMM}": "about 0.887", f"accuracy, {CRF}": "about 0.887"}


def findings(corpus: Corpus, outcome: Outcome) -> list[Finding]:
    """What the paper says of Figures 3 and 4 (a), decided from intervals over training and test data."""
    found, where = outcome.in_all, f"{corpus.name}, {outcome.rivals.name}"
    hmm, crf = (found[f"surest tag: P - right, {kind}"] for kind in (HMM, CRF))
    error = found["CalibErr, difference"]
    return [
        Finding(
            "3", "the CRF has a lower calibration error over all tags",
            f"{found[f'CalibErr, {HMM}'].value:.4f} (HMM) against {found[f'CalibErr, {CRF}'].value:.4f}, "
            f"difference {error}", verdict(error), where,
        ),
        Finding(
            "3", "the HMM is very underconfident, the CRF overconfident",
            f"P of the most probable tag minus its accuracy: HMM {hmm}, CRF {crf}",
            all_hold([_below(hmm), verdict(crf)]), where,
        ),
        *findings_by_label("4 (a)", where, outcome, paper="39 of 47"),
        _equal("4 (a)", where, found[f"{NOUN}, difference"]),
    ]  # fmt: skip


def findings_by_label(figure: str, where: str, outcome: Outcome, *, paper: str) -> list[Finding]:
    """What the paper says of Figure 4, by label and on average over the most common ones."""
    n, won, asked = len(outcome.tags.names), outcome.wins, outcome.question
    labels = asked.labels
    better, worse = significant(outcome.tags)
    low, high = (max(won.low or 0.0, 0.0), min(won.high or n, n))
    most = True if better > n / 2 else False if worse >= n / 2 else None
    average = [outcome.in_all[f"the {k} most common {labels}, difference"] for k in (asked.few, asked.many)]
    return [
        Finding(
            figure, f"the CRF is better calibrated for most {labels} ({paper})",
            f"for {won.value:.0f} of {n} [{low:.0f}, {high:.0f}]", verdict(won, above=n / 2), where,
        ),
        Finding(
            figure, f"significantly so for most {labels}",
            f"significantly better for {better} of {n}, significantly worse for {worse} "
            f"(Holm's adjustment for {n} {labels}, 5 %, test data)", most, where,
        ),
        Finding(
            figure, f"and on average over the most common {labels}",
            f"HMM minus CRF, root mean square error of {asked.few}: {average[0]}, of {asked.many}: {average[1]}",
            all_verdicts(average), where,
        ),
    ]  # fmt: skip


def _equal(figure: str, where: str, difference: Estimate) -> Finding:
    within = None
    if difference.low is not None and difference.high is not None:
        inside = difference.low >= -ABOUT_EQUAL and difference.high <= ABOUT_EQUAL
        outside = difference.low > ABOUT_EQUAL or difference.high < -ABOUT_EQUAL
        within = True if inside else False if outside else None
    paper = f"they are about equally calibrated on {NOUN}"
    return Finding(figure, paper, f"HMM minus CRF {difference}; about equal: within {ABOUT_EQUAL}", within, where)


def significant(contest: Contest) -> tuple[int, int]:
    """For how many labels the second model is significantly better, and significantly worse, after adjustment."""
    differences = contest.differences()
    p = adjust_p_values([p_value(one) for one in differences])
    sign = np.array([one.value for one in differences])
    return int(np.count_nonzero((p < LEVEL) & (sign > 0))), int(np.count_nonzero((p < LEVEL) & (sign < 0)))


def quantities_table(corpus: Corpus, outcomes: Sequence[Outcome]) -> Table:
    """The paper's numbers beside ours."""
    headers = ["quantity", "paper"]
    for outcome in outcomes:
        headers += [f"HMM with {outcome.rivals.name}", "95 %, test data", "95 %, training and test data"]
    rows = []
    for name in outcomes[0].in_test:
        row = [name, PAPER.get(name, "")]
        for outcome in outcomes:
            one = outcome.in_test[name]
            row += [value_text(one, 5), interval_text(one, 5), interval_text(outcome.in_all[name], 5)]
        rows.append(row)
    return Table(headers, rows, ("quantity",), caption=f"{corpus.name}: paper and ours; differences are HMM minus CRF")


def models_table(corpora: Sequence[tuple[Corpus, Sequence[Outcome]]]) -> Table:
    """All models, and their scores on the test sentences over all tags."""
    headers = ("data", "model", "setting", "sentences", "dev accuracy", "test accuracy", "CalibErr", "Algorithm 1",
               "Brier", "log loss")  # fmt: skip
    rows, labels = [], corpora[0][1][0].question.labels
    for corpus, outcomes in corpora:
        for outcome in outcomes:
            for kind, choice, curve in zip(
                (HMM, CRF), (outcome.rivals.hmm, outcome.rivals.crf), outcome.curves, strict=True
            ):
                setting = f"{'pseudocount' if kind == HMM else 'c₂'} {choice.setting:g}"
                rows.append(
                    [
                        corpus.name,
                        kind,
                        setting,
                        f"{choice.sentences:,}",
                        f"{choice.accuracy:.4f}",
                        f"{outcome.in_test[f'accuracy, {kind}'].value:.4f}",
                        str(curve.error),
                        f"{curve.algorithm1_error.value:.4f}",
                        f"{curve.brier.score:.5f}",
                        f"{curve.log_loss.score:.5f}",
                    ]
                )
    return Table(headers, rows, WORDS, caption=f"The models, evaluated over all {labels} in bins of {BIN_SIZE:,}")


def search_table(corpora: Sequence[tuple[Corpus, Sequence[Outcome]]]) -> Table:
    """How the number of sentences was found with which the CRF is as accurate as the HMM."""
    rows = []
    for corpus, outcomes in corpora:
        for outcome in outcomes:
            target = outcome.rivals.hmm.accuracy
            for one in outcome.rivals.tried:
                taken = "yes" if one is outcome.rivals.crf else ""
                cells = [f"{target:.4f}", f"{one.sentences:,}", f"{one.setting:g}", f"{one.accuracy:.4f}", taken]
                rows.append([corpus.name, outcome.rivals.name, *cells])
    headers = ("data", "HMM", "its accuracy", "sentences of the CRF", "c₂", "accuracy", "taken")
    return Table(
        headers, rows, WORDS, caption="Development accuracy: the CRF trained on increasing numbers of sentences"
    )


def labels_table(title: str, outcomes: Sequence[Outcome]) -> Table:
    """Every label, the most frequent first, with both models' errors and p adjusted for their number."""
    headers = [outcomes[0].question.labels.removesuffix("s"), "in the test data"]
    for outcome in outcomes:
        headers += [f"HMM, {outcome.rivals.name}", CRF, "p (Holm)", "better"]
    columns = [_columns(outcome.tags) for outcome in outcomes]
    names, asked = outcomes[0].tags.names, outcomes[0].question
    rows = [
        [names[i], f"{asked.counts[names[i]]:,}", *(cell for cells in columns for cell in cells[i])]
        for i in asked.order.tolist()
    ]
    return Table(headers, rows, (headers[0], "better"), caption=title)


def _columns(contest: Contest) -> list[list[str]]:
    p = adjust_p_values([p_value(one) for one in contest.differences()])
    found = []
    for i in range(len(contest.names)):
        better = "" if not p[i] < LEVEL else "CRF" if contest.a.squared[i] > contest.b.squared[i] else "HMM"
        found.append([str(contest.a.errors[i]), str(contest.b.errors[i]), f"{p[i]:.4f}", better])
    return found


def bin_sizes_table(corpora: Sequence[tuple[Corpus, Sequence[Outcome]]]) -> Table:
    """How many labels the CRF wins with other bin sizes."""
    labels = corpora[0][1][0].question.labels
    sizes = list(corpora[0][1][0].wins_by_bin_size)
    rows = [
        [corpus.name, outcome.rivals.name, f"{len(outcome.tags.names)}", f"{outcome.tags.wins()}"]
        + [f"{outcome.wins_by_bin_size[size]}" for size in sizes]
        for corpus, outcomes in corpora
        for outcome in outcomes
    ]
    headers = ["data", "HMM", labels, "n^(2/3) / 2", *sizes]
    return Table(
        headers, rows, WORDS, caption=f"Number of {labels} for which the CRF is better calibrated, by bin size"
    )


def figure_3(outcomes: Sequence[Outcome]) -> Figure:
    """The curves of both models over all tags."""
    curves = [curve for outcome in outcomes for curve in outcome.curves]
    names = [
        name
        for outcome in outcomes
        for name in (f"{HMM}, {outcome.rivals.name}", f"{CRF}, {outcome.rivals.crf.sentences:,} sentences")
    ]
    return curve_figure(curves, labels=names, panels=True)


def figure_4(outcome: Outcome) -> Figure:
    """Both models' errors by label, the most frequent first, and the averages over the most common ones."""
    order, few, many = outcome.question.order, outcome.question.few, outcome.question.many
    shown = order[:MOST_COLUMNS]
    labels = [outcome.tags.names[i] for i in shown] + [f"top {few}", f"top {many}"]
    models = [
        (name, [one.errors[i] for i in shown] + [one.average(order[:few]), one.average(order[:many])])
        for name, one in ((f"HMM, {outcome.rivals.name}", outcome.tags.a), (CRF, outcome.tags.b))
    ]
    return side_by_side_figure(labels, models, averages=2, y_label="calibration error")


def captions(corpora: Sequence[tuple[Corpus, Sequence[Outcome]]]) -> dict[str, str]:
    """What the figures show."""
    found = {}
    for corpus, outcomes in corpora:
        found[f"figure-3-{corpus.key}"] = (
            f"Figure 3 on {corpus.name}: calibration of all tags together, bins of {BIN_SIZE:,}; "
            "each HMM with the CRF of equal accuracy on the development sentences."
        )
        for outcome in outcomes:
            found[figure_name("4a", corpus, outcome)] = (
                f"Figure 4 (a) on {corpus.name}: debiased calibration error of every tag with its 95 % interval over "
                f"test data, the most frequent tag first; on the right, the root mean square over the {FEW} and the "
                f"{MANY} most common. HMM with {outcome.rivals.name}."
            )
    return found


def figure_name(number: str, corpus: Corpus, outcome: Outcome) -> str:
    """The name of a figure's file."""
    return f"figure-{number}-{corpus.key}-{'paper' if outcome.rivals.name == PAPERS_HMM else 'chosen'}"


def notes_on_models(corpora: Sequence[Corpus]) -> tuple[str, ...]:
    """How our data and methods differ from the paper's."""
    sizes = ("{} {:,} / {:,} / {:,}".format(corpus.name, *corpus.sizes) for corpus in corpora)
    return (
        "The paper's sentences (Wall Street Journal of CoNLL-2011: 11,772 for training, 1,632 for development, 1,382 "
        "for testing, 47 tags) are not public. Ours are the public sample of the same treebank, a quarter of the size, "
        "split by article (of ten, eight for training, one for development, one for testing), and the English Web "
        f"Treebank with its own split and Penn tags. Sentences: {', '.join(sizes)}.",
        "Two HMMs: the paper's, with one pseudocount for every transition and word, trained on all training "
        "sentences; and one with the pseudocount that is best on the development sentences, trained on at most "
        f"{MOST_FOR_CHOSEN:,} training sentences. An unseen word counts as one additional word with count 0.",
        "Each is compared with its own CRF-Basic (L-BFGS; c₂ chosen by development accuracy), trained on the number "
        "of sentences that makes it equally accurate on the development sentences.",
        f"Intervals over training data come from {SUBSAMPLES} random halves of the training sentences of both models, "
        "with the settings chosen on all of them. They come in addition to the intervals over test data, where "
        "sentences vary. The interval of a number of tags comes from halves of training and test sentences. None "
        "includes the choice of settings: accuracies on the development sentences often differ by only a word or two, "
        "and then a different order of floating-point additions can change the choice; with the chosen pseudocount, "
        "this has changed undecided verdicts.",
    )


def _below(estimate: Estimate) -> bool | None:
    """Whether the value is below 0."""
    above = verdict(estimate)
    return None if above is None else not above
