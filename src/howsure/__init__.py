"""How confident is your NLP model, is that confidence justified, and what does it mean for your results?

The public names are loaded when they are first used, so that `import howsure` is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_ROOMS = {
    "howsure.events": ("EventStore", "Lexicon", "Rule", "compare_actors", "event_series"),
    "howsure.counts": (
        "CountEstimate",
        "CountEstimates",
        "LabelSample",
        "estimate_counts",
        "labels_needed",
        "learned_score",
        "sample_for_labels",
    ),
    "howsure.coreference": ("AntecedentModel", "CorefPosterior", "score_clusters"),
    "howsure.data": ("Document", "Mention", "Sentence", "read_documents"),
    "howsure.errors": ("HowsureError", "InputError", "MissingExtraError"),
    "howsure.sequences": ("CRFTagger", "HMMTagger", "TagPosterior", "tag_pairs", "transition_pairs"),
    "howsure.significance": (
        "Comparison",
        "Difference",
        "Experiments",
        "Metric",
        "Runs",
        "Trend",
        "TrendPoint",
        "compare",
        "detection_power",
        "minimum_detectable_difference",
        "required_sample_size",
    ),
    "howsure.selective": (
        "SelectiveCurve",
        "SelectiveTable",
        "SelectiveThreshold",
        "selective_curve",
        "selective_table",
        "threshold_for",
    ),
    "howsure.recalibration": (
        "RecalibrationEvaluation",
        "RecalibrationMap",
        "RecalibrationTable",
        "evaluate_recalibration",
        "recalibrate",
        "recalibration_table",
    ),
    "howsure.monitoring": ("CalibrationMonitor", "GroupStatus", "MonitorSeries", "MonitorStatus", "MonitorUpdate"),
    "howsure.check": ("Check", "Verdict", "check_calibration", "check_score", "check_selective"),
    "howsure.data.sources": ("Files", "read"),
    "howsure.inputs.classes": ("pairs_from_classes",),
    "howsure.inputs.given": ("Given",),
    "howsure.stats.estimate": ("Estimate",),
    "howsure.inputs.pairs": ("Pairs",),
    "howsure.calibration": (
        "Bins",
        "CalibrationComparison",
        "CalibrationCurve",
        "CalibrationSummaries",
        "CalibrationSummary",
        "CalibrationTable",
        "CalibrationTest",
        "ConsistencyBand",
        "CorpCurve",
        "CorpSteps",
        "FoundGroups",
        "GroupCalibration",
        "MiscalibratedGroup",
        "MulticalibrationError",
        "MulticlassScores",
        "ProperLoss",
        "QuantileCalibration",
        "ScoreDecomposition",
        "ScoreParts",
        "calibration_curve",
        "calibration_error",
        "calibration_table",
        "calibration_test",
        "compare_calibration",
        "find_groups",
        "multicalibration_error",
        "posterior_quantiles",
        "score_parts",
        "simulate_pairs",
    ),
}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = sorted(_ROOM_OF)

if TYPE_CHECKING:
    from howsure.calibration import *  # noqa: F403
    from howsure.check import *  # noqa: F403
    from howsure.coreference import AntecedentModel, CorefPosterior, score_clusters  # noqa: F401
    from howsure.counts import *  # noqa: F403
    from howsure.data import Document, Mention, Sentence, read_documents  # noqa: F401
    from howsure.data.sources import Files, read  # noqa: F401
    from howsure.errors import HowsureError, InputError, MissingExtraError  # noqa: F401
    from howsure.events import EventStore, Lexicon, Rule, compare_actors, event_series  # noqa: F401
    from howsure.inputs.classes import pairs_from_classes  # noqa: F401
    from howsure.inputs.given import Given  # noqa: F401
    from howsure.inputs.pairs import Pairs  # noqa: F401
    from howsure.monitoring import *  # noqa: F403
    from howsure.recalibration import *  # noqa: F403
    from howsure.selective import *  # noqa: F403
    from howsure.sequences import CRFTagger, HMMTagger, TagPosterior, tag_pairs, transition_pairs  # noqa: F401
    from howsure.significance import *  # noqa: F403
    from howsure.stats.estimate import Estimate  # noqa: F401


def __getattr__(name: str) -> Any:
    if name not in _ROOM_OF:
        raise AttributeError(f"module 'howsure' has no attribute {name!r}")
    return getattr(importlib.import_module(_ROOM_OF[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
