"""BooStSa's figures, run again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from howsure.errors import InputError
from howsure.reproductions import boostsa


def test_the_simulated_sets_are_as_the_paper_says() -> None:
    """Balanced classes and predictions, and a difference of one point in every metric."""
    targets, a, b = boostsa.balanced(1000, np.random.default_rng(0))
    assert targets.mean() == a.mean() == b.mean() == 0.5
    assert ((a == targets).mean(), (b == targets).mean()) == (0.80, 0.81)


def test_the_figures(real_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boostsa, "SIZES", (1000, 4000))
    steps: list[int] = []
    result = boostsa.reproduce_boostsa(data=str(real_data), seed=1, advance=steps.append)
    assert sum(steps) == boostsa.steps_of_boostsa()
    assert len(result.findings) == 5
    assert all(finding.holds for finding in result.findings if finding.figure == "1")
    assert set(result.draw()) == {"figure-1", "figure-2"}
    rows = {(row[0], row[1]): row[2:] for row in result.tables[1].rows}
    assert rows["h0.0 and h1.0", "macro_f1"][-1] == "0.0001"  # half of the two-sided .00027
    json.dumps(result.to_dict(), allow_nan=False)


def test_without_its_data_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOWSURE_DATA", raising=False)
    with pytest.raises(InputError, match="--data or HOWSURE_DATA"):
        boostsa.reproduce_boostsa()
