"""How often corrected intervals hold the truth, over populations and draws: beside the raw ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from howsure.events.labels.draw import strata_of
from howsure.events.series.corrected_series import corrected_series
from howsure.events.series.event_series import event_series
from tests.events.corrected.known_truth import ACTORS, known_truth

POPULATIONS, DRAWS, READ = 4, 15, 120


@pytest.mark.slow
def test_corrected_intervals_hold_on_average(tmp_path: Path) -> None:
    """600 documents, 120 read, two actors by quarter; the model finds 20 to 40 % of the events, and invents some."""
    raw, cells, totals = [], [], []
    for seed in range(POPULATIONS):
        known = known_truth(tmp_path / f"{seed}.duckdb", n=600, seed=seed)
        strata = strata_of(known.store, ACTORS, period="quarter", n=READ)
        named = {int(one): strata.names[code] for one, code in zip(strata.documents, strata.codes, strict=True)}
        known = replace(known, strata=named)
        truth = dict(zip(ACTORS, known.truth.sum(axis=0).tolist(), strict=True))
        rows = event_series(known.store, actors=ACTORS).rows
        raw += [row.low <= known.counts(row.period, row.actor) <= row.high for row in rows]
        for draw in range(DRAWS):
            series = corrected_series(known.store, labels=known.read(known.drawn(READ, seed=100 * seed + draw)))
            cells += [row.low <= known.counts(row.period, row.actor) <= row.high for row in series.rows]
            totals += [row.low <= truth[row.actor] <= row.high for row in series.totals]
        known.store.close()
    assert np.mean(raw) < 0.2
    assert np.mean(cells) >= 0.93  # .952 of 480
    assert np.mean(totals) >= 0.92  # .967 of 120
