"""Section 4.2 and Figures 1, 3 and 4 of Nguyen & O'Connor (2015), and Figures 4.1–4.3 of Nguyen's thesis.

An HMM is compared with a CRF of equal accuracy, on tags and on pairs of tags. Then an HMM, CRF-Basic and CRF-Advanced
are compared on the query whether a word is a noun (NN).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, pairwise

import numpy as np

from howsure.calibration.curve import binned_curve
from howsure.calibration.results import CalibrationCurve
from howsure.figures.calibration import curve_figure
from howsure.inputs.pairs import Floats, Integers, Pairs
from howsure.result import Estimate
from howsure.show.table import COUNT, ESTIMATE, Column, Kind, digits
from howsure_papers import contests, taggers
from howsure_papers.binning import in_bins
from howsure_papers.contests import (
    BIN_SIZE,
    CRF,
    HMM,
    LABEL_BIN_SIZE,
    NOUN,
    SUREST,
    Outcome,
    Question,
    contest_recipe,
    found_by_label,
)
from howsure_papers.corpora.tagged import Corpus, read_ewt, read_wsj
from howsure_papers.intervals import (
    SUBSAMPLES,
    all_hold,
    each_over_training,
    interval_kind,
    is_about,
    jackknife_estimate,
    opposite,
    over_halves,
    over_training,
    random_subsamples,
    verdict,
)
from howsure_papers.label_errors import LabelErrors, label_errors
from howsure_papers.reproduction import (
    NAME,
    TEXT,
    Advance,
    Blank,
    Drawing,
    ExperimentResult,
    Finding,
    Numbers,
    experiment,
    ignore_progress,
    numbers,
)
from howsure_papers.taggers import (
    MORE_PSEUDOCOUNTS,
    PENALTIES,
    Judged,
    choose,
    crf_kind,
    fit_hmm,
    hmm_kind,
    judge,
    refit,
    transition_marginals,
)
from howsure_text.sequences.calibration_pairs import Transition, frequent_transitions, transition_pairs
from howsure_text.sequences.tagger import Tagger

TITLE = "HMM and CRF as taggers (Nguyen & O'Connor 2015, Figures 3 and 4 (a); Nguyen's thesis, Figures 4.1–4.3)"
TITLE_OF_PAIRS = "HMM and CRF on the tags of two consecutive words (Nguyen & O'Connor 2015, Figure 4 (b))"
FEW, MANY = 5, 20  # the most common tags whose errors are averaged
MANY_PAIRS = 100
ABOUT_EQUAL = 0.01  # smaller differences of errors count as equal
NEARLY_ZERO = 1e-6  # pseudocount close to maximum likelihood, with which no test sentence is impossible
BASIC, ADVANCED = CRF, "CRF-Advanced"
KINDS = (HMM, BASIC, ADVANCED)
FIGURES = dict(zip(KINDS, ("4.1", "4.2", "4.3"), strict=True))
PAPER = {HMM: ("?", "0.035"), BASIC: ("?", "0.019"), ADVANCED: ("about 0.96", "?")}
ADVANCED_PENALTIES = (0.3, 0.1)
ACCURATE, ABOUT = 0.96, 0.01
WHERE = f"WSJ sample, query {NOUN}"
SLIGHTLY = 0.019  # off the diagonal: less than the thesis's CRF-Basic


def steps_of_tagging() -> int:
    """The approximate number of calls of `advance`."""
    return contests.steps_of_contests() + len(PENALTIES) + len(ADVANCED_PENALTIES) + len(KINDS) * SUBSAMPLES


@experiment(TITLE, steps=steps_of_tagging)
def reproduce_tagging(
    *, data: str | None = None, limit: int | None = None, seed: int = 0, advance: Advance = ignore_progress
) -> ExperimentResult:
    """Reproduce section 4.2: compare the calibration of a CRF and an HMM of equal accuracy, over all tags and by tag.

    On the Wall Street Journal sample and on EWT; then the thesis's query NN on the former. `limit`: use only the first
    sentences of each part. `advance` is called after every model and every subsample.
    """
    corpora = [reader(data, limit) for reader in (read_wsj, read_ewt)]
    outcomes = contests.run_contests(corpora, tag_question, seed=seed, advance=advance)
    of_thesis = thesis(corpora[0], seed=seed, advance=advance)
    by_pseudocount = pseudocounts_table(corpora)
    shown = (
        "every tag with its 95 % interval over test data, the most frequent tag first; on the right, the root mean "
        f"square over the {FEW} and the {MANY} most common"
    )
    by_label = found_by_label(outcomes, shown, more=[*of_thesis.tables, search_table(outcomes), by_pseudocount])
    return ExperimentResult(
        findings=[*(finding for outcome in outcomes for finding in findings(outcome)), *of_thesis.findings],
        tables=by_label.tables,
        drawings=[*map(figure_3, contests.by_corpus(outcomes)), *by_label.drawings, *of_thesis.drawings],
        notes=[
            *by_label.notes,
            f"All tags together are evaluated in bins of {BIN_SIZE:,}, each tag separately in bins of n^(2/3) / 2 "
            "tokens. The average over tags is the root of the mean debiased squared error.",
            "Development accuracy hardly distinguishes pseudocounts of 0.01 and less, between which the error over all "
            "tags varies about as much as between HMM and CRF: see the table by pseudocount. There, as one more word, "
            "an unseen word has the pseudocount of every other word, the literal reading of the paper.",
            *of_thesis.notes,
        ],
        recipe=contest_recipe(corpora, seed, bin_size=BIN_SIZE),
    )


@experiment(TITLE_OF_PAIRS, steps=contests.steps_of_contests)
def reproduce_tag_pairs(
    *, data: str | None = None, limit: int | None = None, seed: int = 0, advance: Advance = ignore_progress
) -> ExperimentResult:
    """Reproduce Figure 4 (b): the models of Figure 4 (a) on the 100 most frequent pairs of consecutive tags.

    The options are those of `reproduce_tagging`.
    """
    corpora = [reader(data, limit) for reader in (read_wsj, read_ewt)]
    outcomes = contests.run_contests(corpora, pair_question, seed=seed, advance=advance)
    shown = (
        "the most frequent tag pairs with its 95 % interval over test data; on the right, the root mean square over "
        f"the {FEW} and the {MANY_PAIRS} most frequent"
    )
    note = (
        f"The questions are the {MANY_PAIRS} pairs of consecutive tags that are most frequent in the training "
        "sentences, each at every position in the test sentences, in bins of n^(2/3) / 2 positions; all of them "
        f"together, in bins of {BIN_SIZE:,}, are the CalibErr of the tables. The average over tag pairs is the root of "
        "the mean debiased squared error."
    )
    findings = [finding for outcome in outcomes for finding in contests.findings_by_label(outcome)]
    recipe = contest_recipe(corpora, seed, **{"tag pairs": MANY_PAIRS})
    return found_by_label(outcomes, shown) + ExperimentResult(findings=findings, notes=[note], recipe=recipe)


def tag_question(corpus: Corpus) -> Question:
    counts = Counter(chain.from_iterable(corpus.test.tags))
    order = np.array(sorted(range(len(corpus.labels)), key=lambda i: -counts[corpus.labels[i]]))
    answer = partial(judge, part=corpus.test, labels=corpus.labels)
    return Question("tags", "4 (a)", "39 of 47", answer, counts, order, FEW, MANY)


def pair_question(corpus: Corpus) -> Question:
    """The question for the tags of two consecutive tokens, for the most frequent tag pairs in training."""
    frequent = frequent_transitions(corpus.train.tags, MANY_PAIRS)
    counts = Counter(" ".join(step) for tags in corpus.test.tags for step in pairwise(tags))
    order = np.arange(len(frequent))
    answer = partial(judge_pairs, corpus=corpus, transitions=frequent)
    return Question("tag pairs", "4 (b)", "71 of 100", answer, counts, order, FEW, MANY_PAIRS)


def judge_pairs(tagger: Tagger, corpus: Corpus, transitions: Sequence[Transition]) -> Judged:
    """The predictions of a tagger for the tag pairs of the test sentences."""
    test = corpus.test
    marginals = transition_marginals(tagger, test.sentences, transitions)
    return replace(judge(tagger, test, corpus.labels), pairs=transition_pairs(marginals, test.tags, pairs=transitions))


def findings(outcome: Outcome) -> list[Finding]:
    """The paper's findings on Figures 3 and 4 (a), decided by intervals over training and test data."""
    estimates, where = outcome.in_all, outcome.setting
    hmm, crf = (estimates[f"{SUREST}, {kind}"] for kind in (HMM, CRF))
    error, noun = estimates["CalibErr, difference"], estimates[f"{NOUN}, difference"]
    error_hmm, error_crf = (estimates[f"CalibErr, {kind}"].value for kind in (HMM, CRF))
    ours = f"{error_hmm:.4f} (HMM) against {error_crf:.4f}, difference {error}"
    surest = f"P of the most probable tag minus its accuracy: HMM {hmm}, CRF {crf}"
    under = all_hold([opposite(verdict(hmm)), verdict(crf)])
    equal = f"HMM minus CRF {noun}; about equal: within {ABOUT_EQUAL}"
    return [
        Finding("3", "the CRF has a lower calibration error over all tags", ours, verdict(error), where),
        Finding("3", "the HMM is very underconfident, the CRF overconfident", surest, under, where),
        *contests.findings_by_label(outcome),
        Finding(
            "4 (a)", f"they are about equally calibrated on {NOUN}", equal, is_about(noun, 0.0, ABOUT_EQUAL), where
        ),
    ]


