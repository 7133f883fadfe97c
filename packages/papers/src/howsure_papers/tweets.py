"""Section 4.2 of Nguyen's thesis: the calibration of an HMM and of two CRFs on the tags of tweets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from matplotlib.figure import Figure

from howsure.calibration.comparison import compare_pairs
from howsure.calibration.curve import binned_curve
from howsure.calibration.results import CalibrationComparison, CalibrationCurve
from howsure.figures.calibration import curve_figure
from howsure.inputs.pairs import Pairs
from howsure.result import Estimate
from howsure.show.table import COUNT, ESTIMATE, POINT, Column, digits
from howsure.show.table import Kind as ColumnKind
from howsure_papers.corpora.tagged import ARK, Corpus, read_ark
from howsure_papers.drawings import Setting, path_figure
from howsure_papers.intervals import (
    LEVEL,
    SUBSAMPLES,
    clustered_mean,
    each_over_training,
    estimate_kind,
    estimate_text,
    interval_kind,
    point_values,
    random_subsamples,
    verdict,
)
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
from howsure_papers.taggers import Judged, Kind, crf_kind, hmm_kind, judge
from howsure_text.sequences.features import FAMILIES

TITLE = "HMMs and CRFs on the tags of tweets (Nguyen's thesis, section 4.2, Figures 4.4–4.6)"
QUERY = "V"
BIN_SIZE, POOLED_BIN_SIZE = 200, 5_000
BIN_SIZES = (50, 100, 200, 500, 1_000, 5_000)
PSEUDOCOUNTS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001)
PENALTIES = (3.0, 1.0, 0.3, 0.1, 0.03, 0.01, 0.003)
NEAR_PENALTIES = (1.0, 0.3, 0.1, 0.03)  # fewer subsamples of a CRF with many features, which takes longer
HMM, SHAPES, ONE = "HMM", "HMM with word shapes", "HMM, one pseudocount"
BASIC, ADVANCED = "CRF-Basic", "CRF-Advanced"
KINDS = (
    hmm_kind(ONE, "uniform", (1.0,)),
    hmm_kind(HMM, "uniform", PSEUDOCOUNTS),
    hmm_kind(SHAPES, "shape", PSEUDOCOUNTS),
    crf_kind(BASIC, "basic", PENALTIES),
    crf_kind(ADVANCED, "advanced", PENALTIES[:-1]),
)
CONTESTS = ((HMM, BASIC), (BASIC, ADVANCED), (ONE, BASIC), (SHAPES, BASIC))  # in each, is the second one better?
TWEET_INTERVALS = ", leaving one out; intervals over test tweets"
NEAR = 0.01  # difference of accuracies that counts as equal to the best
PAPERS_ACCURACY = 0.87
VALUE = ColumnKind("{:g}".format)
NOTES = (
    "The data are the thesis's own. Its HMM is fitted by maximum likelihood, which makes some test tweets "
    "impossible and says nothing of unseen words; ours has a pseudocount for every transition and word, and one "
    'unseen word of every tag. "HMM with word shapes" distinguishes unseen words by their shapes and suffixes.',
    "Settings are chosen by accuracy on the development tweets, also for the random halves.",
    f"Intervals over training data come from {SUBSAMPLES} random halves of it. All other intervals resample tweets.",
    "A verdict on two models states which of them is better calibrated; the factor between them is given alongside.",
    "The settings of equal accuracy are the worst and the best calibrated, on the development tweets, of those "
    "within one point of the best accuracy there.",
    "A log loss has no interval over training data if one of the halves contains no word with some tag.",
)


@dataclass(frozen=True, slots=True)
class Fit:
    """A tagger with one value of its setting, evaluated on the development and the test tweets."""

    kind: Kind
    value: float
    dev: Judged
    test: Judged

    @property
    def setting(self) -> str:
        return f"{self.kind.setting} {self.value:g}"

    @property
    def pooled(self) -> CalibrationCurve:
        """The curve over all tags on the test tweets."""
        return pooled_curve(self.test)

    def query_curve(self, query: str = QUERY, bin_size: int = BIN_SIZE) -> CalibrationCurve:
        return binned_curve(self.test.of(query), bin_size=bin_size)


Fits = Mapping[str, Sequence[Fit]]
Chosen = Mapping[str, Fit]
Estimates = Mapping[str, Estimate]


def steps_of_tweets() -> int:
    """The number of models that `reproduce_tweets` fits."""
    return sum(len(kind.grid) for kind in KINDS) * (1 + SUBSAMPLES) + len(_templates()) * len(NEAR_PENALTIES)


@experiment(TITLE, steps=steps_of_tweets)
def reproduce_tweets(
    *, data: str | None = None, limit: int | None = None, seed: int = 0, advance: Advance = ignore_progress
) -> ExperimentResult:
    """Reproduce section 4.2 of the thesis: an HMM, CRF-Basic and CRF-Advanced on tweets, with the query "is this word a
    verb?".

    Every setting of every model's grid is fitted on the training tweets and on random halves of them, and the setting
    with the best accuracy on the development tweets is chosen. Then families of features are added to CRF-Basic and
    removed from CRF-Advanced. `limit`: only the first tweets of each part. `advance` is called after every model.
    """
    corpus = read_ark(data, limit)
    labels = corpus.labels
    fits = {kind.name: every_fit(kind, corpus, labels, advance) for kind in KINDS}
    extremes = {name: near_extremes(of_kind) for name, of_kind in fits.items()}
    in_test = quantities(fits, extremes)
    replicates = []
    for rows in random_subsamples(len(corpus.train), rng=seed):
        of_half = {kind.name: every_fit(kind, corpus.trained_on(rows), labels, advance) for kind in KINDS}
        replicates.append(point_values(quantities(of_half, extremes)))
    in_all = each_over_training(in_test, replicates)
    chosen = {name: choose_best(of_kind) for name, of_kind in fits.items()}
    queries = {name: fit.test.of(QUERY) for name, fit in chosen.items()}
    judged = partial(binned_curve, bin_size=BIN_SIZE, interval="nguyen-oconnor", level=LEVEL, rng=seed)
    curves = {name: judged(pairs, name=name) for name, pairs in queries.items()}
    templates = {
        name: choose_best(every_fit(crf_kind(name, families, NEAR_PENALTIES), corpus, labels, advance))
        for name, families in _templates().items()
    }
    templates = {BASIC: chosen[BASIC]} | templates | {ADVANCED: chosen[ADVANCED]}
    shown = (HMM, BASIC, ADVANCED)
    accurate = [f"{name}, acc. {chosen[name].test.accuracy.value:.3f}" for name in shown]
    return ExperimentResult(
        findings=[
            *findings(in_all, chosen, curves),
            *(
                _settings_finding(name, ends, in_all, chosen[name])
                for name, ends in extremes.items()
                if ends[0] != ends[1]
            ),
        ],
        tables=[
            models_table(chosen, curves),
            pooled_table(chosen),
            differences_table(in_test, in_all),
            bin_size_table({name: chosen[name] for name in shown}),
            ablation_table(templates, chosen[ADVANCED]),
            settings_table([fit for of_kind in fits.values() for fit in of_kind]),
        ],
        drawings=[
            Drawing(
                "figures-4-4-to-4-6",
                f'Calibration curves of the query "{QUERY}" on the test tweets, bins of 200.',
                lambda: curve_figure([curves[name] for name in shown], labels=accurate, panels=True),
            ),
            Drawing(
                "settings",
                "Calibration error over all tags against accuracy on the test tweets, one point per setting.",
                lambda: settings_figure([fits[name] for name in (HMM, BASIC, SHAPES, ADVANCED)], chosen),
            ),
        ],
        notes=NOTES,
        recipe={
            "data": ARK,
            "tweets": list(corpus.sizes),
            "tokens": corpus.test.tokens,
            "query": QUERY,
            "bin_size": BIN_SIZE,
            "pooled_bin_size": POOLED_BIN_SIZE,
            "subsamples": SUBSAMPLES,
            "seed": seed,
        },
    )


def every_fit(kind: Kind, corpus: Corpus, labels: Sequence[str], advance: Advance) -> list[Fit]:
    """A tagger for every value of the grid, trained on the training tweets and evaluated on the others."""
    fits = []
    for value, tagger in kind.fits(corpus.train):
        fits.append(Fit(kind, value, *(judge(tagger, part, labels) for part in (corpus.dev, corpus.test))))
        advance(1)
    return fits


def choose_best(fits: Sequence[Fit]) -> Fit:
    """The tagger with the best accuracy on the development tweets; of equal ones, that with the stronger setting."""
    return max(fits, key=lambda fit: fit.dev.right.mean())


def pooled_curve(judged: Judged) -> CalibrationCurve:
    return binned_curve(judged.pairs, bin_size=POOLED_BIN_SIZE)


def near_extremes(fits: Sequence[Fit]) -> tuple[float, float]:
    """The worst and the best calibrated setting of those nearly as accurate as the best on development tweets."""
    most = choose_best(fits).dev.right.mean()
    near = [fit for fit in fits if fit.dev.right.mean() >= most - NEAR]
    ordered = sorted(near, key=lambda fit: pooled_curve(fit.dev).error.value)
    return ordered[-1].value, ordered[0].value


def quantities(fits: Fits, extremes: Mapping[str, tuple[float, float]]) -> dict[str, Estimate]:
    """Return differences between the chosen models, and between two settings of each kind of model.

    All have intervals over the test tweets. Two models are compared by squared calibration error, Brier score and log
    loss, on the query and over all tags; two settings are compared over all tags, and by accuracy.
    """
    chosen = {name: choose_best(of_kind) for name, of_kind in fits.items()}
    estimates = {f"accuracy, {name}": fit.test.accuracy for name, fit in chosen.items()}
    for worse, better in CONTESTS:
        a, b, name = chosen[worse].test, chosen[better].test, f"{worse} - {better}"
        estimates |= _losses(QUERY, name, compare_on_tokens(a.of(QUERY), b.of(QUERY), BIN_SIZE))
        estimates |= _losses("all tags", name, compare_on_tokens(a.pairs, b.pairs, POOLED_BIN_SIZE))
    for kind, (worst, least) in extremes.items():
        if worst != least:
            by_value = {fit.value: fit.test for fit in fits[kind]}
            a, b, name = by_value[worst], by_value[least], f"{kind}, {worst:g} - {least:g}"
            estimates[f"accuracy: {name}"] = clustered_mean(a.right - b.right, a.sentences)
            estimates |= _losses("all tags", name, compare_on_tokens(a.pairs, b.pairs, POOLED_BIN_SIZE))
    return estimates


def compare_on_tokens(a: Pairs, b: Pairs, bin_size: int) -> CalibrationComparison:
    """The calibration of two models on the same tokens."""
    return compare_pairs(a, b, bin_size=bin_size, n_bins=None, binning="adaptive", level=LEVEL)


def _losses(query: str, name: str, both: CalibrationComparison) -> dict[str, Estimate]:
    return {
        f"{query}, squared error: {name}": both.squared_error_difference,
        f"{query}, Brier score: {name}": both.brier_difference,
        f"{query}, log loss: {name}": both.log_loss_difference,
    }


def added_families() -> dict[str, tuple[str, ...]]:
    """The families of features of every CRF between basic and advanced: one more each time."""
    names = tuple(FAMILIES)
    return {f"+ {name}": names[: i + 1] for i, name in enumerate(names[:-1]) if i > 0}


def _templates() -> dict[str, tuple[str, ...]]:
    """The families of `added_families` and, for each family, all families but this one."""
    names = tuple(FAMILIES)
    return added_families() | {f"all but {name}": tuple(family for family in names if family != name) for name in names}


def findings(estimates: Estimates, chosen: Chosen, curves: Mapping[str, CalibrationCurve]) -> list[Finding]:
    """The thesis's findings on tweets, decided by intervals over training and test data."""
    half_again = "CRF-Advanced is better calibrated than CRF-Basic: reducing miscalibration further by one half"
    half = "CRF-Basic is better calibrated than the HMM: about half its miscalibration"
    findings_ = []
    for figure, paper, worse, better in (
        ("4.4, 4.5", half, HMM, BASIC),
        ("4.4, 4.5", f"{half} (here: a pseudocount of 1)", ONE, BASIC),
        ("4.4, 4.5", f"{half} (here an HMM that uses the shapes of unseen words)", SHAPES, BASIC),
        ("4.5, 4.6", half_again, BASIC, ADVANCED),
    ):
        difference = estimates[f"{QUERY}, squared error: {worse} - {better}"]
        scores = [curves[name].mse.value for name in (worse, better)]
        ours = (
            f"MSE score {scores[0]:.5f} ({worse}) against {scores[1]:.5f} ({better}), a factor of "
            f"{scores[1] / scores[0]:.2f}; difference without bias {estimate_text(difference)}"
        )
        findings_.append(Finding(figure, paper, ours, verdict(difference)))
    accuracy = estimates[f"accuracy, {ADVANCED}"]
    inside = None
    if accuracy.low is not None and accuracy.high is not None:
        inside = accuracy.low <= PAPERS_ACCURACY <= accuracy.high
    findings_.append(Finding("4.6", "CRF-Advanced has an accuracy of 87 %", f"{accuracy}", inside))
    brier = estimates[f"{QUERY}, Brier score: {BASIC} - {ADVANCED}"]
    refined = (
        f"refinement {curves[BASIC].brier.refinement:.4f} (CRF-Basic) against {curves[ADVANCED].brier.refinement:.4f} "
        f"(CRF-Advanced); the Brier score, of which it is the greater part, differs by {estimate_text(brier)}"
    )
    claim = "with better templates predictions are more refined"
    return [*findings_, Finding("section 4.1.2", claim, refined, verdict(brier))]


