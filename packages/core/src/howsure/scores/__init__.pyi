from howsure.scores.agent_results import AgentRow as AgentRow, AgentTable as AgentTable
from howsure.scores.agents import score_agents as score_agents
from howsure.scores.battles import rank_battles as rank_battles
from howsure.scores.item_results import BenchmarkItem as BenchmarkItem, BenchmarkItems as BenchmarkItems
from howsure.scores.items import score_items as score_items
from howsure.scores.results import (
    BattleRow as BattleRow,
    BattleTable as BattleTable,
    ScoreRow as ScoreRow,
    ScoreTable as ScoreTable,
)
from howsure.scores.model_scores import (
    mean_scores as mean_scores,
    pass_at_k as pass_at_k,
    score_models as score_models,
    worst_items as worst_items,
)
