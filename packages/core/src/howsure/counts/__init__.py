"""Corrected counts: publishable numbers from a model's scores and a few hundred labels."""

from howsure.counts.draw_label_sample import draw_label_sample
from howsure.counts.estimation import correct_annotation_errors, estimate_counts
from howsure.counts.label_sample import LabelSample
from howsure.counts.learn_score import learn_score
from howsure.counts.planning import LabelPlan, plan_label_sample
from howsure.counts.results import CountEstimate, CountEstimates

__all__ = [
    "CountEstimate",
    "CountEstimates",
    "LabelPlan",
    "LabelSample",
    "correct_annotation_errors",
    "draw_label_sample",
    "estimate_counts",
    "learn_score",
    "plan_label_sample",
]
