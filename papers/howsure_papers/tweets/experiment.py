"""Section 4.2 of Nguyen's thesis: the calibration of an HMM and of two CRFs on the tags of tweets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from howsure import __version__
from howsure.calibration.comparison import compare_pairs
from howsure.calibration.curve import curve_of
from howsure.figures.calibration import curve_figure
from howsure.sequences.features import FAMILIES
from howsure.stats.estimate import Estimate
from howsure_papers.label_errors import clustered_mean
from howsure_papers.replicates import SUBSAMPLES, over_training, random_subsamples
from howsure_papers.reproduction import Advance, Reproduction, nobody
from howsure_papers.tagging.corpora import Corpus
from howsure_papers.tweets.models import (
    DATA,
    NEAR_PENALTIES,
    PENALTIES,
    POOLED_BIN_SIZE,
    QUERY,
    Fit,
    best,
    crf,
    every_fit,
    hmm,
    read_ark,
)
from howsure_papers.tweets.results import (
    ADVANCED,
    BASIC,
    CAPTIONS,
    HMM,
    ONE,
    SHAPES,
    ablation_table,
    bin_size_table,
    differences_table,
    findings,
    models_table,
    notes,
    path_of_settings,
    pooled_table,
    settings_table,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BIN_SIZE = 200
LEVEL = 0.95
KINDS = (
    hmm(ONE, "uniform", (1.0,)),
    hmm(HMM, "uniform"),
    hmm(SHAPES, "shape"),
    crf(BASIC, "basic", PENALTIES),
    crf(ADVANCED, "advanced", PENALTIES[:-1]),
)
CONTESTS = ((HMM, BASIC), (BASIC, ADVANCED), (ONE, BASIC), (SHAPES, BASIC))  # in each, is the second one better?
NEAR = 0.01  # accuracy that is as good as the best

Fits = Mapping[str, Sequence[Fit]]


def reproduce_tweets(
    *, data: str | None = None, limit: int | None = None, seed: int = 0, advance: Advance = nobody
) -> Reproduction:
    """Run section 4.2 of the thesis again: an HMM, CRF-Basic and CRF-Advanced on tweets, asked "is this word a verb?".

    Every setting of every model's grid is fitted on the training tweets and on random halves of them, and the one that
    is most accurate on the development tweets chosen. Then CRF-Advanced gains and loses its families of features.
    `limit`: only the first tweets of each part. `advance` is told of every model; there are `steps_of_tweets()`.

    Raises InputError if the data set `ark_twitter_pos` is not found.
    """
    corpus = read_ark(data, limit)
    labels = corpus.labels
    fits = _all_fits(corpus, labels, advance)
    extremes = {name: near_extremes(of_kind) for name, of_kind in fits.items()}
    in_test = quantities(fits, extremes)
    replicates = []
    for rows in random_subsamples(len(corpus.train), rng=seed):
        half = Corpus(corpus.key, corpus.name, corpus.train.only(rows), corpus.dev, corpus.test)
        replicates.append(quantities(_all_fits(half, labels, advance), extremes))
    in_all = {name: over_training(one, [other[name].value for other in replicates]) for name, one in in_test.items()}
    chosen = {name: best(of_kind) for name, of_kind in fits.items()}
    curves = [
        curve_of(fit.test.verb, bin_size=BIN_SIZE, interval="nguyen-oconnor", level=LEVEL, rng=seed, name=name)
        for name, fit in chosen.items()
    ]
    templates = {BASIC: chosen[BASIC]} | _ablation(corpus, labels, advance) | {ADVANCED: chosen[ADVANCED]}

    def draw() -> dict[str, Figure]:
        shown = [curve for curve in curves if curve.name in (HMM, BASIC, ADVANCED)]
        labels = [f"{curve.name}, acc. {chosen[curve.name or ''].test.accuracy.value:.3f}" for curve in shown]
        return {
            "figures-4-4-to-4-6": curve_figure(shown, labels=labels, panels=True),
            "settings": path_of_settings([fits[name] for name in (HMM, BASIC, SHAPES, ADVANCED)], chosen),
        }

    tables = (
        models_table(chosen, curves),
        pooled_table(chosen),
        differences_table(in_test, in_all),
        bin_size_table({name: chosen[name] for name in (HMM, BASIC, ADVANCED)}),
        ablation_table(templates, chosen[ADVANCED]),
        settings_table(fits),
    )
    recipe = {
        "howsure": __version__, "data": DATA, "tweets": list(corpus.sizes), "tokens": corpus.test.tokens,
        "query": QUERY, "bin_size": BIN_SIZE, "pooled_bin_size": POOLED_BIN_SIZE, "subsamples": SUBSAMPLES,
        "seed": seed,
    }  # fmt: skip
    title = "HMMs and CRFs on the tags of tweets (Nguyen's thesis, section 4.2, Figures 4.4–4.6)"
    told = findings(in_all, chosen, curves, extremes)
    return Reproduction("tweets", title, told, tables, recipe, draw, notes(), CAPTIONS)


def steps_of_tweets() -> int:
    """How many models `reproduce_tweets` fits."""
    return sum(len(kind.grid) for kind in KINDS) * (1 + SUBSAMPLES) + len(_templates()) * len(NEAR_PENALTIES)


def quantities(fits: Fits, extremes: Mapping[str, tuple[float, float]]) -> dict[str, Estimate]:
    """What is asked of the chosen models, and of two settings of each kind, with intervals over the test tweets."""
    chosen = {name: best(of_kind) for name, of_kind in fits.items()}
    found = {f"accuracy, {name}": fit.test.accuracy for name, fit in chosen.items()}
    for worse, better in CONTESTS:
        found |= _contest(f"{worse} - {better}", chosen[worse], chosen[better])
    for name, (worst, least) in extremes.items():
        if worst != least:
            by_value = {fit.value: fit for fit in fits[name]}
            found |= _settings_contest(f"{name}, {worst:g} - {least:g}", by_value[worst], by_value[least])
    return found


def near_extremes(fits: Sequence[Fit]) -> tuple[float, float]:
    """Of the settings nearly as accurate as the best on the development tweets, the worst and the best calibrated."""
    most = best(fits).dev.right.mean()
    near = [fit for fit in fits if fit.dev.right.mean() >= most - NEAR]
    ordered = sorted(near, key=lambda fit: fit.dev.pooled_error.value)
    return ordered[-1].value, ordered[0].value


def _all_fits(corpus: Corpus, labels: Sequence[str], advance: Advance) -> dict[str, list[Fit]]:
    return {kind.name: every_fit(kind, corpus, labels, advance) for kind in KINDS}


def _contest(name: str, a: Fit, b: Fit) -> dict[str, Estimate]:
    """Differences a - b on the query and over all tags: of squared errors, Brier scores and log losses."""
    verb = compare_pairs(a.test.verb, b.test.verb, bin_size=BIN_SIZE, n_bins=None, binning="adaptive", level=LEVEL)
    return {
        f"{QUERY}, squared error: {name}": verb.squared_error_difference,
        f"{QUERY}, Brier score: {name}": verb.brier_difference,
        f"{QUERY}, log loss: {name}": verb.log_loss_difference,
    } | _pooled_contest(name, a, b)


def _settings_contest(name: str, a: Fit, b: Fit) -> dict[str, Estimate]:
    """Differences of two settings of a kind, over all tags, and of their accuracy."""
    accuracy = clustered_mean(a.test.right - b.test.right, a.test.clusters)
    return {f"accuracy: {name}": accuracy} | _pooled_contest(name, a, b)


def _pooled_contest(name: str, a: Fit, b: Fit) -> dict[str, Estimate]:
    pooled = compare_pairs(
        a.test.pooled, b.test.pooled, bin_size=POOLED_BIN_SIZE, n_bins=None, binning="adaptive", level=LEVEL
    )
    return {
        f"all tags, squared error: {name}": pooled.squared_error_difference,
        f"all tags, Brier score: {name}": pooled.brier_difference,
        f"all tags, log loss: {name}": pooled.log_loss_difference,
    }


def _templates() -> dict[str, tuple[str, ...]]:
    """The families of features of every CRF between basic and advanced: one more each time, and all but one."""
    names = tuple(FAMILIES)
    more = {f"+ {name}": names[: i + 1] for i, name in enumerate(names[:-1]) if i > 0}
    return more | {f"all but {name}": tuple(one for one in names if one != name) for name in names}


def _ablation(corpus: Corpus, labels: Sequence[str], advance: Advance) -> dict[str, Fit]:
    return {
        name: best(every_fit(crf(name, families, NEAR_PENALTIES), corpus, labels, advance))
        for name, families in _templates().items()
    }
