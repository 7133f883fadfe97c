"""Coreference: which mentions refer to the same entity, and how certain is that?"""

from howsure.coreference.antecedent_model import AntecedentModel
from howsure.coreference.coref_posterior import CorefPosterior, QueryPosterior
from howsure.coreference.detection import detect_mentions
from howsure.coreference.judged import pairs_from_posteriors
from howsure.coreference.metrics import CoreferenceScores, Score, coreference_scores, score_documents
from howsure.coreference.recalibration import (
    CoreferenceRecalibration,
    entity_pairs_from_posteriors,
    recalibrate_coreference,
)
from howsure.coreference.resolution import ResolvedDocument, resolve
from howsure.coreference.scored import posterior_from_scores, scores_from_fastcoref
from howsure.coreference.sharpening import Sharpening

__all__ = [
    "AntecedentModel",
    "CorefPosterior",
    "CoreferenceRecalibration",
    "CoreferenceScores",
    "QueryPosterior",
    "ResolvedDocument",
    "Score",
    "Sharpening",
    "coreference_scores",
    "detect_mentions",
    "entity_pairs_from_posteriors",
    "pairs_from_posteriors",
    "posterior_from_scores",
    "recalibrate_coreference",
    "resolve",
    "score_documents",
    "scores_from_fastcoref",
]
