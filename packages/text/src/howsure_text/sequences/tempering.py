"""Fitting the temperatures of taggers to gold tags."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from howsure import __version__
from howsure.errors import InputError
from howsure.inputs.arguments import Randomness, generator_from
from howsure.inputs.numbers_and_names import check_level, counted, unknown_name
from howsure.inputs.pairs import Bools, Floats, Integers
from howsure.inputs.parameter_types import ArrayLike
from howsure.result import Estimate
from howsure.stats.clusters import jackknife_error
from howsure.stats.proportions import t_quantile
from howsure_text.sequences.potentials import Potentials, check_count
from howsure_text.sequences.tag_posterior import TagPosterior
from howsure_text.sequences.temperatures import (
    JOINT,
    MARGINAL,
    GoldLikelihood,
    GoldLosses,
    Temperatures,
    Unseen,
    check_unseen,
    gold_codes,
)

MAX_TEMPERATURE = 20.0  # the search is limited to this value and its inverse
STARTS = (0.25, 0.5, 1.0, 2.0, 4.0)
MIN_CURVATURE = 0.1  # with less curvature, the standard error of the logarithm of a temperature is above 3
STEP, WIDE_STEP = 1e-4, 1e-2  # steps of finite differences, for gradients and for curvatures
Losses = Callable[[Floats], Floats]  # the loss of each sentence, at logarithms of temperatures
Ends = tuple[float, float] | tuple[None, None]


@dataclass(frozen=True, slots=True, eq=False)
class Minimum:
    """The minimum of the summed losses of sentences over the logarithms of temperatures.

    at: the logarithms at the minimum. curvatures: the Hessian of each sentence's loss there. loose: the index of a
    temperature that the losses do not determine, if there is one; why: the reason.
    """

    at: Floats
    curvatures: Floats  # (sentences, temperatures, temperatures)
    loose: int | None = None
    why: str = ""

    @property
    def curvature(self) -> Floats:
        return np.asarray(self.curvatures.sum(axis=0))


def minimise_losses(losses: Losses, size: int, n: int) -> Minimum:
    """Find the minimum of the losses of n tokens over `size` temperatures.

    >>> minimise_losses(lambda logs: np.array([float(((logs - 0.3) ** 2).sum())]), 1, 1).at.round(6)
    array([0.3])
    """
    best = _best(losses, size, n)
    far = np.abs(best) > math.log(MAX_TEMPERATURE) - 1e-6
    minimum = Minimum(best, _curvatures(losses, best))
    if far.any():
        loose = int(np.flatnonzero(far)[-1])
        end = MAX_TEMPERATURE if best[loose] > 0 else 1 / MAX_TEMPERATURE
        return replace(minimum, loose=loose, why=f"the likelihood still grows at {end:g}")
    values, directions = np.linalg.eigh(minimum.curvature)
    if values[0] > MIN_CURVATURE:
        return minimum
    return replace(minimum, loose=int(np.abs(directions[:, 0]).argmax()), why="the likelihood hardly changes with it")


def intervals(losses: Losses, minimum: Minimum, level: float) -> list[Ends]:
    """Return the interval of each temperature by a jackknife over at least two sentences, with Student's quantiles.

    Without sentence i, the minimum moves by (Σ H - H_i)⁻¹ g_i, where g_i and H_i are the gradient and the curvature of
    its loss. This is one Newton step, so the model is not fitted again. An interval is None if the other sentences
    hardly determine the temperature, and its ends would overflow.
    """
    gradients, curvatures = _gradients(losses, minimum.at), minimum.curvatures
    sentences, rest = len(gradients), minimum.curvature - curvatures
    if np.linalg.eigvalsh(rest).min() <= 0:  # without one of the sentences, a temperature is undetermined
        return [(None, None)] * len(minimum.at)
    steps = np.linalg.solve(rest, gradients[:, :, None])[:, :, 0]
    reach = t_quantile(level, sentences - 1) * jackknife_error(steps)
    with np.errstate(over="ignore"):
        lows, highs = np.exp(minimum.at - reach), np.exp(minimum.at + reach)
    return [
        (low, high) if math.isfinite(high) else (None, None)
        for low, high in zip(lows.tolist(), highs.tolist(), strict=True)
    ]


def _best(losses: Losses, size: int, n: int) -> Floats:
    """Return the minimum found by L-BFGS-B from the best of several starting points."""
    from scipy.optimize import minimize

    def value(logs: Floats) -> float:
        return float(losses(logs).sum()) / n

    def gradient(logs: Floats) -> Floats:
        return np.asarray(_gradients(losses, logs).sum(axis=0) / n)

    start = min((np.full(size, math.log(start)) for start in STARTS), key=value)
    limit = math.log(MAX_TEMPERATURE)
    options = {"ftol": 1e-13, "gtol": 1e-7, "maxiter": 100}
    solution = minimize(value, start, jac=gradient, method="L-BFGS-B", bounds=[(-limit, limit)] * size, options=options)
    return np.asarray(solution.x, dtype=np.float64)


def _gradients(losses: Losses, logs: Floats) -> Floats:
    """Return the gradients (sentences, temperatures) by central differences."""
    columns = [(losses(logs + move) - losses(logs - move)) / (2 * STEP) for move in STEP * np.eye(len(logs))]
    return np.stack(columns, axis=1)


def _curvatures(losses: Losses, best: Floats) -> Floats:
    """Return the second derivatives (sentences, temperatures, temperatures) by central differences."""
    moves, middle = WIDE_STEP * np.eye(len(best)), losses(best)

    def bend(move: Floats) -> Floats:
        return losses(best + move) + losses(best - move) - 2 * middle

    along = [bend(move) for move in moves]
    hessian = np.empty((len(middle), len(best), len(best)))
    for i, second_derivative in enumerate(along):
        hessian[:, i, i] = second_derivative
    for i, j in combinations(range(len(best)), 2):
        hessian[:, i, j] = hessian[:, j, i] = (bend(moves[i] + moves[j]) - along[i] - along[j]) / 2
    return hessian / WIDE_STEP**2


MIN_UNSEEN_WORDS = 30  # number of unseen words that is needed for a temperature of their own
LEVEL = 0.95
EMISSIONS, TRANSITIONS, UNSEEN = range(3)  # indices of the temperatures
NAMES = ("emissions", "transitions", "emissions of unseen words")
Booleans = Bools


def fit_temperatures(
    posterior: TagPosterior,
    tags: Sequence[ArrayLike],
    *,
    unseen: Unseen | None = None,
    keep_answers: bool = False,
    likelihood: str = MARGINAL,
    unknown_tags: str = "error",
    level: float = LEVEL,
) -> Temperatures:
    """Fit the temperatures under which the gold tags of sentences are most probable.

    posterior: the posterior of sentences that were not used in training. tags: their gold tags. unseen: for each
    sentence, whether each word is unseen in training (T,); the emissions of unseen words then get their own
    temperature. keep_answers: use one temperature for all potentials, so that the most probable sequences do not
    change. likelihood: maximise "marginal", Σ log P(y_t | x) over all tokens, or "joint", Σ log P(y | x) over all
    sentences. unknown_tags: "error", or "keep" to leave out, and count, tokens whose gold tag the model does not know.

    Intervals are computed by the jackknife over sentences, approximated by one Newton step each, with Student's
    quantiles.

    >>> rng = np.random.default_rng(0)
    >>> truth = TagPosterior(list(rng.normal(size=(200, 5, 3))), rng.normal(size=(3, 3)), labels=["D", "N", "V"])
    >>> gold = [truth.names(draw[0]) for draw in truth.sample(1, rng=1)]
    >>> print(fit_temperatures(truth.tempered(0.5), gold).emissions)  # the log-odds of this model are twice too large
    1.9101 [1.6756, 2.1774]

    Sources: Guo et al. 2017 (temperatures); Cain & Lange 1984 (the jackknife by one step).
    """
    if likelihood not in (MARGINAL, JOINT):
        raise unknown_name("likelihood", str(likelihood), (MARGINAL, JOINT), place="fit_temperatures")
    level = check_level(level)
    codes = gold_codes(posterior, tags, unknown_tags=unknown_tags)
    words = check_unseen(unseen, posterior.lengths)
    gold = GoldLikelihood.of(posterior._potentials, codes, words)
    return fit_checked(gold, keep_answers=keep_answers, likelihood=likelihood, level=level)


def fit_checked(gold: GoldLikelihood, *, keep_answers: bool, likelihood: str, level: float | None) -> Temperatures:
    """Fit temperatures to checked gold tags; without intervals if level is None."""
    before = gold.at(1.0, 1.0, 1.0)
    parts = Parts.of(gold, before, likelihood)
    if not parts.sentences:
        what = "sequence" if likelihood == JOINT else "tag"
        raise InputError(
            f"tags must contain a {what} that is possible in the model; none is, so there is nothing to learn from."
        )
    temperature_index, notes = _temperature_indices(gold, keep_answers=keep_answers)
    minimum, temperature_index, notes = _estimable_minimum(gold, parts, temperature_index, notes)
    ends: list[Ends] = [(None, None)] * len(minimum.at)
    if level is not None and parts.sentences > 1:
        ends = intervals(_losses(gold, parts, temperature_index), minimum, level)
    level = LEVEL if level is None else level
    method = f"{likelihood} likelihood"
    values = np.exp(minimum.at)
    estimates = [
        Estimate(float(value), low, high, level=level, method=method, n=parts.sentences)
        for value, (low, high) in zip(values, ends, strict=True)
    ]
    after = gold.at(*values[temperature_index].tolist())
    return Temperatures(
        emissions=estimates[temperature_index[EMISSIONS]],
        transitions=estimates[temperature_index[TRANSITIONS]],
        unseen=estimates[temperature_index[UNSEEN]]
        if temperature_index[UNSEEN] != temperature_index[EMISSIONS]
        else None,
        tag_loss=(_mean(before.of_tokens), _mean(after.of_tokens)),
        sequence_loss=tuple(_sequence_loss(gold, likelihood) for likelihood in (before, after)),  # type: ignore[arg-type]
        n=parts.n,
        sentences=parts.sentences,
        left_out=len(gold.codes) - parts.n,
        recipe={
            "howsure": __version__,
            "method": "temperatures of potentials",
            "likelihood": likelihood,
            "keep_answers": keep_answers,
            "level": level,
            "sentences": parts.sentences,
            "tokens": parts.n,
        },
        notes=notes,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The terms of the loss that count because they are possible: tokens, or whole sentences if `joint`."""

    joint: bool
    counts: Booleans  # of each token, or of each sentence
    of_token: Integers  # the sentence of each token that counts, as an index among the sentences that count
    sentences: int
    n: int

    @classmethod
    def of(cls, gold: GoldLikelihood, losses: GoldLosses, likelihood: str) -> Parts:
        """Select the terms of the likelihood that are possible at the temperature 1, and hence at every temperature."""
        lengths = gold.potentials.lengths
        if likelihood == JOINT:
            counts = np.isfinite(losses.of_sequences) & (lengths > 0)
            return cls(True, counts, np.empty(0, np.int64), int(counts.sum()), int(lengths[counts].sum()))
        counts = np.isfinite(losses.of_tokens)
        sentences, of_token = np.unique(np.repeat(np.arange(len(lengths)), lengths)[counts], return_inverse=True)
        return cls(False, counts, of_token, len(sentences), int(counts.sum()))

    def losses(self, gold_losses: GoldLosses) -> Floats:
        """Return the loss of each sentence that is used."""
        if self.joint:
            return np.asarray(gold_losses.of_sequences[self.counts])
        return np.bincount(self.of_token, gold_losses.of_tokens[self.counts], self.sentences).astype(np.float64)