def _settings_finding(name: str, ends: tuple[float, float], estimates: Estimates, fit: Fit) -> Finding:
    contest = f"{name}, {ends[0]:g} - {ends[1]:g}"
    difference, accuracy = estimates[f"all tags, squared error: {contest}"], estimates[f"accuracy: {contest}"]
    paper = f"at equal accuracy, the {fit.kind.setting} decides the calibration: {name}"
    ours = (
        f"{fit.kind.setting} {ends[0]:g} against {ends[1]:g}: accuracy differs by {accuracy}, the squared error over "
        f"all tags by {estimate_text(difference)}"
    )
    return Finding("", paper, ours, verdict(difference))


def models_table(chosen: Chosen, curves: Mapping[str, CalibrationCurve]) -> Numbers:
    """The captions of Figures 4.4 to 4.6: accuracy and calibration of the query."""
    return numbers(
        f'The query "{QUERY}" on the test tweets',
        chosen,
        Column("model", NAME, get=lambda name: name),
        Column("setting", NAME, get=lambda name: chosen[name].setting),
        Column("accuracy", ESTIMATE, get=lambda name: chosen[name].test.accuracy),
        Column("CalibErr", ESTIMATE, get=lambda name: curves[name].error),
        Column("MSE score, Algorithm 2", estimate_kind(), get=lambda name: curves[name].mse),
        Column("refinement", digits(4), get=lambda name: curves[name].brier.refinement),
        Column("Brier score", digits(4), get=lambda name: curves[name].brier.score),
        Column("log loss", digits(4), get=lambda name: curves[name].log_loss.score),
    )


