"""The files of wrong inputs of curves, groups, selective answers and what is made for print."""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np
from safetensors.numpy import save

from howsure import CalibrationSummary
from tests.bad_input.files import CSV, Files, table

GRADES = {"it.csv": b"gold,low,high\nlow,0.7,0.3\nhigh,0.4,0.6\nbest,0.1,0.9\n"}
ORDERED = Files(GRADES, {"levels without an order": {"it.csv": b"gold,low,high\nlow,0.7,0.3\nhigh,0.4,0.6\n"}})
WITHOUT_BINS = Files(
    CSV,
    {
        "a percentage for a probability without bins": {"dev.csv": table(prob=(12, 1.7))},
        "log-odds of a certain step": {"dev.csv": b"gold,prob\n0,0\n1,0.5\n0,0.75\n1,0.8\n"},
    },
)
RNG = np.random.default_rng(0)
PROB = RNG.random(200).round(3)
GOLD = (RNG.random(200) < PROB).astype(int)


def rows(**columns: object) -> dict[str, bytes]:
    """Write a file of 200 predictions and another column."""
    values_by_column: dict[str, object] = {"gold": GOLD, "prob": PROB, **columns}
    lines = [",".join(map(str, row)) for row in zip(*values_by_column.values(), strict=True)]  # type: ignore[call-overload]
    return {"dev.csv": "\n".join([",".join(values_by_column), *lines, ""]).encode()}


GROUPS = Files(
    CSV,
    {
        "a feature that determines the label": rows(copy=[["no", "yes"][y] for y in GOLD]),
        "a feature of one value": rows(same=["a"] * 200),
        "a feature of a different value in every row": rows(uid=[f"u{i}" for i in range(200)]),
    },
)
FILES = {"two.csv": b"gold,p,q\n1,0.9,0.8\n0,0.2,0.4\n1,0.7,0.6\n0,0.4,0.1\n"}
CERTAIN = {"dev.csv": b"gold,prob\n" + b"1,1.0\n" * 6 + b"0,0.3\n1,0.4\n" * 3}
PRINTED = Files(
    CSV,
    {
        "log-odds of a certain prediction": CERTAIN,
        "one name for two models": FILES,
        "the same name for two models": FILES,
    },
)
SELECTIVE = Files(
    CSV,
    {
        "one cluster": {"dev.csv": b"gold,prob,one\n1,0.9,a\n0,0.4,a\n"},
        "more groups than a figure shows": {
            "dev.csv": ("gold,prob\n" + "".join(f"1,0.{i}\n" for i in range(1, 10))).encode()
        },
        "a confidence above 1": {"dev.csv": table(prob=(12, 1.7))},
    },
)
LOGITS = np.arange(20.0).reshape(4, 5) % 3
TOKENS = np.array([0, 4, -100, 2])
SPOILT = LOGITS.copy()
SPOILT[1, 2] = np.nan


def npy(array: Any) -> bytes:
    """Write an .npy file."""
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


SHARD = {"logits.npy": npy(LOGITS)}
BOTH = SHARD | {"tokens.npy": npy(TOKENS)}
PAIRS = CalibrationSummary()
PAIRS.add([0, 1, 1, 0], [0.1, 0.4, 0.8, 0.9])
SUMS = {"sums.summary": PAIRS.to_bytes()}
OF_LOGITS = Files(
    BOTH,
    {
        "a target that is not a class": SHARD | {"tokens.npy": npy(TOKENS + (TOKENS > 3))},
        "targets of fewer rows": SHARD | {"tokens.npy": npy(TOKENS[:3])},
        "a logit that is NaN": {"logits.npy": npy(SPOILT)},
        "integers instead of logits": {"logits.npy": npy(LOGITS.astype(np.int64))},
        "logits that are pickled": {"logits.pt": pickle.dumps(LOGITS)},
        "logits in an archive": {"logits.npz": b"PK\x03\x04 and so on"},
        "a shard that is cut off": {"logits.safetensors": save({"logits": LOGITS})[:-10]},
        "a shard of other tensors": {"model.safetensors": save({"weights": LOGITS})},
        "shards of other classes": {"more.npy": npy(LOGITS[:, :4])},
        "targets with saved sums": SUMS,
        "sums of no logits": SUMS,
    },
)
