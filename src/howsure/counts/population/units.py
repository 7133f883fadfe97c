"""The units of a population: scores of all, labels of some, their cells, and how the labels were drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from howsure.counts.population.cells import Cells, read_cells
from howsure.counts.population.draw import Draw, Elements, read_draw
from howsure.counts.population.partial_columns import partial_labels
from howsure.errors import InputError
from howsure.inputs.checks import check_clusters, check_probabilities
from howsure.inputs.pairs import Floats, Integers

LEAST_LABELS = 10


@dataclass(frozen=True, slots=True)
class Units:
    """N units: scores (N,), the rows that have labels and these labels, cells, and the draw."""

    score: Floats
    labelled: Integers  # ascending
    labels: Floats
    cells: Cells
    elements: Elements
    draw: Draw
    design: str  # how the labels were drawn, in words

    def __len__(self) -> int:
        return len(self.score)

    @property
    def cell_of_labelled(self) -> Integers:
        """The cell of each unit with a label."""
        return self.cells.code[self.labelled].astype(np.int64)

    @property
    def weight_of_labelled(self) -> Floats:
        """How many units each unit with a label stands for."""
        held: Floats = self.draw.weight[self.draw.element]
        return held

    def by_cell(self, values: Floats) -> Floats:
        """Sums of values of labelled units by cell."""
        found = np.bincount(self.cell_of_labelled, weights=values, minlength=len(self.cells.names))
        return found.astype(np.float64, copy=False)


def read_units(
    y_prob: object,
    labels: object,
    *,
    cells: Any = None,
    strata: object = None,
    inclusion: object = None,
    clusters: object = None,
    pos_label: object = None,
) -> Units:
    """Check what a user passes to `estimate_counts`.

    Raises InputError naming the parameter, the row, the value and what to do.
    """
    score = check_probabilities(y_prob)
    n = len(score)
    labelled, values = partial_labels(labels, n=n, pos_label=pos_label)
    check_enough(len(labelled), n)
    elements = Elements(n, None if clusters is None else check_clusters(clusters, n=n))
    draw, design = read_draw(elements, labelled, strata=strata, inclusion=inclusion)
    return Units(score, labelled, values, read_cells(cells, n=n), elements, draw, design)


def check_enough(labelled: int, n: int) -> None:
    """InputError for fewer than 10 labels."""
    if labelled < LEAST_LABELS:
        raise InputError(
            f"labels must be known for at least {LEAST_LABELS} units; they are for {labelled:,} of {n:,}. "
            "Draw units by howsure.sample_for_labels and read them."
        )
