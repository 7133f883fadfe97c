"""Sequences: exact posteriors of taggers: marginals, pairs, spans, samples and best sequences."""

from howsure.sequences.calibration_pairs import count_unknown, frequent_transitions, tag_pairs, transition_pairs
from howsure.sequences.chain.viterbi import BestPaths
from howsure.sequences.entities.entity_labels import entities_in
from howsure.sequences.entities.entity_spans import EntitySpans, entity_spans
from howsure.sequences.entities.token_logits import gold_tags
from howsure.sequences.entities.within_grammar import within_grammar
from howsure.sequences.tag_posterior import TagPosterior
from howsure.sequences.taggers.crf import CRFTagger
from howsure.sequences.taggers.hmm import HMMTagger
from howsure.sequences.taggers.tagger import load_tagger
from howsure.sequences.tempering.cross_fitting import cross_tempered
from howsure.sequences.tempering.fitting import fit_temperatures
from howsure.sequences.tempering.temperatures import Temperatures

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
