"""Effect of three choices in Nguyen's thesis: feature families, AdaGrad, and HMMs by maximum likelihood."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise

import numpy as np

from howsure.calibration.curve import binned_curve
from howsure.figures.calibration import curve_figure
from howsure.inputs.pairs import Integers
from howsure.show.table import COUNT, ESTIMATE, Column, digits
from howsure_papers import taggers
from howsure_papers.contests import error_difference
from howsure_papers.corpora.tagged import Corpus, Tagged, read_ark, read_wsj
from howsure_papers.drawings import Setting, path_figure
from howsure_papers.intervals import all_hold, clustered_mean, estimate_text, is_about, verdict
from howsure_papers.reproduction import (
    NAME,
    TEXT,
    Advance,
    Drawing,
    ExperimentResult,
    Finding,
    experiment,
    ignore_progress,
    numbers,
)
from howsure_papers.sentiment import log_loss_text
from howsure_papers.taggers import Judged, Kind, choose, crf_kind, fit_hmm, judge
from howsure_papers.tweets import (
    BIN_SIZE,
    POOLED_BIN_SIZE,
    VALUE,
    Fit,
    ablation_table,
    added_families,
    choose_best,
    compare_on_tokens,
    every_fit,
)
from howsure_text.sequences.crf import CRFTagger
from howsure_text.sequences.potentials import ImpossibleError
from howsure_text.sequences.tagger import Tagger

TITLE = "Features, trainer and maximum likelihood of the taggers (Nguyen's thesis, sections 4.1.1, 4.1.2 and 4.2)"
SENTENCES = 1_000  # settings for training on newswire
PENALTIES = (0.1, 0.03)
NEARLY_ZERO = 1e-6
BASIC, ADVANCED = "CRF-Basic", "CRF-Advanced"
BATCH = 100
SAME_ACCURACY, SAME_ERROR = 0.01, 0.005
LIKELIHOOD, TINY, CHOSEN = "HMM, maximum likelihood", f"HMM, pseudocount {NEARLY_ZERO:g}", "HMM, pseudocount chosen"
ALL, POSSIBLE, KNOWN = "all", "possible", "possible, of known words"
ABLATION = "Features on newswire"
QUERIES = {"wsj": "NN", "ark": "V"}
FIGURES = {"wsj": "4.1, 4.2", "ark": "4.4, 4.5"}


def steps_of_tag_variants() -> int:
    """The number of models that `reproduce_tag_variants` fits."""
    return (4 + len(added_families())) * len(PENALTIES) + 4 + 2 * (len(taggers.PSEUDOCOUNTS) + 2)


@experiment(TITLE, steps=steps_of_tag_variants)
def reproduce_tag_variants(
    *, data: str | None = None, limit: int | None = None, seed: int = 0, advance: Advance = ignore_progress
) -> ExperimentResult:
    """Add the families of features one at a time on newswire; train CRFs by AdaGrad and by L-BFGS; and fit HMMs by
    maximum likelihood and with smoothing, on newswire and on tweets.

    `limit`: only the first sentences of each part. `advance` is called after every model.
    """
    whole, tweets = read_wsj(data, limit), read_ark(data, limit)
    rows = np.random.default_rng([seed, 0]).permutation(len(whole.train))[:SENTENCES]
    wsj = whole.trained_on(rows)
    families: dict[str, str | Sequence[str]] = {BASIC: "basic", **added_families(), ADVANCED: "advanced"}
    fits = {
        name: choose_best(every_fit(crf_kind(name, family, PENALTIES), wsj, wsj.labels, advance))
        for name, family in families.items()
    }
    on_tweets = {
        name: choose_best(every_fit(crf_kind(name, families[name], PENALTIES), tweets, tweets.labels, advance))
        for name in (BASIC, ADVANCED)
    }
    corpora = ((wsj, fits), (tweets, on_tweets))
    trained = [fit for corpus, fits in corpora for fit in train_by_adagrad(corpus, fits, seed, advance)]
    parts = [report_ablation(fits), compare_trainers(trained)]
    parts += [compare_likelihood(corpus, fits[BASIC].test, advance) for corpus, fits in corpora]
    note = (
        f"Newswire is the sample of the Wall Street Journal, with {len(wsj.train):,} of its {len(whole.train):,} "
        f"training sentences, drawn at random; the tweets are the thesis's. c₂ of a CRF is {PENALTIES[0]:g} or "
        f"{PENALTIES[1]:g}, whichever is more accurate on the development sentences. The HMMs learn from the same "
        "sentences. Intervals are over test sentences; training sentences do not vary."
    )
    recipe = {
        "data": "wsj_sample, ark_twitter_pos",
        "sentences": [list(corpus.sizes) for corpus in (wsj, tweets)],
        "bin_size": BIN_SIZE,
        "pooled_bin_size": POOLED_BIN_SIZE,
        "c2": list(PENALTIES),
        "seed": seed,
    }
    return sum(parts, ExperimentResult()) + ExperimentResult(notes=[note], recipe=recipe)


def report_ablation(fits: Mapping[str, Fit]) -> ExperimentResult:
    """Return the ablation: the effect of adding each family to the previous families."""
    refined, calibrated = {}, {}
    for (_, before), (name, after) in pairwise(fits.items()):
        both = compare_on_tokens(before.test.pairs, after.test.pairs, POOLED_BIN_SIZE)
        last = "+ suffixes" if name == ADVANCED else name
        refined[last], calibrated[last] = both.brier_difference, both.squared_error_difference
    findings = [
        Finding(
            "section 4.1.2",
            f"every family of features makes predictions {better}",
            f"the {what} of all tags falls by "
            f"{'; '.join(f'{name}: {estimate_text(change, 6)}' for name, change in changes.items())}",
            all_hold(map(verdict, changes.values())),
            ABLATION,
        )
        for better, what, changes in (
            ("more refined", "Brier score, most of which is refinement,", refined),
            ("better calibrated", "squared calibration error", calibrated),
        )
    ]
    points = [Setting(name, fit.test.accuracy.value, fit.pooled.error) for name, fit in fits.items()]
    drawing = Drawing(
        "features",
        "Newswire: calibration error over all tags against accuracy on the test sentences, one family more each time.",
        lambda: path_figure(
            [("one family more", points)], x_label="accuracy", y_label="calibration error, all tags", setting="features"
        ),
    )
    table = ablation_table(fits, fits[ADVANCED], QUERIES["wsj"], " on newswire; intervals over test sentences")
    return ExperimentResult(findings=findings, tables=[table], drawings=[drawing])


Trained = tuple[Corpus, str, Fit, Fit]  # the same CRF by L-BFGS and by AdaGrad


def train_by_adagrad(corpus: Corpus, fits: Mapping[str, Fit], seed: int, advance: Advance) -> list[Trained]:
    """CRF-Basic and CRF-Advanced by AdaGrad, with the penalty of those by L-BFGS."""
    trained = []
    for name, features in ((BASIC, "basic"), (ADVANCED, "advanced")):
        tagger = CRFTagger(features=features, trainer="adagrad", batch_size=BATCH, rng=seed)
        kind = Kind(name, "c₂", (fits[name].value,), tagger, ("c2",))
        (fit,) = every_fit(kind, corpus, corpus.labels, advance)
        trained.append((corpus, name, fits[name], fit))
    return trained


def compare_trainers(trained: Sequence[Trained]) -> ExperimentResult:
    """Whether AdaGrad gives a different accuracy and a different calibration."""
    findings, rows = list[Finding](), list[tuple[Corpus, str, str, Fit]]()
    for corpus, name, lbfgs, adagrad in trained:
        a, b = lbfgs.test, adagrad.test
        accuracy = clustered_mean(a.right - b.right, a.sentences)
        error = error_difference(compare_on_tokens(a.pairs, b.pairs, POOLED_BIN_SIZE))
        claim, where = f"{name}: AdaGrad in batches of {BATCH} is as", f"Trainers, {corpus.name}"
        findings += [
            Finding(
                "section 4.1.1", f"{claim} {good}", f"L-BFGS minus AdaGrad {more}", is_about(more, 0.0, within), where
            )
            for good, more, within in (
                (f"accurate as L-BFGS (within {SAME_ACCURACY})", accuracy, SAME_ACCURACY),
                (f"well calibrated over all tags (within {SAME_ERROR})", error, SAME_ERROR),
            )
        ]
        rows += [(corpus, name, "L-BFGS", lbfgs), (corpus, name, "AdaGrad", adagrad)]
    pooled, queried = [row[-1].pooled for row in rows], [row[-1].query_curve(QUERIES[row[0].key]) for row in rows]
    table = numbers(
        "L-BFGS and AdaGrad on test sentences",
        rows,
        Column("data", NAME, get=lambda row: row[0].name),
        Column("model", NAME, get=lambda row: row[1]),
        Column("trainer", NAME, get=lambda row: row[2]),
        Column("c₂", VALUE, get=lambda row: row[3].value),
        Column("accuracy", ESTIMATE, get=lambda row: row[3].test.accuracy),
        Column("NN or V: CalibErr", ESTIMATE, values=[curve.error for curve in queried]),
        Column("all: CalibErr", ESTIMATE, values=[curve.error for curve in pooled]),
        Column("all: Brier score", digits(5), values=[curve.brier.score for curve in pooled]),
        Column("all: log loss", digits(5), values=[curve.log_loss.score for curve in pooled]),
    )
    note = (
        "L-BFGS ends at the minimum of the objective; AdaGrad ends when ten passes lower it by less than a thousandth, "
        "or after a hundred passes. The penalty is the same."
    )
    return ExperimentResult(findings=findings, tables=[table], notes=[note])


def compare_likelihood(corpus: Corpus, basic: Judged, advance: Advance) -> ExperimentResult:
    """An HMM by maximum likelihood, where it has a posterior, compared with smoothed HMMs and CRF-Basic (`basic`)."""
    query, n, where = QUERIES[corpus.key], len(corpus.test), f"Maximum likelihood, {corpus.name}"
    strict, tiny = (fit_hmm(corpus.train, pseudocount) for pseudocount in (0.0, NEARLY_ZERO))
    chosen = choose(taggers.CHOSEN, corpus.train, corpus.dev, advance).tagger
    advance(2)
    judged = {name: judge(fit, corpus.test, corpus.labels) for name, fit in ((TINY, tiny), (CHOSEN, chosen))}
    judged[BASIC] = basic
    possible = possible_sentences(strict, corpus.test)
    unseen = strict.unseen(corpus.test.sentences)
    fully_known = np.array([i for i in possible.tolist() if not unseen[i].any()], dtype=np.int64)
    rows = {(ALL, name): judged_model for name, judged_model in judged.items()}
    if len(possible):
        likely = judge(strict, corpus.test.select(possible), corpus.labels)
        rows |= {(POSSIBLE, LIKELIHOOD): likely} | {
            (POSSIBLE, name): judged_model.select(possible) for name, judged_model in judged.items()
        }
        if len(fully_known):
            rows |= {
                (KNOWN, LIKELIHOOD): likely.select(np.searchsorted(possible, fully_known)),
                (KNOWN, BASIC): basic.select(fully_known),
            }
    sizes = {ALL: n, POSSIBLE: len(possible), KNOWN: len(fully_known)}
    curves = {
        row: binned_curve(judged_model.of(query), bin_size=BIN_SIZE, name=row[1]) for row, judged_model in rows.items()
    }
    counts = (
        f"if unseen words are impossible, {len(fully_known)} of {n}; if they say nothing of their tag, {len(possible)}"
    )
    claim = "an HMM by maximum likelihood has a posterior for every test sentence"
    findings = [Finding("", claim, counts, len(fully_known) == n, where)]
    for figures, claim, sentences, worse, better in (
        (FIGURES[corpus.key], f"CRF-Basic is better calibrated than the {LIKELIHOOD}", POSSIBLE, LIKELIHOOD, BASIC),
        (FIGURES[corpus.key], f"CRF-Basic is better calibrated than the {TINY}", ALL, TINY, BASIC),
        ("", "smoothing makes the HMM better calibrated", POSSIBLE, LIKELIHOOD, CHOSEN),
    ):
        pair = [(sentences, worse), (sentences, better)]
        if sizes[sentences]:
            first, second = (rows[row].of(query) for row in pair)
            squared = compare_on_tokens(first, second, BIN_SIZE).squared_error_difference
            scores = [curves[row].mse.value for row in pair]
            ours = (
                f"MSE score {scores[0]:.5f} against {scores[1]:.5f}, a factor of {scores[1] / scores[0]:.2f}, on "
                f"{sizes[sentences]} sentences; difference without bias {estimate_text(squared)}"
            )
            findings.append(Finding(figures, claim, ours, verdict(squared), where))
    table = numbers(
        f"{corpus.name}: HMMs by maximum likelihood, where they have a posterior, query {query}",
        rows,
        Column("test sentences", NAME, get=lambda row: row[0]),
        Column("of them", COUNT, get=lambda row: sizes[row[0]]),
        Column("model", NAME, get=lambda row: row[1]),
        Column("accuracy", ESTIMATE, get=lambda row: rows[row].accuracy),
        Column("CalibErr", ESTIMATE, get=lambda row: curves[row].error),
        Column("MSE score", digits(6), get=lambda row: curves[row].mse.value),
        Column("refinement", digits(4), get=lambda row: curves[row].brier.refinement),
        Column("log loss", TEXT, get=lambda row: log_loss_text(curves[row])),
    )
    drawing = Drawing(
        f"maximum-likelihood-{corpus.key}",
        f"{corpus.name}, query {query}: the test sentences of which the HMM by maximum likelihood has a posterior.",
        partial(curve_figure, [curve for row, curve in curves.items() if row[0] == POSSIBLE], panels=True),
    )
    note = (
        "By maximum likelihood, a word that does not follow from the training sentences has probability 0, and so has "
        "a sentence that needs a tag after another which it never followed there; then there is no posterior, and "
        "howsure refuses to give one. Possible sentences are those that have one if an unseen word is as probable with "
        "any tag; of known words are those of them in which no word is unseen, which alone are possible if an unseen "
        f"word is impossible. A pseudocount of {NEARLY_ZERO:g} makes all possible. Others are smoothed with the "
        "pseudocount that is most accurate on the development sentences."
    )
    drawings = [drawing] if len(possible) else []
    return ExperimentResult(findings=findings, tables=[table], drawings=drawings, notes=[note])


def possible_sentences(tagger: Tagger, part: Tagged) -> Integers:
    """The sentences that have a positive probability."""
    sentence_numbers = []
    for i, words in enumerate(part.sentences):
        try:
            tagger.posterior([words]).log_z.any()
        except ImpossibleError:
            continue
        sentence_numbers.append(i)
    return np.array(sentence_numbers, dtype=np.int64)
