"""Section 5.3 and Figure 5 of Nguyen & O'Connor (2015): the calibration of coreference probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
from matplotlib.figure import Figure

from howsure.calibration.comparison import compare_calibration
from howsure.calibration.results import CalibrationComparison
from howsure.data.documents.document import Document
from howsure.figures.calibration import curve_figure
from howsure.inputs.pairs import Bools, Pairs
from howsure.result import Estimate
from howsure.show.table import COUNT, ESTIMATE, POINT, Column, digits
from howsure_papers.corpora.coreference import GUM, LITBANK, ONTOGUM, CoreferenceCorpus, default_parser, read_corpus
from howsure_papers.intervals import estimate_kind, estimate_text, opposite, verdict
from howsure_papers.judged_coreference import (
    BIN_SIZE,
    DOUBTFUL,
    FAR,
    HALF,
    NEAR,
    NEAR_ZERO,
    SAMPLES,
    Judged,
    brier_skill,
    choose_bin_size,
    conll_f1,
    judge,
    nats_per_mention,
    over_documents,
    overconfidence,
    overconfidence_far,
    overconfidence_near,
)
from howsure_papers.reproduction import (
    NAME,
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
from howsure_text.coreference import AntecedentModel, CorefPosterior
from howsure_text.coreference.detection import Source
from howsure_text.coreference.training import Loss

TITLE = "Coreference: are pair probabilities calibrated? (Nguyen & O'Connor 2015, section 5.3, Figure 5)"
PASSES, PASSES_OF_A_SLICE = 12, 3
AT_ONCE: dict[str, Any] = {"sharpness": 1.1, "two_steps": False}
SHARPENED = {(ONTOGUM, "gold"): AT_ONCE}  # settings for which cross-validation prefers this to the default
SMALL = 0.01  # upper limit of the paper's calibration errors
LOSSES: tuple[Loss, ...] = get_args(Loss)


@dataclass(frozen=True, slots=True)
class Setting:
    """A corpus, the source of mentions ("gold" or "detected") and trees ("gold" or "parser"), and the training loss."""

    corpus: str
    mentions: Source
    trees: str
    loss: Loss

    def __str__(self) -> str:
        trees = ", parser" if self.trees == "parser" else ""
        return f"{self.corpus}, {self.mentions}{trees}"


PAPER = Setting(ONTOGUM, "detected", "gold", "likelihood")  # the setting closest to the paper's
NOVELS = Setting(LITBANK, "gold", "parser", "likelihood")
LIKE_PAPER = (
    PAPER,
    replace(PAPER, mentions="gold"),
    replace(PAPER, corpus=GUM),
    replace(PAPER, corpus=GUM, mentions="gold"),
)
FITS = tuple(replace(fit, loss=loss) for fit in (*LIKE_PAPER, NOVELS) for loss in LOSSES)  # the models to be trained

Results = Mapping[Setting, Judged]


@experiment(TITLE, steps=lambda: len(FITS))
def reproduce_coreference(
    *,
    data: str | None = None,
    parser: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    advance: Advance = ignore_progress,
) -> ExperimentResult:
    """Reproduce section 5.3: P(two mentions corefer), exact and from 1,000 samples, compared with annotations.

    Antecedent models are trained on OntoGUM, GUM and LitBank, by likelihood and by softmax-margin, on gold and on
    detected mentions. `parser`: a spaCy pipeline (a name or a folder) for LitBank, which comes without trees, and for
    the loss by parsing; by default models/en_ud_small next to the data sets, and without it both are left out. `limit`:
    use only the first documents of each part. `advance` is called after every model.
    """
    name = parser if parser is not None else default_parser(data)
    corpora = {
        corpus: read_corpus(corpus, data, limit=limit, parser=None if corpus == ONTOGUM else name)
        for corpus in (ONTOGUM, GUM, LITBANK)
        if corpus != LITBANK or name is not None
    }  # OntoGUM is evaluated only on its own trees
    judged: dict[Setting, Judged] = {}
    development: dict[Setting, Judged] = {}
    for setting in FITS:
        if setting.corpus in corpora:
            corpus = corpora[setting.corpus]
            model = train_model(setting, corpus, seed=seed, passes=PASSES if limit is None else PASSES_OF_A_SLICE)
            judged[setting] = judge(_compute_posteriors(model, corpus.test), corpus.test, seed=seed)
            if setting.corpus == GUM and setting.mentions == "detected" and corpus.parsed is not None:
                parsed = judge(_compute_posteriors(model, corpus.parsed), corpus.parsed, seed=seed)
                judged[replace(setting, trees="parser")] = parsed
            if corpus.dev:
                development[setting] = judge(_compute_posteriors(model, corpus.dev), corpus.dev)
        advance(1)
    corpora_read = (
        f"{corpus.name} ({len(corpus.train)} + {len(corpus.dev)} + {len(corpus.test)} documents)"
        for corpus in corpora.values()
    )
    return ExperimentResult(
        findings=findings(judged),
        tables=[
            paper_table(judged),
            settings_table(judged, "Every model: 1-best clusters without singletons, and pairs"),
            sampling_table(judged),
            changes_table(judged),
            settings_table(development, "The same models on the development parts"),
        ],
        drawings=[
            Drawing(
                "figure-5",
                "Calibration of pair probabilities on OntoGUM's test part, detected mentions: exact, by 1,000 samples, "
                "and of the model trained by softmax-margin.",
                lambda: figure_5(judged),
            ),
            Drawing(
                "corpora",
                "Models trained by likelihood, exact pair probabilities, each with its error.",
                lambda: corpora_figure(judged),
            ),
        ],
        notes=notes([corpus.left_out for corpus in corpora.values()], name is not None),
        corrections=corrections(judged),
        recipe={
            "data": ", ".join(corpora_read),
            "parser": "none" if name is None else Path(name).name,
            "bin_size": BIN_SIZE,
            "samples": SAMPLES,
            "seed": seed,
        },
    )


def train_model(setting: Setting, corpus: CoreferenceCorpus, *, seed: int, passes: int) -> AntecedentModel:
    """Train the model of a setting; Ctrl-C ends the whole experiment, not only this training."""
    way = SHARPENED.get((setting.corpus, setting.mentions), {})
    model = AntecedentModel(mentions=setting.mentions, loss=setting.loss, rng=seed, passes=passes, **way)
    model.fit(corpus.train, development=corpus.dev)
    if model.interrupted_:
        raise KeyboardInterrupt
    return model


def _compute_posteriors(model: AntecedentModel, documents: Sequence[Document]) -> list[CorefPosterior]:
    return [model.posterior(document) for document in documents]


def figure_5(judged: Results) -> Figure:
    """Return a figure of both losses, and of sampled probabilities, on OntoGUM."""
    exact, margin = judged[PAPER], judged[replace(PAPER, loss="margin")]
    curves = {
        "likelihood, exact": exact.curve,
        f"likelihood, {SAMPLES:,} samples": exact.sampled_curve,
        "softmax-margin, exact": margin.curve,
    }
    return curve_figure([replace(curve, name=name) for name, curve in curves.items()])


def corpora_figure(judged: Results) -> Figure:
    """Return a figure of the models trained by likelihood, on all corpora."""
    curves = [replace(result.curve, name=str(where)) for where, result in judged.items() if where.loss == "likelihood"]
    return curve_figure(curves, panels=True)


def findings(judged: Results) -> list[Finding]:
    """The paper's findings on its Figure 5, decided by intervals over documents, for each training loss."""
    findings_ = [finding for loss in LOSSES for finding in _paper_findings(judged[replace(PAPER, loss=loss)], loss)]
    if NOVELS in judged:
        error = judged[NOVELS].curve.error
        ours = f"novels: {error} on {len(judged[NOVELS].pairs):,} pairs"
        findings_.append(
            Finding("", "CalibErr < 0.01, in another domain", ours, _small(error), "trained by likelihood")
        )
    return findings_


