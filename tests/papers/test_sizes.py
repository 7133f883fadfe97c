"""Errors on parts of simulated test data, whose calibration is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from howsure_papers import sizes
from howsure_papers.sizes import ORDERS, PARTS, OnParts, findings_of_parts, on_parts, parts_table, reproduce_sizes

from howsure.inputs.pairs import Pairs
from tests.papers.whole import check_whole, rows_of

SENTENCES, WORDS = 400, 400


def simulated(unit: str, *, moved: float) -> OnParts:
    """Predictions that are too small by `moved`, the clusters documents or sentences."""
    rng = np.random.default_rng(3)
    p = rng.random(SENTENCES * WORDS) * (1 - moved)
    labels = (rng.random(len(p)) < p + moved).astype(np.uint8)
    steps: list[int] = []
    held = on_parts(
        Pairs(labels, p, clusters=np.repeat(np.arange(SENTENCES), WORDS)), "made up", unit, seed=0, advance=steps.append
    )
    assert sum(steps) == len(PARTS)
    return held


def test_parts_have_the_error_of_all_in_as_many_bins() -> None:
    held = simulated("documents", moved=0.2)
    assert [len(held.errors[parts]) for parts in PARTS] == [1, *(ORDERS * parts for parts in PARTS[1:])]
    assert [held.mean(parts) for parts in PARTS] == pytest.approx([0.2] * 4, abs=0.005)
    assert held.exponent == pytest.approx(-0.5, abs=0.1)
    assert held.theirs(-0.5) == pytest.approx(held.width(1) * np.sqrt(SENTENCES / 404))
    assert [row[2] for row in rows_of(parts_table([held]))] == ["400", "200", "100", "50"]
    assert findings_of_parts(held)[-1].holds is False


def test_whether_an_error_could_be_told_to_be_small() -> None:
    assert findings_of_parts(simulated("documents", moved=0.0))[-1].holds


@pytest.mark.long
def test_a_slice(real_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "ORDERS", 1)
    steps: list[int] = []
    result = reproduce_sizes(data=str(real_data), limit=8, advance=steps.append)
    assert sum(steps) == reproduce_sizes.steps()
    check_whole(result)
    assert len(rows_of(result.tables[0])) == 4 * len(PARTS)
