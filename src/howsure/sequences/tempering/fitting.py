"""Temperatures by the likelihood of gold tags: the minimum of a smooth function of one to three numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure import __version__
from howsure.errors import InputError
from howsure.inputs.checks import check_level
from howsure.inputs.naming import unknown_name
from howsure.inputs.pairs import Floats, Integers
from howsure.sequences.chain.potentials import Potentials
from howsure.sequences.tag_posterior import TagPosterior
from howsure.sequences.tempering.gold_codes import check_unseen, gold_codes
from howsure.sequences.tempering.gold_likelihood import JOINT, MARGINAL, GoldLikelihood, GoldLosses
from howsure.sequences.tempering.minimum import Ends, Losses, Minimum, intervals, least
from howsure.sequences.tempering.temperatures import Temperatures, Unseen
from howsure.stats.estimate import Estimate

FEWEST = 30  # unseen words in the sentences of the fit, without which they get no temperature of their own
LEVEL = 0.95
EMISSIONS, TRANSITIONS, UNSEEN = range(3)  # places of the temperatures
NAMES = ("emissions", "transitions", "emissions of unseen words")

Booleans = npt.NDArray[np.bool_]


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

    The intervals come from the jackknife, leaving out one sentence at a time (by a step of Newton's), with Student's
    quantiles.

    >>> rng = np.random.default_rng(0)
    >>> truth = TagPosterior(list(rng.normal(size=(200, 5, 3))), rng.normal(size=(3, 3)), labels=["D", "N", "V"])
    >>> gold = [truth.names(draw[0]) for draw in truth.sample(1, rng=1)]
    >>> print(fit_temperatures(truth.tempered(0.5), gold).emissions)  # of a model that is twice too sure
    1.9101 [1.6756, 2.1774]

    Raises InputError for tags of other sentences or of another tag set, for no tokens, and where the sentences cannot
    tell the temperature.

    Sources: Guo et al. 2017 (temperatures); Cain & Lange 1984 (the jackknife by one step).
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
    found, place, notes = _told(gold, parts, place, notes)
    ends: list[Ends] = [(None, None)] * len(found.at)
    if level is not None and parts.sentences > 1:
        ends = intervals(_losses(gold, parts, place), found, level)
    level = LEVEL if level is None else level
    made = f"{likelihood} likelihood"
    values = np.exp(found.at)
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


def _losses(gold: GoldLikelihood, parts: Parts, place: Integers) -> Losses:
    """The loss of each sentence at logarithms of temperatures, which stand in these places."""
    return lambda logs: parts.losses(gold.at(*np.exp(logs)[place].tolist()))


def _told(
    gold: GoldLikelihood, parts: Parts, place: Integers, notes: tuple[str, ...]
) -> tuple[Minimum, Integers, tuple[str, ...]]:
    """The minimum. Transitions and unseen words whose own temperature cannot be told get that of emissions.

    Raises InputError if that of emissions cannot be told.
    """
    while True:
        found = least(_losses(gold, parts, place), int(place.max()) + 1, parts.n)
        if found.loose is None:
            return found, place, notes
        own = [at for at in (TRANSITIONS, UNSEEN) if place[at] == found.loose]
        if not found.loose or not own:
            break
        notes += (f"the sentences cannot tell a temperature of the {NAMES[own[0]]}, which have that of emissions",)
        place = np.where(place > found.loose, place - 1, np.where(place == found.loose, 0, place))
    several = bool(place.any())
    what = f"temperature of the {NAMES[EMISSIONS]}" if several else "temperature"
    advice = ", or take one temperature for everything (keep_answers=True)" if several else ""
    raise InputError(
        f"the sentences cannot tell the {what}: {found.why}, as it does where the model is right almost everywhere or "
        f"knows nothing. Give more sentences with gold tags, none of them from training{advice}."
    )


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
    words = gold.words
    if words is not None:
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