def _losses(gold: GoldLikelihood, parts: Parts, temperature_index: Integers) -> Losses:
    """Return the loss of each sentence as a function of log temperatures.

    place: for emissions, transitions and unseen words, the index of their temperature among those that are fitted.
    """
    return lambda logs: parts.losses(gold.at(*np.exp(logs)[temperature_index].tolist()))


def _estimable_minimum(
    gold: GoldLikelihood, parts: Parts, temperature_index: Integers, notes: tuple[str, ...]
) -> tuple[Minimum, Integers, tuple[str, ...]]:
    """Find the minimum. A temperature that cannot be estimated equals that of emissions."""
    while True:
        minimum = minimise_losses(_losses(gold, parts, temperature_index), int(temperature_index.max()) + 1, parts.n)
        if minimum.loose is None:
            return minimum, temperature_index, notes
        loose_parts = [
            potential for potential in (TRANSITIONS, UNSEEN) if temperature_index[potential] == minimum.loose
        ]
        if not minimum.loose or not loose_parts:
            break
        notes += (
            f"the sentences do not determine a temperature of the {NAMES[loose_parts[0]]}, which get the temperature "
            "of emissions",
        )
        temperature_index = np.where(
            temperature_index > minimum.loose,
            temperature_index - 1,
            np.where(temperature_index == minimum.loose, 0, temperature_index),
        )
    several = bool(temperature_index.any())
    what = f"temperature of the {NAMES[EMISSIONS]}" if several else "temperature"
    advice = ", or use one temperature for everything (`keep_answers=True`)" if several else ""
    raise InputError(
        f"the sentences do not determine the {what}: {minimum.why}, for example because the model is almost always "
        f"right, or no better than chance. Give more sentences with gold tags that were not used for training{advice}."
    )


