"""Sequences: exact posteriors of taggers: marginals, pairs, spans, samples and best sequences."""

from howsure.sequences.calibration_pairs import count_unknown, frequent_transitions, tag_pairs, transition_pairs
from howsure.sequences.crf import CRFTagger
from howsure.sequences.entities import EntitySpans, entity_spans, within_grammar
from howsure.sequences.hmm import HMMTagger
from howsure.sequences.paths import BestPaths
from howsure.sequences.tag_posterior import TagPosterior
from howsure.sequences.tagger import load_tagger
from howsure.sequences.temperatures import Temperatures
from howsure.sequences.tempering import cross_tempered, fit_temperatures
from howsure.sequences.token_labels import entities_in, gold_tags

__all__ = [
    "BestPaths",
    "CRFTagger",
    "EntitySpans",
    "HMMTagger",
    "TagPosterior",
    "Temperatures",
    "count_unknown",
    "cross_tempered",
    "entities_in",
    "entity_spans",
    "fit_temperatures",
    "frequent_transitions",
    "gold_tags",
    "load_tagger",
    "tag_pairs",
    "transition_pairs",
    "within_grammar",
]
