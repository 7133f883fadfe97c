"""Scores of documents by models that did not learn from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from howsure.coreference.model.loss import Loss
from howsure.coreference.model.scorer import Scorer
from howsure.coreference.model.training import Example, train
from howsure.errors import InputError
from howsure.inputs.pairs import Floats

IN_A_FOLD = 2  # documents, at least


def check_folds(folds: object, documents: int) -> None:
    """Raise InputError unless there are at least two folds of at least two documents, or none are wanted."""
    if folds is None:
        return
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or folds < 2:
        raise InputError(f"folds must be a whole number, 2 or more, or None for no recalibration; it is {folds!r}.")
    if documents < IN_A_FOLD * folds:
        raise InputError(
            f"folds must leave at least {IN_A_FOLD} documents for each; {folds} folds of {documents} documents do not. "
            "Choose fewer folds, or recalibrate the model later, with other documents."
        )


def cross_fitted(
    scorer: Scorer,
    examples: Sequence[Example],
    *,
    rngs: Sequence[np.random.Generator],
    loss: Loss,
    l1: float,
    passes: int,
    advance: Callable[[int], None] | None = None,
) -> list[Floats] | None:
    """The scores of every document by a model trained on the documents of the other folds; None if interrupted.

    There is one fold for each generator; documents take turns, so that a fold holds some of every part of a list.
    """
    found: dict[int, Floats] = {}
    for fold, rng in enumerate(rngs):
        others = [example for place, example in enumerate(examples) if place % len(rngs) != fold]
        done = train(scorer, others, loss=loss, l1=l1, passes=passes, rng=rng, advance=advance)
        if done.interrupted:
            return None
        tables = scorer.tables(done.weights)
        found |= {
            place: scorer.scores(example.features, tables)
            for place, example in enumerate(examples)
            if place % len(rngs) == fold
        }
    return [found[place] for place in range(len(examples))]
