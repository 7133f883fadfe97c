"""Maps (functions from probabilities to calibrated ones) of several classes, and of ordered levels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from howsure.errors import InputError
from howsure.inputs.classes import softmax
from howsure.inputs.numbers_and_names import shortened
from howsure.inputs.pairs import Bools, Floats
from howsure.recalibration.map_base import (
    Parameters,
    ProbabilityMap,
    number,
    numbers,
    refuse_certain_errors,
    refuse_one_value,
    square,
)
from howsure.recalibration.map_input import Classes, Labelled, Scores
from howsure.stats.logistic import LARGEST, Objective, fit_logistic, newton_minimum, sigmoid

# The softmax of linear functions: its log loss with derivatives, and the minimum of a penalised loss.

STEPS = 100  # iterations of the search for a temperature
MANY_STEPS, FLAT = 500, 1e-6  # iterations of L-BFGS, and the largest gradient at its end


def softmax_loss(scores: Floats, labels: Floats, share: Floats) -> tuple[float, Floats]:
    """Return the mean log loss of the softmax of scores (n, K), and its derivatives with respect to the scores.

    labels (n, K): one-hot labels. share (n,): weights of the rows, which sum to 1.
    """
    shifted = scores - scores.max(axis=1, keepdims=True)
    raised = np.exp(shifted)
    total = raised.sum(axis=1)
    loss = float(share @ (np.log(total) - np.einsum("ij,ij->i", shifted, labels)))
    residual: Floats = (raised / total[:, None] - labels) * share[:, None]
    return loss, residual


def quasi_newton_minimum(objective: Objective, start: Floats) -> Floats:
    """Find the minimum of a smooth convex function by L-BFGS, for maps too large for second derivatives."""
    from scipy.optimize import minimize

    options = {"maxiter": MANY_STEPS, "maxfun": 2 * MANY_STEPS, "ftol": 1e-12, "gtol": FLAT, "maxcor": 20}
    solution = minimize(objective, start, jac=True, method="L-BFGS-B", options=options)
    return np.asarray(solution.x, dtype=np.float64)


# Temperature scaling of the probabilities of several classes.

STEP_TOLERANCE = 1e-12
SEPARATED = (
    "there is no best temperature, because in every row the label has the highest probability and a lower temperature "
    "is always better. Give more rows, or rows of other data."
)
REVERSED = (
    "there is no best temperature above 0, because the model's probabilities of the labels are lower than chance. Are "
    "the columns in the order of the classes? Give this order as `classes=...`."
)


@dataclass(frozen=True, slots=True)
class ClassTemperature(ProbabilityMap):
    """p'_k ∝ p_k^(1/T), T > 0 (Guo et al. 2017): the softmax of logits / T. It keeps the order of classes."""

    temperature: float

    names: ClassVar = ("T",)
    method: ClassVar = "temperature"
    formula: ClassVar = "p'[k] = exp(log(p[k]) / T) / (the sum over all classes j of exp(log(p[j]) / T))"

    @classmethod
    def fit(cls, data: Labelled) -> Self:
        """The T that minimises the log loss."""
        assert isinstance(data.scores, Classes)
        logs, labels, weight = data.scores.logs, data.labels, data.weight
        counted = weight > 0
        label_logs = logs[np.arange(len(labels)), labels]
        refuse_certain_errors(np.isneginf(label_logs) & counted, "the label's probability is 0")
        most = logs.max(axis=1)
        if (label_logs >= most)[counted].all():
            raise InputError(SEPARATED)
        possible = np.isfinite(logs)
        logits = np.asfortranarray(np.where(possible, logs - most[:, None], 0.0))  # whose rows are summed faster
        label_logs = label_logs - most
        mean = np.where(possible, logits, 0.0).sum(axis=1) / possible.sum(axis=1)
        if weight[counted] @ (label_logs - mean)[counted] <= 0:
            raise InputError(REVERSED)
        return cls(float(1.0 / _inverse(logits, possible, label_logs, weight)))

    @classmethod
    def read(cls, parameters: Parameters, k: int) -> Self:
        return cls(number(parameters, "T", above=0.0))

    def apply(self, scores: Scores) -> Floats:
        assert isinstance(scores, Classes)
        return softmax(scores.logs / self.temperature)


