"""Significance: tests and intervals for the difference between models on the same items."""

from howsure.significance.compare_models import compare_models, compare_scores, resample_models
from howsure.significance.experiments import Experiments
from howsure.significance.metrics.metric import Metric, mean, metric_names, register
from howsure.significance.model_means import ModelMean, ModelMeans
from howsure.significance.power import ComparisonPower, comparison_power
from howsure.significance.results import Comparison, Difference, GroupDifference, GroupDifferences
from howsure.significance.systems import Runs
from howsure.significance.trend import Trend, TrendPoint

__all__ = [
    "Comparison",
    "ComparisonPower",
    "Difference",
    "Experiments",
    "GroupDifference",
    "GroupDifferences",
    "Metric",
    "ModelMean",
    "ModelMeans",
    "Runs",
    "Trend",
    "TrendPoint",
    "compare_models",
    "compare_scores",
    "comparison_power",
    "mean",
    "metric_names",
    "register",
    "resample_models",
]
