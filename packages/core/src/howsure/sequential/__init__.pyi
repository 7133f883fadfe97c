from howsure.sequential.comparison import (
    SequentialComparison as SequentialComparison,
    SequentialScore as SequentialScore,
)
from howsure.sequential.evaluation_order import (
    ItemOrder as ItemOrder,
    OrderedItem as OrderedItem,
    draw_order as draw_order,
)
from howsure.sequential.planning import ComparisonPlan as ComparisonPlan, plan_comparison as plan_comparison
from howsure.sequential.race import Race as Race, Racer as Racer, race_models as race_models
from howsure.sequential.sequence import SequentialStatus as SequentialStatus
