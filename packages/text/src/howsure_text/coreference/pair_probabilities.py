"""Exact pair probabilities, from the paths that lead back from both mentions.

Follow the antecedents back from mention i until a new entity: with P the matrix of links, G = (I - P)⁻¹ contains G_ik =
P(the path from i passes k). Two mentions are together if and only if their paths meet, and from then on the paths
coincide. If they were drawn independently even after meeting, both would pass k with probability G_ik G_jk; counting
the *last* mention where they meet, with h_k = P(two independent paths from k never meet again),

    P(i ~ j) = Σ_k G_ik h_k G_jk,   where h solves Σ_k G_ik² h_k = 1, for P(i ~ i) = 1.

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

MAX_DENSE_MENTIONS = 5_000  # mentions in a dense matrix: 200 MB
SLAB = 256
LEAF = 64
CHUNK = 1 << 21
DENSE_SHARE = 0.125  # share of cells with a link from which on products of full matrices are faster


def pair_matrix(antecedents: Antecedents) -> Floats:
    """P(i ~ j) of all pairs, (M, M), symmetric with ones on the diagonal; M³/3 multiplications and additions.

    Raises InputError for more than 5,000 mentions.
    """
    refuse_large(len(antecedents), "pair_probability(pairs=[(i, j), ...]) answers chosen pairs")
    if len(antecedents) == 0:
        return np.empty((0, 0))
    from scipy.linalg.lapack import dlauum

    both = np.empty((len(antecedents), len(antecedents)))
    with one_thread():
        factor = _reversed_paths(antecedents)
        squares = np.multiply(factor, factor, out=both.T)
        factor *= np.sqrt(_solve_triangular(squares, np.ones(len(antecedents)), lower=True))[:, None]
        half = dlauum(factor, lower=1, overwrite_c=1)[0][::-1, ::-1]  # its transpose times itself, one triangle
    np.add(half, half.T, out=both)
    np.minimum(both, 1.0, out=both)
    np.fill_diagonal(both, 1.0)
    return both


def path_matrix(antecedents: Antecedents) -> Floats:
    """G = (I - P)⁻¹, (M, M): the probability that the path back from mention i passes k.

    Raises InputError for more than 5,000 mentions.
    """
    refuse_large(len(antecedents), "sample() and query() have no such limit")
    if len(antecedents) == 0:
        return np.empty((0, 0))
    with one_thread():
        return np.ascontiguousarray(_reversed_paths(antecedents).T[::-1, ::-1])


def chosen_pairs(antecedents: Antecedents, first: Integers, second: Integers) -> Floats:
    """P(i ~ j) of chosen pairs, summed over 256 columns of G at a time, with memory for these only."""
    length = int(max(first.max(initial=-1), second.max(initial=-1))) + 1  # what comes later changes nothing
    together = np.zeros(len(first))
    for start, columns, apart in _slabs(antecedents, length):
        reached = np.flatnonzero(np.minimum(first, second) >= start)
        step = CHUNK // SLAB
        for part in (reached[at : at + step] for at in range(0, len(reached), step)):
            left, other = columns[first[part] - start], columns[second[part] - start]
            together[part] += np.einsum("pk,k,pk->p", left, apart, other)
    return np.where(first == second, 1.0, np.minimum(together, 1.0))


def expected_sizes(antecedents: Antecedents) -> Floats:
    """The expected number of mentions in the entity of each mention, including itself: G h (Gᵀ 1), (M,)."""
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
    """Refuse a dense matrix of more mentions than `MAX_DENSE_MENTIONS`."""
    if m > MAX_DENSE_MENTIONS:
        raise InputError(
            f"{m:,} mentions are too many for a matrix of all pairs ({8 * m * m / 1e9:.1f} GB; at most "
            f"{MAX_DENSE_MENTIONS:,}); {advice}."
        )


def _reversed_paths(antecedents: Antecedents) -> Floats:
    """The transpose of G with the last mention first: lower triangular, columns stored one after the other."""
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
    """The columns start … start + b - 1 of G from row `start` on, (length - start, b), and h of these mentions.

    Above row `start` they are 0. A slab is solved from the top down, by blocks of rows, G = I + P G, so that it needs
    the links but no other column of G.
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
    """The links of the mentions low … high - 1: to earlier ones, and the paths among themselves.

    before (b, low): rows of P, sparse or, if more than a few cells contain a link, dense. within (b, b): (I - P)⁻¹.
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
    """Invert a triangular matrix with ones on the diagonal in place, by halves, mostly with matrix products."""
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
    """h from Aᵀ h = right, A triangular; h is a probability; values that rounding puts below 0 become 0."""
    from scipy.linalg.lapack import dtrtrs

    return np.asarray(np.maximum(dtrtrs(matrix, right, lower=int(lower), trans=1)[0], 0.0))
