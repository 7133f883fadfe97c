"""Sequences: posteriors of taggers, exact and in every form that a question may ask for."""

from howsure.sequences.crf import CRFTagger
from howsure.sequences.hmm import HMMTagger
from howsure.sequences.posterior import TagPosterior
from howsure.sequences.storage import load_tagger, read_crfsuite, save_tagger

__all__ = ["CRFTagger", "HMMTagger", "TagPosterior", "load_tagger", "read_crfsuite", "save_tagger"]
