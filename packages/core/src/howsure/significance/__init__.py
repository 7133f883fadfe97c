"""Significance: tests and intervals for the difference between models on the same items."""

from howsure.lazy_imports import names_in

__getattr__, __dir__, __all__ = names_in(__name__, __file__)
