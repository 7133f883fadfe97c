"""Training: passes over documents, with one step each, keeping the best weights even on Ctrl-C."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from howsure.coreference.model.adagrad import AdaGrad
from howsure.coreference.model.loss import Loss, loss_and_gradient
from howsure.coreference.model.scorer import Features, Scorer
from howsure.inputs.pairs import Floats

RATE, SLOWEST = 0.5, 0.1  # the learning rate falls in a line to this share of itself


@dataclass(frozen=True, slots=True)
class Example:
    """A document to learn from: its features, and the correct choices of antecedents (M, M)."""

    features: Features
    right: NDArray[np.bool_]

    def __len__(self) -> int:
        return self.features.n_mentions


@dataclass(frozen=True, slots=True)
class Pass:
    """The result of one pass over the documents, in nats per mention: log-likelihood in training and on development."""

    number: int
    training: float
    development: float | None
    n_weights: int

    def __str__(self) -> str:
        held_out = "" if self.development is None else f", development {self.development:.4f}"
        return f"pass {self.number}: training {self.training:.4f}{held_out}, {self.n_weights:,} weights"


@dataclass(frozen=True, slots=True)
class Training:
    """The kept weights, the history of the passes, and whether training was interrupted."""

    weights: Floats
    history: tuple[Pass, ...]
    interrupted: bool


def train(
    scorer: Scorer,
    examples: Sequence[Example],
    *,
    loss: Loss,
    l1: float,
    passes: int,
    rng: np.random.Generator,
    development: Sequence[Example] = (),
    advance: Callable[[int], None] | None = None,
) -> Training:
    """Learn with AdaGrad, one document per step, in a new random order each pass.

    With development documents, the weights of the pass that gives their clusterings the highest probability are kept,
    otherwise the last ones. KeyboardInterrupt ends the training and keeps the best so far; during the first pass, these
    are the current weights. `advance` is called with 1 after every document.
    """
    optimiser = AdaGrad(scorer.n_weights, l1=l1)
    best, best_value, history = optimiser.weights, -math.inf, list[Pass]()
    try:
        for number in range(passes):
            rate = RATE * (1 - (1 - SLOWEST) * number / passes)
            total = _one_pass(scorer, examples, optimiser, loss=loss, rate=rate, rng=rng, advance=advance)
            held_out = log_likelihood(scorer, development, optimiser.weights) if development else None
            history.append(Pass(number + 1, total, held_out, int(np.count_nonzero(optimiser.weights))))
            if held_out is None or held_out > best_value:
                best, best_value = optimiser.weights, -math.inf if held_out is None else held_out
    except KeyboardInterrupt:
        return Training(best if history else optimiser.weights, tuple(history), interrupted=True)
    return Training(best, tuple(history), interrupted=False)


def _one_pass(
    scorer: Scorer,
    examples: Sequence[Example],
    optimiser: AdaGrad,
    *,
    loss: Loss,
    rate: float,
    rng: np.random.Generator,
    advance: Callable[[int], None] | None,
) -> float:
    """Take one step per document; the mean log-likelihood of the mentions (less the margin) on the way."""
    total = 0.0
    for which in rng.permutation(len(examples)):
        example = examples[which]
        scores = scorer.scores(example.features, scorer.tables(optimiser.weights))
        lost, of_scores = loss_and_gradient(scores, example.right, loss=loss)
        optimiser.step(scorer.gradient(example.features, of_scores), rate=rate)
        total -= lost
        if advance is not None:
            advance(1)
    return total / max(sum(len(example) for example in examples), 1)


def log_likelihood(scorer: Scorer, examples: Sequence[Example], weights: Floats) -> float:
    """Log-probability of the correct clusterings, in nats per mention."""
    tables = scorer.tables(weights)
    lost = (loss_and_gradient(scorer.scores(example.features, tables), example.right)[0] for example in examples)
    return -sum(lost) / max(sum(len(example) for example in examples), 1)
