"""Posteriors of functions of structures: a function, such as a count of events, of samples from a posterior."""

from howsure.lazy_imports import names_in

__getattr__, __dir__, __all__ = names_in(__name__, __file__)
