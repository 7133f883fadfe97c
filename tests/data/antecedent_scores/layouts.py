"""The same antecedent scores in every layout."""

from __future__ import annotations

from typing import Any

import numpy as np

from howsure.data import AntecedentScores

M = 5
LINKS = np.where(np.tri(M, k=-1, dtype=bool), np.arange(25.0).reshape(5, 5) % 7 - 3, -np.inf)
LINKS[3, 1] = -np.inf
NULL = np.array([0.0, 0.5, -1.0, 0.25, 2.0])


def several() -> list[AntecedentScores]:
    """The same scores in every layout."""
    held: dict[str, Any] = {"mentions": [(n, n + 1) for n in range(M)], "words": [["a", "b", "c"], ["d", "e"]]}
    listed = [[k for k in range(j) if LINKS[j, k] > -np.inf] for j in range(M)]
    padded = np.full((M, M), -1e9)
    places = np.zeros((M, M), dtype=int)
    for j, ks in enumerate(listed):
        padded[j, : len(ks)], places[j, : len(ks)] = LINKS[j, ks], ks
    square = LINKS.copy()
    np.fill_diagonal(square, NULL)
    return [
        AntecedentScores(id="plain", scores=LINKS, null=NULL, **held),
        AntecedentScores(id="x/first", scores=np.column_stack([NULL, LINKS]), null="first", **held),
        AntecedentScores(id="last", scores=np.column_stack([LINKS, NULL]), null="last", **held),
        AntecedentScores(id="diagonal", scores=square, null="diagonal", **held),
        AntecedentScores(
            id="listed", scores=[LINKS[j, k] for j, k in enumerate(listed)], antecedents=listed, null=NULL, **held
        ),
        AntecedentScores(id="padded", scores=np.column_stack([NULL, padded]), antecedents=places, null="first", **held),
        AntecedentScores(
            id="text", scores=LINKS, null=NULL, text="ab c\nd e", mentions=[(0, 1), (1, 2), (3, 4), (5, 6), (7, 8)]
        ),
    ]
