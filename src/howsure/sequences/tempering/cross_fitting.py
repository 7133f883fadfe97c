"""Each sentence at the temperatures of the others: what a fit is worth, where there is one set of sentences."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.naming import counted
from howsure.inputs.pairs import Floats
from howsure.sequences.chain.checks import check_count
from howsure.sequences.tag_posterior import TagPosterior
from howsure.sequences.tempering.fitting import fitted
from howsure.sequences.tempering.gold_codes import check_unseen, gold_codes
from howsure.sequences.tempering.gold_likelihood import MARGINAL, GoldLikelihood
from howsure.sequences.tempering.temperatures import Unseen
from howsure.stats.randomness import Randomness, generator_from


def cross_tempered(
    posterior: TagPosterior,
    tags: Any,
    *,
    folds: int = 5,
    rng: Randomness = 0,
    unseen: Unseen | None = None,
    keep_answers: bool = False,
    likelihood: str = MARGINAL,
    unknown_tags: str = "error",
) -> TagPosterior:
    """The posterior of the same sentences, each at temperatures fitted to the other `folds` - 1 parts of them.

    The sentences are dealt to the parts at random; all else is as in `fit_temperatures`. What this posterior is worth
    is an honest estimate of what the temperatures do to new sentences.

    >>> rng = np.random.default_rng(0)
    >>> truth = TagPosterior(list(rng.normal(size=(200, 5, 3))), rng.normal(size=(3, 3)), labels=["D", "N", "V"])
    >>> gold = [truth.names(draw[0]) for draw in truth.sample(1, rng=1)]
    >>> sure = truth.tempered(0.5)
    >>> bool(cross_tempered(sure, gold).log_prob(gold).sum() > sure.log_prob(gold).sum())
    True

    Raises InputError as `fit_temperatures` does, and for fewer than two sentences with tokens.
    """
    codes = gold_codes(posterior, tags, unknown_tags=unknown_tags)
    words = check_unseen(unseen, posterior.lengths)
    gold = GoldLikelihood.of(posterior._potentials, codes, words)
    filled = np.flatnonzero(posterior.lengths)
    parts = min(check_count(folds, "folds"), len(filled))
    if parts < 2:
        held = counted(len(filled), "sentence")
        raise InputError(f"cross-fitting needs 2 parts or more with a sentence in each; folds = {folds}, {held}.")
    part = np.full(len(posterior), -1)
    part[generator_from(rng).permutation(filled)] = np.arange(len(filled)) % parts
    local: list[float | Floats] = [1.0] * len(posterior)
    between = np.ones(len(posterior))
    for fold in range(parts):
        others = np.flatnonzero((part >= 0) & (part != fold))
        found = fitted(gold.only(others), keep_answers=keep_answers, likelihood=likelihood, level=None)
        own = np.flatnonzero(part == fold)
        between[own] = found.transitions.value
        given = found.of_words(None if words is None else [words[i] for i in own.tolist()])
        for place, i in enumerate(own.tolist()):
            local[i] = given if isinstance(given, float) else given[place]
    return posterior.tempered(local, transitions=between.tolist())
