from howsure.significance.model_comparison import (
    compare_models as compare_models,
    compare_scores as compare_scores,
    resample_models as resample_models,
)
from howsure.significance.experiments import Experiments as Experiments
from howsure.significance.metrics.metric import (
    Metric as Metric,
    mean as mean,
    metric_names as metric_names,
    register as register,
)
from howsure.significance.model_means import ModelMean as ModelMean, ModelMeans as ModelMeans
from howsure.significance.power import ComparisonPower as ComparisonPower, comparison_power as comparison_power
from howsure.significance.results import (
    Comparison as Comparison,
    Difference as Difference,
    GroupDifference as GroupDifference,
    GroupDifferences as GroupDifferences,
)
from howsure.significance.systems import Runs as Runs
from howsure.significance.trend import Trend as Trend, TrendPoint as TrendPoint