def _mean(losses: Floats) -> float:
    counted = losses[np.isfinite(losses)]
    return float(counted.mean()) if len(counted) else math.nan


def _sequence_loss(gold: GoldLikelihood, losses: GoldLosses) -> float:
    """Return the loss per token of the sentences whose gold sequence is possible; NaN if there is none."""
    counts = np.isfinite(losses.of_sequences) & (gold.potentials.lengths > 0)
    tokens = int(gold.potentials.lengths[counts].sum())
    return float(losses.of_sequences[counts].sum() / tokens) if tokens else math.nan


def _temperature_indices(gold: GoldLikelihood, *, keep_answers: bool) -> tuple[Integers, tuple[str, ...]]:
    """Return which temperature emissions, transitions and unseen words get, and notes on shared temperatures.

    The array has, for each of the three, the index of its temperature among those that are fitted.
    """
    temperature_index, notes = np.zeros(3, dtype=np.int64), []
    if keep_answers:
        return temperature_index, ()
    if _transitions_matter(gold.potentials):
        temperature_index[TRANSITIONS] = 1
    else:
        notes.append("the potentials of transitions are all equal, so their temperature has no effect")
    words = gold.words
    if words is not None:
        n_rarer = min(int(words.sum()), int((~words).sum()))
        if n_rarer >= MIN_UNSEEN_WORDS and _unseen_words_differ(gold, words):
            temperature_index[UNSEEN] = temperature_index.max() + 1
        else:
            why = (
                f"because there are only {n_rarer:,} unseen (or seen) words, and {MIN_UNSEEN_WORDS} are needed"
                if n_rarer < MIN_UNSEEN_WORDS
                else "because all tags emit them with the same probability"
            )
            notes.append(f"unseen words do not have their own temperature, {why}")
    return temperature_index, tuple(notes)