def _inverse(logits: Floats, possible: Bools, label_logs: Floats, weight: Floats) -> float:
    """Return β = 1 / T at which the derivative of the log loss, Σ w (E[s] - s of the label), is 0; it increases with β.

    Uses Newton's method within a bracket that shrinks according to the sign of the derivative.
    """
    low, high, beta = 0.0, np.inf, 1.0
    everywhere = bool(possible.all())
    for _ in range(STEPS):
        raised = np.exp(beta * logits)
        if not everywhere:
            raised *= possible
        raised /= raised.sum(axis=1, keepdims=True)
        mean = np.einsum("ij,ij->i", raised, logits)
        spread = np.einsum("ij,ij,ij->i", raised, logits, logits) - mean**2
        slope, curve = float(weight @ (mean - label_logs)), float(weight @ spread)
        low, high = (beta, high) if slope < 0 else (low, beta)
        moved = beta - slope / curve if curve > 0 else np.nan
        if not low < moved < high:
            moved = 2.0 * beta if high == np.inf else (low + high) / 2.0
        if abs(moved - beta) <= STEP_TOLERANCE * beta:
            return moved
        beta = moved
    return beta


# Linear maps of the logarithms of class probabilities: vector scaling, and Dirichlet calibration.

PENALTY = 1e-3
MAX_CLASSES = 20  # maximum number of classes for second derivatives of a matrix
ROWS = 1 << 15  # rows of a block of second derivatives
FLOOR = "`floor=1e-6`"
CERTAIN = f"`method='temperature'` keeps probabilities of 0, and {FLOOR} moves them away from it."


@dataclass(frozen=True, slots=True)
class Vector(ProbabilityMap):
    """p'_k ∝ exp(a_k log p_k + b_k): a scale (inverse temperature) and an offset for each class.

    This is vector scaling (Guo et al. 2017) of log-probabilities. Logits are normalised first, so that the map depends
    only on the probabilities.
    """

    scales: Floats
    offsets: Floats

    names: ClassVar = ("a", "b")
    method: ClassVar = "vector"
    formula: ClassVar = (
        "p'[k] = exp(a[k] * log(p[k]) + b[k]) / (the sum over all classes j of exp(a[j] * log(p[j]) + b[j]))"
    )

    @classmethod
    def fit(cls, data: Labelled) -> Self:
        """Fit the scales and offsets that minimise the log loss. The mean of the offsets has no effect and is set to 0.

        Raises InputError if there is no minimum.
        """
        logs, truth = _usable(data, cls.method)
        share, k = _shares(data), logs.shape[1]

        def objective(at: Floats) -> tuple[float, Floats]:
            scores = logs * at[:k] + at[k:]
            loss, residual = softmax_loss(scores, truth, share)
            return loss, np.concatenate([(residual * logs).sum(axis=0), residual.sum(axis=0)])

        def hessian(at: Floats) -> Floats:
            p = softmax(logs * at[:k] + at[k:])
            both = np.hstack([p * logs, p])
            weighted = share[:, None] * np.hstack([logs, np.ones_like(logs)])
            matrix: Floats = -(both * share[:, None]).T @ both
            for row, column in ((0, 0), (0, 1), (1, 0), (1, 1)):
                block = weighted[:, row * k : (row + 1) * k] * both[:, column * k : (column + 1) * k]
                matrix[row * k : (row + 1) * k, column * k : (column + 1) * k] += np.diag(block.sum(axis=0))
            return matrix

        solution = _finite(newton_minimum(objective, hessian, np.repeat([1.0, 0.0], k)), cls.method)
        return cls(solution[:k], solution[k:] - solution[k:].mean())

    @classmethod
    def read(cls, parameters: Parameters, k: int) -> Self:
        return cls(numbers(parameters, "a", n=k), numbers(parameters, "b", n=k))

    def apply(self, scores: Scores) -> Floats:
        return softmax(finite_logs(scores) * self.scales + self.offsets)


