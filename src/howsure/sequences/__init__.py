"""Sequences: exact posteriors of taggers: marginals, pairs, spans, samples and best sequences."""

from howsure.data.documents.entities import entities_in
from howsure.sequences.calibration_pairs import frequent_transitions, tag_pairs, transition_pairs
from howsure.sequences.comparison import PosteriorComparison, compare_posteriors
from howsure.sequences.crf import CRFTagger
from howsure.sequences.entities import EntitySpans, entity_spans, within_grammar
from howsure.sequences.evaluation import EntityEvaluation, TagEvaluation, evaluate_entities, evaluate_tags
from howsure.sequences.hmm import HMMTagger
from howsure.sequences.paths import BestPaths
from howsure.sequences.tag_posterior import TagPosterior
from howsure.sequences.tagger import load_tagger
from howsure.sequences.temperatures import Temperatures
from howsure.sequences.tempering import cross_tempered, fit_temperatures
from howsure.sequences.token_labels import gold_tags
from howsure.sequences.words import count_unknown

__all__ = [
    "BestPaths",
    "CRFTagger",
    "EntityEvaluation",
    "EntitySpans",
    "HMMTagger",
    "PosteriorComparison",
    "TagEvaluation",
    "TagPosterior",
    "Temperatures",
    "compare_posteriors",
    "count_unknown",
    "cross_tempered",
    "entities_in",
    "entity_spans",
    "evaluate_entities",
    "evaluate_tags",
    "fit_temperatures",
    "frequent_transitions",
    "gold_tags",
    "load_tagger",
    "tag_pairs",
    "transition_pairs",
    "within_grammar",
]
