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
    Wrong("a column of a summary", "calibration a.summary --target gold",
          "--target is for files of predictions; saved summaries hold sums. Leave it out.", ONE),
    Wrong("a summary read by a cluster", f"calibration a.summary {DASK}",
          "--engine is for files of predictions; saved summaries hold sums. Leave it out.", ONE),
    Wrong("a summary beside predictions", "calibration a.summary dev.csv --target gold --prob prob",
          "dev.csv is not a saved summary, and a.summary is. Summarise it first: howsure calibration summary.",
          ONE | CSV),
    Wrong("a summary beside a file that is not there", "calibration a.summary b.summary",
          "no file b.summary. Did you mean a.summary?", ONE),
    Wrong("a summary named twice", "calibration '*.summary' a.summary",
          "a.summary is named twice; its rows would be counted twice.", ONE),
    Wrong("a column of a summary that is checked", "check calibration a.summary --max-error 0.1 --target gold",
          "--target is for files of predictions; saved summaries hold sums. Leave it out.", ONE),
    Wrong("another model beside a summary", "check calibration a.summary --better-than b.summary",
          "a.summary: sums stand for the pairs, and tests, bootstrap intervals, clusters, another model, and "
    "CORP with weights need the pairs themselves. Name the files of predictions.", ONE),
    Wrong("a summary where rows are needed", "selective a.summary",
          "a.summary: sums stand for the pairs, and tests, bootstrap intervals, clusters, another model, and "
    "CORP with weights need the pairs themselves. Name the files of predictions.", ONE),
    Wrong("logits as a table", "calibration x.safetensors --target gold --prob prob",
          "x.safetensors holds tensors, not columns; logits over many classes: howsure calibration logits.",
          {"x.safetensors": b"tensors"}),
    Wrong("a summary that was cut off", "calibration a.summary",
          "a.summary was truncated or changed: it does not match its checksum. Restore a copy, or add the pairs again.",
          {"a.summary": saved()[:-7]}),
    Wrong("summaries with and without groups", "calibration a.summary b.summary",
          "some of the summaries have groups and others have none. Summarise all with --group, or none.",
          ONE | {"b.summary": grouped()}),
    Wrong("a weighted summary beside another", "calibration a.summary b.summary",
          "one of the summaries is weighted and the other is not: give each pair of the latter the weight 1.",
          ONE | {"b.summary": saved(weighted=True)}),
    Wrong("a summary under two names", "calibration a.summary ./a.summary",
          "./a.summary is named twice, also as a.summary; its rows would be counted twice.", ONE),
    Wrong("groups of which some have weights", "calibration summary a.summary b.summary --output c.summary",
          "the pairs of the group 'c' have weights, and those of 'b' have none: give each of the latter the weight 1.",
          {"a.summary": grouped(), "b.summary": grouped(weighted=True)}),
    Wrong("a test of sums", "calibration a.summary --test cox",
          "a.summary: sums stand for the pairs, and tests, bootstrap intervals, clusters, another model, and "
    "CORP with weights need the pairs themselves. Name the files of predictions.", ONE),
    Wrong("a summary over what it is made of", "calibration summary a.summary --output a.summary",
          "a.summary is an input of this command and would be overwritten; name another file.", ONE),
    Wrong("clusters in a summary", f"{SUMMARISE} --cluster model",
          "--cluster and --id need the rows themselves; a summary has none. Leave them out.", CSV),
    Wrong("a scheduler without its engine", f"{JUDGE} --scheduler tcp://127.0.0.1:8786",
          "--scheduler is that of --engine dask. Name the engine too, or leave the scheduler out.", CSV),
    Wrong("an engine without its scheduler", f"{JUDGE} --engine dask",
          "--engine dask needs the address of a scheduler: --scheduler tcp://host:8786.", CSV),
    Wrong("clusters on a cluster", f"{JUDGE} {DASK} --cluster model",
          "--cluster does not go with --engine dask, whose workers read --target, --prob, --group, --weight, "
    "--positive. Leave it out.", CSV),
    Wrong("a cluster without a probability", f"calibration dev.csv --target gold {DASK}",
          "--engine dask reads a label and one probability per row; name its column: --prob COL.", CSV),
    Wrong("an address that is none", f"{JUDGE} --engine dask --scheduler nowhere:port",
          "no Dask scheduler answers at 'nowhere:port' within 5 s; its address is what `dask scheduler` prints, such "
          "as 'tcp://host:8786'.", CSV),
]  # fmt: skip
