"""Sequences: exact posteriors of taggers: marginals, pairs, spans, samples and best sequences."""

from howsure.sequences.calibration_pairs import count_unknown, frequent_transitions, tag_pairs, transition_pairs
from howsure.sequences.chain.viterbi import BestPaths
from howsure.sequences.tag_posterior import TagPosterior
from howsure.sequences.taggers.crf import CRFTagger
from howsure.sequences.taggers.hmm import HMMTagger
from howsure.sequences.taggers.tagger import load_tagger

__all__ = [
    "BestPaths",
    "CRFTagger",
    "HMMTagger",
    "TagPosterior",
    "count_unknown",
    "frequent_transitions",
    "load_tagger",
    "tag_pairs",
    "transition_pairs",
]
