"""Corrected counts: from a model's scores and a few hundred labels to numbers one can publish."""

from howsure.counts.estimation import estimate_counts
from howsure.counts.label_sample import LabelSample, sample_for_labels
from howsure.counts.learned_score import learned_score
from howsure.counts.planning import labels_needed
from howsure.counts.results import CountEstimate, CountEstimates

__all__ = [
    "CountEstimate",
    "CountEstimates",
    "LabelSample",
    "estimate_counts",
    "labels_needed",
    "learned_score",
    "sample_for_labels",
]
