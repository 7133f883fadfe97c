"""Coreference: which mentions name one entity, and how sure is that?"""

from howsure.coreference.detection import detect_mentions
from howsure.coreference.pairs import pairs_from_posteriors
from howsure.coreference.posterior import CorefPosterior
from howsure.coreference.query import QueryPosterior
from howsure.coreference.scores import CoreferenceScores, Score, score_clusters, score_documents
from howsure.coreference.storage import AntecedentModel

__all__ = [
    "AntecedentModel",
    "CorefPosterior",
    "CoreferenceScores",
    "QueryPosterior",
    "Score",
    "detect_mentions",
    "pairs_from_posteriors",
    "score_clusters",
    "score_documents",
]
