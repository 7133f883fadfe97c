"""An independent scorer says the same: its answers are stored, with the script that asked it.

The clusterings are made again from their seeds by benchmarks/parity_coreference.py, which wrote parity.json.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.parity_coreference import METRICS, documents
from howsure_text.coreference import Score, coreference_scores

ANSWERS: dict[str, Any] = json.loads((Path(__file__).parent / "parity.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("metric", METRICS)
def test_scorch_says_the_same_of_200_documents(metric: str) -> None:
    compared = 0
    for (gold, predicted), answer in zip(documents(), ANSWERS[metric], strict=True):
        score: Score = getattr(coreference_scores(gold, predicted), metric)
        if answer:  # undefined without a gold pair
            assert [score.precision, score.recall] == pytest.approx(answer, abs=1e-12)
            compared += 1
    assert compared >= 190
