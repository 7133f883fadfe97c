"""Exact probabilities that pairs of mentions corefer, from the paths of antecedents that start at both mentions.

The path of mention i goes from i to its antecedent, to the antecedent's antecedent, and so on to the first mention of
the entity. Let P be the matrix of P(a_i = k). Then G = (I - P)⁻¹ contains G_ik = P(the path from i includes k). Two
mentions are in one cluster if and only if their paths meet, and after that the paths coincide. Two independent paths
from i and j both include k with probability G_ik G_jk, but can meet several times. The probability that they ever meet
is the sum over the *last* mention k where they meet. With h_k = P(two independent paths from k never meet again),

    P(i ~ j) = Σ_k G_ik h_k G_jk, where h solves Σ_k G_ik² h_k = 1, because P(i ~ i) = 1.

The matrix of pairs is thus G diag(h) Gᵀ. The recursion P(i ~ j) = Σ_k P(a_j = k) P(k ~ i) is equivalent; this form
needs one triangular inverse and one triangular product, adds no negative numbers, and gives chosen pairs without the
others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.errors import InputError
from howsure.inputs.pairs import Floats, Integers
from howsure.stats.threads import one_thread
from howsure_text.coreference.antecedents import Antecedents

MAX_DENSE_MENTIONS = 5_000  # a dense matrix of this many mentions takes 200 MB
SLAB = 256
LEAF = 64
CHUNK = 1 << 21
DENSE_SHARE = 0.125  # if a larger proportion of cells contains a link, products of dense matrices are faster


def pair_matrix(antecedents: Antecedents) -> Floats:
    """Return P(i ~ j) of all pairs, (M, M), with ones on the diagonal; this takes M³/3 multiplications."""
    refuse_large(len(antecedents), "pair_probability(pairs=[(i, j), ...]) answers chosen pairs")
    if len(antecedents) == 0:
        return np.empty((0, 0))
    from scipy.linalg.lapack import dlauum

    both = np.empty((len(antecedents), len(antecedents)))
    with one_thread():
        factor = _reversed_paths(antecedents)
        squares = np.multiply(factor, factor, out=both.T)
        factor *= np.sqrt(_solve_triangular(squares, np.ones(len(antecedents)), lower=True))[:, None]
        # one triangle of the product of its transpose and itself
        half = dlauum(factor, lower=1, overwrite_c=1)[0][::-1, ::-1]
    np.add(half, half.T, out=both)
    np.minimum(both, 1.0, out=both)
    np.fill_diagonal(both, 1.0)
    return both


def path_matrix(antecedents: Antecedents) -> Floats:
    """Return G = (I - P)⁻¹, (M, M), the probability that the path of antecedents from mention i includes mention k."""
    refuse_large(len(antecedents), "sample() and query() have no such limit")
    if len(antecedents) == 0:
        return np.empty((0, 0))
    with one_thread():
        return np.ascontiguousarray(_reversed_paths(antecedents).T[::-1, ::-1])


def chosen_pairs(antecedents: Antecedents, first: Integers, second: Integers) -> Floats:
    """Return P(i ~ j) of chosen pairs; only 256 columns of G are in memory at a time."""
    length = int(max(first.max(initial=-1), second.max(initial=-1))) + 1  # later mentions do not matter
    together = np.zeros(len(first))
    for start, columns, apart in _slabs(antecedents, length):
        reached = np.flatnonzero(np.minimum(first, second) >= start)
        step = CHUNK // SLAB
        for part in (reached[at : at + step] for at in range(0, len(reached), step)):
            left, other = columns[first[part] - start], columns[second[part] - start]
            together[part] += np.einsum("pk,k,pk->p", left, apart, other)
    return np.where(first == second, 1.0, np.minimum(together, 1.0))


def expected_sizes(antecedents: Antecedents) -> Floats:
    """Return the expected number of mentions in the entity of each mention, (M,): G diag(h) Gᵀ 1."""
    m = len(antecedents)
    apart = np.concatenate([np.empty(0), *(part for _, _, part in _slabs(antecedents, m))])
    sizes = np.ones(m)
    for j in range(m - 1, -1, -1):
        earlier, p = antecedents.row(j)
        sizes[earlier] += p * sizes[j]
    sizes *= apart
    for j in range(m):
        earlier, p = antecedents.row(j)
        sizes[j] += p @ sizes[earlier]
    return sizes


def refuse_large(m: int, advice: str) -> None:
    """Raise InputError if a dense matrix would have more than `MAX_DENSE_MENTIONS` mentions."""
    if m > MAX_DENSE_MENTIONS:
        raise InputError(
            f"{m:,} mentions are too many for a matrix of all pairs ({8 * m * m / 1e9:.1f} GB; at most "
            f"{MAX_DENSE_MENTIONS:,}); {advice}."
        )


def _reversed_paths(antecedents: Antecedents) -> Floats:
    """Return the transpose of G with the last mention first, a lower triangular matrix stored by columns."""
    m = len(antecedents)
    places = antecedents.sources()
    places *= m
    places += antecedents.antecedents
    flat = np.zeros(m * m)
    flat[::-1][places] = antecedents.probabilities
    np.negative(flat, out=flat)
    flat[:: m + 1] = 1.0
    matrix = flat.reshape(m, m)
    _invert_upper(matrix)
    return matrix.T


def _slabs(antecedents: Antecedents, length: int) -> Iterator[tuple[int, Floats, Floats]]:
    """Yield `start`, the columns start … start + b - 1 of G, and h of these mentions.

    The columns begin at row `start`, (length - start, b); above it they are 0. They solve G = I + P G from the top
    down, by blocks of rows, so that no other columns of G are needed.
    """
    blocks = [_Links.of(antecedents, low, min(low + SLAB, length)) for low in range(0, length, SLAB)]
    met = np.zeros(length)  # Σ G_ik² h_k over the columns k so far
    for number, diagonal in enumerate(blocks):
        start, stop = diagonal.low, diagonal.high
        columns = np.empty((length - start, stop - start))
        columns[: stop - start] = diagonal.within
        with one_thread():
            for block in blocks[number + 1 :]:
                above, here = columns[: block.low - start], columns[block.low - start : block.high - start]
                here[:] = block.within @ (block.before[:, start:] @ above)
            squares = columns * columns
            apart = _solve_triangular(squares[: stop - start].T, 1.0 - met[start:stop], lower=False)
            met[start:] += squares @ apart
        yield start, columns, apart


@dataclass(frozen=True, slots=True)
class _Links:
    """The links of the b mentions low … high - 1.

    before (b, low): the links to mentions before `low`, a part of P; sparse, or dense if many cells contain a link.
    within (b, b): (I - P)⁻¹ for the links among the b mentions.
    """

    low: int
    high: int
    before: Any
    within: Floats

    @classmethod
    def of(cls, antecedents: Antecedents, low: int, high: int) -> _Links:
        from scipy.sparse import csr_array

        starts = antecedents.starts[low : high + 1]
        links = slice(starts[0], starts[-1])
        p, k = antecedents.probabilities[links], antecedents.antecedents[links]
        rows = csr_array((p, k, starts - starts[0]), shape=(high - low, high))
        within = np.eye(high - low) - rows[:, low:].toarray()
        _invert_upper(within.T)
        before = rows[:, :low]
        return cls(low, high, before.toarray() if before.nnz > DENSE_SHARE * low * (high - low) else before, within)


def _invert_upper(matrix: Floats) -> None:
    """Invert an upper triangular matrix with ones on the diagonal in place, by recursive halving."""
    from scipy.linalg.lapack import dtrtri

    m = len(matrix)
    if m <= LEAF:
        matrix[:] = dtrtri(matrix.T, lower=1, unitdiag=1)[0].T
        return
    top, corner, bottom = matrix[: m // 2, : m // 2], matrix[: m // 2, m // 2 :], matrix[m // 2 :, m // 2 :]
    _invert_upper(top)
    _invert_upper(bottom)
    corner[:] = top @ -corner @ bottom


def _solve_triangular(matrix: Floats, right: Floats, *, lower: bool) -> Floats:
    """Solve Aᵀ h = right for probabilities h, with A triangular; set values below 0, due to rounding, to 0."""
    from scipy.linalg.lapack import dtrtrs

    return np.asarray(np.maximum(dtrtrs(matrix, right, lower=int(lower), trans=1)[0], 0.0))