def search_table(outcomes: Sequence[Outcome]) -> Numbers:
    """The search for the number of training sentences at which the CRF is as accurate as the HMM."""
    rows = [(outcome, tried) for outcome in outcomes for tried in outcome.rivals.tried]
    return numbers(
        "Development accuracy: the CRF trained on increasing numbers of sentences",
        rows,
        Column("data", NAME, get=lambda row: row[0].corpus.name),
        Column("HMM", NAME, get=lambda row: row[0].hmm),
        Column("its accuracy", digits(4), get=lambda row: row[0].rivals.hmm.accuracy),
        Column("sentences of the CRF", COUNT, get=lambda row: row[1].sentences),
        Column("c₂", Kind("{:g}".format), get=lambda row: row[1].setting),
        Column("accuracy", digits(4), get=lambda row: row[1].accuracy),
        Column("taken", NAME, get=lambda row: "yes" if row[1] is row[0].rivals.crf else ""),
    )


def pseudocounts_table(corpora: Sequence[Corpus]) -> Numbers:
    """HMMs by pseudocount, for both ways to treat unseen words."""
    policies = {"1/(n + 1)": "uniform", "one more word": "pseudocount"}
    rows = []
    for corpus in corpora:
        for treatment, unknown in policies.items():
            for pseudocount, tagger in hmm_kind(HMM, unknown, MORE_PSEUDOCOUNTS).fits(corpus.train):
                judged = judge(tagger, corpus.test, corpus.labels)
                accuracy = tagger.score(corpus.dev.sentences, corpus.dev.tags)
                error = binned_curve(judged.pairs, bin_size=BIN_SIZE).error
                rows.append((corpus.name, treatment, pseudocount, accuracy, judged.accuracy, error))
    return numbers(
        f"{HMM}s of all training sentences by pseudocount and treatment of unseen words; errors in bins of "
        f"{BIN_SIZE:,}",
        rows,
        Column("data", NAME, get=lambda row: row[0]),
        Column("unseen words", NAME, get=lambda row: row[1]),
        Column("pseudocount", Kind("{:g}".format), get=lambda row: row[2]),
        Column("dev accuracy", digits(5), get=lambda row: row[3]),
        Column("test accuracy", ESTIMATE, get=lambda row: row[4]),
        Column("CalibErr", ESTIMATE, get=lambda row: row[5]),
    )


