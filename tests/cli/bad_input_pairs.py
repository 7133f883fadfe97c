"""Wrong inputs of curves, groups, selective answers and what is made for print: part of the table of `bad_input.py`."""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np
from safetensors.numpy import save

from howsure import CalibrationSummary
from tests.cli.bad_input import CLASSES, CSV, JUDGE, JUDGE_CLASSES, Wrong, table

CORP = "calibration dev.csv --target gold --prob prob --method corp"
NONE = "belongs to --method bins: a curve without bins has none. Leave out one of the two."
GRADES = {"it.csv": b"gold,low,high\nlow,0.7,0.3\nhigh,0.4,0.6\nbest,0.1,0.9\n"}
ORDINAL = "calibration ordinal it.csv --target gold --probs low,high"
ORDERED = [
    Wrong("levels without an order", ORDINAL, {"it.csv": b"gold,low,high\nlow,0.7,0.3\nhigh,0.4,0.6\n"}),
    Wrong("a level that no probability is of", f"{ORDINAL} --levels low,high", GRADES),
    Wrong("fewer levels than probabilities", f"{ORDINAL} --levels low", GRADES),
    Wrong("one probability for all levels", "calibration ordinal it.csv --target gold --prob low --levels 0,1", GRADES),
]
WITHOUT_BINS = [
    Wrong("a method that does not exist", f"{CORP[:-4]}isotonic", CSV),
    Wrong("a bin size without bins", f"{CORP} --bin-size 100", CSV),
    Wrong("a number of bins without bins", f"{CORP} --bins 15", CSV),
    Wrong("bins of equal width without bins", f"{CORP} --binning uniform", CSV),
    Wrong("an interval of bins without bins", f"{CORP} --interval bootstrap", CSV),
    Wrong("a test of bins without bins", f"{CORP} --test binned", CSV),
    Wrong("simulations with bins", f"{CORP[:-4]}bins --simulations 500", CSV),
    Wrong("too few simulations for the level", f"{CORP} --level 0.99", CSV),
    Wrong("no simulations", f"{CORP} --simulations 0", CSV),
    Wrong("a percentage for a probability without bins", CORP, {"dev.csv": table(prob=(12, 1.7))}),
    Wrong(
        "log-odds of a certain step",
        f"{CORP} --axis logit --figure o.svg",
        {"dev.csv": b"gold,prob\n0,0\n1,0.5\n0,0.75\n1,0.8\n"},
    ),
]
FIND = "calibration find-groups dev.csv --target gold --prob prob"
RARE = "5 labels of either kind must be expected in a group, and as many beside it at the same predictions"
ADVICE = "Is each value rare? Give features with few values, or numbers, such as the length of a text."
RNG = np.random.default_rng(0)
PROB = RNG.random(200).round(3)
GOLD = (RNG.random(200) < PROB).astype(int)


def rows(**columns: object) -> dict[str, bytes]:
    """A file of 200 predictions and another column."""
    held: dict[str, object] = {"gold": GOLD, "prob": PROB, **columns}
    lines = [",".join(map(str, row)) for row in zip(*held.values(), strict=True)]  # type: ignore[call-overload]
    return {"dev.csv": "\n".join([",".join(held), *lines, ""]).encode()}


