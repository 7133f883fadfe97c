"""Forward–backward on exp(potentials), scaled every few steps (Rabiner 1989), with one matrix product per step."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np

from howsure.inputs.pairs import Floats
from howsure.sequences.chain.log_messages import Chain, Messages
from howsure.sequences.chain.workspace import Workspace

WIDEST = 150.0  # range of one step in logarithms
BETWEEN_SCALINGS = 250.0  # no number leaves exp(±(this + 2 · WIDEST)); float64 ends at exp(±708)


@dataclass(frozen=True, slots=True)
class Scaled:
    """Forward–backward on exp(potentials): `local` (N, K), overwritten, and `weights` (K, K), both at most 1.

    Every `every`-th forward row is divided by its sum c_t, so that with c_t = 1 elsewhere
        α_t(k) = Σ_j α_t−1(j) A(j, k) e_t(k) / c_t,    β_t−1(j) = Σ_k A(j, k) e_t(k) β_t(k) / c_t,
    and β_T = 1 / Σ_k α_T(k), so that Σ_k α_t(k) β_t(k) = 1 for every t. `shift` is what was subtracted from the
    logarithms of `local` and of `weights`.
    """

    chain: Chain
    local: Floats
    weights: Floats
    shift: tuple[float, float]
    every: int
    workspace: Workspace

    @classmethod
    def of(cls, chain: Chain, workspace: Workspace) -> Self | None:
        """None if the range of the potentials is too wide or infinite, or if the transitions are not shared."""
        potentials = chain.emissions, chain.transitions
        if chain.transitions.ndim == 3:
            return None
        emission, transition = (float(values.max()) for values in potentials)
        span = emission + transition - sum(float(values.min()) for values in potentials)
        span += math.log(len(chain.transitions))
        if not span <= WIDEST:  # also if it is no number
            return None
        local = np.subtract(chain.emissions, emission, out=workspace.floats("local", chain.emissions.shape))
        weights = np.exp(chain.transitions - transition)
        every = int(BETWEEN_SCALINGS / max(span, 1.0))
        return cls(chain, np.exp(local, out=local), weights, (emission, transition), every, workspace)

    def forward(self) -> Forward:
        """The forward pass."""
        batch, local = self.chain.batch, self.local
        values = self.workspace.floats("forward", local.shape)
        scales: dict[int, Floats] = {}
        ones = np.ones((local.shape[1], 1))
        row = values[: len(batch)]
        row[:] = local[: len(batch)]
        for t, (begin, stop) in enumerate(pairwise(batch.steps.tolist()[1:]), 1):
            row = np.matmul(row[: stop - begin], self.weights, out=values[begin:stop])
            row *= local[begin:stop]
            if t % self.every == 0:
                scales[t] = row @ ones
                row /= scales[t]
        totals = values[batch.last_rows] @ ones
        with np.errstate(over="ignore", invalid="ignore"):  # what is no number is looked for by who asked
            log_z = np.log(totals[:, 0]) + self.shift[0] * batch.lengths + self.shift[1] * (batch.lengths - 1)
        for scale in scales.values():
            log_z[: len(scale)] += np.log(scale[:, 0])
        return Forward(log_z, values, scales, totals)

    def backward(self, forward: Forward) -> Floats:
        """β (N, K); `local` becomes e_t(k) β_t(k) / c_t except in the first rows."""
        batch = self.chain.batch
        backward: Floats = self.workspace.floats("backward", self.local.shape)
        backward[batch.last_rows] = 1.0 / forward.totals
        turned = np.ascontiguousarray(self.weights.T)
        bounds = batch.steps.tolist()
        for t in range(len(bounds) - 2, 0, -1):
            begin, stop, before = bounds[t], bounds[t + 1], bounds[t - 1]
            row = self.local[begin:stop]
            row *= backward[begin:stop]
            if t in forward.scales:
                row /= forward.scales[t]
            np.matmul(row, turned, out=backward[before : before + stop - begin])
        return backward

    def pair_sums(self, forward: Forward) -> Floats:
        """Σ α_t−1(j) A(j, k) e_t(k) β_t(k) / c_t over all rows except those of first tokens, as one matrix product;
        after `backward`."""
        batch = self.chain.batch
        earlier = self.workspace.floats("earlier", self.local[len(batch) :].shape)
        forward.values.take(batch.previous_rows, axis=0, out=earlier, mode="clip")
        return self.weights * (earlier.T @ self.local[len(batch) :])

    def messages(self) -> Messages:
        """Both passes in logarithms, as `howsure.sequences.chain.log_messages` defines them."""
        forward = self.forward()
        backward = self.backward(forward)
        shift = np.full(len(backward), sum(self.shift))
        for t, scale in forward.scales.items():
            begin = self.chain.batch.steps[t]
            shift[begin : begin + len(scale)] += np.log(scale[:, 0])
        return Messages(forward.logs(), shift, forward.log_z, np.log(backward, out=backward))


@dataclass(frozen=True, slots=True)
class Forward:
    """log_z (B,); values: α (N, K); scales: c (n, 1) by position; totals: Σ_k α_T(k) (B, 1)."""

    log_z: Floats
    values: Floats
    scales: dict[int, Floats]
    totals: Floats

    def logs(self) -> Floats:
        """log α, in place of it."""
        return np.log(self.values, out=self.values)