def figure_3(outcomes: Sequence[Outcome]) -> Drawing:
    """The curves of both models over all tags, on one corpus."""
    corpus = outcomes[0].corpus
    curves = [curve for outcome in outcomes for curve in outcome.curves]
    names = [
        name
        for outcome in outcomes
        for name in (f"{HMM}, {outcome.hmm}", f"{CRF}, {outcome.rivals.crf.sentences:,} sentences")
    ]
    return Drawing(
        f"figure-3-{corpus.key}",
        f"Figure 3 on {corpus.name}: calibration of all tags together, bins of {BIN_SIZE:,}; each HMM with the CRF of "
        "equal accuracy on the development sentences.",
        lambda: curve_figure(curves, labels=names, panels=True),
    )


@dataclass(frozen=True, slots=True)
class Noun:
    """The results of one model for the query: its curve, its error with and without each sentence, and its accuracy."""

    curve: CalibrationCurve
    errors: LabelErrors
    accuracy: Estimate
    pairs: Pairs


def thesis(corpus: Corpus, *, seed: int, advance: Advance) -> ExperimentResult:
    """Figures 4.1–4.3: the three models, trained on all training sentences and on random halves, evaluated on nouns;
    and Figure 1 for CRF-Basic.
    """
    basic = choose(taggers.BASIC, corpus.train, corpus.dev, advance)
    advanced = choose(crf_kind(ADVANCED, "advanced", ADVANCED_PENALTIES), corpus.train, corpus.dev, advance)
    models = {HMM: fit_hmm(corpus.train, NEARLY_ZERO), BASIC: basic.tagger, ADVANCED: advanced.tagger}
    settings = {BASIC: basic.setting, ADVANCED: advanced.setting}
    full = {kind: noun(judge(tagger, corpus.test, corpus.labels), kind) for kind, tagger in models.items()}
    rng = np.random.default_rng([seed, 3])
    halves, refinements, accuracies = [], [], []
    for rows in random_subsamples(len(corpus.train), rng=rng):
        of_half = {
            kind: noun(judge(refit(tagger, corpus.train.select(rows)), corpus.test, corpus.labels), kind)
            for kind, tagger in models.items()
        }
        some = rng.permutation(len(corpus.test))[: len(corpus.test) // 2]
        halves.append({name: value for name, (value, _) in _quantities(of_half).items()})
        refinements.append({kind: _refinement(judged.pairs, some) for kind, judged in of_half.items()})
        accuracies.append(of_half[ADVANCED].accuracy.value)
        advance(len(KINDS))
    in_test = {name: jackknife_estimate(*quantity, n=len(corpus.test)) for name, quantity in _quantities(full).items()}
    estimates = each_over_training(in_test, halves, errors=KINDS)
    accuracy = over_training(full[ADVANCED].accuracy, accuracies)
    refined = {
        (a, b): over_halves(
            full[a].curve.brier.refinement - full[b].curve.brier.refinement, [half[a] - half[b] for half in refinements]
        )
        for a, b in ((HMM, BASIC), (BASIC, ADVANCED))
    }
    of_thesis = ExperimentResult(
        findings=noun_findings(full, estimates, refined, accuracy),
        tables=[noun_table(full, estimates, settings)],
        drawings=[
            Drawing(
                f"figure-{FIGURES[kind].replace('.', '-')}",
                f"Figure {FIGURES[kind]}: {kind}, query {NOUN}. Accuracy {judged.accuracy.value:.3f}, MSE calibration "
                f"score {judged.curve.mse.value:.5f} (error {judged.curve.error}), refinement "
                f"{judged.curve.brier.refinement:.4f}.",
                partial(curve_figure, [judged.curve]),
            )
            for kind, judged in full.items()
        ],
        notes=[
            f"Figures 4.1–4.3: all three are trained on all {len(corpus.train):,} training sentences of the "
            f"{corpus.name}. The HMM's maximum likelihood is a pseudocount of {NEARLY_ZERO:g}, so that no test "
            "sentence is impossible and an unseen word carries hardly any information about its tag, as in CRF-Basic. "
            "The CRFs have the thesis's objective, but are trained to its minimum with L-BFGS, not with AdaGrad. The "
            "thesis's scores may be square roots of mean squares."
        ],
    )
    return of_thesis + in_bins(full[BASIC].pairs, seed=seed, where=f"{WHERE}, {BASIC}", key=f"-{NOUN.lower()}")


def noun(judged: Judged, kind: str) -> Noun:
    """The predictions of a tagger for nouns."""
    pairs = judged.of(NOUN)
    one_group = np.zeros(len(pairs), dtype=np.int64)
    alone = Pairs(pairs.labels, pairs.probabilities, groups=one_group, group_names=(NOUN,), clusters=pairs.clusters)
    curve = binned_curve(pairs, bin_size=LABEL_BIN_SIZE, name=kind)
    return Noun(curve, label_errors(alone, bin_size=LABEL_BIN_SIZE), judged.accuracy, pairs)


def _quantities(nouns: Mapping[str, Noun]) -> dict[str, tuple[float, Floats]]:
    """Return the taggers' errors and differences: the value, and the values with one sentence left out."""
    only_noun = np.zeros(1, dtype=np.int64)
    roots = {kind: noun.errors.roots(only_noun) for kind, noun in nouns.items()}
    quantities = dict(roots)
    for a, b in ((HMM, BASIC), (BASIC, ADVANCED)):
        quantities[f"{a} - {b}"] = (roots[a][0] - roots[b][0], roots[a][1] - roots[b][1])
    return quantities


def _refinement(pairs: Pairs, sentences: Integers) -> float:
    assert pairs.clusters is not None
    return binned_curve(pairs.select(np.isin(pairs.clusters, sentences)), bin_size=LABEL_BIN_SIZE).brier.refinement


def noun_findings(
    nouns: Mapping[str, Noun],
    estimates: Mapping[str, Estimate],
    refined: Mapping[tuple[str, str], Estimate],
    accuracy: Estimate,
) -> tuple[Finding, ...]:
    """Return the thesis's findings on its figures, decided by intervals over training and test data."""
    first, second = estimates[f"{HMM} - {BASIC}"], estimates[f"{BASIC} - {ADVANCED}"]
    of_first, of_second = refined[HMM, BASIC], refined[BASIC, ADVANCED]
    off = verdict(estimates[ADVANCED], above=SLIGHTLY)
    score = (
        f"{nouns[BASIC].curve.mse.value:.5f} against {nouns[HMM].curve.mse.value:.5f}; their roots, debiased, differ "
        f"by {first}"
    )
    more = f"refinement of the HMM minus that of CRF-Basic (smaller is better): {of_first}"
    both = f"CRF-Basic minus CRF-Advanced: error {second}, refinement {of_second}"
    enough = f"{accuracy}; at least {ACCURATE - ABOUT:.2f} counts"
    slightly = f"error {estimates[ADVANCED]}; slightly: below {SLIGHTLY}, the thesis's CRF-Basic"
    rows = [
        ("4.1, 4.2", "CRF-Basic has a lower MSE score than the HMM (0.019 against 0.035)", score, verdict(first)),
        ("4.1, 4.2", "CRF-Basic's predictions are more refined", more, verdict(of_first)),
        (
            "4.3",
            "better features give more refined and better calibrated predictions",
            both,
            all_hold([verdict(second), verdict(of_second)]),
        ),
        ("4.3", "CRF-Advanced achieves 96 % accuracy", enough, verdict(accuracy, above=ACCURATE - ABOUT)),
        ("4.3", "its curve is just slightly off the diagonal", slightly, opposite(off)),
    ]
    return tuple(Finding(*row, WHERE) for row in rows)


def noun_table(nouns: Mapping[str, Noun], estimates: Mapping[str, Estimate], settings: Mapping[str, float]) -> Numbers:
    """The captions of the three figures."""
    return numbers(
        f"Figures 4.1–4.3: {WHERE}",
        nouns,
        Column("figure", NAME, get=lambda kind: FIGURES[kind]),
        Column("model", NAME, get=lambda kind: kind),
        Column("c₂", Blank("{:g}".format), get=settings.get),
        Column("accuracy, thesis", TEXT, get=lambda kind: PAPER[kind][0]),
        Column("accuracy", digits(4), get=lambda kind: nouns[kind].accuracy.value),
        Column("MSE score, thesis", TEXT, get=lambda kind: PAPER[kind][1]),
        Column("MSE score", digits(5), get=lambda kind: nouns[kind].curve.mse.value),
        Column("error, debiased", ESTIMATE, get=lambda kind: nouns[kind].curve.error),
        Column("95 %, training and test data", interval_kind(4), get=estimates.get),
        Column("refinement", digits(4), get=lambda kind: nouns[kind].curve.brier.refinement),
        Column("Brier", digits(4), get=lambda kind: nouns[kind].curve.brier.score),
        Column("log loss", digits(4), get=lambda kind: nouns[kind].curve.log_loss.score),
    )
