"""Effect of the data size on sections 4.2 and 5.3 of Nguyen & O'Connor (2015): halves, quarters and eighths."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from howsure.calibration.curve import binned_curve
from howsure.inputs.pairs import Pairs
from howsure.result import Estimate
from howsure.show.table import COUNT, Column, digits
from howsure.stats.proportions import t_quantile
from howsure_papers.contests import BIN_SIZE, CRF, HMM
from howsure_papers.coreference import PAPER, PASSES, PASSES_OF_A_SLICE, SMALL, train_model
from howsure_papers.corpora.coreference import ONTOGUM, read_corpus
from howsure_papers.corpora.tagged import Corpus, read_ewt, read_wsj
from howsure_papers.drawings import Series, series_figure
from howsure_papers.intervals import LEVEL, opposite, random_subsamples, standard_error, symmetric_estimate, verdict
from howsure_papers.judged_coreference import judge as judge_coreference
from howsure_papers.reproduction import (
    NAME,
    Advance,
    Drawing,
    ExperimentResult,
    Finding,
    Numbers,
    experiment,
    ignore_progress,
    numbers,
)
from howsure_papers.taggers import SEARCH, choose, fit_hmm, judge

TITLE = "What the sizes of the data do (Nguyen & O'Connor 2015, sections 4.2 and 5.3, on parts of our data)"
PARTS = (1, 2, 4, 8)  # of equal size
ORDERS = 3  # random orders for dividing the test data into parts
DRAWS = 3  # of each part of the training sentences
MATCHED = 450  # sentences with which CRF-Basic is as accurate as an HMM with pseudocount 1 on the sample
THEIRS = {"sentences": 1_382, "documents": 404}
STEPS = 3 + 4 * len(PARTS) + 2 * (1 + DRAWS * (len(PARTS) - 1))


@dataclass(frozen=True, slots=True)
class PartErrors:
    """Calibration errors on k equal parts of the test data, for several k and orders.

    errors[k]: the errors if each part has as many bins as the whole data. fixed[k]: the errors with bins of the paper's
    size, so that a part has fewer bins than the whole data.
    """

    name: str
    unit: str
    units: int
    errors: Mapping[int, Sequence[Estimate]]
    fixed: Mapping[int, Sequence[Estimate]]

    def mean(self, parts: int, end: str = "value", *, fixed: bool = False) -> float:
        """The mean of the errors, or of one end of their intervals ("low", "high")."""
        values = [getattr(error, end) for error in (self.fixed if fixed else self.errors)[parts]]
        return float(np.mean([math.nan if value is None else value for value in values]))

    def width(self, parts: int) -> float:
        return self.mean(parts, "high") - self.mean(parts, "low")

    def more(self, *, fixed: bool) -> Estimate:
        """The error on an eighth minus that on all data; the interval is based on the parts of one order."""
        parts, errors_by_parts = PARTS[-1], self.fixed if fixed else self.errors
        errors = [error.value for error in errors_by_parts[parts][:parts]]
        reach = t_quantile(LEVEL, parts - 1) * float(np.std(errors, ddof=1)) / math.sqrt(parts)
        return symmetric_estimate(float(np.mean(errors)) - errors_by_parts[1][0].value, reach, "disjoint parts", parts)

    @property
    def exponent(self) -> float:
        """The exponent of the number of units in the width of the interval."""
        wide = np.log([self.width(parts) for parts in PARTS])
        return float(np.polyfit(-np.log(PARTS), wide, 1)[0])

    def theirs(self, exponent: float) -> float:
        """The width of the interval with the paper's number of units, given an exponent."""
        return float(self.width(1) * (THEIRS[self.unit] / self.units) ** exponent)


