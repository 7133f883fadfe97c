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
    Wrong("logits without targets", "calibration logits logits.npy",
          "logits.npy holds one array: name the file of the right classes by --targets", SHARD),
    Wrong("a target that is no class", CALL,
          "targets must be numbers of the 5 classes, from 0, or -100 for rows that do not count; row 2 of logits.npy "
          "(counted from 1) holds 5.", SHARD | {"tokens.npy": npy(TOKENS + (TOKENS > 3))}),
    Wrong("targets that ignore nothing", f"{CALL} --ignore 0",
          "targets must be numbers of the 5 classes, from 0, or 0 for rows that do not count; row 3 of logits.npy "
          "(counted from 1) holds -100.", BOTH),
    Wrong("targets of fewer rows", CALL,
          "tokens.npy must hold one target for each row of logits; its shape is (3,), and that of the logits is "
          "(4, 5).",
          SHARD | {"tokens.npy": npy(TOKENS[:3])}),
    Wrong("a logit that is NaN", CALL,
          "logits must be numbers, finite or, for some classes of a row, -inf, the probability 0; row 2 of logits.npy "
          "(counted from 1) is not so. Set the target of such a row to -100, and it does not count.",
          BOTH | {"logits.npy": npy(SPOILT)}),
    Wrong("whole numbers for logits", CALL,
          "logits.npy must hold logits, floating-point numbers, (rows, classes); it holds int64, 4 x 5.",
          BOTH | {"logits.npy": npy(LOGITS.astype(np.int64))}),
    Wrong("logits that are pickled", "calibration logits logits.pt",
          "logits.pt is pickled, and is not opened: what it holds could run. Save it as .safetensors.",
          {"logits.pt": pickle.dumps(LOGITS)}),
    Wrong("logits in an archive", "calibration logits logits.npz --targets tokens.npy",
          "logits.npz is an archive: save logits by numpy.save or as .safetensors. The output of Trainer.predict in an "
          ".npz is read by howsure calibration.", BOTH | {"logits.npz": b"PK\x03\x04 and so on"}),
    Wrong("a shard that is cut off", "calibration logits logits.safetensors",
          "logits.safetensors cannot be read: the tensor 'logits' of 4 x 5 F64 needs 160 bytes; its place is 0 to 160 "
          "of 150. Is it damaged or truncated?", {"logits.safetensors": save({"logits": LOGITS})[:-10]}),
    Wrong("a shard of other tensors", "calibration logits model.safetensors",
          "model.safetensors holds no tensor named logits or predictions; it has weights.",
          {"model.safetensors": save({"weights": LOGITS})}),
    Wrong("shards of other classes", "calibration logits logits.npy more.npy --targets tokens.npy",
          "all files must hold logits of the same classes; they hold rows of logits.npy 5, more.npy 4.",
          BOTH | {"more.npy": npy(LOGITS[:, :4])}),
    Wrong("weights of first choices", f"{CALL} --reduce top-label --weight equal",
          "--weight is for --reduce class-wise; of first choices there is one pair per row.", BOTH),
    Wrong("targets beside saved sums", "calibration logits sums.summary --targets tokens.npy",
          "--targets is for files of logits; saved summaries hold sums. Leave it out.", BOTH | SUMS),
    Wrong("sums of no logits", "calibration logits sums.summary",
          "sums.summary: not the sums of logits, as howsure calibration logits saves them. howsure calibration "
          "judges other summaries.", SUMS),
    Wrong("a bin size where bins are of equal weight", f"{CALL} --bin-size 100",
          "bins of equal weight have no --bin-size; it is 100. Give --bins instead.", BOTH),
]  # fmt: skip
