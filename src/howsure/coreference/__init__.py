"""Coreference: which mentions name one entity, and how sure is that?"""

from howsure.coreference.pairs import pairs_from_posteriors
from howsure.coreference.posterior import CorefPosterior
from howsure.coreference.query import QueryPosterior
from howsure.coreference.scores import CoreferenceScores, Score, score_clusters, score_documents

__all__ = [
    "CorefPosterior",
    "CoreferenceScores",
    "QueryPosterior",
    "Score",
    "pairs_from_posteriors",
    "score_clusters",
    "score_documents",
]
