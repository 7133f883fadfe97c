"""Wrong inputs of `howsure calibration logits`."""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np
from safetensors.numpy import save

from howsure import CalibrationSummary
from tests.cli.bad_input import Wrong

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