@dataclass(frozen=True, slots=True)
class Dirichlet(ProbabilityMap):
    """p'_k ∝ exp(Σ_j W_kj log p_j + b_k): Dirichlet calibration (Kull et al. 2019), or matrix scaling of
    log-probabilities.

    `penalty` is λ of the ODIR regularisation in Kull et al. (2019), which adds λ (Σ_{k≠j} W_kj² / (K (K - 1)) + Σ b_k²
    / K) to the mean log loss.
    """

    weights: Floats
    offsets: Floats
    penalty: float

    names: ClassVar = ("W", "b", "penalty")
    method: ClassVar = "dirichlet"
    formula: ClassVar = (
        "p'[k] = exp(s[k]) / (the sum over all classes j of exp(s[j])), "
        "s[k] = b[k] + the sum over all classes j of W[k][j] * log(p[j])"
    )

    @classmethod
    def fit(cls, data: Labelled, *, penalty: float = PENALTY) -> Self:
        """Return the W and b that minimise the penalised log loss.

        Raises InputError if a label's class has probability 0.
        """
        logs, truth = _usable(data, cls.method)
        share, k = _shares(data), logs.shape[1]
        off = penalty * (1.0 - np.eye(k)) / (k * (k - 1))

        def objective(at: Floats) -> tuple[float, Floats]:
            w, b = at[: k * k].reshape(k, k), at[k * k :]
            loss, residual = softmax_loss((w @ logs.T).T + b, truth, share)
            loss += float((off * w * w).sum() + penalty * (b @ b) / k)
            of_w = residual.T @ logs + 2.0 * off * w
            return loss, np.concatenate([of_w.ravel(), residual.sum(axis=0) + 2.0 * penalty * b / k])

        def hessian(at: Floats) -> Floats:
            matrix = _second_derivatives(logs, share, at[: k * k].reshape(k, k), at[k * k :])
            return matrix + np.diag(np.concatenate([2.0 * off.ravel(), np.full(k, 2.0 * penalty / k)]))

        start = np.concatenate([np.eye(k).ravel(), np.zeros(k)])
        solution = (
            newton_minimum(objective, hessian, start) if k <= MAX_CLASSES else quasi_newton_minimum(objective, start)
        )
        solution = _finite(solution, cls.method)
        return cls(solution[: k * k].reshape(k, k), solution[k * k :], penalty)

    @classmethod
    def read(cls, parameters: Parameters, k: int) -> Self:
        penalty = numbers({"penalty": [parameters.get("penalty")]}, "penalty", n=1)[0]
        return cls(square(parameters, "W", k=k), numbers(parameters, "b", n=k), float(penalty))

    def apply(self, scores: Scores) -> Floats:
        return softmax(finite_logs(scores) @ self.weights.T + self.offsets)


def finite_logs(scores: Scores) -> Floats:
    """Return the logarithms of the probabilities of classes."""
    assert isinstance(scores, Classes)
    impossible = np.isneginf(scores.logs)
    if impossible.any():
        row, column = (int(place) for place in np.argwhere(impossible)[0])
        raise InputError(
            f"this map needs probabilities above 0; `row {row}` is 0 for class number {column + 1}. {CERTAIN}"
        )
    return scores.logs


def _second_derivatives(logs: Floats, share: Floats, weights: Floats, offsets: Floats) -> Floats:
    """The second derivatives of the mean log loss with respect to the coefficients, in the order W (row by row), b."""
    k = logs.shape[1]
    matrix = np.zeros((k * (k + 1), k * (k + 1)))
    for start in range(0, len(logs), ROWS):
        block_logs, w = logs[start : start + ROWS], share[start : start + ROWS]
        p = softmax(block_logs @ weights.T + offsets)
        columns = np.hstack([(p[:, :, None] * block_logs[:, None, :]).reshape(len(block_logs), k * k), p])
        matrix -= (columns * w[:, None]).T @ columns
        extended = np.hstack([block_logs, np.ones((len(block_logs), 1))])
        for class_index in range(k):
            at = np.append(np.arange(class_index * k, (class_index + 1) * k), k * k + class_index)
            matrix[np.ix_(at, at)] += (extended * (w * p[:, class_index])[:, None]).T @ extended
    return matrix


def _usable(data: Labelled, method: str) -> tuple[Floats, Floats]:
    """Return the logarithms (n, K) of probabilities, and the one-hot labels (n, K)."""
    assert isinstance(data.scores, Classes)
    counted = data.weight > 0
    label_logs = data.scores.logs[np.arange(len(data)), data.labels]
    refuse_certain_errors(np.isneginf(label_logs) & counted, "the label's probability is 0")
    logs = finite_logs(data.scores)
    occurs = np.bincount(data.labels[counted], minlength=data.k) > 0
    if not occurs.all():
        absent = [name for name, there in zip(data.classes, occurs, strict=True) if not there]
        raise InputError(
            f"`method={method!r}` needs rows of every class; no label is {shortened(map(repr, absent))}. "
            "Give such rows, or use `method='temperature'`."
        )
    truth = np.zeros(logs.shape, order="F")
    truth[np.arange(len(data)), data.labels] = 1.0
    return np.asfortranarray(logs), truth  # with few classes, columns are summed faster than rows


