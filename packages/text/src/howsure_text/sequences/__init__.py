"""Sequences: exact posteriors of taggers: marginals, pairs, spans, samples and best sequences."""

from howsure.lazy_imports import names_in

__getattr__, __dir__, __all__ = names_in(__name__, __file__)
