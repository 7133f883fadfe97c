"""Training of the weights of a conditional random field."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array

from howsure.errors import InputError
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.threads import one_thread
from howsure_text.sequences.features import Design, sum_rows
from howsure_text.sequences.messages import Batch, Chain, Workspace, batches, compute_expectations, first_rows

CONVERGENCE_PERIOD = 10  # iterations over which the improvement is measured
CONVERGED, EXHAUSTED, INTERRUPTED = "converged", "max_iterations", "interrupted"
Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Training:
    """The result of training: the best weights, the objective after each iteration, and why training stopped."""

    weights: Floats
    values: tuple[float, ...]
    stopped: str


def has_converged(values: Sequence[float], tolerance: float) -> bool:
    """Return whether the objective has decreased by at most the relative `tolerance` over the last ten iterations.

    >>> has_converged([2.0] + [1.0] * 9, 1e-5), has_converged([2.0] + [1.0] * 11, 1e-5)
    (False, True)
    >>> has_converged([1.0] * 11, 0.0)  # no decrease is convergence for every tolerance
    True
    """
    return len(values) > CONVERGENCE_PERIOD and min(values[:-CONVERGENCE_PERIOD]) - min(
        values[-CONVERGENCE_PERIOD:]
    ) <= tolerance * abs(values[-1])


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of a CRF's weights in matrices: the pairs (attribute, tag) and (tag, next tag) seen in training.

    All other entries remain 0, as by default in crfsuite.
    """

    n_attributes: int
    n_labels: int
    states: Integers  # ascending flat indices in (attributes, tags)
    transitions: Integers  # ascending flat indices in (tags, tags)

    @classmethod
    def of(cls, design: Design, codes: Integers, n_attributes: int, n_labels: int) -> Self:
        """Return the layout with weights for the pairs that occur in a corpus."""
        counts = sum(
            _present(block.matrix).T @ _one_hot(block.rows, codes, n_labels) for block in design.blocks
        ).tocoo()
        states = np.unique(counts.row.astype(np.int64) * n_labels + counts.col)
        return cls(n_attributes, n_labels, states, np.flatnonzero(followers(codes, design.lengths, n_labels)))

    def __len__(self) -> int:
        return len(self.states) + len(self.transitions)

    def unpack(self, weights: Floats) -> tuple[Floats, Floats]:
        """Return state weights (attributes, tags) and transition weights (tags, tags)."""
        state, transition = np.zeros(self.n_attributes * self.n_labels), np.zeros(self.n_labels**2)
        state[self.states] = weights[: len(self.states)]
        transition[self.transitions] = weights[len(self.states) :]
        return state.reshape(-1, self.n_labels), transition.reshape(-1, self.n_labels)

    def pack(self, state: Floats, transition: Floats) -> Floats:
        """Return the entries at the positions of the weights, as one vector."""
        return np.concatenate([state.ravel()[self.states], transition.ravel()[self.transitions]])

    def select(self, attributes: Integers) -> tuple[Layout, Integers]:
        """Return the layout of some attributes (ascending), renumbered from 0, and the indices of its weights."""
        new_index = np.full(self.n_attributes, -1)
        new_index[attributes] = np.arange(len(attributes))
        rows = new_index[self.states // self.n_labels]
        kept = np.flatnonzero(rows >= 0)
        states = rows[kept] * self.n_labels + self.states[kept] % self.n_labels
        part = Layout(len(attributes), self.n_labels, states, self.transitions)
        return part, np.concatenate([kept, np.arange(len(self.states), len(self))])


def observed_sums(design: Design, codes: Integers, n_labels: int) -> tuple[Floats, Floats]:
    """Return the sums of attribute values with each tag, (attributes, tags), and counts of tag pairs, (tags, tags)."""
    states = sum(block.matrix.T @ _one_hot(block.rows, codes, n_labels) for block in design.blocks)
    return states.toarray(), followers(codes, design.lengths, n_labels).reshape(n_labels, -1)


def followers(codes: Integers, lengths: Integers, n_labels: int) -> Floats:
    """Count how often each tag follows each other tag within a sentence, (tags · tags,)."""
    inside = np.ones(len(codes), dtype=np.bool_)
    inside[first_rows(lengths)] = False
    later = np.flatnonzero(inside)
    counts = np.bincount(codes[later - 1] * n_labels + codes[later], minlength=n_labels**2)
    return counts.astype(np.float64)


def _present(matrix: csr_array) -> csr_array:
    return csr_array((np.ones_like(matrix.data), matrix.indices, matrix.indptr), matrix.shape)


def _one_hot(rows: Integers, codes: Integers, n_labels: int) -> csr_array:
    return csr_array((np.ones(len(rows)), (rows, codes)), (rows.max() + 1, n_labels))


@dataclass(frozen=True, slots=True)
class TokenKinds:
    """The kinds of tokens of a batch, for one block of features. Tokens with equal attributes are of the same kind."""

    kinds: Integers  # (tokens,), packed
    occurring: Integers  # the kinds that occur in the batch, ascending
    members: csr_array  # (occurring, tokens): 1 where the token is of the kind

    @classmethod
    def of(cls, kinds: Integers) -> Self:
        """Group packed tokens by their kinds."""
        occurring, rows = np.unique(kinds, return_inverse=True)
        n = len(kinds)
        one_hot = csr_array((np.ones(n), rows, np.arange(n + 1)), (n, len(occurring)))
        return cls(kinds, occurring, one_hot.T.tocsr())


class Objective:
    """The penalised negative log-likelihood of a CRF, Σ -log P(tags | words) + c₂ ‖w‖², as in crfsuite.

    It is a function of the weights w. The gradient is the model's expectation of each feature, minus its count in the
    corpus, plus 2 c₂ w. To save memory, scores are computed once per kind of token, and marginals are summed by kind
    before they are multiplied by the attributes; no array has a row for every token.
    """

    def __init__(
        self, design: Design, codes: Integers, layout: Layout, *, c2: float, workspace: Workspace | None = None
    ) -> None:
        self.layout, self.c2 = layout, c2
        self._blocks = design.blocks
        self._observed = layout.pack(*observed_sums(design, codes, layout.n_labels))
        self._workspace = workspace or Workspace()
        firsts = first_rows(design.lengths)
        self._batches: list[tuple[Batch, list[TokenKinds]]] = []
        for batch in batches(design.lengths, width=layout.n_labels):
            tokens = batch.corpus_rows(firsts)
            self._batches.append((batch, [TokenKinds.of(block.rows[tokens]) for block in design.blocks]))

    def __call__(self, weights: Floats) -> tuple[float, Floats]:
        state, transition = self.layout.unpack(weights)
        log_z, by_kind, pair_sums = self._infer([block.matrix @ state for block in self._blocks], transition)
        expected = sum(block.matrix.T @ sums for block, sums in zip(self._blocks, by_kind, strict=True))
        value = log_z - float(self._observed @ weights) + self.c2 * float(weights @ weights)
        return value, self.layout.pack(expected, pair_sums) - self._observed + 2 * self.c2 * weights

    def _infer(self, tables: Sequence[Floats], transition: Floats) -> tuple[float, list[Floats], Floats]:
        """Return Σ log Z, the sums of marginals by kind for each block, and the expected transitions."""
        log_z, pair_sums, by_kind = 0.0, np.zeros_like(transition), [np.zeros_like(table) for table in tables]
        with one_thread():
            for batch, places in self._batches:
                emissions = sum_rows(tables, [block.kinds for block in places])
                expectations = compute_expectations(Chain(batch, emissions, transition), self._workspace, pairs=True)
                log_z += float(expectations.log_z.sum())
                if expectations.pair_sums is not None:
                    pair_sums += expectations.pair_sums
                for block, sums in zip(places, by_kind, strict=True):
                    sums[block.occurring] += block.members @ expectations.marginals
        return log_z, by_kind, pair_sums


@dataclass(frozen=True, slots=True)
class Part:
    """A mini-batch: its objective without penalty, the indices of its weights, and its proportion of the sentences."""

    objective: Objective
    weights: Integers
    share: float


def draw_parts(design: Design, codes: Integers, layout: Layout, *, size: int, rng: np.random.Generator) -> list[Part]:
    """Divide the sentences into random mini-batches of `size`; the last one may be smaller."""
    order = rng.permutation(len(design.lengths))
    workspace = Workspace()  # shared, because batches are used one after another
    starts = range(0, len(order), size)
    return [_part(design, codes, layout, order[start : start + size], workspace) for start in starts]


def _part(design: Design, codes: Integers, layout: Layout, sentences: Integers, workspace: Workspace) -> Part:
    smaller, attributes = design.select(sentences)
    inner, weights = layout.select(attributes)
    objective = Objective(smaller, codes[design.sentence_tokens(sentences)], inner, c2=0.0, workspace=workspace)
    return Part(objective, weights, len(sentences) / len(design.lengths))


TINY = 1e-8


def descend(
    objective: Objective,
    parts: Sequence[Part],
    start: Floats,
    *,
    learning_rate: float,
    max_iterations: int,
    tolerance: float,
    rng: np.random.Generator,
    advance: Advance | None = None,
) -> Training:
    """Train by AdaGrad: passes over mini-batches in random order, with the step -η g / √(Σ g²) for each weight.

    g is the gradient of the mini-batch's negative log-likelihood and its part of the penalty. After each pass the whole
    objective is computed, and the weights of the best pass are kept (the initial ones, if no pass is better). Training
    ends when the objective has decreased by at most the relative `tolerance` over the last ten passes, after
    `max_iterations` passes, or on Ctrl-C. `advance(1)` is called after each pass.

    Source: Duchi, Hazan & Singer 2011.
    """
    weights, squares = start.copy(), np.zeros_like(start)
    best, values = weights.copy(), list[float]()
    first = lowest = objective(start)[0]
    try:
        while len(values) < max_iterations and not has_converged(values, tolerance):
            with np.errstate(over="ignore", invalid="ignore"):  # training ends if a value is NaN
                for i in rng.permutation(len(parts)).tolist():
                    part = parts[i]
                    gradient = 2 * objective.c2 * part.share * weights
                    gradient[part.weights] += part.objective(weights[part.weights])[1]
                    squares += gradient**2
                    weights -= learning_rate * gradient / (np.sqrt(squares) + TINY)
                values.append(objective(weights)[0])
            if not math.isfinite(values[-1]):
                break
            if values[-1] <= lowest:
                best, lowest = weights.copy(), values[-1]
            if advance is not None:
                advance(1)
    except KeyboardInterrupt:
        return Training(best if values else weights, tuple(values), INTERRUPTED)
    if not math.isfinite(values[-1]) or (min(values) > first and not start.any()):
        raise InputError(
            f"`learning_rate` must be small enough to lower the objective; with {learning_rate:g} it is {first:,.4g} "
            f"at the start and {values[-1]:,.4g} after pass {len(values)}. The default rate is 1."
        )
    return Training(best, tuple(values), CONVERGED if has_converged(values, tolerance) else EXHAUSTED)


LBFGS_MEMORY = 6  # number of past steps that approximate the curvature
Function = Callable[[Floats], tuple[float, Floats]]


def minimise(
    function: Function, start: Floats, *, max_iterations: int, tolerance: float, advance: Advance | None = None
) -> Training:
    """Minimise a smooth function, which returns its value and its gradient, by L-BFGS.

    The method has converged when the value has decreased by at most the relative `tolerance` over ten iterations, or
    when no step lowers it. Ctrl-C stops it and keeps the best weights so far. `advance(1)` is called after each
    iteration.

    >>> found = minimise(
    ...     lambda w: (float(w @ w - 2 * w[0]), 2 * w - [2, 0]), np.zeros(2), max_iterations=9, tolerance=1e-9
    ... )
    >>> found.weights.round(6), found.stopped
    (array([1., 0.]), 'converged')

    Source: Liu & Nocedal 1989, as in scipy's L-BFGS-B (without bounds).
    """
    from scipy.optimize import minimize

    values: list[float] = []
    best = start

    def after_each(*, intermediate_result: Any) -> None:
        nonlocal best
        best = np.array(intermediate_result.x)
        values.append(float(intermediate_result.fun))
        if advance is not None:
            advance(1)
        if has_converged(values, tolerance):
            raise StopIteration

    options = {"maxiter": max_iterations, "maxfun": 1 << 31, "maxcor": LBFGS_MEMORY, "ftol": 0.0, "gtol": 0.0}
    try:
        minimize(function, start, jac=True, method="L-BFGS-B", callback=after_each, options=options)
    except KeyboardInterrupt:
        return Training(best, tuple(values), INTERRUPTED)
    if not values:  # no step improved the start: it is a minimum, or the function is too steep
        value, gradient = function(best)
        steepest = float(np.abs(gradient).max(initial=0.0))
        if not steepest <= 1.0 + abs(value):
            what = f"no step lowers the objective, {value:.3g}, though its gradient is {steepest:.3g}"
            raise InputError(f"{what}. Scale the values of attributes to a size of about 1.")
        values.append(value)
    exhausted = len(values) >= max_iterations and not has_converged(values, tolerance)
    return Training(best, tuple(values), EXHAUSTED if exhausted else CONVERGED)