GROUPS = [
    Wrong("no features", FIND, CSV),
    Wrong("a feature without a name", f"{FIND} --features model,", CSV),
    Wrong("a misspelt feature", f"{FIND} --features modell", CSV),
    Wrong("a feature named twice", f"{FIND} --features model,model", CSV),
    Wrong("the label as a feature", f"{FIND} --features gold", CSV),
    Wrong("a feature that tells the label", f"{FIND} --features copy", rows(copy=[["no", "yes"][y] for y in GOLD])),
    Wrong("a feature of one value", f"{FIND} --features same", rows(same=["a"] * 200)),
    Wrong(
        "a feature of a different value in every row", f"{FIND} --features uid", rows(uid=[f"u{i}" for i in range(200)])
    ),
    Wrong("groups of more rows than there are", f"{FIND} --features model", CSV),
    Wrong("groups of one row", f"{FIND} --features model --min-rows 1", CSV),
    Wrong("groups of three conditions", f"{FIND} --features model --conditions 3", CSV),
    Wrong("groups against nothing", f"{FIND} --features model --against half", CSV),
    Wrong(
        "groups of several pairs a row",
        "calibration find-groups dev.jsonl --target gold --probs-column probs --reduce class-wise --features gold",
        CLASSES,
    ),
]
FIGURE = f"{JUDGE} --figure curve.svg"
TWO = "calibration compare two.csv --target gold --prob p --prob q"
FILES = {"two.csv": b"gold,p,q\n1,0.9,0.8\n0,0.2,0.4\n1,0.7,0.6\n0,0.4,0.1\n"}
CERTAIN = {"dev.csv": b"gold,prob\n" + b"1,1.0\n" * 6 + b"0,0.3\n1,0.4\n" * 3}
KNOWN = "group, n, base rate, error, low, high, Algorithm 1, ECE, Brier, log loss, p, miscalibration"
PRINTED = [
    Wrong("a column that the table does not have", f"{JUDGE} --format latex --columns group,eror", CSV),
    Wrong("the same, with a figure that is not drawn then", f"{FIGURE} --format csv --columns accuracy", CSV),
    Wrong("an empty name of a column", f"{JUDGE} --columns group,,error", CSV),
    Wrong("columns of JSON", f"{JUDGE} --format json --columns error", CSV),
    Wrong("a figure without width", f"{FIGURE} --width 0", CSV),
    Wrong("a width in millimetres", f"{FIGURE} --width 84", CSV),
    Wrong("a width with its unit", f"{FIGURE} --width 3.3in", CSV),
    Wrong("a width of no figure", f"{JUDGE} --width 3.3", CSV),
    Wrong("axes of no figure", f"{JUDGE_CLASSES} --axis logit", CLASSES),
    Wrong("log-odds of a certain prediction", f"{FIGURE} --bin-size 3 --axis logit", CERTAIN),
    Wrong("an axis that there is not", f"{FIGURE} --axis log", CSV),
    Wrong("one name for two models", f"{TWO} --names large", FILES),
    Wrong("the same name for two models", f"{TWO} --names large,large --figure two.svg", FILES),
]
KEEP = "selective dev.csv --target gold --prob prob"
SELECTIVE = [
    Wrong("a coverage in per cent", f"{KEEP} --coverage 50,80", CSV),
    Wrong("a coverage that is no number", f"{KEEP} --coverage half", CSV),
    Wrong("a coverage of nothing", f"{KEEP} --coverage 0", CSV),
    Wrong("an accuracy above 1", f"{KEEP} --accuracy 1.5", CSV),
    Wrong("a risk in per cent", f"{KEEP} --risk 5", CSV),
    Wrong("a promise that is never broken", f"{KEEP} --risk 0.05 --delta 0", CSV),
    Wrong("weighted answers", f"{KEEP} --weight weight", CSV),
    Wrong("one cluster", f"{KEEP} --cluster one", {"dev.csv": b"gold,prob,one\n1,0.9,a\n0,0.4,a\n"}),
    Wrong(
        "more groups than a figure holds",
        f"{KEEP} --group prob --figure rc.svg",
        {"dev.csv": ("gold,prob\n" + "".join(f"1,0.{i}\n" for i in range(1, 10))).encode()},
    ),
    Wrong("a confidence above 1", KEEP, {"dev.csv": table(prob=(12, 1.7))}),
    Wrong("columns to show of no rows", f"{KEEP} --show gold", CSV),
    Wrong("no worst rows", f"{KEEP} --worst 0", CSV),
    Wrong("a column to show that is not there", f"{KEEP} --worst 5 --show question", CSV),
    Wrong("a reduction of one probability", f"{KEEP} --reduce class-wise", CSV),
]
LOGITS = np.arange(20.0).reshape(4, 5) % 3
TOKENS = np.array([0, 4, -100, 2])
SPOILT = LOGITS.copy()
SPOILT[1, 2] = np.nan


def npy(array: Any) -> bytes:
    """An .npy file."""
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


SHARD = {"logits.npy": npy(LOGITS)}
BOTH = SHARD | {"tokens.npy": npy(TOKENS)}
PAIRS = CalibrationSummary()
PAIRS.add([0, 1, 1, 0], [0.1, 0.4, 0.8, 0.9])
SUMS = {"sums.summary": PAIRS.to_bytes()}
CALL = "calibration logits logits.npy --targets tokens.npy"
OF_LOGITS = [
    Wrong("logits without targets", "calibration logits logits.npy", SHARD),
    Wrong("a target that is no class", CALL, SHARD | {"tokens.npy": npy(TOKENS + (TOKENS > 3))}),
    Wrong("targets that ignore nothing", f"{CALL} --ignore 0", BOTH),
    Wrong("targets of fewer rows", CALL, SHARD | {"tokens.npy": npy(TOKENS[:3])}),
    Wrong("a logit that is NaN", CALL, BOTH | {"logits.npy": npy(SPOILT)}),
    Wrong("whole numbers for logits", CALL, BOTH | {"logits.npy": npy(LOGITS.astype(np.int64))}),
    Wrong("logits that are pickled", "calibration logits logits.pt", {"logits.pt": pickle.dumps(LOGITS)}),
    Wrong(
        "logits in an archive",
        "calibration logits logits.npz --targets tokens.npy",
        BOTH | {"logits.npz": b"PK\x03\x04 and so on"},
    ),
    Wrong(
        "a shard that is cut off",
        "calibration logits logits.safetensors",
        {"logits.safetensors": save({"logits": LOGITS})[:-10]},
    ),
    Wrong(
        "a shard of other tensors",
        "calibration logits model.safetensors",
        {"model.safetensors": save({"weights": LOGITS})},
    ),
    Wrong(
        "shards of other classes",
        "calibration logits logits.npy more.npy --targets tokens.npy",
        BOTH | {"more.npy": npy(LOGITS[:, :4])},
    ),
    Wrong("weights of first choices", f"{CALL} --reduce top-label --weight equal", BOTH),
    Wrong("targets beside saved sums", "calibration logits sums.summary --targets tokens.npy", BOTH | SUMS),
    Wrong("sums of no logits", "calibration logits sums.summary", SUMS),
    Wrong("a bin size where bins are of equal weight", f"{CALL} --bin-size 100", BOTH),
]
