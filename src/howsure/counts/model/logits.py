"""The logits of probabilities that are never certain."""

from __future__ import annotations

import numpy as np

from howsure.inputs.pairs import Floats

LEAST = 1e-4  # no unit is certain before it is read


def clipped_logit(p: Floats) -> Floats:
    """log(p / (1 - p)) of probabilities kept within [0.0001, 0.9999]."""
    kept = np.clip(p, LEAST, 1.0 - LEAST)
    return np.asarray(np.log(kept) - np.log1p(-kept))