def pooled_table(chosen: Chosen) -> Numbers:
    """Return a table of the chosen models, evaluated over all tags together."""
    curves = {name: fit.pooled for name, fit in chosen.items()}
    return numbers(
        "All tags pooled on the test tweets",
        chosen,
        Column("model", NAME, get=lambda name: name),
        Column("CalibErr", ESTIMATE, get=lambda name: curves[name].error),
        Column("Algorithm 1", POINT, get=lambda name: curves[name].algorithm1_error),
        Column("refinement", digits(5), get=lambda name: curves[name].brier.refinement),
        Column("Brier score", digits(5), get=lambda name: curves[name].brier.score),
        Column("log loss", digits(5), get=lambda name: curves[name].log_loss.score),
        Column("-log P(gold tag)", digits(4), get=lambda name: chosen[name].test.gold_loss),
    )


def differences_table(in_test: Estimates, in_all: Estimates) -> Numbers:
    """The quantities on which findings are based, and a few more."""
    return numbers(
        "Evidence for the findings; differences are first minus second (loss or error above 0: the second is better)",
        in_test,
        Column("quantity", NAME, get=lambda name: name),
        Column("value", digits(6, sign=True), get=lambda name: in_test[name].value),
        Column("95 %, test tweets", interval_kind(6), get=in_test.get),
        Column("95 %, training and test tweets", interval_kind(6), get=in_all.get),
    )


