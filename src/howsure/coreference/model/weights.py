"""The weights of all features in one vector, and the tables of scores that they add up to.

A family with n codes has one weight per code; conjoined with types, one per code and pair of types; with forms, one per
code and pair of forms. The score of a pair of mentions from a family is the sum of the three, so for scoring they are
combined once into one table (code x pair of forms): a pair costs one look-up per family, whatever the conjunctions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from howsure.coreference.mentions.mention_columns import Codes
from howsure.coreference.mentions.mention_facts import FORMS, TYPE_OF_FORM
from howsure.coreference.model.features.family import Family
from howsure.files.archive import Array
from howsure.inputs.pairs import Floats

N_TYPES = 3


@dataclass(frozen=True, slots=True)
class Context:
    """The contexts with which features are conjoined: the coarse class of each fine one (types of forms, or pairs of
    both)."""

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
    """The fine context of all pairs: form of the mention and of the antecedent, as one code."""
    return form[:, None] * len(FORMS) + form[None, :]


@dataclass(frozen=True, slots=True)
class Block:
    """The positions of a family's weights in the vector, and the computation of its table."""

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
        """Number of columns of the table."""
        return {"none": 1, "types": self.context.n_coarse, "forms": self.context.n_fine}[self.family.conjunction]

    def cells(self, codes: NDArray[np.integer], fine: Codes) -> Codes:
        """The cell of the table for each code in its fine context."""
        if self.family.conjunction == "none":
            return codes.astype(np.int64)
        context = self.context.coarse_of_fine[fine] if self.family.conjunction == "types" else fine
        return codes * np.int64(self.n_contexts) + context

    def table(self, weights: Floats) -> Floats:
        """Scores of all cells."""
        n, coarse = self.family.size, self.context.n_coarse
        own = weights[self.start : self.start + self.n_weights]
        if self.family.conjunction == "none":
            return own
        bare, typed = own[:n, None], own[n : n + n * coarse].reshape(n, coarse)
        if self.family.conjunction == "types":
            return (bare + typed).ravel()
        formed = own[n + n * coarse :].reshape(n, self.context.n_fine)
        return (formed + (bare + typed)[:, self.context.coarse_of_fine]).ravel()

    def add_gradient(self, of_cells: Floats, gradient: Floats) -> None:
        """Pass the gradient of the table on to the weights."""
        n, coarse = self.family.size, self.context.n_coarse
        own = gradient[self.start : self.start + self.n_weights]
        if self.family.conjunction == "none":
            own += of_cells
            return
        table = of_cells.reshape(n, self.n_contexts)
        typed = table
        if self.family.conjunction == "forms":
            own[n + n * coarse :] += of_cells
            typed = table @ (self.context.coarse_of_fine[:, None] == np.arange(coarse))
        own[n : n + n * coarse] += typed.ravel()
        own[:n] += typed.sum(axis=1)


def blocks_of(families: Sequence[Family], context: Context, *, start: int = 0) -> tuple[Block, ...]:
    """Consecutive blocks, from a position in the vector on."""
    blocks = []
    for family in families:
        blocks.append(Block(family, context, start))
        start += blocks[-1].n_weights
    return tuple(blocks)


def arrays_of(weights: Floats) -> dict[str, Array]:
    """The weights that are not zero, as a file holds them."""
    places = np.flatnonzero(weights).astype(np.int32)
    return {"places": places, "values": weights[places]}


def weights_from(arrays: Mapping[str, Array], n: int) -> Floats | None:
    """n weights from what `arrays_of` gave; None for arrays that are not numbers at distinct positions below n."""
    places, values = arrays.get("places"), arrays.get("values")
    if places is None or values is None or not _fit(places, values, n):
        return None
    weights = np.zeros(n)
    weights[places] = values
    return weights


def _fit(places: Array, values: Array, n: int) -> bool:
    """Whether these are numbers, each at a distinct position below n."""
    return (
        (places.dtype, values.dtype) == (np.dtype(np.int32), np.dtype(np.float64))
        and places.ndim == values.ndim == 1
        and len(places) == len(values)
        and bool(np.isfinite(values).all())
        and (
            len(places) == 0 or (int(places[0]) >= 0 and int(places[-1]) < n and bool((places[1:] > places[:-1]).all()))
        )
    )
