"""Temperatures by the likelihood of gold tags: the minimum of a smooth function of one to three numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure import __version__
from howsure.errors import InputError
from howsure.inputs.checks import check_level
from howsure.inputs.naming import shortened, unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.sequences.chain.potentials import Potentials
from howsure.sequences.tag_posterior import TagPosterior
from howsure.sequences.tempering.gold_codes import check_unseen, gold_codes
from howsure.sequences.tempering.gold_likelihood import JOINT, MARGINAL, GoldLikelihood, GoldLosses
from howsure.sequences.tempering.temperatures import Temperatures, Unseen
from howsure.stats.estimate import Estimate

FURTHEST = 20.0  # no temperature is looked for beyond this, nor below its inverse
STARTS = (0.25, 0.5, 1.0, 2.0, 4.0)
FEWEST = 30  # unseen words in the sentences of the fit, without which they get no temperature of their own
LEVEL = 0.95
FLATTEST = 0.1  # curvature: below, the standard error of the logarithm of a temperature is above 3
STEP, WIDE_STEP = 1e-4, 1e-2  # of differences: for gradients, and for curvatures
EMISSIONS, TRANSITIONS, UNSEEN = range(3)  # places of the temperatures

Booleans = npt.NDArray[np.bool_]
Ends = tuple[float, float] | tuple[None, None]
Losses = Callable[[Floats], Floats]  # of each sentence, at logarithms of temperatures


def fit_temperatures(
    posterior: TagPosterior,
    tags: Any,
    *,
    unseen: Unseen | None = None,
    keep_answers: bool = False,
    likelihood: str = MARGINAL,
    unknown_tags: str = "error",
    level: float = LEVEL,
) -> Temperatures:
    """The temperatures under which the gold tags of sentences are most probable, for sentences not used in training.

    posterior: of these sentences. tags: their gold tags. unseen: for each sentence, whether each word is unseen (T,);
    emissions of unseen words then get a temperature of their own. keep_answers: one temperature for everything, under
    which the most probable sequences stay as they are. likelihood: "marginal", Σ log P(y_t | x) over all tokens, or
    "joint", Σ log P(y | x) over all sentences. unknown_tags: "error", or "keep" for leaving out tokens with gold tags
    that the model does not know, and counting them.

    The intervals come from the sandwich estimator, the sentence being the unit, with Student's quantiles.

    >>> rng = np.random.default_rng(0)
    >>> truth = TagPosterior(list(rng.normal(size=(200, 5, 3))), rng.normal(size=(3, 3)), labels=["D", "N", "V"])
    >>> gold = [truth.names(draw[0]) for draw in truth.sample(1, rng=1)]
    >>> print(fit_temperatures(truth.tempered(0.5), gold).emissions)  # of a model that is twice too sure
    1.9101 [1.6776, 2.1749]

    Raises InputError for tags of other sentences or of another tag set, for no tokens, and where the sentences cannot
    tell the temperature.

    Sources: Guo et al. 2017 (temperatures); Godambe 1960 (the sandwich).
    """
    if likelihood not in (MARGINAL, JOINT):
        raise unknown_name("likelihood", str(likelihood), (MARGINAL, JOINT), place="fit_temperatures")
    level = check_level(level)
    codes = gold_codes(posterior, tags, unknown_tags=unknown_tags)
    words = check_unseen(unseen, posterior.lengths)
    gold = GoldLikelihood.of(posterior._potentials, codes, words)
    return fitted(gold, keep_answers=keep_answers, likelihood=likelihood, level=level)


def fitted(gold: GoldLikelihood, *, keep_answers: bool, likelihood: str, level: float | None) -> Temperatures:
    """The same for what has been checked; without intervals if there is no level."""
    before = gold.at(1.0, 1.0, 1.0)
    parts = Parts.of(gold, before, likelihood)
    if not parts.sentences:
        what = "sequence" if likelihood == JOINT else "tag"
        raise InputError(f"tags must hold a {what} that the model holds possible; there is none to learn from.")
    place, notes = _places(gold, keep_answers=keep_answers)

    def losses(logs: Floats) -> Floats:
        return parts.losses(gold.at(*np.exp(logs)[place].tolist()))

    best = _minimum(losses, int(place.max()) + 1, parts.n)
    curvature = _checked_curvature(losses, best, place)
    ends: list[Ends] = [(None, None)] * len(best)
    if level is not None and parts.sentences > 1:
        ends = _intervals(_gradients(losses, best, STEP), best, curvature, level)
    level = LEVEL if level is None else level
    made = f"{likelihood} likelihood"
    values = np.exp(best)
    estimates = [
        Estimate(float(value), low, high, level=level, method=made, n=parts.sentences)
        for value, (low, high) in zip(values, ends, strict=True)
    ]
    after = gold.at(*values[place].tolist())
    return Temperatures(
        emissions=estimates[place[EMISSIONS]],
        transitions=estimates[place[TRANSITIONS]],
        unseen=estimates[place[UNSEEN]] if place[UNSEEN] != place[EMISSIONS] else None,
        tag_loss=(_mean(before.of_tokens), _mean(after.of_tokens)),
        sequence_loss=tuple(_of_sequences(gold, one) for one in (before, after)),  # type: ignore[arg-type]
        n=parts.n,
        sentences=parts.sentences,
        left_out=len(gold.codes) - parts.n,
        recipe={
            "howsure": __version__, "method": "temperatures of potentials", "likelihood": likelihood,
            "keep_answers": keep_answers, "level": level, "sentences": parts.sentences, "tokens": parts.n,
        },
        notes=notes,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """What counts in the losses: tokens, or whole sentences."""

    joint: bool
    counts: Booleans  # of each token, or of each sentence
    of_token: Integers  # its sentence, among those that count
    sentences: int
    n: int

    @classmethod
    def of(cls, gold: GoldLikelihood, losses: GoldLosses, likelihood: str) -> Parts:
        """All that is possible at the temperature 1, and so at every one."""
        lengths = gold.potentials.lengths
        if likelihood == JOINT:
            counts = np.isfinite(losses.of_sequences) & (lengths > 0)
            return cls(True, counts, np.empty(0, np.int64), int(counts.sum()), int(lengths[counts].sum()))
        counts = np.isfinite(losses.of_tokens)
        sentences, of_token = np.unique(np.repeat(np.arange(len(lengths)), lengths)[counts], return_inverse=True)
        return cls(False, counts, of_token, len(sentences), int(counts.sum()))

    def losses(self, found: GoldLosses) -> Floats:
        """The loss of each sentence that counts."""
        if self.joint:
            losses: Floats = found.of_sequences[self.counts]
            return losses
        return np.bincount(self.of_token, found.of_tokens[self.counts], self.sentences).astype(np.float64)


def _mean(losses: Floats) -> float:
    counted = losses[np.isfinite(losses)]
    return float(counted.mean()) if len(counted) else math.nan


def _of_sequences(gold: GoldLikelihood, losses: GoldLosses) -> float:
    """Per token of the sentences whose gold sequence is possible; NaN if none is."""
    counts = np.isfinite(losses.of_sequences) & (gold.potentials.lengths > 0)
    tokens = int(gold.potentials.lengths[counts].sum())
    return float(losses.of_sequences[counts].sum() / tokens) if tokens else math.nan


def _places(gold: GoldLikelihood, *, keep_answers: bool) -> tuple[Integers, tuple[str, ...]]:
    """Which of the temperatures sought are those of emissions, transitions and unseen words."""
    place, notes = np.zeros(3, dtype=np.int64), []
    if keep_answers:
        return place, ()
    if _matter(gold.potentials):
        place[TRANSITIONS] = 1
    else:
        notes.append("the potentials of transitions are all alike, so that no temperature of theirs changes anything")
    if gold.unseen is not None:
        words = np.concatenate([np.empty(0, bool), *gold.unseen])
        few = min(int(words.sum()), int((~words).sum()))
        if few >= FEWEST and _tell(gold, words):
            place[UNSEEN] = place.max() + 1
        else:
            why = f"there are {few:,} of them (or of the others)" if few < FEWEST else "all tags emit them alike"
            notes.append(f"unseen words have no temperature of their own: {why}")
    return place, tuple(notes)


def _matter(held: Potentials) -> bool:
    """Whether a temperature of transitions, starts and ends can change anything: some differ and are finite."""
    parts = [one for one in (held.start, held.end) if one is not None]
    parts += [held.transitions] if held.shared else list(held.transitions)
    finite = [one[np.isfinite(one)] for one in map(np.asarray, parts)]
    if held.shared and not (held.lengths > 1).any():
        finite = finite[:-1]
    return any(len(one) and float(np.ptp(one)) > 0 for one in finite)


def _tell(gold: GoldLikelihood, unseen: Any) -> bool:
    """Whether the emissions of unseen words tell tags apart."""
    rows = np.concatenate([one for one in gold.potentials.emissions if len(one)])[unseen]
    return bool((np.ptp(np.where(np.isfinite(rows), rows, 0.0), axis=1) > 0).any())


def _minimum(losses: Losses, size: int, n: int) -> Floats:
    """The logarithms of the temperatures of least loss, from the best of some starts."""
    from scipy.optimize import minimize

    def value(logs: Floats) -> float:
        return float(losses(logs).sum()) / n

    def gradient(logs: Floats) -> Floats:
        found: Floats = _gradients(losses, logs, STEP).sum(axis=0) / n
        return found

    starts = [np.full(size, math.log(one)) for one in STARTS]
    start = min(starts, key=value)
    limit = math.log(FURTHEST)
    options = {"ftol": 1e-13, "gtol": 1e-7, "maxiter": 100}
    found = minimize(value, start, jac=gradient, method="L-BFGS-B", bounds=[(-limit, limit)] * size, options=options)
    best: Floats = np.asarray(found.x, dtype=np.float64)
    return best


def _checked_curvature(losses: Losses, best: Floats, place: Integers) -> Floats:
    """The second derivatives at the minimum. Raises InputError for a temperature that the sentences cannot tell."""
    names = ("emissions", "transitions", "emissions of unseen words")  # by their places
    far = np.abs(best) > math.log(FURTHEST) - 1e-6
    if far.any():
        end = 1 / FURTHEST if best[far][0] < 0 else FURTHEST
        loose, why = int(np.flatnonzero(far)[0]), f"the likelihood still grows at {end:g}"
    else:
        curvature = _curvature(losses, best)
        values, directions = np.linalg.eigh(curvature)
        if values[0] > FLATTEST:
            return curvature
        loose, why = int(np.abs(directions[:, 0]).argmax()), "the likelihood hardly changes with it"
    held = shortened(name for name, at in zip(names, place.tolist(), strict=True) if at == loose)
    raise InputError(
        f"the sentences cannot tell the temperature of the {held}: {why}, as it does where the model is right almost "
        "everywhere or knows nothing. Give more sentences with gold tags, none of them from training, or take one "
        "temperature for everything (keep_answers=True)."
    )


def _gradients(losses: Losses, logs: Floats, step: float) -> Floats:
    """(sentences, temperatures), by central differences."""
    columns = [(losses(logs + move) - losses(logs - move)) / (2 * step) for move in step * np.eye(len(logs))]
    return np.stack(columns, axis=1)


def _intervals(gradients: Floats, best: Floats, curvature: Floats, level: float) -> list[Ends]:
    """By the sandwich, curvature⁻¹ · Σ g gᵀ · curvature⁻¹ over sentences."""
    from scipy.special import stdtrit

    sentences, inverse = len(gradients), np.linalg.inv(curvature)
    spread = inverse @ (gradients.T @ gradients) @ inverse * (sentences / (sentences - 1))
    reach = float(stdtrit(sentences - 1, (1 + level) / 2)) * np.sqrt(np.diag(spread))
    return [(math.exp(x - r), math.exp(x + r)) for x, r in zip(best.tolist(), reach.tolist(), strict=True)]


def _curvature(losses: Losses, best: Floats) -> Floats:
    """The second derivatives of the sum."""
    moves, middle = WIDE_STEP * np.eye(len(best)), float(losses(best).sum())

    def total(move: Floats) -> float:
        return float(losses(best + move).sum())

    along = [total(move) + total(-move) - 2 * middle for move in moves]
    found = np.diag(along)
    for i, j in combinations(range(len(best)), 2):
        both = total(moves[i] + moves[j]) + total(-moves[i] - moves[j])
        found[i, j] = found[j, i] = (both - 2 * middle - along[i] - along[j]) / 2
    curvature: Floats = found / WIDE_STEP**2
    return curvature
