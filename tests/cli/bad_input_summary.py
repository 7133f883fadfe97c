"""Wrong inputs of summaries and clusters and what is said to them: part of the table of `bad_input.py`."""

from __future__ import annotations

import numpy as np

from howsure import CalibrationSummaries, CalibrationSummary
from tests.cli.bad_input import CSV, Wrong

JUDGE = "calibration dev.csv --target gold --prob prob"
SUMMARISE = "calibration summary dev.csv --target gold --prob prob --output dev.summary"
DASK = "--engine dask --scheduler tcp://127.0.0.1:8786"


def saved(*, weighted: bool = False) -> bytes:
    """A summary of 40 made-up predictions."""
    summary, q = CalibrationSummary(), np.arange(40) / 40
    summary.add(q > 0.5, q, sample_weight=q if weighted else None)
    return summary.to_bytes()


def grouped(*, weighted: bool = False) -> bytes:
    """The same, in groups: a and b, or with weights c."""
    summaries, q = CalibrationSummaries(), np.arange(40) / 40
    groups = ["c"] * 40 if weighted else ["a", "b"] * 20
    summaries.add(q > 0.5, q, groups=groups, sample_weight=q if weighted else None)
    return summaries.to_bytes()


ONE = {"a.summary": saved()}
SUMMARISED = [
    Wrong("a column of a summary", "calibration a.summary --target gold", ONE),
    Wrong("a summary read by a cluster", f"calibration a.summary {DASK}", ONE),
    Wrong("a summary beside predictions", "calibration a.summary dev.csv --target gold --prob prob", ONE | CSV),
    Wrong("a summary beside a file that is not there", "calibration a.summary b.summary", ONE),
    Wrong("a summary named twice", "calibration '*.summary' a.summary", ONE),
    Wrong("a column of a summary that is checked", "check calibration a.summary --max-error 0.1 --target gold", ONE),
    Wrong("another model beside a summary", "check calibration a.summary --better-than b.summary", ONE),
    Wrong("a summary where rows are needed", "selective a.summary", ONE),
    Wrong("logits as a table", "calibration x.safetensors --target gold --prob prob", {"x.safetensors": b"tensors"}),
    Wrong("a summary that was cut off", "calibration a.summary", {"a.summary": saved()[:-7]}),
    Wrong("summaries with and without groups", "calibration a.summary b.summary", ONE | {"b.summary": grouped()}),
    Wrong(
        "a weighted summary beside another",
        "calibration a.summary b.summary",
        ONE | {"b.summary": saved(weighted=True)},
    ),
    Wrong("a summary under two names", "calibration a.summary ./a.summary", ONE),
    Wrong(
        "groups of which some have weights",
        "calibration summary a.summary b.summary --output c.summary",
        {"a.summary": grouped(), "b.summary": grouped(weighted=True)},
    ),
    Wrong("a test of sums", "calibration a.summary --test cox", ONE),
    Wrong("a summary over what it is made of", "calibration summary a.summary --output a.summary", ONE),
    Wrong("clusters in a summary", f"{SUMMARISE} --cluster model", CSV),
    Wrong("a scheduler without its engine", f"{JUDGE} --scheduler tcp://127.0.0.1:8786", CSV),
    Wrong("an engine without its scheduler", f"{JUDGE} --engine dask", CSV),
    Wrong("clusters on a cluster", f"{JUDGE} {DASK} --cluster model", CSV),
    Wrong("a cluster without a probability", f"calibration dev.csv --target gold {DASK}", CSV),
    Wrong("an address that is none", f"{JUDGE} --engine dask --scheduler nowhere:port", CSV),
]
