"""An HMM compared with a CRF of equal accuracy, over all labels and by label, with intervals over test and training
data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby

import numpy as np
from matplotlib.figure import Figure

from howsure.calibration.bins import bin_pairs
from howsure.calibration.calibration_errors import squared_error
from howsure.calibration.comparison import compare_pairs
from howsure.calibration.curve import binned_curve
from howsure.calibration.results import CalibrationComparison, CalibrationCurve
from howsure.calibration.scores import BRIER, LOG
from howsure.calibration.squared_error import root
from howsure.inputs.pairs import Integers, Pairs
from howsure.result import Estimate
from howsure.show.table import COUNT, ESTIMATE, Column, digits
from howsure.stats.p_values import adjust_p_values
from howsure_papers.corpora.tagged import Corpus
from howsure_papers.drawings import side_by_side_figure
from howsure_papers.intervals import (
    LEVEL,
    SUBSAMPLES,
    all_hold,
    clustered_mean,
    each_over_training,
    interval_kind,
    over_halves,
    over_training,
    p_value,
    unbounded,
    verdict,
)
from howsure_papers.label_errors import Contest, label_errors, select_sentences, squared_errors, wins
from howsure_papers.reproduction import NAME, TEXT, Advance, Drawing, ExperimentResult, Finding, Numbers, numbers
from howsure_papers.taggers import (
    CHOSEN_HMM,
    HMM_SUBSAMPLES,
    HMMS,
    MORE_PSEUDOCOUNTS,
    PENALTIES,
    SIZES_TRIED,
    Judged,
    Rivals,
    train_rivals,
)
from howsure_text.sequences.tagger import Tagger

BIN_SIZE = 5_000  # the paper's bin size for all labels together; single labels have n^(2/3) / 2
LABEL_BIN_SIZE = "auto"
OTHER_BIN_SIZES = (200, 1_000, BIN_SIZE)
NOUN = "NN"
HMM, CRF = "HMM", "CRF-Basic"
ERRORS = (f"CalibErr, {HMM}", f"CalibErr, {CRF}")  # quantities that are at least 0
SUREST = "surest tag: P - right"
SIGNIFICANT = 0.05
MAX_COLUMNS = 50
PAPER = {f"accuracy, {HMM}": "about 0.887", f"accuracy, {CRF}": "about 0.887"}


@dataclass(frozen=True, slots=True)
class Question:
    """A comparison of the HMM and the CRF on tags or on tag pairs.

    labels: "tags" or "tag pairs". figure: the paper's figure. paper: the number of labels for which the paper finds
    the CRF to be better. judge: the function that evaluates a tagger. counts: the frequency of each label in the
    test data. order: the labels by frequency. few, many: the numbers of most frequent labels that are averaged.
    """

    labels: str
    figure: str
    paper: str
    judge: Callable[[Tagger], Judged]
    counts: Mapping[str, int]
    order: Integers
    few: int
    many: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of comparing an HMM with a CRF of equal accuracy.

    in_test, in_all: estimates with intervals over test data, and over training and test data. tags: the comparison by
    label. wins: the number of labels for which the CRF is better calibrated, by bin size, with an interval over
    training and test data. wins_by_bin_size: this number for further bin sizes, without intervals.
    """

    corpus: Corpus
    question: Question
    rivals: Rivals
    in_test: Mapping[str, Estimate]
    in_all: Mapping[str, Estimate]
    curves: tuple[CalibrationCurve, CalibrationCurve]
    tags: Contest
    wins: Mapping[int | str, Estimate]
    wins_by_bin_size: Mapping[int, int]

    @property
    def hmm(self) -> str:
        return self.rivals.name

    @property
    def setting(self) -> str:
        """The data and the HMM."""
        return f"{self.corpus.name}, {self.hmm}"


def run_contests(
    corpora: Sequence[Corpus], ask: Callable[[Corpus], Question], *, seed: int, advance: Advance
) -> list[Outcome]:
    """Compare each of the two HMMs with a CRF of equal accuracy, on every corpus.

    Only the CRFs of the first corpus, which is the smaller one, are also trained on halves. `advance` is called after
    every model and every subsample, about `steps_of_contests()` times for two corpora.
    """
    outcomes = []
    for corpus in corpora:
        times = SUBSAMPLES if corpus is corpora[0] else 0
        models = [train_rivals(corpus, name=name, seed=seed, crf_subsamples=times, advance=advance) for name in HMMS]
        outcomes += [run_contest(corpus, ask(corpus), pair, seed=seed, advance=advance) for pair in models]
    return outcomes


