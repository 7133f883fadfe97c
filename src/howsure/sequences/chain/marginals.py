"""Expectations under a linear chain: log Z, tag marginals and expected transitions of a batch.

The score of a tag sequence y is Σ_t e_t(y_t) + Σ_t A(y_t−1, y_t), plus start(y_1) and end(y_T) where given, and its
probability is exp(score − log Z). Forward–backward runs on exp(potentials) if their range rules out overflow and
underflow, otherwise in logarithms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from howsure.inputs.pairs import Floats
from howsure.sequences.chain.batches import Batch
from howsure.sequences.chain.log_messages import (
    Chain,
    Messages,
    forward_in_logarithms,
    messages_in_logarithms,
    pair_chunks,
)
from howsure.sequences.chain.scaled_messages import Scaled
from howsure.sequences.chain.workspace import Workspace


class Expectations(NamedTuple):
    """log_z (B,); marginals (N, K), packed as the batch is; pair_sums (K, K), summed over sentences and positions."""

    log_z: Floats
    marginals: Floats
    pair_sums: Floats | None


def expectations(
    batch: Batch,
    emissions: Floats,
    transitions: Floats,
    start: Floats | None = None,
    end: Floats | None = None,
    *,
    pairs: bool = True,
    workspace: Workspace | None = None,
) -> Expectations:
    """log Z, marginals P(y_t = k) and expected numbers of transitions (j, k), of the sentences of one batch.

    `emissions` (N, K) holds log-potentials, one row per token, packed as the batch says (`Batch.pack`, or any table
    taken by `Batch.rows_of`); `transitions` (K, K) is from tag to next tag; `start`, `end` (K,). All must be float64,
    finite or −inf; none is changed. `pairs=False` saves the expected transitions. With a `workspace`, the marginals are
    valid until it is used again. Call within `one_thread()`. A sentence with no possible sequence gets log Z = −inf,
    and its marginals are meaningless.

    >>> from howsure.sequences.chain.batches import batches
    >>> batch = next(batches([2], width=2))
    >>> found = expectations(batch, np.log([[1.0, 3.0], [1.0, 1.0]]), np.log([[1.0, 1.0], [1.0, 2.0]]))
    >>> float(np.exp(found.log_z[0]).round(9)), (11 * found.pair_sums).round(9).tolist()
    (11.0, [[1.0, 1.0], [3.0, 6.0]])
    """
    if start is not None or end is not None:
        emissions = add_ends(batch, emissions.copy(), start, end)
    return expectations_of(Chain(batch, emissions, transitions), workspace or Workspace(), pairs=pairs)


def add_ends(batch: Batch, emissions: Floats, start: Floats | None, end: Floats | None) -> Floats:
    """The packed emissions with the start and end potentials added in place to each sentence's first and last row."""
    if start is not None:
        emissions[: len(batch)] += start
    if end is not None:
        emissions[batch.last_rows] += end
    return emissions


def expectations_of(chain: Chain, workspace: Workspace, *, pairs: bool) -> Expectations:
    """Like `expectations`; the results are valid until the workspace is used again."""
    scaled = Scaled.of(chain, workspace)
    if scaled is None:
        found = messages_in_logarithms(chain)
        return Expectations(found.log_z, found.tags(), _sum_of_pairs(chain, found) if pairs else None)
    forward = scaled.forward()
    marginals = scaled.backward(forward)
    pair_sums = scaled.pair_sums(forward) if pairs else None
    marginals *= forward.values
    return Expectations(forward.log_z, marginals, pair_sums)


def messages_of(chain: Chain, workspace: Workspace) -> Messages:
    """Forward and backward messages, valid until the workspace is used again."""
    scaled = Scaled.of(chain, workspace)
    return messages_in_logarithms(chain) if scaled is None else scaled.messages()


def forward_of(chain: Chain, workspace: Workspace) -> tuple[Floats, Floats]:
    """Forward messages (N, K), to a constant for each row, and log Z (B,); they last as those of `messages_of`."""
    scaled = Scaled.of(chain, workspace)
    if scaled is None:
        forward, _, log_z = forward_in_logarithms(chain)
        return forward, log_z
    found = scaled.forward()
    return found.logs(), found.log_z


def log_z_of(chain: Chain, workspace: Workspace) -> Floats:
    """log Z (B,)."""
    scaled = Scaled.of(chain, workspace)
    return forward_in_logarithms(chain)[2] if scaled is None else scaled.forward().log_z


def _sum_of_pairs(chain: Chain, found: Messages) -> Floats:
    sums = np.zeros_like(chain.transitions)
    for logs in pair_chunks(chain, found):
        sums += np.exp(logs).sum(axis=0)
    return sums


def below_one(probabilities: Floats) -> Floats:
    """Values that rounding has put above 1 are set to 1."""
    return np.clip(probabilities, 0.0, 1.0, out=probabilities)  # twice as fast as a minimum
