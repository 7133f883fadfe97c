"""Is model B really better than model A?"""

from howsure.significance.compare import compare
from howsure.significance.comparison import Comparison, Difference
from howsure.significance.metrics import Metric, mean, metric_names, register
from howsure.significance.power import detection_power, minimum_detectable_difference, required_sample_size
from howsure.significance.runs import Runs
from howsure.significance.storage import Experiments

__all__ = [
    "Comparison",
    "Difference",
    "Experiments",
    "Metric",
    "Runs",
    "compare",
    "detection_power",
    "mean",
    "metric_names",
    "minimum_detectable_difference",
    "register",
    "required_sample_size",
]
