"""Scores: how good is each model, and which are the best?"""

from howsure.scores.results import ScoreRow, ScoreTable
from howsure.scores.score_table import score_table

__all__ = ["ScoreRow", "ScoreTable", "score_table"]