def bin_size_table(chosen: Chosen) -> Numbers:
    columns = [Column("bin size", COUNT, values=BIN_SIZES)]
    for name, fit in chosen.items():
        curves = [fit.query_curve(bin_size=size) for size in BIN_SIZES]
        columns.append(Column(name, ESTIMATE, values=[curve.error for curve in curves]))
        columns.append(Column(f"{name}, Algorithm 1", POINT, values=[curve.algorithm1_error for curve in curves]))
    return numbers(f'CalibErr of the query "{QUERY}" by bin size', BIN_SIZES, *columns)


def ablation_table(templates: Chosen, whole: Fit, query: str = QUERY, how: str = TWEET_INTERVALS) -> Numbers:
    """CRFs with fewer families of features than CRF-Advanced."""
    curves = {name: fit.query_curve(query) for name, fit in templates.items()}
    pooled = {name: fit.pooled for name, fit in templates.items()}

    def more(name: str) -> Estimate | None:
        fit = templates[name]
        return (
            None
            if fit is whole
            else compare_on_tokens(fit.test.pairs, whole.test.pairs, POOLED_BIN_SIZE).brier_difference
        )

    return numbers(
        f"Families of features (section 4.1.2): adding one at a time{how}",
        templates,
        Column("features", NAME, get=lambda name: name),
        Column("c₂", VALUE, get=lambda name: templates[name].value),
        Column("accuracy", ESTIMATE, get=lambda name: templates[name].test.accuracy),
        Column(f"{query}: CalibErr", ESTIMATE, get=lambda name: curves[name].error),
        Column(f"{query}: refinement", digits(4), get=lambda name: curves[name].brier.refinement),
        Column("all: CalibErr", ESTIMATE, get=lambda name: pooled[name].error),
        Column("all: Brier score", digits(5), get=lambda name: pooled[name].brier.score),
        Column("all: log loss", digits(5), get=lambda name: pooled[name].log_loss.score),
        Column("all: Brier score, more than CRF-Advanced", estimate_kind(), get=more),
    )