def _paper_findings(mine: Judged, loss: Loss) -> list[Finding]:
    error, near, gap = mine.curve.error, mine.away_from_zero, over_documents(overconfidence, mine)
    setting = f"trained by {'softmax-margin' if loss == 'margin' else loss}"
    well = "the pair predictions are very well calibrated: CalibErr < 0.01"
    measured = (
        f"CalibErr {error} on {len(mine.pairs):,} pairs (by the paper's Algorithm 1, which counts noise as error, "
        f"{mine.curve.algorithm1_error.value:.4f})"
    )
    over = f"mean prediction minus frequency, above {HALF:g}, is {gap}"
    trusted = (
        "most pairs are near 0, which makes the error look small; over the "
        f"{_percent(mine.pairs.probabilities > NEAR_ZERO)} with P(i ~ j) > {NEAR_ZERO:g} it is {near}"
    )
    slightly = "slightly overconfident on middle to high-valued predictions"
    return [
        Finding("5", well, measured, _small(error), setting),
        Finding("5", slightly, over, verdict(gap), setting),
        Finding("5", "so one can trust its level of uncertainty", trusted, _small(near), setting),
    ]


def _small(error: Estimate) -> bool | None:
    """Whether an error is below the paper's bound of 0.01; None if the interval includes the bound."""
    return opposite(verdict(error, above=SMALL))


