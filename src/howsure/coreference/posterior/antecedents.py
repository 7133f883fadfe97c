"""Antecedent distributions: for every mention, the earlier mention it refers back to, or "new"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from howsure.errors import InputError, shown
from howsure.inputs.checks import array_of, probability_advice
from howsure.inputs.classes import SUM_TOLERANCE
from howsure.inputs.pairs import Floats, Integers


@dataclass(frozen=True, slots=True)
class Antecedents:
    """Checked distributions of M mentions in text order, without entries of probability 0.

    new (M,): P(mention j starts an entity). Its links are `starts[j]` to `starts[j + 1]` - 1 of `antecedents` and
    `probabilities` (L,): earlier mentions k < j, ascending, and P(a_j = k).
    """

    new: Floats
    starts: Integers
    antecedents: Integers
    probabilities: Floats

    def __len__(self) -> int:
        return len(self.new)

    def row(self, mention: int) -> tuple[Integers, Floats]:
        """The antecedents of one mention and their probabilities."""
        links = slice(self.starts[mention], self.starts[mention + 1])
        return self.antecedents[links], self.probabilities[links]

    def sources(self) -> Integers:
        """The mention that each link starts from."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))


def from_matrix(probabilities: object) -> Antecedents:
    """The distributions in a matrix (M, M): row j contains the antecedents k < j and, on the diagonal, "new".

    Raises InputError naming the row that is not a distribution over these.
    """
    matrix = as_matrix(probabilities, name="probabilities")
    m = len(matrix)
    if matrix.shape != (m, m):
        raise InputError(
            f"probabilities must have the shape (M, M), antecedents below the diagonal and 'new' on it; it is "
            f"{matrix.shape}. For a column of its own for 'new' see from_scores and from_rows."
        )
    sums = matrix.sum(axis=1)
    if m and not (matrix.min() >= 0.0 and float(np.abs(sums - 1.0).max()) <= SUM_TOLERANCE):
        raise _first_fault(matrix, sums)
    earlier = np.tri(m, k=-1, dtype=np.bool_)
    later = np.argwhere((matrix != 0.0) & earlier.T)
    if len(later):
        j, k = later[0].tolist()
        raise InputError(
            f"probabilities must be 0 above the diagonal: row {j} gives {float(matrix[j, k])!r} to mention {k}, which "
            "comes later. Are the mentions in text order? Is the matrix transposed?"
        )
    links = earlier & (matrix != 0.0)
    new = matrix.diagonal() / sums
    counts = np.count_nonzero(links, axis=1)
    _, antecedents = np.nonzero(links)
    return Antecedents(new, _starts(counts), antecedents, matrix[links] / np.repeat(sums, counts))


def from_rows(antecedents: Sequence[Any], probabilities: Sequence[Any], new: object) -> Antecedents:
    """The distributions as one list of antecedents and one of their probabilities per mention, and P(new) (M,).

    Raises InputError naming the row that is not a distribution over earlier mentions and "new".
    """
    starting = as_vector(new, name="new")
    m = len(starting)
    for name, rows in (("antecedents", antecedents), ("probabilities", probabilities)):
        if not hasattr(rows, "__len__") or not hasattr(rows, "__getitem__") or isinstance(rows, Mapping):
            raise InputError(f"{name} must be a list with one row per mention; it is {type(rows).__name__}.")
        if len(rows) != m:
            raise InputError(f"{name} must have a row for each of the {m} mentions of new; it has {len(rows)}.")
    checked = [_checked_row(j, antecedents[j], probabilities[j], float(starting[j])) for j in range(m)]
    counts = np.array([len(ks) for ks, _, _ in checked], dtype=np.int64)
    return Antecedents(
        np.array([p_new for _, _, p_new in checked], dtype=np.float64),
        _starts(counts),
        np.concatenate([ks for ks, _, _ in checked]) if m else np.empty(0, dtype=np.int64),
        np.concatenate([ps for _, ps, _ in checked]) if m else np.empty(0),
    )


def as_matrix(values: object, *, name: str) -> Floats:
    """A float64 matrix from user input: an array, lists, a tensor; empty input becomes a matrix (0, 0)."""
    matrix = _array(values, name)
    if matrix.size == 0 and matrix.ndim == 1:
        return np.empty((0, 0))
    if matrix.ndim != 2:
        advice = f" Take one document: {name}[0]." if matrix.ndim == 3 else ""
        raise InputError(f"{name} must have two dimensions; its shape is {matrix.shape}.{advice}")
    return matrix