def settings_table(fits: Sequence[Fit]) -> Numbers:
    pooled = [fit.pooled for fit in fits]
    return numbers(
        "Every setting on the test tweets",
        fits,
        Column("model", NAME, get=lambda fit: fit.kind.name),
        Column("setting", NAME),
        Column("accuracy (dev)", POINT, get=lambda fit: fit.dev.accuracy),
        Column("accuracy", POINT, get=lambda fit: fit.test.accuracy),
        Column(f"{QUERY}: CalibErr", ESTIMATE, get=lambda fit: fit.query_curve().error),
        Column("all: CalibErr", ESTIMATE, values=[curve.error for curve in pooled]),
        Column("all: Brier score", digits(5), values=[curve.brier.score for curve in pooled]),
        Column("all: log loss", digits(5), values=[curve.log_loss.score for curve in pooled]),
    )


def settings_figure(fits: Sequence[Sequence[Fit]], chosen: Chosen) -> Figure:
    """The calibration error over all tags against accuracy, as the setting changes."""
    paths = [
        (
            of_kind[0].kind.name,
            [
                Setting(f"{fit.value:g}", fit.test.accuracy.value, fit.pooled.error, fit is chosen[fit.kind.name])
                for fit in of_kind
            ],
        )
        for of_kind in fits
    ]
    what = "pseudocount, c₂ (ring: chosen)"
    return path_figure(paths, x_label="accuracy", y_label="calibration error, all tags", setting=what, root_y=True)
