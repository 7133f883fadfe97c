"""Scores and battles: how good is each model, and which are the best?"""

from howsure.scores.battles import rank_battles
from howsure.scores.results import BattleRow, BattleTable, ScoreRow, ScoreTable
from howsure.scores.score_table import score_table

__all__ = ["BattleRow", "BattleTable", "ScoreRow", "ScoreTable", "rank_battles", "score_table"]
