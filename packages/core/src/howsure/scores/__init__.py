"""Mean scores and ranks of models, from scores per item or from pairwise battles."""

from howsure.scores.agent_results import AgentRow, AgentTable
from howsure.scores.agents import score_agents
from howsure.scores.battles import rank_battles
from howsure.scores.item_results import BenchmarkItem, BenchmarkItems
from howsure.scores.items import score_items
from howsure.scores.results import BattleRow, BattleTable, ScoreRow, ScoreTable
from howsure.scores.score_models import mean_scores, pass_at_k, score_models, worst_items

__all__ = [
    "AgentRow",
    "AgentTable",
    "BattleRow",
    "BattleTable",
    "BenchmarkItem",
    "BenchmarkItems",
    "ScoreRow",
    "ScoreTable",
    "mean_scores",
    "pass_at_k",
    "rank_battles",
    "score_agents",
    "score_items",
    "score_models",
    "worst_items",
]