def _transitions_matter(potentials: Potentials) -> bool:
    """Return whether a temperature of transitions, starts and ends has an effect: some differ and are finite."""
    parts = [part for part in (potentials.start, potentials.end) if part is not None]
    parts += [potentials.transitions] if potentials.shared else list(potentials.transitions)
    finite = [part[np.isfinite(part)] for part in map(np.asarray, parts)]
    if potentials.shared and not (potentials.lengths > 1).any():
        finite = finite[:-1]
    return any(len(finite_part) and float(np.ptp(finite_part)) > 0 for finite_part in finite)


def _unseen_words_differ(gold: GoldLikelihood, unseen: Any) -> bool:
    """Return whether the emissions of unseen words differ between tags."""
    rows = np.concatenate([emission for emission in gold.potentials.emissions if len(emission)])[unseen]
    return bool((np.ptp(np.where(np.isfinite(rows), rows, 0.0), axis=1) > 0).any())


def cross_tempered(
    posterior: TagPosterior,
    tags: Sequence[ArrayLike],
    *,
    folds: int = 5,
    rng: Randomness = 0,
    unseen: Unseen | None = None,
    keep_answers: bool = False,
    likelihood: str = MARGINAL,
    unknown_tags: str = "error",
) -> TagPosterior:
    """Return the posterior with cross-fitted temperatures, for an unbiased evaluation on the same sentences.

    The sentences are divided at random into `folds` parts; each part gets temperatures fitted to the other parts. The
    other arguments are those of `fit_temperatures`.

    >>> rng = np.random.default_rng(0)
    >>> truth = TagPosterior(list(rng.normal(size=(200, 5, 3))), rng.normal(size=(3, 3)), labels=["D", "N", "V"])
    >>> gold = [truth.names(draw[0]) for draw in truth.sample(1, rng=1)]
    >>> sure = truth.tempered(0.5)
    >>> bool(cross_tempered(sure, gold).log_prob(gold).sum() > sure.log_prob(gold).sum())
    True

    Raises the errors of `fit_temperatures`, and InputError for fewer than two sentences with tokens.
    """
    codes = gold_codes(posterior, tags, unknown_tags=unknown_tags)
    words = check_unseen(unseen, posterior.lengths)
    gold = GoldLikelihood.of(posterior._potentials, codes, words)
    filled = np.flatnonzero(posterior.lengths)
    n_folds = min(check_count(folds, "folds"), len(filled))
    if n_folds < 2:
        text = counted(len(filled), "sentence")
        raise InputError(f"cross-fitting needs at least 2 folds with a sentence in each; folds = {folds}, {text}.")
    fold_of = np.full(len(posterior), -1)
    fold_of[generator_from(rng).permutation(filled)] = np.arange(len(filled)) % n_folds
    local: list[float | Floats] = [1.0] * len(posterior)
    between = np.ones(len(posterior))
    for fold in range(n_folds):
        others = np.flatnonzero((fold_of >= 0) & (fold_of != fold))
        temperatures = fit_checked(gold.select(others), keep_answers=keep_answers, likelihood=likelihood, level=None)
        members = np.flatnonzero(fold_of == fold)
        between[members] = temperatures.transitions.value
        local_temperatures = temperatures.of_words(None if words is None else [words[i] for i in members.tolist()])
        for index, i in enumerate(members.tolist()):
            local[i] = local_temperatures if isinstance(local_temperatures, float) else local_temperatures[index]
    return posterior.tempered(local, transitions=between.tolist())
