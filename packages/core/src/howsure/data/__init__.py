"""Readers of text and predictions in all file formats. Dependencies of a reader are loaded on first use."""

from howsure.lazy_imports import names_in

__getattr__, __dir__, __all__ = names_in(__name__, __file__)