def _shares(data: Labelled) -> Floats:
    """The weights, scaled to sum to 1."""
    return np.asarray(data.weight / data.weight.sum())


def _finite(solution: Floats, method: str) -> Floats:
    """Return the coefficients if they converged."""
    if not np.isfinite(solution).all() or np.abs(solution).max() > LARGEST:
        raise InputError(
            f"`method={method!r}` has no best coefficients: the probabilities separate the classes without an "
            "error, or nearly. Use `method='temperature'`, which has one coefficient."
        )
    return solution


# The map of ordered levels: for the log-odds of a higher level, one temperature and a shift for each cut point.

MIN_SHARE = 1e-3  # if two cut points cross, the level between them keeps this fraction of its probability
LEVELS_REVERSED = (
    "there is no best temperature above 0, because higher levels are rarer the more probable the model finds them. Are "
    "the columns of probabilities in the order from the lowest to the highest level? Give this order as `classes=...`."
)


@dataclass(frozen=True, slots=True)
class Ordered(ProbabilityMap):
    """P'(level > k) = σ(logit(P(level > k)) / T + s_k), T > 0, for each cut point k of K ordered levels.

    T and s minimise the log loss of all cut points, with the target values of Platt scaling. With two levels, the map
    is Platt scaling. If shifts make two cut points cross, the level between them keeps a thousandth of its probability.
    """

    temperature: float
    shifts: Floats

    names: ClassVar = ("T", "s")
    method: ClassVar = "ordered"
    formula: ClassVar = (
        "p'[k] = m[k] / (the sum over all levels j of m[j]), m[k] = c[k - 1] - c[k] if that is above 0, or else p[k] / "
        "1000, c[k] = 1 / (1 + exp(-(s[k] + log(P[k] / (1 - P[k])) / T))), P[k] the sum of p[j] over all levels j > k, "
        "c[-1] = 1, c[K - 1] = 0"
    )

    @classmethod
    def fit(cls, data: Labelled) -> Self:
        """The T and s that minimise the log loss summed over all cut points."""
        assert isinstance(data.scores, Classes)
        odds, cut = log_odds_above(data.scores), np.arange(data.k - 1)
        above = data.labels[:, None] > cut
        weight = np.repeat(data.weight[:, None], data.k - 1, axis=1)
        certain = np.isinf(odds)
        wrong = certain & ((odds > 0) != above) & (weight > 0)
        refuse_certain_errors(wrong.any(axis=1), "probabilities of a higher level are 0 or 1")
        refuse_one_value(odds[~certain], least=2, method=cls.method)
        weight_above, total = (weight * above).sum(axis=0), weight.sum(axis=0)
        targets = np.where(above, (weight_above + 1.0) / (weight_above + 2.0), 1.0 / (total - weight_above + 2.0))
        uncertain = ~certain
        design = np.column_stack([odds[uncertain], np.eye(data.k - 1)[np.nonzero(uncertain)[1]]])
        centre = np.append(0.0, np.log((weight_above + 1.0) / (total - weight_above + 1.0)))
        fit = fit_logistic(design, targets[uncertain], weight[uncertain], penalty=np.zeros(data.k), centre=centre)
        slope = float(fit.coefficients[0])
        if slope <= 0.0:
            raise InputError(f"`method={cls.method!r}`: {LEVELS_REVERSED}")
        return cls(1.0 / slope, fit.coefficients[1:])

    @classmethod
    def read(cls, parameters: Parameters, k: int) -> Self:
        return cls(number(parameters, "T", above=0.0), numbers(parameters, "s", n=k - 1))

    def apply(self, scores: Scores) -> Floats:
        """The probabilities of the levels (n, K)."""
        assert isinstance(scores, Classes)
        above = sigmoid(log_odds_above(scores) / self.temperature + self.shifts)
        probabilities: Floats = -np.diff(above, axis=1, prepend=1.0, append=0.0)
        crossed = ~(probabilities > 0.0)
        probabilities[crossed] = MIN_SHARE * scores.probabilities[crossed]
        rows = crossed.any(axis=1)
        probabilities[rows] /= probabilities[rows].sum(axis=1, keepdims=True)
        return probabilities


def log_odds_above(scores: Classes) -> Floats:
    """For each cut point k, the log-odds (n, K - 1) that the level is above k: -inf for probability 0, inf for 1."""
    below = np.cumsum(scores.probabilities, axis=1)[:, :-1]
    above = np.cumsum(scores.probabilities[:, ::-1], axis=1)[:, -2::-1]
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(above) - np.log(below))
