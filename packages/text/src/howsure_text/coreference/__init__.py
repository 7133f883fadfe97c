"""Coreference: which mentions refer to the same entity, with probabilities."""

from howsure_text.coreference.antecedent_files import read_antecedent_scores, write_antecedent_scores
from howsure_text.coreference.antecedent_model import AntecedentModel
from howsure_text.coreference.antecedent_scores import AntecedentScores
from howsure_text.coreference.coref_posterior import CorefPosterior, QueryPosterior
from howsure_text.coreference.detection import detect_mentions
from howsure_text.coreference.gold_comparison import pairs_from_posteriors
from howsure_text.coreference.metrics import CoreferenceScores, Score, coreference_scores, score_documents
from howsure_text.coreference.recalibration import (
    CoreferenceRecalibration,
    entity_pairs_from_posteriors,
    recalibrate_coreference,
)
from howsure_text.coreference.resolution import ResolvedDocument, resolve
from howsure_text.coreference.scored_posteriors import posterior_from_scores, scores_from_fastcoref
from howsure_text.coreference.sharpening import Sharpening

__all__ = [
    "AntecedentModel",
    "AntecedentScores",
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
    "read_antecedent_scores",
    "recalibrate_coreference",
    "resolve",
    "score_documents",
    "scores_from_fastcoref",
    "write_antecedent_scores",
]
