"""The weights of the antecedent model, the scores computed from them, and training."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from howsure.errors import InputError
from howsure.files.archive import Array
from howsure.inputs.pairs import Floats
from howsure_text.coreference.features import Candidates, Family
from howsure_text.coreference.mentions import FORMS, TYPE_OF_FORM, Codes, MentionColumns

# The weights of all features are one vector. For scoring, they are added up into tables.
# A family of features (`features.Family`) with n codes has one weight per code. If it is combined with types, it also
# has one weight per code and pair of types (of the mention and its antecedent); if it is combined with forms, also one
# per code and pair of forms. The score of a pair of mentions is the sum of these weights over families. For scoring,
# the weights of a family are added once into a table (code × pair of forms), so that a pair needs one look-up per
# family.

N_TYPES = 3


@dataclass(frozen=True, slots=True)
class Context:
    """The contexts with which codes are combined: pairs of forms (fine) and pairs of types (coarse).

    coarse_of_fine: the pair of types to which each pair of forms belongs. For features of new mentions, contexts are
    forms and types instead of pairs of these.
    """

    coarse_of_fine: Codes

    @property
    def n_fine(self) -> int:
        return len(self.coarse_of_fine)

    @property
    def n_coarse(self) -> int:
        return int(self.coarse_of_fine.max()) + 1


NEW_CONTEXT = Context(TYPE_OF_FORM)
PAIR_CONTEXT = Context((TYPE_OF_FORM[:, None] * N_TYPES + TYPE_OF_FORM[None, :]).ravel())


def pair_of_forms(form: Codes) -> NDArray[np.int64]:
    """Return the fine context of all pairs, (M, M): one code for the forms of the mention and of the antecedent."""
    return form[:, None] * len(FORMS) + form[None, :]


@dataclass(frozen=True, slots=True)
class Block:
    """The weights of a family, which begin at index `start` in the vector of weights, and the table of its scores."""

    family: Family
    context: Context
    start: int

    @property
    def n_weights(self) -> int:
        family, context = self.family, self.context
        columns = {"none": 1, "types": 1 + context.n_coarse, "forms": 1 + context.n_coarse + context.n_fine}
        return family.size * columns[family.conjunction]

    @property
    def n_cells(self) -> int:
        return self.family.size * self.n_contexts

    @property
    def n_contexts(self) -> int:
        """The number of columns of the table."""
        return {"none": 1, "types": self.context.n_coarse, "forms": self.context.n_fine}[self.family.conjunction]

    def cells(self, codes: NDArray[np.integer], fine: Codes) -> Codes:
        """Return the index of the table's cell for each code in its fine context."""
        if self.family.conjunction == "none":
            return codes.astype(np.int64)
        context = self.context.coarse_of_fine[fine] if self.family.conjunction == "types" else fine
        return codes * np.int64(self.n_contexts) + context

    def table(self, weights: Floats) -> Floats:
        """Compute the scores of all cells of the table."""
        n, coarse = self.family.size, self.context.n_coarse
        block_weights = weights[self.start : self.start + self.n_weights]
        if self.family.conjunction == "none":
            return block_weights
        bare, typed = block_weights[:n, None], block_weights[n : n + n * coarse].reshape(n, coarse)
        if self.family.conjunction == "types":
            return (bare + typed).ravel()
        formed = block_weights[n + n * coarse :].reshape(n, self.context.n_fine)
        return (formed + (bare + typed)[:, self.context.coarse_of_fine]).ravel()

    def add_gradient(self, of_cells: Floats, gradient: Floats) -> None:
        """Add to `gradient` the gradient by the family's weights; of_cells: the gradient by the cells of the table."""
        n, coarse = self.family.size, self.context.n_coarse
        block_gradient = gradient[self.start : self.start + self.n_weights]
        if self.family.conjunction == "none":
            block_gradient += of_cells
            return
        table = of_cells.reshape(n, self.n_contexts)
        typed = table
        if self.family.conjunction == "forms":
            block_gradient[n + n * coarse :] += of_cells
            typed = table @ (self.context.coarse_of_fine[:, None] == np.arange(coarse))
        block_gradient[n : n + n * coarse] += typed.ravel()
        block_gradient[:n] += typed.sum(axis=1)


