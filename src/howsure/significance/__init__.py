"""Is model B really better than model A?"""

from howsure.significance.compare import compare
from howsure.significance.comparison import Comparison, Difference
from howsure.significance.metrics import Metric, mean, metric_names, register
from howsure.significance.runs import Runs

__all__ = ["Comparison", "Difference", "Metric", "Runs", "compare", "mean", "metric_names", "register"]
