"""Sequences: posteriors of taggers, exact and in every form that a question may ask for."""

from howsure.sequences.crf import CRFTagger
from howsure.sequences.hmm import HMMTagger
from howsure.sequences.pairs import count_unknown, frequent_transitions, tag_pairs, transition_pairs
from howsure.sequences.paths import BestPaths
from howsure.sequences.posterior import TagPosterior
from howsure.sequences.storage import load_tagger, read_crfsuite, save_tagger

__all__ = [
    "BestPaths",
    "CRFTagger",
    "HMMTagger",
    "TagPosterior",
    "count_unknown",
    "frequent_transitions",
    "load_tagger",
    "read_crfsuite",
    "save_tagger",
    "tag_pairs",
    "transition_pairs",
]