def weight_blocks(families: Sequence[Family], context: Context, *, start: int = 0) -> tuple[Block, ...]:
    """Return the blocks of families, one after the other in the vector of weights from index `start` on."""
    blocks = []
    for family in families:
        blocks.append(Block(family, context, start))
        start += blocks[-1].n_weights
    return tuple(blocks)


def weight_arrays(weights: Floats) -> dict[str, Array]:
    """Return the positions and values of the weights that are not zero, as stored in a file."""
    places = np.flatnonzero(weights).astype(np.int32)
    return {"places": places, "values": weights[places]}


def weights_from_arrays(arrays: Mapping[str, Array], n: int) -> Floats | None:
    """Restore n weights from the result of `weight_arrays`; return None if the arrays are invalid."""
    places, values = arrays.get("places"), arrays.get("values")
    if places is None or values is None or not _are_valid_weights(places, values, n):
        return None
    weights = np.zeros(n)
    weights[places] = values
    return weights


def _are_valid_weights(places: Array, values: Array, n: int) -> bool:
    """Return whether values are finite numbers, each at a distinct position below n."""
    return (
        (places.dtype, values.dtype) == (np.dtype(np.int32), np.dtype(np.float64))
        and places.ndim == values.ndim == 1
        and len(places) == len(values)
        and bool(np.isfinite(values).all())
        and (
            len(places) == 0 or (int(places[0]) >= 0 and int(places[-1]) < n and bool((places[1:] > places[:-1]).all()))
        )
    )


# Scores of all antecedents of a document's mentions. Codes are computed once; scores are looked up in every pass.

SmallCodes = NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class Features:
    """The codes of a document by family: of its pairs k < j (in the order of the lower triangle) and of its mentions.

    pair_context, new_context: the fine context of each pair, and of each mention.
    """

    n_mentions: int
    pairs: tuple[SmallCodes, ...]
    pair_context: SmallCodes
    new: tuple[SmallCodes, ...]
    new_context: Codes


class Scorer:
    """The feature families of a model, with the positions of their weights."""

    def __init__(self, pair_families: Sequence[Family], new_families: Sequence[Family]) -> None:
        self.pair_blocks = weight_blocks(pair_families, PAIR_CONTEXT)
        n = sum(block.n_weights for block in self.pair_blocks)
        self.new_blocks = weight_blocks(new_families, NEW_CONTEXT, start=n)
        self.n_weights = n + sum(block.n_weights for block in self.new_blocks)

    def features(self, attributes: MentionColumns) -> Features:
        """Compute the codes of every family for the mentions of a document."""
        candidates = Candidates(attributes)
        triangle = np.flatnonzero(candidates.earlier)
        code_matrices = (block.family.codes(candidates) for block in self.pair_blocks)
        return Features(
            n_mentions=len(attributes),
            pairs=tuple(codes.ravel()[triangle].astype(np.uint16) for codes in code_matrices),
            pair_context=pair_of_forms(attributes.form).ravel()[triangle].astype(np.uint16),
            new=tuple(block.family.codes(candidates).astype(np.uint16) for block in self.new_blocks),
            new_context=attributes.form,
        )

    def tables(self, weights: Floats) -> list[Floats]:
        """Return the table of every family, first of the families of pairs."""
        return [block.table(weights) for block in (*self.pair_blocks, *self.new_blocks)]

    def scores(self, features: Features, tables: Sequence[Floats]) -> Floats:
        """Return the scores (M, M): of antecedents k < j in row j, of "new" on the diagonal, and -inf above it."""
        n = features.n_mentions
        scores = np.full((n, n), -np.inf)
        n_pair_tables = len(self.pair_blocks)
        context = features.pair_context.astype(np.int64)
        total = _look_up_scores(self.pair_blocks, features.pairs, context, tables[:n_pair_tables])
        scores[np.tri(n, k=-1, dtype=np.bool_)] = total
        new = _look_up_scores(self.new_blocks, features.new, features.new_context, tables[n_pair_tables:])
        np.fill_diagonal(scores, new)
        return scores

    def gradient(self, features: Features, of_scores: Floats) -> Floats:
        """Return the gradient by the weights; of_scores (M, M): the gradient by the scores."""
        gradient = np.zeros(self.n_weights)
        of_pairs = of_scores[np.tri(features.n_mentions, k=-1, dtype=np.bool_)]
        context = features.pair_context.astype(np.int64)
        _add_gradients(self.pair_blocks, features.pairs, context, of_pairs, gradient)
        _add_gradients(self.new_blocks, features.new, features.new_context, np.diagonal(of_scores), gradient)
        return gradient