def judge_parts(pairs: Pairs, name: str, unit: str, *, seed: int, advance: Advance = ignore_progress) -> PartErrors:
    """Divide test data into equal parts by sentence or document (the clusters of the pairs), and evaluate each part."""
    assert pairs.clusters is not None
    rng, units = np.random.default_rng([seed, 4]), np.unique(pairs.clusters)
    errors: dict[int, list[Estimate]] = {}
    fixed: dict[int, list[Estimate]] = {}
    for parts in PARTS:
        cut = [rng.permutation(units) for _ in range(ORDERS if parts > 1 else 1)]
        pieces = [
            pairs.select(np.isin(pairs.clusters, some))
            for sentences_ in cut
            for some in np.array_split(sentences_, parts)
        ]
        errors[parts] = [binned_curve(part, bin_size=BIN_SIZE // parts).error for part in pieces]
        fixed[parts] = [binned_curve(part, bin_size=BIN_SIZE).error for part in pieces] if parts > 1 else errors[1]
        advance(1)
    return PartErrors(name, unit, len(units), errors, fixed)


@dataclass(frozen=True, slots=True)
class Trained:
    """The evaluation, on all test sentences, of HMMs that were trained on different samples of one size.

    errors, accuracies: one value per HMM. gaps: the mean probability of the most probable tag, minus the accuracy.
    pairs: the calibration pairs of the HMM with all training sentences.
    """

    corpus: str
    parts: int
    sentences: int
    errors: Sequence[Estimate]
    accuracies: Sequence[float]
    gaps: Sequence[float]
    pairs: Pairs | None

    @property
    def error(self) -> float:
        return float(np.mean([error.value for error in self.errors]))

    @property
    def variance(self) -> float:
        """The variance of the mean error over draws and over test data."""
        between = (
            float(np.var([error.value for error in self.errors], ddof=1)) / len(self.errors) if self.parts > 1 else 0
        )
        return between + float(np.mean([standard_error(error) ** 2 for error in self.errors]))


def trained_on_parts(corpus: Corpus, *, seed: int, advance: Advance) -> Iterator[Trained]:
    """The paper's HMM trained on all training sentences, and on random halves, quarters and eighths of them."""
    rng, n = np.random.default_rng([seed, 5]), len(corpus.train)
    for parts in PARTS:
        drawn = random_subsamples(n, times=DRAWS, share=1 / parts, rng=rng) if parts > 1 else [np.arange(n)]
        errors, accuracies, gaps, pairs = [], [], [], None
        for rows in drawn:
            judged = judge(fit_hmm(corpus.train.select(rows), 1.0), corpus.test, corpus.labels)
            errors.append(binned_curve(judged.pairs, bin_size=BIN_SIZE).error)
            accuracies.append(judged.accuracy.value)
            gaps.append(float((judged.surest - judged.hits).mean()))
            pairs = judged.pairs if parts == 1 else None
            advance(1)
        yield Trained(corpus.name, parts, len(drawn[0]), errors, accuracies, gaps, pairs)


@experiment(TITLE, steps=lambda: STEPS)
def reproduce_sizes(
    *, data: str | None = None, limit: int | None = None, seed: int = 0, advance: Advance = ignore_progress
) -> ExperimentResult:
    """Evaluate taggers and a coreference model on parts of the test data, and train an HMM on parts of the sentences.

    `limit`: use only the first sentences or documents of each part. `advance` is called after each model and each part.
    """
    wsj, ewt = read_wsj(data, limit), read_ewt(data, limit)
    some = np.random.default_rng([seed, 0]).permutation(len(wsj.train))[:MATCHED]
    learnt = [fit for corpus in (wsj, ewt) for fit in trained_on_parts(corpus, seed=seed, advance=advance)]
    crf = judge(choose(SEARCH, wsj.train.select(some), wsj.dev, advance).tagger, wsj.test, wsj.labels)
    ontogum = read_corpus(ONTOGUM, data, limit=limit, parser=None)
    model = train_model(PAPER, ontogum, seed=seed, passes=PASSES if limit is None else PASSES_OF_A_SLICE)
    coreference = judge_coreference([model.posterior(document) for document in ontogum.test], ontogum.test)
    advance(2)
    sources = [(fit.pairs, f"{fit.corpus}, {HMM}", "sentences") for fit in learnt if fit.pairs is not None]
    sources += [(crf.pairs, f"{wsj.name}, {CRF}", "sentences"), (coreference.pairs, str(PAPER), "documents")]
    divided = [judge_parts(*source, seed=seed, advance=advance) for source in sources]
    return ExperimentResult(
        findings=[finding for divided_pairs in divided for finding in findings_of_parts(divided_pairs)]
        + findings_of_training(learnt),
        tables=[parts_table(divided), training_table(learnt)],
        drawings=[drawing("sentences", divided), drawing("documents", divided)],
        notes=[
            "The paper has 11,772 sentences for training and 1,382 for testing the taggers, and 404 documents for "
            f"testing coreference. Ours: {wsj.name} {len(wsj.train):,} and {len(wsj.test):,}, {ewt.name} "
            f"{len(ewt.train):,} and {len(ewt.test):,}, {ONTOGUM} {len(ontogum.test):,} documents. {ewt.name} has the "
            f"paper's size, and a quarter of it that of the {wsj.name}.",
            f"Test data are cut at random into parts of as many sentences or documents, {ORDERS} times. Bins are as "
            f"many as all of them have with {BIN_SIZE:,} pairs in each, so that a half has bins of {BIN_SIZE // 2:,}; "
            "the intervals are of these. The width at the paper's size is that of ours, continued by the exponent with "
            "which it changes over the parts.",
            f"The HMM has a pseudocount of 1; CRF-Basic is trained on {MATCHED} sentences, which make it as accurate. "
            f"The training sentences are drawn at random {DRAWS} times for each size; intervals of differences take "
            "the test data of both as different, so that they are rather too wide.",
        ],
        recipe={
            "data": "wsj_sample, ud_english_ewt, gum",
            "sentences": [list(wsj.sizes), list(ewt.sizes)],
            "bin_size": BIN_SIZE,
            "orders": ORDERS,
            "draws": DRAWS,
            "seed": seed,
        },
    )


def drawing(unit: str, divided: Sequence[PartErrors]) -> Drawing:
    """The errors of the parts whose units are sentences, or documents."""
    panels = [(divided_pairs.name, [_line(divided_pairs)]) for divided_pairs in divided if divided_pairs.unit == unit]
    return Drawing(
        f"by-{unit}",
        f"Mean calibration error of all, half, a quarter and an eighth of the test {unit}, in as many bins, {ORDERS} "
        "random cuts, with the mean ends of its 95 % intervals.",
        lambda: series_figure(panels, x_label=unit, y_label="calibration error", log_x=True),
    )


def _line(on_parts: PartErrors) -> Series:
    units = [on_parts.units / parts for parts in PARTS]
    value, low, high = ([on_parts.mean(parts, end) for parts in PARTS] for end in ("value", "low", "high"))
    return Series(on_parts.name, units, value, low, high)


def findings_of_parts(on_parts: PartErrors) -> list[Finding]:
    """Return the effect of smaller test data on the error, and the precision that the paper's documents allow."""
    few, many = on_parts.more(fixed=True), on_parts.more(fixed=False)
    findings_ = [
        Finding(
            "section 3.2, footnote 7",
            f"in bins of {BIN_SIZE:,}, an eighth of the {on_parts.unit} looks better calibrated than all",
            f"its error minus that of all: {few}",
            opposite(verdict(few)),
            on_parts.name,
        ),
        Finding(
            "",
            "in as many bins as all have, it looks worse",
            f"its error minus that of all: {many}",
            verdict(many),
            on_parts.name,
        ),
    ]
    if on_parts.unit == "documents":
        wide, n = [on_parts.theirs(exponent) for exponent in (on_parts.exponent, -0.5)], THEIRS[on_parts.unit]
        ours = (
            f"with {on_parts.units} documents the interval is {on_parts.width(1):.4f} wide; with {n} it would be "
            f"{wide[0]:.4f} as it changes here, {wide[1]:.4f} by 1 / √n, from an error of {on_parts.mean(1):.4f}"
        )
        claim = f"with the paper's {n} documents the data could show that the error is below {SMALL:g}"
        could = [on_parts.mean(1) + width < SMALL for width in wide]
        findings_.append(Finding("5", claim, ours, could[0] if could[0] == could[1] else None, on_parts.name))
    return findings_


def findings_of_training(learnt: Sequence[Trained]) -> list[Finding]:
    """Whether an HMM trained on a quarter of the sentences is worse calibrated."""
    findings_ = []
    for corpus in dict.fromkeys(fit.corpus for fit in learnt):
        whole, quarter = (fit for fit in learnt if fit.corpus == corpus and fit.parts in {1, 4})
        value, variance = quarter.error - whole.error, quarter.variance + whole.variance
        more = symmetric_estimate(value, 1.96 * math.sqrt(variance), "draws and test data", len(quarter.errors))
        claim = "of a quarter of the training sentences the error is larger"
        ours = f"{quarter.error:.4f} of {quarter.sentences:,} against {whole.error:.4f} of {whole.sentences:,}: {more}"
        findings_.append(Finding("", claim, ours, verdict(more), f"{corpus}, {HMM}"))
    return findings_


def parts_table(divided: Sequence[PartErrors]) -> Numbers:
    """Return errors and intervals of every part, and the expected width for the paper's size."""
    rows = [(divided_pairs, parts) for divided_pairs in divided for parts in PARTS]
    return numbers(
        f"Fewer test data: means over the parts of {ORDERS} random cuts",
        rows,
        Column("data and model", NAME, get=lambda row: row[0].name),
        Column("part", NAME, get=lambda row: "all" if row[1] == 1 else f"1/{row[1]}"),
        Column("sentences or documents", COUNT, get=lambda row: row[0].units // row[1]),
        Column("CalibErr, bins of 5,000", digits(4), get=lambda row: row[0].mean(row[1], fixed=True)),
        Column("CalibErr, as many bins", digits(4), get=lambda row: row[0].mean(row[1])),
        Column("low", digits(4), get=lambda row: row[0].mean(row[1], "low")),
        Column("high", digits(4), get=lambda row: row[0].mean(row[1], "high")),
        Column("width", digits(4), get=lambda row: row[0].width(row[1])),
        Column("exponent of the width", digits(2), get=lambda row: row[0].exponent if row[1] == 1 else None),
        Column(
            "width at the paper's size",
            digits(4),
            get=lambda row: row[0].theirs(row[0].exponent) if row[1] == 1 else None,
        ),
    )


def training_table(learnt: Sequence[Trained]) -> Numbers:
    """Accuracy and error of the HMM by the number of training sentences."""
    return numbers(
        f"Fewer training sentences: HMM with pseudocount 1, all test sentences, means of {DRAWS} draws",
        learnt,
        Column("data", NAME, get=lambda fit: fit.corpus),
        Column("training sentences", COUNT, get=lambda fit: fit.sentences),
        Column("accuracy", digits(4), get=lambda fit: np.mean(fit.accuracies)),
        Column("CalibErr", digits(4), get=lambda fit: fit.error),
        Column("smallest", digits(4), get=lambda fit: min(error.value for error in fit.errors)),
        Column("largest", digits(4), get=lambda fit: max(error.value for error in fit.errors)),
        Column("surest tag: P - right", digits(4), get=lambda fit: np.mean(fit.gaps)),
    )