def corrections(judged: Results) -> tuple[str, ...]:
    """Describe two possible improvements of the paper's experiment, with their effects in this one."""
    mine, margin = judged[PAPER], judged[replace(PAPER, loss="margin")]
    more, of_new = over_documents(overconfidence, margin, mine), compare_pairs(margin.new, mine.new)
    costs = {True: "costs calibration", False: "helps calibration", None: "does the same, as far as these data show"}
    distance = mine.sampled - mine.pairs.probabilities
    return (
        f"Sampling is not needed for pairs. The paper averages P(i ~ j) over {SAMPLES:,} samples (the thesis: "
        "complicated to derive exactly), but a recursion gives it exactly, P(i ~ j) = Σ P(a_j = k) P(k ~ i). Sample "
        f"averages differ from it by {math.sqrt(float((distance**2).mean())):.4f} (root mean square), at most "
        f"{np.abs(distance).max():.3f}, and are exactly 0 for {_percent(mine.sampled == 0.0)} of the pairs.",
        f"The training loss, which the paper does not mention, matters: the softmax-margin {costs[verdict(more)]}. "
        f"The mean prediction minus the frequency, above {HALF:g}, is {more} more than with the likelihood; CalibErr "
        f"of P(new), by mention, is {of_new.error_a} against {of_new.error_b}, squared difference "
        f"{estimate_text(of_new.squared_error_difference, 5, sign='+')}.",
    )


def paper_table(judged: Results) -> Numbers:
    """Return the paper's and our numbers for models trained by likelihood: a row per quantity, a column per setting."""
    low, high = DOUBTFUL

    def over(value: Callable[[np.ndarray[Any, Any]], float]) -> Callable[[Judged], Estimate]:
        return lambda other: over_documents(value, other)

    rows: list[tuple[str, str, Callable[[Judged], object]]] = [
        ("documents", "404", lambda result: f"{len(result.nats):,}"),
        ("pairs", "4,300,000", lambda result: f"{len(result.pairs):,}"),
        (f"CalibErr, {SAMPLES:,} samples", "< 0.01", lambda result: result.sampled_curve.error),
        ("CalibErr, exact, by Algorithm 1", "", lambda result: f"{result.curve.algorithm1_error.value:.4f}"),
        ("CalibErr, exact", "", lambda result: result.curve.error),
        (f"prediction minus frequency above {HALF:g}", "slightly", over(overconfidence)),
        (f"the same, {low:g} to {high:g}, less than {NEAR} mentions apart", "", over(overconfidence_near)),
        (f"the same, {low:g} to {high:g}, {FAR} mentions apart or more", "", over(overconfidence_far)),
        (f"CalibErr, P(i ~ j) > {NEAR_ZERO:g}", "", lambda result: result.away_from_zero),
        ("Brier skill of pairs", "", over(brier_skill)),
        ("log-probability of gold, nats per mention", "", over(nats_per_mention)),
    ]
    return numbers(
        "Paper and ours",
        rows,
        Column("quantity", NAME, get=lambda row: row[0]),
        Column("paper", TEXT, get=lambda row: row[1]),
        *(
            Column(str(where), TEXT, values=[value(judged[where]) for *_, value in rows])
            for where in (PAPER, replace(PAPER, corpus=GUM), NOVELS)
            if where in judged
        ),
    )


def settings_table(judged: Results, title: str) -> Numbers:
    """Every model on every document set."""
    scores = {"MUC": "muc", "B³": "b_cubed", "CEAF-e": "ceaf_e", "LEA": "lea"}
    total = {where: result.total for where, result in judged.items()}
    return numbers(
        title,
        judged,
        *(Column(name, NAME) for name in ("corpus", "mentions", "trees", "loss")),
        Column("CoNLL F1", estimate_kind(1), get=lambda where: over_documents(conll_f1, judged[where])),
        *(
            Column(name, digits(1), values=[100 * getattr(totals, key).f1 for totals in total.values()])
            for name, key in scores.items()
        ),
        Column("CalibErr", ESTIMATE, get=lambda where: judged[where].curve.error),
        Column("Algorithm 1", POINT, get=lambda where: judged[where].curve.algorithm1_error),
        Column("P > .05", ESTIMATE, get=lambda where: judged[where].away_from_zero),
        Column("P(new)", ESTIMATE, get=lambda where: judged[where].error_of_new),
        Column("Brier skill", digits(3), get=lambda where: over_documents(brier_skill, judged[where]).value),
        Column("nats per mention", digits(3), get=lambda where: over_documents(nats_per_mention, judged[where]).value),
        Column("entities in 95 %", TEXT, get=lambda where: f"{judged[where].inside} of {len(judged[where].nats)}"),
    )


