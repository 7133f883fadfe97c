"""Sequential evaluation: scores arrive item by item in random order, and verdicts are valid at any time."""

from howsure.sequential.comparison import SequentialComparison, SequentialScore
from howsure.sequential.order import ItemOrder, OrderedItem, draw_order
from howsure.sequential.planning import ComparisonPlan, plan_comparison
from howsure.sequential.race import Race, Racer, race_models
from howsure.sequential.sequence import SequentialStatus

__all__ = [
    "ComparisonPlan",
    "ItemOrder",
    "OrderedItem",
    "Race",
    "Racer",
    "SequentialComparison",
    "SequentialScore",
    "SequentialStatus",
    "draw_order",
    "plan_comparison",
    "race_models",
]
