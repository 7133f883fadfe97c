"""Mean scores and ranks of models, from scores per item or from pairwise battles."""

from howsure.scores.battles import rank_battles
from howsure.scores.results import BattleRow, BattleTable, ScoreRow, ScoreTable
from howsure.scores.score_table import score_table

__all__ = ["BattleRow", "BattleTable", "ScoreRow", "ScoreTable", "rank_battles", "score_table"]