def _look_up_scores(
    blocks: Sequence[Block], codes: Sequence[SmallCodes], context: Codes, tables: Sequence[Floats]
) -> Floats:
    total = np.zeros(len(context))
    for block, code, table in zip(blocks, codes, tables, strict=True):
        total += table.take(block.cells(code, context))
    return total


def _add_gradients(
    blocks: Sequence[Block], codes: Sequence[SmallCodes], context: Codes, of_scores: Floats, gradient: Floats
) -> None:
    for block, code in zip(blocks, codes, strict=True):
        cells = np.bincount(block.cells(code, context), weights=of_scores, minlength=block.n_cells)
        block.add_gradient(cells.astype(np.float64, copy=False), gradient)


# The training loss: the negative log-likelihood of latent antecedents, with or without a margin.

Loss = Literal["likelihood", "margin"]
FALSE_LINK, FALSE_NEW, WRONG_LINK = 0.1, 3.0, 1.0  # the margins of Durrett & Klein (2013)


def allowed_antecedents(entities: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return the correct choices of each mention, (M, M): all earlier mentions of its entity or, if none, "new"."""
    right: NDArray[np.bool_] = np.tril(entities[:, None] == entities[None, :], -1)
    np.fill_diagonal(right, ~right.any(axis=1))
    return right


def margins(right: NDArray[np.bool_]) -> Floats:
    """Return the cost of each wrong choice, (M, M): a link of a new mention, a wrong "new", or a wrong antecedent."""
    begins = np.diagonal(right)
    cost = np.where(begins[:, None], FALSE_LINK, WRONG_LINK) * ~right
    np.fill_diagonal(cost, np.where(begins, 0.0, FALSE_NEW))
    return cost


def loss_and_gradient(scores: Floats, right: NDArray[np.bool_], *, loss: Loss = "likelihood") -> tuple[float, Floats]:
    """Return the loss -Σ_j log Σ_{k right for j} P(a_j = k), and its derivatives by the scores.

    P(a_j = k) ∝ exp(score) or, with a margin, ∝ exp(score + cost of the choice), so that correct choices must have
    scores higher by the cost (softmax-margin, Gimpel & Smith 2010). scores: (M, M), -inf above the diagonal.
    """
    if loss == "margin":
        scores = scores + margins(right)
    chosen = probabilities(scores)
    among_right = np.where(right, chosen, 0.0)
    mass = among_right.sum(axis=1, keepdims=True)
    return -float(np.log(mass).sum()), chosen - among_right / mass


def probabilities(scores: Floats) -> Floats:
    """Return the softmax of each row, the distribution over choices."""
    weights = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-np.inf))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


# AdaGrad with an L1 penalty: every weight has its own step size, and small weights are exactly zero.

INITIAL_SQUARES = 100.0  # initial sum of squares, so that the first documents do not change weights too much


class AdaGrad:
    """Weights that are updated by AdaGrad with an L1 penalty λ.

    A step is w ← soft(w - η g / √G, η λ / √G), with G the sum of the squared gradients so far and
    soft(x, t) = sign(x) max(|x| - t, 0) (Duchi, Hazan & Singer 2011).
    """

    def __init__(self, n: int, *, l1: float) -> None:
        self.weights = np.zeros(n)
        self.l1 = l1
        self._squares = np.full(n, INITIAL_SQUARES)

    def step(self, gradient: Floats, *, rate: float) -> None:
        """Take a step of rate η against the gradient; the penalty also applies to weights without a gradient."""
        self._squares += gradient * gradient
        size = rate / np.sqrt(self._squares)
        moved = self.weights - size * gradient
        self.weights = np.sign(moved) * np.maximum(np.abs(moved) - size * self.l1, 0.0)


# Training: passes over the documents with one step per document. Ctrl-C keeps the best weights so far.

RATE, SLOWEST = 0.5, 0.1  # the learning rate decreases linearly to this fraction


@dataclass(frozen=True, slots=True)
class Example:
    """A document to learn from: its features, and the correct choices of antecedents (M, M)."""

    features: Features
    right: NDArray[np.bool_]

    def __len__(self) -> int:
        return self.features.n_mentions


@dataclass(frozen=True, slots=True)
class Pass:
    """The log-likelihood of one pass, in nats per mention, on the training and on the development documents."""

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
    """Train with AdaGrad, one document per step, in a new random order in each epoch.

    With development documents, the weights of the epoch in which the gold clusterings of these documents have the
    highest probability are kept, otherwise the last weights. KeyboardInterrupt ends the training and keeps the best
    weights so far; during the first epoch, these are the current weights. advance: a function that is called with 1
    after every document.
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
    """Take one step per document; return the mean log-likelihood of mentions (with the margin) during the pass."""
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
    """Return the log-probability of the correct clusterings, in nats per mention."""
    tables = scorer.tables(weights)
    lost = (loss_and_gradient(scorer.scores(example.features, tables), example.right)[0] for example in examples)
    return -sum(lost) / max(sum(len(example) for example in examples), 1)


# Cross-fitting: scores of documents by models that were not trained on these documents.

MIN_FOLD_DOCUMENTS = 2  # minimum number of documents in a fold


def check_folds(folds: object, documents: int) -> None:
    """Raise InputError unless folds are None or there are at least two, with at least two documents each."""
    if folds is None:
        return
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or folds < 2:
        raise InputError(f"folds must be a whole number, at least 2, or None for no recalibration; it is {folds!r}.")
    if documents < MIN_FOLD_DOCUMENTS * folds:
        raise InputError(
            f"each fold needs at least {MIN_FOLD_DOCUMENTS} documents; {folds} folds of {documents} documents have "
            "fewer. Choose fewer folds, or recalibrate the model later, with other documents."
        )


def cross_fit_scores(
    scorer: Scorer,
    examples: Sequence[Example],
    *,
    rngs: Sequence[np.random.Generator],
    loss: Loss,
    l1: float,
    passes: int,
    advance: Callable[[int], None] | None = None,
) -> list[Floats] | None:
    """Return the scores of every document by a model trained on the other folds; None if training was interrupted.

    rngs: one generator per fold. Documents are assigned to folds in turn, so that each fold contains documents of every
    part of the list.
    """
    scores_by_place: dict[int, Floats] = {}
    for fold, rng in enumerate(rngs):
        others = [example for place, example in enumerate(examples) if place % len(rngs) != fold]
        done = train(scorer, others, loss=loss, l1=l1, passes=passes, rng=rng, advance=advance)
        if done.interrupted:
            return None
        tables = scorer.tables(done.weights)
        scores_by_place |= {
            place: scorer.scores(example.features, tables)
            for place, example in enumerate(examples)
            if place % len(rngs) == fold
        }
    return [scores_by_place[place] for place in range(len(examples))]