def as_vector(values: object, *, name: str) -> Floats:
    """A float64 vector from user input."""
    vector = _array(values, name)
    if vector.ndim != 1:
        raise InputError(f"{name} must have one dimension; its shape is {vector.shape}.")
    return vector


def _array(values: object, name: str) -> Floats:
    if isinstance(values, np.ma.MaskedArray):
        raise InputError(
            f"{name} must have no mask; fill it: .filled(0.0) for probabilities, .filled(-np.inf) for scores."
        )
    if hasattr(values, "tocoo"):
        raise InputError(f"{name} must be a full matrix; a sparse one: .toarray(), or CorefPosterior.from_rows.")
    try:
        held = np.asarray(values)
        if held.dtype.kind == "c":
            raise TypeError("they are complex")
        return held.astype(np.float64, copy=False)
    except (TypeError, ValueError, RuntimeError) as error:
        advice = "torch: pass tensor.detach().cpu().numpy()" if hasattr(values, "detach") else "rows of equal length"
        raise InputError(f"{name} cannot be read as numbers ({error}); {advice}.") from error


def _first_fault(matrix: Floats, sums: Floats) -> InputError:
    outside = np.argwhere(~((matrix >= 0.0) & (matrix <= 1.0)))
    if len(outside):
        j, k = outside[0].tolist()
        return _no_probability(j, k, float(matrix[j, k]), float(matrix.max()))
    return _no_sum(int(np.flatnonzero(np.abs(sums - 1.0) > SUM_TOLERANCE)[0]), sums)


def _no_probability(row: int, column: int, value: float, highest: float) -> InputError:
    advice = (
        "A model that gives NaN has no posterior: look at its scores." if np.isnan(value)
        else "For logits: CorefPosterior.from_scores." if value < 0.0 or value > 2.0
        else probability_advice(value, highest)
    )  # fmt: skip
    return InputError(f"probabilities must lie in [0, 1]; row {row} holds {value!r} for antecedent {column}. {advice}")


def _no_sum(row: int, sums: Floats | Sequence[float]) -> InputError:
    return InputError(
        f"the antecedents of a mention and 'new' must sum to 1 (within {SUM_TOLERANCE}); row {row} sums to "
        f"{float(sums[row]):.6g}. Normalise the rows, or pass logits to CorefPosterior.from_scores."
    )


def _checked_row(j: int, antecedents: object, probabilities: object, new: float) -> tuple[Integers, Floats, float]:
    p = as_vector(probabilities, name=f"probabilities[{j}]")
    k = _whole(antecedents, j)
    if k.shape != p.shape:
        raise InputError(f"row {j} has {len(k)} antecedents and {len(p)} probabilities; give one for each.")
    if len(k) and not (k.min() >= 0 and k.max() < j):
        wrong = k[(k < 0) | (k >= j)][0]
        raise InputError(
            f"antecedents must be earlier mentions; row {j} holds {wrong}, and has {f'0 to {j - 1}' if j else 'none'}. "
            "Are the mentions in text order? Leave padding out."
        )
    order = np.argsort(k, kind="stable")
    k, p = k[order], p[order]
    if len(k) > 1 and not bool((np.diff(k) > 0).all()):
        raise InputError(f"row {j} names antecedent {k[1:][np.diff(k) == 0][0]} twice; add up its probabilities.")
    for column, value in zip([*k.tolist(), "new"], [*p.tolist(), new], strict=True):
        if not 0.0 <= value <= 1.0:
            raise _no_probability(j, column, value, value)
    total = float(p.sum()) + new
    if abs(total - 1.0) > SUM_TOLERANCE:
        raise _no_sum(0, [total]) if j == 0 else _no_sum(j, [total] * (j + 1))
    links = p > 0.0
    return k[links], p[links] / total, new / total


def _whole(antecedents: object, row: int) -> Integers:
    k = array_of(antecedents)
    if k.ndim == 1 and (k.size == 0 or k.dtype.kind in "iu"):
        return k.astype(np.int64)
    raise InputError(
        f"antecedents must be whole numbers, positions of mentions from 0; row {row} holds {shown(k.tolist())}."
    )


def _starts(counts: npt.NDArray[np.integer[Any]]) -> Integers:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64)])