def steps_of_contests() -> int:
    """The approximate number of calls of `advance` by `run_contests` for two corpora."""
    return 2 * 2 * (SIZES_TRIED + len(PENALTIES) + 2 * HMM_SUBSAMPLES + SUBSAMPLES)


def run_contest(corpus: Corpus, question: Question, pair: Rivals, *, seed: int, advance: Advance) -> Outcome:
    """Compare an HMM with a CRF, and versions of both that are trained on halves of the training sentences.

    The variances over test and training data add up.
    """
    hmm, crf = (question.judge(fit.tagger) for fit in (pair.hmm, pair.crf))
    tags = Contest(*(label_errors(judged.pairs, bin_size=LABEL_BIN_SIZE) for judged in (hmm, crf)))
    sentences = np.unique(hmm.sentences)
    in_test = estimates(hmm, crf, tags, question)
    rng = np.random.default_rng([seed, 2])
    bin_sizes = (LABEL_BIN_SIZE, BIN_SIZE)
    of_models = [model_values(judged, tags.names, question) for judged in (hmm, crf)]
    of_hmm, won = [], []
    for tagger in pair.hmm_halves:
        half = question.judge(tagger)
        of_hmm.append(values(model_values(half, tags.names, question), of_models[1]))
        some = rng.permutation(sentences)[: len(sentences) // 2]
        won.append(wins_by_size((select_sentences(judged.pairs, some) for judged in (half, crf)), bin_sizes))
        advance(1)
    in_all = each_over_training(in_test, of_hmm, errors=ERRORS)
    all_wins = wins_by_size((hmm.pairs, crf.pairs), (*bin_sizes, *OTHER_BIN_SIZES))
    won_of = {size: over_halves(all_wins[size], [half_wins[size] for half_wins in won]) for size in bin_sizes}
    if pair.crf_halves:
        of_crf = [question.judge(tagger) for tagger in pair.crf_halves]
        replicates = [values(of_models[0], model_values(half, tags.names, question)) for half in of_crf]
        in_all = each_over_training(in_all, replicates, errors=ERRORS)
        won = [wins_by_size((hmm.pairs, half.pairs), bin_sizes) for half in of_crf]
        won_of = {size: over_training(won_of[size], [half_wins[size] for half_wins in won]) for size in bin_sizes}
    first, second = (
        binned_curve(judged.pairs, bin_size=BIN_SIZE, name=name) for judged, name in ((hmm, HMM), (crf, CRF))
    )
    further_sizes = {size: all_wins[size] for size in OTHER_BIN_SIZES}
    return Outcome(corpus, question, pair, in_test, in_all, (first, second), tags, won_of, further_sizes)


def wins_by_size(pairs: Iterable[Pairs], sizes: Iterable[int | str]) -> dict[int | str, int]:
    """The number of labels for which the second model is better calibrated, by bin size."""
    both = list(pairs)
    return {size: wins(*(squared_errors(model_pairs, bin_size=size) for model_pairs in both)) for size in sizes}


def estimates(hmm: Judged, crf: Judged, tags: Contest, question: Question) -> dict[str, Estimate]:
    """Return the compared quantities of both taggers by name, with intervals over the test data."""
    both = compare_pairs(hmm.pairs, crf.pairs, bin_size=BIN_SIZE, n_bins=None, binning="adaptive", level=LEVEL)
    all_estimates = {
        f"accuracy, {HMM}": hmm.accuracy,
        f"accuracy, {CRF}": crf.accuracy,
        "accuracy, difference": clustered_mean(hmm.right - crf.right, hmm.sentences),
        ERRORS[0]: both.error_a,
        ERRORS[1]: both.error_b,
        "CalibErr, difference": error_difference(both),
        "Brier score, difference": both.brier_difference,
        "log loss, difference": both.log_loss_difference,
        f"{SUREST}, {HMM}": clustered_mean(hmm.surest - hmm.hits, hmm.sentences),
        f"{SUREST}, {CRF}": clustered_mean(crf.surest - crf.hits, crf.sentences),
    }
    return all_estimates | {name: tags.average(labels) for name, labels in _averages(tags.names, question).items()}


def model_values(judged: Judged, names: Sequence[str], question: Question) -> dict[str, float]:
    """The quantities of one model that `estimates` compares, without intervals."""
    pairs = judged.pairs
    bins = bin_pairs(pairs, binning="adaptive", bin_size=BIN_SIZE, n_bins=None)
    squared = squared_errors(pairs, bin_size=LABEL_BIN_SIZE)
    brier, log = (
        float(loss.expected(pairs.probabilities, pairs.labels.astype(np.float64)).mean()) for loss in (BRIER, LOG)
    )
    return {
        "accuracy": float(judged.right.mean()),
        "CalibErr": root(squared_error(pairs, bins).value),
        "Brier score": brier,
        "log loss": log,
        SUREST: float((judged.surest - judged.hits).mean()),
    } | {name: root(float(squared[labels].mean())) for name, labels in _averages(names, question).items()}


def values(hmm: Mapping[str, float], crf: Mapping[str, float]) -> dict[str, float]:
    """The values that `estimates` gives, from the `model_values` of both models."""
    differences = {name: hmm[name] - crf[name] for name in hmm}
    first = {
        f"accuracy, {HMM}": hmm["accuracy"],
        f"accuracy, {CRF}": crf["accuracy"],
        "accuracy, difference": differences.pop("accuracy"),
        ERRORS[0]: hmm["CalibErr"],
        ERRORS[1]: crf["CalibErr"],
        "CalibErr, difference": differences.pop("CalibErr"),
        "Brier score, difference": differences.pop("Brier score"),
        "log loss, difference": differences.pop("log loss"),
        f"{SUREST}, {HMM}": hmm[SUREST],
        f"{SUREST}, {CRF}": crf[SUREST],
    }
    del differences[SUREST]
    return first | differences


def _averages(names: Sequence[str], question: Question) -> dict[str, Integers]:
    """Return the indices of the labels whose errors are averaged, by the name of the average."""
    order = question.order
    some = {f"the {n} most common {question.labels}, difference": order[:n] for n in (question.few, question.many)}
    if NOUN in names:
        some[f"{NOUN}, difference"] = np.array([names.index(NOUN)])
    return some


def error_difference(comparison: CalibrationComparison) -> Estimate:
    """Return the difference of two calibration errors with its interval.

    If one of the errors may be 0, the interval goes from the smallest to the largest difference of values in their
    intervals.
    """
    first, second = comparison.error_a, comparison.error_b
    if comparison.error_difference is not None:
        return comparison.error_difference
    if first.low is None or first.high is None or second.low is None or second.high is None:
        return unbounded(math.nan, "widest", first.n)
    return Estimate(
        first.value - second.value, first.low - second.high, first.high - second.low, LEVEL, "widest", first.n
    )


def findings_by_label(outcome: Outcome) -> list[Finding]:
    """Return the findings of Nguyen & O'Connor on Figure 4, by label and on average over the most common labels."""
    n, question = len(outcome.tags.names), outcome.question
    labels = question.labels
    better, worse = significant(outcome.tags)
    most = True if better > n / 2 else False if worse >= n / 2 else None
    names = [f"the {k} most common {labels}, difference" for k in (question.few, question.many)]
    average = [outcome.in_all[name] for name in names]
    claims = {
        f"the CRF is better calibrated for most {labels} ({question.paper})": _majority_text(
            outcome.wins[LABEL_BIN_SIZE], n
        ),
        f"the same in bins of {BIN_SIZE:,}, the paper's": _majority_text(outcome.wins[BIN_SIZE], n),
        f"significantly so for most {labels}": (
            f"significantly better for {better} of {n}, significantly worse for {worse} "
            f"(Holm's adjustment for {n} {labels}, 5 %, test data)",
            most,
        ),
        f"and on average over the most common {labels}": (
            f"HMM minus CRF, root mean square error of {question.few}: {average[0]}, of {question.many}: {average[1]}",
            all_hold(map(verdict, average)),
        ),
    }
    return [Finding(question.figure, claim, *ours, outcome.setting) for claim, ours in claims.items()]


def _majority_text(won: Estimate, n: int) -> tuple[str, bool | None]:
    """Describe for how many of n labels the CRF is better calibrated, and return whether these are a majority."""
    low, high = max(won.low or 0.0, 0.0), min(won.high or n, n)
    return f"for {won.value:.0f} of {n} [{low:.0f}, {high:.0f}]", verdict(won, above=n / 2)


def significant(contest: Contest) -> tuple[int, int]:
    """Return the numbers of labels for which the second model is significantly better and worse, p being adjusted."""
    differences = contest.differences()
    p = adjust_p_values([p_value(difference) for difference in differences])
    sign = np.array([difference.value for difference in differences])
    return int(np.count_nonzero((p < SIGNIFICANT) & (sign > 0))), int(np.count_nonzero((p < SIGNIFICANT) & (sign < 0)))


def by_corpus(outcomes: Sequence[Outcome]) -> list[list[Outcome]]:
    return [list(group) for _, group in groupby(outcomes, lambda outcome: outcome.corpus.key)]


def quantities_table(outcomes: Sequence[Outcome]) -> Numbers:
    """Return a table of the published numbers and ours, on one corpus."""
    columns = [Column("quantity", NAME, get=lambda name: name), Column("paper", TEXT, get=PAPER.get)]
    for outcome in outcomes:
        test, train = "95 %, test data", "95 %, training and test data"
        columns += [
            Column(
                f"HMM with {outcome.hmm}", digits(5), values=[estimate.value for estimate in outcome.in_test.values()]
            ),
            Column(f"{outcome.hmm}, {test}", interval_kind(5), test, values=list(outcome.in_test.values())),
            Column(f"{outcome.hmm}, {train}", interval_kind(5), train, values=list(outcome.in_all.values())),
        ]
    caption = f"{outcomes[0].corpus.name}: paper and ours; differences are HMM minus CRF"
    return numbers(caption, outcomes[0].in_test, *columns)


def models_table(outcomes: Sequence[Outcome]) -> Numbers:
    """All models, and their scores on the test sentences over all labels."""
    rows = [
        (outcome, *of_model)
        for outcome in outcomes
        for of_model in zip((HMM, CRF), (outcome.rivals.hmm, outcome.rivals.crf), outcome.curves, strict=True)
    ]
    return numbers(
        f"The models, evaluated over all {outcomes[0].question.labels} in bins of {BIN_SIZE:,}",
        rows,
        Column("data", NAME, values=[outcome.corpus.name for outcome, *_ in rows]),
        Column("model", NAME, values=[kind for _, kind, *_ in rows]),
        Column(
            "setting",
            NAME,
            values=[f"{'pseudocount' if kind == HMM else 'c₂'} {choice.setting:g}" for _, kind, choice, _ in rows],
        ),
        Column("sentences", COUNT, values=[choice.sentences for *_, choice, _ in rows]),
        Column("dev accuracy", digits(4), values=[choice.accuracy for *_, choice, _ in rows]),
        Column(
            "test accuracy",
            digits(4),
            values=[outcome.in_test[f"accuracy, {kind}"].value for outcome, kind, *_ in rows],
        ),
        Column("CalibErr", ESTIMATE, values=[curve.error for *_, curve in rows]),
        Column("Algorithm 1", digits(4), values=[curve.algorithm1_error.value for *_, curve in rows]),
        Column("Brier", digits(5), values=[curve.brier.score for *_, curve in rows]),
        Column("log loss", digits(5), values=[curve.log_loss.score for *_, curve in rows]),
    )


def labels_table(outcomes: Sequence[Outcome]) -> Numbers:
    """Every label on one corpus, the most frequent first, with both models' errors and adjusted p."""
    question, names = outcomes[0].question, outcomes[0].tags.names
    order: list[int] = question.order.tolist()
    label = question.labels.removesuffix("s")
    columns = [
        Column(label, NAME, get=lambda i: names[i]),
        Column("in the test data", COUNT, get=lambda i: question.counts[names[i]]),
    ]
    for outcome in outcomes:
        p = adjust_p_values([p_value(difference) for difference in outcome.tags.differences()])
        errors = outcome.tags.a.squared > outcome.tags.b.squared
        better = ["" if not p[i] < SIGNIFICANT else "CRF" if errors[i] else "HMM" for i in range(len(names))]
        columns += [
            Column(f"HMM, {outcome.hmm}", ESTIMATE, values=[outcome.tags.a.errors[i] for i in order]),
            Column(f"{CRF}, {outcome.hmm}", ESTIMATE, CRF, values=[outcome.tags.b.errors[i] for i in order]),
            Column(f"p, {outcome.hmm}", digits(4), "p (Holm)", values=p[order]),
            Column(f"better, {outcome.hmm}", NAME, "better", values=[better[i] for i in order]),
        ]
    caption = f"Figure {question.figure}: errors by {label}, {outcomes[0].corpus.name}"
    return numbers(caption, order, *columns)


def bin_sizes_table(outcomes: Sequence[Outcome]) -> Numbers:
    """Return a table of the number of labels for which the CRF is better calibrated, with other bin sizes."""
    labels = outcomes[0].question.labels
    sizes = [
        Column(f"{size:,}", COUNT, values=[outcome.wins_by_bin_size[size] for outcome in outcomes])
        for size in OTHER_BIN_SIZES
    ]
    return numbers(
        f"Number of {labels} for which the CRF is better calibrated, by bin size",
        outcomes,
        Column("data", NAME, get=lambda outcome: outcome.corpus.name),
        Column("HMM", NAME, get=lambda outcome: outcome.hmm),
        Column(labels, COUNT, get=lambda outcome: len(outcome.tags.names)),
        Column("n^(2/3) / 2", COUNT, get=lambda outcome: outcome.tags.wins()),
        *sizes,
    )


def found_by_label(outcomes: Sequence[Outcome], shown: str, more: Sequence[Numbers] = ()) -> ExperimentResult:
    """The tables, figures and notes of the contests. shown: the content of Figure 4 in words. more: other tables."""
    of_corpora = by_corpus(outcomes)
    return ExperimentResult(
        tables=[
            models_table(outcomes),
            *map(quantities_table, of_corpora),
            *more,
            bin_sizes_table(outcomes),
            *map(labels_table, of_corpora),
        ],
        drawings=drawings_of_labels(outcomes, shown),
        notes=notes_on_models([group[0].corpus for group in of_corpora]),
    )


def drawings_of_labels(outcomes: Sequence[Outcome], shown: str) -> list[Drawing]:
    """Figure 4 for each corpus and HMM. shown: its content in words."""
    return [
        Drawing(
            f"figure-{outcome.question.figure.replace(' (', '').removesuffix(')')}-{outcome.corpus.key}-"
            f"{'chosen' if outcome.hmm == CHOSEN_HMM else 'one'}",
            f"Figure {outcome.question.figure} on {outcome.corpus.name}: debiased calibration error of {shown}. "
            f"HMM with {outcome.hmm}.",
            partial(labels_figure, outcome),
        )
        for outcome in outcomes
    ]


def labels_figure(outcome: Outcome) -> Figure:
    """Draw both models' errors by label, the most frequent label first, and averages over the most common labels."""
    order, few, many = outcome.question.order, outcome.question.few, outcome.question.many
    shown = order[:MAX_COLUMNS]
    labels = [outcome.tags.names[i] for i in shown] + [f"top {few}", f"top {many}"]
    models = [
        (name, [errors.errors[i] for i in shown] + [errors.average(order[:few]), errors.average(order[:many])])
        for name, errors in ((f"HMM, {outcome.hmm}", outcome.tags.a), (CRF, outcome.tags.b))
    ]
    return side_by_side_figure(labels, models, averages=2, y_label="calibration error")


def contest_recipe(corpora: Sequence[Corpus], seed: int, **more: int) -> dict[str, object]:
    return {
        "data": "wsj_sample, ud_english_ewt",
        "sentences": [list(corpus.sizes) for corpus in corpora],
        **more,
        "pseudocounts": list(MORE_PSEUDOCOUNTS),
        "c2": list(PENALTIES),
        "subsamples": [HMM_SUBSAMPLES, SUBSAMPLES],
        "seed": seed,
    }


def notes_on_models(corpora: Sequence[Corpus]) -> tuple[str, ...]:
    """Notes on differences between our data and methods and the paper's."""
    sizes = ("{} {:,} / {:,} / {:,}".format(corpus.name, *corpus.sizes) for corpus in corpora)
    return (
        "The paper's sentences (Wall Street Journal of CoNLL-2011: 11,772 for training, 1,632 for development, 1,382 "
        "for testing, 47 tags) are not public. Ours are the public sample of the same treebank, a quarter of the size, "
        "split by article (of ten, eight for training, one for development, one for testing), and the English Web "
        f"Treebank with its own split and Penn tags. Sentences: {', '.join(sizes)}.",
        "Two HMMs, both trained on all training sentences with the same pseudocount for every transition and word: the "
        "paper's, whose pseudocount is the most accurate one on the development sentences; and one with a pseudocount "
        "of 1. Every tag emits an unseen word with probability 1 / (n + 1), where n is the number of training words, "
        "whatever the pseudocount; the paper does not say what its own does.",
        "Each is compared with its own CRF-Basic (L-BFGS; c₂ chosen by development accuracy), trained on the number "
        "of sentences that makes it equally accurate on the development sentences.",
        f"Intervals over training data come from {HMM_SUBSAMPLES} random halves of the HMM's training sentences and, "
        f"on the {corpora[0].name} only, {SUBSAMPLES} of the CRF's, with the settings chosen on all of them. They come "
        "in addition to the intervals over test data, where sentences vary. The interval of a number of labels comes "
        "from halves of training and test sentences. None includes the choice of settings: accuracies on the "
        "development sentences often differ by only a word or two, and a different order of floating-point additions "
        "can change the choice.",
    )
