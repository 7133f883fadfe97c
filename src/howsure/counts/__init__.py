"""Corrected counts: publishable numbers from a model's scores and a few hundred labels."""

from howsure.counts.estimation import estimate_counts
from howsure.counts.label_sample import LabelSample
from howsure.counts.learned_score import learned_score
from howsure.counts.planning import LabelsNeeded, labels_needed
from howsure.counts.results import CountEstimate, CountEstimates
from howsure.counts.sample_for_labels import sample_for_labels

__all__ = [
    "CountEstimate",
    "CountEstimates",
    "LabelSample",
    "LabelsNeeded",
    "estimate_counts",
    "labels_needed",
    "learned_score",
    "sample_for_labels",
]