def sampling_table(judged: Results) -> Numbers:
    """Exact probabilities and frequencies among samples, for models trained by likelihood."""
    shown = {str(where): result for where, result in judged.items() if where.loss == "likelihood"}
    distance = {name: result.sampled - result.pairs.probabilities for name, result in shown.items()}
    never = {name: result.sampled == 0.0 for name, result in shown.items()}
    samples = f"{SAMPLES:,} samples"
    return numbers(
        f"Exact against {samples}; distance: root mean square over the pairs",
        shown,
        Column("setting", NAME, get=lambda name: name),
        Column("pairs", COUNT, get=lambda name: len(shown[name].pairs)),
        Column("CalibErr, exact", ESTIMATE, get=lambda name: shown[name].curve.error),
        Column(f"CalibErr, {samples}", ESTIMATE, get=lambda name: shown[name].sampled_curve.error),
        Column("distance", digits(4), get=lambda name: math.sqrt(float((distance[name] ** 2).mean()))),
        Column("largest", digits(3), get=lambda name: float(np.abs(distance[name]).max())),
        Column("never sampled", TEXT, get=lambda name: _percent(never[name])),
        Column("of these coreferent", COUNT, get=lambda name: int(shown[name].pairs.labels[never[name]].sum())),
        Column("log loss, exact", TEXT, get=lambda name: _loss(shown[name].curve.log_loss.score)),
        Column("log loss, samples", TEXT, get=lambda name: _loss(shown[name].sampled_curve.log_loss.score)),
    )


def changes_table(judged: Results) -> Numbers:
    """Return a table with the effects of the softmax-margin loss, of detected mentions and of a parser's trees.

    Effects are differences on the same documents or on the same pairs.
    """
    pairs = []
    for setting in judged:
        for name, other in (
            ("margin instead of likelihood", replace(setting, loss="margin")),
            ("detected instead of gold mentions", replace(setting, mentions="detected")),
            ("parser's trees instead of gold ones", replace(setting, trees="parser")),
        ):
            if other != setting and other in judged:
                same = setting.loss != other.loss  # the same mentions, and so the same pairs
                label = str(setting) if same else f"{setting}, {setting.loss}"
                pairs.append((name, label, judged[other], judged[setting], same))
    pairs.sort(key=lambda row: row[:2])
    squared = [compare_pairs(a.pairs, b.pairs).squared_error_difference if same else None for *_, a, b, same in pairs]
    of_new = [compare_pairs(a.new, b.new).squared_error_difference if same else None for *_, a, b, same in pairs]
    nats = [over_documents(nats_per_mention, a, b) if same else None for *_, a, b, same in pairs]
    small = estimate_kind(5, sign="+")
    return numbers(
        "What changes, with intervals paired by document",
        pairs,
        Column("change", NAME, get=lambda row: row[0]),
        Column("setting", NAME, get=lambda row: row[1]),
        Column("CoNLL F1", estimate_kind(1), values=[over_documents(conll_f1, a, b) for *_, a, b, _ in pairs]),
        Column("squared CalibErr", small, values=squared),
        Column("squared CalibErr of P(new)", small, values=of_new),
        Column("nats per mention", estimate_kind(4), values=nats),
    )


def notes(left_out: Sequence[int], parsed: bool) -> tuple[str, ...]:
    """Notes on differences between our data and methods and the paper's."""
    lines = [
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
        "hero. A difference between near and distant uncertain pairs remains, as far as this few documents show.",
        f"{sum(left_out)} mentions of OntoGUM have the same span as another and are left out.",
    ]
    if parsed:
        lines.append(
            "LitBank has no trees, so a spaCy pipeline parsed its words. Its rows, and those of GUM with the parser's "
            "trees, depend on the parser; sentences and words are those of the corpora."
        )
    else:
        lines.append(
            "No parser was found, so LitBank, which has no trees, is left out; naming a spaCy pipeline adds it."
        )
    return tuple(lines)


def compare_pairs(pairs: Pairs, other: Pairs) -> CalibrationComparison:
    """Compare the calibration of two models on the same rows; differences are `pairs` minus `other`."""
    return compare_calibration(
        pairs.labels,
        pairs.probabilities,
        against=other.probabilities,
        bin_size=choose_bin_size(pairs),
        clusters=pairs.clusters,
    )


def _percent(chosen: Bools) -> str:
    return f"{100 * float(chosen.mean()):.1f} %"


def _loss(value: float) -> str:
    return f"{value:.4f}" if math.isfinite(value) else "infinite"
