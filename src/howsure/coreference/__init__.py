"""Coreference: which mentions refer to the same entity, and how certain is that?"""

from howsure.coreference.mentions.detection import detect_mentions
from howsure.coreference.model.antecedent_model import AntecedentModel
from howsure.coreference.posterior.calibration_pairs import pairs_from_posteriors
from howsure.coreference.posterior.coref_posterior import CorefPosterior
from howsure.coreference.posterior.query_posterior import QueryPosterior
from howsure.coreference.recalibration.recalibration import (
    CoreferenceRecalibration,
    entity_pairs_from_posteriors,
    recalibrate_coreference,
)
from howsure.coreference.recalibration.sharpening import Sharpening
from howsure.coreference.scored.fastcoref import scores_from_fastcoref
from howsure.coreference.scored.posterior_from_scores import posterior_from_scores
from howsure.coreference.scores.metrics import CoreferenceScores, Score, score_clusters, score_documents

__all__ = [
    "AntecedentModel",
    "CorefPosterior",
    "CoreferenceRecalibration",
    "CoreferenceScores",
    "QueryPosterior",
    "Score",
    "Sharpening",
    "detect_mentions",
    "entity_pairs_from_posteriors",
    "pairs_from_posteriors",
    "posterior_from_scores",
    "recalibrate_coreference",
    "score_clusters",
    "score_documents",
    "scores_from_fastcoref",
]
