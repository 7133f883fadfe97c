"""Results of other tools for the same pairs, which packages/core/tests/calibration/test_parity.py compares with
howsure's.

    python benchmarks/parity_calibration.py packages/core/tests/calibration/parity.json

calls scikit-learn, uncertainty-calibration (verified_calibration), model-diagnostics, calzone, relplot and netcal, each
only for quantities that it computes correctly, and writes their results with their versions. The pairs come from a seed
and from arithmetic that is the same on every machine. The test makes the pairs again; only the results are stored.
netcal needs torch, and relplot is installed by hand: see docs/decisions/peers.md.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Pairs = tuple[npt.NDArray[np.int64], Floats, Floats]  # labels, predictions, weights

PACKAGES = (
    "calzone-tool",
    "model-diagnostics",
    "netcal",
    "numpy",
    "relplot",
    "scikit-learn",
    "uncertainty-calibration",
)
WIDTHS = (10, 15)
BINS = (10, 30)
BANDWIDTHS = (0.02, 0.05)


def smooth() -> Pairs:
    """Return 3,000 pairs without ties, most of them near 0 and 1."""
    return _labelled(_bent(_uniform(1, 3_000)), seed=2)


def masses() -> Pairs:
    """Return 2,000 pairs, exactly 40% of them at 0 and 20% at 1."""
    q = _bent(_uniform(3, 2_000))
    q[:800], q[800:1200] = 0.0, 1.0
    return _labelled(q[np.argsort(_uniform(4, len(q)))], seed=5)


def steps() -> Pairs:
    """Return 4,000 pairs with six different predictions; the frequency of label 1 increases with the prediction."""
    return _labelled(np.array([0.05, 0.2, 0.4, 0.6, 0.85, 0.95])[(_uniform(6, 4_000) * 6).astype(np.int64)], seed=7)


def calibrated() -> Pairs:
    """Return 500 pairs whose labels are drawn from the predictions."""
    q = _bent(_uniform(8, 500))
    return (_uniform(9, len(q)) < q).astype(np.int64), q, 0.25 + 2 * _uniform(109, len(q))


def tied(seed: int) -> Pairs:
    """Return pairs whose predictions have one, two or three decimals; none is 0 or 1."""
    q = np.clip(np.round(_bent(_uniform(200 + seed, 60 + 90 * seed)), 1 + seed % 3), 0.001, 0.999)
    return _labelled(q, seed=400 + seed)


def inner() -> Pairs:
    """Return 2,000 pairs without predictions near 0 and 1."""
    return _labelled(0.1 + 0.8 * _uniform(600, 2_000), seed=601)


TIED_SETS = range(20)
AWAY_FROM_ENDS = {"steps": steps, "inner": inner}  # relplot loses half of what lies at 0 and 1
EXAMPLES = {"smooth": smooth, "masses": masses, "steps": steps, "calibrated": calibrated}


def _uniform(seed: int, n: int) -> Floats:
    return np.random.Generator(np.random.PCG64(seed)).random(n)


def _bent(u: Floats) -> Floats:
    return u * u * u / (u * u * u + (1 - u) * (1 - u) * (1 - u))


def _labelled(q: Floats, *, seed: int) -> Pairs:
    """Draw overconfident labels: P(y = 1) = 0.05 + 0.85 q."""
    y = _uniform(seed, len(q)) < 0.05 + 0.85 * q
    return y.astype(np.int64), q, 0.25 + 2 * _uniform(seed + 100, len(q))


def ask_sklearn() -> dict[str, Any]:
    from sklearn.calibration import calibration_curve
    from sklearn.metrics import brier_score_loss, log_loss

    values: dict[str, Any] = {}
    for name, example in EXAMPLES.items():
        y, q, w = example()
        for bins in WIDTHS:
            true, predicted = calibration_curve(y, q, n_bins=bins, strategy="uniform")
            values[f"{name}/uniform/{bins}"] = {"frequency": true.tolist(), "mean_prob": predicted.tolist()}
        values[f"{name}/brier"] = brier_score_loss(y, q)
        values[f"{name}/brier/weighted"] = brier_score_loss(y, q, sample_weight=w)
    y, q, w = smooth()
    for bins in BINS:
        true, predicted = calibration_curve(y, q, n_bins=bins, strategy="quantile")
        values[f"smooth/quantile/{bins}"] = {"frequency": true.tolist(), "mean_prob": predicted.tolist()}
    for name in ("smooth", "steps", "calibrated"):
        y, q, w = EXAMPLES[name]()
        values[f"{name}/log"] = log_loss(y, q)
        values[f"{name}/log/weighted"] = log_loss(y, q, sample_weight=w)
    return values


def ask_verified() -> dict[str, Any]:
    from calibration.utils import get_binning_ce, get_ece, get_ece_em, lower_bound_scaling_ce

    values: dict[str, Any] = {}
    for name in ("smooth", "masses"):
        y, q, _ = EXAMPLES[name]()
        for bins in WIDTHS:
            values[f"{name}/uniform/{bins}"] = get_ece(q, y, num_bins=bins, mode="marginal")
        for bins in (bins for bins in BINS if len(y) % bins == 0):  # else its bins are not of one size
            values[f"{name}/adaptive/{bins}/ece"] = get_ece_em(q, y, num_bins=bins, mode="marginal")
            for key, debias in (("plugin", False), ("label_debiased", True)):
                values[f"{name}/adaptive/{bins}/{key}"] = lower_bound_scaling_ce(q, y, debias=debias, num_bins=bins)
    y, q, _ = steps()
    for key, debias in (("plugin", False), ("debiased", True)):
        values[f"steps/by value/{key}"] = get_binning_ce(q, y, debias=debias)
    return values


def ask_model_diagnostics() -> dict[str, Any]:
    from model_diagnostics.scoring import LogLoss, SquaredError, decompose

    values: dict[str, Any] = {}
    for score, function in (("brier", SquaredError()), ("log", LogLoss())):
        y, q, w = steps()
        for weighting, weights in (("plain", None), ("weighted", w)):
            parts = decompose(y, q, weights, scoring_function=function)
            values[f"steps/{score}/{weighting}"] = {name: parts[name].item() for name in parts.columns}
        for seed in TIED_SETS:
            y, q, w = tied(seed)
            for weighting, weights in (("plain", None), ("weighted", w)):
                parts = decompose(y, q, weights, scoring_function=function)
                values[f"tied {seed}/{score}/{weighting}"] = {name: parts[name].item() for name in parts.columns}
    return values


def ask_calzone() -> dict[str, Any]:
    from calzone.metrics import spiegelhalter_z_test

    values: dict[str, Any] = {}
    for name, example in EXAMPLES.items():
        y, q, _ = example()
        z, p = spiegelhalter_z_test(y.copy(), np.stack([1 - q, q], axis=1))
        values[f"{name}/spiegelhalter"] = {"z": float(z), "p": float(p)}
    return values


def ask_relplot() -> dict[str, Any]:
    from relplot import config
    from relplot.metrics import smECE, smECE_sigma

    config.smECE_mesh_pts = 5_001  # of 200 places, it is away from its definition by 1e-3
    values: dict[str, Any] = {}
    for name, example in AWAY_FROM_ENDS.items():
        y, q, _ = example()
        values[name] = {"smooth": float(smECE(q, y)), **{str(s): float(smECE_sigma(q, y, s)) for s in BANDWIDTHS}}
    return values


def ask_netcal() -> dict[str, Any]:
    from netcal.metrics import ECE

    values: dict[str, Any] = {}
    for name in ("smooth", "masses"):
        y, q, _ = EXAMPLES[name]()
        for bins in WIDTHS:
            values[f"{name}/uniform/{bins}"] = float(ECE(bins=bins).measure(q, y))
    return values


def main(target: Path) -> None:
    answers = {
        "versions": {package: importlib.metadata.version(package) for package in PACKAGES},
        "scikit-learn": ask_sklearn(),
        "verified": ask_verified(),
        "model-diagnostics": ask_model_diagnostics(),
        "calzone": ask_calzone(),
        "netcal": ask_netcal(),
        "relplot": ask_relplot(),
    }
    with tempfile.NamedTemporaryFile("w", dir=target.parent, suffix=".json", delete=False) as file:
        json.dump(answers, file, indent=1)
        file.write("\n")
    Path(file.name).chmod(0o644)
    os.replace(file.name, target)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
