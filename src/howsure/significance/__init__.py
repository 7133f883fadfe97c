"""Is model B really better than model A?"""

from howsure.significance.comparison import compare
from howsure.significance.experiments import Experiments
from howsure.significance.means import ModelMean, ModelMeans
from howsure.significance.metrics.metric import Metric, mean, metric_names, register
from howsure.significance.power import detection_power, minimum_detectable_difference, required_sample_size
from howsure.significance.results import Comparison, Difference, GroupDifference, GroupDifferences
from howsure.significance.systems import Runs
from howsure.significance.trend import Trend, TrendPoint

__all__ = [
    "Comparison",
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
    "compare",
    "detection_power",
    "mean",
    "metric_names",
    "minimum_detectable_difference",
    "register",
    "required_sample_size",
]
