"""Sequences: exact posteriors of taggers: marginals, pairs, spans, samples and best sequences."""

from howsure.data.documents.entities import entities_in
from howsure_text.sequences.calibration_pairs import frequent_transitions, tag_pairs, transition_pairs
from howsure_text.sequences.comparison import PosteriorComparison, compare_posteriors
from howsure_text.sequences.crf import CRFTagger
from howsure_text.sequences.entities import EntitySpans, entity_spans, within_grammar
from howsure_text.sequences.evaluation import EntityEvaluation, TagEvaluation, evaluate_entities, evaluate_tags
from howsure_text.sequences.hmm import HMMTagger
from howsure_text.sequences.paths import BestPaths
from howsure_text.sequences.sentences import count_unknown
from howsure_text.sequences.tag_posterior import TagPosterior
from howsure_text.sequences.tagger import load_tagger
from howsure_text.sequences.temperatures import Temperatures
from howsure_text.sequences.tempering import cross_tempered, fit_temperatures
from howsure_text.sequences.token_labels import gold_tags

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
