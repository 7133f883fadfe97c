"""The files of wrong inputs of summaries and clusters."""

from __future__ import annotations

import numpy as np

from howsure import CalibrationSummaries, CalibrationSummary
from tests.bad_input.files import CSV, Files


def saved(*, weighted: bool = False) -> bytes:
    """Write a summary of 40 simulated predictions."""
    summary, q = CalibrationSummary(), np.arange(40) / 40
    summary.add(q > 0.5, q, sample_weight=q if weighted else None)
    return summary.to_bytes()


def grouped(*, weighted: bool = False) -> bytes:
    """Write the same with groups a and b or, with weights, c."""
    summaries, q = CalibrationSummaries(), np.arange(40) / 40
    groups = ["c"] * 40 if weighted else ["a", "b"] * 20
    summaries.add(q > 0.5, q, groups=groups, sample_weight=q if weighted else None)
    return summaries.to_bytes()


ONE = {"a.summary": saved()}
SUMMARISED = Files(
    ONE,
    {
        "a summary together with predictions": CSV,
        "logits as a table": {"x.safetensors": b"tensors"},
        "a summary that was cut off": {"a.summary": saved()[:-7]},
        "summaries with and without groups": {"b.summary": grouped()},
        "a weighted and an unweighted summary": {"b.summary": saved(weighted=True)},
        "groups of which some have weights": {"a.summary": grouped(), "b.summary": grouped(weighted=True)},
    },
)
