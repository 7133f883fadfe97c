"""Coreference: which mentions refer to the same entity, with probabilities."""

from howsure.lazy_imports import names_in

__getattr__, __dir__, __all__ = names_in(__name__, __file__)
